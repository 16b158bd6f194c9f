// SPDX-License-Identifier: Apache-2.0

// Tests the text that precedes a probe's statements, and the reference for its scores. Every
// expected number is computed from whole texts, spelled out here and scored token by token with the
// model's own probabilities.

#include "plumb/detail/run/probe_job.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/probe_in_memory.hpp"
#include "plumb/detail/records/probe_predictions.hpp"
#include "plumb/detail/run/probe_into_folder.hpp"
#include "support/errors.hpp"
#include "support/nats_by_hand.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using namespace plumb::detail::test;

BOOST_AUTO_TEST_SUITE(probe_job_context)

namespace {

/// The small model, with room for text before a statement; a run still consists of several packs.
NgramTreeModel roomy_model() {
  NgramTreeModel model = small_model();
  model.limits = {6000, 4, 16};
  return model;
}

/// ln P of a text's bytes, starting at `begin`, after BOS; each byte is a token of the small model.
double nats(std::string_view text, std::size_t begin = 0) {
  static const NgramTreeModel model = small_model();
  return nats_behind(model, text.substr(0, begin), text.substr(begin));
}

struct Probe {
  explicit Probe(ProbeSettings set, std::size_t block = 65'536) : settings(std::move(set)) {
    NgramTreeModel model = roomy_model();
    CausalScorer scorer(model, settings.bos);
    ProbeJob job(scorer, chosen_dataset(settings, small_dataset()), settings, {.model = "m"});
    job.block_statements = block;
    (void)run_job(job, {.out = folder / "run"});
    fed = model.tokens_fed;
  }
  [[nodiscard]] std::vector<Json> rows(const std::string& code) const {
    return rows_of(folder / "run" / (code + "_results.jsonl"));
  }
  TemporaryFolder folder;
  ProbeSettings settings;
  std::size_t fed = 0;
};

TextSetting text(const std::string& words) {
  TextSetting made;
  made.text = words;
  return made;
}

ProbeSettings with(Scoring scoring, TextSetting prefix = {}, ShotChoice shots = {}) {
  ProbeSettings settings = all_templates();
  settings.scoring = scoring;
  settings.prefix = std::move(prefix);
  settings.shots = shots;
  return settings;
}

std::string statement(const std::string& code, std::size_t t, const std::string& subject,
                      const std::string& answer) {
  if (code == "capital") {
    return t == 0 ? "The capital of " + subject + " is " + answer + "."
                  : answer + " is the capital of " + subject + ".";
  }
  return t == 0 ? subject + " lies on the " + answer + "."
                : "The " + answer + " flows through " + subject + ".";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_prefix_is_seen_and_not_scored) {
  const Probe probe(with({}, text("The capital of Korea is Seoul. ")));
  for (const char* const code : {"capital", "river"}) {
    const auto rows = probe.rows(code);
    const Dataset dataset = small_dataset();
    const Relation& relation = dataset.relations[code == std::string("capital") ? 0 : 1];
    BOOST_REQUIRE(rows.size() == relation.facts.size() * 2);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t o = 0; o < relation.options.size(); ++o) {
        const std::string made =
            statement(code, r % 2, relation.facts[r / 2].subject, relation.options[o]);
        const std::string before = "The capital of Korea is Seoul. ";
        // The space before the statement is a separate token. It follows the given text and is not
        // part of it.
        BOOST_TEST(std::abs(rows[r]["pll_scores"][o].get<double>() -
                            nats(before + made, before.size() - 1)) < 1e-4);
        BOOST_TEST(rows[r]["token_counts"][o] == made.size() + 1);
        BOOST_TEST(rows[r]["byte_counts"][o] == made.size());
        BOOST_TEST(rows[r]["answer_byte_counts"][o] == relation.options[o].size());
      }
    }
  }
  const auto warnings = read_json_object(probe.folder / "run" / "run.json")["settings"];
  BOOST_TEST(!warnings.contains("warnings"));
  BOOST_TEST(warnings["prefix"] == "The capital of Korea is Seoul. ");
}

