// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/probe_job.hpp"

// Runs a probe on a disk in memory and on a disk that fails. Whichever call fails, resuming the
// folder produces the same bytes.

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <map>
#include <string>

#include "plumb/detail/data/load.hpp"
#include "support/memory_disk.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using namespace plumb::detail::test;

BOOST_AUTO_TEST_SUITE(probe_job_disk)

namespace {

/// All files of a run, with only those fields of run.json that are the same in every run.
std::map<std::string, std::string> lasting(const DiskPath& folder) {
  std::map<std::string, std::string> files = contents(folder);
  Json run = Json::parse(files.at("run.json"));
  for (const char* name :
       {"seconds_model", "seconds_total", "seconds_by_part", "statements_scored_now"}) {
    run.erase(name);
  }
  files["run.json"] = run.dump();
  return files;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_probe_in_memory_leaves_what_one_on_the_machines_disk_does, WholeRun) {
  MemoryDisk disk;
  const DiskPath run = disk / "deep/whole";
  run_once(run);
  BOOST_TEST((lasting(run) == lasting(folder / "whole")));
  BOOST_TEST(contents(run).size() > 7U);
  BOOST_TEST(probe_report(run).table() == probe_report(folder / "whole").table());
}

BOOST_AUTO_TEST_CASE(a_dataset_in_memory_is_probed_and_read_there) {
  MemoryDisk disk;
  disk.put("data/metadata_relations.json",
           R"({"capital": {"templates": ["The capital of [X] is [Y]."]}})");
  disk.put("data/capital.jsonl", R"({"sub_id": "Q142", "sub_label": "France", "obj_id": "Q90",)"
                                 R"( "obj_label": "Paris"})"
                                 "\n"
                                 R"({"sub_id": "Q884", "sub_label": "Korea", "obj_id": "Q8684",)"
                                 R"( "obj_label": "Seoul"})"
                                 "\n");
  const Dataset dataset = load_dataset(disk / "data");
  NgramTreeModel model = small_model();
  CausalScorer scorer(model);
  ProbeJob job(scorer, dataset, all_templates());
  BOOST_TEST(run_job(job, {disk / "run"}).summary.cost.statements == 4U);
  BOOST_TEST(rows_of(disk / "run/capital_results.jsonl").size() == 2U);
  BOOST_TEST(!std::filesystem::exists("/data"));
}

BOOST_AUTO_TEST_CASE(whichever_call_fails_the_folder_is_resumed_to_the_same_bytes) {
  MemoryDisk sound;
  run_once(sound / "run");
  const auto whole = lasting(sound / "run");
  std::size_t failures = 0, refused = 0;
  for (;; ++failures) {
    MemoryDisk memory;
    FailingDisk failing(memory, failures);
    try {
      run_once(failing(memory / "run"));
      if (failing.has_failed()) BOOST_TEST((lasting(memory / "run") == whole));
    } catch (const std::exception&) {
      ++refused;
    }
    if (!failing.has_failed()) break;
    run_once(memory / "run");
    BOOST_TEST((lasting(memory / "run") == whole));
  }
  BOOST_TEST(failures > 80U);
  BOOST_TEST(refused == failures);  // no failure is ignored
}

// Resuming reads the folder; no failure is ignored in this case either. The journal then contains a
// second entry for a finished part.
BOOST_AUTO_TEST_CASE(whichever_call_of_resuming_fails_it_is_resumed_again) {
  MemoryDisk sound;
  run_once(sound / "run");
  auto whole = lasting(sound / "run");
  whole.erase("journal.jsonl");
  for (const char* lost : {"river_results.jsonl", "metrics.json"}) {
    for (std::size_t n = 0;; ++n) {
      MemoryDisk memory;
      for (const auto& [name, text] : contents(sound / "run")) {
        if (name != lost) memory.put("run/" + name, text);
      }
      FailingDisk failing(memory, n);
      bool refused = false;
      try {
        run_once(failing(memory / "run"));
      } catch (const std::exception&) {
        refused = true;
      }
      if (!failing.has_failed()) break;
      BOOST_TEST(refused);
      run_once(memory / "run");
      auto resumed = lasting(memory / "run");
      resumed.erase("journal.jsonl");
      BOOST_TEST((resumed == whole));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
