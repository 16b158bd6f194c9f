// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a masked model put into the gaps of many prompts, and what does it say of their names?
//
// Each prompt is asked once: its answer, where the true token stands and how likely its names are come
// of the same rows of logits. Pack by pack; a pack that the journal has is taken from there. Then the
// labels of a relation's objects are scored in its gaps with a text without content for a subject: the
// candidates of its bias level, those labels that fit into all of these gaps.
// Sources: rank/mask_filler.hpp; "What Matters in Learning Facts in Language Models?", section 5.4.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/core/number_words.hpp"
#include "plumb/core/over.hpp"
#include "plumb/core/utf8.hpp"
#include "plumb/rank/mask_filler.hpp"
#include "plumb/records/generation_rows.hpp"
#include "plumb/run/fill_plan.hpp"
#include "plumb/run/name_plan.hpp"
#include "plumb/run/run_folder.hpp"
#include "plumb/run/work.hpp"

namespace plumb {

/// The candidates of a relation's bias level.
struct GapCandidates {
  std::vector<std::string> labels;
  /// Labels of objects that do not fit into each gap, so are no candidates.
  std::size_t left_out = 0;
};

/// How gaps are filled.
struct FillOptions {
  std::size_t masks = 1;
  /// Whether names of objects are scored too.
  bool names = true;
  /// The words of a common vocabulary; none where answers are not ranked in one.
  std::vector<std::string> vocabulary{};
};

/// Not thread-safe. All that it is given must outlive it.
template <MaskedLm Model>
class FillRun {
 public:
  FillRun(Model& model, GapWords<Model>& words, const FillPlan& plan, const FillOptions& options)
      : model_(model),
        words_(words),
        plan_(plan),
        options_(options),
        few_shot_(plan.dataset, {ShotSource::none, 0, PromptForm::sentence}, 0),
        texts_(plan.dataset, plan.asked, few_shot_) {}

  /// Throws a user error for the first prompt that the model has no room for, with its place in the
  /// dataset; the model is not asked.
  void refuse_long_prompts() const {
    const TextFrame frame = frame_of(model_);
    const std::size_t room = model_.context_length();
    const std::size_t around = frame.before.size() + frame.after.size() + options_.masks + 2;
    for (const PlannedPrompt& planned : plan_.prompts.prompts) {
      const Prompt gap = texts_.sentence(planned);
      // A token covers a byte at least, so most prompts need not be tokenised.
      if (gap.text.size() + around <= room) continue;
      const std::size_t tokens = gap_query(model_, gap).sequence.size() + options_.masks - 1;
      if (tokens <= room) continue;
      throw user_error({texts_.relation(planned).file, texts_.fact(planned).line,
                        texts_.relation(planned).code + ", template " +
                            std::to_string(planned.prompt.template_index)},
                       "the sentence about '" + shortened(texts_.subject(planned)) + "' has " +
                           counted(tokens, "token") + ", the model has room for " +
                           std::to_string(room),
                       "shorten the template or leave the fact out");
    }
  }

  /// What filling takes; `candidates` are those of content_free. The model is not asked.
  [[nodiscard]] JobPlan plan(const std::vector<GapCandidates>& candidates) const {
    ScoringCost cost;
    for (const PlannedPrompt& planned : plan_.prompts.prompts) {
      cost.tokens_one_by_one += gap_query(model_, texts_.sentence(planned)).sequence.size();
    }
    JobPlan made{{few_shot_.name(), "prompt", plan_.prompts.prompts.size(), cost}};
    if (!options_.names) return made;
    ScoringCost without_content;
    const std::vector<ContentFreePrompt> prompts = content_free_gaps(candidates);
    for (const ContentFreePrompt& one : prompts) {
      without_content.tokens_one_by_one +=
          gap_query(model_, few_shot_.sentence(one.relation, one.template_index, one.subject))
              .sequence.size();
    }
    made.push_back({few_shot_.name() + " content-free", "prompt", prompts.size(), without_content});
    return made;
  }

  /// Leaves masked_answers.jsonl, and with names masked_names.jsonl.
  void answer(const RunFolder& folder, Work& work) {
    const AnswerPlan& plan = plan_.prompts;
    FileInTheMaking answers(folder.file(few_shot_.name() + "_answers.jsonl"));
    std::optional<FileInTheMaking> names;
    if (options_.names) names.emplace(folder.file(few_shot_.name() + "_names.jsonl"));
    std::vector<std::size_t> sizes;
    for (std::size_t p = 0; p < plan.ends.size(); ++p) sizes.push_back(plan.pack(p).size());
    const bool is_whole = go_through(
        work, few_shot_.name(), sizes, [&](std::size_t p) { return filled(plan.pack(p)); },
        [&](const Json& rows) {
          answers << rows.at("answer").dump() + "\n";
          if (names && rows.contains("names")) *names << rows.at("names").dump() + "\n";
        });
    if (!is_whole) return;
    answers.finish();
    if (names) names->finish();
  }

