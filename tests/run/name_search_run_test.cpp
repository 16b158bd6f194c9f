// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/name_search_run.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/run/rank_parts.hpp"
#include "support/errors.hpp"
#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::answers;
using test::elements;
using test::reader_of_elements;
using test::says;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(name_search_run)

namespace {

enum class Method { likelihood, lm_head };

/// A ranking and its cost.
struct Ranked {
  std::vector<EntityRank> ranks;
  RunSummary summary;
  std::map<std::string, NameSearchCost> cost;
  std::size_t tokens_fed = 0;

  [[nodiscard]] std::string lines() const {
    std::string text;
    for (const EntityRank& rank : ranks) text += row_line(rank);
    return text;
  }
};

/// The settings of a ranking, and its model.
struct Job {
  RankOptions options{};
  Method method = Method::likelihood;
  bool with_bos = true;
  std::vector<std::string> pieces{};
  ProgressCallback on_progress{};
  /// The limits leave enough room for searches with many prompts.
  TreeLimits limits{8192, 256, 256};
};

/// Simulates one process: a new model and a new run, as after a crash.
template <class Model = NgramTreeModel>
Ranked run_once(const std::filesystem::path& journal, const KnowledgeGraph& graph, const Job& job) {
  Model model = reader_of_elements<Model>(job.pieces);
  if constexpr (TreeCausalLm<Model>) model.limits = job.limits;
  const bool by_names = job.method == Method::likelihood;
  const RankParts parts = rank_parts(graph, job.options, !by_names, model);
  Work work(journal, {job.on_progress, {}});
  KeptPrompts prompts(model, require_bos(model, job.with_bos));
  NameSearchRun run(model, job.options, prompts, work);
  Ranked made;
  made.ranks = ranks_of(by_names ? parts.parts : parts.single, [&](const RankPlan& part, auto p) {
    return by_names ? run.likelihood(part, parts.label(p)) : run.lm_head(part, parts.label(p));
  });
  made.summary = work.summary();
  made.cost = run.cost();
  if constexpr (TreeCausalLm<Model>) made.tokens_fed = model.tokens_fed;
  return made;
}

std::vector<TokenId> ids_of(const NgramModel& model, const std::string& text) {
  std::vector<TokenId> ids;
  for (const Token& token : model.tokenize(text).tokens) ids.push_back(token.id);
  return ids;
}

/// ln P of a text that follows another text, computed token by token, and the number of its tokens.
std::pair<double, std::size_t> likelihood_by_hand(const NgramModel& model,
                                                  const std::string& prompt,
                                                  const std::string& text, bool with_bos) {
  std::vector<TokenId> prefix;
  if (with_bos) prefix.push_back(*model.bos());
  for (const TokenId id : ids_of(model, prompt)) prefix.push_back(id);
  const std::vector<TokenId> ids = ids_of(model, text);
  double sum = 0;
  for (const TokenId id : ids) {
    sum += model.log_probability(prefix, id);
    prefix.push_back(id);
  }
  return {sum, ids.size()};
}

/// The bounds of a candidate's rank. A score within 1e-5 nats of another score may be on either
/// side of it; this tolerance exceeds the rounding error of single-precision logits.
struct Bounds {
  std::size_t above = 0, near = 0, same_text = 0;

