// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/probe.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/console_run.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::ConsoleFiles;
using test::ConsoleRun;
using test::contents;
using test::HookedModel;
using test::run_words;
using test::slurp;

BOOST_AUTO_TEST_SUITE(probe_command)

namespace {

/// The files that must not depend on when or how often a run was resumed.
std::map<std::string, std::string> comparable_in(const std::filesystem::path& folder) {
  return test::contents_but(folder, {"run.json", "journal.jsonl"});
}

}  // namespace

// The model was trained on France, Korea and Cairo. It knows nothing about Egypt, so Egypt's three
// options tie, and its right option, Cairo, counts as 1/3. It knows nothing about Bonn either, and
// "Nile." is one token shorter than "Rhine.". The ends of the interval for (2 + 1/3) / 3 = 7/9
// solve (7/9 − p)² = z² p (1 − p) / 3.
BOOST_FIXTURE_TEST_CASE(a_probe_leaves_a_whole_run_folder_and_shows_the_result, ConsoleFiles) {
  const ConsoleRun run = probe();
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("0.778 [0.273, 0.970]"));
  BOOST_TEST(run.says("0.667 [0.208, 0.939]"));  // first wins: Wilson's interval for 2 of 3
  BOOST_TEST(run.says("Warning: 1 of 5 answers (20.0%) are ties"));
  BOOST_TEST(run.says("\n13 statements, "));
  BOOST_TEST(run.out.ends_with("\nreport: " + at("run/report.html") + "\n"));
  BOOST_TEST(!run.says("Quantised"));
  std::set<std::string> names;
  for (const auto& [name, text] : contents(folder / "run")) names.insert(name);
  BOOST_TEST((names == std::set<std::string>{"accuracy.csv", "capital_results.jsonl",
                                             "example_prompts.jsonl", "journal.jsonl",
                                             "metadata_results.json", "metrics.csv", "metrics.json",
                                             "report.html", "river_results.jsonl", "run.json"}));
  const Json overall =
      Json::parse(slurp(folder / "run/metrics.json")).at("all_templates").at("overall");
  BOOST_TEST(overall.at("facts") == 5);
  BOOST_TEST(std::abs(overall.at("accuracy").at("value").get<double>() - (3 + 1.0 / 3) / 5) <
             1e-12);
  BOOST_TEST(overall.at("accuracy_first_wins").at("value") == 0.6);
  BOOST_TEST(overall.at("ties_for_best") == 1);
  BOOST_TEST(overall.at("answers") == 5);
}

BOOST_FIXTURE_TEST_CASE(run_json_records_settings_and_cost, ConsoleFiles) {
  BOOST_TEST(probe({"--seed", "3"}).code == 0);
  const Json run = Json::parse(slurp(folder / "run/run.json"));
  BOOST_TEST(run.at("status") == "complete");
  BOOST_TEST(run.at("statements") == 13);
  BOOST_TEST(run.at("statements_scored_now") == 13);
  BOOST_TEST(run.at("tokens_one_by_one") == 378);  // counted by hand in data_test.cpp
  BOOST_TEST(run.at("tree_nodes") == 143);
  BOOST_TEST(run.at("tokens_fed") >= 143);
  BOOST_TEST(run.at("command_line").at(1) == "probe");
  const Json& settings = run.at("settings");
  BOOST_TEST(settings.at("dataset") == "data");
  BOOST_TEST(settings.at("model") == "model.gguf");
  BOOST_TEST(settings.at("model_sha256") == hash_file(folder / "model.gguf"));
  BOOST_TEST(settings.at("seed") == 3);
  BOOST_TEST((settings.at("templates") == Json{0}));
  BOOST_TEST(settings.at("template_file").is_null());
  BOOST_TEST(settings.at("inject").is_null());
  BOOST_TEST((settings.at("relations") == Json{"capital", "river"}));
}

