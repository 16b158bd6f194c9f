// SPDX-License-Identifier: Apache-2.0
#pragma once

// The exact prompts that the model received.
//
// A listed prompt is a JSON object on a line of its own. First come the fields that identify it:
// part (of the job, as in the names of its files), relation, sub_id, sub_label, template …, and
// shots, the facts that it shows. One of three forms follows:
//   prompt                          the model continues the text, or is read at its end
//   prompt, answer, given           one text; answer: [[begin, end], …], the bytes of the answer;
//                                   given: the number of bytes before the continuation, which is
//                                   scored if the job's span includes it (docs/scoring.md, Span)
//   prompt, candidates, candidate_count
//                                   one text for each candidate: `prompt` is the text that all of
//                                   them start with, at most the given part; a candidate has
//                                   `text`, the rest, and answer and given, in bytes of the whole
//                                   text
// "tokenized": "by parts" marks a text that is split before it is tokenised. If token identifiers
// are listed, a prompt has ids, including BOS. Each candidate then has the ids that follow the
// prompt's: all ids of its continuation, and those ids of the given part that the candidates do not
// share. example_prompts.jsonl in a run folder contains the first prompt of each kind, with at most
// five candidates.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ListedPrompt {
  /// The fields that identify the prompt, in the order in which they are written.
  Json about = Json::object();
  /// Whole texts: a single text, or one for each candidate.
  std::vector<Prompt> texts{};
  /// Parallel to the texts: the entity that each candidate represents; empty if the entities are
  /// evident from the texts.
  std::vector<std::string> entities{};
  /// The BOS before the texts.
  Bos with_bos = false;
  /// Whether the texts are candidates; may be set even if there is only one text.
  bool candidates = false;
};

/// Returns the tokens of a prompt as the model receives them.
using IdsOfPrompt = std::function<std::vector<TokenId>(const Prompt&, const Bos& with_bos)>;

inline Json spans_json(const std::vector<ByteSpan>& spans) {
  Json made = Json::array();
  for (const ByteSpan& span : spans) made.push_back({span.begin, span.end});
  return made;
}

/// The number of leading bytes shared by all texts, counting only whole characters of the given
/// part.
inline std::size_t shared_bytes(const std::vector<Prompt>& texts) {
  const std::string& first = texts.front().text;
  std::size_t shared = first.size();
  for (const Prompt& one : texts) {
    if (!one.answer.empty()) shared = (std::min)(shared, one.given);
    const auto end =
        first.begin() + static_cast<std::ptrdiff_t>((std::min)(shared, one.text.size()));
    shared = static_cast<std::size_t>(std::mismatch(first.begin(), end, one.text.begin()).first -
                                      first.begin());
  }
  const auto inside = [&](std::size_t at) {
    return at < first.size() && (static_cast<unsigned char>(first[at]) & 0xC0U) == 0x80U;
  };
  while (shared > 0 && inside(shared)) --shared;
  return shared;
}

/// The number of leading tokens shared by all texts, excluding tokens of a continuation. `all`
/// contains the tokens of each text.
inline std::size_t shared_ids(const ListedPrompt& listed,
                              const std::vector<std::vector<TokenId>>& all,
                              const IdsOfPrompt& ids_of_prompt) {
  std::size_t shared = all.front().size();
  Prompt last;
  std::vector<TokenId> given_ids;  // the same for most texts
  for (std::size_t t = 0; t < all.size(); ++t) {
    shared = (std::min)(shared, common_prefix(all.front(), all[t]));
    if (listed.texts[t].answer.empty()) continue;
    Prompt given = given_part(listed.texts[t]);
    if (t == 0 || given.text != last.text || given.cuts != last.cuts) {
      given_ids = ids_of_prompt(given, listed.with_bos);
      last = std::move(given);
    }
    shared = (std::min)(shared, common_prefix(all[t], given_ids));
  }
  return shared;
}

