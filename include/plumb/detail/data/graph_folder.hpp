// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a knowledge graph read from a folder?
//
// KG-BERT's layout: train.tsv, dev.tsv, test.tsv head <tab> relation <tab> tail, as identifiers;
//   the first line may be a header (triple_header.hpp) entity2text.txt identifier <tab> text
//   entity2textlong.txt identifier <tab> description; optional relation2text.txt identifier <tab>
//   name entities.txt one identifier per line; determines the order of entities; optional A first
//   line such as "entity <tab> text" is a header and is skipped. If there is no
//   entity2textlong.txt, each text has the form "name, description" and is split at its first ", ",
//   as in WN18RR. An empty description
// becomes "-". Without entity2text.txt, the folder is plain: it has train, dev or valid, and test
// files that end in .tsv or .txt. Their identifiers become names, with underscores replaced by
// spaces, and there are no descriptions. For YAGO, recognised by its relation hasGender, all
// descriptions are set to "_", and triples whose tail is a gender are dropped. WordNet identifiers
// are cleaned: "__white-tail_deer_NN_1" becomes "white-tail deer". Source: "Cosine Similarity as
// Logits?", section 5.2.2.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/core/bare_name.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/lower_case.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/data/table_encoding.hpp"
#include "plumb/detail/data/triple_header.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using TabbedLine = std::function<void(std::vector<std::string>&, std::size_t line)>;

/// Calls `visit(fields, line)` for each non-empty line. Throws a user error if a line does not have
/// exactly `fields` fields or is not UTF-8, or if the file cannot be read.
inline void for_each_tabbed_line(const DiskPath& file, std::size_t fields,
                                 const TabbedLine& visit) {
  std::vector<std::string> parts;
  for_each_table_line(file, [&](const std::string& text, std::size_t line) {
    if (first_invalid_utf8(text) != std::string::npos) {
      throw user_error({file, line}, "is not UTF-8", "convert the file");
    }
    parts.assign(1, {});
    for (const char c : text) {
      if (c == '\t' && parts.size() < fields) {
        parts.emplace_back();
      } else {
        parts.back().push_back(c);
      }
    }
    const auto more = fields > 1 ? ranges::count(parts.back(), '\t') : 0;
    if (parts.size() != fields || more > 0) {
      throw user_error({file, line},
                       std::to_string(parts.size() + static_cast<std::size_t>(more)) +
                           " fields instead of " + std::to_string(fields),
                       "separate the fields with one tab each");
    }
    visit(parts, line);
  });
}

/// Turns "__white-tail_deer_NN_1" into "white-tail deer"; returns any other text unchanged.
inline std::string without_wordnet_tags(std::string_view text) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const std::size_t sense = text.rfind('_');
  if (!text.starts_with("__") || sense == std::string_view::npos || sense + 1 == text.size() ||
      !ranges::all_of(text.substr(sense + 1), is_digit)) {
    return std::string(text);
  }
  const std::size_t part = text.substr(0, sense).rfind('_');
  const std::string_view tag = text.substr(part + 1, sense - part - 1);
  if (part < 2 || (tag != "NN" && tag != "VB" && tag != "JJ" && tag != "RB")) {
    return std::string(text);
  }
  std::string name(text.substr(2, part - 2));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// Whether a line in a file of identifiers and texts is a header, such as "entity<tab>text".
[[nodiscard]] inline bool is_text_header(const std::vector<std::string>& fields) {
  constexpr auto ids = std::to_array<std::string_view>(
      {"entity",    "entityid",    "id",         "identifier", "ids",        "mid",      "qid",
       "uri",       "iri",         "node",       "nodeid",     "synset",     "synsetid", "concept",
       "conceptid", "wikidataid",  "freebaseid", "relation",   "relationid", "rel",      "relid",
       "predicate", "predicateid", "property",   "propertyid", "pid"});
  constexpr auto texts = std::to_array<std::string_view>(
      {"text", "name", "label", "title", "description", "desc", "definition", "gloss", "entitytext",
       "entityname", "entitylabel", "entitydescription", "relationtext", "relationname",
       "relationlabel", "longtext", "shorttext", "string", "surfaceform"});
  const auto is = [&](const auto& known, std::size_t field) {
    return ranges::find(known, bare_name(fields[field])) != known.end();
  };
  return is(ids, 0) && (fields.size() == 1 || is(texts, 1));
}

