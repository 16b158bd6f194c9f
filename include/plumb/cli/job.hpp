// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is written down about every job that asks a model?
//
// Its settings, which decide the results and tell run folders apart, and the facts of its run, which
// do not: the command line, paths, cost and times.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "plumb/backend/any_model.hpp"
#include "plumb/cli/file_hash.hpp"
#include "plumb/cli/job_options.hpp"
#include "plumb/core/version.hpp"
#include "plumb/data/dataset.hpp"
#include "plumb/report/text_table.hpp"
#include "plumb/run/pack_run.hpp"
#include "plumb/run/part_work.hpp"
#include "plumb/run/progress.hpp"
#include "plumb/run/special_token_check.hpp"

namespace plumb {
namespace detail {

/// Refuses an option that the model cannot see, by name.
inline void refuse_empty_options(const AnyModel& model, const Dataset& dataset) {
  for (const Relation& relation : dataset.relations) {
    const auto check = [&](const std::string& option, std::size_t line) {
      if (!model.tokenize(option).tokens.empty()) return;
      throw user_error({line > 0 ? relation.file : "", line, relation.code},
                       "option '" + option + "' tokenises to nothing with this model",
                       "remove it or give it a label the tokenizer knows");
    };
    for (const std::string& option : relation.options) check(option, 0);
    for (const Fact& fact : relation.facts) {
      for (const std::string& choice : fact.choices) check(choice, fact.line);
    }
  }
}

inline Json string_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

/// The settings of any job: dataset, model and precision. A command adds its own. A model that does
/// not list its special tokens reads their texts as text, as far as is known.
inline Json job_settings(const char* command, const JobArguments& arguments, const Dataset& dataset,
                         const ModelDescription& model) {
  return {{"command", command},
          {"plumb_version", PLUMB_VERSION},
          {"dataset", dataset.name},
          {"dataset_sha256", hash_files(dataset.files)},
          {"model", arguments.model.model.filename().string()},
          // An embedder's model need not be a file.
          {"model_sha256", std::filesystem::is_regular_file(arguments.model.model)
                               ? Json(hash_file(arguments.model.model))
                               : Json()},
          {"backend", model.backend},
          {"weights", string_or_null(model.weights)},
          {"quantized", model.quantized},
          {"precision", arguments.model.exact ? "exact" : "fast"},
          {"bos", arguments.bos ? "yes" : "no"},
          {"special_tokens", name_of(model.lists_special_tokens ? arguments.special_tokens
                                                                : SpecialTokenReading::text)},
          {"special_tokens_known", model.lists_special_tokens}};
}

/// The words the program was called with.
inline Json command_line_of(const Console& console, const char* command) {
  Json words = {"plumb", command};
  for (const std::string& word : console.arguments) words.push_back(word);
  return words;
}

inline Json run_facts(const Json& command_line, const JobArguments& arguments,
                      const RunSummary& summary, double seconds_total) {
  std::error_code ignored;  // a folder that was removed has no name
  return {{"command_line", command_line},
          {"working_directory", std::filesystem::current_path(ignored).string()},
          {"model_path", std::filesystem::absolute(arguments.model.model).string()},
          {"dataset_path", std::filesystem::absolute(arguments.data).string()},
          {"threads", arguments.model.threads},
          {"statements", summary.cost.statements},
          {"tokens_one_by_one", summary.cost.tokens_one_by_one},
          {"tree_nodes", summary.cost.tree_nodes},
          {"tokens_fed", summary.cost.tokens_fed},
          {"statements_scored_now", summary.fresh_statements},
          {"seconds_model", summary.seconds_model},
          {"seconds_total", seconds_total}};
}

/// A bar for each part of a job, one after another. The console must outlive it.
inline PartProgress part_bars(Console& console) {
  struct Bar {
    std::string part;
    std::optional<Progress> progress;
  };
  return [&console, bar = std::make_shared<Bar>()](const std::string& part, std::size_t done,
                                                   std::size_t fresh, std::size_t total) {
    if (!bar->progress || bar->part != part) {
      bar->progress.reset();  // ends its line before the next one begins
      bar->progress.emplace(console.err, total, part, console.err_is_terminal);
      bar->part = part;
    }
    bar->progress->update(done, fresh, "");
  };
}

/// What a job cost and what its numbers suffer from, in words for the terminal.
inline std::string cost_in_words(const RunSummary& summary, const ModelDescription& description,
                                 const char* of = "statements") {
  const double saved = static_cast<double>(summary.cost.tokens_one_by_one) /
                       static_cast<double>(std::max<std::uint64_t>(1, summary.cost.tokens_fed));
  std::string words = std::to_string(summary.cost.statements) + " " + of + ", " +
                      std::to_string(summary.cost.tokens_fed) + " tokens fed (" + fixed(saved, 2) +
                      " times fewer than one by one)\n";
  if (description.quantized) {
    words += "Quantised weights (" + description.weights +
             "): scores differ from F32 by tenths of a nat.\n";
  }
  return words;
}

}  // namespace detail
}  // namespace plumb
