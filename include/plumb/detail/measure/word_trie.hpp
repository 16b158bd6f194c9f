// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which names occur in a text when it is read word by word?
//
// A trie whose edges are words (answer_words.hpp). A reader follows all names whose words have
// matched so far, so the text is not compared with each name separately. Most words of a text do
// not occur in any name, and a single look-up shows this.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "plumb/detail/measure/answer_words.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Once all names are added, any number of threads may read the same object.
class WordTrie {
 public:
  static constexpr std::uint32_t none = (std::numeric_limits<std::uint32_t>::max)();
  static constexpr std::uint32_t root = 0;

  explicit WordTrie(LetterCase letters = LetterCase::lower) : letters_(letters) {}

  /// The name's number, from 0 in order of appearance; names with the same words share a number.
  /// `none` if the name contains no words.
  std::uint32_t add(const std::string& name) {
    std::uint32_t node = root;
    for_each_answer_word(
        name,
        [&](const std::string& word) {
          const auto id = words_.try_emplace(word, static_cast<std::uint32_t>(words_.size()));
          if (id.second) first_.push_back(none);
          const std::uint32_t known = next(node, id.first->second);
          if (known != none) {
            node = known;
            return;
          }
          const auto made = static_cast<std::uint32_t>(name_at_.size());
          name_at_.push_back(none);
          if (node == root) {
            first_[id.first->second] = made;
          } else {
            later_.emplace(pair(node, id.first->second), made);
          }
          node = made;
        },
        letters_);
    if (node == root) return none;
    if (name_at_[node] == none) name_at_[node] = names_++;
    return name_at_[node];
  }

  /// The number of distinct names.
  [[nodiscard]] std::uint32_t size() const noexcept { return names_; }
  [[nodiscard]] LetterCase letters() const noexcept { return letters_; }
  /// The word's number; `text` must be in the trie's letter case; `none` if no name contains the
  /// word.
  [[nodiscard]] std::uint32_t word(const std::string& text) const {
    const auto found = words_.find(text);
    return found == words_.end() ? none : found->second;
  }
  /// The node reached from `node` by a word; `none` if no name continues with it.
  [[nodiscard]] std::uint32_t next(std::uint32_t node, std::uint32_t word) const {
    if (node == root) return first_[word];
    const auto found = later_.find(pair(node, word));
    return found == later_.end() ? none : found->second;
  }
  /// The name that ends at a node, or `none`.
  [[nodiscard]] std::uint32_t name_at(std::uint32_t node) const { return name_at_[node]; }

 private:
  static std::uint64_t pair(std::uint32_t node, std::uint32_t word) noexcept {
    return (std::uint64_t{node} << 32) | word;
  }

  LetterCase letters_;
  std::unordered_map<std::string, std::uint32_t> words_;
  // Children of the root, by word, and of other nodes, by node and word.
  std::vector<std::uint32_t> first_;
  std::unordered_map<std::uint64_t, std::uint32_t> later_;
  std::vector<std::uint32_t> name_at_{none};
  std::uint32_t names_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
