// SPDX-License-Identifier: Apache-2.0

// My scores don't come from a language model. Can the rest of plumb use them?
//
// Any type with score(query) is a CandidateScorer: a score for each candidate, larger is likelier.
//
// Prints:
//   The Nile is a river: confidence 0.731
//   The Etna is a volcano: confidence 0.731

#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plumb/aggregate/probe_in_memory.hpp"

/// Counts the pairs of neighbouring words that it has read before.
struct WordPairs {
  [[nodiscard]] static std::set<std::pair<std::string, std::string>> of(const std::string& text) {
    std::set<std::pair<std::string, std::string>> pairs;
    std::istringstream words(text);
    for (std::string last, word; words >> word; last = word) pairs.emplace(last, word);
    return pairs;
  }
  [[nodiscard]] std::vector<plumb::StatementScore> score(const plumb::Query& query) const {
    std::vector<plumb::StatementScore> scores;
    for (const plumb::Prompt& prompt : query.candidates) {
      double known = 0;
      for (const auto& pair : of(prompt.text)) known += read.contains(pair) ? 1 : 0;
      scores.push_back({.log_likelihood = known, .tokens = 1});
    }
    return scores;
  }
  std::set<std::pair<std::string, std::string>> read = of("the Nile river . the Etna volcano .");
};
static_assert(plumb::check_candidate_scorer<WordPairs>());

int main() {
  plumb::Relation kind{"kind", {"The [X] [Y] ."}, {"river", "volcano"}, {"r", "v"}};
  kind.facts = {{"nile", "Nile", {}, 0}, {"etna", "Etna", {}, 1}};
  WordPairs scorer;
  const auto made = plumb::probe_in_memory(scorer, {"places", {kind}, {}});
  for (std::size_t f = 0; f < kind.facts.size(); ++f) {
    const plumb::Prediction& best = made.relations[0].row(f)[0];
    std::printf("The %s is a %s: confidence %.3f\n", kind.facts[f].subject.c_str(),
                kind.options[best.option].c_str(), best.confidence);
  }
}
