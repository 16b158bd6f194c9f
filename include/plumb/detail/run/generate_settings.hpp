// SPDX-License-Identifier: Apache-2.0
#pragma once

// The settings of a generation over many prompts, and those for measuring its answers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/multi_prompt_folder.hpp"
#include "plumb/detail/measure/answer_lemmas.hpp"
#include "plumb/detail/prompt/few_shot.hpp"
#include "plumb/detail/run/answer_plan.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/job_setting.hpp"
#include "plumb/detail/run/provenance.hpp"
#include "plumb/detail/run/stop_setting.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The form of the prompts. KAMEL's form asks for a list of answers.
enum class AskedForms { mask, question, both, kamel };
[[nodiscard]] constexpr std::array<AskedForms, 4> every(AskedForms) noexcept {
  return {AskedForms::mask, AskedForms::question, AskedForms::both, AskedForms::kamel};
}
[[nodiscard]] constexpr std::string_view name_of(AskedForms forms) noexcept {
  constexpr std::array<std::string_view, 4> names{"mask", "question", "both", "kamel"};
  return names[static_cast<std::size_t>(forms)];
}

/// How answers are compared and measured. A report may change these settings.
struct MeasuringSettings {
  /// The WordNet folder that contains the lemmas; with "none", exact words are compared.
  std::filesystem::path wordnet = "/usr/share/wordnet";
  std::size_t samplings = 50'000;
  SampleBy sample_by = SampleBy::relation;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visitor("wordnet", self.wordnet,
            {.value = "DIR",
             .help = "WordNet folder for lemmas, or none to compare exact words",
             .recorded = "-"});
    visitor("samplings", self.samplings,
            {.value = "N",
             .help = "number of prompt samplings for the spread of accuracy",
             .least = 1,
             .most = 10'000'000,
             .remedy = "use 50000"});
    visitor("sample-by", self.sample_by,
            {.value = "relation|fact",
             .help = "sample one template for each relation, or for each fact separately"});
  }

  [[nodiscard]] ManyPromptOptions options(std::uint64_t seed) const {
    return {.bootstrap = {.seed = seed}, .samplings = samplings, .seed = seed, .by = sample_by};
  }
  /// Throws a user error if the folder does not contain WordNet.
  [[nodiscard]] AnswerLemmas lemmas() const { return lemmas_of(wordnet); }
};

struct GenerateSettings {
  std::filesystem::path data{};
  std::vector<std::string> relations{};
  KeptOrigins origin = KeptOrigins::all;
  /// Where the shots before a prompt come from.
  std::vector<ShotSource> sources{ShotSource::none, ShotSource::random, ShotSource::relation,
                                  ShotSource::same_template};
  std::size_t shots = 4;
  AskedForms form = AskedForms::mask;
  std::size_t limit = 0;
  std::size_t max_new_tokens = 16;
  StopTexts stop{{"\n"}};
  std::size_t samples = 100;
  std::size_t confidence_prompts = 10'000;
  /// The settings under which the names of objects are also scored: "first", "all", "none", or a
  /// list.
  std::string names = "first";
  std::uint64_t shot_seed = 0;
  /// Whether each prompt draws its own shots.
  bool fresh_shots = false;
  std::uint64_t sample_seed = 0;
  Bos bos = true;
  SpecialTokenReading special_tokens = SpecialTokenReading::refuse;
  /// Seed for the bootstrap intervals and for sampling prompts.
  std::uint64_t seed = 0;
  /// Only for masked models: the maximum number of masks in a gap (plumb's own extension), and a
  /// list of words among which answers are also ranked.
  std::size_t masks = 1;
  std::filesystem::path vocabulary{};
  /// Whether the model is masked, if known. Not an option, because it depends on the model.
  std::optional<bool> masked{};
  MeasuringSettings measuring{};

