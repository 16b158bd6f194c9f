// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a closed-set dataset converted to a knowledge graph?
//
// Each fact becomes a triple from its subject to its answer. The relation's options are its
// possible tails. Closed-set datasets have no training part to draw shots from. Therefore, ten
// facts of each relation (a fifth if there are fewer than fifty) become the training part, drawn
// with a random stream named after the relation; the rest form the test part. Closed-set datasets
// have no relation names either. A relation's name consists of the words between [X] and [Y] in the
// first of its templates that begins and ends with these placeholders ("is produced by"). If there
// is no such template, the name consists of the words of the relation's first template. Entities
// have no descriptions, so each description is "-". Source of the comparison: "Cosine Similarity as
// Logits?", appendix C.2, which does not specify how BEAR's facts were written.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The words of a template between or around its placeholders, without its full stop.
inline std::string relation_words(const Relation& relation) {
  const auto trimmed = [](std::string text) {
    const std::size_t first = text.find_first_not_of(" ,."), last = text.find_last_not_of(" ,.");
    return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
  };
  for (const std::string& text : relation.templates) {
    const std::size_t end = text.find("[Y]");
    if (!text.starts_with("[X]") || end == std::string::npos) continue;
    if (!trimmed(text.substr(end + 3)).empty()) continue;
    if (std::string words = trimmed(text.substr(3, end - 3)); !words.empty()) return words;
  }
  std::string words = relation.templates.empty() ? "" : relation.templates.front();
  for (const std::string_view placeholder : {"[X]", "[Y]"}) {
    if (const std::size_t at = words.find(placeholder); at != std::string::npos) {
      // Also remove the space before the placeholder, unless a word follows immediately.
      const std::size_t end = at + placeholder.size();
      const bool behind_space = at > 0 && words[at - 1] == ' ';
      const bool at_an_end = end == words.size() || words[end] == ' ' || words[end] == ',';
      const std::size_t first = behind_space && at_an_end ? at - 1 : at;
      words.erase(first, end - first);
    }
  }
  words = trimmed(words);
  return words.empty() ? relation.code : words;
}

/// The graph of the relations with these codes, or of all relations if `codes` is empty. Throws a
/// user error for a code that is not in the dataset.
[[nodiscard]] inline KnowledgeGraph graph_of(const Dataset& dataset,
                                             const std::vector<std::string>& codes) {
  constexpr std::size_t shots = 10;
  KnowledgeGraph graph;
  graph.name = dataset.name;
  graph.files = dataset.files;
  std::unordered_map<std::string, std::uint32_t> places;
  const auto place = [&](const std::string& id, const std::string& name) {
    const std::string& key = id.empty() ? name : id;
    const auto [found, fresh] =
        places.try_emplace(key, static_cast<std::uint32_t>(graph.entities.size()));
    if (fresh) graph.entities.push_back({key, name, "-"});
    const std::string& known = graph.entities[found->second].name;
    if (known != name && !is_wikidata_item(key)) {
      throw user_error(
          {.file = dataset.files.empty() ? std::filesystem::path() : dataset.files.front()},
          "the id '" + key + "' belongs to '" + known + "' and to '" + name + "'",
          "give each entity one id and one name, or remove the columns of ids");
    }
    return found->second;
  };
  for (const std::string& code : codes) {
    if (ranges::find(dataset.relations, code, &Relation::code) == dataset.relations.end()) {
      throw user_error({.setting = "relations"}, "'" + code + "' is not a relation of the dataset",
                       "list them with plumb data describe");
    }
  }
  for (const Relation& relation : dataset.relations) {
    if (!codes.empty() && ranges::find(codes, relation.code) == codes.end()) continue;
    const auto index = static_cast<std::uint32_t>(graph.relations.size());
    GraphRelation& made = graph.relations.emplace_back(
        GraphRelation{relation.code, detail::relation_words(relation)});
    for (std::size_t o = 0; o < relation.options.size(); ++o) {
      // An option without an identifier gets one based on its position, which has no meaning in
      // other relations.
      const bool has_id = o < relation.option_ids.size() &&
                          relation.option_ids[o] != relation.code + "-" + std::to_string(o);
      made.range.push_back(
          place(has_id ? relation.option_ids[o] : std::string(), relation.options[o]));
    }
    std::vector<Triple> triples;
    for (const Fact& fact : relation.facts) {
      // If a fact is not from a file, its number, counted from 1, is used as its line.
      const std::size_t line = fact.line > 0 ? fact.line : triples.size() + 1;
      triples.push_back({place(fact.subject_id, fact.subject), index, made.range[fact.answer],
                         static_cast<std::uint32_t>(line)});
    }
    std::vector<std::size_t> order(triples.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const std::size_t drawn = (std::min)(shots, triples.size() / 5);
    RandomStream random(0, "graph/" + relation.code);
    random.shuffle(order, drawn);
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(drawn));
    for (std::size_t i = 0; i < triples.size(); ++i) {
      const bool is_shot =
          std::binary_search(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(drawn), i);
      (is_shot ? graph.train : graph.test).push_back(triples[i]);
    }
    ranges::sort_distinct(made.range);
  }
  return graph;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
