// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/deer_run.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "plumb/detail/backend/decay_embedder.hpp"
#include "plumb/detail/run/rank_parts.hpp"
#include "support/errors.hpp"
#include "support/plain_embedder.hpp"
#include "support/small_graph.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::answers;
using test::contents;
using test::elements;
using test::PlainEmbedder;
using test::says;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(deer_run)

namespace {

/// The ranks of a run and its cost.
struct Ranked {
  /// The ranks for each entity prompt, one prompt after the other.
  std::vector<EntityRank> ranks;
  RunSummary summary;
  std::size_t tokens_fed = 0;

  [[nodiscard]] std::string lines() const {
    std::string text;
    for (const EntityRank& rank : ranks) text += row_line(rank);
    return text;
  }
};

/// Simulates one process: a new model, folder and run, as after a crash.
template <class Model = NgramTreeModel>
Ranked run_once(const std::filesystem::path& path, const KnowledgeGraph& graph,
                const RankOptions& options, bool with_bos = false,
                ProgressCallback on_progress = {}) {
  Model model("");
  const RankParts parts = rank_parts(graph, options, false, model);
  const RunFolder folder(path, Json::object(), RunFolder::Claim::resume);
  Work work(folder.file("journal.jsonl"), {std::move(on_progress), {}});
  DeerRun run(model, options, folder, work, parts.whole, with_bos);
  Ranked made;
  for (const EntityPrompt prompt : options.entity_prompts) {
    const NpyFile entities = run.entities(prompt).value();
    const auto ranks = ranks_of(parts.parts, [&](const RankPlan& part, std::size_t) {
      return run.rank(part, entities.rows());
    });
    made.ranks.insert(made.ranks.end(), ranks.begin(), ranks.end());
  }
  made.summary = work.summary();
  if constexpr (TreeEmbedder<Model>) made.tokens_fed = model.tokens_fed;
  return made;
}

EmbeddingMatrix vectors(const std::vector<std::string>& texts, bool with_bos) {
  return DecayEmbedder().embed(texts, with_bos);
}

/// The cosine of two rows in double precision. If two cosines differ by less than their rounding
/// error, their ranks depend on the order of summation; either order is equally correct.
double cosine(const EmbeddingMatrix& a, Eigen::Index i, const EmbeddingMatrix& b, Eigen::Index j) {
  const auto dimension = static_cast<std::size_t>(a.cols());
  const float* x = a.data() + static_cast<std::size_t>(i) * dimension;
  const float* y = b.data() + static_cast<std::size_t>(j) * dimension;
  const double made = exact_dot(x, y, dimension) / std::sqrt(exact_dot(y, y, dimension)) /
                      std::sqrt(exact_dot(x, x, dimension));
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t d = 0; d < dimension; ++d) {
    xy += static_cast<double>(x[d]) * static_cast<double>(y[d]);
    xx += static_cast<double>(x[d]) * static_cast<double>(x[d]);
    yy += static_cast<double>(y[d]) * static_cast<double>(y[d]);
  }
  BOOST_TEST(std::abs(made - xy / std::sqrt(xx * yy)) < 1e-14);
  return made;
}

/// The entities among which a query's true entity is ranked: all the relation's tails if candidates
/// are limited to the relation.
std::vector<std::uint32_t> candidates_of(const RankPlan& plan, const RankOptions& options,
                                         const GraphQuery& query) {
  if (options.candidates != CandidateSet::of_relation) return plan.candidates.entities();
  std::set<std::uint32_t> tails;
  for (const auto* part : {&plan.graph.train, &plan.graph.valid, &plan.graph.test}) {
    for (const Triple& t : *part) {
      if (t.relation == query.triple.relation) tails.insert(t.tail);
    }
  }
  return {tails.begin(), tails.end()};
}

