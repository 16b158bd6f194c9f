// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each name of an object after a prompt, and each label after a content-free prompt?
//
//   log P(" NAME" | prompt) = Σ log P(token | prompt, tokens before it), in nats
// If a fact has an alias, the likelihoods of its objects' names are computed after each of its
// prompts (Table 10: does an alias outrank its label?). For all object labels of a relation, the
// likelihoods are also computed after prompts whose subject is "N/A", empty or "?" (bias level).
// Source: "What Matters in Learning Facts in Language Models?", section 5.4 and appendix C.1;
// there, each name is a single token of a masked model. Blocks of prompts with the same shots are
// scored together. The caller decides how the scoring is run: in a job (name_likelihood_run.hpp),
// or in memory with just a scorer.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/run/name_plan.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "plumb/detail/score/kept_blocks.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The number of object names, summed over the given prompts.
inline std::size_t count_names(const PromptTexts& texts,
                               const std::vector<PlannedPrompt>& prompts) {
  std::size_t names = 0;
  for (const PlannedPrompt& planned : prompts) {
    for (const NamedEntity& object : texts.fact(planned).objects) names += object.names.size();
  }
  return names;
}

/// The labels of all objects, by selected relation.
inline std::vector<std::vector<std::string>> labels_by_relation(const MultiPromptDataset& dataset,
                                                                const AskedFacts& asked) {
  std::vector<std::vector<std::string>> labels;
  for (const AskedRelation& one : asked.relations) {
    labels.push_back(object_labels(dataset.relations[one.relation]));
  }
  return labels;
}

inline std::size_t count_labels(const std::vector<ContentFreePrompt>& prompts,
                                const std::vector<std::vector<std::string>>& labels) {
  std::size_t names = 0;
  for (const ContentFreePrompt& one : prompts) names += labels[one.relation].size();
  return names;
}

/// Scores the names of one setting. All arguments must outlive this object. Not thread-safe.
///
/// `carry(block, place, name_of)` scores a planned block's statements and returns their scores, or
/// nothing if some of them belong to another process. `name_of(statement)` returns the statement's
/// name for messages. `take` receives the rows in order. `names` and `content_free` return true if
/// every row was passed on.
template <ScoringLm Model>
class NameScoring {
 public:
  using Block = typename CausalScorer<Model>::Block;

  /// `blocks` contains the blocks that have already been planned. Throws a user error if BOS is
  /// required but the model has none.
  NameScoring(Model& model, const Bos& with_bos, const MultiPromptDataset& dataset,
              const AskedFacts& asked,
              const KeptBlocks<CausalScorer<Model>>& blocks = no_blocks<CausalScorer<Model>>())
      : scorer_(model, with_bos, Span::continuation),
        dataset_(dataset),
        asked_(asked),
        blocks_(blocks) {}

  /// The names of the job parts that score a setting's names and, after content-free prompts, its
  /// labels.
  [[nodiscard]] static std::string names_part(const FewShot& few_shot) {
    return few_shot.name() + " names";
  }
  [[nodiscard]] static std::string content_free_part(const FewShot& few_shot) {
    return few_shot.name() + " content-free";
  }

  [[nodiscard]] CausalScorer<Model>& scorer() noexcept { return scorer_; }

  /// Scores the names of a setting's facts; `begin(count)` receives the number of names.
  template <class Begin, class Carry, class Take>
  bool names(const FewShot& few_shot, Begin begin, Carry carry, Take take) {
    PromptTexts texts(dataset_, asked_, few_shot);
    const std::vector<PlannedPrompt> prompts = named_prompts(dataset_, asked_, few_shot);
    begin(detail::count_names(texts, prompts));
    return generate_rows(
        names_part(few_shot), prompts.size(),
        [&](std::size_t i) { return names_after_prompt(texts, prompts[i]); }, carry,
        [&](std::size_t i, const std::vector<TextLikelihood>& scores) {
          RecordedNames row{
              texts.relation(prompts[i]).code, prompts[i].prompt, texts.subject(prompts[i]), {}, 0,
              texts.shown(prompts[i])};
          auto next = scores.begin();
          for (const NamedEntity& object : texts.fact(prompts[i]).objects) {
            const auto end = next + static_cast<std::ptrdiff_t>(object.names.size());
            row.names.emplace_back(next, end);
            next = end;
          }
          take(row);
        });
  }

