// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/data_prompts.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "plumb/detail/run/probe_into_folder.hpp"
#include "support/generate_console.hpp"
#include "support/many_shot_console.hpp"
#include "support/rank_console.hpp"

using namespace plumb::detail;
using test::ConsoleFiles;
using test::ConsoleRun;
using test::GenerateFiles;
using test::HookedModel;
using test::ManyShotFiles;
using test::never;
using test::RankFiles;
using test::run_words;

BOOST_AUTO_TEST_SUITE(data_prompts)

namespace {

using Words = std::vector<std::string>;
using Ids = std::vector<TokenId>;
using Received = std::set<Ids>;

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> rows;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) rows.push_back(Json::parse(line));
  return rows;
}

/// Makes the model record each sequence after which a row is requested.
HookedModel recording(const NgramTreeModel& model, Received& received) {
  HookedModel made(model);
  made.on_sequence = [&received](const Ids& sequence) { received.insert(sequence); };
  return made;
}

/// Runs this command with a recording model, then lists the run's prompts with `data prompts`.
struct Listing {
  Received received;
  std::vector<Json> rows;

  Listing(const Words& words, const NgramTreeModel& model, const std::string& run,
          const Words& options = {"--ids"}) {
    const ConsoleRun made =
        run_words(words, [&](const ModelOptions&) { return recording(model, received); });
    BOOST_REQUIRE_MESSAGE(made.code == 0, made.err);
    Words list{"data", "prompts", run};
    list.insert(list.end(), options.begin(), options.end());
    const ConsoleRun printed = run_words(list, [&](const ModelOptions&) { return model; });
    BOOST_REQUIRE_MESSAGE(printed.code == 0, printed.err);
    BOOST_TEST(printed.err == "");
    rows = lines_of(printed.out);
    BOOST_REQUIRE(!rows.empty());
  }

  [[nodiscard]] std::vector<Json> part(const std::string& name) const {
    std::vector<Json> some;
    for (const Json& row : rows) {
      if (row.at("part") == name) some.push_back(row);
    }
    return some;
  }
  [[nodiscard]] std::set<std::string> parts() const {
    std::set<std::string> names;
    for (const Json& row : rows) names.insert(row.at("part").get<std::string>());
    return names;
  }
};

Ids joined(Ids ids, const Json& rest) {
  for (const Json& id : rest) ids.push_back(id.get<TokenId>());
  return ids;
}

bool begins(const Ids& whole, const Ids& beginning) {
  return beginning.size() <= whole.size() &&
         std::equal(beginning.begin(), beginning.end(), whole.begin());
}

/// The complete sequences in a row: one per candidate if the row has candidates.
std::vector<Ids> sequences_of(const Json& row) {
  const Ids prompt = row.at("ids").get<Ids>();
  if (!row.contains("candidates")) return {prompt};
  std::vector<Ids> all;
  for (const Json& one : row.at("candidates")) all.push_back(joined(prompt, one.at("ids")));
  return all;
}

/// The texts in a row: one per candidate if the row has candidates.
std::vector<std::string> texts_of(const Json& row) {
  const std::string prompt = row.at("prompt");
  if (!row.contains("candidates")) return {prompt};
  std::vector<std::string> all;
  for (const Json& one : row.at("candidates")) {
    all.push_back(prompt + one.at("text").get<std::string>());
  }
  return all;
}

/// Checks that the model received every listed prompt: in full if the prompt is continued or
/// embedded, and without its last token, which is only looked up, if it is scored. Conversely,
/// checks that each sequence that the model received is the beginning of a listed prompt or
/// continues an open-ended one.
void check_received(const Listing& listing) {
  std::set<Ids> open, scored;
  std::size_t missing = 0, unlisted = 0;
  for (const Json& row : listing.rows) {
    const bool is_open = !row.contains("candidates") && !row.contains("answer");
    for (Ids ids : sequences_of(row)) {
      (is_open ? open : scored).insert(ids);
      if (!is_open) ids.pop_back();
      missing += listing.received.contains(ids) ? 0 : 1;
    }
  }
  for (const Ids& given : listing.received) {
    const auto begun = [&](const std::set<Ids>& all) {
      const auto next = all.lower_bound(given);
      return next != all.end() && begins(*next, given);
    };
    const bool is_resumed = std::any_of(open.begin(), open.end(),
                                        [&](const Ids& prompt) { return begins(given, prompt); });
    unlisted += begun(open) || begun(scored) || is_resumed ? 0 : 1;
  }
  BOOST_TEST(missing == 0U);
  BOOST_TEST(unlisted == 0U);
}

