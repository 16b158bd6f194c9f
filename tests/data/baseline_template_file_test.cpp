// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/baseline_template_file.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(baseline_templates)

namespace {

using Templates = std::vector<std::string>;

struct Folder : test::TemporaryFolder {
  [[nodiscard]] auto read(const std::string& json) const {
    return read_baseline_templates(write("b.json", json));
  }
  /// Checks the error message for the file {"Capital": `entry`}.
  void refused(const std::string& entry, const std::string& words) const {
    BOOST_CHECK_EXCEPTION(read("{\"Capital\": " + entry + "}"), Error,
                          says(Fault::user, "b.json:1: " + words));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(both_kinds_are_read_by_relation_code, Folder) {
  const auto all = read(R"({
    "Native language": {"property": "P103", "hgp": ["The mother tongue of {subject} is"],
                        "mmp": ["{subject} descent", "{subject} speak the"]},
    "Capital": {"property": "P36", "mmp": ["{subject} embassy in"],
                "hgp": ["The capital of {subject} is", "Its capital {subject} is"]}})");
  BOOST_REQUIRE(all.size() == 2U);
  BOOST_TEST(all.at("P103").relation == "Native language");
  BOOST_TEST(all.at("P103").hgp == Templates{"The mother tongue of {subject} is"});
  BOOST_TEST(all.at("P103").mmp == (Templates{"{subject} descent", "{subject} speak the"}));
  BOOST_TEST(all.at("P36").relation == "Capital");
  BOOST_TEST(all.at("P36").hgp ==
             (Templates{"The capital of {subject} is", "Its capital {subject} is"}));
  BOOST_TEST(all.at("P36").mmp == Templates{"{subject} embassy in"});
}

BOOST_FIXTURE_TEST_CASE(one_kind_may_be_missing_but_not_both, Folder) {
  const auto all = read(R"({"Capital": {"property": "P36", "hgp": ["{subject} is"], "mmp": []},
                            "Genre": {"property": "P136", "mmp": ["{subject} play"]}})");
  BOOST_TEST(all.at("P36").mmp.empty());
  BOOST_TEST(all.at("P136").hgp.empty());
  BOOST_TEST(all.at("P136").mmp == Templates{"{subject} play"});
  refused(R"({"property": "P36"})", "Capital: has no templates");
  refused(R"({"property": "P36", "hgp": [], "mmp": []})", "Capital: has no templates");
}

BOOST_FIXTURE_TEST_CASE(a_template_has_the_subject_once, Folder) {
  refused(R"({"property": "P36", "hgp": ["{subject} is", "The capital is"]})",
          "Capital.hgp[1]: template 'The capital is' has no {subject}; write {subject} once");
  refused(R"({"property": "P36", "mmp": ["{subject} or {subject}"]})",
          "Capital.mmp[0]: template '{subject} or {subject}' has more than one {subject}; write");
  refused(R"({"property": "P36", "mmp": ["{Subject} is"]})", "Capital.mmp[0]: template");
  refused(R"({"property": "P36", "hgp": [""]})", "Capital.hgp[0]: template '' has no {subject}");
}

BOOST_FIXTURE_TEST_CASE(template_error_gives_its_line, Folder) {
  BOOST_CHECK_EXCEPTION(
      read("{\n \"Seat\": {\"property\": \"Capital\",\n  \"mmp\": [\"{subject} was\"]},\n"
           " \"Capital\": {\"property\": \"P36\",\n  \"hgp\": [\"{subject} is\",\n"
           "          \"Its \\\"seat\\\" is\"]}}"),
      Error,
      says(Fault::user, "b.json:6: Capital.hgp[1]: template 'Its \"seat\" is' has no {subject}"));
}

BOOST_FIXTURE_TEST_CASE(other_shapes_are_refused_where_they_stand, Folder) {
  for (const char* entry : {"[]", "\"P36\"", "7", "null", R"(["{subject} is"])"}) {
    refused(entry, "Capital: is not an object; write {");
  }
  for (const char* list : {"\"{subject} is\"", "7", "null", "{}", R"(["{subject} is", 7])"}) {
    refused(R"({"property": "P36", "hgp": )" + std::string(list) + "}",
            "Capital.hgp: is not a list of strings; write [");
  }
  for (const char* property : {"", "\"property\": \"\", ", "\"property\": 36, "}) {
    refused("{" + std::string(property) + R"("hgp": ["{subject} is"]})",
            "Capital.property: is missing or empty; write");
  }
  refused(R"({"property": "P36", "hpg": ["{subject} is"]})",
          "Capital: has the unknown field 'hpg'");
}

BOOST_FIXTURE_TEST_CASE(a_code_stands_once, Folder) {
  BOOST_CHECK_EXCEPTION(
      read(R"({"Capital": {"property": "P36", "hgp": ["{subject} is"]},
                                 "Seat": {"property": "P36", "mmp": ["{subject} was"]}})"),
      Error,
      says(Fault::user, "b.json:2: Seat.property: 'P36' is also the code of 'Capital'; keep"));
}

BOOST_FIXTURE_TEST_CASE(a_file_without_relations_is_refused, Folder) {
  BOOST_CHECK_EXCEPTION(read("{}"), Error, says(Fault::user, "b.json: contains no relation"));
  BOOST_CHECK_EXCEPTION(read("[]"), Error,
                        says(Fault::user, "b.json:1: is JSON but not an object"));
  BOOST_CHECK_EXCEPTION(read("{\n]"), Error, says(Fault::user, "b.json:2: not JSON"));
  BOOST_CHECK_EXCEPTION(read_baseline_templates(*this / "none.json"), Error,
                        says(Fault::user, "none.json: cannot be read"));
}

BOOST_AUTO_TEST_SUITE_END()