  void count(double score, double gold, bool is_same_text) {
    same_text += is_same_text ? 1U : 0U;
    if (is_same_text) return;
    above += score > gold + 1e-5 ? 1U : 0U;
    near += std::abs(score - gold) <= 1e-5 ? 1U : 0U;
  }
  [[nodiscard]] bool allow(const Rank& rank) const {
    return rank.above >= above && rank.above <= above + near && rank.equal >= same_text &&
           rank.above + rank.equal <= above + near + same_text &&
           (near > 0 || rank == Rank{above, same_text});
  }
};

/// The number of ranks, and how many of them are determined exactly by the scores computed here.
struct Checked {
  std::size_t ranks = 0, exact = 0, filtered_differs = 0, tied = 0;
};

/// The entities among which a query's true entity is ranked: all the relation's tails if candidates
/// are limited to the relation; for the LM head, only tails with a one-token name.
std::vector<std::uint32_t> candidates_of(const RankPlan& plan, const Job& job,
                                         const NgramModel& model, const GraphQuery& query) {
  if (job.options.candidates != CandidateSet::of_relation) return plan.candidates.entities();
  std::set<std::uint32_t> tails;
  for (const auto* part : {&plan.graph.train, &plan.graph.valid, &plan.graph.test}) {
    for (const Triple& t : *part) {
      if (t.relation == query.triple.relation) tails.insert(t.tail);
    }
  }
  if (job.method == Method::lm_head) {
    const std::string before = job.options.form == QueryForm::paper ? " " : "";
    std::erase_if(tails, [&](std::uint32_t e) {
      return model.tokenize(before + plan.graph.entities[e].name).tokens.size() != 1;
    });
  }
  return {tails.begin(), tails.end()};
}

/// The queries that are ranked, in the order in which their ranks are listed.
std::vector<PlannedQuery> queries_of(const RankPlan& plan, const Job& job,
                                     const NgramModel& model) {
  std::vector<PlannedQuery> all = plan.queries;
  if (job.options.candidates != CandidateSet::of_relation) return all;
  std::erase_if(all, [&](const PlannedQuery& one) {
    const auto candidates = candidates_of(plan, job, model, one.query);
    return std::ranges::find(candidates, one.query.gold()) == candidates.end();
  });
  std::ranges::stable_sort(all, {},
                           [](const PlannedQuery& one) { return one.query.triple.relation; });
  return all;
}

/// Checks every line against the scores of all its candidates.
Checked check_by_hand(const Job& job) {
  const KnowledgeGraph graph = elements();
  const RankOptions& options = job.options;
  const TemporaryFolder folder;
  const Ranked made = run_once(folder / "journal.jsonl", graph, job);
  const NgramModel model = reader_of_elements<NgramModel>(job.pieces);
  const RankPlan plan = rank_plan(graph, options, model);
  const bool by_names = job.method == Method::likelihood;
  const QueryForm form = by_names ? QueryForm::paper : options.form;
  const TriplePrompt prompt(graph, plan.shots, form);
  std::vector<std::string> texts;
  for (const Entity& entity : graph.entities) {
    texts.push_back((form == QueryForm::paper ? " " : "") + entity.name + (by_names ? ")" : ""));
  }
  const std::vector<PlannedQuery> asked = queries_of(plan, job, model);
  Checked checked;
  BOOST_REQUIRE(made.ranks.size() == asked.size());
  for (std::size_t i = 0; i < made.ranks.size(); ++i) {
    const GraphQuery& query = asked[i].query;
    const EntityRank& rank = made.ranks[i];
    const auto score = [&](std::uint32_t e) {
      const auto [sum, tokens] =
          likelihood_by_hand(model, prompt.query(query), texts[e], job.with_bos);
      const bool mean = by_names && options.search.reduction == NameReduction::mean;
      return mean ? sum / static_cast<double>(tokens) : sum;
    };
    const std::uint32_t gold = query.gold();
    const double gold_score = score(gold);
    Bounds raw, filtered;
    std::size_t left = 0;
    const std::vector<std::uint32_t> candidates = candidates_of(plan, job, model, query);
    for (const std::uint32_t e : candidates) {
      const bool is_other_truth = e != gold && answers(graph, query, e);
      left += is_other_truth ? 0U : 1U;
      if (e == gold) continue;
      const double other = score(e);
      raw.count(other, gold_score, texts[e] == texts[gold]);
      if (!is_other_truth) filtered.count(other, gold_score, texts[e] == texts[gold]);
    }
    BOOST_TEST(std::abs(rank.score - gold_score) < 1e-4);
    BOOST_TEST(raw.allow(rank.raw));
    BOOST_TEST(filtered.allow(rank.filtered));
    BOOST_TEST(rank.candidates == candidates.size());
    BOOST_TEST(rank.filtered_candidates == left);
    BOOST_TEST(rank.undecided == 0U);
    BOOST_TEST(rank.line == query.triple.line);
    BOOST_TEST(rank.part == asked[i].part);
    BOOST_TEST(rank.asks_head == query.asks_head);
    ++checked.ranks;
    checked.exact += raw.near == 0 ? 1U : 0U;
    checked.filtered_differs += rank.raw == rank.filtered ? 0U : 1U;
    checked.tied += raw.same_text;
  }
  return checked;
}

/// Options for all parts and both sides: 143 queries, and therefore five packs, on each side.
RankOptions everything() {
  return {.part = GraphPart::all, .shots = 2, .heads = true};
}

/// Options for entities with one-letter names: ten queries.
RankOptions one_token() {
  return {.part = GraphPart::all, .candidates = CandidateSet::single_token, .shots = 2};
}

/// Options for all parts, with each relation's queries ranked among its tails: 36, 35, 36 and 36
/// queries.
RankOptions by_relation() {
  return {.part = GraphPart::all, .candidates = CandidateSet::of_relation, .shots = 2};
}

/// The distinct parts in a journal's lines, sorted.
std::set<std::string> parts_in(const std::string& journal) {
  std::set<std::string> parts;
  for (std::size_t at = 0; at < journal.size(); at = journal.find('\n', at) + 1) {
    parts.insert(Json::parse(journal.substr(at, journal.find('\n', at) - at)).at("part"));
  }
  return parts;
}

}  // namespace

