// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do MPI processes share a ranking's entities?
//
// The first process runs the job: it embeds, ranks, and writes the folder. The others serve it:
// each maps the entity-vector file on its own machine, reads the rows of its own range
// (rank/entity_shard.hpp), and computes the counts that the first process requests. Queries and
// questions are broadcast, true cosines and counts are summed, and lists of nearest entities are
// sent to the first process. All processes run the same program on the same kind of CPU, so cosines
// are bit-identical wherever they are computed.

#include <mpi.h>
#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/rank/entity_ranking.hpp"
#include "plumb/detail/rank/entity_shard.hpp"
#include "plumb/detail/records/npy_file.hpp"
#include "plumb/detail/run/mpi_exchange.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class MpiTask : std::uint64_t { end, standings, nearest };

/// The message that the first process sends to the others before any other exchange.
struct MpiCall {
  MpiTask task = MpiTask::end;
  std::uint64_t rows = 0, dimension = 0, sample = 0;  // description of the entity-vector file
  std::uint64_t is_chosen = 0;                        // whether a list of rows follows
  std::uint64_t queries = 0;
  std::uint64_t nearest = 0;
};

/// A hash of up to 256 evenly spaced rows of a file of vectors. Copies of the file have the same
/// hash.
[[nodiscard]] inline std::uint64_t sample_of(VectorRows rows) {
  constexpr Eigen::Index most = 256;
  const Eigen::Index count = (std::min)(rows.rows(), most);
  std::string bytes;
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::Index row = count == 1 ? 0 : i * (rows.rows() - 1) / (count - 1);
    bytes.append(reinterpret_cast<const char*>(rows.data() + row * rows.cols()),
                 static_cast<std::size_t>(rows.cols()) * sizeof(float));
  }
  return fnv1a(bytes);
}

/// One process's end of the exchange. Not thread-safe.
class MpiExchange {
 public:
  explicit MpiExchange(MPI_Comm comm)
      : comm_(comm), process_(mpi_rank(comm)), processes_(mpi_size(comm)) {}

  [[nodiscard]] std::size_t process() const noexcept { return process_; }
  [[nodiscard]] std::size_t processes() const noexcept { return processes_; }

  /// Sends the first process's `MpiCall` to all others.
  void call(const MpiCall& call) const {
    for (std::size_t other = 1; other < processes_; ++other) send(comm_, other, &call, 1);
  }
  /// Waits for the `MpiCall` of the first process.
  [[nodiscard]] MpiCall await_call() const {
    MpiCall call;
    wait_for(comm_, 0);
    receive(comm_, 0, &call, 1);
    return call;
  }

  /// This process's share of the entities. The first process passes `entities`; the others pass
  /// null.
  [[nodiscard]] EntityShard shard(const MpiCall& call, const EntityVectors* entities) {
    std::string file = entities != nullptr ? entities->file.string() : "";
    broadcast(comm_, file);
    std::optional<std::vector<std::uint32_t>> chosen;
    if (entities != nullptr) chosen = entities->chosen;
    if (call.is_chosen != 0) {
      if (!chosen) chosen.emplace();
      broadcast(comm_, *chosen);
    }
    if (entities != nullptr) return {*entities, own(entities->size())};
    const EntityVectors vectors(mapped(call, file), file, std::move(chosen));
    return {vectors, own(vectors.size())};
  }

  /// The vector file, as seen by this process. Throws a user error if it differs from the first
  /// process's file.
  [[nodiscard]] VectorRows mapped(const MpiCall& call, const std::string& file) {
    if (file != file_) npy_.reset();
    if (!npy_) npy_.emplace(file);
    file_ = file;
    const VectorRows rows = npy_->rows();
    const auto here = [&](auto count, auto dimension) {
      return std::to_string(count) + " vectors of " + std::to_string(dimension) + " dimensions";
    };
    const bool has_shape = static_cast<std::uint64_t>(rows.rows()) == call.rows &&
                           static_cast<std::uint64_t>(rows.cols()) == call.dimension;
    if (has_shape && sample_of(rows) != call.sample) {
      throw user_error({.file = file}, "contains different vectors here than in the first process",
                       "use the same file for all processes");
    }
    if (has_shape) return rows;
    throw user_error({.file = file},
                     "has " + here(rows.rows(), rows.cols()) + " here, but " +
                         here(call.rows, call.dimension) + " in the first process",
                     "use the same file for all processes");
  }

