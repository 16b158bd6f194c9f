// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keeps blocks of statements that are tokenised and planned once, and scored later.
//
// A job prepares all its statements before it scores the first one: it rejects statements that
// cannot be scored, computes the cost, and assigns packs to shards. Tokenising takes most of the
// preparation time, so the blocks are kept for scoring.

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "plumb/detail/core/spool.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// If a scorer cannot save blocks, nothing is kept and each block is built again. Not thread-safe.
template <PackedScorer Scorer>
class KeptBlocks {
 public:
  using Block = typename Scorer::Block;
  /// The name of a job part and the number of a block within it.
  using Place = std::pair<std::string, std::size_t>;

  /// At most `room` bytes are stored in memory; the rest is written to disk.
  explicit KeptBlocks(std::size_t room = std::size_t{64} << 20U) : spool_(room) {}

  /// Keeps an unscored planned block.
  void keep(const Scorer& scorer, const Place& place, const Block& block) {
    if constexpr (requires { scorer.save(block); }) {
      numbers_[place] = spool_.add(scorer.save(block));
    }
  }

  /// The kept block or, if there is none, the result of `make()`.
  template <class Make>
  [[nodiscard]] Block get(const Scorer& scorer, const Place& place, Make make) const {
    if constexpr (requires(const std::string& bytes) { scorer.load(bytes); }) {
      const auto found = numbers_.find(place);
      if (found != numbers_.end()) return scorer.load(spool_.get(found->second));
    }
    return make();
  }

 private:
  Spool spool_;
  std::map<Place, std::size_t> numbers_;  // indices in the spool
};

/// An empty store, for jobs that did not plan blocks in advance.
template <PackedScorer Scorer>
[[nodiscard]] const KeptBlocks<Scorer>& no_blocks() {
  static const KeptBlocks<Scorer> none;
  return none;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
