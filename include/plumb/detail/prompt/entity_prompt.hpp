// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a prompt make a model sum up an entity in one word?
//
//   NAME - DESC
//   This sentence: "{word}" means in one word: "{one word}"
//   This sentence: "NAME" means in one word: "
// The hidden vector after the last quote represents the entity (PromptEOL). Braces and quotes are
// part of the text. For an entity without a description, the prompt is only the last line. Source:
// "Cosine Similarity as Logits?", Figures 2 and 12–14, whose prompts A, B and C test how much the
// wording matters.

#include <array>
#include <string>
#include <string_view>

#include "plumb/detail/data/knowledge_graph.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class EntityPrompt { eol, a, b, c };

[[nodiscard]] inline std::string_view name_of(EntityPrompt prompt) {
  switch (prompt) {
    case EntityPrompt::a:
      return "a";
    case EntityPrompt::b:
      return "b";
    case EntityPrompt::c:
      return "c";
    case EntityPrompt::eol:
      break;
  }
  return "eol";
}

[[nodiscard]] constexpr std::array<EntityPrompt, 4> every(EntityPrompt) noexcept {
  return {EntityPrompt::eol, EntityPrompt::a, EntityPrompt::b, EntityPrompt::c};
}

/// If there is no description, prompts A, B and C still contain an empty one.
[[nodiscard]] inline std::string entity_text(EntityPrompt prompt, const Entity& entity) {
  const std::string& name = entity.name;
  const std::string& description = entity.description;
  switch (prompt) {
    case EntityPrompt::a:
      return "entity: \"" + name + "\", description: \"" + description +
             "\"\nSummarize the entity: \"" + name + "\" in one word: \"";
    case EntityPrompt::b:
      return "<\"" + name + "\": \"" + description + "\">\nIn one word, \"" + name + "\" means: \"";
    case EntityPrompt::c:
      return "[\"" + name + "\", \"" + description + "\"]\nSummarize the meaning of {" + name +
             "} in one word {";
    case EntityPrompt::eol:
      break;
  }
  const std::string last = "This sentence: \"" + name + "\" means in one word: \"";
  if (description.empty()) return last;
  return name + " - " + description +
         "\nThis sentence: \"{word}\" means in one word: \"{one word}\"\n" + last;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
