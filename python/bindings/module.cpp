// SPDX-License-Identifier: Apache-2.0

// The module `plumb_probe._core`: models, and errors with their file, line and setting.

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <map>

#include "model.hpp"

namespace plumb_python {
namespace {

/// Raises plumb_probe.errors.PlumbError, or UserError if the caller can fix the problem.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object errors = nb::module_::import_("plumb_probe.errors");
    const nb::object type = errors.attr(error.fault() == Fault::user ? "UserError" : "PlumbError");
    const auto& site = error.site();
    const nb::object made =
        type(error.what(), site.file.string(), site.line, site.field, site.setting, error.remedy());
    PyErr_SetObject(type.ptr(), made.ptr());
  }
}

template <class Number>
nb::object array_of(const std::vector<Number>& numbers) {
  auto* kept = new std::vector<Number>(numbers);
  const nb::capsule owner(
      kept, [](void* held) noexcept { delete static_cast<std::vector<Number>*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, Number, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

template <class Number, std::size_t dimensions>
auto numbers(const nb::object& given) {
  return nb::cast<nb::ndarray<const Number, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>>(
      given);
}

/// The nodes of a tree on the paths to some of its nodes, as arrays: parents come before children,
/// and -1 is the root.
class TreeArrays {
 public:
  TreeArrays(const TokenTree& tree, std::span<const NodeId> wanted) : places_(tree.size(), -1) {
    std::vector<char> is_needed(tree.size(), 0);
    for (NodeId node : wanted) {
      for (; node != TokenTree::root && !is_needed[node]; node = tree.parent(node))
        is_needed[node] = 1;
    }
    for (NodeId node = 1; node < tree.size(); ++node) {
      if (!is_needed[node]) continue;
      places_[node] = static_cast<std::int32_t>(tokens_.size());
      tokens_.push_back(tree.token(node));
      parents_.push_back(places_[tree.parent(node)]);
    }
  }
  [[nodiscard]] std::int32_t place(NodeId node) const { return places_[node]; }
  [[nodiscard]] nb::object tokens() const { return array_of(tokens_); }
  [[nodiscard]] nb::object parents() const { return array_of(parents_); }

 private:
  std::vector<std::int32_t> places_, tokens_, parents_;
};

/// A model that a Python object implements (plumb_probe/engines.py lists the members it needs). Its
/// calls take the GIL. Not thread-safe.
class ObjectModel {
 public:
  explicit ObjectModel(nb::object engine) : engine_(std::move(engine)) {
    can_.lookups = true;
    can_.causal = nb::hasattr(engine_, "sequence_rows");
    can_.trees = can_.causal && nb::hasattr(engine_, "tree_rows");
    can_.text_embeddings = nb::hasattr(engine_, "embed");
  }
  ObjectModel(ObjectModel&&) = default;
  ~ObjectModel() {
    const nb::gil_scoped_acquire gil;
    engine_.reset();
  }

  [[nodiscard]] Capabilities capabilities() const { return can_; }
  [[nodiscard]] ModelDescription describe() const {
    const nb::gil_scoped_acquire gil;
    ModelDescription made{"Python", "", false};
    made.backend = nb::cast<std::string>(engine_.attr("backend"));
    made.name = nb::cast<std::string>(engine_.attr("name"));
    made.weights = nb::cast<std::string>(engine_.attr("weights"));
    made.device = nb::cast<std::string>(engine_.attr("device"));
    return made;
  }
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    const nb::gil_scoped_acquire gil;
    Tokenization made;
    for (const nb::handle row : engine_.attr("tokens")(nb::str(text.data(), text.size()))) {
      const auto id = nb::cast<TokenId>(row[0]);
      const auto begin = nb::cast<std::int64_t>(row[1]), end = nb::cast<std::int64_t>(row[2]);
      made.spells_text = made.spells_text && begin >= 0;
      made.tokens.push_back({id,
                             {static_cast<std::size_t>((std::max)(begin, std::int64_t{0})),
                              static_cast<std::size_t>((std::max)(end, std::int64_t{0}))}});
    }
    return made;
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    const nb::gil_scoped_acquire gil;
    return nb::cast<std::string>(engine_.attr("detokenize")(std::vector(ids.begin(), ids.end())));
  }
  [[nodiscard]] std::optional<TokenId> bos() const {
    const nb::gil_scoped_acquire gil;
    return nb::cast<std::optional<TokenId>>(engine_.attr("bos"));
  }
  [[nodiscard]] std::optional<bool> adds_bos() const {
    const nb::gil_scoped_acquire gil;
    return nb::cast<std::optional<bool>>(engine_.attr("adds_bos"));
  }
  [[nodiscard]] std::optional<ChatTemplate> chat_template() const {
    const nb::gil_scoped_acquire gil;
    const nb::object text = nb::getattr(engine_, "chat_template", nb::none());
    const nb::object tokens = nb::getattr(engine_, "chat_tokens", nb::none());
    if (tokens.is_none()) return {};
    return ChatTemplate{text.is_none() ? "" : nb::cast<std::string>(text),
                        nb::cast<std::map<std::string, std::string>>(tokens)};
  }
  [[nodiscard]] std::size_t vocabulary_size() const { return number("vocabulary_size"); }
  [[nodiscard]] std::size_t context_length() const { return number("context_length"); }
  [[nodiscard]] std::size_t dimension() const { return number("dimension"); }
  [[nodiscard]] TreeLimits tree_limits() const {
    const std::size_t nodes = number("tree_nodes");
    return {context_length() + nodes, nodes, nodes};
  }
  [[nodiscard]] bool ends(TokenId token) const {
    const nb::gil_scoped_acquire gil;
    return nb::cast<bool>(engine_.attr("ends")(token));
  }

  void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups,
               std::span<double> log_probabilities) {
    std::vector<NodeId> nodes;
    for (const TokenLookup& one : lookups) nodes.push_back(one.node);
    const TreeArrays arrays(tree, nodes);
    std::vector<std::int32_t> places, targets;
    for (const TokenLookup& one : lookups) {
      places.push_back(arrays.place(one.node));
      targets.push_back(one.token);
    }
    const nb::gil_scoped_acquire gil;
    const auto made = numbers<double, 1>(engine_.attr("look_up")(
        arrays.tokens(), arrays.parents(), array_of(places), array_of(targets)));
    if (made.shape(0) != lookups.size()) {
      throw user_error({.field = "look_up"},
                       "returned " + std::to_string(made.shape(0)) + " numbers for " +
                           std::to_string(lookups.size()) + " tokens",
                       "return one log-probability for each target");
    }
    std::copy_n(made.data(), lookups.size(), log_probabilities.begin());
  }

  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    const nb::gil_scoped_acquire gil;
    give_rows(
        engine_.attr("sequence_rows")(
            array_of(std::vector<std::int32_t>(sequence.begin(), sequence.end()))),
        "sequence_rows", sequence.size(),
        [&](std::size_t row) { return static_cast<std::uint32_t>(row); }, visit);
  }
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    const TreeArrays arrays(tree, wanted);
    std::vector<std::int32_t> places;
    for (const NodeId node : wanted) places.push_back(arrays.place(node));
    const nb::gil_scoped_acquire gil;
    give_rows(
        engine_.attr("tree_rows")(arrays.tokens(), arrays.parents(), array_of(places)), "tree_rows",
        wanted.size(), [&](std::size_t row) { return wanted[row]; }, visit);
  }
  /// Does nothing: no state is kept between calls.
  void release(const TokenTree&, NodeId) {}

  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts, bool with_bos) {
    const nb::gil_scoped_acquire gil;
    const auto made =
        numbers<float, 2>(engine_.attr("embed")(std::vector(texts.begin(), texts.end()), with_bos));
    return Eigen::Map<const EmbeddingMatrix>(made.data(), static_cast<Eigen::Index>(made.shape(0)),
                                             static_cast<Eigen::Index>(made.shape(1)));
  }

 private:
  [[nodiscard]] std::size_t number(const char* member) const {
    const nb::gil_scoped_acquire gil;
    return nb::cast<std::size_t>(engine_.attr(member));
  }
  /// Visits every row. The GIL is held during the visits, because the rows belong to Python.
  template <class NodeOf>
  static void give_rows(const nb::object& given, const char* member, std::size_t count,
                        NodeOf node_of, const LogitsVisitor& visit) {
    const auto rows = numbers<float, 2>(given);
    if (rows.shape(0) != count) {
      throw user_error(
          {.field = member},
          "returned " + std::to_string(rows.shape(0)) + " rows instead of " + std::to_string(count),
          "return one row of logits for each token");
    }
    for (std::size_t row = 0; row < count; ++row) {
      visit(node_of(row), std::span(rows.data() + row * rows.shape(1), rows.shape(1)));
    }
  }

  nb::object engine_;
  Capabilities can_;
};

