// SPDX-License-Identifier: Apache-2.0
#include "plumb/huggingface/network_kind.hpp"

#include <boost/test/unit_test.hpp>

#include "support/errors.hpp"
#include "support/network_cases.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(network_kind_tests)

BOOST_AUTO_TEST_CASE(config_json_tells_the_kind) {
  for (const char* name : {"bert", "roberta", "xlm-roberta", "albert", "distilbert"}) {
    BOOST_TEST((network_kind(test::network_folder(name)) == NetworkKind::masked));
  }
  for (const char* name : {"opt", "gpt2", "llama", "gemma3", "falcon-alibi"}) {
    BOOST_TEST((network_kind(test::network_folder(name)) == NetworkKind::causal));
  }
}

BOOST_FIXTURE_TEST_CASE(what_neither_kind_knows_is_refused_with_a_way_on, test::TemporaryFolder) {
  write("config.json", R"({"model_type": "phi3small"})");
  BOOST_CHECK_EXCEPTION((void)network_kind(path()), Error,
                        says(Fault::user, "model_type: 'phi3small' is not known; convert it: "));
  write("config.json", "{}");
  BOOST_CHECK_EXCEPTION((void)network_kind(path()), Error,
                        says(Fault::user, "model_type: is missing"));
}

BOOST_AUTO_TEST_SUITE_END()
