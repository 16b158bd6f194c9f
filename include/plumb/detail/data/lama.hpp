// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are LAMA, LAMA-UHN and the languages of mLAMA read?
//
//   relations.jsonl        {"relation": "P36", "template": "The capital of [X] is [Y] ."}
//   TREx/P36.jsonl         {"sub_label", "obj_label", "sub_uri", "obj_uri", "uuid", …}
//   Google_RE/place_of_birth_test.jsonl   {"sub_label", "obj_label", "sub_aliases", "uuid", …}
//   ConceptNet/test.jsonl  {"masked_sentences": ["You need a [MASK] to …"], "obj_label", "pred", …}
//   Squad/test.jsonl       {"masked_sentences": ["…"], "obj_label", "id", …}
//   en/templates.jsonl     mLAMA: in each language's folder, a list like relations.jsonl
//   en/P36.jsonl           {"sub_label", "obj_label", "sub_uri", "obj_uri", "uuid", "lineid"}
// This is the layout of the LAMA probe (Petroni et al. 2019), of its subset without helpful names
// (LAMA-UHN: Poerner et al. 2019; TREx_UHN/, Google_RE_UHN/), and of mLAMA (Kassner et al. 2021).
// mLAMA's lineid is a fact's number, which is the same in all languages, and is stored as a column.
// The path may be the whole folder, one of its parts with relations.jsonl next to it, or a folder
// that contains relations.jsonl and the facts. A relation that is listed several times has several
// templates. A relation without a fact file is skipped, because LAMA's own list includes more
// relations than LAMA has; facts without a template are skipped too. The list contains only T-REx's
// relations. Google-RE's three relations use the templates from LAMA's program
// (scripts/run_experiments.py) unless the list includes them, so Google_RE/ needs no list. A folder
// that contains only Google_RE/, ConceptNet/ and Squad/ needs none either.
// ConceptNet has one relation for each `pred`; Squad has one relation. Their facts have their own
// sentences instead of a template (Relation::own_sentences). The options are the relation's
// distinct objects, in order of appearance; LAMA itself ranks a whole vocabulary.

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/relation_builder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct LamaTemplate {
  const char* relation;
  const char* text;
};

/// The templates of Google-RE's relations in LAMA's program.
inline constexpr std::array<LamaTemplate, 3> google_re_templates{
    {{"place_of_birth", "[X] was born in [Y] ."},
     {"date_of_birth", "[X] (born [Y])."},
     {"place_of_death", "[X] died in [Y] ."}}};

/// Whether a folder is named after a part whose sentences come from templates.
inline bool is_lama_part(const DiskPath& folder) {
  const std::string name = folder.name();
  return name.starts_with("TREx") || name.starts_with("Google_RE");
}

/// The file of sentences with gaps in the folder of ConceptNet or Squad; nullopt for other folders.
inline std::optional<DiskPath> lama_sentences(const DiskPath& folder) {
  const std::string name = folder.name();
  auto file = folder / "test.jsonl";
  if ((name != "ConceptNet" && name != "Squad") || !file.exists()) return {};
  return file;
}

/// The template list of an mLAMA language whose folder contains a fact file for at least one listed
/// relation; nullopt for other folders.
inline std::optional<DiskPath> mlama_templates(const DiskPath& folder) {
  auto file = folder / "templates.jsonl";
  if (!file.is_file() || (folder / "facts.jsonl").exists()) return {};
  bool has_facts = false;
  for_each_line(file, [&](const std::string& text, std::size_t) {
    Json row;
    if (has_facts || parse_json(text, row) || !row.is_object()) return;
    const auto code = first_string(row, "relation");
    has_facts = code && first_string(row, "template") && code->find('/') == std::string::npos &&
                (folder / (*code + ".jsonl")).is_file();
  });
  if (!has_facts) return {};
  return file;
}

/// The mLAMA languages in a folder, sorted by name.
inline std::vector<std::string> mlama_languages(const DiskPath& folder) {
  std::vector<std::string> languages;
  if (!folder.is_folder()) return languages;
  for (const DiskPath& one : folder.list()) {
    if (one.is_folder() && mlama_templates(one)) languages.push_back(one.name());
  }
  return languages;
}

