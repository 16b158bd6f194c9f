// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a ranking of entities told on the command line?

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/cli/job_options.hpp"
#include "plumb/core/over.hpp"
#include "plumb/measure/rank_metrics.hpp"
#include "plumb/run/rank_plan.hpp"

namespace plumb {
namespace detail {

struct RankArguments : JobArguments {
  RankOptions ranking{};
  bool deer = false, likelihood = false, lm_head = false;
  /// Whether queries and entities that are embedded, and queries behind which names are scored,
  /// begin with BOS.
  bool bos_of_vectors = false, bos_of_names = true;
  /// How many nearest entities of each query DEER writes down.
  std::size_t nearest = 0;
  /// Vectors of the entities made elsewhere; empty where there are none.
  std::filesystem::path entities{};
  /// A ranking to be replayed; empty where there is none.
  std::filesystem::path fixed{};
};

/// The options as words; `parse` turns them into arguments once the command line is read.
struct RankWords : JobOptions {
  std::string method, part, candidates, sample, sample_seed, shots, shot_seed, form, prompt, hits,
      reduction, budget, entities, nearest, fixed;

  void describe(options::options_description& list) {
    using options::value;
    list.add_options()  //
        ("data", value(&data)->value_name("DIR"),
         "knowledge graph: a folder in KG-BERT's layout, or train, valid and test as .tsv, or "
         "BEAR's facts")                                                                         //
        ("out", value(&out)->value_name("RUN"), "folder to write")                               //
        ("method", text_option(method, "deer")->value_name("A,B"), "deer, likelihood, lm-head")  //
        ("split", text_option(part, "test")->value_name("PART"),
         "triples that are asked: test, valid, train or all")  //
        ("candidates", text_option(candidates, "all")->value_name("SET"),
         "entities they are ranked among: all, single-token, of-queries or of-relation")  //
        ("relations", text_option(relations, "")->value_name("A,B"),
         "only queries of these relations")  //
        ("sample", text_option(sample, "0")->value_name("N"),
         "N triples drawn by seed; 0 takes all")                                        //
        ("sample-seed", text_option(sample_seed, "0")->value_name("N"), "of the draw")  //
        ("shots", text_option(shots, "8")->value_name("N"),
         "training triples before a query")                                           //
        ("shot-seed", text_option(shot_seed, "0")->value_name("N"), "of their draw")  //
        ("query-form", text_option(form, "reference")->value_name("FORM"),
         "reference: an empty line, then \"(h, r, \"; paper: \"(h, r,\"")  //
        ("entity-prompt", text_option(prompt, "eol")->value_name("eol,a,b,c"),
         "how DEER writes an entity: the paper's prompt, its variants, or several")  //
        ("entities", text_option(entities, "")->value_name("FILE.npy"),
         "DEER's entity vectors, made elsewhere or by another run")  //
        ("nearest", text_option(nearest, "0")->value_name("K"),
         "also write down DEER's K nearest entities of each query")  //
        ("head-queries", "also ask for each triple's head")          //
        ("hits", text_option(hits, "")->value_name("1,3,10"),
         "likelihood: end each search once these Hit@k are certain")  //
        ("reduction", text_option(reduction, "sum")->value_name("sum|mean"),
         "likelihood: over a name's tokens")  //
        ("budget", text_option(budget, "0")->value_name("N"),
         "likelihood: prefixes looked at for one query; 0 sets no end")  //
        ("fixed", text_option(fixed, "")->value_name("FILE"),
         "instead: DEER on shots, entities and queries of --data from a JSON file")  //
        ("seed", text_option(seed, "0")->value_name("N"), "of the bootstrap intervals");
    describe_model(list, "first N triples; 0 takes all");
  }