/// The JSON object for one line. `most` limits the number of candidates; 0 means no limit. The
/// object has ids only if `ids_of_prompt` is set.
[[nodiscard]] inline Json to_json(const ListedPrompt& listed, const IdsOfPrompt& ids_of_prompt = {},
                                  std::size_t most = 0) {
  Json row = listed.about;
  const auto by_parts = [](const Prompt& one) { return !one.cuts.empty(); };
  if (ranges::any_of(listed.texts, by_parts)) row["tokenized"] = "by parts";
  if (!listed.candidates) {
    const Prompt& prompt = listed.texts.front();
    row["prompt"] = prompt.text;
    if (!prompt.answer.empty()) {
      row["answer"] = detail::spans_json(prompt.answer);
      row["given"] = prompt.given;
    }
    if (ids_of_prompt) row["ids"] = ids_of_prompt(prompt, listed.with_bos);
    return row;
  }
  const std::size_t shared = detail::shared_bytes(listed.texts);
  row["prompt"] = listed.texts.front().text.substr(0, shared);
  std::vector<std::vector<TokenId>> ids;
  std::size_t first = 0;
  if (ids_of_prompt) {
    for (const Prompt& one : listed.texts) ids.push_back(ids_of_prompt(one, listed.with_bos));
    first = detail::shared_ids(listed, ids, ids_of_prompt);
    // If the texts share no bytes, they share at most the BOS.
    if (shared == 0) first = std::min<std::size_t>(first, listed.with_bos ? 1 : 0);
    row["ids"] = std::vector<TokenId>(ids.front().begin(),
                                      ids.front().begin() + static_cast<std::ptrdiff_t>(first));
  }
  row["candidate_count"] = listed.texts.size();
  Json& candidates = row["candidates"] = Json::array();
  const std::size_t shown = most == 0 ? listed.texts.size() : (std::min)(most, listed.texts.size());
  for (std::size_t c = 0; c < shown; ++c) {
    const Prompt& one = listed.texts[c];
    Json candidate = Json::object();
    if (!listed.entities.empty()) candidate["entity"] = listed.entities[c];
    candidate["text"] = one.text.substr(shared);
    if (!one.answer.empty()) {
      candidate["answer"] = detail::spans_json(one.answer);
      candidate["given"] = one.given;
    }
    if (ids_of_prompt) {
      candidate["ids"] =
          std::vector<TokenId>(ids[c].begin() + static_cast<std::ptrdiff_t>(first), ids[c].end());
    }
    candidates.push_back(std::move(candidate));
  }
  return row;
}

/// The facts whose prompts are listed: all facts, or those that match by the subject's identifier
/// or label, or by relation and instance as "RELATION:INSTANCE" (a graph's queries have no
/// instances).
struct WantedFact {
  std::string name{};

  [[nodiscard]] bool all() const noexcept { return name.empty(); }
  [[nodiscard]] bool has(std::string_view id, std::string_view label) const {
    return all() || name == id || name == label;
  }
  [[nodiscard]] bool has(std::string_view id, std::string_view label, const std::string& relation,
                         std::size_t instance) const {
    return has(id, label) || name == relation + ":" + std::to_string(instance);
  }
};

/// Stores the first prompt of each kind. Code that visits prompts calls this object with a kind and
/// a function that creates the prompt. Not thread-safe.
class ExamplePrompts {
 public:
  static constexpr const char* file_name = "example_prompts.jsonl";

  template <class Make>
  void operator()(const std::string& kind, Make make) {
    if (kinds_.insert(kind).second) lines_ += to_json(make(), {}, 5).dump() + "\n";
  }
  /// Writes example_prompts.jsonl.
  void write(const DiskPath& folder) const { write_atomically(folder / file_name, lines_); }

 private:
  std::set<std::string> kinds_;
  std::string lines_;
};

/// The example prompts of a run folder, in file order; empty for runs of earlier versions. Throws a
/// user error if the file is not in JSON Lines format.
[[nodiscard]] inline std::vector<Json> read_example_prompts(const DiskPath& folder) {
  std::vector<Json> prompts;
  const auto file = folder / ExamplePrompts::file_name;
  if (!is_there(file)) return prompts;
  for_each_result_line(file, [&](const Json& row, std::size_t) { prompts.push_back(row); });
  return prompts;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
