// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/embedded_texts.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "plumb/detail/backend/decay_embedder.hpp"
#include "support/errors.hpp"
#include "support/plain_embedder.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::PlainEmbedder;
using test::says;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(embedded_texts)

namespace {

const std::vector<std::string> texts{"iron is a metal", "iron", "gold is a metal", "tin"};
const std::vector<std::string> names{"a", "b", "c", "d"};
const TextLists two_lists{std::span(texts).first(3), std::span(texts).last(1)};

/// Simulates one process: a new model, folder and work. Returns its counts.
template <class Model>
std::optional<NpyFile> embed(Model& model, const std::filesystem::path& path,
                             const TextLists& lists = two_lists, WorkOptions options = {}) {
  const RunFolder folder(path, Json::object(), RunFolder::Claim::resume);
  Work work(folder.file("journal.jsonl"), std::move(options));
  return EmbeddedTexts<Model>(model, folder, work, false).embedded("made", names, lists);
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_are_those_of_the_texts_in_the_order_of_the_lists) {
  const EmbeddingMatrix expected = DecayEmbedder().embed(texts, false);
  const TemporaryFolder folder;
  NgramTreeModel tree("");
  PlainEmbedder plain("");
  const auto by_tree = embed(tree, folder / "tree"), by_batches = embed(plain, folder / "plain");
  BOOST_TEST((by_tree.value().rows() == expected));
  BOOST_TEST((by_batches.value().rows() == expected));
  BOOST_TEST(slurp(folder / "tree/made.txt") == "a\nb\nc\nd\n");
  BOOST_TEST(!std::filesystem::exists(folder / "tree/made.npy.part"));
}

BOOST_AUTO_TEST_CASE(what_stands_there_is_not_embedded_again) {
  const TemporaryFolder folder;
  PlainEmbedder first(""), again("");
  (void)embed(first, folder / "run");
  BOOST_TEST(!first.asked.empty());
  BOOST_TEST((embed(again, folder / "run").value().rows() == DecayEmbedder().embed(texts, false)));
  BOOST_TEST(again.asked.empty());
}

BOOST_AUTO_TEST_CASE(a_shard_keeps_its_rows_and_makes_no_file) {
  const TemporaryFolder folder;
  PlainEmbedder model("");
  BOOST_TEST(!embed(model, folder / "run", two_lists, {.shard = {0, 2}}));
  BOOST_TEST(model.asked.size() == 1U);  // the other shard embeds the other list
  BOOST_TEST(std::filesystem::exists(folder / "run/made.npy.part"));
  BOOST_TEST(!std::filesystem::exists(folder / "run/made.npy"));
}

BOOST_AUTO_TEST_CASE(a_shard_with_every_pack_can_be_merged_with_one_that_has_none) {
  const TemporaryFolder folder;
  PlainEmbedder model(""), merging("");
  const TextLists one_list{std::span(texts)};
  for (const std::size_t i : {0U, 1U}) {
    const auto path = folder / ("s" + std::to_string(i));
    BOOST_TEST(!embed(model, path, one_list, {.shard = {i, 2}}));
    BOOST_TEST(std::filesystem::exists(path / "made.npy.part"));
    BOOST_TEST(!std::filesystem::exists(path / "made.npy"));
  }
  BOOST_TEST(model.asked.size() == 1U);
  const auto merged =
      embed(merging, folder / "run", one_list, {.shards = {folder / "s0", folder / "s1"}});
  BOOST_TEST((merged.value().rows() == DecayEmbedder().embed(texts, false)));
  BOOST_TEST(merging.asked.empty());
}

BOOST_AUTO_TEST_CASE(files_of_another_shape_and_changed_rows_are_refused) {
  const TemporaryFolder folder;
  PlainEmbedder model("");
  (void)embed(model, folder / "run");
  std::string bytes = slurp(folder / "run/made.npy");
  bytes.back() = static_cast<char>(bytes.back() ^ 0x40);
  folder.write("run/made.npy", bytes);
  BOOST_CHECK_EXCEPTION(
      (void)embed(model, folder / "run"), Error,
      says(Fault::user,
           "made.npy: row 4 or another row of its pack differs from what this run "
           "wrote; remove the file, then `resume`"));
  std::filesystem::remove(folder / "run/made.npy");
  NpyWriter other(folder / "run/made.npy", 2, 3);
  other.finish();
  BOOST_CHECK_EXCEPTION((void)embed(model, folder / "run"), Error,
                        says(Fault::user, "made.npy: contains vectors whose shape differs"));
}

BOOST_AUTO_TEST_SUITE_END()
