// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/text_pieces.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(text_pieces_suite)

namespace {

using Texts = std::vector<std::string>;

Texts texts_of(const plumb::detail::TextPieces& pieces) {
  Texts all;
  for (const plumb::detail::TextPiece& piece : pieces.pieces) {
    all.emplace_back(pieces.text.text(piece.bytes));
  }
  return all;
}

Texts split(std::string_view text, plumb::detail::MatchBehavior behavior) {
  plumb::detail::TextPieces pieces;
  const plumb::detail::AlignedText whole(text);
  pieces.append(whole, {0, whole.size()});
  pieces.split_at_characters([](char32_t c) { return c == U'-'; }, behavior);
  return texts_of(pieces);
}

}  // namespace

// This is the example in the `tokenizers` documentation (SplitDelimiterBehavior).
BOOST_AUTO_TEST_CASE(behaviours_of_the_documented_example) {
  using enum plumb::detail::MatchBehavior;
  const std::string_view text = "the-final--countdown";
  BOOST_TEST((split(text, removed) == Texts{"the", "final", "countdown"}));
  BOOST_TEST((split(text, isolated) == Texts{"the", "-", "final", "-", "-", "countdown"}));
  BOOST_TEST((split(text, merged_with_previous) == Texts{"the-", "final-", "-", "countdown"}));
  BOOST_TEST((split(text, merged_with_next) == Texts{"the", "-final", "-", "-countdown"}));
  BOOST_TEST((split(text, contiguous) == Texts{"the", "-", "final", "--", "countdown"}));
  BOOST_TEST((split("-a-", merged_with_next) == Texts{"-a", "-"}));
  BOOST_TEST(split("--", removed).empty());
  BOOST_TEST(split("", isolated).empty());
}

BOOST_AUTO_TEST_CASE(tokens_stay_and_the_rest_is_cut_and_rewritten) {
  plumb::detail::TextPieces pieces;
  const plumb::detail::AlignedText text("a-b[X]-c");
  pieces.append(text, {0, 3});
  pieces.append(text, {3, 6}, 7);
  pieces.append(text, {6, 8});
  pieces.append(text, {2, 2});  // an empty range adds nothing
  pieces.split_at_characters([](char32_t c) { return c == U'-' || c == U'X'; },
                             plumb::detail::MatchBehavior::removed);
  BOOST_TEST((texts_of(pieces) == Texts{"a", "b", "[X]", "c"}));
  pieces.rewrite_each([](plumb::detail::AlignedText& piece) { piece.prepend("_"); });
  BOOST_TEST((texts_of(pieces) == Texts{"_a", "_b", "[X]", "_c"}));
  BOOST_TEST((*pieces.pieces[2].token == 7 && !pieces.pieces[3].token));
  BOOST_TEST((pieces.text.origin(pieces.pieces[3].bytes) == plumb::detail::ByteSpan{7, 8}));
}

BOOST_AUTO_TEST_CASE(inverted_what_matches_is_kept) {
  plumb::detail::TextPieces pieces;
  const plumb::detail::AlignedText text("a-b");
  pieces.append(text, {0, 3});
  pieces.split(
      [](std::string_view, auto visit) {
        visit(plumb::detail::ByteSpan{1, 2});
      },
      plumb::detail::MatchBehavior::removed, true);
  BOOST_TEST((texts_of(pieces) == Texts{"-"}));
}

BOOST_AUTO_TEST_CASE(an_unknown_behaviour_is_refused) {
  BOOST_TEST((plumb::detail::read_match_behavior(plumb::detail::test::PartOf("\"Contiguous\"")()) ==
              plumb::detail::MatchBehavior::contiguous));
  BOOST_CHECK_EXCEPTION(
      static_cast<void>(plumb::detail::read_match_behavior(plumb::detail::test::PartOf("\"X\"")())),
      plumb::detail::Error,
      plumb::detail::test::says(plumb::detail::Fault::user, "plumb supports Isolated, Removed"));
}

BOOST_AUTO_TEST_SUITE_END()
