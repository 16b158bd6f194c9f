// SPDX-License-Identifier: Apache-2.0

// The closed-set probe, and what reads its answers: metrics, calibration, comparison.

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "model.hpp"
#include "plumb/detail/report/probe_columns.hpp"

namespace plumb_python {
namespace {

using Table = Answers::Table;

/// A view of a table's numbers, of shape [facts, templates, candidates]; it keeps the answers alive.
template <class Number>
auto view(nb::handle self, const std::vector<Number>& numbers) {
  const auto& table = nb::cast<const Table&>(self);
  return nb::ndarray<nb::numpy, const Number, nb::ndim<3>>(
      numbers.data(), {table.facts(), table.templates(), table.candidates()}, self);
}

/// What a setting is called in frames: the template's text, or method, shots and seed.
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
  options.on_progress = [&](std::size_t scored, std::size_t facts) {
    const nb::gil_scoped_acquire gil;
    on_progress(scored, facts);
  };
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

Json json_of_calibration(const Calibration& made) {
  Json json = Json::object();
  for (const DeclaredMetric& one : declared_metrics) {
    json[std::string(one.key)] = to_json(made[one.metric]);
  }
  return json;
}

nb::object calibrated(const Answers& answers, const std::vector<std::string>& estimators,
                      std::size_t bins, std::size_t base_template, std::uint64_t seed,
                      std::size_t resamples) {
  Json json = {{"bins", bins}, {"estimators", Json::object()}};
  {
    const nb::gil_scoped_release release;
    const auto made =
        predictions_of(answers, {.kinds = {.base = base_template}, .keep_scores = true});
    std::vector<std::string> remarks = answers.remarks;
    const Resamples drawn(strata_of(made.relations), {seed, resamples}, "bootstrap/calibrate");
    for (const NamedEstimator& one : chosen_estimators(made.relations, estimators, remarks)) {
      const std::vector<Judgement> judged = one.judge(made.relations);
      Json& told = json["estimators"][one.name];
      told["metrics"] = json_of_calibration(calibration_of(judged, bins, drawn));
      told["confidence"] = told["correct"] = Json::array();
      for (const Judgement& judgement : judged) {
        told["confidence"].push_back(judgement.confidence);
        told["correct"].push_back(judgement.correct);
      }
    }
    json["remarks"] = remarks;
  }
  return to_python(json);
}

Json json_of(const AnswerComparison::Question& question) {
  return {
      {"relation", question.relation}, {"subject", question.subject}, {"asked", question.asked}};
}
Json json_of(const std::vector<AnswerComparison::Flip>& flips) {
  Json list = Json::array();
  for (const auto& flip : flips) {
    Json& row = list.emplace_back(json_of(flip.question));
    row.update({{"first", flip.first},
                {"second", flip.second},
                {"first_is_right", flip.first_is_right},
                {"second_is_right", flip.second_is_right}});
  }
  return list;
}

nb::object compared(const Answers& first, const Answers& second, std::uint64_t seed,
                    std::size_t resamples) {
  Json json;
  {
    const nb::gil_scoped_release release;
    const AnswerComparison made = compare(first, second, {seed, resamples});
    json = {{"facts", made.facts},
            {"statements", made.statements},
            {"worst_nats", made.worst_nats},
            {"mean_nats", made.mean_nats},
            {"worst_at", nullptr},
            {"flips", json_of(made.flips)},
            {"lost", json_of(made.lost)},
            {"gained", json_of(made.gained)},
            {"accuracy_first", to_json(made.accuracy.one)},
            {"accuracy_second", to_json(made.accuracy.other)},
            {"difference", to_json(made.accuracy.difference)},
            {"facts_of_one", made.facts_of_one},
            {"templates_of_one", made.templates_of_one}};
    if (made.worst_at) {
      json["worst_at"] = json_of(made.worst_at->question);
      json["worst_at"].update({{"candidate", made.worst_at->candidate},
                               {"first", made.worst_at->first},
                               {"second", made.worst_at->second}});
    }
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
  module.def("probe", &probed);
  module.def("metrics_of", [](const Answers& answers, std::uint64_t seed, std::size_t resamples) {
    Json json;
    {
      const nb::gil_scoped_release release;
      json = to_json(metrics_of(answers, Bootstrap{seed, resamples}));
    }
    return to_python(json);
  });
  module.def("calibrate", &calibrated);
  module.def("compare", &compared);
}

}  // namespace plumb_python