/// Checks every line against the cosines of all its candidates.
template <class Model = NgramTreeModel>
void check_by_hand(const KnowledgeGraph& graph, const RankOptions& options, bool with_bos) {
  const TemporaryFolder folder;
  const Ranked made = run_once<Model>(folder / "run", graph, options, with_bos);
  const RankPlan plan = rank_plan(graph, options, NgramModel(""));
  const TriplePrompt prompt(graph, plan.shots, options.form);
  std::vector<std::string> texts, asked;
  for (const Entity& entity : graph.entities) {
    texts.push_back(entity_text(options.entity_prompts.front(), entity));
  }
  std::vector<PlannedQuery> all = plan.queries;
  if (options.candidates == CandidateSet::of_relation) {  // relations one after another
    std::ranges::stable_sort(all, {},
                             [](const PlannedQuery& one) { return one.query.triple.relation; });
  }
  for (const PlannedQuery& planned : all) asked.push_back(prompt.query(planned.query));
  const EmbeddingMatrix entities = vectors(texts, with_bos), queries = vectors(asked, with_bos);
  BOOST_REQUIRE(made.ranks.size() == all.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const GraphQuery& query = all[i].query;
    const EntityRank& rank = made.ranks[i];
    const auto row = static_cast<Eigen::Index>(i);
    const double score = cosine(queries, row, entities, query.gold());
    Rank raw, filtered;
    std::size_t left = 0;
    const std::vector<std::uint32_t> candidates = candidates_of(plan, options, query);
    for (const std::uint32_t e : candidates) {
      const bool is_other_truth = e != query.gold() && answers(graph, query, e);
      left += is_other_truth ? 0U : 1U;
      if (e == query.gold()) continue;
      const double other = cosine(queries, row, entities, e);
      raw.above += other > score ? 1U : 0U;
      raw.equal += other == score ? 1U : 0U;
      if (is_other_truth) continue;
      filtered.above += other > score ? 1U : 0U;
      filtered.equal += other == score ? 1U : 0U;
    }
    BOOST_TEST(std::abs(rank.score - score) < 1e-15);
    BOOST_TEST((rank.raw == raw));
    BOOST_TEST((rank.filtered == filtered));
    BOOST_TEST(rank.candidates == candidates.size());
    BOOST_TEST(rank.filtered_candidates == left);
    BOOST_TEST(rank.undecided == 0U);
    BOOST_TEST(rank.line == query.triple.line);
    BOOST_TEST(rank.part == all[i].part);
    BOOST_TEST(rank.asks_head == query.asks_head);
  }
}

/// Options for all parts and both sides: 286 queries in several packs.
RankOptions everything() {
  return {.part = GraphPart::all, .shots = 2, .heads = true};
}

/// Options for one part and both sides, with three entity prompts.
RankOptions many_prompts() {
  return {.shots = 2,
          .entity_prompts = {EntityPrompt::b, EntityPrompt::eol, EntityPrompt::a},
          .heads = true};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    lines.push_back(text.substr(at, text.find('\n', at) - at));
  }
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(ranks_are_those_of_all_cosines) {
  const KnowledgeGraph graph = elements();
  check_by_hand(graph, {.shots = 2, .heads = true}, false);
  check_by_hand(graph, {.shots = 2}, true);
  check_by_hand(graph, {.part = GraphPart::valid, .shots = 0, .form = QueryForm::paper}, false);
  check_by_hand(graph,
                {.candidates = CandidateSet::of_queries, .sample = 9, .shots = 1, .heads = true},
                false);
  check_by_hand(
      graph, {.part = GraphPart::all, .candidates = CandidateSet::single_token, .shots = 2}, false);
}

BOOST_AUTO_TEST_CASE(a_relations_queries_are_ranked_among_its_tails) {
  const KnowledgeGraph graph = elements();
  check_by_hand(graph, {.candidates = CandidateSet::of_relation, .shots = 2}, false);
  check_by_hand(
      graph, {.part = GraphPart::all, .candidates = CandidateSet::of_relation, .shots = 1}, true);
  // A sample may contain relations in any order, and a part may also consist of a single relation.
  check_by_hand(graph, {.candidates = CandidateSet::of_relation, .sample = 9, .shots = 1}, false);
  check_by_hand(graph, {.candidates = CandidateSet::of_relation, .relations = {"in"}, .shots = 1},
                false);
}

// The candidates are the four periods for one relation and the 35 elements that follow another
// element for the other, so there are fewer candidates than embedded texts.
BOOST_AUTO_TEST_CASE(relation_is_ranked_among_its_own_candidates) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const Ranked made = run_once(folder / "run", graph,
                               {.part = GraphPart::all,
                                .candidates = CandidateSet::of_relation,
                                .relations = {"in", "next"},
                                .shots = 2});
  BOOST_REQUIRE(made.ranks.size() == 35U + 36);
  for (std::size_t i = 0; i < made.ranks.size(); ++i) {
    BOOST_TEST(made.ranks[i].relation == (i < 35 ? "next" : "in"));
    BOOST_TEST(made.ranks[i].candidates == (i < 35 ? 35U : 4U));
    BOOST_TEST(made.ranks[i].raw.above + made.ranks[i].raw.equal < made.ranks[i].candidates);
  }
}

