// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a dataset?
//
// A dataset is a list of relations. A relation is a table of facts that share templates and a
// closed set of options. Each fact has one right option, and all other options are wrong (the BEAR
// probe, Wiland et al. 2024). Non-goals: how a fact is worded (prompt/), how a file is read (the
// loaders in this folder).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/printable.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The part that the dataset itself assigns to a fact.
enum class FactPart { unsaid, training, test };

/// One question: which option completes the relation for this subject?
struct Fact {
  std::string subject_id{};
  std::string subject{};
  std::vector<std::string> subject_aliases{};
  /// Index of the right option in the relation's `options`.
  std::size_t answer = 0;
  /// Position in the relation's file, from 0; it does not change when facts are left out. If it is
  /// 0 for all facts of a relation, they are numbered when the relation is passed to a probe
  /// (data/check_and_complete.hpp).
  std::size_t instance = 0;
  /// Line in that file, from 1, for messages.
  std::size_t line = 0;
  /// This fact's own texts for the relation's options, in the same order; empty if the options'
  /// labels are used.
  std::vector<std::string> choices{};
  /// The fact's part in the dataset's own split. Only probes that show facts as shots use it.
  FactPart part = FactPart::unsaid;
  /// Indices of the options that the dataset offers for this fact, including the answer, in
  /// ascending order; empty if it offers none.
  std::vector<std::uint32_t> offered{};
  /// Further columns of the fact's table as (name, text), unchanged.
  std::vector<std::pair<std::string, std::string>> further{};
};

/// Whether facts share an answer. `by_facts` means that the dataset does not specify this, so it is
/// determined from the facts.
enum class Cardinality : std::uint8_t { by_facts, one_to_one, many_to_one };

struct Relation {
  std::string code;
  /// Sentences with the placeholders [X] (subject) and [Y] (object).
  std::vector<std::string> templates{};
  /// Labels and identifiers of the closed set, in the same order.
  std::vector<std::string> options{};
  std::vector<std::string> option_ids{};
  /// Empty if the dataset specifies no domains.
  std::vector<std::string> domains{};
  std::vector<Fact> facts{};
  /// Facts beyond the limit, if they were kept. The model is not asked about them, but they may be
  /// shown as shots.
  std::vector<Fact> facts_behind_limit{};
  /// The cardinality of the whole table, before any limit (`is_one_to_one`).
  Cardinality cardinality = Cardinality::by_facts;
  /// The file of the facts, for messages.
  std::filesystem::path file{};
  /// The file that contains the training facts; empty if it is the same as `file`.
  std::filesystem::path training_file{};
  /// The file of the templates; empty if they are not from a file.
  std::filesystem::path template_file{};
  /// Whether a statement is the filled template byte for byte. If false, its first letter is
  /// upper-cased.
  bool verbatim = false;
  /// Whether each subject is a sentence with [Y] in the answer's place. The relation's only
  /// template is then "[X]", and the relation is verbatim.
  bool own_sentences = false;
  /// A note that must be shown wherever the relation's numbers appear; usually empty.
  std::string note{};
  /// Other names of the options, in the same order; shorter than `options` if the last ones have
  /// none. Usually empty.
  std::vector<std::vector<std::string>> option_aliases{};
  /// Weights for combining templates, one for each of the first templates: each is at least 0, and
  /// at least one is above 0. The remaining templates have weight 0. Empty if the templates have no
  /// weights.
  std::vector<double> template_weights{};
};

/// The text of an option in a question about this fact.
[[nodiscard]] inline const std::string& option_text(const Relation& relation, const Fact& fact,
                                                    std::size_t option) {
  return fact.choices.empty() ? relation.options[option] : fact.choices[option];
}

/// The file and line of a fact, for messages.
[[nodiscard]] inline Site site_of(const Relation& relation, const Fact& fact,
                                  std::string field = {}) {
  const bool is_apart = fact.part == FactPart::training && !relation.training_file.empty();
  return {is_apart ? relation.training_file : relation.file, fact.line, std::move(field)};
}

/// Describes a statement in messages: "'France', template 0, option 'Paris'".
[[nodiscard]] inline std::string statement_name(const Relation& relation, const Fact& fact,
                                                std::size_t template_index, std::size_t option) {
  return "'" + fact.subject + "', template " + std::to_string(template_index) + ", option '" +
         option_text(relation, fact, option) + "'";
}

