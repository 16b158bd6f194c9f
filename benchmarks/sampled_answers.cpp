// SPDX-License-Identifier: Apache-2.0

// How much faster is it to sample a prompt's answers in one tree than in successive generations?
//
//   sampled_answers MODEL.gguf DATA SHOTS PROMPTS SAMPLES ROUNDS
// Draws PROMPTS prompts of DATA with SHOTS examples and samples each SAMPLES times: once like
// `plumb generate` (packs of 16 prompts, all samples in one tree), and once by SAMPLES generations
// that each evaluate the prompt again and then continue token by token, for one prompt per round.
// Both methods draw the same random numbers, so their answers can be compared. Prints one JSON
// object: queries per second for each method, the number of tokens computed, and the number of
// answers that differ.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/backend/llama.hpp"
#include "plumb/detail/backend/tree_generator.hpp"
#include "plumb/detail/data/multi_prompt_folder.hpp"
#include "plumb/detail/run/prompt_texts.hpp"
#include "plumb/detail/score/tokenized_statements.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace plumb::detail;
  if (argc != 7) {
    std::cerr << "usage: sampled_answers MODEL.gguf DATA SHOTS PROMPTS SAMPLES ROUNDS\n";
    return 2;
  }
  LlamaModel model({.model = argv[1]});
  const MultiPromptDataset dataset = load_multi_prompt(argv[2]);
  const FewShotSetting setting{ShotSource::relation, std::stoul(argv[3]), PromptForm::mask};
  const std::size_t samples = std::stoul(argv[5]), rounds = std::stoul(argv[6]);
  AnswerOptions options;
  options.samples = samples;
  options.confidence_prompts = std::stoul(argv[4]);
  const AskedFacts asked = asked_facts(dataset, {}, 0);
  const FewShot few_shot(dataset, setting, 0);
  const AnswerPlan plan = sampled_plan(dataset, asked, few_shot, options);
  PromptTexts texts(dataset, asked, few_shot);
  std::vector<std::vector<TokenId>> prompts;
  std::vector<std::uint64_t> seeds;
  for (const PlannedPrompt& planned : plan.prompts) {
    prompts.push_back(prompt_ids(model, Prompt{texts.text(planned), {}, {}}, model.bos()));
    seeds.push_back(seeds.size());
  }
  const GenerationOptions generation{.samples = samples, .max_new_tokens = 16, .stop = {"\n"}};

  TreeGenerator generator(model);
  std::vector<std::vector<Continuation>> together(prompts.size());
  Json tree_rates = Json::array(), one_rates = Json::array();
  std::uint64_t one_fed = 0;
  std::size_t different = 0, compared = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    auto start = Clock::now();
    for (std::size_t first = 0; first < prompts.size(); first += 16) {
      const std::size_t count = std::min<std::size_t>(16, prompts.size() - first);
      auto made = generator.generate(std::span(prompts).subspan(first, count), generation,
                                     std::span(seeds).subspan(first, count));
      std::ranges::move(made, together.begin() + static_cast<std::ptrdiff_t>(first));
    }
    tree_rates.push_back(static_cast<double>(prompts.size()) / seconds_since(start));

    // One generation after another: each sample i has its own random stream, and its prompt is
    // evaluated again.
    const std::vector<TokenId>& prompt = prompts[round % prompts.size()];
    start = Clock::now();
    for (std::size_t i = 0; i < samples; ++i) {
      RandomStream random(seeds[round % prompts.size()], "sample " + std::to_string(i));
      TokenTree tree;
      NodeId node = tree.insert(prompt);
      Continuation made;
      model.reserve(prompt.size() + generation.max_new_tokens);
      while (made.tokens.size() < generation.max_new_tokens) {
        TokenId next = 0;
        model.evaluate(tree, {&node, 1}, [&](NodeId, std::span<const float> row) {
          const double normalizer = log_sum_exp(row);
          double place = random.uniform();
          std::vector<double> cumulative(row.size());
          double sum = 0;
          for (std::size_t t = 0; t < row.size(); ++t) {
            cumulative[t] = sum += std::exp(static_cast<double>(row[t]) - normalizer);
          }
          next = static_cast<TokenId>(
              std::ranges::upper_bound(cumulative, place * cumulative.back()) - cumulative.begin());
        });
        if (model.ends(next)) break;
        made.tokens.push_back(next);
        if (model.detokenize(made.tokens).find('\n') != std::string::npos) {
          made.tokens.pop_back();
          break;
        }
        node = tree.add(node, next);
      }
      one_fed += tree.size() - 1;
      model.release(tree, TokenTree::root);
      ++compared;
      different += made.tokens == together[round % prompts.size()][i].tokens ? 0U : 1U;
    }
    one_rates.push_back(1 / seconds_since(start));
    std::cerr << "round " << round + 1 << ": " << tree_rates.back() << " and " << one_rates.back()
              << " queries/s\n";
  }
  std::cout << Json{{"prompts", prompts.size()},
                    {"samples", samples},
                    {"prompt_tokens", prompts.front().size()},
                    {"tree_queries_per_second", tree_rates},
                    {"one_by_one_queries_per_second", one_rates},
                    {"tree_tokens_fed_per_query", static_cast<double>(generator.fed()) /
                                                      static_cast<double>(rounds * prompts.size())},
                    {"one_by_one_tokens_fed_per_query",
                     static_cast<double>(one_fed) / static_cast<double>(rounds)},
                    {"answers_compared", compared},
                    {"answers_different", different}}
                   .dump(1)
            << "\n";
  return 0;
}
