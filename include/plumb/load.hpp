// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are datasets and graphs read from files?
//
//   plumb::Dataset bear = plumb::load_dataset("bear");
//   plumb::MultiPromptDataset myriad = plumb::load_multi_prompt("myriadlama");
//   plumb::KnowledgeGraph wordnet = plumb::load_graph("wn18rr");
//
// An error in a file is thrown as a plumb::Error with file, line and field, or passed to a sink.
// The readers take long to compile. To avoid this, link plumb::compiled, which contains them
// already compiled. Run: examples/own_dataset.cpp. Formats: docs/data.md.

#include "plumb/dataset.hpp"
#include "plumb/detail/data/graph_folder.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/data/multi_prompt_folder.hpp"

namespace plumb {

using detail::load_dataset;
using detail::load_graph;
using detail::load_multi_prompt;

}  // namespace plumb
