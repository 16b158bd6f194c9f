// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which templates are the prompts of which relation?
//
// Lists of templates by relation, and what a template of many must be like; prompt_template_file.hpp reads
// them.

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

/// As files and tables name a style: cloze, question.
[[nodiscard]] inline std::string style_word(TemplateStyle style) {
  return style == TemplateStyle::cloze ? "cloze" : "question";
}

/// As files and tables name an origin: manual, generated.
[[nodiscard]] inline std::string origin_word(TemplateOrigin origin) {
  return origin == TemplateOrigin::manual ? "manual" : "generated";
}

/// Whether a template is a question that is followed by its answer alone.
[[nodiscard]] inline bool is_question(std::string_view text) {
  return text.ends_with("? [Y].") || text.ends_with("? [Y]");
}

/// What is wrong with a template of many: it must have [X], have [Y] once, and as a question end
/// with the answer.
[[nodiscard]] inline std::optional<Error> problem_with_prompt_template(const PromptTemplate& one,
                                                                       const Site& site) {
  if (const auto problem = problem_with_template(one.text, site)) return problem;
  const std::string shown = "template '" + one.text + "' ";
  if (one.text.find("[Y]", one.text.find("[Y]") + 1) != std::string::npos) {
    return user_error(site, shown + "has more than one [Y]", "write it once, for one answer");
  }
  if (one.style == TemplateStyle::question && !is_question(one.text)) {
    return user_error(site, shown + "is a question without its answer behind it",
                      "let it end in \"? [Y].\" or say \"style\": \"cloze\"");
  }
  return std::nullopt;
}

/// What a file says of one relation.
struct RelationTemplates {
  std::string code;
  /// In file order, all different; empty where every line of the relation was reported.
  std::vector<PromptTemplate> templates;
  /// The first line that names it, from 1.
  std::size_t line = 0;
};

/// Of a file. Any number of threads may read it.
class PromptTemplates {
 public:
  [[nodiscard]] const DiskPath& path() const noexcept { return path_; }

  /// Whether any line says where its template came from.
  [[nodiscard]] bool knows_origins() const noexcept { return knows_origins_; }

  /// In order of first appearance.
  [[nodiscard]] const std::vector<RelationTemplates>& relations() const noexcept {
    return relations_;
  }

  /// What it says of a relation; null where it does not name it.
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
