// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do loaders build relations, with the same checks for every format?
//
// The rules are the same for every format, so they are implemented once: templates have both
// placeholders, options are distinct, and a fact has a subject and an answer among the options. A
// builder either receives its options at the start (BEAR) or adds each new object as an option, in
// order of appearance. An object counts as new if its label is new (T-REx, PARAREL, and TSV, where
// another label of a known Wikidata item is not new) or if its identifier is new (BEAR-big). In the
// latter case, two objects with the same label are two options.

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/choice_fields.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The names of relations in results, in which a "/" becomes "-", because files are named after
/// them.
class ResultNames {
 public:
  /// The name in results of a relation named `given`. If another relation already has this name,
  /// reports this and returns nullopt.
  [[nodiscard]] std::optional<std::string> of(const std::string& given, const Site& site,
                                              const ProblemSink& report) {
    std::string name = given;
    std::replace(name.begin(), name.end(), '/', '-');
    const auto known = given_.try_emplace(name, given).first;
    if (known->second == given) return name;
    report(user_error(
        site,
        "'" + given + "' would have the same results file as the relation '" + known->second + "'",
        "rename one of them"));
    return std::nullopt;
  }

 private:
  std::map<std::string, std::string> given_;  // by name in results
};

/// Builds a relation from a file's lines and reports problems with them. Not thread-safe.
class RelationBuilder {
 public:
  RelationBuilder(std::string code, const ProblemSink& report) : report_(report) {
    relation_.code = std::move(code);
  }

  /// Adds a template. Reports and skips a template without [X] or [Y].
  void add_template(const std::string& text, const Site& site) {
    if (const auto problem = problem_with_template(text, site)) return report_(*problem);
    relation_.template_file = site.file;
    relation_.templates.push_back(text);
  }