  /// Leaves masked_content_free.jsonl; `candidates` are by asked relation.
  void content_free(const std::vector<GapCandidates>& candidates, const RunFolder& folder,
                    Work& work) {
    constexpr std::size_t pack_size = 64;
    const std::vector<ContentFreePrompt> prompts = content_free_gaps(candidates);
    FileInTheMaking rows(folder.file(few_shot_.name() + "_content_free.jsonl"));
    std::vector<std::size_t> sizes;
    for (std::size_t begin = 0; begin < prompts.size(); begin += pack_size) {
      sizes.push_back((std::min)(pack_size, prompts.size() - begin));
    }
    const bool is_whole = go_through(
        work, few_shot_.name() + " content-free", sizes,
        [&](std::size_t p) {
          return scored(std::span(prompts).subspan(p * pack_size, sizes[p]), candidates);
        },
        [&](const Json& row) { rows << row.dump() + "\n"; });
    if (is_whole) rows.finish();
  }

  /// The labels of a relation's objects, `labels`, that fit into all of its content-free gaps.
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

 private:
  /// Those whose relation has candidates.
  [[nodiscard]] std::vector<ContentFreePrompt> content_free_gaps(
      const std::vector<GapCandidates>& candidates) const {
    std::vector<ContentFreePrompt> prompts = content_free_prompts(plan_.asked, few_shot_);
    std::erase_if(prompts, [&](const ContentFreePrompt& one) {
      return candidates[one.relation].labels.empty();
    });
    return prompts;
  }

  /// Every pack in order, evaluated or from the journal; `take` gets each row of it. Returns whether
  /// the part is whole.
  template <class Evaluate, class Take>
  static bool go_through(Work& work, const std::string& name, const std::vector<std::size_t>& sizes,
                         Evaluate evaluate, Take take) {
    std::vector<PackCost> packs;
    std::size_t all = 0;
    for (const std::size_t size : sizes) {
      packs.push_back({size, size, size});
      all += size;
    }
    Part part(work, name);
    work.begin(name, all);
    return part.go_through(
        packs, [&](std::size_t p) { return evaluate(p).dump(); },
        [&](std::size_t p, const Json& made) {
          const Json& rows = made.at("rows");
          if (rows.size() != sizes[p]) throw part.other_job();
          for (const Json& row : rows) take(row);
          work.summary().cost += cost_of_json(made.at("cost"));
        });
  }

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
  [[nodiscard]] static Json kept(Json rows, ScoringCost cost, std::size_t statements) {
    cost.statements = statements;
    return {{"rows", std::move(rows)}, {"cost", cost_json(cost)}};
  }

  /// What the journal keeps of a pack of prompts.
  [[nodiscard]] Json filled(std::span<const PlannedPrompt> pack) {
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
      over::sort_distinct(made.truths);
      if (!options_.vocabulary.empty()) {
        made.vocabulary = &words_.single_tokens(gap, options_.vocabulary);
      }
    }
    MaskFiller<Model> filler(model_, options_.masks);
    const std::vector<FilledGap> filled = filler.fill(gaps);
    Json rows = Json::array();
    std::size_t statements = 0;
    for (std::size_t i = 0; i < pack.size(); ++i) {
      rows.push_back(row(pack[i], gaps[i], filled[i]));
      statements += 1 + gaps[i].names.size();
    }
    return kept(std::move(rows), filler.cost(), statements);
  }

  [[nodiscard]] Json row(const PlannedPrompt& planned, const MaskedGap& gap,
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
    Json made = {{"answer", answer_row(answer)}};
    if (!gap.names.empty()) made["names"] = names_row(names);
    return made;
  }

  /// What the journal keeps of a pack of content-free prompts.
  [[nodiscard]] Json scored(std::span<const ContentFreePrompt> pack,
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
    Json rows = Json::array();
    for (std::size_t i = 0; i < pack.size(); ++i) {
      const ContentFreePrompt& one = pack[i];
      RecordedContentFree row{
          texts_.relation_at(one.relation).code, one.template_index, std::string(one.subject), {}};
      for (std::size_t n = 0; n < gaps[i].names.size(); ++n) {
        row.candidates.push_back(
            {filled[i].names[n], static_cast<std::uint32_t>(gaps[i].names[n].size())});
      }
      rows.push_back(content_free_row(row));
    }
    return kept(std::move(rows), filler.cost(), statements);
  }

  Model& model_;
  GapWords<Model>& words_;
  const FillPlan& plan_;
  const FillOptions& options_;
  FewShot few_shot_;
  PromptTexts texts_;
};

}  // namespace plumb