BOOST_FIXTURE_TEST_CASE(dry_run_prints_the_plan_without_querying_the_model, ConsoleFiles) {
  const auto never_asked = [](const ModelOptions&) {
    HookedModel model(test::small_model());
    model.on_work = [] { throw internal_error({}, "the model was asked"); };
    return model;
  };
  const ConsoleRun dry = run_words(probe_words({"--dry-run"}), never_asked);
  BOOST_TEST(dry.code == 0, dry);
  BOOST_TEST(dry.err.empty(), dry);
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  const ConsoleRun done = probe();
  BOOST_TEST(done.err.starts_with(dry.out), done);  // printed before the work starts
  const Json run = Json::parse(slurp(folder / "run/run.json"));
  // counted by hand in data_test.cpp
  BOOST_TEST(dry.out == "planned: 13 statements, 378 tokens (" + run.at("tokens_fed").dump() +
                            " fed, because equal prefixes are fed only once)\n");
  // The output folder may already contain files, and need not be specified.
  BOOST_TEST(run_words(probe_words({"--dry-run"}), never_asked).out == dry.out);
  BOOST_TEST(run_words({"probe", "--data", at("data"), "--model", at("model.gguf"), "--dry-run"},
                       never_asked)
                 .out == dry.out);
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_not_empty_is_refused_and_taken_up_with_resume,
                        ConsoleFiles) {
  BOOST_TEST(probe().code == 0);
  const auto before = comparable_in(folder / "run");
  BOOST_TEST(probe().refused("run: is not empty; choose another folder (--out), or set --resume"));
  BOOST_TEST(probe({"--resume"}).code == 0);
  BOOST_TEST((comparable_in(folder / "run") == before));
  // resuming in a missing folder starts a new run
  BOOST_TEST(probe({"--resume"}, "new").code == 0);
  BOOST_TEST((comparable_in(folder / "new") == before));
}