BOOST_AUTO_TEST_CASE(every_entity_prompt_is_written_as_it_is) {
  for (const EntityPrompt prompt : {EntityPrompt::a, EntityPrompt::b, EntityPrompt::c}) {
    check_by_hand(elements(), {.limit = 6, .shots = 1, .entity_prompts = {prompt}}, false);
  }
}

BOOST_AUTO_TEST_CASE(several_entity_prompts_give_what_each_gives_alone) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const RankOptions options = many_prompts();
  const Ranked together = run_once(folder / "run", graph, options);
  std::map<std::string, std::string> files;
  std::string lines;
  for (const EntityPrompt prompt : options.entity_prompts) {
    RankOptions one = options;
    one.entity_prompts = {prompt};
    const auto path = folder / std::string(name_of(prompt));
    lines += run_once(path, graph, one).lines();
    files.merge(contents(path, ".npy"));
    files.merge(contents(path, ".txt"));
  }
  BOOST_TEST(together.lines() == lines);
  auto made = contents(folder / "run");
  made.erase("journal.jsonl");
  made.erase("run.json");
  BOOST_TEST((made == files));
  BOOST_TEST(files.size() == 8U);  // queries, entities, entities-a, entities-b
  BOOST_TEST(files.contains("entities-a.npy"));
  BOOST_TEST(files.contains("entities-b.txt"));
  BOOST_TEST(files.at("entities.npy") != files.at("entities-a.npy"));
  BOOST_TEST(files.at("entities.txt") == files.at("entities-a.txt"));
}

// Queries are the same for all entity prompts.
BOOST_AUTO_TEST_CASE(queries_are_embedded_once_for_all_entity_prompts) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const Ranked together = run_once(folder / "run", graph, many_prompts());
  BOOST_TEST(together.summary.cost.tokens_fed == together.tokens_fed);
  std::size_t alone = 0;
  for (const EntityPrompt prompt : many_prompts().entity_prompts) {
    RankOptions one = many_prompts();
    one.entity_prompts = {prompt};
    alone += run_once(folder / std::string(name_of(prompt)), graph, one).tokens_fed;
  }
  RankOptions none = many_prompts();
  none.entity_prompts.clear();
  const std::size_t queries = run_once(folder / "none", graph, none).tokens_fed;
  BOOST_TEST(queries > 0U);
  BOOST_TEST(together.tokens_fed == alone - 2 * queries);
}

// Copper's second entry has the same text as its first one, so the two are always tied.
BOOST_AUTO_TEST_CASE(entities_of_one_text_are_tied) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const Ranked made = run_once(folder / "run", graph, everything());
  std::size_t tied = 0;
  for (const EntityRank& rank : made.ranks) {
    if ((rank.asks_head ? rank.head : rank.tail) != "e29") continue;
    ++tied;
    BOOST_TEST(rank.raw.equal >= 1U);
    BOOST_TEST(rank.filtered.equal >= 1U);  // the second entry is not an answer
  }
  BOOST_TEST(tied == 5U);  // followed by, holds; is written as, is followed by, stands in
}

BOOST_AUTO_TEST_CASE(vectors_and_what_they_are_of_stay_in_the_folder) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const RankOptions options{.shots = 2, .heads = true};
  (void)run_once(folder / "run", graph, options);
  const RankPlan plan = rank_plan(graph, options, NgramModel(""));
  const TriplePrompt prompt(graph, plan.shots, options.form);
  // The expected list is built by hand: each given entity appears once with its relation, and the
  // queries that ask for tails come first.
  std::vector<std::string> names, texts;
  std::set<std::string> known;
  for (const bool head : {false, true}) {
    for (const Triple& t : graph.test) {
      const GraphQuery query{t, head};
      const std::string name = graph.entities[head ? t.tail : t.head].id +
                               (head ? " inverse of " : " ") + graph.relations[t.relation].id;
      if (!known.insert(name).second) continue;
      names.push_back(name);
      texts.push_back(prompt.query(query));
    }
  }
  BOOST_TEST(names.size() < 2 * graph.test.size());
  const auto check = [&](const std::string& what, const std::vector<std::string>& identifiers,
                         const std::vector<std::string>& of) {
    const NpyFile file(folder / ("run/" + what + ".npy"));
    const std::size_t rows = of.size();
    BOOST_REQUIRE(static_cast<std::size_t>(file.rows().rows()) == rows);
    BOOST_TEST((file.rows() == vectors(of, false)));
    BOOST_TEST(read_identifiers(folder / ("run/" + what + ".npy"), rows) == identifiers,
               boost::test_tools::per_element());
  };
  check("queries", names, texts);
  std::vector<std::string> ids, entities;
  for (const Entity& entity : graph.entities) {
    ids.push_back(entity.id);
    entities.push_back(entity_text(EntityPrompt::eol, entity));
  }
  check("entities", ids, entities);
}

