// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/many_shot.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/many_shot_console.hpp"
#include "support/markup.hpp"

using namespace plumb::detail;
using test::ConsoleRun;
using test::HookedModel;
using test::ManyShotFiles;
using test::names_in;
using test::reader_of_births;
using test::run_words;
using test::slurp;

BOOST_AUTO_TEST_SUITE(many_shot_command)

namespace {

using Words = std::vector<std::string>;
using Names = std::set<std::string>;

const Names always{"accuracy.csv",
                   "metrics.csv",
                   "accuracy_at_k.csv",
                   "birth_choices.jsonl",
                   "example_prompts.jsonl",
                   "journal.jsonl",
                   "metadata_many_shot.json",
                   "metrics.json",
                   "report.html",
                   "run.json",
                   "figures"};

Names with(Names all, const std::string& name) {
  all.insert(name);
  return all;
}

const char* templates = R"({"Born": {"property": "birth", "hgp": ["{subject} was born in"],
                                     "mmp": ["{subject},", "born: {subject}"]}})";

Json fixed_study() {
  return Json::parse(R"({"relation": "birth", "separator": " ",
    "shots": [["Person Ae", "1804"], ["Person Af", "1805"]], "choices": ["1800", "1801"],
    "test": [{"subject": "Person Aa", "answer": "1800", "scores": [0, 0]},
             {"subject": "Person Ab", "answer": "1801"}]})");
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(dry_run_prints_the_plan_without_querying_the_model, ManyShotFiles) {
  const ConsoleRun dry = many_shot({"--dry-run"}, "dry");
  BOOST_TEST(dry.code == 0, dry);
  BOOST_TEST(!std::filesystem::exists(folder / "dry"));
  BOOST_TEST(many_shot().err.starts_with(dry.out));
  const Json run = json("run/run.json");
  BOOST_TEST(dry.out == "planned: choices: 120 statements, " + run.at("tokens_one_by_one").dump() +
                            " tokens (" + run.at("tokens_fed").dump() +
                            " fed, because equal prefixes are fed only once)\n");
}

// 2 shot counts × 2 seeds × 6 facts × 5 choices.
BOOST_FIXTURE_TEST_CASE(a_study_leaves_a_whole_run_folder_and_shows_the_result, ManyShotFiles) {
  const ConsoleRun run = many_shot();
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("\n120 statements, "));
  BOOST_TEST(run.says("\nic/4 "));
  BOOST_TEST(run.out.ends_with("\nreport: " + at("run/report.html") + "\n"));
  BOOST_TEST((names_in(folder / "run") == always));
  const Json metadata = json("run/metadata_many_shot.json");
  BOOST_TEST(metadata.at("model") == "model.gguf");
  BOOST_TEST(metadata.at("dataset") == "data");
  const Json& birth = metadata.at("relations").at("birth");
  BOOST_TEST(birth.at("facts") == 30);
  BOOST_TEST(birth.at("training") == 12);
  BOOST_TEST(birth.at("test") == 6);
  BOOST_TEST(birth.at("choices") == 30);
  BOOST_TEST(birth.at("choices_beginning_another") == 0);
  BOOST_TEST(birth.at("options").size() == 8U);
  BOOST_TEST(birth.at("notes").empty());
  BOOST_TEST(birth.at("skipped").is_null());
  // The accuracies are recomputed from the rows.
  std::size_t right = 0, rows = 0;
  double expected = 0;
  for_each_json_line(
      folder / "run/birth_choices.jsonl", throw_problem, [&](const Json& row, std::size_t) {
        if (row.at("shots") != 4) return;
        const std::vector<double> scores = row.at("answer_scores");
        const auto best = std::ranges::max_element(scores) - scores.begin();
        if (row.at("answer") == best) ++right;
        const std::size_t answer = row.at("answer");
        if (scores[answer] == scores[static_cast<std::size_t>(best)]) {
          expected += 1.0 / static_cast<double>(std::ranges::count(scores, scores[answer]));
        }
        ++rows;
      });
  BOOST_TEST(rows == 12U);
  const Json setting = json("run/metrics.json").at("settings").at("ic/4");
  const Json& metric = setting.at("accuracy");
  BOOST_TEST(metric.at("count") == 6);
  BOOST_TEST(std::abs(metric.at("value").get<double>() - expected / 12) < 1e-12);
  BOOST_TEST(std::abs(setting.at("accuracy_first_wins").at("value").get<double>() -
                      static_cast<double>(right) / 12) < 1e-12);
  const std::string html = slurp(folder / "run/report.html");
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(test::between(html, "<title>", "</title>") == "model.gguf on data");
}

