// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which entities are there, and which stand in which relation?
//
// Triples (head, relation, tail) over named entities, in a training, a validation and a test part.
// A query is a triple whose tail (or head) is asked for among all entities.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct Entity {
  std::string id;
  std::string name;
  /// Tells entities of one name apart; empty where the graph has no descriptions.
  std::string description{};
};

struct GraphRelation {
  std::string id;
  std::string name;
  /// Indices of the entities that its tails are among, ascending; empty where the graph does not
  /// say.
  std::vector<std::uint32_t> range{};
};

struct Triple {
  /// Indices into the graph's entities and relations.
  std::uint32_t head = 0;
  std::uint32_t relation = 0;
  std::uint32_t tail = 0;
  /// In its part's file, from 1.
  std::uint32_t line = 0;

  friend auto operator<=>(const Triple& a, const Triple& b) {
    return std::tie(a.head, a.relation, a.tail) <=> std::tie(b.head, b.relation, b.tail);
  }
  friend bool operator==(const Triple& a, const Triple& b) {
    return a.head == b.head && a.relation == b.relation && a.tail == b.tail;
  }
};

struct KnowledgeGraph {
  std::string name;
  /// Everything it was read from.
  std::vector<std::filesystem::path> files;
  std::vector<Entity> entities;
  std::vector<GraphRelation> relations;
  std::vector<Triple> train, valid, test;
  /// Triples left out as trivial: those of YAGO whose tail is a gender.
  std::size_t trivial = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
