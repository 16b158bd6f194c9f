// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/token_vocabulary.hpp"

#include <boost/test/unit_test.hpp>
#include <string_view>

#include "support/errors.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(token_vocabulary_suite)

namespace {

plumb::detail::TokenVocabulary read(std::string_view json) {
  return plumb::detail::TokenVocabulary::read(plumb::detail::test::PartOf(json)("vocab"));
}

}  // namespace

BOOST_AUTO_TEST_CASE(tokens_are_found_by_text_and_by_id) {
  const plumb::detail::TokenVocabulary vocabulary = read(R"({"a": 0, "é": 3})");
  BOOST_TEST((*vocabulary.id_of("é") == 3 && !vocabulary.id_of("b") && !vocabulary.id_of("")));
  BOOST_TEST((*vocabulary.text_of(3) == "é" && !vocabulary.text_of(1) && !vocabulary.text_of(4)));
  BOOST_TEST(!vocabulary.text_of(-1));
  BOOST_TEST((vocabulary.size() == 2U && vocabulary.end() == 4U));
}

BOOST_AUTO_TEST_CASE(ids_are_whole_single_and_near) {
  const auto refused = [](std::string_view json, const char* words) {
    BOOST_CHECK_EXCEPTION(read(json), plumb::detail::Error,
                          plumb::detail::test::says(plumb::detail::Fault::user, words));
  };
  refused(R"(["a"])", "vocab: is not an object");
  refused(R"({"a": 0, "b": 0})", "two tokens have the id 0");
  refused(R"({"a": -1})", "the id of \"a\" is not a whole number from 0 to 1002");
  refused(R"({"a": 1.5})", "not a whole number");
  refused(R"({"a": 4000000000})", "not a whole number");
  BOOST_TEST(read("{}").end() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
