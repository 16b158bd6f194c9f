// SPDX-License-Identifier: Apache-2.0
#pragma once

// Settings of a closed-set probe, and the dataset they choose.

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

/// Template indices, or all of each relation's: `{0}`, `{2, 4}`; `{}` is all.
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
  /// What `chosen_dataset` loads; not read where a dataset is given.
  std::filesystem::path data{};
  std::vector<std::string> relations{};
  std::filesystem::path template_file{};
  AddedMarkers inject = AddedMarkers::none;
  /// Facts of each relation, the first ones; 0 takes all.
  std::size_t limit = 0;
  TemplateChoice templates{0};
  Scoring scoring{};
  Bos bos = true;
  /// Of a masked model.
  PseudoLikelihood pll = PseudoLikelihood::within_word;
  /// Whether the model is masked, where that is known; no option, the model says it.
  std::optional<bool> masked{};
  SpecialTokenReading special_tokens = SpecialTokenReading::refuse;
  /// Before every statement, as it is.
  TextSetting prefix{};
  /// Solved facts of the relation before every statement.
  ShotChoice shots{};
  /// Draws of the shots, from their seed on; a command asks each as a run of its own.
  std::size_t shot_seeds = 1;
  /// Whether statements are asked in a conversation, by the model's chat template.
  bool chat = false;
  ChatTurn chat_turn = ChatTurn::question;
  /// What the system says first; empty: nothing.
  TextSetting system{};
  /// In place of the model's own template; empty: that one.
  std::filesystem::path chat_template{};
  /// No option: made of the template before a job (chat_of).
  Chat conversation{};
  /// Before the answer alone, which `Reduction::pmi` compares with; the template without its subject
  /// where there is none.
  GivenText neutral{};
  /// Of the bootstrap intervals.
  std::uint64_t seed = 0;
  /// A column of the facts' table, whose values the report also shows apart; empty: none.
  std::string group_by{};

  /// Those that results already there can be read with too.
  template <class Self, class Visitor>
  static void visit_reading(Self& self, Visitor& visitor) {
    visitor("data", self.data,
            {.value = "DIR",
             .help = "dataset: a BEAR, LAMA, KAMEL or PARAREL folder, FACTOR's .csv, or a .tsv "
                     "file",
             .recorded = "-"});
    visitor("relations", self.relations,
            {.value = "A,B", .help = "only these relations", .recorded = "-"});
    visitor("seed", self.seed, {.value = "N", .help = "of the bootstrap intervals"});
    visitor("group-by", self.group_by, {.value = "COLUMN", .help = group_by_help, .recorded = "-"});
    visitor(
        "reduction", self.scoring.reduction,
        {.value = "KIND",
         .help = "sum, mean (per token) or bytes (per UTF-8 byte) over a statement's tokens, or "
                 "pmi: less what the answer scores behind a neutral prefix"});
    visitor("span", self.scoring.span,
            {.value = "KIND",
             .help = "which tokens count: statement, answer (those that share a byte with it) or "
                     "continuation (all behind what stands before the answer)"});
  }
  /// Those of scoring.
  template <class Self, class Visitor>
  static void visit_scoring(Self& self, Visitor& visitor) {
    visitor("templates", self.templates, {.value = "0,1|all", .help = "template indices"});
    visitor(
        "template-file", self.template_file,
        {.value = "FILE",
         .help = "JSON of templates by relation, or a folder of LPAQA's prompts, instead of the "
                 "dataset's"});
    visitor("inject", self.inject,
            {.value = "KIND",
             .help = "add template 0 with markers: verbalized, numerical or all",
             .recorded = "-"});
    visitor("limit", self.limit,
            {.value = "N", .help = "first N facts of each relation; 0 takes all"});
    visitor("bos", self.bos,
            {.value = "yes|no|TOKEN",
             .help = "start each statement with the BOS token, or with another token, by its text",
             .idle = self.masked.value_or(false)
                         ? "on a masked model, which has its own special tokens around each text"
                         : "",
             .recorded = "-"});
    visitor("pll", self.pll,
            {.value = "RULE",
             .help = "of a masked model: within-word masks a token and the later ones of its word, "
                     "original the token alone",
             .idle = self.masked.value_or(true) ? "" : "on a causal model",
             .recorded = "-"});
    visitor("special-tokens", self.special_tokens,
            {.value = "text|parse", .help = special_tokens_help, .recorded = "-"});
    visitor(
        "prefix", self.prefix,
        {.value = "TEXT|FILE",
         .help = "put this text, or that of a file, before every statement, as it is; text:… is "
                 "no file"});
    visitor("shots", self.shots.count,
            {.value = "K",
             .help = "solved facts of the relation before every statement, under its template",
             .most = 1000,
             .remedy = "the model's context holds no more"});
    const std::string without = self.shots.count > 0 ? "" : "without `shots`; say how many";
    visitor("shot-seed", self.shots.seed, {.value = "N", .help = "of their draw", .idle = without});
    visitor(
        "shot-seeds", self.shot_seeds,
        {.value = "N",
         .help = "ask N times, with the seeds from `shot-seed` on, each into a folder of its own, "
                 "and show the spread between draws",
         .least = 1,
         .most = 1000,
         .remedy = "1 asks once",
         .idle = without,
         .recorded = "-"});
    visitor("shot-draw", self.shots.draw,
            {.value = "relation|fact",
             .help = "the same shots before all of a relation's facts, or new ones for each",
             .idle = without});
    visitor(
        "chat", self.chat,
        {.help = "ask in a conversation, by the model's own chat template: the user says what "
                 "stands before an answer, the assistant the answer, which is scored",
         .idle = self.masked.value_or(false) ? "on a masked model, which has no chat template" : "",
         .recorded = "-"});
    const std::string no_chat = self.chat ? "" : "without `chat`";
    visitor("chat-turn", self.chat_turn,
            {.value = "question|statement",
             .help = "what is asked: the part of a statement before its answer, or the prefix, "
                     "behind which the assistant says the whole statement",
             .idle = no_chat,
             .recorded = "-"});
    visitor("system", self.system,
            {.value = "TEXT|FILE",
             .help = "what the system says first in a conversation; text:… is no file",
             .idle = no_chat,
             .recorded = "-"});
    visitor("chat-template", self.chat_template,
            {.value = "FILE",
             .help = "a Jinja chat template in place of the model's own",
             .idle = no_chat,
             .recorded = "-"});
    visitor("neutral", self.neutral,
            {.value = "TEXT",
             .help = "of `reduction` pmi: what stands before an answer alone; not given: the "
                     "template without its subject"});
  }
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visit_reading(self, visitor);
    visit_scoring(self, visitor);
  }

  /// Throws a user error for settings that contradict one another.
  void(check)() const {
    if (inject != AddedMarkers::none && !templates.indices.empty()) {
      throw user_error({.setting = "inject"}, "adds templates, but `templates` names some only",
                       "say `templates` all");
    }
    if (masked.value_or(false) && scoring.span == Span::continuation) {
      throw user_error({.setting = "span"},
                       "continuation is what follows a prompt, and a masked model reads both sides",
                       "use `span` statement or answer");
    }
    (check_chat)();
    if (neutral.text && scoring.reduction != Reduction::pmi) {
      throw user_error({.setting = "neutral"}, "has no effect without `reduction` pmi",
                       "say that, or leave it out");
    }
  }

  /// How the model's tokenizer reads the texts of special tokens; a chat template is made of them.
  [[nodiscard]] SpecialTokenReading reading() const noexcept {
    return chat ? SpecialTokenReading::parse : special_tokens;
  }

 private:
  void(check_chat)() const {
    if (!chat) return;
    if (special_tokens == SpecialTokenReading::text) {
      throw user_error({.setting = "special-tokens"},
                       "is text, but a chat template writes special tokens that must be parsed",
                       "leave it out, or say parse");
    }
    if (chat_turn == ChatTurn::statement && is_blank(prefix.text)) {
      throw user_error({.setting = "chat-turn"}, "is statement, and the user says nothing",
                       "say with `prefix` what the user asks for, such as 'Tell me a fact.'");
    }
    if (!system.text.empty() && is_blank(system.text)) {
      throw user_error({.setting = "system"}, "is blank",
                       "write what the system says, or leave it out");
    }
    if (chat_turn == ChatTurn::question && neutral.text && is_blank(*neutral.text)) {
      throw user_error({.setting = "neutral"}, "is empty, and the user says nothing",
                       "give a text such as 'Answer:'");
    }
  }
};

/// What run.json says of a probe's settings.
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

/// A dataset as it is to be probed: cut to what was chosen, its templates replaced or marked. Throws a
/// user error for what is not there or cannot be read.
[[nodiscard]] inline Dataset chosen_dataset(const ProbeSettings& settings, Dataset whole) {
  Dataset dataset =
      select_facts(std::move(whole), settings.relations, settings.limit, settings.shots.count > 0);
  if (!settings.template_file.empty()) use_template_file(dataset, settings.template_file);
  for (const Relation& relation : dataset.relations) {
    if (!relation.templates.empty() || relation.verbatim) continue;
    throw user_error({relation.file, 0, relation.code}, "has no template",
                     "write templates beside the table, or name a `template-file`");
  }
  inject_markers(dataset, settings.inject);
  return dataset;
}
/// The same of the dataset that `settings.data` names.
[[nodiscard]] inline Dataset chosen_dataset(const ProbeSettings& settings) {
  return chosen_dataset(settings, load_dataset(settings.data));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
