// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs `plumb generate` with the given arguments on the chemical elements, using a model trained on
// answers to prompts about them. Most of these answers are correct.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/prompt/few_shot.hpp"
#include "support/bear_folder.hpp"
#include "support/console_run.hpp"
#include "support/little_wordnet.hpp"
#include "support/small_multi_prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A closed-set dataset of the relations in elements_many() whose facts have one object, with the
/// same templates.
[[nodiscard]] inline Dataset elements_closed() {
  Dataset dataset{"closed", {}, {}};
  for (const MultiPromptRelation& from : elements_many().relations) {
    if (from.facts.front().objects.size() > 1) continue;
    Relation& relation = dataset.relations.emplace_back();
    relation.code = from.code;
    for (const PromptTemplate& one : from.templates) relation.templates.push_back(one.text);
    for (const ManyNamedFact& fact : from.facts) {
      const std::string& object = fact.objects.front().names.front();
      const auto answer = static_cast<std::size_t>(std::ranges::find(relation.options, object) -
                                                   relation.options.begin());
      if (answer == relation.options.size()) {
        relation.options.push_back(object);
        relation.option_ids.push_back(fact.objects.front().id);
      }
      const std::vector<std::string>& names = fact.subject.names;
      relation.facts.push_back({fact.subject.id,
                                names.front(),
                                {names.begin() + 1, names.end()},
                                answer,
                                relation.facts.size(),
                                relation.facts.size() + 1});
    }
  }
  return dataset;
}

/// Trains a model on answers to prompts: of every three consecutive prompts, two are answered with
/// an object of the fact, and one with an object of the relation's next fact. Statements contain
/// the fact's object. The last 23 letters determine the continuation, so examples before a prompt
/// have no effect on the model.
template <class Model = NgramTreeModel>
[[nodiscard]] Model reader_of_prompts() {
  static const Model read = [] {
    std::string text;
    const MultiPromptDataset dataset = elements_many();
    for (const PromptForm form : {PromptForm::mask, PromptForm::question}) {
      const FewShot few_shot(dataset, {.form = form}, 0);
      for (std::size_t r = 0; r < dataset.relations.size(); ++r) {
        const auto& facts = dataset.relations[r].facts;
        for (const std::size_t t : few_shot.templates(r)) {
          for (std::size_t f = 0; f < facts.size(); ++f) {
            const auto& names = facts[f].subject.names;
            for (std::size_t e = 0; e < names.size(); ++e) {
              const bool right = (f + t + e) % 3 > 0;
              const std::string& answer =
                  facts[right ? f : (f + 1) % facts.size()].objects.back().names.back();
              text += few_shot.question(r, t, names[e]) + " " + answer + ".\n";
            }
            text += fill_template(dataset.relations[r].templates[t].text, facts[f].subject.names[0],
                                  facts[f].objects[0].names[0], true)
                        .text +
                    "\n";
          }
        }
      }
    }
    std::string often;
    for (int i = 0; i < 200; ++i) often += text;
    return Model(often, 24);
  }();
  return read;
}

/// A folder with "elements" (elements_many()), "closed" (elements_closed() in the BEAR layout) and
/// "model.gguf", which is hashed but not read.
struct GenerateFiles : JobFiles {
  GenerateFiles() {
    write_many("elements", elements_many());
    write_bear(folder, "closed", elements_closed());
  }

  void write_many(const std::string& name, const MultiPromptDataset& dataset) const {
    folder.write(name + "/facts.jsonl", facts_jsonl(dataset));
    folder.write(name + "/templates.jsonl", templates_jsonl(dataset));
  }

  /// Options for short answers and few samples, without WordNet, so that a run is fast. Options
  /// passed by the caller override these.
  [[nodiscard]] std::vector<std::string> words(const std::vector<std::string>& options = {},
                                               const std::string& run = "run",
                                               const std::string& data = "elements") const {
    std::vector<std::array<std::string, 2>> usual{
        {"--max-new-tokens", "12"}, {"--samplings", "300"}, {"--wordnet", "none"}};
    if (std::ranges::find(options, "--samples") == options.end() &&
        std::ranges::find(options, "--confidence-prompts") == options.end()) {
      usual.push_back({"--samples", "5"});
      usual.push_back({"--confidence-prompts", "6"});
    }
    return words_of("generate", data, run, options, usual);
  }

  template <class Model = NgramTreeModel>
  [[nodiscard]] ConsoleRun generate(const std::vector<std::string>& options = {},
                                    const std::string& run = "run",
                                    const std::string& data = "elements") const {
    return run_words(words(options, run, data),
                     [](const ModelOptions&) { return reader_of_prompts<Model>(); });
  }

  /// Runs `plumb probe` on the closed set with all of its templates.
  [[nodiscard]] ConsoleRun probe(const std::string& run = "probe",
                                 const std::string& templates = "all") const {
    return run_words({"probe", "--data", at("closed"), "--model", at("model.gguf"), "--out",
                      at(run), "--templates", templates},
                     [](const ModelOptions&) { return reader_of_prompts(); });
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
