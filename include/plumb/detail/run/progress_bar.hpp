// SPDX-License-Identifier: Apache-2.0
#pragma once

// How far along is the job, how fast is it, and how long will it take?
//
// On a terminal, a self-updating bar shows the progress. Elsewhere, a plain line is printed every
// few seconds, so that a log file stays readable. The bar writes only to the given stream. Tests
// can replace the clock.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/printable.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe.
class ProgressBar {
 public:
  using Clock = std::function<double()>;

  /// Counts `total` items of `unit`; `on_terminal` selects the bar. `clock` returns seconds.
  ProgressBar(std::ostream& out, std::size_t total, std::string unit, bool on_terminal,
              Clock clock = monotonic_seconds)
      : out_(out),
        total_(total),
        unit_(std::move(unit)),
        on_terminal_(on_terminal),
        clock_(std::move(clock)),
        start_(clock_()),
        last_(start_ - 1e9) {}

  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Ends the bar's line if the job ended early, so that the next message starts on a new line.
  ~ProgressBar() {
    if (bar_is_open_) out_ << std::endl;
  }

  /// `done` is the number of items done so far. `fresh` is the number of items done by this
  /// process; the rate is computed only from these. `label` identifies the current item.
  void update(std::size_t done, std::size_t fresh, const std::string& label) {
    const double now = clock_();
    if (now - last_ < (on_terminal_ ? 0.1 : 5.0) && done < total_) return;
    last_ = now;
    // The first seconds include warm-up and are not representative.
    const bool settled = now - start_ >= 2 || done >= total_;
    const double rate = settled && now > start_ ? static_cast<double>(fresh) / (now - start_) : 0;
    std::string line =
        bar(done) + " " + std::to_string(done) + "/" + std::to_string(total_) + " " + unit_;
    if (rate > 0) {
      line += "  " + per_second(rate);
      if (done < total_)
        line += "  " + duration(static_cast<double>(total_ - done) / rate) + " left";
    }
    line += "  " + printable(label);
    if (on_terminal_) {
      bar_is_open_ = done < total_;
      out_ << '\r' << line << "\x1b[K" << (bar_is_open_ ? "" : "\n") << std::flush;
    } else {
      out_ << line << std::endl;
    }
  }

  /// For example "120/s". Rates below 10 have one decimal, as in "0.3/s"; very low rates are given
  /// per minute or per hour.
  [[nodiscard]] static std::string per_second(double rate) {
    if (rate >= 9.95) return std::to_string(std::lround(rate)) + "/s";
    if (rate >= 0.095) return with_decimals(rate, 1) + "/s";
    return rate * 60 >= 0.95 ? with_decimals(rate * 60, 1) + "/min"
                             : with_decimals(rate * 3600, 1) + "/h";
  }

  /// "4 s", "3 min 20 s", "2 h 5 min".
  [[nodiscard]] static std::string duration(double seconds) {
    const auto whole = std::lround((std::max)(0.0, seconds));
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600)
      return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
  }

  static double monotonic_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

 private:
  [[nodiscard]] std::string bar(std::size_t done) const {
    const double share = total_ == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total_);
    const std::string percent = std::to_string(total_ == 0 ? 100 : done * 100 / total_);
    std::string text =
        std::string(3 - std::min<std::size_t>(3, percent.size()), ' ') + percent + "%";
    if (!on_terminal_) return text;
    constexpr std::size_t width = 24;
    const auto full = static_cast<std::size_t>(share * width);
    text += " ";
    for (std::size_t i = 0; i < width; ++i) text += i < full ? "█" : "░";
    return text;
  }

  std::ostream& out_;
  std::size_t total_;
  std::string unit_;
  bool on_terminal_;
  Clock clock_;
  double start_;
  double last_;
  bool bar_is_open_ = false;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
