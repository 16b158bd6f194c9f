// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every subcommand receives: its arguments, its output streams, and a way to create models.

#include <signal.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plumb/detail/backend/any_model.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/engine_options.hpp"
#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/report/report.hpp"
#include "plumb/detail/report/text_table.hpp"
#include "plumb/detail/run/progress.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct MergedShards;  // run/merge_shards.hpp
class EntityRanking;  // rank/entity_ranking.hpp

/// A message from the library, with its settings written as options: `bos` becomes --bos.
inline std::string as_options(std::string_view text) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find('`', at);
    const std::size_t end = begin == text.npos ? text.npos : text.find('`', begin + 1);
    if (end == text.npos) return made.append(text.substr(at));
    const std::string_view name = text.substr(begin + 1, end - begin - 1);
    const bool is_setting =
        !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == name.npos;
    made.append(text.substr(at, begin - at));
    made.append(is_setting ? "--" + std::string(name)
                           : std::string(text.substr(begin, end - begin)));
    at = is_setting ? end + 1 : end;
  }
  return made;
}

/// What `--help` shows for an option: its name, the placeholder for its value (empty for a switch),
/// its default (empty if there is none) and its description.
struct OptionHelp {
  std::string name, value, standard, help;
};
/// What `--help` shows for a subcommand; `usage` may contain several lines.
struct CommandHelp {
  std::string usage;
  std::vector<OptionHelp> options;
};

/// An option with its arguments; a switch has none.
struct GivenOption {
  std::string name;
  std::vector<std::string> words{};
  /// Whether the option accepts several arguments.
  bool several = false;
};

/// The options of a command after parsing.
struct AskedOptions {
  /// All options that were specified, from every source; used to repeat the command.
  std::vector<GivenOption> given{};
  /// The --config file, and the names of the options that were taken from it.
  std::string config{};
  std::vector<std::string> of_config{};
  /// The --config file if it is a run.json; otherwise empty.
  std::string record{};
};

/// How a command shows its results (shown_output.hpp).
struct ShownOutput {
  bool quiet = false;
  bool json = false;
  TableFormat format = TableFormat::terminal;

  [[nodiscard]] bool is_for_people() const {
    return !quiet && !json && format == TableFormat::terminal;
  }
};

struct Console;

/// Runs another subcommand, by name, and returns its exit code.
using CommandRunner = std::function<int(const std::string& command, Console& console)>;

/// Where a command reads its arguments and writes its output. Tests and embedding programs supply
/// their own consoles.
struct Console {
  std::vector<std::string> arguments;  // after the subcommand
  std::ostream& out;
  std::ostream& err;
  /// Whether `err` is a terminal, for the progress bar.
  bool err_is_terminal = false;
  /// The maximum width of the tables on `out`, in characters; 0 means no limit
  /// (terminal_width.hpp).
  std::size_t width = 0;
  /// If set, receives the help text, which `--help` then does not print.
  std::function<void(const CommandHelp&)> on_help{};
  /// Returns the value of an environment variable, or an empty string if it is not set. If this
  /// function is not set, the command reads no environment variables.
  std::function<std::string(const char* name)> environment{};
  /// Whether Ctrl-C and SIGTERM end a job after its current pack (interrupt.hpp).
  bool catches_interrupt = false;
  /// The options as parsed; written by the command.
  AskedOptions asked{};
  ShownOutput shown{};
  /// The shards from which a job reads packs instead of running the model.
  std::shared_ptr<const MergedShards> merged{};
  /// The unfiltered stream that `err` writes to; used by the progress bar, which moves the cursor.
  /// If null, the bar uses `err` itself.
  std::ostream* bar = nullptr;
  /// If set, receives a job's progress, and no bar is shown.
  ProgressCallback on_progress{};
  /// Divides DEER's entities among several processes; null if this process runs alone.
  EntityRanking* ranking = nullptr;
  /// The name under which the program was started.
  std::string program = "plumb";
  /// Runs another subcommand of this program; empty if the program does not support this.
  CommandRunner run{};
  /// The current model's information from the table of models, for run.json (model_table.hpp).
  Json model_known = Json::object();
  /// Whether the program's engine supports an engine option. If empty, the engine supports all of
  /// them.
  std::function<bool(std::string_view option)> takes{};

  [[nodiscard]] bool engine_takes(std::string_view option) const { return !takes || takes(option); }
  [[nodiscard]] std::string variable(const char* name) const {
    return environment ? environment(name) : "";
  }
};

/// "run.json: " for an error about an option that came from the --config file; otherwise empty.
[[nodiscard]] inline std::string config_of_error(const Console& console, const Error& error) {
  const AskedOptions& asked = console.asked;
  std::string name = error.site().setting;
  if (name.empty() && error.site().field.starts_with("--")) name = error.site().field.substr(2);
  for (char& c : name) c = c == '_' ? '-' : c;
  const bool gave =
      std::find(asked.of_config.begin(), asked.of_config.end(), name) != asked.of_config.end();
  return gave ? asked.config + ": " : "";
}