// All tokens are equally likely and all years have four digits, so all five choices tie.
BOOST_FIXTURE_TEST_CASE(equal_logits_are_worth_a_guess, ManyShotFiles) {
  const ConsoleRun run = run_words(words({"--generate", "3"}), [](const ModelOptions&) {
    return test::level_model(test::reader_of_births());
  });
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("Warning: 24 of 24 answers (100.0%) are ties"));
  BOOST_TEST(run.says("accuracy (first wins)"));
  const Json metrics = json("run/metrics.json");
  BOOST_TEST(metrics.at("ties") == 24);
  for (const char* shots : {"ic/1", "ic/4"}) {
    const Json& setting = metrics.at("settings").at(shots);
    BOOST_TEST(std::abs(setting.at("accuracy").at("value").get<double>() - 0.2) < 1e-12);
    BOOST_TEST(setting.at("ties") == 12);
    BOOST_TEST(setting.at("answers") == 12);
  }
  BOOST_TEST(metrics.at("settings").at("ic/4/generation").at("ties") == 0);
}

BOOST_FIXTURE_TEST_CASE(run_json_records_settings_and_cost, ManyShotFiles) {
  BOOST_TEST(many_shot({"--seed", "3", "--split-seed", "4", "--choice-seed", "5"}).code == 0);
  const Json run = json("run/run.json");
  BOOST_TEST(run.at("status") == "complete");
  BOOST_TEST(run.at("statements") == 120);
  BOOST_TEST(run.at("statements_scored_now") == 120);
  BOOST_TEST(run.at("tokens_fed") < run.at("tokens_one_by_one"));
  BOOST_TEST(run.at("command_line").at(1) == "many-shot");
  const Json& settings = run.at("settings");
  BOOST_TEST(settings.at("command") == "many-shot");
  BOOST_TEST((settings.at("shots") == Json{1, 4}));
  BOOST_TEST(settings.at("seeds") == 2);
  BOOST_TEST(settings.at("choices") == 5);
  BOOST_TEST(settings.at("train") == 12);
  BOOST_TEST(settings.at("limit") == 6);
  BOOST_TEST(settings.at("split_seed") == 4);
  BOOST_TEST(settings.at("choice_seed") == 5);
  BOOST_TEST(settings.at("seed") == 3);
  BOOST_TEST((settings.at("relations") == Json{"birth"}));
  BOOST_TEST(settings.at("model_sha256") == hash_file(folder / "model.gguf"));
  BOOST_TEST(settings.at("baselines_sha256").is_null());
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_not_empty_is_refused_and_taken_up_with_resume,
                        ManyShotFiles) {
  BOOST_TEST(many_shot().code == 0);
  const auto before = comparable("run");
  BOOST_TEST(
      many_shot().refused("run: is not empty; choose another folder (--out), or set --resume"));
  BOOST_TEST(many_shot({"--resume"}).code == 0);
  BOOST_TEST((comparable("run") == before));
  BOOST_TEST(json("run/run.json").at("statements_scored_now") == 0);
  BOOST_TEST(many_shot({"--resume"}, "new").code == 0);
  BOOST_TEST((comparable("new") == before));
}

