// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/sequence_frame.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(sequence_frame_suite)

namespace {

using Ids = std::vector<plumb::detail::TokenId>;

plumb::detail::SequenceFrame read(std::string_view json) {
  return plumb::detail::SequenceFrame::read(plumb::detail::test::PartOf(json)("post_processor"),
                                            10);
}

const std::string one_template = R"({"type": "TemplateProcessing", "single": [
    {"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
    {"SpecialToken": {"id": "[SEP]", "type_id": 0}}], "special_tokens": {
    "[CLS]": {"id": "[CLS]", "ids": [2, 4]}, "[SEP]": {"id": "[SEP]", "ids": [3]}}})";

}  // namespace

BOOST_AUTO_TEST_CASE(each_post_processor_frames_a_sequence) {
  BOOST_TEST((read(one_template).before() == Ids{2, 4} && read(one_template).after() == Ids{3}));
  const auto bert = read(R"({"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]})");
  BOOST_TEST((bert.before() == Ids{2} && bert.after() == Ids{3} && !bert.trims()));
  const auto roberta = read(R"({"type": "RobertaProcessing", "cls": ["<s>", 0], "sep": ["</s>", 2],
      "trim_offsets": true, "add_prefix_space": false})");
  BOOST_TEST((roberta.before() == Ids{0} && roberta.after() == Ids{2} && roberta.trims()));
  const auto steps = read(R"({"type": "Sequence", "processors": [
      {"type": "ByteLevel", "trim_offsets": false}, )" +
                          one_template + "]}");
  BOOST_TEST((steps.before() == Ids{2, 4} && !steps.trims()));
  BOOST_TEST((plumb::detail::SequenceFrame{}.before().empty() &&
              plumb::detail::SequenceFrame{}.after().empty()));
}

// The expected ranges are what `tokenizers` returns with a ByteLevel post-processor, for
// add_prefix_space true and false.
BOOST_AUTO_TEST_CASE(spaces_at_the_ends_are_trimmed) {
  const auto trimmed = [](bool space_was_added, std::string_view spelling,
                          plumb::detail::ByteSpan bytes, std::string_view text) {
    const auto frame = read(std::string(R"({"type": "ByteLevel", "add_prefix_space": )") +
                            (space_was_added ? "true}" : "false}"));
    plumb::detail::Token token{1, bytes};
    frame.trim(token, spelling, bytes.begin == 0, text);
    return token.bytes;
  };
  using plumb::detail::ByteSpan;
  BOOST_TEST((trimmed(false, "Ġa", {1, 3}, "b a") == ByteSpan{2, 3}));
  BOOST_TEST((trimmed(false, "Ġ", {1, 2}, "b a") == ByteSpan{2, 2}));
  BOOST_TEST((trimmed(true, "Ġa", {0, 2}, " a") == ByteSpan{0, 2}));
  BOOST_TEST((trimmed(true, "Ġ", {0, 1}, " ") == ByteSpan{0, 0}));
  BOOST_TEST((trimmed(true, "ĠĠ", {0, 2}, "  ") == ByteSpan{2, 2}));
  BOOST_TEST((trimmed(true, "ĠĠa", {0, 3}, "  a") == ByteSpan{2, 3}));
  BOOST_TEST((trimmed(false, "\u3000<mask>", {1, 10}, "a\u3000<mask>") == ByteSpan{4, 10}));
}

BOOST_AUTO_TEST_CASE(broken_frames_are_refused) {
  const auto refused = [](const std::string& json, const char* words) {
    BOOST_CHECK_EXCEPTION(read(json), plumb::detail::Error,
                          plumb::detail::test::says(plumb::detail::Fault::user, words));
  };
  refused(R"({"type": "Magic"})", "post_processor: the post-processor \"Magic\" is not supported");
  refused(R"({"type": "BertProcessing", "cls": ["[CLS]", 10], "sep": ["[SEP]", 3]})",
          "post_processor.cls[1]: is not the id of a token");
  refused(R"({"type": "BertProcessing", "cls": [2], "sep": ["[SEP]", 3]})", "is not [text, id]");
  refused(R"({"type": "TemplateProcessing", "single": []})", "has no sequence");
  refused(R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "B"}}]})",
          "contain \"A\" once");
  refused(R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}],
      "special_tokens": {}})",
          "post_processor.special_tokens: has no \"x\"");
}

BOOST_AUTO_TEST_SUITE_END()
