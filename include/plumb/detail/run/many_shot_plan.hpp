// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a many-shot study ask, and in what order?
//
// The questions about each relation are divided into blocks that share their shots. IC-LKE has one
// block for each separator and seed. The block covers all shot counts, because each shorter
// sequence of shots is a prefix of the longest one. EIC-LKE asks about ten facts within a sequence
// of training pairs, after pairs 50, 55, …, 95 or at the positions specified by its geometry. As in
// the paper, a sequence contains one choice for each of these facts, and later questions see the
// earlier choices: sequence j contains the j-th of each fact's shuffled choices. "Isolated" is
// plumb's own variant: the sequence contains only training pairs, and every question branches off
// from it, so that later questions do not see earlier ones. Prompts without shots (HGP, MMP) form
// one block. Source: "Towards Reliable Latent Knowledge Estimation in LLMs", sections 2 and 4,
// Appendices C, F.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/choices.hpp"
#include "plumb/detail/data/fact_split.hpp"
#include "plumb/detail/measure/relation_remark.hpp"
#include "plumb/detail/run/many_shot_block.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One relation of a study. Any number of threads may read the same object.
class ManyShotRelation {
 public:
  /// `relation`, including all its facts, and `options` must outlive this object. Throws a user
  /// error if the split or the geometry of EIC-LKE is invalid.
  ManyShotRelation(const Relation& relation, const ObjectAliases& aliases,
                   const ManyShotOptions& options)
      : relation_(relation), options_(options) {
    if (wants_eic()) (eic().check)();
    const auto count = [](std::size_t n) { return std::to_string(n); };
    const auto fewer = [&](std::size_t there, std::size_t least, const std::string& things,
                           const char* remedy) {
      if (there < least && !skipped_) {
        skipped_ = {"skipped for having fewer than " + count(least) + " " + things, count(there)};
        remedy_ = remedy;
      }
    };
    fewer(relation.facts.size(), options.least_facts, "facts", "lower `min-facts`");
    fewer(relation.options.size(), options.least_objects, "objects", "lower `min-objects`");
    if (skipped_) return;
    split_ = train_test_split(relation, options.training, options.split_seed);
    fewer(split_.training.size(), options.shots.numbers.empty() ? 0 : options.shots.numbers.back(),
          "training facts for the shots", "lower `shots`");
    fewer(split_.test.size(), 1, "test facts", "lower `train`");
    if (skipped_) return;
    if (options.limit > 0 && split_.test.size() > options.limit) split_.test.resize(options.limit);
    const ChoiceSampler sampler(relation, aliases, options.choices, options.choice_seed);
    std::size_t fewest = relation.options.size();
    for (const std::size_t f : split_.test) {
      choices_.push_back(sampler.draw(relation.facts[f]));
      fewest = (std::min)(fewest, choices_.back().options.size());
      if (choices_.back().options.size() < 2) {
        throw user_error({relation.file, relation.facts[f].line, relation.code},
                         "'" + relation.facts[f].subject + "' has no wrong choice",
                         "remove the fact or add objects");
      }
    }
    if (fewest < options.choices && relation.facts[split_.test.front()].offered.empty()) {
      notes_.push_back({"fewer than " + count(options.choices) +
                            " choices per fact, because there are no more objects",
                        count(fewest)});
    }
    if (!options.baselines.empty() && !options.baselines.contains(relation.code)) {
      notes_.push_back({"no HGP or MMP, because the file has no templates for it"});
    }
    if (!options.relation_separators.empty() &&
        !options.relation_separators.contains(relation.code)) {
      notes_.push_back({"no separators of its own, because the file has no templates for it"});
    }
    if (wants_eic() && !has_eic()) {
      notes_.push_back({"no EIC-LKE, which needs " + count(eic().pairs()) + " training facts",
                        count(split_.training.size())});
    }
  }

  [[nodiscard]] const Relation& relation() const noexcept { return relation_; }
  [[nodiscard]] const FactSplit& split() const noexcept { return split_; }
  /// The choices, in the order of the test facts.
  [[nodiscard]] const std::vector<Choices>& choices() const noexcept { return choices_; }
  [[nodiscard]] const Fact& test_fact(std::size_t f) const {
    return relation_.facts[split_.test[f]];
  }
  /// The instance numbers of the first `count` training facts (by default all), in the order in
  /// which they become shots for a seed.
  [[nodiscard]] std::vector<std::size_t> shot_instances(
      std::size_t seed, std::size_t count = static_cast<std::size_t>(-1)) const {
    std::vector<std::size_t> instances;
    for (const std::size_t f : shot_order(relation_, split_, seed)) {
      if (instances.size() == count) break;
      instances.push_back(relation_.facts[f].instance);
    }
    return instances;
  }
  /// Why the relation is skipped; no value if it is not.
  [[nodiscard]] const std::optional<RelationRemark>& skipped() const noexcept { return skipped_; }
  /// What to change so that the relation is no longer skipped; empty if it is not skipped.
  [[nodiscard]] const std::string& remedy() const noexcept { return remedy_; }
  [[nodiscard]] const std::vector<RelationRemark>& notes() const noexcept { return notes_; }
  /// The positions of EIC-LKE's questions, and whether the relation has enough training facts for
  /// them.
  [[nodiscard]] const EicGeometry& eic() const noexcept { return options_.eic_geometry; }
  [[nodiscard]] bool has_eic() const {
    return wants_eic() && !skipped_ && split_.training.size() >= eic().pairs();
  }

