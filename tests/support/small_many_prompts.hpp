// SPDX-License-Identifier: Apache-2.0
#pragma once

// Given answers to many prompts.
//
// There are two relations. P19 has four templates in two groups of two; the second group contains
// questions. It has three facts; the first fact has two names, and the last has no prompt for the
// last template. P<36> has two templates and two facts with one name each. Labels contain
// characters that are special in markup.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "support/small_prompts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

inline std::vector<PromptTemplate> small_templates(const std::string& relation) {
  if (relation != "P19") return {{"[Y] is the capital of [X]."}, {"The \"capital\" of [X]: [Y]."}};
  using enum TemplateOrigin;
  return {{"[X] was born in [Y].", "born", TemplateStyle::cloze, manual},
          {"[X], a <b>child</b> of [Y].", "born", TemplateStyle::cloze, generated},
          {"Where was [X] born? [Y].", "where", TemplateStyle::question, manual},
          {"Which town & land is [X] from? [Y].", "where", TemplateStyle::question, generated}};
}

/// A fact's answers, in the form that marks() reads.
using Marks = std::vector<std::string>;

/// Answers to the facts of P19 and of P<36>: 0 is "nowhere", 1 is "Paris". Every answer is one word
/// of (index of its template + 1) tokens, each token with probability one half.
inline ManyPromptStudy small_study(const std::string& name, const std::vector<Marks>& born,
                                   const std::vector<Marks>& capital) {
  ManyPromptStudy study;
  AnsweredSetting& answered = study.answered;
  answered.name = name;
  answered.answers = {NormalisedText("nowhere"), NormalisedText("Paris")};
  for (const auto& [code, facts] : {std::pair{"P19", &born}, std::pair{"P<36>", &capital}}) {
    answered.outcomes.add_relation(code, small_templates(code));
    answered.likelihoods.begin_relation();
    answered.one_word.begin_relation();
    for (std::size_t f = 0; f < facts->size(); ++f) {
      const auto prompts = marks((*facts)[f]);
      answered.outcomes.add_fact("Q" + std::to_string(f), prompts);
      answered.likelihoods.begin_fact();
      for (const PromptOutcome& prompt : prompts) {
        const auto tokens = prompt.template_index + 1U;
        answered.likelihoods.add({tokens, tokens * std::log(0.5), prompt.right});
      }
      if (!prompts.empty()) answered.one_word.add(1);
      answered.one_word_answers += prompts.size();
    }
  }
  return study;
}

/// By fact, 3 of 8, 2 of 4, 1 of 3, 2 of 2 and 0 of 2 prompts are answered correctly.
inline ManyPromptStudy small_zero_shot() {
  ManyPromptStudy study = small_study(
      "zero-shot", {{"10", "00", "11", "00"}, {"1", "0", "1", "0"}, {"0", "0", "1", "-"}},
      {{"1", "1"}, {"0", "0"}});
  study.answered.wordless = 1;
  study.answered.cut = 3;
  study.answered.of_several = {{"P19", "<Ann> & Bob", "\"Paris\", or <Lyon>", 2},
                               {"P19", "Ann", "Paris and Lyon, and Nice", 3}};
  // One prompt of each fact has twenty samples: the answer is confident and right, confident and
  // wrong, and unsure.
  study.samples = 20;
  study.confidences.begin_relation();
  for (const auto& [sure, right] :
       {std::pair{0.9, true}, std::pair{0.8, false}, std::pair{0.25, false}}) {
    study.confidences.begin_fact();
    study.confidences.add({sure, right});
  }
  // The first fact's label and alias are scored with an object's label and alias. With the
  // subject's alias, the object's label is e times as likely, and the object's alias is as likely
  // as before. The object's alias has two tokens and is more likely than the label only by its
  // mean, and only with the subject's label.
  study.names.begin_relation();
  study.names.add_fact(std::vector<NameLikelihood>{
      {-2.0, 1, 0, 0, 0, 0}, {-3.0, 2, 0, 0, 0, 1}, {-1.0, 1, 0, 1, 0, 0}, {-3.0, 2, 0, 1, 0, 1}});
  study.names.add_fact({});
  // There are two templates with three texts each. The first template favours the second candidate,
  // which has two tokens, by 3 to 1.
  const double quarter = std::log(0.25), half = std::log(0.5), most = std::log(0.75);
  study.content_free["P<36>"] = {2,
                                 3,
                                 2,
                                 {quarter, most, quarter, most, quarter, most,  //
                                  half, half, half, half, half, half},
                                 {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}};
  study.candidates["P<36>"] = {"Lyon", "<Paris>"};
  return study;
}

/// By fact, 7 of 8, 3 of 4, 2 of 3, 2 of 2 and 1 of 2 prompts are answered correctly.
inline ManyPromptStudy small_few_shot() {
  return small_study("4-template",
                     {{"11", "10", "11", "11"}, {"1", "1", "1", "0"}, {"1", "0", "1", "-"}},
                     {{"1", "1"}, {"1", "0"}});
}

/// Only P19's questions have prompts: 3 of 4, 2 of 2 and 0 of 1 are answered correctly.
inline ManyPromptStudy small_question() {
  return small_study("zero-shot-question",
                     {{"--", "--", "11", "01"}, {"-", "-", "1", "1"}, {"-", "-", "0", "-"}},
                     {{"-", "-"}, {"-", "-"}});
}

/// A closed set of P19 with two other templates: 2 of 2, 1 of 2 and 0 of 2 prompts are answered
/// correctly, and the confidences are probabilities.
inline ManyPromptStudy small_closed_set() {
  ManyPromptStudy study;
  study.answered.name = "model <m> & \"q\"";
  study.kind = AnswerKind::option;
  study.answered.outcomes.add_relation("P19", {{"[X] hails from [Y]."}, {"[X]'s home: [Y]."}});
  study.confidences.begin_relation();
  std::size_t fact = 0;
  for (const Marks& one : {Marks{"1", "1"}, Marks{"1", "0"}, Marks{"0", "0"}}) {
    study.answered.outcomes.add_fact("Q" + std::to_string(fact), marks(one));
    study.confidences.begin_fact();
    for (const PromptOutcome& prompt : marks(one)) {
      study.confidences.add({0.5 + 0.1 * static_cast<double>(fact), prompt.right});
    }
    ++fact;
  }
  return study;
}

inline ManyPromptOptions small_options() {
  return {.bootstrap = {.seed = 3, .resamples = 50}, .samplings = 400, .seed = 5};
}

inline ManyPromptResults small_many_prompts() {
  return many_prompt_results({small_zero_shot(), small_few_shot(), small_question()},
                             small_options());
}

/// One closed set: the smallest results that can be shown.
inline ManyPromptResults one_closed_set() {
  return many_prompt_results({small_closed_set()}, small_options());
}

/// A setting without prompts.
inline ManyPromptResults nothing_asked() {
  return many_prompt_results({small_study("nothing", {}, {})}, small_options());
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
