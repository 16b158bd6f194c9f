// SPDX-License-Identifier: Apache-2.0
#pragma once

// Under which setting was a question asked?
//
// A method with its number of shots and its separator, or a template, and the variant of it that a
// spread is taken over: the seed of the shots, or the index of the template.

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Settings that differ in nothing but the variant belong together.
struct Setting {
  /// "ic", "eic", "eic-isolated", "hgp", "mmp", or "template" for a closed-set probe.
  std::string method;
  /// Pairs before the question; 0 for templates.
  std::size_t shots = 0;
  /// Text between subject and object; empty for templates.
  std::string separator{};
  /// How an answer was found right: "choice" (likeliest of the choices), "generation" (the label
  /// stands in the greedy continuation) or "generation-aliases" (so does the label or an alias).
  std::string by = "choice";
  /// Seed of the shots, or index of the template.
  std::size_t variant = 0;

  /// Whether the variant is a template; otherwise it is a seed.
  [[nodiscard]] bool varies_by_template() const {
    return method == "hgp" || method == "mmp" || method == "template";
  }

  /// What settings that differ only in the variant share.
  [[nodiscard]] auto group() const { return std::tie(method, shots, separator, by); }

  friend bool operator==(const Setting&, const Setting&) = default;
};

/// What stands before a question of EIC-LKE.
struct PrecedingTexts {
  /// Training pairs, the first of the seed's order.
  std::size_t pairs = 0;
  /// Instances of the test facts asked before it in each of its sequences; none in isolation.
  std::vector<std::size_t> asked{};
  /// By sequence: the place of the choice that stands there; empty in isolation.
  std::vector<std::size_t> order{};

  friend bool operator==(const PrecedingTexts&, const PrecedingTexts&) = default;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
