// SPDX-License-Identifier: Apache-2.0
#pragma once

// A small knowledge graph of the chemical elements up to krypton, a model trained on part of it,
// and ready-made run folders of rankings.

#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/prompt/triple_prompt.hpp"
#include "plumb/detail/records/ranking_rows.hpp"
#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// 36 elements, their symbols (10 with one letter), four periods and a second entry for copper.
/// Relation by relation, every fourth triple is in the test part, every fourth in the validation
/// part, and the rest in the training part.
///   symbol  (neon, is written as, Ne)      36
///   next    (neon, is followed by, sodium) 35
///   holds   (period 2, holds, neon)        36, so that tails have other true tails
///   in      (neon, stands in, period 2)    36, so that heads have other true heads
[[nodiscard]] inline KnowledgeGraph elements() {
  std::istringstream list(
      "hydrogen H helium He lithium Li beryllium Be boron B carbon C nitrogen N oxygen O fluorine "
      "F "
      "neon Ne sodium Na magnesium Mg aluminium Al silicon Si phosphorus P sulfur S chlorine Cl "
      "argon Ar potassium K calcium Ca scandium Sc titanium Ti vanadium V chromium Cr manganese Mn "
      "iron Fe cobalt Co nickel Ni copper Cu zinc Zn gallium Ga germanium Ge arsenic As selenium "
      "Se "
      "bromine Br krypton Kr");
  KnowledgeGraph graph;
  graph.name = "elements";
  std::string name, symbol;
  std::uint32_t count = 0;
  for (; list >> name >> symbol; ++count) {
    graph.entities.push_back({"e" + std::to_string(count + 1), name, "element"});
    graph.entities.push_back({"s" + std::to_string(count + 1), symbol, "symbol"});
  }
  for (const char* period : {"1", "2", "3", "4"}) {
    graph.entities.push_back(
        {std::string("p") + period, std::string("period ") + period, "row of the table"});
  }
  graph.entities.push_back({"copper", "copper", "element"});
  graph.relations = {{"symbol", "is written as"},
                     {"next", "is followed by"},
                     {"holds", "holds"},
                     {"in", "stands in"}};
  std::vector<Triple> all;
  const auto period = [&](std::uint32_t i) {
    return 2 * count + (i < 2 ? 0 : i < 10 ? 1 : i < 18 ? 2 : 3);
  };
  for (std::uint32_t i = 0; i < count; ++i) all.push_back({2 * i, 0, 2 * i + 1});
  for (std::uint32_t i = 0; i + 1 < count; ++i) all.push_back({2 * i, 1, 2 * i + 2});
  for (std::uint32_t i = 0; i < count; ++i) all.push_back({period(i), 2, 2 * i});
  for (std::uint32_t i = 0; i < count; ++i) all.push_back({2 * i, 3, period(i)});
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<Triple>& part = i % 4 == 0 ? graph.test : i % 4 == 1 ? graph.valid : graph.train;
    all[i].line = static_cast<std::uint32_t>(part.size() + 1);
    part.push_back(all[i]);
  }
  return graph;
}

/// Whether an entity is a true answer in any part of the graph.
[[nodiscard]] inline bool answers(const KnowledgeGraph& graph, const GraphQuery& query,
                                  std::uint32_t entity) {
  const Triple& asked = query.triple;
  for (const auto* part : {&graph.train, &graph.valid, &graph.test}) {
    for (const Triple& t : *part) {
      if (t.relation != asked.relation) continue;
      if (query.asks_head ? t.tail == asked.tail && t.head == entity
                          : t.head == asked.head && t.tail == entity) {
        return true;
      }
    }
  }
  return false;
}

/// A triple as TriplePrompt writes it.
[[nodiscard]] inline std::string written(const KnowledgeGraph& graph, const Triple& triple) {
  return "(" + graph.entities[triple.head].name + ", " + graph.relations[triple.relation].name +
         ", " + graph.entities[triple.tail].name + ")\n";
}

/// A model trained on the validation triples and every third of the others.
template <class Model = NgramTreeModel>
[[nodiscard]] Model reader_of_elements(std::vector<std::string> pieces = {}) {
  const KnowledgeGraph graph = elements();
  std::string text;
  for (const Triple& triple : graph.valid) text += written(graph, triple);
  for (std::size_t i = 0; i < graph.train.size(); i += 3) text += written(graph, graph.train[i]);
  for (std::size_t i = 0; i < graph.test.size(); i += 3) text += written(graph, graph.test[i]);
  return Model(text, 5, std::move(pieces));
}

