// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which files does every many-prompt run write in addition to its rows?
//
// These files list the facts that were asked about and those that were left out, for both causal
// and masked models.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/multi_prompt_folder.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/run/run_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Pairs of a relation and a name, without duplicates.
using NamedInRelations = std::vector<std::pair<std::string, std::string>>;

/// Text of the form "2 nouns what: capital 'x', author 'y'.", where "nouns" is the plural of
/// `noun`. At most twelve names are listed.
[[nodiscard]] inline std::string listed_text(const std::string& noun, const std::string& what,
                                             const NamedInRelations& named) {
  const auto shown = std::span(named).first(std::min<std::size_t>(12, named.size()));
  const auto text = [](const auto& one) { return one.first + " '" + one.second + "'"; };
  return counted(named.size(), noun) + " " + what + ": " + text_list(shown, text) +
         (named.size() > 12 ? " …" : ".");
}

/// Writes asked/facts.jsonl and asked/templates.jsonl.
inline void write_asked(const RunFolder& folder, const MultiPromptDataset& asked) {
  make_folders(folder.file("asked"));
  write_atomically(folder.file("asked") / "facts.jsonl", facts_jsonl(asked));
  write_atomically(folder.file("asked") / "templates.jsonl", templates_jsonl(asked));
}

/// Writes left_out.csv with everything that was left out. Each list is paired with the kind of its
/// entries. Writes nothing if all lists are empty.
inline void write_left_out(
    const RunFolder& folder,
    const std::vector<std::pair<const char*, const NamedInRelations*>>& lists) {
  std::string text;
  for (const auto& [what, list] : lists) {
    for (const auto& [code, name] : *list) text += csv_line({code, what, name});
  }
  if (text.empty()) return;
  write_atomically(folder.file("left_out.csv"), csv_line({"relation", "what", "name"}) + text);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
