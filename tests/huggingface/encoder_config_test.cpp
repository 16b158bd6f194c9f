// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/encoder_config.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(encoder_config_tests)

BOOST_AUTO_TEST_CASE(layers_are_numbered_unless_they_are_named) {
  EncoderConfig plain;
  plain.layers = 3;
  number_layers(plain);
  BOOST_TEST((plain.stored_layers == std::vector<std::string>{"0", "1", "2"}));
  BOOST_TEST((plain.path == std::vector<std::size_t>{0, 1, 2}));
  EncoderConfig shared;
  shared.layers = 2;
  shared.stored_layers = {"all"};
  shared.path = {0, 0};
  number_layers(shared);
  BOOST_TEST((shared.stored_layers == std::vector<std::string>{"all"}));
  BOOST_TEST((shared.path == std::vector<std::size_t>{0, 0}));
}

BOOST_FIXTURE_TEST_CASE(heads_share_out_the_hidden_numbers, test::TemporaryFolder) {
  const ConfigFields fields(write("config.json", "{}"));
  EncoderConfig config;
  config.hidden = 36;
  config.heads = 4;
  set_equal_heads(fields, config);
  BOOST_TEST(config.head_size == 9U);
  BOOST_TEST(config.key_heads == 4U);
  BOOST_TEST(config.attention_scale == 1.0F / 3);
  config.heads = 5;
  BOOST_CHECK_EXCEPTION(set_equal_heads(fields, config), Error,
                        says(Fault::user, "36 numbers cannot be divided equally among 5 heads"));
}

BOOST_AUTO_TEST_SUITE_END()
