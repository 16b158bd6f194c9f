// SPDX-License-Identifier: Apache-2.0
#pragma once

// The settings of a many-shot study, the files that they refer to, and the dataset that they
// select.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/bare_name.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/baseline_template_file.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/data/named_facts.hpp"
#include "plumb/detail/measure/label_match.hpp"
#include "plumb/detail/prompt/injection.hpp"
#include "plumb/detail/prompt/many_shot.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/job_setting.hpp"
#include "plumb/detail/run/many_shot_block.hpp"
#include "plumb/detail/run/provenance.hpp"
#include "plumb/detail/run/stop_setting.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline std::string ShotNumbers::word() const {
  return numbers.empty() ? "-" : setting::to_word(numbers);
}
inline Json ShotNumbers::json() const {
  return numbers;
}
inline void ShotNumbers::read(const std::string& word, const std::string& name) {
  if (word == "-") return numbers.clear();
  setting::read(word, name, numbers);
}

/// Which forms of EIC-LKE to run.
enum class EicForms { none, paper, isolated, both };
[[nodiscard]] constexpr std::array<EicForms, 4> every(EicForms) noexcept {
  return {EicForms::paper, EicForms::isolated, EicForms::both, EicForms::none};
}
[[nodiscard]] constexpr std::string_view name_of(EicForms forms) noexcept {
  constexpr std::array<std::string_view, 4> names{"none", "paper", "isolated", "both"};
  return names[static_cast<std::size_t>(forms)];
}

/// The options of a study as the user sets them. Some of them specify files or forms, which
/// `read_many_shot_files` converts into the study's own options.
struct ManyShotSettings : ManyShotOptions {
  /// The path that `studied_data` loads. It is not used if a program passes a dataset.
  std::filesystem::path data{};
  std::vector<std::string> relations{};
  std::string pair_separator = " ";
  /// A file with additional pair separators; empty for none.
  std::filesystem::path separators{};
  EicForms eic = EicForms::none;
  Join join = Join::ids;
  /// A file with HGP and MMP templates; empty for none.
  std::filesystem::path baseline_file{};
  /// The maximum number of tokens in a greedy continuation; 0 disables generation.
  std::size_t generate = 0;
  /// Strings that end the continuation. None by default, as in the paper, where the answer may be
  /// anywhere in the continuation.
  StopTexts stop{};
  /// The rule that decides whether a generated text contains the answer.
  LabelMatch answer_match = LabelMatch::letters;
  /// Number of pairs in the injection experiment; 0 skips the experiment.
  std::size_t injection = 0;
  /// The number of these pairs to replace; a fifth of them if not set.
  std::optional<std::size_t> injected{};
  std::optional<std::size_t> highlight{};
  /// A study to replay; empty for none.
  std::filesystem::path fixed{};
  Bos bos = true;
  SpecialTokenReading special_tokens = SpecialTokenReading::refuse;
  /// The seed for the bootstrap intervals.
  std::uint64_t seed = 0;

