// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a table whose facts have their own choices read?
//
//   <relation>.jsonl   {"subject": "Brian May", "object": "19 July 1947",
//                       "choices": ["24 December 1931", …], "split": "test"}, one fact per line
//   train.jsonl, test.jsonl   {"Relation_ID": 1, "Subject": …, "Object": …,
//                              "Multiple Choices": "['24 December 1931', …]"}, as in T-REx-MC
// or .csv files with these columns. A folder of such files is a dataset. A fact's relation is its
// Relation_ID field or, failing that, its relation field or the name of its file. If the folder has
// a train and a test file, each file contains part of every relation. Field names are matched
// ignoring case, spaces and punctuation (bare_name). `choices` may include or omit the object. It
// may be a list, or a string that contains one (python_list.hpp). The `choices` field may be
// missing from the whole table, or only from training facts. Other fields are ignored unless they
// look like choices. There are no templates, so only probes that need none can use such a table. In
// a published split, training facts about a subject that is also tested are left out, because they
// would appear as shots before the question about that subject. Source: "Towards Reliable Latent
// Knowledge Estimation in LLMs", Appendix A.2, and its authors' program, which appends the object
// to the choices.

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/bare_name.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/lower_case.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/choice_fields.hpp"
#include "plumb/detail/data/csv_file.hpp"
#include "plumb/detail/data/fact_columns.hpp"
#include "plumb/detail/data/fact_split.hpp"
#include "plumb/detail/data/python_list.hpp"
#include "plumb/detail/data/relation_builder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A field's bare name, and the corresponding field of RelationBuilder::add_fact.
inline constexpr auto choice_table_fields =
    std::to_array<std::pair<std::string_view, const char*>>({{"subject", "sub_label"},
                                                             {"subjectid", "sub_id"},
                                                             {"subjectaliases", "sub_aliases"},
                                                             {"object", "obj_label"},
                                                             {"objectid", "obj_id"},
                                                             {"objectaliases", "obj_aliases"},
                                                             {"choices", "choices"},
                                                             {"multiplechoices", "choices"},
                                                             {"split", "split"},
                                                             {"relationid", "relation"},
                                                             {"relation", "relation name"}});

/// RelationBuilder's name for a field; null if the field is ignored.
inline const char* choice_table_field(std::string_view name) {
  const std::string bare = bare_name(name);
  const auto found =
      ranges::find_if(choice_table_fields, [&](const auto& field) { return field.first == bare; });
  return found == choice_table_fields.end() ? nullptr : found->second;
}

/// Returns the line with its fields renamed for RelationBuilder. Reports fields that have the same
/// meaning. Empty fields are dropped, except the relation's.
inline Json choice_table_fact(const Json& line, UnreadChoices* unread = nullptr,
                              const Site& site = {}) {
  Json fact = Json::object();
  std::map<std::string_view, std::string> names;
  for (const auto& [name, value] : line.items()) {
    const char* field = choice_table_field(name);
    if (field != nullptr && unread != nullptr) {
      const auto [first, is_first] = names.try_emplace(field, name);
      if (!is_first) unread->report_duplicate_column(name, first->second, site);
    }
    if (field != nullptr && !fact.contains(field)) {
      const bool is_nothing = value.is_null() || (value.is_string() && value == "");
      if (!is_nothing || std::string_view(field).starts_with("relation")) fact[field] = value;
    } else if (field == nullptr) {
      if (unread != nullptr) unread->look_at(name, value, site);
      if (!value.is_structured() && !value.is_null() && value != "") fact["further"][name] = value;
    }
  }
  return fact;
}

/// Converts strings that contain lists to lists. Returns false after reporting a string that does
/// not contain a list.
inline bool take_written_lists(Json& fact, const Site& site, const ProblemSink& report) {
  for (const char* field : {"choices", "sub_aliases", "obj_aliases"}) {
    const auto found = fact.find(field);
    if (found == fact.end() || !found->is_string()) continue;
    WrittenList list = read_written_list(found->get_ref<const std::string&>());
    if (!list.wrong.empty()) {
      report(user_error({site.file, site.line, field}, "the list in the string " + list.wrong,
                        "write it in Python or JSON syntax, such as ['a', \"b\"]"));
      return false;
    }
    *found = std::move(list.texts);
  }
  return true;
}

/// The part of a published split that a file contains, according to the words in its name: train,
/// test or dev. The dev part is skipped.
enum class SplitFile { none, train, test, development };

