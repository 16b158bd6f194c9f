// SPDX-License-Identifier: Apache-2.0

// How do I use a model in a Hugging Face folder without llama.cpp and without the command?
//
//   example_hugging_face_folder FOLDER     a masked model, or OPT or GPT-2

#include <iostream>
#include <string>

#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/huggingface.hpp"

namespace {

/// Prints the log-likelihoods of two statements that differ in their answer.
template <class Scorer>
void compare(Scorer&& scorer) {
  const std::string given = "The capital of France is ";
  plumb::Query query;
  for (const std::string city : {"Paris", "Rome"}) {
    query.candidates.push_back({given + city + ".", {{given.size(), given.size() + city.size()}}});
  }
  const auto scores = scorer.score(query);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    std::cout << query.candidates[i].text << "  " << scores[i].statement.log_likelihood
              << " nats over " << scores[i].statement.tokens << " tokens\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: example_hugging_face_folder FOLDER\n";
    return 2;
  }
  try {
    if (plumb::is_masked_folder(argv[1])) {
      plumb::HuggingFaceMaskedModel model(argv[1]);
      compare(plumb::MaskedScorer(model, plumb::PseudoLikelihood::within_word));
    } else {
      plumb::HuggingFaceCausalModel model(argv[1]);
      compare(plumb::CausalScorer(model));
    }
  } catch (const plumb::Error& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
