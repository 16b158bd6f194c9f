// SPDX-License-Identifier: Apache-2.0

// The reference command: plumb for GGUF files (through llama.cpp), Hugging Face folders, and models
// on servers. The code for folders is in a separate file, which does the numerical work and is
// compiled with optimisation.

#include <ggml.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <functional>
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

// llama.cpp's threads (OpenMP) spin for a long time while they wait for each other. On a busy
// machine, this at least halves the speed; on an idle one, sleeping immediately costs a sixth of
// the speed. Spinning for a thousand rounds (a few microseconds) is as fast as the better of the
// two in either case. OpenMP reads its environment variables before main, so the program sets them
// and restarts itself, unless the user has set them. It restarts under its own file name, so that
// ps and top show that name; with /proc/self/exe, they would show "exe". If the restart fails, the
// program simply continues.
void wait_with_little_spinning(char** argv) {
  if (getenv("OMP_WAIT_POLICY") != nullptr || getenv("GOMP_SPINCOUNT") != nullptr) return;
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return;
  if (setenv("OMP_WAIT_POLICY", "passive", 1) == 0 && setenv("GOMP_SPINCOUNT", "1000", 1) == 0) {
    execv(program.c_str(), argv);
  }
}

// When llama.cpp runs out of memory or finds an inconsistent state, it starts a debugger and aborts
// by default. Finished work is in the journal, so the process can end immediately with a message
// instead.
[[noreturn]] void end_in_words(const char* what) {
  for (const char* words : {"\nplumb: the engine failed: ", what,
                            "; if memory ran out, free some or use a smaller model; finished work "
                            "is saved, and "
                            "--resume continues it\n"}) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, words, strlen(words));
  }
  _exit(1);
}

// Ends the process after an exception that cannot be caught, such as one on a llama.cpp thread.
[[noreturn]] void end_of_uncaught() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    end_in_words("out of memory");
  } catch (const std::exception& error) {
    end_in_words(error.what());
  } catch (...) {
  }
  end_in_words("unknown error");
}

plumb::detail::ServerTokenizer tokenizer_at(const std::filesystem::path& path,
                                            bool parse_special_tokens) {
  if (std::filesystem::is_directory(path)) return folder_tokenizer(path, parse_special_tokens);
  if (!std::filesystem::exists(path)) {
    throw plumb::detail::user_error({.setting = "tokenizer"},
                                    path.string() + " is not a file or folder",
                                    "pass a Hugging Face folder or a .gguf file");
  }
  const auto file =
      std::make_shared<plumb::detail::LlamaVocabularyFile>(path, parse_special_tokens, "tokenizer");
  const std::shared_ptr<const plumb::detail::LlamaVocabulary> read(file, &**file);
  return plumb::detail::server_tokenizer(read, read->size(), path.filename().string());
}

plumb::detail::ServerOptions server_options(const plumb::detail::ModelOptions& options) {
  plumb::detail::ServerOptions server{.url = options.server,
                                      .http = {.concurrency = options.concurrency},
                                      .parse_special_tokens = options.parse_special_tokens};
  if (!options.quiet) {
    server.http.note = [](const std::string& text) {
      // On a terminal, the cursor may be at the end of the progress bar.
      std::cerr << (isatty(STDERR_FILENO) != 0 ? "\nplumb: " : "plumb: ") + text + "\n"
                << std::flush;
    };
  }
  if (const char* const key = getenv("PLUMB_API_KEY")) server.http.key = key;
  if (!options.tokenizer.empty()) {
    server.tokenizer = tokenizer_at(options.tokenizer, options.parse_special_tokens);
  }
  return server;
}

/// F32 rewrites of 16-bit weights, stored in plumb's own cache under the models' hashes.
std::filesystem::path in_f32(const plumb::detail::GgufModel& model, bool quiet) {
  const auto folder = plumb::detail::plumb_cache([](const char* name) {
    const char* const value = getenv(name);
    return std::string(value == nullptr ? "" : value);
  });
  const plumb::detail::F32Cache cache(
      folder / "f32", [](const auto& files) { return plumb::detail::hash_model(files.front()); },
      [quiet](const std::string& text) {
        if (!quiet) std::cerr << "plumb: " + text + "\n" << std::flush;
      });
  return cache(model);
}

