// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/rank.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/decay_embedder.hpp"
#include "support/hooked_model.hpp"
#include "support/markup.hpp"
#include "support/plain_embedder.hpp"
#include "support/rank_console.hpp"

using namespace plumb::detail;
using test::ConsoleRun;
using test::counting;
using test::elements;
using test::names_in;
using test::PlainEmbedder;
using test::RankFiles;
using test::reader_of_elements;
using test::run_words;
using test::slurp;

BOOST_AUTO_TEST_SUITE(rank_command)

namespace {

using Words = std::vector<std::string>;
using Names = std::set<std::string>;

const Names always{"figures",     "example_prompts.jsonl", "journal.jsonl", "metadata_rank.json",
                   "metrics.csv", "metrics.json",          "ranks.csv",     "report.html",
                   "run.json"};

Names with(Names all, const Names& more) {
  all.insert(more.begin(), more.end());
  return all;
}

const Names of_deer{"deer_ranks.jsonl", "entities.npy", "entities.txt", "queries.npy",
                    "queries.txt"};
const Words all_methods{"--method", "deer,likelihood,lm-head"};

/// The number of test triples whose tail has a one-letter name.
std::size_t one_letter() {
  const KnowledgeGraph graph = elements();
  return static_cast<std::size_t>(std::ranges::count_if(graph.test, [&](const Triple& triple) {
    return graph.entities[triple.tail].name.size() == 1;
  }));
}

double mean_reciprocal_rank(const std::filesystem::path& ranks) {
  double sum = 0;
  const std::vector<EntityRank> all = read_entity_ranks(ranks);
  for (const EntityRank& rank : all) {
    sum += 1 / (1 + static_cast<double>(rank.raw.above) + static_cast<double>(rank.raw.equal) / 2);
  }
  return sum / static_cast<double>(all.size());
}

/// Writes vectors in the form that another program would use: NAME.npy and NAME.txt.
void write_vectors(const RankFiles& files, const std::string& name, const Words& ids,
                   const EmbeddingMatrix& rows) {
  NpyWriter writer(files.folder / (name + ".npy"), ids.size(),
                   static_cast<std::size_t>(rows.cols()));
  std::string lines;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto row = rows.row(static_cast<Eigen::Index>(i));
    writer.put(i, {row.data(), static_cast<std::size_t>(rows.cols())});
    lines += ids[i] + "\n";
  }
  writer.finish();
  files.folder.write(name + ".txt", lines);
}

/// DEER's entity vectors in reverse order.
struct OtherVectors : RankFiles {
  OtherVectors() {
    const KnowledgeGraph graph = elements();
    Words texts;
    for (auto entity = graph.entities.rbegin(); entity != graph.entities.rend(); ++entity) {
      ids.push_back(entity->id);
      texts.push_back(entity_text(EntityPrompt::eol, *entity));
    }
    rows = DecayEmbedder().embed(texts, false);
  }

  [[nodiscard]] ConsoleRun rank_by(const std::string& name, const std::string& run) const {
    return rank({"--entities", at(name + ".npy")}, run);
  }

  Words ids;
  EmbeddingMatrix rows;
};

/// Truncates a finished run within each line of its journal in turn and resumes it. `vectors` lists
/// the files that are written first, in order.
void take_up_everywhere(const RankFiles& files, const Words& options, const Words& vectors,
                        const std::string& data = "elements") {
  Words again = options;
  again.push_back("--resume");
  BOOST_TEST(files.rank(options, "run", data).code == 0);
  const auto whole = files.comparable("run");
  const std::string& journal = whole.at("journal.jsonl");
  // The number of vector files that are written before this file or before this part of the job.
  const auto place = [&](const std::string& name) {
    for (std::size_t v = 0; v < vectors.size(); ++v) {
      if (name == vectors[v] || name.starts_with(vectors[v] + " ") || name == vectors[v] + ".npy" ||
          name == vectors[v] + ".txt") {
        return v;
      }
    }
    return vectors.size();
  };
  std::size_t last = 1000000;
  for (std::size_t begin = 0; begin < journal.size(); begin = journal.find('\n', begin) + 1) {
    const std::string part = Json::parse(journal.substr(begin, journal.find('\n', begin) - begin))
                                 .at("part")
                                 .get<std::string>();
    // Restores the folder to its state while this part was running.
    for (const auto& [name, text] : whole) {
      if (place(name) >= place(part)) std::filesystem::remove(files.folder / "run" / name);
      if (place(name) == place(part) && name.ends_with(".npy")) {
        files.folder.write("run/" + name + ".part", text);
      }
    }
    files.folder.write("run/journal.jsonl", journal.substr(0, begin + 7));  // torn within its line
    std::size_t asked = 0;
    const ConsoleRun run = run_words(files.words(again, "run", data), [&](const ModelOptions&) {
      return counting(reader_of_elements(), asked);
    });
    BOOST_TEST(run.code == 0, run);
    BOOST_TEST((files.comparable("run") == whole), part);
    BOOST_TEST(asked > 0U);
    BOOST_TEST(asked <= last);
    last = asked;
  }
}

std::size_t lines_in(const std::filesystem::path& file) {
  return static_cast<std::size_t>(std::ranges::count(slurp(file), '\n'));
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_ranking_leaves_a_whole_run_folder_and_shows_the_result, RankFiles) {
  const ConsoleRun run = rank();
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("\ndeer "), run);
  BOOST_TEST(run.says("\ndeer, filtered "), run);
  BOOST_TEST(run.out.ends_with("\nreport: " + at("run/report.html") + "\n"), run);
  BOOST_TEST((names_in(folder / "run") == with(always, of_deer)));
  const Json metadata = json("run/metadata_rank.json");
  BOOST_TEST(metadata.at("model") == "model.gguf");
  BOOST_TEST(metadata.at("dataset") == "elements");
  BOOST_TEST((metadata.at("methods") == Json{"deer"}));
  BOOST_TEST(metadata.at("remarks").empty());
  const Json metrics = json("run/metrics.json").at("methods").at("deer").at("raw").at("realistic");
  BOOST_TEST(metrics.at("queries") == elements().test.size());
  const double mean = mean_reciprocal_rank(folder / "run/deer_ranks.jsonl");
  BOOST_TEST(std::abs(metrics.at("mean_reciprocal_rank").at("value").get<double>() - mean) < 1e-12);
  const std::string html = slurp(folder / "run/report.html");
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(test::between(html, "<title>", "</title>") == "model.gguf on elements");
}