BOOST_AUTO_TEST_CASE(likelihood_ranks_are_those_of_scoring_every_name) {
  const Checked all = check_by_hand({everything()});
  BOOST_TEST(all.ranks == 286U);
  BOOST_TEST(all.exact > 200U);
  BOOST_TEST(all.filtered_differs > 20U);
  BOOST_TEST(all.tied == 5U);  // copper's second entry
  BOOST_TEST(check_by_hand({.options = {.shots = 2}, .with_bos = false}).exact > 20U);
  BOOST_TEST(check_by_hand({{.shots = 0}}).exact > 20U);
}

// Only the other methods support the query form used by the paper's program.
BOOST_AUTO_TEST_CASE(likelihoods_take_the_papers_form_whatever_is_asked_for) {
  for (const QueryForm form : {QueryForm::reference, QueryForm::paper}) {
    (void)check_by_hand({{.shots = 1, .form = form}});
  }
}

BOOST_AUTO_TEST_CASE(means_over_tokens_rank_too) {
  const Checked checked = check_by_hand({{.part = GraphPart::valid,
                                          .shots = 1,
                                          .heads = true,
                                          .search = {.reduction = NameReduction::mean}}});
  BOOST_TEST(checked.ranks == 72U);
  BOOST_TEST(checked.exact > 40U);
}

BOOST_AUTO_TEST_CASE(fewer_candidates_are_ranked_among_themselves) {
  (void)check_by_hand(
      {{.candidates = CandidateSet::of_queries, .sample = 9, .shots = 2, .heads = true}});
  (void)check_by_hand(
      {{.part = GraphPart::all, .candidates = CandidateSet::single_token, .shots = 2}});
}

BOOST_AUTO_TEST_CASE(the_lm_head_ranks_by_the_next_token_alone) {
  Job job{one_token(), Method::lm_head};
  BOOST_TEST(check_by_hand(job).ranks == 10U);
  job.with_bos = false;
  BOOST_TEST(check_by_hand(job).ranks == 10U);
  job.options.form = QueryForm::paper;
  job.pieces = {" H", " O", " neon", " argon", " period 2", " copper"};
  // H and O are tails of "is written as"; neon, argon and copper are tails of "is followed by" and
  // of "holds"; eight elements have the tail "period 2".
  BOOST_TEST(check_by_hand(job).ranks == 2U + 6U + 8U);
  job.options.heads = true;
  // As heads, neon, argon and copper appear in "is written as", "is followed by" and "stands in";
  // "period 2" is the head in eight triples.
  BOOST_TEST(check_by_hand(job).ranks == 2U + 6U + 8U + 9U + 8U);
}

BOOST_AUTO_TEST_CASE(a_relations_queries_are_ranked_among_its_tails) {
  const Checked checked = check_by_hand({by_relation()});
  BOOST_TEST(checked.ranks == 143U);
  BOOST_TEST(checked.exact > 80U);
  BOOST_TEST(checked.filtered_differs > 10U);  // periods have many other true tails
  BOOST_TEST(checked.tied == 0U);              // the second entry of copper is not a tail
  RankOptions one = by_relation();
  one.relations = {"in"};
  BOOST_TEST(check_by_hand({.options = one, .with_bos = false}).ranks == 36U);
}

