// SPDX-License-Identifier: Apache-2.0
#pragma once

// The settings of a closed-set probe, and the dataset that they select.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/data/template_file.hpp"
#include "plumb/detail/prompt/chat.hpp"
#include "plumb/detail/prompt/confidence_marker.hpp"
#include "plumb/detail/prompt/solved_facts.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/job_setting.hpp"
#include "plumb/detail/run/provenance.hpp"
#include "plumb/detail/run/special_token_check.hpp"
#include "plumb/detail/run/text_setting.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/masked_scorer.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Template indices `{0}`, `{2, 4}`, or `{}` for all templates of each relation.
struct TemplateChoice {
  TemplateChoice() = default;
  TemplateChoice(std::initializer_list<std::size_t> chosen) : indices(chosen) {}

  std::vector<std::size_t> indices{};  // empty: all

  [[nodiscard]] std::string word() const {
    return indices.empty() ? "all" : setting::to_word(indices);
  }
  [[nodiscard]] Json json() const { return indices.empty() ? Json("all") : Json(indices); }
  void read(const std::string& word, const std::string& name) {
    if (word == "all") return indices.clear();
    setting::read(word, name, indices);
  }
};

struct ProbeSettings {
  /// The path that `chosen_dataset` loads. It is not read if a program passes a dataset.
  std::filesystem::path data{};
  std::vector<std::string> relations{};
  std::filesystem::path template_file{};
  AddedMarkers inject = AddedMarkers::none;
  /// The number of facts per relation, starting with the first; 0 uses all.
  std::size_t limit = 0;
  TemplateChoice templates{0};
  Scoring scoring{};
  Bos bos = true;
  /// Only for masked models.
  PseudoLikelihood pll = PseudoLikelihood::within_word;
  /// Whether the model is masked, if known. Not an option, because it depends on the model.
  std::optional<bool> masked{};
  SpecialTokenReading special_tokens = SpecialTokenReading::refuse;
  /// The text that precedes every statement; it is used verbatim.
  TextSetting prefix{};
  /// Facts of the relation, with their answers, that precede every statement.
  ShotChoice shots{};
  /// The number of times that shots are drawn, with consecutive seeds. A command creates a separate
  /// run for each draw.
  std::size_t shot_seeds = 1;
  /// Whether statements are part of a conversation formatted with the model's chat template.
  bool chat = false;
  ChatTurn chat_turn = ChatTurn::question;
  /// The system message; empty for none.
  TextSetting system{};
  /// A file that replaces the model's own chat template. If empty, the model's own template is
  /// used.
  std::filesystem::path chat_template{};
  /// Not an option: it is created from the chat template before a job starts (chat_of).
  Chat conversation{};
  /// The text before the answer in the neutral prompts of `Reduction::pmi`. If not set, this is the
  /// template without its subject.
  GivenText neutral{};
  /// The seed for the bootstrap intervals.
  std::uint64_t seed = 0;
  /// A column of the fact table; the report also shows results separately for each of its values.
  /// Empty for none.
  std::string group_by{};