BOOST_FIXTURE_TEST_CASE(methods_stand_side_by_side, RankFiles) {
  const ConsoleRun run = rank(all_methods);
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST((names_in(folder / "run") ==
              with(with(always, of_deer), {"deer-single-token_ranks.jsonl",
                                           "likelihood_ranks.jsonl", "lm-head_ranks.jsonl"})));
  const Json metadata = json("run/metadata_rank.json");
  BOOST_TEST(
      (metadata.at("methods") == Json{"deer", "deer-single-token", "likelihood", "lm-head"}));
  const std::size_t kept = one_letter();
  const std::string remark = "lm-head: 10 candidates have a one-token name; " +
                             std::to_string(elements().test.size() - kept) +
                             " queries left out, because the true entity's name is longer.";
  BOOST_TEST((metadata.at("remarks") == Json{remark}));
  BOOST_TEST(run.out.starts_with(remark), run);
  BOOST_TEST(test::in_order(
      run.out,
      {"\ndeer ", "\ndeer-single-token ", "\nlikelihood ", "\nlm-head ", "\ndeer and likelihood ",
       "\ndeer-single-token and lm-head ", "\nlikelihood: the search over names evaluates ",
       " tree nodes per query\n", " tokens fed to the model ("}));
  const std::string fed = " tree nodes per query\n";
  BOOST_TEST(run.out.find(fed) == run.out.rfind(fed), run);  // one-token names do not need a tree
  for (const char* method : {"deer", "likelihood"}) {
    const auto lines = read_entity_ranks(folder / ("run/" + std::string(method) + "_ranks.jsonl"));
    BOOST_TEST(lines.size() == elements().test.size());
    for (const EntityRank& rank : lines) BOOST_TEST(rank.candidates == elements().entities.size());
  }
  for (const char* method : {"deer-single-token", "lm-head"}) {
    const auto lines = read_entity_ranks(folder / ("run/" + std::string(method) + "_ranks.jsonl"));
    BOOST_TEST(lines.size() == kept);
    for (const EntityRank& rank : lines) BOOST_TEST(rank.candidates == 10U);
  }
}

BOOST_FIXTURE_TEST_CASE(ranks_of_a_method_do_not_depend_on_the_other_methods, RankFiles) {
  BOOST_TEST(rank(all_methods, "together").code == 0);
  for (const std::string method : {"deer", "likelihood", "lm-head"}) {
    BOOST_TEST(rank({"--method", method}, method).code == 0);
    const std::string name = method + "_ranks.jsonl";
    BOOST_TEST(slurp(folder / (method + "/" + name)) == slurp(folder / ("together/" + name)));
  }
  BOOST_TEST((names_in(folder / "likelihood") == with(always, {"likelihood_ranks.jsonl"})));
}

