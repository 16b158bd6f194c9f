// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/generation_shots.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(generation_shots_suite)

namespace {

const RecordedShotList of_all{
    "4-random", "P36", {}, {{"P19", "Q1", "Curie", "Warsaw", 3}, {"P36", "", "Per\"ú", "Lima", 0}}};
const RecordedShotList of_one{"4-template", "P36", 7, {}};
/// A list for prompts of any relation, under any template.
const RecordedShotList of_any{"4-random", "", {}, {{"P19", "Q1", "Curie", "Warsaw", {}}}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_line_names_the_facts) {
  BOOST_TEST(shot_list_line(of_all) ==
             R"({"setting":"4-random","relation":"P36","template":null,"shots":[)"
             R"({"relation":"P19","sub_id":"Q1","sub_label":"Curie","obj_label":"Warsaw",)"
             R"("template":3},{"relation":"P36","sub_id":"","sub_label":"Per\"ú",)"
             R"("obj_label":"Lima","template":0}]})"
             "\n");
  BOOST_TEST(shot_list_line(of_any) ==
             R"({"setting":"4-random","relation":null,"template":null,"shots":[)"
             R"({"relation":"P19","sub_id":"Q1","sub_label":"Curie","obj_label":"Warsaw",)"
             R"("template":null}]})"
             "\n");
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  const test::TemporaryFolder folder;
  const auto file = folder.write(
      "shots.jsonl", shot_list_line(of_all) + shot_list_line(of_one) + shot_list_line(of_any));
  BOOST_TEST((read_shot_lists(file) == std::vector{of_all, of_one, of_any}));
}

BOOST_AUTO_TEST_CASE(other_rows_are_refused_with_their_line) {
  const test::TemporaryFolder folder;
  for (const std::string row :
       {R"({"setting": "a", "relation": "b", "template": null})",
        R"({"setting": 1, "relation": "b", "template": null, "shots": []})",
        R"({"setting": "a", "relation": "b", "template": "x", "shots": []})",
        R"({"setting": "a", "relation": "b", "template": 1, "shots": [{"relation": "b"}]})"}) {
    const auto file = folder.write("shots.jsonl", shot_list_line(of_one) + row + "\n");
    BOOST_CHECK_EXCEPTION((void)read_shot_lists(file), Error,
                          says(Fault::user, "shots.jsonl:2: is not a list of shots"));
  }
  BOOST_CHECK_EXCEPTION((void)read_shot_lists(folder / "none"), Error,
                        says(Fault::user, "none: cannot be read"));
}

BOOST_AUTO_TEST_SUITE_END()
