// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/calibrate_settings.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(calibrate_settings)

BOOST_AUTO_TEST_CASE(folders_use_their_own_scoring_unless_overridden) {
  CalibrateSettings settings;
  BOOST_TEST(!settings.reading().has_scoring());
  BOOST_TEST((settings.scoring() == Scoring{Reduction::sum, Span::statement}));
  settings.span = Span::answer;
  BOOST_TEST((settings.reading().span == Span::answer));
  BOOST_TEST(!settings.reading().reduction);
  settings.reduction = Reduction::mean;
  BOOST_TEST((settings.reading().reduction == Reduction::mean));
}

BOOST_AUTO_TEST_CASE(verbalized_templates_require_listed_paraphrases) {
  CalibrateSettings settings;
  settings.check();
  settings.kinds.verbalized = {5};
  BOOST_CHECK_THROW(settings.check(), Error);
  settings.kinds.paraphrases = {{0, 1}};
  settings.check();
}

BOOST_AUTO_TEST_CASE(what_was_measured_is_recorded) {
  CalibrateSettings settings{.data = "some/BEAR", .bins = 7, .estimators = {"base"}, .seed = 3};
  settings.kinds = {.base = 1, .paraphrases = {{0, 1}}, .verbalized = {5}};
  ModelCalibration model;
  model.name = "gpt";
  model.dataset = "BEAR";
  model.scoring = "sum over the statement";
  const Json expected = {{"command", "calibrate"},
                         {"plumb_version", PLUMB_VERSION},
                         {"models", Json::array({"gpt"})},
                         {"dataset", "BEAR"},
                         {"scoring", "sum over the statement"},
                         {"relations", "all"},
                         {"estimators", Json::array({"base"})},
                         {"verbalized", Json::array({5})},
                         {"numerical", nullptr},
                         {"bins", 7},
                         {"resamples", 1000},
                         {"base_template", 1},
                         {"paraphrases", {0, 1}},
                         {"masked", nullptr},
                         {"described_by", "BEAR"},
                         {"seed", 3}};
  BOOST_TEST(calibrate_record(settings, {model}) == expected);
}

BOOST_AUTO_TEST_SUITE_END()
