// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a command's help turned into a man page and into completion scripts for shells?
//
// All of these are generated from the content of `--help` (CommandHelp), which is generated from
// the settings. An option that is declared once (run/job_setting.hpp) therefore appears in all of
// them.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct CommandManual {
  std::string name, summary;
  /// Usually one part; more if a subcommand has subcommands of its own.
  std::vector<CommandHelp> parts{};
};

/// The subcommands that a usage lists, in lines of "  plumb NAME   summary".
[[nodiscard]] inline std::vector<CommandManual> commands_of(std::string_view usage) {
  constexpr std::string_view lead = "  plumb ";
  std::vector<CommandManual> all;
  for (std::size_t at = 0; at < usage.size();) {
    const std::size_t end = (std::min)(usage.find('\n', at), usage.size());
    const std::string_view line = usage.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(lead)) continue;
    const std::size_t space = line.find(' ', lead.size());
    const std::size_t summary = line.find_first_not_of(' ', space);
    if (space == line.npos || summary == line.npos) continue;
    all.push_back({std::string(line.substr(lead.size(), space - lead.size())),
                   std::string(line.substr(summary))});
  }
  return all;
}

/// The possible values of an option: fixed keywords such as "exact|fast", file names, or any text.
struct ValueKind {
  std::vector<std::string> words;
  bool is_file = false;
};
[[nodiscard]] inline ValueKind kind_of_value(const std::string& value) {
  ValueKind kind;
  for (const char* file : {"FILE", "DIR", "FOLDER", "RUN", "MODEL"}) {
    kind.is_file = kind.is_file || value.find(file) != std::string::npos;
  }
  const bool lower = ranges::all_of(value, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '|' || c == '-';
  });
  if (!lower || value.find('|') == std::string::npos) return kind;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = (std::min)(value.find('|', at), value.size());
    kind.words.push_back(value.substr(at, end - at));
    at = end + 1;
  }
  return kind;
}

/// `text` with each character `c` replaced by `escape(c)`, unless the result is null.
template <class Escape>
std::string escaped(std::string_view text, Escape escape) {
  std::string made;
  for (const char c : text) {
    const char* other = escape(c);
    other == nullptr ? made += c : made += other;
  }
  return made;
}

/// A page for man(1).
[[nodiscard]] inline std::string man_page(const std::vector<CommandManual>& all,
                                          const std::string& version) {
  const auto roff = [](std::string_view text) {
    return escaped(text, [](char c) {
      return c == '\\'   ? "\\e"
             : c == '-'  ? "\\-"
             : c == '\'' ? "\\(aq"
             : c == '.'  ? "\\&."
                         : nullptr;
    });
  };
  std::string page =
      ".TH PLUMB 1 \"\" \"plumb " + version +
      "\" \"User Commands\"\n.SH NAME\n"
      "plumb \\- measure what facts a language model knows, and how confident it is\n"
      ".SH SYNOPSIS\n.B plumb\n.I COMMAND\n[\n.I options\n]\n.SH COMMANDS\n";
  for (const CommandManual& command : all) {
    page += ".TP\n.B plumb " + roff(command.name) + "\n" + roff(command.summary) + "\n";
  }
  for (const CommandManual& command : all) {
    for (const CommandHelp& part : command.parts) {
      page += ".SH PLUMB " + roff(command.name) + "\n.nf\n" + roff(part.usage) + "\n.fi\n";
      for (const OptionHelp& option : part.options) {
        page += ".TP\n.B \\-\\-" + roff(option.name) + "\n";
        if (!option.value.empty()) page += ".I " + roff(option.value) + "\n.br\n";
        page += roff(option.help);
        if (!option.standard.empty()) page += " (default: " + roff(option.standard) + ")";
        page += "\n";
      }
    }
  }
  page +=
      ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nan internal error\n.TP\n.B 2\n"
      "an error that the user can fix; stderr says what is wrong, where, and what to do\n"
      ".TP\n.B 3\na condition of compare \\-\\-assert does not hold\n"
      ".TP\n.B 130\nCtrl\\-C stopped a job; stderr has the command that resumes it\n"
      ".TP\n.B 143\nSIGTERM stopped a job; stderr has the command that resumes it\n";
  return page;
}

