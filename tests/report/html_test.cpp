// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/html.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

#include "support/markup.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(html)

namespace {

std::string encode(const std::vector<std::uint16_t>& values) {
  return base64(values);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_has_a_meaning_in_markup_is_escaped) {
  BOOST_TEST(escape_html("<b>\"R&D\"</b> isn't") ==
             "&lt;b&gt;&quot;R&amp;D&quot;&lt;/b&gt; isn&#39;t");
  BOOST_TEST(escape_html("&lt;") == "&amp;lt;");
  BOOST_TEST(escape_html("") == "");
}

BOOST_AUTO_TEST_CASE(a_chart_begins_with_its_words) {
  BOOST_TEST(chart_begin("chart", "880", "60", "<a>", "b & c", false) + "</svg>" ==
             "<svg class=\"chart\" role=\"img\" aria-label=\"&lt;a&gt;\" viewBox=\"0 0 880 60\">\n"
             "<title>&lt;a&gt;</title><desc>b &amp; c</desc>\n</svg>");
  const std::string kept = chart_begin("chart xy", "520", "380", "", "", true) + "</svg>";
  BOOST_TEST(test::markup_fault(kept) == "");
  BOOST_TEST(test::holds(kept, "viewBox=\"0 0 520 380\" style=\"max-width:520px\">"));
}

BOOST_AUTO_TEST_CASE(other_scripts_and_emoji_stay_as_they_are) {
  BOOST_TEST(escape_html("القاهرة 🇪🇬 Zürich") == "القاهرة 🇪🇬 Zürich");
}

BOOST_AUTO_TEST_CASE(a_label_is_fenced_from_the_direction_of_its_neighbours) {
  BOOST_TEST(label("א<ב") == "<bdi>א&lt;ב</bdi>");
}

BOOST_AUTO_TEST_CASE(a_label_cannot_end_the_script_it_stands_in) {
  const Json value = {{"label", "</script><!--<script>"}, {"other", "a \"b\" \\ é"}};
  const std::string text = script_json(value);
  BOOST_TEST(text.find('<') == std::string::npos);
  BOOST_TEST(Json::parse(text) == value);
}

// Computed by hand from RFC 4648. Numbers are little-endian, so 0x0201 is stored as the bytes 01
// 02.
BOOST_AUTO_TEST_CASE(numbers_are_encoded_in_base64_with_its_padding) {
  BOOST_TEST(encode({}) == "");
  BOOST_TEST(encode({0x0201}) == "AQI=");
  BOOST_TEST(encode({0x0201, 0x0403}) == "AQIDBA==");
  BOOST_TEST(encode({0x0201, 0x0403, 0x0605}) == "AQIDBAUG");
  BOOST_TEST(encode({0xFFFF}) == "//8=");
  BOOST_TEST(encode({0xEFFB}) == "++8=");
}

// Other tests rely on this check, so its ability to find faults must be tested.
BOOST_AUTO_TEST_CASE(the_markup_check_sees_what_is_wrong) {
  BOOST_TEST(test::markup_fault("<a x=\"1>2\"><b/>&amp;<script>if (a < b) {}</script></a>") == "");
  for (const char* wrong : {"<a><b></a></b>", "<a>", "</a>", "<a", "a & b", "a > b", "<a x=\"<\">",
                            "<script>'</script>'</script>"}) {
    BOOST_TEST(test::markup_fault(wrong) != "", wrong << " passes");
  }
}

BOOST_AUTO_TEST_CASE(controls_and_overrides_of_direction_are_written_out) {
  BOOST_TEST(escape_html("a\u202Eb\x1b<") == "a\\u202eb\\u001b&lt;");
  BOOST_TEST(escape_html("two\nlines") == "two\nlines");
}

BOOST_AUTO_TEST_SUITE_END()
