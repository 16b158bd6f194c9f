// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/score_check.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(score_check)

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Check>
void refused(Check check, const StatementScore& score, Span span, Fault fault,
             const std::string& words) {
  BOOST_CHECK_EXCEPTION(check(score, span, Site{"capital.jsonl", 3, "capital"},
                              [] { return std::string("'France'"); }),
                        Error, says(fault, "capital.jsonl:3: capital: " + words));
}

const auto number = [](const auto&... of) { check_score(of...); };
const auto likelihood = [](const auto&... of) { check_log_likelihood(of...); };

}  // namespace

BOOST_AUTO_TEST_CASE(non_finite_scores_are_refused_in_every_field) {
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    for (const StatementScore& score : {StatementScore{{bad, 2}, {-1, 1}, {-1, 1}},
                                        {{-1, 2}, {bad, 1}, {-1, 1}},
                                        {{-1, 2}, {-1, 1}, {bad, 1}}}) {
      const std::string value = std::isnan(bad) ? "NaN; check the model file, or the output of "
                                                  "your own"
                                : bad > 0       ? "+infinity; check the model file"
                                                : "-infinity; one of its tokens has probability 0";
      refused(number, score, Span::statement, Fault::internal, "the score of 'France' is " + value);
      refused(likelihood, score, Span::statement, Fault::internal, "the score of 'France' is");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_span_without_a_token_is_refused_with_its_own_remedy) {
  const StatementScore score{{-1, 2}};
  const auto none = [](const StatementScore& of, Span span) {
    check_score(of, span, Site{}, [] { return std::string("x"); });
  };
  BOOST_CHECK_NO_THROW(none(score, Span::statement));
  refused(number, score, Span::answer, Fault::user,
          "'France' has no scored token in its answer; the tokenizer does not spell the answer");
  refused(number, score, Span::continuation, Fault::user,
          "'France' has no scored token in its continuation; lengthen the template or set `bos` to "
          "yes; your own scorer must count tokens in StatementScore");
  refused(likelihood, {}, Span::statement, Fault::user, "'France' has no scored token in its");
}

BOOST_AUTO_TEST_CASE(what_is_above_0_is_a_score_and_no_log_likelihood) {
  const auto name = [] { return std::string("x"); };
  for (const StatementScore& score : {StatementScore{{12.5, 2}, {-1, 1}, {-1, 1}},
                                      {{-1, 2}, {12.5, 1}, {-1, 1}},
                                      {{-1, 2}, {-1, 1}, {12.5, 1}}}) {
    BOOST_CHECK_NO_THROW(check_score(score, Span::answer, Site{}, name));
    refused(
        likelihood, score, Span::answer, Fault::internal,
        "the model returned a log-likelihood of 12.500, which is above 0, for 'France'; check the "
        "model file; if your own scores");
  }
  BOOST_CHECK_NO_THROW(check_log_likelihood({{most_nats, 1}, {0, 1}}, Span::answer, Site{}, name));
}

BOOST_AUTO_TEST_SUITE_END()
