// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which templates does each relation have?
//
// The file templates.jsonl contains one template per line: {"relation": "capital", "template": "The
//   capital of [X] is [Y].", "group": "capital-1", "style": "cloze", "origin": "manual"} `style` is
//   cloze or question (default: cloze), and `origin` is manual or generated (default: manual). A
//   template without `group` forms its own group. A question ends in "? [Y]." or "? [Y]".
// A template contains [Y] exactly once, for one answer. Source: MyriadLAMA, "What Matters in
// Learning Facts in Language Models?", section 4.1. Non-goal: templates without such fields
// (template_file.hpp).

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/prompt_templates.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline Site with_field(Site site, std::string field) {
  site.field = std::move(field);
  return site;
}

/// The non-blank string in `field`; if it is missing, blank or not a string, reports this and
/// returns nullopt. `prefix` is the object's path in its line, such as "objects[0].", or empty.
inline std::optional<std::string> required_string(const Json& object, const std::string& field,
                                                  const Site& site, const ProblemSink& report,
                                                  const std::string& prefix = {}) {
  const auto found = object.find(field);
  const auto wrong = [&]() -> const char* {
    if (found == object.end()) return "is missing";
    if (!found->is_string()) return "is not a string";
    return is_blank(found->get_ref<const std::string&>()) ? "is empty" : nullptr;
  }();
  if (wrong == nullptr) return found->get<std::string>();
  report(user_error(with_field(site, prefix + field), wrong, "write \"" + field + "\": \"…\""));
  return std::nullopt;
}

/// Whether a field contains the second of two words. A missing field is treated as the first word.
/// If the field contains neither, reports this and returns nullopt.
inline std::optional<bool> second_of_two(const Json& line, const char* field,
                                         const std::string& first, const std::string& second,
                                         const Site& site, const ProblemSink& report) {
  const auto found = line.find(field);
  if (found == line.end() || *found == first) return false;
  if (*found == second) return true;
  report(user_error(with_field(site, field),
                    shortened(found->dump()) + " is neither " + first + " nor " + second,
                    "write one of them, or remove it to mean " + first));
  return std::nullopt;
}

/// A line's template; if the line is invalid, reports the problem and returns nullopt.
inline std::optional<PromptTemplate> prompt_template_of(const Json& line, const Site& site,
                                                        const ProblemSink& report) {
  const auto text = required_string(line, "template", site, report);
  if (!text) return std::nullopt;
  PromptTemplate made{*text};
  if (const auto group = line.find("group"); group != line.end()) {
    if (!group->is_string()) {
      report(user_error(with_field(site, "group"), "is not a string",
                        "name the template that it paraphrases, or remove it"));
      return std::nullopt;
    }
    made.group = group->get<std::string>();
  }
  const auto asks = second_of_two(line, "style", "cloze", "question", site, report);
  if (!asks) return std::nullopt;
  const auto paraphrased = second_of_two(line, "origin", "manual", "generated", site, report);
  if (!paraphrased) return std::nullopt;
  if (*asks) made.style = TemplateStyle::question;
  if (*paraphrased) made.origin = TemplateOrigin::generated;
  if (const auto problem = problem_with_prompt_template(made, with_field(site, "template"))) {
    report(*problem);
    return std::nullopt;
  }
  return made;
}

/// A templates.jsonl. Any number of threads may read it.
class PromptTemplateFile : public PromptTemplates {
 public:
  /// Invalid lines and duplicate templates in a relation are passed to `report`. Throws a user
  /// error if the file cannot be read.
  explicit PromptTemplateFile(DiskPath path, const ProblemSink& report = throw_problem)
      : PromptTemplates(std::move(path)) {
    if (path_.is_folder()) {
      throw user_error({.file = path_}, "is a folder", "name a templates.jsonl");
    }
    std::unordered_map<std::string, std::unordered_set<std::string>> texts;
    for_each_json_line(path_, report, [&](const Json& line, std::size_t number) {
      const Site site{path_, number};
      const auto code = detail::required_string(line, "relation", site, report);
      if (!code) return;
      const auto [place, is_new] = places_.try_emplace(*code, relations_.size());
      if (is_new) relations_.push_back({*code, {}, number});
      auto made = detail::prompt_template_of(line, site, report);
      if (!made) return;
      knows_origins_ = knows_origins_ || line.contains("origin");
      if (!texts[*code].insert(made->text).second) {
        return report(user_error(detail::with_field(site, "template"),
                                 "'" + made->text + "' is duplicated in relation " + *code,
                                 "remove one of the lines"));
      }
      relations_[place->second].templates.push_back(std::move(*made));
    });
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
