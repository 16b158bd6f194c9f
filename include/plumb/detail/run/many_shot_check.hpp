// SPDX-License-Identifier: Apache-2.0
#pragma once

// Can a model process the questions of a many-shot study?
//
// These checks run before anything is scored or written. They find sequences longer than the
// model's context, tokens that cover both a subject and an object despite the separator, and
// choices that are prefixes of others.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/prompt/injection.hpp"
#include "plumb/detail/records/many_shot_rows.hpp"
#include "plumb/detail/run/fixed_study.hpp"
#include "plumb/detail/run/many_shot_plan.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/kept_prompts.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"
#include "plumb/detail/score/tokenized_statements.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// This object is as thread-safe as the model, which must outlive it. Only the model's tokenizer is
/// used.
template <LanguageModel Model>
class ManyShotCheck {
 public:
  ManyShotCheck(Model& model, const Bos& with_bos)
      : model_(model), bos_(require_bos(model, with_bos)) {}

  /// Finds problems before anything is scored. Throws a user error if a sequence is longer than the
  /// model's context, stating the number of shots that would fit. Returns remarks about tokens that
  /// cover both a subject and an object.
  [[nodiscard]] std::vector<RelationRemark> notes(const ManyShotRelation& asked) const {
    std::vector<RelationRemark> found;
    const std::vector<std::vector<TokenId>> options = option_tokens(asked.relation());
    const bool puts_space = puts_space_before(model_);
    asked.for_each_block([&](const ManyShotBlock& block) {
      const std::size_t questions = asked.eic().questions;
      std::size_t most = 0;
      // Throws an error if the longest of the selected questions does not fit into the context.
      // Questions that are no longer than one already checked are not checked again.
      const auto check = [&](auto wanted) {
        std::optional<std::size_t> longest;
        std::size_t longest_choice = 0;
        for (std::size_t f = block.first_fact; f < block.first_fact + block.facts; ++f) {
          if (!wanted(f)) continue;
          const std::size_t subject =
              inner_tokens(model_, " " + asked.test_fact(f).subject, puts_space).tokens.size();
          const std::vector<std::uint32_t>& choices = asked.choices()[f].options;
          for (std::size_t c = 0; c < choices.size(); ++c) {
            const std::size_t size = subject + options[choices[c]].size();
            if (size <= most) continue;
            most = size;
            longest = f;
            longest_choice = c;
          }
        }
        for (std::size_t s = 0; longest && s < block.settings.size(); ++s) {
          const Query query = block.query(s, *longest);
          const Prompt& prompt = query.candidates[longest_choice];
          // A token covers at least one byte, so most sequences need not be tokenised here.
          if (prompt.text.size() + 1 > model_.context_length() &&
              tokens_of(prompt) > model_.context_length()) {
            refuse_long(asked, block, s, asked.test_fact(*longest), prompt);
          }
        }
      };
      const std::string& method = block.settings.front().method;
      if (!method.starts_with("eic")) {
        (check)([](std::size_t) { return true; });
      } else {
        // A sequence grows from question to question. Under "eic", the last question comes after
        // all others. An isolated question does not see the others. Because question lengths
        // differ, the isolated question at any position may therefore be the longest.
        std::size_t place = (std::min)(questions, block.facts);
        do {
          --place;
          (check)([&](std::size_t f) { return f % questions == place; });
        } while (method != "eic" && place > 0);
      }
      if (block.shots.empty() || block.form.join == Join::ids) return;
      const std::string what =
          "a token covers both a subject and an object, because pair separator '" +
          block.form.pair_separator + "' and item separator '" + block.form.item_separator +
          "' do not keep them apart";
      if (ranges::find(found, what, &RelationRemark::what) != found.end()) return;
      auto token = merged_in(block.form, block.shots);
      // The questions are the same for every seed.
      const bool ask = block.settings.front().variant == 0;
      for (std::size_t f = 0; f < block.facts && ask; ++f) {
        for (const std::uint32_t option : asked.choices()[block.first_fact + f].options) {
          if (token) break;
          token = merged_behind(
              block.form, block.shots.back(),
              {asked.test_fact(block.first_fact + f).subject, asked.relation().options[option]});
        }
      }
      if (token) found.push_back({what, "'" + *token + "'"});
    });
    return found;
  }

  /// Throws a user error if a fixed study's sequence is longer than the model's context, stating
  /// the number of shots that would fit. `file` is only used in the message.
  void refuse_long(const FixedStudy& study, const std::filesystem::path& file) const {
    const std::string& choice =
        *ranges::max_element(study.choices, {}, [](const std::string& one) { return one.size(); });
    for (const FixedStudy::Test& test : study.tests) {
      const Prompt prompt = study.form.question(study.shots, test.subject, choice);
      if (const std::size_t tokens = tokens_of(prompt); tokens > model_.context_length()) {
        throw user_error({file, 0, test.subject}, "a " + too_long(tokens),
                         counted(shots_that_fit(study.form, study.shots, prompt), "shot") +
                             " would fit: remove the others");
      }
    }
  }

  /// The text of a token in a fixed study that covers both a subject and an object; no value if
  /// there is no such token.
  [[nodiscard]] std::optional<std::string> merged_token_of(const FixedStudy& study) const {
    auto token = merged_in(study.form, study.shots);
    if (study.shots.empty()) return token;
    for (const FixedStudy::Test& test : study.tests) {
      for (const std::string& choice : study.choices) {
        if (token) return token;
        token = merged_behind(study.form, study.shots.back(), {test.subject, choice});
      }
    }
    return token;
  }

