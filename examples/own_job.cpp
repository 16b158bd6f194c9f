// SPDX-License-Identifier: Apache-2.0

// Can my own job be resumed, and can it have progress reports, a journal and a run folder like
// plumb's jobs?
//
// A type with settings(), run(folder, work) and report(folder) is a Job; run_job does the rest.
// This one counts a model's tokens in each word, two words per pack. It is stopped after its first
// pack and resumed.
//
// Prints:
//   stopped; finished work is saved; resume to continue
//   evaluated now: 2 of 3 packs
//   France 6
//   Korea 5
//   Egypt 5
//   Nile 4
//   Rhine 5

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "plumb/dataset.hpp"
#include "plumb/model.hpp"
#include "plumb/run.hpp"

/// Counts the tokens in each word.
struct TokenCounts {
  const plumb::NgramModel& model;
  std::vector<std::string> words;

  /// The human-readable result.
  struct Report {
    std::string text;
    void write(const std::filesystem::path& folder) const {
      std::ofstream(folder / "report.txt") << text;
    }
  };

  /// Everything that affects the results: a folder can only be resumed with the same settings.
  [[nodiscard]] plumb::Json settings() const {
    return {{"command", "token counts"}, {"words", words}};
  }
  void run(const plumb::RunFolder& folder, plumb::Work& work) const {
    std::vector<plumb::PackCost> packs;
    for (std::size_t first = 0; first < words.size(); first += 2) {
      packs.push_back({std::min<std::size_t>(2, words.size() - first), 1});
    }
    work.begin("words", words.size());
    plumb::Part part(work, "counts");
    std::string lines;
    part.generate_rows(
        packs,
        [&](std::size_t p) {  // what the journal stores for a pack, as JSON
          plumb::Json counts = plumb::Json::array();
          for (std::size_t i = 0; i < packs[p].items; ++i) {
            counts.push_back(model.tokenize(words[2 * p + i]).tokens.size());
          }
          return counts.dump();
        },
        [&](std::size_t p, const plumb::Json& counts) {  // just computed, or read from the journal
          for (std::size_t i = 0; i < counts.size(); ++i) {
            lines += words[2 * p + i] + " " + counts[i].dump() + "\n";
          }
        });
    folder.write("counts.txt", lines);
  }
  [[nodiscard]] Report report(const std::filesystem::path& folder) const {
    std::ostringstream text;
    text << std::ifstream(folder / "counts.txt").rdbuf();
    return {text.str()};
  }
};
static_assert(plumb::Job<TokenCounts>);

int main() {
  const plumb::NgramModel model("");
  TokenCounts job{model, {"France", "Korea", "Egypt", "Nile", "Rhine"}};
  const auto out = std::filesystem::temp_directory_path() / "plumb own_job";
  std::filesystem::remove_all(out);
  std::size_t asked = 0;
  try {
    (void)plumb::run_job(job, {.out = out, .work = {.stop = [&] { return ++asked == 2; }}});
  } catch (const plumb::Error& stopped) {
    std::printf("%s\n", stopped.what());
  }
  const auto finished = plumb::run_job(job, {.out = out, .resume = true});
  std::printf("evaluated now: %zu of 3 packs\n%s", finished.summary.fresh_statements,
              finished.report.text.c_str());
  std::filesystem::remove_all(out);
}