BOOST_AUTO_TEST_CASE(what_it_cost_is_what_the_model_was_fed) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  RankOptions options = everything();
  const Ranked made = run_once(folder / "run", graph, options);
  BOOST_TEST(made.summary.cost.tokens_fed == made.tokens_fed);
  const RankPlan plan = rank_plan(graph, options, NgramModel(""));
  const TriplePrompt prompt(graph, plan.shots, options.form);
  std::set<std::string> texts;
  std::size_t bytes = 0;
  for (const Entity& entity : graph.entities) {
    const std::string text = entity_text(EntityPrompt::eol, entity);
    bytes += text.size();
    texts.insert(text);
  }
  BOOST_TEST(texts.size() == graph.entities.size() - 1);  // copper's text is embedded only once
  for (const PlannedQuery& planned : plan.queries) {
    const std::string text = prompt.query(planned.query);
    if (texts.insert(text).second) bytes += text.size();
  }
  BOOST_TEST(made.summary.cost.statements == texts.size());
  BOOST_TEST(made.summary.cost.tokens_one_by_one == bytes);
  // The shots of each side are shared by all its queries and are fed once.
  std::size_t most = prompt.shots(false).size() + prompt.shots(true).size();
  for (const std::string& text : texts) {
    const bool is_head = text.starts_with(prompt.shots(true));
    const bool is_query = is_head || text.starts_with(prompt.shots(false));
    most += text.size() - (is_query ? prompt.shots(is_head).size() : 0);
  }
  BOOST_TEST(made.tokens_fed <= most);
}

BOOST_AUTO_TEST_CASE(progress_goes_from_nothing_to_all_for_queries_and_for_entities) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  using State = std::tuple<std::size_t, std::size_t, std::size_t>;
  std::map<std::string, std::vector<State>> seen;
  const ProgressCallback look = [&](const WorkState& state) {
    seen[state.counted].emplace_back(state.done, state.fresh, state.total);
  };
  (void)run_once(folder / "run", graph, everything(), false, look);
  BOOST_REQUIRE(seen.size() == 2U);
  const auto rows = static_cast<std::size_t>(NpyFile(folder / "run/queries.npy").rows().rows());
  for (const auto& [part, total] :
       {std::pair{"queries", rows}, {"entities", graph.entities.size()}}) {
    const auto& states = seen.at(part);
    BOOST_TEST((states.front() == State(0, 0, total)), part);
    BOOST_TEST((states.back() == State(total, total, total)), part);
    BOOST_TEST(states.size() > 3U, part);
    BOOST_TEST(std::ranges::is_sorted(states), part);
  }
}

/// Resets a folder to the job's state at the time the journal had this number of lines. `files`
/// lists the vector files in the order in which they are written.
void take_back(const std::filesystem::path& run, const std::vector<std::string>& journal,
               std::size_t lines, const std::vector<std::string>& files) {
  std::string text, part = files.front();
  for (std::size_t l = 0; l < lines; ++l) {
    text += journal[l] + "\n";
    part = Json::parse(journal[l]).at("part").get<std::string>();
  }
  std::ofstream(run / "journal.jsonl", std::ios::binary) << text;
  // Unfinished rows keep their old contents, which the resumed run must not use.
  bool finished = true;
  for (const std::string& file : files) {
    if (part.starts_with(file + " ") || part == file) finished = false;
    if (finished || !std::filesystem::exists(run / (file + ".npy"))) continue;
    std::filesystem::rename(run / (file + ".npy"), run / (file + ".npy.part"));
    std::filesystem::remove(run / (file + ".txt"));
  }
}

