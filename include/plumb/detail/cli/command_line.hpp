// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is plumb called?
//
// `run_command_line` is the whole command over any backend, so an embedder's main is three lines:
//
//   int main(int argc, char** argv) {
//     return plumb::run_command_line(
//         argc, argv, [](const plumb::ModelOptions& options) { return MyModel(options.model); });
//   }
// Any backend that is a CausalLm, a LookupLm or a MaskedLm will do; a command that needs more says so. All
// subcommands are compiled with it, which takes minutes, unless they are linked: CMake's
// plumb::command is a library of them, compiled once, and defines PLUMB_COMPILED_COMMAND.
//
// Exit codes: 0 done, 2 for what the user can fix, 1 for what broke, 130 for Ctrl-C, 143 for SIGTERM.
// Results go to stdout, all else to stderr.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/cli/interrupt.hpp"
#include "plumb/detail/cli/manual.hpp"
#include "plumb/detail/cli/printable_stream.hpp"
#include "plumb/detail/cli/terminal_width.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/suggestion.hpp"
#include "plumb/detail/core/version.hpp"
#include "plumb/detail/rank/entity_ranking.hpp"

#ifndef PLUMB_COMPILED_COMMAND
#include "plumb/detail/cli/calibrate.hpp"
#include "plumb/detail/cli/compare.hpp"
#include "plumb/detail/cli/data.hpp"
#include "plumb/detail/cli/generate.hpp"
#include "plumb/detail/cli/many_shot.hpp"
#include "plumb/detail/cli/merge.hpp"
#include "plumb/detail/cli/models.hpp"
#include "plumb/detail/cli/probe.hpp"
#include "plumb/detail/cli/rank.hpp"
#include "plumb/detail/cli/report.hpp"
#endif

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

#ifdef PLUMB_COMPILED_COMMAND
/// The subcommands of the same names, compiled elsewhere (cmake/subcommands.cpp.in).
namespace compiled {

int run_probe_command(Console& console, const ModelMaker& make_model);
int run_many_shot_command(Console& console, const ModelMaker& make_model);
int run_rank_command(Console& console, const ModelMaker& make_model);
int run_generate_command(Console& console, const ModelMaker& make_model);
int run_calibrate_command(Console& console, const ModelMaker& make_model);
int run_data_command(Console& console, const ModelMaker& make_model);
int run_compare_command(Console& console);
int run_merge_command(Console& console);
int run_report_command(Console& console);
int run_models_command(Console& console, const ModelMaker& make_model);

}  // namespace compiled
#endif

#ifdef PLUMB_COMPILED_COMMAND
namespace subcommands = compiled;
#else
namespace subcommands = ::plumb::detail;
#endif

inline constexpr const char* command_usage =
    "plumb asks a language model what facts it holds, and how sure it is of them.\n\n"
    "  plumb probe      closed-set likelihood probe of a dataset\n"
    "  plumb many-shot  zero-prompt many-shot probe: facts shown as bare pairs (IC-LKE, EIC-LKE)\n"
    "  plumb rank       entities of a knowledge graph: embeddings (DEER), likelihood, LM head\n"
    "  plumb generate   many prompts for each fact: answers, consistency, confidence (BELIEF)\n"
    "  plumb calibrate  confidence and its error, from a model or from results folders\n"
    "  plumb compare    two or more runs: accuracy, shared knowledge; beside published numbers\n"
    "  plumb data       check, describe or convert a dataset; a run's prompts; facts in texts\n"
    "  plumb merge      the shards of one job (--shard I/N) into one run folder\n"
    "  plumb report     page and table from a run folder or an lm-pub-quiz result folder\n"
    "  plumb models     models at hand, what each can be asked, and what to do where it cannot\n"
    "  plumb manual     all options of all commands, as a man page\n"
    "  plumb completion bash|zsh: what a shell completes\n\n"
    "`plumb COMMAND --help` or `plumb help COMMAND` lists a command's options; `plumb --version`\n"
    "prints the version.\n";

inline int run_command(const std::string& command, Console& console, const ModelMaker& make_model);

