// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/probe_warnings.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "support/errors.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(probe_warnings)

BOOST_AUTO_TEST_CASE(a_prefix_should_end_in_a_space_or_line_break) {
  for (const char* const sound : {"", "Fact: ", "Fact:\n", "a\t"})
    BOOST_TEST(!prefix_warning(sound));
  BOOST_TEST(prefix_warning("Answer this:").value_or("").find("ends in 'this:' without a space") !=
             std::string::npos);
  BOOST_TEST(prefix_warning("x").has_value());
}

BOOST_AUTO_TEST_CASE(missing_bos_warns_about_answers_that_begin_a_statement) {
  NgramModel model("");
  const Dataset dataset = test::small_dataset();
  ProbeSettings settings = test::all_templates();
  const CausalScorer with(model), without(model, Bos::none());
  BOOST_TEST(bos_warnings(dataset, settings, Statement{}, with).empty());
  settings.bos = false;
  const auto warnings = bos_warnings(dataset, settings, Statement{}, without);
  BOOST_REQUIRE(warnings.size() == 1U);
  // The template is "[Y] is the capital of [X]."; the relation has 4 templates and 3 facts.
  BOOST_TEST(
      warnings[0].find("1 of 4 templates begins with the answer, and 3 right answers lack") !=
      std::string::npos);
}

BOOST_AUTO_TEST_CASE(texts_of_special_tokens_are_refused_in_every_text_that_is_asked) {
  SpecialTokenModel model("", 3, {"<s>"}, true);
  const Dataset dataset = test::small_dataset();
  ProbeSettings settings;
  ModelDescription description;
  check_probe(model, dataset, settings, description);
  settings.prefix.text = "<s> ";
  BOOST_CHECK_EXCEPTION(check_probe(model, dataset, settings, description), Error,
                        says(Fault::user, "`prefix`: "));
  settings.prefix.text.clear();
  settings.neutral.text = "a <s>";
  BOOST_CHECK_EXCEPTION(check_probe(model, dataset, settings, description), Error,
                        says(Fault::user, "`neutral`: "));
}

BOOST_AUTO_TEST_SUITE_END()
