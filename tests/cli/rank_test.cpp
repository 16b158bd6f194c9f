// SPDX-License-Identifier: Apache-2.0
#include "plumb/cli/rank.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/markup.hpp"
#include "support/rank_console.hpp"

using namespace plumb;
using test::ConsoleRun;
using test::contents;
using test::elements;
using test::RankFiles;
using test::reader_of_elements;
using test::run_words;
using test::slurp;

namespace {

using Words = std::vector<std::string>;
using Names = std::set<std::string>;

Names names(const std::filesystem::path& folder) {
  Names all;
  for (const auto& [name, text] : contents(folder)) all.insert(name);
  return all;
}

const Names always{"journal.jsonl", "metadata_rank.json", "metrics.json",
                   "ranks.csv",     "report.html",        "run.json"};

Names with(Names all, const Names& more) {
  all.insert(more.begin(), more.end());
  return all;
}

const Names of_deer{"deer_ranks.jsonl", "entities.npy", "entities.txt", "queries.npy",
                    "queries.txt"};
const Words all_methods{"--method", "deer,likelihood,lm-head"};

/// Test triples whose tail is written as one letter.
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

/// Vectors as another program leaves them: NAME.npy and NAME.txt.
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

/// What DEER makes of the entities, last entity first.
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

/// Counts how often it is asked.
struct CountingModel : NgramTreeModel {
  explicit CountingModel(std::size_t& asked) : NgramTreeModel(reader_of_elements()), count(asked) {}
  using NgramTreeModel::evaluate;
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    ++count;
    NgramTreeModel::evaluate(tree, wanted, visit);
  }
  void embed(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    ++count;
    NgramTreeModel::embed(tree, wanted, visit);
  }
  std::size_t& count;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(rank_command)

BOOST_FIXTURE_TEST_CASE(a_ranking_leaves_a_whole_run_folder_and_shows_the_result, RankFiles) {
  const ConsoleRun run = rank();
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("\ndeer "), run);
  BOOST_TEST(run.says("\ndeer, filtered "), run);
  BOOST_TEST(run.out.ends_with("\nreport: " + at("run/report.html") + "\n"), run);
  BOOST_TEST((names(folder / "run") == with(always, of_deer)));
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
  BOOST_TEST((names(folder / "run") ==
              with(with(always, of_deer), {"deer-single-token_ranks.jsonl",
                                           "likelihood_ranks.jsonl", "lm-head_ranks.jsonl"})));
  const Json metadata = json("run/metadata_rank.json");
  BOOST_TEST(
      (metadata.at("methods") == Json{"deer", "deer-single-token", "likelihood", "lm-head"}));
  const std::size_t kept = one_letter();
  const std::string remark = "lm-head: 10 candidates have a name of one token; " +
                             std::to_string(elements().test.size() - kept) +
                             " queries whose true entity has not left out.";
  BOOST_TEST((metadata.at("remarks") == Json{remark}));
  BOOST_TEST(run.out.starts_with(remark), run);
  BOOST_TEST(test::in_order(
      run.out, {"\ndeer ", "\ndeer-single-token ", "\nlikelihood ", "\nlm-head ",
                "\ndeer and likelihood ", "\ndeer-single-token and lm-head ",
                "\nlikelihood: ", " nodes fed a query for the names\nlm-head: ", " tokens fed ("}));
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

BOOST_FIXTURE_TEST_CASE(a_method_has_its_own_ranks_whatever_stands_beside_it, RankFiles) {
  BOOST_TEST(rank(all_methods, "together").code == 0);
  for (const std::string method : {"deer", "likelihood", "lm-head"}) {
    BOOST_TEST(rank({"--method", method}, method).code == 0);
    const std::string name = method + "_ranks.jsonl";
    BOOST_TEST(slurp(folder / (method + "/" + name)) == slurp(folder / ("together/" + name)));
  }
  BOOST_TEST((names(folder / "likelihood") == with(always, {"likelihood_ranks.jsonl"})));
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

// Queries that no candidate answers are never dropped in silence.
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

BOOST_FIXTURE_TEST_CASE(run_json_says_what_was_done_and_what_it_cost, RankFiles) {
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
  BOOST_TEST(searches.size() == 3U);  // the LM head has no heads of one letter
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
                      {"entity_prompt", "eol"},
                      {"entities_sha256", nullptr},
                      {"head_queries", true},
                      {"hits", 0},
                      {"reduction", "sum"},
                      {"budget", 0},
                      {"bos_of_vectors", "no"},
                      {"bos_of_names", "yes"},
                      {"seed", 3}};
  for (const auto& [name, value] : expected.items()) BOOST_TEST(settings.at(name) == value, name);
  BOOST_TEST(!settings.contains("bos"));
  BOOST_TEST(settings.at("model_sha256") == hash_file(folder / "model.gguf"));
  BOOST_TEST(json("run/metrics.json").at("bootstrap").at("seed") == 3);
}

BOOST_FIXTURE_TEST_CASE(bos_stands_where_it_is_said, RankFiles) {
  const auto score = [&](const std::string& method, Words options, const std::string& run) {
    options.insert(options.end(), {"--method", method, "--limit", "1"});
    BOOST_TEST(rank(options, run).code == 0);
    return read_entity_ranks(folder / (run + "/" + method + "_ranks.jsonl")).front().score;
  };
  // A BOS far before is nothing to these models but where there is no shot.
  const Words none{"--shots", "0"}, yes{"--shots", "0", "--bos", "yes"},
      no{"--shots", "0", "--bos", "no"};
  BOOST_TEST(rank({"--shots", "0", "--limit", "1"}, "a").code == 0);
  BOOST_TEST(rank({"--shots", "0", "--limit", "1", "--bos", "no"}, "b").code == 0);
  BOOST_TEST(rank({"--shots", "0", "--limit", "1", "--bos", "yes"}, "c").code == 0);
  BOOST_TEST(slurp(folder / "a/queries.npy") == slurp(folder / "b/queries.npy"));
  BOOST_TEST(slurp(folder / "a/queries.npy") != slurp(folder / "c/queries.npy"));
  BOOST_TEST(slurp(folder / "a/entities.npy") != slurp(folder / "c/entities.npy"));
  BOOST_TEST(score("likelihood", none, "d") == score("likelihood", yes, "e"));
  const auto tokens = [&](const std::string& run) {
    return json(run + "/run.json").at("tokens_one_by_one").get<std::size_t>();
  };
  (void)score("likelihood", no, "f");
  BOOST_TEST(tokens("d") == tokens("e"));
  BOOST_TEST(tokens("d") == tokens("f") + elements().entities.size());
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_not_empty_is_refused_and_taken_up_with_resume, RankFiles) {
  BOOST_TEST(rank(all_methods).code == 0);
  const auto before = comparable("run");
  BOOST_TEST(
      rank(all_methods).refused("run: is not empty; choose another --out, or give --resume"));
  Words again = all_methods;
  again.push_back("--resume");
  std::size_t asked = 0;
  const ConsoleRun run =
      run_words(words(again), [&](const ModelOptions&) { return CountingModel(asked); });
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(asked == 0U);
  BOOST_TEST((comparable("run") == before));
  BOOST_TEST(rank(again, "new").code == 0);
  BOOST_TEST((comparable("new") == before));
}

// Vectors, ranks, the journal and all reports come back byte by byte.
BOOST_FIXTURE_TEST_CASE(a_run_that_was_killed_goes_on_to_the_same_bytes, RankFiles) {
  Words options = all_methods;
  options.push_back("--head-queries");
  Words again = options;
  again.push_back("--resume");
  BOOST_TEST(rank(options).code == 0);
  const auto whole = comparable("run");
  const std::string& journal = whole.at("journal.jsonl");
  std::size_t last = 1000000;
  for (std::size_t begin = 0; begin < journal.size(); begin = journal.find('\n', begin) + 1) {
    const std::string part = Json::parse(journal.substr(begin, journal.find('\n', begin) - begin))
                                 .at("part")
                                 .get<std::string>();
    // What stands in the folder while this part is at work.
    for (const auto& [name, text] : whole) {
      const bool is_of_queries = name.starts_with("queries.");
      const bool is_of_entities = name.starts_with("entities.");
      const bool is_written =
          (is_of_queries && !part.starts_with("queries")) ||
          (is_of_entities && !part.starts_with("queries") && part != "entities");
      if (!is_written) std::filesystem::remove(folder / "run" / name);
      const bool is_at_work =
          (is_of_queries && part.starts_with("queries")) || (is_of_entities && part == "entities");
      if (is_at_work && name.ends_with(".npy")) folder.write("run/" + name + ".part", text);
    }
    folder.write("run/journal.jsonl", journal.substr(0, begin + 7));  // torn within its line
    std::size_t asked = 0;
    const ConsoleRun run =
        run_words(words(again), [&](const ModelOptions&) { return CountingModel(asked); });
    BOOST_TEST(run.code == 0, run);
    BOOST_TEST((comparable("run") == whole), part);
    BOOST_TEST(asked > 0U);
    BOOST_TEST(asked <= last);
    last = asked;
  }
  BOOST_TEST(std::ranges::count(journal, '\n') > 8);
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
      {{"--relations", "in"}, "relations"},
      {{"--sample", "5"}, "sample"},
      {{"--sample-seed", "5"}, "sample_seed"},
      {{"--limit", "5"}, "limit"},
      {{"--shots", "3"}, "shots"},
      {{"--shot-seed", "1"}, "shot_seed"},
      {{"--query-form", "paper"}, "query_form"},
      {{"--entity-prompt", "a"}, "entity_prompt"},
      {{"--entities", at("v.npy")}, "entities_sha256"},
      {{"--head-queries"}, "head_queries"},
      {{"--hits", "10"}, "hits"},
      {{"--reduction", "mean"}, "reduction"},
      {{"--budget", "9"}, "budget"},
      {{"--bos", "yes"}, "bos_of_vectors"},
      {{"--bos", "no"}, "bos_of_names"},
      {{"--seed", "1"}, "seed"},
      {{"--precision", "fast"}, "precision"}};
  const auto before = comparable("run");
  for (auto [options, name] : changes) {
    if (options[0] != "--method") options.insert(options.end(), method.begin(), method.end());
    options.push_back("--resume");
    const ConsoleRun run = rank(options);
    BOOST_TEST(run.refused("run.json: " + name + ": the run was begun with"), name << "\n" << run);
  }
  folder.write("elements/test.tsv", "e1\tsymbol\ts1\n");
  Words again = method;
  again.push_back("--resume");
  BOOST_TEST(rank(again).refused("run.json: dataset_sha256: the run was begun with"));
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
  // More than are needed, another run's, and a vector that is the wrong entity's.
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
                 .refused("few.npy: has no vector of entity 'copper'; embed it or "
                          "leave it out of the graph"));
  // Only candidates need one.
  BOOST_TEST(
      rank({"--entities", at("few.npy"), "--candidates", "of-queries", "--limit", "3"}, "b").code ==
      0);
  write_vectors(*this, "narrow", ids, rows.leftCols(100));
  const ConsoleRun narrow = rank_by("narrow", "c");  // told after the queries' progress
  BOOST_TEST(narrow.code == 2, narrow);
  BOOST_TEST(narrow.err.find("queries: have 257 dimensions, the entities 100") != std::string::npos,
             narrow);
  write_vectors(*this, "bare", ids, rows);
  std::filesystem::remove(folder / "bare.txt");
  BOOST_TEST(rank_by("bare", "d").refused("bare.txt: cannot be read"));
  folder.write("bare.txt", "e1\n");
  BOOST_TEST(rank_by("bare", "e").refused("bare.txt: 1 identifiers for 77 vectors"));
  BOOST_TEST(rank_by("none", "f").refused("none.npy: "));
}