// Ten symbols are one-letter names; no tail of the other relations has a one-letter name.
BOOST_AUTO_TEST_CASE(the_lm_head_ranks_the_relations_that_have_names_of_one_token) {
  Job job{by_relation(), Method::lm_head};
  BOOST_TEST(check_by_hand(job).ranks == 10U);
  job.options.form = QueryForm::paper;
  job.pieces = {" H", " O", " neon", " argon", " period 2", " copper"};
  // H and O are tails of "is written as"; neon, argon and copper are tails of "is followed by" and
  // again of "holds"; eight elements have the tail "period 2".
  BOOST_TEST(check_by_hand(job).ranks == 2U + 3U + 3U + 8U);
}

BOOST_AUTO_TEST_CASE(parts_with_labels_do_not_mix_in_the_journal) {
  const TemporaryFolder folder;
  const KnowledgeGraph graph = elements();
  const auto file = folder / "journal.jsonl";
  const Ranked whole = run_once(file, graph, {by_relation()});
  using Names = std::set<std::string>;
  BOOST_TEST((parts_in(slurp(file)) ==
              Names{"likelihood symbol", "likelihood next", "likelihood holds", "likelihood in"}));
  BOOST_REQUIRE(whole.cost.size() == 1U);  // one row for the method, covering all relations
  BOOST_TEST(whole.cost.at("likelihood").queries == 143U);
  // "holds" and "in" have the same number of queries, so their counts would not reveal a mix-up.
  for (const char* relation : {"holds", "in"}) {
    Job alone{by_relation()};
    alone.options.relations = {relation};
    const Ranked ranks = run_once(folder / relation, graph, alone);
    BOOST_TEST(
        (parts_in(slurp(folder / relation)) == Names{std::string("likelihood ") + relation}));
    BOOST_TEST(!ranks.lines().empty());
    BOOST_TEST(whole.lines().find(ranks.lines()) != std::string::npos, relation);
  }
  const Ranked again = run_once(file, graph, {by_relation()});
  BOOST_TEST(again.tokens_fed == 0U);
  BOOST_TEST(again.lines() == whole.lines());
  BOOST_TEST(again.cost.at("likelihood").expanded == whole.cost.at("likelihood").expanded);
  // The journal also contains the LM head's searches.
  (void)run_once(file, graph, {by_relation(), Method::lm_head});
  BOOST_TEST(parts_in(slurp(file)).contains("lm-head symbol"));
  BOOST_TEST(parts_in(slurp(file)).size() == 5U);
}

BOOST_AUTO_TEST_CASE(a_label_stands_behind_the_side) {
  const TemporaryFolder folder;
  const KnowledgeGraph graph = elements();
  NgramTreeModel model = reader_of_elements();
  const RankOptions options{.limit = 2, .shots = 1, .heads = true};
  const RankPlan plan = rank_plan(graph, options, model);
  Work work(folder / "journal.jsonl");
  KeptPrompts prompts(model, model.bos());
  NameSearchRun run(model, options, prompts, work);
  const auto lines = [](const std::vector<EntityRank>& ranks) {
    std::string text;
    for (const EntityRank& rank : ranks) text += row_line(rank);
    return text;
  };
  const std::string bare = lines(run.likelihood(plan));
  const std::size_t fed = model.tokens_fed;
  BOOST_TEST(lines(run.likelihood(plan, "one")) == bare);
  BOOST_TEST(model.tokens_fed == 2 * fed);  // searched again, under the label
  BOOST_TEST(lines(run.likelihood(plan, "one")) == bare);
  BOOST_TEST(model.tokens_fed == 2 * fed);
  BOOST_TEST((parts_in(slurp(folder / "journal.jsonl")) ==
              std::set<std::string>{"likelihood", "likelihood heads", "likelihood heads one",
                                    "likelihood one"}));
  BOOST_TEST(run.cost().size() == 2U);
  BOOST_TEST(run.cost().at("likelihood heads").queries == 6U);
}

// Limits on name searches do not apply to the LM head.
BOOST_AUTO_TEST_CASE(the_lm_head_is_never_cut_short) {
  const TemporaryFolder folder;
  Job job{one_token(), Method::lm_head};
  const std::string whole = run_once(folder / "a.jsonl", elements(), job).lines();
  job.options.search = {NameReduction::mean, 1, 1};
  BOOST_TEST(run_once(folder / "b.jsonl", elements(), job).lines() == whole);
}

BOOST_AUTO_TEST_CASE(a_model_without_trees_gives_the_same_ranks) {
  const Job job{{.limit = 4, .shots = 1, .heads = true}};
  const TemporaryFolder folder;
  const KnowledgeGraph graph = elements();
  BOOST_TEST(run_once<NgramModel>(folder / "a.jsonl", graph, job).lines() ==
             run_once<NgramTreeModel>(folder / "b.jsonl", graph, job).lines());
}

