// SPDX-License-Identifier: Apache-2.0
#include "plumb/run/deer_run.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "support/errors.hpp"
#include "support/small_graph.hpp"
#include "support/small_run.hpp"

using namespace plumb;
using test::contents;
using test::elements;
using test::reader_of_elements;
using test::says;
using test::slurp;
using test::TemporaryFolder;

namespace {

/// A ranking's lines, as they are kept, and what it took.
struct Ranked {
  std::vector<EntityRank> ranks;
  RunSummary summary;
  std::size_t tokens_fed = 0;

  [[nodiscard]] std::string lines() const {
    std::string text;
    for (const EntityRank& rank : ranks) text += entity_rank_line(rank);
    return text;
  }
};

/// One process: model, folder and run made anew, as after a crash.
Ranked run_once(const std::filesystem::path& path, const KnowledgeGraph& graph,
                const RankOptions& options, bool with_bos = false, RankProgress on_progress = {}) {
  NgramTreeModel model("");
  const RankPlan plan = rank_plan(graph, options, model);
  const RunFolder folder(path, Json::object(), true);
  RankWork work(folder.file("journal.jsonl"), std::move(on_progress));
  DeerRun run(model, options, folder, work);
  Ranked made;
  made.ranks = run.rank(plan, with_bos, std::nullopt);
  made.summary = work.summary;
  made.tokens_fed = model.tokens_fed;
  return made;
}

EmbeddingMatrix vectors(const std::vector<std::string>& texts, bool with_bos) {
  return DecayEmbedder().embed(texts, with_bos);
}

/// Of two rows, in double precision. Ranks are defined by the order in which the terms are added
/// where cosines are nearer than their rounding; any other order is as near as that.
double cosine(const EmbeddingMatrix& a, Eigen::Index i, const EmbeddingMatrix& b, Eigen::Index j) {
  const auto dimension = static_cast<std::size_t>(a.cols());
  const float* x = a.data() + static_cast<std::size_t>(i) * dimension;
  const float* y = b.data() + static_cast<std::size_t>(j) * dimension;
  const double made = detail::exact_dot(x, y, dimension) /
                      std::sqrt(detail::exact_dot(y, y, dimension)) /
                      std::sqrt(detail::exact_dot(x, x, dimension));
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t d = 0; d < dimension; ++d) {
    xy += static_cast<double>(x[d]) * static_cast<double>(y[d]);
    xx += static_cast<double>(x[d]) * static_cast<double>(x[d]);
    yy += static_cast<double>(y[d]) * static_cast<double>(y[d]);
  }
  BOOST_TEST(std::abs(made - xy / std::sqrt(xx * yy)) < 1e-14);
  return made;
}

bool answers(const KnowledgeGraph& graph, const GraphQuery& query, std::uint32_t entity) {
  const Triple& asked = query.triple;
  for (const auto* part : {&graph.train, &graph.valid, &graph.test}) {
    for (const Triple& t : *part) {
      if (t.relation != asked.relation) continue;
      if (query.asks_head ? t.tail == asked.tail && t.head == entity
                          : t.head == asked.head && t.tail == entity) {
        return true;
      }
    }
  }
  return false;
}

/// Checks every line against the cosines of all candidates.
void check_by_hand(const KnowledgeGraph& graph, const RankOptions& options, bool with_bos) {
  const TemporaryFolder folder;
  const Ranked made = run_once(folder / "run", graph, options, with_bos);
  const RankPlan plan = rank_plan(graph, options, NgramModel(""));
  const TriplePrompt prompt(graph, plan.shots, options.form);
  std::vector<std::string> texts, asked;
  for (const std::uint32_t e : plan.candidates.entities()) {
    texts.push_back(entity_text(options.entity_prompt, graph.entities[e]));
  }
  for (const PlannedQuery& planned : plan.queries) asked.push_back(prompt.query(planned.query));
  const EmbeddingMatrix entities = vectors(texts, with_bos), queries = vectors(asked, with_bos);
  BOOST_REQUIRE(made.ranks.size() == plan.queries.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const GraphQuery& query = plan.queries[i].query;
    const EntityRank& rank = made.ranks[i];
    const auto row = static_cast<Eigen::Index>(i);
    const auto gold = static_cast<Eigen::Index>(plan.candidates.place(query.gold()));
    const double score = cosine(queries, row, entities, gold);
    Rank raw, filtered;
    std::size_t left = 0;
    for (std::size_t c = 0; c < texts.size(); ++c) {
      const bool is_other_truth = static_cast<Eigen::Index>(c) != gold &&
                                  answers(graph, query, plan.candidates.entities()[c]);
      left += is_other_truth ? 0U : 1U;
      if (static_cast<Eigen::Index>(c) == gold) continue;
      const double other = cosine(queries, row, entities, static_cast<Eigen::Index>(c));
      raw.above += other > score ? 1U : 0U;
      raw.equal += other == score ? 1U : 0U;
      if (is_other_truth) continue;
      filtered.above += other > score ? 1U : 0U;
      filtered.equal += other == score ? 1U : 0U;
    }
    BOOST_TEST(std::abs(rank.score - score) < 1e-15);
    BOOST_TEST((rank.raw == raw));
    BOOST_TEST((rank.filtered == filtered));
    BOOST_TEST(rank.candidates == texts.size());
    BOOST_TEST(rank.filtered_candidates == left);
    BOOST_TEST(rank.undecided == 0U);
    BOOST_TEST(rank.line == query.triple.line);
    BOOST_TEST(rank.part == plan.queries[i].part);
    BOOST_TEST(rank.asks_head == query.asks_head);
  }
}

