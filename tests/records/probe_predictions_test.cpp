// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/probe_predictions.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/predictions.hpp"
#include "support/results_folder.hpp"

using namespace plumb::detail;
using test::indices_of;
using test::ResultsFolder;
using test::row;
using test::says;

BOOST_AUTO_TEST_SUITE(probe_predictions_suite)

namespace {

using Numbers = std::vector<double>;
using Places = std::vector<std::size_t>;
using Names = std::vector<std::string>;

const Names options{"Paris", "Seoul", "Cairo"};
const Names texts{"The capital of [X] is [Y].", "[Y] is the capital of [X].",
                  "The capital of [X] is possibly [Y].",
                  "I'm 25% confident the capital of [X] is [Y]."};
const Json one_to_one{{"cardinality", "single instance per answer"}, {"domains", {"Geography"}}};

/// Scores whose softmax is ½, 3/10 and 1/5, shifted by a constant and rotated so that option
/// `first` is the likeliest.
Numbers scores(std::size_t first) {
  Numbers made{std::log(0.5) - 7, std::log(0.3) - 7, std::log(0.2) - 7};
  std::rotate(made.begin(), made.end() - static_cast<std::ptrdiff_t>(first), made.end());
  return made;
}

/// Rows for two facts, whose right answers are 0 and 2, under these templates; template t prefers
/// option t mod 3.
Names rows_of(const Places& templates) {
  Names rows;
  for (const std::size_t instance : {0U, 1U}) {
    for (const std::size_t t : templates) {
      rows.push_back(
          row(instance == 0 ? "France" : "Egypt", instance, t, 2 * instance, scores(t % 3)));
    }
  }
  return rows;
}

/// A folder in lm-pub-quiz's format with one relation under these templates.
struct Folder : ResultsFolder {
  explicit Folder(const Places& templates, const std::string& code = "P36",
                  const Names& words = texts) {
    add(code, options, words, one_to_one, rows_of(templates));
  }
};

ScoredModel read(const ResultsFolder& folder, const ReadingOptions& how = {}) {
  return read_model("m", {folder.path()}, how);
}

bool near(double a, double b) {
  return std::abs(a - b) < 1e-9;  // numbers in files have ten decimals
}

/// A folder in plumb's format. Its facts all have the answer 0, under one template; each option has
/// sums and counts.
struct PlumbFolder : test::TemporaryFolder {
  explicit PlumbFolder(const std::vector<std::vector<StatementScore>>& facts, Scoring scoring = {},
                       std::size_t template_index = 0) {
    Relation relation;
    relation.code = "P36";
    relation.templates = texts;
    relation.options = relation.option_ids = options;
    relation.facts.resize(facts.size());
    relation.note = "a note";
    write("metadata_results.json",
          Json{{"P36", recorded_metadata(relation, {template_index}, {"tiny", "c", scoring, true})}}
              .dump());
    std::string lines;
    for (std::size_t f = 0; f < facts.size(); ++f) {
      lines += recorded_line({"", "", {}, 0, f}, template_index, facts[f], scoring);
    }
    write("P36_results.jsonl", lines);
  }
  [[nodiscard]] ScoredModel read(const ReadingOptions& how = {}) const {
    return read_model("m", {path()}, how);
  }
};

/// The two sums and the means prefer different options. Over the statement, the sum prefers option
/// 0, and the mean prefers option 1 (−14/7 = −2, compared with −10/1 and −12/2). Over the answer,
/// the sum prefers option 2, and the mean prefers option 1.
const std::vector<StatementScore> four_ways{
    {{-10, 1}, {-6, 2}}, {{-14, 7}, {-5, 5}}, {{-12, 2}, {-3, 1}}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_folder_becomes_a_table_of_facts_by_templates) {
  const ScoredModel model = read(Folder({0, 1, 2, 3}));
  BOOST_TEST(model.predictions.name == "m");
  BOOST_TEST(model.predictions.facts() == 2U);
  BOOST_REQUIRE(model.predictions.relations.size() == 1U);
  const RelationPredictions& relation = model.predictions.relations[0];
  BOOST_TEST(relation.relation.code == "P36");
  BOOST_TEST(is_one_to_one(relation.relation));
  BOOST_TEST(relation.relation.domains == Names{"Geography"});
  BOOST_TEST(relation.relation.facts[1].answer == 2U);
  BOOST_TEST(indices_of(relation) == (Places{0, 1, 2, 3}));
  BOOST_TEST(relation.paraphrases == 2U);
  BOOST_TEST(relation.base == 0U);
  BOOST_TEST(relation.place_of("possibly").value() == 2U);
  BOOST_TEST(relation.place_of("25%").value() == 3U);
  BOOST_CHECK(relation.roles[3].kind == TemplateKind::numerical);
  for (std::size_t fact = 0; fact < 2; ++fact) {
    for (std::size_t t = 0; t < 4; ++t) {
      const Prediction& cell = relation.row(fact)[t];
      BOOST_TEST(cell.option == t % 3);
      BOOST_TEST(cell.correct == (t % 3 == 2 * fact));
      BOOST_TEST(near(cell.confidence, 0.5));
      BOOST_TEST(near(cell.margin, 0.2));
    }
  }
  // For each fact, the base template's own scores are used. The rows have no other columns, so
  // there are no other reductions.
  BOOST_REQUIRE(model.base.size() == 1U);
  BOOST_REQUIRE(model.base[0].scores.size() == 6U);
  for (std::size_t i = 0; i < 6; ++i) BOOST_TEST(near(model.base[0].scores[i], scores(0)[i % 3]));
  for (const auto& reduction : model.base[0].reductions) BOOST_TEST(reduction.empty());
}

// The options' scores are the logarithms of (½, 3/10, 1/5) under template 0 and of its rotation
// (1/5, ½, 3/10) under template 1. With weights of ¼ and ¾, option 1 is the likeliest.
BOOST_AUTO_TEST_CASE(templates_with_weights_answer_together) {
  Folder folder({0, 1});
  BOOST_TEST(read(folder).predictions.relations[0].weighted.empty());
  folder.set("P36", "template_weights", {0.25, 0.75});
  const RelationPredictions relation = read(folder).predictions.relations[0];
  BOOST_REQUIRE(relation.weighted.size() == 2U);
  const Numbers weights{std::pow(0.5, 0.25) * std::pow(0.2, 0.75),
                        std::pow(0.3, 0.25) * std::pow(0.5, 0.75),
                        std::pow(0.2, 0.25) * std::pow(0.3, 0.75)};
  const double sum = weights[0] + weights[1] + weights[2];
  for (const Prediction& made : relation.weighted) {
    BOOST_TEST(made.option == 1U);
    BOOST_TEST(!made.correct);  // the answers are 0 and 2
    BOOST_TEST(near(made.confidence, weights[1] / sum));
    BOOST_TEST(near(made.margin, (weights[1] - weights[2]) / sum));
  }
  folder.set("P36", "template_weights", {1});  // the second has weight 0
  BOOST_TEST(read(folder).predictions.relations[0].weighted[0].correct);
}

// In this case, templates 0 and 3 have markers, and template 2 is the base.
BOOST_AUTO_TEST_CASE(paraphrases_come_first_whatever_their_indices) {
  const Names mixed{texts[3], texts[0], texts[1], texts[2], "[X]'s capital is [Y]."};
  const ScoredModel model = read(Folder({4, 3, 0, 2, 1}, "P36", mixed), {.kinds = {.base = 2}});
  const RelationPredictions& relation = model.predictions.relations[0];
  BOOST_TEST(indices_of(relation) == (Places{1, 2, 4, 0, 3}));
  BOOST_TEST(relation.paraphrases == 3U);
  BOOST_TEST(relation.base == 1U);
  for (std::size_t t = 0; t < 5; ++t) {
    BOOST_TEST(relation.row(0)[t].option == indices_of(relation)[t] % 3);
  }
  BOOST_TEST((FactPredictions{relation, 1}.base().correct));  // template 2 prefers option 2
  BOOST_TEST(near(model.base[0].scores[2], scores(2)[2]));
}

BOOST_AUTO_TEST_CASE(folders_of_different_templates_join_into_one_table) {
  const Folder first({0, 3});
  const Folder second({1, 2});
  const auto joined = read_model("m", {first.path(), second.path()}, {});
  BOOST_REQUIRE(joined.predictions.relations.size() == 1U);
  const RelationPredictions& relation = joined.predictions.relations[0];
  BOOST_TEST(indices_of(relation) == (Places{0, 1, 2, 3}));
  BOOST_TEST(relation.paraphrases == 2U);
  const auto whole = read(Folder({0, 1, 2, 3})).predictions.relations[0];
  for (std::size_t i = 0; i < whole.cells.size(); ++i) {
    BOOST_TEST(relation.cells[i].option == whole.cells[i].option);
    BOOST_TEST(relation.cells[i].correct == whole.cells[i].correct);
  }
}

BOOST_AUTO_TEST_CASE(rows_of_lm_pub_quiz_without_a_template_are_the_folders) {
  ResultsFolder folder;
  folder.add("P36", options, {texts[0]}, nullptr,
             {R"({"instance":0,"answer_idx":0,"pll_scores":[-1,-2,-3]})",
              R"({"instance":1,"answer_idx":0,"pll_scores":[-3,-2,-1]})"});
  const RelationPredictions relation = read(folder).predictions.relations.at(0);
  BOOST_TEST(relation.facts() == 2U);
  BOOST_TEST(relation.row(0)[0].correct);
  BOOST_TEST(!relation.row(1)[0].correct);
  BOOST_TEST(!is_one_to_one(relation.relation));  // both facts have the answer 0
}

BOOST_AUTO_TEST_CASE(template_kinds_can_be_set_where_texts_do_not_imply_them) {
  const Names plain{texts[0], texts[1], "[X]: [Y].", "[X], [Y].", "[X] [Y]"};
  ReadingOptions said{.kinds = {.paraphrases = Places{0, 1}, .verbalized = {2}, .numerical = {3}}};
  const auto relation = read(Folder({0, 1, 2, 3, 4}, "P36", plain), said).predictions.relations[0];
  BOOST_TEST(indices_of(relation) == (Places{0, 1, 2, 3}));  // template 4 was not listed
  BOOST_TEST(relation.paraphrases == 2U);
  BOOST_TEST(relation.roles[2].marker == "template 2");
  BOOST_CHECK(relation.roles[2].kind == TemplateKind::verbalized);
  BOOST_TEST(relation.roles[3].marker == "template 3");
  BOOST_CHECK(relation.roles[3].kind == TemplateKind::numerical);
  BOOST_TEST(relation.row(0)[2].option == 2U);
  // A template that is listed as verbalized is named after the marker in its text, and a template
  // with a marker may be listed as a paraphrase.
  said = {.kinds = {.paraphrases = Places{0, 3}, .verbalized = {2}}};
  const auto told = read(Folder({0, 1, 2, 3}), said).predictions.relations[0];
  BOOST_TEST(indices_of(told) == (Places{0, 3, 2}));
  BOOST_TEST(told.roles[2].marker == "possibly");
  BOOST_TEST(told.roles[1].marker.empty());
}

BOOST_AUTO_TEST_CASE(templates_that_do_not_fit_are_refused) {
  const auto refused = [](const ResultsFolder& folder, const ReadingOptions& how,
                          const std::string& words) {
    BOOST_CHECK_EXCEPTION(read(folder, how), Error, says(Fault::user, words));
  };
  const std::string unscored = "which Base and Margin use, was not scored as a paraphrase";
  refused(Folder({1, 2}), {}, "P36_results.jsonl: P36: template 0, " + unscored);
  refused(Folder({0, 2}), {.kinds = {.base = 2}}, "template 2, " + unscored);
  refused(Folder({0, 1}), {.kinds = {.paraphrases = Places{1}}}, "template 0, " + unscored);
  refused(Folder({0, 4}), {},
          "P36: the metadata has no text for template 4, so its kind is unknown; set "
          "`paraphrases`, `verbalized` and `numerical`");
  const Names twice{texts[0], texts[2], "[Y] is possibly the capital of [X]."};
  refused(Folder({0, 1, 2}, "P36", twice), {}, "P36: two templates have the marker 'possibly'");
}

BOOST_AUTO_TEST_CASE(unlisted_templates_are_reported_and_listed_ones_must_be_scored) {
  const Folder folder({0, 1, 2, 3});
  const ReadingOptions said{.kinds = {.base = 1, .paraphrases = Places{1}, .numerical = {3}}};
  BOOST_TEST(read(folder, said).base[0].unlisted == (Places{0, 2}));
  BOOST_CHECK_EXCEPTION(read(folder, {.kinds = {.paraphrases = Places{0, 7}}}), Error,
                        says(Fault::user, "`paraphrases`: template 7 was not scored"));
  BOOST_TEST(read(folder).base[0].unlisted.empty());
}

BOOST_AUTO_TEST_CASE(folders_must_agree_on_the_text_of_the_base_template) {
  const Folder first({0});
  const Folder other({1}, "P36", {"The capital city of [X] is [Y].", texts[1]});
  BOOST_CHECK_EXCEPTION(
      read_model("m", {first.path(), other.path()}, {}), Error,
      says(Fault::user,
           "metadata_results.json: P36: template 0 has a different text from the one in"));
}

BOOST_AUTO_TEST_CASE(a_relation_without_rows_is_left_out) {
  ResultsFolder folder;
  folder.add("P17", options, texts, one_to_one, {});
  folder.add("P36", options, texts, one_to_one, rows_of({0}));
  folder.add("P37", options, texts, one_to_one, {});
  folder.add("P38", options, texts, one_to_one, rows_of({0}));
  const ScoredModel model = read(folder);
  BOOST_REQUIRE(model.predictions.relations.size() == 2U);
  BOOST_TEST(model.predictions.relations[0].relation.code == "P36");
  BOOST_TEST(model.predictions.relations[1].relation.code == "P38");
  BOOST_REQUIRE(model.base.size() == 2U);
  BOOST_TEST(model.base[0].scores.size() == 6U);
}

BOOST_AUTO_TEST_CASE(relations_are_chosen_by_name_and_must_stand_in_every_folder) {
  Folder two({0}, "P17");
  two.add("P36", options, texts, one_to_one, rows_of({0}));
  const Folder other({1});
  BOOST_TEST(read(two).predictions.relations.size() == 2U);
  const auto chosen = read(two, {.relations = {"P36"}});
  BOOST_REQUIRE(chosen.predictions.relations.size() == 1U);
  BOOST_TEST(chosen.predictions.relations[0].relation.code == "P36");
  BOOST_CHECK_EXCEPTION(read(two, {.relations = {"P36", "P99"}}), Error,
                        says(Fault::user, "`relations`: 'P99' is not in the results of m"));
  BOOST_CHECK_EXCEPTION(read_model("m", {two.path(), other.path()}, {}), Error,
                        says(Fault::user, "P17: is in only some of the folders of m"));
  const auto joined = read_model("m", {two.path(), other.path()}, {.relations = {"P36"}});
  BOOST_TEST(joined.predictions.relations.at(0).paraphrases == 2U);
  BOOST_CHECK_EXCEPTION(read_model("m", {other.path(), other.path()}, {}), Error,
                        says(Fault::user, "is duplicated for template 1"));
}

BOOST_AUTO_TEST_CASE(scores_that_are_no_numbers_are_refused) {
  for (const std::string score : {"null", "NaN", "-1e999", "-Infinity", "\"-2\""}) {
    ResultsFolder folder;
    folder.add("P36", options, {texts[0]}, nullptr,
               {R"({"answer_idx":0,"pll_scores":[-1,-2,)" + score + "]}"});
    BOOST_CHECK_EXCEPTION(read(folder), Error, says(Fault::user, "P36_results.jsonl:1: "));
  }
}

BOOST_AUTO_TEST_CASE(all_reductions_come_from_one_scoring) {
  const ScoredModel model = PlumbFolder({four_ways}).read();
  const std::size_t preferred[] = {0, 1, 2, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    BOOST_REQUIRE(model.base[0].reductions[i].size() == 1U);
    BOOST_TEST(model.base[0].reductions[i][0].option == preferred[i]);
  }
  // Computed by hand for Sum (A): e^−3 divided by the sum of e^−6, e^−5 and e^−3.
  BOOST_TEST(
      near(model.base[0].reductions[2][0].confidence, 1 / (1 + std::exp(-3.0) + std::exp(-2.0))));
  BOOST_TEST(model.predictions.relations[0].cells[0].option == 0U);
  BOOST_TEST(model.dataset == "c");
  BOOST_TEST(model.reduction == "sum");
  BOOST_TEST(model.span == "statement");
  BOOST_TEST(model.notes == Names{"a note"});
}

BOOST_AUTO_TEST_CASE(reductions_are_of_the_base_template_alone) {
  auto other = four_ways;
  std::rotate(other.begin(), other.begin() + 1, other.end());
  const PlumbFolder first({four_ways, four_ways});
  const PlumbFolder second({other, other}, {}, 1);
  const std::vector<DiskPath> both{second.path(), first.path()};
  for (const std::size_t base : {0U, 1U}) {
    const ScoredModel model = read_model("m", both, {.kinds = {.base = base}});
    BOOST_TEST(model.base[0].scores.size() == 6U);
    BOOST_TEST(near(model.base[0].scores[3], base == 0 ? -10 : -14));
    BOOST_REQUIRE(model.base[0].reductions[2].size() == 2U);
    BOOST_TEST(model.base[0].reductions[2][1].option == (base == 0 ? 2U : 1U));
  }
}

BOOST_AUTO_TEST_CASE(predictions_can_use_a_different_scoring) {
  const PlumbFolder written({four_ways}, {Reduction::mean, Span::answer});
  BOOST_TEST(written.read().predictions.relations[0].cells[0].option == 1U);
  const std::size_t preferred[] = {0, 1, 2, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    const ScoredModel model =
        written.read({.reduction = all_scorings[i].reduction, .span = all_scorings[i].span});
    BOOST_TEST(model.predictions.relations[0].cells[0].option == preferred[i]);
    BOOST_TEST(model.reduction == name_of(all_scorings[i].reduction));
    BOOST_TEST(model.span == name_of(all_scorings[i].span));
  }
  BOOST_TEST(written.read().span == "answer");
  // The folder's own value is used for the one that is not given.
  const ScoredModel sum_of_answer = written.read({.reduction = Reduction::sum});
  BOOST_TEST(sum_of_answer.span == "answer");
  BOOST_TEST(sum_of_answer.predictions.relations[0].cells[0].option == preferred[2]);
  const ScoredModel mean_of_statement = written.read({.span = Span::statement});
  BOOST_TEST(mean_of_statement.reduction == "mean");
  BOOST_TEST(mean_of_statement.predictions.relations[0].cells[0].option == preferred[1]);
  const ScoredModel sums = written.read({.reduction = Reduction::sum, .span = Span::statement});
  const double sum[] = {-10, -14, -12};
  for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(near(sums.base[0].scores[i], sum[i]));
}

BOOST_AUTO_TEST_CASE(an_answer_without_a_scored_token_has_no_answer_reductions) {
  auto parts = four_ways;
  parts[1].answer.tokens = 0;
  const PlumbFolder folder({four_ways, parts, four_ways});
  const ScoredModel model = folder.read();
  BOOST_TEST(model.base[0].reductions[0].size() == 3U);
  BOOST_TEST(model.base[0].reductions[1].size() == 3U);
  BOOST_TEST(model.base[0].reductions[2].empty());
  BOOST_TEST(model.base[0].reductions[3].empty());
  BOOST_CHECK_EXCEPTION(folder.read({.reduction = Reduction::sum, .span = Span::answer}), Error,
                        says(Fault::user,
                             "P36_results.jsonl:2: answer_token_counts: an option has no scored "
                             "token to reduce over; set another `span`"));
  // If there are several folders, the error names the one that contains the row.
  const PlumbFolder sound({four_ways, four_ways, four_ways}, {}, 1);
  const std::vector<DiskPath> both{sound.path(), folder.path()};
  BOOST_CHECK_EXCEPTION(
      read_model("m", both, {.reduction = Reduction::sum, .span = Span::answer}), Error,
      says(Fault::user, folder.path().string() + "/P36_results.jsonl:2: answer_token_counts"));
  BOOST_CHECK_EXCEPTION(read(Folder({0}), {.reduction = Reduction::mean, .span = Span::statement}),
                        Error,
                        says(Fault::user,
                             "P36_results.jsonl:1: token_counts: is missing, so other reductions "
                             "cannot be computed from these results"));
}

// Computed by hand: the log-likelihoods are divided by the byte counts of the statements, which are
// spelled out here. Neither lm-pub-quiz nor earlier versions of plumb count bytes.
BOOST_AUTO_TEST_CASE(bytes_are_counted_where_a_folder_does_not) {
  const ScoredModel model =
      read(Folder({0, 1}), {.reduction = Reduction::bytes, .span = Span::statement});
  const Numbers nats = scores(0);
  const Names statements{"The capital of France is Paris.", "The capital of France is Seoul.",
                         "The capital of France is Cairo."};
  for (std::size_t option = 0; option < 3; ++option) {
    BOOST_TEST(near(model.base[0].scores[option],
                    nats[option] / static_cast<double>(statements[option].size())));
  }
  ResultsFolder wide;
  wide.add("P36", {"Köln", "Rom"}, {"[X]: [Y]"}, one_to_one, {row("é", 0, 0, 0, {-18, -8})});
  // "É: Köln" has nine bytes, "É: Rom" seven.
  BOOST_TEST(near(
      read(wide, {.reduction = Reduction::bytes, .span = Span::statement}).base[0].scores[0], -2));
  BOOST_TEST(
      near(read(wide, {.reduction = Reduction::bytes, .span = Span::statement}).base[0].scores[1],
           -8.0 / 7));
  BOOST_TEST(near(
      read(wide, {.reduction = Reduction::sum, .span = Span::statement}).base[0].scores[0], -18));
  ResultsFolder nameless;
  nameless.add("P36", {"Köln", "Rom"}, {"[X]: [Y]"}, one_to_one, {row("", 0, 0, 0, {-18, -8})});
  BOOST_CHECK_EXCEPTION(read(nameless, {.reduction = Reduction::bytes, .span = Span::statement}),
                        Error,
                        says(Fault::user, "sub_label: is missing, so the bytes of the statements"));
  // The rows are in the format of an earlier version of plumb.
  const PlumbFolder folder({four_ways});
  BOOST_CHECK_EXCEPTION(read(Folder({0}), {.reduction = Reduction::bytes, .span = Span::answer}),
                        Error, says(Fault::user, "token_counts: is missing"));
  BOOST_CHECK_EXCEPTION(folder.read({.reduction = Reduction::pmi, .span = Span::statement}), Error,
                        says(Fault::user,
                             "P36_results.jsonl:1: neutral_scores: is missing, so pmi cannot be "
                             "computed from these results; probe with `reduction` pmi"));
}

BOOST_AUTO_TEST_CASE(note_shared_by_several_relations_is_listed_once) {
  ResultsFolder folder;
  for (const std::string code : {"P17", "P19", "P36"}) {
    const Json info{{"note", code == "P36" ? "another" : "of both"}};
    folder.add(code, options, {texts[0]}, info, rows_of({0}));
  }
  BOOST_TEST(read(folder).notes == (Names{"of both", "another"}));
}

BOOST_AUTO_TEST_SUITE_END()
