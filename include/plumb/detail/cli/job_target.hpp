// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which model does a command use, and where do its results go?

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/detail/backend/any_model.hpp"
#include "plumb/detail/backend/engine_options.hpp"
#include "plumb/detail/backend/start_check.hpp"
#include "plumb/detail/cli/background_hash.hpp"
#include "plumb/detail/cli/file_hash.hpp"
#include "plumb/detail/cli/model_files.hpp"
#include "plumb/detail/cli/model_places.hpp"
#include "plumb/detail/cli/model_table.hpp"
#include "plumb/detail/cli/setting_options.hpp"
#include "plumb/detail/core/cores.hpp"
#include "plumb/detail/records/results_kind.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/run/engine_settings.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/merge_shards.hpp"
#include "plumb/detail/run/provenance.hpp"
#include "plumb/detail/run/replaced_folder.hpp"
#include "plumb/detail/run/shard.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The arguments of the setting `model`. Several arguments, or an argument of the form NAME=MODEL,
/// select several models; any other single argument is the model.
template <class Target>
struct ModelWords {
  Target& target;

  void read(const std::vector<std::string>& words) {
    if constexpr (!std::is_const_v<Target>) {
      const bool is_named = words.size() == 1 && asked_model(words.front()).word != words.front();
      target.several.clear();
      if (words.size() > 1 || is_named) {
        target.several = words;
      } else {
        target.model = words.front();
      }
    }
  }
  /// The arguments as run.json stores them.
  template <class Whole>
  [[nodiscard]] std::vector<std::string> words_with_paths(const Whole& whole) const {
    if (target.several.empty()) return {whole(target.model.string())};
    std::vector<std::string> words;
    for (const std::string& word : target.several) {
      const AskedModel one = asked_model(word);
      words.push_back((one.word == word ? "" : one.name + "=") + whole(one.word));
    }
    return words;
  }
};

/// The options of every command that runs a model.
struct JobTarget {
  std::filesystem::path out{}, model{};
  /// The arguments that specify several models, and a table of models (model_table.hpp). At most
  /// one of `several`, the table and `model` is set.
  std::vector<std::string> several{};
  std::filesystem::path models{};
  Precision precision = Precision::exact;
  /// 0 means one thread per core.
  std::size_t threads = 0;
  EngineSettings engine{};
  bool resume = false;
  /// Whether the new run replaces a run in `out` once the new run is complete.
  bool overwrite = false;
  /// Whether the model was specified by the variable PLUMB_MODEL. If so, errors about the model
  /// refer to that variable.
  bool model_of_variable = false;
  /// Whether the engine supports `precision`; if it does not, its precision is unknown.
  bool takes_precision = true;
  /// For a model specified as hf:OWNER/NAME: the user's argument, and the model's name in results.
  /// Otherwise both are empty.
  std::string model_given{}, model_name{};
  /// The information about this model from a table of models (model_table.hpp); an empty object if
  /// there is none.
  Json model_known = Json::object();
  /// Whether to print only the plan.
  bool dry_run = false;
  /// Whether to print only errors.
  bool quiet = false;
  /// The part of the job that this process runs.
  Shard shard{};
  /// The URL of a server that runs the model instead of this process, the number of concurrent
  /// requests to it, and a local copy of its tokenizer.
  std::string server{};
  std::optional<std::size_t> concurrency{};
  std::filesystem::path tokenizer{};
  /// The model's hash, which `find_model` begins to compute; null in a dry run, and if the model is
  /// not a file or folder.
  std::shared_ptr<BackgroundHash> hash{};
  /// Returns the facts about the most recently created model that run.json records.
  std::shared_ptr<std::function<Json()>> model_facts = std::make_shared<std::function<Json()>>();
  /// What `model_facts` last returned; null before that.
  std::shared_ptr<Json> stated_facts = std::make_shared<Json>();