std::filesystem::path as_it_is(const plumb::detail::GgufModel& model) {
  return model.first().path();
}

/// Whether plumb's own network runs a .gguf file. It does so if `engine` selects it, or if `engine`
/// is not set, exact scores are computed on the CPU, and the network supports the file. Throws a
/// user error for options that have no effect on that network.
bool is_native(const plumb::detail::ModelOptions& options) {
  const auto choice = options.engine.choice;
  if (choice == plumb::detail::EngineChoice::llama) return false;
  const bool exact = options.precision == plumb::detail::Precision::exact;
  if (choice && !exact) {
    throw plumb::detail::user_error({.setting = "precision"},
                                    "fast has no effect with `engine` native",
                                    "remove one of the two");
  }
  plumb::detail::EngineOptions others = options.engine;
  others.choice.reset();
  const bool on_cpu =
      others.gpu_layers ? *others.gpu_layers == 0 : plumb::detail::llama_gpu_kind().empty();
  if (others.gpu_layers == 0U) others.gpu_layers.reset();
  if (choice) {
    if (const auto other = others.first_chosen(); !other.empty()) {
      throw plumb::detail::user_error({.setting = std::string(other)},
                                      "has no effect with `engine` native",
                                      "remove one of the two");
    }
    return true;
  }
  return exact && on_cpu && others.first_chosen().empty() && native_refusal(options.model).empty();
}

/// Creates models from a path, according to its kind, or from a server.
struct ReferenceModels {
  /// Every engine option affects some kind of model.
  static bool takes(std::string_view) { return true; }

  static bool is_masked_folder(const plumb::detail::ModelOptions& options) {
    const std::filesystem::path& path = options.model;
    if (!options.server.empty()) return false;
    if (!std::filesystem::exists(path)) {
      throw plumb::detail::user_error(
          {.file = path}, "no such model file or folder",
          "set `model` to a .gguf file, a Hugging Face folder or hf:OWNER/NAME; "
          "`plumb models` lists local models");
    }
    if (std::filesystem::is_directory(path) && !plumb::detail::is_hugging_face_folder(path)) {
      throw plumb::detail::user_error({.file = path}, "is a folder without config.json",
                                      "set `model` to a Hugging Face folder or a .gguf file");
    }
    if (!plumb::detail::is_hugging_face_folder(path)) return false;
    if (options.precision == plumb::detail::Precision::fast) {
      throw plumb::detail::user_error(
          {.setting = "precision"},
          "fast is for .gguf files; Hugging Face folders are computed exact or in bf16",
          "use one of these, or remove it");
    }
    if (const auto chosen = options.engine.first_chosen(); !chosen.empty()) {
      throw plumb::detail::user_error(
          {.setting = std::string(chosen)},
          "is for .gguf files; Hugging Face folders are computed on the CPU", "remove it");
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
      // CUDA's cuBLAS may multiply F32 matrices in TF32, which is not exact: the error is up to
      // 0.044 nats per statement.
      if (options.precision == plumb::detail::Precision::exact)
        setenv("NVIDIA_TF32_OVERRIDE", "0", 0);
      std::function<std::filesystem::path(const plumb::detail::GgufModel&)> widen = as_it_is;
      if (!options.only_tokens) {
        widen = [quiet = options.quiet](const auto& file) { return in_f32(file, quiet); };
      }
      return plumb::detail::AnyModel::made_by([&] {
        return plumb::detail::LlamaModel({.model = options.model,
                                          .precision = options.precision,
                                          .threads = options.threads,
                                          .parse_special_tokens = options.parse_special_tokens,
                                          .engine = options.engine,
                                          .widen = widen});
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
