// SPDX-License-Identifier: Apache-2.0

// I have my own wording for facts. How much does the model know when it is asked with these
// prompts?
//
// Prints:
//   Oslo lies in Norway.
//   templates 1.000, my own words 0.500 of 2 facts

#include <cstdio>
#include <string>

#include "own_engine.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/probe.hpp"
#include "plumb/prompt_builder.hpp"

/// Reports the position of the answer in the text, so that the answer can be scored on its own.
struct LiesIn {
  [[nodiscard]] plumb::Prompt build(const plumb::Relation& relation, const plumb::Fact& fact,
                                    std::size_t, std::size_t option) const {
    const std::string& answer = relation.options[option];
    const std::string before = fact.subject + " lies in ";
    return {before + answer + ".", {{before.size(), before.size() + answer.size()}}};
  }
};
// reports the requirements of plumb::PromptBuilder that are not met
static_assert(plumb::check_prompt_builder<LiesIn>());

int main() {
  const plumb::Dataset cities{
      "cities",
      {plumb::relation_of("country", {"[X] is in [Y]."}, {{"Oslo", "Norway"}, {"Lima", "Peru"}})}};
  const plumb::Relation& country = cities.relations.front();
  std::printf("%s\n", LiesIn().build(country, country.facts[0], 0, 0).text.c_str());
  EngineModel model;
  plumb::CausalScorer scorer(model);
  const plumb::Answers usual = plumb::probe(scorer, cities);
  const plumb::Answers own = plumb::probe(LiesIn(), scorer, cities, {.span = plumb::Span::answer});
  const auto numbers = plumb::metrics_of(own).overall;
  std::printf("templates %.3f, my own words %.3f of %zu facts\n",
              plumb::metrics_of(usual).overall.accuracy.value, numbers.accuracy.value,
              numbers.facts);
}
