// SPDX-License-Identifier: Apache-2.0
#pragma once

// Were the compared runs asked the same questions?

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/run/result_folders.hpp"
#include "plumb/detail/run/run_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// How a run's statements are placed in a conversation. The template is not included, because every
/// model has its own.
inline std::string chat_of(const Json& settings) {
  const std::string turn = first_string(settings, "chat").value_or("");
  if (turn.empty()) return "no chat";
  const auto system = first_string(settings, "system");
  return "chat " + turn + (system ? ", system " + Json(*system).dump() : "");
}

/// Whether two runs list their templates by number and have none in common.
inline bool share_no_template(const Json& settings, const Json& others) {
  const Json own = settings.value("templates", Json()),
             of_other = others.value("templates", Json());
  if (!own.is_array() || !of_other.is_array() || own.empty() || of_other.empty()) return false;
  return ranges::none_of(
      own, [&](const Json& one) { return ranges::find(of_other, one) != of_other.end(); });
}

/// Finds settings that affect the difficulty of a question and in which a run differs from the
/// first run. For comparisons over many prompts, this is the first run of the same command. Creates
/// one remark for all runs that differ in the same way.
[[nodiscard]] inline std::vector<std::string> run_differences(const std::vector<ResultFolder>& runs,
                                                              bool over_prompts) {
  std::map<std::string, std::pair<std::string, Json>> firsts;
  std::vector<std::pair<std::string, std::string>> differing;  // the differences, and the runs
  for (const auto& [name, folder] : runs) {
    const Json settings = kept_settings(folder);
    const std::string kind = over_prompts ? first_string(settings, "command").value_or("") : "";
    const auto& [first_name, first] = firsts.try_emplace(kind, name, settings).first->second;
    std::string apart;
    std::size_t differ = 0;
    bool other_draw = false;
    for (const char* field : {"command",
                              "dataset_sha256",
                              "bos",
                              "precision",
                              "reduction",
                              "span",
                              "choices",
                              "choice_seed",
                              "split_seed",
                              "train",
                              "item_separator",
                              "inject",
                              "masks",
                              "join",
                              "baselines_sha256",
                              "template_file_sha256",
                              "max_new_tokens",
                              "stop",
                              "answer_match",
                              "eic_first",
                              "eic_step",
                              "eic_questions",
                              "eic_isolated",
                              "fresh_shots",
                              "pll",
                              "shot_seed",
                              "prefix",
                              "shots",
                              "shot_draw",
                              "neutral",
                              "candidates",
                              "split",
                              "sample",
                              "limit",
                              "head_queries",
                              "entity_prompts",
                              "query_form"}) {
      if (!settings.contains(field) || !first.contains(field)) continue;
      if (settings[field] == first[field]) continue;
      const std::string of = field;
      ++differ;
      // Runs of a probe with different shot seeds may be compared to see their spread.
      other_draw = other_draw || (of == "shot_seed" && settings["shots"].is_number());
      add_to_list(apart,
                  of.ends_with("_sha256")
                      ? "another " +
                            (of == "dataset_sha256" ? "dataset or template file"
                                                    : of.substr(0, of.find("_sha256"))) +
                            " (by SHA-256)"
                      : of + " " + settings[field].dump() + " instead of " + first[field].dump());
    }
    // A run that refuses special-token texts contains none, so its setting need not match.
    const auto reads = [](const Json& of) {
      return first_string(of, "special_tokens").value_or("refuse");
    };
    if (reads(settings) != reads(first) && reads(settings) != "refuse" &&
        reads(first) != "refuse") {
      ++differ;
      add_to_list(apart,
                  std::string("special_tokens ") + reads(settings) + " instead of " + reads(first));
    }
    // A ranking's shots and sample are drawn with the dataset's name.
    const bool draws =
        first_string(settings, "command") == "rank" &&
        (settings.value("shots", Json()) != 0 || settings.value("sample", Json()) != 0);
    const auto data = first_string(settings, "dataset"),
               other_data = first_string(first, "dataset");
    if (draws && data && other_data && *data != *other_data) {
      ++differ;
      add_to_list(apart, "shots and queries drawn for the dataset name " + Json(*data).dump() +
                             " instead of " + Json(*other_data).dump());
    }
    if (share_no_template(settings, first)) {
      ++differ;
      add_to_list(apart, "templates " + settings["templates"].dump() + " instead of " +
                             first["templates"].dump());
    }
    if (chat_of(settings) != chat_of(first)) {
      ++differ;
      add_to_list(apart, chat_of(settings) + " instead of " + chat_of(first));
    }
    const auto is_other = [&settings, &of_first = first](const char* field) {
      return settings.value(field, Json()) != of_first.value(field, Json());
    };
    if (!is_other("model_sha256") && is_other("chat_template") && !is_other("chat")) {
      ++differ;
      add_to_list(apart, std::string("another chat template"));
    }
    if (apart.empty() || (other_draw && differ == 1)) continue;
    const std::string how =
        " differently from " + first_name + ", so their numbers may not be comparable: " + apart;
    const auto known = ranges::find(differing, how, [](const auto& one) { return one.first; });
    if (known == differing.end()) {
      differing.emplace_back(how, name);
    } else {
      add_to_list(known->second, name);
    }
  }
  std::vector<std::string> remarks;
  for (const auto& [how, names] : differing) {
    const bool is_one = ranges::find(runs, names, &ResultFolder::name) != runs.end();
    remarks.push_back(names + (is_one ? " was asked" : " were asked") + how);
  }
  return remarks;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
