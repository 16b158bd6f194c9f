// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/probe_job.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/records/probe_answers.hpp"
#include "support/errors.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using namespace plumb::detail::test;

BOOST_AUTO_TEST_SUITE(probe_job)

namespace {

/// A model whose logits all have the same unusable value.
struct BrokenModel : NgramModel {
  explicit BrokenModel(float value) : NgramModel("") { row_.assign(vocabulary_size(), value); }
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    for (std::uint32_t i = 0; i < sequence.size(); ++i) visit(i, row_);
  }
};

/// A user-defined scorer: shorter statements are more likely.
struct ShorterIsLikelier {
  std::vector<StatementScore> score(const Query& query) {
    std::vector<StatementScore> scores;
    for (const Prompt& prompt : query.candidates) {
      scores.push_back({{-static_cast<double>(prompt.text.size()), 1}});
    }
    return scores;
  }
};

}  // namespace

// Oracle: the model's own probabilities, token by token.
BOOST_FIXTURE_TEST_CASE(every_statement_has_the_models_log_likelihood, WholeRun) {
  const NgramTreeModel model = small_model();
  const Dataset dataset = small_dataset();
  for (const Relation& relation : dataset.relations) {
    const auto rows = rows_of(folder / "whole" / (relation.code + "_results.jsonl"));
    BOOST_TEST(rows.size() == relation.facts.size() * 2);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Fact& fact = relation.facts[r / 2];  // by instance, then by template
      BOOST_TEST(rows[r].at("instance_index") == fact.instance);
      BOOST_TEST(rows[r].at("template_index") == r % 2);
      BOOST_TEST(rows[r].at("sub_label") == fact.subject);
      BOOST_TEST(rows[r].at("answer_idx") == fact.answer);
      for (std::size_t o = 0; o < relation.options.size(); ++o) {
        std::vector<TokenId> ids{*model.bos()};
        double expected = 0;
        const std::string text = Statement().build(relation, fact, r % 2, o).text;
        for (const Token& token : model.tokenize(text).tokens) {
          expected += model.log_probability(ids, token.id);
          ids.push_back(token.id);
        }
        BOOST_TEST(std::abs(rows[r].at("pll_scores").at(o).get<double>() - expected) < 1e-4);
        BOOST_TEST(rows[r].at("token_counts").at(o) == text.size());
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(the_summary_counts_what_was_scored, WholeRun) {
  BOOST_TEST(summary.cost.statements == all_statements);
  BOOST_TEST(summary.fresh_statements == all_statements);
  BOOST_TEST(summary.cost.tree_nodes < summary.cost.tokens_one_by_one);
  BOOST_TEST(summary.cost.tokens_fed >= summary.cost.tree_nodes);
}

BOOST_AUTO_TEST_CASE(progress_rises_to_all_statements) {
  const TemporaryFolder folder;
  std::vector<std::size_t> seen;
  std::string last;
  run_once(folder / "run", all_templates(), [&](const WorkState& state) {
    BOOST_TEST(state.counted == "statements");
    BOOST_TEST(state.total == all_statements);
    BOOST_TEST(state.fresh == state.done);
    if (!seen.empty()) BOOST_TEST(state.done > seen.back());
    seen.push_back(state.done);
    last = state.at;
  });
  BOOST_TEST(seen.size() > 4U);  // otherwise the tests below would interrupt nothing
  BOOST_TEST(seen.back() == all_statements);
  BOOST_TEST(last == "river");
}

BOOST_FIXTURE_TEST_CASE(small_blocks_give_the_scores_of_one_block, WholeRun) {
  run_once(folder / "blocks", all_templates(), {}, 7);  // one fact with six statements
  for (const auto& [name, text] : results) {
    const auto one = rows_of(folder / "whole" / name);
    const auto many = rows_of(folder / "blocks" / name);
    BOOST_REQUIRE(one.size() == many.size());
    for (std::size_t r = 0; r < one.size(); ++r) {
      BOOST_TEST(one[r].at("instance_index") == many[r].at("instance_index"));
      for (std::size_t o = 0; o < one[r].at("pll_scores").size(); ++o) {
        const double difference = one[r].at("pll_scores").at(o).get<double>() -
                                  many[r].at("pll_scores").at(o).get<double>();
        BOOST_TEST(std::abs(difference) < 1e-9);
      }
    }
  }
  // The packs of a relation are numbered across all its blocks.
  Journal journal(folder / "blocks/journal.jsonl");
  BOOST_TEST(journal.find("capital", 2).has_value());
}

BOOST_AUTO_TEST_CASE(chosen_templates_are_scored_and_no_others) {
  const TemporaryFolder folder;
  ProbeSettings settings;
  settings.templates = {1};
  BOOST_TEST(run_once(folder / "run", settings).cost.statements == all_statements / 2);
  for (const Json& row : rows_of(folder / "run/capital_results.jsonl")) {
    BOOST_TEST(row.at("template_index") == 1);
  }
}

BOOST_AUTO_TEST_CASE(missing_template_is_rejected_before_scoring) {
  const TemporaryFolder folder;
  ProbeSettings settings;
  settings.templates = {{0, 2}};
  BOOST_CHECK_EXCEPTION(
      run_once(folder / "run", settings), Error,
      says(Fault::user, "`templates`: relation capital has 2 templates, but no index 2"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  BOOST_CHECK_THROW((void)count_statements(small_dataset(), {2}), Error);
  BOOST_TEST(count_statements(small_dataset(), {}) == all_statements);
  BOOST_TEST(count_statements(small_dataset(), {1}) == all_statements / 2);
}

BOOST_AUTO_TEST_CASE(a_model_that_gives_no_numbers_is_broken) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float value : {std::nanf(""), infinity, -infinity}) {
    const TemporaryFolder folder;
    BrokenModel model(value);
    CausalScorer scorer(model);
    const Dataset dataset = small_dataset();
    ProbeJob job(scorer, dataset, all_templates());
    BOOST_CHECK_EXCEPTION(run_job(job, {folder / "run"}), Error,
                          says(Fault::internal,
                               // "Cairo is the capital of Egypt." is the first text in byte order.
                               "capital: the score of 'Egypt', template 1, option 'Cairo' is "));
    BOOST_TEST(contents(folder / "run", "_results.jsonl").empty());
  }
}

// Without BOS, the first token is not scored; here the answer consists of this token alone.
BOOST_AUTO_TEST_CASE(an_answer_without_a_scored_token_is_refused_with_a_remedy) {
  const TemporaryFolder folder;
  Dataset dataset = small_dataset();
  dataset.relations[0].options = {"A", "B", "C"};
  NgramTreeModel model = small_model();
  CausalScorer scorer(model, Bos::none());
  ProbeSettings settings = all_templates();
  settings.scoring.span = Span::answer;
  ProbeJob job(scorer, dataset, settings);
  BOOST_CHECK_EXCEPTION(run_job(job, {folder / "run"}), Error,
                        says(Fault::user, "has no scored token in its answer; the tokenizer"));
}

BOOST_AUTO_TEST_CASE(a_users_own_scorer_runs_query_by_query) {
  const TemporaryFolder folder;
  ShorterIsLikelier own;
  QueryByQuery scorer(own);
  const Dataset dataset = small_dataset();
  ProbeJob job(scorer, dataset, all_templates());
  const RunSummary summary = run_job(job, {folder / "run"}).summary;
  BOOST_TEST(summary.cost.statements == all_statements);
  BOOST_TEST(summary.cost.tokens_fed == 0U);
  const auto rows = rows_of(folder / "run/river_results.jsonl");
  BOOST_TEST(rows.size() == 4U);
  // The first row scores "Cairo lies on the Nile." and "… Rhine."; the second scores "The Nile
  // flows through Bonn." and "… Rhine …".
  BOOST_TEST((rows[0].at("pll_scores") == Json{-23.0, -24.0}));
  BOOST_TEST((rows[3].at("pll_scores") == Json{-28.0, -29.0}));
}

// With many statements, their tokenisation is reported once, with or without a plan; with few
// statements, it is not reported.
BOOST_AUTO_TEST_CASE(a_long_preparation_is_reported_once) {
  using Told = std::vector<std::string>;
  for (const bool is_long : {true, false}) {
    for (const bool is_planned : {true, false}) {
      const TemporaryFolder folder;
      auto model = small_model();
      CausalScorer scorer(model);
      ProbeJob job(scorer, small_dataset(), all_templates());
      if (is_long) job.reported_preparation = 1;
      Told counted;
      std::map<std::string, std::size_t> done;
      JobFolder into{folder / "run"};
      into.work.on_progress = [&](const WorkState& state) {
        if (counted.empty() || counted.back() != state.counted) counted.push_back(state.counted);
        done[state.counted] = state.done;
        BOOST_TEST(state.total == all_statements);
      };
      if (is_planned) {
        into.work.on_plan = [&](const JobPlan&) { counted.push_back("plan"); };
      }
      (void)run_job(job, into);
      BOOST_TEST(counted == (!is_long ? is_planned ? Told{"plan", "statements"} : Told{"statements"}
                             : is_planned ? Told{"statements tokenised", "plan", "statements"}
                                          : Told{"statements tokenised", "statements"}),
                 boost::test_tools::per_element());
      for (const auto& [name, count] : done) BOOST_TEST(count == all_statements, name);
    }
  }
}

/// A run with an engine that does not report the probabilities of the bytes in `hidden`.
RunSummary run_unreported(const DiskPath& path, const std::string& hidden,
                          Dataset dataset = small_dataset()) {
  UnreportingModel model(hidden);
  CausalScorer scorer(model);
  ProbeJob job(scorer, std::move(dataset), all_templates());
  return run_job(job, {path, true, {}}).summary;
}

BOOST_AUTO_TEST_CASE(a_fact_that_the_engine_did_not_report_is_left_out_and_counted) {
  const TemporaryFolder folder;
  (void)run_unreported(folder / "some", "E");  // occurs only in "Egypt", under both templates
  Dataset without = small_dataset();
  without.relations[0].facts.pop_back();
  (void)run_unreported(folder / "without", "", without);
  // The rows are the same as in a run without that fact.
  BOOST_TEST(contents(folder / "some", "_results.jsonl") ==
             contents(folder / "without", "_results.jsonl"));
  const DiskPath some = folder / "some";
  const Json run = read_json_object(some / "run.json");
  BOOST_TEST(run.at("unreported_facts") == 1);
  BOOST_TEST(!read_json_object(folder / "without" / "run.json").contains("unreported_facts"));
  const Json metadata = read_json_object(some / "metadata_results.json");
  BOOST_TEST(metadata.at("capital").at("unreported_facts") == 1);
  BOOST_TEST(metadata.at("capital").at("num_original_instances") == 3);
  BOOST_TEST(!metadata.at("river").contains("unreported_facts"));
  const Json metrics = read_json_object(some / "metrics.json");
  Json expected = read_json_object(folder / "without" / "metrics.json");
  BOOST_TEST(metrics.at("unreported_facts") == 1);
  BOOST_TEST(metrics.at("all_templates") == expected.at("all_templates"));
  const ProbeReport report = probe_report(some, {});
  const std::string warning = "Warning: 1 fact left out (capital: 1): the engine did not report";
  const auto notes = report.notes();
  BOOST_TEST(
      ranges::any_of(notes, [&](const std::string& note) { return note.starts_with(warning); }));
  BOOST_TEST(slurp(some / "report.html").find(warning) != std::string::npos);
  BOOST_TEST(probe_answers(some, "m").relations[0].facts() == 2U);

  // The run is repeated from the journal, with and without its result files.
  const auto before = contents_but(some, {"run.json"});
  BOOST_TEST(run_unreported(some, "E").fresh_statements == 0U);
  BOOST_TEST(contents_but(some, {"run.json"}) == before);
  remove_file(some / "capital_results.jsonl");
  BOOST_TEST(run_unreported(some, "E").fresh_statements == 0U);
  BOOST_TEST(contents_but(some, {"run.json", "journal.jsonl"}) == [&] {
    auto files = before;
    files.erase("journal.jsonl");
    return files;
  }());
  BOOST_TEST(read_json_object(some / "run.json").at("unreported_facts") == 1);
}

BOOST_AUTO_TEST_CASE(a_relation_without_a_reported_fact_has_no_number) {
  const TemporaryFolder folder;
  (void)run_unreported(folder / "river", "N");  // occurs in an option of each fact of "river"
  const Json of_river = read_json_object(folder / "river" / "metrics.json").at("all_templates");
  BOOST_TEST(of_river.at("overall").at("facts") == 3);
  BOOST_TEST(of_river.at("relations").at("capital").at("facts") == 3);
  BOOST_TEST(of_river.at("relations").at("river").at("accuracy").is_null());
  BOOST_TEST(of_river.at("overall_unweighted").at("accuracy").at("value") ==
             of_river.at("relations").at("capital").at("accuracy").at("value"));
  BOOST_TEST(read_json_object(folder / "river" / "metrics.json").at("unreported_facts") == 2);
  (void)run_unreported(folder / "all", "e");  // of each template
  const Json of_all = read_json_object(folder / "all" / "metrics.json");
  BOOST_TEST(of_all.at("unreported_facts") == 5);
  BOOST_TEST(of_all.at("all_templates").at("overall").at("accuracy").is_null());
  BOOST_TEST(of_all.at("all_templates").at("overall_unweighted").at("accuracy").is_null());
}

BOOST_AUTO_TEST_CASE(a_row_that_is_not_a_number_is_no_unreported_token) {
  const TemporaryFolder folder;
  BrokenModel model(std::numeric_limits<float>::quiet_NaN());
  CausalScorer scorer(model);
  ProbeJob job(scorer, small_dataset(), all_templates());
  BOOST_CHECK_EXCEPTION((void)run_job(job, {folder / "run"}), Error,
                        says(Fault::internal, "is NaN"));
}

BOOST_AUTO_TEST_SUITE_END()
