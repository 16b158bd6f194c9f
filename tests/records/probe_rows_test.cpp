// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/probe_rows.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/any_text.hpp"
#include "support/errors.hpp"
#include "support/memory_disk.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(probe_rows_suite)

namespace {

Relation capitals() {
  Relation relation;
  relation.code = "P36";
  relation.templates = {"The capital of [X] is [Y].", "[Y] is the capital of [X]."};
  relation.options = {"Paris", "Rome"};
  relation.option_ids = {"Q90", "Q220"};
  relation.facts.resize(2);
  return relation;
}

std::vector<RecordedRow> rows_of(const RecordedRelation& relation, bool with_parts = false) {
  std::vector<RecordedRow> rows;
  for_each_recorded_row(
      relation, [&](const RecordedRow& row) { rows.push_back(row); }, with_parts);
  return rows;
}

/// A results folder with one relation, to which each test writes its own rows.
struct Results : test::TemporaryFolder {
  Results() { metadata(capitals(), {0}); }
  void metadata(const Relation& relation, const std::vector<std::size_t>& templates,
                Scoring scoring = {}) const {
    Json all = Json::object();
    all[relation.code] =
        recorded_metadata(relation, templates, {"tiny", "capitals", scoring, true});
    write("metadata_results.json", all.dump());
  }
  std::vector<RecordedRow> read(const std::string& lines) const {
    write("P36_results.jsonl", lines);
    return rows_of(recorded_relations(path()).at(0));
  }
  std::vector<RecordedRow> read_parts(const std::string& lines) const {
    write("P36_results.jsonl", lines);
    return rows_of(recorded_relations(path()).at(0), true);
  }
};

const std::vector<StatementScore> scores{{{-12.5, 5}, {-3.25, 2}, {-4.5, 3}},
                                         {{-1.0 / 3, 4}, {-0.125, 1}, {-0.25, 2}}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_line_holds_the_fact_and_a_number_for_each_option) {
  const Fact fact{"Q142", "France", {"FR"}, 0, 7};
  BOOST_TEST(
      recorded_line(fact, 1, scores, {}) ==
      "{\"sub_id\":\"Q142\",\"sub_label\":\"France\",\"sub_aliases\":[\"FR\"],\"answer_idx\":0,"
      "\"template_index\":1,\"instance_index\":7,\"pll_scores\":[-12.5000000000,-0.3333333333],"
      "\"token_counts\":[5,4],\"answer_scores\":[-3.2500000000,-0.1250000000],"
      "\"answer_token_counts\":[2,1],\"continuation_scores\":[-4.5000000000,-0.2500000000],"
      "\"continuation_token_counts\":[3,2]}\n");
}

BOOST_AUTO_TEST_CASE(scores_are_the_runs_reduction_and_nothing_is_lost) {
  const auto column = [](Scoring scoring, const char* name) {
    return Json::parse(recorded_line({}, 0, scores, scoring)).value(name, std::vector<double>{});
  };
  BOOST_TEST(column({Reduction::mean, Span::statement}, "pll_scores")[0] == -2.5);
  BOOST_TEST(column({Reduction::sum, Span::answer}, "pll_scores")[0] == -3.25);
  BOOST_TEST(column({Reduction::mean, Span::answer}, "pll_scores")[0] == -1.625);
  BOOST_TEST(column({Reduction::sum, Span::continuation}, "pll_scores")[0] == -4.5);
  BOOST_TEST(column({Reduction::mean, Span::continuation}, "pll_scores")[0] == -1.5);
  BOOST_TEST(column({Reduction::mean, Span::answer}, "statement_scores")[0] == -12.5);
  BOOST_TEST(column({Reduction::mean, Span::statement}, "statement_scores").empty());
}

BOOST_AUTO_TEST_CASE(counted_bytes_and_neutral_scores_have_columns) {
  StatementScore score{{-12.5, 5, 25}, {-3.25, 2, 5}, {-4.5, 3, 6}};
  score.neutral_log_likelihood = -2;
  const Json bytes =
      Json::parse(recorded_line({}, 0, {score}, {Reduction::bytes, Span::statement}));
  BOOST_TEST(bytes["pll_scores"].dump() == "[-0.5]");
  BOOST_TEST(bytes["byte_counts"].dump() == "[25]");
  BOOST_TEST(bytes["answer_byte_counts"].dump() == "[5]");
  BOOST_TEST(bytes["continuation_byte_counts"].dump() == "[6]");
  BOOST_TEST(bytes["statement_scores"].dump() == "[-12.5]");
  BOOST_TEST(!bytes.contains("neutral_scores"));
  const Json pmi = Json::parse(recorded_line({}, 0, {score}, {Reduction::pmi, Span::answer}));
  BOOST_TEST(pmi["pll_scores"].dump() == "[-1.25]");
  BOOST_TEST(pmi["neutral_scores"].dump() == "[-2.0]");
  BOOST_TEST(pmi["statement_scores"].dump() == "[-12.5]");
}

BOOST_FIXTURE_TEST_CASE(further_columns_of_a_fact_come_back, Results) {
  Fact fact{"Q1", "one", {}, 0, 0};
  fact.further = {{"popularity", "12"}, {"say \"so\"", "é\n"}};
  const auto rows = read(recorded_line(fact, 1, scores, {}));
  BOOST_REQUIRE(rows.size() == 1U);
  BOOST_TEST((rows[0].fact.further == fact.further));
}

BOOST_AUTO_TEST_CASE(what_is_no_number_is_null) {
  const Json line = Json::parse(recorded_line({}, 0, {{{-2, 3}}, {{-INFINITY, 2}, {-1, 1}}}, {}));
  BOOST_TEST(line["answer_scores"].dump() == "[null,-1.0]");
  BOOST_TEST(line["pll_scores"].dump() == "[-2.0,null]");
}

BOOST_FIXTURE_TEST_CASE(rows_come_back_as_they_were_written, Results) {
  const std::vector<Fact> facts{
      {"Q1", "say \"cheese\" \\ {}", {"a\tb", ""}, 1, 0},
      {"", "two\nlines\r\n", {}, 0, 3},
      {"Q😀", "😀 e\u0301 漢字 \u2028", {"👩‍👩‍👧"}, 1, 4},
      {"Q2", "القاهرة and ירושלים", {"\u202Bمصر\u202C"}, 0, 9},
  };
  std::string lines;
  for (const Fact& fact : facts) lines += recorded_line(fact, 1, scores, {});
  const auto rows = read(lines);
  BOOST_REQUIRE(rows.size() == facts.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    BOOST_TEST(rows[i].fact.subject_id == facts[i].subject_id);
    BOOST_TEST(rows[i].fact.subject == facts[i].subject);
    BOOST_TEST(rows[i].fact.subject_aliases == facts[i].subject_aliases);
    BOOST_TEST(rows[i].fact.answer == facts[i].answer);
    BOOST_TEST(rows[i].fact.instance == facts[i].instance);
    BOOST_TEST(rows[i].template_index == 1U);
    BOOST_TEST(rows[i].scores == (std::vector<double>{-12.5, -0.3333333333}));
  }
}

// The format of lm-pub-quiz's own rows, which do not specify a template.
BOOST_FIXTURE_TEST_CASE(rows_of_lm_pub_quiz_are_read, Results) {
  metadata(capitals(), {1});
  const auto rows = read(
      R"({"instance":3,"sub_id":"Q1356","sub_label":"West Bengal","answer_idx":0,"pll_scores":[-4.25,-7]})"
      "\n"
      R"({"answer_idx":1,"pll_scores":[-1e-3,-2E2]})"
      "\n");
  BOOST_REQUIRE(rows.size() == 2U);
  BOOST_TEST(rows[0].fact.subject == "West Bengal");
  BOOST_TEST(rows[0].fact.subject_id == "Q1356");
  BOOST_TEST(rows[0].fact.instance == 3U);
  BOOST_TEST(rows[0].template_index == 1U);
  BOOST_TEST(rows[0].scores == (std::vector<double>{-4.25, -7}));
  BOOST_TEST(rows[1].fact.instance == 1U);  // the index of its line
  BOOST_TEST(rows[1].fact.answer == 1U);
  BOOST_TEST(rows[1].scores == (std::vector<double>{-0.001, -200}));
}

BOOST_FIXTURE_TEST_CASE(a_facts_own_texts_stay_with_its_rows, Results) {
  Fact fact{"0", "The sky is ", {}, 0, 0};
  fact.choices = {"blue, \"so\"", "grün"};
  const auto rows = read(recorded_line(fact, 0, scores, {}) + recorded_line({}, 0, scores, {}));
  BOOST_REQUIRE(rows.size() == 2U);
  BOOST_TEST(rows[0].fact.choices == fact.choices);
  BOOST_TEST(rows[1].fact.choices.empty());
  BOOST_TEST(recorded_line({}, 0, scores, {}).find("choices") == std::string::npos);
  for (const char* choices : {R"(["one"])", R"(["one", 2])", R"("one")", "null"}) {
    BOOST_CHECK_EXCEPTION(
        read(std::string(R"({"answer_idx":0,"pll_scores":[-1,-2],"choices":)") + choices + "}\n"),
        Error,
        says(Fault::user,
             "P36_results.jsonl:1: choices: does not contain one text for each option; the"));
  }
}

// Numbers are written with ten decimals, and a sum is a mean multiplied by a token count of at most
// five.
BOOST_FIXTURE_TEST_CASE(parts_give_every_reduction_of_any_run, Results) {
  for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
    for (const Span span : {Span::statement, Span::answer, Span::continuation}) {
      metadata(capitals(), {0}, {reduction, span});
      const auto rows = read_parts(recorded_line({}, 0, scores, {reduction, span}));
      BOOST_REQUIRE(rows.at(0).parts.size() == 2U);
      for (std::size_t i = 0; i < 2; ++i) {
        const StatementScore& part = rows[0].parts[i];
        BOOST_TEST(std::abs(part.statement.log_likelihood - scores[i].statement.log_likelihood) <
                   1e-9);
        BOOST_TEST(std::abs(part.answer.log_likelihood - scores[i].answer.log_likelihood) < 1e-9);
        BOOST_TEST(part.statement.tokens == scores[i].statement.tokens);
        BOOST_TEST(part.answer.tokens == scores[i].answer.tokens);
        BOOST_TEST(part.continuation.log_likelihood == scores[i].continuation.log_likelihood);
        BOOST_TEST(part.continuation.tokens == scores[i].continuation.tokens);
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(parts_are_read_only_when_asked_for, Results) {
  const std::string bare = R"({"answer_idx":0,"pll_scores":[-1,-2]})";
  BOOST_TEST(read(recorded_line({}, 0, scores, {})).at(0).parts.empty());
  BOOST_TEST(read(bare).at(0).parts.empty());
}

BOOST_FIXTURE_TEST_CASE(an_answer_without_tokens_has_none_in_its_parts, Results) {
  const auto rows = read_parts(recorded_line({}, 0, {{{-2, 3}}, {{-3, 2}, {-1, 1}}}, {}));
  BOOST_TEST(rows.at(0).parts.at(0).answer.tokens == 0U);
  BOOST_TEST(rows[0].parts[0].answer.log_likelihood == 0.0);
  BOOST_TEST(rows[0].parts[0].statement.log_likelihood == -2.0);
  BOOST_TEST(rows[0].parts.at(1).answer.log_likelihood == -1.0);
}

// The rows are in the format of plumb 0.1: they lack the numbers for the continuation, and
// everything else is unchanged.
BOOST_FIXTURE_TEST_CASE(rows_without_continuations_have_none_in_their_parts, Results) {
  Json line = Json::parse(recorded_line({}, 0, scores, {}));
  line.erase("continuation_scores");
  line.erase("continuation_token_counts");
  const auto rows = read_parts(line.dump() + "\n");
  BOOST_TEST(rows.at(0).parts.at(0).continuation.tokens == 0U);
  BOOST_TEST(rows[0].parts[0].answer.log_likelihood == -3.25);
}

BOOST_FIXTURE_TEST_CASE(row_without_the_data_for_other_reductions_is_rejected, Results) {
  const auto refused = [&](const Scoring& scoring, const char* field, const Json& value) {
    metadata(capitals(), {0}, scoring);
    Json line = Json::parse(recorded_line({}, 0, scores, scoring));
    line.erase(field);
    if (!value.is_null()) line[field] = value;
    const std::string text = line.dump() + "\n";
    BOOST_TEST(read(text).size() == 1U);
    BOOST_CHECK_EXCEPTION(
        read_parts(text), Error,
        says(
            Fault::user,
            std::string("P36_results.jsonl:1: ") + field +
                (value.is_null() ? ": is missing, so other reductions cannot be computed from these"
                                 : ": does not contain one number for each option")));
  };
  for (const char* field : {"token_counts", "answer_token_counts", "answer_scores"}) {
    refused({}, field, nullptr);
    refused({}, field, "5");
    refused({}, field, {1});
  }
  refused({Reduction::sum, Span::answer}, "statement_scores", nullptr);
  refused({Reduction::mean, Span::answer}, "statement_scores", {-1, -2, -3});
  for (const char* count : {"-1", "1.5", "null", "\"3\"", "99999999999"}) {
    metadata(capitals(), {0}, {});
    Json line = Json::parse(recorded_line({}, 0, scores, {}));
    line["token_counts"][0] = Json::parse(count);
    BOOST_CHECK_EXCEPTION(read_parts(line.dump() + "\n"), Error,
                          says(Fault::user, "token_counts: contains a value that is not a count"));
  }
}

BOOST_FIXTURE_TEST_CASE(invalid_row_is_rejected_with_line_and_field, Results) {
  const std::string sound = recorded_line({}, 0, scores, {});
  const auto refused = [&](const std::string& row, const std::string& why) {
    BOOST_CHECK_EXCEPTION(read(sound + row + "\n"), Error,
                          says(Fault::user, "P36_results.jsonl:2: " + why));
  };
  const std::string damaged = "; the results file is damaged";
  refused(R"({"pll_scores":[-1,-2]})", "answer_idx: is missing or not among the options" + damaged);
  refused(R"({"answer_idx":2,"pll_scores":[-1,-2]})", "answer_idx: is missing or not among");
  refused(R"({"answer_idx":-1,"pll_scores":[-1,-2]})", "answer_idx: is not an index" + damaged);
  refused(R"({"answer_idx":0,"template_index":"1","pll_scores":[-1,-2]})",
          "template_index: is not");
  refused(R"({"answer_idx":0,"instance_index":1.5,"pll_scores":[-1,-2]})",
          "instance_index: is not");
  refused(R"({"answer_idx":0})",
          "pll_scores: does not contain one score for each of 2 options" + damaged);
  refused(R"({"answer_idx":0,"pll_scores":[-1]})",
          "pll_scores: does not contain one score for each");
  refused(R"({"answer_idx":0,"pll_scores":[-1,null]})",
          "pll_scores: contains a score that is not a finite number" + damaged);
  refused(R"({"answer_idx":0,"pll_scores":[-1,"-2"]})", "pll_scores: contains a score that is not");
  refused(R"({"answer_idx":0,"pll_scores":[[-1,-2],[-3]]})",
          "pll_scores: contains the scores of single tokens (reduction None); reduce them");
  refused(R"({"answer_idx":0,"pll_scores":[-1,NaN]})",
          "contains NaN, which JSON does not allow (byte");
  refused(R"({"answer_idx":0,"pll_scores":[-1,-1e999]})", "not JSON (");
  refused(R"({"answer_idx":0,"pll_scores":[-1,)", "not JSON (byte");
  refused(R"([1])", "is JSON but not an object; each line must be");
}

BOOST_AUTO_TEST_CASE(missing_rows_file_is_named) {
  const test::TemporaryFolder folder;
  folder.write("metadata_results.json",
               R"({"P36": {"templates": ["[X] [Y]"], "answer_space_labels": ["a", "b"]}})");
  BOOST_CHECK_EXCEPTION(
      rows_of(recorded_relations(folder.path()).at(0)), Error,
      says(Fault::user, "P36_results.jsonl: cannot be read; check that it exists"));
}

BOOST_AUTO_TEST_CASE(random_rows_come_back_to_the_last_bit) {
  RandomStream random(61, "rows");
  const auto number = [&] { return -std::exp(20 * random.uniform() - 10); };
  const auto count = [&] { return static_cast<std::uint32_t>(1 + random.below(50)); };
  for (int round = 0; round < 40; ++round) {
    Relation relation = capitals();
    relation.options.clear();
    for (std::size_t o = 0; o < 2 + random.below(5); ++o) {
      relation.options.push_back(std::to_string(o) + test::any_text(random));
    }
    relation.option_ids = relation.options;
    relation.templates = {"[X] [Y] " + test::any_text(random)};
    relation.domains = test::any_texts(random, 3);
    relation.note = test::any_text(random);
    relation.facts.resize(1 + random.below(6));
    const Scoring scoring{random.below(2) == 0 ? Reduction::sum : Reduction::mean,
                          static_cast<Span>(random.below(3))};
    std::string lines;
    std::vector<std::vector<StatementScore>> written;
    for (std::size_t f = 0; f < relation.facts.size(); ++f) {
      Fact& fact = relation.facts[f];
      fact = {test::any_text(random), test::any_text(random), test::any_texts(random, 2)};
      fact.answer = random.below(relation.options.size());
      fact.instance = f;
      if (random.below(2) == 0) {
        for (std::size_t o = 0; o < relation.options.size(); ++o) {
          fact.choices.push_back(test::any_text(random));
        }
      }
      std::vector<StatementScore> made;
      for (std::size_t o = 0; o < relation.options.size(); ++o) {
        made.push_back({{number(), count()}, {number(), count()}, {number(), count()}});
      }
      written.push_back(as_recorded(made));
      lines += recorded_line(fact, 0, written.back(), scoring);
    }
    test::MemoryDisk disk;
    Json metadata = Json::object();
    metadata["P36"] = recorded_metadata(relation, {0}, {"tiny", "capitals", scoring, true});
    disk.put("run/metadata_results.json", metadata.dump());
    disk.put("run/P36_results.jsonl", lines);
    const RecordedRelation read = recorded_relations(disk / "run").at(0);
    BOOST_TEST(read.relation.options == relation.options);
    BOOST_TEST(read.relation.option_ids == relation.option_ids);
    BOOST_TEST(read.relation.templates == relation.templates);
    BOOST_TEST(read.relation.domains == relation.domains);
    BOOST_TEST(read.relation.note == relation.note);
    // Other reductions can be computed from a sum or a mean over the statement, or from the stored
    // sums.
    const std::vector<RecordedRow> rows = rows_of(read, true);
    BOOST_REQUIRE(rows.size() == relation.facts.size());
    for (std::size_t f = 0; f < rows.size(); ++f) {
      BOOST_TEST(rows[f].fact.subject_id == relation.facts[f].subject_id);
      BOOST_TEST(rows[f].fact.subject == relation.facts[f].subject);
      BOOST_TEST(rows[f].fact.subject_aliases == relation.facts[f].subject_aliases);
      BOOST_TEST(rows[f].fact.answer == relation.facts[f].answer);
      BOOST_TEST(rows[f].fact.choices == relation.facts[f].choices);
      for (std::size_t o = 0; o < relation.options.size(); ++o) {
        const StatementScore& was = written[f][o];
        const StatementScore& is = rows[f].parts[o];
        BOOST_TEST(rows[f].scores[o] == ten_decimals(reduce(was, scoring)));
        BOOST_TEST(is.statement.tokens == was.statement.tokens);
        BOOST_TEST(is.answer.tokens == was.answer.tokens);
        BOOST_TEST(is.continuation.tokens == was.continuation.tokens);
        BOOST_TEST(is.answer.log_likelihood == was.answer.log_likelihood);
        BOOST_TEST(is.continuation.log_likelihood == was.continuation.log_likelihood);
        const bool of_mean =
            scoring.reduction == Reduction::mean && scoring.span == Span::statement;
        const double slack = of_mean ? 1e-10 * was.statement.tokens : 0;  // a mean has ten decimals
        BOOST_TEST(std::abs(is.statement.log_likelihood - was.statement.log_likelihood) <= slack);
      }
    }
  }
}

// Another tool may have reduced scores in some other way, so its scores need not be
// log-likelihoods.
BOOST_FIXTURE_TEST_CASE(a_log_likelihood_above_0_is_refused, Results) {
  const std::string sound = recorded_line({}, 0, scores, {});
  for (const char* score : {"0.01", "12.5", "1e300"}) {
    BOOST_CHECK_EXCEPTION(
        read(sound + R"({"answer_idx":0,"pll_scores":[-1,)" + score + "]}\n"), Error,
        says(Fault::user,
             "P36_results.jsonl:2: pll_scores: contains a log-likelihood above 0; the"));
  }
  BOOST_TEST(read(R"({"answer_idx":0,"pll_scores":[0,0.0009]})").at(0).scores.at(1) == 0.0009);
  write("metadata_results.json",
        R"({"P36": {"templates": ["[X] [Y]"], "answer_space_labels": ["a", "b"],
            "reduction": "tyq"}})");
  BOOST_TEST(read(R"({"answer_idx":0,"pll_scores":[-1,12.5]})").at(0).scores.at(1) == 12.5);
}

BOOST_FIXTURE_TEST_CASE(a_statement_has_a_token, Results) {
  for (const auto& [count, words] : {std::pair("0", "contains a statement without tokens"),
                                     std::pair("-3", "contains a value that is not a count"),
                                     std::pair("1.5", "contains a value that is not a count"),
                                     std::pair("-0.5", "contains a value that is not a count")}) {
    Json line = Json::parse(recorded_line({}, 0, scores, {}));
    line["token_counts"][1] = Json::parse(count);
    BOOST_CHECK_EXCEPTION(
        read(line.dump() + "\n"), Error,
        says(Fault::user, std::string("P36_results.jsonl:1: token_counts: ") + words));
  }
}

BOOST_AUTO_TEST_SUITE_END()
