// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/byte_pair_encoding.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(byte_pair_encoding_suite)

namespace {

using plumb::detail::test::cut;
using plumb::detail::test::ids;
using plumb::detail::test::ranges;
using Ids = std::vector<plumb::detail::TokenId>;
using Ranges = std::vector<std::vector<std::size_t>>;

plumb::detail::BytePairEncoding model(std::string_view json) {
  return plumb::detail::BytePairEncoding::read(plumb::detail::test::PartOf(json)("model"));
}

const std::string three_letters = R"("a": 0, "b": 1, "c": 2)";

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_merge_listed_comes_first_and_the_leftmost_of_equals) {
  const plumb::detail::BytePairEncoding bpe = model(R"({"vocab": {)" + three_letters +
                                                    R"(, "bc": 3, "ab": 4, "aa": 5, "abc": 6},
      "merges": ["b c", ["a", "b"], "a a", "ab c"]})");
  BOOST_TEST((ids(cut(bpe, "abc")) == Ids{0, 3}));
  BOOST_TEST((ids(cut(bpe, "aab")) == Ids{0, 4}));
  BOOST_TEST((ids(cut(bpe, "aaa")) == Ids{5, 0}));
  BOOST_TEST((ranges(cut(bpe, "aaa")) == Ranges{{0, 2}, {2, 3}}));
  BOOST_TEST(cut(bpe, "").empty());
}

BOOST_AUTO_TEST_CASE(whole_words_may_come_before_merges) {
  const plumb::detail::BytePairEncoding bpe = model(
      R"({"vocab": {)" + three_letters + R"(, "abc": 3}, "merges": [], "ignore_merges": true})");
  BOOST_TEST((ids(cut(bpe, "abc")) == Ids{3}));
  BOOST_TEST((ids(cut(bpe, "ab")) == Ids{0, 1}));
}

BOOST_AUTO_TEST_CASE(unknown_characters_are_fused_single_or_dropped) {
  const auto with = [](const std::string& more) {
    return model(R"({"vocab": {)" + three_letters + R"(, "?": 3}, "merges": [])" + more + "}");
  };
  BOOST_TEST((ids(cut(with(R"(, "unk_token": "?", "fuse_unk": true)"), "axyb")) == Ids{0, 3, 1}));
  BOOST_TEST((ids(cut(with(R"(, "unk_token": "?")"), "axyb")) == Ids{0, 3, 3, 1}));
  const auto dropped = cut(with(""), "axéb");
  BOOST_TEST((ids(dropped) == Ids{0, 1}));
  BOOST_TEST((ranges(dropped) == Ranges{{0, 1}, {4, 5}}));  // still the range of the bytes of "b"
}

BOOST_AUTO_TEST_CASE(bytes_without_a_character_are_spelt) {
  const plumb::detail::BytePairEncoding bpe =
      model(R"({"vocab": {"a": 0, "<0xC3>": 1, "<0xA9>": 2, "?": 3},
      "merges": [], "byte_fallback": true, "unk_token": "?"})");
  BOOST_TEST((ids(cut(bpe, "aé")) == Ids{0, 1, 2}));
  BOOST_TEST((ids(cut(bpe, "ax")) == Ids{0, 3}));
  BOOST_TEST(plumb::detail::byte_name('\n') == "<0x0A>");
}

BOOST_AUTO_TEST_CASE(prefixes_and_suffixes_are_part_of_the_token) {
  const plumb::detail::BytePairEncoding bpe =
      model(R"({"vocab": {"a": 0, "##a": 1, "##a$": 2, "aa$": 3},
      "merges": ["a ##a$"], "continuing_subword_prefix": "##", "end_of_word_suffix": "$"})");
  BOOST_TEST((ids(cut(bpe, "aa")) == Ids{3}));
  BOOST_TEST((ids(cut(bpe, "aaa")) == Ids{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(broken_merges_are_refused) {
  const auto refused = [](const std::string& more, const char* words) {
    BOOST_CHECK_EXCEPTION(model(R"({"vocab": {)" + three_letters + "}, " + more + "}"),
                          plumb::detail::Error,
                          plumb::detail::test::says(plumb::detail::Fault::user, words));
  };
  refused(R"("merges": ["a b"])", "model.merges[0]: its token \"ab\" is not in the vocabulary");
  refused(R"("merges": ["x a"])", "its token \"x\"");
  refused(R"("merges": ["ab"])", "not two tokens separated by one space");
  refused(R"("merges": ["a b c"])", "not two tokens");
  refused(R"("merges": [["a"]])", "is neither");
  refused(R"("merges": [3])", "is neither");
  refused(R"("merges": {})", "is not a list");
  refused(R"("merges": [], "dropout": 0.1)", "model.dropout: is for training");
  refused(R"("merges": [], "unk_token": "?")", "model.unk_token: is not in the vocabulary");
}

BOOST_AUTO_TEST_SUITE_END()
