// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/token_decoder.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(token_decoder_suite)

namespace {

std::string decoded(std::string_view json, const std::vector<std::string>& texts) {
  return plumb::detail::TokenDecoder::read(plumb::detail::test::PartOf(json)("decoder"))(texts);
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_decoder_spells_its_tokens) {
  BOOST_TEST(decoded(R"({"type": "ByteLevel"})", {"It", "Ġis", "ĠÃ", "©"}) == "It is é");
  BOOST_TEST(decoded(R"({"type": "ByteLevel"})", {"Ã"}) == "\xC3");
  BOOST_TEST(decoded(R"({"type": "ByteLevel"})", {"東"}) == "東");  // an added token stays as it is
  BOOST_TEST(decoded(R"({"type": "WordPiece"})", {"it", "##s", "."}) == "its .");
  const std::string metaspace = R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": )";
  BOOST_TEST(decoded(metaspace + "\"always\"}", {"▁a", "▁b", "c"}) == "a bc");
  BOOST_TEST(decoded(metaspace + "\"never\"}", {"▁a", "▁b", "c"}) == " a bc");
  BOOST_TEST(decoded(R"({"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
      {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})",
                     {"▁a", "<0xC3>", "<0xA9>", "<0xZZ>"}) == "aé<0xZZ>");
  BOOST_TEST(decoded(R"({"type": "Strip", "content": "_", "start": 1, "stop": 2})",
                     {"__a___", "_"}) == "_a_");
}

BOOST_AUTO_TEST_CASE(without_a_decoder_tokens_are_words) {
  BOOST_TEST(plumb::detail::TokenDecoder{}({"a", "b"}) == "a b");
  BOOST_TEST(plumb::detail::TokenDecoder{}({}) == "");
  BOOST_TEST(plumb::detail::TokenDecoder::word_piece("++")({"a", "++b"}) == "ab");
}

BOOST_AUTO_TEST_CASE(unsupported_definitions_are_refused) {
  BOOST_CHECK_EXCEPTION(
      decoded(R"({"type": "CTC"})", {}), plumb::detail::Error,
      plumb::detail::test::says(plumb::detail::Fault::user, "decoder: the decoder \"CTC\""));
  BOOST_CHECK_EXCEPTION(
      decoded(R"({"type": "Strip", "content": "", "start": 1, "stop": 0})", {}),
      plumb::detail::Error,
      plumb::detail::test::says(plumb::detail::Fault::user, "decoder.content: is empty"));
}

BOOST_AUTO_TEST_SUITE_END()