/// All parts and both sides: 286 queries in several packs.
RankOptions everything() {
  return {.part = GraphPart::all, .shots = 2, .heads = true};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    lines.push_back(text.substr(at, text.find('\n', at) - at));
  }
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(deer_run)

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

BOOST_AUTO_TEST_CASE(every_entity_prompt_is_written_as_it_is) {
  for (const EntityPrompt prompt : {EntityPrompt::a, EntityPrompt::b, EntityPrompt::c}) {
    check_by_hand(elements(), {.limit = 6, .shots = 1, .entity_prompt = prompt}, false);
  }
}

// The second entry of copper is written as the first, so whichever is asked for is tied.
BOOST_AUTO_TEST_CASE(entities_of_one_text_are_tied) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const Ranked made = run_once(folder / "run", graph, everything());
  std::size_t tied = 0;
  for (const EntityRank& rank : made.ranks) {
    if ((rank.asks_head ? rank.head : rank.tail) != "e29") continue;
    ++tied;
    BOOST_TEST(rank.raw.equal >= 1U);
    BOOST_TEST(rank.filtered.equal >= 1U);  // the second entry answers nothing
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
  // By hand: each given entity and relation once, those that ask for tails first.
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
  BOOST_TEST(texts.size() == graph.entities.size() - 1);  // copper's is embedded once
  for (const PlannedQuery& planned : plan.queries) {
    const std::string text = prompt.query(planned.query);
    if (texts.insert(text).second) bytes += text.size();
  }
  BOOST_TEST(made.summary.cost.statements == texts.size());
  BOOST_TEST(made.summary.cost.tokens_one_by_one == bytes);
  // The shots of each side, which are alike in all its queries, are fed once.
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
  const RankProgress look = [&](const std::string& part, std::size_t done, std::size_t fresh,
                                std::size_t total) { seen[part].emplace_back(done, fresh, total); };
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

/// Puts a folder back to where its job was when the journal had these lines.
void take_back(const std::filesystem::path& run, const std::vector<std::string>& journal,
               std::size_t lines) {
  std::string text;
  std::size_t entities = 0;
  for (std::size_t l = 0; l < lines; ++l) {
    text += journal[l] + "\n";
    entities += Json::parse(journal[l]).at("part") == "entities" ? 1U : 0U;
  }
  std::ofstream(run / "journal.jsonl", std::ios::binary) << text;
  // Rows that are not done hold what was there before: nothing that may be relied on.
  const auto unfinish = [&](const std::string& what) {
    if (!std::filesystem::exists(run / (what + ".npy"))) return;
    std::filesystem::rename(run / (what + ".npy"), run / (what + ".npy.part"));
    std::filesystem::remove(run / (what + ".txt"));
  };
  unfinish("entities");
  if (entities == 0) unfinish("queries");
}

BOOST_AUTO_TEST_CASE(a_run_taken_up_after_any_line_of_its_journal_gives_the_same_bytes) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const Ranked whole = run_once(folder / "run", graph, everything());
  const auto files = contents(folder / "run");
  const std::vector<std::string> journal = lines_of(files.at("journal.jsonl"));
  BOOST_TEST(journal.size() > 12U);
  std::size_t before = whole.tokens_fed + 1;
  for (std::size_t lines = 0; lines <= journal.size(); ++lines) {
    take_back(folder / "run", journal, lines);
    const Ranked again = run_once(folder / "run", graph, everything());
    BOOST_TEST((contents(folder / "run") == files), lines);
    BOOST_TEST(again.lines() == whole.lines());
    // Each line more is a pack less; contexts are held anew where a pack is left.
    BOOST_TEST(again.tokens_fed < before, lines);
    before = again.tokens_fed;
  }
  BOOST_TEST(before == 0U);
}

