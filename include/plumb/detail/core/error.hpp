// SPDX-License-Identifier: Apache-2.0
#pragma once

// What went wrong, where, and how can it be fixed?
//
// The whole library uses one exception type. Its text is one line, "file:line: field: message;
// remedy", so that a person or an editor can jump to that line. Control characters in the data are
// shown as escapes (core/printable.hpp). A message refers to a setting (a member of a job's
// settings) as `bos`; the command line shows it as --bos. The library never prints or exits; a
// command maps `Fault` to its exit code.

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include "plumb/detail/core/printable.hpp"
#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The source of the fault: the user's input (exit code 2), or the machine or the code (exit code
/// 1).
enum class Fault { user, internal };

/// The location of an error. Empty fields are omitted from the error text. Lines are numbered from
/// 1.
struct Site {
  std::filesystem::path file{};
  std::size_t line = 0;
  std::string field{};
  /// The name of the setting that caused the error.
  std::string setting{};
};

/// A one-line message: what went wrong, where, and the remedy. Any number of threads may read the
/// same object.
class Error : public std::runtime_error {
 public:
  Error(Fault fault, Site site, const std::string& message, const std::string& remedy = {})
      : std::runtime_error(compose(site, message, remedy)),
        fault_(fault),
        site_(std::move(site)),
        remedy_(remedy) {}

  [[nodiscard]] Fault fault() const noexcept { return fault_; }
  [[nodiscard]] const Site& site() const noexcept { return site_; }
  /// How to fix the error; empty if no remedy is known.
  [[nodiscard]] const std::string& remedy() const noexcept { return remedy_; }

 private:
  static std::string compose(const Site& site, const std::string& message,
                             const std::string& remedy) {
    std::string text;
    if (!site.file.empty()) {
      text += site.file.string();
      if (site.line > 0) text.append(":").append(std::to_string(site.line));
      text += ": ";
    }
    if (!site.field.empty()) text.append(site.field).append(": ");
    if (!site.setting.empty()) text.append("`").append(site.setting).append("`: ");
    text += message;
    if (!remedy.empty()) text.append("; ").append(remedy);
    for (char& c : text) {
      if (c == '\n' || c == '\r') c = ' ';  // always one line, regardless of the data
    }
    return printable(text, "\t");
  }

  Fault fault_;
  Site site_;
  std::string remedy_;
};

/// The results come from more than one model. A job detects this only at the end, and resuming does
/// not help. Any number of threads may read the same object.
class MixedResults : public Error {
 public:
  using Error::Error;
};

/// An error that the user can fix.
[[nodiscard]] inline Error user_error(Site site, const std::string& message,
                                      const std::string& remedy = {}) {
  return {Fault::user, std::move(site), message, remedy};
}

/// A failure that is not the user's fault, such as a failed write or a backend that rejects its own
/// batch.
[[nodiscard]] inline Error internal_error(Site site, const std::string& message,
                                          const std::string& remedy = {}) {
  return {Fault::internal, std::move(site), message, remedy};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
