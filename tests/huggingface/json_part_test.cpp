// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/json_part.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(json_part_suite)

using plumb::detail::Fault;
using plumb::detail::test::PartOf;
using plumb::detail::test::says;

BOOST_AUTO_TEST_CASE(a_file_is_one_object_without_a_key_twice) {
  const plumb::detail::test::TemporaryFolder folder;
  const auto read = [&](const std::string& text) {
    return plumb::detail::read_tokenizer_json(folder.write("tokenizer.json", text));
  };
  BOOST_TEST(read(R"({"a": {"b": 1}, "b": {"b": 2}})")["b"]["b"] == 2);
  BOOST_CHECK_EXCEPTION(read("{\"a\":\n 1,}"), plumb::detail::Error,
                        says(Fault::user, ":2: not JSON"));
  BOOST_CHECK_EXCEPTION(read("[1]"), plumb::detail::Error, says(Fault::user, "not an object"));
  BOOST_CHECK_EXCEPTION(read("{\"a\": \"\xFF\"}"), plumb::detail::Error,
                        says(Fault::user, "not UTF-8"));
  BOOST_CHECK_EXCEPTION(read(R"({"x": [{"the": 1, "the": 2}]})"), plumb::detail::Error,
                        says(Fault::user, "has the key \"the\" twice"));
  BOOST_CHECK_EXCEPTION(read("{\"a\": 1e999}"), plumb::detail::Error,
                        says(Fault::user, "range of double"));
  BOOST_CHECK_EXCEPTION(
      read("{\"a\":\n" + std::string(500, '[')), plumb::detail::Error,
      says(Fault::user, ":2: nested more than 500 levels deep; correct the file"));
  BOOST_CHECK_EXCEPTION(plumb::detail::read_tokenizer_json(folder / "none.json"),
                        plumb::detail::Error, says(Fault::user, "cannot be read"));
}

BOOST_AUTO_TEST_CASE(errors_name_file_and_field) {
  const PartOf part(R"({"model": {"steps": [1, {"type": 5}]}, "none": null})");
  const plumb::detail::JsonPart model = part("").at("model");
  BOOST_TEST(!part("").has("none"));
  BOOST_CHECK_EXCEPTION(part("").at("none"), plumb::detail::Error,
                        says(Fault::user, "has no \"none\""));
  BOOST_CHECK_EXCEPTION(static_cast<void>(model.at("steps").item(1).at("type").text()),
                        plumb::detail::Error,
                        says(Fault::user, "tokenizer.json: model.steps[1].type: is not a string"));
  BOOST_CHECK_EXCEPTION(static_cast<void>(model.at("steps").item(0).has("x")), plumb::detail::Error,
                        says(Fault::user, "model.steps[0]: is not an object"));
  BOOST_CHECK_EXCEPTION(static_cast<void>(model.items()), plumb::detail::Error,
                        says(Fault::user, "model: is not a list"));
  BOOST_CHECK_EXCEPTION(static_cast<void>(model.at("steps").item(0).flag()), plumb::detail::Error,
                        says(Fault::user, "neither true nor false"));
  BOOST_TEST(model.at("steps").item(0).count(1) == 1U);
  BOOST_CHECK_EXCEPTION(static_cast<void>(model.at("steps").item(0).count(0)), plumb::detail::Error,
                        says(Fault::user, "not a whole number from 0 to 0"));
  BOOST_CHECK_EXCEPTION(static_cast<void>(PartOf("-1")().count(9)), plumb::detail::Error,
                        says(Fault::user, "whole number"));
  BOOST_TEST(model.text_or("x", "y") == "y");
  BOOST_TEST(model.flag_or("x", true));
}

BOOST_AUTO_TEST_CASE(sequences_are_walked_in_order_and_not_too_deep) {
  const PartOf part(R"({"type": "Sequence", "steps": [{"type": "a"},
      {"type": "Sequence", "steps": [{"type": "b"}]}, {"type": "c"}]})");
  std::string seen;
  plumb::detail::for_each_of_sequence(part(), "steps", [&](const plumb::detail::JsonPart& step) {
    seen += step.at("type").text();
  });
  BOOST_TEST(seen == "abc");
  std::string deep = R"({"type": "x"})";
  for (int i = 0; i < 12; ++i) deep = R"({"type": "Sequence", "steps": [)" + deep + "]}";
  BOOST_CHECK_EXCEPTION(plumb::detail::for_each_of_sequence(PartOf(deep)(), "steps",
                                                            [](const plumb::detail::JsonPart&) {}),
                        plumb::detail::Error, says(Fault::user, "eight levels deep"));
}

BOOST_AUTO_TEST_SUITE_END()
