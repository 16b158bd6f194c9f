// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/mask_filler.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/word_mask_model.hpp"

using namespace plumb::detail;
using test::WordMaskModel;

BOOST_AUTO_TEST_SUITE(mask_filler_suite)

namespace {

using Ids = std::vector<TokenId>;

const auto close = boost::test_tools::tolerance(1e-6);

WordMaskModel letters() {
  return WordMaskModel(std::vector<std::string>{"a", "b", "c", "d", "e", "f"});
}

/// The text "a <mask> b" with `masks` masks, the first of which are replaced by `filled`; the query
/// is at the next mask.
MaskedQuery asked(const WordMaskModel& model, std::size_t masks, const Ids& filled = {}) {
  MaskedQuery query{{0, model.id("a")}, static_cast<std::uint32_t>(2 + filled.size())};
  query.sequence.insert(query.sequence.end(), filled.begin(), filled.end());
  query.sequence.insert(query.sequence.end(), masks - filled.size(), model.mask());
  query.sequence.insert(query.sequence.end(), {model.id("b"), 1});
  return query;
}

double log_p(const std::vector<float>& row, TokenId token) {
  double sum = 0;
  for (const float logit : row) sum += std::exp(static_cast<double>(logit));
  return static_cast<double>(row.at(static_cast<std::size_t>(token))) - std::log(sum);
}

TokenId best(const std::vector<float>& row) {
  return static_cast<TokenId>(std::ranges::max_element(row) - row.begin());
}

/// A model that returns the row set by a test for every query.
class ToldRows {
 public:
  explicit ToldRows(std::vector<float> row) : row_(std::move(row)) {}
  [[nodiscard]] Tokenization tokenize(std::string_view) const { return {}; }
  [[nodiscard]] std::string detokenize(std::span<const TokenId>) const { return {}; }
  [[nodiscard]] std::optional<TokenId> bos() const { return std::nullopt; }
  [[nodiscard]] std::size_t vocabulary_size() const { return row_.size(); }
  [[nodiscard]] std::size_t context_length() const { return 8; }
  [[nodiscard]] TokenId mask() const { return 0; }
  void evaluate(std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
    for (std::uint32_t q = 0; q < queries.size(); ++q) visit(q, row_);
  }