/// The completion script for bash, to be sourced or installed as
/// share/bash-completion/completions/plumb.
[[nodiscard]] inline std::string bash_completion(const std::vector<CommandManual>& all) {
  std::vector<std::string> names;
  std::string values, options;
  for (const CommandManual& command : all) {
    names.push_back(command.name);
    std::vector<std::string> words;
    if (command.name == "data") words = {"check", "describe", "convert", "prompts", "overlap"};
    if (command.name == "completion") words = {"bash", "zsh"};
    for (const CommandHelp& part : command.parts) {
      for (const OptionHelp& option : part.options) {
        const std::string word = "--" + option.name;
        if (ranges::find(words, word) != words.end()) continue;
        words.push_back(word);
        const ValueKind kind = kind_of_value(option.value);
        if (option.value.empty()) continue;
        values += "    '" + command.name + " " + word + "') ";
        if (kind.is_file) {
          values += "COMPREPLY=($(compgen -f -- \"$current\")); ";
        } else if (!kind.words.empty()) {
          values += "COMPREPLY=($(compgen -W '" + text_list(kind.words, {}, " ") +
                    "' -- \"$current\")); ";
        }
        values += "return ;;\n";
      }
    }
    options += "    " + command.name + ") words='" + text_list(words, {}, " ") + "' ;;\n";
  }
  return "# bash completion for plumb, written by `plumb completion bash`.\n"
         "_plumb() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
         "  COMPREPLY=()\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W '" +
         text_list(names, {}, " ") +
         "' -- \"$current\"))\n    return\n  fi\n"
         "  case \"${COMP_WORDS[1]} $before\" in\n" +
         values + "  esac\n  case ${COMP_WORDS[1]} in\n" + options +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- \"$current\"))\n"
         "}\n"
         "complete -o filenames -F _plumb plumb\n";
}

/// The completion script for zsh, to be installed as share/zsh/site-functions/_plumb.
[[nodiscard]] inline std::string zsh_completion(const std::vector<CommandManual>& all) {
  const auto quoted = [](std::string_view text) {
    return escaped(text, [](char c) {
      return c == '\'' ? "’" : c == '[' ? "\\[" : c == ']' ? "\\]" : c == ':' ? "\\:" : nullptr;
    });
  };
  std::string names, cases;
  for (const CommandManual& command : all) {
    names += "    '" + command.name + ":" + quoted(command.summary) + "'\n";
    std::string words;
    std::vector<std::string> seen;
    if (command.name == "data") words += " '1:action:(check describe convert prompts overlap)'";
    if (command.name == "completion") words += " '1:shell:(bash zsh)'";
    for (const CommandHelp& part : command.parts) {
      for (const OptionHelp& option : part.options) {
        if (ranges::find(seen, option.name) != seen.end()) continue;
        seen.push_back(option.name);
        words += " \\\n        '--" + option.name + "[" + quoted(option.help) + "]";
        const ValueKind kind = kind_of_value(option.value);
        if (!option.value.empty()) words += ":" + quoted(option.value) + ":";
        if (kind.is_file) {
          words += "_files";
        } else if (!kind.words.empty()) {
          words += "(" + text_list(kind.words, {}, " ") + ")";
        }
        words += "'";
      }
    }
    cases += "    " + command.name + ") _arguments" + words + " \\\n        '*:file:_files' ;;\n";
  }
  return "#compdef plumb\n"
         "# zsh completion for plumb, written by `plumb completion zsh`.\n"
         "_plumb() {\n  local -a commands=(\n" +
         names +
         "  )\n"
         "  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
         "  shift words\n  ((CURRENT--))\n"
         "  case $words[1] in\n" +
         cases + "  esac\n}\n_plumb \"$@\"\n";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
