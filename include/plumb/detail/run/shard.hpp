// SPDX-License-Identifier: Apache-2.0
#pragma once

// If several processes share a job, which packs does each of them evaluate?
//
// Shard I of N evaluates the packs assigned to it and stores the results in the journal of its own
// folder. `merge` (merge_shards.hpp) combines the journals of all N shards. Packs are assigned in
// the order in which the job processes them, each to the shard with the least work so far. Every
// process can therefore determine, without communication, which packs belong to which shard.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/run/job_setting.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One of `count` processes that share a job. Provides the functions required of a setting's value
/// (job_setting.hpp).
struct Shard {
  /// Counted from 0.
  std::size_t index = 0;
  std::size_t count = 1;

  [[nodiscard]] bool is_part() const noexcept { return count > 1; }

  /// "2/8" for the second of eight shards; empty for a whole job.
  [[nodiscard]] std::string word() const {
    return is_part() ? std::to_string(index + 1) + "/" + std::to_string(count) : "";
  }
  /// {"index": 2, "count": 8}; null for a whole job.
  [[nodiscard]] Json json() const {
    return is_part() ? Json{{"index", index + 1}, {"count", count}} : Json();
  }
  /// Throws a user error for a text that is not "I/N" with 1 ≤ I ≤ N.
  void read(const std::string& text, const std::string& name) {
    const auto refuse = [&] {
      return user_error({.setting = name}, "'" + text + "' is not a shard",
                        "use 1/4 for the first of four, up to 4/4");
    };
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) throw refuse();
    std::size_t place = 0, all = 0;
    try {
      setting::read(text.substr(0, slash), name, place);
      setting::read(text.substr(slash + 1), name, all);
    } catch (const Error&) {
      throw refuse();
    }
    if (place < 1 || place > all || all > most) throw refuse();
    index = place - 1;
    count = all;
  }

  static constexpr std::size_t most = 100'000;

  friend bool operator==(const Shard&, const Shard&) = default;
};

/// Assigns packs to shards. Not thread-safe.
class PackAssigner {
 public:
  explicit PackAssigner(std::size_t shards) : dealt_(shards, 0) {}

  /// The shard that receives the next pack: the shard with the least work so far, or the first of
  /// several such shards. `weight` is the work of the pack, relative to other packs of the job; 0
  /// counts as 1.
  [[nodiscard]] std::size_t deal(std::uint64_t weight) {
    const auto least = std::min_element(dealt_.begin(), dealt_.end());
    *least += std::max<std::uint64_t>(1, weight);
    return static_cast<std::size_t>(least - dealt_.begin());
  }

 private:
  std::vector<std::uint64_t> dealt_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
