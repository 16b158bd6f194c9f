// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/ranking_metadata.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(ranking_metadata)

BOOST_FIXTURE_TEST_CASE(it_comes_back_as_it_was, test::TemporaryFolder) {
  const RankingMetadata made{"m",  "elements", {"deer", "lm-head"}, {{"e8", "symbol", "s8"}},
                             true, {"said"}};
  write("metadata_rank.json", to_json(made).dump());
  const RankingMetadata read = read_ranking_metadata(path());
  BOOST_TEST(read.methods == made.methods);
  BOOST_TEST(read.narrowed);
  BOOST_TEST(read.remarks == made.remarks);
  BOOST_TEST(to_json(made).at("shots") == Json::parse(R"([["e8", "symbol", "s8"]])"));
}

BOOST_FIXTURE_TEST_CASE(what_is_no_finished_ranking_is_refused, test::TemporaryFolder) {
  const auto refuses = [&](const std::string& words) {
    BOOST_CHECK_EXCEPTION((void)read_ranking_metadata(path()), Error, says(Fault::user, words));
  };
  refuses("contains no finished ranking (no metadata_rank.json)");
  for (const std::string json : {"{}", R"({"methods": []})", R"({"methods": [1]})"}) {
    write("metadata_rank.json", json);
    refuses("methods: is empty");
  }
  write("metadata_rank.json", R"({"methods": ["../deer"]})");
  refuses("is not a valid file name in this folder");
}

BOOST_AUTO_TEST_SUITE_END()