BOOST_AUTO_TEST_CASE(a_torn_last_line_is_a_pack_that_is_not_done) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const Ranked whole = run_once(folder / "run", graph, everything());
  const auto files = contents(folder / "run");
  take_back(folder / "run", lines_of(files.at("journal.jsonl")), 3);
  std::ofstream(folder / "run/journal.jsonl", std::ios::app) << "{\"part\": \"quer";
  BOOST_TEST(run_once(folder / "run", graph, everything()).lines() == whole.lines());
  BOOST_TEST((contents(folder / "run") == files));
}

BOOST_AUTO_TEST_CASE(a_run_killed_after_any_pack_goes_on_from_there) {
  struct Killed {};
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  std::size_t calls = 0;
  const Ranked whole =
      run_once(folder / "whole", graph, everything(), false,
               [&](const std::string&, std::size_t, std::size_t, std::size_t) { ++calls; });
  const auto files = contents(folder / "whole");
  for (std::size_t kill = 0; kill < calls; ++kill) {
    const auto path = folder / ("killed " + std::to_string(kill));
    std::size_t call = 0, embedded = 0;
    std::map<std::string, std::size_t> fresh;
    const RankProgress until = [&](const std::string& part, std::size_t, std::size_t now,
                                   std::size_t) {
      fresh[part] = now;
      if (call++ == kill) throw Killed();
    };
    BOOST_CHECK_THROW((void)run_once(path, graph, everything(), false, until), Killed);
    for (const auto& [part, count] : std::exchange(fresh, {})) embedded += count;
    call = calls;  // not again
    const Ranked again = run_once(path, graph, everything(), false, until);
    for (const auto& [part, count] : fresh) embedded += count;
    BOOST_TEST(embedded == graph.entities.size() + NpyFile(path / "queries.npy").rows().rows());
    BOOST_TEST(again.lines() == whole.lines());
    BOOST_TEST((contents(path) == files), kill);
  }
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

// As of other jobs: run.json tells what the whole ranking cost, however often it was taken up.
BOOST_AUTO_TEST_CASE(what_the_whole_cost_is_counted_when_it_is_taken_up_too) {
  const KnowledgeGraph graph = elements();
  const TemporaryFolder folder;
  const Ranked whole = run_once(folder / "run", graph, everything());
  const Ranked again = run_once(folder / "run", graph, everything());
  BOOST_TEST(again.summary.cost.statements == whole.summary.cost.statements);
  BOOST_TEST(again.summary.cost.tokens_one_by_one == whole.summary.cost.tokens_one_by_one);
  BOOST_TEST(again.summary.cost.tokens_fed == whole.summary.cost.tokens_fed);
}

// What was embedded by this process, as of other jobs.
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
    const RunFolder run_folder(folder / path, Json::object(), true);
    RankWork work(run_folder.file("journal.jsonl"), {});
    return DeerRun(model, options, run_folder, work)
        .rank(plan, false, VectorRows(given.data(), given.rows(), given.cols()));
  };
  std::vector<std::string> texts;
  for (const Entity& entity : graph.entities) {
    texts.push_back(entity_text(EntityPrompt::eol, entity));
  }
  EmbeddingMatrix given = vectors(texts, false);
  BOOST_TEST((Ranked{ranks("same", given), {}, 0}.lines() == own.lines()));
  BOOST_TEST(!std::filesystem::exists(folder / "same/entities.npy"));
  BOOST_TEST(slurp(folder / "same/queries.npy") == slurp(folder / "own/queries.npy"));
  // The vectors of the true tail of the first query is that of the query itself.
  const std::string first =
      TriplePrompt(graph, plan.shots, options.form).query(plan.queries[0].query);
  given.row(static_cast<Eigen::Index>(plan.queries[0].query.gold())) =
      7 * vectors({first}, false).row(0);
  const EntityRank best = ranks("best", given).front();
  BOOST_TEST(std::abs(best.score - 1) < 1e-12);
  BOOST_TEST((best.raw == Rank{0, 0}));
  const EmbeddingMatrix narrow = given.leftCols(200);
  BOOST_CHECK_EXCEPTION((void)ranks("narrow", narrow), Error,
                        says(Fault::user, "queries: have 257 dimensions, the entities 200"));
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
  const RunFolder run_folder(folder / "run", Json::object(), true);
  RankWork work(run_folder.file("journal.jsonl"), {});
  DeerRun run(model, options, run_folder, work);
  (void)run.rank(whole, false, std::nullopt);
  const std::size_t fed = model.tokens_fed;
  const NpyFile entities(folder / "run/entities.npy");
  const Ranked again{run.rank_again(whole, single, entities.rows()), {}, 0};
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
  BOOST_CHECK_EXCEPTION((void)run_once(folder / "run", graph, {.shots = 2}), Error,
                        says(Fault::user,
                             "tokens, the model's context 4096; shorten the name or "
                             "description"));
}

BOOST_AUTO_TEST_SUITE_END()
