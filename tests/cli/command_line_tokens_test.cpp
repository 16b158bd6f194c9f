// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/command_line.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/tiny_jobs.hpp"

using namespace plumb::detail;
using namespace plumb::detail::test;

BOOST_AUTO_TEST_SUITE(command_line_tokens)

// The oracle is the list of texts that `plumb data prompts` prints for a run, which it builds
// independently of the job. The start check, the plan and the scoring share the tokens of each
// text.
BOOST_AUTO_TEST_CASE(jobs_tokenise_each_of_their_texts_once) {
  const TemporaryFolder folder;
  write_tiny_inputs(folder, "in");
  std::size_t jobs = 0;
  for (const TinyJob& job : tiny_jobs()) {
    if (job.refuses_its_own || !job.before.empty() || job.words[1] == "IN/runs/one") continue;
    if (job.name.ends_with("--fixed")) continue;  // the prompts of a fixed study are not listed
    if (job.words[0] == "report" || job.words[0] == "compare") continue;
    std::map<std::string, std::size_t, std::less<>> counts;
    TinyModels models;
    models.on_text = [&](std::string_view text) { ++counts[std::string(text)]; };
    const auto out = folder / job.name;
    const auto words = placed(job.words, folder / "in", out);
    const TinyRun made = run_tiny(words, folder / "cache", models);
    BOOST_REQUIRE_MESSAGE(made.code == 0, made.err);
    if (counts.empty()) continue;  // a masked model
    for (const char* const text : {"The capital of France is Paris.", "1, 2, 3: one, two, three",
                                   "Москва — столица России"}) {
      counts.erase(text);  // the check at the start of a run tokenises this text too
    }
    ++jobs;
    // A ranking uses names for several purposes: as one-token candidates, in a trie and in prompts.
    if (job.words[0] == "rank") {
      BOOST_TEST(counts.size() > 10U, job.name);
      for (const auto& [text, times] : counts) {
        BOOST_TEST(times == 1U, job.name << ": " << times << " times: " << text);
      }
      continue;
    }
    const TinyRun listed = run_tiny({"data", "prompts", out.string()}, folder / "cache");
    BOOST_REQUIRE_MESSAGE(listed.code == 0, listed.err);
    // How often each text is requested; two relations may contain the same text.
    std::map<std::string, std::size_t> scored, continued;
    std::istringstream lines(listed.out);
    for (std::string line; std::getline(lines, line);) {
      const Json row = Json::parse(line);
      const std::string prompt = row.at("prompt");
      if (!row.contains("candidates")) ++continued[prompt];
      for (const Json& one : row.value("candidates", Json::array())) {
        ++scored[prompt + one.at("text").get<std::string>()];
      }
    }
    std::size_t texts = 0;
    for (const auto& [text, times] : scored) {
      const auto found = counts.find(text);
      if (found == counts.end()) continue;  // this text is tokenised in parts
      ++texts;
      BOOST_TEST(found->second <= times, job.name << ": " << found->second << " times: " << text);
    }
    for (const auto& [text, times] : continued) {
      const auto found = counts.find(text);
      // The beginning of a scored text is also tokenised on its own, to find where the continuation
      // starts.
      const auto longer = scored.upper_bound(text);
      const bool begins_a_scored = longer != scored.end() && longer->first.starts_with(text);
      if (found == counts.end() || begins_a_scored) continue;
      ++texts;
      BOOST_TEST(found->second == 1U, job.name << ": " << found->second << " times: " << text);
    }
    BOOST_TEST(texts > 0U, job.name);
  }
  BOOST_TEST(jobs == 7U);  // probe, many-shot, generate, its KAMEL form, calibrate, two rankings
}

BOOST_AUTO_TEST_SUITE_END()
