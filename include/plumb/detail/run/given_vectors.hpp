// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are candidate vectors from another program or run read?
//
// The vectors are in a .npy file, with a file of identifiers next to it. The file is mapped, not
// copied. Unless its rows are exactly the candidates in the same order (as they are after a run
// with the same candidates), the candidates' rows are selected. records/npy_file.hpp determines
// which number formats can be read.

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/rank/entity_ranking.hpp"
#include "plumb/detail/rank/vectors.hpp"
#include "plumb/detail/records/npy_file.hpp"
#include "plumb/detail/run/rank_plan.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Candidate vectors read from a file that was created elsewhere. Any number of threads may read
/// the same object.
class GivenVectors {
 public:
  /// Throws a user error if the vectors' dimension differs from the model's, if a candidate has no
  /// vector, or if a vector has no direction. If `reads_all` is false, directions are not checked
  /// here; the ranking then rejects any vector without a direction and reports its row number.
  GivenVectors(const RankPlan& plan, const std::filesystem::path& file, std::size_t dimension,
               bool reads_all = true)
      : file_(file), npy_(there(file)) {
    const VectorRows all = npy_.rows();
    if (static_cast<std::size_t>(all.cols()) != dimension) {
      throw user_error({.file = file},
                       "has vectors of " + std::to_string(all.cols()) +
                           " dimensions, but the model has " + std::to_string(dimension),
                       "embed the entities with this model");
    }
    std::unordered_map<std::string, std::size_t> rows;
    for (const std::string& id : read_identifiers(file, static_cast<std::size_t>(all.rows()))) {
      rows.emplace(id, rows.size());
    }
    std::vector<std::uint32_t> of;
    for (const std::uint32_t e : plan.candidates.entities()) {
      const std::string& id = plan.graph.entities[e].id;
      const auto found = rows.find(id);
      if (found == rows.end()) {
        throw user_error({.file = file}, "has no vector for entity '" + id + "'",
                         "embed it or remove it from the graph");
      }
      of.push_back(static_cast<std::uint32_t>(found->second));
      if (!reads_all) continue;
      const float* row = all.row(static_cast<Eigen::Index>(found->second)).data();
      const double length = std::sqrt(exact_dot(row, row, dimension));
      if (const char* fault = fault_of_length(length)) {
        throw user_error({file, 0, "row " + std::to_string(found->second)},
                         "the vector of '" + id + "' " + fault, "embed it again");
      }
    }
    bool in_order = of.size() == rows.size();
    for (std::size_t i = 0; i < of.size() && in_order; ++i) in_order = of[i] == i;
    if (!in_order) chosen_ = std::move(of);
  }

  /// One vector for each candidate.
  [[nodiscard]] EntityVectors vectors() const { return {npy_.rows(), file_, chosen_}; }

 private:
  static const std::filesystem::path& there(const std::filesystem::path& file) {
    if (DiskPath(file).exists()) return file;
    throw user_error({.file = file}, "does not exist",
                     "set `entities` to the entities.npy of a run, or to your own file");
  }

  std::filesystem::path file_;
  NpyFile npy_;
  std::optional<std::vector<std::uint32_t>> chosen_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
