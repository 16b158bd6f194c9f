// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/unigram.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(unigram_suite)

namespace {

using plumb::detail::test::cut;
using plumb::detail::test::ids;
using plumb::detail::test::ranges;
using Ids = std::vector<plumb::detail::TokenId>;
using Ranges = std::vector<std::vector<std::size_t>>;

plumb::detail::Unigram model(std::string_view json) {
  return plumb::detail::Unigram::read(plumb::detail::test::PartOf(json)("model"));
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_likeliest_tokens_are_taken) {
  const plumb::detail::Unigram unigram =
      model(R"({"unk_id": 0, "vocab": [["?", 0], ["a", -1], ["b", -2],
      ["ab", -2.5], ["aba", -6], ["c", -1], ["bc", -2.75]]})");
  BOOST_TEST((ids(cut(unigram, "ab")) == Ids{3}));      // -2.5 beats -3
  BOOST_TEST((ids(cut(unigram, "aba")) == Ids{3, 1}));  // -3.5 beats -6
  BOOST_TEST((ids(cut(unigram, "abc")) == Ids{3, 5}));  // -3.5 beats -3.75
  BOOST_TEST((ranges(cut(unigram, "abc")) == Ranges{{0, 2}, {2, 3}}));
  BOOST_TEST(cut(unigram, "").empty());
}

BOOST_AUTO_TEST_CASE(of_equal_sums_the_longer_last_token_is_kept) {
  const plumb::detail::Unigram unigram =
      model(R"({"unk_id": 0, "vocab": [["?", 0], ["a", -1], ["aa", -2], ["b", -1], ["ab", -2]]})");
  BOOST_TEST((ids(cut(unigram, "aa")) == Ids{2}));
  BOOST_TEST((ids(cut(unigram, "aab")) == Ids{1, 4}));
}

BOOST_AUTO_TEST_CASE(unknown_neighbours_are_one_token) {
  const plumb::detail::Unigram unigram = model(R"({"unk_id": 1, "vocab": [["a", -1], ["?", -2]]})");
  BOOST_TEST((ids(cut(unigram, "a東éa")) == Ids{0, 1, 0}));
  BOOST_TEST((ranges(cut(unigram, "a東éa")) == Ranges{{0, 1}, {1, 6}, {6, 7}}));
}

BOOST_AUTO_TEST_CASE(unknown_characters_may_be_spelt_in_bytes) {
  const plumb::detail::Unigram unigram =
      model(R"({"unk_id": 0, "byte_fallback": true, "vocab": [["?", 0],
      ["a", -1], ["<0xC3>", -9], ["<0xA9>", -9]]})");
  BOOST_TEST((ids(cut(unigram, "aé")) == Ids{1, 2, 3}));
  BOOST_TEST((ranges(cut(unigram, "aé")) == Ranges{{0, 1}, {1, 3}, {1, 3}}));
  BOOST_TEST((ids(cut(unigram, "ax")) == Ids{1, 0}));
}

BOOST_AUTO_TEST_CASE(broken_vocabularies_are_refused) {
  const auto refused = [](std::string_view json, const char* words) {
    BOOST_CHECK_EXCEPTION(model(json), plumb::detail::Error,
                          plumb::detail::test::says(plumb::detail::Fault::user, words));
  };
  refused(R"({"vocab": [["a", -1]]})", "model: has no unknown token");
  refused(R"({"vocab": [["a", -1]], "unk_id": null})", "has no unknown token");
  refused(R"({"vocab": [["a", -1]], "unk_id": 1})",
          "model.unk_id: is not a whole number from 0 to 0");
  refused(R"({"vocab": [], "unk_id": 0})", "model.vocab: is empty");
  refused(R"({"vocab": [["a", -1], ["a", -2]], "unk_id": 0})", "model.vocab[1]: lists \"a\"");
  refused(R"({"vocab": [["a", "b"]], "unk_id": 0})", "is not [text, log-probability]");
  refused(R"({"vocab": {"a": 1}, "unk_id": 0})", "is not a list");
}

BOOST_AUTO_TEST_SUITE_END()
