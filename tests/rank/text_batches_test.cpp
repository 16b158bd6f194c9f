// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/text_batches.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/decay_embedder.hpp"
#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"
#include "support/names.hpp"
#include "support/plain_embedder.hpp"

using namespace plumb::detail;
using test::PlainEmbedder;
using test::says;

BOOST_AUTO_TEST_SUITE(text_batches)

namespace {

using Strings = std::vector<std::string>;
using Counts = std::vector<std::size_t>;

Strings random_texts(std::size_t count) {
  RandomStream random(1, "batches");
  Strings texts(count);
  for (std::string& text : texts) text = test::random_letters(random, 1, 9);
  return texts;
}

/// A model that returns a matrix of the wrong shape.
struct Misshapen : PlainEmbedder {
  Misshapen(Eigen::Index more_rows, Eigen::Index more_columns)
      : PlainEmbedder(""), rows(more_rows), columns(more_columns) {}
  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts, bool) const {
    return EmbeddingMatrix::Ones(static_cast<Eigen::Index>(texts.size()) + rows, 257 + columns);
  }
  Eigen::Index rows, columns;
};

struct WithoutBos : PlainEmbedder {
  using PlainEmbedder::PlainEmbedder;
  [[nodiscard]] std::optional<TokenId> bos() const { return std::nullopt; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(each_text_is_visited_once_with_its_own_vector) {
  for (const std::size_t count : {1U, 63U, 64U, 65U, 128U, 150U}) {
    const Strings texts = random_texts(count);
    for (const bool with_bos : {true, false}) {
      PlainEmbedder model("");
      TextBatches batches(model);
      BOOST_TEST(batches.dimension() == 257U);
      auto job = batches.plan(texts, with_bos);
      BOOST_TEST(model.asked.empty());  // planning uses only the tokenizer
      const EmbeddingMatrix expected = DecayEmbedder().embed(texts, with_bos);
      Counts visits(count, 0);
      for (std::size_t p = 0; p < job.packs(); ++p) {
        batches.embed(job, p, [&](std::size_t text, std::span<const float> row) {
          ++visits.at(text);
          BOOST_TEST(row.size() == 257U);
          BOOST_TEST(
              std::ranges::equal(row, std::span(expected.row(static_cast<int>(text)).data(), 257)));
        });
      }
      BOOST_TEST(visits == Counts(count, 1), boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(batches_are_of_64_texts_and_the_last_has_the_rest) {
  const auto sizes = [](std::size_t count) {
    PlainEmbedder model("");
    TextBatches batches(model);
    const Strings texts = random_texts(count);
    auto job = batches.plan(texts, false);
    Counts planned;
    for (std::size_t p = 0; p < job.packs(); ++p) {
      planned.push_back(job.texts(p));
      BOOST_TEST(job.statements(p) == job.texts(p));
      batches.embed(job, p, [](std::size_t, std::span<const float>) {});
    }
    BOOST_TEST(model.asked == planned, boost::test_tools::per_element());
    return planned;
  };
  BOOST_TEST((sizes(1) == Counts{1}));
  BOOST_TEST((sizes(64) == Counts{64}));
  BOOST_TEST((sizes(65) == Counts{64, 1}));
  BOOST_TEST((sizes(200) == Counts{64, 64, 64, 8}));
}

// A resumed job embeds its remaining batches in another process.
BOOST_AUTO_TEST_CASE(a_batch_is_the_same_whichever_came_before) {
  const Strings texts = random_texts(150);
  const EmbeddingMatrix expected = DecayEmbedder().embed(texts, true);
  for (const std::size_t p : {2U, 0U, 1U}) {
    PlainEmbedder model("");
    TextBatches batches(model);
    auto job = batches.plan(texts, true);
    Counts seen;
    batches.embed(job, p, [&](std::size_t text, std::span<const float> row) {
      seen.push_back(text);
      BOOST_TEST(
          std::ranges::equal(row, std::span(expected.row(static_cast<int>(text)).data(), 257)));
    });
    BOOST_TEST(seen.size() == (p == 2 ? 22U : 64U));
    BOOST_TEST(*std::ranges::min_element(seen) == p * 64);
  }
}

BOOST_AUTO_TEST_CASE(the_texts_may_be_gone_when_they_are_embedded) {
  PlainEmbedder model("");
  TextBatches batches(model);
  auto job = batches.plan(Strings{"Paris", "Rome"}, false);
  std::vector<float> last(2);
  batches.embed(job, 0, [&](std::size_t text, std::span<const float> row) {
    last[text] = row[text == 0 ? 's' : 'e'];
  });
  BOOST_TEST(last == std::vector<float>(2, 1), boost::test_tools::per_element());
}

// Nothing is shared: each text is a statement, and all its tokens are fed.
BOOST_AUTO_TEST_CASE(the_cost_is_all_tokens) {
  PlainEmbedder model("", 3, {"to "});
  TextBatches batches(model);
  const Strings texts{"to Paris", "to Rome", "to Rome"};  // 6, 5 and 5 tokens
  for (const bool with_bos : {true, false}) {
    const auto job = batches.plan(texts, with_bos);
    const ScoringCost cost = job.cost();
    const std::size_t tokens = 16 + (with_bos ? 3 : 0);
    BOOST_TEST(cost.statements == 3U);
    BOOST_TEST(cost.tokens_one_by_one == tokens);
    BOOST_TEST(cost.tree_nodes == tokens);
    BOOST_TEST(cost.tokens_fed == tokens);
    BOOST_TEST(job.tokens(0) == tokens);
  }
}

BOOST_AUTO_TEST_CASE(no_texts_are_no_batches) {
  PlainEmbedder model("");
  TextBatches batches(model);
  const auto job = batches.plan({}, true);
  BOOST_TEST(job.packs() == 0U);
  BOOST_TEST(job.cost().statements == 0U);
  BOOST_TEST(job.cost().tokens_fed == 0U);
}

BOOST_AUTO_TEST_CASE(bos_on_a_model_without_one_is_refused) {
  WithoutBos model("");
  TextBatches batches(model);
  const Strings texts{"Paris"};
  BOOST_CHECK_EXCEPTION(
      (void)batches.plan(texts, true), Error,
      says(Fault::user, "`bos`: the model has no BOS token; set `bos` to no, or choose"));
  BOOST_TEST(batches.plan(texts, false).cost().tokens_fed == 5U);
}

BOOST_AUTO_TEST_CASE(texts_without_tokens_and_beyond_the_context_are_refused_by_the_plan) {
  struct Short : PlainEmbedder {
    using PlainEmbedder::PlainEmbedder;
    [[nodiscard]] std::size_t context_length() const { return 12; }
  };
  Short model("");
  TextBatches batches(model);
  BOOST_TEST(batches.plan(Strings{"twelve bytes"}, false).packs() == 1U);
  for (const auto& [text, with_bos] :
       {std::pair{"twelve bytes", true}, std::pair{"thirteen byte", false}}) {
    BOOST_CHECK_EXCEPTION((void)batches.plan(Strings{"short", text}, with_bos), Error,
                          says(Fault::user, "has 13 tokens; the model's limit is 12"));
  }
  BOOST_CHECK_EXCEPTION((void)batches.plan(Strings{"short", ""}, false), Error,
                        says(Fault::user, "text: '' has no tokens; set `bos` to yes"));
  BOOST_TEST(model.asked.empty());
}

// The ranker must not read a missing vector or store a vector for the wrong text.
BOOST_AUTO_TEST_CASE(vectors_of_another_shape_are_the_models_fault) {
  const auto embed = [](Eigen::Index rows, Eigen::Index columns, std::size_t& visited) {
    Misshapen model(rows, columns);
    TextBatches batches(model);
    auto job = batches.plan(random_texts(70), false);
    batches.embed(job, 1, [&](std::size_t, std::span<const float>) { ++visited; });
  };
  std::size_t visited = 0;
  const auto refused = [&](Eigen::Index rows, Eigen::Index columns, const std::string& given) {
    BOOST_CHECK_EXCEPTION(
        embed(rows, columns, visited), Error,
        says(Fault::internal, "embed: the model returned " + given +
                                  " numbers for 6 texts, but dimension() is 257; fix the model's "
                                  "embed or dimension"));
  };
  refused(-1, 0, "5 vectors of 257");
  refused(1, 0, "7 vectors of 257");
  refused(0, -1, "6 vectors of 256");
  refused(0, 1, "6 vectors of 258");
  refused(-6, -257, "0 vectors of 0");
  BOOST_TEST(visited == 0U);
  embed(0, 0, visited);
  BOOST_TEST(visited == 6U);
}

BOOST_AUTO_TEST_CASE(text_frame_that_the_model_does_not_support_is_rejected) {
  test::PlainEmbedder model("");
  const TextBatches<test::PlainEmbedder> embedder(model);
  const std::vector<std::string> texts{"ab"};
  BOOST_CHECK_EXCEPTION((void)embedder.plan(texts, {true, TextFrame{{256}, {7}}}), Error,
                        test::says(Fault::user, "puts 2 tokens around a text"));
  BOOST_CHECK_NO_THROW((void)embedder.plan(texts, {true, TextFrame{{256}, {}}}));
}

BOOST_AUTO_TEST_SUITE_END()
