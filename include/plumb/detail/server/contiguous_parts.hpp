// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do several threads divide a list, so that each works on neighbouring items?
//
// Each thread has a contiguous part of the list and takes its items in order. A thread that has
// finished its part takes over the second half of the longest part that remains.

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may use the same object.
class ContiguousParts {
 public:
  /// `begins` contains the index of each part's first item, in ascending order; the first part
  /// begins at 0. Each part ends where the next one begins, and the last part ends at `count`.
  ContiguousParts(std::span<const std::size_t> begins, std::size_t count) {
    for (std::size_t p = 0; p < begins.size(); ++p) {
      parts_.push_back({begins[p], p + 1 < begins.size() ? begins[p + 1] : count});
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return parts_.size(); }

  /// The next item of a part; nullopt if no items are left in any part.
  [[nodiscard]] std::optional<std::size_t> next(std::size_t part) {
    const std::lock_guard lock(mutex_);
    Part& own = parts_[part];
    if (own.left() == 0) {
      Part& longest = *std::max_element(parts_.begin(), parts_.end(),
                                        [](Part a, Part b) { return a.left() < b.left(); });
      if (longest.left() == 0) return std::nullopt;
      const std::size_t middle = longest.next + longest.left() / 2;
      own = {middle, longest.end};
      longest.end = middle;
    }
    return own.next++;
  }

  /// No further items are returned after this call.
  void stop() {
    const std::lock_guard lock(mutex_);
    for (Part& part : parts_) part.end = part.next;
  }

 private:
  struct Part {
    std::size_t next, end;
    [[nodiscard]] std::size_t left() const noexcept { return end - next; }
  };

  std::mutex mutex_;
  std::vector<Part> parts_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