  /// Calls `visit(ManyShotBlock)` for each block. A skipped relation has no blocks.
  template <class Visit>
  void for_each_block(Visit visit) const {
    if (skipped_) return;
    for (const std::string& separator : separators()) {
      for (std::size_t seed = 0; seed < options_.seeds && !options_.shots.numbers.empty(); ++seed) {
        visit(in_context(separator, seed));
      }
    }
    for (std::size_t seed = 0; seed < options_.seeds && has_eic(); ++seed) {
      if (options_.eic_isolated) visit(isolated(seed));
      if (!options_.eic_paper) continue;
      for (std::size_t first = 0; first < split_.test.size(); first += eic().questions) {
        visit(interspersed(seed, first));
      }
    }
    if (const auto found = options_.baselines.find(relation_.code);
        found != options_.baselines.end()) {
      visit(baselines(found->second));
    }
  }

  /// The number of statements in all blocks.
  [[nodiscard]] std::size_t statements() const {
    std::size_t a_setting = 0;
    for (const Choices& choices : choices_) a_setting += choices.options.size();
    std::size_t settings = 0;
    if (!skipped_) {
      settings += separators().size() * options_.seeds * options_.shots.numbers.size();
      if (has_eic()) {
        settings += options_.seeds * (std::size_t{options_.eic_paper} + options_.eic_isolated);
      }
      if (const auto found = options_.baselines.find(relation_.code);
          found != options_.baselines.end()) {
        settings += found->second.hgp.size() + found->second.mmp.size();
      }
    }
    return settings * a_setting;
  }

 private:
  [[nodiscard]] std::vector<std::string> separators() const {
    std::vector<std::string> all = options_.pair_separators;
    if (const auto own = options_.relation_separators.find(relation_.code);
        own != options_.relation_separators.end()) {
      for (const std::string& text : own->second) {
        if (ranges::find(all, text) == all.end()) all.push_back(text);
      }
    }
    return all;
  }

  [[nodiscard]] bool wants_eic() const { return options_.eic_paper || options_.eic_isolated; }

  /// The first `count` training pairs for a seed.
  [[nodiscard]] std::vector<SubjectObject> shots(std::size_t seed, std::size_t count) const {
    std::vector<SubjectObject> pairs;
    for (const std::size_t f : shot_order(relation_, split_, seed)) {
      if (pairs.size() == count) break;
      const Fact& fact = relation_.facts[f];
      pairs.push_back({fact.subject, relation_.options[fact.answer]});
    }
    return pairs;
  }

  [[nodiscard]] const std::string& choice(std::size_t fact, std::size_t place) const {
    return relation_.options[choices_[fact].options[place]];
  }

  /// A query with one prompt for each choice of a fact, each following `sequence`.
  [[nodiscard]] Query query_after(const ManyShot& form, const Prompt& sequence,
                                  std::size_t fact) const {
    Query query;
    for (std::size_t c = 0; c < choices_[fact].options.size(); ++c) {
      query.candidates.push_back(form.question(sequence, test_fact(fact).subject, choice(fact, c)));
    }
    return query;
  }

  [[nodiscard]] ManyShotBlock block_of(const ManyShot& form,
                                       std::vector<SubjectObject> pairs) const {
    ManyShotBlock block;
    block.form = form;
    block.shots = std::move(pairs);
    block.facts = split_.test.size();
    return block;
  }

  [[nodiscard]] ManyShotBlock in_context(const std::string& separator, std::size_t seed) const {
    const ManyShot form{separator, options_.item_separator, Join::text};
    const std::vector<SubjectObject> pairs = shots(seed, options_.shots.numbers.back());
    ManyShotBlock block = block_of(form, pairs);
    std::vector<Prompt> sequences;
    for (const std::size_t n : options_.shots.numbers) {
      block.settings.push_back({"ic", n, separator, "choice", seed});
      sequences.push_back(form.sequence(std::span(pairs).first(n)));
    }
    block.query = [this, form, sequences](std::size_t s, std::size_t f) {
      return query_after(form, sequences[s], f);
    };
    block.opening = [this, form, pairs](std::size_t s, std::size_t f) {
      return form.opening(std::span(pairs).first(options_.shots.numbers[s]), test_fact(f).subject);
    };
    return block;
  }

