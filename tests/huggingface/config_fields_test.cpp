// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/config_fields.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(config_fields)

namespace {

struct Folder : test::TemporaryFolder {
  [[nodiscard]] ConfigFields fields(const char* json) const {
    write("config.json", json);
    return ConfigFields(path() / "config.json");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(fields_are_read_by_type_or_have_the_value_that_absence_means, Folder) {
  const auto read = fields(R"({"n": 3, "x": 0.5, "t": "a", "f": false, "none": null,
                               "list": [1, 2.5], "words": ["a", "b"]})");
  BOOST_TEST(read.count("n") == 3U);
  BOOST_TEST(read.count("m", 7) == 7U);
  BOOST_TEST(read.number("x", 9) == 0.5);
  BOOST_TEST(read.number("y", 9) == 9);
  BOOST_TEST(!read.number("none"));
  BOOST_TEST(read.positive("x") == 0.5);
  BOOST_TEST(read.text("t", "") == "a");
  BOOST_TEST(!read.flag("f", true));
  BOOST_TEST(read.is_null("none"));
  BOOST_TEST(!read.is_null("n"));
  BOOST_TEST(!read.is_null("absent"));
  BOOST_TEST((read.numbers("list") == std::vector<double>{1, 2.5}));
  BOOST_TEST((read.texts("words") == std::vector<std::string>{"a", "b"}));
  BOOST_TEST(read.texts("absent").empty());
  BOOST_TEST(read.none().find("n") == nullptr);
}

BOOST_FIXTURE_TEST_CASE(nested_field_is_reported_with_its_full_path, Folder) {
  const auto read = fields(R"({"rope": {"type": 3, "deep": {"n": 0}}, "no": [1]})");
  BOOST_TEST(read.object("absent").find("x") == nullptr);
  BOOST_CHECK_EXCEPTION((void)read.object("rope").text("type", ""), Error,
                        says(Fault::user, "config.json: rope.type: is 3, not a string"));
  BOOST_CHECK_EXCEPTION((void)read.object("rope").object("deep").count("n"), Error,
                        says(Fault::user, "rope.deep.n: is 0, not a valid count"));
  BOOST_CHECK_EXCEPTION((void)read.object("no"), Error,
                        says(Fault::user, "no: is [1], not an object"));
}

BOOST_FIXTURE_TEST_CASE(a_field_may_have_another_name, Folder) {
  constexpr FieldAlias aliases[] = {{"layers", "n_layer"}};
  BOOST_TEST(fields(R"({"layers": 3})").renamed(aliases).count("n_layer") == 3U);
  BOOST_TEST(fields(R"({"n_layer": 4, "layers": null})").renamed(aliases).count("n_layer") == 4U);
  BOOST_TEST(fields(R"({"n_layer": 4, "layers": 4})").renamed(aliases).count("n_layer") == 4U);
  BOOST_CHECK_EXCEPTION(
      (void)fields(R"({"n_layer": 4, "layers": 3})").renamed(aliases), Error,
      says(Fault::user, "config.json: layers: is 3, but n_layer is 4; remove the wrong one"));
}

BOOST_FIXTURE_TEST_CASE(what_makes_no_sense_is_refused_by_name, Folder) {
  const auto read = fields(R"({"x": "1", "low": 0, "list": [1, "a"], "flag": 1, "e": 2})");
  BOOST_CHECK_EXCEPTION((void)read.number("x"), Error,
                        says(Fault::user, "x: is \"1\", not a number"));
  BOOST_CHECK_EXCEPTION((void)read.positive("low"), Error,
                        says(Fault::user, "low: is 0, not above 0"));
  BOOST_CHECK_EXCEPTION((void)read.positive("gone"), Error, says(Fault::user, "gone: is missing"));
  BOOST_CHECK_EXCEPTION((void)read.numbers("list"), Error,
                        says(Fault::user, "not a list of numbers"));
  BOOST_CHECK_EXCEPTION((void)read.texts("list"), Error,
                        says(Fault::user, "not a list of strings"));
  BOOST_CHECK_EXCEPTION((void)read.numbers("x"), Error, says(Fault::user, "not a list of numbers"));
  BOOST_CHECK_EXCEPTION((void)read.flag("flag", true), Error,
                        says(Fault::user, "not true or false"));
  BOOST_CHECK_EXCEPTION((void)read.epsilon("e", 0), Error, says(Fault::user, "not within [0, 1)"));
  BOOST_CHECK_EXCEPTION(read.expect("e", 3), Error,
                        says(Fault::user, "e: 2 is not supported; only 3 is"));
}

BOOST_AUTO_TEST_SUITE_END()
