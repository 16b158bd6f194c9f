// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do I write a complete run, including a page, to a folder, and resume the run after a crash?
//
//   plumb::probe_into_folder(scorer, dataset, "run", {.model = "mine"});
//   plumb::run_job(job, {"run"});         // a job of your own
//
// Link the CMake target plumb::compiled to compile this faster. Run: examples/own_run_folder.cpp,
// examples/own_job.cpp.

#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/probe_into_folder.hpp"
#include "plumb/detail/run/run_folder.hpp"
#include "plumb/detail/run/work.hpp"

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
