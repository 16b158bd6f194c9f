// SPDX-License-Identifier: Apache-2.0

// The reference command: plumb over GGUF files by llama.cpp, over Hugging Face folders, and over
// models that servers run. The second are in a file of their own, which computes and is optimised.

#include <ggml.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "hugging_face_models.hpp"
#include "plumb/detail/backend/llama.hpp"
#include "plumb/detail/backend/llama_f32_cache.hpp"
#include "plumb/detail/backend/llama_vocabulary_file.hpp"
#include "plumb/detail/cli/command_line.hpp"
#include "plumb/detail/cli/model_files.hpp"
#include "plumb/detail/cli/model_places.hpp"
#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/huggingface/network_kind.hpp"
#ifdef PLUMB_MPI
#include "plumb/detail/cli/mpi_command_line.hpp"
#endif
#include "plumb/detail/server/server_model.hpp"

namespace {

// llama.cpp's threads (OpenMP) spin for long while they wait for each other, which costs half the
// speed or more on a machine that does anything else; going to sleep at once costs a sixth on one
// that does not. They are told to spin for a thousand rounds, a few microseconds, which is as fast
// as either. OpenMP reads its wishes before main, so the program starts itself again with them,
// unless the user has chosen. By its file's own name, which ps and top show: /proc/self/exe would be
// "exe" there. Where that cannot be started, it goes on as it is.
void wait_with_little_spinning(char** argv) {
  if (getenv("OMP_WAIT_POLICY") != nullptr || getenv("GOMP_SPINCOUNT") != nullptr) return;
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return;
  if (setenv("OMP_WAIT_POLICY", "passive", 1) == 0 && setenv("GOMP_SPINCOUNT", "1000", 1) == 0) {
    execv(program.c_str(), argv);
  }
}

// Where llama.cpp has no memory left, or finds itself in disorder, it would start a debugger and
// abort. What was done stands in the journal, so the process can end at once, with what is known
// said.
[[noreturn]] void end_in_words(const char* what) {
  for (const char* words : {"\nplumb: the engine gave up: ", what,
                            "; if memory was short, give it more or ask a smaller model; what is "
                            "done is kept, and a job "
                            "goes on with --resume\n"}) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, words, strlen(words));
  }
  _exit(1);
}

// An exception that no one can catch, as on one of llama.cpp's threads.
[[noreturn]] void end_of_uncaught() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    end_in_words("out of memory");
  } catch (const std::exception& error) {
    end_in_words(error.what());
  } catch (...) {
  }
  end_in_words("for no reason that it gives");
}

plumb::detail::ServerTokenizer tokenizer_at(const std::filesystem::path& path,
                                            bool parse_special_tokens) {
  if (std::filesystem::is_directory(path)) return folder_tokenizer(path, parse_special_tokens);
  if (!std::filesystem::exists(path)) {
    throw plumb::detail::user_error({.setting = "tokenizer"},
                                    path.string() + " is no file or folder",
                                    "give a Hugging Face folder or a .gguf file");
  }
  const auto file =
      std::make_shared<plumb::detail::LlamaVocabularyFile>(path, parse_special_tokens, "tokenizer");
  const std::shared_ptr<const plumb::detail::LlamaVocabulary> read(file, &**file);
  return plumb::detail::server_tokenizer(read, read->size(), path.filename().string());
}

plumb::detail::ServerOptions server_options(const plumb::detail::ModelOptions& options) {
  plumb::detail::ServerOptions server{.url = options.server,
                                      .parse_special_tokens = options.parse_special_tokens};
  server.http.concurrency = options.concurrency;
  if (const char* const key = getenv("PLUMB_API_KEY")) server.http.key = key;
  if (!options.tokenizer.empty()) {
    server.tokenizer = tokenizer_at(options.tokenizer, options.parse_special_tokens);
  }
  return server;
}

/// Rewrites of 16-bit weights, in plumb's own cache under the models' hashes.
std::filesystem::path in_f32(const plumb::detail::GgufModel& model) {
  const auto folder = plumb::detail::plumb_cache([](const char* name) {
    const char* const value = getenv(name);
    return std::string(value == nullptr ? "" : value);
  });
  const plumb::detail::F32Cache cache(
      folder / "f32", [](const auto& files) { return plumb::detail::hash_model(files.front()); },
      [](const std::string& text) { std::cerr << "plumb: " + text + "\n"
                                              << std::flush; });
  return cache(model);
}

std::filesystem::path as_it_is(const plumb::detail::GgufModel& model) {
  return model.first().path();
}

