// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which of two query forms gets better answers, all else being equal?
//
// Two query forms are compared fact by fact. A fact counts only if it has prompts in both forms;
// its value in each form is the proportion of these prompts that are answered correctly. The
// difference is first minus second, with paired resamples. The two forms are cloze and question
// templates within one table, or two tables (mask prediction and question answering, two settings,
// two models), compared on the prompts that both tables contain. In a closed set, a tie for the
// best score is not right in either form, because "right" means that the fact is known. Source:
// "What Matters in Learning Facts in Language Models?", appendix D and Table 14.

#include <cstddef>
#include <vector>

#include "plumb/detail/aggregate/fact_means.hpp"
#include "plumb/detail/aggregate/prompt_outcomes.hpp"
#include "plumb/detail/aggregate/prompt_pairs.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct PairedAccuracy {
  /// Means over facts; contains no numbers if no fact is counted.
  Estimate one;
  Estimate other;
  /// In [−1, 1], bootstrapped over facts.
  Estimate difference;
};

struct StyleAccuracy {
  /// Cloze, then question.
  PairedAccuracy accuracy;
  /// The number of facts with prompts of only one style; these facts are omitted.
  std::size_t one_style = 0;
};

struct SharedAccuracy {
  PairedAccuracy accuracy;
  UnsharedPrompts unshared;
};

/// The facts' values under two query forms.
class PairedValues {
 public:
  void begin_relation() {
    one_.begin_relation();
    other_.begin_relation();
    difference_.begin_relation();
  }
  void add(double one, double other) {
    one_.add(one);
    other_.add(other);
    difference_.add(one - other);
  }
  [[nodiscard]] PairedAccuracy means(const Bootstrap& bootstrap) const {
    FactMeans mean(bootstrap, "paired accuracy");
    return {share_of(one_), share_of(other_), mean(difference_)};
  }

 private:
  FactValues one_, other_, difference_;
};

[[nodiscard]] inline StyleAccuracy compare_styles(const PromptOutcomes& table,
                                                  const Bootstrap& bootstrap) {
  detail::PairedValues values;
  StyleAccuracy made;
  for (const PromptRelation& relation : table.relations()) {
    values.begin_relation();
    for (std::size_t i = 0; i < relation.facts; ++i) {
      RightCount cloze, question;
      for (const PromptOutcome& prompt : table.prompts(relation.first_fact + i)) {
        const TemplateStyle style = relation.templates[prompt.template_index].style;
        RightCount& count = style == TemplateStyle::cloze ? cloze : question;
        count.right += prompt.right ? 1U : 0U;
        ++count.total;
      }
      if (cloze.total > 0 && question.total > 0) {
        values.add(cloze.share(), question.share());
      } else if (cloze.total + question.total > 0) {
        ++made.one_style;
      }
    }
  }
  made.accuracy = values.means(bootstrap);
  return made;
}

/// Compares two tables on their shared prompts only. Facts without shared prompts do not count.
[[nodiscard]] inline SharedAccuracy compare_shared(const PairedPrompts& paired,
                                                   const Bootstrap& bootstrap) {
  detail::PairedValues values;
  for (const PairedRelation& relation : paired.relations) {
    values.begin_relation();
    std::vector<RightCount> one(relation.facts), other(relation.facts);
    for (const PairedOutcome& prompt : relation.prompts) {
      ++one[prompt.fact].total;
      ++other[prompt.fact].total;
      one[prompt.fact].right += prompt.one_right ? 1U : 0U;
      other[prompt.fact].right += prompt.other_right ? 1U : 0U;
    }
    for (std::size_t fact = 0; fact < relation.facts; ++fact) {
      if (one[fact].total > 0) values.add(one[fact].share(), other[fact].share());
    }
  }
  return {values.means(bootstrap), paired.unshared};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
