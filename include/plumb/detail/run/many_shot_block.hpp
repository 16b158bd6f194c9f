// SPDX-License-Identifier: Apache-2.0
#pragma once

// What can a many-shot study ask, and what is a block of questions?

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

/// Shot counts in ascending order. The text form of an empty list is "-".
struct ShotNumbers {
  std::vector<std::size_t> numbers{};

  /// The setting's text form. many_shot_settings.hpp defines the member functions of this struct.
  [[nodiscard]] std::string word() const;
  [[nodiscard]] nlohmann::ordered_json json() const;
  void read(const std::string& word, const std::string& name);
};

/// The positions of EIC-LKE's questions in a sequence of training pairs. The first question comes
/// after `first` pairs, and each further question comes `step` pairs later. The paper uses a
/// hundred training pairs and asks a question after every five pairs, starting after the fiftieth
/// pair (Appendix C.2), so no question sees the last five pairs.
struct EicGeometry {
  std::size_t first = 50;
  std::size_t step = 5;
  std::size_t questions = 10;

  /// The number of training pairs before a question; questions are numbered from 0.
  [[nodiscard]] std::size_t before(std::size_t question) const { return first + step * question; }
  /// The number of training pairs before the last question, which is the number of pairs that a
  /// sequence needs.
  [[nodiscard]] std::size_t pairs() const { return before(questions - 1); }

  /// Throws a user error if there are no pairs before the first question, no questions, or no pairs
  /// between questions.
  void(check)() const {
    const auto refuse = [](std::size_t number, const char* name) {
      if (number > 0) return;
      throw user_error({.setting = name}, "0 is less than 1", "set it to 1 or more");
    };
    refuse(first, "eic-first");
    refuse(step, "eic-step");
    refuse(questions, "eic-questions");
  }
};

struct ManyShotOptions {
  /// If the list is empty, IC-LKE is skipped.
  ShotNumbers shots{{50}};
  /// The shots are drawn with seeds 0 … seeds − 1.
  std::size_t seeds = 5;
  /// The number of choices per fact, including the answer.
  std::size_t choices = 100;
  std::uint64_t choice_seed = 0;
  std::uint64_t split_seed = 0;
  /// Number of facts reserved for training.
  std::size_t training = 100;
  /// The number of test facts per relation, taken from the start of the file; 0 selects all.
  std::size_t limit = 0;
  /// Relations with fewer facts or options are skipped.
  std::size_t least_facts = 0;
  std::size_t least_objects = 0;
  /// How pairs are written. Each pair separator has its own IC-LKE settings, as does each separator
  /// specific to a single relation.
  std::vector<std::string> pair_separators{" "};
  std::map<std::string, std::vector<std::string>> relation_separators{};
  std::string item_separator = " ";
  bool eic_paper = false;
  bool eic_isolated = false;
  /// How EIC-LKE writes pairs.
  ManyShot eic_form{" ", ",", Join::ids};
  EicGeometry eic_geometry{};
  /// HGP and MMP templates, by relation code.
  std::map<std::string, BaselineTemplates> baselines{};
};

/// Questions that share their shots, ordered by setting, then fact.
struct ManyShotBlock {
  /// How pairs are written, and the shared pairs before the questions. Blocks for templates have no
  /// such pairs.
  ManyShot form{};
  std::vector<SubjectObject> shots{};
  std::vector<Setting> settings{};
  /// The range of the relation's test facts in this block, as an index and a count.
  std::size_t first_fact = 0;
  std::size_t facts = 0;
  /// The question about test fact f under setting s: one prompt per choice.
  std::function<Query(std::size_t s, std::size_t f)> query{};
  /// The text before the choices, which the model can continue. Empty if a continuation would make
  /// no sense.
  std::function<Prompt(std::size_t s, std::size_t f)> opening{};
  /// The texts before a question of EIC-LKE; empty for other methods.
  std::function<PrecedingTexts(std::size_t f)> before{};
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