  /// Which settings have no effect in combination with others, and what to do about it.
  [[nodiscard]] IdleRules idle_rules() const {
    const bool no_shots = shots.numbers.empty(), no_eic = eic == EicForms::none;
    IdleRules rules;
    rules.when(!fixed.empty(), "with `fixed`, whose file determines what is asked; remove it",
               {"relations",      "shots",         "seeds",     "choices",     "choice-seed",
                "split-seed",     "train",         "min-facts", "min-objects", "pair-separator",
                "item-separator", "separators",    "eic",       "join",        "eic-first",
                "eic-step",       "eic-questions", "baselines", "generate",    "stop",
                "answer-match",   "injection",     "injected",  "highlight",   "limit"});
    rules.when(no_shots && injection == 0 && (no_eic || join == Join::ids),
               "without shots, unless EIC-LKE has `join` text; set `shots` to numbers or `join` to "
               "text",
               {"pair-separator", "item-separator"});
    rules.when(no_shots, "without shots; set `shots` to numbers", {"separators"});
    rules.when(no_eic, "without `eic`; set `eic` to paper or isolated",
               {"join", "eic-first", "eic-step", "eic-questions"});
    rules.when(eic_geometry.questions == 1, "with `eic-questions` 1; remove it", {"eic-step"});
    rules.when(generate == 0, "without `generate`; set `generate` to 50", {"stop", "answer-match"});
    rules.when(injection == 0, "without `injection`; set `injection` to 200",
               {"injected", "highlight"});
    return rules;
  }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    const IdleRules rules = self.idle_rules();
    const auto setting = rules.around(visitor);
    setting(
        "data", self.data,
        {.value = "DIR",
         .help = "dataset: a BEAR, LAMA, KAMEL or PARAREL folder, T-REx, tables of choices or a "
                 ".tsv file",
         .recorded = "-"});
    setting("relations", self.relations,
            {.value = "A,B", .help = "use only these relations", .recorded = "-"});
    setting("seed", self.seed, {.value = "N", .help = "random seed for the bootstrap intervals"});
    setting("shots", self.shots, {.value = "1,5,10", .help = "numbers of shots; - for none"});
    setting("seeds", self.seeds,
            {.value = "N", .help = "number of random draws of the shots", .least = 1});
    setting("choices", self.choices,
            {.value = "N", .help = "choices per fact, including the answer", .least = 2});
    setting("choice-seed", self.choice_seed, {.value = "N", .help = "random seed for the choices"});
    setting("split-seed", self.split_seed,
            {.value = "N", .help = "random seed for the split, if the dataset has none"});
    setting(
        "train", self.training,
        {.value = "N", .help = "facts reserved as shots, if the dataset has no split", .least = 1});
    setting("min-facts", self.least_facts,
            {.value = "N", .help = "skip relations with fewer than N facts"});
    setting("min-objects", self.least_objects,
            {.value = "N", .help = "skip relations with fewer than N objects"});
    setting("pair-separator", self.pair_separator,
            {.value = "TEXT", .help = "text between a subject and its object", .recorded = "-"});
    setting("item-separator", self.item_separator,
            {.value = "TEXT", .help = "text between pairs", .recorded = "-"});
    setting("separators", self.separators,
            {.value = "FILE",
             .help = "more pair separators: one per line, or JSON templates by relation",
             .recorded = "-"});
    setting(
        "eic", self.eic,
        {.value = "KIND", .help = "run EIC-LKE: paper, isolated, both or none", .recorded = "-"});
    setting(
        "join", self.join,
        {.value = "ids|text",
         .help =
             "EIC-LKE: tokenize parts separately, with commas (ids), or as IC-LKE does (text)"});
    setting("eic-first", self.eic_geometry.first,
            {.value = "N",
             .help = "EIC-LKE: training pairs before the first question",
             .least = 1,
             .most = 100'000,
             .remedy = "use 50"});
    setting("eic-step", self.eic_geometry.step,
            {.value = "N",
             .help = "EIC-LKE: training pairs between two questions",
             .least = 1,
             .most = 100'000,
             .remedy = "use 5"});
    setting("eic-questions", self.eic_geometry.questions,
            {.value = "N",
             .help = "EIC-LKE: test facts asked in one sequence",
             .least = 1,
             .most = 100'000,
             .remedy = "use 10"});
    setting("baselines", self.baseline_file,
            {.value = "FILE",
             .help = "JSON file of HGP and MMP templates by relation",
             .recorded = "-"});
    setting(
        "generate", self.generate,
        {.value = "N", .help = "also generate N greedy tokens, and look for the answer in them"});
    setting("stop", self.stop,
            {.value = "TEXT",
             .help = "text that ends a generation after its leading white space; repeatable; \\n: "
                     "line break; default: none"});
    setting("answer-match", self.answer_match,
            {.value = "letters|program",
             .help = "match labels exactly (letters), or as the authors' program does: lower case, "
                     "label without : , ."});
    setting(
        "injection", self.injection,
        {.value = "N", .help = "also run the injection experiment on N pairs of each relation"});
    setting("injected", self.injected,
            {.value = "N",
             .help = "number of these pairs to replace; default: a fifth",
             .recorded = "-"});
    setting("highlight", self.highlight,
            {.value = "POSITION",
             .help = "pair to mark, counted from 0; default: one after a replaced pair"});
    setting("fixed", self.fixed,
            {.value = "FILE",
             .help = "read shots, choices and facts from a JSON file instead of `data`",
             .recorded = "-"});
    setting("limit", self.limit,
            {.value = "N", .help = "use only the first N test facts of each relation; 0 uses all"});
    setting("bos", self.bos,
            {.value = "yes|no|TOKEN",
             .help = "token before each statement: BOS (yes), none (no), or a token given as text",
             .recorded = "-"});
    setting("special-tokens", self.special_tokens,
            {.value = "text|parse", .help = special_tokens_help, .recorded = "-"});
  }

  /// Throws a user error if the settings select nothing to run.
  void(check)() const {
    if (!fixed.empty() || !shots.numbers.empty() || eic != EicForms::none ||
        !baseline_file.empty() || injection > 0) {
      return;
    }
    throw user_error({.setting = "shots"}, "nothing to run: there are no shots",
                     "set `shots` to numbers, or set `eic`, `baselines` or `injection`");
  }

  [[nodiscard]] InjectionOptions injection_options() const {
    return {injection, injected.value_or(injection / 5), split_seed, highlight};
  }
};