  [[nodiscard]] RankArguments parse(const options::variables_map& values) const {
    RankArguments parsed{parse_job(values, "plumb rank")};
    for (const std::string& name : parse_list(method, "--method")) {
      *one_of<bool*>(name, "--method",
                     {{"deer", &parsed.deer},
                      {"likelihood", &parsed.likelihood},
                      {"lm-head", &parsed.lm_head}}) = true;
    }
    RankOptions& ranking = parsed.ranking;
    ranking.part = one_of<GraphPart>(part, "--split",
                                     {{"test", GraphPart::test},
                                      {"valid", GraphPart::valid},
                                      {"train", GraphPart::train},
                                      {"all", GraphPart::all}});
    ranking.candidates = one_of<CandidateSet>(candidates, "--candidates",
                                              {{"all", CandidateSet::all},
                                               {"single-token", CandidateSet::single_token},
                                               {"of-queries", CandidateSet::of_queries},
                                               {"of-relation", CandidateSet::of_relation}});
    ranking.sample = parse_count(sample, "--sample");
    ranking.sample_seed = parse_count(sample_seed, "--sample-seed");
    ranking.limit = parsed.limit;
    ranking.relations = parsed.relations;
    ranking.shots = parse_count(shots, "--shots");
    ranking.shot_seed = parse_count(shot_seed, "--shot-seed");
    ranking.form = one_of<QueryForm>(
        form, "--query-form", {{"reference", QueryForm::reference}, {"paper", QueryForm::paper}});
    ranking.entity_prompts.clear();
    for (const std::string& name : parse_list(prompt, "--entity-prompt")) {
      const auto written = entity_prompt_of(name);
      if (!written) {
        throw user_error({.field = "--entity-prompt"}, "'" + name + "' is not a choice",
                         "say eol, a, b, c or several with commas between");
      }
      if (over::find(ranking.entity_prompts, *written) != ranking.entity_prompts.end()) {
        throw user_error({.field = "--entity-prompt"}, "names '" + name + "' twice",
                         "name it once");
      }
      ranking.entity_prompts.push_back(*written);
    }
    ranking.heads = values.contains("head-queries");
    if (ranking.heads && ranking.candidates == CandidateSet::of_relation) {
      throw user_error({.field = "--head-queries"},
                       "ask for heads, and --candidates of-relation ranks a relation's tails",
                       "leave out one of the two");
    }
    ranking.search.reduction =
        parse_choice(reduction, "--reduction", "sum", "mean") ? Reduction::sum : Reduction::mean;
    for (const std::string& level : parse_list(hits, "--hits")) {
      const std::size_t k = parse_count(level, "--hits");
      if (over::find(entity_hit_levels, k) == entity_hit_levels.end()) {
        throw user_error({.field = "--hits"}, "'" + level + "' is not shown",
                         "say 1, 3, 10 or 100");
      }
      ranking.search.hits = std::max(ranking.search.hits, k);
    }
    ranking.search.budget = parse_count(budget, "--budget");
    // The paper's vectors are made without BOS, its likelihoods as a probe's.
    if (!values["bos"].defaulted()) parsed.bos_of_vectors = parsed.bos_of_names = parsed.bos;
    parsed.nearest = parse_count(nearest, "--nearest");
    parsed.entities = entities;
    parsed.fixed = fixed;
    refuse_idle(values, parsed);
    return parsed;
  }

 private:
  static void refuse_idle(const options::variables_map& values, const RankArguments& parsed) {
    const auto refuse = [&](bool used, std::initializer_list<const char*> names,
                            const char* needed) {
      for (const char* name : names) {
        if (used || !values.contains(name) || values[name].defaulted()) continue;
        throw user_error({.field = std::string("--") + name},
                         std::string("has no effect without --method ") + needed, "leave it out");
      }
    };
    if (!parsed.fixed.empty()) {
      for (const char* name :
           {"method", "split", "candidates", "relations", "sample", "sample-seed", "shots",
            "shot-seed", "entity-prompt", "entities", "nearest", "head-queries", "hits",
            "reduction", "budget", "limit", "seed"}) {
        if (!values.contains(name) || values[name].defaulted()) continue;
        throw user_error({.field = std::string("--") + name}, "has no effect beside --fixed",
                         "leave it out; the file says what is asked");
      }
    }
    refuse(parsed.deer, {"entity-prompt", "entities", "nearest"}, "deer");
    refuse(parsed.likelihood, {"hits", "reduction", "budget"}, "likelihood");
    refuse(parsed.deer || parsed.lm_head, {"query-form"}, "deer or lm-head");
    if (!parsed.entities.empty() && !values["entity-prompt"].defaulted()) {
      throw user_error({.field = "--entity-prompt"}, "has no effect beside --entities",
                       "leave it out; the vectors are made already");
    }
  }
};

}  // namespace detail
}  // namespace plumb
