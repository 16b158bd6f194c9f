// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lists of templates, grouped by relation, for many-prompt datasets.
//
// This file also contains the rules for these templates. prompt_template_file.hpp reads the lists.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/multi_prompt_checks.hpp"
#include "plumb/detail/data/prompt_template.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The name of a style in files and tables: cloze, question.
[[nodiscard]] inline std::string style_word(TemplateStyle style) {
  return style == TemplateStyle::cloze ? "cloze" : "question";
}

/// The name of an origin in files and tables: manual, generated.
[[nodiscard]] inline std::string origin_word(TemplateOrigin origin) {
  return origin == TemplateOrigin::manual ? "manual" : "generated";
}

/// Whether a template is a question followed only by its answer.
[[nodiscard]] inline bool is_question(std::string_view text) {
  return text.ends_with("? [Y].") || text.ends_with("? [Y]");
}

/// The problem with a many-prompt template, if any. A template must contain [X], must contain [Y]
/// once, and, if it is a question, must end with the answer.
[[nodiscard]] inline std::optional<Error> problem_with_prompt_template(const PromptTemplate& one,
                                                                       const Site& site) {
  if (const auto problem = problem_with_template(one.text, site)) return problem;
  const std::string shown = "template '" + one.text + "' ";
  if (one.text.find("[Y]", one.text.find("[Y]") + 1) != std::string::npos) {
    return user_error(site, shown + "has more than one [Y]", "write it once, for one answer");
  }
  if (one.style == TemplateStyle::question && !is_question(one.text)) {
    return user_error(site, shown + "is a question whose answer is not at the end",
                      "end it with \"? [Y].\" or write \"style\": \"cloze\"");
  }
  return std::nullopt;
}

/// One relation's templates in a file.
struct RelationTemplates {
  std::string code;
  /// In file order, without duplicates; empty if every line of the relation was reported as
  /// invalid.
  std::vector<PromptTemplate> templates;
  /// The number, counted from 1, of the first line that mentions the relation.
  std::size_t line = 0;
};

/// The templates in a file. Any number of threads may read it.
class PromptTemplates {
 public:
  [[nodiscard]] const DiskPath& path() const noexcept { return path_; }

  /// Whether any line specifies its template's origin.
  [[nodiscard]] bool knows_origins() const noexcept { return knows_origins_; }

  /// In order of first appearance.
  [[nodiscard]] const std::vector<RelationTemplates>& relations() const noexcept {
    return relations_;
  }

  /// The templates of a relation; null if the relation is not in the file.
  [[nodiscard]] const RelationTemplates* find(const std::string& code) const {
    const auto place = places_.find(code);
    return place == places_.end() ? nullptr : &relations_[place->second];
  }

 protected:
  explicit PromptTemplates(DiskPath path) : path_(std::move(path)) {}

  DiskPath path_;
  std::vector<RelationTemplates> relations_;
  std::unordered_map<std::string, std::size_t> places_;  // by code
  bool knows_origins_ = false;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