// A search ends when the filtered rank is certain to be above 30.
BOOST_AUTO_TEST_CASE(a_search_for_hits_ends_early_and_is_right_about_them) {
  const TemporaryFolder folder;
  const KnowledgeGraph graph = elements();
  Job job{everything()};
  const Ranked exact = run_once(folder / "exact.jsonl", graph, job);
  job.options.search.hits = 30;
  const Ranked early = run_once(folder / "early.jsonl", graph, job);
  std::size_t cut = 0, hits = 0;
  for (std::size_t i = 0; i < exact.ranks.size(); ++i) {
    const EntityRank& whole = exact.ranks[i];
    const EntityRank& part = early.ranks[i];
    BOOST_TEST(part.score == whole.score);
    BOOST_TEST((part.filtered.above >= 30) == (whole.filtered.above >= 30));
    BOOST_TEST(part.raw.above <= whole.raw.above);
    BOOST_TEST(whole.raw.above <= part.raw.above + part.undecided);
    if (part.undecided == 0) {
      BOOST_TEST((part.raw == whole.raw));
      BOOST_TEST((part.filtered == whole.filtered));
    }
    if (part.filtered.above < 30) BOOST_TEST(part.undecided == 0U);
    cut += part.undecided > 0 ? 1U : 0U;
    hits += part.filtered.above < 30 ? 1U : 0U;
  }
  BOOST_TEST(cut > 20U);
  BOOST_TEST(hits > 20U);
  BOOST_TEST(early.cost.at("likelihood").expanded < exact.cost.at("likelihood").expanded);
  BOOST_TEST(early.tokens_fed < exact.tokens_fed);
}

// With this limit, the model has room for each prompt and for many times the number of names in its
// search.
BOOST_AUTO_TEST_CASE(as_many_prompts_are_searched_at_once_as_the_model_holds) {
  const TemporaryFolder folder;
  const KnowledgeGraph graph = elements();
  Job job{{.part = GraphPart::all, .shots = 2, .heads = true, .search = {.hits = 3}}};
  const std::string roomy = run_once(folder / "roomy.jsonl", graph, job).lines();
  job.limits.nodes = 1024;
  BOOST_REQUIRE_NO_THROW((void)run_once(folder / "tight.jsonl", graph, job));
  BOOST_TEST(run_once(folder / "tight.jsonl", graph, job).lines() == roomy);
}

BOOST_AUTO_TEST_CASE(a_budget_leaves_ranks_with_two_ends) {
  const TemporaryFolder folder;
  const KnowledgeGraph graph = elements();
  Job job{{.shots = 1}};
  const Ranked exact = run_once(folder / "exact.jsonl", graph, job);
  job.options.search.budget = 5;
  const Ranked early = run_once(folder / "early.jsonl", graph, job);
  std::size_t cut = 0;
  for (std::size_t i = 0; i < exact.ranks.size(); ++i) {
    const Rank& rank = exact.ranks[i].raw;
    const EntityRank& part = early.ranks[i];
    BOOST_TEST(part.raw.above <= rank.above);
    BOOST_TEST(rank.above + rank.equal <= part.raw.above + part.raw.equal + part.undecided);
    cut += part.undecided > 0 ? 1U : 0U;
    if (part.undecided == 0) BOOST_TEST((part.raw == rank));
  }
  BOOST_TEST(cut > 5U);
}

BOOST_AUTO_TEST_CASE(what_it_cost_is_what_the_model_was_fed) {
  const TemporaryFolder folder;
  const KnowledgeGraph graph = elements();
  const Ranked made = run_once(folder / "journal.jsonl", graph, {everything()});
  BOOST_TEST(made.summary.cost.tokens_fed == made.tokens_fed);
  BOOST_TEST(made.summary.cost.statements == 286U * graph.entities.size());
  const RankPlan plan = rank_plan(graph, everything(), NgramModel(""));
  const TriplePrompt prompt(graph, plan.shots, QueryForm::paper);
  std::size_t names = 0, one_by_one = 0;
  for (const Entity& entity : graph.entities) names += entity.name.size() + 2;  // " oxygen)"
  for (const PlannedQuery& planned : plan.queries) {
    one_by_one += graph.entities.size() * (1 + prompt.query(planned.query).size()) + names;
  }
  BOOST_TEST(made.summary.cost.tokens_one_by_one == one_by_one);
  BOOST_REQUIRE(made.cost.size() == 2U);
  for (const char* part : {"likelihood", "likelihood heads"}) {
    const NameSearchCost& cost = made.cost.at(part);
    BOOST_TEST(cost.queries == 143U, part);
    // The path of each name is searched, and no search expands more nodes than the whole trie
    // contains.
    BOOST_TEST(cost.expanded >= 143U * 3U, part);
    BOOST_TEST(cost.expanded < 143U * names, part);
    BOOST_TEST(cost.fed > 0U, part);
    BOOST_TEST(cost.fed < made.tokens_fed, part);
  }
}

