// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a knowledge graph?
//
// Triples (head, relation, tail) over named entities, in a training, a validation and a test part.
// A query is a triple whose tail (or head) must be found among all entities.

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
  /// Distinguishes entities with the same name; empty if the graph has no descriptions.
  std::string description{};
};

struct GraphRelation {
  std::string id;
  std::string name;
  /// Indices of the relation's possible tails, in ascending order; empty if the graph does not
  /// specify them.
  std::vector<std::uint32_t> range{};
};

struct Triple {
  /// Indices into the graph's entities and relations.
  std::uint32_t head = 0;
  std::uint32_t relation = 0;
  std::uint32_t tail = 0;
  /// Line in the file of the triple's part, from 1.
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
  /// Every file from which the graph was read.
  std::vector<std::filesystem::path> files;
  std::vector<Entity> entities;
  std::vector<GraphRelation> relations;
  std::vector<Triple> train, valid, test;
  /// The number of triples omitted as trivial: in YAGO, those whose tail is a gender.
  std::size_t trivial = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
