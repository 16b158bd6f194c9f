// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/injection_run.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/score/causal_scorer.hpp"
#include "support/errors.hpp"
#include "support/small_many_shot.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::continuation_by_hand;
using test::ending_in;
using test::reader_of_births;
using test::says;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(injection_run)

namespace {

const InjectionDesign design = injection_design(test::births(30, 8), {.pairs = 12, .injected = 3});

/// Simulates one process of the experiment in the folder "run".
template <class Model = NgramTreeModel>
RunSummary run_once(const TemporaryFolder& folder, Model& model, const ManyShot& form = {}) {
  const RunFolder run_folder(folder / "run", Json::object(), RunFolder::Claim::resume);
  CausalScorer scorer(model, Bos(), Span::continuation);
  Work work(run_folder.file("journal.jsonl"));
  run_injection(design, form, scorer, work, run_folder);
  return work.summary();
}

}  // namespace

// Oracle: the model's own probabilities of the object at the end of a text.
BOOST_AUTO_TEST_CASE(every_object_has_its_probability_behind_all_that_stands_before_it) {
  const std::vector<ManyShot> forms{{}, {" in ", "; ", Join::text}, {" ", ",", Join::ids}};
  for (const ManyShot& form : forms) {
    const TemporaryFolder folder;
    NgramTreeModel model = reader_of_births({"n A", "0 P"});
    (void)run_once(folder, model, form);
    const ScoredInjection made = read_recorded_injection(folder / "run/birth_injection.json");
    BOOST_TEST(made.design.relation == "birth");
    BOOST_TEST(made.design.highlight == design.highlight);
    BOOST_REQUIRE(made.design.panels.size() == 5U);
    for (std::size_t i = 0; i < 5; ++i) {
      BOOST_TEST(made.design.panels[i].name == design.panels[i].name);
      BOOST_REQUIRE(made.log_probabilities[i].size() == 12U);
      Prompt prompt;
      for (std::size_t p = 0; p < 12; ++p) {
        const InjectedPair& pair = design.panels[i].pairs[p];
        BOOST_TEST(made.design.panels[i].pairs[p].subject == pair.subject);
        BOOST_TEST((made.design.panels[i].pairs[p].kind == pair.kind));
        std::vector<Cut> cuts = prompt.cuts;
        std::string text = prompt.text;
        if (p > 0) {
          cuts.push_back(text.size());
          text += form.item_separator;
          cuts.push_back(text.size());
        }
        text += pair.subject;
        cuts.push_back(text.size());
        if (form.join == Join::ids) {
          text += form.pair_separator;
          cuts.push_back(text.size());
          prompt = ending_in(text, pair.object);
          prompt.cuts = cuts;
        } else {
          prompt = ending_in(text, form.pair_separator + pair.object);
        }
        const double expected = continuation_by_hand(model, prompt);
        BOOST_TEST(std::abs(made.log_probabilities[i][p] - expected) < 1e-5);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(each_sequence_enters_the_model_once) {
  const TemporaryFolder folder;
  NgramTreeModel model = reader_of_births();
  const RunSummary summary = run_once(folder, model);
  std::size_t tokens = 0;  // including BOS, but not the last token, which is not fed
  for (const InjectionPanel& panel : design.panels) {
    for (const InjectedPair& pair : panel.pairs) {
      tokens += pair.subject.size() + 1 + pair.object.size() + 1;
    }
    tokens -= 1;
  }
  BOOST_TEST(summary.cost.tokens_fed == tokens);
  BOOST_TEST(model.tokens_fed == tokens);
  BOOST_TEST(summary.cost.tree_nodes == tokens);
  BOOST_TEST(summary.cost.statements == 60U);
  BOOST_TEST(summary.fresh_statements == 60U);
}

BOOST_AUTO_TEST_CASE(a_model_without_trees_gives_the_same_numbers) {
  const TemporaryFolder with, without;
  NgramTreeModel tree = reader_of_births();
  NgramModel plain = reader_of_births<NgramModel>();
  (void)run_once(with, tree);
  (void)run_once(without, plain);
  const auto a = read_recorded_injection(with / "run/birth_injection.json");
  const auto b = read_recorded_injection(without / "run/birth_injection.json");
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t p = 0; p < 12; ++p) {
      BOOST_TEST(std::abs(a.log_probabilities[i][p] - b.log_probabilities[i][p]) < 1e-6);
    }
  }
}

BOOST_AUTO_TEST_CASE(taken_up_after_any_line_it_gives_the_same_bytes) {
  const TemporaryFolder folder;
  NgramTreeModel model = reader_of_births();
  const RunSummary whole = run_once(folder, model);
  const std::string expected = slurp(folder / "run/birth_injection.json");
  const std::string journal = slurp(folder / "run/journal.jsonl");
  std::size_t lines = 0;
  for (std::size_t cut = 0;; cut = journal.find('\n', cut) + 1, ++lines) {
    const bool finished = cut == journal.size();
    folder.write("run/journal.jsonl", journal.substr(0, cut));
    if (!finished) std::filesystem::remove(folder / "run/birth_injection.json");
    NgramTreeModel again = reader_of_births();
    const RunSummary summary = run_once(folder, again);
    BOOST_TEST(slurp(folder / "run/birth_injection.json") == expected);
    BOOST_TEST(summary.cost.statements == 60U);
    BOOST_TEST(summary.cost.tokens_fed == whole.cost.tokens_fed);
    BOOST_TEST((summary.fresh_statements == 60U) == (cut == 0));
    if (finished) {
      BOOST_TEST(again.tokens_fed == 0U);
      break;
    }
  }
  BOOST_TEST(lines >= 6U);  // five panels, plus the line that ends the part
}

BOOST_AUTO_TEST_CASE(a_file_that_was_lost_comes_back_from_the_journal) {
  const TemporaryFolder folder;
  NgramTreeModel model = reader_of_births();
  (void)run_once(folder, model);
  const std::string expected = slurp(folder / "run/birth_injection.json");
  std::filesystem::remove(folder / "run/birth_injection.json");
  NgramTreeModel again = reader_of_births();
  BOOST_TEST(run_once(folder, again).fresh_statements == 0U);
  BOOST_TEST(slurp(folder / "run/birth_injection.json") == expected);
}

BOOST_AUTO_TEST_CASE(a_sequence_past_the_context_is_refused) {
  struct ShortModel : NgramTreeModel {
    using NgramTreeModel::NgramTreeModel;
    [[nodiscard]] std::size_t context_length() const { return 100; }
  };
  const TemporaryFolder folder;
  ShortModel model = reader_of_births<ShortModel>();
  BOOST_CHECK_EXCEPTION(run_once(folder, model), Error,
                        says(Fault::user, "tokens; the model's limit is 100"));
  BOOST_TEST(!std::filesystem::exists(folder / "run/birth_injection.json"));
}

BOOST_AUTO_TEST_SUITE_END()