  /// Sends the first process's queries to all others.
  void give_queries(VectorRows queries) const {
    // the sending process only reads the buffer
    broadcast(comm_, const_cast<float*>(queries.data()), static_cast<std::size_t>(queries.size()));
  }
  [[nodiscard]] EmbeddingMatrix take_queries(const MpiCall& call) const {
    EmbeddingMatrix made(static_cast<Eigen::Index>(call.queries),
                         static_cast<Eigen::Index>(call.dimension));
    broadcast(comm_, made.data(), static_cast<std::size_t>(made.size()));
    return made;
  }

  /// The first process's questions, made available to all processes.
  [[nodiscard]] std::vector<EntityQuestion> questions(std::span<const EntityQuestion> given) const {
    std::vector<std::uint32_t> flat;  // per question: query, gold, count of known, known
    for (const EntityQuestion& question : given) {
      flat.insert(flat.end(), {question.query, question.gold,
                               static_cast<std::uint32_t>(question.known.size())});
      flat.insert(flat.end(), question.known.begin(), question.known.end());
    }
    broadcast(comm_, flat);
    std::vector<EntityQuestion> made;
    for (auto at = flat.begin(); at != flat.end();) {
      const auto known = at + 3, next = known + at[2];
      made.push_back({at[0], at[1], {known, next}});
      at = next;
    }
    return made;
  }

  /// Returns the true cosines (on all processes) and the counts: the first process gets the sums,
  /// and each other process gets its own counts.
  [[nodiscard]] std::pair<std::vector<double>, std::vector<std::uint64_t>> counted(
      const EntityShard& shard, VectorRows queries,
      std::span<const EntityQuestion> questions) const {
    std::vector<double> gold = shard.gold_cosines(queries, questions);
    sum_at_all(comm_, gold);
    std::vector<std::uint64_t> counts = shard.counts(queries, questions, gold);
    sum_at_first(comm_, counts);
    return {std::move(gold), std::move(counts)};
  }

  /// On the first process, returns the nearest entities for each query across all processes; on the
  /// others, returns nothing.
  [[nodiscard]] std::vector<std::vector<NearEntity>> nearest(const EntityShard& shard,
                                                             std::size_t entities,
                                                             VectorRows queries,
                                                             std::size_t k) const {
    auto nearby = shard.nearest(queries, k);
    // The length of a process's lists follows from its share, so lengths need not be sent.
    std::vector<NearEntity> flat;
    if (process_ != 0) {
      for (const auto& list : nearby) flat.insert(flat.end(), list.begin(), list.end());
      send(comm_, 0, flat.data(), flat.size());
      return {};
    }
    for (std::size_t other = 1; other < processes_; ++other) {
      const std::size_t each = (std::min)(k, range_of_process(entities, other, processes_).size());
      flat.resize(nearby.size() * each);
      receive(comm_, other, flat.data(), flat.size());
      for (std::size_t q = 0; q < nearby.size(); ++q) {
        const auto from = flat.begin() + static_cast<std::ptrdiff_t>(q * each);
        nearby[q].insert(nearby[q].end(), from, from + static_cast<std::ptrdiff_t>(each));
      }
    }
    for (auto& list : nearby) list = merged_nearest(std::move(list), k);
    return nearby;
  }

 private:
  [[nodiscard]] EntityRange own(std::size_t entities) const {
    return range_of_process(entities, process_, processes_);
  }

  MPI_Comm comm_;
  std::size_t process_, processes_;
  std::string file_{};
  std::optional<NpyFile> npy_{};
};

inline VectorRows rows_of(const EmbeddingMatrix& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols()};
}

