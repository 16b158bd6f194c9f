// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each name of an object behind a prompt, and each label behind one that asks nothing?
//
//   log P(" NAME" | prompt) = Σ log P(token | prompt, tokens before it), in nats
// for the names of a fact's objects behind each of its prompts, where the fact has an alias at all
// (Table 10: does an alias outrank its label?), and for all object labels of a relation behind
// prompts whose subject is "N/A", nothing or "?" (bias level). Source: "What Matters in Learning
// Facts in Language Models?", section 5.4 and appendix C.1; there names are one token of a masked
// model. Blocks of prompts with the same shots are scored as one and stand in the journal.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/core/over.hpp"
#include "plumb/measure/bias_level.hpp"
#include "plumb/run/part_work.hpp"
#include "plumb/run/prompt_texts.hpp"
#include "plumb/run/run_folder.hpp"
#include "plumb/score/causal_scorer.hpp"
#include "plumb/score/recorded_answers.hpp"

namespace plumb {

/// The distinct labels of a relation's objects, in order of appearance: the candidates of its bias
/// level.
[[nodiscard]] inline std::vector<std::string> object_labels(const MultiPromptRelation& relation) {
  std::vector<std::string> labels;
  std::map<std::string, bool> seen;
  for (const ManyNamedFact& fact : relation.facts) {
    for (const NamedEntity& object : fact.objects) {
      if (seen.emplace(object.names.front(), true).second) labels.push_back(object.names.front());
    }
  }
  return labels;
}

/// Whether subject or objects have more than one name, so that names can be compared.
[[nodiscard]] inline bool has_alias(const ManyNamedFact& fact) {
  return fact.subject.names.size() > 1 || over::any_of(fact.objects, [](const NamedEntity& object) {
           return object.names.size() > 1;
         });
}

/// One process, one thread. All that it is given must outlive it.
template <CausalLm Model>
class NameLikelihoodRun {
 public:
  NameLikelihoodRun(Model& model, bool with_bos, const AnswerOptions& options,
                    const MultiPromptDataset& dataset, const AskedFacts& asked,
                    const RunFolder& folder, PartWork& work)
      : scorer_(model, with_bos, Span::continuation),
        options_(options),
        dataset_(dataset),
        asked_(asked),
        folder_(folder),
        work_(work) {}

  /// Leaves SETTING_names.jsonl and SETTING_content_free.jsonl. Throws a user error for a name
  /// that the tokenizer does not spell.
  void score(const FewShotSetting& setting) {
    const FewShot few_shot(dataset_, setting, options_.shot_seed);
    PromptTexts texts(dataset_, asked_, few_shot);
    names(few_shot, texts);
    content_free(few_shot, texts);
  }

 private:
  /// A prompt and the names that are scored behind it.
  struct Question {
    std::string context;
    std::string text;
    std::vector<std::string> names;
    std::string relation;
  };

  void names(const FewShot& few_shot, PromptTexts& texts) {
    std::vector<PlannedPrompt> prompts;
    for (const PlannedPrompt& planned : answer_plan(dataset_, asked_, few_shot).prompts) {
      if (has_alias(texts.fact(planned))) prompts.push_back(planned);
    }
    FileInTheMaking rows(folder_.file(few_shot.name() + "_names.jsonl"));
    go_through(
        few_shot.name() + " names", prompts.size(),
        [&](std::size_t i) {
          Question made{texts.context(prompts[i]),
                        texts.text(prompts[i]),
                        {},
                        texts.relation(prompts[i]).code};
          for (const NamedEntity& object : texts.fact(prompts[i]).objects) {
            made.names.insert(made.names.end(), object.names.begin(), object.names.end());
          }
          return made;
        },
        [&](std::size_t i, const std::vector<TextLikelihood>& scores) {
          RecordedNames row{
              texts.relation(prompts[i]).code, prompts[i].prompt, texts.subject(prompts[i]), {}};
          auto next = scores.begin();
          for (const NamedEntity& object : texts.fact(prompts[i]).objects) {
            const auto end = next + static_cast<std::ptrdiff_t>(object.names.size());
            row.names.emplace_back(next, end);
            next = end;
          }
          rows << names_line(row);
        });
    rows.finish();
  }