// A folder that was begun under settings that can never be carried out is of no use.
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
  BOOST_TEST(rank({"--entities", at("v.npy"), "--resume"}).refused("the run was begun with"));
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
          .refused("--method: DEER needs hidden vectors, which this backend lacks; say --method "
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
  BOOST_TEST(run.out.starts_with("likelihood: "), run);
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

// Dolly, the sheep, and her lambs.
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
  BOOST_TEST(two.out.starts_with("2 triples whose tail is a gender left out.\n"), two);
  const ConsoleRun one = rank_yago("", "one");
  BOOST_TEST(one.out.starts_with("1 triple whose tail is a gender left out.\n"), one);
}

// Oracle: cosines of the texts' vectors, in double precision.
BOOST_FIXTURE_TEST_CASE(fixed_rankings_are_replayed_in_their_own_shape, RankFiles) {
  const Json fixed{{"shots", {{"e8", "symbol", "s8"}}},
                   {"entities", {"e2", "s10", "p2"}},
                   {"queries", {{"e10", "in", "p2"}, {"e10", "symbol", "s10"}}}};
  folder.write("f.json", fixed.dump());
  const auto replay = [&](const std::string& file, const std::string& run, Words more = {}) {
    Words words{"rank",  "--data", at("elements"), "--model", at("model.gguf"),
                "--out", at(run),  "--fixed",      at(file)};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words, [](const ModelOptions&) { return reader_of_elements(); });
  };
  const ConsoleRun run = replay("f.json", "run");
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.out.ends_with("\nranks: " + at("run/fixed.json") + "\n"), run);
  BOOST_TEST((names(folder / "run") == Names{"fixed.json", "run.json"}));
  const Json made = json("run/fixed.json");
  BOOST_TEST(made.at("shots") == fixed.at("shots"));
  const Words entities{
      "helium - element\nThis sentence: \"{word}\" means in one word: \"{one word}\"\n"
      "This sentence: \"helium\" means in one word: \"",
      "Ne - symbol\nThis sentence: \"{word}\" means in one word: \"{one word}\"\n"
      "This sentence: \"Ne\" means in one word: \"",
      "period 2 - row of the table\nThis sentence: \"{word}\" means in one word: \"{one word}\"\n"
      "This sentence: \"period 2\" means in one word: \""};
  const Words queries{"(oxygen, is written as, O)\n\n(neon, stands in, ",
                      "(oxygen, is written as, O)\n\n(neon, is written as, "};
  const auto e =
      DecayEmbedder().embed(entities, false).cast<double>().rowwise().normalized().eval();
  const auto q = DecayEmbedder().embed(queries, false).cast<double>().rowwise().normalized().eval();
  for (const auto& [row, gold] : {std::pair{0, 2}, {1, 1}}) {
    std::size_t above = 0;
    for (int column = 0; column < 3; ++column) {
      const double cosine = q.row(row).dot(e.row(column));
      const double found =
          made.at("cosine").at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(column));
      BOOST_TEST(std::abs(found - cosine) < 1e-12);
      above += cosine > q.row(row).dot(e.row(gold)) ? 1U : 0U;
    }
    BOOST_TEST(made.at("rank").at(static_cast<std::size_t>(row)) ==
               1.0 + static_cast<double>(above));
  }
  // Its own cosines come back.
  const ConsoleRun again = replay("run/fixed.json", "again");
  BOOST_TEST(again.says("0.0000000"), again);
  BOOST_TEST(slurp(folder / "again/fixed.json") == slurp(folder / "run/fixed.json"));
  BOOST_TEST(replay("f.json", "run").refused("is not empty"));
  BOOST_TEST(replay("f.json", "run", {"--resume"}).code == 0);
  BOOST_TEST(replay("f.json", "run", {"--resume", "--query-form", "paper"})
                 .refused("query_form: the run was begun with"));
  BOOST_TEST(
      run_words({"report", at("run")}).refused("is of plumb rank --fixed, which keeps no scores"));
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_asked_is_refused_and_leaves_nothing, RankFiles) {
  BOOST_TEST(rank({"--relations", "weighs"}).refused("--relations: 'weighs' is not a relation"));
  BOOST_TEST(rank({"--shots", "72"}).refused("--shots: the graph has 71 training triples"));
  BOOST_TEST(rank({"--candidates", "single-token", "--relations", "in"})
                 .refused("--candidates: no query's true entity has a name of one token"));
  BOOST_TEST(rank({"--method", "lm-head", "--relations", "in"})
                 .refused("--candidates: no query's true entity has a name of one token"));
  BOOST_TEST(rank({"--shot", "5"}).refused("--shot: unknown option; `plumb rank --help`"));
  BOOST_TEST(rank({"--method", "cosine"}).refused("--method: 'cosine' is not a choice"));
  BOOST_TEST(rank({"more"}).refused("too many positional options"));
  std::filesystem::remove(folder / "elements/test.tsv");
  BOOST_TEST(rank().refused("elements: is no knowledge graph"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_AUTO_TEST_CASE(help_lists_the_options) {
  const ConsoleRun run = run_words({"rank", "--help"});
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.says("Usage: plumb rank --data DIR --model FILE --out RUN"));
  for (const char* option : {"--method", "--candidates", "--entity-prompt", "--hits"}) {
    BOOST_TEST(run.says(option), option);
  }
  BOOST_TEST(run_words({"--help"}).says("plumb rank "));
}

BOOST_AUTO_TEST_SUITE_END()