BOOST_FIXTURE_TEST_CASE(killed_run_resumes_to_identical_files, ConsoleFiles) {
  BOOST_TEST(probe({"--templates", "all"}).code == 0);
  const auto whole = comparable_in(folder / "run");
  for (const auto& [name, text] : whole) std::filesystem::remove(folder / "run" / name);
  const auto journal = folder / "run/journal.jsonl";
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) / 2);
  const ConsoleRun run = probe({"--templates", "all", "--resume"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST((comparable_in(folder / "run") == whole));
  const Json json = Json::parse(slurp(folder / "run/run.json"));
  BOOST_TEST(json.at("statements") == 26);
  BOOST_TEST(json.at("statements_scored_now") > 0);
  BOOST_TEST(json.at("statements_scored_now") < 26);
}

BOOST_FIXTURE_TEST_CASE(other_settings_are_refused_by_name_when_resuming, ConsoleFiles) {
  BOOST_TEST(probe().code == 0);
  const std::vector<std::pair<std::vector<std::string>, std::string>> changes{
      {{"--bos", "no"}, "bos"},       {{"--templates", "1"}, "templates"},
      {{"--limit", "2"}, "limit"},    {{"--relations", "river"}, "relations"},
      {{"--seed", "1"}, "seed"},      {{"--reduction", "mean"}, "reduction"},
      {{"--span", "answer"}, "span"}, {{"--precision", "fast"}, "precision"},
      {{"--prefix", "x "}, "prefix"}, {{"--shots", "1"}, "shots"}};
  for (auto [options, name] : changes) {
    options.push_back("--resume");
    BOOST_TEST(probe(options).refused("run.json: " + name + ": the run was started with"), name);
  }
  BOOST_TEST(probe({"--reduction", "pmi", "--overwrite"}).code == 0);
  BOOST_TEST(probe({"--reduction", "pmi", "--neutral", "x", "--resume"})
                 .refused("run.json: neutral: the run was started with"));
  folder.write("model.gguf", "another model");
  BOOST_TEST(probe({"--resume"}).refused("model_sha256: the run was started with"));
}

/// Runs `plumb probe` with a byte model that has one special token.
ConsoleRun probe_marked(const ConsoleFiles& files, const std::vector<std::string>& options,
                        const std::string& run = "run") {
  return run_words(files.probe_words(options, run), [](const ModelOptions& made) {
    return test::with_special_token(test::small_model(), "<|x|>", made.parse_special_tokens);
  });
}

BOOST_FIXTURE_TEST_CASE(texts_of_special_tokens_are_refused_text_or_parsed, ConsoleFiles) {
  const auto facts = folder / "data/river.jsonl";
  std::string lines = slurp(facts);
  lines.replace(lines.find("Bonn"), 4, "Bonn<|x|>");
  folder.write("data/river.jsonl", lines);
  const ConsoleRun refused = probe_marked(*this, {});
  BOOST_TEST(refused.refused(at("data/river.jsonl") +
                             ":2: river, subject: 'Bonn<|x|>' contains '<|x|>', the text of a "
                             "special token of this model; change it, or set --special-tokens to "
                             "text"),
             refused);
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  BOOST_TEST(probe_marked(*this, {"--relations", "capital"}, "other").code == 0);
  BOOST_TEST(probe_marked(*this, {"--special-tokens", "text"}, "text").code == 0);
  BOOST_TEST(probe_marked(*this, {"--special-tokens", "parse"}, "parse").code == 0);
  // There are two statements about Bonn, and in each, one token replaces five bytes.
  const auto fed = [&](const std::string& run) {
    return Json::parse(slurp(folder / (run + "/run.json"))).at("tokens_one_by_one").get<int>();
  };
  BOOST_TEST(fed("text") - fed("parse") == 2 * 4);
  const Json settings = Json::parse(slurp(folder / "parse/run.json")).at("settings");
  BOOST_TEST(settings.at("special_tokens") == "parse");
  BOOST_TEST(settings.at("special_tokens_known") == true);
  BOOST_TEST(probe_marked(*this, {"--special-tokens", "text", "--resume"}, "parse")
                 .refused("special_tokens: the run was started with \"parse\", not \"text\""));
}

BOOST_FIXTURE_TEST_CASE(templates_that_are_asked_are_looked_at, ConsoleFiles) {
  folder.write("t.json", R"({"capital": ["[X]: [Y]", "<|x|> [X]: [Y]"], "river": ["[X]: [Y]"]})");
  const std::vector<std::string> words{"--template-file", at("t.json")};
  BOOST_TEST(probe_marked(*this, words).code == 0);  // under template 0
  BOOST_TEST(probe_marked(*this, {"--template-file", at("t.json"), "--templates", "all"}, "all")
                 .refused("t.json:1: capital, template 1: '<|x|> [X]: [Y]' contains '<|x|>'"));
}

BOOST_FIXTURE_TEST_CASE(a_model_without_a_list_reads_text, ConsoleFiles) {
  const auto plain = [](const ModelOptions&) { return NgramModel("Cairo lies on the Nile.", 5); };
  BOOST_TEST(run_words(probe_words({"--special-tokens", "parse"}), plain)
                 .refused("--special-tokens: this model does not list its special tokens"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  BOOST_TEST(run_words(probe_words(), plain).code == 0);
  const Json settings = Json::parse(slurp(folder / "run/run.json")).at("settings");
  BOOST_TEST(settings.at("special_tokens") == "text");
  BOOST_TEST(settings.at("special_tokens_known") == false);
}

BOOST_FIXTURE_TEST_CASE(relations_and_facts_can_be_chosen, ConsoleFiles) {
  BOOST_TEST(probe({"--relations", "river,capital", "--limit", "1"}).code == 0);
  BOOST_TEST(std::ranges::count(slurp(folder / "run/capital_results.jsonl"), '\n') == 1);
  const Json metadata = Json::parse(slurp(folder / "run/metadata_results.json"));
  BOOST_TEST(metadata.begin().key() == "capital");  // the dataset's order
  BOOST_TEST(probe({"--relations", "capital,river", "--limit", "1"}, "same").code == 0);
  BOOST_TEST((comparable_in(folder / "run") == comparable_in(folder / "same")));
  BOOST_TEST(probe({"--relations", "P36"}, "b").refused("--relations: 'P36' is not a relation"));
}

BOOST_FIXTURE_TEST_CASE(values_that_make_no_sense_are_refused, ConsoleFiles) {
  BOOST_TEST(probe({"--bos", "maybe"}).refused("--bos: 'maybe' is not a valid choice; use yes"));
  BOOST_TEST(probe({"--reduction", "max"}).refused("--reduction: 'max' is not a valid choice"));
  BOOST_TEST(probe({"--span", "all"}).refused("--span: 'all' is not a valid choice"));
  BOOST_TEST(probe({"--precision", "half"}).refused("--precision: 'half' is not a valid choice"));
  BOOST_TEST(probe({"--templates", "first"})
                 .refused("--templates: 'first' is not a non-negative whole number"));
  BOOST_TEST(probe({"--templates", "0,"}).refused("--templates: '0,' has an empty item"));
  BOOST_TEST(probe({"--templates", "2"}).refused("--templates: relation capital has 2 templates"));
  BOOST_TEST(
      probe({"--limit", "few"}).refused("--limit: 'few' is not a non-negative whole number"));
  BOOST_TEST(probe({"--limit=-1"}).refused("--limit: '-1' is not a non-negative whole number"));
  BOOST_TEST(probe({"--seed", "1.5"}).refused("--seed: '1.5' is not a non-negative whole number"));
  BOOST_TEST(
      probe({"--threads", "two"}).refused("--threads: 'two' is not a non-negative whole number"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_FIXTURE_TEST_CASE(words_that_are_not_understood_are_refused, ConsoleFiles) {
  BOOST_TEST(
      run_words({"probe", "--dta", at("data")})
          .refused("--dta: unknown option; did you mean --data? `plumb probe --help` lists the "
                   "options"));
  BOOST_TEST(probe({"--resum"}).refused("--resum: unknown option"));
  BOOST_TEST(
      probe({"more"}).refused("unexpected argument 'more'; give each option before it a value"));
  BOOST_TEST(
      run_words({"probe", "--model", "m", "--out", "r"})
          .refused("--data: is required but missing; `plumb probe --help` lists the options"));
}

BOOST_FIXTURE_TEST_CASE(missing_or_empty_dataset_is_rejected, ConsoleFiles) {
  folder.write("data/metadata_relations.json", "{}");
  BOOST_TEST(probe().refused("data: the dataset is empty"));
  std::filesystem::remove_all(folder / "data");
  BOOST_TEST(probe().refused("data: does not exist"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_FIXTURE_TEST_CASE(the_model_is_made_from_the_options, ConsoleFiles) {
  ModelOptions seen;
  const auto make_model = [&](const ModelOptions& options) {
    seen = options;
    return test::small_model();
  };
  const auto words = probe_words({"--precision", "fast", "--threads", "3"});
  BOOST_TEST(run_words(words, make_model).code == 0);
  BOOST_TEST(seen.model == folder / "model.gguf");
  BOOST_TEST((seen.precision == Precision::fast));
  BOOST_TEST(seen.threads == 3);
  BOOST_TEST(run_words(probe_words({"--precision", "bf16"}, "rounded"), make_model).code == 0);
  BOOST_TEST((seen.precision == Precision::bf16));
  BOOST_TEST(run_words(probe_words({}, "default"), make_model).code == 0);
  BOOST_TEST((seen.precision == Precision::exact));
  BOOST_TEST(seen.threads >= 1);
}

BOOST_FIXTURE_TEST_CASE(a_model_need_not_be_a_file, ConsoleFiles) {
  std::filesystem::remove(folder / "model.gguf");
  BOOST_TEST(probe().code == 0);
  const Json run = Json::parse(slurp(folder / "run/run.json"));
  BOOST_TEST(run.at("settings").at("model_sha256").is_null());
}

BOOST_FIXTURE_TEST_CASE(quantised_weights_and_unseen_options_are_spoken_of, ConsoleFiles) {
  HookedModel model(NgramTreeModel("Cairo lies on the Nile.", 12));
  model.description = {"test", "Q4_1", true};
  const auto make_model = [&](const ModelOptions&) { return model; };
  const ConsoleRun run = run_words(probe_words(), make_model);
  BOOST_TEST(run.says("Quantised weights (Q4_1)"), run);
  BOOST_TEST(slurp(folder / "run/report.html").find("Quantised weights (Q4_1)") !=
             std::string::npos);
  model.on_tokens = [](std::string_view text, Tokenization& tokens) {
    if (text == "Rhine") tokens = {};
  };
  BOOST_TEST(run_words(probe_words({}, "blind"), make_model)
                 .refused("river: option 'Rhine' tokenises to nothing"));
}

BOOST_FIXTURE_TEST_CASE(templates_can_come_from_a_file, ConsoleFiles) {
  folder.write("t.json", R"({"river": {"templates": ["[X]: the [Y]."]},
                             "capital": ["[X] has [Y].", "The capital of [X] is [Y]."]})");
  const ConsoleRun run = probe({"--template-file", at("t.json"), "--templates", "all"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("\n22 statements, "));  // 3 · 2 · 3 and 2 · 1 · 2
  const Json metadata = Json::parse(slurp(folder / "run/metadata_results.json"));
  BOOST_TEST((metadata.at("river").at("templates") == Json{"[X]: the [Y]."}));
  const Json settings = Json::parse(slurp(folder / "run/run.json")).at("settings");
  BOOST_TEST(settings.at("template_file") == "t.json");
  folder.write("t.json", R"({"river": ["[X], [Y]."], "capital": ["[X] [Y]", "[Y] [X]"]})");
  BOOST_TEST(probe({"--template-file", at("t.json"), "--templates", "all", "--resume"})
                 .refused("dataset_sha256: the run was started with"));
  BOOST_TEST(probe({"--template-file", at("t.json"), "--templates", "1"}, "b")
                 .refused("--templates: relation river has 1 template"));
}

BOOST_FIXTURE_TEST_CASE(a_template_file_that_does_not_fit_is_refused, ConsoleFiles) {
  const auto with = [&](const std::string& text) {
    folder.write("t.json", text);
    return probe({"--template-file", at("t.json")});
  };
  BOOST_TEST(with(R"({"capital": ["[X] [Y]"]})").refused("t.json: river: has no templates for"));
  BOOST_TEST(with(R"({"capital": ["[X] is."]})").refused("capital: template '[X] is.' has no [Y]"));
  BOOST_TEST(with(R"({"capital": []})").refused("t.json:1: capital: has no list of templates"));
  BOOST_TEST(probe({"--template-file", at("none.json")}).refused("none.json: "));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_FIXTURE_TEST_CASE(markers_are_injected_into_the_first_template, ConsoleFiles) {
  const auto make_model = [](const ModelOptions&) {
    NgramTreeModel model = test::small_model();
    model.limits = {96, 4, 16};  // the statements need more context
    return model;
  };
  const ConsoleRun run =
      run_words(probe_words({"--inject", "numerical", "--templates", "all"}), make_model);
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("\n91 statements, "));  // (2 + 5) · (3 · 3 + 2 · 2)
  const Json metadata = Json::parse(slurp(folder / "run/metadata_results.json"));
  const Json& templates = metadata.at("capital").at("templates");
  BOOST_TEST(templates.size() == 7U);
  BOOST_TEST(templates.at(3) == "I'm 25% confident the capital of [X] is [Y].");
  const Json settings = Json::parse(slurp(folder / "run/run.json")).at("settings");
  BOOST_TEST(settings.at("inject") == "numerical");
  BOOST_TEST(settings.at("template_file").is_null());
  BOOST_TEST(
      probe({"--inject", "verbalized", "--templates", "all"}, "b")
          .refused("river: template '[X] lies on the [Y].' does not have exactly one place"));
  BOOST_TEST(probe({"--inject", "numerical"}, "b").refused("--inject: adds templates"));
  BOOST_TEST(!std::filesystem::exists(folder / "b"));
}

// A log-probability is the same, up to rounding, whether it is read from a lookup or from a row.
BOOST_FIXTURE_TEST_CASE(a_model_of_lookups_alone_is_probed_as_one_of_rows, ConsoleFiles) {
  const ConsoleRun rows = probe({"--templates", "all"}, "rows");
  BOOST_TEST(rows.code == 0, rows);
  const ConsoleRun lookups =
      run_words(probe_words({"--templates", "all"}, "lookups"), [](const ModelOptions&) {
        return NgramLookupModel(
            "The capital of France is Paris. The capital of Korea is Seoul. Cairo lies on the "
            "Nile.",
            12);
      });
  BOOST_TEST(lookups.code == 0, lookups);
  std::size_t compared = 0;
  for (const char* file : {"capital_results.jsonl", "river_results.jsonl"}) {
    const auto expected = test::rows_of(folder / "rows" / file);
    const auto found = test::rows_of(folder / "lookups" / file);
    BOOST_REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Json& scores = found[i].at("pll_scores");
      for (std::size_t s = 0; s < scores.size(); ++s, ++compared) {
        const double apart =
            scores[s].get<double>() - expected[i].at("pll_scores")[s].get<double>();
        BOOST_TEST(std::abs(apart) < 1e-4);
      }
    }
  }
  BOOST_TEST(compared > 12U);
}

// The model predicts bytes from their neighbours and was trained on the small model's texts.
BOOST_FIXTURE_TEST_CASE(a_masked_model_is_probed_by_its_rule_and_resumed, ConsoleFiles) {
  const auto make_model = [](const ModelOptions&) {
    return NeighbourModel("The capital of France is Paris. The capital of Korea is Seoul.");
  };
  const auto probe_masked = [&](const std::vector<std::string>& options, const std::string& out) {
    return run_words(probe_words(options, out), make_model);
  };
  const ConsoleRun run = probe_masked({"--pll", "original"}, "run");
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("13 statements, "));
  BOOST_TEST(run.says(" masked inputs, "));
  const Json json = Json::parse(slurp(folder / "run/run.json"));
  BOOST_TEST(json.at("settings").at("pll") == "original");
  BOOST_TEST(json.at("settings").at("bos").is_null());
  BOOST_TEST(json.at("masked_inputs_computed") <= json.at("masked_inputs"));
  // There is one masked input for each token of each statement, that is, for each byte; the number
  // 378 also includes one BOS for each of the 13 statements.
  BOOST_TEST(json.at("masked_inputs") == 378 - 13);
  const Json metadata = Json::parse(slurp(folder / "run/metadata_results.json"));
  BOOST_TEST(metadata.at("capital").at("pll_metric") == "original");
  const auto whole = comparable_in(folder / "run");
  for (const auto& [name, text] : whole) std::filesystem::remove(folder / "run" / name);
  const auto journal = folder / "run/journal.jsonl";
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) / 2);
  BOOST_TEST(probe_masked({"--pll", "original", "--resume"}, "run").code == 0);
  BOOST_TEST((comparable_in(folder / "run") == whole));
  BOOST_TEST(probe_masked({"--resume"}, "run").refused("pll"));
}

BOOST_FIXTURE_TEST_CASE(what_has_no_effect_on_a_models_kind_is_refused_before_it_is_made,
                        ConsoleFiles) {
  const auto masked = [](const ModelOptions&) -> NeighbourModel {
    throw internal_error({}, "the model was made", "");
  };
  const auto refused = [&](const std::vector<std::string>& options, const std::string& words) {
    return run_words(probe_words(options), masked).refused(words);
  };
  BOOST_TEST(refused({"--bos", "no"}, "--bos: has no effect on a masked model"));
  BOOST_TEST(refused({"--span", "continuation"}, "a masked model reads the text on both sides"));
  BOOST_TEST(probe({"--pll", "original"}).refused("--pll: has no effect on a causal model"));
  std::vector<std::string> words = probe_words();
  for (const char* job : {"many-shot", "rank"}) {
    words.front() = job;
    BOOST_TEST(
        run_words(words, masked).refused("is a masked model, but plumb " + std::string(job)));
  }
}

// The type of an AnyModel does not show whether the model is masked, so the model can only be
// rejected once it has been created.
BOOST_FIXTURE_TEST_CASE(a_masked_model_of_any_type_is_refused_when_it_is_there, ConsoleFiles) {
  const auto any = [](const ModelOptions&) {
    return AnyModel::made_by([] { return NeighbourModel("The capital of France is Paris."); });
  };
  std::vector<std::string> words = probe_words();
  words.front() = "many-shot";
  words.insert(words.end(), {"--shots", "1"});
  const ConsoleRun run = run_words(words, any);
  BOOST_TEST(run.refused("is a masked model, but plumb many-shot"), run);
  BOOST_TEST(run_words(probe_words(), any).code == 0);
}

BOOST_FIXTURE_TEST_CASE(a_run_is_overwritten_when_the_new_one_is_complete, ConsoleFiles) {
  BOOST_TEST(probe({"--limit", "1"}).code == 0);
  const auto old = contents(folder / "run");
  BOOST_TEST(probe({"--overwrite", "--resume"})
                 .refused("--overwrite: has no effect with --resume; remove one of the two"));
  const ConsoleRun broken =
      run_words(probe_words({"--overwrite"}), [](const ModelOptions&) -> HookedModel {
        HookedModel model(test::small_model());
        model.on_work = [] { throw internal_error({}, "the engine broke"); };
        return model;
      });
  BOOST_TEST(broken.code == 1);
  BOOST_TEST((contents(folder / "run") == old));
  const ConsoleRun run = probe({"--overwrite"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("report: " + at("run/report.html")));
  BOOST_TEST(probe({}, "fresh").code == 0);
  BOOST_TEST((comparable_in(folder / "run") == comparable_in(folder / "fresh")));
  BOOST_TEST(!std::filesystem::exists(folder / "run.new"));
  BOOST_TEST(!std::filesystem::exists(folder / "run.old"));
  folder.write("mine/thesis.tex", "mine");
  BOOST_TEST(probe({"--overwrite"}, "mine").refused("mine: does not contain a run of plumb"));
  BOOST_TEST(probe({"--overwrite"}, "new").code == 0);  // there is nothing to overwrite
}

BOOST_FIXTURE_TEST_CASE(a_run_is_done_again_by_its_run_json, ConsoleFiles) {
  BOOST_TEST(probe({"--limit", "2", "--templates", "all", "--bos", "no"}).code == 0);
  const auto again = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"probe", "--config", at("run/run.json")});
    return run_words(std::move(words));
  };
  BOOST_TEST(again({"--out", at("again")}).code == 0);
  BOOST_TEST((test::contents(folder / "again", "_results.jsonl") ==
              test::contents(folder / "run", "_results.jsonl")));
  const auto settings = [&](const std::string& run) {
    return read_json_object(folder / (run + "/run.json")).at("settings");
  };
  BOOST_TEST(settings("again") == settings("run"));
  BOOST_TEST(again({"--out", at("other"), "--limit", "1"}).code == 0);
  BOOST_TEST(settings("other").at("limit") == 1);
  BOOST_TEST(settings("other").at("bos") == "no");
  // A repeated run can itself be repeated, and its prompts can be listed.
  BOOST_TEST(run_words({"probe", "--config", at("again/run.json"), "--out", at("third")}).code ==
             0);
  BOOST_TEST(settings("third") == settings("run"));
  BOOST_TEST(run_words({"data", "prompts", at("again")}).out ==
             run_words({"data", "prompts", at("run")}).out);
  BOOST_TEST(again({}).refused("--out: is required but missing"));
  folder.write("model.gguf", "another model");
  BOOST_TEST(again({"--out", at("none")}).refused("model.gguf: has changed since the run of "));
  BOOST_TEST(!std::filesystem::exists(folder / "none"));
  folder.write("other.gguf", "another model");
  BOOST_TEST(again({"--out", at("mine"), "--model", at("other.gguf")}).code == 0);
}

BOOST_FIXTURE_TEST_CASE(statements_can_be_preceded_by_a_named_token, ConsoleFiles) {
  BOOST_TEST(probe_marked(*this, {"--bos", "<|x|>", "--special-tokens", "text"}).code == 0);
  const auto settings = [&](const std::string& run) {
    return read_json_object(folder / (run + "/run.json")).at("settings");
  };
  BOOST_TEST(settings("run").at("bos") == "<|x|>");
  BOOST_TEST(!settings("run").contains("warnings"));
  // Repeating the run from its run.json, resuming it and listing its prompts all give the same
  // results.
  const auto make = [](const ModelOptions& made) {
    return test::with_special_token(test::small_model(), "<|x|>", made.parse_special_tokens);
  };
  const ConsoleRun again =
      run_words({"probe", "--config", at("run/run.json"), "--out", at("again")}, make);
  BOOST_TEST(again.code == 0, again);
  BOOST_TEST(settings("again") == settings("run"));
  BOOST_TEST(probe_marked(*this, {"--bos", "<|x|>", "--special-tokens", "text", "--resume"}).code ==
             0);
  BOOST_TEST(probe_marked(*this, {"--bos", "yes", "--special-tokens", "text", "--resume"})
                 .refused("run.json: bos: the run was started with"));
  const TokenId token = make({}).special_tokens().front().id;
  const ConsoleRun listed = run_words({"data", "prompts", at("run"), "--ids"}, make);
  BOOST_TEST(listed.out.find("\"ids\":[" + std::to_string(token) + ",") != std::string::npos,
             listed);
  BOOST_TEST(
      probe_marked(*this, {"--bos", "<|y|>", "--special-tokens", "text"}, "other")
          .refused("--bos: '<|y|>' is not a token of this model, which splits it into 5 tokens; "
                   "use a token of its vocabulary; similar special tokens: <|x|>"));
}

BOOST_FIXTURE_TEST_CASE(run_without_bos_warns_about_the_first_token, ConsoleFiles) {
  const ConsoleRun run = probe({"--bos", "no", "--templates", "all"});
  const std::string warning =
      "no BOS comes before the statements, so the first token of each has no probability";
  BOOST_TEST(run.says(warning), run);
  BOOST_TEST(slurp(folder / "run/report.html").find(warning) != std::string::npos);
  const Json settings = read_json_object(folder / "run/run.json").at("settings");
  BOOST_TEST(settings.at("warnings").at(0).get<std::string>().find(warning) != std::string::npos);
  BOOST_TEST(!probe({}, "with").says(warning));
}

BOOST_FIXTURE_TEST_CASE(a_template_that_begins_with_bos_gets_no_other, ConsoleFiles) {
  folder.write("own.json", R"({"capital": ["<|x|>[X] has [Y].", "[X]<|x|> has [Y]."]})");
  folder.write("none.json", R"({"capital": ["[X] has [Y].", "[X] has [Y]."]})");
  const auto asked = [&](const std::string& templates, const char* reading,
                         const std::string& run) {
    return probe_marked(*this,
                        {"--template-file", at(templates), "--relations", "capital", "--templates",
                         "all", "--bos", "<|x|>", "--special-tokens", reading},
                        run);
  };
  const ConsoleRun parsed = asked("own.json", "parse", "parsed");
  BOOST_TEST(parsed.says("begin with BOS already; no second BOS is added to them."), parsed);
  for (const auto& [reading, run] : {std::pair{"text", "plain"}, {"parse", "without"}}) {
    const ConsoleRun other =
        asked(run == std::string("plain") ? "own.json" : "none.json", reading, run);
    BOOST_TEST(other.code == 0, other);
    BOOST_TEST(!other.says("begin with BOS already"), other);
  }
  const auto rows = [&](const std::string& run) {
    return test::rows_of(folder / (run + "/capital_results.jsonl"));
  };
  const auto own = rows("parsed"), none = rows("without"), plain = rows("plain");
  BOOST_REQUIRE(own.size() == none.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    // In the middle of a statement, the special token is a token like any other; read as plain
    // text, it is five bytes.
    const bool begins = own[i].at("template_index") == 0;
    for (std::size_t o = 0; o < own[i].at("token_counts").size(); ++o) {
      const std::size_t without = none[i].at("token_counts")[o];
      BOOST_TEST(own[i].at("token_counts")[o] == without + (begins ? 0 : 1));
      BOOST_TEST(plain[i].at("token_counts")[o] == without + 5);
    }
    if (begins) BOOST_TEST(own[i].at("pll_scores") == none[i].at("pll_scores"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
