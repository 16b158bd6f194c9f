// SPDX-License-Identifier: Apache-2.0
#pragma once

// Under which setting was the model asked a question?
//
// A setting is either a method with its number of shots and its separator, or a template. The
// variants of a setting, over which a spread is computed, are the seeds of the shots or the indices
// of the templates.

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Settings that differ only in the variant belong to the same group.
struct Setting {
  /// "ic", "eic", "eic-isolated", "hgp", "mmp", or "template" for a closed-set probe.
  std::string method;
  /// The number of pairs before the question; 0 for templates.
  std::size_t shots = 0;
  /// The text between subject and object; empty for templates.
  std::string separator{};
  /// How an answer is judged to be correct: "choice" (it is the most likely choice), "generation"
  /// (the greedy continuation contains the object's label) or "generation-aliases" (it contains the
  /// label or an alias).
  std::string by = "choice";
  /// The seed of the shots, or the index of the template.
  std::size_t variant = 0;

  /// Whether the variant is a template; if false, it is a seed.
  [[nodiscard]] bool varies_by_template() const {
    return method == "hgp" || method == "mmp" || method == "template";
  }

  /// The fields shared by settings that differ only in the variant.
  [[nodiscard]] auto group() const { return std::tie(method, shots, separator, by); }

  friend bool operator==(const Setting&, const Setting&) = default;
};

/// The texts before a question in EIC-LKE.
struct PrecedingTexts {
  /// The number of training pairs, which are the first ones in the seed's order.
  std::size_t pairs = 0;
  /// Instances of the test facts before the question, the same in each of the question's sequences;
  /// empty if questions are isolated.
  std::vector<std::size_t> asked{};
  /// For each sequence, the index of the choice that it contains; empty if questions are isolated.
  std::vector<std::size_t> order{};

  friend bool operator==(const PrecedingTexts&, const PrecedingTexts&) = default;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