/// What every subcommand says with --help.
inline std::vector<CommandManual> manual_of_all(const Console& console,
                                                const ModelMaker& make_model) {
  std::vector<CommandManual> all = commands_of(command_usage);
  std::ostringstream nowhere;
  const auto ask = [&](CommandManual& command, std::vector<std::string> words) {
    Console asking{std::move(words), nowhere, nowhere};
    asking.takes = console.takes;
    asking.on_help = [&](const CommandHelp& help) { command.parts.push_back(help); };
    (void)run_command(command.name, asking, make_model);
  };
  for (CommandManual& command : all) {
    if (command.name == "manual" || command.name == "completion") continue;
    ask(command, {"--help"});
    if (command.name != "data") continue;
    ask(command, {"prompts", "--help"});
    ask(command, {"overlap", "--help"});
  }
  return all;
}

/// `plumb help data prompts` is `plumb data prompts --help`.
inline int run_help(const Console& console, const ModelMaker& make_model) {
  Console asking = console;
  const std::string command = asking.arguments.front();
  asking.arguments.erase(asking.arguments.begin());
  asking.arguments.emplace_back("--help");
  return run_command(command, asking, make_model);
}

/// The error of a word that is no command, with the one that may be meant.
inline Error unknown_command(const std::string& command) {
  if (command.empty()) {
    return user_error({}, "no command given", "`plumb --help` lists what there is");
  }
  std::vector<std::string> known;
  for (const CommandManual& one : commands_of(command_usage)) known.push_back(one.name);
  return user_error({}, "unknown command '" + command + "'",
                    did_you_mean(command, known) + "`plumb --help` lists what there is");
}

/// Throws a user error for a command that leaves all processes but one idle.
inline void refuse_alone(const std::string& command, const EntityRanking& ranking) {
  const auto shared = {"rank", "manual", "completion", "models", "--version"};
  if (ranking.processes() == 1 ||
      std::find(shared.begin(), shared.end(), command) != shared.end()) {
    return;
  }
  throw user_error({.field = "plumb " + command},
                   "is done by one process, and there are " + std::to_string(ranking.processes()),
                   "start it without mpirun; a job is parted by `shard`");
}

/// Throws a user error where mpirun started several of a program that shares nothing among them.
inline void refuse_several(const Console& console) {
  const std::string processes = console.variable("OMPI_COMM_WORLD_SIZE");
  if (processes.empty() || processes == "1") return;
  throw user_error(
      {}, "started " + processes + " times by mpirun, and built without MPI",
      "configure plumb with -DPLUMB_MPI=ON for `plumb rank`, or start it once; `shard` "
      "parts a job");
}

inline int run_command(const std::string& command, Console& console, const ModelMaker& make_model) {
  const auto& words = console.arguments;
  const bool asks_help = words.size() == 1 && (words[0] == "--help" || words[0] == "-h");
  const bool has_options = command != "manual" && command != "completion";
  if (command == "--help" || command == "-h" || (command == "help" && words.empty()) ||
      (asks_help && !has_options)) {
    console.out << command_usage;
    return 0;
  }
  if (command == "help") return run_help(console, make_model);
  if (!console.run) {
    console.run = [&make_model](const std::string& of, Console& asking) {
      return run_command(of, asking, make_model);
    };
  }
  if (console.ranking != nullptr) {
    refuse_alone(command, *console.ranking);
  } else {
    refuse_several(console);
  }
  if (command == "probe") return subcommands::run_probe_command(console, make_model);
  if (command == "calibrate") return subcommands::run_calibrate_command(console, make_model);
  if (command == "many-shot") return subcommands::run_many_shot_command(console, make_model);
  if (command == "rank") return subcommands::run_rank_command(console, make_model);
  if (command == "generate") return subcommands::run_generate_command(console, make_model);
  if (command == "compare") return subcommands::run_compare_command(console);
  if (command == "data") return subcommands::run_data_command(console, make_model);
  if (command == "report") return subcommands::run_report_command(console);
  if (command == "merge") return subcommands::run_merge_command(console);
  if (command == "models") return subcommands::run_models_command(console, make_model);
  if (command == "manual") {
    console.out << man_page(manual_of_all(console, make_model), PLUMB_VERSION);
    return 0;
  }
  if (command == "completion") {
    const std::string shell = console.arguments.size() == 1 ? console.arguments.front() : "";
    if (shell != "bash" && shell != "zsh") {
      throw user_error({.field = "plumb completion"}, "'" + shell + "' is not a choice",
                       "say plumb completion bash or plumb completion zsh");
    }
    const auto all = manual_of_all(console, make_model);
    console.out << (shell == "bash" ? bash_completion(all) : zsh_completion(all));
    return 0;
  }
  if (command == "--version") {
    console.out << "plumb " << PLUMB_VERSION << "\n";
    return 0;
  }
  throw unknown_command(command);
}