/// Checks that a row's ids decode to its texts.
void check_texts(const Listing& listing, const NgramTreeModel& model) {
  for (const Json& row : listing.rows) {
    const std::vector<Ids> ids = sequences_of(row);
    const std::vector<std::string> texts = texts_of(row);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      std::span<const TokenId> all = ids[i];
      if (!all.empty() && all.front() == *model.bos()) all = all.subspan(1);
      if (model.detokenize(all) != texts[i]) BOOST_TEST(model.detokenize(all) == texts[i]);
    }
  }
}

/// The small model with larger limits, because markers make the statements longer.
NgramTreeModel small_model_of_long_statements() {
  NgramTreeModel model = test::small_model();
  model.limits = {200, 4, 16};
  return model;
}

}  // namespace

// Oracle: the sequences that the run's model received.
BOOST_FIXTURE_TEST_CASE(prompts_of_a_generation_are_those_that_the_model_got, GenerateFiles) {
  const NgramTreeModel model = test::reader_of_prompts();
  const Listing listing(words({"--settings", "zero-shot,random,relation,template", "--shots", "2",
                               "--form", "both", "--names", "all"}),
                        model, at("run"));
  check_received(listing);
  check_texts(listing, model);
  std::set<std::string> parts;
  for (const std::string setting : {"zero-shot", "2-random", "2-relation", "2-template"}) {
    for (const std::string form : {"", "-question"}) {
      for (const std::string part : {" answers", " samples", " names", " content_free"}) {
        parts.insert(setting + form + part);
      }
    }
  }
  BOOST_TEST(listing.parts() == parts, boost::test_tools::per_element());
}

