// SPDX-License-Identifier: Apache-2.0
#pragma once

// The metadata of a ranking's run folder: which methods ranked its entities.
//
//   metadata_rank.json  {"model": …, "dataset": …, "methods": [name, …], "shots": [[head, relation,
//                       tail], …], "narrowed": whether queries had fewer candidates than all
//                       entities, "remarks": [remarks that must appear with the numbers, …]}
// Each method's ranks are in METHOD_ranks.jsonl (ranking_rows.hpp).

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/results_kind.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct RankingMetadata {
  std::string model{}, dataset{};
  std::vector<std::string> methods{};
  /// The identifiers of the head, relation and tail.
  std::vector<std::array<std::string, 3>> shots{};
  bool narrowed = false;
  std::vector<std::string> remarks{};
};

[[nodiscard]] inline Json to_json(const RankingMetadata& metadata) {
  return {{"model", metadata.model},       {"dataset", metadata.dataset},
          {"methods", metadata.methods},   {"shots", metadata.shots},
          {"narrowed", metadata.narrowed}, {"remarks", metadata.remarks}};
}

/// Reads what a report needs: methods, `narrowed` and remarks. Throws a user error if the folder
/// contains no finished ranking or if methods are invalid.
[[nodiscard]] inline RankingMetadata read_ranking_metadata(const DiskPath& folder) {
  const Json metadata = read_metadata(folder, ResultsKind::ranking);
  RankingMetadata read;
  read.methods = listed_names(folder, ResultsKind::ranking, metadata, "methods");
  read.narrowed = metadata.value("narrowed", Json()) == true;
  read.remarks = string_list(metadata, "remarks").value_or(std::vector<std::string>());
  return read;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