const std::vector<std::string> two_files{"queries", "entities"};

BOOST_AUTO_TEST_CASE(a_run_taken_up_after_any_line_of_its_journal_gives_the_same_bytes) {
  const KnowledgeGraph graph = elements();
  for (const RankOptions& options : {everything(), many_prompts()}) {
    const bool is_many = options.entity_prompts.size() > 1;
    const auto vectors =
        is_many ? std::vector<std::string>{"queries", "entities-b", "entities", "entities-a"}
                : two_files;
    const TemporaryFolder folder;
    const Ranked whole = run_once(folder / "run", graph, options);
    const auto files = contents(folder / "run");
    const std::vector<std::string> journal = lines_of(files.at("journal.jsonl"));
    BOOST_TEST(journal.size() > 12U);
    std::size_t before = whole.tokens_fed + 1;
    for (std::size_t lines = 0; lines <= journal.size(); ++lines) {
      take_back(folder / "run", journal, lines, vectors);
      const Ranked again = run_once(folder / "run", graph, options);
      BOOST_TEST((contents(folder / "run") == files), lines);
      BOOST_TEST(again.lines() == whole.lines());
      // With each additional line, one fewer pack remains. The contexts are evaluated again if any
      // packs remain.
      BOOST_TEST(again.tokens_fed < before, lines);
      before = again.tokens_fed;
    }
    BOOST_TEST(before == 0U);
  }
}

BOOST_AUTO_TEST_CASE(a_torn_last_line_is_a_pack_that_is_not_done) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const Ranked whole = run_once(folder / "run", graph, everything());
  const auto files = contents(folder / "run");
  take_back(folder / "run", lines_of(files.at("journal.jsonl")), 3, two_files);
  std::ofstream(folder / "run/journal.jsonl", std::ios::app) << "{\"version\":2,\"part\":\"quer";
  BOOST_TEST(run_once(folder / "run", graph, everything()).lines() == whole.lines());
  BOOST_TEST((contents(folder / "run") == files));
}

/// Kills a run at each of its progress calls, resumes it, and counts the embedded texts.
template <class Model>
void kill_everywhere(const RankOptions& options) {
  struct Killed {};
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  std::size_t calls = 0;
  const Ranked whole =
      run_once<Model>(folder / "whole", graph, options, false, [&](const WorkState&) { ++calls; });
  const auto files = contents(folder / "whole");
  const auto queries =
      static_cast<std::size_t>(NpyFile(folder / "whole/queries.npy").rows().rows());
  BOOST_TEST(calls > 8U);
  for (std::size_t kill = 0; kill < calls; ++kill) {
    const auto path = folder / ("killed " + std::to_string(kill));
    std::size_t call = 0, embedded = 0;
    std::map<std::string, std::size_t> fresh;
    const ProgressCallback until = [&](const WorkState& state) {
      fresh[state.counted] = state.fresh;
      if (call++ == kill) throw Killed();
    };
    BOOST_CHECK_THROW((void)run_once<Model>(path, graph, options, false, until), Killed);
    for (const auto& [part, count] : std::exchange(fresh, {})) embedded += count;
    call = calls;  // the run is not killed again
    const Ranked again = run_once<Model>(path, graph, options, false, until);
    for (const auto& [part, count] : fresh) embedded += count;
    BOOST_TEST(embedded == options.entity_prompts.size() * graph.entities.size() + queries);
    BOOST_TEST(again.lines() == whole.lines());
    BOOST_TEST((contents(path) == files), kill);
  }
}

BOOST_AUTO_TEST_CASE(run_killed_after_any_pack_resumes_there) {
  kill_everywhere<NgramTreeModel>(everything());
  kill_everywhere<NgramTreeModel>(many_prompts());
}

