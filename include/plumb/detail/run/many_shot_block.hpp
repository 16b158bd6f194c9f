// SPDX-License-Identifier: Apache-2.0
#pragma once

// What can be asked of a many-shot study, and what is a part of it that is asked together?

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

/// Numbers of shots, ascending; "-" for none.
struct ShotNumbers {
  std::vector<std::size_t> numbers{};

  /// As a setting (many_shot_settings.hpp, which defines them).
  [[nodiscard]] std::string word() const;
  [[nodiscard]] nlohmann::ordered_json json() const;
  void read(const std::string& word, const std::string& name);
};

/// Where EIC-LKE's questions stand in a row of training pairs: the first behind so many, each further
/// one so many pairs later. The paper has a hundred training pairs and asks every five from the
/// fiftieth on (Appendix C.2); no question sees the last five.
struct EicGeometry {
  std::size_t first = 50;
  std::size_t step = 5;
  std::size_t questions = 10;

  /// Training pairs before a question, counted from 0.
  [[nodiscard]] std::size_t before(std::size_t question) const { return first + step * question; }
  /// Training pairs before the last one, as many as a row needs.
  [[nodiscard]] std::size_t pairs() const { return before(questions - 1); }

  /// Throws a user error for a row without pairs before its first question, one without questions,
  /// and questions with no pair between them.
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
  /// Without numbers IC-LKE is left out.
  ShotNumbers shots{{50}};
  /// Seeds 0 … seeds − 1 draw the shots.
  std::size_t seeds = 5;
  /// Choices a fact is asked with, the answer included.
  std::size_t choices = 100;
  std::uint64_t choice_seed = 0;
  std::uint64_t split_seed = 0;
  /// Facts kept for training.
  std::size_t training = 100;
  /// Test facts of each relation, the first in file order; 0 takes all.
  std::size_t limit = 0;
  /// Relations with fewer facts or options are skipped.
  std::size_t least_facts = 0;
  std::size_t least_objects = 0;
  /// How pairs are written; each pair separator makes IC-LKE settings of its own, and so do those
  /// of a relation alone.
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

/// Questions that share their shots. Settings and facts are asked in order, facts within settings.
struct ManyShotBlock {
  /// How pairs are written, and those that the questions begin with; none for templates.
  ManyShot form{};
  std::vector<SubjectObject> shots{};
  std::vector<Setting> settings{};
  /// Which of the relation's test facts are asked, by place.
  std::size_t first_fact = 0;
  std::size_t facts = 0;
  /// The question about test fact f under setting s, a prompt for each choice.
  std::function<Query(std::size_t s, std::size_t f)> query{};
  /// What stands before the choices, to be gone on with; empty where that makes no sense.
  std::function<Prompt(std::size_t s, std::size_t f)> opening{};
  /// What stands before a question of EIC-LKE; empty for others.
  std::function<PrecedingTexts(std::size_t f)> before{};
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
