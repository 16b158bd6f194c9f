// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stored examples for use in prompts.
//
// The lists from which a many-prompt run draws; generation_shots.hpp writes and reads them.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// An example as shown in a prompt: the subject's label under a template, and the first object's
/// label.
struct RecordedShot {
  std::string relation;
  std::string subject_id;
  std::string subject;
  std::string object;
  /// nullopt if the example may be shown under any template.
  std::optional<std::size_t> template_index{};

  friend bool operator==(const RecordedShot&, const RecordedShot&) = default;
};

struct RecordedShotList {
  std::string setting;
  /// Empty if the list is for all relations.
  std::string relation;
  /// The template that the list is for, if each template has its own list.
  std::optional<std::size_t> template_index{};
  std::vector<RecordedShot> shots;

  friend bool operator==(const RecordedShotList&, const RecordedShotList&) = default;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
