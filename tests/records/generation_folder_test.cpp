// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/generation_folder.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/measure/answer_lemmas.hpp"
#include "support/errors.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::GenerationFolder;
using test::says;

BOOST_AUTO_TEST_SUITE(generation_folder)

namespace {

using Sizes = std::vector<std::size_t>;
using Words = std::vector<std::string>;
using Numbers = std::vector<double>;

const auto each = boost::test_tools::per_element();
const Words symbols{"H", "He", "C", "O", "Na", "Fe"};

/// Rows for one template of a relation: one row for each content-free text.
std::vector<RecordedContentFree> template_rows(const GenerationFolder& folder, std::size_t relation,
                                               std::size_t template_index,
                                               const std::vector<Numbers>& nats) {
  std::vector<RecordedContentFree> rows;
  for (std::size_t i = 0; i < content_free_texts.size(); ++i) {
    rows.push_back(
        folder.content_free(relation, template_index, std::string(content_free_texts[i]), nats[i]));
  }
  return rows;
}

/// Scores for six candidates, in descending order from `first`.
Numbers six(double first) {
  return {first, first - 0.1, first - 0.2, first - 0.3, first - 0.4, first - 0.5};
}

/// Two settings for elements_many: "zero-shot" with answers, samples and names, and
/// "zero-shot-question" with answers and the content-free prompts for the two question templates.
struct SmallGeneration : GenerationFolder {
  std::vector<RecordedNames> name_rows{names(1, {1, 0, 0}, {{{-1, 1}, {-2, 2}}, {{-3, 1}}}),
                                       names(1, {1, 0, 1}, {{{-0.5, 1}, {-2.5, 2}}, {{-3.5, 1}}}),
                                       names(2, {0, 1, 1}, {{{-4, 2}, {-5, 2}, {-6, 2}}})};
  std::vector<RecordedContentFree> content_free_rows;