  void content_free(const FewShot& few_shot, PromptTexts& texts) {
    struct Empty {
      std::size_t relation, template_index;
      std::string_view subject;
    };
    std::vector<Empty> prompts;
    std::vector<std::vector<std::string>> labels;
    for (std::size_t r = 0; r < asked_.relations.size(); ++r) {
      const std::size_t place = asked_.relations[r].relation;
      labels.push_back(object_labels(dataset_.relations[place]));
      for (const std::size_t t : few_shot.templates(place)) {
        for (const std::string_view subject : content_free_texts) {
          prompts.push_back({r, t, subject});
        }
      }
    }
    const auto code = [&](const Empty& one) {
      return dataset_.relations[asked_.relations[one.relation].relation].code;
    };
    FileInTheMaking rows(folder_.file(few_shot.name() + "_content_free.jsonl"));
    go_through(
        few_shot.name() + " content-free", prompts.size(),
        [&](std::size_t i) {
          const Empty& one = prompts[i];
          const std::string text =
              texts.content_free(one.relation, one.template_index, one.subject);
          return Question{text.substr(0, text.rfind("\nQ: ") + 1), text, labels[one.relation],
                          code(one)};
        },
        [&](std::size_t i, const std::vector<TextLikelihood>& scores) {
          rows << content_free_line({code(prompts[i]), prompts[i].template_index,
                                     std::string(prompts[i].subject), scores});
        });
    rows.finish();
  }

  /// Questions in blocks of one context and relation, in order; `take` gets each one's scores.
  template <class Ask, class Take>
  void go_through(const std::string& part, std::size_t count, Ask ask, Take take) {
    constexpr std::size_t most_statements = 2048;
    std::size_t fresh = 0;
    work_.advance(part, 0, 0, count);
    for (std::size_t first = 0, block = 0; first < count; ++block) {
      std::vector<Question> questions{ask(first)};
      std::size_t statements = questions.front().names.size();
      while (first + questions.size() < count && statements < most_statements) {
        Question next = ask(first + questions.size());
        const Question& begun = questions.front();
        if (next.context != begun.context || next.relation != begun.relation) break;
        statements += next.names.size();
        questions.push_back(std::move(next));
      }
      const std::vector<TextLikelihood> scores = scored(part, block, questions, fresh);
      auto next = scores.begin();
      for (std::size_t q = 0; q < questions.size(); ++q) {
        const auto end = next + static_cast<std::ptrdiff_t>(questions[q].names.size());
        take(first + q, {next, end});
        next = end;
      }
      first += questions.size();
      work_.advance(part, first, fresh, count);
    }
  }

  [[nodiscard]] std::vector<TextLikelihood> scored(const std::string& part, std::size_t index,
                                                   const std::vector<Question>& questions,
                                                   std::size_t& fresh) {
    typename CausalScorer<Model>::Block block;
    scorer_.share(block, Prompt{questions.front().context, {}, {}});
    for (const Question& question : questions) {
      Query query;
      for (const std::string& name : question.names) {
        const std::string text = question.text + " " + name;
        const std::size_t given = question.text.size();
        query.candidates.push_back({text, {{given + 1, text.size()}}, {}, given});
      }
      scorer_.add(block, query);
    }
    scorer_.plan(block);
    work_.summary.cost += block.cost();
    auto known = work_.journal.find(part, index);
    if (!known) {
      known = Json::array();
      std::vector<TextLikelihood> made(block.cost().statements);
      work_.time(part, [&] {
        for (std::size_t p = 0; p < block.packs(); ++p) {
          const std::vector<StatementScore> pack = scorer_.score(block, p);
          const auto statements = block.pack(p);
          for (std::size_t i = 0; i < pack.size(); ++i) {
            made[statements[i]] = {pack[i].continuation_log_likelihood,
                                   pack[i].continuation_tokens};
          }
        }
      });
      for (const TextLikelihood& one : made) {
        if (one.tokens == 0) {
          throw user_error({.field = questions.front().relation},
                           "this tokenizer does not spell a name of its objects",
                           "ask without --names");
        }
        known->push_back(detail::to_row(one));
      }
      work_.journal.append(part, index, *known);
      fresh += questions.size();
      work_.summary.fresh_statements += made.size();
    }
    std::vector<TextLikelihood> scores;
    for (const Json& row : *known) scores.push_back(detail::likelihood_of(row));
    if (scores.size() != block.cost().statements) {
      throw user_error({.file = folder_.file("journal.jsonl"), .line = 0, .field = part},
                       "the journal's block " + std::to_string(index) + " is not this job's",
                       "it was written by another build; start anew in another --out");
    }
    return scores;
  }

  CausalScorer<Model> scorer_;
  const AnswerOptions& options_;
  const MultiPromptDataset& dataset_;
  const AskedFacts& asked_;
  const RunFolder& folder_;
  PartWork& work_;
};

}  // namespace plumb
