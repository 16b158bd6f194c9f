// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are gaps filled (gap_filling.hpp) so that a job can be resumed?
//
// The work is done pack by pack; finished packs are read back from the journal.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/records/generation_rows.hpp"
#include "plumb/detail/run/gap_filling.hpp"
#include "plumb/detail/run/run_folder.hpp"
#include "plumb/detail/run/work.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe. All arguments must outlive this object.
template <MaskedLm Model>
class FillRun {
 public:
  FillRun(Model& model, GapWords<Model>& words, const FillPlan& plan, const FillOptions& options)
      : model_(model), plan_(plan), options_(options), filling_(model, words, plan, options) {}

  /// See GapFilling.
  void refuse_long_prompts() const { filling_.refuse_long_prompts(); }
  [[nodiscard]] GapCandidates candidates(std::size_t relation, std::vector<std::string> labels) {
    return filling_.candidates(relation, std::move(labels));
  }

  /// The plan for filling the gaps; `candidates` are the same as for content_free. Does not call
  /// the model.
  [[nodiscard]] JobPlan plan(const std::vector<GapCandidates>& candidates) const {
    ScoringCost cost;
    for (const PlannedPrompt& planned : plan_.prompts.prompts) {
      cost.tokens_one_by_one +=
          gap_query(model_, filling_.texts().sentence(planned)).sequence.size();
    }
    JobPlan made{{name(), "prompt", plan_.prompts.prompts.size(), cost}};
    if (!options_.names) return made;
    ScoringCost without_content;
    const std::vector<ContentFreePrompt> prompts = filling_.content_free_gaps(candidates);
    for (const ContentFreePrompt& one : prompts) {
      without_content.tokens_one_by_one +=
          gap_query(model_,
                    filling_.few_shot().sentence(one.relation, one.template_index, one.subject))
              .sequence.size();
    }
    made.push_back({name() + " content-free", "prompt", prompts.size(), without_content});
    return made;
  }

  /// Writes masked_answers.jsonl and, if names are scored, masked_names.jsonl.
  void answer(const RunFolder& folder, Work& work) {
    const AnswerPlan& plan = plan_.prompts;
    AtomicFile answers(folder.file(name() + "_answers.jsonl"));
    std::optional<AtomicFile> names;
    if (options_.names) names.emplace(folder.file(name() + "_names.jsonl"));
    std::vector<std::size_t> sizes;
    for (std::size_t p = 0; p < plan.ends.size(); ++p) sizes.push_back(plan.pack(p).size());
    const bool is_whole = generate_rows(
        work, name(), sizes, [&](std::size_t p) { return kept(filling_.filled(plan.pack(p))); },
        [&](const Json& rows) {
          answers << rows.at("answer").dump() + "\n";
          if (names && rows.contains("names")) *names << rows.at("names").dump() + "\n";
        });
    if (!is_whole) return;
    answers.finish();
    if (names) names->finish();
  }

  /// Writes masked_content_free.jsonl; `candidates` is indexed by selected relation.
  void content_free(const std::vector<GapCandidates>& candidates, const RunFolder& folder,
                    Work& work) {
    constexpr std::size_t pack_size = 64;
    const std::vector<ContentFreePrompt> prompts = filling_.content_free_gaps(candidates);
    AtomicFile rows(folder.file(name() + "_content_free.jsonl"));
    std::vector<std::size_t> sizes;
    for (std::size_t begin = 0; begin < prompts.size(); begin += pack_size) {
      sizes.push_back((std::min)(pack_size, prompts.size() - begin));
    }
    const bool is_whole = generate_rows(
        work, name() + " content-free", sizes,
        [&](std::size_t p) {
          return kept(
              filling_.scored(std::span(prompts).subspan(p * pack_size, sizes[p]), candidates));
        },
        [&](const Json& row) { rows << row.dump() + "\n"; });
    if (is_whole) rows.finish();
  }

 private:
  /// Computes every pack in order, or reads it from the journal, and passes each of its rows to
  /// `take`. Returns whether the part is complete.
  template <class Evaluate, class Take>
  static bool generate_rows(Work& work, const std::string& name,
                            const std::vector<std::size_t>& sizes, Evaluate evaluate, Take take) {
    std::vector<PackCost> packs;
    std::size_t all = 0;
    for (const std::size_t size : sizes) {
      packs.push_back({size, size, size});
      all += size;
    }
    Part part(work, name);
    work.begin(name, all);
    return part.generate_rows(
        packs, [&](std::size_t p) { return evaluate(p).dump(); },
        [&](std::size_t p, const Json& made) {
          const Json& rows = made.at("rows");
          if (rows.size() != sizes[p]) throw part.other_job();
          for (const Json& row : rows) take(row);
          work.summary().cost += cost_of_json(made.at("cost"));
        });
  }

  [[nodiscard]] std::string name() const { return filling_.few_shot().name(); }
  [[nodiscard]] static Json kept(Json rows, const ScoringCost& cost) {
    return {{"rows", std::move(rows)}, {"cost", cost_json(cost)}};
  }
  /// The entry in the journal for a pack of prompts.
  [[nodiscard]] static Json kept(const FilledPrompts& made) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < made.answers.size(); ++i) {
      Json& row = rows.emplace_back(Json{{"answer", Json::parse(row_line(made.answers[i]))}});
      if (made.names[i]) row["names"] = Json::parse(row_line(*made.names[i]));
    }
    return kept(std::move(rows), made.cost);
  }
  /// The entry in the journal for a pack of content-free prompts.
  [[nodiscard]] static Json kept(const ScoredGaps& made) {
    Json rows = Json::array();
    for (const RecordedContentFree& row : made.rows) rows.push_back(Json::parse(row_line(row)));
    return kept(std::move(rows), made.cost);
  }

  Model& model_;
  const FillPlan& plan_;
  const FillOptions& options_;
  GapFilling<Model> filling_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