BOOST_FIXTURE_TEST_CASE(deer_among_single_tokens_is_not_ranked_twice, RankFiles) {
  const ConsoleRun run = rank({"--method", "deer,lm-head", "--candidates", "single-token"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST((json("run/metadata_rank.json").at("methods") == Json{"deer", "lm-head"}));
  BOOST_TEST(run.says("\ndeer and lm-head "), run);
  BOOST_TEST(rank({"--method", "deer,lm-head"}, "all").code == 0);
  BOOST_TEST(slurp(folder / "run/deer_ranks.jsonl") ==
             slurp(folder / "all/deer-single-token_ranks.jsonl"));
}

// A query whose answer is not among the candidates is never dropped silently.
BOOST_FIXTURE_TEST_CASE(queries_left_out_are_spoken_of_by_every_method, RankFiles) {
  const ConsoleRun run = rank({"--candidates", "single-token"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says(std::to_string(elements().test.size() - one_letter()) + " queries"), run);
}

BOOST_FIXTURE_TEST_CASE(a_part_of_the_graph_is_asked, RankFiles) {
  const auto queries = [&](const Words& options, const std::string& run) {
    const ConsoleRun done = rank(options, run);
    BOOST_TEST(done.code == 0, done);
    return read_entity_ranks(folder / (run + "/deer_ranks.jsonl"));
  };
  BOOST_TEST(queries({"--split", "all"}, "a").size() == 143U);
  BOOST_TEST(queries({"--split", "valid", "--limit", "3"}, "b").back().part == "valid");
  BOOST_TEST(queries({"--sample", "5"}, "c").size() == 5U);
  const auto of_in = queries({"--relations", "in"}, "d");
  BOOST_TEST(of_in.size() == 9U);
  for (const EntityRank& rank : of_in) BOOST_TEST(rank.relation == "in");
  const auto heads = queries({"--limit", "2", "--head-queries"}, "e");
  BOOST_REQUIRE(heads.size() == 4U);
  BOOST_TEST((!heads[0].asks_head && heads[1].asks_head));
  BOOST_TEST(queries({"--limit", "2", "--candidates", "of-queries"}, "f")[0].candidates == 4U);
  const auto drawn = queries({"--sample", "5", "--sample-seed", "1"}, "g");
  BOOST_TEST(slurp(folder / "g/ranks.csv") != slurp(folder / "c/ranks.csv"));
}

BOOST_FIXTURE_TEST_CASE(run_json_records_settings_and_cost, RankFiles) {
  Words options = all_methods;
  for (const char* word : {"--seed", "3", "--shot-seed", "4", "--head-queries", "--limit", "5"}) {
    options.push_back(word);
  }
  BOOST_TEST(rank(options).code == 0);
  const Json run = json("run/run.json");
  BOOST_TEST(run.at("status") == "complete");
  BOOST_TEST(run.at("tokens_fed") < run.at("tokens_one_by_one"));
  BOOST_TEST(run.at("command_line").at(1) == "rank");
  BOOST_TEST(run.at("dataset_path") == at("elements"));
  const Json& searches = run.at("searches");
  BOOST_TEST(searches.size() == 3U);  // no head has a one-letter name for the LM head
  for (const char* part : {"likelihood", "likelihood heads"}) {
    BOOST_TEST(searches.at(part).at("queries") == 5);
    BOOST_TEST(searches.at(part).at("nodes_fed") > 0);
    BOOST_TEST(searches.at(part).at("nodes_looked_at") > 0);
    BOOST_TEST(searches.at(part).contains("nearer_than_1e-4"));
  }
  const Json& settings = run.at("settings");
  const Json expected{{"command", "rank"},
                      {"dataset", "elements"},
                      {"model", "model.gguf"},
                      {"precision", "exact"},
                      {"methods", {"deer", "likelihood", "lm-head"}},
                      {"split", "test"},
                      {"candidates", "all"},
                      {"relations", nullptr},
                      {"sample", 0},
                      {"sample_seed", 0},
                      {"limit", 5},
                      {"shots", 2},
                      {"shot_seed", 4},
                      {"query_form", "reference"},
                      {"entity_prompts", {"eol"}},
                      {"entities_sha256", nullptr},
                      {"head_queries", true},
                      {"hits", 0},
                      {"reduction", "sum"},
                      {"budget", 0},
                      {"bos", "no"},
                      {"seed", 3}};
  for (const auto& [name, value] : expected.items()) BOOST_TEST(settings.at(name) == value, name);
  BOOST_TEST(settings.at("model_sha256") == hash_file(folder / "model.gguf"));
  BOOST_TEST(json("run/metrics.json").at("bootstrap").at("seed") == 3);
}

BOOST_FIXTURE_TEST_CASE(bos_is_added_only_if_requested, RankFiles) {
  const auto score = [&](const std::string& method, Words options, const std::string& run) {
    options.insert(options.end(), {"--method", method, "--limit", "1"});
    BOOST_TEST(rank(options, run).code == 0);
    return read_entity_ranks(folder / (run + "/" + method + "_ranks.jsonl")).front().score;
  };
  // These models ignore a distant BOS, so BOS matters only without shots.
  const Words none{"--shots", "0"}, yes{"--shots", "0", "--bos", "yes"},
      no{"--shots", "0", "--bos", "no"};
  BOOST_TEST(rank({"--shots", "0", "--limit", "1"}, "a").code == 0);
  BOOST_TEST(rank({"--shots", "0", "--limit", "1", "--bos", "no"}, "b").code == 0);
  BOOST_TEST(rank({"--shots", "0", "--limit", "1", "--bos", "yes"}, "c").code == 0);
  BOOST_TEST(slurp(folder / "a/queries.npy") == slurp(folder / "b/queries.npy"));
  BOOST_TEST(slurp(folder / "a/queries.npy") != slurp(folder / "c/queries.npy"));
  BOOST_TEST(slurp(folder / "a/entities.npy") != slurp(folder / "c/entities.npy"));
  // This engine does not report whether its tokenizer adds BOS, so no BOS is added by default.
  BOOST_TEST(score("likelihood", none, "d") == score("likelihood", no, "e"));
  const auto tokens = [&](const std::string& run) {
    return json(run + "/run.json").at("tokens_one_by_one").get<std::size_t>();
  };
  (void)score("likelihood", yes, "f");
  BOOST_TEST(tokens("d") == tokens("e"));
  BOOST_TEST(tokens("f") == tokens("d") + elements().entities.size());
}

// By default every method adds BOS as the tokenizer's configuration specifies.
BOOST_FIXTURE_TEST_CASE(bos_is_what_the_tokenizer_does, RankFiles) {
  for (const bool adds : {true, false}) {
    const auto make = [&](const ModelOptions&) {
      test::HookedModel model(reader_of_elements());
      model.own_bos = adds;
      return model;
    };
    const auto record = [&](const std::string& run, const Words& more) {
      Words options{"--method", "deer,likelihood,lm-head", "--limit", "3", "--shots", "0"};
      options.insert(options.end(), more.begin(), more.end());
      const ConsoleRun done = run_words(words(options, run), make);
      BOOST_TEST(done.code == 0, done);
      return json(run + "/run.json");
    };
    const std::string name = adds ? "adds" : "adds none";
    const Json own = record(name, {});
    const Json said = record(name + " said", {"--bos", adds ? "yes" : "no"});
    BOOST_TEST(own.at("settings").at("bos") == (adds ? "yes" : "no"));
    BOOST_TEST(own.at("bos_by") == "tokenizer");
    BOOST_TEST(said.at("bos_by") == "option");
    for (const char* file : {"/queries.npy", "/entities.npy", "/likelihood_ranks.jsonl",
                             "/lm-head_ranks.jsonl", "/deer_ranks.jsonl"}) {
      BOOST_TEST((slurp(folder / (name + file)) == slurp(folder / (name + " said" + file))), file);
    }
    BOOST_TEST((own.at("settings") == said.at("settings")));  // either run can resume the other
    const std::string setting =
        std::string("<td>bos</td><td><bdi>") + (adds ? "yes" : "no") + "</bdi>";
    BOOST_TEST(slurp(folder / (name + "/report.html")).find(setting) != std::string::npos);
  }
  BOOST_TEST(slurp(folder / "adds/queries.npy") != slurp(folder / "adds none/queries.npy"));
  BOOST_TEST(slurp(folder / "adds/entities.npy") != slurp(folder / "adds none/entities.npy"));
}

BOOST_FIXTURE_TEST_CASE(a_bos_that_is_asked_for_must_be_there, RankFiles) {
  const auto make = [](const ModelOptions&) {
    test::HookedModel model(reader_of_elements());
    model.without_bos = true;
    return model;
  };
  for (const char* method : {"deer", "likelihood", "deer,likelihood"}) {
    const ConsoleRun run = run_words(words({"--method", method, "--bos", "yes"}), make);
    BOOST_TEST(run.refused("--bos: the model has no BOS token; set --bos to no"), run);
    BOOST_TEST(!std::filesystem::exists(folder / "run"));
  }
  BOOST_TEST(run_words(words({"--method", "likelihood", "--limit", "1"}), make).code == 0);
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_not_empty_is_refused_and_taken_up_with_resume, RankFiles) {
  BOOST_TEST(rank(all_methods).code == 0);
  const auto before = comparable("run");
  BOOST_TEST(rank(all_methods)
                 .refused("run: is not empty; choose another folder (--out), or set --resume"));
  Words again = all_methods;
  again.push_back("--resume");
  std::size_t asked = 0;
  const ConsoleRun run = run_words(
      words(again), [&](const ModelOptions&) { return counting(reader_of_elements(), asked); });
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(asked == 0U);
  BOOST_TEST((comparable("run") == before));
  BOOST_TEST(rank(again, "new").code == 0);
  BOOST_TEST((comparable("new") == before));
}

// The vectors, the ranks, the journal and all reports are byte-for-byte identical.
BOOST_FIXTURE_TEST_CASE(killed_run_resumes_to_identical_files, RankFiles) {
  Words options = all_methods;
  options.push_back("--head-queries");
  take_up_everywhere(*this, options, {"queries", "entities"});
  BOOST_TEST(lines_in(folder / "run/journal.jsonl") > 8U);
}

BOOST_FIXTURE_TEST_CASE(run_with_several_entity_prompts_resumes_between_them, RankFiles) {
  take_up_everywhere(*this, {"--entity-prompt", "c,eol", "--limit", "9"},
                     {"queries", "entities-c", "entities"});
  BOOST_TEST(lines_in(folder / "run/journal.jsonl") > 4U);
}

// Each relation is one part of a search.
BOOST_FIXTURE_TEST_CASE(run_by_relation_resumes_between_relations, RankFiles) {
  Words options = all_methods;
  options.insert(options.end(), {"--candidates", "of-relation"});
  take_up_everywhere(*this, options, {"queries", "entities"}, "bear");
  const std::string journal = slurp(folder / "run/journal.jsonl");
  for (const char* part :
       {"likelihood symbol", "likelihood next", "likelihood in", "lm-head symbol"}) {
    BOOST_TEST(journal.find("\"" + std::string(part) + "\"") != std::string::npos, part);
  }
}

BOOST_FIXTURE_TEST_CASE(other_settings_are_refused_by_name_when_resuming, RankFiles) {
  Words ids;
  for (const Entity& entity : elements().entities) ids.push_back(entity.id);
  write_vectors(*this, "v", ids, EmbeddingMatrix::Ones(static_cast<Eigen::Index>(ids.size()), 257));
  const Words method{"--method", "deer,likelihood"};
  BOOST_TEST(rank(method).code == 0);
  const std::vector<std::pair<Words, std::string>> changes{
      {{"--method", "deer"}, "methods"},
      {{"--split", "valid"}, "split"},
      {{"--candidates", "of-queries"}, "candidates"},
      {{"--candidates", "of-relation"}, "candidates"},
      {{"--relations", "in"}, "relations"},
      {{"--sample", "5"}, "sample"},
      {{"--sample-seed", "5"}, "sample_seed"},
      {{"--limit", "5"}, "limit"},
      {{"--shots", "3"}, "shots"},
      {{"--shot-seed", "1"}, "shot_seed"},
      {{"--query-form", "paper"}, "query_form"},
      {{"--entity-prompt", "a"}, "entity_prompts"},
      {{"--entity-prompt", "eol,a"}, "entity_prompts"},
      {{"--entities", at("v.npy")}, "entities_sha256"},
      {{"--head-queries"}, "head_queries"},
      {{"--hits", "10"}, "hits"},
      {{"--reduction", "mean"}, "reduction"},
      {{"--budget", "9"}, "budget"},
      {{"--bos", "yes"}, "bos"},
      {{"--seed", "1"}, "seed"},
      {{"--precision", "fast"}, "precision"}};
  const auto before = comparable("run");
  for (auto [options, name] : changes) {
    if (options[0] != "--method") options.insert(options.end(), method.begin(), method.end());
    options.push_back("--resume");
    const ConsoleRun run = rank(options);
    BOOST_TEST(run.refused("run.json: " + name +
                           ": the run was started "
                           "with"),
               name << "\n"
                    << run);
  }
  folder.write("elements/test.tsv", "e1\tsymbol\ts1\n");
  Words again = method;
  again.push_back("--resume");
  BOOST_TEST(rank(again).refused("run.json: dataset_sha256: the run was started with"));
  BOOST_TEST((comparable("run") == before));
}

BOOST_FIXTURE_TEST_CASE(vectors_made_elsewhere_are_found_by_their_entities, OtherVectors) {
  BOOST_TEST(rank({}, "own").code == 0);
  write_vectors(*this, "reversed", ids, rows);
  const ConsoleRun run = rank_by("reversed", "run");
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(slurp(folder / "run/deer_ranks.jsonl") == slurp(folder / "own/deer_ranks.jsonl"));
  BOOST_TEST(!std::filesystem::exists(folder / "run/entities.npy"));
  BOOST_TEST(json("run/run.json").at("settings").at("entities_sha256") ==
             hash_files({folder / "reversed.npy", folder / "reversed.txt"}));
  // The files contain, in turn, more vectors than needed, another run's vectors, and the vectors of
  // two entities swapped.
  EmbeddingMatrix more(rows.rows() + 1, rows.cols());
  more << EmbeddingMatrix::Ones(1, rows.cols()), rows;
  Words more_ids = ids;
  more_ids.insert(more_ids.begin(), "not of the graph");
  write_vectors(*this, "more", more_ids, more);
  BOOST_TEST(rank_by("more", "with more").code == 0);
  BOOST_TEST(rank_by("own/entities", "again").code == 0);
  Words swapped = ids;
  std::swap(swapped[0], swapped[74]);  // copper's second entry and helium
  write_vectors(*this, "swapped", swapped, rows);
  BOOST_TEST(rank_by("swapped", "wrong").code == 0);
  const std::string expected = slurp(folder / "own/deer_ranks.jsonl");
  BOOST_TEST(slurp(folder / "with more/deer_ranks.jsonl") == expected);
  BOOST_TEST(slurp(folder / "again/deer_ranks.jsonl") == expected);
  BOOST_TEST(slurp(folder / "wrong/deer_ranks.jsonl") != expected);
}

BOOST_FIXTURE_TEST_CASE(vectors_made_elsewhere_serve_the_lm_heads_candidates_too, OtherVectors) {
  write_vectors(*this, "reversed", ids, rows);
  BOOST_TEST(rank({"--method", "deer,lm-head"}, "own").code == 0);
  BOOST_TEST(rank({"--method", "deer,lm-head", "--entities", at("reversed.npy")}).code == 0);
  for (const char* name : {"deer_ranks.jsonl", "deer-single-token_ranks.jsonl"}) {
    BOOST_TEST(slurp(folder / "run" / name) == slurp(folder / "own" / name), name);
  }
}

BOOST_FIXTURE_TEST_CASE(vectors_that_do_not_fit_are_refused, OtherVectors) {
  const Words but_one(ids.begin() + 1, ids.end());
  write_vectors(*this, "few", but_one, rows.bottomRows(rows.rows() - 1));
  BOOST_TEST(rank_by("few", "a")
                 .refused("few.npy: has no vector for entity 'copper'; embed it or remove it from "
                          "the graph"));
  // Only candidates need a vector.
  BOOST_TEST(
      rank({"--entities", at("few.npy"), "--candidates", "of-queries", "--limit", "3"}, "b").code ==
      0);
  write_vectors(*this, "narrow", ids, rows.leftCols(100));
  BOOST_TEST(rank_by("narrow", "c")
                 .refused("narrow.npy: has vectors of 100 dimensions, but the model has 257; embed "
                          "the entities with this model"));
  BOOST_TEST(!std::filesystem::exists(folder / "c"));
  write_vectors(*this, "bare", ids, rows);
  std::filesystem::remove(folder / "bare.txt");
  BOOST_TEST(rank_by("bare", "d").refused("bare.txt: cannot be read"));
  folder.write("bare.txt", "e1\n");
  BOOST_TEST(rank_by("bare", "e").refused("bare.txt: 1 identifiers for 77 vectors"));
  BOOST_TEST(rank_by("none", "f").refused("none.npy: "));
}

// These runs can never succeed with their settings, so they must not leave a folder.
BOOST_FIXTURE_TEST_CASE(vectors_that_are_refused_leave_no_folder, OtherVectors) {
  const Words but_one(ids.begin() + 1, ids.end());
  write_vectors(*this, "few", but_one, rows.bottomRows(rows.rows() - 1));
  BOOST_TEST(rank_by("few", "run").code == 2);
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_FIXTURE_TEST_CASE(vectors_of_others_are_another_setting, OtherVectors) {
  write_vectors(*this, "v", ids, rows);
  BOOST_TEST(rank_by("v", "run").code == 0);
  Words swapped = ids;
  std::swap(swapped[0], swapped[74]);  // copper's second entry and helium
  write_vectors(*this, "v", swapped, rows);
  BOOST_TEST(rank({"--entities", at("v.npy"), "--resume"}).refused("the run was started with"));
}

// Combining one model's vectors with another model's queries is either a mistake or an experiment.
BOOST_FIXTURE_TEST_CASE(vectors_made_with_another_model_are_spoken_of, RankFiles) {
  BOOST_TEST(rank({}, "own").code == 0);
  folder.write("other.gguf", "stands for another model");
  const auto rank_with = [&](const std::string& model, const std::string& run) {
    return run_words({"rank", "--data", at("elements"), "--model", at(model), "--out", at(run),
                      "--shots", "2", "--entities", at("own/entities.npy")},
                     [](const ModelOptions&) { return reader_of_elements(); });
  };
  const ConsoleRun other = rank_with("other.gguf", "other");
  BOOST_TEST(other.code == 0, other);
  const std::string remark =
      "deer: the entities' vectors were computed with another model, model.gguf.";
  BOOST_TEST(other.out.starts_with(remark + "\n"), other);
  BOOST_TEST((json("other/metadata_rank.json").at("remarks") == Json{remark}));
  BOOST_TEST(slurp(folder / "other/report.html").find("<p class=\"note\">") != std::string::npos);
  // The same weights under a different file name are treated as the same model.
  folder.write("copy.gguf", slurp(folder / "model.gguf"));
  for (const char* model : {"model.gguf", "copy.gguf"}) {
    const ConsoleRun same = rank_with(model, std::string("same ") + model);
    BOOST_TEST(same.code == 0, same);
    BOOST_TEST(!same.says("another model"), same);
    BOOST_TEST(json(std::string("same ") + model + "/metadata_rank.json").at("remarks").empty());
  }
}

BOOST_FIXTURE_TEST_CASE(vectors_of_which_no_model_is_known_are_not_spoken_of, OtherVectors) {
  write_vectors(*this, "v", ids, rows);
  const auto silent = [&](const std::string& run) {
    const ConsoleRun done = rank_by("v", run);
    BOOST_TEST(done.code == 0, done);
    BOOST_TEST(!done.says("another model"), done);
  };
  silent("a");  // no run.json next to them
  folder.write("run.json", "{}");
  silent("b");
  folder.write("run.json", "{\"settings\": []}");
  silent("c");
  folder.write("run.json", "{\"settings\": {\"model\": \"m\", \"model_sha256\": null}}");
  silent("d");
  folder.write("run.json", "{\"settings\": {\"model_sha256\": \"0\"}}");
  const ConsoleRun unnamed = rank_by("v", "e");
  BOOST_TEST(unnamed.says("were computed with another model, unnamed.\n"), unnamed);
  BOOST_TEST(rank({}, "f").code == 0);  // no warning if a run computes its own vectors
  BOOST_TEST(json("f/metadata_rank.json").at("remarks").empty());
}

BOOST_FIXTURE_TEST_CASE(damaged_run_json_next_to_the_vectors_is_rejected_first, OtherVectors) {
  write_vectors(*this, "v", ids, rows);
  folder.write("run.json", "{");
  const ConsoleRun run = rank_by("v", "run");
  BOOST_TEST(run.code == 2, run);
  BOOST_TEST(run.err.find("run.json") != std::string::npos, run);
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_FIXTURE_TEST_CASE(vectors_that_a_model_gave_before_are_taken_from_the_cache, RankFiles) {
  const std::string cache = at("cache");
  const auto embedded_by = [&](const std::string& run, Words options) {
    options.emplace_back("--cache-vectors");
    std::size_t asked = 0;
    const ConsoleRun done =
        run_words(words(options, run),
                  [&](const ModelOptions&) { return counting(reader_of_elements(), asked); },
                  {{"PLUMB_CACHE", cache}});
    BOOST_TEST(done.code == 0, done);
    return asked;
  };
  const std::size_t first = embedded_by("first", {});
  const std::size_t again = embedded_by("again", {});
  BOOST_TEST(again > 0U);  // the queries
  BOOST_TEST(again < first);
  const ConsoleRun dry =
      run_words(words({"--cache-vectors", "--dry-run"}, "dry"),
                [](const ModelOptions&) { return reader_of_elements(); }, {{"PLUMB_CACHE", cache}});
  BOOST_TEST(dry.code == 0, dry);
  BOOST_TEST(!dry.says("entities"), dry);
  // The results are byte-for-byte identical without a cache.
  BOOST_TEST(rank({}, "plain").code == 0);
  for (const char* file : {"entities.npy", "entities.txt", "deer_ranks.jsonl"}) {
    const std::string plain = slurp(folder / "plain" / file);
    BOOST_TEST(slurp(folder / "first" / file) == plain, file);
    BOOST_TEST(slurp(folder / "again" / file) == plain, file);
  }
  // Different settings, a different model and damaged files are detected.
  BOOST_TEST(embedded_by("with bos", {"--bos", "yes"}) >= first);
  folder.write("model.gguf", "stands for another model");
  BOOST_TEST(embedded_by("other", {}) == first);
  for (const auto& entry : std::filesystem::directory_iterator(folder / "cache/vectors")) {
    if (entry.path().extension() == ".npy") std::filesystem::resize_file(entry.path(), 100);
  }
  BOOST_TEST(embedded_by("damaged", {}) == first);
  BOOST_TEST(embedded_by("mended", {}) == again);
  BOOST_TEST(rank({"--method", "likelihood", "--cache-vectors"}, "none")
                 .refused("--cache-vectors: has no effect without --method deer"));
  BOOST_TEST(rank({"--cache-vectors"}, "none")
                 .refused("--cache-vectors: neither PLUMB_CACHE nor HOME is set"));
}

BOOST_FIXTURE_TEST_CASE(dry_run_prints_the_plan_without_embedding, RankFiles) {
  std::size_t asked = 0;
  const ConsoleRun dry = run_words(words({"--dry-run"}), [&](const ModelOptions&) {
    return counting(reader_of_elements(), asked);
  });
  BOOST_TEST(dry.code == 0, dry);
  BOOST_TEST(asked == 0U);
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  const ConsoleRun done = rank();
  BOOST_TEST(done.err.starts_with(dry.out), done);
  const std::size_t queries = lines_in(folder / "run/queries.txt"),
                    entities = lines_in(folder / "run/entities.txt");
  BOOST_TEST(dry.says("planned: queries: " + std::to_string(queries) + " texts, "), dry);
  BOOST_TEST(dry.says("planned: entities: " + std::to_string(entities) + " texts, "), dry);
  BOOST_TEST(
      dry.out.ends_with("planned: in all: " + std::to_string(queries + entities) + " texts, " +
                        json("run/run.json").at("tokens_one_by_one").dump() + " tokens\n"),
      dry);
  const ConsoleRun names = rank({"--method", "likelihood,lm-head", "--dry-run"}, "names");
  BOOST_TEST(names.says("planned: likelihood: "), names);
  BOOST_TEST(names.says("planned: lm-head: "), names);
  BOOST_TEST(!names.says("entities"), names);
}

BOOST_FIXTURE_TEST_CASE(ranking_prints_how_to_reuse_the_entity_vectors, OtherVectors) {
  const ConsoleRun first = rank({}, "first");
  const std::string file = at("first/entities.npy");
  BOOST_TEST(first.says("\nentity vectors: " + file + "; --entities " + file +
                        " skips embedding them next time\nreport: "),
             first);
  const ConsoleRun next = rank({"--entities", file}, "next");
  BOOST_TEST(next.code == 0, next);
  BOOST_TEST(!next.says("entity vectors"), next);
  BOOST_TEST(next.err.find(" entities") == std::string::npos, next);  // nothing counts them
  BOOST_TEST(slurp(folder / "next/deer_ranks.jsonl") == slurp(folder / "first/deer_ranks.jsonl"));
  BOOST_TEST(!rank({"--method", "likelihood"}, "names").says("entity vectors"));
}

BOOST_FIXTURE_TEST_CASE(several_entity_prompts_are_methods_of_one_run, RankFiles) {
  const ConsoleRun run = rank({"--entity-prompt", "eol,a,c", "--method", "deer,lm-head"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST((json("run/metadata_rank.json").at("methods") ==
              Json{"deer", "deer-single-token", "deer-a", "deer-a-single-token", "deer-c",
                   "deer-c-single-token", "lm-head"}));
  for (const char* name : {"entities.npy", "entities-a.npy", "entities-c.npy", "entities-a.txt"}) {
    BOOST_TEST(std::filesystem::exists(folder / "run" / name), name);
  }
  for (const auto& [prompt, method] :
       {std::pair{"eol", "deer"}, {"a", "deer-a"}, {"c", "deer-c"}}) {
    BOOST_TEST(rank({"--entity-prompt", prompt, "--method", "deer,lm-head"}, prompt).code == 0);
    for (const char* more : {"_ranks.jsonl", "-single-token_ranks.jsonl"}) {
      const std::string name = std::string(method) + more;
      BOOST_TEST(slurp(folder / "run" / name) == slurp(folder / prompt / name), name);
    }
  }
  BOOST_TEST(slurp(folder / "run/deer-a_ranks.jsonl") != slurp(folder / "run/deer_ranks.jsonl"));
  BOOST_TEST((json("run/run.json").at("settings").at("entity_prompts") == Json{"eol", "a", "c"}));
  // The reported difference is between the highest and the lowest MRR of the three methods.
  std::vector<double> means;
  for (const char* method : {"deer", "deer-a", "deer-c"}) {
    means.push_back(mean_reciprocal_rank(folder / ("run/" + std::string(method) + "_ranks.jsonl")));
  }
  const auto [low, high] = std::ranges::minmax(means);
  const Json differences = json("run/metrics.json").at("largest_difference_between_entity_prompts");
  BOOST_TEST(std::abs(differences.at("MRR").get<double>() - (high - low)) < 1e-12);
  BOOST_TEST(!json("eol/metrics.json").contains("largest_difference_between_entity_prompts"));
  const std::string html = slurp(folder / "run/report.html");
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(html.find("Does the wording of entities matter?") != std::string::npos);
}

// The tails of each relation, counted by hand: 36 symbols, 35 elements that follow another, 36
// elements in periods, and four periods.
BOOST_FIXTURE_TEST_CASE(relations_rank_among_their_own_tails, RankFiles) {
  Words options = all_methods;
  options.insert(options.end(), {"--candidates", "of-relation"});
  const ConsoleRun run = rank(options);
  BOOST_TEST(run.code == 0, run);
  const std::map<std::string, std::size_t> tails{
      {"symbol", 36}, {"next", 35}, {"holds", 36}, {"in", 4}};
  for (const char* method : {"deer", "likelihood"}) {
    const auto ranks = read_entity_ranks(folder / ("run/" + std::string(method) + "_ranks.jsonl"));
    BOOST_TEST(ranks.size() == elements().test.size());
    std::vector<std::string> order;
    for (const EntityRank& rank : ranks) {
      BOOST_TEST(rank.candidates == tails.at(rank.relation));
      BOOST_TEST(rank.filtered_candidates <= rank.candidates);
      if (order.empty() || order.back() != rank.relation) order.push_back(rank.relation);
    }
    BOOST_TEST((order == Words{"symbol", "next", "holds", "in"}));
  }
  for (const char* method : {"deer-single-token", "lm-head"}) {
    const auto ranks = read_entity_ranks(folder / ("run/" + std::string(method) + "_ranks.jsonl"));
    BOOST_TEST(ranks.size() == one_letter());
    for (const EntityRank& rank : ranks) {
      BOOST_TEST(rank.relation == "symbol");
      BOOST_TEST(rank.candidates == 10U);
    }
  }
  const std::string remark = "lm-head: 10 candidates have a one-token name; " +
                             std::to_string(elements().test.size() - one_letter()) +
                             " queries left out, because the true entity's name is longer.";
  BOOST_TEST((json("run/metadata_rank.json").at("remarks") == Json{remark}));
  // The searches are recorded in a single row for all relations together.
  BOOST_TEST((json("run/run.json").at("searches").at("likelihood").at("queries") ==
              elements().test.size()));
  BOOST_TEST(json("run/run.json").at("searches").size() == 2U);
  const Json agreement = json("run/metrics.json").at("agreement").at(0).at("relations");
  BOOST_TEST(agreement.size() == 4U);
  // A relation that is ranked on its own has the same ranks as when it is ranked with the others.
  options.insert(options.end(), {"--relations", "symbol"});
  BOOST_TEST(rank(options, "alone").code == 0);
  for (const char* method : {"deer", "likelihood", "lm-head"}) {
    const std::string name = std::string(method) + "_ranks.jsonl";
    BOOST_TEST(slurp(folder / "run" / name).starts_with(slurp(folder / "alone" / name)), name);
  }
  BOOST_TEST(rank({"--candidates", "of-relation", "--head-queries"}, "heads")
                 .refused("--head-queries: asks for heads, but --candidates of-relation"));
  BOOST_TEST(
      rank({"--candidates", "of-relation", "--method", "lm-head", "--relations", "in,next"}, "none")
          .refused("--candidates: no query's true entity has a one-token name"));
  BOOST_TEST(!std::filesystem::exists(folder / "none"));
}

BOOST_FIXTURE_TEST_CASE(only_a_relations_tails_need_vectors, OtherVectors) {
  const Words periods(ids.begin() + 1, ids.begin() + 5);  // the entities are in reverse order
  write_vectors(*this, "periods", periods, rows.middleRows(1, 4));
  const Words options{"--candidates", "of-relation", "--relations", "in"};
  BOOST_TEST(rank(options, "own").code == 0);
  Words given = options;
  given.insert(given.end(), {"--entities", at("periods.npy")});
  const ConsoleRun run = rank(given);
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(slurp(folder / "run/deer_ranks.jsonl") == slurp(folder / "own/deer_ranks.jsonl"));
}

// The relations have 36, 35 and 36 facts; seven facts of each are shots. The oracle computes
// double-precision cosines between the vectors of texts that are written out here.
BOOST_FIXTURE_TEST_CASE(a_folder_of_facts_is_ranked_as_a_graph, RankFiles) {
  Words options = all_methods;
  options.insert(options.end(), {"--candidates", "of-relation"});
  const ConsoleRun run = rank(options, "run", "bear");
  BOOST_TEST(run.code == 0, run);
  const Json metadata = json("run/metadata_rank.json");
  BOOST_TEST(metadata.at("dataset") == "bear");
  const Json settings = json("run/run.json").at("settings");
  BOOST_TEST(settings.at("dataset_sha256") ==
             hash_files({folder / "bear/metadata_relations.json",
                         folder / "bear/relation_info.json", folder / "bear/symbol.jsonl",
                         folder / "bear/next.jsonl", folder / "bear/in.jsonl"}));
  const auto ranks = read_entity_ranks(folder / "run/deer_ranks.jsonl");
  BOOST_TEST(ranks.size() == 29U + 28 + 29);
  std::map<std::string, std::string> names;
  for (const Entity& entity : elements().entities) names[entity.id] = entity.name;
  const std::map<std::string, std::string> words{
      {"symbol", "is written as"}, {"next", "is followed by"}, {"in", "stands in"}};
  std::map<std::string, Words> options_of;
  for (const Relation& relation : test::elements_as_facts().relations) {
    options_of[relation.code] = relation.option_ids;
  }
  std::string shots;
  std::set<std::pair<std::string, std::string>> shown;
  for (const Json& shot : metadata.at("shots")) {
    const std::string head = shot.at(0), relation = shot.at(1), tail = shot.at(2);
    shots += "(" + names.at(head) + ", " + words.at(relation) + ", " + names.at(tail) + ")\n";
    shown.insert({head, relation});
  }
  BOOST_TEST(shown.size() == 2U);
  std::size_t decided = 0;
  for (const EntityRank& rank : ranks) {
    BOOST_TEST(!shown.contains({rank.head, rank.relation}));
    BOOST_TEST(rank.part == "test");
    BOOST_TEST(rank.head == "e" + std::to_string(rank.line));  // the facts' lines
    const Words& among = options_of.at(rank.relation);
    BOOST_TEST(rank.candidates == among.size());
    Words texts{shots + "\n(" + names.at(rank.head) + ", " + words.at(rank.relation) + ", "};
    for (const std::string& id : among) {
      texts.push_back(names.at(id) +
                      " - -\nThis sentence: \"{word}\" means in one word: \"{one word}\"\n"
                      "This sentence: \"" +
                      names.at(id) + "\" means in one word: \"");
    }
    const auto unit =
        DecayEmbedder().embed(texts, false).cast<double>().rowwise().normalized().eval();
    const auto gold = std::ranges::find(among, rank.tail) - among.begin();
    const double score = unit.row(0).dot(unit.row(1 + gold));
    std::size_t above = 0, near = 0;  // equal, or different only by rounding
    for (Eigen::Index e = 1; e < unit.rows(); ++e) {
      if (e == 1 + gold) continue;
      const double other = unit.row(0).dot(unit.row(e));
      above += other > score + 1e-13 ? 1U : 0U;
      near += std::abs(other - score) <= 1e-13 ? 1U : 0U;
    }
    BOOST_TEST(std::abs(rank.score - score) < 1e-12);
    BOOST_TEST(rank.raw.above >= above);
    BOOST_TEST(rank.raw.above + rank.raw.equal <= above + near);
    decided += near == 0 ? 1U : 0U;
  }
  BOOST_TEST(decided > 20U);
  // Ten symbols have one letter, and up to seven of them may be shots.
  const auto single = read_entity_ranks(folder / "run/lm-head_ranks.jsonl");
  BOOST_TEST(single.size() <= 10U);
  BOOST_TEST(single.size() >= 3U);
  for (const EntityRank& rank : single) BOOST_TEST(names.at(rank.tail).size() == 1U);
  BOOST_TEST(run.says("lm-head: 10 candidates have a one-token name; " +
                      std::to_string(ranks.size() - single.size()) + " queries left out"));
  BOOST_TEST(run.says(" 4–36 "), run);
  BOOST_TEST(test::markup_fault(slurp(folder / "run/report.html")) == "");
}

BOOST_FIXTURE_TEST_CASE(relations_of_a_fact_folder_are_selected_by_code, RankFiles) {
  BOOST_TEST(rank({"--relations", "in"}, "run", "bear").code == 0);
  const auto ranks = read_entity_ranks(folder / "run/deer_ranks.jsonl");
  BOOST_TEST(ranks.size() == 29U);
  for (const EntityRank& rank : ranks) BOOST_TEST(rank.candidates == 36U + 4);  // no symbols
  const Json shots = json("run/metadata_rank.json").at("shots");
  for (const Json& shot : shots) BOOST_TEST(shot.at(1) == "in");
  BOOST_TEST(rank({"--relations", "in,weighs"}, "none", "bear")
                 .refused("--relations: 'weighs' is not a relation of the dataset; list them "
                          "with plumb data describe"));
  BOOST_TEST(rank({"--shots", "22"}, "none", "bear")
                 .refused("--shots: the graph has 21 training triples, fewer than 22"));
  BOOST_TEST(rank({"--split", "valid"}, "none", "bear")
                 .refused("--split: the graph has no triples in this part"));
  folder.write("bear/in.jsonl", "not json\n");
  BOOST_TEST(rank({}, "none", "bear").refused("in.jsonl:1: not JSON"));
  BOOST_TEST(!std::filesystem::exists(folder / "none"));
}

// An engine that embeds whole texts produces the same ranks as one that shares their prefixes.
BOOST_FIXTURE_TEST_CASE(a_backend_of_plain_vectors_ranks_by_deer_too, RankFiles) {
  Words options = all_methods;
  options.insert(options.end(), {"--entity-prompt", "eol,b", "--limit", "9"});
  BOOST_TEST(rank(options, "trees").code == 0);
  const ConsoleRun run = rank<PlainEmbedder>(options);
  BOOST_TEST(run.code == 0, run);
  const auto trees = comparable("trees"), plain = comparable("run");
  BOOST_TEST(trees.size() == plain.size());
  for (const auto& [name, text] : trees) {
    // The page shows whether the model lists its special tokens.
    if (name == "journal.jsonl" || name == "report.html") continue;
    BOOST_TEST(plain.at(name) == text, name);
  }
  Words again = options;
  again.push_back("--resume");
  const ConsoleRun resumed = rank<PlainEmbedder>(again);
  BOOST_TEST(resumed.code == 0, resumed);
  BOOST_TEST((comparable("run") == plain));
  BOOST_TEST(json("run/run.json").at("statements_scored_now") == 0);
}

BOOST_FIXTURE_TEST_CASE(vectors_of_the_wrong_shape_are_no_fault_of_the_user, RankFiles) {
  const ConsoleRun run = run_words(words({"--limit", "5"}), [](const ModelOptions&) {
    auto model = reader_of_elements<PlainEmbedder>();
    model.most_vectors = 1;
    return model;
  });
  BOOST_TEST(run.code == 1, run);
  BOOST_TEST(
      run.err.find("plumb: embed: the model returned 1 vectors of 257 numbers for 5 texts, but "
                   "dimension() is 257; fix the model's embed or "
                   "dimension\n") != std::string::npos,
      run);
}

BOOST_FIXTURE_TEST_CASE(a_backend_without_vectors_ranks_by_likelihood, RankFiles) {
  const auto make_model = [](const ModelOptions&) { return reader_of_elements<NgramModel>(); };
  const Words options{"--method", "likelihood,lm-head", "--limit", "3"};
  const ConsoleRun run = run_words(words(options), make_model);
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(rank(options, "trees").code == 0);
  for (const char* name : {"likelihood_ranks.jsonl", "lm-head_ranks.jsonl"}) {
    BOOST_TEST(slurp(folder / "run" / name) == slurp(folder / "trees" / name), name);
  }
  BOOST_TEST(
      run_words(words({}, "deer"), make_model)
          .refused("--method: DEER needs hidden vectors, which this backend lacks; set --method to "
                   "likelihood or lm-head"));
}

BOOST_FIXTURE_TEST_CASE(a_backend_that_cannot_leaves_no_folder, RankFiles) {
  const auto make_model = [](const ModelOptions&) { return reader_of_elements<NgramModel>(); };
  BOOST_TEST(run_words(words(), make_model).code == 2);
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_FIXTURE_TEST_CASE(searches_that_end_early_are_spoken_of, RankFiles) {
  const ConsoleRun run = rank({"--method", "deer,likelihood", "--hits", "1,3"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.out.starts_with("deer: Warning: the true entities of 15 of 36 queries"), run);
  BOOST_TEST(run.says("\nlikelihood: "), run);
  BOOST_TEST(run.says(" of 36 searches ended before the rank was certain"), run);
  BOOST_TEST(!run.says("deer and likelihood"), run);
  const Json metrics = json("run/metrics.json").at("methods").at("likelihood");
  BOOST_TEST(metrics.at("filtered").at("realistic").at("mean_rank").is_null());
  BOOST_TEST(rank({"--method", "likelihood"}, "whole").code == 0);
  const Json whole = json("whole/metrics.json").at("methods").at("likelihood");
  for (const char* level : {"hits_at_1", "hits_at_3"}) {
    BOOST_TEST(metrics.at("filtered").at("realistic").at(level) ==
                   whole.at("filtered").at("realistic").at(level),
               level);
  }
}

// The facts are about the sheep Dolly and her lamb Bonnie.
BOOST_FIXTURE_TEST_CASE(trivial_triples_are_spoken_of, RankFiles) {
  const auto rank_yago = [&](const std::string& more, const std::string& run) {
    folder.write("yago/train.tsv", "Dolly\tdiedIn\tRoslin\nDolly\thasGender\tfemale\n" + more);
    folder.write("yago/test.tsv", "Dolly\twasBornIn\tRoslin\n");
    return run_words({"rank", "--data", at("yago"), "--model", at("model.gguf"), "--out", at(run),
                      "--shots", "1"},
                     [](const ModelOptions&) { return reader_of_elements(); });
  };
  const ConsoleRun two = rank_yago("Bonnie\thasGender\tfemale\n", "two");
  BOOST_TEST(two.code == 0, two);
  BOOST_TEST(two.out.starts_with("2 triples left out, because the tail is a gender.\n"), two);
  const ConsoleRun one = rank_yago("", "one");
  BOOST_TEST(one.out.starts_with("1 triple left out, because the tail is a gender.\n"), one);
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_asked_is_refused_and_leaves_nothing, RankFiles) {
  BOOST_TEST(rank({"--relations", "weighs"}).refused("--relations: 'weighs' is not a relation"));
  BOOST_TEST(rank({"--shots", "72"}).refused("--shots: the graph has 71 training triples"));
  BOOST_TEST(rank({"--candidates", "single-token", "--relations", "in"})
                 .refused("--candidates: no query's true entity has a one-token name"));
  BOOST_TEST(rank({"--method", "lm-head", "--relations", "in"})
                 .refused("--candidates: no query's true entity has a one-token name"));
  BOOST_TEST(rank({"--shot", "5"}).refused("--shot: unknown option; did you mean --shots? `plumb"));
  BOOST_TEST(rank({"--method", "cosine"}).refused("--method: 'cosine' is not a valid choice"));
  BOOST_TEST(
      rank({"more"}).refused("unexpected argument 'more'; give each option before it a value"));
  BOOST_TEST(rank({"--entity-prompt", "a,a"}).refused("--entity-prompt: lists 'a' twice"));
  std::filesystem::remove(folder / "elements/test.tsv");
  BOOST_TEST(rank().refused("elements: is not a knowledge graph"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_FIXTURE_TEST_CASE(a_table_of_facts_is_a_graph_and_sentences_are_none, RankFiles) {
  folder.write("facts/facts.csv",
               "subject,relation,object\nParis,in,France\nOslo,in,Norway\nLyon,in,France\n");
  folder.write("facts/facts.json", "{\"in\": [\"[X] is in [Y].\"]}");
  const ConsoleRun made = rank({"--shots", "0"}, "run", "facts");
  BOOST_TEST(made.code == 0, made);
  const Json metadata = Json::parse(slurp(folder / "run/metadata_rank.json"));
  BOOST_TEST(metadata.at("dataset") == "facts");
  folder.write("Squad/test.jsonl",
               "{\"masked_sentences\": [\"Newton played in [MASK].\"], \"obj_label\": \"1980\", "
               "\"id\": \"a\"}\n"
               "{\"masked_sentences\": [\"Oslo is in [MASK].\"], \"obj_label\": \"Norway\", "
               "\"id\": \"b\"}\n");
  BOOST_TEST(
      rank({}, "other", "Squad").refused("Squad: Squad: has a sentence or texts for each fact"));
}

BOOST_AUTO_TEST_CASE(help_lists_the_options) {
  const ConsoleRun run = run_words({"rank", "--help", "all"});
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.says("Usage: plumb rank --data DIR --model FILE --out RUN"));
  for (const char* option : {"--method", "--candidates", "--entity-prompt", "--hits"}) {
    BOOST_TEST(run.says(option), option);
  }
  BOOST_TEST(run_words({"--help"}).says("plumb rank "));
}

BOOST_FIXTURE_TEST_CASE(names_of_special_tokens_are_refused_text_or_parsed, RankFiles) {
  std::string names = slurp(folder / "elements/entity2text.txt");
  names.replace(names.find("\tneon"), 5, "\tneon</s>");
  folder.write("elements/entity2text.txt", names);
  const auto rank_marked = [&](std::vector<std::string> options, const std::string& run = "run") {
    return run_words(words(std::move(options), run), [](const ModelOptions& made) {
      return test::with_special_token(reader_of_elements(), "</s>", made.parse_special_tokens);
    });
  };
  const ConsoleRun refused = rank_marked({});
  BOOST_TEST(
      refused.refused(at("elements/entity2text.txt") +
                      ":19: entity e10: 'neon</s>' contains '</s>', the text of a special token"),
      refused);
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  BOOST_TEST(rank_marked({"--special-tokens", "text", "--limit", "2"}, "text").code == 0);
  BOOST_TEST(rank_marked({"--special-tokens", "parse", "--limit", "2"}, "parse").code == 0);
  BOOST_TEST(json("parse/run.json").at("settings").at("special_tokens") == "parse");
  // The entity with the special token is not among the few entities of the queries and shots.
  const ConsoleRun few = rank_marked({"--candidates", "of-queries", "--limit", "2"}, "few");
  BOOST_TEST(few.code == 0, few);
}

// Names and the LM head are looked up token by token; there are no vectors.
BOOST_FIXTURE_TEST_CASE(a_model_of_lookups_alone_ranks_by_likelihood, RankFiles) {
  const Words by_likelihood{"--method", "likelihood,lm-head"};
  const ConsoleRun rows = rank(by_likelihood, "rows");
  BOOST_TEST(rows.code == 0, rows);
  const ConsoleRun lookups = rank<NgramLookupModel>(by_likelihood, "lookups");
  BOOST_TEST(lookups.code == 0, lookups);
  for (const char* method : {"likelihood_ranks.jsonl", "lm-head_ranks.jsonl"}) {
    const std::vector<EntityRank> expected = read_entity_ranks(folder / "rows" / method);
    const std::vector<EntityRank> found = read_entity_ranks(folder / "lookups" / method);
    BOOST_REQUIRE(found.size() == expected.size());
    BOOST_TEST(!found.empty());
    for (std::size_t i = 0; i < found.size(); ++i) {
      BOOST_TEST(std::abs(found[i].score - expected[i].score) < 1e-4);
      BOOST_TEST(found[i].candidates == expected[i].candidates);
    }
    BOOST_TEST(std::abs(mean_reciprocal_rank(folder / "lookups" / method) -
                        mean_reciprocal_rank(folder / "rows" / method)) < 0.02);
  }
  BOOST_TEST(rank<NgramLookupModel>({"--method", "deer"}, "vectors")
                 .refused("--method: DEER needs hidden vectors, which this backend lacks"));
}

// The second run uses the same queries after one shot instead of two.
BOOST_FIXTURE_TEST_CASE(rankings_of_two_runs_are_compared, RankFiles) {
  BOOST_TEST(rank({"--method", "likelihood"}, "one").code == 0);
  BOOST_TEST(rank({"--method", "likelihood", "--shots", "1"}, "two").code == 0);
  const ConsoleRun said =
      run_words({"compare", "read=" + at("one"), "other=" + at("two"), "--out", at("out")});
  BOOST_TEST_REQUIRE(said.code == 0, said);
  const Json likelihood = json("out/metrics.json").at("methods").at("likelihood");
  BOOST_TEST(likelihood.at("models").at("read").at("raw") ==
             json("one/metrics.json").at("methods").at("likelihood").at("raw").at("realistic"));
  const Json& pair = likelihood.at("differences").at(0);
  BOOST_TEST((pair.at("models") == Json{"read", "other"}));
  const double apart = likelihood.at("models")
                           .at("read")
                           .at("raw")
                           .at("mean_reciprocal_rank")
                           .at("value")
                           .get<double>() -
                       likelihood.at("models")
                           .at("other")
                           .at("raw")
                           .at("mean_reciprocal_rank")
                           .at("value")
                           .get<double>();
  BOOST_TEST(std::abs(pair.at("mean_reciprocal_rank").at("value").get<double>() - apart) < 1e-12);
  BOOST_TEST(said.says("model by likelihood"));
  BOOST_TEST(said.says("other was asked differently from read"));
  BOOST_TEST(said.says("read − other"));
  BOOST_TEST(run_words({"compare", at("one"), at("two"), "--setting", "ic/1", "--out", at("no")})
                 .refused("--setting: has no effect on rankings; remove it"));
}

BOOST_AUTO_TEST_SUITE_END()
