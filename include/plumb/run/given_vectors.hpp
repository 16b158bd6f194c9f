// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which vectors of the candidates were made elsewhere?
//
// A .npy file with identifiers beside it. It stays where it is, mapped, when its rows are just the
// candidates in their order, as those of another run over the same candidates are; otherwise the
// candidates' rows are gathered.

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plumb/backend/concepts.hpp"
#include "plumb/core/error.hpp"
#include "plumb/rank/vectors.hpp"
#include "plumb/records/npy_file.hpp"
#include "plumb/run/rank_plan.hpp"

namespace plumb {

/// Vectors of the candidates from a file that somebody else made. Any number of threads may read
/// one.
class GivenVectors {
 public:
  /// Throws a user error for vectors of another dimension than the model's, and for a candidate that
  /// has none or one without a direction.
  GivenVectors(const RankPlan& plan, const std::filesystem::path& file, std::size_t dimension)
      : npy_(there(file)) {
    const VectorRows all = npy_.rows();
    if (static_cast<std::size_t>(all.cols()) != dimension) {
      throw user_error({.file = file},
                       "has vectors of " + std::to_string(all.cols()) +
                           " dimensions, the model of " + std::to_string(dimension),
                       "embed the entities with this model");
    }
    std::unordered_map<std::string, std::size_t> rows;
    for (const std::string& id : read_identifiers(file, static_cast<std::size_t>(all.rows()))) {
      rows.emplace(id, rows.size());
    }
    std::vector<std::size_t> of;
    for (const std::uint32_t e : plan.candidates.entities()) {
      const std::string& id = plan.graph.entities[e].id;
      const auto found = rows.find(id);
      if (found == rows.end()) {
        throw user_error({.file = file}, "has no vector of entity '" + id + "'",
                         "embed it or leave it out of the graph");
      }
      const float* row = all.row(static_cast<Eigen::Index>(found->second)).data();
      const double length = std::sqrt(exact_dot(row, row, dimension));
      if (const char* fault = fault_of_length(length)) {
        throw user_error({file, 0, "row " + std::to_string(found->second)},
                         "the vector of '" + id + "' " + fault, "embed it again");
      }
      of.push_back(found->second);
    }
    bool in_order = of.size() == rows.size();
    for (std::size_t i = 0; i < of.size() && in_order; ++i) in_order = of[i] == i;
    if (in_order) return;
    gathered_.emplace(static_cast<Eigen::Index>(of.size()), all.cols());
    for (std::size_t i = 0; i < of.size(); ++i) {
      gathered_->row(static_cast<Eigen::Index>(i)) = all.row(static_cast<Eigen::Index>(of[i]));
    }
  }

  /// A row for each candidate.
  [[nodiscard]] VectorRows rows() const {
    if (!gathered_) return npy_.rows();
    return {gathered_->data(), gathered_->rows(), gathered_->cols()};
  }

 private:
  static const std::filesystem::path& there(const std::filesystem::path& file) {
    if (DiskPath(file).exists()) return file;
    throw user_error({.file = file}, "does not exist",
                     "give `entities` the entities.npy of a run, or a file of your own");
  }

  NpyFile npy_;
  std::optional<EmbeddingMatrix> gathered_;
};

}  // namespace plumb
