// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are facts shown as plain pairs, without words for their relation?
//
//   σ = x1 y1 … xn yn x        followed by a choice y
// One string separates a subject from its object, and another separates pairs; both are a space by
// default. The text is tokenised as a whole, and y is located by its byte positions. The paper's
// efficient variant tokenises every subject, object and separator separately and concatenates their
// tokens (`Join::ids`). Source: "Towards Reliable Latent Knowledge Estimation in LLMs", equation 1
// and Appendix C. The given part ends with the question's subject, without trailing spaces. Such
// spaces may form one token with the separator before some choices but not before others, and would
// then be counted twice. A choice is scored over everything after the given part, including the
// separator (C.1). Under `Join::ids`, separators are separate tokens, and a choice is scored over
// its own tokens (C.2).

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/prompt/prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A pair as it appears in the text.
struct SubjectObject {
  std::string subject;
  std::string object;
};

/// text: the sequence is tokenised as a whole; ids: each part is tokenised separately.
enum class Join { text, ids };
[[nodiscard]] constexpr std::array<Join, 2> every(Join) noexcept {
  return {Join::ids, Join::text};
}
[[nodiscard]] constexpr std::string_view name_of(Join join) noexcept {
  return join == Join::ids ? "ids" : "text";
}

struct ManyShot {
  /// The text between a subject and its object.
  std::string pair_separator = " ";
  /// The text between one pair and the next.
  std::string item_separator = " ";
  Join join = Join::text;

  /// A sequence of the pairs alone; all their objects are answers.
  [[nodiscard]] Prompt sequence(std::span<const SubjectObject> pairs) const {
    Prompt prompt;
    for (const SubjectObject& pair : pairs) append(prompt, pair);
    return prompt;
  }

  /// The shots followed by the question with one of its choices as the answer.
  [[nodiscard]] Prompt question(std::span<const SubjectObject> shots, const std::string& subject,
                                const std::string& choice) const {
    return question(sequence(shots), subject, choice);
  }

  /// The same question, appended to an existing sequence.
  [[nodiscard]] Prompt question(Prompt sequence, const std::string& subject,
                                const std::string& choice) const {
    sequence.answer.clear();
    append(sequence, {subject, choice});
    return sequence;
  }

  /// For each pair, a prompt that consists of all earlier pairs and this pair, whose object is the
  /// answer.
  [[nodiscard]] std::vector<Prompt> grown(std::span<const SubjectObject> pairs) const {
    std::vector<Prompt> all;
    for (const SubjectObject& pair : pairs) {
      all.push_back(question(all.empty() ? Prompt{} : all.back(), pair.subject, pair.object));
    }
    return all;
  }

  /// The shots and the subject, for a model to continue.
  [[nodiscard]] Prompt opening(std::span<const SubjectObject> shots,
                               const std::string& subject) const {
    Prompt prompt = sequence(shots);
    prompt.answer.clear();
    if (!prompt.text.empty()) put(prompt, item_separator, true);
    put(prompt, subject);
    prompt.given = end_of_given(prompt);
    return prompt;
  }

 private:
  void append(Prompt& prompt, const SubjectObject& pair) const {
    if (!prompt.text.empty()) put(prompt, item_separator, true);
    put(prompt, pair.subject);
    prompt.given = end_of_given(prompt);
    put(prompt, pair_separator, true);
    if (join == Join::ids) prompt.given = prompt.text.size();
    prompt.answer.push_back({prompt.text.size(), prompt.text.size() + pair.object.size()});
    put(prompt, pair.object);
  }

  /// The position at which the text ends, not counting trailing spaces.
  static std::size_t end_of_given(const Prompt& prompt) {
    return prompt.text.find_last_not_of(' ') + 1;
  }

  void put(Prompt& prompt, std::string_view part, bool separator = false) const {
    const bool cut = join == Join::ids && !prompt.text.empty();
    if (cut) prompt.cuts.push_back({prompt.text.size(), separator});
    prompt.text += part;
  }
};

/// The index of the first token that covers bytes of both an object and a subject, across the
/// separator between them; -1 if there is none. `prompt` is a sequence built by `form`, with all
/// its answers.
[[nodiscard]] inline std::ptrdiff_t merged_token(const ManyShot& form, const Prompt& prompt,
                                                 const Tokenization& tokenization) {
  for (std::size_t t = 0; t < tokenization.tokens.size(); ++t) {
    const ByteSpan bytes = tokenization.tokens[t].bytes;
    for (const ByteSpan& object : prompt.answer) {
      if (!bytes.overlaps(object)) continue;
      const bool before = bytes.begin + form.pair_separator.size() < object.begin;
      const bool after = bytes.end > object.end + form.item_separator.size();
      if (before || after) return static_cast<std::ptrdiff_t>(t);
    }
  }
  return -1;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
