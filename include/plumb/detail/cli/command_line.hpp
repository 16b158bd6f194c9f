// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is the plumb command run?
//
// `run_command_line` implements the whole command for any backend, so the main function of an
// embedding program has three lines:
//
//   int main(int argc, char** argv) {
//     return plumb::run_command_line(
//         argc, argv, [](const plumb::ModelOptions& options) { return MyModel(options.model); });
//   }
// The backend is a CausalLm, a LookupLm or a MaskedLm; a command that needs more than the backend
// provides reports an error. Compiling this header compiles all subcommands, which takes minutes.
// CMake's target plumb::command avoids that: it links the subcommands from a library that is
// compiled once, and defines PLUMB_COMPILED_COMMAND.
//
// Exit codes: 0 success, 1 internal error, 2 error that the user can fix, 3 failed condition of
// `compare --assert`, 130 Ctrl-C, 143 SIGTERM. Results go to stdout, everything else to stderr.

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
/// The functions that run the subcommands, compiled in a different file (cmake/subcommands.cpp.in).
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
    "plumb measures what facts a language model knows, how confident it is in them,\n"
    "and whether that confidence is justified.\n\n"
    "Example: plumb probe --data examples/facts --model MODEL --out runs/probe\n\n"
    "  plumb probe      closed-set probe: is the true statement the likeliest (BEAR)?\n"
    "  plumb many-shot  subject-object pairs, without a template (IC-LKE, EIC-LKE)\n"
    "  plumb rank       rank all entities: embeddings (DEER), likelihood, LM head\n"
    "  plumb generate   many prompts per fact: accuracy, consistency (BELIEF)\n"
    "  plumb calibrate  confidence estimators and calibration error\n"
    "  plumb compare    two or more runs, or runs and published numbers\n"
    "  plumb data       check, describe or convert a dataset; list a run's prompts\n"
    "  plumb merge      join the shards of a job (--shard I/N) into one run\n"
    "  plumb report     page and tables of a run, or of lm-pub-quiz's results\n"
    "  plumb models     list local models and what plumb can do with each\n"
    "  plumb manual     all options of all commands, as a man page\n"
    "  plumb completion bash|zsh: completion script for a shell\n\n"
    "`plumb COMMAND --help` lists a command's options; `plumb --version` prints the\n"
    "version.\n";

inline int run_command(const std::string& command, Console& console, const ModelMaker& make_model);

/// The help texts of all subcommands.
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

/// Runs `plumb help data prompts` as `plumb data prompts --help`, and `plumb help probe all` as
/// `plumb probe --help all`.
inline int run_help(const Console& console, const ModelMaker& make_model) {
  Console asking = console;
  const std::string command = asking.arguments.front();
  asking.arguments.erase(asking.arguments.begin());
  const bool wants_all = !asking.arguments.empty() && asking.arguments.back() == "all";
  if (wants_all) asking.arguments.pop_back();
  asking.arguments.emplace_back("--help");
  if (wants_all) asking.arguments.emplace_back("all");
  return run_command(command, asking, make_model);
}

/// The error for an unknown command, with a suggestion.
inline Error unknown_command(const std::string& command) {
  if (command.empty()) {
    return user_error({}, "no command given", "`plumb --help` lists the commands");
  }
  std::vector<std::string> known;
  for (const CommandManual& one : commands_of(command_usage)) known.push_back(one.name);
  return user_error({}, "unknown command '" + command + "'",
                    did_you_mean(command, known) + "`plumb --help` lists the commands");
}

/// Throws a user error if several processes run a command that uses only one process.
inline void refuse_alone(const std::string& command, const EntityRanking& ranking) {
  const auto shared = {"rank", "manual", "completion", "models", "--version"};
  if (ranking.processes() == 1 ||
      std::find(shared.begin(), shared.end(), command) != shared.end()) {
    return;
  }
  throw user_error({.field = "plumb " + command},
                   "runs in one process, but there are " + std::to_string(ranking.processes()),
                   "start it without mpirun; `shard` splits a job");
}

/// Throws a user error if mpirun has started more than one copy of a program built without MPI.
inline void refuse_several(const Console& console) {
  const std::string processes = console.variable("OMPI_COMM_WORLD_SIZE");
  if (processes.empty() || processes == "1") return;
  throw user_error(
      {}, "mpirun started plumb " + processes + " times, but plumb is built without MPI",
      "configure plumb with -DPLUMB_MPI=ON for `plumb rank`, or start it once; `shard` "
      "splits a job");
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
      throw user_error({.field = "plumb completion"}, "'" + shell + "' is not a valid choice",
                       "use plumb completion bash or plumb completion zsh");
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

/// `console` must print only printable characters (printable_stream.hpp).
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
        << "plumb: out of memory; free memory, or run a smaller job (--limit, --relations); "
           "finished work is saved, and --resume continues it"
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
/// `make_model` is passed to a ModelMaker: it returns a CausalLm, a LookupLm or a MaskedLm by
/// value.
template <class MakeModel>
int run_command_line(const std::string& command, Console& console, MakeModel make_model) {
  return detail::run_guarded(command, console, ModelMaker(std::move(make_model)));
}

/// Implements a program's main function. `ranking`, if not null, must outlive the call; it divides
/// DEER's entities among several processes (mpi_command_line.hpp).
template <class MakeModel>
int run_command_line(int argc, char** argv, MakeModel make_model,
                     EntityRanking* ranking = nullptr) {
  // If a standard stream is closed, the next file to be opened would get that stream's number.
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
