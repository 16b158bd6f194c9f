// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are datasets and graphs read from files?
//
//   plumb::Dataset bear = plumb::load_dataset("bear");
//   plumb::MultiPromptDataset myriad = plumb::load_multi_prompt("myriadlama");
//   plumb::KnowledgeGraph wordnet = plumb::load_graph("wn18rr");
//
// Errors in a file are thrown as a plumb::Error with the file, line and field, or passed to a sink.
// The readers take a long time to compile. To avoid this, link against plumb::compiled, which
// contains them precompiled. Run: examples/own_dataset.cpp. Formats: docs/data.md.

#include "plumb/dataset.hpp"
#include "plumb/detail/data/graph_folder.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/data/multi_prompt_folder.hpp"

namespace plumb {

using detail::load_dataset;
using detail::load_graph;
using detail::load_multi_prompt;

}  // namespace plumb
