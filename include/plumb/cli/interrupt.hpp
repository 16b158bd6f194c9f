// SPDX-License-Identifier: Apache-2.0
#pragma once

// Has the user pressed Ctrl-C, or a cluster's time ended, and how does the job go on later?
//
// While a job works, the first SIGINT or SIGTERM is only noted, and the job ends between two packs
// with all it did in its journal; the second ends the process at once, as signals always do
// elsewhere. Only the command does so: a library that is embedded leaves signals to its program.

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::detail {

/// Notes SIGINT and SIGTERM while it lives, each unless the process ignores it. One at a time in a
/// process.
class InterruptCatcher {
 public:
  InterruptCatcher() {
    noted_ = 0;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      sigaction(signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) continue;
      struct sigaction noting {};
      noting.sa_handler = note;
      noting.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
      sigaction(signals[i], &noting, nullptr);
    }
  }
  InterruptCatcher(const InterruptCatcher&) = delete;
  InterruptCatcher& operator=(const InterruptCatcher&) = delete;
  ~InterruptCatcher() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
  }

  [[nodiscard]] bool noted() const noexcept { return noted_ != 0; }
  /// The signal that was noted, the last of several; 0 for none.
  [[nodiscard]] int signal() const noexcept { return static_cast<int>(noted_); }

 private:
  static constexpr std::array<int, 2> signals{SIGINT, SIGTERM};

  static void note(int signal) {
    noted_ = signal;
    const std::string_view said =
        signal == SIGINT ? "\nstopping when the work at hand is kept; Ctrl-C again stops at once\n"
                         : "\nstopping when the work at hand is kept\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, said.data(), said.size());
  }

  // A handler has no other way to say something.
  inline static volatile sig_atomic_t noted_ = 0;
  std::array<struct sigaction, 2> before_{};
};

/// A word as a shell reads it.
[[nodiscard]] inline std::string quoted_for_shell(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
  std::string made = "'";
  for (const char c : word) {
    if (c == '\'') {
      made += "'\\''";
    } else {
      made += c;
    }
  }
  return made + "'";
}

/// "plumb probe --data d --resume": the words that go on with a run.
[[nodiscard]] inline std::string resuming_words(const std::string& command,
                                                const std::vector<std::string>& arguments) {
  std::string words = "plumb " + command;
  bool resumes = false;
  for (const std::string& word : arguments) {
    words += " " + quoted_for_shell(word);
    resumes = resumes || word == "--resume";
  }
  return words + (resumes ? "" : " --resume");
}

}  // namespace plumb::detail
