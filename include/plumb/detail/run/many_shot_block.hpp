// SPDX-License-Identifier: Apache-2.0
#pragma once

// What can a many-shot study ask, and what is a block of it?

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/baseline_templates.hpp"
#include "plumb/detail/prompt/many_shot.hpp"
#include "plumb/detail/prompt/question_setting.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Numbers of shots in ascending order; "-" for none.
struct ShotNumbers {
  std::vector<std::size_t> numbers{};

  /// Its text form as a setting; many_shot_settings.hpp defines these functions.
  [[nodiscard]] std::string word() const;
  [[nodiscard]] nlohmann::ordered_json json() const;
  void read(const std::string& word, const std::string& name);
};

/// The positions of EIC-LKE's questions in a sequence of training pairs. The first question comes
/// after `first` pairs, each further question `step` pairs later. The paper has a hundred training
/// pairs and asks after every five from the fiftieth on (Appendix C.2), so no question sees the
/// last five.
struct EicGeometry {
  std::size_t first = 50;
  std::size_t step = 5;
  std::size_t questions = 10;

  /// Number of training pairs before a question; questions are counted from 0.
  [[nodiscard]] std::size_t before(std::size_t question) const { return first + step * question; }
  /// Number of training pairs before the last question; a sequence needs this many.
  [[nodiscard]] std::size_t pairs() const { return before(questions - 1); }

  /// Throws a user error for a sequence without pairs before its first question, without questions,
  /// or without a pair between questions.
  void(check)() const {
    const auto refuse = [](std::size_t number, const char* name) {
      if (number == 0) throw user_error({.setting = name}, "is less than 1");
    };
    refuse(first, "eic-first");
    refuse(step, "eic-step");
    refuse(questions, "eic-questions");
  }
};

struct ManyShotOptions {
  /// Without numbers, IC-LKE is skipped.
  ShotNumbers shots{{50}};
  /// Seeds 0 … seeds − 1 draw the shots.
  std::size_t seeds = 5;
  /// Choices per fact, including the answer.
  std::size_t choices = 100;
  std::uint64_t choice_seed = 0;
  std::uint64_t split_seed = 0;
  /// Number of facts reserved for training.
  std::size_t training = 100;
  /// Number of test facts of each relation, from the first in file order; 0 takes all.
  std::size_t limit = 0;
  /// Relations with fewer facts or options are skipped.
  std::size_t least_facts = 0;
  std::size_t least_objects = 0;
  /// How pairs are written. Each pair separator makes its own IC-LKE settings, and so does each
  /// separator of a single relation.
  std::vector<std::string> pair_separators{" "};
  std::map<std::string, std::vector<std::string>> relation_separators{};
  std::string item_separator = " ";
  bool eic_paper = false;
  bool eic_isolated = false;
  /// How EIC-LKE writes pairs.
  ManyShot eic_form{" ", ",", Join::ids};
  EicGeometry eic_geometry{};
  /// HGP and MMP templates by relation code.
  std::map<std::string, BaselineTemplates> baselines{};
};

/// Questions that share their shots, ordered by setting, then fact.
struct ManyShotBlock {
  /// How pairs are written, and the shared pairs before the questions; none for templates.
  ManyShot form{};
  std::vector<SubjectObject> shots{};
  std::vector<Setting> settings{};
  /// The range of the relation's test facts in this block, by place.
  std::size_t first_fact = 0;
  std::size_t facts = 0;
  /// The question about test fact f under setting s: one prompt per choice.
  std::function<Query(std::size_t s, std::size_t f)> query{};
  /// The text before the choices, for the model to continue. Empty where a continuation makes no
  /// sense.
  std::function<Prompt(std::size_t s, std::size_t f)> opening{};
  /// The texts before a question of EIC-LKE; empty for other methods.
  std::function<PrecedingTexts(std::size_t f)> before{};
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
