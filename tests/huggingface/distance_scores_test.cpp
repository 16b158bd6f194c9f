// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/distance_scores.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "plumb/detail/huggingface/safetensors.hpp"
#include "support/errors.hpp"
#include "support/stored_weights.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(distance_scores_tests)

// Worked out by hand: each of the 128 nearest distances has its own number. Beyond these, the
// number is 128 + ceil(127 · ln(d / 128) / ln(511 / 128)); the terms 0.71, 40.9, 63.2 and 127 are
// rounded up.
BOOST_AUTO_TEST_CASE(far_distances_share_numbers) {
  DistanceRows rows({.span = 256, .buckets = 256, .most = 512});
  rows.prepare(600);
  for (const auto& [distance, number] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 0},
                                                        {1, 1},
                                                        {127, 127},
                                                        {128, 128},
                                                        {129, 129},
                                                        {200, 169},
                                                        {255, 192},
                                                        {511, 255}}) {
    BOOST_TEST(rows.row(distance, 0) == 256 + number);
    BOOST_TEST(rows.row(3, distance + 3) == 256 - number);
  }
  BOOST_TEST(rows.row(599, 0) == 511U);  // the last number also covers this distance
}

BOOST_AUTO_TEST_CASE(without_buckets_each_distance_has_a_number_up_to_the_span) {
  DistanceRows rows({.span = 3, .most = 3});
  rows.prepare(9);
  BOOST_TEST(rows.row(2, 2) == 3U);
  BOOST_TEST(rows.row(4, 2) == 5U);
  BOOST_TEST(rows.row(8, 2) == 5U);
  BOOST_TEST(rows.row(2, 4) == 1U);
  BOOST_TEST(rows.row(0, 8) == 0U);
}

namespace {

// One head of size two. Queries and keys are the rows times two. The distances' own projections
// leave keys unchanged and swap the two numbers of each query.
struct Layer : test::TemporaryFolder {
  std::filesystem::path file =
      write("model.safetensors",
            test::stored({{"l.qkv.weight", {6, 2}, {2, 0, 0, 2, 2, 0, 0, 2, 1, 0, 0, 1}},
                          {"l.out.weight", {2, 2}, {1, 0, 0, 1}},
                          {"l.n1.weight", {2}, {1, 1}},
                          {"l.n1.bias", {2}, {0, 0}},
                          {"l.n2.weight", {2}, {1, 1}},
                          {"l.n2.bias", {2}, {0, 0}},
                          {"l.up.weight", {2, 2}, {1, 0, 0, 1}},
                          {"l.down.weight", {2, 2}, {1, 0, 0, 1}},
                          {"l.attention.self.pos_key_proj.weight", {2, 2}, {1, 0, 0, 1}},
                          {"l.attention.self.pos_key_proj.bias", {2}, {0, 0}},
                          {"l.attention.self.pos_query_proj.weight", {2, 2}, {0, 1, 1, 0}},
                          {"l.attention.self.pos_query_proj.bias", {2}, {0, 0}}}));
  Safetensors tensors{path()};
  WeightReader reader{tensors, path(), {}};

  static EncoderConfig config(const DistanceShape& shape) {
    EncoderConfig made;
    made.hidden = made.head_size = made.intermediate = 2;
    made.heads = made.key_heads = 1;
    made.norm_after_sum = true;
    made.attention_scale = 0.5F;
    made.names.query_key_value = {"qkv"};
    made.names.attention_out = "out";
    made.names.attention_norm = "n1";
    made.names.feed_norm = "n2";
    name_plain_feed(made.names, "up", "down");
    made.distances = shape;
    return made;
  }

  /// The terms added to the scores of the tokens in `asked`, given two tokens with queries (1, 1)
  /// and (3, 5) and keys (1, 2) and (4, 1). The distance embedding is (1, 0) for positions before a
  /// token and (0, 2) for the token itself and the positions after it.
  [[nodiscard]] std::vector<float> added(const DistanceShape& shape,
                                         const std::vector<std::size_t>& asked) const {
    const EncoderConfig as = config(shape);
    const DecoderLayer layer(reader, "l.", as);
    const DistanceScores scores(reader, "l.", layer, std::vector<float>{1, 0, 0, 2}, as);
    DistanceRows rows(shape);
    rows.prepare(2);
    const std::vector<float> all_queries{1, 1, 3, 5}, keys{1, 2, 4, 1};
    std::vector<float> queries, made;
    for (const std::size_t i : asked) {
      queries.insert(queries.end(), {all_queries[2 * i], all_queries[2 * i + 1]});
    }
    scores.add(rows, 0, asked, 2, queries.data(), 2, keys.data(), 2, made);
    return made;
  }
};

}  // namespace

// The distances have the keys (1, 0) and (0, 2) and the queries (0, 1) and (2, 0). The products by
// query are 2, 1 and 10, 10; those by key are 2, 1 and 2, 8. The sums are halved.
BOOST_FIXTURE_TEST_CASE(both_products_are_those_of_a_hand, Layer) {
  const DistanceShape both{.span = 1, .most = 1, .by_query = true, .by_key = true};
  BOOST_TEST((added(both, {0, 1}) == std::vector<float>{2, 1, 6, 9}));
  BOOST_TEST((added(both, {1}) == std::vector<float>{6, 9}));
  const DistanceShape by_query{.span = 1, .most = 1, .by_query = true};
  BOOST_TEST((added(by_query, {0, 1}) == std::vector<float>{1, 0.5F, 5, 5}));
  const DistanceShape by_key{.span = 1, .most = 1, .by_key = true};
  BOOST_TEST((added(by_key, {0, 1}) == std::vector<float>{1, 0.5F, 1, 4}));
}

// With the layer's own projections, the keys and the queries of the distances are (2, 0) and (0,
// 4). The products by query are 4, 2 and 20, 20; those by key are 8, 8 and 8, 4.
BOOST_FIXTURE_TEST_CASE(the_layers_own_projections_may_serve_distances, Layer) {
  const DistanceShape both{
      .span = 1, .most = 1, .by_query = true, .by_key = true, .is_shared = true};
  BOOST_TEST((added(both, {0, 1}) == std::vector<float>{6, 5, 14, 12}));
}

BOOST_FIXTURE_TEST_CASE(error_names_the_missing_projection, Layer) {
  const DistanceShape both{.span = 1, .most = 1, .by_query = true, .by_key = true};
  const EncoderConfig as = config(both);
  const DecoderLayer layer(reader, "l.", as);
  BOOST_CHECK_EXCEPTION(
      DistanceScores(reader, "m.", layer, std::vector<float>{1, 0, 0, 2}, as), Error,
      says(Fault::user, "m.attention.self.pos_key_proj.weight: the tensor is missing"));
}

BOOST_AUTO_TEST_SUITE_END()