inline SplitFile split_file(const DiskPath& file) {
  const std::string name = lower_case(file.stem()) + ".";
  std::string word;
  for (const char c : name) {
    if (c >= 'a' && c <= 'z') {
      word += c;
      continue;
    }
    if (word == "train" || word == "training") return SplitFile::train;
    if (word == "test") return SplitFile::test;
    if (word == "dev" || word == "valid" || word == "validation") return SplitFile::development;
    word.clear();
  }
  return SplitFile::none;
}

/// Whether the files form a published split.
inline bool is_published_split(const std::vector<DiskPath>& files) {
  const auto has = [&](SplitFile part) {
    return ranges::any_of(files, [&](const DiskPath& file) { return split_file(file) == part; });
  };
  return has(SplitFile::train) && has(SplitFile::test) && !has(SplitFile::none);
}

/// Visits the rows of a file as JSON objects; a .csv's fields are strings.
template <class Visit>
void for_each_choice_row(const DiskPath& file, const ProblemSink& report, Visit visit) {
  if (file.extension() != ".csv") return for_each_json_line(file, report, visit);
  const CsvFile csv(file, report);
  for (const CsvRecord& record : csv.records()) {
    Json row = Json::object();
    for (std::size_t i = 0; i < record.fields.size(); ++i) row[csv.header()[i]] = record.fields[i];
    visit(row, record.line);
  }
}

/// Builds a table's relations. Not thread-safe.
class ChoiceTableBuilder {
 public:
  ChoiceTableBuilder(DiskPath path, bool is_split, const ProblemSink& report)
      : path_(std::move(path)), is_split_(is_split), report_(report) {}

  void read(const DiskPath& file, SplitFile part) {
    files_[part].push_back(file);
    UnreadChoices unread(report_);
    for_each_choice_row(file, report_, [&](const Json& row, std::size_t number) {
      const Site site{file, number};
      Json fact = choice_table_fact(row, &unread, site);
      const auto code = relation_of(fact, file, site);
      if (!code || !take_written_lists(fact, site, report_) || !take_part(fact, part, site)) return;
      const auto [builder, is_new] = builders_.try_emplace(*code, *code, report_);
      if (is_new) {
        order_.push_back({*code, file});
        builder->second.needs_no_template();
        builder->second.use_plain_names();
        builder->second.take_known_ids();
      }
      builder->second.add_fact(fact, site);
    });
  }

  void finish(Dataset& dataset) {
    std::size_t shown = 0;
    std::vector<Relation> relations;
    for (const auto& [code, file] : order_) {
      auto relation = std::move(builders_.at(code)).finish({.file = file});
      if (relation) relations.push_back(std::move(*relation));
    }
    leave_out_bare_facts(relations);
    for (Relation& relation : relations) {
      if (is_split_) {
        relation.file = place_of(SplitFile::test);
        relation.training_file = place_of(SplitFile::train);
        shown += drop_tested_subjects(relation);
      }
      dataset.relations.push_back(std::move(relation));
    }
    if (shown > 0) {
      dataset.left_out.push_back("training facts about subjects that are also tested: " +
                                 std::to_string(shown));
    }
  }

 private:
  /// The relation of a fact. If the field is missing, this is the name of the file or, for a
  /// published split, of the folder. If the field is invalid, reports this and returns nullopt.
  std::optional<std::string> relation_of(const Json& fact, const DiskPath& file, const Site& site) {
    for (const char* field : {"relation", "relation name"}) {
      const auto found = fact.find(field);
      if (found == fact.end()) continue;
      std::string code;
      if (found->is_string()) code = found->get<std::string>();
      if (found->is_number_integer()) code = found->dump();
      if (is_blank(code)) break;
      return result_names_.of(code, {site.file, site.line, "relation"}, report_);
    }
    if (!fact.contains("relation") && !fact.contains("relation name")) {
      return is_split_ ? path_.name() : file.stem();
    }
    report_(user_error({site.file, site.line, "relation"}, "is neither a name nor an integer",
                       "name the relation, or remove the field from the whole file"));
    return std::nullopt;
  }

  bool take_part(Json& fact, SplitFile part, const Site& site) {
    if (part == SplitFile::none) return true;
    const char* word = part == SplitFile::train ? "train" : "test";
    const auto found = fact.find("split");
    if (found != fact.end() && *found != word) {
      report_(user_error({site.file, site.line, "split"},
                         "is " + found->dump() + " in a file of the " + word + " part",
                         "make the field and the file name agree, or remove the field"));
      return false;
    }
    fact["split"] = word;
    return true;
  }

