// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/many_shot_run.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_many_shot.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::births;
using test::continuation_by_hand;
using test::eic;
using test::ending_in;
using test::pairs_text;
using test::reader_of_births;
using test::says;
using test::several;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(many_shot_run)

namespace {

using Indices = std::vector<std::size_t>;

const ObjectAliases no_aliases;

/// Simulates one process: a new model, folder and run, as after a crash.
template <class Model = NgramTreeModel>
RunSummary run_once(const std::filesystem::path& path, const std::vector<Relation>& relations,
                    const ManyShotOptions& options, bool with_bos = true,
                    ProgressCallback on_progress = {}) {
  Model model = reader_of_births<Model>();
  const RunFolder folder(path, Json::object(), RunFolder::Claim::resume);
  std::vector<ManyShotRelation> asked;
  for (const Relation& relation : relations) asked.emplace_back(relation, no_aliases, options);
  Work work(folder.file("journal.jsonl"), {std::move(on_progress), {}});
  ManyShotRun(model, with_bos, folder, work).run(asked);
  return work.summary();
}

std::vector<RecordedChoice> rows_of(const std::filesystem::path& path, const Relation& relation) {
  RecordedChoiceRelation recorded;
  recorded.options = relation.options;
  recorded.rows = path / (relation.code + "_choices.jsonl");
  std::vector<RecordedChoice> rows;
  for_each_recorded_choice(recorded, [&](const RecordedChoice& row) { rows.push_back(row); });
  return rows;
}

Indices drawn(const Relation& relation, std::size_t training, std::uint64_t seed) {
  return shot_order(relation, train_test_split(relation, training, 0), seed);
}

}  // namespace

// Oracle: the model's own probabilities, token by token, of texts constructed here.
BOOST_AUTO_TEST_CASE(every_row_has_the_models_own_probabilities) {
  const Relation relation = births(30, 8);
  const ManyShotOptions options = several();
  const Indices test = train_test_split(relation, 12, 0).test;
  const auto check = [&]<class Model>(const Model& model, bool with_bos) {
    const TemporaryFolder folder;
    const RunSummary summary = run_once<Model>(folder / "run", {relation}, options, with_bos);
    const auto rows = rows_of(folder / "run", relation);
    BOOST_REQUIRE(rows.size() == (2U * 2 * 2 + 2) * 6);
    std::size_t at = 0, statements = 0;
    const auto expect = [&](const Setting& setting, const std::string& begin,
                            const std::string& end, const std::string& separator) {
      for (std::size_t f = 0; f < 6; ++f, ++at) {
        const RecordedChoice& row = rows[at];
        const Fact& fact = relation.facts[test[f]];
        BOOST_TEST((row.setting.group() == setting.group()));
        BOOST_TEST(row.setting.variant == setting.variant);
        BOOST_TEST(row.fact.instance == fact.instance);
        BOOST_TEST(row.fact.subject == fact.subject);
        BOOST_TEST(row.fact.answer == fact.answer);
        BOOST_TEST(row.choices.size() == 5U);
        statements += row.choices.size();
        for (std::size_t c = 0; c < row.choices.size(); ++c) {
          const Prompt prompt =
              ending_in(begin + fact.subject + end, separator + relation.options[row.choices[c]]);
          BOOST_TEST(std::abs(row.scores[c] - continuation_by_hand(model, prompt, with_bos)) <
                     1e-5);
        }
      }
    };
    for (const std::string& separator : options.pair_separators) {
      for (const std::size_t seed : {0U, 1U}) {
        const Indices shots = drawn(relation, 12, seed);
        for (const std::size_t n : {1U, 4U}) {
          const auto pairs = pairs_text(relation, std::span(shots).first(n), separator);
          expect({"ic", n, separator, "choice", seed}, pairs + " ", "", separator);
        }
      }
    }
    expect({"hgp", 0, "", "choice", 0}, "", " was born in", " ");
    expect({"mmp", 0, "", "choice", 0}, "(", ",", " ");
    BOOST_TEST(summary.cost.statements == statements);
    BOOST_TEST(summary.fresh_statements == statements);
  };
  check(reader_of_births(), true);
  check(reader_of_births(), false);
  check(reader_of_births<NgramModel>(), true);  // without a tree
}

