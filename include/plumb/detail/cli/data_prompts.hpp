// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb data prompts: which exact prompts did the model receive?
//
// Prints every prompt of a finished run, one JSON object per line (records/listed_prompt.hpp).
// Prompts are rebuilt by the code that the run itself uses, from the run's command line and input
// files. If the hash of a file has changed since the run, the run is rejected. A probe created by a
// program has no command line, so its statements are rebuilt from its results. Non-goal: runs that
// replay a file (--fixed), because that file contains the prompts.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/cli/asked_run.hpp"
#include "plumb/detail/cli/calibrate.hpp"
#include "plumb/detail/cli/generate.hpp"
#include "plumb/detail/cli/many_shot.hpp"
#include "plumb/detail/cli/probe.hpp"
#include "plumb/detail/cli/rank.hpp"
#include "plumb/detail/records/listed_prompt.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The settings with which a run was started.
template <class Settings>
Settings settings_of(Console& console, const AskedRun& run) {
  Settings settings;
  Console then{run.words(), console.out, console.err};
  then.takes = console.takes;
  if (parse_settings(then, "plumb " + run.called() + " …", settings)) return settings;
  throw user_error({.file = run.file()}, "has a command line that does not start a job", "");
}

inline ProbeArguments probe_arguments_of(Console& console, const AskedRun& run) {
  Console then{run.words(), console.out, console.err};
  then.takes = console.takes;
  if (run.called() == "calibrate") {
    auto calibrated = parse_calibrate(then);
    if (calibrated && calibrated->probes()) return take_probe(*calibrated);
    throw user_error({.file = run.file()}, "has a command line that runs no job", "");
  }
  return settings_of<ProbeArguments>(console, run);
}

/// Prints prompts and, on request, their tokens.
class PromptPrinter {
 public:
  /// If `model_file` is empty, the run's own model is used.
  PromptPrinter(Console& console, const AskedRun& run, const ModelMaker& make_model, bool with_ids,
                std::filesystem::path model_file)
      : console_(console),
        run_(run),
        make_model_(make_model),
        with_ids_(with_ids),
        model_file_(std::move(model_file)) {}

  /// The run's model, created with the run's options when it is first needed. Throws a user error
  /// if the model is missing or has changed.
  [[nodiscard]] AnyModel& model(ModelOptions options) {
    if (model_) return *model_;
    const Json hash = run_.settings().value("model_sha256", Json());
    const bool own = model_file_.empty();
    options.model = model_file_;
    options.only_tokens = true;
    if (!own) options.server.clear();
    if (own) options.model = first_string(run_.run(), "model_path").value_or("");
    if (options.model.empty() && run_.is_of_a_program()) {
      throw user_error({.file = run_.file()}, "records no model file, but tokens need a model",
                       "pass the model's path with --model");
    }
    if (hash.is_string() && !DiskPath(options.model).exists()) {
      throw user_error({.file = options.model}, "the run's model is missing",
                       "pass its current path with --model");
    }
    if (hash.is_string() && hash != hash_model(options.model)) {
      if (own) {
        throw user_error({.file = options.model}, "has changed since the run",
                         "pass the run's model with --model");
      }
      console_.err << "The tokens are from " << options.model.filename().string()
                   << ", which is not the run's model.\n";
    }
    model_.emplace(make_model_(options));
    return *model_;
  }

  /// A callback for functions that visit prompts. `options` are the run's options, and `ids`
  /// returns the tokens of a prompt. If `ids` is empty, the prompt's text is tokenized.
  auto with(const ModelOptions& options, const IdsOfPrompt& ids = {}) {
    IdsOfPrompt ids_of_prompt = with_ids_ ? ids : IdsOfPrompt{};
    if (with_ids_ && !ids) {
      ids_of_prompt = [this, options](const Prompt& prompt, const Bos& with_bos) {
        AnyModel& asked = model(options);
        const bool begins = !asked.capabilities().only_masked();
        return prompt_ids(asked, prompt, require_bos(asked, begins ? with_bos : false));
      };
    }
    return [this, ids_of_prompt](const std::string&, auto make) {
      console_.out << to_json(make(), ids_of_prompt).dump() << "\n";
      ++printed_;
    };
  }
  [[nodiscard]] const ModelMaker& make_model() const noexcept { return make_model_; }
  [[nodiscard]] std::size_t printed() const noexcept { return printed_; }

 private:
  Console& console_;
  const AskedRun& run_;
  const ModelMaker& make_model_;
  bool with_ids_;
  std::filesystem::path model_file_;
  std::optional<AnyModel> model_;
  std::size_t printed_ = 0;
};

/// The distinct facts in a probe's rows, by relation, and the templates that were used.
struct RecordedQuestions {
  Dataset dataset;
  std::vector<std::size_t> templates{};
};

