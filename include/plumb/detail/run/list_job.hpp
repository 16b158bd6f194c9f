// SPDX-License-Identifier: Apache-2.0
#pragma once

// A generation in KAMEL's form, as a job. For each test fact of a KAMEL folder, one prompt asks for
// all objects, with training facts as shots (prompt/kamel_prompt.hpp). The job writes the same
// files as a generation, and its answers are measured as lists (measure/answer_lists.hpp).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/dataset_texts.hpp"
#include "plumb/detail/data/kamel.hpp"
#include "plumb/detail/prompt/kamel_prompt.hpp"
#include "plumb/detail/records/generation_metadata.hpp"
#include "plumb/detail/records/generation_shots.hpp"
#include "plumb/detail/records/listed_prompt.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/report/list_report.hpp"
#include "plumb/detail/run/generate_settings.hpp"
#include "plumb/detail/run/generation_files.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/provenance.hpp"
#include "plumb/detail/run/text_generation.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/kept_prompts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The questions that a generation in KAMEL's form asks. They are loaded before a model is needed.
struct ListQuestions {
  /// Reads `chosen.data`. Throws a user error if the data cannot be read, is not a KAMEL folder, or
  /// contains nothing to ask.
  explicit ListQuestions(const GenerateSettings& chosen)
      : settings(chosen), setting(settings.asking().settings.front()) {
    if (!is_kamel(settings.data)) {
      throw user_error(
          {.file = settings.data},
          "is not a KAMEL folder; `form` kamel needs its questions, training and test facts",
          "use a KAMEL folder, or another `form`");
    }
    KamelFolder read = read_kamel(settings.data);
    asked = {std::move(read.name), {}, std::move(read.files), std::move(read.left_out)};
    for (KamelRelation& one : read.relations) {
      if (const auto problem = problem_with_relation(one.asked, {.file = one.asked.file})) {
        throw Error(*problem);
      }
      asked.relations.push_back(one.asked);
    }
    for (const std::size_t r : relation_places(asked, settings.relations)) {
      relations.push_back(std::move(read.relations[r]));
    }
    asked.relations.clear();
    for (KamelRelation& one : relations) {
      auto& facts = one.asked.facts;
      if (settings.limit > 0 && facts.size() > settings.limit) facts.resize(settings.limit);
      asked.relations.push_back(one.asked);
    }
  }

  [[nodiscard]] KamelPrompt prompts(std::size_t relation) const {
    return {relations[relation], setting.shots, settings.shot_seed};
  }

  GenerateSettings settings;
  FewShotSetting setting;
  /// The selected relations and facts, without (`asked`) and with (`relations`) the training facts
  /// that are used as shots.
  MultiPromptDataset asked;
  std::vector<KamelRelation> relations;
};

/// A row of the training data as a shot.
inline RecordedShot list_shot(const MultiPromptRelation& training, std::uint32_t place) {
  const ManyNamedFact& fact = training.facts[place];
  return {training.code, fact.subject.id, fact.subject.names.front(),
          KamelPrompt::listed_objects(fact), 0};
}

/// Calls `visit(kind, make)` for each prompt, in the order of the run's rows ("5-kamel answers");
/// make() returns the ListedPrompt. The arguments must outlive the call.
template <class Visit>
void for_each_list_prompt(const ListQuestions& questions, const WantedFact& wanted, Visit visit) {
  const std::string part = few_shot_name(questions.setting) + " answers";
  for (std::size_t r = 0; r < questions.relations.size(); ++r) {
    const auto& asked = questions.relations[r].asked;
    const auto& training = questions.relations[r].training;
    const KamelPrompt prompts = questions.prompts(r);
    for (std::size_t f = 0; f < asked.facts.size(); ++f) {
      const NamedEntity& subject = asked.facts[f].subject;
      if (!wanted.has(subject.id, subject.names.front(), asked.code, f)) continue;
      visit(part, [&] {
        Json shots = Json::array();
        for (const std::uint32_t place : prompts.shots(subject.names.front())) {
          shots.push_back(to_json(detail::list_shot(training, place)));
        }
        return ListedPrompt{.about = {{"part", part},
                                      {"relation", asked.code},
                                      {"sub_id", subject.id},
                                      {"sub_label", subject.names.front()},
                                      {"fact", f},
                                      {"subject", subject.names.front()},
                                      {"template", 0},
                                      {"expression", 0},
                                      {"shots", std::move(shots)}},
                            .texts = {Prompt{prompts.text(subject.names.front()), {}, {}}},
                            .with_bos = questions.settings.bos};
      });
    }
  }
}

/// Models Job. The model and the questions must outlive this object. Not thread-safe.
template <CausalLm Model>
class ListJob {
 public:
  /// Throws a user error if the model cannot process a prompt.
  ListJob(Model& model, const ListQuestions& questions, Provenance provenance = {})
      : model_(model),
        q_(questions),
        provenance_(std::move(provenance)),
        prompts_(kept_prompts(model, questions.settings.bos)) {
    const SpecialTokenCheck check{model_, q_.settings.special_tokens, prompts_.bos()};
    for (const KamelRelation& one : q_.relations) {
      for_each_text(one.asked, check);
      if (q_.setting.shots > 0) for_each_text(one.training, check);
    }
    check.warn(provenance_.description);
    for (std::size_t r = 0; r < q_.relations.size(); ++r) {
      const MultiPromptRelation& asked = q_.relations[r].asked;
      const KamelPrompt prompts = q_.prompts(r);
      for (const ManyNamedFact& fact : asked.facts) {
        const std::string& subject = fact.subject.names.front();
        const auto wrong =
            missing_room_after(model_, prompts_, prompts.text(subject), q_.settings.max_new_tokens);
        if (!wrong) continue;
        throw user_error({asked.file, fact.line, asked.code},
                         "the " + name() + " prompt about '" + shortened(subject) + "' " + *wrong,
                         "use fewer shots or fewer new tokens, or remove the fact");
      }
    }
  }