BOOST_AUTO_TEST_CASE(progress_goes_from_nothing_to_all_on_each_side) {
  using State = std::tuple<std::size_t, std::size_t, std::size_t>;
  std::map<std::string, std::vector<State>> seen;
  const ProgressCallback look = [&](const WorkState& state) {
    seen[state.counted].emplace_back(state.done, state.fresh, state.total);
  };
  const TemporaryFolder folder;
  (void)run_once(folder / "journal.jsonl", elements(),
                 {.options = everything(), .on_progress = look});
  BOOST_REQUIRE(seen.size() == 2U);
  for (const char* part : {"likelihood", "likelihood heads"}) {
    const auto& states = seen.at(part);
    BOOST_REQUIRE(states.size() == 144U);  // before the first query and after each query
    for (std::size_t i = 0; i < states.size(); ++i) {
      BOOST_TEST((states[i] == State(i, i, 143U)), part << " " << i);
    }
  }
  seen.clear();
  (void)run_once(folder / "journal.jsonl", elements(),
                 {.options = everything(), .on_progress = look});
  for (const auto& [part, states] : seen) {
    BOOST_TEST((states.back() == State(143U, 0U, 143U)), part);
  }
}

// The packs belong to both sides, or to four relations; the journal is also cut off in the middle
// of each line.
BOOST_AUTO_TEST_CASE(a_run_taken_up_after_any_line_of_its_journal_gives_the_same_ranks) {
  const KnowledgeGraph graph = elements();
  RankOptions few_by_relation = by_relation();
  few_by_relation.part = GraphPart::test;
  for (const Job& job : {Job{{.shots = 2, .heads = true}}, Job{few_by_relation}}) {
    const TemporaryFolder folder;
    const auto file = folder / "journal.jsonl";
    const Ranked whole = run_once(file, graph, job);
    const std::string journal = slurp(file);
    BOOST_TEST(std::ranges::count(journal, '\n') >= 4);
    std::size_t last = whole.tokens_fed + 1;
    for (std::size_t begin = 0; begin <= journal.size();) {
      const std::size_t end = std::min(journal.find('\n', begin), journal.size()) + 1;
      std::size_t fed = 0;
      for (const std::size_t cut : {begin, (begin + end) / 2}) {
        folder.write("journal.jsonl", journal.substr(0, cut));
        const Ranked again = run_once(file, graph, job);
        BOOST_TEST(again.lines() == whole.lines());
        BOOST_TEST(slurp(file) == journal);
        BOOST_TEST(again.summary.cost.tokens_fed == whole.summary.cost.tokens_fed);
        BOOST_TEST(again.summary.cost.statements == whole.summary.cost.statements);
        for (const auto& [method, cost] : whole.cost) {
          BOOST_TEST(again.cost.at(method).expanded == cost.expanded, method);
        }
        if (cut != begin && begin < journal.size()) BOOST_TEST(again.tokens_fed == fed);
        fed = again.tokens_fed;
      }
      BOOST_TEST(fed < last);
      last = fed;
      begin = end;
    }
    BOOST_TEST(last == 0U);
  }
}

