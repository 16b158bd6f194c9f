// SPDX-License-Identifier: Apache-2.0

// Datasets, read from files or made in Python.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "model.hpp"
#include "plumb/dataset.hpp"
#include "plumb/load.hpp"

namespace plumb_python {
namespace {

/// What a relation has that affects results and is not in its pairs of subject and object, such as
/// "aliases".
std::vector<std::string> beyond_pairs(const Relation& relation) {
  std::vector<std::string> found;
  const auto has = [&](const auto& of_fact) { return ranges::any_of(relation.facts, of_fact); };
  const auto not_empty = [](const auto& list) { return !list.empty(); };
  if (!relation.template_weights.empty()) found.emplace_back("template weights");
  if (has([](const Fact& fact) { return !fact.offered.empty(); })) {
    found.emplace_back("choices of its own");
  }
  if (has([](const Fact& fact) { return fact.part != FactPart::unsaid; })) {
    found.emplace_back("a split");
  }
  if (has([](const Fact& fact) { return !fact.subject_aliases.empty(); }) ||
      ranges::any_of(relation.option_aliases, not_empty)) {
    found.emplace_back("aliases");
  }
  return found;
}

}  // namespace

void bind_data(nb::module_& module) {
  nb::class_<Relation>(module, "Relation")
      .def_ro("code", &Relation::code)
      .def_ro("templates", &Relation::templates)
      .def_ro("options", &Relation::options)
      .def_ro("domains", &Relation::domains)
      .def_prop_ro("facts",
                   [](const Relation& self) {
                     std::vector<std::pair<std::string, std::string>> pairs;
                     for (const Fact& fact : self.facts) {
                       pairs.emplace_back(fact.subject, option_text(self, fact, fact.answer));
                     }
                     return pairs;
                   })
      .def_prop_ro("_beyond_pairs", &beyond_pairs)
      .def("__len__", [](const Relation& self) { return self.facts.size(); });
  module.def("relation_of", &relation_of, "code"_a, "templates"_a, "facts"_a);

  nb::class_<Dataset>(module, "Dataset")
      .def("__init__",
           [](Dataset* self, const std::string& name, const std::vector<Relation>& relations) {
             new (self) Dataset{.name = name, .relations = relations};
           })
      .def_ro("name", &Dataset::name)
      .def_ro("relations", &Dataset::relations)
      .def("select", [](const Dataset& self, const std::vector<std::string>& codes,
                        std::size_t limit) { return select_facts(self, codes, limit); });
  module.def("load_dataset", [](const std::string& path) { return load_dataset(path); });
}

}  // namespace plumb_python
