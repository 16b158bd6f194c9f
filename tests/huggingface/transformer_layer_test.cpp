// SPDX-License-Identifier: Apache-2.0
#include "plumb/huggingface/transformer_layer.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/huggingface/attention.hpp"
#include "plumb/huggingface/safetensors.hpp"
#include "support/errors.hpp"
#include "support/stored_weights.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(transformer_layer)

namespace {

// Two tokens, (1, 0) and (0, 6); one head. Each query is (√2 ln 3, 0), keys are (1, 0) and (0, 0), so
// that each token sees the first with weight 3/4 and the second with 1/4; values are (4, 0) and
// (0, 6). So both gather (3, 3/2).
const std::vector<test::PlainTensor> weights{
    {"l.q.weight", {2, 2}, {0, 0, 0, 0}},
    {"l.q.bias", {2}, {std::sqrt(2.0F) * std::log(3.0F), 0}},
    {"l.k.weight", {2, 2}, {1, 0, 0, 0}},
    {"l.k.bias", {2}, {0, 0}},
    {"l.v.weight", {2, 2}, {4, 0, 0, 1}},
    {"l.v.bias", {2}, {0, 0}},
    {"l.out.weight", {2, 2}, {1, 2, 0, 2}},
    {"l.out.bias", {2}, {0, -1}},
    {"l.n1.weight", {2}, {2, 3}},
    {"l.n1.bias", {2}, {1, 1}},
    {"l.up.weight", {3, 2}, {1, 0, 0, 1, 1, 1}},
    {"l.up.bias", {3}, {0, 0, -1}},
    {"l.down.weight", {2, 3}, {1, 0, 1, 0, 1, -1}},
    {"l.down.bias", {2}, {1, 0}},
    {"l.n2.weight", {2}, {1, 10}},
    {"l.n2.bias", {2}, {0, 5}},
};

const LayerNames names{{"q", "k", "v"}, "out", "n1", "up", "down", "n2"};

EncoderConfig config() {
  EncoderConfig config;
  config.hidden = 2;
  config.heads = 1;
  config.intermediate = 3;
  config.activation = Activation::relu;
  config.norm_epsilon = 0;
  return config;
}

struct Layer : test::TemporaryFolder {
  [[nodiscard]] TransformerLayer read(const std::vector<test::PlainTensor>& tensors,
                                      const EncoderConfig& as) const {
    write("model.safetensors", test::stored(tensors));
    const Safetensors file(path());
    return TransformerLayer::read(WeightReader(file, path(), ""), "l.", names, as);
  }
  TransformerLayer layer = read(weights, config());
};

void near(const std::vector<float>& is, const std::vector<float>& expected) {
  BOOST_TEST_REQUIRE(is.size() == expected.size());
  for (std::size_t i = 0; i < is.size(); ++i) BOOST_TEST(std::abs(is[i] - expected[i]) < 2e-5F);
}

const std::vector<float> rows{1, 0, 0, 6}, gathered{3, 1.5F, 3, 1.5F};

}  // namespace

BOOST_FIXTURE_TEST_CASE(attention_is_that_of_a_hand, Layer) {
  std::vector<float> projected(12), scratch, to(4);
  layer.query_key_value.multiply(rows.data(), 2, 2, projected.data(), 6);
  KeyValues held(1, 2);
  held.resize(2);
  for (std::size_t i = 0; i < 2; ++i) held.set(i, projected.data() + i * 6 + 2);
  attend(held, 0, {{{0, 2}}, 2, {}}, {1 / std::sqrt(2.0F)}, projected.data(), 2, 6, to.data(), 2,
         scratch);
  near(to, gathered);
}

// The attention's product is (6, 2) for both, so the sums are (7, 2) and (6, 8). A layer norm of two
// numbers makes them 1 and −1, the greater one 1.
BOOST_FIXTURE_TEST_CASE(a_layer_is_that_of_a_hand, Layer) {
  // After the first norm: (2·1 + 1, 3·−1 + 1) = (3, −2) and (−1, 4). Fed forward: max(0, (3, −2, 0))
  // gives (4, 0), max(0, (−1, 4, 2)) gives (3, 2). Sums: (7, −2) and (2, 6).
  std::vector<float> result = rows;
  layer.finish(gathered, result);
  near(result, {1, -5, -1, 15});
}

BOOST_FIXTURE_TEST_CASE(a_tensor_that_is_missing_is_named, Layer) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::vector<test::PlainTensor> without = weights;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    BOOST_CHECK_EXCEPTION((void)read(without, config()), Error,
                          says(Fault::user, weights[i].name + ": the tensor is missing"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