BOOST_AUTO_TEST_CASE(eic_rows_have_the_probabilities_of_their_sequences) {
  const Relation relation = births(125, 10);
  const NgramTreeModel model = reader_of_births();
  const TemporaryFolder folder;
  (void)run_once(folder / "run", {relation}, eic());
  const auto rows = rows_of(folder / "run", relation);
  const Indices pairs = drawn(relation, 100, 0);
  BOOST_REQUIRE(rows.size() == 24U);
  for (std::size_t f = 0; f < 12; ++f) {
    const RecordedChoice& isolated = rows[f];
    const RecordedChoice& paper = rows[12 + f];
    BOOST_TEST(isolated.setting.method == "eic-isolated");
    BOOST_TEST(paper.setting.method == "eic");
    BOOST_TEST(paper.fact.instance == isolated.fact.instance);
    BOOST_TEST(paper.setting.shots == 50U);
    const std::string text =
        pairs_text(relation, std::span(pairs).first(50 + 5 * (f % 10)), " ", ",") + "," +
        isolated.fact.subject + " ";
    for (std::size_t c = 0; c < 4; ++c) {
      const Prompt prompt = ending_in(text, relation.options[isolated.choices[c]]);
      BOOST_TEST(std::abs(isolated.scores[c] - continuation_by_hand(model, prompt)) < 1e-5);
      // The model looks back only four bytes, so the rest of the sequence makes no difference.
      BOOST_TEST(std::abs(paper.scores[c] - isolated.scores[c]) < 1e-5);
    }
  }
}

// If the model looks back far enough, a question in the paper's form depends on the previous one.
BOOST_AUTO_TEST_CASE(what_stands_in_a_paper_sequence_is_seen_by_what_follows) {
  const Relation relation = births(125, 10);
  NgramTreeModel model(pairs_text(relation, Indices{3, 8, 20}, " ", ","), 120);
  model.limits = {3000, 8, 32};
  const TemporaryFolder folder;
  const RunFolder run_folder(folder / "run", Json::object(), RunFolder::Claim::resume);
  const ManyShotOptions options = eic();
  const std::vector<ManyShotRelation> asked{{relation, no_aliases, options}};
  Work work(run_folder.file("journal.jsonl"));
  ManyShotRun run(model, true, run_folder, work);
  run.run(asked);
  const auto rows = rows_of(folder / "run", relation);
  std::vector<Query> queries;
  asked[0].for_each_block([&](const ManyShotBlock& block) {
    if (block.settings[0].method != "eic") return;
    for (std::size_t f = block.first_fact; f < block.first_fact + block.facts; ++f) {
      queries.push_back(block.query(0, f));
    }
  });
  BOOST_REQUIRE(queries.size() == 12U);
  for (std::size_t f = 0; f < 12; ++f) {
    for (std::size_t c = 0; c < 4; ++c) {
      const double expected = continuation_by_hand(model, queries[f].candidates[c]);
      BOOST_TEST(std::abs(rows[12 + f].scores[c] - expected) < 1e-5);
    }
  }
}

BOOST_AUTO_TEST_CASE(shots_are_fed_once_for_all_questions_of_a_seed) {
  const Relation relation = births(30, 8);
  ManyShotOptions options = several();
  options.shots = {{10}};
  options.seeds = 1;
  options.pair_separators = {" "};
  options.baselines.clear();
  const TemporaryFolder folder;
  const RunSummary summary = run_once(folder / "run", {relation}, options);
  const std::size_t shots = 10 * 15 - 1;  // pairs like "Person Aa 1800", separated by a space
  // The context consists of BOS, the shots and the text that they share with "… Person A". For each
  // fact, " Person ?? " and at most three bytes of each of five years follow.
  BOOST_TEST(summary.cost.tokens_fed >= 1 + shots);
  BOOST_TEST(summary.cost.tokens_fed <= 1 + shots + 6 * (11 + 5 * 3));
  BOOST_TEST(summary.cost.tokens_one_by_one == 30 * (1 + shots + 1 + 14));
}

BOOST_AUTO_TEST_CASE(a_run_taken_up_after_any_line_of_its_journal_gives_the_same_bytes) {
  const std::vector<Relation> relations{births(30, 8), births(40, 6, "other")};
  const TemporaryFolder folder;
  const RunSummary whole = run_once(folder / "whole", relations, several());
  const auto rows = [&](const std::string& run) {
    return slurp(folder / (run + "/birth_choices.jsonl")) +
           slurp(folder / (run + "/other_choices.jsonl"));
  };
  const std::string expected = rows("whole");
  const std::string journal = slurp(folder / "whole/journal.jsonl");
  std::vector<std::size_t> cuts{0};
  for (std::size_t at = 0; at < journal.size(); at = journal.find('\n', at) + 1) {
    const std::size_t length = journal.find('\n', at) + 1 - at;
    cuts.insert(cuts.end(), {at + length / 2, at + length});
  }
  BOOST_TEST(cuts.size() > 40U);
  for (const std::size_t cut : cuts) {
    const std::string name = "cut";
    std::filesystem::remove_all(folder / name);
    std::filesystem::copy(folder / "whole", folder / name);
    std::filesystem::remove(folder / "cut/birth_choices.jsonl");
    if (cut % 2 == 0) std::filesystem::remove(folder / "cut/other_choices.jsonl");
    folder.write("cut/birth_choices.jsonl.part", "half a li");
    std::filesystem::resize_file(folder / "cut/journal.jsonl", cut);
    const RunSummary again = run_once(folder / name, relations, several());
    BOOST_TEST(rows(name) == expected);
    BOOST_TEST(!std::filesystem::exists(folder / "cut/birth_choices.jsonl.part"));
    BOOST_TEST(again.cost.statements == whole.cost.statements);
    BOOST_TEST(again.cost.tokens_fed == whole.cost.tokens_fed);
    BOOST_TEST((again.fresh_statements == whole.fresh_statements) == (cut == 0 || cut == cuts[1]));
  }
}