// "capital" has three facts, so the two shots before each fact are the other two facts, in the
// order of the draw.
BOOST_AUTO_TEST_CASE(shots_are_solved_facts_under_the_same_template) {
  for (const ShotDraw draw : every(ShotDraw())) {
    ProbeSettings settings = with({}, {}, {2, 4, draw});
    settings.relations = {"capital"};
    const Probe probe(settings, 1);
    Dataset dataset = small_dataset();
    dataset.relations.resize(1);
    const Relation& relation = dataset.relations[0];
    const SolvedFacts solved(dataset, {2, 4, draw});
    BOOST_TEST(probe.rows("capital").size() == 6U);
    for (const Json& row : probe.rows("capital")) {
      const Fact& fact =
          *ranges::find(relation.facts, row["sub_label"].get<std::string>(), &Fact::subject);
      const std::size_t t = row["template_index"];
      std::string before;
      for (const Fact* const shown : solved.of(relation, fact)) {
        BOOST_TEST(shown->subject != fact.subject);
        before += statement("capital", t, shown->subject, relation.options[shown->answer]) + "\n";
      }
      for (std::size_t o = 0; o < 3; ++o) {
        const std::string made = statement("capital", t, fact.subject, relation.options[o]);
        BOOST_TEST(std::abs(row["pll_scores"][o].get<double>() -
                            nats(before + made, before.size())) < 1e-4);
        const std::size_t answer = made.find(relation.options[o]);
        BOOST_TEST(std::abs(row["answer_scores"][o].get<double>() -
                            (nats(before + made.substr(0, answer + relation.options[o].size()),
                                  before.size() + answer))) < 1e-4);
      }
    }
  }
}