/// The file that contains the templates for a folder in LAMA's layout; nullopt if there is none.
inline std::optional<DiskPath> lama_templates(const DiskPath& folder) {
  if (auto file = folder / "relations.jsonl"; file.exists()) return file;
  if (auto file = mlama_templates(folder)) return file;
  auto above = folder.parent() / "relations.jsonl";
  if (is_lama_part(folder) && above.exists()) return above;
  return std::nullopt;
}

/// Whether a folder is the Google-RE part and contains facts. Google-RE does not need a list.
inline bool is_google_re(const DiskPath& folder) {
  return folder.name().starts_with("Google_RE") &&
         ranges::any_of(google_re_templates, [&](const LamaTemplate& one) {
           return (folder / (std::string(one.relation) + "_test.jsonl")).exists();
         });
}

/// The subfolders of a folder, sorted by name.
inline std::vector<DiskPath> folders_in(const DiskPath& folder) {
  std::vector<DiskPath> found = folder.list();
  std::erase_if(found, [](const DiskPath& one) { return !one.is_folder(); });
  return found;
}

/// A relation's fact files in the parts, or in the folder itself if no part contains any.
inline std::vector<DiskPath> lama_fact_files(const DiskPath& folder,
                                             const std::vector<DiskPath>& parts,
                                             const std::string& code) {
  std::vector<DiskPath> found;
  const auto look = [&](const DiskPath& place) {
    for (const char* end : {".jsonl", "_test.jsonl"}) {
      auto file = place / (code + end);
      if (file.exists()) found.push_back(std::move(file));
    }
  };
  for (const auto& part : parts) look(part);
  if (found.empty()) look(folder);
  return found;
}

/// The relation codes of the folders' fact files that are missing from `known`, formatted as a list
/// for a message.
inline std::string lama_codes_besides(const std::vector<DiskPath>& folders,
                                      const std::vector<std::string>& known) {
  std::string codes;
  for (const DiskPath& folder : folders) {
    for (const DiskPath& file : folder.files(".jsonl")) {
      std::string code = file.stem();
      if (code.ends_with("_test")) code.resize(code.size() - 5);
      if (code == "relations" || code == "templates" || ranges::find(known, code) != known.end())
        continue;
      add_to_list(codes, code);
    }
  }
  return codes;
}

/// The first sentence with exactly one gap, with [Y] replacing the gap; nullopt if there is none.
inline std::optional<std::string> lama_sentence(const Json& line) {
  constexpr std::string_view gap = "[MASK]";
  for (std::string sentence :
       string_list(line, "masked_sentences").value_or(std::vector<std::string>{})) {
    const std::size_t at = sentence.find(gap);
    if (at == std::string::npos || sentence.find(gap, at + 1) != std::string::npos) continue;
    return sentence.replace(at, gap.size(), "[Y]");
  }
  return std::nullopt;
}

/// Adds the relations of a file of sentences.
inline void read_lama_sentences(const DiskPath& file, Dataset& dataset, const ProblemSink& report) {
  const std::string part = file.parent().name();
  std::vector<std::string> order;
  std::map<std::string, RelationBuilder> builders;
  std::map<std::string, std::set<std::string>> objects;  // labels, by relation
  for_each_json_line(file, report, [&](const Json& line, std::size_t number) {
    const std::string code = first_string(line, "pred").value_or(part);
    const auto sentence = lama_sentence(line);
    if (!sentence) {
      return report(user_error({file, number, "masked_sentences"},
                               "has no sentence with one [MASK]",
                               "write one [MASK] in the answer's place"));
    }
    const auto [builder, is_new] = builders.try_emplace(code, code, report);
    if (is_new) {
      order.push_back(code);
      builder->second.take_own_sentences();
    }
    Json fact = {{"sub_label", *sentence}, {"obj_label", line.value("obj_label", Json())}};
    if (const auto id = first_string(line, "uuid", "id")) fact["sub_id"] = *id;
    builder->second.add_fact(fact, {file, number});
    objects[code].insert(first_string(line, "obj_label").value_or(""));
  });
  dataset.files.push_back(file);
  std::string single;
  for (const std::string& code : order) {
    if (objects.at(code).size() == 1) {
      add_to_list(single, code);
      continue;
    }
    if (auto relation = std::move(builders.at(code)).finish({.file = file, .field = code})) {
      dataset.relations.push_back(std::move(*relation));
    }
  }
  if (!single.empty()) {
    dataset.left_out.push_back("relations of " + part + " with a single object: " + single);
  }
}

