// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did a model answer, under every setting it was asked under?
//
// A study is a table of facts by settings for each relation. A setting is what the question was
// (a method and its number of shots, or a template) and the variant of it that a spread is taken
// over: the seed of the shots, or the index of the template. Measures of one model
// (measure/accuracy_spread.hpp) and of several (measure/subsumption.hpp and its neighbours) read
// it; scores become predictions in measure/prediction.hpp.

#include <cstddef>
#include <string>
#include <vector>

#include "plumb/measure/prediction.hpp"
#include "plumb/prompt/setting.hpp"

namespace plumb {

struct StudiedFact {
  /// Place in the relation's file.
  std::size_t instance = 0;
  std::string subject;
  /// Label of the right answer.
  std::string answer;
};

struct SettingAnswers {
  Setting setting;
  /// Parallel to the relation's facts. Answers by generation have no confidence and no tie.
  std::vector<Prediction> answers;
};

/// Not every relation has every setting: one with too few facts lacks settings of many shots.
struct StudiedRelation {
  std::string code;
  std::vector<StudiedFact> facts;
  std::vector<SettingAnswers> settings;
};

struct StudiedModel {
  std::string name;
  std::vector<StudiedRelation> relations;
};

}  // namespace plumb
