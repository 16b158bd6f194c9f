// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a fact become the text of a prompt?
//
// A PromptBuilder builds one prompt for each option of a fact; pass it to `probe(builder, scorer,
// dataset)`. Statement fills a template, ManyShot writes bare subject-object pairs, and FewShot
// shows examples before a question.
//
// Run: examples/own_prompts.cpp.

#include "plumb/detail/prompt/few_shot.hpp"
#include "plumb/detail/prompt/many_shot.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/prompt/statement.hpp"

namespace plumb {

using detail::check_prompt_builder;
using detail::fill_template;
using detail::ManyShot;
using detail::Prompt;
using detail::PromptBuilder;
using detail::Statement;
using detail::SubjectObject;

}  // namespace plumb