/// Whether a folder contains only parts of LAMA that need no list of templates, and no table.
inline bool has_only_parts_without_list(const DiskPath& folder) {
  if (!folder.is_folder()) return false;
  for (const char* const ending : {".jsonl", ".csv", ".tsv"}) {
    if (!folder.files(ending).empty()) return false;
  }
  std::vector<DiskPath> parts = folders_in(folder);
  std::erase_if(parts, [](const DiskPath& one) { return one.name().starts_with('.'); });
  return !parts.empty() && ranges::all_of(parts, [](const DiskPath& one) {
    return is_google_re(one) || lama_sentences(one);
  });
}

[[nodiscard]] inline bool is_lama(const DiskPath& folder) {
  return detail::lama_templates(folder).has_value() || detail::lama_sentences(folder).has_value() ||
         detail::is_google_re(folder) || detail::has_only_parts_without_list(folder);
}

/// Problems are passed to `report`. If a relation is in two parts, this is reported and the first
/// part is used.
[[nodiscard]] inline Dataset load_lama(const DiskPath& folder,
                                       const ProblemSink& report = throw_problem) {
  Dataset dataset{folder.name(), {}, {}};
  if (const auto sentences = detail::lama_sentences(folder)) {
    detail::read_lama_sentences(*sentences, dataset, report);
    return dataset;
  }
  auto list = detail::lama_templates(folder);
  if (!list && !detail::is_google_re(folder) && !detail::has_only_parts_without_list(folder)) {
    list = folder / "relations.jsonl";
  }
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::pair<std::string, Site>>> templates;
  const auto read_list = [&](const Json& object, std::size_t line) {
    const auto code = first_string(object, "relation");
    const auto text = first_string(object, "template");
    if (!code || !text) {
      report(user_error({*list, line, code ? "template" : "relation"}, "is missing",
                        "write a relation and a template on each line"));
      return;
    }
    if (ranges::find(order, *code) == order.end()) order.push_back(*code);
    templates[*code].push_back({*text, {*list, line, "template"}});
  };
  if (list) {
    for_each_json_line(*list, report, read_list);
    dataset.files.push_back(*list);
  }
  std::vector<DiskPath> parts = detail::folders_in(folder);
  const std::vector<DiskPath> folders = parts;
  std::erase_if(parts, [](const auto& part) { return !detail::is_lama_part(part); });
  for (const LamaTemplate& one : google_re_templates) {
    if (templates.contains(one.relation)) continue;
    const auto files = detail::lama_fact_files(folder, parts, one.relation);
    if (files.empty()) continue;
    order.emplace_back(one.relation);
    templates[one.relation].push_back({one.text, {.file = files[0]}});
  }
  std::string without_facts;
  for (const std::string& code : order) {
    const auto files = detail::lama_fact_files(folder, parts, code);
    if (files.empty()) {
      add_to_list(without_facts, code);
      continue;
    }
    if (files.size() > 1) {
      report(user_error({.file = files[1]},
                        "contains facts of " + code + ", and so does " + files[0].string(),
                        "pass the folder of one part, " + files[0].parent().string() + " or " +
                            files[1].parent().string()));
    }
    RelationBuilder builder(code, report);
    for (const auto& [text, site] : templates[code]) builder.add_template(text, site);
    read_facts(std::move(builder), files[0], dataset, report, {"lineid"});
  }
  if (!without_facts.empty()) {
    dataset.left_out.push_back("relations of " + list->name() + " without facts: " + without_facts);
  }
  parts.push_back(folder);
  if (const auto codes = detail::lama_codes_besides(parts, order); !codes.empty()) {
    dataset.left_out.push_back("facts of relations without a template: " + codes);
  }
  for (const auto& part : folders) {
    if (const auto sentences = detail::lama_sentences(part)) {
      detail::read_lama_sentences(*sentences, dataset, report);
    }
  }
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
