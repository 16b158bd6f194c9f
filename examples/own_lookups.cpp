// SPDX-License-Identifier: Apache-2.0

// My backend, a server or a database of scores, only returns the probabilities of given tokens.
// What can I probe?
//
// Prints:
//   closed-set probe: knows 2 of 2 facts, 1 left out
//   many-shot probe: knows 1 of 2 facts, 1 left out
//   requested 12 log-probabilities

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/model.hpp"
#include "plumb/probe.hpp"
#include "plumb/prompt_builder.hpp"

/// A stand-in for a database or a server's client: scores for next words, but no logits.
struct Scores {
  std::map<std::pair<std::string, std::string>, double> known = {
      {{"Oslo is in", " Norway."}, -0.3},     {{"Oslo is in", " Peru."}, -2.1},
      {{"Lima is in", " Peru."}, -0.9},       {{"Lima is in", " Norway."}, -1.4},
      {{"Rome Italy Oslo", " Norway"}, -0.5}, {{"Rome Italy Oslo", " Peru"}, -3.2},
      {{"Rome Italy Lima", " Norway"}, -1.1}, {{"Rome Italy Lima", " Peru"}, -1.6}};
  std::size_t asked = 0;

  /// A missing score is not guessed; any fact that needs it is left out and counted.
  double after(const std::string& prefix, const std::string& word) {
    ++asked;
    const auto found = known.find({prefix, word});
    return found == known.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  }
};

/// The forty lines that present the scores as a plumb::LookupLm. Each token is a word with its
/// leading space.
class ScoresModel {
 public:
  [[nodiscard]] plumb::Tokenization tokenize(std::string_view text) const {
    plumb::Tokenization made;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
      end = std::min(text.find(' ', at + 1), text.size());
      const auto word = std::find(words_.begin(), words_.end(), text.substr(at, end - at));
      made.tokens.push_back({static_cast<plumb::TokenId>(word - words_.begin()), {at, end}});
      if (word == words_.end()) words_.emplace_back(text.substr(at, end - at));
    }
    return made;
  }
  [[nodiscard]] std::string detokenize(std::span<const plumb::TokenId> ids) const {
    std::string text;
    for (const plumb::TokenId id : ids) text += words_[static_cast<std::size_t>(id)];
    return text;
  }
  [[nodiscard]] std::optional<plumb::TokenId> bos() const { return std::nullopt; }
  [[nodiscard]] std::size_t vocabulary_size() const { return words_.size(); }
  [[nodiscard]] std::size_t context_length() const { return 2048; }
  /// The maximum number of nodes and branches of a tree in one call.
  [[nodiscard]] plumb::TreeLimits tree_limits() const { return {1024, 256, 256}; }

  /// Lookups with the same prefix are adjacent, so that a server can answer them in one request.
  void look_up(const plumb::TokenTree& tree, std::span<const plumb::TokenLookup> lookups,
               std::span<double> log_probabilities) {
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      const auto [node, token] = lookups[i];
      log_probabilities[i] =
          scores.after(detokenize(tree.prefix(node)), detokenize(std::span(&token, 1)));
    }
  }

  Scores scores;

 private:
  mutable std::vector<std::string> words_;
};
static_assert(plumb::check_lookup_lm<ScoresModel>());

/// A fact preceded by other facts as bare pairs: "Rome Italy Oslo Norway".
struct ShownPairs {
  [[nodiscard]] plumb::Prompt build(const plumb::Relation& relation, const plumb::Fact& fact,
                                    std::size_t, std::size_t option) const {
    const std::vector<plumb::SubjectObject> shots{{"Rome", "Italy"}};
    return plumb::ManyShot().question(shots, fact.subject, relation.options[option]);
  }
};

static_assert(plumb::check_prompt_builder<ShownPairs>());

template <class Builder>
void ask(const char* name, const Builder& builder, ScoresModel& model, plumb::Span span) {
  const plumb::Dataset cities{
      "cities",
      {plumb::relation_of("country", {"[X] is in [Y]."},
                          {{"Oslo", "Norway"}, {"Lima", "Peru"}, {"Cusco", "Peru"}})}};
  plumb::CausalScorer scorer(model, plumb::Bos::none(), span);
  const plumb::Answers made = plumb::probe(builder, scorer, cities);
  const auto numbers = plumb::metrics_of(made).overall;
  std::printf("%s probe: knows %.0f of %zu facts, %zu left out\n", name,
              numbers.accuracy.value * static_cast<double>(numbers.facts), numbers.facts,
              made.unreported_facts);
}

int main() {
  ScoresModel model;
  ask("closed-set", plumb::Statement(), model, plumb::Span::answer);
  ask("many-shot", ShownPairs(), model, plumb::Span::continuation);
  std::printf("requested %zu log-probabilities\n", model.scores.asked);
}
