// SPDX-License-Identifier: Apache-2.0
#pragma once

// Can a model be asked what a many-shot study asks?
//
// Looked at before anything is scored or written: sequences past the model's context, tokens that a
// separator should have kept apart, choices that begin others.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/backend/concepts.hpp"
#include "plumb/prompt/injection.hpp"
#include "plumb/run/many_shot_plan.hpp"
#include "plumb/score/recorded_choices.hpp"
#include "plumb/score/tokenized_statements.hpp"

namespace plumb {

/// As thread-safe as the model, which must outlive it and is only asked for tokens.
template <LanguageModel Model>
class ManyShotCheck {
 public:
  ManyShotCheck(Model& model, bool with_bos) : model_(model), with_bos_(with_bos) {}

  /// What the user can mend, said before anything is scored: throws a user error when a sequence is
  /// past the model's context, with the number of shots that would fit. Returns what is worth a
  /// warning: a token that covers both a subject and an object.
  [[nodiscard]] std::vector<RelationRemark> notes(const ManyShotRelation& asked) const {
    std::vector<RelationRemark> found;
    asked.for_each_block([&](const ManyShotBlock& block) {
      // EIC-LKE's sequences grow from question to question: its longest is among the last ones.
      const bool grows = block.settings.front().method.starts_with("eic");
      const std::size_t last = std::min(ManyShotRelation::eic_questions, block.facts) - 1;
      std::size_t longest = block.first_fact;
      std::size_t bytes = 0;
      for (std::size_t f = block.first_fact; f < block.first_fact + block.facts; ++f) {
        if (grows && f % ManyShotRelation::eic_questions != last) continue;
        for (const std::uint32_t option : asked.choices()[f].options) {
          const std::size_t size =
              asked.test_fact(f).subject.size() + asked.relation().options[option].size();
          if (size <= bytes) continue;
          bytes = size;
          longest = f;
        }
      }
      const Fact& fact = asked.test_fact(longest);
      for (std::size_t s = 0; s < block.settings.size(); ++s) {
        const Query query = block.query(s, longest);
        const Prompt& prompt = *std::ranges::max_element(
            query.candidates, {}, [](const Prompt& one) { return one.text.size(); });
        if (tokens_of(prompt) > model_.context_length()) {
          refuse_long(asked, block, s, fact, prompt);
        }
      }
      if (block.shots.empty() || block.form.join == Join::ids) return;
      std::vector<SubjectObject> pairs = block.shots;
      pairs.push_back({fact.subject, asked.relation().options[fact.answer]});
      const Prompt prompt = block.form.sequence(pairs);
      const Tokenization tokenization = model_.tokenize(prompt.text);
      if (const auto t = merged_token(block.form, prompt, tokenization); t >= 0) {
        const ByteSpan token = tokenization.tokens[static_cast<std::size_t>(t)].bytes;
        RelationRemark note{"a token covers both a subject and an object, which pair separator '" +
                                block.form.pair_separator + "' and item separator '" +
                                block.form.item_separator + "' do not keep apart",
                            "'" + prompt.text.substr(token.begin, token.end - token.begin) + "'"};
        const bool known =
            std::ranges::find(found, note.what, &RelationRemark::what) != found.end();
        if (!known) found.push_back(std::move(note));
      }
    });
    return found;
  }

  /// How many choices of all test facts have tokens that another choice of the same fact begins with;
  /// labels are tokenised by themselves, behind a space.
  [[nodiscard]] std::size_t choices_beginning_another(const ManyShotRelation& asked) const {
    std::vector<std::vector<TokenId>> tokens;
    for (const std::string& option : asked.relation().options) {
      std::vector<TokenId>& ids = tokens.emplace_back();
      for (const Token& token : model_.tokenize(" " + option).tokens) ids.push_back(token.id);
    }
    std::size_t count = 0;
    for (const Choices& choices : asked.choices()) {
      std::vector<std::uint32_t> sorted = choices.options;
      std::ranges::sort(sorted, {}, [&](std::uint32_t option) { return tokens[option]; });
      for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
        // What begins another stands directly before the first that begins with it.
        const std::vector<TokenId>& beginning = tokens[sorted[i]];
        const std::vector<TokenId>& next = tokens[sorted[i + 1]];
        if (std::ranges::mismatch(beginning, next).in1 == beginning.end()) ++count;
      }
    }
    return count;
  }

  /// Throws a user error when a sequence of an injection experiment is past the model's context.
  void refuse_long(const InjectionDesign& design, const ManyShot& form) const {
    for (const InjectionPanel& panel : design.panels) {
      std::vector<SubjectObject> pairs;
      for (const InjectedPair& pair : panel.pairs) pairs.push_back({pair.subject, pair.object});
      const std::size_t tokens = tokens_of(form.sequence(pairs));
      if (tokens <= model_.context_length()) continue;
      throw user_error({.field = design.relation}, "the injection experiment's " + too_long(tokens),
                       "say --injection with fewer pairs");
    }
  }

 private:
  [[nodiscard]] std::size_t tokens_of(const Prompt& prompt) const {
    return tokenize_prompt(model_, prompt).tokens.size() + (with_bos_ ? 1 : 0);
  }

  [[nodiscard]] std::string too_long(std::size_t tokens) const {
    return "sequence of " + std::to_string(tokens) + " tokens, past the model's context of " +
           std::to_string(model_.context_length());
  }

  [[noreturn]] void refuse_long(const ManyShotRelation& asked, const ManyShotBlock& block,
                                std::size_t setting, const Fact& fact, const Prompt& prompt) const {
    const Site site{asked.relation().file, fact.line, asked.relation().code};
    const std::string what = "a " + too_long(tokens_of(prompt));
    if (block.settings.front().method != "ic") {
      throw user_error(site, what, "leave the method or the relation out");
    }
    std::size_t fits = 0;
    std::size_t fails = block.settings[setting].shots;
    const auto first = [&](std::size_t shots) {
      return block.form.sequence(std::span(block.shots).first(shots));
    };
    const std::string question = prompt.text.substr(first(fails).text.size());
    while (fits + 1 < fails) {
      const std::size_t middle = (fits + fails) / 2;
      Prompt tried = first(middle);
      tried.text += question;
      (tokens_of(tried) <= model_.context_length() ? fits : fails) = middle;
    }
    throw user_error(
        site, what,
        fits == 0 ? "not one shot would fit: leave the fact out"
                  : std::to_string(fits) + " shots would fit: say --shots " + std::to_string(fits));
  }

  Model& model_;
  bool with_bos_;
};

}  // namespace plumb