/// Like for_each_tabbed_line, but skips the first line if it is a header. Throws a user error if a
/// later line is a header.
inline void for_each_named_line(const DiskPath& file, const TabbedLine& visit) {
  bool is_first = true;
  for_each_tabbed_line(file, 2, [&](std::vector<std::string>& fields, std::size_t line) {
    const bool may_be_skipped = std::exchange(is_first, false);
    if (!is_text_header(fields)) return visit(fields, line);
    if (may_be_skipped) return;
    throw user_error({file, line}, "is a header inside the file", "remove the line");
  });
}

inline std::string with_spaces(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  while (!text.empty() && text.front() == ' ') text.erase(0, 1);
  return text;
}

/// Builds a graph and resolves identifiers.
class GraphBuilder {
 public:
  explicit GraphBuilder(const DiskPath& folder) : folder_(folder) {
    graph_.name = folder.canonical().name();
  }

  /// Returns the file with that name and records it in the graph's `files`; returns nullopt if it
  /// does not exist. Throws a user error if the encoding is not UTF-8.
  std::optional<DiskPath> file(const std::string& name) {
    if (!(folder_ / name).is_file()) return std::nullopt;
    refuse_other_encoding(folder_ / name);
    graph_.files.push_back(folder_ / name);
    return folder_ / name;
  }

  static void(check)(const Entity& entity, const Site& site) {
    if (entity.id.empty()) {
      throw user_error(site, "an identifier is empty", "add it or remove the line");
    }
    if (entity.name.find_first_not_of(" \t") == std::string::npos) {
      throw user_error(site, "'" + entity.id + "' has an empty name", "name it or remove it");
    }
  }
  void add_entity(Entity entity, const Site& site) {
    (check)(entity, site);
    if (!places_.emplace(entity.id, graph_.entities.size()).second) {
      throw user_error(site, "'" + entity.id + "' is duplicated", "remove one of the lines");
    }
    graph_.entities.push_back(std::move(entity));
  }
  [[nodiscard]] Entity* entity(const std::string& id) {
    const auto found = places_.find(id);
    return found == places_.end() ? nullptr : &graph_.entities[found->second];
  }

  void add_relation(GraphRelation relation, const Site& site) {
    if (relation.name.find_first_not_of(" \t") == std::string::npos) {
      throw user_error(site, "'" + relation.id + "' has an empty name", "name it");
    }
    if (!relations_.emplace(relation.id, graph_.relations.size()).second) {
      throw user_error(site, "'" + relation.id + "' is duplicated", "remove one of the lines");
    }
    graph_.relations.push_back(std::move(relation));
  }

  /// A header sets the order of the columns and is not a triple. If `plain` is true, unknown
  /// identifiers become new entities and relations.
  void read_part(const DiskPath& file, std::vector<Triple> KnowledgeGraph::*part, bool plain) {
    const bool ordered = (folder_ / "entities.txt").is_file();
    const char* list = ordered ? "entities.txt" : "entity2text.txt";
    TripleColumns columns;
    bool is_first = true;
    for_each_tabbed_line(file, 3, [&](std::vector<std::string>& fields, std::size_t line) {
      const auto header = triple_header(fields);
      if (std::exchange(is_first, false)) {
        if (header) columns = *header;
        if (plain) look_at_order(file, header);
        if (header) return;
      }
      const Site site{file, line};
      const std::string &head = fields[columns.head], &tail = fields[columns.tail],
                        &relation = fields[columns.relation];
      if (header && !plain && !relations_.contains(relation)) throw header_inside(site);
      if (header) headers_[relation].push_back(site);
      ++rows_[relation];
      if (plain) {
        for (const std::string* id : {&head, &tail}) {
          if (entity(*id) != nullptr) continue;
          std::string name = without_wordnet_tags(*id);
          add_entity({*id, name == *id ? with_spaces(*id) : name}, site);
        }
        if (!relations_.contains(relation)) {
          add_relation({relation, with_spaces(relation)}, site);
        }
      }
      const auto place = [&](const auto& known, const std::string& id, const char* what,
                             const char* listed) {
        const auto found = known.find(id);
        if (found != known.end()) return static_cast<std::uint32_t>(found->second);
        throw user_error(site, std::string(what) + " '" + id + "' is not in the list",
                         std::string("add it to ") + listed + " or remove the triple");
      };
      (graph_.*part)
          .push_back({place(places_, head, "entity", list),
                      place(relations_, relation, "relation", "relation2text.txt"),
                      place(places_, tail, "entity", list), static_cast<std::uint32_t>(line)});
    });
  }