// The nearest entities of each query, determined by sorting the cosines of all entities in its
// relation's range.
BOOST_AUTO_TEST_CASE(the_nearest_candidates_are_those_of_sorting_all) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const RankOptions options{.candidates = CandidateSet::of_relation, .shots = 1};
  NgramTreeModel model("");
  const RankParts parts = rank_parts(graph, options, false, model);
  const RunFolder runs(folder / "run", Json::object(), RunFolder::Claim::resume);
  Work work(runs.file("journal.jsonl"));
  DeerRun run(model, options, runs, work, parts.whole, false);
  const NpyFile entities = run.entities(EntityPrompt::eol).value();
  const TriplePrompt prompt(graph, parts.whole.shots, options.form);
  for (const RankPlan& part : parts.parts) {
    const auto nearest = run.nearest(part, entities.rows(), 3);
    BOOST_REQUIRE(nearest.size() == part.queries.size());
    std::vector<std::string> texts;
    for (const std::uint32_t e : part.candidates.entities()) {
      texts.push_back(entity_text(EntityPrompt::eol, graph.entities[e]));
    }
    const EmbeddingMatrix rows = vectors(texts, false);
    for (std::size_t q = 0; q < nearest.size(); ++q) {
      const EmbeddingMatrix query = vectors({prompt.query(part.queries[q].query)}, false);
      std::vector<double> sorted;
      for (Eigen::Index e = 0; e < rows.rows(); ++e) sorted.push_back(cosine(query, 0, rows, e));
      std::ranges::sort(sorted, std::greater{});
      BOOST_REQUIRE(nearest[q].size() == std::min<std::size_t>(3, texts.size()));
      for (std::size_t i = 0; i < nearest[q].size(); ++i) {
        BOOST_TEST(std::abs(nearest[q][i].cosine - sorted[i]) < 1e-14);
        const double own = cosine(query, 0, rows, static_cast<Eigen::Index>(nearest[q][i].entity));
        BOOST_TEST(std::abs(own - sorted[i]) < 1e-14);
      }
    }
  }
}

// The journal still exists, but the vector file for its packs does not.
BOOST_AUTO_TEST_CASE(vectors_that_are_lost_are_made_again) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const Ranked whole = run_once(folder / "run", graph, everything());
  const auto files = contents(folder / "run", ".npy");
  for (const char* lost : {"entities", "queries"}) {
    std::filesystem::remove(folder / "run" / (std::string(lost) + ".npy"));
    const Ranked again = run_once(folder / "run", graph, everything());
    BOOST_TEST(again.lines() == whole.lines(), lost);
    BOOST_TEST((contents(folder / "run", ".npy") == files), lost);
  }
}

// Flips a bit of the vectors from which the ranks are computed, in a complete and in an incomplete
// run.
BOOST_AUTO_TEST_CASE(changed_vectors_are_refused_and_recomputed_once_deleted) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const Ranked whole = run_once(folder / "run", graph, everything());
  const auto files = contents(folder / "run", ".npy");
  const std::vector<std::string> journal = lines_of(slurp(folder / "run/journal.jsonl"));
  for (const bool is_whole : {true, false}) {
    for (const std::string changed : {"entities", "queries"}) {
      if (!is_whole) take_back(folder / "run", journal, journal.size() - 1, two_files);
      const std::string name =
          changed +
          (std::filesystem::exists(folder / "run" / (changed + ".npy")) ? ".npy" : ".npy.part");
      std::string bytes = slurp(folder / "run" / name);
      bytes[bytes.size() - 5] = static_cast<char>(bytes[bytes.size() - 5] ^ 0x40);
      folder.write("run/" + name, bytes);
      BOOST_CHECK_EXCEPTION(run_once(folder / "run", graph, everything()), Error,
                            test::says(Fault::user, name + ": row "));
      std::filesystem::remove(folder / "run" / name);
      const Ranked again = run_once(folder / "run", graph, everything());
      BOOST_TEST(again.lines() == whole.lines(), name);
      BOOST_TEST((contents(folder / "run", ".npy") == files), name);
    }
  }
  folder.write("run/queries.npy", slurp(folder / "run/entities.npy"));
  BOOST_CHECK_EXCEPTION(
      run_once(folder / "run", graph, everything()), Error,
      test::says(Fault::user, "queries.npy: contains vectors whose shape differs"));
}

