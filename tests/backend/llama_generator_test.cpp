// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/backend/llama.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/tree_generator.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

BOOST_AUTO_TEST_SUITE(llama_generator_suite)

namespace {

using plumb::detail::test::TemporaryFolder;
using plumb::detail::test::TinyGguf;
using plumb::detail::test::TinyKind;

static_assert(plumb::detail::Generator<plumb::detail::TreeGenerator<plumb::detail::LlamaModel>>);

using Sequence = std::vector<plumb::detail::TokenId>;

Sequence random_sequence(plumb::detail::RandomStream& random, std::size_t length) {
  Sequence sequence(length);
  for (auto& token : sequence) token = static_cast<plumb::detail::TokenId>(random.below(256));
  return sequence;
}

/// The slow oracle: re-evaluates the whole sequence for every token.
plumb::detail::Continuation greedy(plumb::detail::LlamaModel& model, Sequence sequence,
                                   std::size_t tokens) {
  plumb::detail::Continuation result;
  while (result.tokens.size() < tokens) {
    plumb::detail::TokenId best = 0;
    double log_probability = 0;
    model.evaluate(sequence, [&](std::uint32_t, std::span<const float> row) {
      const auto top = std::ranges::max_element(row);
      best = static_cast<plumb::detail::TokenId>(top - row.begin());
      log_probability = static_cast<double>(*top) - plumb::detail::log_sum_exp(row);
    });
    sequence.push_back(best);
    result.tokens.push_back(best);
    result.log_probabilities.push_back(log_probability);
  }
  return result;
}

void check_equal(const plumb::detail::Continuation& found,
                 const plumb::detail::Continuation& expected) {
  BOOST_TEST(found.tokens == expected.tokens);
  BOOST_REQUIRE(found.log_probabilities.size() == expected.log_probabilities.size());
  for (std::size_t t = 0; t < found.log_probabilities.size(); ++t) {
    BOOST_TEST(std::abs(found.log_probabilities[t] - expected.log_probabilities[t]) < 1e-3);
  }
}

}  // namespace

// With a short context, the prompts form several groups. With a long one, they form one group, and
// the tree outgrows its first cache. A model that can hold only one branch processes each prompt
// separately.
BOOST_AUTO_TEST_CASE(batched_generation_equals_single_generation_for_every_model_kind) {
  constexpr std::size_t new_tokens = 12;
  for (const TinyKind kind :
       {TinyKind::transformer, TinyKind::sliding_window, TinyKind::recurrent, TinyKind::hybrid}) {
    for (const std::uint32_t context_length : {256U, 2048U}) {
      const TemporaryFolder folder;
      const auto file =
          TinyGguf({.kind = kind, .context = context_length}).write(folder / "tiny.gguf");
      plumb::detail::LlamaModel model({file, plumb::detail::Precision::exact, 1, 64});
      plumb::detail::TreeGenerator generator(model);
      plumb::detail::RandomStream random(11, "prompts");
      const Sequence context = random_sequence(random, 100);
      std::vector<Sequence> prompts{{}};
      for (std::size_t i = 0; i < 60; ++i) prompts.push_back(random_sequence(random, 1 + i % 5));
      prompts.push_back(prompts[12]);
      prompts.push_back(prompts[18]);
      prompts.back().push_back(65);
      for (Sequence& prompt : prompts)
        prompt.insert(prompt.begin(), context.begin(), context.end());
      const auto all = generator.generate(prompts, {.max_new_tokens = new_tokens, .stop = {}});
      BOOST_REQUIRE(all.size() == prompts.size());
      for (std::size_t i = 0; i < prompts.size(); i += i < 60 ? 6 : 1) {
        BOOST_REQUIRE(all[i].size() == 1U);
        check_equal(all[i][0], greedy(model, prompts[i], new_tokens));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(samples_of_one_prompt_are_the_same_together_and_in_parts) {
  for (const TinyKind kind : {TinyKind::transformer, TinyKind::recurrent}) {
    const TemporaryFolder folder;
    const auto file = TinyGguf({.kind = kind}).write(folder / "tiny.gguf");
    plumb::detail::LlamaModel model({file, plumb::detail::Precision::exact, 1});
    plumb::detail::TreeGenerator generator(model);
    const Sequence prompt{10, 20, 30, 40};
    plumb::detail::GenerationOptions options{
        .samples = 300, .max_new_tokens = 3, .stop = {}, .seed = 5};
    const auto all = generator.generate(prompt, options);
    options.samples = 7;
    const auto few = generator.generate(prompt, options);
    BOOST_REQUIRE(all.size() == 300U);
    BOOST_REQUIRE(few.size() == 7U);
    for (std::size_t i = 0; i < few.size(); ++i) check_equal(few[i], all[i]);
    if (kind == TinyKind::recurrent) continue;  // its weights make it repeat one token forever
    BOOST_TEST(std::ranges::any_of(all, [&](const plumb::detail::Continuation& sample) {
      return sample.tokens != all[0].tokens;
    }));
  }
}

BOOST_AUTO_TEST_SUITE_END()
