// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/calibration_json.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::around;
using test::small_results;

BOOST_AUTO_TEST_SUITE(calibration_json)

namespace {

/// Walks through the file and checks that every number is part of an estimate with its interval, or
/// a known count or coordinate.
std::size_t estimates_in(const Json& json, const std::string& name) {
  static const std::set<std::string> plain{"seed",        "resamples", "interval",     "bins",
                                           "relations",   "facts",     "ties",         "answers",
                                           "paraphrases", "failures",  "confidence",   "histogram",
                                           "threshold",   "rejected",  "options",      "held_out",
                                           "temperature", "questions", "several_right"};
  if (json.is_number()) {
    BOOST_TEST(plain.contains(name), name << " has no interval");
    return 0;
  }
  if (json.is_object() && json.contains("value")) {
    if (json.at("interval") == "none") {
      BOOST_TEST((json.at("low").is_null() && json.at("high").is_null()));
    } else {
      BOOST_TEST(json.at("low") <= json.at("value"));
      BOOST_TEST(json.at("value") <= json.at("high"));
    }
    BOOST_TEST(json.at("count") > 0);
    return 1;
  }
  std::size_t found = 0;
  if (json.is_structured()) {
    for (const auto& [key, value] : json.items()) {
      found += estimates_in(value, json.is_array() ? name : key);
    }
  }
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(metrics_json_has_each_number_under_its_name) {
  const Json json = to_json(small_results());
  BOOST_TEST(json.at("bootstrap").dump() == R"({"seed":7,"resamples":50})");
  BOOST_TEST(json.at("interval") == 0.95);
  BOOST_TEST(json.at("bins") == 4);
  const Json& model = json.at("models").at("tiny");
  const auto value = [](const Json& at) { return at.at("value").get<double>(); };
  BOOST_TEST(model.at("dataset") == "small");
  BOOST_TEST(model.at("masked") == false);
  BOOST_TEST((model.at("notes") == Json{"A note on the data."}));
  BOOST_TEST((model.at("remarks") == Json{"Something is left out."}));
  BOOST_TEST(model.at("relations") == 2);
  BOOST_TEST(model.at("facts") == 40);
  BOOST_TEST((model.at("paraphrases") == Json{2, 5}));
  BOOST_TEST(value(model.at("accuracy")) == 0.451);
  BOOST_TEST(value(model.at("accuracy_over_paraphrases")) == 0.452);
  BOOST_TEST(value(model.at("accuracy_over_paraphrases_by_domain").at("Water")) == 0.454);
  BOOST_TEST(value(model.at("brier_one_hot")) == 0.455);
  BOOST_TEST(value(model.at("brier_one_hot_per_option")) == 0.456);
  const Json& all_options = model.at("static_calibration");
  BOOST_TEST(value(all_options.at("error")) == 0.021);
  BOOST_TEST(value(all_options.at("brier_several_right")) == 0.466);
  BOOST_TEST(all_options.at("questions") == 38);
  BOOST_TEST(all_options.at("several_right") == 2);
  BOOST_TEST(value(model.at("marker_effects").at("25%").at("accuracy")) == -0.061);
  BOOST_TEST(value(model.at("marker_effects").at("25%").at("ace")) == 0.062);
  BOOST_TEST(value(model.at("marker_effects").at("25%").at("brier")) == -0.063);
  BOOST_TEST(model.at("marker_effects").at("25%").at("ace").at("count") == 33);
  BOOST_TEST(value(model.at("reductions").at("Sum").at("accuracy")) == 0.471);
  BOOST_TEST(value(model.at("reductions").at("Sum").at("ace")) == 0.072);
  BOOST_TEST(value(model.at("reductions").at("Mean (A)").at("harmonic_mean")) == 0.476);
  const Json& two = model.at("option_counts").at(0);
  BOOST_TEST(two.at("options") == 2);
  BOOST_TEST(value(two.at("mean_confidence")) == 0.881);
  BOOST_TEST(value(two.at("accuracy")) == 0.782);
  BOOST_TEST(value(two.at("ace")) == 0.083);
  BOOST_TEST(model.at("held_out") == 19);
  const Json& scaled = model.at("recalibration").at(1);
  BOOST_TEST(scaled.at("estimator") == "base");
  BOOST_TEST(scaled.at("map") == "temperature");
  BOOST_TEST(scaled.at("temperature") == 1.75);
  BOOST_TEST(std::abs(value(scaled.at("metrics").at("ace")) - 0.431) < 1e-12);
}

BOOST_AUTO_TEST_CASE(metrics_json_has_all_of_each_estimator) {
  const Json json = to_json(small_results());
  const Json& all = json.at("models").at("tiny").at("estimators");
  BOOST_TEST(all.size() == 6U);
  const Json& made = all.at("average_vote2");
  const auto value = [](const Json& at) { return at.at("value").get<double>(); };
  const auto near = [&](const Json& at, double wanted) {
    return std::abs(value(at) - wanted) < 1e-12;
  };
  BOOST_TEST(made.at("failures") == 2);
  BOOST_TEST(made.at("discrete") == false);
  BOOST_TEST(all.at("consistency_min").at("discrete") == true);
  BOOST_TEST(made.at("metrics").size() == calibration_metric_count);
  for (std::size_t i = 0; i < calibration_metric_count; ++i) {
    const std::string name(declared_metrics[i].key);
    BOOST_TEST(near(made.at("metrics").at(name), 0.5 + 0.01 * static_cast<double>(i)), name);
  }
  BOOST_TEST(near(made.at("domains").at("Water").at("ace"), 0.721));
  BOOST_TEST(near(made.at("cardinality").at("1:1").at("brier"), 0.752));
  BOOST_TEST(near(made.at("relations").at("river").at("accuracy"), 0.704));
  BOOST_TEST(made.at("curve").at(1).at("confidence") == 0.75);
  BOOST_TEST(value(made.at("curve").at(1).at("accuracy")) == 0.5);
  BOOST_TEST((made.at("histogram") == Json{4, 16, 12, 8}));
  BOOST_TEST(made.at("rejection").at(0).at("threshold") == 0.1);
  BOOST_TEST(made.at("rejection").at(0).at("rejected") == 0.125);
  BOOST_TEST(near(made.at("rejection").at(0).at("accuracy"), 0.531));
  BOOST_TEST(made.at("answered").at("rejected") == 0.05);
  BOOST_TEST(near(made.at("answered").at("accuracy"), 0.532));
}

BOOST_AUTO_TEST_CASE(every_number_comes_with_its_interval_and_a_missing_one_is_null) {
  CalibrationResults results = small_results();
  const Json json = to_json(results);
  // Each estimator has 14 metrics for all facts, 2 domains, 1 cardinality and 2 relations; in
  // addition, it has 2 curve points, an accuracy at only 1 of the 2 thresholds, and 1 number for
  // the answered facts. Each model has 2 overall accuracies and 2 by domain, the one-hot Brier
  // score in 2 forms, 3 numbers for all options, 3 for the marker, 6 for the reductions, 5 of the 6
  // by number of options, and 14 metrics for each of 3 maps.
  BOOST_TEST(estimates_in(json, "") ==
             6U * (14 * 6 + 2 + 1 + 1) + 2 + 2 + 2 + 3 + 3 + 6 + 5 + 3 * 14);
  const Json& model = json.at("models").at("tiny");
  BOOST_TEST(model.at("option_counts").at(1).at("ace").is_null());
  BOOST_TEST(model.at("estimators").at("base").at("rejection").at(1).at("accuracy").is_null());
  results.models[0].accuracy = {};
  BOOST_TEST(to_json(results).at("models").at("tiny").at("accuracy").is_null());
}

BOOST_AUTO_TEST_CASE(models_stand_by_name_with_their_correlation_and_pairs) {
  CalibrationResults results = small_results({"gpt", "bert"});
  results.models[1].facts = 41;
  results.comparison.correlation = {{"base", around(-0.75, 3)}};
  results.comparison.pairs = {{0, 1, "Water"}};
  const Json json = to_json(results);
  BOOST_TEST(json.at("models").at("gpt").at("facts") == 40);
  BOOST_TEST(json.at("models").at("bert").at("facts") == 41);
  BOOST_TEST(json.at("models").at("gpt").at("masked") == false);
  BOOST_TEST(json.at("models").at("bert").at("masked") == true);
  BOOST_TEST(json.at("ace_accuracy_correlation").at("base").at("value") == -0.75);
  BOOST_TEST(json.at("pairs").dump() == R"([{"causal":"gpt","masked":"bert","domain":"Water"}])");
}

BOOST_AUTO_TEST_SUITE_END()