struct Dataset {
  std::string name{};
  std::vector<Relation> relations{};
  /// Every file that was read, in order; the dataset's hash covers these files.
  std::vector<std::filesystem::path> files{};
  /// Descriptions of the files' other contents, which no probe reads.
  std::vector<std::string> left_out{};
};

/// Receives a problem found while reading. If the sink throws, reading stops at the first problem.
/// If the sink returns, the offending line or template is skipped and reading continues.
using ProblemSink = std::function<void(const Error&)>;

/// The sink that rejects a dataset with any problem.
inline void throw_problem(const Error& problem) {
  throw problem;
}

/// The problem with a template that lacks a placeholder; nullopt if the template has both.
[[nodiscard]] inline std::optional<Error> problem_with_template(const std::string& text,
                                                                const Site& site) {
  for (const char* placeholder : {"[X]", "[Y]"}) {
    if (text.find(placeholder) != std::string::npos) continue;
    return user_error(site, "template '" + text + "' has no " + placeholder,
                      "write [X] in the subject's place and [Y] in the answer's");
  }
  return std::nullopt;
}

/// Whether an identifier is that of a Wikidata item ("Q90", or its address). An item may have
/// different names in different facts. Any other identifier with two names probably belongs to two
/// entities.
[[nodiscard]] inline bool is_wikidata_item(std::string_view id) {
  for (const std::string_view place :
       {"http://www.wikidata.org/entity/", "https://www.wikidata.org/entity/"}) {
    if (id.starts_with(place)) id.remove_prefix(place.size());
  }
  return id.size() > 1 && id.front() == 'Q' &&
         id.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

/// The problem with a relation's name, if any. Results files are named after it.
[[nodiscard]] inline std::optional<Error> problem_with_relation_name(const std::string& code,
                                                                     const Site& site) {
  const bool odd = code.find('/') != std::string::npos || first_control(code).size > 0;
  if (!code.empty() && code.front() != '.' && !odd) return std::nullopt;
  return user_error(site,
                    "relation name '" + code +
                        "' is empty, starts with a dot or contains a '/' or a control character",
                    "rename it, because results files are named after it");
}

/// Whether no two facts share an answer ("1:1"), as specified by the dataset or, failing that, as
/// determined from the facts.
[[nodiscard]] inline bool is_one_to_one(const Relation& relation) {
  if (relation.cardinality != Cardinality::by_facts) {
    return relation.cardinality == Cardinality::one_to_one;
  }
  std::unordered_set<std::size_t> seen;
  for (const Fact& fact : relation.facts) {
    if (!seen.insert(fact.answer).second) return false;
  }
  return true;
}

/// The result of `is_one_to_one` in a form that can be stored before facts are removed.
[[nodiscard]] inline Cardinality cardinality_of(const Relation& relation) {
  return is_one_to_one(relation) ? Cardinality::one_to_one : Cardinality::many_to_one;
}

/// The relations named by `codes`, each with only its first `limit` facts. They are in the
/// dataset's order, so that the order of `codes` does not matter. An empty list means all
/// relations, and limit 0 means all facts. If `keeps_others` is set, the facts after the limit are
/// moved to `facts_behind_limit`. Throws a user error for an unknown or duplicate name.
[[nodiscard]] inline Dataset select_facts(Dataset dataset, const std::vector<std::string>& codes,
                                          std::size_t limit, bool keeps_others = false) {
  for (auto code = codes.begin(); code != codes.end(); ++code) {
    if (ranges::find(dataset.relations, *code, &Relation::code) == dataset.relations.end()) {
      throw user_error({.setting = "relations"},
                       "'" + *code + "' is not a relation of " + dataset.name,
                       "list its relations with `plumb data describe`");
    }
    if (std::find(codes.begin(), code, *code) != code) {
      throw user_error({.setting = "relations"}, "'" + *code + "' is listed twice", "name it once");
    }
  }
  std::erase_if(dataset.relations, [&](const Relation& relation) {
    return !codes.empty() && ranges::find(codes, relation.code) == codes.end();
  });
  for (Relation& relation : dataset.relations) {
    relation.cardinality = cardinality_of(relation);
    if (limit == 0 || relation.facts.size() <= limit) continue;
    const auto end = relation.facts.begin() + static_cast<std::ptrdiff_t>(limit);
    if (keeps_others) {
      relation.facts_behind_limit.assign(std::make_move_iterator(end),
                                         std::make_move_iterator(relation.facts.end()));
    }
    relation.facts.resize(limit);
  }
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
