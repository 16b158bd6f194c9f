// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which words does a masked model fill into the gaps of many prompts, and how likely are the
// objects' names in these gaps?
//
// The model evaluates each prompt once. The answer, the rank of the true token and the likelihoods
// of the names all come from the same rows of logits. Then the labels of a relation's objects are
// scored in its gaps, with a content-free text as the subject. The labels that fit all of these
// gaps are the candidates for the relation's bias level. Sources: rank/mask_filler.hpp; "What
// Matters in Learning Facts in Language Models?", section 5.4.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/prompt_rows.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/rank/mask_filler.hpp"
#include "plumb/detail/run/fill_plan.hpp"
#include "plumb/detail/run/name_plan.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The candidates for a relation's bias level.
struct GapCandidates {
  std::vector<std::string> labels;
  /// The number of object labels that do not fit every gap and are therefore not candidates.
  std::size_t left_out = 0;
};

/// Options for filling gaps.
struct FillOptions {
  std::size_t masks = 1;
  /// Whether to also score the names of objects.
  bool names = true;
  /// The words of a common vocabulary; empty if answers are not ranked within one.
  std::vector<std::string> vocabulary{};
};

/// The results of filling a pack of gaps.
struct FilledPrompts {
  /// One entry per prompt, with names only if they were scored.
  std::vector<RecordedAnswer> answers;
  std::vector<std::optional<RecordedNames>> names;
  ScoringCost cost;
};

/// The results of scoring a pack of content-free gaps.
struct ScoredGaps {
  std::vector<RecordedContentFree> rows;
  ScoringCost cost;
};

/// Not thread-safe. All arguments must outlive this object.
template <MaskedLm Model>
class GapFilling {
 public:
  GapFilling(Model& model, GapWords<Model>& words, const FillPlan& plan, const FillOptions& options)
      : model_(model),
        words_(words),
        plan_(plan),
        options_(options),
        few_shot_(plan.dataset, {ShotSource::none, 0, PromptForm::sentence}, 0),
        texts_(plan.dataset, plan.asked, few_shot_) {}

  [[nodiscard]] const FewShot& few_shot() const noexcept { return few_shot_; }
  [[nodiscard]] const PromptTexts& texts() const noexcept { return texts_; }

  /// Throws a user error for the first prompt that exceeds the model's context, with its location
  /// in the dataset. Does not call the model.
  void refuse_long_prompts() const {
    const TextFrame frame = frame_of(model_);
    const std::size_t room = model_.context_length();
    const std::size_t around = frame.before.size() + frame.after.size() + options_.masks + 2;
    for (const PlannedPrompt& planned : plan_.prompts.prompts) {
      const Prompt gap = texts_.sentence(planned);
      // A token covers at least one byte, so most prompts need not be tokenised.
      if (gap.text.size() + around <= room) continue;
      const std::size_t tokens = gap_query(model_, gap).sequence.size() + options_.masks - 1;
      if (tokens <= room) continue;
      throw user_error({texts_.relation(planned).file, texts_.fact(planned).line,
                        texts_.relation(planned).code + ", template " +
                            std::to_string(planned.prompt.template_index)},
                       "the sentence about '" + shortened(texts_.subject(planned)) + "' has " +
                           counted(tokens, "token") + "; the model's limit is " +
                           std::to_string(room),
                       "shorten the template or remove the fact");
    }
  }

  /// Selects the labels that fit all content-free gaps of a relation; `labels` are the labels of
  /// the relation's objects.
  [[nodiscard]] GapCandidates candidates(std::size_t relation, std::vector<std::string> labels) {
    GapCandidates made;
    for (std::string& label : labels) {
      bool fits = true;
      for (std::size_t t = 0; t < plan_.dataset.relations[relation].templates.size(); ++t) {
        for (const std::string_view subject : content_free_texts) {
          fits = fits && has_room(label_tokens(relation, t, subject, label));
        }
      }
      if (fits) {
        made.labels.push_back(std::move(label));
      } else {
        ++made.left_out;
      }
    }
    return made;
  }
  /// The content-free prompts of relations that have candidates.
  [[nodiscard]] std::vector<ContentFreePrompt> content_free_gaps(
      const std::vector<GapCandidates>& candidates) const {
    std::vector<ContentFreePrompt> prompts = content_free_prompts(plan_.asked, few_shot_);
    std::erase_if(prompts, [&](const ContentFreePrompt& one) {
      return candidates[one.relation].labels.empty();
    });
    return prompts;
  }