  /// Throws a user error if a part contains a header after its first line, as can happen when files
  /// are concatenated. A row that looks like a header is treated as a triple if another row has the
  /// same relation: "h r t" may be a triple in a graph whose entities and relations are letters.
  void refuse_headers_inside() const {
    for (const auto& [relation, sites] : headers_) {
      if (rows_.at(relation) == sites.size()) throw header_inside(sites.front());
    }
  }

  [[nodiscard]] static Error header_inside(const Site& site) {
    return user_error(site, "is a header inside the file", "remove the line");
  }

  [[nodiscard]] KnowledgeGraph& graph() noexcept { return graph_; }
  [[nodiscard]] bool has_relation(const std::string& id) const { return relations_.contains(id); }

 private:
  /// Throws a user error if one part's header specifies an unusual column order and another part
  /// has no header.
  void look_at_order(const DiskPath& file, const std::optional<TripleColumns>& header) {
    const bool is_usual = header && header->head == 0 && header->relation == 1;
    if (!header) bare_part_ = file.path();
    if (header && !is_usual) other_order_ = file.path();
    if (bare_part_.empty() || other_order_.empty()) return;
    throw user_error({bare_part_, 1},
                     "has no header, but the columns of " + other_order_.filename().string() +
                         " are not in the order head, relation, tail",
                     "add the header to each part");
  }

  DiskPath folder_;
  KnowledgeGraph graph_;
  std::filesystem::path bare_part_, other_order_;
  std::map<std::string, std::vector<Site>> headers_;  // rows that look like a header, by relation
  std::unordered_map<std::string, std::size_t> rows_;
  std::unordered_map<std::string, std::size_t> places_, relations_;
};

/// Reads names and descriptions in KG-BERT's layout.
inline void read_entity_texts(GraphBuilder& builder, const DiskPath& texts) {
  const auto order = builder.file("entities.txt");
  const auto long_texts = builder.file("entity2textlong.txt");
  std::unordered_map<std::string, Entity> by_id;
  const auto add = [&](Entity entity, const Site& site) {
    if (!order) return builder.add_entity(std::move(entity), site);
    (GraphBuilder::check)(entity, site);
    const std::string id = entity.id;
    if (!by_id.emplace(id, std::move(entity)).second) {
      throw user_error(site, "'" + id + "' is duplicated", "remove one of the lines");
    }
  };
  for_each_named_line(texts, [&](std::vector<std::string>& fields, std::size_t line) {
    const std::size_t comma = long_texts ? std::string::npos : fields[1].find(", ");
    Entity entity{fields[0], without_wordnet_tags(fields[1].substr(0, comma)), "-"};
    if (comma != std::string::npos && comma + 2 < fields[1].size()) {
      entity.description = fields[1].substr(comma + 2);
    }
    add(std::move(entity), {texts, line});
  });
  if (order) {
    for_each_tabbed_line(*order, 1, [&](std::vector<std::string>& fields, std::size_t line) {
      const auto found = by_id.find(fields[0]);
      if (line == 1 && found == by_id.end() && is_text_header(fields)) return;
      if (found == by_id.end()) {
        throw user_error({*order, line}, "'" + fields[0] + "' has no text or is duplicated",
                         "write it once, and add its text to entity2text.txt");
      }
      builder.add_entity(std::move(found->second), {*order, line});
      by_id.erase(found);
    });
  }
  if (!long_texts) return;
  for_each_named_line(*long_texts, [&](std::vector<std::string>& fields, std::size_t) {
    Entity* entity = builder.entity(fields[0]);
    if (entity != nullptr && !fields[1].empty()) entity->description = std::move(fields[1]);
  });
}

