// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/bert_family.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/huggingface/encoder_architectures.hpp"
#include "support/changed_encoder.hpp"
#include "support/network_cases.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(bert_family_tests)

BOOST_AUTO_TEST_CASE(electra_projects_where_sizes_differ) {
  const EncoderConfig electra = test::encoder_config_of("electra");
  BOOST_TEST(electra.embedding == 12U);
  BOOST_TEST(electra.names.project_in == "embeddings_project");
  const EncoderConfig one_size = test::encoder_config_of("electra-one-size");
  BOOST_TEST(one_size.names.project_in.empty());
  BOOST_TEST((one_size.activation == Activation::relu));
  BOOST_TEST((one_size.head_activation == Activation::gelu));
}

// Every third layer sees all tokens (layers 0, 3, 6 …, as in the published pattern). The other
// layers see half of local_attention on either side.
BOOST_FIXTURE_TEST_CASE(modernbert_is_read_in_both_spellings, test::ChangedEncoder) {
  const EncoderConfig old = test::encoder_config_of("modernbert");
  BOOST_TEST((old.windows == std::vector<std::size_t>{0, 3, 3, 0}));
  BOOST_TEST((old.rotary_of_layer == std::vector<std::size_t>{0, 1, 1, 0}));
  // With heads of size 4, the frequencies are 1 and theta^(-1/2).
  BOOST_TEST(std::abs(old.rotary(0)->frequencies()[1] - 0.1F) < 1e-6F);
  BOOST_TEST(std::abs(old.rotary(1)->frequencies()[1] - 1 / std::sqrt(20.0F)) < 1e-6F);
  const EncoderConfig today = test::encoder_config_of("modernbert-biases");
  BOOST_TEST((today.windows == std::vector<std::size_t>{4, 0, 0, 4}));
  BOOST_TEST(std::abs(today.rotary(1)->frequencies()[1] - 0.1F) < 1e-6F);
  BOOST_TEST(std::abs(today.rotary(0)->frequencies()[1] - 1 / std::sqrt(20.0F)) < 1e-6F);
  const EncoderConfig bare = changed("modernbert", {{"global_rope_theta", nullptr},
                                                    {"local_rope_theta", 10'000.0},
                                                    {"global_attn_every_n_layers", nullptr},
                                                    {"local_attention", nullptr}});
  BOOST_TEST(std::abs(bare.rotary(0)->frequencies()[1] - 1 / 400.0F) < 1e-8F);
  BOOST_TEST((bare.windows == std::vector<std::size_t>{0, 65, 65, 0}));
  // Null means that all layers use one base.
  const EncoderConfig one = changed("modernbert", {{"local_rope_theta", nullptr}});
  BOOST_TEST(std::abs(one.rotary(1)->frequencies()[1] - 0.1F) < 1e-6F);
}

BOOST_FIXTURE_TEST_CASE(debertas_distances_are_read, test::ChangedEncoder) {
  const EncoderConfig v3 = test::encoder_config_of("deberta-v3");
  BOOST_TEST(v3.distances->span == 4U);
  BOOST_TEST(v3.distances->buckets == 4U);
  BOOST_TEST(v3.distances->most == 16U);  // the number of positions
  BOOST_TEST((v3.distances->by_query && v3.distances->by_key && v3.distances->is_shared));
  // heads of size 5, and a sum of three products
  BOOST_TEST(v3.attention_scale == 1 / std::sqrt(15.0F));
  BOOST_TEST(v3.names.positions.empty());
  BOOST_TEST(v3.token_types == 0U);
  BOOST_TEST(v3.head_dense == "lm_predictions.lm_head.dense");
  const EncoderConfig plain = test::encoder_config_of("deberta-v2-projections");
  BOOST_TEST(plain.distances->span == 5U);
  BOOST_TEST(plain.distances->buckets == 0U);
  BOOST_TEST((plain.projects_before_norm && !plain.has_projection_bias));
  BOOST_TEST(!test::encoder_config_of("deberta-v2-absolute").distances.has_value());
  // The published spelling may contain spaces and capitals.
  const EncoderConfig spelled = changed("deberta-v3", {{"pos_att_type", " C2P | p2c"}});
  BOOST_TEST((spelled.distances->by_query && spelled.distances->by_key));
  BOOST_TEST(changed("deberta-v3", {{"legacy", nullptr}}).names.head == "cls.predictions.decoder");
}

BOOST_AUTO_TEST_SUITE_END()