BOOST_AUTO_TEST_CASE(run_killed_after_any_pack_leaves_no_rows_and_can_be_resumed) {
  struct Killed {};
  const std::vector<Relation> relations{births(125, 10)};
  const TemporaryFolder folder;
  std::size_t packs = 0;
  const RunSummary whole =
      run_once(folder / "whole", relations, eic(), true, [&](const WorkState&) { ++packs; });
  BOOST_TEST(packs > 6U);
  const std::string expected = slurp(folder / "whole/birth_choices.jsonl");
  for (std::size_t kill = 0; kill < packs; ++kill) {
    const auto path = folder / ("killed " + std::to_string(kill));
    std::size_t calls = 0, scored = 0;
    const auto until = [&](const WorkState& state) {
      scored = state.fresh;
      if (calls++ == kill) throw Killed();
    };
    BOOST_CHECK_THROW((void)run_once(path, relations, eic(), true, until), Killed);
    BOOST_TEST(!std::filesystem::exists(path / "birth_choices.jsonl"));
    const RunSummary rest = run_once(path, relations, eic());
    BOOST_TEST(scored + rest.fresh_statements == whole.fresh_statements);
    BOOST_TEST(slurp(path / "birth_choices.jsonl") == expected);
  }
}

BOOST_AUTO_TEST_CASE(a_finished_run_scores_nothing_again) {
  const std::vector<Relation> relations{births(30, 8)};
  const TemporaryFolder folder;
  const RunSummary whole = run_once(folder / "run", relations, several());
  const std::string journal = slurp(folder / "run/journal.jsonl");
  const RunSummary again = run_once(folder / "run", relations, several());
  BOOST_TEST(again.fresh_statements == 0U);
  BOOST_TEST(again.cost.statements == whole.cost.statements);
  BOOST_TEST(again.cost.tokens_one_by_one == whole.cost.tokens_one_by_one);
  BOOST_TEST(slurp(folder / "run/journal.jsonl") == journal);
}

BOOST_AUTO_TEST_CASE(a_relation_that_is_skipped_leaves_no_file) {
  ManyShotOptions options = several();
  options.least_facts = 20;
  const TemporaryFolder folder;
  (void)run_once(folder / "run", {births(19, 8, "small"), births(30, 8)}, options);
  BOOST_TEST(!std::filesystem::exists(folder / "run/small_choices.jsonl"));
  BOOST_TEST(std::filesystem::exists(folder / "run/birth_choices.jsonl"));
}

BOOST_AUTO_TEST_CASE(choices_that_begin_others_are_scored) {
  Relation relation = births(30, 8);
  relation.options[1] = "Romeo and";
  relation.options[4] = "Rome";
  relation.options[6] = "Romeo";
  ManyShotOptions options = several();
  options.choices = 8;
  const TemporaryFolder folder;
  (void)run_once(folder / "run", {relation}, options);
  BOOST_TEST(rows_of(folder / "run", relation).front().scores.size() == 8U);
}

BOOST_AUTO_TEST_CASE(the_injection_experiment_goes_into_the_same_journal) {
  NgramTreeModel model = reader_of_births();
  const Relation relation = births(30, 8);
  const TemporaryFolder folder;
  const RunFolder run_folder(folder / "run", Json::object(), RunFolder::Claim::resume);
  Work work(run_folder.file("journal.jsonl"));
  ManyShotRun run(model, true, run_folder, work);
  run.inject(injection_design(relation, {.pairs = 10, .injected = 2}), {});
  BOOST_TEST(work.summary().cost.statements == 5U * 10U);
  BOOST_TEST(std::filesystem::exists(folder / "run/birth_injection.json"));
  BOOST_TEST(slurp(folder / "run/journal.jsonl").find("birth injection") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
