// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a whole run done, left in a folder with a page, and continued after a crash?
//
//   plumb::probe_into_folder(scorer, dataset, "run", {.model = "mine"});
//   plumb::run_job(job, {"run"});         // of plumb's jobs, or one of your own
//
// Everything that writes run folders, reads them and makes pages of them. Without CMake's plumb::compiled
// this takes long to compile. Run: examples/own_run_folder.cpp, examples/own_job.cpp.

#include "plumb/runs.hpp"

namespace plumb {

using detail::Job;
using detail::Json;
using detail::PackCost;
using detail::Part;
using detail::probe_into_folder;
using detail::run_job;
using detail::RunFolder;
using detail::Work;

}  // namespace plumb
