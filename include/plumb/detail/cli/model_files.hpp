// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which files belong to a model if the user specifies one file?
//
// A GGUF file may be the first of several parts, NAME-00001-of-00003.gguf, which llama.cpp reads
// together. The parts are listed, sized and hashed as one model. The parts are identified by name
// only; the engine reads their contents. Any other model is one file, or a folder with the files
// directly in it. Links are followed, as Hugging Face's cache requires.

#include <atomic>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "plumb/detail/cli/file_hash.hpp"
#include "plumb/detail/core/disk_path.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The components of a name like "m-00002-of-00003.gguf".
struct PartName {
  std::string lead;  // "m"
  std::size_t part = 0, parts = 0;

  [[nodiscard]] std::string of(std::size_t number) const {
    return lead + "-" + five_digits(number) + "-of-" + five_digits(parts) + ".gguf";
  }

 private:
  static std::string five_digits(std::size_t number) {
    const std::string digits = std::to_string(number);
    return std::string(5 - digits.size(), '0') + digits;
  }
};

/// Parses the name of a part; returns nullopt for any other name.
[[nodiscard]] inline std::optional<PartName> part_name(const std::string& name) {
  constexpr std::string_view form = "-00000-of-00000.gguf";
  if (name.size() <= form.size()) return std::nullopt;
  const std::string_view tail = std::string_view(name).substr(name.size() - form.size());
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool digit = tail[i] >= '0' && tail[i] <= '9';
    if (form[i] == '0' ? !digit : tail[i] != form[i]) return std::nullopt;
  }
  PartName made{name.substr(0, name.size() - form.size())};
  std::from_chars(tail.data() + 1, tail.data() + 6, made.part);
  std::from_chars(tail.data() + 10, tail.data() + 15, made.parts);
  if (made.part < 1 || made.part > made.parts) return std::nullopt;
  return made;
}

/// Whether the file is a part of a model other than the first part, which stands for the model.
[[nodiscard]] inline bool is_later_part(const DiskPath& file) {
  const auto name = part_name(file.name());
  return name && name->part > 1;
}

/// The file, or all existing parts of the model, in order.
[[nodiscard]] inline std::vector<DiskPath> model_files(const DiskPath& file) {
  const auto name = detail::part_name(file.name());
  if (!name || name->part != 1) return {file};
  std::vector<DiskPath> all;
  for (std::size_t part = 1; part <= name->parts; ++part) {
    const DiskPath one = file.parent() / name->of(part);
    if (one.exists()) all.push_back(one);
  }
  return all;
}

/// SHA-256 of a model. For a single file, this is its hash as sha256sum prints it; for a folder,
/// the hash of the files directly in it (hash_path); for several parts, the hash of their
/// hexadecimal SHA-256 hashes, in order. Throws HashStopped once `*stop` is true; `stop` may be
/// null.
[[nodiscard]] inline std::string hash_model(const DiskPath& path,
                                            const std::atomic<bool>* stop = nullptr) {
  if (path.is_folder()) return hash_path(path, stop);
  const std::vector<DiskPath> files = model_files(path);
  if (files.size() <= 1) return hash_file(path, stop);
  detail::Sha256 hash;
  for (const DiskPath& file : files) hash.add(hash_file(file, stop));
  return hash.hex();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
