// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/generation_rows.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/any_text.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(generation_rows_suite)

namespace {

using Texts = std::vector<std::pair<std::string, std::uint32_t>>;

const RecordedAnswer answer{"P36", {7, 3, 1}, "Côte d'Ivoire", " \"Abidjan\"\\", 4, -1.0 / 3};
const RecordedSamples samples{
    "P36", {7, 3, 1}, "Côte d'Ivoire", {{" Abidjan", 60}, {"", 39}, {"\t", 1}}};
const RecordedNames names{"P36", {7, 3, 1}, "Côte d'Ivoire", {{{-1.25, 2}, {-0.0, 1}}, {{-30, 5}}}};
const RecordedContentFree content_free{"P36", 3, "N/A", {{-2.0 / 3, 1}, {-1e-12, 12}}};

/// A folder with one file of rows.
struct Rows : test::TemporaryFolder {
  template <class Row, class Each>
  std::vector<Row> read(Each each, const std::string& text) const {
    std::vector<Row> rows;
    each(write("rows.jsonl", text), [&](const Row& row) { rows.push_back(row); });
    return rows;
  }
  std::vector<RecordedAnswer> answers(const std::string& text) const {
    return read<RecordedAnswer>(
        [](const auto& file, auto visit) { for_each_row<RecordedAnswer>(file, visit); }, text);
  }
  std::vector<RecordedSamples> sampled(const std::string& text) const {
    return read<RecordedSamples>(
        [](const auto& file, auto visit) { for_each_row<RecordedSamples>(file, visit); }, text);
  }
  std::vector<RecordedNames> named(const std::string& text) const {
    return read<RecordedNames>(
        [](const auto& file, auto visit) { for_each_row<RecordedNames>(file, visit); }, text);
  }
  std::vector<RecordedContentFree> free_of_content(const std::string& text) const {
    return read<RecordedContentFree>(
        [](const auto& file, auto visit) { for_each_row<RecordedContentFree>(file, visit); }, text);
  }
};

/// Returns `line` with `what` replaced by `by`.
std::string with(std::string line, const std::string& what, const std::string& by) {
  const std::size_t at = line.find(what);
  BOOST_REQUIRE_MESSAGE(at != line.npos, what);
  return line.replace(at, what.size(), by);
}

}  // namespace

BOOST_AUTO_TEST_CASE(lines_begin_with_the_prompt_and_hold_what_was_answered) {
  const std::string head =
      R"({"relation":"P36","fact":7,"subject":"Côte d'Ivoire","template":3,"expression":1,)";
  BOOST_TEST(row_line(answer) ==
             head + R"("answer":" \"Abidjan\"\\","tokens":4,"log_probability":-0.3333333333})" +
                 "\n");
  BOOST_TEST(row_line(samples) == head + R"("samples":[[" Abidjan",60],["",39],["\t",1]]})" + "\n");
  BOOST_TEST(row_line(names) == head + R"("names":[[[-1.25,2],[-0.0,1]],[[-30.0,5]]]})" + "\n");
  BOOST_TEST(row_line(content_free) == R"({"relation":"P36","template":3,"subject":"N/A",)"
                                       R"("candidates":[[-0.6666666667,1],[-1e-12,12]]})"
                                       "\n");
}