  [[nodiscard]] Json settings() const {
    return generate_record(q_.settings, q_.asked, {}, provenance_);
  }

  [[nodiscard]] JobPlan plan() {
    const std::vector<Asked> asked = asked_in_order();
    return {planned_texts(prompts_, name(), asked.size(), 0, q_.settings.max_new_tokens,
                          [&](std::size_t i) { return text(asked[i]); })};
  }

  void run(const RunFolder& folder, Work& work) {
    write_asked(folder, q_.asked);
    write_shots(folder);
    ExamplePrompts examples;
    for_each_list_prompt(q_, {}, std::ref(examples));
    examples.write(folder.path());
    answer(folder, work);
    write_generation_metadata(folder.path(), {.model = provenance_.model,
                                              .dataset = q_.asked.name,
                                              .settings = detail::setting_names({q_.setting}),
                                              .answers = GeneratedAnswers::lists,
                                              .max_new_tokens = q_.settings.max_new_tokens,
                                              .remarks = remarks()});
  }

  [[nodiscard]] ListReport report(const DiskPath& folder) const {
    return list_report(folder, {.seed = q_.settings.seed});
  }

 private:
  /// A fact to ask about, identified by index.
  struct Asked {
    std::size_t relation = 0, fact = 0;
  };

  [[nodiscard]] std::string name() const { return few_shot_name(q_.setting); }

  /// Writes shots.jsonl with all training facts of each relation, if there are shots.
  void write_shots(const RunFolder& folder) const {
    if (q_.setting.shots == 0) return;
    std::string lines;
    for (const KamelRelation& one : q_.relations) {
      RecordedShotList list{name(), one.asked.code, {}, {}};
      for (std::size_t i = 0; i < one.training.facts.size(); ++i) {
        list.shots.push_back(detail::list_shot(one.training, static_cast<std::uint32_t>(i)));
      }
      lines += shot_list_line(list);
    }
    write_atomically(folder.file("shots.jsonl"), lines);
  }

  /// All facts to ask about, ordered by relation and then by fact.
  [[nodiscard]] std::vector<Asked> asked_in_order() const {
    std::vector<Asked> asked;
    for (std::size_t r = 0; r < q_.relations.size(); ++r) {
      for (std::size_t f = 0; f < q_.relations[r].asked.facts.size(); ++f) asked.push_back({r, f});
    }
    return asked;
  }
  [[nodiscard]] const std::string& subject(const Asked& one) const {
    return q_.relations[one.relation].asked.facts[one.fact].subject.names.front();
  }
  [[nodiscard]] std::string text(const Asked& one) const {
    return q_.prompts(one.relation).text(subject(one));
  }

  /// Writes SETTING_answers.jsonl. A pack ends at the end of its relation and after every 64 facts.
  void answer(const RunFolder& folder, Work& work) {
    constexpr std::size_t most = 64;
    const std::vector<Asked> plan = asked_in_order();
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      const auto& [relation, fact] = plan[i];
      const bool is_last = fact + 1 == q_.relations[relation].asked.facts.size();
      if (is_last || (fact + 1) % most == 0) ends.push_back(i + 1);
    }
    AtomicFile rows(folder.file(name() + "_answers.jsonl"));
    TextGeneration<Model> generation(model_, prompts_, work);
    const bool is_whole = generation.generate_rows(
        name(), ends,
        {.samples = 0, .max_new_tokens = q_.settings.max_new_tokens, .stop = {"%"}, .seed = 0},
        [&](std::size_t i) { return text(plan[i]); },
        [&](std::size_t i, const Json& row) {
          const Asked& one = plan[i];
          rows << row_line(RecordedAnswer{q_.relations[one.relation].asked.code,
                                          {static_cast<std::uint32_t>(one.fact), 0, 0},
                                          subject(one),
                                          row.at(0),
                                          row.at(1),
                                          row.at(2),
                                          0,
                                          {q_.prompts(one.relation).shots(subject(one)), {}}});
        });
    if (is_whole) rows.finish();
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> remarks = left_out_notes(q_.asked.left_out);
    std::string fewer;
    for (const KamelRelation& one : q_.relations) {
      if (one.training.facts.size() >= q_.setting.shots) continue;
      add_to_list(fewer, one.asked.code);
    }
    if (!fewer.empty()) {
      remarks.push_back(name() + ": fewer than " + counted(q_.setting.shots, "example") +
                        ", because there are no more training facts, in " + fewer + ".");
    }
    return remarks;
  }

  Model& model_;
  const ListQuestions& q_;
  Provenance provenance_;
  KeptPrompts<Model> prompts_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
