// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/probe_settings.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/bear_folder.hpp"
#include "support/errors.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(probe_settings)

namespace {

using Words = std::vector<std::string>;

struct BearFolder {
  BearFolder() {
    test::write_bear(folder, "data", test::small_dataset());
    settings.data = folder / "data";
  }
  [[nodiscard]] Dataset chosen() const { return chosen_dataset(settings); }
  test::TemporaryFolder folder;
  ProbeSettings settings;
};

}  // namespace

BOOST_AUTO_TEST_CASE(template_zero_is_asked_by_default) {
  BOOST_TEST((ProbeSettings{}.templates.indices == std::vector<std::size_t>{0}));
  BOOST_TEST(TemplateChoice{}.word() == "all");
  BOOST_TEST(TemplateChoice{}.json() == "all");
  BOOST_TEST((TemplateChoice{{0, 2}}.word()) == "0,2");
  BOOST_TEST((TemplateChoice{{0, 2}}.json() == Json{0, 2}));
  TemplateChoice read{7};
  read.read("all", "templates");
  BOOST_TEST(read.indices.empty());
  read.read("2-3,0", "templates");
  BOOST_TEST((read.indices == std::vector<std::size_t>{0, 2, 3}));
  BOOST_CHECK_EXCEPTION(
      read.read("some", "templates"), Error,
      says(Fault::user, "`templates`: 'some' is not a non-negative whole number"));
}

BOOST_FIXTURE_TEST_CASE(the_dataset_is_cut_to_what_was_chosen, BearFolder) {
  BOOST_TEST(chosen().relations.size() == 2U);
  settings.relations = {"river"};
  settings.limit = 1;
  const Dataset cut = chosen();
  BOOST_TEST(cut.relations.size() == 1U);
  BOOST_TEST(cut.relations[0].facts.size() == 1U);
  BOOST_TEST((cut.relations[0].templates == test::small_dataset().relations[1].templates));
}

BOOST_FIXTURE_TEST_CASE(templates_are_replaced_and_then_marked, BearFolder) {
  settings.relations = {"capital"};  // the file need not contain the other relation
  settings.template_file =
      folder.write("t.json", R"({"capital": ["The capital of [X] is {marker} [Y]."]})");
  const auto templates = [&] { return chosen().relations[0].templates; };
  BOOST_TEST((templates() == Words{"The capital of [X] is [Y]."}));
  settings.inject = AddedMarkers::all;
  const Words marked = templates();
  BOOST_TEST(marked.size() == 1U + 2U + 5U);
  BOOST_TEST(marked[0] == "The capital of [X] is [Y].");
  BOOST_TEST(marked[1] == "The capital of [X] is possibly [Y].");
  BOOST_TEST(marked[4] == "I'm 25% confident the capital of [X] is [Y].");
  BOOST_TEST(chosen().files.back() == settings.template_file);
}

BOOST_AUTO_TEST_CASE(markers_are_added_to_all_templates_or_none) {
  ProbeSettings settings;
  BOOST_CHECK_NO_THROW(settings.check());
  settings.inject = AddedMarkers::numerical;
  BOOST_CHECK_EXCEPTION(
      settings.check(), Error,
      says(Fault::user, "`inject`: adds templates, but `templates` selects only some; set"));
  settings.templates = {};
  BOOST_CHECK_NO_THROW(settings.check());
}

BOOST_AUTO_TEST_CASE(a_neutral_prefix_is_of_pmi_alone) {
  ProbeSettings settings;
  settings.neutral.text = "";
  BOOST_CHECK_EXCEPTION(settings.check(), Error,
                        says(Fault::user, "`neutral`: has no effect without `reduction` pmi"));
  settings.scoring.reduction = Reduction::pmi;
  BOOST_CHECK_NO_THROW(settings.check());
  settings.neutral.text.reset();
  BOOST_CHECK_NO_THROW(settings.check());
}

BOOST_FIXTURE_TEST_CASE(facts_behind_the_limit_are_kept_for_shots_alone, BearFolder) {
  settings.limit = 1;
  BOOST_TEST(chosen().relations[0].facts_behind_limit.empty());
  settings.shots.count = 1;
  const Dataset cut = chosen();
  BOOST_TEST(cut.relations[0].facts.size() == 1U);
  BOOST_TEST(cut.relations[0].facts_behind_limit.size() == 2U);
  BOOST_TEST(cut.relations[0].facts_behind_limit[1].subject == "Egypt");
}

BOOST_AUTO_TEST_CASE(the_record_is_what_decides_the_results) {
  const Dataset dataset = test::small_dataset();
  Provenance from{.model = "m", .hash_file = [](const auto& file) { return "#" + file.string(); }};
  ProbeSettings settings;
  settings.data = "elsewhere";
  const Json record = probe_record(settings, dataset, from);
  BOOST_TEST(record.at("command") == "probe");
  BOOST_TEST(record.at("dataset") == "small");
  BOOST_TEST(record.at("dataset_sha256").is_null());
  BOOST_TEST((record.at("relations") == Json{"capital", "river"}));
  BOOST_TEST((record.at("templates") == Json{0}));
  BOOST_TEST(record.at("template_file").is_null());
  BOOST_TEST(record.at("template_file_sha256").is_null());
  BOOST_TEST(record.at("inject").is_null());
  BOOST_TEST(record.at("reduction") == "sum");
  BOOST_TEST(record.at("span") == "statement");
  BOOST_TEST(record.at("limit") == 0);
  BOOST_TEST(record.at("seed") == 0);
  BOOST_TEST(record.at("bos") == "yes");
  BOOST_TEST(record.at("prefix").is_null());
  BOOST_TEST(record.at("neutral").is_null());
  BOOST_TEST(record.at("shots") == 0);
  BOOST_TEST(!record.contains("data"));  // in any folder
  BOOST_TEST(!record.contains("left_out"));
  Dataset partial = dataset;
  partial.left_out = {"dev.jsonl"};
  BOOST_TEST((probe_record(settings, partial, from).at("left_out") == Json{"dev.jsonl"}));
  settings.template_file = "dir/t.json";
  settings.inject = AddedMarkers::verbalized;
  settings.templates = {};
  settings.scoring = {Reduction::mean, Span::answer};
  const Json other = probe_record(settings, dataset, from);
  BOOST_TEST(other.at("template_file") == "t.json");
  BOOST_TEST(other.at("template_file_sha256") == "#dir/t.json");
  BOOST_TEST(other.at("inject") == "verbalized");
  BOOST_TEST(other.at("templates") == "all");
  BOOST_TEST(other.at("reduction") == "mean");
  BOOST_TEST(other.at("span") == "answer");
}

BOOST_AUTO_TEST_SUITE_END()
