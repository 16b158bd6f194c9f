// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/generate.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/generate_console.hpp"
#include "support/small_kamel.hpp"

using namespace plumb::detail;
using test::ConsoleRun;
using test::HookedModel;
using test::run_words;
using test::slurp;

BOOST_AUTO_TEST_SUITE(generate_lists)

namespace {

using Words = std::vector<std::string>;

struct KamelFiles : test::JobFiles {
  KamelFiles() { test::write_kamel(folder, "KAMEL"); }
  [[nodiscard]] Words words(const Words& more = {}, const std::string& run = "run") const {
    Words all = words_of("generate", "KAMEL", run, {"--form", "kamel", "--shots", "2"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] ConsoleRun generate(const Words& more = {}, const std::string& run = "run") const {
    return run_words(words(more, run), [](const ModelOptions&) { return test::reader_of_lists(); });
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_result_is_shown_and_reported_again_to_the_same_bytes, KamelFiles) {
  const ConsoleRun run = generate();
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("Left out: dev.jsonl (relations that have one: 1)."), run);
  BOOST_TEST(run.says("mean of relations"), run);
  BOOST_TEST(run.says("0.667 ["), run);  // F1: the mean of 5/6 and 1/2
  BOOST_TEST(run.says("4 texts (answers and names)"), run);
  const auto files = comparable("run");
  const ConsoleRun again = run_words({"report", at("run")});
  BOOST_TEST(again.code == 0, again);
  BOOST_CHECK(comparable("run") == files);
  BOOST_TEST(run_words({"report", at("run"), "--samplings", "5"})
                 .refused("--samplings: has no effect on this run, whose answers are lists"));
  BOOST_TEST(run_words({"compare", at("run"), "--out", at("compared")})
                 .refused("is a run with --form kamel, whose answers are lists"));
}

BOOST_FIXTURE_TEST_CASE(run_json_has_what_decides_the_answers, KamelFiles) {
  BOOST_TEST(generate({"--max-new-tokens", "30", "--shot-seed", "4"}).code == 0);
  const Json settings = Json::parse(slurp(folder / "run/run.json")).at("settings");
  BOOST_TEST(settings.at("form") == "kamel");
  BOOST_CHECK(settings.at("settings") == Json{"2-kamel"});
  BOOST_TEST(settings.at("max_new_tokens") == 30);
  BOOST_TEST(settings.at("shot_seed") == 4);
  for (const char* none : {"samples", "names", "lemmas", "samplings", "origin"}) {
    BOOST_TEST(!settings.contains(none), none);
  }
  BOOST_TEST(generate({"--resume"}).refused("max_new_tokens: the run was started with 30, not 16"));
}

BOOST_FIXTURE_TEST_CASE(stopped_run_resumes_to_identical_files, KamelFiles) {
  BOOST_TEST(generate({}, "whole").code == 0);
  // The journal of a run that stopped after its first pack.
  const std::string journal = slurp(folder / "whole/journal.jsonl");
  folder.write("half/run.json", slurp(folder / "whole/run.json"));
  folder.write("half/journal.jsonl", journal.substr(0, journal.find('\n') + 1));
  const ConsoleRun rest = generate({"--resume"}, "half");
  BOOST_TEST(rest.code == 0, rest);
  BOOST_CHECK(comparable("half") == comparable("whole"));
}

BOOST_FIXTURE_TEST_CASE(prompts_are_listed_as_the_model_got_them, KamelFiles) {
  BOOST_TEST(generate().code == 0);
  const ConsoleRun listed = run_words({"data", "prompts", at("run"), "--fact", "Elek"});
  BOOST_TEST(listed.code == 0, listed);
  const Json prompt = Json::parse(listed.out);
  BOOST_TEST(prompt.at("part") == "2-kamel answers");
  BOOST_TEST(prompt.at("shots").size() == 2U);
  const std::string text = prompt.at("prompt");
  BOOST_TEST(text.ends_with("%\nWhat are the twin towns of Elek?"));
  folder.write("KAMEL/P36/test.jsonl", "{\"sub_label\": \"Italy\", \"obj_label\": [\"Rome\"]}\n");
  BOOST_TEST(run_words({"data", "prompts", at("run")}).refused("has changed since the run"));
}

BOOST_FIXTURE_TEST_CASE(other_datasets_are_refused, KamelFiles) {
  folder.write("many/facts.jsonl", facts_jsonl(test::elements_many()));
  folder.write("many/templates.jsonl", templates_jsonl(test::elements_many()));
  Words all = words();
  all[2] = at("many");
  BOOST_TEST(run_words(all).refused("many: is not a KAMEL folder"));
}

// Only templates of one origin are used. The option is accepted for many-prompt datasets, but
// refused for a closed set that does not mark its templates.
BOOST_FIXTURE_TEST_CASE(templates_of_one_origin_alone_are_asked, test::GenerateFiles) {
  BOOST_TEST(generate({"--origin", "generated", "--settings", "zero-shot"}).code == 0);
  const std::string asked = slurp(folder / "run/asked/templates.jsonl");
  BOOST_TEST(asked.find("\"manual\"") == std::string::npos);
  BOOST_TEST(asked.find("\"generated\"") != std::string::npos);
  BOOST_TEST(json("run/run.json").at("settings").at("origin") == "generated");
  BOOST_TEST(generate({"--origin", "manual"}, "closed run", "closed")
                 .refused("--origin: closed does not mark which of its templates are manual; set"));
}

BOOST_AUTO_TEST_SUITE_END()
