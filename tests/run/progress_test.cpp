// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/progress.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(progress)

BOOST_AUTO_TEST_CASE(counted_progress_is_reported_from_the_start) {
  std::vector<std::string> told;
  const ProgressCallback tell = [&](const WorkState& state) {
    told.push_back(state.counted + " " + std::to_string(state.done) + "/" +
                   std::to_string(state.total) + " " + std::to_string(state.fresh) + state.at);
  };
  Count texts(tell, "texts checked", 5);
  texts.advance(2);
  texts.advance(3, " P36");
  BOOST_TEST((told == std::vector<std::string>{"texts checked 0/5 0", "texts checked 2/5 2",
                                               "texts checked 5/5 5 P36"}));
}

BOOST_AUTO_TEST_CASE(progress_callback_may_be_empty) {
  const ProgressCallback nobody;
  Count texts(nobody, "texts", 1);
  BOOST_CHECK_NO_THROW(texts.advance(1));
}

BOOST_AUTO_TEST_SUITE_END()