  [[nodiscard]] ManyShotBlock isolated(std::size_t seed) const {
    const ManyShot& form = options_.eic_form;
    const std::vector<SubjectObject> pairs = shots(seed, eic().pairs());
    ManyShotBlock block = block_of(form, pairs);
    block.settings = {{"eic-isolated", eic().first, form.pair_separator, "choice", seed}};
    std::vector<Prompt> sequences;
    for (std::size_t q = 0; q < eic().questions; ++q) {
      sequences.push_back(form.sequence(std::span(pairs).first(eic().before(q))));
    }
    block.query = [this, form, sequences](std::size_t, std::size_t f) {
      return query_after(form, sequences[f % sequences.size()], f);
    };
    block.before = [this](std::size_t f) {
      return PrecedingTexts{eic().before(f % eic().questions)};
    };
    return block;
  }

  /// The test facts of one sequence, starting with `first`; the last sequence may have fewer facts.
  [[nodiscard]] ManyShotBlock interspersed(std::size_t seed, std::size_t first) const {
    const ManyShot& form = options_.eic_form;
    const std::vector<SubjectObject> pairs = shots(seed, eic().pairs());
    const std::span beginning = std::span(pairs).first(eic().first);
    ManyShotBlock block = block_of(form, {beginning.begin(), beginning.end()});
    block.settings = {{"eic", eic().first, form.pair_separator, "choice", seed}};
    block.first_fact = first;
    block.facts = (std::min)(eic().questions, split_.test.size() - first);
    // For each fact, the index of its choice in sequence j. If a fact has fewer choices than there
    // are sequences, the choices repeat.
    std::vector<std::vector<std::size_t>> orders;
    std::size_t sequences = 0;
    for (std::size_t f = first; f < first + block.facts; ++f) {
      std::vector<std::size_t>& order = orders.emplace_back(choices_[f].options.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      RandomStream random(seed, "eic/" + relation_.code + "/" + subject_key(test_fact(f)));
      random.shuffle(order);
      sequences = (std::max)(sequences, order.size());
    }
    // The sequences are built when the first question is requested.
    block.query = [this, pairs, orders, sequences, first, queries = std::vector<Query>()](
                      std::size_t, std::size_t f) mutable {
      if (queries.empty()) queries = interspersed_queries(pairs, orders, sequences, first);
      return queries[f - first];
    };
    block.before = [this, orders = std::move(orders), first](std::size_t f) {
      PrecedingTexts before{eic().before(f - first), {}, orders[f - first]};
      for (std::size_t q = first; q < f; ++q) before.asked.push_back(test_fact(q).instance);
      return before;
    };
    return block;
  }

  /// For each question, one prompt per choice. Each prompt is the sequence up to and including the
  /// choice.
  [[nodiscard]] std::vector<Query> interspersed_queries(
      const std::vector<SubjectObject>& pairs, const std::vector<std::vector<std::size_t>>& orders,
      std::size_t sequences, std::size_t first) const {
    const ManyShot& form = options_.eic_form;
    std::vector<Query> queries(orders.size());
    for (std::size_t q = 0; q < orders.size(); ++q) queries[q].candidates.resize(orders[q].size());
    const Prompt beginning = form.sequence(std::span(pairs).first(eic().first));
    for (std::size_t j = 0; j < sequences; ++j) {
      Prompt sequence = beginning;
      for (std::size_t q = 0; q < orders.size(); ++q) {
        if (q > 0) {
          for (std::size_t p = eic().before(q - 1); p < eic().before(q); ++p) {
            sequence = form.question(std::move(sequence), pairs[p].subject, pairs[p].object);
          }
        }
        const std::size_t place = orders[q][j % orders[q].size()];
        sequence = form.question(std::move(sequence), test_fact(first + q).subject,
                                 choice(first + q, place));
        if (j < orders[q].size()) queries[q].candidates[place] = sequence;
      }
    }
    return queries;
  }

  [[nodiscard]] ManyShotBlock baselines(const BaselineTemplates& templates) const {
    ManyShotBlock block = block_of({}, {});
    std::vector<std::string> texts;
    const auto add = [&](const char* method, const std::vector<std::string>& list) {
      for (std::size_t t = 0; t < list.size(); ++t) {
        block.settings.push_back({method, 0, "", "choice", t});
        texts.push_back(list[t]);
      }
    };
    add("hgp", templates.hgp);
    add("mmp", templates.mmp);
    const auto opening = [this, texts](std::size_t s, std::size_t f) {
      std::string text = with_subject(texts[s], test_fact(f).subject);
      const std::size_t given = text.find_last_not_of(' ') + 1;
      return Prompt{std::move(text), {}, {}, given};
    };
    block.opening = opening;
    block.query = [this, opening](std::size_t s, std::size_t f) {
      Query query;
      const Prompt given = opening(s, f);
      const std::string before = given.text + " ";
      for (std::size_t c = 0; c < choices_[f].options.size(); ++c) {
        const std::string& text = choice(f, c);
        query.candidates.push_back(
            {before + text, {{before.size(), before.size() + text.size()}}, {}, given.given});
      }
      return query;
    };
    return block;
  }

  const Relation& relation_;
  const ManyShotOptions& options_;
  FactSplit split_;
  std::vector<Choices> choices_;
  std::optional<RelationRemark> skipped_;
  std::string remedy_;
  std::vector<RelationRemark> notes_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
