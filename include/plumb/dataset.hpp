// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which facts does a probe ask about?
//
//   plumb::Dataset cities{"cities", {plumb::relation_of("country", {"[X] is in [Y]."},
//                                                       {{"Oslo", "Norway"}, {"Lima", "Peru"}})}};
//
// To read facts from a file: plumb/load.hpp. Run: examples/own_dataset.cpp.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/closed_set_graph.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/data/multi_prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Creates a relation from subjects and their objects. Its options are the distinct objects, in
/// order of first appearance. In templates, [X] marks the subject and [Y] the object. This function
/// does not check its arguments; the probe that uses the relation reports any errors.
[[nodiscard]] inline Relation relation_of(
    std::string code, std::vector<std::string> templates,
    const std::vector<std::pair<std::string, std::string>>& facts) {
  Relation made{.code = std::move(code), .templates = std::move(templates)};
  for (const auto& [subject, object] : facts) {
    const auto known = ranges::find(made.options, object);
    const auto answer = static_cast<std::size_t>(known - made.options.begin());
    if (known == made.options.end()) made.options.push_back(object);
    made.facts.push_back({.subject = subject, .answer = answer, .instance = made.facts.size()});
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

namespace plumb {

using detail::Dataset;
using detail::Error;
using detail::Fact;
using detail::graph_of;
using detail::KnowledgeGraph;
using detail::MultiPromptDataset;
using detail::Relation;
using detail::relation_of;
using detail::user_error;

}  // namespace plumb
