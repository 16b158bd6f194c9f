// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every subcommand is given: where its words come from, where its output goes, and how a model
// is made.

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

/// A text of the library with the options that its settings have here: `bos` is --bos.
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

/// What `--help` tells of an option: its name, what stands for its value (nothing for a switch), its
/// default (nothing where there is none) and what it does.
struct OptionHelp {
  std::string name, value, standard, help;
};
/// The same of a subcommand; `usage` may be several lines.
struct CommandHelp {
  std::string usage;
  std::vector<OptionHelp> options;
};

/// An option with its words; a switch has none.
struct GivenOption {
  std::string name;
  std::vector<std::string> words{};
  /// Whether it takes several.
  bool several = false;
};

/// What a command's words came to, once they are read.
struct AskedOptions {
  /// All that was given, wherever, so that it can be asked again.
  std::vector<GivenOption> given{};
  /// The file of --config, and the names of the options that were taken from it.
  std::string config{};
  std::vector<std::string> of_config{};
  /// The same file, where it is the run.json of a run.
  std::string record{};
};

/// How a command shows what it found (shown_output.hpp).
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

/// Where a command reads its words and writes its output, so that a test or an embedder can look
/// on.
struct Console {
  std::vector<std::string> arguments;  // after the subcommand
  std::ostream& out;
  std::ostream& err;
  /// Whether `err` is a terminal, for the progress bar.
  bool err_is_terminal = false;
  /// How many characters wide the tables on `out` may be; 0 for any width (terminal_width.hpp).
  std::size_t width = 0;
  /// Takes what `--help` would print, where it is to be written down otherwise.
  std::function<void(const CommandHelp&)> on_help{};
  /// What a variable of the environment holds, empty where it is not set; without it there are
  /// none.
  std::function<std::string(const char* name)> environment{};
  /// Whether a job is to end at Ctrl-C or SIGTERM between two packs (interrupt.hpp).
  bool catches_interrupt = false;
  /// Written by the command.
  AskedOptions asked{};
  ShownOutput shown{};
  /// The shards whose packs a job takes instead of asking the model.
  std::shared_ptr<const MergedShards> merged{};
  /// `err` as it is, for the progress bar, which moves the cursor; null where `err` is.
  std::ostream* bar = nullptr;
  /// Is told how far a job is, in place of a bar.
  ProgressCallback on_progress{};
  /// What shares DEER's entities among several processes; null: this process alone.
  EntityRanking* ranking = nullptr;
  /// What the command was called by.
  std::string program = "plumb";
  /// Runs another subcommand of this program; empty where there is none.
  CommandRunner run{};
  /// What a table of models says of the one that is asked, for run.json (model_table.hpp).
  Json model_known = Json::object();
  /// Whether the program's engine heeds an option that is an engine's; empty: it heeds all of them.
  std::function<bool(std::string_view option)> takes{};

  [[nodiscard]] bool engine_takes(std::string_view option) const { return !takes || takes(option); }
  [[nodiscard]] std::string variable(const char* name) const {
    return environment ? environment(name) : "";
  }
};

/// "run.json: " before an error about an option that the file of --config gave; else nothing.
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

/// How wide a table may be on the console; `page` has all of its columns, and may be empty.
inline TableWidth width_on(const Console& console, const std::string& page = "") {
  return {console.width,
          (page.empty() ? "" : "see " + page + ", or ") + "set COLUMNS for a wider table"};
}

/// What a backend is made from; see `run_command_line`.
struct ModelOptions {
  std::filesystem::path model;
  Precision precision = Precision::exact;
  int threads = 0;
  /// Whether the text of a special token is to be the token: only where the model lists its special
  /// tokens (ListsSpecialTokens) is it ever asked for.
  bool parse_special_tokens = false;
  /// GPUs, adapters, cache and nodes a step, as far as they were said.
  EngineOptions engine{};
  /// The URL of a server that is asked in place of a model here, and then `model` is empty.
  std::string server{};
  /// Requests to it at once; and its model's tokenizer here, where one is given.
  std::size_t concurrency = 8;
  std::filesystem::path tokenizer{};
  /// Whether nothing but its tokenizer and its description will be asked, so that nothing need be made
  /// ready for more.
  bool only_tokens = false;
};

/// Whether it predicts what follows a text, by rows or by lookups, or what is masked in it.
enum class ModelKind { causal, masked };

/// The kind of the models of a type, where the type tells: an AnyModel may be either.
template <class M>
[[nodiscard]] constexpr std::optional<ModelKind> kind_of_type() {
  if constexpr (ScoringLm<M> && MaskedLm<M>) return std::nullopt;
  return ScoringLm<M> ? ModelKind::causal : ModelKind::masked;
}

/// Makes the model that a subcommand asks, and says beforehand of which kind it will be.
class ModelMaker {
 public:
  /// `make(ModelOptions)` returns a CausalLm, a LookupLm or a MaskedLm by value. Where that is an AnyModel it may
  /// have `kind(ModelOptions)`, which returns a ModelKind and loads nothing, so that what a model of
  /// that kind cannot do is refused before one is loaded. What of ModelOptions it heeds beside model,
  /// threads and special tokens it says in `takes(option)`, by the options' names ("server", "precision",
  /// "gpu-layers"); without that the command has none of them. It may have `inspect(ModelOptions)`, which
  /// returns a ModelKind, or throws the user error that asking for the model would, without its weights.
  /// It may have `chat_renderer()`, which returns a ChatRenderer; without it the command refuses --chat.
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
  /// Whether an option that is an engine's has an effect on it.
  [[nodiscard]] bool takes(std::string_view option) const { return takes_ && takes_(option); }
  /// Nothing where it is not known before the model is there.
  [[nodiscard]] std::optional<ModelKind> kind(const ModelOptions& options) const {
    return kind_(options);
  }
  /// Empty where the program has no engine for chat templates.
  [[nodiscard]] const ChatRenderer& chat_renderer() const noexcept { return chat_renderer_; }
  [[nodiscard]] bool inspects() const { return inspect_ != nullptr; }
  /// Throws the user error that asking for the model would, as far as that is known without its weights.
  /// Only where it `inspects`.
  [[nodiscard]] ModelKind inspect(const ModelOptions& options) const { return inspect_(options); }

 private:
  std::function<AnyModel(const ModelOptions&)> make_;
  std::function<std::optional<ModelKind>(const ModelOptions&)> kind_;
  std::function<ModelKind(const ModelOptions&)> inspect_;
  std::function<bool(std::string_view)> takes_;
  ChatRenderer chat_renderer_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
