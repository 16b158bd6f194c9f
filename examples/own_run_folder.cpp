// SPDX-License-Identifier: Apache-2.0

// Can my engine write a complete run folder, including the page, without plumb's command?
//
// Yes, with one call, for any scorer and for facts defined in the program. It writes the files that
// lm-pub-quiz and `plumb report` read, a page, and a journal that allows a killed run to be
// resumed. It links neither Boost nor OpenSSL. The folder is the program's argument, or a new
// temporary folder by default.
//
// Prints:
//   capital: 2 of 2 right
//   accuracy.csv
//   capital_results.jsonl
//   example_prompts.jsonl
//   figures
//   journal.jsonl
//   metadata_results.json
//   metrics.csv
//   metrics.json
//   report.html
//   run.json

#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/model.hpp"
#include "plumb/run.hpp"

int main(int argc, char** argv) {
  const plumb::Relation capital = plumb::relation_of("capital", {"The capital of [X] is [Y]."},
                                                     {{"France", "Paris"}, {"Korea", "Seoul"}});
  // A stand-in for your engine: it has read two sentences.
  plumb::NgramTreeModel model("The capital of France is Paris. The capital of Korea is Seoul.", 12);
  plumb::CausalScorer scorer(model);

  const bool given = argc > 1;
  const std::filesystem::path out =
      given ? std::filesystem::path(argv[1])
            : std::filesystem::temp_directory_path() / "plumb own_run_folder";
  if (!given) std::filesystem::remove_all(out);
  const auto finished = plumb::probe_into_folder(scorer, {"capitals", {capital}}, out,
                                                 {.model = "my engine", .resume = given});

  const auto& accuracy = finished.report.results().overall.accuracy;
  std::printf("capital: %.0f of %zu right\n", accuracy.value * static_cast<double>(accuracy.count),
              accuracy.count);
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(out)) {
    names.insert(file.path().filename().string());
  }
  for (const std::string& name : names) std::printf("%s\n", name.c_str());
  if (!given) std::filesystem::remove_all(out);
}
