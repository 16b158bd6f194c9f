// SPDX-License-Identifier: Apache-2.0
#pragma once

// When is a request sent again, and after how long?
//
//   wait_k = min(longest, first · 2^k) · (1/2 + u),   u uniform in [0, 1)
// for the k-th failure (from 0) of a request: exponential backoff, with jitter so that requests
// that failed together are not repeated together. If the server sends Retry-After, plumb waits at
// least that long; if that time exceeds `patience`, the request is not retried.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct RetryPolicy {
  using Seconds = std::chrono::duration<double>;

  /// The maximum number of times that a request is sent.
  std::size_t tries = 6;
  Seconds first{0.25};
  Seconds longest{20};
  /// The longest Retry-After that is accepted.
  Seconds patience{120};

  /// Whether the same request may succeed later, because the server is busy, loading, or
  /// temporarily broken. All other errors are permanent.
  [[nodiscard]] static constexpr bool is_passing(unsigned status) noexcept {
    return status == 408 || status == 425 || status == 429 || status == 500 || status == 502 ||
           status == 503 || status == 504;
  }

  /// How long to wait after the k-th failure; nullopt if the request must not be retried. `uniform`
  /// is in [0, 1).
  [[nodiscard]] std::optional<Seconds> wait(std::size_t k, double uniform,
                                            std::optional<Seconds> retry_after = {}) const {
    if (k + 1 >= tries) return std::nullopt;
    if (retry_after && *retry_after > patience) return std::nullopt;
    const double doubled =
        first.count() * std::pow(2.0, static_cast<double>(std::min<std::size_t>(k, 60)));
    const Seconds backoff((std::min)(longest.count(), doubled) * (0.5 + uniform));
    return retry_after ? (std::max)(*retry_after, backoff) : backoff;
  }
};

/// The seconds in a Retry-After header; nullopt for a date, which plumb does not parse, and for any
/// other content.
[[nodiscard]] inline std::optional<RetryPolicy::Seconds> retry_after_seconds(
    std::string_view text) {
  unsigned seconds = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || failed != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return RetryPolicy::Seconds(seconds);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
