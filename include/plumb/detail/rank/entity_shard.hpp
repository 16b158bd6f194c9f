// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does each of several processes count for its part of the entities?
//
// Each process has a contiguous range of entities; all ranges have nearly the same size. The
// process that has a question's true entity computes that entity's cosine. Once all processes know
// these cosines, each process counts how many of its own entities have a higher cosine and how many
// have an equal one; the sums determine the ranks. In every process, the cosines are bit-for-bit
// equal to CosineRanker's, so the sums and the merged lists do not depend on the number of
// processes.

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/rank/cosine_ranker.hpp"
#include "plumb/detail/rank/entity_ranking.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Entities in [begin, end).
struct EntityRange {
  std::size_t begin = 0, end = 0;

  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  [[nodiscard]] bool has(std::size_t entity) const noexcept {
    return entity >= begin && entity < end;
  }
  bool operator==(const EntityRange&) const = default;
};

/// The part assigned to one of several processes. Parts differ in size by at most one entity and
/// may be empty.
[[nodiscard]] inline EntityRange range_of_process(std::size_t entities, std::size_t process,
                                                  std::size_t processes) {
  const std::size_t each = entities / processes, more = entities % processes;
  const std::size_t begin = process * each + (std::min)(process, more);
  return {begin, begin + each + (process < more ? 1 : 0)};
}

/// Any number of threads may use the same object.
class EntityShard {
 public:
  /// The number of counts that `counts` returns for a question: the entities with a higher cosine
  /// and those with an equal cosine, then the same two counts among the known entities.
  static constexpr std::size_t counts_each = 4;

  /// The matrix of `entities` must outlive the shard. Throws a user error if a vector in its range
  /// is zero or not finite; the error reports the entity's number among all entities.
  EntityShard(const EntityVectors& entities, EntityRange own)
      : own_(own), gathered_(gathered(entities, own)), ranker_(rows(entities), own.begin) {}

  EntityShard(const EntityShard&) = delete;  // the ranker points into this object
  EntityShard& operator=(const EntityShard&) = delete;

  [[nodiscard]] EntityRange range() const noexcept { return own_; }

  /// The cosine of each question's true entity; 0 if another process has that entity.
  [[nodiscard]] std::vector<double> gold_cosines(VectorRows queries,
                                                 std::span<const EntityQuestion> questions) const {
    std::vector<double> cosines;
    for (const EntityQuestion& question : questions) {
      cosines.push_back(own_.has(question.gold) ? cosine(queries, question.query, question.gold)
                                                : 0);
    }
    return cosines;
  }

  /// Returns `counts_each` counts for each question, to be added to those of the other processes.
  /// `gold` is the cosine of each question's true entity.
  [[nodiscard]] std::vector<std::uint64_t> counts(VectorRows queries,
                                                  std::span<const EntityQuestion> questions,
                                                  std::span<const double> gold) const {
    std::vector<CosineQuestion> asked;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const std::size_t entity = questions[i].gold;
      asked.push_back({questions[i].query, gold[i],
                       own_.has(entity) ? static_cast<std::uint32_t>(entity - own_.begin)
                                        : CosineQuestion::none});
    }
    const std::vector<Rank> all = ranker_.counts(queries, asked);
    std::vector<std::uint64_t> made;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      std::uint64_t above = 0, equal = 0;
      const auto& known = questions[i].known;
      for (auto at = ranges::lower_bound(known, static_cast<std::uint32_t>(own_.begin));
           at != known.end() && *at < own_.end; ++at) {
        const double other = cosine(queries, questions[i].query, *at);
        above += other > gold[i] ? 1U : 0U;
        equal += other == gold[i] ? 1U : 0U;
      }
      made.insert(made.end(), {all[i].above, all[i].equal, above, equal});
    }
    return made;
  }

  /// The k entities of this shard that are nearest to each query, numbered among all entities.
  [[nodiscard]] std::vector<std::vector<NearEntity>> nearest(VectorRows queries,
                                                             std::size_t k) const {
    auto nearby = ranker_.nearest(queries, k);
    for (auto& of_query : nearby) {
      for (NearEntity& one : of_query) one.entity += static_cast<std::uint32_t>(own_.begin);
    }
    return nearby;
  }

 private:
  static std::optional<EmbeddingMatrix> gathered(const EntityVectors& entities, EntityRange own) {
    if (!entities.chosen) return std::nullopt;
    const auto dimension = static_cast<Eigen::Index>(entities.dimension());
    EmbeddingMatrix made(static_cast<Eigen::Index>(own.size()), dimension);
    for (std::size_t i = 0; i < own.size(); ++i) {
      std::copy_n(entities.row(own.begin + i), dimension,
                  made.row(static_cast<Eigen::Index>(i)).data());
    }
    return made;
  }
  [[nodiscard]] VectorRows rows(const EntityVectors& entities) const {
    const auto count = static_cast<Eigen::Index>(own_.size());
    const auto dimension = static_cast<Eigen::Index>(entities.dimension());
    if (gathered_) return {gathered_->data(), count, dimension};
    return {entities.rows.data() + own_.begin * entities.dimension(), count, dimension};
  }
  [[nodiscard]] double cosine(VectorRows queries, std::size_t query, std::size_t entity) const {
    const std::size_t dimension = ranker_.dimension();
    return ranker_.cosine({queries.data() + query * dimension, dimension}, entity - own_.begin);
  }

  EntityRange own_;
  std::optional<EmbeddingMatrix> gathered_;
  CosineRanker ranker_;
};

