// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a file ask?
//
//   plumb::Dataset bear = plumb::load_dataset("bear");
//   plumb::MultiPromptDataset myriad = plumb::load_multi_prompt("myriadlama");
//   plumb::KnowledgeGraph wordnet = plumb::load_graph("wn18rr");
//
// What is wrong with a file is a plumb::Error with file, line and field, or goes to a sink. Readers take
// long to compile; plumb::compiled has them once. Run: examples/own_dataset.cpp. Formats: docs/data.md.

#include "plumb/dataset.hpp"
#include "plumb/detail/data/graph_folder.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/data/multi_prompt_folder.hpp"

namespace plumb {

using detail::load_dataset;
using detail::load_graph;
using detail::load_multi_prompt;

}  // namespace plumb
