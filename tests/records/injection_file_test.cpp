// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/injection_file.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(injection_file_suite)

namespace {

/// Five panels of three pairs each.
ScoredInjection made() {
  ScoredInjection result;
  result.design.relation = "birth";
  result.design.highlight = 2;
  for (const std::string name :
       {"correct", "unknown, spread", "unknown, block", "incorrect, spread", "incorrect, block"}) {
    result.design.panels.push_back({name,
                                    {{"Brian May", "1947", PairKind::correct},
                                     {"Zoë \"Z\"", name, PairKind::injected},
                                     {"Neil Armstrong", "1930", PairKind::after_injected}}});
    const auto panel = static_cast<double>(result.log_probabilities.size());
    result.log_probabilities.push_back({-1.0 / 3 - panel, -20.25, -1e-9});
  }
  return result;
}

struct Kept : test::TemporaryFolder {
  ScoredInjection read(const std::string& text) const {
    return read_recorded_injection(write("birth_injection.json", text));
  }
};

std::string with(const std::string& what, const std::string& by) {
  std::string text = recorded_injection_text(made());
  const std::size_t at = text.find(what);
  BOOST_REQUIRE(at != text.npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_holds_the_panels_with_a_score_for_each_pair) {
  const std::string text = recorded_injection_text(made());
  BOOST_TEST(text.starts_with(
      R"({"relation":"birth","highlight":2,"panels":[{"name":"correct","pairs":[)"
      R"(["Brian May","1947",0,-0.3333333333333333],["Zoë \"Z\"","correct",1,-20.25],)"
      R"(["Neil Armstrong","1930",2,-1e-09]]},{"name":"unknown, spread","pairs":[)"));
  BOOST_TEST(text.ends_with("]}]}\n"));
}

// Earlier versions did not write instances.
BOOST_FIXTURE_TEST_CASE(facts_are_kept_by_instance, Kept) {
  ScoredInjection written = made();
  written.design.instances = {7, 0, 12};
  const std::string text = recorded_injection_text(written);
  BOOST_TEST(
      text.starts_with(R"({"relation":"birth","highlight":2,"instances":[7,0,12],"panels":[)"));
  BOOST_TEST((read(text).design.instances == std::vector<std::size_t>{7, 0, 12}));
  BOOST_TEST(read(recorded_injection_text(made())).design.instances.empty());
  std::string damaged = text;
  damaged.replace(damaged.find("12]"), 2, "\"x\"");
  BOOST_CHECK_EXCEPTION((void)read(damaged), Error,
                        says(Fault::user, "is not an injection experiment"));
}

BOOST_FIXTURE_TEST_CASE(what_is_written_is_read_again, Kept) {
  const ScoredInjection written = made();
  const ScoredInjection found = read(recorded_injection_text(written));
  BOOST_TEST(found.design.relation == "birth");
  BOOST_TEST(found.design.highlight == 2U);
  BOOST_TEST(found.design.facts.empty());
  BOOST_REQUIRE(found.design.panels.size() == 5U);
  BOOST_TEST((found.log_probabilities == written.log_probabilities));  // to the last bit
  for (std::size_t i = 0; i < 5; ++i) {
    const InjectionPanel& panel = found.design.panels[i];
    BOOST_TEST(panel.name == written.design.panels[i].name);
    BOOST_REQUIRE(panel.pairs.size() == 3U);
    for (std::size_t p = 0; p < 3; ++p) {
      const InjectedPair& pair = written.design.panels[i].pairs[p];
      BOOST_TEST(panel.pairs[p].subject == pair.subject);
      BOOST_TEST(panel.pairs[p].object == pair.object);
      BOOST_TEST((panel.pairs[p].kind == pair.kind));
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_file_that_is_no_experiment_is_refused, Kept) {
  const std::string none =
      "birth_injection.json: is not an injection experiment; the file was changed; recreate it "
      "with `plumb many-shot`";
  for (const std::string& text :
       {std::string("{}"), with("\"relation\"", "\"code\""),
        with("\"highlight\":2", "\"highlight\":\"2\""), with("\"name\":\"unknown, block\",", ""),
        with("\"1947\",0,", "\"1947\",\"0\","), with("\"1947\",0,", "\"1947\","),
        with("-20.25", "null"), with("\"Brian May\"", "7")}) {
    BOOST_CHECK_EXCEPTION((void)read(text), Error, says(Fault::user, none));
  }
  BOOST_CHECK_EXCEPTION((void)read("{\n\"relation\": }"), Error,
                        says(Fault::user, "birth_injection.json:2: not JSON"));
  BOOST_CHECK_EXCEPTION((void)read_recorded_injection(*this / "none.json"), Error,
                        says(Fault::user, "none.json: cannot be read"));
}

BOOST_FIXTURE_TEST_CASE(panels_that_do_not_belong_together_are_refused, Kept) {
  const std::string apart =
      "birth_injection.json: panels: are not five lists of equal length that include the "
      "highlighted position; "
      "the file was changed; recreate it with `plumb many-shot`";
  ScoredInjection four = made();
  four.design.panels.pop_back();
  ScoredInjection past = made();
  past.design.highlight = 3;
  ScoredInjection shorter = made();
  shorter.design.panels[3].pairs.pop_back();
  for (const ScoredInjection& each : {four, past, shorter}) {
    BOOST_CHECK_EXCEPTION((void)read(recorded_injection_text(each)), Error,
                          says(Fault::user, apart));
  }
  for (const std::string kind : {"3", "-1"}) {
    BOOST_CHECK_EXCEPTION((void)read(with("\"1947\",0,", "\"1947\"," + kind + ",")), Error,
                          says(Fault::user, apart));
  }
}

BOOST_AUTO_TEST_SUITE_END()