// The resumed run's rows, generated texts, injection experiment and reports are byte-for-byte
// identical.
BOOST_FIXTURE_TEST_CASE(killed_run_resumes_to_identical_files, ManyShotFiles) {
  folder.write("t.json", templates);
  const Words options{"--baselines", at("t.json"), "--generate", "4",
                      "--injection", "12",         "--injected", "3"};
  Words again = options;
  again.push_back("--resume");
  BOOST_TEST(many_shot(options).code == 0);
  const auto whole = comparable("run");
  const std::string journal = slurp(folder / "run/journal.jsonl");
  const auto lines = static_cast<std::size_t>(std::ranges::count(journal, '\n'));
  BOOST_TEST(lines > 8U);
  for (std::size_t part = 1; part < 8; ++part) {
    for (const auto& [name, text] : whole) std::filesystem::remove(folder / "run" / name);
    folder.write("run/journal.jsonl", journal.substr(0, journal.size() * part / 8));
    const ConsoleRun run = many_shot(again);
    BOOST_TEST(run.code == 0, run);
    BOOST_TEST((comparable("run") == whole));
    const Json facts = json("run/run.json");
    BOOST_TEST(facts.at("statements_scored_now") > 0);
    BOOST_TEST(facts.at("statements_scored_now") < facts.at("statements"));
  }
}

BOOST_FIXTURE_TEST_CASE(other_settings_are_refused_by_name_when_resuming, ManyShotFiles) {
  folder.write("t.json", templates);
  folder.write("s.txt", "in");
  BOOST_TEST(many_shot().code == 0);
  const std::vector<std::pair<Words, std::string>> changes{
      {{"--shots", "1,5"}, "shots"},
      {{"--seeds", "3"}, "seeds"},
      {{"--choices", "4"}, "choices"},
      {{"--choice-seed", "1"}, "choice_seed"},
      {{"--split-seed", "1"}, "split_seed"},
      {{"--train", "13"}, "train"},
      {{"--limit", "5"}, "limit"},
      {{"--min-facts", "1"}, "min_facts"},
      {{"--min-objects", "1"}, "min_objects"},
      {{"--pair-separator", ": "}, "pair_separators"},
      {{"--item-separator", "; "}, "item_separator"},
      {{"--separators", at("s.txt")}, "pair_separators"},
      {{"--separators", at("t.json")}, "separators_sha256"},
      {{"--baselines", at("t.json")}, "baselines_sha256"},
      {{"--generate", "3"}, "generate"},
      {{"--injection", "10", "--injected", "2"}, "injection"},
      {{"--seed", "1"}, "seed"},
      {{"--bos", "no"}, "bos"},
      {{"--precision", "fast"}, "precision"}};
  const auto before = comparable("run");
  for (auto [options, name] : changes) {
    options.push_back("--resume");
    const ConsoleRun run = many_shot(options);
    BOOST_TEST(run.refused("run.json: " + name +
                           ": the run was started "
                           "with"),
               name << "\n"
                    << run);
  }
  BOOST_TEST((comparable("run") == before));
}

