// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/merge_shards.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using namespace plumb::detail::test;

BOOST_AUTO_TEST_SUITE(merge_shards)

namespace {

/// Thrown to simulate a kill of the process.
struct Killed {};

/// Creates the small probe as a new process would, with blocks of a few packs, and calls
/// `use(job)`.
template <class Use>
auto with_job(Use use, const ProbeSettings& settings = all_templates()) {
  NgramTreeModel model = small_model();
  CausalScorer scorer(model, settings.bos);
  ProbeJob job(scorer, small_dataset(), settings,
               {.model = "m"});  // otherwise the page would show the folder's name
  job.block_statements = 6;
  return use(job, model);
}

struct Shards {
  Shards() {
    with_job([&](auto& job, auto&) { (void)run_job(job, {folder / "whole"}); });
    whole = contents_but(folder / "whole", {"run.json"});
  }

  DiskPath place(std::size_t index) const {
    return DiskPath(folder / ("shard " + std::to_string(index)));
  }
  RunSummary shard(std::size_t index, std::size_t count, bool resume = false,
                   ProgressCallback on_progress = {},
                   const ProbeSettings& settings = all_templates()) const {
    WorkOptions work{std::move(on_progress)};
    work.shard = {index, count};
    return with_job(
        [&](auto& job, auto&) {
          return run_shard(job, {place(index), resume, work});
        },
        settings);
  }
  std::vector<DiskPath> places(std::size_t count) const {
    std::vector<DiskPath> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(place(i));
    return all;
  }
  void merge(const std::vector<DiskPath>& of, const DiskPath& out) const {
    const MergedShards merged = read_shards(of);
    begin_merge(out, merged);
    WorkOptions work;
    work.shards = merged.folders;
    work.before = merged.before;
    with_job([&](auto& job, NgramTreeModel& model) {
      (void)run_job(job, {out, true, work, {{"shards", merged.names()}}});
      BOOST_TEST(model.tokens_fed == 0U);  // the model was not called
    });
  }
  void refused(const std::vector<DiskPath>& of, const std::string& words) const {
    BOOST_CHECK_EXCEPTION((void)read_shards(of), Error, says(Fault::user, words));
  }