  /// Throws a user error if a prompt to be continued by the model leaves less context than
  /// `new_tokens`.
  void refuse_long_generation(const ManyShotRelation& asked, std::size_t new_tokens,
                              KeptPrompts<Model>& prompts) const {
    asked.for_each_block([&](const ManyShotBlock& block) {
      if (!block.opening) return;
      for (std::size_t f = 0; f < block.facts; ++f) {
        const std::size_t tokens =
            prompts.ids(block.opening(block.settings.size() - 1, block.first_fact + f)).size();
        if (tokens + new_tokens <= model_.context_length()) continue;
        throw user_error({.setting = "generate"},
                         asked.relation().code + ": " + counted(tokens, "token") + " and " +
                             std::to_string(new_tokens) +
                             " new ones exceed the model's context of " +
                             std::to_string(model_.context_length()),
                         "use fewer new tokens or fewer shots");
      }
    });
  }

  /// The number of choices, over all test facts, whose tokens are a prefix of the tokens of another
  /// choice for the same fact. Labels are tokenised individually, after a space.
  [[nodiscard]] std::size_t choices_beginning_another(const ManyShotRelation& asked) const {
    const std::vector<std::vector<TokenId>> tokens = option_tokens(asked.relation());
    std::size_t count = 0;
    for (const Choices& choices : asked.choices()) {
      std::vector<std::uint32_t> sorted = choices.options;
      ranges::sort(sorted, {}, [&](std::uint32_t option) { return tokens[option]; });
      for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
        // In sorted order, a prefix comes directly before the first sequence that begins with it.
        const std::vector<TokenId>& beginning = tokens[sorted[i]];
        const std::vector<TokenId>& next = tokens[sorted[i + 1]];
        if (common_prefix(beginning, next) == beginning.size()) ++count;
      }
    }
    return count;
  }

  /// Throws a user error if a sequence of an injection experiment is longer than the model's
  /// context.
  void refuse_long(const InjectionDesign& design, const ManyShot& form) const {
    for (const InjectionPanel& panel : design.panels) {
      const std::vector<SubjectObject> pairs = pairs_of(panel);
      const Prompt sequence = form.sequence(pairs);
      const std::size_t tokens = tokens_of(sequence);
      if (tokens <= model_.context_length()) continue;
      throw user_error({.field = design.relation}, "the injection experiment's " + too_long(tokens),
                       counted(shots_that_fit(form, pairs, sequence), "pair") +
                           " would fit: set `injection` lower");
    }
  }

 private:
  /// The tokens of each option, tokenised individually after a space, as it would be inside a
  /// longer text.
  [[nodiscard]] std::vector<std::vector<TokenId>> option_tokens(const Relation& relation) const {
    std::vector<std::string> texts;
    texts.reserve(relation.options.size());
    for (const std::string& option : relation.options) texts.push_back(" " + option);
    return inner_ids(model_, texts);
  }

  [[nodiscard]] std::size_t tokens_of(const Prompt& prompt) const {
    return tokenize_prompt(model_, prompt, bos_).tokens.size();
  }

  /// The largest number of shots that fit together with the question after them.
  [[nodiscard]] std::size_t shots_that_fit(const ManyShot& form,
                                           std::span<const SubjectObject> shots,
                                           const Prompt& prompt) const {
    const std::string question = prompt.text.substr(form.sequence(shots).text.size());
    std::size_t fits = 0;
    std::size_t fails = shots.size();
    while (fits + 1 < fails) {
      const std::size_t middle = (fits + fails) / 2;
      Prompt tried = form.sequence(shots.first(middle));
      tried.text += question;
      (tokens_of(tried) <= model_.context_length() ? fits : fails) = middle;
    }
    return fits;
  }

  /// The text of a token that covers both a subject and an object.
  [[nodiscard]] std::optional<std::string> merged_in(const ManyShot& form,
                                                     std::span<const SubjectObject> pairs) const {
    const Prompt prompt = form.sequence(pairs);
    const Tokenization tokenization = text_tokens(model_, prompt.text);
    const auto t = merged_token(form, prompt, tokenization);
    if (t < 0) return std::nullopt;
    const ByteSpan token = tokenization.tokens[static_cast<std::size_t>(t)].bytes;
    return prompt.text.substr(token.begin, token.end - token.begin);
  }

  /// Like the function above, but for a pair that follows another pair.
  [[nodiscard]] std::optional<std::string> merged_behind(const ManyShot& form,
                                                         const SubjectObject& before,
                                                         const SubjectObject& pair) const {
    return merged_in(form, std::array<SubjectObject, 2>{before, pair});
  }

  [[nodiscard]] std::string too_long(std::size_t tokens) const {
    return "sequence of " + counted(tokens, "token") + ", longer than the model's context of " +
           std::to_string(model_.context_length());
  }

  [[noreturn]] void refuse_long(const ManyShotRelation& asked, const ManyShotBlock& block,
                                std::size_t setting, const Fact& fact, const Prompt& prompt) const {
    const Site site{asked.relation().file, fact.line, asked.relation().code};
    const std::string what = "a " + too_long(tokens_of(prompt));
    const std::string& method = block.settings.front().method;
    if (method != "ic") {
      throw user_error(site, what,
                       std::string(method.starts_with("eic")
                                       ? "lower `eic-first`, `eic-step` or `eic-questions`, or "
                                       : "") +
                           "remove the method or the relation");
    }
    const std::size_t fits = shots_that_fit(
        block.form, std::span(block.shots).first(block.settings[setting].shots), prompt);
    throw user_error(
        site, what,
        fits == 0 ? "no shot would fit: remove the fact"
                  : counted(fits, "shot") + " would fit: set `shots` to " + std::to_string(fits));
  }

  Model& model_;
  std::optional<TokenId> bos_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