BOOST_FIXTURE_TEST_CASE(relations_that_are_too_small_are_skipped_and_spoken_of, ManyShotFiles) {
  table("few", 5, 5);
  const ConsoleRun run = many_shot({"--shots", "1,10"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("skipped for having fewer than 10 training facts for the shots: few 4"), run);
  BOOST_TEST((names_in(folder / "run") == always));
  const Json few = json("run/metadata_many_shot.json").at("relations").at("few");
  BOOST_TEST(few.at("skipped").at("detail") == "4");
  BOOST_TEST(
      slurp(folder / "run/report.html").find("skipped for having fewer than 10 training facts") !=
      std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_dataset_of_skipped_relations_is_refused_and_leaves_nothing,
                        ManyShotFiles) {
  BOOST_TEST(
      many_shot({"--min-facts", "31"})
          .refused(
              "data: every relation is skipped for having fewer than 31 facts (birth has 30)"));
  BOOST_TEST(many_shot({"--shots", "13"})
                 .refused("fewer than 13 training facts for the shots (birth has"));
  BOOST_TEST(many_shot({"--shots", "13"}).refused("; lower --shots, or add facts"));
  BOOST_TEST(many_shot({"--relations", "P36"}).refused("'P36' is not a relation of data"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_FIXTURE_TEST_CASE(fewer_choices_and_merged_tokens_are_spoken_of, ManyShotFiles) {
  const auto make_model = [](const ModelOptions&) { return reader_of_births({"0Person"}); };
  const ConsoleRun run = run_words(words({"--choices", "20", "--item-separator", ""}), make_model);
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("fewer than 20 choices per fact, because there are no more objects: birth "
                      "8"),
             run);
  BOOST_TEST(run.says("do not keep them apart: birth '0Person'"), run);
}

BOOST_FIXTURE_TEST_CASE(a_sequence_past_the_context_is_refused_before_anything_is_scored,
                        ManyShotFiles) {
  const auto make_model = [](const ModelOptions&) {
    HookedModel model(reader_of_births());
    model.context = 100;
    return model;
  };
  // Each pair takes fifteen bytes; the question together with BOS also takes fifteen.
  const ConsoleRun run = run_words(words({"--shots", "10"}), make_model);
  BOOST_TEST(run.refused("birth: a sequence of 165 tokens, longer than the model's context of 100; "
                         "5 shots would fit: set --shots to 5"),
             run);
  BOOST_TEST(run_words(words({"--shots", "6"}, "six"), make_model).refused("5 shots would fit"));
  BOOST_TEST(run_words(words({"--shots", "5"}, "five"), make_model).code == 0);
}

// Of the thirty-one facts, seven are test facts: they are queried both in a single row of seven and
// individually.
BOOST_FIXTURE_TEST_CASE(both_eic_variants_are_reported_alongside_ic, ManyShotFiles) {
  table("birth", 125, 8);
  const ConsoleRun run = many_shot({"--eic", "both", "--train", "100", "--limit", "7"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("\n280 statements, "), run);  // 2 seeds × 7 facts × 5 choices × 4 settings
  for (const char* setting : {"\nic/1 ", "\nic/4 ", "\neic ", "\neic-isolated "}) {
    BOOST_TEST(run.says(setting), setting);
  }
  BOOST_TEST(json("run/metrics.json").at("settings").size() == 4U);
  const ConsoleRun too_few = many_shot({"--eic", "both", "--train", "90"}, "few");
  BOOST_TEST(too_few.refused("--eic: needs 95 training facts (--eic-first 50, --eic-step 5, "
                             "--eic-questions 10), but no relation has more than 90; lower them"),
             too_few);
  BOOST_TEST(!std::filesystem::exists(folder / "few"));
  table("town", 40, 8);
  const ConsoleRun one_has = many_shot({"--eic", "both", "--train", "100"}, "one");
  BOOST_TEST(one_has.code == 0, one_has);
  BOOST_TEST(one_has.says("no EIC-LKE, which needs 95 training facts: town 32"), one_has);
}

// Of the twelve training facts, eight are used: the questions come after four, six and eight of
// them.
BOOST_FIXTURE_TEST_CASE(a_row_of_eic_fits_its_length_to_the_facts_and_is_resumed_with_it,
                        ManyShotFiles) {
  const auto row = [&](const std::string& kind, const Words& geometry, const Words& more = {}) {
    Words options{"--eic", kind, "--shots", "-"};
    options.insert(options.end(), geometry.begin(), geometry.end());
    options.insert(options.end(), more.begin(), more.end());
    return many_shot(options);
  };
  const Words geometry{"--eic-first", "4", "--eic-step", "2", "--eic-questions", "3"};
  const ConsoleRun run = row("both", geometry);
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("\n120 statements, "), run);  // 2 seeds × 6 facts × 5 choices × 2 settings
  std::set<std::pair<std::string, std::size_t>> stands;
  for_each_recorded_choice(
      recorded_choice_relations(at("run")).front(),
      [&](const RecordedChoice& made) { stands.emplace(made.setting.method, made.before->pairs); });
  const std::set<std::pair<std::string, std::size_t>> expected{
      {"eic", 4},          {"eic", 6},          {"eic", 8},
      {"eic-isolated", 4}, {"eic-isolated", 6}, {"eic-isolated", 8}};
  BOOST_TEST((stands == expected));
  const Json settings = json("run/run.json").at("settings");
  BOOST_TEST(settings.at("eic_first") == 4);
  BOOST_TEST(settings.at("eic_step") == 2);
  BOOST_TEST(settings.at("eic_questions") == 3);

  const auto whole = comparable("run");
  BOOST_TEST(row("both", geometry, {"--resume"}).code == 0);
  const auto refused = [&](const std::string& kind, const Words& other, const std::string& name) {
    const ConsoleRun again = row(kind, other, {"--resume"});
    BOOST_TEST(again.refused("run.json: " + name + ": the run was started with"), again);
  };
  refused("both", {"--eic-first", "5", "--eic-step", "2", "--eic-questions", "3"}, "eic_first");
  refused("both", {"--eic-first", "4", "--eic-step", "3", "--eic-questions", "3"}, "eic_step");
  refused("both", {"--eic-first", "4", "--eic-step", "2", "--eic-questions", "4"}, "eic_questions");
  refused("isolated", geometry, "eic_paper");
  refused("paper", geometry, "eic_isolated");
  BOOST_TEST((comparable("run") == whole));
  BOOST_TEST(
      many_shot({"--eic", "paper", "--eic-first", "9", "--eic-step", "2", "--eic-questions", "3"},
                "other")
          .refused("--eic: needs 13 training facts (--eic-first 9, --eic-step 2, --eic-questions "
                   "3), but no relation has more than 12"));
}

BOOST_FIXTURE_TEST_CASE(baselines_and_separators_are_settings_of_their_own, ManyShotFiles) {
  folder.write("t.json", templates);
  const ConsoleRun run = many_shot({"--baselines", at("t.json"), "--separators", at("t.json")});
  BOOST_TEST(run.code == 0, run);
  const Json settings = json("run/metrics.json").at("settings");
  Words all;
  for (const auto& [name, value] : settings.items()) all.push_back(name);
  BOOST_TEST((all == Words{"ic/1", "ic/4", "ic/1/\" was born in \"", "ic/4/\" was born in \"",
                           "ic/1/\", \"", "ic/4/\", \"", "hgp", "mmp"}));
  BOOST_TEST(settings.at("mmp").at("variants") == 2);
  BOOST_TEST(run.says("no separator from templates that do not begin with the subject"), run);
}

BOOST_FIXTURE_TEST_CASE(continuations_are_generated_and_counted, ManyShotFiles) {
  const ConsoleRun run = many_shot({"--generate", "5"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST((names_in(folder / "run") == with(always, "birth_generated.jsonl")));
  std::size_t right = 0, rows = 0;
  for_each_json_line(
      folder / "run/birth_generated.jsonl", throw_problem, [&](const Json& row, std::size_t) {
        ++rows;
        const std::size_t fact = row.at("instance_index");
        const std::string year = std::to_string(1800 + fact % 8);
        const bool holds = row.at("text").get<std::string>().find(year) != std::string::npos;
        BOOST_TEST(row.at("correct") == holds);
        right += holds ? 1U : 0U;
      });
  BOOST_TEST(rows == 2U * 6U);
  const Json settings = json("run/metrics.json").at("settings");
  const double share = settings.at("ic/4/generation").at("accuracy").at("value");
  BOOST_TEST(std::abs(share - static_cast<double>(right) / 12) < 1e-12);
  BOOST_TEST(settings.contains("ic/4/generation-aliases"));
  BOOST_TEST(!settings.contains("ic/1/generation"));
}

BOOST_FIXTURE_TEST_CASE(the_injection_experiment_can_stand_alone, ManyShotFiles) {
  const ConsoleRun run = many_shot({"--shots", "-", "--injection", "20", "--injected", "4"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("\n100 statements, "), run);
  const Names expected = with(with(always, "birth_injection.json"), "injection.csv");
  BOOST_TEST((names_in(folder / "run") == expected));
  BOOST_TEST(std::ranges::count(slurp(folder / "run/injection.csv"), '\n') == 1 + 5 * 20);
  BOOST_TEST(json("run/metrics.json").at("injection").at("birth").at("pairs") == 20);
  BOOST_TEST(many_shot({"--injection", "20", "--highlight", "20"}, "a")
                 .refused("--highlight: position 20 is after the last pair"));
  BOOST_TEST(many_shot({"--injection", "31", "--injected", "4"}, "b")
                 .refused("--injection: no relation has 31 facts"));
  BOOST_TEST(many_shot({"--injection", "20", "--injected", "10"}, "c")
                 .refused("--injected: 10 of 20 pairs cannot be injected"));
}

BOOST_FIXTURE_TEST_CASE(a_fixed_study_is_replayed_in_its_own_shape, ManyShotFiles) {
  folder.write("f.json", fixed_study().dump());
  const auto replay = [&](const std::string& file, const std::string& run, Words more = {}) {
    Words words{"many-shot", "--fixed", at(file), "--model", at("model.gguf"), "--out", at(run)};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words, [](const ModelOptions&) { return reader_of_births(); });
  };
  const ConsoleRun run = replay("f.json", "run");
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("birth "));
  BOOST_TEST(run.says(" nats"));  // the file's scores differ
  BOOST_TEST(run.out.ends_with("\nscores: " + at("run/fixed.json") + "\n"));
  BOOST_TEST((names_in(folder / "run") == Names{"fixed.json", "journal.jsonl", "run.json"}));
  const Json made = json("run/fixed.json");
  BOOST_TEST(made.at("model") == "model.gguf");
  BOOST_TEST(made.at("shots") == fixed_study().at("shots"));
  const NgramTreeModel model = reader_of_births();
  for (const std::size_t t : {0U, 1U}) {
    for (const std::size_t c : {0U, 1U}) {
      const std::string subject = made.at("test").at(t).at("subject");
      const double expected = test::continuation_by_hand(
          model, test::ending_in("Person Ae 1804 Person Af 1805 " + subject,
                                 " " + made.at("choices").at(c).get<std::string>()));
      const double score = made.at("test").at(t).at("scores").at(c);
      BOOST_TEST(std::abs(score - expected) < 1e-5);
    }
  }
  const std::string bytes = slurp(folder / "run/fixed.json");
  BOOST_TEST(replay("f.json", "run").refused("is not empty"));
  BOOST_TEST(replay("f.json", "run", {"--resume"}).code == 0);
  BOOST_TEST(slurp(folder / "run/fixed.json") == bytes);
  BOOST_TEST(json("run/run.json").at("statements_scored_now") == 0);
  folder.write("l.json", Json::array({fixed_study(), made}).dump());
  const ConsoleRun list = replay("l.json", "list");
  BOOST_TEST(list.says("0.000000 nats"), list);  // its own scores are reproduced
  BOOST_TEST((json("list/fixed.json") == Json::array({made, made})));
  BOOST_TEST(replay("l.json", "run", {"--resume"}).refused("the run was started with"));
  BOOST_TEST(replay("none.json", "b").refused("none.json: cannot be read"));
  folder.write("f.json", "{}");
  BOOST_TEST(replay("f.json", "b").refused("f.json: separator: is not a string"));
  BOOST_TEST(!std::filesystem::exists(folder / "b"));
}

BOOST_FIXTURE_TEST_CASE(words_that_are_not_understood_are_refused, ManyShotFiles) {
  BOOST_TEST(
      many_shot({"--shot", "5"})
          .refused("--shot: unknown option; did you mean --shots? `plumb many-shot --help`"));
  BOOST_TEST(many_shot({"--eic", "all"}).refused("--eic: 'all' is not a valid choice"));
  BOOST_TEST(many_shot({"more"}).refused(
      "unexpected argument 'more'; give each option before it a value"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_FIXTURE_TEST_CASE(an_object_that_the_model_cannot_see_is_refused, ManyShotFiles) {
  const auto make_model = [](const ModelOptions&) {
    HookedModel model(reader_of_births());
    model.on_tokens = [](std::string_view text, Tokenization& tokens) {
      if (text == "1803") tokens = {};
    };
    return model;
  };
  BOOST_TEST(run_words(words(), make_model).refused("birth: option '1803' tokenises to nothing"));
}

BOOST_FIXTURE_TEST_CASE(texts_of_special_tokens_are_refused_text_or_parsed, ManyShotFiles) {
  const auto ask = [&](std::vector<std::string> all) {
    return run_words(std::move(all), [](const ModelOptions& made) {
      return test::with_special_token(reader_of_births(), "<s>", made.parse_special_tokens);
    });
  };
  BOOST_TEST(ask(words({"--pair-separator", " <s> "}))
                 .refused("--pair-separator: ' <s> ' contains '<s>', the text of a special token"));
  folder.write("separators.txt", "was born in\n<s>\n");
  BOOST_TEST(ask(words({"--separators", at("separators.txt")}))
                 .refused("separators.txt:2: '<s>' contains '<s>'"));
  folder.write("b.json", R"({"Birth": {"property": "birth", "hgp": ["{subject} <s>"]}})");
  BOOST_TEST(ask(words({"--baselines", at("b.json")}))
                 .refused("b.json:1: birth.hgp[0]: '{subject} <s>' contains '<s>'"));
  Json study = fixed_study();
  study["choices"][0] = "1804<s>";
  study["test"][0]["answer"] = "1804<s>";
  study["test"][1]["answer"] = study["choices"][1];
  folder.write("f.json", study.dump());
  BOOST_TEST(
      ask({"many-shot", "--fixed", at("f.json"), "--model", at("model.gguf"), "--out", at("run")})
          .refused("f.json:1: choices: '1804<s>' contains '<s>'"));
  std::string facts = slurp(folder / "data/birth.jsonl");
  facts.replace(facts.find("Person"), 6, "Person<s>");
  folder.write("data/birth.jsonl", facts);
  BOOST_TEST(ask(words()).refused("data/birth.jsonl:1: birth, subject: 'Person<s> A"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  BOOST_TEST(ask(words({"--special-tokens", "text"}, "text")).code == 0);
  BOOST_TEST(
      ask(words({"--special-tokens", "parse", "--separators", at("separators.txt")}, "parse"))
          .code == 0);
  BOOST_TEST(json("parse/run.json").at("settings").at("special_tokens") == "parse");
}

BOOST_FIXTURE_TEST_CASE(a_model_of_lookups_alone_is_studied_as_one_of_rows, ManyShotFiles) {
  const ConsoleRun rows = many_shot({}, "rows");
  BOOST_TEST(rows.code == 0, rows);
  const auto lookups = [&](const Words& options, const std::string& run) {
    return run_words(words(options, run),
                     [](const ModelOptions&) { return reader_of_births<NgramLookupModel>(); });
  };
  const ConsoleRun run = lookups({}, "lookups");
  BOOST_TEST(run.code == 0, run);
  const auto scores = [&](const std::string& folder_name) {
    std::vector<double> all;
    for_each_json_line(folder / folder_name / "birth_choices.jsonl", throw_problem,
                       [&](const Json& row, std::size_t) {
                         for (const Json& score : row.at("answer_scores")) all.push_back(score);
                       });
    return all;
  };
  const std::vector<double> expected = scores("rows"), found = scores("lookups");
  BOOST_REQUIRE(found.size() == expected.size());
  BOOST_TEST(found.size() == 120U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    BOOST_TEST(std::abs(found[i] - expected[i]) < 1e-4);
  }
  BOOST_TEST(
      lookups({"--generate", "3"}, "texts")
          .refused("--generate: continuing a text needs the likelihoods of all possible next "
                   "tokens, but this backend looks up only given ones; remove --generate, or use a "
                   "backend that returns rows of logits"));
  BOOST_TEST(!std::filesystem::exists(folder / "texts"));
}

BOOST_AUTO_TEST_SUITE_END()
