// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/calibrate_measurement.hpp"

// Runs a calibration from C++, without the command. cli/calibrate_test.cpp tests the command.

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/results_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(calibrate_measurement)

static_assert(Measurement<CalibrateMeasurement>);

namespace {

/// A results folder with the confidences 0.9 and 0.7, where the second answer is wrong.
struct Two {
  Two() {
    folder.add("P36", {"Paris", "Rome"}, {"[X]: [Y]."}, Json::object(),
               {test::row("a", 0, 0, 0, {std::log(0.9), std::log(0.1)}),
                test::row("b", 1, 0, 1, {std::log(0.7), std::log(0.3)})});
  }
  [[nodiscard]] CalibrateSettings settings(const std::string& name = "gpt") const {
    return {.folders = {{{name, folder.path()}}}, .bins = 2, .resamples = 20};
  }
  test::ResultsFolder folder;
  test::TemporaryFolder out;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_calibration_needs_no_command, Two) {
  const Report report = run_measurement(CalibrateMeasurement(settings()), out / "page");
  BOOST_TEST(report.table().starts_with("estimator "));
  BOOST_TEST(std::filesystem::exists(out / "page/report.html"));
  BOOST_TEST((read_json_object(out / "page/run.json").at("settings").at("models") ==
              Json::array({"gpt"})));
  const ModelCalibration model = calibrate_folders(settings()).models.at(0);
  BOOST_TEST(model.accuracy.value == 0.5);
  // Brier = (0.1² + 0.7²) / 2.
  BOOST_TEST(
      std::abs(estimate_of(model.estimator("base")->metrics, CalibrationMetric::brier).value -
               0.25) < 1e-12);
}

BOOST_FIXTURE_TEST_CASE(omissions_of_a_probes_reader_are_reported_once, Two) {
  std::ofstream(folder.path() / "run.json") << R"({"settings":{"left_out":["dev.jsonl"]}})";
  CalibrateSettings twice = settings();
  twice.folders.list.push_back({"gpt2", folder.path()});
  const auto remarks = calibrate_folders(twice).remarks;
  BOOST_TEST(std::ranges::count(remarks, "Left out: dev.jsonl.") == 1);
}

BOOST_FIXTURE_TEST_CASE(masked_models_are_detected_from_results_or_named_explicitly, Two) {
  const auto masked = [&](const std::string& name,
                          const std::optional<std::vector<std::string>>& named) {
    CalibrateSettings settings = this->settings(name);
    settings.masked = named;
    return bool(calibrate_folders(settings).masked.at(0));
  };
  BOOST_TEST(!masked("RoBERTa", {}));  // this cannot be inferred from the name
  BOOST_TEST(masked("gpt", {{"gpt"}}));
  folder.set("P36", "pll_metric", "within_word_l2r");
  BOOST_TEST(masked("gpt", {}));
  BOOST_TEST(!masked("RoBERTa", {std::vector<std::string>{}}));
  BOOST_CHECK_EXCEPTION((void)masked("gpt", {{"bert"}}), Error,
                        test::says(Fault::user, "'bert' is not among the models; they are gpt"));
}

BOOST_AUTO_TEST_SUITE_END()
