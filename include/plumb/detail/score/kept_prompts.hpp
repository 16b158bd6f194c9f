// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keeps the tokens of prompts, so that each prompt is tokenised once.
//
// A job needs a prompt's tokens three times: to check that the answer fits in the context, to
// compute the planned cost, and to generate. If answers are also sampled for a prompt, the job
// generates twice.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plumb/detail/core/byte_archive.hpp"
#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/core/spool.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model must outlive it. Not thread-safe.
template <class Model>
class KeptPrompts {
 public:
  /// `bos` precedes each prompt.
  KeptPrompts(const Model& model, std::optional<TokenId> bos) : model_(model), bos_(bos) {}

  [[nodiscard]] std::optional<TokenId> bos() const noexcept { return bos_; }

  /// A prompt's tokens, BOS included. Throws the errors of prompt_ids.
  [[nodiscard]] std::vector<TokenId> ids(const Prompt& prompt) {
    const std::string key = key_of(prompt);
    const std::uint64_t hash = fnv1a(key);
    if (const auto found = numbers_.find(hash); found != numbers_.end()) {
      const std::string kept = spool_.get(found->second);
      std::vector<TokenId> ids;
      if (kept.starts_with(key)) {
        ByteReader reader(std::string_view(kept).substr(key.size()));
        reader(ids);
        return ids;
      }
      return prompt_ids(model_, prompt, bos_);  // the stored entry belongs to another prompt with
                                                // the same hash
    }
    std::vector<TokenId> ids = prompt_ids(model_, prompt, bos_);
    ByteWriter writer;
    writer(ids);
    numbers_[hash] = spool_.add(key + writer.bytes());
    return ids;
  }
  [[nodiscard]] std::vector<TokenId> ids(const std::string& text) {
    return ids(Prompt{text, {}, {}});
  }

 private:
  /// A key containing everything that determines a prompt's tokens. It begins with the lengths, so
  /// no key is a prefix of another.
  [[nodiscard]] static std::string key_of(const Prompt& prompt) {
    ByteWriter writer;
    writer(prompt.text.size(), prompt.cuts.size());
    std::string key = writer.bytes() + prompt.text;
    for (const Cut& cut : prompt.cuts) {
      ByteWriter of_cut;
      of_cut(cut.at, cut.separator);
      key += of_cut.bytes();
    }
    return key;
  }

  const Model& model_;
  std::optional<TokenId> bos_;
  Spool spool_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;  // indices in the spool, by key hash
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
