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

#include "plumb/data/graph_folder.hpp"
#include "plumb/data/load.hpp"
#include "plumb/data/multi_prompt_folder.hpp"
#include "plumb/dataset.hpp"