/// Throws a user error if a part exists twice, or if its file has a type that plumb does not read.
inline void refuse_unread_parts(const DiskPath& folder, const KnowledgeGraph& graph) {
  constexpr auto parts =
      std::to_array<std::string_view>({"train", "dev", "valid", "validation", "test"});
  constexpr auto endings =
      std::to_array<std::string_view>({".tsv", ".txt", ".csv", ".tab", ".json", ".jsonl"});
  for (const DiskPath& file : folder.list()) {
    if (ranges::find(parts, lower_case(file.stem())) == parts.end()) continue;
    if (ranges::find(endings, lower_case(file.extension())) == endings.end()) continue;
    if (!file.is_file()) continue;
    if (ranges::find(graph.files, file.path()) != graph.files.end()) continue;
    throw user_error({.file = file}, "looks like a part of the graph, but is not read",
                     "write each part once, as train.tsv, dev.tsv and test.tsv, or move this file "
                     "elsewhere");
  }
}

inline void drop_gender(KnowledgeGraph& graph) {
  for (auto* part : {&graph.train, &graph.valid, &graph.test}) {
    graph.trivial += std::erase_if(*part, [&](const Triple& triple) {
      const std::string& tail = graph.entities[triple.tail].id;
      return tail == "male" || tail == "female";
    });
  }
}

/// Whether a path is a folder of triples, with a training and a test part.
[[nodiscard]] inline bool is_graph_folder(const DiskPath& path) {
  const auto has = [&](const std::string& part) {
    return (path / (part + ".tsv")).is_file() || (path / (part + ".txt")).is_file();
  };
  return path.is_folder() && has("train") && has("test");
}

/// Throws a user error if the folder contains no triples or if there is any problem in a file; the
/// error specifies the line.
[[nodiscard]] inline KnowledgeGraph load_graph(const DiskPath& folder) {
  detail::GraphBuilder builder(folder);
  const auto texts = builder.file("entity2text.txt");
  if (texts) {
    detail::read_entity_texts(builder, *texts);
    const auto relations = builder.file("relation2text.txt");
    if (!relations) {
      throw user_error({.file = folder / "relation2text.txt"}, "cannot be read",
                       "write each relation's identifier, a tab and its name");
    }
    detail::for_each_named_line(
        *relations, [&](std::vector<std::string>& fields, std::size_t line) {
          builder.add_relation({std::move(fields[0]), std::move(fields[1])}, {*relations, line});
        });
  }
  const auto read = [&](std::vector<Triple> KnowledgeGraph::*part,
                        std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const auto file = builder.file(name);
      if (!file) continue;
      builder.read_part(*file, part, !texts);
      return true;
    }
    return false;
  };
  const bool has_train = read(&KnowledgeGraph::train, {"train.tsv", "train.txt"});
  read(&KnowledgeGraph::valid, {"dev.tsv", "valid.tsv", "valid.txt", "dev.txt"});
  const bool has_test = read(&KnowledgeGraph::test, {"test.tsv", "test.txt"});
  KnowledgeGraph& graph = builder.graph();
  const bool is_empty = graph.train.empty() && graph.valid.empty() && graph.test.empty();
  if (!has_train || !has_test || is_empty) {
    throw user_error({.file = folder}, "is not a knowledge graph",
                     "add train.tsv and test.tsv, with a head, a relation and a tail on each line");
  }
  detail::refuse_unread_parts(folder, graph);
  builder.refuse_headers_inside();
  if (!texts && builder.has_relation("hasGender")) {
    for (Entity& entity : graph.entities) entity.description = "_";
    detail::drop_gender(graph);
  }
  return std::move(graph);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