  template <class Self, class Visitor>
  static void visit_out(Self& self, Visitor& visitor) {
    visitor("out", self.out, {.value = "RUN", .help = "folder to write"});
  }
  template <class Self, class Visitor>
  static void visit_model(Self& self, Visitor& visitor) {
    ModelWords<Self> words{self};
    visitor(
        "model", words,
        {.value = "[NAME=]MODEL",
         .help = "the model: a .gguf file, a Hugging Face folder, or a downloaded "
                 "hf:OWNER/NAME[/FILE] (`plumb models` lists them); if repeated, all models are "
                 "run and compared",
         .variable = "PLUMB_MODEL"});
    visitor("models", self.models,
            {.value = "FILE",
             .help = "run all models of a .csv or .jsonl table (name, path, and options that "
                     "differ), each into RUN/NAME, and compare them in RUN/comparison"});
    const char* const on_server =
        self.server.empty() ? "" : "with a `server`, which has its own flags; remove it";
    const char* const no_server = self.server.empty() ? "without a `server`; set one" : "";
    const EngineVisitor of_engine(visitor);
    of_engine("server", self.server,
              {.value = "URL",
               .help = "use the model of a llama-server, vLLM or SGLang server instead of `model`; "
                       "PLUMB_API_KEY provides a key"});
    of_engine("concurrency", self.concurrency,
              {.value = "N",
               .help = "concurrent requests to `server`; default: a llama-server's slots plus 2, "
                       "8 for others",
               .least = 1,
               .most = 1024,
               .remedy = "choose a number in that range",
               .idle = no_server});
    of_engine("tokenizer", self.tokenizer,
              {.value = "PATH",
               .help = "the tokenizer of the `server`'s model: a Hugging Face folder or a .gguf "
                       "file; by default the server's, if it provides one",
               .idle = no_server});
    of_engine("precision", self.precision,
              {.value = "exact|fast|bf16",
               .help = "exact: F32 cache, no flash attention; fast (.gguf files): F16 cache, flash "
                       "attention, less exact; bf16 (Hugging Face folders): products rounded to "
                       "BF16",
               .idle = on_server});
    visitor("threads", self.threads,
            {.value = "N",
             .help = "threads; 0: one per core",
             .most = 1024,
             .remedy = "use 0 for one thread per core",
             .variable = "PLUMB_THREADS"});
    EngineSettings::visit(self.engine, visitor, self.precision, on_server);
    visitor("resume", self.resume, {.help = "resume the run in --out"});
    visitor("overwrite", self.overwrite,
            {.help = "replace the run in --out, and everything in that folder, once the new run is "
                     "complete",
             .idle = self.resume ? "with `resume`; remove one of the two" : ""});
    visitor("shard", self.shard,
            {.value = "I/N",
             .help = "run only the I-th of N equal parts of the job, into its own folder; "
                     "`plumb merge` joins all N into one run",
             .idle = self.overwrite ? "with `overwrite`; choose another folder" : ""});
    visitor("dry-run", self.dry_run,
            {.help = "print the number of prompts and tokens, as counted with the model's "
                     "tokenizer, without running the model or writing files"});
  }

  [[nodiscard]] ModelOptions model_options(SpecialTokenReading special_tokens) const {
    const std::size_t cores = available_cores();
    return {model,
            precision,
            static_cast<int>(threads == 0 ? cores : threads),
            special_tokens == SpecialTokenReading::parse,
            engine.options(),
            server,
            concurrency,
            tokenizer,
            dry_run,
            quiet};
  }

  [[nodiscard]] bool asks_several() const { return !several.empty() || !models.empty(); }
  /// Whether the user specified a local model or a server.
  [[nodiscard]] bool names_model() const {
    return asks_several() || !model.empty() || !server.empty();
  }

  /// Calls `ask()`, which creates or inspects the model, and returns its result. If the variable
  /// PLUMB_MODEL specified the model, errors refer to that variable.
  template <class Ask>
  auto asking_model(Ask ask) const {
    try {
      return ask();
    } catch (const Error& error) {
      if (!model_of_variable) throw;
      throw Error(error.fault(), {.field = "PLUMB_MODEL"}, error.what());
    }
  }
  /// Creates the model and, except in a dry run, checks it (start_check.hpp). Throws a user error
  /// if the model fails the check; also throws what creating the model throws.
  [[nodiscard]] AnyModel make(const ModelMaker& make_model,
                              SpecialTokenReading special_tokens) const {
    Json checked;
    AnyModel made = asking_model([&] {
      AnyModel one = make_model(model_options(special_tokens));
      if (!dry_run) checked = start_check(one);
      return one;
    });
    *model_facts = [of_model = made.facts(), checked, kept = stated_facts] {
      Json stated = of_model();
      if (!checked.is_null()) stated["start_check"] = checked;
      *kept = stated;
      return stated;
    };
    return made;
  }