  /// Sets the options; the answers of later facts must be among them. Reports empty labels, and
  /// duplicate labels if there are no identifiers to distinguish them.
  void set_options(const std::vector<std::string>& labels, const std::vector<std::string>& ids,
                   const Site& site) {
    options_are_fixed_ = true;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i].empty()) {
        report_(user_error(site, "option " + std::to_string(i) + " is empty", "give it a label"));
      }
      add_label(labels[i], i);
      if (shared_labels_.contains(labels[i]) && ids.empty()) {
        report_(user_error(site, "option '" + labels[i] + "' is duplicated",
                           "keep one of them and renumber answer_idx, or distinguish them by "
                           "answer_space_ids"));
      }
      relation_.options.push_back(labels[i]);
      relation_.option_ids.push_back(i < ids.size() ? ids[i]
                                                    : relation_.code + "-" + std::to_string(i));
      if (!option_of_id_.emplace(relation_.option_ids.back(), i).second) {
        report_(user_error(site, "option id '" + relation_.option_ids.back() + "' is duplicated",
                           "give each option its own id"));
      }
    }
  }

  /// Adds an option for each new identifier, unless the options have been set. If a fact's answer
  /// has no identifier, its label is used instead. The first label of an identifier becomes the
  /// option's label, and the others become its aliases.
  void take_options_by_id() { by_id_ = true; }

  /// Treats a new label whose identifier is a Wikidata item, and already an option's, as another
  /// name of that option. Other new labels become options, and equal labels are one option.
  void take_known_ids() { knows_ids_ = true; }

  /// Declares that each subject is a sentence containing [Y] that serves as its own template.
  void take_own_sentences() {
    relation_.own_sentences = relation_.verbatim = true;
    relation_.templates = {"[X]"};
  }

  /// Makes messages use the field names of plain tables: subject and object.
  void use_plain_names() { plain_names_ = true; }

  /// Allows a relation without templates.
  void needs_no_template() { needs_template_ = false; }

  void set_domains(std::vector<std::string> domains) { relation_.domains = std::move(domains); }

  /// Adds the fact in one JSON line from BEAR, LAMA/T-REx or PARAREL. The answer is given by
  /// `answer_idx` or, failing that, by the object's identifier or its label; if several are
  /// present, they must agree. `split` (train or test), `choices` (labels), `obj_aliases` and
  /// `further` (an object whose values are strings) are optional.
  void add_fact(const Json& line, const Site& site) {
    const std::size_t instance = instances_++;
    const auto subject = first_string(line, "sub_label");
    if (!subject || is_blank(*subject)) {
      return report_(user_error(at(site, "sub_label"), "the fact has no subject",
                                "add a non-empty string " + called("sub_label")));
    }
    const auto answer = find_answer(line, site);
    if (!answer) return;
    std::vector<std::string> aliases;
    if (has_value(line, "sub_aliases")) {
      auto list = string_list(line, "sub_aliases");
      if (!list) {
        return report_(user_error(at(site, "sub_aliases"), "is not a list of strings",
                                  "write [\"…\", …] or remove it"));
      }
      aliases = std::move(*list);
    }
    if (has_value(line, "obj_aliases")) {
      const auto names = string_list(line, "obj_aliases");
      if (!names) {
        return report_(user_error(at(site, "obj_aliases"), "is not a list of strings",
                                  "write [\"…\", …] or remove it"));
      }
      add_option_aliases(*answer, *names);
    }
    const auto part = find_part(line, site);
    auto offered = part ? find_offered(line, *answer, site) : std::nullopt;
    if (!offered) return;
    relation_.facts.push_back(
        {first_string(line, "sub_id", "sub_uri", "sub_w", "uuid").value_or(""),
         *subject,
         std::move(aliases),
         *answer,
         instance,
         site.line,
         {},
         *part,
         std::move(*offered)});
    relation_.file = site.file;
    const auto further = line.find("further");
    if (further == line.end()) return;
    for (const auto& [name, value] : further->items()) {
      relation_.facts.back().further.emplace_back(
          name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }

  /// Adds a fact with these labels. Messages refer to the labels as subject and object.
  void add_fact(const std::string& subject, const std::string& object, const Site& site) {
    use_plain_names();
    Json line = {{"sub_label", subject}, {"obj_label", object}};
    add_fact(line, site);
  }

  /// The relation; if its name is invalid, or if it lacks a required template, a fact or a second
  /// option, reports this and returns nullopt.
  [[nodiscard]] std::optional<Relation> finish(const Site& site) && {
    if (const auto problem = problem_with_relation_name(relation_.code, site)) {
      report_(*problem);
      return std::nullopt;
    }
    const char* missing = needs_template_ && relation_.templates.empty() ? "template"
                          : relation_.facts.empty()                      ? "fact"
                          : relation_.options.size() < 2                 ? "second option"
                                                                         : nullptr;
    if (missing != nullptr) {
      report_(user_error(site, "relation " + relation_.code + " has no usable " + missing,
                         "add one or remove the relation"));
      return std::nullopt;
    }
    relation_.cardinality = cardinality_of(relation_);
    return std::move(relation_);
  }

 private:
  Site at(Site site, const std::string& field) const {
    site.field = called(field);
    return site;
  }

  /// A field's name in the file, for messages.
  [[nodiscard]] std::string called(const std::string& field) const {
    if (!plain_names_) return field;
    constexpr auto names = std::to_array<std::pair<std::string_view, const char*>>(
        {{"sub_label", "subject"},
         {"sub_aliases", "subject_aliases"},
         {"obj_label", "object"},
         {"obj_id", "object_id"},
         {"obj_aliases", "object_aliases"}});
    const auto found =
        ranges::find_if(names, [&](const auto& name) { return name.first == field; });
    return found == names.end() ? field : found->second;
  }

  std::optional<FactPart> find_part(const Json& line, const Site& site) {
    const auto split = line.find("split");
    if (split == line.end()) return FactPart::unsaid;
    if (*split == "train") return FactPart::training;
    if (*split == "test") return FactPart::test;
    report_(user_error(at(site, "split"), split->dump() + " is not a part", "write train or test"));
    return std::nullopt;
  }

  /// The indices of the answer and of the options in `choices`, in ascending order; empty if there
  /// are no `choices`.
  std::optional<std::vector<std::uint32_t>> find_offered(const Json& line, std::size_t answer,
                                                         const Site& site) {
    std::vector<std::uint32_t> offered;
    if (!line.contains("choices")) return offered;
    const auto labels = string_list(line, "choices");
    if (!labels || labels->empty()) {
      report_(user_error(at(site, "choices"), "is not a list of labels", "write [\"…\", …]"));
      return std::nullopt;
    }
    offered.push_back(static_cast<std::uint32_t>(answer));
    for (const std::string& label : *labels) {
      if (!is_blank(label) && !options_are_fixed_) {
        const auto [entry, added] = option_of_label_.emplace(label, relation_.options.size());
        if (added) add_option(label, std::nullopt);
      }
      const auto found = option_of_label_.find(label);
      if (is_blank(label)) {
        report_(user_error(at(site, "choices"),
                           std::string("a choice is ") + (label.empty() ? "empty" : "blank"),
                           "write its text or remove it"));
        return std::nullopt;
      }
      if (found == option_of_label_.end()) {
        report_(user_error(at(site, "choices"), "'" + label + "' is not among the options",
                           "add it to answer_space_labels or remove it"));
        return std::nullopt;
      }
      offered.push_back(static_cast<std::uint32_t>(found->second));
    }
    ranges::sort_distinct(offered);
    return offered;
  }

  void add_option_aliases(std::size_t option, const std::vector<std::string>& names) {
    auto& all = relation_.option_aliases;
    all.resize((std::max)(all.size(), option + 1));
    for (const std::string& name : names) {
      if (ranges::find(all[option], name) == all[option].end()) all[option].push_back(name);
    }
  }

  /// Keeps a label that differs from its option's as an alias.
  void add_other_label(std::size_t option, const std::string& label) {
    if (relation_.options[option] != label) add_option_aliases(option, {label});
  }

  void add_label(const std::string& label, std::size_t option) {
    if (!option_of_label_.emplace(label, option).second) shared_labels_.insert(label);
  }

  void add_option(const std::string& label, const std::optional<std::string>& id) {
    const std::string place = std::to_string(relation_.options.size());
    relation_.option_ids.push_back(id.value_or(relation_.code + "-" + place));
    relation_.options.push_back(label);
  }

  std::optional<std::size_t> find_answer(const Json& line, const Site& site) {
    const auto label = first_string(line, "obj_label");
    const auto id = first_string(line, "obj_id", "obj_uri", "obj_w");
    if (const auto index = line.find("answer_idx"); options_are_fixed_ && index != line.end()) {
      if (!index->is_number_integer() || index->get<std::int64_t>() < 0 ||
          index->get<std::size_t>() >= relation_.options.size()) {
        report_(user_error(at(site, "answer_idx"),
                           index->dump() + " is not among the " +
                               counted(relation_.options.size(), "option") + " of " +
                               relation_.code,
                           "use an index in this range, counted from 0"));
        return std::nullopt;
      }
      const auto answer = index->get<std::size_t>();
      if (label && *label != relation_.options[answer]) {
        report_(user_error(at(site, "answer_idx"),
                           index->dump() + " is '" + relation_.options[answer] + "', but " +
                               called("obj_label") + " is '" + *label + "'",
                           "make the two agree"));
        return std::nullopt;
      }
      if (const auto named = id ? option_of_id_.find(*id) : option_of_id_.end();
          named != option_of_id_.end() && relation_.option_ids[answer] != *id) {
        report_(user_error(
            at(site, "obj_id"),
            "is '" + relation_.options[named->second] + "', but answer_idx is " + index->dump(),
            "make the two agree"));
        return std::nullopt;
      }
      return answer;
    }
    if (!label && !(id && options_are_fixed_)) {
      report_(user_error(at(site, "obj_label"), "the fact has no answer",
                         "add a non-empty string " + called("obj_label")));
      return std::nullopt;
    }
    if (!options_are_fixed_ && by_id_ && id) {
      const auto [entry, added] = option_of_id_.emplace(*id, relation_.options.size());
      if (added) {
        add_label(*label, relation_.options.size());
        add_option(*label, id);
      }
      add_other_label(entry->second, *label);
      return entry->second;
    }
    if (!options_are_fixed_ && knows_ids_ && id && is_wikidata_item(*id) &&
        !option_of_label_.contains(*label)) {
      if (const auto known = option_of_id_.find(*id); known != option_of_id_.end()) {
        add_other_label(known->second, *label);
        option_of_label_.emplace(*label, known->second);
        return known->second;
      }
    }
    if (!options_are_fixed_ && !shared_labels_.contains(*label)) {
      const auto [entry, added] = option_of_label_.emplace(*label, relation_.options.size());
      // If two labels have the same identifier, only the first keeps it. They remain two answers,
      // because here options are distinguished by label.
      if (added) {
        const bool is_own = id && option_of_id_.emplace(*id, relation_.options.size()).second;
        add_option(*label, is_own ? id : std::nullopt);
      }
      return entry->second;
    }
    if (const auto found = id ? option_of_id_.find(*id) : option_of_id_.end();
        found != option_of_id_.end()) {
      const bool names_another = label && option_of_label_.contains(*label);
      if (!names_another || relation_.options[found->second] == *label) return found->second;
      report_(user_error(at(site, "obj_id"),
                         "is '" + relation_.options[found->second] + "', but " +
                             called("obj_label") + " is '" + *label + "'",
                         "make the two agree"));
      return std::nullopt;
    }
    if (label && shared_labels_.contains(*label)) {
      report_(user_error(
          at(site, "obj_label"), "several options are '" + *label + "'",
          "specify which by " + called("obj_id") + (options_are_fixed_ ? " or answer_idx" : "")));
      return std::nullopt;
    }
    if (const auto found = label ? option_of_label_.find(*label) : option_of_label_.end();
        found != option_of_label_.end()) {
      return found->second;
    }
    report_(user_error(at(site, label ? "obj_label" : "obj_id"),
                       "answer '" + (label ? *label : *id) + "' is not among the " +
                           counted(relation_.options.size(), "option") + " of " + relation_.code,
                       "add it to answer_space_labels or correct the line"));
    return std::nullopt;
  }

  const ProblemSink& report_;
  Relation relation_;
  bool options_are_fixed_ = false;
  bool by_id_ = false;
  bool knows_ids_ = false;
  bool needs_template_ = true;
  bool plain_names_ = false;
  std::size_t instances_ = 0;
  std::unordered_map<std::string, std::size_t> option_of_label_;  // the first option with each
                                                                  // label
  std::unordered_set<std::string> shared_labels_;
  std::unordered_map<std::string, std::size_t> option_of_id_;
};

/// Reads a relation's facts, one JSON object per line, and adds the finished relation and the file
/// to the dataset. Stores the fields listed in `columns` as additional columns of each fact.
inline void read_facts(RelationBuilder builder, const DiskPath& file, Dataset& dataset,
                       const ProblemSink& report, const std::vector<std::string>& columns = {}) {
  detail::UnreadChoices unread(report);
  for_each_json_line(file, report, [&](const Json& object, std::size_t line) {
    unread.check_names(object, {file, line});
    if (columns.empty()) return builder.add_fact(object, {file, line});
    Json fact = object;
    fact["further"] = Json::object();
    for (const std::string& name : columns) {
      const auto found = object.find(name);
      if (found != object.end() && !found->is_null()) fact["further"][name] = *found;
    }
    builder.add_fact(fact, {file, line});
  });
  dataset.files.push_back(file);
  if (auto relation = std::move(builder).finish({.file = file})) {
    dataset.relations.push_back(std::move(*relation));
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
