// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/result_sums.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"
#include "support/memory_disk.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(result_sums_suite)

namespace {

/// A finished run with two results files, in memory.
struct Finished {
  Finished() {
    disk.put("run/P36_results.jsonl", "{\"a\":1}\n{\"a\":2}\n");
    disk.put("run/metadata_results.json", "{}\n");
    disk.put("run/asked/facts.jsonl", "");
    disk.put("run/journal.jsonl", "grows\n");
    disk.put("run/report.html", "a page");
    record(result_sums(run));
  }
  void record(const Json& files) {
    disk.put("run/run.json",
             Json{{"settings", {{"command", "probe"}}}, {"files", files}}.dump() + "\n");
  }
  void refused(const std::string& words) const {
    BOOST_CHECK_EXCEPTION(refuse_changed_results(run), Error, says(Fault::user, words));
  }

  test::MemoryDisk disk;
  DiskPath run = disk / "run";
};

const std::string remedy =
    "; restore it, or run plumb probe for this folder again with `resume`, which rewrites it";

}  // namespace

// The expected hash comes from the test vectors of the FNV-1a reference code, for the text "a".
BOOST_AUTO_TEST_CASE(a_sum_counts_lines_and_bytes_and_hashes_them) {
  test::MemoryDisk disk;
  BOOST_TEST(to_json(sum_of(disk.put("a", "a"))).dump() ==
             R"({"lines":0,"bytes":1,"fnv1a":"af63dc4c8601ec8c"})");
  BOOST_TEST(to_json(sum_of(disk.put("none", ""))).dump() ==
             R"({"lines":0,"bytes":0,"fnv1a":"cbf29ce484222325"})");
  FileSum pieces;
  for (const char* piece : {"one\n", "", "two\n", "thr"}) pieces.add(piece);
  BOOST_CHECK(pieces == sum_of(disk.put("b", "one\ntwo\nthr")));
  BOOST_TEST(pieces.lines == 2U);
  BOOST_TEST(pieces.bytes == 11U);
}

BOOST_FIXTURE_TEST_CASE(results_and_what_was_asked_are_summed_and_nothing_else, Finished) {
  std::string names;
  const Json sums = result_sums(run);
  for (const auto& [name, sum] : sums.items()) names += name + " ";
  BOOST_TEST(names == "P36_results.jsonl metadata_results.json asked/facts.jsonl ");
  refuse_changed_results(run);
}

BOOST_FIXTURE_TEST_CASE(every_flipped_bit_of_a_results_file_is_refused_by_name, Finished) {
  std::string& text = disk.files.at("/run/P36_results.jsonl");
  for (char& byte : text) {
    for (int bit = 0; bit < 8; ++bit) {
      byte = static_cast<char>(byte ^ (1 << bit));
      refused("/run/P36_results.jsonl: differs from what its run wrote: it has ");
      byte = static_cast<char>(byte ^ (1 << bit));
    }
  }
  refuse_changed_results(run);
}

BOOST_FIXTURE_TEST_CASE(a_file_that_was_cut_or_grew_or_is_gone_is_refused, Finished) {
  const std::string name = "/run/P36_results.jsonl: ", whole = disk.text("/run/P36_results.jsonl");
  disk.put("run/P36_results.jsonl", "{\"a\":1}\n");
  refused(name + "differs from what its run wrote: it has 1 line instead of 2" + remedy);
  disk.put("run/P36_results.jsonl", whole + whole);
  refused(name + "differs from what its run wrote: it has 4 lines instead of 2" + remedy);
  disk.put("run/P36_results.jsonl", "{\"a\":1}\n{\"a\":3}\n");
  refused(name +
          "differs from what its run wrote: it has 2 lines as before, but a different checksum" +
          remedy);
  disk.files.erase("/run/P36_results.jsonl");
  refused(name + "is missing" + remedy);
  disk.put("run/P36_results.jsonl", whole);
  disk.put("run/asked/facts.jsonl", "x");
  refused("/run/asked/facts.jsonl: differs from what its run wrote");
}

BOOST_FIXTURE_TEST_CASE(folders_without_sums_are_read_as_they_are, Finished) {
  disk.put("run/P36_results.jsonl", "changed");
  disk.put("run/run.json", "{\"settings\": {}}");
  refuse_changed_results(run);
  disk.files.erase("/run/run.json");
  refuse_changed_results(run);
}

BOOST_FIXTURE_TEST_CASE(names_that_lead_out_of_the_folder_are_refused, Finished) {
  const Json sum = to_json(sum_of(disk.put("secret", "x")));
  for (const std::string name : {"../secret", "asked/../../secret", "/secret", "", "asked/"}) {
    record({{name, sum}});
    refused("/run/run.json: \"");
    refused("is not a valid file name in this folder; restore it, or");
  }
  for (const Json& odd : {Json("x"), Json(7), Json::array(), Json::object()}) {
    record({{"P36_results.jsonl", odd}});
    refused("P36_results.jsonl: differs from what its run wrote");
  }
}

BOOST_AUTO_TEST_CASE(a_name_of_metadata_is_a_name_in_its_folder) {
  const DiskPath file("run/metadata.json");
  for (const std::string name : {"P36", "zero-shot", "a b", "Größe", "deer-a"}) {
    BOOST_CHECK_NO_THROW(refuse_as_file_name(name, file));
  }
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("../other/P30"),
        std::string("/etc/passwd"), std::string("a/b"), std::string("a\0b", 3),
        std::string("a\x1b[2J")}) {
    BOOST_CHECK_EXCEPTION(refuse_as_file_name(name, file), Error,
                          says(Fault::user, "run/metadata.json: " + Json(name).dump() +
                                                ": is not a valid file name in this folder"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