/// Whether plumb's own network computes a .gguf file: where it is said or, where nothing is, for exact scores
/// on the CPU of a file that it knows. Throws a user error for options that have no effect on it.
bool is_native(const plumb::detail::ModelOptions& options) {
  const auto choice = options.engine.choice;
  if (choice == plumb::detail::EngineChoice::llama) return false;
  const bool exact = options.precision == plumb::detail::Precision::exact;
  if (choice && !exact) {
    throw plumb::detail::user_error({.setting = "precision"},
                                    "fast has no effect beside `engine` native",
                                    "leave out one of the two");
  }
  plumb::detail::EngineOptions others = options.engine;
  others.choice.reset();
  const bool on_cpu =
      others.gpu_layers ? *others.gpu_layers == 0 : plumb::detail::llama_gpu_kind().empty();
  if (others.gpu_layers == 0U) others.gpu_layers.reset();
  if (choice) {
    if (const auto other = others.first_chosen(); !other.empty()) {
      throw plumb::detail::user_error({.setting = std::string(other)},
                                      "has no effect beside `engine` native",
                                      "leave out one of the two");
    }
    return true;
  }
  return exact && on_cpu && others.first_chosen().empty() && native_refusal(options.model).empty();
}

/// Models by what their path is, or the server's.
struct ReferenceModels {
  /// All of an engine's options have an effect on one model or another.
  static bool takes(std::string_view) { return true; }

  static bool is_masked_folder(const plumb::detail::ModelOptions& options) {
    const std::filesystem::path& path = options.model;
    if (!options.server.empty()) return false;
    if (!std::filesystem::exists(path)) {
      throw plumb::detail::user_error(
          {.file = path}, "no such model file or folder",
          "give `model` a .gguf file, a Hugging Face folder or hf:OWNER/NAME; "
          "`plumb models` lists what is at hand");
    }
    if (std::filesystem::is_directory(path) && !plumb::detail::is_hugging_face_folder(path)) {
      throw plumb::detail::user_error(
          {.file = path}, "is a folder without config.json",
          "give `model` a Hugging Face folder, or the path of a .gguf file");
    }
    if (!plumb::detail::is_hugging_face_folder(path)) return false;
    if (options.precision == plumb::detail::Precision::fast) {
      throw plumb::detail::user_error(
          {.setting = "precision"},
          "fast is for .gguf files; Hugging Face folders are computed exact or in bf16",
          "say one of these, or leave it out");
    }
    if (const auto chosen = options.engine.first_chosen(); !chosen.empty()) {
      throw plumb::detail::user_error(
          {.setting = std::string(chosen)},
          "is for .gguf files; Hugging Face folders are computed on the CPU", "leave it out");
    }
    return plumb::detail::network_kind(path) == plumb::detail::NetworkKind::masked;
  }

#ifdef PLUMB_CHAT
  static plumb::detail::ChatRenderer chat_renderer() {
    return plumb::detail::jinja_renderer();
  }
#endif

  plumb::detail::ModelKind kind(const plumb::detail::ModelOptions& options) const {
    return is_masked_folder(options) ? plumb::detail::ModelKind::masked
                                     : plumb::detail::ModelKind::causal;
  }

  plumb::detail::ModelKind inspect(const plumb::detail::ModelOptions& options) const {
    (void)is_masked_folder(options);
    if (plumb::detail::is_hugging_face_folder(options.model))
      return inspected_folder(options.model);
    const plumb::detail::LlamaLog unheard;
    plumb::detail::refuse_no_causal_model(plumb::detail::GgufModel(options.model));
    return plumb::detail::ModelKind::causal;
  }

  plumb::detail::AnyModel operator()(const plumb::detail::ModelOptions& options) const {
    if (!options.server.empty()) {
      return plumb::detail::AnyModel::made_by(
          [&] { return plumb::detail::ServerModel(server_options(options)); });
    }
    const bool masked = is_masked_folder(options);
    if (!plumb::detail::is_hugging_face_folder(options.model)) {
      if (is_native(options)) return native_gguf_model(options);
      // CUDA's cuBLAS may multiply F32 in TF32: 0.044 nats a statement at worst, and not exact.
      if (options.precision == plumb::detail::Precision::exact)
        setenv("NVIDIA_TF32_OVERRIDE", "0", 0);
      return plumb::detail::AnyModel::made_by([&] {
        return plumb::detail::LlamaModel({.model = options.model,
                                          .precision = options.precision,
                                          .threads = options.threads,
                                          .parse_special_tokens = options.parse_special_tokens,
                                          .engine = options.engine,
                                          .widen = options.only_tokens ? as_it_is : in_f32});
      });
    }
    return masked ? masked_folder_model(options) : causal_folder_model(options);
  }
};

}  // namespace

int main(int argc, char** argv) {
  wait_with_little_spinning(argv);
  ggml_set_abort_callback(end_in_words);
  std::set_terminate(end_of_uncaught);
#ifdef PLUMB_MPI
  return plumb::detail::run_mpi_command_line(argc, argv, ReferenceModels{});
#else
  return plumb::detail::run_command_line(argc, argv, ReferenceModels{});
#endif
}
