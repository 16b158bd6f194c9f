// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is kept of the examples that prompts show?
//
// The lists that a run of many prompts draws from; generation_shots.hpp writes and reads them.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// An example as a prompt shows it: the subject's label under a template, and the first object's.
struct RecordedShot {
  std::string relation;
  std::string subject_id;
  std::string subject;
  std::string object;
  /// None where it may be shown under any.
  std::optional<std::size_t> template_index{};

  friend bool operator==(const RecordedShot&, const RecordedShot&) = default;
};

struct RecordedShotList {
  std::string setting;
  /// Empty where the list holds for all of them.
  std::string relation;
  /// The asked template, where each has a list of its own.
  std::optional<std::size_t> template_index{};
  std::vector<RecordedShot> shots;

  friend bool operator==(const RecordedShotList&, const RecordedShotList&) = default;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