  /// The largest allowed difference between two computations of the same value, in nats: a
  /// thousandth if everything is computed in F32.
  [[nodiscard]] double largest_difference(const ModelDescription& described) const {
    const auto holds = [](const std::string& text, const char* part) {
      return text.find(part) != std::string::npos;
    };
    const bool in_f32 = (described.device.empty() || described.device == "CPU") &&
                        !described.quantized &&
                        (described.cache_type.empty() || described.cache_type == "f32");
    // llama.cpp and transformers round activations to the weights' type; a user's engine describes
    // its own weights.
    const bool rounds =
        described.backend.starts_with("llama.cpp") || described.backend.starts_with("transformers");
    const bool asked = takes_precision ? precision == Precision::exact &&
                                             !(rounds && holds(described.weights, "16"))
                                       : holds(described.weights, "F32");
    return server.empty() && in_f32 && asked ? most_apart_exact : most_apart;
  }

  /// The check's result as run.json records it. For a complete run, this is the result that its
  /// run.json already contains.
  [[nodiscard]] Json start_check(AnyModel& asked) const {
    if (resume && DiskPath(out / "run.json").is_file()) {
      const Json before = read_json_object(out / "run.json");
      if (before.value("status", Json()) == "complete") return before.value("start_check", Json());
    }
    const double most = largest_difference(asked.describe());
    const ModelVerification made = check_at_start(asked, most, word());
    return {{"compared", made.compared},
            {"rows", made.rows},
            {"worst_nats", made.worst ? Json(made.worst->nats) : Json()},
            {"most_nats", most}};
  }

  /// Finds a model that is specified as hf:OWNER/NAME, and begins to hash the model. Call it after
  /// the options have been read. Throws a user error if the model does not exist.
  void find_model(const options::variables_map& values, const Console& console) {
    takes_precision = console.engine_takes("precision");
    quiet = console.shown.quiet;
    keep_engine(console);
    keep_known(console);
    if (!server.empty()) {
      if (values.contains("model")) {
        throw user_error({.setting = "server"}, "conflicts with `model`", "use only one of them");
      }
      model.clear();  // the model came from PLUMB_MODEL
      return;
    }
    model_of_variable = !model.empty() && !values.contains("model");
    auto [path, name] =
        found_model(model.string(), console, model_of_variable ? "PLUMB_MODEL" : "model");
    if (is_hub_name(model.string())) {
      model_given = std::exchange(model, std::move(path)).string();
      model_name = std::move(name);
    }
    // A pipe or a device could block the thread for ever.
    const DiskPath path_of(model);
    if (!dry_run && (path_of.is_file() || path_of.is_folder())) {
      hash = std::make_shared<BackgroundHash>(model);
    }
  }

  /// If no engine is set, uses the engine of the run being resumed or of the shards being merged,
  /// because the default engine could change the last digits of numbers.
  void keep_engine(const Console& console) {
    // either setting determines the engine
    if (engine.choice || precision != Precision::exact) return;
    Json settings;
    if (console.merged) {
      settings = kept_settings(probed_folder(console.merged->folders.front()));
    } else if (resume) {
      settings = kept_settings(probed_folder(out));  // for a calibration, the folder of its probe
    }
    const std::string backend = first_string(settings, "backend").value_or("");
    for (const EngineChoice one : every(EngineChoice{})) {
      if (backend.starts_with(backend_lead(one))) engine.choice = one;
    }
  }

  /// Uses the information about the model from a table of models. If a run is resumed without a
  /// table, uses the information in its run.json.
  void keep_known(const Console& console) {
    model_known = console.model_known;
    if (!model_known.empty() || !resume) return;
    const DiskPath file = DiskPath(probed_folder(out)) / "run.json";
    if (!file.is_file()) return;
    const Json kept = read_json_object(file).value("model_known", Json::object());
    if (kept.is_object()) model_known = kept;
  }