  /// The settings that also apply to reading existing results.
  template <class Self, class Visitor>
  static void visit_reading(Self& self, Visitor& visitor) {
    visitor("data", self.data,
            {.value = "DIR",
             .help = "dataset: a BEAR, LAMA, KAMEL or PARAREL folder, FACTOR's .csv, or a "
                     "table (.csv, .tsv or .jsonl)",
             .recorded = "-"});
    visitor("relations", self.relations,
            {.value = "A,B", .help = "use only these relations", .recorded = "-"});
    visitor("seed", self.seed, {.value = "N", .help = "random seed for the bootstrap intervals"});
    visitor("group-by", self.group_by, {.value = "COLUMN", .help = group_by_help, .recorded = "-"});
    visitor("reduction", self.scoring.reduction,
            {.value = "KIND",
             .help = "statement score: sum, mean (per token), bytes (per UTF-8 byte), or pmi "
                     "(minus the answer's score after a neutral prefix)"});
    visitor("span", self.scoring.span,
            {.value = "KIND",
             .help = "tokens to score: statement, answer (tokens that overlap it) or continuation "
                     "(from the answer on)"});
  }
  /// The settings that determine scoring.
  template <class Self, class Visitor>
  static void visit_scoring(Self& self, Visitor& visitor) {
    visitor("templates", self.templates,
            {.value = "0,1|all", .help = "indices of the templates to use, or all"});
    visitor("template-file", self.template_file,
            {.value = "FILE",
             .help = "replace the dataset's templates: JSON by relation, or a folder of LPAQA's "
                     "prompts"});
    visitor("inject", self.inject,
            {.value = "KIND",
             .help = "add template 0 with markers: verbalized, numerical or all",
             .recorded = "-"});
    visitor("limit", self.limit,
            {.value = "N", .help = "use only the first N facts of each relation; 0 uses all"});
    visitor("bos", self.bos,
            {.value = "yes|no|TOKEN",
             .help = "token before each statement: BOS (yes), none (no), or a token given as text",
             .idle = self.masked.value_or(false)
                         ? "on a masked model, which adds its own special tokens around each text; "
                           "remove it"
                         : "",
             .recorded = "-"});
    visitor("pll", self.pll,
            {.value = "RULE",
             .help = "masked models: mask a token and the rest of its word (within-word), or only "
                     "the token (original)",
             .idle = self.masked.value_or(true) ? "" : "on a causal model",
             .recorded = "-"});
    visitor("special-tokens", self.special_tokens,
            {.value = "text|parse", .help = special_tokens_help, .recorded = "-"});
    visitor("prefix", self.prefix,
            {.value = "TEXT|FILE",
             .help = "put a text or a file's content before every statement, unchanged; text:… is "
                     "never a file"});
    visitor("shots", self.shots.count,
            {.value = "K",
             .help = "solved facts of the relation before every statement, in its template",
             .most = 1000,
             .remedy = "use fewer; a model's context is limited"});
    const std::string without = self.shots.count > 0 ? "" : "without `shots`; specify how many";
    visitor("shot-seed", self.shots.seed,
            {.value = "N", .help = "random seed for the shots", .idle = without});
    visitor(
        "shot-seeds", self.shot_seeds,
        {.value = "N",
         .help = "probe N times, with seeds from `shot-seed` on, into separate folders; show the "
                 "spread",
         .least = 1,
         .most = 1000,
         .remedy = "1 probes once",
         .idle = without,
         .recorded = "-"});
    visitor("shot-draw", self.shots.draw,
            {.value = "relation|fact",
             .help = "draw the same shots for all facts of a relation, or new ones for each fact",
             .idle = without});
    visitor(
        "chat", self.chat,
        {.help = "use the model's chat template: the user's turn asks, and the assistant's turn "
                 "contains the scored answer",
         .idle = self.masked.value_or(false) ? "on a masked model, which has no chat template" : "",
         .recorded = "-"});
    const std::string no_chat = self.chat ? "" : "without `chat`";
    visitor("chat-turn", self.chat_turn,
            {.value = "question|statement",
             .help = "user's turn: the statement up to its answer, or `prefix` (the assistant then "
                     "gives the whole statement)",
             .idle = no_chat,
             .recorded = "-"});
    visitor("system", self.system,
            {.value = "TEXT|FILE",
             .help = "system message: a text or a file's content; text:… is never a file",
             .idle = no_chat,
             .recorded = "-"});
    visitor("chat-template", self.chat_template,
            {.value = "FILE",
             .help = "Jinja chat template to use instead of the model's own",
             .idle = no_chat,
             .recorded = "-"});
    visitor("neutral", self.neutral,
            {.value = "TEXT",
             .help = "pmi: neutral text before the answer; default: the template without its "
                     "subject"});
  }
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visit_reading(self, visitor);
    visit_scoring(self, visitor);
  }

  /// Throws a user error for settings that contradict each other.
  void(check)() const {
    if (inject != AddedMarkers::none && !templates.indices.empty()) {
      throw user_error({.setting = "inject"}, "adds templates, but `templates` selects only some",
                       "set `templates` to all");
    }
    if (masked.value_or(false) && scoring.span == Span::continuation) {
      throw user_error({.setting = "span"},
                       "continuation is the text after a prompt, but a masked model reads the text "
                       "on both sides",
                       "use `span` statement or answer");
    }
    (check_chat)();
    if (neutral.text && scoring.reduction != Reduction::pmi) {
      throw user_error({.setting = "neutral"}, "has no effect without `reduction` pmi",
                       "set `reduction` to pmi, or remove it");
    }
  }

  /// How the model's tokenizer treats text that spells a special token. A chat template contains
  /// special tokens, so they are parsed if a chat template is set.
  [[nodiscard]] SpecialTokenReading reading() const noexcept {
    return chat ? SpecialTokenReading::parse : special_tokens;
  }

 private:
  void(check_chat)() const {
    if (!chat) return;
    if (special_tokens == SpecialTokenReading::text) {
      throw user_error({.setting = "special-tokens"},
                       "is text, but a chat template writes special tokens that must be parsed",
                       "remove it, or set it to parse");
    }
    if (chat_turn == ChatTurn::statement && is_blank(prefix.text)) {
      throw user_error({.setting = "chat-turn"}, "is statement, but the user's turn is empty",
                       "set `prefix` to the user's request, such as 'Tell me a fact.'");
    }
    if (!system.text.empty() && is_blank(system.text)) {
      throw user_error({.setting = "system"}, "is blank", "write a system message, or remove it");
    }
    if (chat_turn == ChatTurn::question && neutral.text && is_blank(*neutral.text)) {
      throw user_error({.setting = "neutral"}, "is empty, so the user's turn would be empty",
                       "set a text such as 'Answer:'");
    }
  }
};

