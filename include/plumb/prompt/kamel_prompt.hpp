// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does KAMEL ask for all objects of a fact?
//
//   What are the twin municipalities of Kronberg im Taunus? Le Lavandou%
//   What are the twin municipalities of Acapulco? Manila; Cuernavaca%
//   What are the twin municipalities of Elek?
// Each line but the last is a training fact of the relation (a shot) with its objects' main labels;
// the answer is what the model writes up to the first "%". Shots are drawn anew for each fact, from the
// seed, the relation and the subject; a shot never has the asked subject. A relation with fewer training
// facts shows all of them. Source: Kalo and Fichtel 2022 (KAMEL), its predict.py, whose lines begin with
// the space that follows the comma in the list of questions; here they do not.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plumb/core/over.hpp"
#include "plumb/core/random.hpp"
#include "plumb/data/dataset.hpp"
#include "plumb/prompt/statement.hpp"

namespace plumb {

/// A subject with all its objects in one part of a relation.
struct ListedFact {
  std::string subject;
  /// Indices of options, each once, in the order of the rows.
  std::vector<std::size_t> objects;
  /// Of its first row.
  std::size_t instance = 0;
};

/// Writes the prompts of one relation. The relation must outlive it, have a template that ends in
/// "[Y]", and facts in both parts. Any number of threads may ask it.
class KamelPrompt {
 public:
  KamelPrompt(const Relation& relation, std::size_t shots, std::uint64_t seed)
      : relation_(relation),
        shots_(shots),
        seed_(seed),
        training_(listed(FactPart::training)),
        asked_(listed(FactPart::test)) {}

  /// The facts that are asked, in file order: rows of one label are one fact.
  [[nodiscard]] const std::vector<ListedFact>& asked() const noexcept { return asked_; }
  [[nodiscard]] const std::vector<ListedFact>& training() const noexcept { return training_; }

  /// Places among `training` of the shots that a question about the subject shows, in order.
  [[nodiscard]] std::vector<std::size_t> shots(const std::string& subject) const {
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < training_.size(); ++i) {
      if (training_[i].subject != subject) drawn.push_back(i);
    }
    const std::size_t count = std::min(shots_, drawn.size());
    RandomStream random(seed_, "kamel/" + relation_.code + "/" + subject);
    random.shuffle(drawn, count);
    drawn.resize(count);
    return drawn;
  }

  /// All that stands before the answer; the answer begins behind its last byte.
  [[nodiscard]] std::string text(const ListedFact& fact) const {
    std::string made;
    for (const std::size_t place : shots(fact.subject)) {
      const ListedFact& shot = training_[place];
      made += question(shot.subject);
      for (std::size_t i = 0; i < shot.objects.size(); ++i) {
        made += (i == 0 ? " " : "; ") + relation_.options[shot.objects[i]];
      }
      made += "%\n";
    }
    return made + question(fact.subject);
  }

 private:
  /// The template's text before [Y], filled.
  [[nodiscard]] std::string question(std::string_view subject) const {
    const std::string& pattern = relation_.templates.front();
    std::string asked =
        fill_template(pattern.substr(0, pattern.rfind("[Y]")), subject, "", true).text;
    asked.erase(asked.find_last_not_of(' ') + 1);
    return asked;
  }

  [[nodiscard]] std::vector<ListedFact> listed(FactPart part) const {
    std::vector<ListedFact> made;
    std::unordered_map<std::string, std::size_t> places;  // by label
    for (const Fact& fact : relation_.facts) {
      if (fact.part != part) continue;
      const auto [place, is_new] = places.try_emplace(fact.subject, made.size());
      if (is_new) made.push_back({fact.subject, {}, fact.instance});
      std::vector<std::size_t>& objects = made[place->second].objects;
      if (over::find(objects, fact.answer) == objects.end()) objects.push_back(fact.answer);
    }
    return made;
  }

  const Relation& relation_;
  std::size_t shots_;
  std::uint64_t seed_;
  std::vector<ListedFact> training_, asked_;
};

}  // namespace plumb
