// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/mpi_command_line.hpp"

// Tests with several processes are in tests/system/test_mpi.py.

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "support/console_run.hpp"
#include "support/rank_console.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(mpi_command_line)

namespace {

/// Reports the given number of processes and is never called to rank.
class Several final : public EntityRanking {
 public:
  explicit Several(std::size_t processes) : processes_(processes) {}
  [[nodiscard]] std::size_t processes() const noexcept override { return processes_; }
  std::vector<EntityStanding> standings(const EntityVectors& entities, VectorRows queries,
                                        std::span<const EntityQuestion> questions) override {
    ++asked;
    return alone.standings(entities, queries, questions);
  }
  std::vector<std::vector<NearEntity>> nearest(const EntityVectors& entities, VectorRows queries,
                                               std::size_t k) override {
    return alone.nearest(entities, queries, k);
  }
  LocalRanking alone;
  std::size_t asked = 0;

 private:
  std::size_t processes_;
};

struct Ran {
  int code;
  std::string err;
};

Ran run_with(EntityRanking& ranking, std::vector<std::string> words) {
  std::ostringstream out, err;
  const std::string command = words.front();
  Console console{{words.begin() + 1, words.end()}, out, err};
  console.ranking = &ranking;
  const int code = run_command_line(command, console, [](const ModelOptions&) {
    return test::reader_of_elements<NgramTreeModel>();
  });
  return {code, err.str()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_mpirun_it_is_the_command) {
  BOOST_REQUIRE(!is_started_by_mpi());
  std::string name = "plumb", word = "--version";
  char* words[] = {name.data(), word.data(), nullptr};
  std::ostringstream out;
  std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
  const int code =
      run_mpi_command_line(2, words, [](const ModelOptions&) { return test::small_model(); });
  std::cout.rdbuf(before);
  BOOST_TEST(code == 0);
  BOOST_TEST(out.str() == "plumb " PLUMB_VERSION "\n");
  int begun = 1;
  MPI_Initialized(&begun);
  BOOST_TEST(begun == 0);
}

BOOST_AUTO_TEST_CASE(a_launcher_is_known_by_what_it_leaves_in_the_environment) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_RANK"}) {
    setenv(name, "1", 1);
    BOOST_TEST(is_started_by_mpi());
    unsetenv(name);
    BOOST_TEST(!is_started_by_mpi());
  }
}

BOOST_AUTO_TEST_CASE(what_several_processes_do_not_share_is_refused) {
  Several two(2), one(1);
  const test::RankFiles files;
  const auto refused = [&](std::vector<std::string> words, const std::string& message) {
    const Ran run = run_with(two, std::move(words));
    BOOST_TEST(run.code == 2);
    BOOST_TEST(run.err.find(message) != std::string::npos, run.err);
  };
  refused({"probe", "--data", "d"}, "plumb probe: runs in one process, but there are 2; start it");
  refused({"report", "r"}, "plumb report: runs in one process");
  refused(files.words({"--method", "likelihood"}), "--method: leaves 1 of 2 processes idle");
  refused(files.words({"--shard", "1/2"}), "--shard: leaves 1 of 2");
  refused({"rank", "--data", files.at("elements"), "--model", files.at("model.gguf"), "--out",
           files.at("run"), "--fixed", "f.json"},
          "--fixed: leaves 1 of 2");
  BOOST_TEST(run_with(one, {"report", "r"}).err.find("processes") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(deer_asks_the_ranking_of_the_console) {
  Several two(2);
  const test::RankFiles files;
  const Ran run = run_with(two, files.words({"--limit", "6"}, "shared"));
  BOOST_REQUIRE_MESSAGE(run.code == 0, run.err);
  BOOST_TEST(two.asked == 1U);
  BOOST_TEST(files.json("shared/run.json").at("processes") == 2);
  Several one(1);
  BOOST_TEST(run_with(one, files.words({"--limit", "6"}, "alone")).code == 0);
  BOOST_TEST(!files.json("alone/run.json").contains("processes"));
  BOOST_TEST((files.comparable("shared") == files.comparable("alone")));
}

BOOST_AUTO_TEST_SUITE_END()