/// Must be called before any process starts counting. Throws a user error if the dimension of the
/// queries differs from that of the entities, or if a question refers to a nonexistent row.
inline void check_questions(const EntityVectors& entities, VectorRows queries,
                            std::span<const EntityQuestion> questions) {
  if (static_cast<std::size_t>(queries.cols()) != entities.dimension()) {
    throw user_error({.field = "queries"},
                     "have " + std::to_string(queries.cols()) +
                         " dimensions, but the entities have " +
                         std::to_string(entities.dimension()),
                     "embed both with the same model");
  }
  for (const EntityQuestion& question : questions) {
    const bool known = question.known.empty() || question.known.back() < entities.size();
    if (question.query < static_cast<std::size_t>(queries.rows()) &&
        question.gold < entities.size() && known) {
      continue;
    }
    throw user_error({.field = "questions"},
                     "a question refers to query " + std::to_string(question.query) +
                         " and entity " + std::to_string(question.gold) +
                         ", and possibly to known entities; at least one of these does not exist",
                     "ask only about existing rows");
  }
}

/// The standing of each question's true entity, computed from the sums over all processes.
[[nodiscard]] inline std::vector<EntityStanding> standings_of(
    std::size_t entities, std::span<const EntityQuestion> questions, std::span<const double> gold,
    std::span<const std::uint64_t> sums) {
  std::vector<EntityStanding> made;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto* const sum = sums.data() + i * EntityShard::counts_each;
    const Rank raw{sum[0], sum[1]}, filtered{sum[0] - sum[2], sum[1] - sum[3]};
    made.push_back({gold[i], raw, {filtered, entities - questions[i].known.size(), 0}});
  }
  return made;
}

/// Merges several processes' lists for one query into its k nearest entities, nearest first; ties
/// are in order of entity number.
[[nodiscard]] inline std::vector<NearEntity> merged_nearest(std::vector<NearEntity> lists,
                                                            std::size_t k) {
  ranges::sort(lists, [](const NearEntity& a, const NearEntity& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.entity < b.entity;
  });
  lists.resize((std::min)(lists.size(), k));
  return lists;
}

/// Ranks all entities in this process. Not thread-safe.
class LocalRanking final : public EntityRanking {
 public:
  [[nodiscard]] std::size_t processes() const noexcept override { return 1; }

  [[nodiscard]] std::vector<EntityStanding> standings(
      const EntityVectors& entities, VectorRows queries,
      std::span<const EntityQuestion> questions) override {
    check_questions(entities, queries, questions);
    const EntityShard all(entities, {0, entities.size()});
    const std::vector<double> gold = all.gold_cosines(queries, questions);
    return standings_of(entities.size(), questions, gold, all.counts(queries, questions, gold));
  }
  [[nodiscard]] std::vector<std::vector<NearEntity>> nearest(const EntityVectors& entities,
                                                             VectorRows queries,
                                                             std::size_t k) override {
    return EntityShard(entities, {0, entities.size()}).nearest(queries, k);
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
