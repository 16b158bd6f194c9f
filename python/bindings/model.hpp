// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a model to Python?
//
// Any model of plumb's, with a lock, so that only one Python thread at a time uses it while others
// run. Before each call of the engine it checks for signals, so that Ctrl-C ends a job after a
// pack.

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/any_model.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/model.hpp"

namespace plumb_python {

namespace nb = nanobind;
using namespace nb::literals;
using namespace plumb::detail;

/// Throws what a signal handler raised, usually KeyboardInterrupt. Called without the GIL.
inline void raise_signals() {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// An AnyModel that checks for signals before each call. Not thread-safe.
class WatchedModel : public AnyModel {
 public:
  explicit WatchedModel(AnyModel model) : AnyModel(std::move(model)) {}

  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    raise_signals();
    AnyModel::evaluate(sequence, visit);
  }
  void evaluate(std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
    raise_signals();
    AnyModel::evaluate(queries, visit);
  }
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    raise_signals();
    AnyModel::evaluate(tree, wanted, visit);
  }
  void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups,
               std::span<double> log_probabilities) {
    raise_signals();
    AnyModel::look_up(tree, lookups, log_probabilities);
  }
  void embed(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    raise_signals();
    AnyModel::embed(tree, wanted, visit);
  }
  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts, bool with_bos) {
    raise_signals();
    return AnyModel::embed(texts, with_bos);
  }
  [[nodiscard]] std::vector<std::vector<Continuation>> generate(
      std::span<const std::vector<TokenId>> prompts, const GenerationOptions& options,
      std::span<const std::uint64_t> seeds) {
    raise_signals();
    return AnyModel::generate(prompts, options, seeds);
  }
};

/// A model as a Python object. One thread at a time uses it; others wait.
struct Model {
  explicit Model(AnyModel made) : model(std::move(made)) {}

  /// Returns `ask(model)`, called without the GIL.
  template <class Ask>
  auto asked(Ask ask) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex);
    return ask(model);
  }

  WatchedModel model;
  std::mutex mutex;
};

/// The model of a Hugging Face folder, or of a GGUF file if plumb_probe was built with llama.cpp.
/// Throws a user error for a model that cannot be read.
AnyModel model_at(const std::string& path, int threads, bool parse_special_tokens, bool exact);
AnyModel folder_model(const std::string& folder, int threads, bool parse_special_tokens);
/// A GGUF file in plumb's own network, which the command uses for exact scores, or in llama.cpp if
/// the network does not support it. These two functions are compiled only with llama.cpp.
AnyModel native_gguf_model(const std::string& file, int threads, bool parse_special_tokens);
AnyModel llama_model(const std::string& file, int threads, bool parse_special_tokens, bool exact);
/// The model of a Python object with the members that python/plumb_probe/engines.py describes.
AnyModel object_model(nb::object engine);

/// A BOS setting: none, the model's own, or a token's text.
inline Bos bos_of(const nb::object& said) {
  if (nb::isinstance<nb::str>(said)) return Bos::of(nb::cast<std::string>(said));
  return Bos(nb::cast<bool>(said));
}

/// The value of an enumeration that a word names. Throws a user error that lists the words.
template <class Choice>
Choice choice_of(const std::string& word, const char* setting) {
  std::string known;
  for (const Choice one : every(Choice{})) {
    if (name_of(one) == word) return one;
    known += (known.empty() ? "" : ", ") + std::string(name_of(one));
  }
  throw user_error({.setting = setting}, "'" + word + "' is not a valid choice",
                   "use one of " + known);
}

/// JSON as Python's own objects.
inline nb::object to_python(const Json& json) {
  return nb::module_::import_("json").attr("loads")(nb::str(json.dump().c_str()));
}

void bind_data(nb::module_& module);
void bind_probes(nb::module_& module);
void bind_jobs(nb::module_& module);
/// Adds `set_llama_kernels(folder)`, which sets the folder of ggml's libraries for each kind of
/// CPU, as in wheels. One is loaded with the first .gguf file. Compiled only with llama.cpp.
void bind_gguf(nb::module_& module);

}  // namespace plumb_python
