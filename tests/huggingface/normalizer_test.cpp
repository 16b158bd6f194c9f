// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/normalizer.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "support/errors.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(normalizer_suite)

namespace {

std::string rewritten(std::string_view json, std::string_view text) {
  plumb::detail::AlignedText made(text);
  plumb::detail::Normalizer::read(plumb::detail::test::PartOf(json)("normalizer"))(made);
  return std::string(made.text());
}

}  // namespace

BOOST_AUTO_TEST_CASE(berts_normalizer_step_by_step) {
  const std::string text = "É\u0301\tA\x01\u200B東İ";
  const auto bert = [&](const std::string& flags) {
    return rewritten(R"({"type": "BertNormalizer", )" + flags + "}", text);
  };
  const std::string none = R"("clean_text": false, "handle_chinese_chars": false, )";
  BOOST_TEST(bert(none + R"("lowercase": false)") == text);
  BOOST_TEST(bert(R"("lowercase": false)") == "É\u0301 A 東 İ");
  BOOST_TEST(bert(R"("strip_accents": null, "lowercase": true)") == "e a 東 i");
  BOOST_TEST(bert(R"("strip_accents": false, "lowercase": true)") == "é\u0301 a 東 i\u0307");
  BOOST_TEST(bert(R"("strip_accents": true, "lowercase": false)") == "E A 東 I");
}

BOOST_AUTO_TEST_CASE(each_normalizer_behaves_as_its_name_implies) {
  BOOST_TEST(rewritten(R"({"type": "NFC"})", "e\u0301") == "é");
  BOOST_TEST(rewritten(R"({"type": "NFD"})", "é") == "e\u0301");
  BOOST_TEST(rewritten(R"({"type": "NFKC"})", "ﬁ") == "fi");
  BOOST_TEST(rewritten(R"({"type": "NFKD"})", "é½") == "e\u03011⁄2");
  BOOST_TEST(rewritten(R"({"type": "StripAccents"})", "e\u0301é") == "eé");
  BOOST_TEST(rewritten(R"({"type": "Lowercase"})", "AÉΣ") == "aéσ");
  BOOST_TEST(rewritten(R"({"type": "Nmt"})", "a\tb\x01\u200Bc") == "a b c");
  BOOST_TEST(rewritten(R"({"type": "Prepend", "prepend": "▁"})", "a") == "▁a");
  BOOST_TEST(rewritten(R"({"type": "ByteLevel"})", " é") == "ĠÃ©");
  BOOST_TEST(rewritten(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})",
                       "a   b c") == "a b c");
}

BOOST_AUTO_TEST_CASE(strip_takes_white_space_from_the_ends_it_names) {
  const auto strip = [](const char* left, const char* right, std::string_view text) {
    return rewritten(std::string(R"({"type": "Strip", "strip_left": )") + left +
                         R"(, "strip_right": )" + right + "}",
                     text);
  };
  BOOST_TEST(strip("true", "true", " \ta b\u3000") == "a b");
  BOOST_TEST(strip("true", "false", " a ") == "a ");
  BOOST_TEST(strip("false", "true", " a ") == " a");
  BOOST_TEST(strip("true", "true", "  ") == "");
  BOOST_TEST(strip("false", "false", " a ") == " a ");
}

BOOST_AUTO_TEST_CASE(a_sequence_is_its_parts_in_order) {
  BOOST_TEST(rewritten(R"({"type": "Sequence", "normalizers": [{"type": "NFD"},
      {"type": "StripAccents"}, {"type": "Lowercase"}]})",
                       "É") == "e");
  plumb::detail::AlignedText text("É");
  plumb::detail::Normalizer{}(text);
  BOOST_TEST(text.text() == "É");
}

BOOST_AUTO_TEST_CASE(unsupported_normalizers_and_missing_fields_are_refused) {
  const auto refused = [](std::string_view json, const char* words) {
    BOOST_CHECK_EXCEPTION(rewritten(json, ""), plumb::detail::Error,
                          plumb::detail::test::says(plumb::detail::Fault::user, words));
  };
  refused(
      R"({"type": "Sequence", "normalizers": [{"type": "Magic"}]})",
      "normalizer.normalizers[0]: the normalizer \"Magic\" is not supported; plumb supports Bert");
  refused(R"({})", "has no \"type\"");
  refused(R"({"type": "Prepend"})", "has no \"prepend\"");
  refused(R"({"type": "Precompiled", "precompiled_charsmap": "???"})", "not base64");
  refused(R"({"type": "BertNormalizer", "lowercase": 1})", "neither true nor false");
}

BOOST_AUTO_TEST_SUITE_END()
