// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/decoder_layer.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/huggingface/safetensors.hpp"
#include "support/errors.hpp"
#include "support/stored_weights.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(decoder_layer)

namespace {

// The layer has a hidden size of two, one head and an inner size of three. Attention's output
// projection gives (6, 2), so the sum with (1, 0) is (7, 2), which a layer norm turns into (1, −1).
const std::vector<test::PlainTensor> weights{
    {"l.qkv.weight", {6, 2}, {1, 0, 0, 1, 2, 0, 0, 2, 3, 0, 0, 3}},
    {"l.qkv.bias", {6}, {0, 0, 0, 0, 0, 1}},
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

DecoderConfig config() {
  DecoderConfig made;
  made.hidden = made.head_size = 2;
  made.heads = made.key_heads = 1;
  made.intermediate = 3;
  made.activation = Activation::relu;
  made.norm.epsilon = 0;
  made.has_attention_bias = made.has_attention_out_bias = made.has_feed_bias = true;
  made.names.query_key_value = {"qkv"};
  made.names.attention_out = "out";
  made.names.attention_norm = "n1";
  made.names.feed_norm = "n2";
  made.names.gate.clear();
  made.names.up = "up";
  made.names.down = "down";
  return made;
}

struct Folder : test::TemporaryFolder {
  [[nodiscard]] DecoderLayer layer(const DecoderConfig& as,
                                   const std::vector<test::PlainTensor>& tensors = weights) const {
    write("model.safetensors", test::stored(tensors));
    const Safetensors file(path());
    return {WeightReader(file, path(), {}), "l.", as};
  }
  [[nodiscard]] std::vector<float> finished(const DecoderConfig& as) const {
    std::vector<float> rows{1, 0}, input, given, between;
    const std::vector<float> gathered{3, 1.5F};
    layer(as).finish(as, gathered, rows, input, given, between);
    return rows;
  }
  [[nodiscard]] std::vector<float> projected(const DecoderConfig& as, std::vector<float> rows,
                                             const Rotary* rotary = nullptr) const {
    std::vector<float> input, made;
    const std::vector<std::size_t> positions(rows.size() / 2, 1);
    layer(as).project(as, rows, positions, rotary, input, made);
    return made;
  }
};

void near(const std::vector<float>& is, const std::vector<float>& expected) {
  BOOST_TEST_REQUIRE(is.size() == expected.size());
  for (std::size_t i = 0; i < is.size(); ++i) BOOST_TEST(std::abs(is[i] - expected[i]) < 2e-5F);
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(norms_before_are_those_of_a_hand, Folder) {
  // The second norm turns (7, 2) into (1, −5). The inner values max(0, (1, −5, −5)) of the
  // feed-forward layer give (2, 0).
  near(finished(config()), {9, 2});
}

BOOST_FIXTURE_TEST_CASE(norms_after_the_sums_are_those_of_a_hand, Folder) {
  // The first norm turns (7, 2) into (3, −2). The inner values max(0, (3, −2, 0)) of the
  // feed-forward layer give (4, 0). Their sum, (7, −2), is normalised.
  DecoderConfig as = config();
  as.norm_after_sum = true;
  near(finished(as), {1, -5});
}

BOOST_FIXTURE_TEST_CASE(one_layer_may_go_without_the_norm_before_attention, Folder) {
  write("model.safetensors", test::stored(weights));
  const Safetensors file(path());
  std::vector<float> input, made;
  const DecoderLayer first(WeightReader(file, path(), {}), "l.", config(), false);
  first.project(config(), std::vector<float>{5, 7}, std::vector<std::size_t>{0}, nullptr, input,
                made);
  near(made, {5, 7, 10, 14, 15, 22});
}

BOOST_FIXTURE_TEST_CASE(norms_on_what_is_added_are_those_of_a_hand, Folder) {
  // n1 normalises (6, 2) to (3, −2), so the sum is (4, −2). The feed-forward has no norm before it:
  // max(0, (4, −2, 1)) gives (4 + 1 + 1, −1) = (6, −1). n2 normalises this to (1, −5), so the sum
  // is (5, −7).
  DecoderConfig as = config();
  as.names.attention_end_norm = as.names.attention_norm;
  as.names.feed_end_norm = as.names.feed_norm;
  as.names.attention_norm.clear();
  as.names.feed_norm.clear();
  near(finished(as), {5, -7});
}

BOOST_FIXTURE_TEST_CASE(both_parts_may_read_the_same_rows, Folder) {
  // The second norm turns (1, 0) into (1, −5), and the feed-forward layer gives (2, 0). The total
  // is (1 + 6 + 2, 0 + 2 + 0); with a residual scale of one half, it is (1 + 4, 1).
  DecoderConfig as = config();
  as.parallel = true;
  near(finished(as), {9, 2});
  as.residual_scale = 0.5F;
  near(finished(as), {5, 1});
  // If the first norm is used for both, the feed-forward layer's input is (3, −2), and its inner
  // values max(0, (3, −2, 0)) give (4, 0).
  as.residual_scale = 1;
  as.names.feed_norm.clear();
  near(finished(as), {11, 2});
}

BOOST_FIXTURE_TEST_CASE(the_norms_output_may_be_the_residual, Folder) {
  // The first norm turns (1, 0) into (3, −2); adding (6, 2) gives (9, 0). The second norm gives (1,
  // −5), and the feed-forward layer (2, 0), so the result is (3, −5).
  DecoderConfig as = config();
  as.residual_from_norm = true;
  near(finished(as), {3, -5});
}

BOOST_FIXTURE_TEST_CASE(queries_keys_and_values_are_projected_normed_and_turned, Folder) {
  // The first norm turns (1, 0) into (3, −2).
  DecoderConfig as = config();
  near(projected(as, {1, 0}), {3, -2, 6, -4, 9, -5});
  as.clip = 4;
  near(projected(as, {1, 0}), {3, -2, 4, -4, 4, -4});
  as.clip = 0;
  Rotary quarter({std::acos(0.0F)}, 1, false);  // a quarter turn: (x, y) becomes (−y, x)
  quarter.prepare(2);
  near(projected(as, {1, 0}, &quarter), {2, 3, 4, 6, 9, -5});
}

BOOST_FIXTURE_TEST_CASE(one_tensor_may_hold_heads_one_after_the_other, Folder) {
  // With four query heads and two key heads, each of size one, the rows are q0 q1 k0 v0 q2 q3 k1
  // v1.
  DecoderConfig as = config();
  as.heads = 4;
  as.key_heads = 2;
  as.head_size = 1;
  as.projection = ProjectionOrder::by_key_head;
  as.names.attention_norm.clear();
  std::vector<test::PlainTensor> tensors = weights;
  tensors[0] = {"l.qkv.weight", {8, 2}, {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0}};
  tensors[1] = {"l.qkv.bias", {8}, {0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F, 0.8F}};
  tensors[2] = {"l.out.weight", {2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}};
  std::vector<float> rows{1, 9}, input, made;
  const std::vector<std::size_t> positions{0};
  layer(as, tensors).project(as, rows, positions, nullptr, input, made);
  near(made, {1.1F, 2.2F, 5.5F, 6.6F, 3.3F, 7.7F, 4.4F, 8.8F});
}

BOOST_FIXTURE_TEST_CASE(error_names_the_missing_tensor, Folder) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::vector<test::PlainTensor> without = weights;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    BOOST_CHECK_EXCEPTION((void)layer(config(), without), Error,
                          says(Fault::user, weights[i].name + ": the tensor is missing"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
