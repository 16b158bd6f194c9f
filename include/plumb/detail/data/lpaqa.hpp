// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are LPAQA's prompts and their weights read?
//
//   mine/P36.jsonl, paraphrase/P36.jsonl   {"template": "[X] capital [Y] .", "weight": 8.5e-05}
//   manual_paraphrase/P36.txt              "[X] capital is [Y].", one template per line
// The user passes the folder of one kind of prompt, not its parent folder. A prompt's weight comes
// from training; the weights of a relation add up to one. The n prompts of a text file have equal
// weights, 1/n each. Duplicate templates are kept. Source: Jiang et al. 2020, "How Can We Know What
// Language Models Know?", section 4; aggregate/weighted_likelihood.hpp describes how weights are
// used. Non-goal: facts, which come from LAMA or BEAR.

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A relation's prompts and, in the same order, their weights.
struct WeightedTemplates {
  std::vector<std::string> templates;
  std::vector<double> weights;
};

/// The names of LPAQA's folders, one for each kind of prompt.
inline constexpr std::array<std::string_view, 3> lpaqa_kinds{"manual_paraphrase", "mine",
                                                             "paraphrase"};

/// The file of a relation's prompts in a folder for one kind of prompt; nullopt if there is none.
[[nodiscard]] inline std::optional<DiskPath> lpaqa_file(const DiskPath& folder,
                                                        const std::string& code) {
  for (const char* extension : {".jsonl", ".txt"}) {
    auto file = folder / (code + extension);
    if (file.is_file()) return file;
  }
  return std::nullopt;
}

/// Whether a folder contains prompts of one kind, or a folder for any of the kinds.
[[nodiscard]] inline bool is_lpaqa(const DiskPath& folder) {
  if (!folder.is_folder()) return false;
  for (const std::string_view kind : lpaqa_kinds) {
    if ((folder / kind).is_folder()) return true;
  }
  const auto weighs = [](const Json& row) {
    return row.contains("template") && row.contains("weight");
  };
  return !files_of_rows(folder, weighs).empty() ||
         (folder.name() == lpaqa_kinds[0] && !folder.files(".txt").empty());
}

/// Adds a line's template and its weight. Throws a user error if either is invalid.
inline void add_weighted(WeightedTemplates& all, const std::string& text, double weight,
                         Site site) {
  if (!(weight >= 0) || !std::isfinite(weight)) {
    site.field = "weight";
    throw user_error(site, "is not a number of at least 0", "give each template such a weight");
  }
  site.field = "template";
  if (const auto problem = problem_with_template(text, site)) throw *problem;
  all.templates.push_back(text);
  all.weights.push_back(weight);
}

/// Reads a file of either format. Throws a user error if the file cannot be read or contains no
/// template, if a template lacks a placeholder or a weight, or if all weights are 0.
[[nodiscard]] inline WeightedTemplates read_lpaqa(const DiskPath& file) {
  WeightedTemplates all;
  if (file.extension() == ".jsonl") {
    for_each_json_line(file, throw_problem, [&](const Json& line, std::size_t number) {
      const auto weight = line.find("weight");
      const bool weighs = weight != line.end() && weight->is_number();
      detail::add_weighted(all, first_string(line, "template").value_or(""),
                           weighs ? weight->get<double>() : -1, {file, number});
    });
  } else {
    for_each_table_line(file, [&](const std::string& text, std::size_t number) {
      if (text.find_first_not_of(" \t") == std::string::npos) return;
      if (first_invalid_utf8(text) != std::string::npos) {
        throw user_error({file, number}, "is not UTF-8", "convert the file");
      }
      detail::add_weighted(all, text, 1, {file, number});
    });
    for (double& weight : all.weights) weight /= static_cast<double>(all.weights.size());
  }
  double sum = 0;
  for (const double weight : all.weights) sum += weight;
  if (!(sum > 0)) {
    throw user_error({.file = file},
                     all.templates.empty() ? "has no template" : "has only weights of 0",
                     "write one template on each line");
  }
  return all;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
