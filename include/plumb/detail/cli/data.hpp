// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb data: is this dataset valid, and how large is it?
//
// `check` prints each problem on its own line, with the file and the line number. `describe` prints
// sizes and, with a model, token counts. Both read closed sets, many-prompt datasets and knowledge
// graphs. `convert` writes a many-prompt dataset or tables of choices (data_convert.hpp), `prompts`
// prints the prompts of a run (data_prompts.hpp), and `overlap` searches texts for facts
// (data_overlap.hpp).

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/cli/arguments.hpp"
#include "plumb/detail/cli/data_convert.hpp"
#include "plumb/detail/cli/data_overlap.hpp"
#include "plumb/detail/cli/data_prompts.hpp"
#include "plumb/detail/cli/model_places.hpp"
#include "plumb/detail/data/closed_set_prompts.hpp"
#include "plumb/detail/data/dataset_check.hpp"
#include "plumb/detail/data/dataset_texts.hpp"
#include "plumb/detail/data/graph_folder.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "plumb/detail/report/text_table.hpp"
#include "plumb/detail/run/job_setting.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "plumb/detail/score/masked_scorer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline int check_data(Console& console, const DiskPath& data) {
  std::size_t problems = 0;
  const auto print = [&](const Error& problem) {
    console.out << as_options(problem.what()) << "\n";
    ++problems;
  };
  std::size_t relations = 0, facts = 0;
  std::optional<std::size_t> entities;
  const auto count = [&](const auto& dataset) {
    print_left_out(console, dataset.left_out);
    relations = dataset.relations.size();
    for (const auto& relation : dataset.relations) facts += relation.facts.size();
  };
  try {
    if (is_graph_folder(data)) {
      const KnowledgeGraph graph = load_graph(data);
      entities = graph.entities.size();
      relations = graph.relations.size();
      facts = graph.train.size() + graph.valid.size() + graph.test.size();
      check_graph(graph, print);
    } else if (is_multi_prompt(data)) {
      const MultiPromptDataset dataset = load_multi_prompt(data, print);
      count(dataset);
      check_dataset(dataset, print);
    } else {
      const Dataset dataset = load_dataset(data, print);
      count(dataset);
      check_dataset(dataset, print);
      if (const auto prompts = prompt_file_of(data)) {
        const PromptTemplateFile templates(*prompts, print);
        (void)multi_prompt_of(dataset, &templates, print);
      }
    }
  } catch (const Error& error) {
    if (error.fault() != Fault::user) throw;
    print(error);
  }
  if (entities) console.out << counted(*entities, "entity") << ", ";
  console.out << counted(relations, "relation") << ", "
              << counted(facts, entities ? "triple" : "fact") << ", "
              << counted(problems, "problem") << "\n";
  return problems == 0 ? 0 : 2;
}

/// The token counts of statements under template 0, including BOS or a masked model's special
/// tokens; zero for a relation without templates.
template <PackedScorer Scorer>
ScoringCost count_tokens(Scorer& scorer, const Relation& relation) {
  typename Scorer::Block block;
  if (relation.templates.empty()) {
    return ScoringCost{relation.facts.size() * relation.options.size(), 0, 0, 0};
  }
  const Statement builder;
  Query query;
  for (const Fact& fact : relation.facts) {
    query.candidates.clear();
    for (std::size_t option = 0; option < relation.options.size(); ++option) {
      query.candidates.push_back(builder.build(relation, fact, 0, option));
    }
    scorer.add(block, query);
  }
  scorer.plan(block);
  return block.cost();
}

/// Prints a table of triple counts by relation and part.
inline void describe_graph(Console& console, const KnowledgeGraph& graph) {
  TextTable table({"relation", "train", "valid", "test"});
  const std::array parts{&graph.train, &graph.valid, &graph.test};
  const auto add = [&](const std::string& name, auto counts) {
    std::vector<std::string> cells{name};
    for (const std::vector<Triple>* part : parts) cells.push_back(std::to_string(counts(*part)));
    table.add(std::move(cells));
  };
  for (std::size_t r = 0; r < graph.relations.size(); ++r) {
    add(graph.relations[r].name, [r](const std::vector<Triple>& part) {
      return ranges::count(part, static_cast<std::uint32_t>(r), &Triple::relation);
    });
  }
  table.add_rule();
  add("all", [](const std::vector<Triple>& part) { return part.size(); });
  console.out << graph.name << ": " << counted(graph.entities.size(), "entity") << ", "
              << counted(graph.relations.size(), "relation") << "\n"
              << table.text(width_on(console));
}

