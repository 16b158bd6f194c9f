// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <plumb/calibrator.hpp>
#include <plumb/candidate_scorer.hpp>
#include <plumb/dataset.hpp>
#include <plumb/model.hpp>
#include <plumb/probe.hpp>

#include "engine.hpp"

struct Probed {
  plumb::Tokenization tokenize(std::string_view text) const {
    plumb::Tokenization made;
    for (std::size_t i = 0; i < text.size(); ++i)
      made.tokens.push_back({std::uint8_t(text[i]), {i, i + 1}});
    return made;
  }
  std::string detokenize(std::span<const int> ids) const { return {ids.begin(), ids.end()}; }
  std::optional<int> bos() const { return engine::Model::end_of_text; }
  std::size_t vocabulary_size() const { return engine::Model::vocabulary; }
  std::size_t context_length() const { return 1024; }
  void evaluate(std::span<const int> tokens, const plumb::LogitsVisitor& visit) {
    for (std::size_t i = 1; i <= tokens.size(); ++i) {
      visit(unsigned(i - 1), model.forward({tokens.begin(), tokens.begin() + long(i)}));
    }
  }
  engine::Model model;
};
static_assert(plumb::check_causal_lm<Probed>());

int main() {
  const plumb::Dataset cities{
      "cities", {plumb::relation_of("country", {"[X] is in [Y]."},
                                    {{"Oslo", "Norway"},
                                     {"Bergen", "Norway"},
                                     {"Lima", "Peru"},
                                     {"Cusco", "Peru"},
                                     {"In Lagos", "Norway"}})}};
  Probed model;
  plumb::CausalScorer scorer(model);
  const plumb::Calibration fit = plumb::calibrate(plumb::probe(scorer, cities), {.bins = 5});
  const plumb::Estimate ace = fit[plumb::CalibrationMetric::ace];
  std::printf("accuracy %.1f, ACE %.3f [%.3f, %.3f] over %zu facts\n",
              fit[plumb::CalibrationMetric::accuracy].value, ace.value, ace.low, ace.high,
              ace.count);
}
