// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/gpt_family.hpp"

#include <boost/test/unit_test.hpp>

#include "plumb/detail/huggingface/decoder_architectures.hpp"
#include "support/network_cases.hpp"

using namespace plumb::detail;

// decoder_network_test checks what each network computes; this test checks where each part is read
// from.
BOOST_AUTO_TEST_SUITE(gpt_family)

namespace {

DecoderConfig config_of(const char* network) {
  return read_decoder_config(test::network_folder(network));
}

}  // namespace

BOOST_AUTO_TEST_CASE(positions_are_learned_rotated_or_a_bias) {
  BOOST_TEST(config_of("opt").first_position == 2U);
  BOOST_TEST(!config_of("gpt2").names.positions.empty());
  BOOST_TEST(config_of("gptj").rotaries[0].size() == 2U);
  BOOST_TEST(config_of("gpt-neox").rotaries[0].size() == 2U);
  BOOST_TEST(config_of("phi").rotaries[0].size() == 2U);
  BOOST_TEST(config_of("bloom").slopes.size() == 6U);
  BOOST_TEST(config_of("falcon-alibi").rounds_slopes);
  BOOST_TEST(config_of("falcon-alibi").rotaries.empty());
  // The slopes for six heads begin with every second slope for eight heads.
  BOOST_TEST((config_of("mpt").slopes ==
              std::vector<float>{0.25F, 0.0625F, 0.015625F, 0.00390625F, 0.5F, 0.125F}));
}

BOOST_AUTO_TEST_CASE(opt_has_two_shapes) {
  const DecoderConfig after = config_of("opt-norm-after");
  BOOST_TEST(after.norm_after_sum);
  BOOST_TEST(!after.has_final_norm);
  BOOST_TEST(after.embedding == 12U);
  BOOST_TEST(config_of("opt").has_final_norm);
  BOOST_TEST(!config_of("opt-no-final-norm").has_final_norm);
  BOOST_TEST(!config_of("opt-no-bias").has_feed_bias);
  BOOST_TEST(!config_of("opt-no-bias").norm.has_weight);
}

BOOST_AUTO_TEST_CASE(heads_may_share_keys) {
  BOOST_TEST(config_of("gpt-bigcode").key_heads == 1U);
  BOOST_TEST(config_of("gpt-bigcode-heads").key_heads == 4U);
  BOOST_TEST(config_of("falcon").key_heads == 1U);
  BOOST_TEST(config_of("falcon-new").key_heads == 2U);
  BOOST_TEST(config_of("falcon-new").names.feed_norm == "ln_mlp");
  BOOST_TEST(config_of("falcon-one-norm").names.feed_norm.empty());
  BOOST_TEST(!config_of("falcon-alibi").parallel);
  BOOST_TEST(config_of("gpt-neo").attention_scale == 1);
  BOOST_TEST((config_of("gpt-neo").windows == std::vector<std::size_t>{4, 0, 4}));
}

BOOST_AUTO_TEST_SUITE_END()