/// The settings of a probe as run.json records them.
[[nodiscard]] inline Json probe_record(const ProbeSettings& settings, const Dataset& dataset,
                                       const Provenance& from) {
  std::vector<std::string> codes;
  for (const Relation& relation : dataset.relations) codes.push_back(relation.code);
  Json record = shared_settings("probe", from, dataset.name, dataset.files, settings.bos,
                                settings.special_tokens);
  record.update(recorded_settings(settings));
  record["template_file_sha256"] = from.hash_of(settings.template_file);
  const bool adds = settings.inject != AddedMarkers::none;
  record["inject"] = adds ? setting::to_json(settings.inject) : Json();
  record["relations"] = std::move(codes);
  if (!dataset.left_out.empty()) record["left_out"] = dataset.left_out;
  if (settings.chat) {
    const ChatTemplate& by = settings.conversation.source();
    record["chat"] = setting::to_json(settings.chat_turn);
    record["system"] = setting::to_json(settings.system);
    record["chat_template"] = by.text;
    record["chat_tokens"] = by.tokens;
  }
  if (settings.masked.value_or(false)) {
    record["bos"] = Json();
    record["pll"] = setting::to_json(settings.pll);
  }
  return record;
}

/// The dataset to probe: only the selected part, with its templates replaced or markers added if
/// the settings request this. Throws a user error if the selection does not exist or a file cannot
/// be read.
[[nodiscard]] inline Dataset chosen_dataset(const ProbeSettings& settings, Dataset whole) {
  Dataset dataset =
      select_facts(std::move(whole), settings.relations, settings.limit, settings.shots.count > 0);
  if (!settings.template_file.empty()) use_template_file(dataset, settings.template_file);
  for (const Relation& relation : dataset.relations) {
    if (!relation.templates.empty() || relation.verbatim) continue;
    throw user_error({relation.file, 0, relation.code}, "has no template",
                     "add a templates file next to the table, or set `template-file`");
  }
  inject_markers(dataset, settings.inject);
  return dataset;
}
/// Same as above, for the dataset loaded from `settings.data`.
[[nodiscard]] inline Dataset chosen_dataset(const ProbeSettings& settings) {
  return chosen_dataset(settings, load_dataset(settings.data));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