[[nodiscard]] inline RecordedQuestions recorded_questions(const DiskPath& folder) {
  RecordedQuestions made;
  for (RecordedRelation& recorded : recorded_relations(folder)) {
    Relation relation = recorded.relation;
    for_each_recorded_row(recorded, [&](const RecordedRow& row) {
      if (relation.facts.empty() || relation.facts.back().instance != row.fact.instance) {
        relation.facts.push_back(row.fact);
      }
      if (ranges::find(made.templates, row.template_index) == made.templates.end()) {
        made.templates.push_back(row.template_index);
      }
    });
    made.dataset.relations.push_back(std::move(relation));
  }
  return made;
}

/// Prints the prompts of a probe created by a program; the statements are rebuilt from the probe's
/// rows. Throws a user error if the statements differ from the prompts that the run recorded, which
/// means that the program uses its own prompt builder.
inline void print_recorded_probe(const AskedRun& run, const WantedFact& wanted,
                                 PromptPrinter& printer) {
  const DiskPath folder = run.file().parent();
  const RecordedQuestions asked = recorded_questions(folder);
  Bos bos = false;
  if (const auto stated = first_string(run.settings(), "bos")) bos.read(*stated, "bos");
  std::vector<Json> kept = read_example_prompts(folder);
  std::vector<std::string> kinds;
  for_each_statement_prompt(
      asked.dataset, Statement{}, asked.templates, bos, {},
      [&](const std::string& kind, auto make) {
        if (ranges::find(kinds, kind) != kinds.end()) return;
        kinds.push_back(kind);
        const Json built = to_json(make(), {}, 5);
        if (ranges::find(kept, built) != kept.end()) return;
        throw user_error({.file = folder},
                         "was written by a program whose prompts are not plumb's own statements",
                         "see the first prompt of each kind in its example_prompts.jsonl");
      });
  for_each_statement_prompt(asked.dataset, Statement{}, asked.templates, bos, wanted,
                            printer.with(ModelOptions{}));
}

inline void print_probe(Console& console, const AskedRun& run, const WantedFact& wanted,
                        PromptPrinter& printer) {
  if (run.is_of_a_program()) return print_recorded_probe(run, wanted, printer);
  auto [settings, target] = probe_arguments_of(console, run);
  const Dataset dataset = chosen_dataset(settings);
  if (settings.chat) {
    const Json& of = run.settings();
    settings.bos.read(first_string(of, "bos").value_or("no"), "bos");
    settings.conversation = chat_by({first_string(of, "chat_template").value_or(""),
                                     of.value("chat_tokens", std::map<std::string, std::string>{})},
                                    printer.make_model(), settings);
  }
  run.refuse_changed(probe_record(settings, dataset, target.provenance({})));
  const InContext<> builder(dataset, settings.prefix.text, settings.shots, {},
                            settings.conversation);
  for_each_statement_prompt(dataset, builder, settings.templates.indices, settings.bos, wanted,
                            printer.with(target.model_options(settings.reading())));
}

inline void print_many_shot(Console& console, const AskedRun& run, const WantedFact& wanted,
                            PromptPrinter& printer) {
  const auto [settings, target] = settings_of<ManyShotArguments>(console, run);
  const ManyShotQuestions questions(settings);
  run.refuse_changed(
      many_shot_record(settings, questions.study, questions.data.dataset, target.provenance({})));
  std::vector<InjectionDesign> designs;
  std::vector<RelationRemark> notes;
  for (const ManyShotRelation& asked : questions.relations) {
    if (auto design =
            chosen_injection(asked, questions.data.aliases, settings.injection_options(), notes)) {
      designs.push_back(std::move(*design));
    }
  }
  for_each_many_shot_prompt(questions.relations, designs, injection_form(questions.study.options),
                            settings.generate > 0, settings.bos, wanted,
                            printer.with(target.model_options(settings.special_tokens)));
}

/// Stands in for the tokenizer in plans that do not use it.
struct NoTokenizer {
  [[nodiscard]] Tokenization tokenize(std::string_view) const {
    throw internal_error({}, "a plan asks for tokens that it should not need");
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId>) const { return {}; }
};