 private:
  std::vector<float> row_;
};

FilledGap filled(std::vector<float> row, Ids truths, const Ids* vocabulary = nullptr) {
  ToldRows model(std::move(row));
  return MaskFiller(model)
      .fill(std::vector<MaskedGap>{{{{0}, 0}, true, {}, std::move(truths), vocabulary}})
      .front();
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_mask_is_filled_with_the_likeliest_token_of_all) {
  WordMaskModel model = letters();
  MaskFiller filler(model);
  const std::vector<float> row = model.row(asked(model, 1));
  const Ids name{model.id("e")};
  const auto filled = filler.fill(std::vector<MaskedGap>{{asked(model, 1), true, {name}, name}});
  BOOST_REQUIRE(filled.size() == 1U);
  BOOST_TEST((filled[0].fill.tokens == Ids{best(row)}));
  BOOST_TEST(filled[0].fill.log_probability == log_p(row, best(row)), close);
  BOOST_TEST(filled[0].names.at(0) == log_p(row, name[0]), close);
  const auto above = std::ranges::count_if(
      row, [&](float logit) { return logit > row.at(static_cast<std::size_t>(name[0])); });
  BOOST_TEST(filled[0].rank->above == static_cast<std::size_t>(above));
  BOOST_TEST(!filled[0].common_fill);
}

// Computed by hand for tokens 0 … 4 with these logits.
BOOST_AUTO_TEST_CASE(the_likeliest_true_token_is_ranked_and_no_other_stands_in_its_way) {
  const std::vector<float> row{1, 5, 3, 5, 2};
  BOOST_TEST((filled(row, {1}).fill.tokens == Ids{1}));  // ties go to the lowest token
  BOOST_TEST((*filled(row, {1}).rank == Rank{0, 1}));
  BOOST_TEST((*filled(row, {1, 3}).rank == Rank{0, 0}));  // tied only with another true token
  BOOST_TEST((*filled(row, {4, 2}).rank == Rank{2, 0}));
  BOOST_TEST((*filled(row, {0}).rank == Rank{4, 0}));
  BOOST_TEST(!filled(row, {}).rank);
}

BOOST_AUTO_TEST_CASE(common_vocabulary_has_its_own_answer_and_ranks) {
  const std::vector<float> row{1, 5, 3, 5, 2};
  const Ids common{0, 2, 4};
  BOOST_TEST((*filled(row, {4}, &common).common_fill == 2));
  BOOST_TEST((*filled(row, {4}, &common).common_rank == Rank{1, 0}));
  BOOST_TEST((*filled(row, {4}, &common).rank == Rank{3, 0}));
  // The most likely true token is not in the vocabulary.
  BOOST_TEST((*filled(row, {1, 0}, &common).common_rank == Rank{2, 0}));
  BOOST_TEST(!filled(row, {3}, &common).common_rank);
  BOOST_TEST((*filled(row, {3}, &common).common_fill == 2));
}

BOOST_AUTO_TEST_CASE(several_masks_are_filled_left_to_right_by_best_mean) {
  WordMaskModel model = letters();
  std::vector<MaskFill> by_masks;
  for (std::size_t masks = 1; masks <= 3; ++masks) {
    MaskFill fill;
    for (std::size_t place = 0; place < masks; ++place) {
      const std::vector<float> row = model.row(asked(model, masks, fill.tokens));
      fill.log_probability += log_p(row, best(row));
      fill.tokens.push_back(best(row));
    }
    by_masks.push_back(fill);
  }
  for (std::size_t most = 1; most <= 3; ++most) {
    MaskFill wanted = by_masks[0];
    for (std::size_t masks = 2; masks <= most; ++masks) {
      const MaskFill& one = by_masks[masks - 1];
      if (one.log_probability / static_cast<double>(masks) >
          wanted.log_probability / static_cast<double>(wanted.tokens.size())) {
        wanted = one;
      }
    }
    const auto filled = MaskFiller(model, most).fill(std::vector<MaskedGap>{{asked(model, 1)}});
    BOOST_TEST((filled[0].fill.tokens == wanted.tokens));
    BOOST_TEST(filled[0].fill.log_probability == wanted.log_probability, close);
  }
}

BOOST_AUTO_TEST_CASE(multi_token_names_are_scored_token_by_token) {
  WordMaskModel model = letters();
  const Ids name{model.id("c"), model.id("f")};
  const MaskedGap gap{asked(model, 1), false, {name, {name[0]}}};
  const auto filled = MaskFiller(model, 2).fill(std::vector<MaskedGap>{gap});
  BOOST_TEST(filled[0].fill.tokens.empty());
  BOOST_TEST(filled[0].names.at(0) == log_p(model.row(asked(model, 2)), name[0]) +
                                          log_p(model.row(asked(model, 2, {name[0]})), name[1]),
             close);
  BOOST_TEST(filled[0].names.at(1) == log_p(model.row(asked(model, 1)), name[0]), close);
}

// One gap with two one-token names requires three inputs, and its copy requires three more, but all
// six inputs are equal, so only one row is computed.
BOOST_AUTO_TEST_CASE(equal_inputs_are_computed_once) {
  WordMaskModel model = letters();
  MaskFiller filler(model);
  const MaskedGap gap{asked(model, 1), true, {{model.id("c")}, {model.id("d")}}};
  (void)filler.fill(std::vector<MaskedGap>{gap, gap});
  BOOST_TEST(model.rows_given == 1U);
  BOOST_TEST(filler.cost().masked_inputs == 6U);
  BOOST_TEST(filler.cost().masked_inputs_computed == 1U);
  BOOST_TEST(filler.cost().tokens_one_by_one == 30U);
  BOOST_TEST(filler.cost().tokens_fed == 5U);
}

BOOST_AUTO_TEST_SUITE_END()
