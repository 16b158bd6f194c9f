// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_shot_sections.hpp"

// many_shot_page_test.cpp tests the contents of the sections.

#include <boost/test/unit_test.hpp>
#include <string>

#include "plumb/detail/records/many_shot_answers.hpp"
#include "support/many_shot_folder.hpp"
#include "support/markup.hpp"

using namespace plumb::detail;
using test::ManyShotFolder;

BOOST_AUTO_TEST_SUITE(many_shot_sections)

namespace {

Setting of(const std::string& method, std::size_t shots, const std::string& separator = " ") {
  return {method, shots, separator, "choice", 0};
}

}  // namespace

BOOST_AUTO_TEST_CASE(settings_go_by_the_papers_names) {
  BOOST_TEST(setting_words(of("ic", 50)) == "IC-LKE, 50 shots");
  BOOST_TEST(setting_words(of("ic", 1)) == "IC-LKE, 1 shot");
  BOOST_TEST(setting_words(of("eic", 50)) == "EIC-LKE");
  BOOST_TEST(setting_words(of("eic-isolated", 50)) == "EIC-LKE, isolated");
  BOOST_TEST(setting_words(of("hgp", 0, "")) == "HGP");
  BOOST_TEST(setting_words(of("mmp", 0, "")) == "MMP");
}

BOOST_AUTO_TEST_CASE(a_number_stands_over_its_deviation) {
  BOOST_TEST(spread_cell({wilson(1, 4), 0.125, 2}) ==
             "<td data-v=\"0.250000\">0.250<small>± 0.125</small></td>");
  BOOST_TEST(spread_cell({wilson(1, 4), {}, 1}) ==
             "<td data-v=\"0.250000\">0.250<small>± –</small></td>");
  BOOST_TEST(spread_cell({}) == "<td data-v=\"-1\">–</td>");
}

BOOST_AUTO_TEST_CASE(the_first_separator_is_the_usual_one) {
  ManyShotFolder folder;
  folder.choose("P1", of("ic", 5, ": "), "10");
  folder.choose("P1", of("ic", 5, " in "), "10");
  folder.choose("P1", of("eic", 50), "10");
  const ManyShotResults made =
      many_shot_results(read_many_shot_run(folder.path()), {.seed = 0, .resamples = 20});
  BOOST_TEST(has_usual_separator(made, of("ic", 1, ": ")));
  BOOST_TEST(!has_usual_separator(made, of("ic", 5, " in ")));
  BOOST_TEST(has_usual_separator(made, of("eic", 50)));
  BOOST_TEST(has_usual_separator(made, of("hgp", 0, "")));
}

BOOST_AUTO_TEST_CASE(sections_without_anything_to_show_are_empty) {
  const ManyShotResults nothing;
  BOOST_TEST(shots_section(nothing).empty());
  BOOST_TEST(methods_section(nothing).empty());
  BOOST_TEST(separators_section(nothing).empty());
  BOOST_TEST(confidence_section(nothing).empty());
  BOOST_TEST(generation_section(nothing).empty());
}

// P2 has no results for HGP: the map contains P2, but the means do not.
BOOST_AUTO_TEST_CASE(relation_without_a_method_is_mapped_but_left_out_of_the_mean) {
  ManyShotFolder folder;
  folder.choose("P1", of("ic", 5), "10");
  folder.choose("P2", of("ic", 5), "11");
  const auto section = [&] {
    return methods_section(
        many_shot_results(read_many_shot_run(folder.path()), {.seed = 0, .resamples = 20}));
  };
  BOOST_TEST(section().empty());  // only one method
  folder.choose("P1", of("hgp", 0, ""), "00");
  const std::string html = section();
  BOOST_TEST(html.find("over the 1 relation that") != std::string::npos);
  BOOST_TEST(html.find(">IC-LKE, 5 shots</bdi></td><td data-v=\"0.500000\">0.500") !=
             std::string::npos);
  BOOST_TEST(html.find("HGP</bdi></th><td style=\"--v:0%\">0.00</td><td>–</td>") !=
             std::string::npos);
  BOOST_TEST(
      html.find(
          "shots</bdi></th><td style=\"--v:50%\">0.50</td><td style=\"--v:100%\">1.00</td>") !=
      std::string::npos);
  ManyShotFolder apart;
  apart.choose("P1", of("ic", 5), "10");
  apart.choose("P2", of("hgp", 0, ""), "00");
  const std::string none = methods_section(
      many_shot_results(read_many_shot_run(apart.path()), {.seed = 0, .resamples = 20}));
  BOOST_TEST(none.find("No relation has all methods.") != std::string::npos);
  BOOST_TEST(test::markup_fault(none) == "");
}

BOOST_FIXTURE_TEST_CASE(every_section_is_well_formed, test::SmallManyShot) {
  choose("P1", of("ic", 5, " <in> "), "1010");
  const ManyShotResults made =
      many_shot_results(read_many_shot_run(path()), {.seed = 0, .resamples = 20});
  for (const std::string& html :
       {shots_section(made), methods_section(made), separators_section(made),
        confidence_section(made), generation_section(made)}) {
    BOOST_TEST(html.starts_with("<h2>"));
    BOOST_TEST(test::markup_fault(html) == "");
  }
}

BOOST_AUTO_TEST_SUITE_END()
