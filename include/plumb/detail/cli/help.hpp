// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does `--help` print?
//
// It prints an example, then the options in groups, at a width of 80 columns. Options that few
// users need appear only with `--help all`. Names, defaults and descriptions come from the settings
// (run/job_setting.hpp). This file only sets their order. An option that is in no group is printed
// under "Other".

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Options under one heading, in the order in which they are printed.
struct HelpGroup {
  std::string_view heading;
  std::vector<std::string_view> usual, rare;
};

/// Every option of every command.
[[nodiscard]] inline const std::vector<HelpGroup>& help_groups() {
  static const std::vector<HelpGroup> groups{
      {"Data",
       {"action", "folder", "folders", "runs", "run", "data", "texts", "relations", "limit",
        "templates", "split", "entities", "candidates", "sample", "fact"},
       {"template-file", "train", "split-seed", "sample-seed", "origin", "min-facts", "min-objects",
        "fixed", "special-tokens", "text-field", "case"}},
      {"Model",
       {"model", "models", "server", "precision", "threads"},
       {"concurrency", "tokenizer", "engine", "gpu-layers", "main-gpu", "split-mode",
        "tensor-split", "lora", "cache-type", "pack"}},
      {"Prompts",
       {"method", "shots", "seeds", "choices", "eic", "baselines", "settings", "form", "samples",
        "confidence-prompts", "max-new-tokens", "chat", "chat-turn", "system", "prefix", "bos"},
       {"shot-seed",     "shot-seeds",    "shot-draw",      "fresh-shots",    "choice-seed",
        "chat-template", "inject",        "pair-separator", "item-separator", "separators",
        "join",          "eic-first",     "eic-step",       "eic-questions",  "generate",
        "stop",          "answer-match",  "injection",      "injected",       "highlight",
        "query-form",    "entity-prompt", "masks",          "vocabulary",     "names"}},
      {"Scores and metrics",
       {"span", "reduction", "estimators", "bins", "hits", "group-by", "setting", "prompts",
        "pairs", "assert", "published", "within", "ids"},
       {"pll", "neutral", "head-queries", "nearest", "budget", "seed", "resamples", "wordnet",
        "samplings", "sample-by", "families", "base-template", "paraphrases", "verbalized",
        "numerical", "masked"}},
      {"Output", {"out", "to", "overwrite", "format", "json", "quiet"}, {"cache-vectors"}},
      {"Running", {"dry-run", "resume", "shard", "help"}, {"config"}},
  };
  return groups;
}

/// An example command line for a command; empty if the command has none.
[[nodiscard]] inline std::string_view example_of(std::string_view command) {
  struct Example {
    std::string_view command, words;
  };
  static constexpr auto examples = std::to_array<Example>({
      {"probe", "--data examples/facts --model MODEL --out runs/probe"},
      {"many-shot", "--data examples/facts --model MODEL --out runs/shots"},
      {"rank", "--data wn18rr --model MODEL --method deer --out runs/rank"},
      {"generate", "--data examples/facts --model MODEL --out runs/texts"},
      {"calibrate", "runs/probe --out runs/calibration"},
      {"compare", "runs/base runs/tuned --out runs/comparison"},
      {"merge", "runs/shard-1 runs/shard-2 --out runs/whole"},
      {"report", "runs/probe"},
      {"models", "~/models"},
      {"data", "check examples/facts"},
      {"data prompts", "runs/probe --ids"},
      {"data overlap", "examples/facts corpus.txt"},
  });
  const auto found = ranges::find(examples, command, &Example::command);
  return found == examples.end() ? std::string_view() : found->words;
}

/// An option with its description next to it, or below it if its name is long.
[[nodiscard]] inline std::string help_lines(const OptionHelp& option) {
  constexpr std::size_t column = 26, width = 80;
  std::string text = "  --" + option.name + (option.value.empty() ? "" : " " + option.value);
  const bool has_default = !option.standard.empty() && option.standard != "none";
  const std::string description = in_lines(
      option.help + (has_default ? " [default: " + option.standard + "]" : ""), width - column);
  const std::size_t used = count_code_points(text);
  const std::string indent(column, ' ');
  text += used + 1 >= column ? "\n" + indent : std::string(column - used, ' ');
  for (const char c : description) {
    text += c;
    if (c == '\n') text += indent;
  }
  return text + '\n';
}

/// Returns, for example, "data prompts" for "plumb data prompts RUN [--ids]".
[[nodiscard]] inline std::string command_of(std::string_view usage) {
  std::string command;
  for (std::size_t at = usage.find(' ') + 1; at != 0 && at < usage.size();) {
    const std::size_t end = (std::min)(usage.find_first_of(" \n", at), usage.size());
    const std::string_view word = usage.substr(at, end - at);
    if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") != word.npos || word.front() == '-') {
      break;
    }
    command += (command.empty() ? "" : " ") + std::string(word);
    at = end + 1;
  }
  return command;
}

/// The help for a command such as "probe" or "data prompts". Contains all options if `all` is true,
/// otherwise only those that most users need.
[[nodiscard]] inline std::string help_page(const std::string& command, const CommandHelp& help,
                                           bool all) {
  std::string page;
  if (const std::string_view words = example_of(command); !words.empty()) {
    page += "Example: plumb " + command + " " + std::string(words) + "\n";
  }
  page += "Usage: " + help.usage + "\n";
  std::vector<std::string_view> printed;
  std::size_t hidden = 0;
  const auto section = [&](std::string_view heading, const std::vector<std::string_view>& names) {
    std::string lines;
    for (const std::string_view name : names) {
      const auto option = ranges::find(help.options, name, &OptionHelp::name);
      if (option == help.options.end()) continue;
      lines += help_lines(*option);
      printed.push_back(name);
    }
    if (!lines.empty()) page += "\n" + std::string(heading) + "\n" + lines;
  };
  for (const HelpGroup& group : help_groups()) {
    std::vector<std::string_view> names = group.usual;
    for (const std::string_view name : group.rare) {
      const bool is_there =
          ranges::find(help.options, name, &OptionHelp::name) != help.options.end();
      if (!is_there) continue;
      if (all) names.push_back(name);
      if (!all) printed.push_back(name), ++hidden;
    }
    section(group.heading, names);
  }
  std::vector<std::string_view> other;
  for (const OptionHelp& option : help.options) {
    if (ranges::find(printed, std::string_view(option.name)) == printed.end()) {
      other.push_back(option.name);
    }
  }
  section("Other", other);
  if (hidden > 0) {
    page += "\n" + std::to_string(hidden) + " more options: plumb " + command + " --help all\n";
  }
  return page;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
