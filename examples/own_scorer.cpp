// SPDX-License-Identifier: Apache-2.0

// My scores don't come from a language model. Can the rest of plumb use them?
//
// Yes: any type with score(query) is a CandidateScorer. It returns a score for each candidate;
// larger is likelier.
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

#include "plumb/aggregator.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/probe.hpp"
#include "plumb/prompt_builder.hpp"

/// Counts the pairs of adjacent words that it has read before.
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
      scores.push_back({.statement = {.log_likelihood = known, .tokens = 1}});
    }
    return scores;
  }
  std::set<std::pair<std::string, std::string>> read = of("the Nile river . the Etna volcano .");
};
static_assert(plumb::check_candidate_scorer<WordPairs>());

int main() {
  WordPairs scorer;
  const plumb::Answers answers = plumb::probe(
      scorer,
      {"places",
       {plumb::relation_of("kind", {"The [X] [Y] ."}, {{"Nile", "river"}, {"Etna", "volcano"}})}});
  const auto said = plumb::aggregate(answers, plumb::MaxConfidence()).front();
  for (std::size_t f = 0; f < said.size(); ++f) {
    const plumb::Relation& kind = answers.tables[0].relation;
    std::printf("The %s is a %s: confidence %.3f\n", kind.facts[f].subject.c_str(),
                kind.options[*said[f].option].c_str(), said[f].confidence_sum);
  }
}