// A plain embedder receives batches of whole texts instead of trees; it produces the same vectors
// and ranks.
BOOST_AUTO_TEST_CASE(a_plain_embedder_gives_the_same_ranks) {
  const KnowledgeGraph graph = elements();
  check_by_hand<PlainEmbedder>(graph, {.shots = 2, .heads = true}, true);
  const TemporaryFolder folder;
  for (const RankOptions& options :
       {many_prompts(), {.candidates = CandidateSet::of_relation, .shots = 1}}) {
    const auto path = [&](const std::string& name) {
      return folder / (name + std::to_string(options.shots));
    };
    const Ranked trees = run_once(path("trees"), graph, options);
    const Ranked plain = run_once<PlainEmbedder>(path("plain"), graph, options);
    BOOST_TEST(plain.lines() == trees.lines());
    BOOST_TEST((contents(path("plain"), ".npy") == contents(path("trees"), ".npy")));
    BOOST_TEST((contents(path("plain"), ".txt") == contents(path("trees"), ".txt")));
    BOOST_TEST(plain.summary.cost.tokens_fed == plain.summary.cost.tokens_one_by_one);
    BOOST_TEST(plain.summary.cost.tokens_fed > trees.summary.cost.tokens_fed);
    // The second entry of copper is not a tail of any relation.
    const bool all = options.candidates == CandidateSet::all;
    const std::size_t texts =
        options.entity_prompts.size() * (graph.entities.size() - (all ? 0U : 1U)) +
        static_cast<std::size_t>(NpyFile(path("plain") / "queries.npy").rows().rows());
    BOOST_TEST(plain.summary.cost.statements == texts);
    BOOST_TEST(plain.summary.fresh_statements == texts);
  }
}

BOOST_AUTO_TEST_CASE(plain_embedder_killed_after_any_batch_resumes_there) {
  kill_everywhere<PlainEmbedder>(many_prompts());
}

BOOST_AUTO_TEST_CASE(a_plain_embedder_is_asked_only_for_what_is_left) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const RankOptions options{.shots = 2};
  (void)run_once<PlainEmbedder>(folder / "run", graph, options);
  const auto files = contents(folder / "run");
  // Nine of the 36 tail queries ask about only four different periods, so one batch contains the 31
  // distinct texts; two batches contain the 77 entities.
  const std::vector<std::string> journal = lines_of(files.at("journal.jsonl"));
  BOOST_REQUIRE(journal.size() == 3U);
  using Counts = std::vector<std::size_t>;
  const std::vector<Counts> left{{31, 64, 13}, {64, 13}, {13}, {}};
  for (std::size_t lines = 0; lines < left.size(); ++lines) {
    take_back(folder / "run", journal, lines, two_files);
    PlainEmbedder model("");
    const RankPlan plan = rank_plan(graph, options, model);
    const RunFolder run_folder(folder / "run", Json::object(), RunFolder::Claim::resume);
    Work work(run_folder.file("journal.jsonl"));
    (void)DeerRun(model, options, run_folder, work, plan, false).entities(EntityPrompt::eol);
    BOOST_TEST(model.asked == left[lines], boost::test_tools::per_element());
    BOOST_TEST((contents(folder / "run") == files));
  }
}

BOOST_AUTO_TEST_CASE(an_embedder_of_the_wrong_shape_breaks_the_run) {
  struct Narrow : PlainEmbedder {
    using PlainEmbedder::PlainEmbedder;
    [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts, bool with_bos) {
      return PlainEmbedder::embed(texts, with_bos).leftCols(200);
    }
  };
  const TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(
      (void)run_once<Narrow>(folder / "run", elements(), {.shots = 2}), Error,
      says(Fault::internal,
           "embed: the model returned 31 vectors of 200 numbers for 31 texts, but "
           "dimension() is 257; fix the model's embed or dimension"));
  // No part of the run is considered finished.
  BOOST_TEST(slurp(folder / "run/journal.jsonl").empty());
  BOOST_TEST(!std::filesystem::exists(folder / "run/queries.npy"));
}

BOOST_AUTO_TEST_CASE(a_finished_run_embeds_nothing_again) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const Ranked whole = run_once(folder / "run", graph, everything());
  const auto files = contents(folder / "run");
  const Ranked again = run_once(folder / "run", graph, everything());
  BOOST_TEST(again.tokens_fed == 0U);
  BOOST_TEST(again.lines() == whole.lines());
  BOOST_TEST((contents(folder / "run") == files));
}

// As in other jobs, run.json contains the cost of the whole ranking, no matter how often it was
// resumed.
BOOST_AUTO_TEST_CASE(what_the_whole_cost_is_counted_when_it_is_taken_up_too) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const Ranked whole = run_once(folder / "run", graph, everything());
  const Ranked again = run_once(folder / "run", graph, everything());
  BOOST_TEST(again.summary.cost.statements == whole.summary.cost.statements);
  BOOST_TEST(again.summary.cost.tokens_one_by_one == whole.summary.cost.tokens_one_by_one);
  BOOST_TEST(again.summary.cost.tokens_fed == whole.summary.cost.tokens_fed);
}