/// The first process's end of the exchange. Use it only from the thread that initialized MPI.
class MpiRanking final : public EntityRanking {
  template <class Exchange>
  auto exchanged(const detail::MpiCall& call, Exchange exchange) {
    is_broken_ = true;
    exchange_.call(call);
    auto made = exchange();
    is_broken_ = false;
    return made;
  }

 public:
  /// `comm` contains all participating processes; all except this one must call serve_rankings with
  /// it.
  explicit MpiRanking(MPI_Comm comm) : exchange_(comm) {}

  [[nodiscard]] std::size_t processes() const noexcept override { return exchange_.processes(); }

  /// Throws an internal error if the vectors are not in a file.
  [[nodiscard]] std::vector<EntityStanding> standings(
      const EntityVectors& entities, VectorRows queries,
      std::span<const EntityQuestion> questions) override {
    check_questions(entities, queries, questions);
    const EntityVectors shared = with_whole_path(entities);
    const detail::MpiCall call = call_for(detail::MpiTask::standings, shared, queries);
    return exchanged(call, [&] {
      const EntityShard shard = exchange_.shard(call, &shared);
      exchange_.give_queries(queries);
      (void)exchange_.questions(questions);
      const auto [gold, sums] = exchange_.counted(shard, queries, questions);
      return standings_of(entities.size(), questions, gold, sums);
    });
  }
  /// Also throws an internal error if the vectors are not in a file.
  [[nodiscard]] std::vector<std::vector<NearEntity>> nearest(const EntityVectors& entities,
                                                             VectorRows queries,
                                                             std::size_t k) override {
    check_questions(entities, queries, {});
    const EntityVectors shared = with_whole_path(entities);
    detail::MpiCall call = call_for(detail::MpiTask::nearest, shared, queries);
    call.nearest = k;
    return exchanged(call, [&] {
      const EntityShard shard = exchange_.shard(call, &shared);
      exchange_.give_queries(queries);
      return exchange_.nearest(shard, entities.size(), queries, k);
    });
  }

  /// Releases the other processes. Nothing may be requested after this call.
  void end() { exchange_.call({}); }
  /// Whether an exchange ended with an error in this process. If so, the other processes are
  /// waiting for data that will not arrive, so all the program can do is call MPI_Abort.
  [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }

 private:
  [[nodiscard]] static EntityVectors with_whole_path(const EntityVectors& entities) {
    if (entities.file.empty()) {
      throw internal_error({.field = "entities"}, "several processes need a file of vectors");
    }
    EntityVectors made = entities;
    made.file = std::filesystem::absolute(made.file);
    return made;
  }
  [[nodiscard]] static detail::MpiCall call_for(detail::MpiTask task, const EntityVectors& entities,
                                                VectorRows queries) {
    return {task,
            static_cast<std::uint64_t>(entities.rows.rows()),
            static_cast<std::uint64_t>(entities.rows.cols()),
            detail::sample_of(entities.rows),
            entities.chosen ? 1U : 0U,
            static_cast<std::uint64_t>(queries.rows()),
            0};
  }
  detail::MpiExchange exchange_;
  bool is_broken_ = false;
};

/// Serves requests until the first process ends the exchange; all other processes must call this.
/// Throws an error for vectors that this process cannot read or that have no direction; all the
/// program can do then is call MPI_Abort.
inline void serve_rankings(MPI_Comm comm) {
  detail::MpiExchange exchange(comm);
  for (;;) {
    const detail::MpiCall call = exchange.await_call();
    if (call.task == detail::MpiTask::end) return;
    const EntityShard shard = exchange.shard(call, nullptr);
    const EmbeddingMatrix queries = exchange.take_queries(call);
    if (call.task == detail::MpiTask::standings) {
      const auto questions = exchange.questions({});
      (void)exchange.counted(shard, detail::rows_of(queries), questions);
    } else {
      (void)exchange.nearest(shard, 0, detail::rows_of(queries), call.nearest);
    }
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
