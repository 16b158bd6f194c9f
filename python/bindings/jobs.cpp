// SPDX-License-Identifier: Apache-2.0

// Whole jobs, as the command runs them: run folders, pages, and resuming.

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <streambuf>

#include "model.hpp"
#include "plumb/command.hpp"
#include "plumb/detail/huggingface/network_kind.hpp"

namespace plumb_python {
namespace {

namespace fs = std::filesystem;

/// Makes models from their paths, for the command.
struct PathModels {
  static ModelKind kind(const ModelOptions& options) {
    const bool masked = fs::is_directory(options.model) && is_masked_folder(options.model);
    return masked ? ModelKind::masked : ModelKind::causal;
  }
  AnyModel operator()(const ModelOptions& options) const {
    if (fs::is_directory(options.model)) {
      return folder_model(options.model.string(), options.threads, options.parse_special_tokens);
    }
#ifdef PLUMB_WITH_LLAMA
    return options.precision == Precision::exact
               ? native_gguf_model(options.model.string(), options.threads,
                                   options.parse_special_tokens)
               : llama_model(options.model.string(), options.threads, options.parse_special_tokens,
                             false);
#else
    throw user_error({.file = options.model},
                     "is not a Hugging Face folder, and plumb_probe was built without llama.cpp",
                     "use a folder, or install plumb_probe with PLUMB_GGUF=ON (docs/python.md)");
#endif
  }
};

/// The model that Python passed, or one from its path. Python's `render` writes conversations.
struct JobModels {
  Model* given;
  const nb::object& render;

  [[nodiscard]] ModelKind kind(const ModelOptions& options) const {
    if (given == nullptr) return PathModels::kind(options);
    return given->model.capabilities().only_masked() ? ModelKind::masked : ModelKind::causal;
  }
  AnyModel operator()(const ModelOptions& options) const {
    const bool is_file = given == nullptr && !fs::is_directory(options.model);
    if (!is_file && options.precision != Precision::exact) {
      throw user_error({.setting = "precision"}, "is exact for folders and models in memory",
                       "remove it, or use the command");
    }
    return given == nullptr ? PathModels{}(options) : given->model.shared();
  }
  [[nodiscard]] ChatRenderer chat_renderer() const {
    return [&render = render](const ChatTemplate& by, std::span<const ChatMessage> conversation,
                              bool opens_answer) {
      const nb::gil_scoped_acquire gil;
      nb::list turns;
      for (const ChatMessage& turn : conversation) {
        nb::dict one;
        one["role"] = turn.role;
        one["content"] = turn.content;
        turns.append(one);
      }
      nb::dict tokens;
      for (const auto& [name, text] : by.tokens) tokens[name.c_str()] = text;
      return nb::cast<std::string>(render(by.text, tokens, turns, opens_answer));
    };
  }
};

/// Passes printed text to Python, line by line. Written to without the GIL.
class PrintedLines : public std::streambuf {
 public:
  explicit PrintedLines(const nb::object& print) : print_(print) {}

  /// Throws what `print` raised.
  void rethrow() const {
    if (failed_) std::rethrow_exception(failed_);
  }

 protected:
  int overflow(int c) override {
    if (c == traits_type::eof()) return 0;
    line_ += static_cast<char>(c);
    if (c == '\n') sync();
    return c;
  }
  int sync() override {
    if (line_.empty()) return 0;
    const nb::gil_scoped_acquire gil;
    try {
      if (!failed_) print_(line_);
    } catch (const nb::python_error&) {
      failed_ = std::current_exception();  // streams drop exceptions
    }
    line_.clear();
    return 0;
  }

 private:
  const nb::object& print_;
  std::string line_;
  std::exception_ptr failed_;
};

/// Runs a subcommand with `model`, or with the model that --model names if `model` is null, and
/// returns its exit code. Throws what plumb's functions throw and what `print` raised, and
/// KeyboardInterrupt if Ctrl-C ended a job after a pack, which only the main thread notices.
int run(const std::string& command, const std::vector<std::string>& words, Model* model,
        const nb::object& print, const nb::object& on_progress, const nb::object& render,
        bool is_main_thread) {
  PrintedLines lines(print);
  std::ostream out(&lines);
  Console console{.arguments = words, .out = out, .err = out};
  console.catches_interrupt = is_main_thread;
  // Python makes the engines, so their options are unknown, except the one that run.json always
  // has.
  console.takes = [](std::string_view option) { return option == "precision"; };
  if (!on_progress.is_none()) {
    console.on_progress = [&](const WorkState& state) {
      const nb::gil_scoped_acquire gil;
      on_progress(state.counted, state.done, state.total);
    };
  }
  const JobModels models{model, render};
  int code = 0;
  try {
    const nb::gil_scoped_release release;
    std::unique_lock<std::mutex> lock;
    if (model != nullptr) lock = std::unique_lock(model->mutex);
    code = run_command(command, console, ModelMaker(models));
    out.flush();
  } catch (const Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  lines.rethrow();
  return code;
}

}  // namespace

AnyModel model_at(const std::string& path, int threads, bool parse_special_tokens, bool exact) {
  ModelOptions options{.model = path};
  options.precision = exact ? Precision::exact : Precision::fast;
  options.threads = threads;
  options.parse_special_tokens = parse_special_tokens;
  return PathModels{}(options);
}

void bind_jobs(nb::module_& module) {
  module.def("run", &run, "command"_a, "words"_a, "model"_a.none(), "print"_a,
             "on_progress"_a.none(), "render"_a, "is_main_thread"_a);
  // The whole command line, for `python -m plumb_probe`.
  module.def("main", [](std::vector<std::string> words) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    const nb::gil_scoped_release release;
    return run_command_line(static_cast<int>(argv.size()), argv.data(), PathModels{});
  });
}

}  // namespace plumb_python
