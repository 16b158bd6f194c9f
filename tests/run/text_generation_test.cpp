// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/text_generation.hpp"

// answer_run_test.cpp tests generation over many prompts, with kills and samples.

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(text_generation)

namespace {

const std::vector<std::string> texts{"one ", "two ", "six "};
const std::vector<std::size_t> ends{2, 3};

/// The continuations of three texts, and the number of statements evaluated in this call.
struct Gone {
  explicit Gone(const std::filesystem::path& folder, const GenerationOptions& options = {}) {
    NgramModel model("one two six one two six.\n", 4);
    Work work(DiskPath(folder) / "journal.jsonl");
    KeptPrompts prompts(model, model.bos());
    TextGeneration<NgramModel> generation(model, prompts, work);
    generation.generate_rows(
        "part", ends, options, [](std::size_t i) { return texts[i]; },
        [&](std::size_t i, const Json& row) {
          BOOST_TEST(i == rows.size());
          rows.push_back(row);
        });
    fresh = work.summary().fresh_statements;
    statements = work.summary().cost.statements;
  }
  std::vector<Json> rows;
  std::size_t fresh = 0, statements = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(each_text_is_gone_on_with_and_taken_from_the_journal_again) {
  const test::TemporaryFolder folder;
  const Gone first(folder.path(), {.samples = 0, .max_new_tokens = 4, .stop = {}, .seed = 0});
  BOOST_REQUIRE(first.rows.size() == 3U);
  BOOST_TEST(first.rows[0].at(0) == "two ");
  BOOST_TEST(first.rows[0].at(1) == 4);
  BOOST_TEST(first.rows[0].at(2).get<double>() < 0);
  BOOST_TEST(first.fresh == 3U);
  const Gone again(folder.path(), {.samples = 0, .max_new_tokens = 4, .stop = {}, .seed = 0});
  BOOST_TEST(again.fresh == 0U);
  BOOST_TEST(again.statements == 3U);
  BOOST_CHECK(again.rows == first.rows);
}

BOOST_AUTO_TEST_CASE(sampled_continuations_are_counted) {
  const test::TemporaryFolder folder;
  const Gone gone(folder.path(), {.samples = 6, .max_new_tokens = 2, .stop = {}, .seed = 1});
  BOOST_TEST(gone.statements == 18U);
  for (const Json& row : gone.rows) {
    std::size_t times = 0;
    for (const Json& one : row) times += one.at(1).get<std::size_t>();
    BOOST_TEST(times == 6U);
  }
}

// Each byte is a token, and BOS is one token before each text.
BOOST_AUTO_TEST_CASE(what_texts_take_is_counted_ahead) {
  NgramModel model("one", 2);
  const std::vector<std::string> two{"ab", "cde"};
  const auto text = [&](std::size_t i) { return two[i]; };
  KeptPrompts with_bos(model, model.bos()), bare(model, std::nullopt);
  const PlannedPart greedy = planned_texts(with_bos, "x", 2, 0, 16, text);
  BOOST_TEST(
      description_of(greedy) ==
      "x: 2 prompts, 7 tokens (as if each text were fed separately), 2 answers of at most 16 "
      "tokens");
  const PlannedPart sampled = planned_texts(bare, "x samples", 2, 100, 16, text);
  BOOST_TEST(description_of(sampled) ==
             "x samples: 2 prompts, 5 tokens (as if each text were fed separately), 200 answers of "
             "at most 16 tokens");
}

BOOST_AUTO_TEST_CASE(message_explains_that_a_text_exceeds_the_context) {
  NgramTreeModel model("one", 2);
  model.limits = {10, 4, 10};
  KeptPrompts with_bos(model, model.bos()), bare(model, std::nullopt);
  BOOST_TEST(!missing_room_after(model, bare, "12345", 5).has_value());
  // Seven plus four is one more than ten, but the last token is not fed.
  BOOST_TEST(!missing_room_after(model, bare, "1234567", 4).has_value());
  BOOST_TEST(missing_room_after(model, with_bos, "1234567", 4).value() ==
             "has 8 tokens; with 4 new ones, it exceeds the model's limit of 10");
}

BOOST_AUTO_TEST_SUITE_END()
