// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks of statements that are tokenised and planned once, and scored later.
//
// A job looks at all that it asks before it scores the first statement: to refuse what cannot be scored,
// to tell what it will take, and to deal packs to shards. Tokenising takes most of that time, so what was
// made then is kept for scoring.

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "plumb/detail/core/spool.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Of a scorer whose blocks cannot be saved nothing is kept, and each is made again. Not thread-safe.
template <PackedScorer Scorer>
class KeptBlocks {
 public:
  using Block = typename Scorer::Block;
  /// A part of the job, by name, and a block's number in it.
  using Place = std::pair<std::string, std::size_t>;

  /// `room` bytes are held in memory.
  explicit KeptBlocks(std::size_t room = std::size_t{64} << 20U) : spool_(room) {}

  /// Keeps a planned block that has not been scored.
  void keep(const Scorer& scorer, const Place& place, const Block& block) {
    if constexpr (requires { scorer.save(block); }) {
      numbers_[place] = spool_.add(scorer.save(block));
    }
  }

  /// The block that was kept, or what `make()` returns.
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
  std::map<Place, std::size_t> numbers_;  // in the spool
};

/// Where nothing was planned before.
template <PackedScorer Scorer>
[[nodiscard]] const KeptBlocks<Scorer>& no_blocks() {
  static const KeptBlocks<Scorer> none;
  return none;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