  /// Scores the labels of a relation's objects after its content-free prompts.
  template <class Begin, class Carry, class Take>
  bool content_free(const FewShot& few_shot, Begin begin, Carry carry, Take take) {
    PromptTexts texts(dataset_, asked_, few_shot);
    const std::vector<ContentFreePrompt> prompts = content_free_prompts(asked_, few_shot);
    const auto labels = detail::labels_by_relation(dataset_, asked_);
    begin(detail::count_labels(prompts, labels));
    return generate_rows(
        content_free_part(few_shot), prompts.size(),
        [&](std::size_t i) {
          return labels_after_prompt(texts, prompts[i], labels[prompts[i].relation]);
        },
        carry,
        [&](std::size_t i, const std::vector<TextLikelihood>& scores) {
          const ContentFreePrompt& one = prompts[i];
          take(RecordedContentFree{texts.relation_at(one.relation).code, one.template_index,
                                   std::string(one.subject), scores, 0,
                                   texts.shown_content_free(one.relation, one.template_index)});
        });
  }

 private:
  /// Scores `count` questions in order, in blocks of the same context and relation. `take` receives
  /// the scores of each question, except for questions in blocks that this process does not score.
  template <class Ask, class Carry, class Take>
  bool generate_rows(const std::string& part, std::size_t count, Ask ask, Carry carry, Take take) {
    constexpr std::size_t most_statements = 2048;
    bool is_whole = true;
    std::size_t number = 0;  // block number
    for (std::size_t first = 0; first < count;) {
      std::vector<NamesAfterPrompt> questions{ask(first)};
      std::size_t statements = questions.front().names.size();
      while (first + questions.size() < count && statements < most_statements) {
        NamesAfterPrompt next = ask(first + questions.size());
        const NamesAfterPrompt& begun = questions.front();
        if (next.context != begun.context || next.relation != begun.relation) break;
        statements += next.names.size();
        questions.push_back(std::move(next));
      }
      const std::optional<std::vector<TextLikelihood>> scores =
          scored({part, number++}, questions, carry);
      is_whole = is_whole && scores;
      auto next = scores ? scores->begin() : std::vector<TextLikelihood>::const_iterator();
      for (std::size_t q = 0; scores && q < questions.size(); ++q) {
        const auto end = next + static_cast<std::ptrdiff_t>(questions[q].names.size());
        take(first + q, {next, end});
        next = end;
      }
      first += questions.size();
    }
    return is_whole;
  }

  template <class Carry>
  [[nodiscard]] std::optional<std::vector<TextLikelihood>> scored(
      const typename KeptBlocks<CausalScorer<Model>>::Place& place,
      const std::vector<NamesAfterPrompt>& questions, Carry& carry) {
    Block block = blocks_.get(scorer_, place, [&] {
      Block made;
      scorer_.share(made, Prompt{questions.front().context, {}, {}});
      for (const NamesAfterPrompt& question : questions) scorer_.add(made, question.query());
      scorer_.plan(made);
      return made;
    });
    const std::optional<std::vector<StatementScore>> scores =
        carry(block, place, [&](std::size_t statement) {
          auto question = questions.begin();
          for (; statement >= question->names.size(); ++question) {
            statement -= question->names.size();
          }
          return "'" + question->names[statement] + "' of " + question->relation + " after '" +
                 shortened(question->text.substr(question->context.size())) + "'";
        });
    if (!scores) return std::nullopt;
    std::vector<TextLikelihood> made;
    for (const StatementScore& one : *scores) {
      made.push_back({one.continuation.log_likelihood, one.continuation.tokens});
    }
    return made;
  }

  CausalScorer<Model> scorer_;
  const MultiPromptDataset& dataset_;
  const AskedFacts& asked_;
  const KeptBlocks<CausalScorer<Model>>& blocks_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
