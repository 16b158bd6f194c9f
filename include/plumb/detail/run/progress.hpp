// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a job reports its progress to its caller.

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The progress of a job when the callback is called.
struct WorkState {
  /// What is counted: "statements", or the name of a job part whose packs are counted separately.
  const std::string& counted;
  std::size_t done = 0;
  /// The number of finished items that this process evaluated instead of reading them from the
  /// journal.
  std::size_t fresh = 0;
  std::size_t total = 0;
  /// What the job is working on, such as a relation; may be empty.
  const std::string& at;
};

using ProgressCallback = std::function<void(const WorkState&)>;

/// Counts work that does not need the model, such as checking texts before scoring. Does nothing if
/// the callback is empty. The callback must outlive this object. Not thread-safe.
class Count {
 public:
  Count(const ProgressCallback& tell, std::string counted, std::size_t total)
      : tell_(tell), counted_(std::move(counted)), total_(total) {
    advance(0);
  }
  void advance(std::size_t items, const std::string& at = "") {
    done_ += items;
    if (tell_) tell_({counted_, done_, done_, total_, at});
  }

 private:
  const ProgressCallback& tell_;
  std::string counted_;
  std::size_t total_, done_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