  SmallGeneration() {
    setting("zero-shot", {answer(0, {0, 0, 0}, "H"), answer(1, {1, 2, 1}, "a salt"),
                          answer(2, {0, 0, 0}, "inert gas", 2)});
    write_samples("zero-shot", {samples(1, {1, 2, 1}, {{"salt", 3}, {"pepper", 1}})});
    write_names("zero-shot", name_rows);
    setting("zero-shot-question", {answer(0, {0, 2, 0}, "the letter H", 3)});
    candidates(0, symbols);
    for (const std::size_t t : {2U, 3U}) {
      const double first = -static_cast<double>(t);
      for (const auto& row :
           template_rows(*this, 0, t, {six(first), six(first - 10), six(first - 20)})) {
        content_free_rows.push_back(row);
      }
    }
    write_content_free("zero-shot-question", content_free_rows);
    remark("Gold was left out.");
  }
  ManyPromptAnswers read() const { return read_generation(path(), SameWord{}); }
  void refused(const std::string& words) const {
    BOOST_CHECK_EXCEPTION((void)read(), Error, says(Fault::user, words));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_run_is_read_setting_by_setting, SmallGeneration) {
  const ManyPromptAnswers run = read();
  BOOST_TEST(run.remarks == Words{"Gold was left out."}, each);
  BOOST_TEST(run.asked.relations.size() == 3U);
  BOOST_TEST(run.asked.relations[1].facts[1].subject.names == (Words{"salt", "table salt"}), each);
  BOOST_TEST(run.asked.relations[0].templates[3].group == "symbol-2");
  BOOST_REQUIRE(run.studies.size() == 2U);
  BOOST_TEST(run.studies[0].answered.name == "zero-shot");
  BOOST_TEST(run.studies[1].answered.name == "zero-shot-question");
  for (const ManyPromptStudy& study : run.studies) {
    BOOST_TEST((study.kind == AnswerKind::text));
    BOOST_TEST(study.answered.outcomes.facts() == 13U);
  }
  BOOST_TEST(run.studies[0].answered.outcomes.prompts() == 3U);
  BOOST_TEST(run.studies[1].answered.outcomes.prompts() == 1U);
  BOOST_TEST(run.studies[1].answered.outcomes.prompts(0)[0].right);
  BOOST_TEST(run.studies[1].answered.likelihoods.prompts[0].log_probability == -3.0);
}

// The answers are one, one, two and three tokens long. Runs of earlier versions do not record the
// limit.
BOOST_FIXTURE_TEST_CASE(answers_are_cut_at_the_limit_of_their_run, SmallGeneration) {
  BOOST_TEST(!read().studies[0].answered.cut.has_value());
  limit(2);
  BOOST_TEST(read().studies[0].answered.cut.value() == 1U);
  limit(3);
  BOOST_TEST(read().studies[0].answered.cut.value() == 0U);
  BOOST_TEST(read().studies[1].answered.cut.value() == 1U);
}

BOOST_FIXTURE_TEST_CASE(confidences_are_there_where_samples_were_taken, SmallGeneration) {
  const ManyPromptAnswers run = read();
  BOOST_REQUIRE(run.studies[0].confidences.prompts.size() == 1U);
  BOOST_TEST(run.studies[0].confidences.prompts[0].confidence == 0.75);
  BOOST_TEST(!run.studies[0].confidences.prompts[0].correct);
  BOOST_TEST(run.studies[0].confidences.strata == (Sizes{0, 1}), each);
  BOOST_TEST(run.studies[0].samples == 4U);
  BOOST_TEST(run.studies[1].confidences.prompts.empty());
  BOOST_TEST(run.studies[1].samples == 0U);
}

BOOST_FIXTURE_TEST_CASE(names_are_kept_by_fact_prompt_object_and_name, SmallGeneration) {
  const ManyPromptAnswers run = read();
  BOOST_TEST(run.studies[1].names.facts() == 0U);
  const NameLikelihoods& names_read = run.studies[0].names;
  BOOST_TEST(names_read.strata() == (Sizes{6, 4, 3}), each);
  BOOST_REQUIRE(names_read.facts() == 13U);
  for (const std::size_t fact : {0U, 5U, 6U, 8U, 11U, 12U}) {
    BOOST_TEST(names_read.rows(fact).empty());
  }
  const auto rows = names_read.rows(7);
  BOOST_REQUIRE(rows.size() == 6U);
  Numbers nats;
  Sizes tokens, objects, places;
  for (const NameLikelihood& row : rows) {
    nats.push_back(row.log_likelihood);
    tokens.push_back(row.tokens);
    objects.push_back(row.object);
    places.push_back(row.name);
    BOOST_TEST(row.template_index == 0U);
  }
  BOOST_TEST(nats == (Numbers{-1, -2, -3, -0.5, -2.5, -3.5}), each);
  BOOST_TEST(tokens == (Sizes{1, 2, 1, 1, 2, 1}), each);
  BOOST_TEST(objects == (Sizes{0, 0, 1, 0, 0, 1}), each);
  BOOST_TEST(places == (Sizes{0, 1, 0, 0, 1, 0}), each);
  BOOST_TEST(rows[2].expression == 0U);
  BOOST_TEST(rows[3].expression == 1U);
  BOOST_REQUIRE(names_read.rows(10).size() == 3U);
  BOOST_TEST(names_read.rows(10)[2].template_index == 1U);
  BOOST_TEST(names_read.rows(10)[2].log_likelihood == -6.0);
}

// In every relation, facts without a pair are counted.
BOOST_FIXTURE_TEST_CASE(relations_behind_the_last_row_have_their_facts_too, SmallGeneration) {
  write_names("zero-shot", {name_rows[0], name_rows[1]});
  const ManyPromptAnswers run = read();
  BOOST_TEST(run.studies[0].names.strata() == (Sizes{6, 4, 3}), each);
  BOOST_TEST(run.studies[0].names.facts() == 13U);
  write_names("zero-shot", {});
  BOOST_TEST(read().studies[0].names.facts() == 0U);
}

BOOST_FIXTURE_TEST_CASE(content_free_prompts_are_counted_by_template, SmallGeneration) {
  const ManyPromptAnswers run = read();
  BOOST_TEST(run.studies[0].content_free.empty());
  BOOST_TEST(run.studies[0].candidates.empty());
  const ManyPromptStudy& study = run.studies[1];
  BOOST_REQUIRE(study.content_free.size() == 1U);
  const ContentFreeScores& scores = study.content_free.at("symbol");
  BOOST_TEST(scores.templates == 2U);
  BOOST_TEST(scores.texts == 3U);
  BOOST_TEST(scores.candidates == 6U);
  BOOST_REQUIRE(scores.log_likelihoods.size() == 36U);
  BOOST_TEST(scores.log_likelihoods[0] == -2.0);
  BOOST_TEST(scores.log_likelihoods[6] == -12.0);
  BOOST_TEST(scores.log_likelihoods[17] == -22.5);
  BOOST_TEST(scores.log_likelihoods[18] == -3.0);
  BOOST_TEST(scores.log_likelihoods[35] == -23.5);
  // The first scores belong to the relation's third template.
  BOOST_TEST(study.content_free_templates.at("symbol") == (Sizes{2, 3}), each);
  BOOST_TEST(study.candidates.at("symbol") == symbols, each);
  BOOST_TEST(relation_bias(scores).templates == 2U);
}

BOOST_FIXTURE_TEST_CASE(lemmas_may_be_chosen_while_the_program_runs, SmallGeneration) {
  const ManyPromptAnswers run = read_generation(path(), AnswerLemmas());
  BOOST_TEST(run.studies[0].confidences.prompts[0].confidence == 0.75);
}

BOOST_FIXTURE_TEST_CASE(names_that_are_not_those_of_the_fact_are_refused, SmallGeneration) {
  const auto refuses = [&](std::size_t line, const RecordedNames& damaged,
                           const std::string& words) {
    auto rows = name_rows;
    rows[line - 1] = damaged;
    write_names("zero-shot", rows);
    refused("zero-shot_names.jsonl:" + std::to_string(line) + ": " + words);
  };
  const std::string others = "contains: the names do not match the fact's objects";
  refuses(2, names(1, {1, 0, 1}, {{{-1, 1}, {-1, 1}}}), others);
  refuses(2, names(1, {1, 0, 1}, {{{-1, 1}}, {{-1, 1}}}), others);
  refuses(2, names(1, {1, 0, 1}, {}), others);
  const std::string unsound = "contains: a name has no tokens or no log-likelihood";
  refuses(2, names(1, {1, 0, 1}, {{{-1, 1}, {1, 1}}, {{-1, 1}}}), unsound);
  refuses(2, names(1, {1, 0, 1}, {{{-1, 1}, {-1, 1}}, {{-1, 0}}}), unsound);
  refuses(2, name_rows[0], "contains: this prompt already has a row");
  auto strange = name_rows[2];
  strange.prompt.fact = 3;
  refuses(3, strange, "family: the row belongs to a prompt that was not used");
  refuses(3, names(0, {0, 0, 0}, {{{-1, 1}}}),
          "symbol: is not one of the relations that were queried, or its");
}

BOOST_FIXTURE_TEST_CASE(content_free_rows_that_cannot_be_are_refused, SmallGeneration) {
  const auto refuses = [&](std::size_t line, const std::vector<RecordedContentFree>& rows,
                           const std::string& words) {
    write_content_free("zero-shot-question", rows);
    refused("zero-shot-question_content_free.jsonl" +
            (line == 0 ? "" : ":" + std::to_string(line)) + ": symbol: " + words);
  };
  const auto with = [&](std::size_t line, auto change) {
    auto rows = content_free_rows;
    change(rows[line - 1]);
    return rows;
  };
  const std::string not_asked = "the row belongs to a template that was not used";
  const std::string out_of_order = "the row is not for the next content-free text";
  refuses(4, with(4, [](auto& row) { row.template_index = 4; }), not_asked);
  refuses(2, with(2, [](auto& row) { row.subject = "N/A"; }), out_of_order);
  refuses(2, with(2, [](auto& row) { row.template_index = 3; }), out_of_order);
  refuses(4, with(4, [](auto& row) { row.template_index = 2; }), out_of_order);
  refuses(4, with(4, [](auto& row) { row.template_index = 1; }), out_of_order);
  refuses(3, with(3, [](auto& row) { row.candidates.pop_back(); }),
          "has 5 candidates, but 6 are listed for the relation");
  refuses(1, with(1, [](auto& row) { row.candidates.clear(); }), "has 0 candidates");
  refuses(5, with(5, [](auto& row) { row.candidates[2].nats = 0.1; }),
          "a candidate has no tokens or no log-likelihood");
  auto short_of_one = content_free_rows;
  short_of_one.pop_back();
  refuses(0, short_of_one, "a template lacks rows; the file was changed; ask again");
  candidates(0, {"H"});
  refuses(1, content_free_rows, "has 6 candidates, but 1 are listed for the relation");
  const auto elsewhere = with(1, [](auto& row) { row.relation = "colour"; });
  write_content_free("zero-shot-question", elsewhere);
  refused("_content_free.jsonl:1: colour: " + not_asked);
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_holds_no_finished_run_is_refused, SmallGeneration) {
  const auto metadata = [&](const std::string& text) {
    files().write("metadata_generate.json", text);
  };
  metadata("{");
  refused("metadata_generate.json:1: not JSON");
  for (const std::string none :
       {"{}", R"({"settings": []})", R"({"settings": "zero-shot"})", R"({"settings": [1]})"}) {
    metadata(none);
    refused("metadata_generate.json: settings: is empty; generate again");
  }
  metadata(R"({"settings": ["zero-shot", "4-random"]})");
  refused("4-random_answers.jsonl: cannot be read");
  metadata(R"({"settings": ["../other/zero-shot"]})");
  refused("\"../other/zero-shot\": is not a valid file name in this folder");
  metadata(R"({"settings": ["zero-shot"]})");  // no remarks and no candidates
  BOOST_TEST(read().studies.size() == 1U);
  BOOST_TEST(read().remarks.empty());
  std::filesystem::remove(path() / "asked" / "facts.jsonl");
  refused(
      "asked: lacks facts.jsonl and templates.jsonl; a run stores its facts and templates there");
  std::filesystem::remove(path() / "metadata_generate.json");
  refused(path().string() +
          ": contains no finished generation (no metadata_generate.json); specify a finished run "
          "folder, or finish its run first (plumb generate, `resume`)");
}

BOOST_AUTO_TEST_SUITE_END()