inline void print_rank(Console& console, const AskedRun& run, const WantedFact& wanted,
                       PromptPrinter& printer) {
  const auto [settings, target] = settings_of<RankArguments>(console, run);
  const ModelOptions options = target.model_options(settings.special_tokens);
  KnowledgeGraph graph = ranked_graph(settings);
  RankSettings of_prompts = settings;
  of_prompts.entities.clear();  // vectors have no prompts
  Bos bos = false;
  if (const auto stated = first_string(run.settings(), "bos")) bos.read(*stated, "bos");
  run.refuse_changed(rank_record(of_prompts, bos, graph, target.provenance({})));
  graph.name = run.dataset();  // the name determines which shots and samples are drawn
  const bool lm_head = settings.ranks_by(RankMethod::lm_head);
  const bool by_tokens = lm_head || settings.ranking.candidates == CandidateSet::single_token;
  const RankParts parts = by_tokens
                              ? rank_parts(graph, settings.ranking, lm_head, printer.model(options))
                              : rank_parts(graph, settings.ranking, false, NoTokenizer{});
  // Embedded texts are listed separately, because the tokenizer may add its own last token to them.
  const auto scored = printer.with(options);
  const std::optional<Bos>& stated = settings.bos;
  const auto embedded = printer.with(options, [&](const Prompt& prompt, const Bos&) {
    AnyModel& model = printer.model(options);
    return surrounded_ids(model, prompt.text, BosOfRanking::of(model, stated).around());
  });
  for_each_rank_prompt(parts, settings, bos, wanted, [&](const std::string& part, auto make) {
    part.starts_with("deer") ? embedded(part, make) : scored(part, make);
  });
}

/// The choice of gaps depends on the model's tokens, so the model is always loaded.
inline void print_fills(const GenerateSettings& settings, const JobTarget& target,
                        const WantedFact& wanted, PromptPrinter& printer) {
  const FillQuestions questions(settings);
  const ModelOptions options = target.model_options(settings.special_tokens);
  AnyModel& model = printer.model(options);
  const FillJob job(model, questions);
  for_each_fill_prompt(job.planned_gaps(), questions.options.names, wanted,
                       printer.with(options, [&](const Prompt& prompt, const Bos&) {
                         return gap_query(model, prompt).sequence;
                       }));
}

inline void print_generate(Console& console, const AskedRun& run, const WantedFact& wanted,
                           PromptPrinter& printer) {
  auto [settings, target] = settings_of<GenerateArguments>(console, run);
  settings.measuring.wordnet = "none";  // prompts need no lemmas
  settings.masked = run.settings().contains("masks");
  if (settings.lists()) {
    const ListQuestions questions(settings);
    run.refuse_changed(generate_record(settings, questions.asked, {}, target.provenance({})));
    return for_each_list_prompt(questions, wanted,
                                printer.with(target.model_options(settings.special_tokens)));
  }
  run.refuse_changed(generate_record(settings, asked_dataset(settings), {}, target.provenance({})));
  if (*settings.masked) return print_fills(settings, target, wanted, printer);
  const GenerateQuestions questions(settings);
  for_each_answer_prompt(questions.dataset, questions.asked, questions.asking, questions.names,
                         settings.bos, wanted,
                         printer.with(target.model_options(settings.special_tokens)));
}

/// Runs `plumb data prompts`; returns the exit code 0.
inline int print_prompts(Console& console, const ModelMaker& make_model) {
  std::string action, folder, data, model, fact;
  options::options_description list;
  list.add_options()                                                                   //
      ("action", options::value(&action)->value_name("ACTION"), "prompts")             //
      ("run", options::value(&folder)->value_name("RUN"), "folder of a finished run")  //
      ("fact", options::value(&fact)->value_name("ID"),
       "only prompts about the subject with this identifier or label, or about "
       "RELATION:INSTANCE")                                                                     //
      ("ids", "also print the tokens, using the tokenizer of the run's model")                  //
      ("model", options::value(&model)->value_name("FILE"), "current path of the run's model")  //
      ("data", options::value(&data)->value_name("DIR"), "current path of the run's dataset");
  const auto values = parse_arguments(
      console, "plumb data prompts RUN [--fact ID] [--ids] [--model FILE] [--data DIR]", list,
      {{"action", 1}, {"run", 1}});
  if (!values) return 0;
  if (folder.empty()) {
    throw user_error({}, "no run folder given", "use plumb data prompts RUN");
  }
  const AskedRun run(folder, data);
  const WantedFact wanted{fact};
  PromptPrinter printer(console, run, make_model, values->contains("ids"),
                        found_model(model, console).path);
  const std::string command = run.command();
  if (command == "probe") print_probe(console, run, wanted, printer);
  if (command == "many-shot") print_many_shot(console, run, wanted, printer);
  if (command == "rank") print_rank(console, run, wanted, printer);
  if (command == "generate") print_generate(console, run, wanted, printer);
  if (printer.printed() == 0 && !wanted.all()) {
    throw user_error({.field = "--fact"}, "no prompt of the run is about '" + fact + "'",
                     "pass a subject's identifier or label, or RELATION:INSTANCE as in the run's "
                     "rows (not for rank, whose queries have only identifiers)");
  }
  return 0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