BOOST_AUTO_TEST_CASE(run_killed_after_any_pack_resumes_there) {
  struct Killed {};
  const TemporaryFolder folder;
  const KnowledgeGraph graph = elements();
  const Ranked whole = run_once(folder / "whole.jsonl", graph, {everything()});
  // The first call starts a side; the other calls are for its queries.
  for (const auto& [kill, kept] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 0}, {20, 0}, {32, 0}, {33, 1}, {143, 4}, {144, 5}, {287, 9}}) {
    const auto file = folder / ("killed " + std::to_string(kill));
    std::size_t call = 0;
    const ProgressCallback until = [&, at = kill](const WorkState&) {
      if (call++ == at) throw Killed();
    };
    BOOST_CHECK_THROW((void)run_once(file, graph, {.options = everything(), .on_progress = until}),
                      Killed);
    const auto lines = static_cast<std::size_t>(std::ranges::count(slurp(file), '\n'));
    BOOST_TEST(lines == kept);
    BOOST_TEST(run_once(file, graph, {everything()}).lines() == whole.lines());
    BOOST_TEST(slurp(file) == slurp(folder / "whole.jsonl"));
  }
}

BOOST_AUTO_TEST_CASE(progress_is_reported_by_relation) {
  std::map<std::string, std::size_t> done;
  const ProgressCallback look = [&](const WorkState& state) {
    BOOST_TEST(state.done <= state.total);
    done[state.counted] = state.done;
  };
  const TemporaryFolder folder;
  (void)run_once(folder / "journal.jsonl", elements(),
                 {.options = by_relation(), .on_progress = look});
  BOOST_TEST((done == std::map<std::string, std::size_t>{{"likelihood symbol", 36},
                                                         {"likelihood next", 35},
                                                         {"likelihood holds", 36},
                                                         {"likelihood in", 36}}));
}

BOOST_AUTO_TEST_CASE(methods_share_a_journal) {
  const TemporaryFolder folder;
  const KnowledgeGraph graph = elements();
  const auto file = folder / "journal.jsonl";
  const auto ranked = [&](Method method) { return run_once(file, graph, {one_token(), method}); };
  const Ranked likelihood = ranked(Method::likelihood);
  const Ranked lm_head = ranked(Method::lm_head);
  BOOST_TEST(likelihood.tokens_fed > 0U);
  BOOST_TEST(lm_head.tokens_fed > 0U);
  BOOST_TEST(likelihood.lines() != lm_head.lines());
  for (const auto& [method, first] :
       {std::pair{Method::likelihood, &likelihood}, {Method::lm_head, &lm_head}}) {
    const Ranked again = ranked(method);
    BOOST_TEST(again.tokens_fed == 0U);
    BOOST_TEST(again.lines() == first->lines());
  }
  BOOST_TEST(lm_head.cost.begin()->first == "lm-head");
}

BOOST_AUTO_TEST_CASE(a_journal_of_another_job_is_refused) {
  const TemporaryFolder folder;
  const KnowledgeGraph graph = elements();
  const auto file = folder / "journal.jsonl";
  (void)run_once(file, graph, {{.shots = 1}});
  const auto message = says(Fault::user,
                            "likelihood: the journal's pack 0 does not belong to this job; it was "
                            "written by another build; "
                            "start again in another folder");
  BOOST_CHECK_EXCEPTION((void)run_once(file, graph, {{.limit = 31, .shots = 1}}), Error, message);
  folder.write("journal.jsonl", "");
  Journal(file).append("likelihood", 0, "[]");
  BOOST_CHECK_EXCEPTION((void)run_once(file, graph, {{.shots = 1}}), Error, message);
}

BOOST_AUTO_TEST_CASE(a_query_past_the_models_context_is_refused_by_its_entity) {
  KnowledgeGraph graph = elements();
  graph.entities[5].name = std::string(4090, 'x');
  const TemporaryFolder folder;
  // The longest sequence consists of BOS, "(hydrogen, is written as," and the longest name, with a
  // space and a bracket.
  BOOST_CHECK_EXCEPTION((void)run_once(folder / "journal.jsonl", graph, {{.shots = 0}}), Error,
                        says(Fault::user,
                             "e1: its query and the longest name have 4118 tokens; the model's "
                             "limit is 4096; lower `shots`"));
  BOOST_TEST(slurp(folder / "journal.jsonl").empty());
}

// As in other jobs, the count covers this process's requests to the model.
BOOST_AUTO_TEST_CASE(what_is_searched_now_is_counted) {
  const TemporaryFolder folder;
  const KnowledgeGraph graph = elements();
  const auto file = folder / "journal.jsonl";
  const Job job{{.limit = 4, .shots = 1}};
  const RunSummary first = run_once(file, graph, job).summary;
  BOOST_TEST(first.fresh_statements == first.cost.statements);
  BOOST_TEST(run_once(file, graph, job).summary.fresh_statements == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
