// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/retry_policy.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace plumb::detail;
using Seconds = RetryPolicy::Seconds;

BOOST_AUTO_TEST_SUITE(retry_policy_suite)

BOOST_AUTO_TEST_CASE(waits_double_and_have_jitter) {
  const RetryPolicy policy{.tries = 20, .first = Seconds(0.5), .longest = Seconds(8)};
  BOOST_TEST(policy.wait(0, 0.5)->count() == 0.5);
  BOOST_TEST(policy.wait(1, 0.5)->count() == 1.0);
  BOOST_TEST(policy.wait(3, 0.5)->count() == 4.0);
  BOOST_TEST(policy.wait(12, 0.5)->count() == 8.0);
  BOOST_TEST(policy.wait(0, 0)->count() == 0.25);
  BOOST_TEST(policy.wait(0, 1)->count() == 0.75);
}

BOOST_AUTO_TEST_CASE(the_last_try_is_followed_by_no_wait) {
  const RetryPolicy policy{.tries = 3};
  BOOST_TEST(policy.wait(1, 0).has_value());
  BOOST_TEST(!policy.wait(2, 0).has_value());
  BOOST_TEST(!RetryPolicy{.tries = 1}.wait(0, 0).has_value());
}

BOOST_AUTO_TEST_CASE(retry_after_is_kept_to_or_given_up) {
  const RetryPolicy policy{.tries = 5, .first = Seconds(1), .patience = Seconds(60)};
  BOOST_TEST(policy.wait(0, 0.5, Seconds(7))->count() == 7.0);
  BOOST_TEST(policy.wait(3, 0.5, Seconds(7))->count() == 8.0);
  BOOST_TEST(policy.wait(0, 0.5, Seconds(60))->count() == 60.0);
  BOOST_TEST(!policy.wait(0, 0.5, Seconds(61)).has_value());
}

BOOST_AUTO_TEST_CASE(only_what_passes_is_asked_again) {
  for (const unsigned status : {408U, 425U, 429U, 500U, 502U, 503U, 504U}) {
    BOOST_TEST(RetryPolicy::is_passing(status));
  }
  for (const unsigned status :
       {200U, 204U, 301U, 400U, 401U, 403U, 404U, 405U, 413U, 422U, 501U, 505U}) {
    BOOST_TEST(!RetryPolicy::is_passing(status));
  }
}

BOOST_AUTO_TEST_CASE(retry_after_is_read_in_seconds) {
  BOOST_TEST(retry_after_seconds("12")->count() == 12.0);
  BOOST_TEST(retry_after_seconds("0")->count() == 0.0);
  for (const char* other : {"", "-1", "1.5", "12 ", "Wed, 21 Oct 2026 07:28:00 GMT"}) {
    BOOST_TEST(!retry_after_seconds(other).has_value());
  }
}

BOOST_AUTO_TEST_SUITE_END()