BOOST_FIXTURE_TEST_CASE(what_is_written_is_read_again, Rows) {
  const RecordedAnswer second{"P30", {4'000'000'000, 65'535, 65'534}, "", "", 0, 0};
  const auto rows = answers(row_line(answer) + "\n" + row_line(second));
  BOOST_REQUIRE(rows.size() == 2U);
  BOOST_TEST(rows[0].relation == "P36");
  BOOST_TEST((rows[0].prompt == AskedPrompt{7, 3, 1}));
  BOOST_TEST(rows[0].subject == answer.subject);
  BOOST_TEST(rows[0].text == answer.text);
  BOOST_TEST(rows[0].tokens == 4U);
  BOOST_TEST(rows[0].log_probability == -0.3333333333);
  BOOST_TEST(rows[0].line == 1U);
  BOOST_TEST((rows[1].prompt == second.prompt));
  BOOST_TEST(rows[1].text.empty());
  BOOST_TEST(rows[1].line == 3U);  // blank lines are skipped

  const auto drawn = sampled(row_line(samples) + row_line(RecordedSamples{"P30", {}, "x", {}}));
  BOOST_REQUIRE(drawn.size() == 2U);
  BOOST_TEST((drawn[0].prompt == samples.prompt));
  BOOST_TEST(drawn[0].subject == samples.subject);
  BOOST_TEST((drawn[0].texts == samples.texts));
  BOOST_TEST(drawn[1].texts.empty());
  BOOST_TEST(drawn[1].line == 2U);

  const auto scored = named(row_line(names));
  BOOST_REQUIRE(scored.size() == 1U);
  BOOST_TEST((scored[0].prompt == names.prompt));
  BOOST_REQUIRE(scored[0].names.size() == 2U);
  BOOST_REQUIRE(scored[0].names[0].size() == 2U);
  BOOST_REQUIRE(scored[0].names[1].size() == 1U);
  BOOST_TEST(scored[0].names[0][0].nats == -1.25);
  BOOST_TEST(scored[0].names[0][0].tokens == 2U);
  BOOST_TEST(scored[0].names[1][0].nats == -30);
  BOOST_TEST(scored[0].names[1][0].tokens == 5U);

  const auto free_rows = free_of_content("\n" + row_line(content_free));
  BOOST_REQUIRE(free_rows.size() == 1U);
  BOOST_TEST(free_rows[0].relation == "P36");
  BOOST_TEST(free_rows[0].template_index == 3U);
  BOOST_TEST(free_rows[0].subject == "N/A");
  BOOST_TEST(free_rows[0].line == 2U);
  BOOST_REQUIRE(free_rows[0].candidates.size() == 2U);
  BOOST_TEST(free_rows[0].candidates[0].nats == -0.6666666667);
  BOOST_TEST(free_rows[0].candidates[1].tokens == 12U);
}

// Otherwise, a report generated from the files could differ from the run's own report.
BOOST_FIXTURE_TEST_CASE(reading_and_writing_again_changes_nothing, Rows) {
  RandomStream random(1, "ten digits");
  for (int i = 0; i < 500; ++i) {
    const double nats = -std::pow(10.0, 8 * random.uniform() - 4) * random.uniform();
    const double kept = ten_digits(nats);
    BOOST_TEST(ten_digits(kept) == kept);
    BOOST_TEST(std::abs(kept - nats) <= 5e-10 * std::abs(nats));
    const std::string line = row_line(RecordedAnswer{"P36", {}, "x", "y", 1, nats});
    const auto rows = answers(line);
    BOOST_TEST(rows.at(0).log_probability == kept);
    BOOST_TEST(row_line(rows.at(0)) == line);
  }
  BOOST_TEST(row_line(named(row_line(names)).at(0)) == row_line(names));
  BOOST_TEST(row_line(sampled(row_line(samples)).at(0)) == row_line(samples));
  BOOST_TEST(row_line(free_of_content(row_line(content_free)).at(0)) == row_line(content_free));
}

BOOST_FIXTURE_TEST_CASE(damaged_answer_is_rejected_with_file_and_line, Rows) {
  const std::string line = row_line(answer);
  const std::string no_row =
      "rows.jsonl:2: is not a row of answers; the file was changed; run the job again";
  const std::vector<std::pair<std::string, std::string>> cases{
      {with(line, "\"relation\":\"P36\",", ""), no_row},
      {with(line, "\"P36\"", "36"), no_row},
      {with(line, "\"fact\":7,", ""), no_row},
      {with(line, "\"fact\":7", "\"fact\":-1"), no_row},
      {with(line, "\"fact\":7", "\"fact\":7.5"), no_row},
      {with(line, "\"fact\":7", "\"fact\":\"7\""), no_row},
      {with(line, "\"fact\":7", "\"fact\":true"), no_row},
      {with(line, "\"fact\":7", "\"fact\":4294967296"), no_row},
      {with(line, "\"template\":3", "\"template\":65539"), no_row},  // 3 and 2^16
      {with(line, "\"expression\":1", "\"expression\":null"), no_row},
      {with(line, "\"subject\"", "\"object\""), no_row},
      {with(line, "\"answer\":\"", "\"answers\":\""), no_row},
      {with(line, "\"tokens\":4", "\"tokens\":-4"), no_row},
      {with(line, "-0.3333333333", "null"), no_row},  // a score that is not a number
      {with(line, "-0.3333333333", "\"-1\""), no_row},
      {with(line, "-0.3333333333", "NaN"), "rows.jsonl:2: contains NaN, which JSON does not allow"},
      {line.substr(0, 30) + "\n", "rows.jsonl:2: not JSON"},
      {"[]\n", "rows.jsonl:2: is JSON but not an object"},
      {with(line, "Abidjan", "Abid\xFFjan"), "rows.jsonl:2: not UTF-8"},
  };
  for (const auto& [damaged, words] : cases) {
    BOOST_CHECK_EXCEPTION((void)answers(line + damaged + line), Error, says(Fault::user, words));
  }
  BOOST_CHECK_EXCEPTION(
      for_each_row<RecordedAnswer>(*this / "gone.jsonl", [](const RecordedAnswer&) {}), Error,
      says(Fault::user, "gone.jsonl: cannot be read"));
}

BOOST_FIXTURE_TEST_CASE(damaged_sample_and_name_rows_are_reported_with_file_and_line, Rows) {
  const auto words = says(Fault::user, "rows.jsonl:2: is not a row of answers");
  const std::string drawn = row_line(samples);
  for (const std::string& damaged :
       {with(drawn, "\"samples\"", "\"sample\""), with(drawn, "60", "-60"),
        with(drawn, "60", "6e1"), with(drawn, "[\" Abidjan\",60]", "\" Abidjan\""),
        with(drawn, "\" Abidjan\",60", "60"), with(drawn, "\"\",39", "39,\"\"")}) {
    BOOST_CHECK_EXCEPTION((void)sampled(drawn + damaged), Error, words);
  }
  const std::string scored = row_line(names);
  for (const std::string& damaged :
       {with(scored, "\"names\"", "\"name\""), with(scored, "-1.25", "null"),
        with(scored, "-1.25,2", "-1.25"), with(scored, ",5]", ",-5]"),
        with(scored, "[[-30.0,5]]", "-30"), with(scored, "\"template\":3", "\"template\":\"3\"")}) {
    BOOST_CHECK_EXCEPTION((void)named(scored + damaged), Error, words);
  }
  const std::string free_row = row_line(content_free);
  for (const std::string& damaged :
       {with(free_row, "\"candidates\"", "\"candidate\""), with(free_row, "-0.6666666667", "[]"),
        with(free_row, "\"template\":3", "\"template\":-3"),
        with(free_row, "\"template\":3", "\"template\":65536"),
        with(free_row, "\"N/A\"", "null")}) {
    BOOST_CHECK_EXCEPTION((void)free_of_content(free_row + damaged), Error, words);
  }
}

// Rows without shots come from prompts that contain none, or from an earlier version.
BOOST_FIXTURE_TEST_CASE(the_shots_of_a_row_are_its_last_column, Rows) {
  const auto with_shots = [](auto row) {
    row.shots.places = {0, 4, 2};
    return row;
  };
  const auto check = [&](const std::string& line, const std::string& before, const auto& read) {
    BOOST_TEST(line == before.substr(0, before.size() - 2) + ",\"shots\":[0,4,2]}\n");
    BOOST_REQUIRE(read.size() == 2U);
    BOOST_TEST((read[0].shots == ShotPlaces{{0, 4, 2}, {}}));
    BOOST_TEST((read[1].shots == ShotPlaces{}));
  };
  const std::string a = row_line(answer), s = row_line(samples), n = row_line(names),
                    c = row_line(content_free);
  const std::string a4 = row_line(with_shots(answer)), s4 = row_line(with_shots(samples)),
                    n4 = row_line(with_shots(names)), c4 = row_line(with_shots(content_free));
  check(a4, a, answers(a4 + a));
  check(s4, s, sampled(s4 + s));
  check(n4, n, named(n4 + n));
  check(c4, c, free_of_content(c4 + c));
  for (const char* wrong : {"[0,-4,2]", "[0,\"4\",2]", "[0.5]"}) {
    BOOST_CHECK_EXCEPTION((void)answers(with(a4, "[0,4,2]", wrong)), Error,
                          says(Fault::user, "rows.jsonl:1: is not a row of answers"));
  }
}

BOOST_FIXTURE_TEST_CASE(prompt_specific_shots_are_stored_with_their_templates, Rows) {
  RecordedAnswer shown = answer;
  shown.shots = {{7, 0}, {3, 1}};
  const std::string before = row_line(answer), line = row_line(shown);
  BOOST_TEST(line ==
             before.substr(0, before.size() - 2) + ",\"shots\":[7,0],\"shot_templates\":[3,1]}\n");
  BOOST_TEST((answers(line)[0].shots == shown.shots));
  BOOST_CHECK_EXCEPTION((void)answers(with(line, "[3,1]", "[3,-1]")), Error,
                        says(Fault::user, "rows.jsonl:1: is not a row of answers"));
}

// An exception thrown by the visitor must not be reported as an error in the file.
BOOST_FIXTURE_TEST_CASE(what_a_visitor_throws_is_its_own, Rows) {
  const auto file = write("rows.jsonl", row_line(answer));
  BOOST_CHECK_EXCEPTION(
      for_each_row<RecordedAnswer>(
          file, [](const RecordedAnswer&) { throw internal_error({}, "the visitor's own"); }),
      Error, says(Fault::internal, "the visitor's own"));
  BOOST_CHECK_THROW(
      for_each_row<RecordedAnswer>(file, [](const RecordedAnswer&) { (void)Json(1).at("x"); }),
      Json::exception);
}

BOOST_AUTO_TEST_CASE(a_score_that_is_no_number_is_written_as_none) {
  RecordedAnswer odd = answer;
  odd.log_probability = std::nan("");
  BOOST_TEST(row_line(odd).find("\"log_probability\":null") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_filled_a_gap_is_kept_and_read_back) {
  RecordedAnswer row{"capital", {0, 1, 0}, "France", "paris", 1, -0.5};
  row.fill = RecordedFill{{7}, true, Rank{0, 2}, 9, "rome", std::nullopt};
  const std::string line = row_line(row);
  BOOST_TEST(line.ends_with(
      R"("log_probability":-0.5,"ids":[7],"right":true,"rank":[0,2],"common":{"answer":"rome","id":9,"rank":null}})"
      "\n"));
  test::TemporaryFolder folder;
  folder.write("rows.jsonl", line);
  for_each_row<RecordedAnswer>(folder / "rows.jsonl", [&](const RecordedAnswer& read) {
    BOOST_REQUIRE(read.fill.has_value());
    BOOST_TEST(row_line(read) == line);
  });
  folder.write("names.jsonl",
               row_line(RecordedNames{"capital", {0, 1, 0}, "France", {{{-1, 1}, {}}}}));
  BOOST_TEST(test::slurp(folder / "names.jsonl").ends_with("\"names\":[[[-1.0,1],null]]}\n"));
  for_each_row<RecordedNames>(folder / "names.jsonl", [&](const RecordedNames& read) {
    BOOST_TEST(read.names.at(0).at(1).tokens == 0U);
  });
  folder.write("rows.jsonl", line.substr(0, line.find(",\"right\"")) + "}\n");
  BOOST_CHECK_EXCEPTION(
      for_each_row<RecordedAnswer>(folder / "rows.jsonl", [](const RecordedAnswer&) {}), Error,
      test::says(Fault::user, "is not a row of answers"));
}

BOOST_FIXTURE_TEST_CASE(random_rows_are_read_as_they_were_written, Rows) {
  RandomStream random(67, "answers");
  const auto text = [&] { return test::any_text(random); };
  const auto small = [&] { return static_cast<std::uint32_t>(random.below(1000)); };
  const auto prompt = [&] {
    return AskedPrompt{small(), static_cast<std::uint16_t>(small()),
                       static_cast<std::uint16_t>(small())};
  };
  const auto likelihood = [&] {
    return TextLikelihood{ten_digits(-std::exp(20 * random.uniform() - 10)), 1 + small()};
  };
  for (int round = 0; round < 50; ++round) {
    RecordedAnswer one{text(), prompt(), text(), text(), small(), -random.uniform()};
    if (random.below(2) == 0) one.shots.places = {small(), small()};
    if (random.below(2) == 0) {
      one.fill = RecordedFill{};
      one.fill->ids = {static_cast<TokenId>(small())};
      one.fill->right = random.below(2) == 0;
      if (random.below(2) == 0) one.fill->rank = Rank{random.below(9), random.below(9)};
    }
    RecordedSamples many{text(), prompt(), text(), {}};
    for (std::size_t i = 0; i < random.below(5); ++i) many.texts.emplace_back(text(), small());
    RecordedNames of{text(), prompt(), text(), {}};
    for (std::size_t o = 0; o < random.below(4); ++o) {
      auto& list = of.names.emplace_back();
      for (std::size_t n = 0; n < random.below(4); ++n) {
        list.push_back(random.below(4) == 0 ? TextLikelihood{} : likelihood());
      }
    }
    RecordedContentFree free{text(), static_cast<std::uint16_t>(small()), text(), {}};
    for (std::size_t c = 0; c < random.below(4); ++c) free.candidates.push_back(likelihood());
    const auto again = [&](const auto& read, const std::string& line) {
      const auto rows = read(line);
      BOOST_REQUIRE(rows.size() == 1U);
      BOOST_TEST(row_line(rows[0]) == line);
      return rows[0];
    };
    const auto a = again([&](const auto& l) { return answers(l); }, row_line(one));
    BOOST_TEST(a.text == one.text);
    BOOST_TEST(a.subject == one.subject);
    BOOST_CHECK(a.prompt == one.prompt);
    const auto s = again([&](const auto& l) { return sampled(l); }, row_line(many));
    BOOST_CHECK(s.texts == many.texts);
    const auto n = again([&](const auto& l) { return named(l); }, row_line(of));
    BOOST_TEST(n.names.size() == of.names.size());
    const auto f = again([&](const auto& l) { return free_of_content(l); }, row_line(free));
    BOOST_TEST(f.candidates.size() == free.candidates.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()
