// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/decoder_config.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(decoder_config)

namespace {

struct Folder : test::TemporaryFolder {
  [[nodiscard]] ConfigFields fields(const std::string& json) const {
    write("config.json", json);
    return ConfigFields(path() / "config.json");
  }
};

const std::string sizes = R"({"vocab_size": 9, "hidden_size": 12, "num_hidden_layers": 3,
                              "num_attention_heads": 4, "intermediate_size": 5,
                              "max_position_embeddings": 7)";

}  // namespace

BOOST_FIXTURE_TEST_CASE(sizes_that_are_absent_follow_from_others, Folder) {
  DecoderConfig config;
  read_common_sizes(fields(sizes + "}"), config);
  BOOST_TEST(config.key_heads == 4U);
  BOOST_TEST(config.head_size == 3U);
  read_common_sizes(fields(sizes + R"(, "head_dim": 8, "num_key_value_heads": 2})"), config);
  BOOST_TEST(config.query_size() == 32U);
  BOOST_TEST(config.key_size() == 16U);
  read_gpt_sizes(
      fields(R"({"vocab_size": 9, "n_embd": 12, "n_layer": 3, "n_head": 4, "n_positions": 7})"),
      config);
  BOOST_TEST(config.intermediate == 48U);
}

// The slopes for 8 heads match the paper's. For 6 heads, they are the slopes for 4 heads, followed
// by every second slope for 8.
BOOST_AUTO_TEST_CASE(slopes_are_those_of_the_paper) {
  const std::vector<float> eight = alibi_slopes(8), six = alibi_slopes(6);
  for (std::size_t i = 0; i < 8; ++i) BOOST_TEST(eight[i] == std::ldexp(1.0F, -1 - int(i)));
  BOOST_TEST((six == std::vector<float>{0.25F, 0.0625F, 0.015625F, 0.00390625F, 0.5F, 0.125F}));
}

BOOST_FIXTURE_TEST_CASE(windows_follow_layer_types_or_a_rule, Folder) {
  DecoderConfig config;
  config.layers = 3;
  const auto last = [](std::size_t layer) { return layer == 2; };
  read_windows(fields("{}"), config, 4, last);
  BOOST_TEST((config.windows == std::vector<std::size_t>{0, 0, 4}));
  read_windows(
      fields(R"({"layer_types": ["sliding_attention", "full_attention", "full_attention"]})"),
      config, 4, last);
  BOOST_TEST((config.windows == std::vector<std::size_t>{4, 0, 0}));
  BOOST_CHECK_EXCEPTION(
      read_windows(fields(R"({"layer_types": ["full_attention"]})"), config, 4, last), Error,
      says(Fault::user, "layer_types: has 1 text for 3 layers"));
  BOOST_CHECK_EXCEPTION(
      read_windows(
          fields(R"({"layer_types": ["full_attention", "chunked_attention", "full_attention"]})"),
          config, 4, last),
      Error, says(Fault::user, "layer_types: 'chunked_attention' is not supported"));
}

BOOST_FIXTURE_TEST_CASE(sizes_that_do_not_fit_are_refused, Folder) {
  DecoderConfig good;
  read_common_sizes(fields(sizes + "}"), good);
  check_decoder(fields("{}"), good);
  const auto refuses = [&](const DecoderConfig& bad, const char* words) {
    BOOST_CHECK_EXCEPTION(check_decoder(fields("{}"), bad), Error, says(Fault::user, words));
  };
  DecoderConfig bad = good;
  bad.key_heads = 3;
  refuses(bad, "4 heads of queries cannot share 3 heads of keys and values");
  bad = good;
  bad.layers = 20'000;
  refuses(bad, "an implausible number of layers: 20000");
  bad = good;
  bad.rotaries = {Rotary({1, 1}, 1, false)};
  refuses(bad, "rotates 4 numbers of a head of 3");
  bad = good;
  bad.experts = 2;
  bad.experts_per_token = 3;
  refuses(bad, "num_experts_per_tok: is 3 of 2 experts");
}

BOOST_AUTO_TEST_SUITE_END()
