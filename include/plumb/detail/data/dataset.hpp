// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is asked?
//
// A dataset is a list of relations; a relation is a table of facts that share templates and a
// closed set of options, so that every fact has one right option and the same wrong ones (the BEAR
// probe, Wiland et al. 2024). Non-goals: how a fact is put into words (prompt/), how a file is read
// (the loaders beside this one).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/printable.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Where the dataset itself puts a fact.
enum class FactPart { unsaid, training, test };

/// One question: which option completes the relation for this subject?
struct Fact {
  std::string subject_id{};
  std::string subject{};
  std::vector<std::string> subject_aliases{};
  /// Index of the right option in the relation's `options`.
  std::size_t answer = 0;
  /// Place in the relation's file, from 0; kept when facts are left out. A relation whose facts are all
  /// at 0 is numbered where it enters a probe (data/check_and_complete.hpp).
  std::size_t instance = 0;
  /// Line of that file, from 1, for messages.
  std::size_t line = 0;
  /// This fact's own texts for the relation's options, parallel to them; empty where the options'
  /// labels are the texts.
  std::vector<std::string> choices{};
  /// The dataset's own split; only probes that show some facts as shots read it.
  FactPart part = FactPart::unsaid;
  /// Indices of the options that the dataset offers for this fact, the answer among them, ascending;
  /// empty where it offers no choice of its own.
  std::vector<std::uint32_t> offered{};
  /// Further columns of its table, by name, as they are written there.
  std::vector<std::pair<std::string, std::string>> further{};
};

/// Whether facts share an answer; `by_facts` where nobody has said it, and the facts that are there tell.
enum class Cardinality : std::uint8_t { by_facts, one_to_one, many_to_one };

struct Relation {
  std::string code;
  /// Sentences with the placeholders [X] (subject) and [Y] (object).
  std::vector<std::string> templates{};
  /// Labels and identifiers of the closed set, parallel.
  std::vector<std::string> options{};
  std::vector<std::string> option_ids{};
  /// Empty when the dataset names none.
  std::vector<std::string> domains{};
  std::vector<Fact> facts{};
  /// Facts behind a limit, where they were kept: they are not asked, and may be shown solved.
  std::vector<Fact> facts_behind_limit{};
  /// Of the whole table, before any limit (`is_one_to_one`).
  Cardinality cardinality = Cardinality::by_facts;
  /// Where the facts were read, for messages.
  std::filesystem::path file{};
  /// Where its facts for training were read; empty where that is `file`.
  std::filesystem::path training_file{};
  /// Where its templates were read; empty where they are not from a file.
  std::filesystem::path template_file{};
  /// Whether a statement is the filled template byte for byte; otherwise its first letter is
  /// upper-cased.
  bool verbatim = false;
  /// Whether each subject is a sentence with [Y] where its answer stands, which is taken for the
  /// relation's only template, "[X]"; it is verbatim then.
  bool own_sentences = false;
  /// What a reader must know wherever its numbers are shown; mostly empty.
  std::string note{};
  /// Other names of options, parallel to them as far as any has one; most often empty.
  std::vector<std::vector<std::string>> option_aliases{};
  /// What its first templates weigh where they are asked together, at least 0 and not all 0; those
  /// behind them weigh nothing. Empty where no template has a weight.
  std::vector<double> template_weights{};
};

/// The text of an option in a question about this fact.
[[nodiscard]] inline const std::string& option_text(const Relation& relation, const Fact& fact,
                                                    std::size_t option) {
  return fact.choices.empty() ? relation.options[option] : fact.choices[option];
}

/// Where a fact was read, for messages.
[[nodiscard]] inline Site site_of(const Relation& relation, const Fact& fact,
                                  std::string field = {}) {
  const bool is_apart = fact.part == FactPart::training && !relation.training_file.empty();
  return {is_apart ? relation.training_file : relation.file, fact.line, std::move(field)};
}

/// What messages call an option of a fact under a template: "'France', template 0, option 'Paris'".
[[nodiscard]] inline std::string statement_name(const Relation& relation, const Fact& fact,
                                                std::size_t template_index, std::size_t option) {
  return "'" + fact.subject + "', template " + std::to_string(template_index) + ", option '" +
         option_text(relation, fact, option) + "'";
}

struct Dataset {
  std::string name{};
  std::vector<Relation> relations{};
  /// Every file that was read, in order: what a hash of the dataset covers.
  std::vector<std::filesystem::path> files{};
  /// What its files have beside that and no probe reads, in words.
  std::vector<std::string> left_out{};
};

/// Receives a problem found while reading. A sink that throws ends the reading at the first one; a
/// sink that returns has the offending line or template left out, and the reading goes on.
using ProblemSink = std::function<void(const Error&)>;

/// The sink for those who want a sound dataset or none.
inline void throw_problem(const Error& problem) {
  throw problem;
}

/// What is wrong with a template's text: it must have both placeholders.
[[nodiscard]] inline std::optional<Error> problem_with_template(const std::string& text,
                                                                const Site& site) {
  for (const char* placeholder : {"[X]", "[Y]"}) {
    if (text.find(placeholder) != std::string::npos) continue;
    return user_error(site, "template '" + text + "' has no " + placeholder,
                      "write [X] where the subject stands and [Y] where the answer does");
  }
  return std::nullopt;
}

/// What is wrong with a relation's name: it names files.
[[nodiscard]] inline std::optional<Error> problem_with_relation_name(const std::string& code,
                                                                     const Site& site) {
  const bool odd = code.find('/') != std::string::npos || first_control(code).size > 0;
  if (!code.empty() && code.front() != '.' && !odd) return std::nullopt;
  return user_error(site,
                    "relation name '" + code +
                        "' is empty, starts with a dot or holds a '/' or control character",
                    "results are kept in files of that name; rename it");
}

/// Whether no two facts share an answer ("1:1"): as was said, or as its facts tell.
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

/// What `is_one_to_one` says, to be kept where facts are left out.
[[nodiscard]] inline Cardinality cardinality_of(const Relation& relation) {
  return is_one_to_one(relation) ? Cardinality::one_to_one : Cardinality::many_to_one;
}

/// The relations named by `codes`, in the dataset's order, so that nothing depends on the order in
/// which they are named, each cut to its first `limit` facts; an empty list names all, limit 0 cuts
/// nothing. Facts behind the limit are kept apart if asked for. Throws a user error on a name the dataset
/// does not have or that is duplicated.
[[nodiscard]] inline Dataset select_facts(Dataset dataset, const std::vector<std::string>& codes,
                                          std::size_t limit, bool keeps_others = false) {
  for (auto code = codes.begin(); code != codes.end(); ++code) {
    if (ranges::find(dataset.relations, *code, &Relation::code) == dataset.relations.end()) {
      throw user_error({.setting = "relations"},
                       "'" + *code + "' is not a relation of " + dataset.name,
                       "`plumb data describe` lists its relations");
    }
    if (std::find(codes.begin(), code, *code) != code) {
      throw user_error({.setting = "relations"}, "'" + *code + "' is named twice", "name it once");
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