/// The options of a study after its files have been read.
struct ReadStudy {
  ManyShotOptions options{};
  /// For each relation, the number of templates in the separators file that do not begin with the
  /// subject.
  std::map<std::string, std::size_t> without_separator{};
};

/// The entries of a file of baseline templates, by the codes of a dataset's relations. An entry
/// belongs to the relation that its property names or, failing that, to the relation with the
/// entry's name, ignoring case, spaces and punctuation.
[[nodiscard]] inline std::map<std::string, BaselineTemplates> templates_by_relation(
    std::map<std::string, BaselineTemplates> entries, const Dataset& dataset) {
  for (const Relation& relation : dataset.relations) {
    if (entries.contains(relation.code)) continue;
    const std::string name = bare_name(relation.code);
    const auto found = ranges::find_if(entries, [&](const auto& entry) {
      return !name.empty() && bare_name(entry.second.relation) == name &&
             ranges::find(dataset.relations, entry.first, &Relation::code) ==
                 dataset.relations.end();
    });
    if (found == entries.end()) continue;
    auto entry = entries.extract(found);
    entry.key() = relation.code;
    entries.insert(std::move(entry));
  }
  return entries;
}

/// Reads separators from a file. A text file contains one separator per line; a space is added on
/// each side. In a JSON file of baseline templates, each template that begins with the subject
/// contributes the text after the subject as a separator for its relation.
inline void read_separators(const std::filesystem::path& file, const Dataset& dataset,
                            ReadStudy& study) {
  if (file.extension() == ".json") {
    for (const auto& [code, templates] :
         templates_by_relation(read_baseline_templates(file), dataset)) {
      std::vector<std::string>& texts = study.options.relation_separators[code];
      for (const auto* list : {&templates.hgp, &templates.mmp}) {
        for (const std::string& text : *list) {
          if (text.starts_with(subject_slot)) {
            texts.push_back(text.substr(subject_slot.size()) + " ");
          } else {
            ++study.without_separator[code];
          }
        }
      }
    }
    return;
  }
  for (const std::string& line : split(read_text(file), '\n')) {
    if (is_blank(line)) continue;
    const std::string separator = " " + std::string(trimmed(line)) + " ";
    auto& known = study.options.pair_separators;
    if (ranges::find(known, separator) == known.end()) known.push_back(separator);
  }
}

/// Reads the files that the settings refer to, for the relations of a dataset. Throws a user error
/// if there is an error in one of these files.
[[nodiscard]] inline ReadStudy read_many_shot_files(const ManyShotSettings& settings,
                                                    const Dataset& dataset = {}) {
  ReadStudy study{settings, {}};
  ManyShotOptions& options = study.options;
  options.pair_separators = {settings.pair_separator};
  options.eic_paper = settings.eic == EicForms::paper || settings.eic == EicForms::both;
  options.eic_isolated = settings.eic == EicForms::isolated || settings.eic == EicForms::both;
  if (settings.join == Join::text) {
    options.eic_form = {settings.pair_separator, settings.item_separator, Join::text};
  }
  if (!settings.separators.empty()) detail::read_separators(settings.separators, dataset, study);
  if (!settings.baseline_file.empty()) {
    options.baselines =
        templates_by_relation(read_baseline_templates(settings.baseline_file), dataset);
  }
  return study;
}

/// The settings of a study as recorded in run.json.
[[nodiscard]] inline Json many_shot_record(const ManyShotSettings& settings, const ReadStudy& study,
                                           const Dataset& dataset, const Provenance& from) {
  std::vector<std::string> codes;
  for (const Relation& relation : dataset.relations) codes.push_back(relation.code);
  Json record = shared_settings("many-shot", from, dataset.name, dataset.files, settings.bos,
                                settings.special_tokens);
  record.update(recorded_settings(settings));
  record["pair_separators"] = study.options.pair_separators;
  record["item_separator"] = settings.item_separator;
  record["separators_sha256"] = from.hash_of(settings.separators);
  record["eic_paper"] = study.options.eic_paper;
  record["eic_isolated"] = study.options.eic_isolated;
  record["baselines_sha256"] = from.hash_of(settings.baseline_file);
  record["injected"] = settings.injection_options().injected;
  record["relations"] = std::move(codes);
  if (!dataset.left_out.empty()) record["left_out"] = dataset.left_out;
  return record;
}

/// The relations of the study, and the objects' aliases in the whole dataset.
struct StudiedData {
  Dataset dataset;
  ObjectAliases aliases;
};

[[nodiscard]] inline StudiedData studied_data(const ManyShotSettings& settings) {
  StudiedData data{without_sentences(load_dataset(settings.data)), {}};
  data.aliases = object_aliases(data.dataset);  // from all relations, not only the selected ones
  data.dataset = select_facts(std::move(data.dataset), settings.relations, 0);
  return data;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
