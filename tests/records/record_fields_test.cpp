// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/record_fields.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

struct ExamplePart {
  std::uint32_t first = 0;
  std::vector<std::string> second{};
};

struct WrittenExample {
  std::string text;
  std::int32_t token = 0;
  double number = 0;
  bool flag = false;
  std::vector<double> scores{};
  std::vector<std::pair<std::string, std::uint32_t>> counted{};
  std::vector<std::uint32_t> places{};
  std::optional<ExamplePart> part{};
};

}  // namespace

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

template <>
struct RecordFields<WrittenExample> {
  static constexpr std::string_view file = "EXAMPLE.jsonl", rows = "one row per example";
  template <class Self, class Field>
  static void visit(Self& row, Field& field) {
    field("text", row.text, "a text");
    field("token", row.token, "a token");
    field("number", TenDigits{row.number}, "a number");
    field("flag", OneOfTwo{row.flag, "no", "yes"}, "yes or no");
    field("scores", TenDecimals{row.scores}, "scores");
    field("counted", row.counted, "texts and counts");
    field.optional("places", row.places, "places");
    field.together("first", row.part, [](auto& part, auto& of) {
      of("first", part.first, "the first");
      of.optional("second", part.second, "the second");
    });
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(record_fields)

BOOST_AUTO_TEST_CASE(a_row_is_written_in_the_order_of_its_fields_and_read_again) {
  const WrittenExample bare{"say \"é\"", -1, 1.0 / 3, false, {-0.5, NAN}, {{"a", 2}}};
  const std::string line = row_line(bare);
  BOOST_TEST(line ==
             "{\"text\":\"say \\\"é\\\"\",\"token\":-1,\"number\":0.3333333333,\"flag\":\"no\","
             "\"scores\":[-0.5000000000,null],\"counted\":[[\"a\",2]]}\n");
  WrittenExample whole = bare;
  whole.token = 9;
  whole.flag = true;
  whole.scores = {-1};
  whole.places = {3, 4};
  whole.part = ExamplePart{7, {"b"}};
  const auto again = read_row<WrittenExample>(Json::parse(row_line(whole)));
  BOOST_TEST(row_line(again) == row_line(whole));
  BOOST_TEST(again.text == whole.text);
  BOOST_TEST(again.flag);
  BOOST_TEST(again.part->first == 7U);
  BOOST_TEST(
      !read_row<WrittenExample>(Json::parse(row_line(WrittenExample{"x"}))).part.has_value());
}

BOOST_AUTO_TEST_CASE(what_is_of_another_kind_is_refused) {
  const Json sound =
      Json::parse(row_line(WrittenExample{"x", 1, 2, true, {3}, {{"a", 2}}, {4}, ExamplePart{5}}));
  const auto is_refused = [&](const char* field, const Json& value) {
    Json line = sound;
    line[field] = value;
    BOOST_CHECK_THROW((void)read_row<WrittenExample>(line), std::exception);
  };
  is_refused("text", 3);
  is_refused("token", -2);
  is_refused("token", std::numeric_limits<std::uint32_t>::max());
  is_refused("number", "1");
  is_refused("flag", "perhaps");
  is_refused("scores", {"a"});
  is_refused("counted", {{"a"}});
  is_refused("places", {-1});
  is_refused("places", 4);
  is_refused("first", nullptr);
  Json lacks = sound;
  lacks.erase("scores");
  BOOST_CHECK_THROW((void)read_row<WrittenExample>(lacks), std::exception);
}

BOOST_AUTO_TEST_CASE(fields_are_listed_with_what_they_mean) {
  const auto fields = field_list<WrittenExample>();
  BOOST_REQUIRE(fields.size() == 9U);
  BOOST_TEST(fields[0].name == "text");
  BOOST_TEST(fields[0].meaning == "a text");
  BOOST_TEST(!fields[0].is_optional);
  for (std::size_t i = 6; i < 9; ++i) BOOST_TEST(fields[i].is_optional);
}

BOOST_AUTO_TEST_SUITE_END()
