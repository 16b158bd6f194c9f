// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/deer_run.hpp"

// Tests DEER on a disk that loses data. Rows of vectors are written through a memory mapping, and
// the journal is written through the disk object. After a power loss, any data that was not synced
// may be kept or lost. The test simulates the worst case at every line of the journal: the line is
// kept although it was not synced, while only the synced part of the vectors is kept. A resumed run
// must always produce the same bytes.

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/run/rank_parts.hpp"
#include "support/small_graph.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::contents;
using test::elements;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(deer_run_disk)

namespace {

/// Called after a mapping is synced; empty except in the test below.
std::function<void()> after_msync;

}  // namespace

// Replaces the system's msync in this program.
extern "C" int msync(void* at, size_t size, int flags) {
  const auto failed = static_cast<int>(syscall(SYS_msync, at, size, flags));
  if (after_msync) after_msync();
  return failed;
}

namespace {

/// The real disk, with a callback after each line that is written to a journal.
class ToldDisk : public RealDisk {
 public:
  std::function<void()> on_line;

  std::unique_ptr<OutputFile> write(const Path& file, Opening how) override {
    auto output = RealDisk::write(file, how);
    if (!output || file.filename() != "journal.jsonl") return output;
    return std::make_unique<Journal>(*this, std::move(output));
  }

 private:
  class Journal : public OutputFile {
   public:
    Journal(ToldDisk& disk, std::unique_ptr<OutputFile> file)
        : disk_(disk), file_(std::move(file)) {}
    std::error_code write(std::string_view bytes) override {
      const std::error_code failed = file_->write(bytes);
      if (disk_.on_line) disk_.on_line();
      return failed;
    }
    std::error_code sync() override { return file_->sync(); }

   private:
    ToldDisk& disk_;
    std::unique_ptr<OutputFile> file_;
  };
};

/// Simulates one process and returns its ranks as lines of text.
std::string ranked_once(const DiskPath& path, const KnowledgeGraph& graph,
                        const RankOptions& options) {
  NgramTreeModel model("");
  const RankParts parts = rank_parts(graph, options, false, model);
  const RunFolder folder(path, Json::object(), RunFolder::Claim::resume);
  Work work(folder.file("journal.jsonl"));
  DeerRun run(model, options, folder, work, parts.whole, false);
  const NpyFile entities = run.entities(options.entity_prompts.front()).value();
  std::string lines;
  for (const EntityRank& rank : run.rank(parts.parts.front(), entities.rows())) {
    lines += row_line(rank);
  }
  return lines;
}

/// Returns the vector file with zeros in place of everything after its header.
std::string without_rows(std::string npy) {
  const std::size_t header =
      10 + static_cast<unsigned char>(npy.at(8)) + 256U * static_cast<unsigned char>(npy.at(9));
  std::fill(npy.begin() + static_cast<std::ptrdiff_t>(header), npy.end(), '\0');
  return npy;
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_line_of_the_journal_outlives_its_rows) {
  const KnowledgeGraph graph = elements();
  RankOptions options;
  options.shots = 2;
  const TemporaryFolder folder;
  const std::filesystem::path run = folder / "run";
  ToldDisk disk;
  std::map<std::string, std::string> synced;  // the synced content of unfinished vector files
  std::vector<std::filesystem::path> losses;
  after_msync = [&] {
    for (const auto& [name, text] : contents(run, ".npy.part")) synced[name] = text;
  };
  disk.on_line = [&] {
    const auto loss = folder / ("lost " + std::to_string(losses.size()));
    for (const auto& [name, text] : contents(run)) {
      const bool is_part = name.ends_with(".npy.part");
      const auto kept = synced.find(name);
      folder.write(loss.filename().string() + "/" + name, !is_part ? text
                                                          : kept == synced.end()
                                                              ? without_rows(text)
                                                              : kept->second);
    }
    losses.push_back(loss);
  };
  const std::string whole = ranked_once({run, disk}, graph, options);
  after_msync = nullptr;
  const auto files = contents(run);
  BOOST_TEST(losses.size() > 8U);
  BOOST_TEST(synced.size() == 2U);  // queries and entities
  for (const std::filesystem::path& loss : losses) {
    BOOST_TEST(ranked_once(loss, graph, options) == whole, loss);
    BOOST_TEST((contents(loss) == files), loss);
    // In the opposite case, the journal is lost and the vectors are kept.
    std::filesystem::remove(loss / "journal.jsonl");
    BOOST_TEST(ranked_once(loss, graph, options) == whole, loss);
  }
}

BOOST_AUTO_TEST_SUITE_END()
