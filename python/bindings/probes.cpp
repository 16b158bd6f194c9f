// SPDX-License-Identifier: Apache-2.0

// The closed-set probe and the many-shot probe in memory, and the functions that read their
// answers: metrics, calibration, comparison.

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "model.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/compare.hpp"
#include "plumb/detail/report/answers_json.hpp"
#include "plumb/detail/report/many_shot_json.hpp"
#include "plumb/detail/report/probe_columns.hpp"
#include "plumb/many_shot.hpp"
#include "plumb/probe.hpp"

namespace plumb_python {
namespace {

using Table = Answers::Table;

/// A view of a table's numbers, of shape [facts, templates, candidates]; it keeps the answers
/// alive.
template <class Number>
auto view(nb::handle self, const std::vector<Number>& numbers) {
  const auto& table = nb::cast<const Table&>(self);
  return nb::ndarray<nb::numpy, const Number, nb::ndim<3>>(
      numbers.data(), {table.facts(), table.templates(), table.candidates()}, self);
}

/// The name of a setting in DataFrames: the template's text, or method, shots and seed.
std::string name_of_column(const Table& table, std::size_t place) {
  const auto& setting = table.settings[place];
  if (setting.method == "template") return table.relation.templates[setting.variant];
  return setting.method + ", " + std::to_string(setting.shots) + " shots, seed " +
         std::to_string(setting.variant);
}

Answers probed(Model& model, const Dataset& dataset, const std::string& name,
               const std::string& reduction, const std::string& span,
               const std::vector<std::size_t>& templates, const nb::object& bos,
               const std::string& pll, const nb::object& on_progress, std::size_t block) {
  ProbeOptions options{.name = name,
                       .reduction = choice_of<Reduction>(reduction, "reduction"),
                       .span = choice_of<Span>(span, "span"),
                       .templates = templates,
                       .block_statements = block};
  if (!on_progress.is_none()) {
    options.on_progress = [&](std::size_t scored, std::size_t facts) {
      const nb::gil_scoped_acquire gil;
      on_progress("facts", scored, facts);
    };
  }
  const auto rule = choice_of<PseudoLikelihood>(pll, "pll");
  const Bos before = bos_of(bos);
  return model.asked([&](WatchedModel& one) {
    if (one.capabilities().only_masked()) {
      MaskedScorer<WatchedModel> scorer(one, rule);
      return probe(scorer, dataset, options);
    }
    CausalScorer<WatchedModel> scorer(one, before, *options.span);
    return probe(scorer, dataset, options);
  });
}

Answers many_shots(Model& model, const Dataset& dataset, const std::string& name,
                   const std::vector<std::size_t>& shots, std::size_t seeds, std::size_t choices,
                   std::size_t training, std::size_t limit, std::size_t least_facts,
                   const std::vector<std::string>& separators, bool eic, bool eic_isolated,
                   std::uint64_t choice_seed, std::uint64_t split_seed, const nb::object& bos) {
  ManyShotOptions options;
  options.shots.numbers = shots;
  options.seeds = seeds;
  options.choices = choices;
  options.training = training;
  options.limit = limit;
  options.least_facts = least_facts;
  options.pair_separators = separators;
  options.eic_paper = eic;
  options.eic_isolated = eic_isolated;
  options.choice_seed = choice_seed;
  options.split_seed = split_seed;
  const Bos before = bos_of(bos);
  return model.asked([&](WatchedModel& one) {
    if (one.capabilities().only_masked()) {
      throw user_error({.setting = "model"}, "is a masked model, but many shots need a causal one",
                       "use a causal model");
    }
    CausalScorer<WatchedModel> scorer(one, before, Span::continuation);
    Answers made = many_shot(scorer, dataset, options);
    made.name = name;
    return made;
  });
}

/// Returns `make()`, called without the GIL.
template <class Make>
nb::object told(Make make) {
  Json json;
  {
    const nb::gil_scoped_release release;
    json = make();
  }
  return to_python(json);
}

}  // namespace

void bind_probes(nb::module_& module) {
  nb::class_<Table>(module, "Table")
      .def_prop_ro("code", [](const Table& self) { return self.relation.code; })
      .def_prop_ro("options", [](const Table& self) { return self.relation.options; })
      .def_prop_ro("templates",
                   [](const Table& self) {
                     std::vector<std::string> names;
                     for (std::size_t i = 0; i < self.templates(); ++i) {
                       names.push_back(name_of_column(self, i));
                     }
                     return names;
                   })
      .def_prop_ro("subjects",
                   [](const Table& self) {
                     std::vector<std::string> subjects;
                     for (const Fact& fact : self.relation.facts) subjects.push_back(fact.subject);
                     return subjects;
                   })
      .def_prop_ro("answers",
                   [](const Table& self) {
                     std::vector<std::size_t> right;
                     for (std::size_t f = 0; f < self.facts(); ++f) right.push_back(self.answer(f));
                     return right;
                   })
      .def("labels",
           [](const Table& self, std::size_t fact) {
             std::vector<std::string> labels;
             for (std::size_t c = 0; c < self.candidates(fact); ++c) {
               labels.push_back(self.label(fact, c));
             }
             return labels;
           })
      .def_prop_ro(
          "log_likelihoods",
          [](nb::handle self) { return view(self, nb::cast<const Table&>(self).log_likelihoods); })
      .def_prop_ro("tokens",
                   [](nb::handle self) { return view(self, nb::cast<const Table&>(self).tokens); })
      .def_prop_ro("bytes",
                   [](nb::handle self) { return view(self, nb::cast<const Table&>(self).bytes); });
  nb::class_<Answers>(module, "Answers")
      .def_ro("name", &Answers::name)
      .def_ro("unreported_facts", &Answers::unreported_facts)
      .def_ro("remarks", &Answers::remarks)
      .def_prop_ro("reduction",
                   [](const Answers& self) { return std::string(name_of(self.scoring.reduction)); })
      .def_prop_ro("span",
                   [](const Answers& self) { return std::string(name_of(self.scoring.span)); })
      .def("__len__", [](const Answers& self) { return self.tables.size(); })
      .def(
          "table", [](Answers& self, std::size_t place) -> Table& { return self.tables.at(place); },
          nb::rv_policy::reference_internal);
  module.def("probe", &probed, "model"_a, "dataset"_a, "name"_a, "reduction"_a, "span"_a,
             "templates"_a, "bos"_a, "pll"_a, "on_progress"_a.none(), "block"_a);
  module.def("metrics_of", [](const Answers& answers, std::uint64_t seed, std::size_t resamples) {
    return told([&] { return to_json(metrics_of(answers, Bootstrap{seed, resamples})); });
  });
  module.def("many_shot", &many_shots);
  module.def("accuracy_spreads", [](const Answers& answers) {
    Json json = Json::object();
    for (const auto& spread : accuracy_spreads(answers))
      json[setting_name(spread.group)] = to_json(spread);
    return to_python(json);
  });
  module.def("calibrate", [](const Answers& answers, const std::vector<std::string>& estimators,
                             std::size_t bins, std::size_t base_template, std::uint64_t seed,
                             std::size_t resamples) {
    return told([&] {
      return calibration_json(answers, estimators, bins, base_template, {seed, resamples});
    });
  });
  module.def("compare", [](const Answers& first, const Answers& second, std::uint64_t seed,
                           std::size_t resamples) {
    return told([&] { return to_json(compare(first, second, {seed, resamples})); });
  });
}

}  // namespace plumb_python
