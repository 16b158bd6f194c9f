// SPDX-License-Identifier: Apache-2.0
#pragma once

// With which prompts were facts asked for before the many-shot probe?
//
// Human-generated prompts (HGP) are written by people, machine-mined prompts (MMP) are found in
// text; both are a few words with the subject in them, after which the object should follow.
// Sources: Jiang et al. 2020; latent knowledge in many shots, Table 5. Non-goals: sentences with a
// place for the object (template_file.hpp), how a file holds them (baseline_template_file.hpp).

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Where the subject stands in a baseline template.
inline constexpr std::string_view subject_slot = "{subject}";

/// The baseline templates of one relation, in file order, {subject} once in each.
struct BaselineTemplates {
  /// The relation in words, as the file has it.
  std::string relation;
  /// Human-generated; empty where the file names none.
  std::vector<std::string> hgp;
  /// Machine-mined; empty where the file names none.
  std::vector<std::string> mmp;
};

/// The template with the subject in its place; without a place it comes back unchanged.
[[nodiscard]] inline std::string with_subject(std::string text, std::string_view subject) {
  const std::size_t at = text.find(subject_slot);
  return at == std::string::npos ? text : text.replace(at, subject_slot.size(), subject);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
