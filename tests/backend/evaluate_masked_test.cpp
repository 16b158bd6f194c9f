// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/evaluate_masked.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(evaluate_masked_suite)

namespace {

/// A model with two words, whose rows are set by the test.
struct Told {
  [[nodiscard]] Tokenization tokenize(std::string_view) const { return {}; }
  [[nodiscard]] std::string detokenize(std::span<const TokenId>) const { return {}; }
  [[nodiscard]] std::optional<TokenId> bos() const { return std::nullopt; }
  [[nodiscard]] std::size_t vocabulary_size() const { return 2; }
  [[nodiscard]] std::size_t context_length() const { return 8; }
  [[nodiscard]] TokenId mask() const { return 1; }
  void evaluate(std::span<const MaskedQuery>, const LogitsVisitor& visit) {
    for (const std::uint32_t query : given) visit(query, std::vector<float>(length, 0.0F));
  }
  std::vector<std::uint32_t> given;
  std::size_t length = 2;
};

std::vector<std::uint32_t> seen(Told model) {
  const std::vector<MaskedQuery> queries(2, MaskedQuery{{1}, 0});
  std::vector<std::uint32_t> rows;
  evaluate_masked(model, queries, [&](std::uint32_t query, auto) { rows.push_back(query); });
  return rows;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_row_is_passed_on_once) {
  BOOST_TEST((seen({{1, 0}}) == std::vector<std::uint32_t>{1, 0}));
}

BOOST_AUTO_TEST_CASE(rows_that_are_not_as_asked_are_refused) {
  const auto refused = [](Told model, const char* text) {
    BOOST_CHECK_EXCEPTION((void)seen(std::move(model)), Error, test::says(Fault::user, text));
  };
  refused({{0}}, "returned no row for 1 of the queries");
  refused({{0, 0}},
          "returned a row for query 0, which was not requested or had already been answered");
  refused({{0, 2}},
          "returned a row for query 2, which was not requested or had already been answered");
  refused({{0, 1}, 3}, "returned a row of 3 logits, but vocabulary_size() is 2");
}

BOOST_AUTO_TEST_CASE(optional_parts_are_asked_where_they_are) {
  const NeighbourModel model("a bc");
  BOOST_TEST((words_of(model, "a bc", 4) == std::vector<std::uint32_t>{0, 1, 1, 1}));
  BOOST_CHECK_EXCEPTION((void)words_of(model, "a bc", 3), Error,
                        test::says(Fault::user, "gave 4 words of 3 tokens"));
  BOOST_CHECK_EXCEPTION((void)words_of(Told{}, "a", 0), Error,
                        test::says(Fault::user, "the model has no words(text)"));
  BOOST_TEST((frame_of(model).before.empty() && frame_of(model).after.empty()));
  BOOST_TEST(!unknown_of(model).has_value());
}

BOOST_AUTO_TEST_CASE(a_text_with_a_mask_is_tokenised_around_it_unless_the_model_does_it_itself) {
  const NeighbourModel model("a bc");
  const MaskedQuery apart = masked_text(model, "a ", "c");
  BOOST_TEST((apart.sequence == std::vector<TokenId>{'a', ' ', model.mask(), 'c'}));
  BOOST_TEST(apart.position == 2U);
  struct Own : NeighbourModel {
    Own() : NeighbourModel("a") {}
    [[nodiscard]] MaskedQuery masked_text(std::string_view, std::string_view) const {
      return {{7, 8}, 1};
    }
    [[nodiscard]] TextFrame frame() const { return {{1, 2}, {3}}; }
  };
  BOOST_TEST((masked_text(Own(), "a", "b") == MaskedQuery{{7, 8}, 1}));
  BOOST_TEST((framed_masked_text(Own(), "a", "b") == MaskedQuery{{1, 2, 7, 8, 3}, 3}));
}

BOOST_AUTO_TEST_SUITE_END()