  /// Evaluates a pack of prompts.
  [[nodiscard]] FilledPrompts filled(std::span<const PlannedPrompt> pack) {
    std::vector<MaskedGap> gaps;
    for (const PlannedPrompt& planned : pack) {
      const Prompt gap = texts_.sentence(planned);
      MaskedGap& made = gaps.emplace_back(MaskedGap{gap_query(model_, gap)});
      const ManyNamedFact& fact = texts_.fact(planned);
      const bool scores = options_.names && has_alias(fact);
      for (const NamedEntity& object : fact.objects) {
        for (const std::string& name : object.names) {
          const std::vector<TokenId>& ids = tokens(planned, gap, name);
          if (!has_room(ids)) continue;
          if (scores) made.names.push_back(ids);
          if (options_.masks == 1) made.truths.push_back(ids.front());
        }
      }
      ranges::sort_distinct(made.truths);
      if (!options_.vocabulary.empty()) {
        made.vocabulary = &words_.single_tokens(gap, options_.vocabulary);
      }
    }
    MaskFiller<Model> filler(model_, options_.masks);
    const std::vector<FilledGap> filled = filler.fill(gaps);
    FilledPrompts made{{}, {}, filler.cost()};
    made.cost.statements = 0;
    for (std::size_t i = 0; i < pack.size(); ++i) {
      add_row(made, pack[i], gaps[i], filled[i]);
      made.cost.statements += 1 + gaps[i].names.size();
    }
    return made;
  }

  /// Evaluates a pack of content-free prompts; `candidates` is indexed by selected relation.
  [[nodiscard]] ScoredGaps scored(std::span<const ContentFreePrompt> pack,
                                  const std::vector<GapCandidates>& candidates) {
    std::vector<MaskedGap> gaps;
    std::size_t statements = 0;
    for (const ContentFreePrompt& one : pack) {
      MaskedGap& made = gaps.emplace_back(MaskedGap{
          gap_query(model_, few_shot_.sentence(one.relation, one.template_index, one.subject)),
          false});
      for (const std::string& label : candidates[one.relation].labels) {
        made.names.push_back(label_tokens(one.relation, one.template_index, one.subject, label));
      }
      statements += made.names.size();
    }
    MaskFiller<Model> filler(model_, options_.masks);
    const std::vector<FilledGap> filled = filler.fill(gaps);
    ScoredGaps made{{}, filler.cost()};
    made.cost.statements = statements;
    for (std::size_t i = 0; i < pack.size(); ++i) {
      const ContentFreePrompt& one = pack[i];
      RecordedContentFree& row = made.rows.emplace_back(RecordedContentFree{
          texts_.relation_at(one.relation).code, one.template_index, std::string(one.subject), {}});
      for (std::size_t n = 0; n < gaps[i].names.size(); ++n) {
        row.candidates.push_back(
            {filled[i].names[n], static_cast<std::uint32_t>(gaps[i].names[n].size())});
      }
    }
    return made;
  }

 private:
  [[nodiscard]] bool has_room(const std::vector<TokenId>& tokens) const {
    return !tokens.empty() && tokens.size() <= options_.masks;
  }
  [[nodiscard]] const std::vector<TokenId>& label_tokens(std::size_t relation, std::size_t t,
                                                         std::string_view subject,
                                                         const std::string& label) {
    return words_.tokens(
        few_shot_.sentence(relation, t, subject), label,
        [&](const std::string& word) { return few_shot_.sentence(relation, t, subject, word); });
  }
  /// The tokens of a name in a prompt's gap.
  [[nodiscard]] const std::vector<TokenId>& tokens(const PlannedPrompt& planned, const Prompt& gap,
                                                   const std::string& name) {
    return words_.tokens(gap, name,
                         [&](const std::string& word) { return texts_.sentence(planned, word); });
  }
  [[nodiscard]] std::string shown(std::span<const TokenId> ids) const {
    std::string text = valid_utf8(model_.detokenize(ids));
    text.erase(0, text.find_first_not_of(' '));
    return text;
  }
  void add_row(FilledPrompts& made, const PlannedPrompt& planned, const MaskedGap& gap,
               const FilledGap& filled) {
    const Prompt sentence = texts_.sentence(planned);
    RecordedFill fill{filled.fill.tokens, false, filled.rank,
                      filled.common_fill, "",    filled.common_rank};
    if (fill.common_id) fill.common_text = shown({&*fill.common_id, 1});
    RecordedNames names{texts_.relation(planned).code, planned.prompt, texts_.subject(planned), {}};
    std::size_t next = 0;
    for (const NamedEntity& object : texts_.fact(planned).objects) {
      auto& list = names.names.emplace_back();
      for (const std::string& name : object.names) {
        const std::vector<TokenId>& ids = tokens(planned, sentence, name);
        fill.right = fill.right || (has_room(ids) && ids == fill.ids);
        const bool is_scored = !gap.names.empty() && has_room(ids);
        list.push_back(
            is_scored ? TextLikelihood{filled.names[next++], static_cast<std::uint32_t>(ids.size())}
                      : TextLikelihood{});
      }
    }
    RecordedAnswer answer{names.relation,
                          planned.prompt,
                          names.subject,
                          shown(fill.ids),
                          static_cast<std::uint32_t>(fill.ids.size()),
                          filled.fill.log_probability};
    answer.fill = std::move(fill);
    made.answers.push_back(std::move(answer));
    made.names.push_back(gap.names.empty() ? std::nullopt : std::optional(std::move(names)));
  }

  Model& model_;
  GapWords<Model>& words_;
  const FillPlan& plan_;
  const FillOptions& options_;
  FewShot few_shot_;
  PromptTexts texts_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
