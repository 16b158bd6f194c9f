// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a question put into words?
//
// A PromptBuilder makes one prompt for each option of a fact; `probe(builder, scorer, dataset)` takes one.
// Statement fills a template, ManyShot writes bare pairs, FewShot shows examples before a question.
//
// Run: examples/own_prompts.cpp.

#include "plumb/prompt/few_shot.hpp"
#include "plumb/prompt/many_shot.hpp"
#include "plumb/prompt/prompt.hpp"
#include "plumb/prompt/statement.hpp"