inline int describe_data(Console& console, const DiskPath& data,
                         const std::filesystem::path& model_file,
                         SpecialTokenReading special_tokens, const ModelMaker& make_model) {
  if (is_multi_prompt(data)) {
    if (!model_file.empty()) {
      throw user_error({.field = "--model"}, "tokens of a many-prompt dataset are not counted",
                       "remove it");
    }
    const MultiPromptDataset dataset = load_multi_prompt(data);
    print_left_out(console, dataset.left_out);
    console.out << describe_multi_prompt(dataset, width_on(console));
    return 0;
  }
  if (is_graph_folder(data)) {
    if (!model_file.empty()) {
      throw user_error({.field = "--model"}, "tokens of a graph are not counted", "remove it");
    }
    describe_graph(console, load_graph(data));
    return 0;
  }
  const Dataset dataset = load_dataset(data);
  using enum ColumnWeight;
  const ColumnWeight tokens = model_file.empty() ? minor : usual;
  TextTable table({"relation", "facts", "options", "templates", "kind", "statements", "tokens",
                   "tree", "tokens/statement"},
                  {major, major, usual, usual, minor, major, tokens, tokens, tokens});
  std::size_t facts = 0;
  ScoringCost all;
  const auto add = [&](const std::string& name, std::size_t n, const std::string& options,
                       const std::string& templates, const std::string& kind,
                       const ScoringCost& cost) {
    const bool counted = cost.tokens_one_by_one > 0;
    const double mean =
        static_cast<double>(cost.tokens_one_by_one) / static_cast<double>(cost.statements);
    table.add({name, std::to_string(n), options, templates, kind, std::to_string(cost.statements),
               counted ? std::to_string(cost.tokens_one_by_one) : "–",
               cost.tree_nodes > 0 ? std::to_string(cost.tree_nodes) : "–",
               counted ? with_decimals(mean, 1) : "–"});
  };
  const auto describe = [&](auto count) {
    for (const Relation& relation : dataset.relations) {
      const ScoringCost cost = count(relation);
      add(relation.code, relation.facts.size(), std::to_string(relation.options.size()),
          std::to_string(relation.templates.size()), is_one_to_one(relation) ? "1:1" : "N:1", cost);
      facts += relation.facts.size();
      all += cost;
    }
  };
  if (model_file.empty()) {
    describe([](const Relation& relation) {
      return ScoringCost{relation.facts.size() * relation.options.size(), 0, 0, 0};
    });
  } else {
    auto model = make_model({.model = model_file,
                             .parse_special_tokens = special_tokens == SpecialTokenReading::parse,
                             .only_tokens = true});
    for_each_text(dataset, {0}, SpecialTokenCheck(model, special_tokens));
    if (model.capabilities().only_masked()) {
      MaskedScorer scorer(model);
      describe([&](const Relation& relation) { return count_tokens(scorer, relation); });
    } else {
      CausalScorer scorer(model, model.bos() ? Bos() : Bos::none());
      describe([&](const Relation& relation) { return count_tokens(scorer, relation); });
    }
  }
  table.add_rule();
  add("all", facts, "", "", "", all);
  print_left_out(console, dataset.left_out);
  console.out << dataset.name << ": " << counted(dataset.relations.size(), "relation") << "\n"
              << table.text(width_on(console));
  console.out << (model_file.empty() ? "Token counts: add --model FILE.\n"
                                     : "Statements and tokens of template 0. tokens: computed if "
                                       "statements are scored one by "
                                       "one; tree: if they share prefixes.\n");
  return 0;
}

