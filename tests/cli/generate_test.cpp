// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/generate.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/generate_console.hpp"
#include "support/markup.hpp"

using namespace plumb::detail;
using test::ConsoleRun;
using test::counting;
using test::elements_many;
using test::GenerateFiles;
using test::HookedModel;
using test::never;
using test::reader_of_prompts;
using test::run_words;
using test::slurp;

BOOST_AUTO_TEST_SUITE(generate_command)

namespace {

using Words = std::vector<std::string>;
using Names = std::set<std::string>;

Names names(const std::map<std::string, std::string>& files) {
  Names all;
  for (const auto& [name, text] : files) {
    if (!name.starts_with("figures/")) all.insert(name);  // the figures are those shown on the page
  }
  return all;
}

/// The files that every run writes, whatever its settings.
const Names always{"accuracy.csv",
                   "metrics.csv",
                   "asked/facts.jsonl",
                   "asked/templates.jsonl",
                   "consistency.csv",
                   "coverage.csv",
                   "example_prompts.jsonl",
                   "journal.jsonl",
                   "metadata_generate.json",
                   "metrics.json",
                   "overconfidence.csv",
                   "report.html",
                   "run.json",
                   "samplings.csv",
                   "templates.csv"};

Names with(Names all, const Names& more) {
  all.insert(more.begin(), more.end());
  return all;
}

const Words four{"zero-shot", "4-random", "4-relation", "4-template"};

/// Splits the text into lower-case words of letters and digits. This is enough for the answers that
/// the model was trained on.
Words plain_words(const std::string& text) {
  Words words(1);
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      words.back().push_back(static_cast<char>(std::tolower(letter)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

const MultiPromptRelation& relation_of(const MultiPromptDataset& dataset,
                                       const RecordedAnswer& row) {
  return *std::ranges::find(dataset.relations, row.relation, &MultiPromptRelation::code);
}

/// Whether an answer contains a name of one of its fact's objects, using a slow search.
bool is_right(const MultiPromptDataset& dataset, const RecordedAnswer& row) {
  const Words said = plain_words(row.text);
  for (const NamedEntity& object : relation_of(dataset, row).facts.at(row.prompt.fact).objects) {
    for (const std::string& name : object.names) {
      const Words wanted = plain_words(name);
      if (std::search(said.begin(), said.end(), wanted.begin(), wanted.end()) != said.end())
        return true;
    }
  }
  return false;
}

/// For each relation and fact, which of the answers are right.
using Marks = std::map<std::pair<std::string, std::size_t>, std::vector<bool>>;

Marks marks(const std::filesystem::path& answers, const MultiPromptDataset& dataset) {
  Marks made;
  for_each_row<RecordedAnswer>(answers, [&](const RecordedAnswer& row) {
    made[{row.relation, row.prompt.fact}].push_back(is_right(dataset, row));
  });
  return made;
}

/// The fraction of right answers, averaged over facts.
double average(const Marks& marks) {
  double sum = 0;
  for (const auto& [fact, right] : marks) {
    sum += static_cast<double>(std::ranges::count(right, true)) / static_cast<double>(right.size());
  }
  return sum / static_cast<double>(marks.size());
}

std::size_t lines_in(const std::filesystem::path& file) {
  return static_cast<std::size_t>(std::ranges::count(slurp(file), '\n'));
}

struct Killed {};

/// A model that throws if it is evaluated more than `most` times.
HookedModel killed_after(std::size_t most) {
  HookedModel model(reader_of_prompts());
  model.on_work = [left = most]() mutable {
    if (left == 0) throw Killed{};
    --left;
  };
  return model;
}

/// A model that ends every answer before its first word.
HookedModel silent() {
  HookedModel model(reader_of_prompts());
  model.on_row = [](std::span<float> row) {
    std::ranges::fill(row, 0.0F);
    row.back() = 60.0F;  // BOS, which also ends a text
  };
  return model;
}

/// A model that records its prompts.
HookedModel listening(std::set<std::string>& heard) {
  HookedModel model(reader_of_prompts());
  model.on_tokens = [&heard](std::string_view text, const Tokenization&) {
    if (text.ends_with("\nA:")) heard.insert(std::string(text));
  };
  return model;
}

/// elements_many() restricted to the family relation, with three facts and two templates.
MultiPromptDataset families() {
  MultiPromptDataset dataset = elements_many();
  dataset.relations.erase(dataset.relations.begin(), dataset.relations.end() - 1);
  return dataset;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_generation_leaves_a_whole_run_folder_and_shows_the_result,
                        GenerateFiles) {
  const ConsoleRun run = generate();
  BOOST_TEST(run.code == 0, run);
  Names expected =
      with(always, {"reliability.csv", "sharing.csv", "answers_of_several.csv",
                    "zero-shot_names.jsonl", "zero-shot_content_free.jsonl", "shots.jsonl"});
  for (const std::string& setting : four) {
    expected.insert({setting + "_answers.jsonl", setting + "_samples.jsonl"});
  }
  const auto files = test::all_contents(folder / "run");
  expected.erase("answers_of_several.csv");  // written if an answer names two objects
  if (files.contains("answers_of_several.csv")) expected.insert("answers_of_several.csv");
  BOOST_TEST(names(files) == expected, boost::test_tools::per_element());
  BOOST_TEST(files.at("asked/facts.jsonl") == facts_jsonl(elements_many()));
  BOOST_TEST(files.at("asked/templates.jsonl") == templates_jsonl(elements_many()));
  BOOST_TEST(test::in_order(run.out, {"setting", "\nzero-shot ", "\n4-random ", "\n4-relation ",
                                      "\n4-template ", " tokens fed to the model (", "\nreport: "}),
             run);
  BOOST_TEST(run.out.ends_with("\nreport: " + at("run/report.html") + "\n"), run);
  const Json metadata = json("run/metadata_generate.json");
  BOOST_TEST(metadata.at("model") == "model.gguf");
  BOOST_TEST(metadata.at("dataset") == "elements");
  BOOST_TEST((metadata.at("settings") == Json(four)));
  BOOST_TEST((metadata.at("candidates").at("family") == Json{"noble gas", "metal"}));
  const std::string html = slurp(folder / "run/report.html");
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(test::between(html, "<title>", "</title>") == "model.gguf on elements");
}

// The reported accuracies match the answers in the files.
BOOST_FIXTURE_TEST_CASE(the_answers_are_measured_setting_by_setting, GenerateFiles) {
  const ConsoleRun run = generate();
  BOOST_TEST(run.code == 0, run);
  const Json metrics = json("run/metrics.json").at("settings");
  for (const std::string& setting : four) {
    const auto answers = folder / ("run/" + setting + "_answers.jsonl");
    const Marks right = marks(answers, elements_many());
    BOOST_TEST(right.size() == 13U);
    BOOST_TEST(lines_in(answers) == 51U);  // 4 × 7, 3 × 5 and 2 × 4
    const Json& way = metrics.at(setting);
    BOOST_TEST(way.at("facts") == 13);
    BOOST_TEST(way.at("prompts") == 51);
    const double value = way.at("coverage").at("average").at("value").get<double>();
    BOOST_TEST(std::abs(value - average(right)) < 1e-12);
    BOOST_TEST(value > 0.3);
    BOOST_TEST(value < 1);
    BOOST_TEST(run.says(with_decimals(value, 3) + " ["), run);
    BOOST_TEST(way.at("overconfidence").at("prompts") == 6);
    BOOST_TEST(way.at("overconfidence").at("samples_of_a_prompt") == 5);
    BOOST_TEST(lines_in(folder / ("run/" + setting + "_samples.jsonl")) == 6U);
  }
  BOOST_TEST(metrics.at("zero-shot").contains("aliases_above_labels"));
  BOOST_TEST(metrics.at("zero-shot").contains("bias"));
  BOOST_TEST(!metrics.at("4-random").contains("bias"));
  BOOST_TEST(json("run/metrics.json").at("sharing").size() == 12U);
  BOOST_TEST(json("run/metrics.json").at("forms").empty());
}

BOOST_FIXTURE_TEST_CASE(dry_run_prints_the_plan_without_querying_the_model, GenerateFiles) {
  const Words options{"--samples", "5", "--confidence-prompts", "6"};
  Words dry_options = options;
  dry_options.emplace_back("--dry-run");
  std::size_t asked = 0;
  const ConsoleRun dry = run_words(words(dry_options), [&](const ModelOptions&) {
    return counting(reader_of_prompts(), asked);
  });
  BOOST_TEST(dry.code == 0, dry);
  BOOST_TEST(asked == 0U);
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  const ConsoleRun done = generate(options);
  BOOST_TEST(done.code == 0, done);
  BOOST_TEST(done.err.starts_with(dry.out), done);
  // The plan's counts equal the row counts of the run's files.
  const auto rows = [&](const std::string& file) {
    return static_cast<std::size_t>(std::ranges::count(slurp(folder / "run" / file), '\n'));
  };
  std::size_t prompts = 0;
  for (const std::string& name : four) {
    const std::size_t all = rows(name + "_answers.jsonl"), sampled = rows(name + "_samples.jsonl");
    prompts += all + sampled;
    BOOST_TEST(sampled == 6U);
    BOOST_TEST(dry.says("planned: " + name + ": " + std::to_string(all) + " prompts, "), dry);
    BOOST_TEST(dry.says(", " + std::to_string(all) + " answers of at most 12 tokens\n"), dry);
    BOOST_TEST(dry.says("planned: " + name + " samples: 6 prompts, "), dry);
  }
  BOOST_TEST(
      dry.says(" tokens (as if each text were fed separately), 30 answers of at most 12 tokens\n"),
      dry);
  BOOST_TEST(dry.says("planned: in all: " + std::to_string(prompts) + " prompts, "), dry);
  std::size_t names = 0;
  for (const char* file : {"zero-shot_names.jsonl", "zero-shot_content_free.jsonl"}) {
    for (const Json& row : test::rows_of(folder / "run" / file)) {
      for (const char* list : {"names", "candidates"}) {
        if (!row.contains(list)) continue;
        for (const Json& one : row.at(list)) names += list[0] == 'n' ? one.size() : 1;
      }
    }
  }
  BOOST_TEST(dry.says(" prompts, " + std::to_string(names) + " statements, "), dry);
  BOOST_TEST(!dry.says("at least"), dry);  // all tokens are counted
}

BOOST_FIXTURE_TEST_CASE(run_json_records_settings_and_cost, GenerateFiles) {
  BOOST_TEST(generate({"--seed", "3", "--shot-seed", "4", "--sample-seed", "5", "--limit", "2",
                       "--settings", "zero-shot,relation", "--shots", "2", "--sample-by", "fact"})
                 .code == 0);
  const Json run = json("run/run.json");
  BOOST_TEST(run.at("status") == "complete");
  BOOST_TEST(run.at("tokens_fed") < run.at("tokens_one_by_one"));
  BOOST_TEST(run.at("command_line").at(1) == "generate");
  BOOST_TEST(run.at("dataset_path") == at("elements"));
  BOOST_TEST(run.at("wordnet") == "none");
  Names parts;
  for (const auto& [part, seconds] : run.at("seconds_by_part").items()) parts.insert(part);
  BOOST_TEST((parts == Names{"zero-shot", "zero-shot samples", "2-relation", "2-relation samples",
                             "zero-shot names", "zero-shot content-free"}));
  const Json& settings = run.at("settings");
  const Json expected{{"command", "generate"},  {"dataset", "elements"},
                      {"model", "model.gguf"},  {"precision", "exact"},
                      {"bos", "yes"},           {"settings", {"zero-shot", "2-relation"}},
                      {"names", {"zero-shot"}}, {"limit", 2},
                      {"relations", nullptr},   {"max_new_tokens", 12},
                      {"samples", 5},           {"confidence_prompts", 6},
                      {"shot_seed", 4},         {"sample_seed", 5},
                      {"lemmas", "none"},       {"samplings", 300},
                      {"sample_by", "fact"},    {"seed", 3}};
  for (const auto& [name, value] : expected.items()) BOOST_TEST(settings.at(name) == value, name);
  BOOST_TEST(settings.at("model_sha256") == hash_file(folder / "model.gguf"));
  const Json metrics = json("run/metrics.json");
  BOOST_TEST(metrics.at("bootstrap").at("seed") == 3);
  BOOST_TEST(metrics.at("samplings").at("samplings") == 300);
  BOOST_TEST(metrics.at("samplings").at("headline_by") == "fact");
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_not_empty_is_refused_before_the_model_is_made,
                        GenerateFiles) {
  folder.write("run/notes.txt", "mine");
  const ConsoleRun run = run_words(words(), never);
  BOOST_TEST(run.refused("run: is not empty; choose another folder (--out), or set --resume"), run);
  BOOST_TEST(run_words(words({"--resume"}), [](const ModelOptions&) {
               return reader_of_prompts();
             }).refused("is not a run folder (no run.json)"));
  BOOST_TEST(test::all_contents(folder / "run").size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_finished_run_is_taken_up_without_asking_the_model, GenerateFiles) {
  const Words few{"--settings", "zero-shot,relation"};
  Words again = few;
  again.push_back("--resume");
  BOOST_TEST(generate(few).code == 0);
  const auto before = comparable("run");
  BOOST_TEST(generate(few).refused("run: is not empty"));
  std::size_t asked = 0;
  const ConsoleRun run = run_words(
      words(again), [&](const ModelOptions&) { return counting(reader_of_prompts(), asked); });
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(asked == 0U);
  BOOST_TEST((comparable("run") == before));
  BOOST_TEST(json("run/run.json").at("statements_scored_now") == 0);
  BOOST_TEST(generate(again, "new").code == 0);
  BOOST_TEST((comparable("new") == before));
}

// The journal is torn within each of its lines in turn.
BOOST_FIXTURE_TEST_CASE(killed_run_resumes_to_identical_files, GenerateFiles) {
  const Words options{
      "--settings", "zero-shot,template", "--names", "all", "--shots", "2", "--limit",
      "1",          "--max-new-tokens",   "6"};
  Words again = options;
  again.push_back("--resume");
  BOOST_TEST(generate(options).code == 0);
  const auto whole = comparable("run");
  const std::string& journal = whole.at("journal.jsonl");
  std::size_t last = 1'000'000, lines = 0;
  for (std::size_t begin = 0; begin < journal.size(); begin = journal.find('\n', begin) + 1) {
    for (const auto& [name, text] : whole) std::filesystem::remove(folder / "run" / name);
    folder.write("run/journal.jsonl", journal.substr(0, begin + 7));
    folder.write("run/zero-shot_answers.jsonl.part", "half of a li");
    std::size_t asked = 0;
    const ConsoleRun run = run_words(
        words(again), [&](const ModelOptions&) { return counting(reader_of_prompts(), asked); });
    BOOST_TEST(run.code == 0, run);
    BOOST_TEST((comparable("run") == whole));
    BOOST_TEST(asked > 0U);
    BOOST_TEST(asked <= last);
    last = asked;
    ++lines;
  }
  BOOST_TEST(lines > 10U);
}

// Wherever the model fails, no unfinished file looks finished.
BOOST_FIXTURE_TEST_CASE(nothing_half_written_looks_complete, GenerateFiles) {
  const Words options{"--settings", "zero-shot,relation", "--shots", "2", "--limit", "2"};
  BOOST_TEST(generate(options, "whole").code == 0);
  const auto whole = comparable("whole");
  std::size_t all = 0;
  (void)run_words(words(options, "counted"),
                  [&](const ModelOptions&) { return counting(reader_of_prompts(), all); });
  BOOST_REQUIRE(all > 20U);
  for (std::size_t end = 0; end < all; end += all / 7) {
    const std::string run = "run" + std::to_string(end);
    BOOST_CHECK_THROW(
        run_words(words(options, run), [&](const ModelOptions&) { return killed_after(end); }),
        Killed);
    BOOST_TEST(json(run + "/run.json").at("status") == "running");
    for (const auto& [name, text] : comparable(run)) {
      if (name == "journal.jsonl" || name.ends_with(".part")) continue;
      BOOST_TEST((whole.contains(name) && whole.at(name) == text), name);
    }
    for (const char* name : {"metadata_generate.json", "metrics.json", "report.html"}) {
      BOOST_TEST(!std::filesystem::exists(folder / run / name), name);
    }
    BOOST_TEST(run_words({"report", at(run)}).refused("contains no finished generation"));
    Words again = options;
    again.push_back("--resume");
    BOOST_TEST(generate(again, run).code == 0);
    BOOST_TEST((comparable(run) == whole));
  }
}

BOOST_FIXTURE_TEST_CASE(other_settings_are_refused_by_name_when_resuming, GenerateFiles) {
  BOOST_TEST(generate({"--names", "none"}).code == 0);
  const auto before = comparable("run");
  const std::vector<std::pair<Words, std::string>> changes{
      {{"--settings", "zero-shot"}, "settings"},
      {{"--shots", "3"}, "settings"},
      {{"--form", "both"}, "settings"},
      {{"--names", "first"}, "names"},
      {{"--limit", "2"}, "limit"},
      {{"--relations", "family"}, "relations"},
      {{"--max-new-tokens", "11"}, "max_new_tokens"},
      {{"--samples", "6", "--confidence-prompts", "6"}, "samples"},
      {{"--samples", "5", "--confidence-prompts", "7"}, "confidence_prompts"},
      {{"--shot-seed", "1"}, "shot_seed"},
      {{"--sample-seed", "1"}, "sample_seed"},
      {{"--samplings", "301"}, "samplings"},
      {{"--sample-by", "fact"}, "sample_by"},
      {{"--seed", "1"}, "seed"},
      {{"--bos", "no"}, "bos"},
      {{"--precision", "fast"}, "precision"}};
  for (auto [options, name] : changes) {
    options.push_back("--resume");
    if (std::ranges::find(options, "--names") == options.end()) {
      options.insert(options.end(), {"--names", "none"});
    }
    const ConsoleRun run = generate(options);
    BOOST_TEST(run.refused("run.json: " + name +
                           ": the run was started "
                           "with"),
               name << "\n"
                    << run);
  }
  const test::LittleWordNet wordnet;
  BOOST_TEST(generate({"--names", "none", "--resume", "--wordnet", wordnet.path()})
                 .refused("run.json: lemmas: the run was started with \"none\", not \"wordnet\""));
  folder.write("elements/templates.jsonl", slurp(folder / "elements/templates.jsonl") + "\n");
  BOOST_TEST(generate({"--names", "none", "--resume"})
                 .refused("run.json: dataset_sha256: the run was started with"));
  BOOST_TEST((comparable("run") == before));
}

// All files are the same except the journal, which counts the tokens fed.
BOOST_FIXTURE_TEST_CASE(a_model_without_trees_gives_the_same_files, GenerateFiles) {
  const Words options{"--form", "both", "--names", "all", "--shots", "2", "--limit", "1"};
  const ConsoleRun tree = generate(options, "tree");
  BOOST_TEST(tree.code == 0, tree);
  const ConsoleRun plain = generate<NgramModel>(options, "plain");
  BOOST_TEST(plain.code == 0, plain);
  auto one = comparable("tree"), other = comparable("plain");
  for (auto* files : {&one, &other}) {
    files->erase("journal.jsonl");
    files->erase("report.html");  // shows whether the model lists its special tokens
  }
  BOOST_TEST(names(one) == names(other), boost::test_tools::per_element());
  for (const auto& [name, text] : one) BOOST_TEST((other[name] == text), name);
  BOOST_TEST(json("tree/run.json").at("tokens_fed") < json("plain/run.json").at("tokens_fed"));
}

BOOST_FIXTURE_TEST_CASE(both_forms_are_asked_and_compared, GenerateFiles) {
  const ConsoleRun run = generate(
      {"--form", "both", "--settings", "zero-shot,relation", "--shots", "2", "--names", "all"});
  BOOST_TEST(run.code == 0, run);
  const Words settings{"zero-shot", "2-relation", "zero-shot-question", "2-relation-question"};
  BOOST_TEST((json("run/metadata_generate.json").at("settings") == Json(settings)));
  for (const std::string& setting : settings) {
    for (const char* end :
         {"_answers.jsonl", "_samples.jsonl", "_names.jsonl", "_content_free.jsonl"}) {
      BOOST_TEST(std::filesystem::exists(folder / "run" / (setting + end)), setting << end);
    }
    BOOST_TEST(run.says("\n" + setting + " "), run);
  }
  const auto of_question = folder / "run/zero-shot-question_answers.jsonl";
  BOOST_TEST(lines_in(of_question) == 2U * 7 + 5);
  for_each_row<RecordedAnswer>(of_question, [](const RecordedAnswer& row) {
    BOOST_TEST(row.prompt.template_index >= 2U);
    BOOST_TEST(row.relation != "family");
  });
  const Json metrics = json("run/metrics.json");
  BOOST_REQUIRE(metrics.at("forms").size() == 2U);
  const Json& forms = metrics.at("forms").at(0);
  BOOST_TEST(forms.at("mask") == "zero-shot");
  BOOST_TEST(forms.at("question") == "zero-shot-question");
  BOOST_TEST(metrics.at("forms").at(1).at("question") == "2-relation-question");
  // Of the prompts in mask form, only those of question templates are compared.
  Marks of_mask;
  const MultiPromptDataset dataset = elements_many();
  for_each_row<RecordedAnswer>(
      folder / "run/zero-shot_answers.jsonl", [&](const RecordedAnswer& row) {
        const auto& templates = relation_of(dataset, row).templates;
        if (templates[row.prompt.template_index].style != TemplateStyle::question) return;
        of_mask[{row.relation, row.prompt.fact}].push_back(is_right(dataset, row));
      });
  const auto near = [](const Json& estimate, double value) {
    return std::abs(estimate.at("value").get<double>() - value) < 1e-12;
  };
  BOOST_TEST(near(forms.at("accuracy").at("mask"), average(of_mask)));
  BOOST_TEST(
      near(forms.at("accuracy").at("question"), average(marks(of_question, elements_many()))));
  // The template under which a label is likeliest must be one of the scored templates.
  const std::string favoured = metrics.at("settings")
                                   .at("zero-shot-question")
                                   .at("relations")
                                   .at("symbol")
                                   .at("bias")
                                   .at("favoured")
                                   .at("template");
  BOOST_TEST(is_question(favoured), favoured);
  for (const char* setting : {"zero-shot-question", "2-relation-question"}) {
    BOOST_TEST(run.says(std::string(setting) + ": no question template in family.\n"), run);
  }
}

BOOST_FIXTURE_TEST_CASE(the_question_form_needs_questions, GenerateFiles) {
  write_many("families", families());
  const ConsoleRun run = run_words(words({"--form", "question"}, "run", "families"), never);
  BOOST_TEST(run.refused("families: has no question template; set --form to mask"), run);
  BOOST_TEST(run_words(words({"--form", "question", "--relations", "family"}), never)
                 .refused("elements: has no question template"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  const ConsoleRun some = generate({"--form", "question", "--settings", "zero-shot"});
  BOOST_TEST(some.code == 0, some);
  BOOST_TEST((json("run/metadata_generate.json").at("settings") == Json{"zero-shot-question"}));
  BOOST_TEST(json("run/metrics.json").at("settings").at("zero-shot-question").at("facts") == 10);
}

BOOST_FIXTURE_TEST_CASE(names_are_scored_only_under_the_selected_settings, GenerateFiles) {
  const auto scored = [&](const std::string& word) {
    const ConsoleRun run = generate({"--names", word, "--limit", "1", "--shots", "1"}, word);
    BOOST_TEST(run.code == 0, run);
    Names settings;
    for (const auto& [name, text] : comparable(word)) {
      const auto end = name.find("_names.jsonl");
      if (end == std::string::npos) continue;
      settings.insert(name.substr(0, end));
      BOOST_TEST(
          std::filesystem::exists(folder / word / (name.substr(0, end) + "_content_free.jsonl")));
    }
    const Json ways = json(word + "/metrics.json").at("settings");
    for (const auto& [setting, way] : ways.items()) {
      BOOST_TEST(way.contains("bias") == settings.contains(setting));
      BOOST_TEST(way.contains("aliases_above_labels") == settings.contains(setting));
    }
    return settings;
  };
  BOOST_TEST((scored("none") == Names{}));
  BOOST_TEST((scored("first") == Names{"zero-shot"}));
  BOOST_TEST((scored("template,random") == Names{"1-random", "1-template"}));
  BOOST_TEST((scored("all") == Names{"zero-shot", "1-random", "1-relation", "1-template"}));
}

BOOST_FIXTURE_TEST_CASE(without_samples_there_is_no_confidence, GenerateFiles) {
  for (const char* option : {"--samples", "--confidence-prompts"}) {
    const std::string run = std::string("without") + option;
    BOOST_TEST(generate({option, "0", "--settings", "zero-shot"}, run).code == 0);
    BOOST_TEST(!std::filesystem::exists(folder / run / "zero-shot_samples.jsonl"));
    BOOST_TEST(
        !std::filesystem::exists(folder / run / "reliability.csv") ==
        !json(run + "/metrics.json").at("settings").at("zero-shot").contains("overconfidence"));
    BOOST_TEST(
        !json(run + "/metrics.json").at("settings").at("zero-shot").contains("overconfidence"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_limit_asks_the_first_facts_and_shows_examples_of_all, GenerateFiles) {
  std::set<std::string> heard;
  const ConsoleRun run =
      run_words(words({"--limit", "1", "--settings", "relation", "--shots", "3"}),
                [&](const ModelOptions&) { return listening(heard); });
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(lines_in(folder / "run/asked/facts.jsonl") == 3U);
  BOOST_TEST(lines_in(folder / "run/3-relation_answers.jsonl") == 4U + 3 + 2 * 2);
  BOOST_TEST(json("run/metrics.json").at("settings").at("3-relation").at("facts") == 3);
  // Labels are candidates even if their facts are not used.
  BOOST_TEST(json("run/metadata_generate.json").at("candidates").at("symbol").size() == 6U);
  Names subjects;
  for (const std::string& text : heard) {
    for (const char* subject : {"helium", "carbon", "oxygen", "sodium", "iron"}) {
      if (text.find(std::string(" ") + subject) != std::string::npos) subjects.insert(subject);
    }
  }
  BOOST_TEST(subjects.size() > 2U);
}

BOOST_FIXTURE_TEST_CASE(some_relations_are_asked_with_examples_of_all, GenerateFiles) {
  const auto shows = [&](const std::string& setting) {
    std::set<std::string> heard;
    const ConsoleRun run =
        run_words(words({"--relations", "family", "--settings", setting, "--shots", "2"}, setting),
                  [&](const ModelOptions&) { return listening(heard); });
    BOOST_TEST(run.code == 0, run);
    BOOST_TEST(!heard.empty());
    return std::ranges::any_of(heard, [](const std::string& text) {
      return text.find("symbol") != std::string::npos || text.find("cont") != std::string::npos ||
             text.find("written") != std::string::npos || text.find("part") != std::string::npos ||
             text.find("letters") != std::string::npos;
    });
  };
  BOOST_TEST(shows("random"));
  BOOST_TEST(!shows("relation"));
  BOOST_TEST((json("random/run.json").at("settings").at("relations") == Json{"family"}));
  BOOST_TEST(json("random/metrics.json").at("settings").at("2-random").at("prompts") == 8);
}

BOOST_FIXTURE_TEST_CASE(relations_that_are_not_there_are_refused, GenerateFiles) {
  BOOST_TEST(run_words(words({"--relations", "colour"}), never)
                 .refused("--relations: 'colour' is not a relation of elements"));
  BOOST_TEST(run_words(words({"--relations", "family,family"}), never).refused("listed twice"));
}

BOOST_FIXTURE_TEST_CASE(order_of_selected_relations_has_no_effect, GenerateFiles) {
  const Words more{"--samples", "5", "--confidence-prompts", "4", "--names", "all", "--relations"};
  const auto asked = [&](const std::string& relations) {
    Words options = more;
    options.push_back(relations);
    BOOST_TEST(generate(options, relations).code == 0);
    return comparable(relations);
  };
  const auto one = asked("family,symbol");
  BOOST_TEST((asked("symbol,family") == one));
  BOOST_TEST(one.at("asked/facts.jsonl").find("\"contains\"") == std::string::npos);
  BOOST_TEST(
      (json("family,symbol/run.json").at("settings").at("relations") == Json{"symbol", "family"}));
  Words again = more;
  again.insert(again.end(), {"symbol,family", "--resume"});
  BOOST_TEST(generate(again, "family,symbol").code == 0);  // the same settings
}

BOOST_FIXTURE_TEST_CASE(texts_of_special_tokens_are_refused_text_or_parsed, GenerateFiles) {
  MultiPromptDataset dataset = elements_many();
  dataset.relations[2].facts[0].objects[0].names.push_back("gas [MASK]");
  write_many("marked", dataset);
  const auto ask = [&](Words options, const std::string& run = "run") {
    return run_words(words(std::move(options), run, "marked"), [](const ModelOptions& made) {
      return test::with_special_token(reader_of_prompts(), "[MASK]", made.parse_special_tokens);
    });
  };
  const ConsoleRun refused = ask({"--settings", "zero-shot"});
  BOOST_TEST(refused.refused(at("marked/facts.jsonl") +
                             ":11: family, object: 'gas [MASK]' contains '[MASK]', the text of a "
                             "special token of this model"),
             refused);
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  // A relation that is neither queried nor used for shots is not checked.
  const Words symbol{"--relations", "symbol", "--settings", "relation", "--names", "none"};
  const ConsoleRun other = ask(symbol);
  BOOST_TEST(other.code == 0, other);
  BOOST_TEST(ask({"--relations", "symbol", "--settings", "random"}, "b").refused("'gas [MASK]'"));
  // The prompt's fixed wording causes a warning.
  BOOST_TEST(other.says(
      "the prompts' fixed wording contains '[MASK]', the text of a special token of this model, "
      "which is read as plain text.\n"));
  BOOST_TEST(ask({"--settings", "zero-shot", "--special-tokens", "parse"}, "c")
                 .says("'[MASK]', the text of a special token of this model, which is read as the "
                       "token.\n"));
  BOOST_TEST(json("c/run.json").at("settings").at("special_tokens") == "parse");
}

BOOST_FIXTURE_TEST_CASE(facts_without_a_usable_name_are_skipped_and_reported, GenerateFiles) {
  MultiPromptDataset dataset = elements_many();
  dataset.relations[0].facts[1].objects[0].names = {"?"};             // helium
  dataset.relations[0].facts[3].objects[0].names = {"...", "!"};      // oxygen
  dataset.relations[2].facts[2].objects[0].names = {"metal", "(–)"};  // gold
  write_many("odd", dataset);
  const ConsoleRun run = generate({"--settings", "zero-shot"}, "run", "odd");
  BOOST_TEST(run.code == 0, run);
  const std::string left_out =
      "2 facts left out, because no object name contains a word: symbol 'helium', symbol 'oxygen'.";
  const std::string wordless =
      "4 names without a word, which no answer can match: symbol '?', symbol '...', symbol '!', "
      "family '(–)'.";
  BOOST_TEST(run.out.starts_with(left_out + "\n" + wordless + "\n"), run);
  BOOST_TEST((json("run/metadata_generate.json").at("remarks") == Json{left_out, wordless}));
  BOOST_TEST(slurp(folder / "run/report.html").find("2 facts left out") != std::string::npos);
  BOOST_TEST(json("run/metrics.json").at("settings").at("zero-shot").at("facts") == 11);
  BOOST_TEST(lines_in(folder / "run/asked/facts.jsonl") == 11U);
  BOOST_TEST(slurp(folder / "run/zero-shot_answers.jsonl").find("helium") == std::string::npos);
  BOOST_TEST(slurp(folder / "run/left_out.csv") ==
             "relation,what,name\nsymbol,fact,helium\nsymbol,fact,oxygen\n"
             "symbol,name of an object,?\nsymbol,name of an object,...\n"
             "symbol,name of an object,!\nfamily,name of an object,(–)\n");
  const Json candidates = json("run/metadata_generate.json").at("candidates").at("symbol");
  BOOST_TEST(candidates.dump().find("\"?\"") == std::string::npos);
  for (MultiPromptRelation& relation : dataset.relations) {
    for (ManyNamedFact& fact : relation.facts) {
      for (NamedEntity& object : fact.objects) object.names = {"?"};
    }
  }
  write_many("none", dataset);
  BOOST_TEST(run_words(words({}, "other", "none"), never)
                 .refused("facts.jsonl: no fact has an answer that can be matched"));
}

BOOST_FIXTURE_TEST_CASE(single_excluded_fact_is_reported_in_the_singular, GenerateFiles) {
  MultiPromptDataset dataset = families();
  dataset.relations[0].facts[2].objects[0].names = {"?"};
  write_many("odd", dataset);
  const ConsoleRun run = generate({"--settings", "zero-shot"}, "run", "odd");
  BOOST_TEST(run.out.starts_with("1 fact left out, because no object name contains a word: family "
                                 "'gold'.\n1 name without a word, which no answer can match: "
                                 "family '?'.\n"),
             run);
}

BOOST_FIXTURE_TEST_CASE(prompts_with_fewer_examples_than_requested_are_reported, GenerateFiles) {
  const ConsoleRun run = generate({"--limit", "1"});
  BOOST_TEST(run.code == 0, run);
  // Four shots are requested; "contains" has four facts, and one of them may be the fact in
  // question.
  const std::string fewer =
      ": some prompts show fewer than 4 examples, because there are no more, in contains, "
      "family.\n";
  BOOST_TEST(run.says("4-relation" + fewer), run);
  BOOST_TEST(run.says("4-template" + fewer), run);
  BOOST_TEST(!run.says("4-random: some prompts"), run);
  BOOST_TEST(!generate({"--limit", "1", "--shots", "2"}, "few").says("some prompts show fewer"));
}

BOOST_FIXTURE_TEST_CASE(answers_without_a_word_are_wrong_and_counted, GenerateFiles) {
  const ConsoleRun run = run_words(words({"--settings", "zero-shot,relation"}),
                                   [](const ModelOptions&) { return silent(); });
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("zero-shot: 51 answers without a word (51 empty), counted as wrong.\n"), run);
  BOOST_TEST(run.says("4-relation: 51 answers without a word (51 empty), counted as wrong.\n"),
             run);
  for_each_row<RecordedAnswer>(folder / "run/zero-shot_answers.jsonl",
                               [](const RecordedAnswer& row) {
                                 BOOST_TEST(row.text == "");
                                 BOOST_TEST(row.tokens == 0U);
                                 BOOST_TEST(row.log_probability == 0);
                               });
  const Json way = json("run/metrics.json").at("settings").at("zero-shot");
  BOOST_TEST(way.at("coverage").at("average").at("value") == 0);
  BOOST_TEST(way.at("coverage").at("average").at("count") == 13);
  BOOST_TEST(way.at("answers_without_word") == 51);
  BOOST_TEST(way.at("answers_empty") == 51);
  BOOST_TEST(way.at("answers_cut") == 0);
  BOOST_TEST(way.at("one_word").at("mean_over_facts").at("value") == 0);
  // The model is certain of its empty answers, but none of them is right.
  BOOST_TEST(way.at("overconfidence").at("overconf").at("value") == 1);
  BOOST_TEST(way.at("overconfidence_by_length").at("empty") == 51);
  BOOST_TEST(test::markup_fault(slurp(folder / "run/report.html")) == "");
}

BOOST_FIXTURE_TEST_CASE(prompts_longer_than_the_context_are_refused_with_their_place,
                        GenerateFiles) {
  const auto small = [](const ModelOptions&) {
    NgramTreeModel model = reader_of_prompts();
    model.limits = {150, 256, 256};
    return model;
  };
  const ConsoleRun run = run_words(words({"--settings", "zero-shot,relation"}), small);
  BOOST_TEST(run.refused(at("elements/facts.jsonl") + ":1: symbol, template 0: the 4-relation "
                                                      "prompt about 'hydrogen' has "),
             run);
  BOOST_TEST(
      run.refused(" tokens; with 12 new ones, it exceeds the model's limit of 150; use "
                  "fewer shots"));
  BOOST_TEST(run.code == 2);
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  BOOST_TEST(run_words(words({"--settings", "zero-shot"}), small).code == 0);
}

// The names need more context than the answers do.
BOOST_FIXTURE_TEST_CASE(names_that_cannot_be_scored_are_refused_before_anything_is_asked,
                        GenerateFiles) {
  MultiPromptDataset dataset = families();
  dataset.relations[0].facts[1].objects[0].names.push_back(std::string(4000, 'x'));
  write_many("long", dataset);
  const ConsoleRun run = generate({"--settings", "zero-shot"}, "run", "long");
  BOOST_TEST(run.refused("long/facts.jsonl:2: family: the zero-shot prompt with 'xxx"), run);
  BOOST_TEST(run.refused(" tokens; the model's limit is 1024; use fewer shots, remove the fact"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  BOOST_TEST(generate({"--settings", "zero-shot", "--names", "none"}, "run", "long").code == 0);

  dataset = families();
  dataset.relations[0].facts[1].objects[0].names.push_back("gaz inerte à part");
  write_many("accents", dataset);
  const auto plain = [](const ModelOptions&) {
    HookedModel model(reader_of_prompts());
    model.on_tokens = [](std::string_view text, Tokenization& made) {
      made.spells_text = text.find("\xC3") == std::string_view::npos;
    };
    return model;
  };
  const ConsoleRun other = run_words(words({"--settings", "zero-shot"}, "other", "accents"), plain);
  BOOST_TEST(other.refused("accents/facts.jsonl:2: family: this tokenizer does not spell 'gaz "
                           "inerte à part'; fix the text, or set --names to none"),
             other);
  BOOST_TEST(!std::filesystem::exists(folder / "other"));
  BOOST_TEST(
      run_words(words({"--settings", "zero-shot", "--names", "none"}, "other", "accents"), plain)
          .code == 0);
}

BOOST_FIXTURE_TEST_CASE(a_model_without_bos_is_asked_without, GenerateFiles) {
  const auto make = [](const ModelOptions&) {
    HookedModel model(NgramTreeModel("The capital of France is Paris.", 4));
    model.without_bos = true;
    return model;
  };
  for (const char* names : {"first", "none"}) {
    const ConsoleRun run = run_words(words({"--names", names}), make);
    BOOST_TEST(run.refused("--bos: the model has no BOS token; set --bos to no, or"), run);
  }
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  const ConsoleRun run = run_words(words({"--bos", "no", "--settings", "zero-shot"}), make);
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(json("run/run.json").at("settings").at("bos") == "no");
}

BOOST_FIXTURE_TEST_CASE(a_closed_set_is_asked_too, GenerateFiles) {
  const ConsoleRun run = generate({"--settings", "zero-shot"}, "run", "closed");
  BOOST_TEST(run.code == 0, run);
  const auto answers = slurp(folder / "run/zero-shot_answers.jsonl");
  BOOST_TEST(answers.find("\"subject\":\"ferrum\"") != std::string::npos);
  BOOST_TEST(std::ranges::count(answers, '\n') == 4 * 7 + 2 * 4);
  const MultiPromptDataset asked = load_multi_prompt(folder / "run/asked");
  BOOST_REQUIRE(asked.relations.size() == 2U);
  BOOST_TEST(asked.relations[0].facts[5].subject.id == "Qiron");
  BOOST_TEST((asked.relations[0].templates[2].style == TemplateStyle::question));
  BOOST_TEST(asked.relations[0].templates[0].group.empty());
  BOOST_TEST(run.says("\nzero-shot "), run);
}

BOOST_FIXTURE_TEST_CASE(wordnet_is_looked_for_before_the_model_is_made, GenerateFiles) {
  const ConsoleRun run = run_words(words({"--wordnet", at("nowhere")}), never);
  BOOST_TEST(run.refused("nowhere/index.noun: cannot be read; install WordNet (Debian's "
                         "wordnet-base), set --wordnet to its folder, or set --wordnet to none to "
                         "compare words as they are"),
             run);
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_FIXTURE_TEST_CASE(answers_are_compared_by_lemmas, GenerateFiles) {
  const test::LittleWordNet wordnet;
  MultiPromptDataset dataset = families();
  for (std::size_t f = 0; f < 2; ++f) {
    dataset.relations[0].facts[f].objects[0].names = {"noble gases", "inert gases", "rare gases"};
  }
  write_many("plural", dataset);
  const auto accuracy = [&](const std::string& lemmas, const std::string& run) {
    BOOST_TEST(generate({"--settings", "zero-shot", "--wordnet", lemmas}, run, "plural").code == 0);
    return json(run + "/metrics.json")
        .at("settings")
        .at("zero-shot")
        .at("coverage")
        .at("average")
        .at("value")
        .get<double>();
  };
  const double plain = accuracy("none", "plain");
  BOOST_TEST(accuracy(wordnet.path(), "lemmas") > plain);
  BOOST_TEST(slurp(folder / "lemmas/zero-shot_answers.jsonl") ==
             slurp(folder / "plain/zero-shot_answers.jsonl"));
  BOOST_TEST(json("lemmas/run.json").at("settings").at("lemmas") == "wordnet");
  BOOST_TEST(json("lemmas/run.json").at("wordnet") == wordnet.path());
}

BOOST_FIXTURE_TEST_CASE(words_that_are_not_understood_are_refused, GenerateFiles) {
  BOOST_TEST(run_words({"generate"}).refused("--data: is required but missing"));
  BOOST_TEST(run_words(words({"--settings", "some"}), never).refused("--settings: 'some' is not"));
  BOOST_TEST(run_words(words({"--nonsense", "1"}), never)
                 .refused("--nonsense: unknown option; `plumb generate --help`"));
  BOOST_TEST(run_words(words({}, "run", "nowhere"), never).refused("does not exist"));
  folder.write("broken/facts.jsonl", "{}\n");
  folder.write("broken/templates.jsonl", slurp(folder / "elements/templates.jsonl"));
  BOOST_TEST(run_words(words({}, "run", "broken"), never)
                 .refused("broken/facts.jsonl:1: relation: is missing"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_AUTO_TEST_CASE(help_is_printed) {
  const ConsoleRun run = run_words({"generate", "--help"});
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.says("\nUsage: plumb generate --data DIR --model FILE --out RUN"));
}

BOOST_FIXTURE_TEST_CASE(a_model_of_lookups_alone_cannot_answer, GenerateFiles) {
  const ConsoleRun run = run_words(
      words({}), [](const ModelOptions&) { return NgramLookupModel("Neon is a gas.", 3); });
  BOOST_TEST(
      run.refused(
          "generate: generating text needs the likelihoods of all possible next tokens, but this "
          "backend looks up only given ones; use a backend that returns rows of logits"),
      run);
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_AUTO_TEST_SUITE_END()
