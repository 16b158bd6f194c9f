// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/sampled_confidence.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/slow_matching.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::elements_many;
using test::GenerationFolder;
using test::PluralStems;
using test::says;

BOOST_AUTO_TEST_SUITE(sampled_confidence_suite)

namespace {

using Sizes = std::vector<std::size_t>;
using Texts = std::vector<std::pair<std::string, std::uint32_t>>;

const auto each = boost::test_tools::per_element();

/// A folder with the answers and samples of the setting "zero-shot".
struct Sampled : GenerationFolder {
  std::vector<RecordedAnswer> answers;
  std::vector<RecordedSamples> sampled;

  void prompt(std::size_t relation, const AskedPrompt& asked_prompt, const std::string& greedy,
              const Texts& texts) {
    answers.push_back(answer(relation, asked_prompt, greedy));
    sampled.push_back(samples(relation, asked_prompt, texts));
  }
  template <class Lemmas = SameWord>
  SampledConfidences read(const Lemmas& lemmas = {}) {
    setting("zero-shot", answers);
    write_samples("zero-shot", sampled);
    return read_sampled(path(), read_answered(path(), "zero-shot", asked(), lemmas), asked(),
                        lemmas);
  }
  void refused(const std::string& words) {
    BOOST_CHECK_EXCEPTION((void)read(), Error,
                          says(Fault::user, "zero-shot_samples.jsonl:" + words +
                                                "; the file was changed; run the job again"));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_confidence_is_the_share_of_samples_that_match_either_way_round, Sampled) {
  prompt(0, {0, 1, 0}, "H", {{"h.", 40}, {"the letter H", 25}, {"He", 20}, {"", 15}});
  prompt(2, {0, 0, 1}, "a noble gas", {{"gas", 3}, {"Noble gas!", 2}, {"noble metal", 5}});
  const SampledConfidences made = read();
  BOOST_TEST(made.samples == 100U);
  BOOST_REQUIRE(made.judgements.prompts.size() == 2U);
  BOOST_TEST(made.judgements.prompts[0].confidence == 0.65);
  BOOST_TEST(made.judgements.prompts[0].correct);
  BOOST_TEST(made.judgements.prompts[0].answered);
  BOOST_TEST(made.judgements.prompts[1].confidence == 0.5);
  BOOST_TEST(made.judgements.prompts[1].correct);
  BOOST_TEST(made.judgements.facts == (Sizes{1, 1}), each);
  BOOST_TEST(made.judgements.strata == (Sizes{1, 0, 1}), each);
}

BOOST_FIXTURE_TEST_CASE(an_answer_without_words_matches_such_samples_alone, Sampled) {
  prompt(0, {0, 0, 0}, "...", {{"", 5}, {" !", 2}, {"H", 3}});
  prompt(0, {1, 0, 0}, "Li", {{"Li", 1}, {"", 9}});
  const SampledConfidences made = read();
  BOOST_TEST(made.judgements.prompts[0].confidence == 0.7);
  BOOST_TEST(!made.judgements.prompts[0].correct);
  BOOST_TEST(made.judgements.prompts[1].confidence == 0.1);
  BOOST_TEST(!made.judgements.prompts[1].correct);
}

BOOST_FIXTURE_TEST_CASE(samples_are_compared_by_their_lemmas, Sampled) {
  prompt(2, {2, 0, 0}, "metals", {{"metal", 1}, {"Metals", 2}, {"mettle", 1}});
  BOOST_TEST(read().judgements.prompts[0].confidence == 0.5);
  const SampledConfidences stems = read(PluralStems{});
  BOOST_TEST(stems.judgements.prompts[0].confidence == 0.75);
  BOOST_TEST(stems.judgements.prompts[0].correct);
}

// The samples are compared with the answer to the same prompt, not with another answer to the same
// fact.
BOOST_FIXTURE_TEST_CASE(samples_are_compared_with_the_answer_to_their_own_prompt, Sampled) {
  answers = {answer(0, {5, 0, 0}, "one"), answer(0, {5, 0, 1}, "two"),
             answer(0, {5, 1, 0}, "three"), answer(0, {5, 1, 1}, "Fe")};
  sampled = {samples(0, {5, 1, 1}, {{"Fe", 3}, {"one", 1}})};
  BOOST_TEST(read().judgements.prompts[0].confidence == 0.75);
  sampled = {samples(0, {5, 0, 0}, {{"Fe", 3}, {"one", 1}})};
  const SampledConfidences made = read();
  BOOST_TEST(made.judgements.prompts[0].confidence == 0.25);
  BOOST_TEST(!made.judgements.prompts[0].correct);
}

BOOST_FIXTURE_TEST_CASE(a_prompt_without_samples_is_left_out_and_so_is_a_fact_without_a_prompt,
                        Sampled) {
  prompt(0, {0, 0, 0}, "H", {});
  prompt(0, {1, 0, 0}, "He", {{"He", 7}});
  answers.push_back(answer(0, {2, 0, 0}, "C"));
  const SampledConfidences made = read();
  BOOST_TEST(made.judgements.prompts.size() == 1U);
  BOOST_TEST(made.judgements.strata == (Sizes{1}), each);
  BOOST_TEST(made.samples == 7U);
}

BOOST_FIXTURE_TEST_CASE(nothing_sampled_is_nothing, Sampled) {
  prompt(0, {0, 0, 0}, "H", {});
  sampled.clear();
  const SampledConfidences made = read();
  BOOST_TEST(made.judgements.prompts.empty());
  BOOST_TEST(made.samples == 0U);
}

// The oracle recomputes each confidence sample by sample, using only the words of the texts.
BOOST_AUTO_TEST_CASE(confidences_are_those_of_a_slow_count) {
  const MultiPromptDataset dataset = elements_many();
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const bool stems = seed % 2 == 1;
    RandomStream random(seed, "sampled confidence test");
    Sampled folder;
    std::vector<Judgement> expected;
    Sizes strata;
    std::size_t most = 0;
    for (std::size_t r = 0; r < dataset.relations.size(); ++r) {
      const MultiPromptRelation& relation = dataset.relations[r];
      strata.push_back(0);
      for (std::size_t f = 0; f < relation.facts.size(); ++f) {
        const auto& names = relation.facts[f].subject.names;
        const std::size_t picked = random.below(relation.templates.size());
        const std::size_t expression = random.below(names.size());
        const bool asked_again = random.below(4) > 0;
        for (std::size_t t = 0; t < relation.templates.size(); ++t) {
          for (std::size_t e = 0; e < names.size(); ++e) {
            const AskedPrompt prompt{static_cast<std::uint32_t>(f), static_cast<std::uint16_t>(t),
                                     static_cast<std::uint16_t>(e)};
            const std::string greedy = test::random_answer(random);
            folder.answers.push_back(folder.answer(r, prompt, greedy));
            if (!asked_again || t != picked || e != expression) continue;
            std::map<std::string, std::uint32_t> texts;
            const auto words = test::slow_words(greedy, stems);
            double matching = 0;
            const std::size_t count = 1 + random.below(100);
            for (std::size_t i = 0; i < count; ++i) {
              const std::string text = test::random_answer(random);
              ++texts[text];
              matching += test::slow_match(words, test::slow_words(text, stems)) ? 1 : 0;
            }
            bool right = false;
            for (const NamedEntity& object : relation.facts[f].objects) {
              for (const std::string& name : object.names) {
                right = right || test::slow_holds(words, test::slow_words(name, stems));
              }
            }
            folder.sampled.push_back(folder.samples(r, prompt, {texts.begin(), texts.end()}));
            expected.push_back({matching / static_cast<double>(count), right});
            ++strata.back();
            most = std::max(most, count);
          }
        }
      }
    }
    const SampledConfidences made = stems ? folder.read(PluralStems{}) : folder.read();
    BOOST_REQUIRE(made.judgements.prompts.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      BOOST_TEST(made.judgements.prompts[i].confidence == expected[i].confidence);
      BOOST_TEST(made.judgements.prompts[i].correct == expected[i].correct);
    }
    BOOST_TEST(made.judgements.facts == Sizes(expected.size(), 1), each);
    while (!strata.empty() && strata.back() == 0) strata.pop_back();
    BOOST_TEST(made.judgements.strata == strata, each);
    BOOST_TEST(made.samples == most);
  }
}

BOOST_FIXTURE_TEST_CASE(inconsistent_row_is_rejected_with_file_and_line, Sampled) {
  prompt(1, {0, 0, 0}, "oxygen", {{"oxygen", 1}});
  prompt(1, {1, 0, 1}, "sodium", {{"sodium", 1}});
  const RecordedSamples sound = sampled[1];
  const auto with = [&](auto change) {
    sampled[1] = sound;
    change(sampled[1]);
  };
  with([](RecordedSamples& row) { row.prompt.fact = 9; });
  refused("2: contains: the row belongs to a prompt that was not used");
  // "salt" is another name for the same subject.
  with([](RecordedSamples& row) { row.subject = "salt"; });
  refused("2: contains: the row belongs to a prompt that was not used");
  with([](RecordedSamples& row) { row.relation = "symbol"; });
  refused(
      "2: symbol: is not one of the relations that were queried, or its rows are not contiguous");
  with([](RecordedSamples& row) { row.prompt.template_index = 2; });
  refused("2: contains: the sampled prompt has no greedy answer");
  sampled[1] = sampled[0];
  refused("2: contains: this prompt already has a row");
  answers.push_back(answer(1, {0, 1, 0}, "hydrogen"));
  with([&](RecordedSamples& row) { row = samples(1, {0, 1, 0}, {{"x", 1}}); });
  refused("2: contains: the fact already has a sampled prompt");
  sampled[1] = sound;
  BOOST_TEST(read().judgements.prompts.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(error_names_the_missing_or_malformed_file, Sampled) {
  prompt(0, {0, 0, 0}, "H", {{"H", 1}});
  (void)read();
  const AnsweredSetting setting_read = read_answered(path(), "zero-shot", asked(), SameWord{});
  files().write("zero-shot_samples.jsonl", "\n{\"relation\": \"symbol\"}\n");
  BOOST_CHECK_EXCEPTION((void)read_sampled(path(), setting_read, asked(), SameWord{}), Error,
                        says(Fault::user, "zero-shot_samples.jsonl:2: is not a row of answers"));
  std::filesystem::remove(path() / "zero-shot_samples.jsonl");
  BOOST_CHECK_EXCEPTION((void)read_sampled(path(), setting_read, asked(), SameWord{}), Error,
                        says(Fault::user, "zero-shot_samples.jsonl: cannot be read"));
}

BOOST_AUTO_TEST_SUITE_END()