/// Where a progress bar is drawn.
inline std::ostream& bar_of(const Console& console) {
  return console.bar != nullptr ? *console.bar : console.err;
}

/// The maximum width of a table on the console, with a note for tables that do not fit. `page` is
/// the page with all columns, or empty.
inline TableWidth width_on(const Console& console, const std::string& page = "") {
  return {console.width,
          (page.empty() ? "" : "see " + page + ", or ") + "set COLUMNS for a wider table"};
}

/// The options from which a backend is created; see `run_command_line`.
struct ModelOptions {
  std::filesystem::path model;
  Precision precision = Precision::exact;
  int threads = 0;
  /// Whether the text of a special token is tokenized as that token. Only set for a model that
  /// lists its special tokens (ListsSpecialTokens).
  bool parse_special_tokens = false;
  /// Settings for GPUs, adapters, cache and nodes per step, if the user set them.
  EngineOptions engine{};
  /// The URL of a server that runs the model; `model` is then empty.
  std::string server{};
  /// The number of concurrent requests to the server, and a local copy of its model's tokenizer, if
  /// the user set them.
  std::optional<std::size_t> concurrency{};
  std::filesystem::path tokenizer{};
  /// Whether only the tokenizer and the description will be used, so that the model does not need
  /// to be prepared for evaluation.
  bool only_tokens = false;
  /// Whether the user wants no notes, such as that a server is slow.
  bool quiet = false;
};

/// A causal model (CausalLm or LookupLm) predicts what follows a text; a masked model predicts
/// masked tokens.
enum class ModelKind { causal, masked };

/// The kind of a model of type M; nullopt if the type allows both, as AnyModel does.
template <class M>
[[nodiscard]] constexpr std::optional<ModelKind> kind_of_type() {
  if constexpr (ScoringLm<M> && MaskedLm<M>) return std::nullopt;
  return ScoringLm<M> ? ModelKind::causal : ModelKind::masked;
}

/// Creates the model for a subcommand, and can report its kind beforehand.
class ModelMaker {
 public:
  /// `make(ModelOptions)` returns a CausalLm, a LookupLm or a MaskedLm by value. `make` may also
  /// have these members:
  /// - `kind(ModelOptions)`, useful if `make` returns an AnyModel: returns a ModelKind without
  ///   loading anything, so that a command can reject an unsupported kind before a model is loaded.
  /// - `takes(option)`: returns whether `make` supports an option of ModelOptions other than model,
  ///   threads and special tokens; `option` is the option's name ("server", "precision",
  ///   "gpu-layers"). Without this member the command has none of these options.
  /// - `inspect(ModelOptions)`: without reading the model's weights, returns a ModelKind or throws
  ///   the user error that creating the model would throw.
  /// - `chat_renderer()`: returns a ChatRenderer. Without this member, the command rejects --chat.
  template <class Make>
  requires(!std::same_as<Make, ModelMaker>) explicit(false)
      ModelMaker(Make make) {  // NOLINT(google-explicit-constructor): as std::function
    using Model = std::invoke_result_t<Make&, const ModelOptions&>;
    if constexpr (requires(const ModelOptions& options) { make.kind(options); }) {
      kind_ = [make](const ModelOptions& options) { return std::optional(make.kind(options)); };
    } else {
      kind_ = [](const ModelOptions&) { return kind_of_type<Model>(); };
    }
    if constexpr (requires {
                    { make.takes(std::string_view()) } -> std::same_as<bool>;
                  }) {
      takes_ = [make](std::string_view option) { return make.takes(option); };
    }
    if constexpr (requires(const ModelOptions& options) { make.inspect(options); }) {
      inspect_ = [make](const ModelOptions& options) { return make.inspect(options); };
    }
    if constexpr (requires { make.chat_renderer(); }) chat_renderer_ = make.chat_renderer();
    make_ = [make](const ModelOptions& options) mutable {
      return AnyModel::made_by([&] { return make(options); });
    };
  }

  [[nodiscard]] AnyModel operator()(const ModelOptions& options) const { return make_(options); }
  /// Whether the engine supports an engine option.
  [[nodiscard]] bool takes(std::string_view option) const { return takes_ && takes_(option); }
  /// Returns nullopt if the kind is not known before the model is loaded.
  [[nodiscard]] std::optional<ModelKind> kind(const ModelOptions& options) const {
    return kind_(options);
  }
  /// Empty if the program has no engine for chat templates.
  [[nodiscard]] const ChatRenderer& chat_renderer() const noexcept { return chat_renderer_; }
  [[nodiscard]] bool inspects() const { return inspect_ != nullptr; }
  /// Throws the user error that creating the model would throw, if the problem can be found without
  /// reading the weights. Requires `inspects()`.
  [[nodiscard]] ModelKind inspect(const ModelOptions& options) const { return inspect_(options); }

 private:
  std::function<AnyModel(const ModelOptions&)> make_;
  std::function<std::optional<ModelKind>(const ModelOptions&)> kind_;
  std::function<ModelKind(const ModelOptions&)> inspect_;
  std::function<bool(std::string_view)> takes_;
  ChatRenderer chat_renderer_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
