// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does KAMEL ask for all the objects of a fact?
//
//   What are the twin municipalities of Kronberg im Taunus? Le Lavandou%
//   What are the twin municipalities of Acapulco? Manila; Cuernavaca%
//   What are the twin municipalities of Elek?
// Each line except the last is a training row of the relation (a shot) with its objects' main
// labels. The answer is what the model writes before the first "%". Shots are drawn for each fact;
// the draw depends on the seed, the relation and the subject. The subject of a shot never has the
// same label as the subject in question. If a relation has too few training rows, all of them are
// shown. Source: Kalo and Fichtel 2022 (KAMEL) and their predict.py. In that program, each line
// begins with the space that follows the comma in the list of questions; here it does not.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/kamel.hpp"
#include "plumb/detail/prompt/statement.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Writes the prompts of one relation, which must outlive this object and have a question. Any
/// number of threads may use the same object.
class KamelPrompt {
 public:
  KamelPrompt(const KamelRelation& relation, std::size_t shots, std::uint64_t seed)
      : relation_(relation), shots_(shots), seed_(seed) {}

  /// The shots before a question about the subject, in order, as indices into the training rows.
  [[nodiscard]] std::vector<std::uint32_t> shots(const std::string& subject) const {
    if (shots_ == 0) return {};
    std::vector<std::uint32_t> drawn;
    const auto& training = relation_.training.facts;
    for (std::size_t i = 0; i < training.size(); ++i) {
      if (training[i].subject.names.front() != subject) {
        drawn.push_back(static_cast<std::uint32_t>(i));
      }
    }
    const std::size_t count = (std::min)(shots_, drawn.size());
    RandomStream random(seed_, "kamel/" + relation_.asked.code + "/" + subject);
    random.shuffle(drawn, count);
    drawn.resize(count);
    return drawn;
  }

  /// The whole text before the answer; the answer begins after its last byte.
  [[nodiscard]] std::string text(const std::string& subject) const {
    std::string made;
    for (const std::uint32_t place : shots(subject)) {
      const ManyNamedFact& shot = relation_.training.facts[place];
      made += question(shot.subject.names.front()) + " " + listed_objects(shot) + "%\n";
    }
    return made + question(subject);
  }

  /// "Manila; Cuernavaca": the main labels of a fact's objects.
  [[nodiscard]] static std::string listed_objects(const ManyNamedFact& fact) {
    return text_list(
        fact.objects, [](const NamedEntity& object) { return object.names.front(); }, "; ");
  }

 private:
  [[nodiscard]] std::string question(std::string_view subject) const {
    return fill_question(relation_.asked.templates.front().text, subject);
  }

  const KamelRelation& relation_;
  std::size_t shots_;
  std::uint64_t seed_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
