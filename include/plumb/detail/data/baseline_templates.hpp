// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which prompts from earlier work are many-shot probes compared with?
//
// Human-generated prompts (HGP) are written by people, and machine-mined prompts (MMP) are found in
// text; both are short phrases that contain the subject and precede the object. Sources: Jiang et
// al. 2020; "Towards Reliable Latent Knowledge Estimation in LLMs", Table 5. Non-goals: sentences
// with a placeholder for the object (template_file.hpp), the file format
// (baseline_template_file.hpp).

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The placeholder for the subject in a baseline template.
inline constexpr std::string_view subject_slot = "{subject}";

/// The baseline templates of one relation, in file order; each contains {subject} once.
struct BaselineTemplates {
  /// The relation's name, as written in the file.
  std::string relation;
  /// Human-generated; empty if the file has none.
  std::vector<std::string> hgp;
  /// Machine-mined; empty if the file has none.
  std::vector<std::string> mmp;
};

/// The template with the subject filled in; unchanged if it has no {subject}.
[[nodiscard]] inline std::string with_subject(std::string text, std::string_view subject) {
  const std::size_t at = text.find(subject_slot);
  return at == std::string::npos ? text : text.replace(at, subject_slot.size(), subject);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