// The limit applies to the facts that are queried, not to the facts that are shown as shots.
BOOST_AUTO_TEST_CASE(a_limited_run_asks_what_the_whole_one_asks) {
  ProbeSettings settings = with({}, {}, {1, 2, ShotDraw::relation});
  const Probe whole(settings);
  settings.limit = 1;
  const Probe cut(settings);
  const auto all = whole.rows("capital"), first = cut.rows("capital");
  BOOST_REQUIRE(first.size() == 2U);
  for (std::size_t r = 0; r < 2; ++r) {
    BOOST_TEST(first[r]["sub_id"] == all[r]["sub_id"]);
    for (std::size_t o = 0; o < 3; ++o) {
      BOOST_TEST(std::abs(first[r]["pll_scores"][o].get<double>() -
                          all[r]["pll_scores"][o].get<double>()) < 1e-6);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_relation_with_too_few_facts_is_refused_before_there_is_a_folder) {
  BOOST_CHECK_EXCEPTION(Probe(with({}, {}, {2, 0, ShotDraw::relation})), Error,
                        says(Fault::user, "river: has 1 other subject to show before"));
}

BOOST_AUTO_TEST_CASE(a_statement_past_the_context_is_refused_by_name) {
  BOOST_CHECK_EXCEPTION(Probe(with({}, text(std::string(5000, 'x') + "\n"))), Error,
                        says(Fault::user, "capital, template 0: "));
  BOOST_CHECK_EXCEPTION(Probe(with({}, text(std::string(5000, 'x') + "\n"))), Error,
                        says(Fault::user, "use fewer `shots` or a shorter `prefix`"));
}

// The model evaluates each prefix once per relation and template, regardless of the number of
// packs.
BOOST_AUTO_TEST_CASE(a_prefix_is_held_in_the_model_once) {
  const std::size_t bare = Probe(with({})).fed;
  const std::size_t length = 3000;
  const std::size_t fed = Probe(with({}, text(std::string(length - 1, 'x') + "\n"))).fed;
  BOOST_TEST(fed >= 4 * length);
  BOOST_TEST(fed <= bare + 4 * length + 200);
}

BOOST_AUTO_TEST_CASE(bytes_divide_what_is_scored) {
  Dataset dataset = small_dataset();
  dataset.relations.resize(1);
  dataset.relations[0].options[2] = "Kairó…";  // 9 bytes, 6 characters
  NgramTreeModel model = roomy_model();
  CausalScorer scorer(model);
  const TemporaryFolder folder;
  for (const Span span : every(Span())) {
    FolderProbeOptions options{.settings = with({Reduction::bytes, span})};
    (void)probe_into_folder(scorer, dataset, folder / std::string(name_of(span)), options);
    for (const Json& row : rows_of(folder / std::string(name_of(span)) / "capital_results.jsonl")) {
      const std::string subject = row["sub_label"];
      const std::size_t t = row["template_index"];
      const std::string text = statement("capital", t, subject, "Kairó…");
      const std::size_t at = text.find("Kairó…");
      const double nats_of = span == Span::answer                ? nats(text.substr(0, at + 9), at)
                             : span == Span::statement || t == 1 ? nats(text)
                                                                 : nats(text, at - 1);
      const std::size_t bytes = span == Span::answer                ? 9
                                : span == Span::statement || t == 1 ? text.size()
                                                                    : text.size() - at + 1;
      BOOST_TEST(std::abs(row["pll_scores"][2].get<double>() -
                          nats_of / static_cast<double>(bytes)) < 1e-5);
    }
  }
}

BOOST_AUTO_TEST_CASE(pmi_subtracts_what_the_answer_scores_alone) {
  const auto check = [](const GivenText& neutral, Span span, auto neutral_nats) {
    ProbeSettings settings = with({Reduction::pmi, span});
    settings.neutral = neutral;
    const Probe probe(settings);
    for (const char* const code : {"capital", "river"}) {
      const Dataset dataset = small_dataset();
      const Relation& relation = dataset.relations[code == std::string("capital") ? 0 : 1];
      for (const Json& row : probe.rows(code)) {
        const std::size_t t = row["template_index"];
        for (std::size_t o = 0; o < relation.options.size(); ++o) {
          const std::string& answer = relation.options[o];
          const std::string text = statement(code, t, row["sub_label"], answer);
          const std::size_t at = text.find(answer);
          const double nats_of = span == Span::statement ? nats(text)
                                 : span == Span::answer
                                     ? nats(text.substr(0, at + answer.size()), at)
                                     : nats(text, at == 0 ? 0 : at - 1);
          const double alone = neutral_nats(std::string(code), t, answer);
          BOOST_TEST(std::abs(row["neutral_scores"][o].get<double>() - alone) < 1e-4);
          BOOST_TEST(std::abs(row["pll_scores"][o].get<double>() - (nats_of - alone)) < 1e-4);
          BOOST_TEST(std::abs(row["statement_scores"][o].get<double>() - nats(text)) < 1e-4);
        }
      }
    }
  };
  // The template's text without its subject, up to the answer.
  const auto without = [](const std::string& code, std::size_t t) {
    if (code == "capital") return t == 0 ? std::string("The capital of is ") : std::string();
    return t == 0 ? std::string("Lies on the ") : std::string("The ");
  };
  for (const Span span : {Span::statement, Span::continuation}) {
    check({}, span, [&](const std::string& code, std::size_t t, const std::string& answer) {
      const std::string head = without(code, t);
      return nats(head + answer, head.empty() ? 0 : head.size() - 1);
    });
  }
  check({}, Span::answer, [&](const std::string& code, std::size_t t, const std::string& answer) {
    return nats(without(code, t) + answer, without(code, t).size());
  });
  check({"It is:"}, Span::continuation,
        [](const std::string&, std::size_t, const std::string& answer) {
          return nats("It is: " + answer, 6);
        });
}

// A run scores each neutral prompt once; everything else is the same as in a run without neutral
// prompts.
BOOST_AUTO_TEST_CASE(a_pmi_run_holds_all_other_reductions) {
  const Probe pmi(with({Reduction::pmi, Span::answer})), sum(with({}));
  for (const Reduction reduction : {Reduction::sum, Reduction::mean, Reduction::bytes}) {
    for (const Span span : every(Span())) {
      const ReadingOptions options{.reduction = reduction, .span = span};
      const ScoredModel a = read_model("m", {pmi.folder / "run"}, options);
      const ScoredModel b = read_model("m", {sum.folder / "run"}, options);
      BOOST_REQUIRE(a.base.size() == b.base.size());
      for (std::size_t r = 0; r < a.base.size(); ++r)
        BOOST_TEST(a.base[r].scores == b.base[r].scores);
    }
  }
  BOOST_CHECK_EXCEPTION((void)read_model("m", {sum.folder / "run"},
                                         {.reduction = Reduction::pmi, .span = Span::statement}),
                        Error,
                        says(Fault::user, "neutral_scores: is missing, so pmi cannot be computed"));
  // The neutral scores of an answer do not cover the space before it, which a statement includes.
  BOOST_CHECK_EXCEPTION(
      (void)read_model("m", {pmi.folder / "run"}, {.span = Span::statement}), Error,
      says(Fault::user, "neutral_scores: are those of `span` answer; drop `span`, or probe with"));
  BOOST_TEST(read_model("m", {pmi.folder / "run"}, {.span = Span::answer}).reduction == "pmi");
  const Json record = read_json_object(pmi.folder / "run" / "run.json");
  BOOST_TEST(record["statements"] == all_statements + 3 * 2 + 2 * 2);
}

BOOST_AUTO_TEST_CASE(a_probe_in_memory_reduces_as_a_run_does) {
  for (const Scoring scoring :
       {Scoring{Reduction::bytes, Span::statement}, Scoring{Reduction::pmi, Span::continuation}}) {
    const Probe probe(with(scoring));
    NgramTreeModel model = roomy_model();
    CausalScorer scorer(model);
    const ModelPredictions made =
        probe_in_memory(scorer, small_dataset(), {.scoring = scoring, .keep_scores = true});
    std::size_t r = 0;
    for (const char* const code : {"capital", "river"}) {
      std::vector<double> kept;
      for (const Json& row : probe.rows(code)) {
        for (const Json& score : row["pll_scores"]) kept.push_back(score);
      }
      const std::vector<double>& scores = made.relations[r++].scores;
      BOOST_REQUIRE(scores.size() == kept.size());
      for (std::size_t i = 0; i < kept.size(); ++i)
        BOOST_TEST(std::abs(scores[i] - kept[i]) < 1e-5);
    }
  }
}

BOOST_AUTO_TEST_CASE(killed_run_with_all_context_options_resumes_to_identical_files) {
  ProbeSettings settings =
      with({Reduction::pmi, Span::answer}, text("Say: "), {1, 3, ShotDraw::fact});
  const TemporaryFolder folder;
  const auto run = [&](const char* name, std::size_t stop_after) {
    NgramTreeModel model = roomy_model();
    CausalScorer scorer(model, settings.bos);
    ProbeJob job(scorer, chosen_dataset(settings, small_dataset()), settings);
    JobFolder into{.out = folder / name, .resume = true};
    std::size_t asked = 0;
    into.work.stop = [&] { return ++asked > stop_after; };
    try {
      (void)run_job(job, into);
      return true;
    } catch (const Stopped&) {
      return false;
    }
  };
  BOOST_TEST(run("whole", 1'000'000));
  std::size_t times = 1;
  // packs already stored are also counted
  while (!run("resumed", 3 * times)) BOOST_REQUIRE(++times < 100);
  BOOST_TEST(times > 3U);
  BOOST_TEST((contents(folder / "whole", "_results.jsonl") ==
              contents(folder / "resumed", "_results.jsonl")));
}

BOOST_AUTO_TEST_CASE(the_page_and_the_examples_show_what_stands_before) {
  const Probe probe(with({}, text("Think well"), {1, 0, ShotDraw::relation}));
  const std::string warning = "without a space or line break, so the statement follows directly";
  BOOST_TEST(slurp(probe.folder / "run" / "report.html").find(warning) != std::string::npos);
  const std::vector<Json> examples = rows_of(probe.folder / "run" / "example_prompts.jsonl");
  BOOST_REQUIRE(!examples.empty());
  BOOST_TEST(examples[0]["prompt"].get<std::string>().starts_with("Think wellThe capital of "));
  BOOST_TEST(examples[0]["shots"].size() == 1U);
  const Json settings = read_json_object(probe.folder / "run" / "run.json")["settings"];
  BOOST_TEST(settings["shots"] == 1);
  BOOST_TEST(settings["shot_seed"] == 0);
  BOOST_TEST(settings["shot_draw"] == "relation");
}

BOOST_AUTO_TEST_SUITE_END()