namespace {

// Checks that a row's shots, looked up in shots.jsonl, are the shots that the prompt shows.
void check_shots_of_rows(const GenerateFiles& files, bool fresh) {
  const std::string run = fresh ? "fresh" : "run";
  const auto at = [&](const std::string& name) { return files.at(run + name); };
  const MultiPromptDataset dataset = test::elements_many();
  std::vector<std::string> options{
      "--settings", "zero-shot,random,relation,template", "--shots", "3", "--limit", "2", "--names",
      "all"};
  if (fresh) options.emplace_back("--fresh-shots");
  const Listing listing(files.words(options, run), test::reader_of_prompts(), at(""), {});
  const std::vector<RecordedShotList> lists = read_shot_lists(at("/shots.jsonl"));
  std::size_t shown = 0;
  const auto check = [&](const std::string& setting, const std::string& end, const auto& row,
                         const Json& printed) {
    BOOST_TEST(printed.at("relation") == row.relation);
    std::string context = "Predict the [MASK] in each sentence in one word.\n";
    if (setting == "zero-shot") BOOST_TEST(row.shots.places.empty());
    BOOST_TEST(row.shots.templates.size() == (fresh ? row.shots.places.size() : 0U));
    for (std::size_t i = 0; i < row.shots.places.size(); ++i) {
      const auto list = std::ranges::find_if(lists, [&](const RecordedShotList& one) {
        const auto t = printed.at("template").template get<std::size_t>();
        return one.setting == setting &&
               (one.relation == row.relation || (fresh && one.relation.empty())) &&
               one.template_index.value_or(t) == t;
      });
      BOOST_REQUIRE(list != lists.end());
      const RecordedShot& shot = list->shots.at(row.shots.places[i]);
      std::string asked =
          std::ranges::find(dataset.relations, shot.relation, &MultiPromptRelation::code)
              ->templates.at(fresh ? row.shots.templates[i] : shot.template_index.value())
              .text;
      asked.replace(asked.find("[X]"), 3, shot.subject);
      asked.replace(asked.find("[Y]"), 3, "[MASK]");
      context += "Q: " + asked + "\nA: " + shot.object + ".\n";
      BOOST_TEST(shot.subject_id == "Q" + shot.subject);
      ++shown;
    }
    const std::string prompt = printed.at("prompt");
    BOOST_TEST(prompt.substr(0, prompt.rfind("Q: ")) == context, setting << end);
    BOOST_TEST(printed.at("shots").size() == row.shots.places.size());
  };
  for (const std::string setting : {"zero-shot", "3-random", "3-relation", "3-template"}) {
    const auto compare = [&](const std::string& end, const std::string& part, auto for_each) {
      const std::vector<Json> printed = listing.part(setting + part);
      std::size_t i = 0;
      for_each(std::filesystem::path(at("/" + setting + end)), [&](const auto& row) {
        BOOST_REQUIRE(i < printed.size());
        check(setting, end, row, printed[i++]);
      });
      BOOST_TEST(i == printed.size());
    };
    compare("_answers.jsonl", " answers",
            [](const auto& file, auto visit) { for_each_row<RecordedAnswer>(file, visit); });
    compare("_samples.jsonl", " samples",
            [](const auto& file, auto visit) { for_each_row<RecordedSamples>(file, visit); });
    compare("_names.jsonl", " names",
            [](const auto& file, auto visit) { for_each_row<RecordedNames>(file, visit); });
    compare("_content_free.jsonl", " content_free",
            [](const auto& file, auto visit) { for_each_row<RecordedContentFree>(file, visit); });
  }
  BOOST_TEST(shown > 100U);
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(rows_of_a_generation_name_the_shots_of_their_prompts, GenerateFiles) {
  check_shots_of_rows(*this, false);
  check_shots_of_rows(*this, true);
}

BOOST_FIXTURE_TEST_CASE(prompts_of_a_many_shot_study_are_those_that_the_model_got, ManyShotFiles) {
  NgramTreeModel model = test::reader_of_births();
  folder.write("data/birth.jsonl", "");
  table("birth", 125, 10);
  folder.write(
      "baselines.json",
      R"({"Born": {"property": "birth", "hgp": ["{subject} was born in"], "mmp": ["({subject},"]}})");
  for (const char* join : {"ids", "text"}) {
    const std::string run = std::string("run-") + join;
    const Listing listing(
        words({"--eic", "both", "--join", join, "--train", "100", "--limit", "12", "--baselines",
               at("baselines.json"), "--generate", "3", "--injection", "20"},
              run),
        model, at(run));
    check_received(listing);
    check_texts(listing, model);
    BOOST_TEST(listing.parts() ==
                   (std::set<std::string>{"eic", "eic-isolated", "hgp", "hgp generated", "ic",
                                          "ic generated", "injection", "mmp", "mmp generated"}),
               boost::test_tools::per_element());
    for (const Json& row : listing.part("eic")) {
      BOOST_TEST(row.contains("tokenized") == (std::string(join) == "ids"));
    }
  }
}

// A row of EIC-LKE or IC-LKE records enough to reconstruct its sequences.
BOOST_FIXTURE_TEST_CASE(rows_of_a_many_shot_study_name_what_stands_before_a_question,
                        ManyShotFiles) {
  folder.write("data/birth.jsonl", "");
  table("birth", 125, 10);
  const Relation relation = test::births(125, 10);
  const Listing listing(words({"--eic", "both", "--train", "100", "--limit", "12"}),
                        test::reader_of_births(), at("run"), {});
  const Json metadata = json("run/metadata_many_shot.json").at("relations").at("birth");
  std::vector<RecordedChoice> rows;
  for_each_recorded_choice(recorded_choice_relations(at("run")).front(),
                           [&](const RecordedChoice& row) { rows.push_back(row); });
  BOOST_REQUIRE(rows.size() == listing.rows.size());
  const auto pair = [&](std::size_t instance, const std::string& separator) {
    const Fact& fact = relation.facts[instance];
    return fact.subject + " " + relation.options[fact.answer] + separator;
  };
  const auto row_of = [&](const RecordedChoice& like, std::size_t instance) {
    return *std::ranges::find_if(rows, [&](const RecordedChoice& row) {
      return row.setting.method == like.setting.method &&
             row.setting.variant == like.setting.variant && row.fact.instance == instance;
    });
  };
  std::size_t paper = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RecordedChoice& row = rows[i];
    const auto shots = metadata.at("shots")[row.setting.variant].get<std::vector<std::size_t>>();
    const bool eic = row.setting.method != "ic";
    BOOST_TEST(row.before.has_value() == eic);
    const std::string between = eic ? "," : " ";
    const std::size_t pairs = eic ? row.before->pairs : row.setting.shots;
    const std::vector<std::string> texts = texts_of(listing.rows[i]);
    BOOST_REQUIRE(texts.size() == row.choices.size());
    for (std::size_t c = 0; c < texts.size(); ++c) {
      std::string expected;
      std::size_t next = 0;
      if (eic && !row.before->order.empty()) {
        ++paper;
        const auto j = static_cast<std::size_t>(std::ranges::find(row.before->order, c) -
                                                row.before->order.begin());
        for (; next < 50; ++next) expected += pair(shots[next], between);
        for (const std::size_t asked : row.before->asked) {
          const RecordedChoice other = row_of(row, asked);
          const std::size_t place = other.before->order[j % other.before->order.size()];
          expected += other.fact.subject + " " + relation.options[other.choices[place]] + between;
          for (std::size_t p = 0; p < 5; ++p) expected += pair(shots[next++], between);
        }
        BOOST_TEST(next == pairs);
      } else {
        for (; next < pairs; ++next) expected += pair(shots[next], between);
      }
      expected += row.fact.subject + " " + relation.options[row.choices[c]];
      BOOST_TEST(texts[c] == expected);
    }
    BOOST_TEST(listing.rows[i].at("shots").size() == pairs);
  }
  BOOST_TEST(paper == 2U * 12 * 5);
}

BOOST_FIXTURE_TEST_CASE(prompts_of_a_ranking_are_those_that_the_model_got, RankFiles) {
  const NgramTreeModel model = test::reader_of_elements<NgramTreeModel>();
  const auto run = [&](const Words& options, const std::string& name) {
    return Listing(words(options, name), model, at(name));
  };
  const Listing deer = run({"--method", "deer", "--entity-prompt", "eol,b", "--head-queries",
                            "--limit", "9", "--bos", "yes"},
                           "deer");
  BOOST_TEST(
      deer.parts() == (std::set<std::string>{"deer queries", "deer entities", "deer-b entities"}),
      boost::test_tools::per_element());
  check_received(deer);
  check_texts(deer, model);
  for (const std::string method : {"likelihood", "lm-head"}) {
    const Listing listing = run({"--method", method, "--limit", "9"}, method);
    BOOST_TEST(listing.parts() == (std::set<std::string>{method, method + " candidates"}),
               boost::test_tools::per_element());
    check_texts(listing, model);
    // A search evaluates some prefixes of the candidates after each query, including prefixes of
    // the true candidate.
    const std::vector<Json> queries = listing.part(method);
    const Json candidates = listing.part(method + " candidates").at(0);
    BOOST_TEST(candidates.at("prompt") == "");
    std::set<Ids> whole, begun;
    for (const Json& query : queries) {
      const Ids prompt = query.at("ids").get<Ids>();
      BOOST_TEST(listing.received.contains(prompt));
      whole.insert(prompt);
      for (const Json& one : candidates.at("candidates")) {
        Ids all = joined(prompt, one.at("ids"));
        whole.insert(all);
        if (one.at("entity") != query.at("triple").at(2)) continue;
        all.pop_back();
        BOOST_TEST(listing.received.contains(all));
      }
    }
    for (const Ids& given : listing.received) {
      const auto next = whole.lower_bound(given);
      BOOST_TEST((next != whole.end() && begins(*next, given)));
    }
    const std::string entity = queries.front().at("triple").at(0);
    const ConsoleRun of_one = run_words({"data", "prompts", at(method), "--fact", entity},
                                        [&](const ModelOptions&) { return model; });
    for (const Json& row : lines_of(of_one.out)) BOOST_TEST(row.at("triple").at(0) == entity);
    BOOST_TEST(!of_one.out.empty());
  }
}

// Statements are scored to their end, so the model receives all tokens but the last.
BOOST_FIXTURE_TEST_CASE(prompts_of_a_probe_are_those_that_the_model_got, ConsoleFiles) {
  const NgramTreeModel model = small_model_of_long_statements();
  const Listing listing(probe_words({"--templates", "all", "--inject", "numerical"}), model,
                        at("run"));
  check_received(listing);
  check_texts(listing, model);
  const Json& first = listing.rows.front();
  BOOST_TEST(first.at("part") == "statements");
  BOOST_TEST(first.at("candidate_count") == first.at("candidates").size());
  const std::vector<std::string> texts = texts_of(first);
  const Json span = first.at("candidates")[0].at("answer")[0];
  const std::string answer = texts[0].substr(
      span[0].get<std::size_t>(), span[1].get<std::size_t>() - span[0].get<std::size_t>());
  BOOST_TEST(answer == "Paris");
}

BOOST_FIXTURE_TEST_CASE(prompts_of_a_calibration_are_those_of_its_probe, ConsoleFiles) {
  const ConsoleRun made =
      run_words({"calibrate", "--data", at("data"), "--model", at("model.gguf"), "--out", at("out"),
                 "--inject", "numerical", "--bins", "2", "--resamples", "20"},
                [](const ModelOptions&) { return small_model_of_long_statements(); });
  BOOST_REQUIRE_MESSAGE(made.code == 0, made.err);
  const ConsoleRun whole = run_words({"data", "prompts", at("out")}, never);
  BOOST_TEST(whole.code == 0, whole);
  BOOST_TEST(whole.says("I'm 25% confident "), whole);
  BOOST_TEST(run_words({"data", "prompts", at("out/probe")}, never).out == whole.out);
}

BOOST_FIXTURE_TEST_CASE(prompts_about_one_fact_are_some_of_all, GenerateFiles) {
  BOOST_REQUIRE(generate({"--settings", "zero-shot,relation", "--shots", "2"}).code == 0);
  const ConsoleRun all = run_words({"data", "prompts", at("run")}, never);
  std::string expected, place;
  for (const Json& row : lines_of(all.out)) {
    if (row.value("sub_id", "") != "Qiron") continue;
    expected += row.dump() + "\n";
    place = row.at("relation").get<std::string>() + ":" + row.at("fact").dump();
  }
  BOOST_TEST(expected.find("ferrum") != std::string::npos);
  for (const std::string& name :
       {std::string("Qiron"), std::string("iron"), std::string("ferrum"), place}) {
    BOOST_TEST(run_words({"data", "prompts", at("run"), "--fact", name}, never).out == expected);
  }
  BOOST_TEST(run_words({"data", "prompts", at("run"), "--fact", "lead"}, never)
                 .refused("--fact: no prompt of the run is about 'lead'; pass a subject's"));
}

BOOST_FIXTURE_TEST_CASE(fact_can_be_selected_by_its_index, ManyShotFiles) {
  BOOST_REQUIRE(many_shot().code == 0);
  const std::vector<Json> all = lines_of(run_words({"data", "prompts", at("run")}, never).out);
  const std::string place = "birth:" + all.front().at("instance_index").dump();
  const ConsoleRun one = run_words({"data", "prompts", at("run"), "--fact", place}, never);
  const std::vector<Json> rows = lines_of(one.out);
  BOOST_TEST(rows.size() == 4U);  // two shot counts under two seeds
  for (const Json& row : rows) BOOST_TEST(row.at("sub_id") == all.front().at("sub_id"));
}

BOOST_FIXTURE_TEST_CASE(tokens_are_of_the_runs_own_model, GenerateFiles) {
  BOOST_REQUIRE(generate({"--settings", "zero-shot"}).code == 0);
  const auto make = [](const ModelOptions&) { return test::reader_of_prompts(); };
  const Words list{"data", "prompts", at("run"), "--ids", "--fact", "gold"};
  const ConsoleRun own = run_words(list, make);
  BOOST_TEST(own.code == 0, own);
  std::filesystem::rename(at("model.gguf"), at("moved.gguf"));
  BOOST_TEST(run_words(list, never)
                 .refused(at("model.gguf") + ": the run's model is missing; pass its current path "
                                             "with --model"));
  Words moved = list;
  moved.insert(moved.end(), {"--model", at("moved.gguf")});
  BOOST_TEST(run_words(moved, make).out == own.out);
  BOOST_TEST(run_words(moved, make).err == "");
  folder.write("model.gguf", "another");
  BOOST_TEST(run_words(list, never).refused("model.gguf: has changed since the run"));
  moved.back() = at("model.gguf");
  const ConsoleRun other = run_words(moved, make);
  BOOST_TEST(other.code == 0);
  BOOST_TEST(other.err == "The tokens are from model.gguf, which is not the run's model.\n");
}

// The run folder and its page contain one prompt of each kind.
BOOST_FIXTURE_TEST_CASE(a_run_keeps_an_example_of_each_kind, GenerateFiles) {
  BOOST_REQUIRE(generate({"--settings", "zero-shot,template", "--shots", "2"}).code == 0);
  std::set<std::string> parts;
  std::string firsts;
  for (Json row : lines_of(run_words({"data", "prompts", at("run")}, never).out)) {
    if (!parts.insert(row.at("part").get<std::string>()).second) continue;
    if (row.contains("candidates") && row.at("candidates").size() > 5) {
      row["candidates"] = Json(row["candidates"].begin(), row["candidates"].begin() + 5);
    }
    firsts += row.dump() + "\n";
  }
  BOOST_TEST(parts.size() == 6U);
  BOOST_TEST(test::slurp(folder / "run/example_prompts.jsonl") == firsts);
  const std::string html = test::slurp(folder / "run/report.html");
  BOOST_TEST(html.find("What the model was asked") != std::string::npos);
  BOOST_TEST(html.find("<pre>Predict the [MASK] in each sentence in one word.\nQ: The symbol of "
                       "hydrogen is [MASK].\nA:</pre>") != std::string::npos);
}

// A run that a program created through the library has no command line, so its prompts are read
// from its rows.
BOOST_AUTO_TEST_CASE(prompts_of_a_probe_that_a_program_wrote_come_from_its_rows) {
  const test::TemporaryFolder folder;
  const std::string run = (folder / "run").string();
  Relation capital{.code = "capital",
                   .templates = {"The capital of [X] is [Y].", "[Y] is the capital of [X]."},
                   .options = {"Paris", "Seoul"}};
  capital.facts = {{.subject = "France", .answer = 0}, {.subject = "Korea", .answer = 1}};
  NgramTreeModel model("The capital of France is Paris.", 4);
  Received received;
  HookedModel hooked = recording(model, received);
  CausalScorer scorer(hooked);
  const FolderProbeOptions all{.settings = {.templates = {}}};
  (void)probe_into_folder(scorer, {"made", {capital}, {}}, run, all);
  const ConsoleRun printed = run_words({"data", "prompts", run}, never);
  BOOST_REQUIRE_MESSAGE(printed.code == 0, printed.err);
  Words texts;
  for (const Json& row : lines_of(printed.out)) {
    for (std::string& text : texts_of(row)) texts.push_back(std::move(text));
  }
  BOOST_TEST(texts == (Words{"The capital of France is Paris.", "The capital of France is Seoul.",
                             "Paris is the capital of France.", "Seoul is the capital of France.",
                             "The capital of Korea is Paris.", "The capital of Korea is Seoul.",
                             "Paris is the capital of Korea.", "Seoul is the capital of Korea."}),
             boost::test_tools::per_element());
  BOOST_TEST(lines_of(run_words({"data", "prompts", run, "--fact", "Korea"}, never).out).size() ==
             2U);

  struct Louder {
    [[nodiscard]] static Prompt build(const Relation& relation, const Fact& fact, std::size_t t,
                                      std::size_t option) {
      Prompt prompt = Statement{}.build(relation, fact, t, option);
      prompt.text += "!";
      return prompt;
    }
  };
  const std::string loud = (folder / "loud").string();
  (void)probe_into_folder(Louder{}, scorer, {"made", {capital}, {}}, loud, all);
  BOOST_TEST(run_words({"data", "prompts", loud}, never)
                 .refused("was written by a program whose prompts are not plumb's own statements"));
}

BOOST_AUTO_TEST_CASE(help_shows_the_usage) {
  const ConsoleRun run = run_words({"data", "prompts", "--help"});
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.says("\nUsage: plumb data prompts RUN [--fact ID] [--ids]"));
  BOOST_TEST(run_words({"data", "--help"}).says("plumb data prompts RUN"));
}

BOOST_AUTO_TEST_SUITE_END()