/// Runs the subcommand; returns the exit code 0, or 2 if `check` finds problems. Throws an Error
/// for every failure.
inline int run_data_command(Console& console, const ModelMaker& make_model) {
  if (!console.arguments.empty() && console.arguments.front() == "prompts") {
    return detail::print_prompts(console, make_model);
  }
  if (!console.arguments.empty() && console.arguments.front() == "overlap") {
    return detail::overlap_data(console);
  }
  std::string action, data, model, special_tokens, templates, out, to, origin;
  std::string min_facts, min_objects, seed;
  ManyChoiceRule rule;
  detail::options::options_description list;
  list.add_options()  //
      ("action", detail::options::value(&action)->value_name("ACTION"),
       "check, describe, convert, prompts RUN, or overlap DIR TEXT…")                            //
      ("data", detail::options::value(&data)->value_name("DIR"), "dataset folder or .tsv file")  //
      ("model", detail::options::value(&model)->value_name("FILE"),
       "describe: also count tokens, with this model's tokenizer")  //
      ("special-tokens", detail::options::value(&special_tokens)->value_name("text|parse"),
       (std::string("describe: ") + special_tokens_help).c_str())  //
      ("out", detail::options::value(&out)->value_name("DIR"),
       "convert: a new or empty folder for facts.jsonl and templates.jsonl, or for one table per "
       "relation")  //
      ("to", detail::options::value(&to)->value_name("SHAPE"),
       "convert: many-prompts, or choices (one table per relation, following T-REx-MC's rule)")  //
      ("origin", detail::options::value(&origin)->value_name("WHICH"),
       "convert: keep only manual or only generated templates; default: all")  //
      ("min-facts", detail::options::value(&min_facts)->value_name("N"),
       "convert --to choices: minimum number of facts per relation (500)")  //
      ("min-objects", detail::options::value(&min_objects)->value_name("N"),
       "convert --to choices: minimum number of distinct objects per relation (100)")  //
      ("seed", detail::options::value(&seed)->value_name("N"),
       "convert --to choices: seed of the random draws (0)")  //
      ("templates", detail::options::value(&templates)->value_name("FILE"),
       "convert: a templates.jsonl that replaces the dataset's templates; only its relations are "
       "converted");
  const auto values = detail::parse_arguments(
      console,
      "plumb data check|describe DIR [--model FILE]\n"
      "       plumb data convert DIR --out DIR [--templates FILE] [--origin WHICH]\n"
      "       plumb data convert DIR --out DIR --to choices [--min-facts N]\n"
      "                   [--min-objects N]\n"
      "       plumb data prompts RUN [--fact ID] [--ids] [--model FILE] [--data DIR]\n"
      "       plumb data overlap DIR TEXT… [--out FILE]\n"
      "                   [--within N|line|paragraph|document]",
      list, {{"action", 1}, {"data", 1}});
  if (!values) return 0;
  if (action.empty()) {
    throw user_error({}, "no action given",
                     "use plumb data check DIR, plumb data describe DIR, plumb data convert DIR "
                     "--out DIR, plumb data prompts RUN or plumb data overlap DIR TEXT…");
  }
  if (action != "check" && action != "describe" && action != "convert") {
    throw user_error({.field = "plumb data"}, "'" + action + "' is not a valid choice",
                     "use check, describe, convert, prompts or overlap, before all options");
  }
  if (data.empty()) {
    throw user_error(
        {}, "no dataset given",
        "use plumb data " + action + " DIR" + (action == "convert" ? " --out DIR" : ""));
  }
  const auto only_for = [&](const char* option, const std::string& value, const char* of) {
    if (value.empty() || action == of) return;
    throw user_error({.field = option}, "does not apply to " + action,
                     std::string("remove it, or use ") + of);
  };
  only_for("--model", model, "describe");
  only_for("--special-tokens", special_tokens, "describe");
  only_for("--out", out, "convert");
  only_for("--templates", templates, "convert");
  only_for("--to", to, "convert");
  only_for("--origin", origin, "convert");
  only_for("--min-facts", min_facts, "convert");
  only_for("--min-objects", min_objects, "convert");
  only_for("--seed", seed, "convert");
  const auto number = [](const char* option, const std::string& word, auto& value) {
    if (!word.empty()) setting::read(word, option, value);
  };
  number("min-facts", min_facts, rule.facts);
  number("min-objects", min_objects, rule.objects);
  number("seed", seed, rule.seed);
  if (action == "check") return detail::check_data(console, data);
  if (action == "describe") {
    SpecialTokenReading reading = SpecialTokenReading::refuse;
    if (!special_tokens.empty()) setting::read(special_tokens, "--special-tokens", reading);
    if (model.empty() && values->contains("special-tokens")) {
      throw user_error({.field = "--special-tokens"}, "has no effect without --model", "remove it");
    }
    return detail::describe_data(console, data, detail::found_model(model, console).path, reading,
                                 make_model);
  }
  if (out.empty()) {
    throw user_error({.field = "--out"}, "is missing", "pass a new or empty folder");
  }
  if (!to.empty() && to != "many-prompts" && to != "choices") {
    throw user_error({.field = "--to"}, "'" + to + "' is not a valid choice",
                     "use many-prompts or choices");
  }
  for (const char* option : {"min-facts", "min-objects", "seed"}) {
    if (to == "choices" || !values->contains(option)) continue;
    throw user_error({.field = std::string("--") + option}, "has no effect without --to choices",
                     "remove it");
  }
  if (to == "choices") {
    if (!templates.empty() || !origin.empty()) {
      throw user_error({.field = templates.empty() ? "--origin" : "--templates"},
                       "does not apply to --to choices, whose tables have no templates",
                       "remove it");
    }
    return detail::convert_to_choices(console, data, rule, out);
  }
  KeptOrigins kept = KeptOrigins::all;
  if (!origin.empty()) setting::read(origin, "origin", kept);
  return detail::convert_data(console, data, templates, kept, out);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
