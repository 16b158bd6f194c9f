// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/console.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <utility>

#include "plumb/detail/backend/archetypes.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(console)

BOOST_AUTO_TEST_CASE(model_options_default_to_exact_precision_and_plain_text) {
  const ModelOptions options;
  BOOST_TEST((options.precision == Precision::exact));
  BOOST_TEST(options.threads == 0);
  BOOST_TEST(!options.parse_special_tokens);
}

BOOST_AUTO_TEST_CASE(a_maker_hears_the_options) {
  const ModelMaker make = [](const ModelOptions& options) {
    return AnyModel::made_by([&] { return NgramModel(options.model.string()); });
  };
  BOOST_TEST(make({.model = "m"}).vocabulary_size() == NgramModel("m").vocabulary_size());
}

BOOST_AUTO_TEST_CASE(model_maker_can_inspect_options_in_advance) {
  const ModelMaker plain = [](const ModelOptions&) { return NgramModel("m"); };
  BOOST_TEST(!plain.inspects());
  struct Inspecting {
    NgramModel operator()(const ModelOptions&) const { return NgramModel("m"); }
    [[nodiscard]] ModelKind inspect(const ModelOptions& options) const {
      if (options.model.empty()) throw user_error({}, "no model");
      return ModelKind::masked;
    }
  };
  const ModelMaker make = Inspecting{};
  BOOST_TEST(make.inspects());
  BOOST_TEST((make.inspect({.model = "m"}) == ModelKind::masked));
  BOOST_CHECK_THROW((void)make.inspect({}), Error);
}

BOOST_AUTO_TEST_CASE(truncated_table_points_to_the_full_one) {
  std::ostringstream out;
  Console console{{}, out, out};
  BOOST_TEST(width_on(console).characters == 0U);
  console.width = 60;
  BOOST_TEST(width_on(console).characters == 60U);
  BOOST_TEST(width_on(console).where == "set COLUMNS for a wider table");
  BOOST_TEST(width_on(console, "report.html").where ==
             "see report.html, or set COLUMNS for a wider table");
}

BOOST_AUTO_TEST_CASE(invalid_config_value_is_reported_with_its_file) {
  std::ostringstream out;
  Console console{{}, out, out};
  console.asked.config = "c.json";
  console.asked.of_config = {"limit", "special-tokens"};
  const auto place = [&](Site site) {
    return config_of_error(console, user_error(std::move(site), "is wrong"));
  };
  BOOST_TEST(place({.setting = "limit"}) == "c.json: ");
  BOOST_TEST(place({.setting = "special_tokens"}) == "c.json: ");
  BOOST_TEST(place({.field = "--limit"}) == "c.json: ");
  BOOST_TEST(place({.setting = "bos"}) == "");
  BOOST_TEST(place({}) == "");
}

BOOST_AUTO_TEST_CASE(settings_in_a_text_become_options) {
  BOOST_TEST(as_options("`bos`: none; say `special-tokens` text") ==
             "--bos: none; say --special-tokens text");
  for (const char* other : {"", "plain", "`plumb probe --help` lists the options", "one ` alone",
                            "``", "`Neon` or `2`", "a `b c` d"}) {
    BOOST_TEST(as_options(other) == other);
  }
  BOOST_TEST(as_options("`Neon` and `bos`, `") == "`Neon` and --bos, `");
}

BOOST_AUTO_TEST_SUITE_END()