/// `console` must print what is printable alone.
inline int run_printable(const std::string& command, Console& console,
                         const ModelMaker& make_model) {
  try {
    const int code = run_command(command, console, make_model);
    console.out.flush();
    if (!console.out) throw internal_error({}, "the results could not be written to stdout");
    return code;
  } catch (const Interrupted& stopped) {
    console.err << "plumb: " << as_options(stopped.what()) << std::endl;
    return stopped.code();
  } catch (const Error& error) {
    console.err << "plumb: " << config_of_error(console, error) << as_options(error.what())
                << std::endl;
    return error.fault() == Fault::user ? 2 : 1;
  } catch (const std::filesystem::filesystem_error& error) {
    const bool fixable = error.code() == std::errc::permission_denied ||
                         error.code() == std::errc::read_only_file_system ||
                         error.code() == std::errc::no_such_file_or_directory ||
                         error.code() == std::errc::not_a_directory;
    console.err << "plumb: " << error.path1().string() << ": " << error.code().message()
                << "; check the path and its permissions" << std::endl;
    return fixable ? 2 : 1;
  } catch (const std::bad_alloc&) {
    console.err
        << "plumb: out of memory; give it more, or ask less at once (--limit, --relations); "
           "what a job has done is kept, and it goes on with --resume"
        << std::endl;
    return 1;
  } catch (const std::exception& error) {
    console.err << "plumb: " << error.what() << std::endl;
    return 1;
  }
}

inline int run_guarded(const std::string& command, Console& console, const ModelMaker& make_model) {
  PrintableStream out(console.out), err(console.err);
  Console shown{.arguments = console.arguments,
                .out = out,
                .err = err,
                .err_is_terminal = console.err_is_terminal,
                .width = console.width,
                .on_help = console.on_help,
                .environment = console.environment,
                .catches_interrupt = console.catches_interrupt,
                .merged = console.merged,
                .bar = &console.err,
                .ranking = console.ranking,
                .program = console.program,
                .takes = console.takes};
  if (!shown.takes) shown.takes = [&](std::string_view option) { return make_model.takes(option); };
  const int code = run_printable(command, shown, make_model);
  console.asked = std::move(shown.asked);
  return code;
}

/// Runs the command on the given console and turns every error into one line and an exit code.
/// `make_model` is what a ModelMaker is made of: it returns a CausalLm, a LookupLm or a MaskedLm by value.
template <class MakeModel>
int run_command_line(const std::string& command, Console& console, MakeModel make_model) {
  return detail::run_guarded(command, console, ModelMaker(std::move(make_model)));
}

/// The command of a whole program. A `ranking`, which must outlive it, shares DEER's entities among
/// several processes (mpi_command_line.hpp).
template <class MakeModel>
int run_command_line(int argc, char** argv, MakeModel make_model,
                     EntityRanking* ranking = nullptr) {
  // A stream that was closed would lend its number to the next file that is opened.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == -1) (void)!open("/dev/null", O_RDWR);
  }
  Console console{
      .arguments = {argv + (std::min)(argc, 2), argv + argc},
      .out = std::cout,
      .err = std::cerr,
      .err_is_terminal = isatty(STDERR_FILENO) != 0,
      .width = detail::table_width(std::getenv("COLUMNS"), detail::terminal_width(STDOUT_FILENO))};
  console.catches_interrupt = true;
  console.ranking = ranking;
  if (argc > 0) console.program = argv[0];
  console.environment = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  return run_command_line(argc > 1 ? argv[1] : "", console, std::move(make_model));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
