// SPDX-License-Identifier: Apache-2.0

// Can I add plumb to my source tree as a single file?
//
// `cmake --build build --target single_header` writes build/plumb_single.hpp, the only file of
// plumb that this program includes. It needs Eigen and nlohmann-json, and xtensor for run folders.
//
// Prints:
//   in memory: 2 of 2 facts
//   in a folder: accuracy 1.00, report.html is there

#define PLUMB_SINGLE_RUNS  // enables run folders and pages; without it, this compiles faster
#include <cstdio>
#include <filesystem>

#include "plumb_single.hpp"

int main() {
  const plumb::Dataset dataset{"capitals",
                               {plumb::relation_of("capital", {"The capital of [X] is [Y]."},
                                                   {{"France", "Paris"}, {"Korea", "Seoul"}})}};
  plumb::NgramTreeModel model("The capital of France is Paris. The capital of Korea is Seoul.", 12);
  plumb::CausalScorer scorer(model);

  const plumb::Estimate accuracy =
      plumb::metrics_of(plumb::probe(scorer, dataset)).overall.accuracy;
  std::printf("in memory: %.0f of 2 facts\n", 2 * accuracy.value);

  const auto out = std::filesystem::temp_directory_path() / "plumb one_file";
  std::filesystem::remove_all(out);
  const auto finished = plumb::probe_into_folder(scorer, dataset, out);
  std::printf("in a folder: accuracy %.2f, report.html is %s\n",
              finished.report.results().overall.accuracy.value,
              std::filesystem::exists(out / "report.html") ? "there" : "missing");
  std::filesystem::remove_all(out);
}