/// Writes a graph in KG-BERT's layout into a folder named after it.
inline void write_graph(const TemporaryFolder& folder, const KnowledgeGraph& graph) {
  std::string order, names, descriptions, relations;
  for (const Entity& entity : graph.entities) {
    order += entity.id + "\n";
    names += entity.id + "\t" + entity.name + "\n";
    descriptions += entity.id + "\t" + entity.description + "\n";
  }
  for (const GraphRelation& relation : graph.relations) {
    relations += relation.id + "\t" + relation.name + "\n";
  }
  const auto write = [&](const std::string& name, const std::string& text) {
    folder.write(graph.name + "/" + name, text);
  };
  write("entities.txt", order);
  write("entity2text.txt", names);
  write("entity2textlong.txt", descriptions);
  write("relation2text.txt", relations);
  for (const auto& [name, part] : {std::pair{"train.tsv", &graph.train},
                                   {"dev.tsv", &graph.valid},
                                   {"test.tsv", &graph.test}}) {
    std::string lines;
    for (const Triple& triple : *part) {
      lines += graph.entities[triple.head].id + "\t" + graph.relations[triple.relation].id + "\t" +
               graph.entities[triple.tail].id + "\n";
    }
    write(name, lines);
  }
}

/// A ready-made, finished run folder of a ranking.
class RankFolder {
 public:
  void method(const std::string& name, const std::vector<EntityRank>& ranks) {
    metadata_["methods"].push_back(name);
    std::string lines;
    for (const EntityRank& rank : ranks) lines += row_line(rank);
    files_.write(name + "_ranks.jsonl", lines);
    save();
  }
  void remark(const std::string& text) {
    metadata_["remarks"].push_back(text);
    save();
  }
  /// Writes run settings as a command would.
  void settings(const Json& values) const {
    files_.write("run.json", Json{{"status", "complete"}, {"settings", values}}.dump());
  }

  [[nodiscard]] const std::filesystem::path& path() const { return files_.path(); }
  [[nodiscard]] const TemporaryFolder& files() const { return files_; }

 private:
  void save() const { files_.write("metadata_rank.json", metadata_.dump()); }

  TemporaryFolder files_;
  Json metadata_ = {{"methods", Json::array()}, {"remarks", Json::array()}};
};

/// A tail query on the given line of the test part; `above` entities rank above its true entity.
[[nodiscard]] inline EntityRank ranked(std::size_t line, const std::string& relation,
                                       std::size_t above, std::size_t tokens,
                                       std::size_t candidates = 20) {
  EntityRank rank;
  rank.part = "test";
  rank.line = line;
  rank.head = "h" + std::to_string(line);
  rank.relation = relation;
  rank.tail = "t" + std::to_string(line);
  rank.score = -0.5 * static_cast<double>(above);
  rank.candidates = rank.filtered_candidates = candidates;
  rank.raw = rank.filtered = {above, 0};
  rank.tokens = tokens;
  return rank;
}

/// Four methods:
///                       ranks of lines 1 … 6              candidates
///   deer                1  2  4  5  10  20                20
///   likelihood          1  1  2.5  4  5  10               20, with a two-way tie in line 3
///   deer-single-token   1  3  2                           5, only lines 1 … 3
///   lm-head             2  5  1                           5, only lines 1 … 3
/// Lines 1 … 3 belong to "next", lines 4 … 6 to "<symbol>". In line 5, four of the entities above
/// DEER's true entity are also true. The names have 1, 1, 2, 3, 5 and 9 tokens.
struct SmallRanking : RankFolder {
  SmallRanking() {
    const std::vector<std::size_t> tokens{1, 1, 2, 3, 5, 9};
    const auto all = [&](const std::vector<std::size_t>& above, std::size_t candidates) {
      std::vector<EntityRank> ranks;
      for (std::size_t i = 0; i < above.size(); ++i) {
        ranks.push_back(
            ranked(i + 1, i < 3 ? "next" : "<symbol>", above[i], tokens[i], candidates));
      }
      return ranks;
    };
    auto deer = all({0, 1, 3, 4, 9, 19}, 20);
    deer[4].filtered.above = 5;
    deer[4].filtered_candidates = 16;
    auto likelihood = all({0, 0, 1, 3, 4, 9}, 20);
    likelihood[2].raw.equal = likelihood[2].filtered.equal = 1;
    method("deer", deer);
    method("likelihood", likelihood);
    method("deer-single-token", all({0, 2, 1}, 5));
    method("lm-head", all({1, 4, 0}, 5));
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
