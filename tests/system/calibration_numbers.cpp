// SPDX-License-Identifier: Apache-2.0
// Computes plumb's calibration of given judgements, for comparison with another library. Each line
// of stdin is {"confidence": […], "correct": […], "bins": n, "at": […]}. Each line of stdout
// contains every metric, the calibration curve, and the isotonic map at the points "at".

#include <cmath>
#include <iostream>
#include <string>

#include "plumb/detail/calibrate/calibration_metrics.hpp"
#include "plumb/detail/calibrate/curves.hpp"
#include "plumb/detail/calibrate/recalibration.hpp"
#include "plumb/detail/data/json_file.hpp"

int main() {
  using namespace plumb::detail;
  std::string line;
  while (std::getline(std::cin, line)) {
    const Json input = Json::parse(line);
    std::vector<Judgement> judgements;
    for (std::size_t i = 0; i < input["confidence"].size(); ++i) {
      judgements.push_back(
          {input["confidence"][i].get<double>(), input["correct"][i].get<int>() != 0});
    }
    const auto bins = input["bins"].get<std::size_t>();
    const MetricValues values = SortedJudgements(judgements, bins).metrics();
    Json output = {
        {"metrics", Json::object()}, {"curve", Json::array()}, {"isotonic", Json::array()}};
    for (std::size_t i = 0; i < calibration_metric_count; ++i) {
      const double value = values.values[i];
      output["metrics"][std::string(declared_metrics[i].key)] =
          std::isfinite(value) ? Json(value) : Json();
    }
    for (const CurvePoint& point : calibration_curve(judgements, bins)) {
      output["curve"].push_back({point.confidence, point.accuracy.value});
    }
    const IsotonicMap map(judgements);
    for (const Json& at : input["at"]) output["isotonic"].push_back(map(at.get<double>()));
    std::cout << output.dump() << "\n";
  }
}