  TemporaryFolder folder;
  std::map<std::string, std::string> whole;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(merged_shards_are_the_run_that_was_never_parted, Shards) {
  for (const std::size_t count : {2U, 3U, 5U, 40U}) {  // some of the 40 shards have no packs
    std::size_t scored = 0;
    for (std::size_t i = 0; i < count; ++i) scored += shard(i, count).fresh_statements;
    BOOST_TEST(scored == all_statements);
    auto of = places(count);
    RandomStream(count, "order of shards").shuffle(of);
    const auto out = folder / ("merged " + std::to_string(count));
    merge(of, out);
    BOOST_TEST((contents_but(out, {"run.json"}) == whole), count << " shards");  // the journal too
    const Json run = read_json_object(out / "run.json");
    const Json alone = read_json_object(folder / "whole/run.json");
    BOOST_TEST(run.at("status") == "complete");
    BOOST_TEST(run.at("statements_scored_now") == all_statements);
    BOOST_TEST(run.at("shards").size() == count);
    for (const char* same : {"settings", "statements", "tokens_fed", "tokens_one_by_one"}) {
      BOOST_TEST(run.at(same) == alone.at(same), same);
    }
    for (std::size_t i = 0; i < count; ++i) std::filesystem::remove_all(place(i).path());
  }
}

BOOST_FIXTURE_TEST_CASE(shard_keeps_its_journal_and_records_its_index, Shards) {
  (void)shard(1, 3);
  const auto files = contents(place(1));
  BOOST_TEST(files.size() == 2U);
  BOOST_TEST(files.contains("journal.jsonl"));
  const Json run = read_json_object(place(1) / "run.json");
  BOOST_TEST(run.at("status") == "shard");
  BOOST_TEST((run.at("shard") == Json{{"index", 2}, {"count", 3}}));
  BOOST_TEST(run.at("settings") == read_json_object(folder / "whole/run.json").at("settings"));
}

BOOST_FIXTURE_TEST_CASE(shard_killed_anywhere_resumes_to_an_identical_journal, Shards) {
  (void)shard(0, 2);
  const auto journal = contents(place(0)).at("journal.jsonl");
  std::size_t kills = 0;
  for (;; ++kills) {
    std::filesystem::remove_all(place(0).path());
    std::size_t calls = 0;
    try {
      (void)shard(0, 2, false, [&](const WorkState&) {
        if (calls++ == kills) throw Killed();
      });
      break;
    } catch (const Killed&) {
    }
    refused({place(0)}, "status: the shard is not finished; resume it, then merge again");
    (void)shard(0, 2, true);
    BOOST_TEST(contents(place(0)).at("journal.jsonl") == journal);
  }
  BOOST_TEST(kills > 4U);
}

BOOST_FIXTURE_TEST_CASE(a_merge_that_was_killed_is_made_again_by_the_same_call, Shards) {
  for (std::size_t i = 0; i < 2; ++i) (void)shard(i, 2);
  const auto out = folder / "merged";
  const MergedShards merged = read_shards(places(2));
  for (std::size_t packs = 0; packs < 4; ++packs) {
    begin_merge(out, merged);
    std::size_t calls = 0;
    WorkOptions work{[&](const WorkState&) {
      if (calls++ == packs) throw Killed();
    }};
    work.shards = merged.folders;
    with_job([&](auto& job, auto&) {
      BOOST_CHECK_THROW((void)run_job(job, {out, true, work}), Killed);
    });
  }
  merge(places(2), out);
  BOOST_TEST((contents_but(out, {"run.json"}) == whole));
  // The merged folder is rejected as the target of another merge.
  BOOST_CHECK_EXCEPTION(begin_merge(out, merged), Error, says(Fault::user, "is not empty"));
}

BOOST_FIXTURE_TEST_CASE(shards_that_are_no_whole_are_refused_by_name, Shards) {
  for (std::size_t i = 0; i < 3; ++i) (void)shard(i, 3);
  refused({}, "no shards given");
  refused({place(0), place(2)},
          "is a shard of 3, and these are missing: 2; specify all of the job's folders");
  refused({place(1)}, "these are missing: 1, 3");
  refused({place(0), place(1), place(1)}, place(1).string() + ": is shard 2 of 3, and so is " +
                                              place(1).string() + "; specify each shard once");
  refused({place(0), folder / "whole"},
          "whole: is a whole run, not a shard; there is nothing to merge");
  refused({folder / "nothing"}, "nothing: is not a run folder (no run.json)");
  std::filesystem::rename(place(2).path(), folder / "kept");
  (void)shard(2, 4);
  refused({place(0), place(1), place(2)}, "shard: is one of 4, but that of ");
  ProbeSettings other = all_templates();
  other.seed = 7;
  std::filesystem::remove_all(place(2).path());
  (void)shard(2, 3, false, {}, other);
  refused({place(0), place(1), place(2)}, place(2).string() + "/run.json: seed: is 7, but 0 in " +
                                              place(0).string() + "; merge shards of one job");
}

BOOST_FIXTURE_TEST_CASE(a_pack_that_no_journal_has_is_not_made_up, Shards) {
  for (std::size_t i = 0; i < 2; ++i) (void)shard(i, 2);
  const auto journal = place(1) / "journal.jsonl";
  const std::string text = read_text(journal);
  std::filesystem::remove(journal.path());
  folder.write("shard 1/journal.jsonl", text.substr(text.find('\n') + 1));
  BOOST_CHECK_EXCEPTION(merge(places(2), folder / "merged"), Error,
                        says(Fault::user, journal.string() + ": "));
  BOOST_CHECK_EXCEPTION(merge(places(2), folder / "merged"), Error,
                        says(Fault::user, "which was assigned to this shard; resume the shard"));
  BOOST_TEST(read_json_object(folder / "merged/run.json").at("status") == "running");
}

BOOST_FIXTURE_TEST_CASE(a_folder_is_one_shards_alone, Shards) {
  (void)shard(0, 2);
  std::filesystem::rename(place(0).path(), place(1).path());
  BOOST_CHECK_EXCEPTION((void)shard(1, 2, true), Error,
                        says(Fault::user, "shard: the run was started with"));
  with_job([&](auto& job, auto&) {
    BOOST_CHECK_EXCEPTION((void)run_job(job, {place(1), true}), Error,
                          says(Fault::user, "shard: the run was started with"));
    WorkOptions part;
    part.shard = {0, 2};
    BOOST_CHECK_EXCEPTION((void)run_job(job, {folder / "new", false, part}), Error,
                          says(Fault::internal, "a shard is not a whole job"));
  });
}

BOOST_AUTO_TEST_SUITE_END()
