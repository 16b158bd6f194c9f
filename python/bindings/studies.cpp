// SPDX-License-Identifier: Apache-2.0

// Many shots, rankings of entities, many prompts.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "model.hpp"
#include "plumb/detail/report/many_prompt_json.hpp"
#include "plumb/detail/report/many_shot_json.hpp"
#include "plumb/detail/report/rank_json.hpp"
#include "plumb/many_prompts.hpp"
#include "plumb/many_shot.hpp"
#include "plumb/rank.hpp"

namespace plumb_python {

using plumb::detail::accuracy_spreads;
using plumb::detail::CandidateSet;
using plumb::detail::EntityPrompt;
using plumb::detail::EntityRank;
using plumb::detail::FewShotSetting;
using plumb::detail::GraphPart;
using plumb::detail::many_prompts;
using plumb::detail::many_shot;
using plumb::detail::ManyPromptAnswers;
using plumb::detail::ManyPromptsOptions;
using plumb::detail::ManyShotOptions;
using plumb::detail::PromptForm;
using plumb::detail::rank;
using plumb::detail::RankedMethod;
using plumb::detail::RankingOptions;
using plumb::detail::RankMethod;
using plumb::detail::RankResults;
using plumb::detail::setting_name;
using plumb::detail::ShotSource;

namespace {

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
      throw user_error({.setting = "model"}, "is a masked model, which many shots cannot be asked",
                       "give a causal model");
    }
    CausalScorer<WatchedModel> scorer(one, before, Span::continuation);
    Answers made = many_shot(scorer, dataset, options);
    made.name = name;
    return made;
  });
}

/// Each query's true entity with its ranks.
nb::list rows_of(const RankResults& made) {
  nb::list rows;
  for (const RankedMethod& method : made.methods) {
    for (const EntityRank& one : method.ranks) {
      nb::dict row;
      row["method"] = method.name;
      row["relation"] = one.relation;
      row["head"] = one.head;
      row["tail"] = one.tail;
      row["asks_head"] = one.asks_head;
      row["score"] = one.score;
      row["rank"] = one.raw.realistic();
      row["filtered_rank"] = one.filtered.realistic();
      row["candidates"] = one.candidates;
      row["tokens"] = one.tokens;
      rows.append(row);
    }
  }
  return rows;
}

template <class Data>
nb::tuple ranked(Model& model, const Data& data, const std::vector<std::string>& methods,
                 const std::string& part, const std::string& candidates,
                 const std::vector<std::string>& relations, std::size_t limit, std::size_t sample,
                 std::size_t shots, std::uint64_t seed, bool heads, const nb::object& bos) {
  RankingOptions options;
  options.methods.clear();
  for (const std::string& method : methods) {
    options.methods.push_back(choice_of<RankMethod>(method, "methods"));
  }
  options.asked.part = choice_of<GraphPart>(part, "part");
  options.asked.candidates = choice_of<CandidateSet>(candidates, "candidates");
  options.asked.relations = relations;
  options.asked.limit = limit;
  options.asked.sample = sample;
  options.asked.shots = shots;
  options.asked.heads = heads;
  options.seed = options.asked.shot_seed = options.asked.sample_seed = seed;
  // Empty: what the tokenizer does by itself.
  if (!nb::isinstance<nb::str>(bos) || nb::len(bos) > 0) options.bos = bos_of(bos);
  const RankResults made = model.asked([&](WatchedModel& one) { return rank(one, data, options); });
  Json json = to_json(made);
  json["remarks"] = made.remarks;
  return nb::make_tuple(to_python(json), rows_of(made));
}

ManyPromptAnswers many_prompted(
    Model& model, const MultiPromptDataset& dataset, const std::vector<std::string>& relations,
    std::size_t limit, const std::vector<std::tuple<std::string, std::size_t, bool>>& settings,
    std::size_t max_new_tokens, const std::vector<std::string>& stop, std::size_t samples,
    std::size_t confidence_prompts, bool names, std::size_t masks, std::uint64_t seed,
    const nb::object& bos) {
  ManyPromptsOptions options;
  options.relations = relations;
  options.limit = limit;
  options.settings.clear();
  for (const auto& [source, shots, question] : settings) {
    FewShotSetting& one = options.settings.emplace_back();
    one.source = choice_of<ShotSource>(source, "settings");
    one.shots = shots;
    one.form = question ? PromptForm::question : PromptForm::mask;
  }
  options.max_new_tokens = max_new_tokens;
  options.stop = stop;
  options.samples = samples;
  options.confidence_prompts = confidence_prompts;
  options.names = names;
  options.masks = masks;
  options.shot_seed = options.sample_seed = seed;
  options.bos = bos_of(bos);
  return model.asked([&](WatchedModel& one) {
    const Capabilities can = one.capabilities();
    if (!can.masked && !can.causal && !can.generates) {
      throw user_error({.setting = "model"},
                       "gives log-probabilities alone, and is asked for texts",
                       "give the engine sequence_rows, or use another one");
    }
    return many_prompts(one, dataset, options);
  });
}

}  // namespace

void bind_studies(nb::module_& module) {
  module.def("many_shot", &many_shots);
  module.def("accuracy_spreads", [](const Answers& answers) {
    Json json = Json::object();
    for (const auto& spread : accuracy_spreads(answers))
      json[setting_name(spread.group)] = to_json(spread);
    return to_python(json);
  });
  module.def("rank", &ranked<KnowledgeGraph>);
  module.def("rank", &ranked<Dataset>);
  nb::class_<ManyPromptAnswers>(module, "ManyPromptAnswers")
      .def_ro("remarks", &ManyPromptAnswers::remarks);
  module.def("many_prompts", &many_prompted);
  module.def("metrics_of_prompts", [](const ManyPromptAnswers& answers, std::size_t samplings,
                                      std::uint64_t seed, std::size_t resamples) {
    Json json;
    {
      const nb::gil_scoped_release release;
      json = to_json(metrics_of(answers, {Bootstrap{seed, resamples}, samplings, seed}));
    }
    return to_python(json);
  });
}

}  // namespace plumb_python