  /// The model as a command-line argument.
  [[nodiscard]] std::string word() const {
    if (!server.empty()) return server;
    return model_given.empty() ? model.string() : model_given;
  }
  /// The model's name from a table or from NAME=MODEL; empty if there is none.
  [[nodiscard]] std::string given_name() const {
    return first_string(model_known, "name").value_or("");
  }
  /// The model's name as results show it: the user's name for it or, for example, "m.gguf" (with
  /// adapters "m.gguf+a.gguf:0.5").
  [[nodiscard]] std::string shown_name() const {
    if (std::string given = given_name(); !given.empty()) return given;
    // A folder's name is the same with and without a trailing slash.
    const std::filesystem::path& named = model.has_filename() ? model : model.parent_path();
    std::string name = model_name.empty() ? named.filename().string() : model_name;
    for (const Json& adapter : engine.lora.json()) name += "+" + adapter.get<std::string>();
    return name;
  }
  /// The model's hash; null if it is not a file or folder.
  [[nodiscard]] Json model_hash() const {
    if (hash && hash->model() == model) return hash->get();
    return !model.empty() && DiskPath(model).exists() ? Json(hash_model(model)) : Json();
  }
  /// The hashes of the adapters' files; null if there are no adapters.
  [[nodiscard]] Json adapter_hashes() const {
    Json hashes;
    for (const LoraAdapter& one : engine.lora.adapters) {
      hashes.push_back(DiskPath(one.file).exists() ? Json(hash_path(one.file)) : Json());
    }
    return hashes;
  }

  /// The information about the model for the recorded settings. An embedding program's model need
  /// not be a file.
  [[nodiscard]] Provenance provenance(ModelDescription description) const {
    const bool own = description.name.empty() || !given_name().empty();
    std::string name = own ? shown_name() : description.name;
    return {
        std::move(name),
        model_hash(),
        std::move(description),
        takes_precision ? std::optional(precision) : std::nullopt,
        [](const std::vector<std::filesystem::path>& files) {
          return plumb::detail::hash_files(files);
        },
        [](const std::filesystem::path& file) { return plumb::detail::hash_path(file); },
        engine.lora.json(),
        adapter_hashes(),
        !tokenizer.empty() && DiskPath(tokenizer).exists() ? Json(hash_model(tokenizer)) : Json()};
  }
};

/// Throws a user error for a missing option; `command` is, for example, "plumb probe".
inline void(require)(const std::filesystem::path& word, const char* option,
                     const std::string& command) {
  if (!word.empty()) return;
  throw user_error({.field = option}, "is required but missing",
                   "`" + command + " --help` lists the options");
}

/// The same check for the model, which is specified by `model` or `server`.
inline void require_model(const JobTarget& target, const std::string& command) {
  if (!target.server.empty() || !target.model.empty()) return;
  throw user_error({.field = "--model"}, "is required but missing",
                   "`" + command + " --help` lists the options, `plumb models` lists local models");
}

/// The same check for --out, which a dry run does not need.
inline void require_out(const JobTarget& target, const std::string& command) {
  if (!target.dry_run) (require)(target.out, "--out", command);
}

/// Throws a user error, before a model is loaded, if the run cannot be written to its folder.
inline void check_out(const JobTarget& target) {
  if (target.dry_run) return;
  if (target.overwrite) return refuse_other_than_run(target.out);
  if (!target.resume) refuse_used(target.out);
}

/// Whether the model is a masked model; nullopt if that is not known before it is loaded.
[[nodiscard]] inline std::optional<bool> will_be_masked(const ModelMaker& make_model,
                                                        const JobTarget& target) {
  const auto kind = target.asking_model(
      [&] { return make_model.kind(target.model_options(SpecialTokenReading::refuse)); });
  return kind ? std::optional(*kind == ModelKind::masked) : std::nullopt;
}

inline Error not_causal(const JobTarget& target, const char* command) {
  return user_error({.setting = "model"},
                    target.word() + " is a masked model, but " + command + " needs a causal one",
                    "use a causal model; masked models work with probe, generate and calibrate");
}

/// Throws a user error if it is known, without loading the model, that the model is masked.
inline void refuse_masked(const ModelMaker& make_model, const JobTarget& target,
                          const char* command) {
  if (will_be_masked(make_model, target).value_or(false)) throw not_causal(target, command);
}

/// Creates a causal model. Throws a user error if the model is masked, which may not be known
/// before it is created.
[[nodiscard]] inline AnyModel causal_model(const ModelMaker& make_model, const JobTarget& target,
                                           SpecialTokenReading special_tokens,
                                           const char* command) {
  AnyModel model = target.make(make_model, special_tokens);
  if (model.capabilities().only_masked()) throw not_causal(target, command);
  return model;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