  /// Reports and removes testable facts without choices if other facts of the table have them.
  /// Otherwise, plumb would draw choices for these facts.
  void leave_out_bare_facts(std::vector<Relation>& relations) const {
    const auto is_bare = [](const Fact& fact) { return fact.offered.empty(); };
    const bool brings_choices = ranges::any_of(relations, [&](const Relation& relation) {
      return !ranges::all_of(relation.facts, is_bare);
    });
    if (!brings_choices) return;
    for (Relation& relation : relations) {
      std::erase_if(relation.facts, [&](const Fact& fact) {
        if (!is_bare(fact) || fact.part == FactPart::training) return false;
        report_(user_error(site_of(relation, fact, "choices"),
                           "is missing or empty, but other facts of the table have it",
                           "write the fact's choices, or remove the fact"));
        return true;
      });
    }
    std::erase_if(relations, [](const Relation& relation) { return relation.facts.empty(); });
  }

  /// The file of a part, or the folder if the part has several files.
  [[nodiscard]] std::filesystem::path place_of(SplitFile part) const {
    const auto found = files_.find(part);
    return found == files_.end() || found->second.size() != 1 ? path_.path()
                                                              : found->second.front().path();
  }

  /// Removes training facts about tested subjects and returns the number removed.
  static std::size_t drop_tested_subjects(Relation& relation) {
    const SubjectGroups subjects(relation);
    std::set<std::string> tested;
    for (const Fact& fact : relation.facts) {
      if (fact.part == FactPart::test) tested.insert(subjects.of(fact));
    }
    return std::erase_if(relation.facts, [&](const Fact& fact) {
      return fact.part == FactPart::training && tested.contains(subjects.of(fact));
    });
  }

  DiskPath path_;
  bool is_split_;
  const ProblemSink& report_;
  ResultNames result_names_;
  std::map<SplitFile, std::vector<DiskPath>> files_;
  std::vector<std::pair<std::string, DiskPath>> order_;  // relations and their first files
  std::map<std::string, RelationBuilder> builders_;
};

/// Whether a .csv's header names a subject and an object, and is not the header of a single table
/// of facts (tsv.hpp).
inline bool is_choice_header(const std::vector<std::string>& header, bool is_alone) {
  Json names = Json::object();
  for (const std::string& name : header) names[name] = "x";
  const Json fact = choice_table_fact(names);
  if (!fact.contains("sub_label") || !fact.contains("obj_label")) return false;
  return fact.contains("choices") || !is_alone || !fact_columns(header);
}

/// The files of a table, sorted; empty if the path is not such a table. Each file must be .jsonl
/// and begin with a fact that has a subject and an object. If there is no .jsonl, each must be a
/// .csv whose header names a subject and an object.
[[nodiscard]] inline std::vector<DiskPath> choice_table_files(const DiskPath& path) {
  std::vector<DiskPath> files = path.files(".jsonl");
  if (!files.empty()) {
    return files_of_rows(path, [](const Json& line) {
      const Json fact = detail::choice_table_fact(line);
      return fact.contains("sub_label") && fact.contains("obj_label");
    });
  }
  files = path.files(".csv");
  for (const DiskPath& file : files) {
    if (!detail::is_choice_header(csv_header(file), files.size() == 1)) return {};
  }
  return files;
}

/// Problems are passed to `report`. Throws a user error if a file cannot be read.
[[nodiscard]] inline Dataset load_choice_table(const DiskPath& path,
                                               const ProblemSink& report = throw_problem) {
  Dataset dataset{path.stem(), {}, {}};
  std::vector<DiskPath> files = choice_table_files(path);
  const bool is_split = detail::is_published_split(files);
  // The test part comes first, so that a fact's instance is its position in the test file.
  ranges::stable_sort(files, {}, [&](const DiskPath& file) {
    return is_split && detail::split_file(file) != detail::SplitFile::test;
  });
  detail::ChoiceTableBuilder builder(path, is_split, report);
  for (const DiskPath& file : files) {
    const auto part = is_split ? detail::split_file(file) : detail::SplitFile::none;
    if (part == detail::SplitFile::development) {
      dataset.left_out.push_back(file.name());
      continue;
    }
    builder.read(file, part);
    dataset.files.push_back(file);
  }
  builder.finish(dataset);
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