// As in other jobs, the number of texts embedded by this process is counted.
BOOST_AUTO_TEST_CASE(what_is_embedded_now_is_counted) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  BOOST_TEST(run_once(folder / "run", graph, everything()).summary.fresh_statements > 0U);
  BOOST_TEST(run_once(folder / "run", graph, everything()).summary.fresh_statements == 0U);
}

BOOST_AUTO_TEST_CASE(vectors_made_elsewhere_take_the_place_of_embedded_ones) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const RankOptions options{.shots = 2, .heads = true};
  const Ranked own = run_once(folder / "own", graph, options);
  NgramTreeModel model("");
  const RankPlan plan = rank_plan(graph, options, model);
  const auto ranks = [&](const std::string& path, const EmbeddingMatrix& given) {
    const RunFolder run_folder(folder / path, Json::object(), RunFolder::Claim::resume);
    Work work(run_folder.file("journal.jsonl"));
    return DeerRun(model, options, run_folder, work, plan, false)
        .rank(plan, VectorRows(given.data(), given.rows(), given.cols()));
  };
  std::vector<std::string> texts;
  for (const Entity& entity : graph.entities) {
    texts.push_back(entity_text(EntityPrompt::eol, entity));
  }
  EmbeddingMatrix given = vectors(texts, false);
  BOOST_TEST((Ranked{ranks("same", given), {}, 0}.lines() == own.lines()));
  BOOST_TEST(!std::filesystem::exists(folder / "same/entities.npy"));
  BOOST_TEST(slurp(folder / "same/queries.npy") == slurp(folder / "own/queries.npy"));
  // The vector of the first query's true tail is set to the query's own vector.
  const std::string first =
      TriplePrompt(graph, plan.shots, options.form).query(plan.queries[0].query);
  given.row(static_cast<Eigen::Index>(plan.queries[0].query.gold())) =
      7 * vectors({first}, false).row(0);
  const EntityRank best = ranks("best", given).front();
  BOOST_TEST(std::abs(best.score - 1) < 1e-12);
  BOOST_TEST((best.raw == Rank{0, 0}));
  const EmbeddingMatrix narrow = given.leftCols(200);
  BOOST_CHECK_EXCEPTION(
      (void)ranks("narrow", narrow), Error,
      says(Fault::user, "queries: have 257 dimensions, but the entities have 200"));
  given.row(3).setZero();
  BOOST_CHECK_EXCEPTION((void)ranks("zero", given), Error,
                        says(Fault::user, "entities: row 3 is a zero vector"));
}

BOOST_AUTO_TEST_CASE(fewer_candidates_are_ranked_again_from_the_same_vectors) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const RankOptions options{.part = GraphPart::all, .shots = 2};
  NgramTreeModel model("");
  const RankPlan whole = rank_plan(graph, options, model);
  const RankPlan single = single_token_plan(whole, model, options.form);
  const RunFolder run_folder(folder / "run", Json::object(), RunFolder::Claim::resume);
  Work work(run_folder.file("journal.jsonl"));
  DeerRun run(model, options, run_folder, work, whole, false);
  const NpyFile entities = run.entities(EntityPrompt::eol).value();
  BOOST_TEST(run.rank(whole, entities.rows()).size() == whole.queries.size());
  const std::size_t fed = model.tokens_fed;
  const Ranked again{run.rank(single, entities.rows()), {}, 0};
  BOOST_TEST(model.tokens_fed == fed);
  RankOptions narrow = options;
  narrow.candidates = CandidateSet::single_token;
  BOOST_TEST(again.ranks.size() == 10U);
  BOOST_TEST(again.lines() == run_once(folder / "narrow", graph, narrow).lines());
}

BOOST_AUTO_TEST_CASE(a_text_past_the_models_context_is_refused) {
  KnowledgeGraph graph = elements();
  graph.entities[5].description = std::string(5000, 'x');
  const TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(
      (void)run_once(folder / "run", graph, {.shots = 2}), Error,
      says(Fault::user, "tokens; the model's limit is 4096; shorten the name or description"));
}

BOOST_AUTO_TEST_SUITE_END()