nb::dict verified(Model& model, const std::vector<std::string>& texts, double tolerance) {
  const ModelVerification made =
      model.asked([&](WatchedModel& one) { return verify_model(one, texts, tolerance); });
  nb::dict told;
  told["agrees"] = made.agrees();
  told["compared"] = nb::cast(made.compared);
  told["rows"] = made.rows;
  told["worst_nats"] = made.worst ? made.worst->nats : 0.0;
  told["first"] = made.first ? nb::cast(made.first->description()) : nb::none();
  told["worst"] = made.worst ? nb::cast(made.worst->description()) : nb::none();
  return told;
}

}  // namespace

AnyModel object_model(nb::object engine) {
  return AnyModel::made_by([&] { return ObjectModel(engine); });
}

}  // namespace plumb_python

NB_MODULE(_core, module) {
  using namespace plumb_python;
  nb::register_exception_translator(translate);
  nb::set_leak_warnings(false);  // models may exist when the interpreter ends
  nb::class_<Model>(module, "Model", nb::dynamic_attr())
      .def_prop_ro("description",
                   [](Model& self) {
                     const ModelDescription made = self.model.describe();
                     nb::dict told;
                     told["backend"] = made.backend;
                     told["weights"] = made.weights;
                     told["device"] = made.device;
                     told["name"] = made.name;
                     told["warnings"] = nb::cast(made.warnings);
                     return told;
                   })
      .def_prop_ro("masked", [](Model& self) { return self.model.capabilities().masked; })
      .def_prop_ro("vocabulary_size", [](Model& self) { return self.model.vocabulary_size(); })
      .def_prop_ro("context_length", [](Model& self) { return self.model.context_length(); })
      .def_prop_ro("bos", [](Model& self) { return self.model.bos(); })
      .def("tokenize",
           [](Model& self, const std::string& text) {
             std::vector<TokenId> ids;
             for (const Token& token : self.model.tokenize(text).tokens) ids.push_back(token.id);
             return ids;
           })
      .def("detokenize",
           [](Model& self, const std::vector<TokenId>& ids) { return self.model.detokenize(ids); });
  module.def(
      "model_at",
      [](const std::string& path, int threads, bool parse, bool exact) {
        const nb::gil_scoped_release release;
        return new Model(model_at(path, threads, parse, exact));
      },
      nb::rv_policy::take_ownership);
  module.def(
      "object_model", [](nb::object engine) { return new Model(object_model(engine)); },
      nb::rv_policy::take_ownership);
  module.def("verify_model", &verified);
  bind_data(module);
  bind_probes(module);
  bind_jobs(module);
#ifdef PLUMB_WITH_LLAMA
  bind_gguf(module);
#endif
}
