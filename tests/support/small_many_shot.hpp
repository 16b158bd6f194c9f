// SPDX-License-Identifier: Apache-2.0
#pragma once

// A relation of any size, a model trained on part of it, and the model's token-by-token
// probabilities after a prompt.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/run/many_shot_block.hpp"
#include "plumb/detail/score/tokenized_statements.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// "Person Aa", "Person Ab", … born in 1800, 1801, … in rotation; up to 676 facts.
[[nodiscard]] inline Relation births(std::size_t facts, std::size_t years,
                                     const std::string& code = "birth") {
  Relation relation;
  relation.code = code;
  relation.file = code + ".jsonl";
  for (std::size_t i = 0; i < years; ++i) {
    relation.options.push_back(std::to_string(1800 + i));
    relation.option_ids.push_back("y" + std::to_string(i));
  }
  for (std::size_t i = 0; i < facts; ++i) {
    const std::string name{static_cast<char>('A' + i / 26), static_cast<char>('a' + i % 26)};
    Fact fact;
    fact.subject_id = "p" + std::to_string(i);
    fact.subject = "Person " + name;
    fact.answer = i % years;
    fact.instance = i;
    fact.line = i + 1;
    relation.facts.push_back(fact);
  }
  return relation;
}

/// A table of choices, with a line for each fact.
[[nodiscard]] inline std::string as_table(const Relation& relation) {
  std::string lines;
  for (const Fact& fact : relation.facts) {
    const Json line = {{"subject", fact.subject},
                       {"subject_id", fact.subject_id},
                       {"object", relation.options[fact.answer]}};
    lines += line.dump() + "\n";
  }
  return lines;
}

/// The pairs of these facts, written with the given separators.
[[nodiscard]] inline std::string pairs_text(const Relation& relation,
                                            std::span<const std::size_t> facts,
                                            const std::string& pair = " ",
                                            const std::string& item = " ") {
  std::string text;
  for (const std::size_t f : facts) {
    const Fact& fact = relation.facts[f];
    if (!text.empty()) text += item;
    text += fact.subject + pair + relation.options[fact.answer];
  }
  return text;
}

/// IC-LKE with 1 and 4 shots, two seeds and two separators, and two templates.
[[nodiscard]] inline ManyShotOptions several() {
  ManyShotOptions options;
  options.shots = {{1, 4}};
  options.seeds = 2;
  options.choices = 5;
  options.training = 12;
  options.limit = 6;
  options.pair_separators = {" ", ": "};
  options.baselines["birth"] = {"", {"{subject} was born in"}, {"({subject},"}};
  return options;
}

/// Both kinds of EIC-LKE on 12 facts, so that the paper's last row has only two questions.
[[nodiscard]] inline ManyShotOptions eic() {
  ManyShotOptions options;
  options.shots = {};
  options.seeds = 1;
  options.choices = 4;
  options.limit = 12;
  options.eic_paper = options.eic_isolated = true;
  return options;
}

/// A model trained on text about the first ten people. Its limits allow long sequences and divide
/// blocks into packs.
template <class Model = NgramTreeModel>
[[nodiscard]] Model reader_of_births(std::vector<std::string> pieces = {}) {
  const Relation read = births(10, 10);
  const std::vector<std::size_t> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  Model model(pairs_text(read, all) + ", Person Ba,1804", 5, std::move(pieces));
  if constexpr (TreeCausalLm<Model>) model.limits = {3000, 8, 32};
  return model;
}

/// ln P of all tokens after the given part of a text, from the model's own probabilities. A token
/// that begins within the given part also counts, unless it is also a token of that part when
/// tokenised alone.
template <class Model>
[[nodiscard]] double continuation_by_hand(const Model& model, const Prompt& prompt,
                                          bool with_bos = true) {
  std::vector<TokenId> ids;
  if (with_bos) ids.push_back(*model.bos());
  const auto given = model.tokenize(prompt.text.substr(0, prompt.given)).tokens;
  double sum = 0;
  bool is_given = true;
  std::size_t place = 0;
  for (const Token& token : tokenize_prompt(model, prompt).tokens) {
    const bool same = prompt.cuts.empty() ? place < given.size() && given[place].id == token.id
                                          : token.bytes.end <= prompt.given;
    is_given = is_given && same;
    if (!is_given) sum += model.log_probability(ids, token.id);
    ids.push_back(token.id);
    ++place;
  }
  return sum;
}

/// A text that consists of a given part and a continuation.
[[nodiscard]] inline Prompt ending_in(const std::string& given, const std::string& rest) {
  return {given + rest, {}, {}, given.size()};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