  /// Which settings have no effect in combination with others, and what to do about it.
  [[nodiscard]] IdleRules idle_rules() const {
    const bool fills = masked.value_or(false), writes = !masked.value_or(true);
    const bool shows = ranges::any_of(sources, [](ShotSource s) { return s != ShotSource::none; });
    const bool samples_some = samples > 0, prompts = confidence_prompts > 0;
    IdleRules rules;
    rules.when(fills, "on a masked model, which fills the gap of a sentence; remove it",
               {"form", "settings", "shots", "max-new-tokens", "stop", "samples",
                "confidence-prompts", "shot-seed", "fresh-shots", "sample-seed", "wordnet"});
    rules.when(fills,
               "on a masked model, which adds its own special tokens around each text; remove it",
               {"bos"});
    rules.when(writes, "on a causal model, which has no mask; remove it", {"masks", "vocabulary"});
    rules.when(masks > 1, "with `masks` above 1; remove it", {"vocabulary"});
    rules.when(lists(), "with `form` kamel; remove it",
               {"origin", "settings", "stop", "samples", "confidence-prompts", "names",
                "fresh-shots", "sample-seed", "wordnet", "samplings", "sample-by"});
    rules.when(lists() && shots == 0, "without `shots`; remove it", {"shot-seed"});
    rules.when(!lists() && !shows, "without shots in `settings`; remove it",
               {"shots", "shot-seed", "fresh-shots"});
    rules.when(samples_some && !prompts, "without `confidence-prompts`; remove it", {"samples"});
    rules.when(!samples_some && prompts, "without `samples`; remove it", {"confidence-prompts"});
    rules.when(!samples_some || !prompts,
               "without both `samples` and `confidence-prompts`; remove it", {"sample-seed"});
    return rules;
  }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    const IdleRules rules = self.idle_rules();
    const auto setting = rules.around(visitor);
    setting("data", self.data,
            {.value = "DIR",
             .help = "dataset: facts.jsonl and templates.jsonl, MyriadLAMA rows, or a BEAR, LAMA, "
                     "KAMEL or PARAREL folder",
             .recorded = "-"});
    setting("relations", self.relations,
            {.value = "A,B", .help = "use only these relations", .recorded = "-"});
    setting("origin", self.origin,
            {.value = "manual|generated|all",
             .help = "use only templates of this origin, if the dataset records origins"});
    setting("form", self.form,
            {.value = "mask|question|both|kamel",
             .help = "prompt form: a [MASK] sentence, question templates, both, or KAMEL questions "
                     "(lists ending at %)",
             .recorded = "-"});
    setting("settings", self.sources,
            {.value = "A,B",
             .help = "shots before a prompt: zero-shot, random (any relation), relation, template "
                     "(same relation and template)",
             .recorded = "-"});
    setting("shots", self.shots,
            {.value = "X",
             .help = "number of shots (with `form` kamel, facts of the training part; 0 for none)",
             .least = self.lists() ? 0U : 1U,  // `form` has already been read
             .most = 1000,
             .remedy = self.lists() ? "use 5" : "for none, set `settings` to zero-shot",
             .recorded = "-"});
    setting("max-new-tokens", self.max_new_tokens,
            {.value = "N",
             .help = "maximum number of tokens in an answer",
             .least = 1,
             .most = 100'000,
             .remedy = "use 16"});
    setting("stop", self.stop,
            {.value = "TEXT",
             .help = "text that ends an answer after its leading white space; repeatable; empty: "
                     "none; default: \\n (line break)"});
    setting("samples", self.samples,
            {.value = "N",
             .help = "sampled answers per prompt, for its confidence; 0 for none",
             .most = 1'000'000,
             .remedy = "use 100"});
    setting("confidence-prompts", self.confidence_prompts,
            {.value = "N",
             .help = "number of prompts with sampled answers, each for a different fact"});
    setting("names", self.names,
            {.value = "A,B",
             .help = "score object names (for aliases and bias level) under: first, all, none or "
                     "some of `settings`",
             .recorded = "-"});
    setting("shot-seed", self.shot_seed, {.value = "N", .help = "random seed for the shots"});
    setting("fresh-shots", self.fresh_shots,
            {.help = "draw new shots for each prompt instead of sharing them within a relation"});
    setting("sample-seed", self.sample_seed,
            {.value = "N", .help = "random seed for the sampled prompts and answers"});
    setting("seed", self.seed,
            {.value = "N", .help = "random seed for the bootstrap intervals and prompt samplings"});
    MeasuringSettings::visit(self.measuring, setting);
    setting("masks", self.masks,
            {.value = "N",
             .help = "masked models: fill 1 to N masks left to right and keep the best mean "
                     "log-probability; BELIEF uses 1",
             .least = 1,
             .most = 5,
             .remedy = "use 1",
             .recorded = "-"});
    setting("vocabulary", self.vocabulary,
            {.value = "FILE",
             .help = "masked models: also rank the true token among these words, one per line "
                     "(LAMA: the common vocabulary)",
             .recorded = "-"});
    setting("limit", self.limit,
            {.value = "N", .help = "use only the first N facts of each relation; 0 uses all"});
    setting("bos", self.bos,
            {.value = "yes|no|TOKEN",
             .help = "token before each statement: BOS (yes), none (no), or a token given as text",
             .recorded = "-"});
    setting("special-tokens", self.special_tokens,
            {.value = "text|parse", .help = special_tokens_help, .recorded = "-"});
  }

  /// Whether the prompts are in KAMEL's form.
  [[nodiscard]] bool lists() const noexcept { return form == AskedForms::kamel; }

  /// What to ask. The mask form comes before the question form, so that the first setting is the
  /// same with or without questions.
  [[nodiscard]] AnswerOptions asking() const {
    AnswerOptions made;
    if (lists()) {
      made.settings.push_back(
          {shots == 0 ? ShotSource::none : ShotSource::relation, shots, PromptForm::list});
      made.limit = limit;
      made.max_new_tokens = max_new_tokens;
      made.samples = 0;
      made.confidence_prompts = 0;
      made.shot_seed = shot_seed;
      return made;
    }
    if (masked.value_or(false)) {
      made.settings.push_back({ShotSource::none, 0, PromptForm::sentence});
      made.limit = limit;
      return made;
    }
    for (const PromptForm one : {PromptForm::mask, PromptForm::question}) {
      if (form == (one == PromptForm::mask ? AskedForms::question : AskedForms::mask)) continue;
      for (const ShotSource source : sources) {
        const bool shows = source != ShotSource::none;
        made.settings.push_back({source, shows ? shots : 0, one, shows && fresh_shots});
      }
    }
    made.limit = limit;
    made.max_new_tokens = max_new_tokens;
    made.stop = stop.texts;
    made.samples = samples;
    made.confidence_prompts = confidence_prompts;
    made.shot_seed = shot_seed;
    made.sample_seed = sample_seed;
    return made;
  }
  /// The settings under which names are scored. Throws a user error for a setting that the
  /// generation does not use.
  [[nodiscard]] std::vector<FewShotSetting> named() const {
    const std::vector<FewShotSetting> asked = asking().settings;
    if (names == "none" || lists()) return {};
    if (names == "all") return asked;
    if (names == "first") return {asked.front()};
    if (masked.value_or(false)) {
      throw user_error({.setting = "names"}, "a masked model has only one setting",
                       "use first or none");
    }
    std::vector<ShotSource> wanted;
    setting::read(names, "names", wanted);
    std::vector<FewShotSetting> chosen;
    for (const ShotSource source : wanted) {
      if (ranges::find(sources, source) == sources.end()) {
        throw user_error({.setting = "names"},
                         "'" + std::string(name_of(source)) + "' is not among `settings`",
                         "choose one of `settings`");
      }
      for (const FewShotSetting& one : asked) {
        if (one.source == source) chosen.push_back(one);
      }
    }
    return chosen;
  }
};

