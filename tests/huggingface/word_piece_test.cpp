// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/word_piece.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(word_piece_suite)

namespace {

using plumb::detail::test::cut;
using plumb::detail::test::ids;
using plumb::detail::test::ranges;
using Ids = std::vector<plumb::detail::TokenId>;
using Ranges = std::vector<std::vector<std::size_t>>;

plumb::detail::WordPiece model(std::string_view json) {
  return plumb::detail::WordPiece::read(plumb::detail::test::PartOf(json)("model"));
}

}  // namespace

// In the example from Devlin et al. (tokenization.py), "unaffable" becomes "un", "##aff", "##able".
BOOST_AUTO_TEST_CASE(the_longest_token_comes_first) {
  const plumb::detail::WordPiece bert =
      model(R"({"vocab": {"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3,
      "##a": 4, "é": 5, "##é": 6, "u": 7}, "max_input_chars_per_word": 9})");
  BOOST_TEST((ids(cut(bert, "unaffable")) == Ids{1, 2, 3}));
  BOOST_TEST((ranges(cut(bert, "unaffable")) == Ranges{{0, 2}, {2, 5}, {5, 9}}));
  BOOST_TEST((ids(cut(bert, "éé")) == Ids{5, 6}));
  BOOST_TEST((ids(cut(bert, "una")) == Ids{1, 4}));
}

BOOST_AUTO_TEST_CASE(a_word_that_cannot_be_cut_is_one_unknown_token) {
  const plumb::detail::WordPiece bert = model(
      R"({"vocab": {"?": 2, "a": 0, "##a": 1}, "unk_token": "?", "max_input_chars_per_word": 4})");
  BOOST_TEST((ids(cut(bert, "aab")) == Ids{2}));
  BOOST_TEST((ranges(cut(bert, "aab")) == Ranges{{0, 3}}));
  BOOST_TEST((ids(cut(bert, "東")) == Ids{2}));  // the text is longer than any token
  BOOST_TEST((ids(cut(bert, "aaaa")) == Ids{0, 1, 1, 1}));
  BOOST_TEST((ids(cut(bert, "aaaaa")) == Ids{2}));
  BOOST_TEST(*bert.unknown() == 2);
}

BOOST_AUTO_TEST_CASE(a_vocabulary_without_its_unknown_token_is_refused) {
  BOOST_CHECK_EXCEPTION(
      model(R"({"vocab": {"a": 0}})"), plumb::detail::Error,
      plumb::detail::test::says(plumb::detail::Fault::user, "model: the unknown token \"[UNK]\""));
  BOOST_CHECK_EXCEPTION(model(R"({})"), plumb::detail::Error,
                        plumb::detail::test::says(plumb::detail::Fault::user, "has no \"vocab\""));
}

BOOST_AUTO_TEST_SUITE_END()
