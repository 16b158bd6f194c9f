// SPDX-License-Identifier: Apache-2.0
#pragma once

// Should the job stop, and how is it resumed?
//
// While a job runs, the first SIGINT (Ctrl-C) or SIGTERM (kill, a scheduler's time limit) is only
// recorded. The job then ends after its current pack, and all its finished work is in its journal.
// A second signal goes to the previous handler: it ends the command's process immediately, and in
// Python it raises KeyboardInterrupt. If a program embeds the library, the program handles signals
// itself.

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Thrown to end a command that was stopped by a signal; contains the exit code that a shell
/// reports for that signal.
class Interrupted : public Error {
 public:
  Interrupted(int signal, const std::string& what, const std::string& remedy)
      : Error(user_error({}, what, remedy)), code_(128 + signal) {}

  /// 130 for SIGINT, 143 for SIGTERM.
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Records SIGINT and SIGTERM during its lifetime, except a signal that the process ignores. A
/// process may have only one InterruptCatcher at a time.
class InterruptCatcher {
 public:
  InterruptCatcher() {
    noted_ = 0;
    for (std::size_t i = 0; i < interrupts.size(); ++i) {
      sigaction(interrupts[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) continue;
      struct sigaction noting {};
      noting.sa_handler = note;
      noting.sa_flags = SA_RESTART;
      for (const int other : interrupts) sigaddset(&noting.sa_mask, other);
      sigaction(interrupts[i], &noting, nullptr);
    }
  }
  InterruptCatcher(const InterruptCatcher&) = delete;
  InterruptCatcher& operator=(const InterruptCatcher&) = delete;
  ~InterruptCatcher() { restore(); }

  /// The number of the recorded signal, or 0 if none was received.
  [[nodiscard]] int noted() const noexcept { return noted_; }

 private:
  static constexpr std::array interrupts{SIGINT, SIGTERM};

  static void restore() {
    for (std::size_t i = 0; i < interrupts.size(); ++i)
      sigaction(interrupts[i], &before_[i], nullptr);
  }

  static void note(int number) {
    noted_ = number;
    restore();
    const std::string_view stated =
        number == SIGINT
            ? "\nstopping after the current work is saved; Ctrl-C again stops immediately\n"
            : "\nstopping after the current work is saved\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, stated.data(), stated.size());
  }

  // Static because a signal handler has no access to an object.
  inline static volatile sig_atomic_t noted_ = 0;
  inline static std::array<struct sigaction, interrupts.size()> before_{};
};

/// An argument, quoted for a shell if necessary.
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

/// "plumb probe --data d --resume": the command line that resumes a run. `program` is the name
/// under which the program was started.
[[nodiscard]] inline std::string resume_command(const std::string& program,
                                                const std::string& command,
                                                const std::vector<std::string>& arguments) {
  std::string words = quoted_for_shell(program) + " " + command;
  bool resumes = false;
  for (const std::string& word : arguments) {
    words += " " + quoted_for_shell(word);
    resumes = resumes || word == "--resume";
  }
  return words + (resumes ? "" : " --resume");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