inline Json setting_names(const std::vector<FewShotSetting>& settings) {
  Json names = Json::array();
  for (const FewShotSetting& one : settings) names.push_back(few_shot_name(one));
  return names;
}

/// The method of comparing answers, in the form recorded in settings.
inline std::string lemmas_word(const AnswerLemmas& lemmas) {
  return lemmas.known() ? "wordnet" : "none";
}

/// The dataset with only the templates that have the selected origin. Throws a user error if the
/// dataset cannot be read or has no such templates.
[[nodiscard]] inline MultiPromptDataset asked_dataset(const GenerateSettings& settings) {
  MultiPromptDataset dataset = load_multi_prompt(settings.data);
  keep_origins(dataset, settings.origin);
  return dataset;
}

/// The settings of a generation as recorded in run.json.
[[nodiscard]] inline Json generate_record(const GenerateSettings& settings,
                                          const MultiPromptDataset& dataset,
                                          const AnswerLemmas& lemmas, const Provenance& from) {
  std::vector<std::string> codes;  // in the dataset's order, not the user's
  for (const std::size_t r : relation_places(dataset, settings.relations)) {
    codes.push_back(dataset.relations[r].code);
  }
  Json record = shared_settings("generate", from, dataset.name, dataset.files, settings.bos,
                                settings.special_tokens);
  record.update(recorded_settings(settings));
  record["settings"] = detail::setting_names(settings.asking().settings);
  record["names"] = detail::setting_names(settings.named());
  record["relations"] = settings.relations.empty() ? Json() : Json(std::move(codes));
  record["lemmas"] = detail::lemmas_word(lemmas);
  if (settings.lists()) {
    for (const char* idle : {"origin", "samples", "confidence_prompts", "sample_seed", "samplings",
                             "sample_by", "names", "lemmas", "stop", "fresh_shots"}) {
      record.erase(idle);
    }
    record["form"] = name_of(settings.form);
  }
  if (settings.masked.value_or(false)) {
    for (const char* idle : {"bos", "max_new_tokens", "stop", "samples", "confidence_prompts",
                             "shot_seed", "fresh_shots", "sample_seed", "lemmas"}) {
      record.erase(idle);
    }
    record["masks"] = settings.masks;
    record["vocabulary"] = setting::to_json(settings.vocabulary);
    record["vocabulary_sha256"] = from.hash_of(settings.vocabulary);
  }
  return record;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
