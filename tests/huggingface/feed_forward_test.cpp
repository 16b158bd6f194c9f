// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/feed_forward.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/huggingface/safetensors.hpp"
#include "support/stored_weights.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(feed_forward)

namespace {

/// A hidden size of two, an inner size of two, and ReLU.
DecoderConfig config() {
  DecoderConfig made;
  made.hidden = made.intermediate = 2;
  made.activation = Activation::relu;
  made.names.gate.clear();
  made.names.up = "up";
  made.names.down = "down";
  return made;
}

struct Layer : test::TemporaryFolder {
  [[nodiscard]] std::vector<float> of(const std::vector<test::PlainTensor>& tensors,
                                      const DecoderConfig& as, std::vector<float> rows) const {
    write("model.safetensors", test::stored(tensors));
    const Safetensors file(path());
    const FeedForward feed(WeightReader(file, path(), {}), "l.", as);
    std::vector<float> made(rows.size()), between;
    feed.apply(rows, rows.size() / 2, made, between);
    return made;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_plain_one_is_that_of_a_hand, Layer) {
  // The inner numbers are max(0, (3 − 1, −3)) = (2, 0), and the result is (2 · 2, 2 + 5).
  DecoderConfig as = config();
  as.has_feed_bias = true;
  BOOST_TEST((of({{"l.up.weight", {2, 2}, {1, 0, -1, 0}},
                  {"l.up.bias", {2}, {-1, 0}},
                  {"l.down.weight", {2, 2}, {2, 0, 1, 9}},
                  {"l.down.bias", {2}, {0, 5}}},
                 as, {3, 7}) == std::vector<float>{4, 7}));
}

BOOST_FIXTURE_TEST_CASE(gate_is_multiplied_by_the_up_projection, Layer) {
  // The gate is max(0, (x, −y)), and the other factor is (y, x). The result is (3 · 7, 0) at (3, 7)
  // and (2 · −5, 5 · 2) at (2, −5).
  DecoderConfig as = config();
  as.names.gate = "gate";
  const std::vector<float> rows{3, 7, 2, -5}, expected{21, 0, -10, 10};
  const test::PlainTensor down{"l.down.weight", {2, 2}, {1, 0, 0, 1}};
  BOOST_TEST(
      (of({{"l.gate.weight", {2, 2}, {1, 0, 0, -1}}, {"l.up.weight", {2, 2}, {0, 1, 1, 0}}, down},
          as, rows) == expected));
  as.names.gate = as.names.up;  // gate and up are stored as one tensor
  BOOST_TEST(
      (of({{"l.up.weight", {4, 2}, {1, 0, 0, -1, 0, 1, 1, 0}}, down}, as, rows) == expected));
}

BOOST_FIXTURE_TEST_CASE(each_row_goes_through_its_likeliest_experts, Layer) {
  // Expert e returns (e + 1) · x. The router's scores are (0, ln 3, −9) for row (1, 0) and (ln 2,
  // −9, 0) for row (0, 1). The first row therefore uses experts 0 and 1 with weights 1/4 and 3/4,
  // and the second uses experts 0 and 2 with weights 2/3 and 1/3.
  DecoderConfig as = config();
  as.experts = 3;
  as.experts_per_token = 2;
  as.names.router = "router";
  as.names.expert = "e.";
  std::vector<test::PlainTensor> tensors{
      {"l.router.weight", {3, 2}, {0, std::log(2.0F), std::log(3.0F), -9, -9, 0}}};
  for (std::size_t e = 0; e < 3; ++e) {
    const std::string name = "l.e." + std::to_string(e) + ".";
    const auto by = static_cast<float>(e + 1);
    tensors.push_back({name + "up.weight", {2, 2}, {1, 0, 0, 1}});
    tensors.push_back({name + "down.weight", {2, 2}, {by, 0, 0, by}});
  }
  const std::vector<float> made = of(tensors, as, {1, 0, 0, 1});
  BOOST_TEST(std::abs(made[0] - (0.25F + 0.75F * 2)) < 1e-6F);
  BOOST_TEST(made[1] == 0);
  BOOST_TEST(std::abs(made[3] - (2.0F / 3 + 3.0F / 3)) < 1e-6F);
  BOOST_TEST((of(tensors, as, {0, 1})[1] == made[3]));
}

BOOST_AUTO_TEST_SUITE_END()
