// SPDX-License-Identifier: Apache-2.0
#pragma once

// Embeddings in .npy files: plumb writes its own and reads those of other programs.
//
// A .npy file contains single-precision numbers, [count, dimension], in C order, and is mapped into
// memory. It may be larger than memory, and only the parts that are used are read. The identifiers
// are next to it in a .txt file with the same stem, one per line. Source of the format: numpy's
// documentation of npy-format.

#include <sys/mman.h>
#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/mapped_file.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/rank/vectors.hpp"
#include "plumb/detail/records/atomic_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The file's header, up to the numbers; its length is a multiple of 64.
inline std::string npy_header(std::size_t rows, std::size_t columns) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) +
                     ", " + std::to_string(columns) + "), }";
  text.append((64 - (10 + text.size() + 1) % 64) % 64, ' ').append("\n");
  const std::size_t length = text.size();
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(length & 0xFF) +
         static_cast<char>(length >> 8) + text;
}

/// Vectors in a file. Any number of threads may read the same object.
class NpyFile {
 public:
  /// Throws a user error if the file is damaged or has a different format.
  explicit NpyFile(const std::filesystem::path& file) : map_(file) {
    const std::string_view bytes(map_.data(), map_.size());
    const auto refuse = [&](const std::string& what, const char* remedy) {
      throw user_error({.file = file}, what, remedy);
    };
    if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12) {
      refuse("is not a .npy file", "save the vectors with numpy.save");
    }
    const auto byte = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
    };
    const bool wide = byte(6) > 1;
    const std::size_t begin = wide ? 12 : 10;
    const std::size_t length =
        byte(8) + (byte(9) << 8) + (wide ? (byte(10) << 16) + (byte(11) << 24) : 0);
    if (begin + length > bytes.size()) refuse("ends within its header", "create it again");
    const std::string_view header = bytes.substr(begin, length);
    const auto value = [&](std::string_view name) {
      const std::size_t at = header.find(name);
      if (at == std::string_view::npos) return std::string_view();
      const std::string_view rest = header.substr(at + name.size());
      return rest.substr((std::min)(rest.size(), rest.find_first_not_of("': ")));
    };
    if (!value("'descr'").starts_with("<f4") || !value("'fortran_order'").starts_with("False")) {
      refuse("does not contain single-precision numbers in C order",
             "save numpy.ascontiguousarray(vectors, dtype='<f4')");
    }
    const std::string shape(value("'shape'"));
    unsigned long long rows = 0, columns = 0;
    int end = 0;
    if (std::sscanf(shape.c_str(), "(%llu, %llu)%n", &rows, &columns, &end) != 2 || end == 0 ||
        columns == 0 || columns > (std::numeric_limits<Eigen::Index>::max)() / sizeof(float)) {
      refuse("does not have two dimensions", "save one vector per row");
    }
    if ((begin + length) % alignof(float) != 0) {
      refuse("contains numbers that do not start at a multiple of four bytes",
             "save the vectors with numpy.save");
    }
    if (rows > bytes.size() / columns ||
        bytes.size() - begin - length != rows * columns * sizeof(float)) {
      refuse("has " + std::to_string(bytes.size() - begin - length) +
                 " bytes of numbers instead of " + std::to_string(rows * columns * sizeof(float)),
             "it is truncated or damaged; create it again");
    }
    rows_ = rows;
    columns_ = columns;
    numbers_ = begin + length;
  }

  [[nodiscard]] VectorRows rows() const {
    return {reinterpret_cast<const float*>(map_.data() + numbers_),
            static_cast<Eigen::Index>(rows_), static_cast<Eigen::Index>(columns_)};
  }

 private:
  MappedFile map_;
  std::size_t rows_ = 0, columns_ = 0, numbers_ = 0;
};

/// Vectors that are being written to `file`.part, row by row in any order. Rows that have been
/// written survive even if the process is killed. `finish` renames the file to its final name. Not
/// thread-safe.
class NpyWriter {
 public:
  /// Whether there is a .part file of this shape that would be resumed.
  [[nodiscard]] static bool is_unfinished(const DiskPath& file, std::size_t rows,
                                          std::size_t columns) {
    const DiskPath part = file + ".part";
    if (!part.is_file()) return false;
    const std::string header = detail::npy_header(rows, columns);
    try {
      const MappedFile found(part);
      return found.size() == header.size() + rows * columns * sizeof(float) &&
             std::memcmp(found.data(), header.data(), header.size()) == 0;
    } catch (const Error&) {  // empty, for example because the disk was full
      return false;
    }
  }

  /// Resumes an existing .part file if it has this shape.
  NpyWriter(DiskPath file, std::size_t rows, std::size_t columns)
      : file_(std::move(file)), columns_(columns) {
    const std::string header = detail::npy_header(rows, columns);
    numbers_ = header.size();
    const std::size_t size = numbers_ + rows * columns * sizeof(float);
    is_resumed_ = is_unfinished(file_, rows, columns);
    if (!is_resumed_ && part().disk().remove(part())) {
      throw user_error({.file = part()}, "cannot be replaced", "check permissions");
    }
    map_ = MappedFile(part(), size);
    std::memcpy(map_.data(), header.data(), header.size());
    // otherwise the journal could outlive the file
    if (part().disk().sync_folder(part().parent())) {
      throw internal_error({.file = part()}, "cannot be written",
                           "check the disk and its free space, then `resume`");
    }
  }

  /// Whether an earlier writer's rows were found.
  [[nodiscard]] bool is_resumed() const noexcept { return is_resumed_; }

  /// All rows; those not written yet are zeros.
  [[nodiscard]] VectorRows rows() const {
    const std::size_t count = (map_.size() - numbers_) / (columns_ * sizeof(float));
    return {reinterpret_cast<const float*>(map_.data() + numbers_),
            static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(columns_)};
  }

  void put(std::size_t row, std::span<const float> values) {
    std::memcpy(map_.data() + numbers_ + row * columns_ * sizeof(float), values.data(),
                columns_ * sizeof(float));
  }

  /// Copies the rows that another writer of the same shape has written to its .part file; rows not
  /// written there are zeros. Throws a user error if the file has a different shape.
  void take_rows(const DiskPath& part) {
    const MappedFile other(part);
    if (other.size() != map_.size() || std::memcmp(other.data(), map_.data(), numbers_) != 0) {
      throw user_error({.file = part}, "contains vectors of a different shape",
                       "it is not a shard of this run");
    }
    for (std::size_t i = numbers_; i < map_.size(); ++i) {
      map_.data()[i] = static_cast<char>(map_.data()[i] | other.data()[i]);
    }
  }

  /// After this call, all rows written so far survive a power loss. Throws an internal error if
  /// syncing fails.
  void sync() {
    if (msync(map_.data(), map_.size(), MS_SYNC) == 0) return;
    throw internal_error({.file = part()}, "cannot be written",
                         "check the disk and its free space, then `resume`");
  }
  /// Throws an internal error if syncing or renaming fails.
  void finish() {
    sync();
    rename_into_place(part(), file_);
  }

 private:
  [[nodiscard]] DiskPath part() const { return file_ + ".part"; }

  DiskPath file_;
  MappedFile map_;
  std::size_t columns_, numbers_ = 0;
  bool is_resumed_ = false;
};

/// The path of the identifiers file that belongs to a .npy file.
[[nodiscard]] inline DiskPath identifiers_of(const DiskPath& npy) {
  return npy.parent() / (npy.stem() + ".txt");
}

/// The identifiers that belong to a .npy file. Throws a user error if their number differs from the
/// number of rows, or if any identifier is duplicated or empty.
[[nodiscard]] inline std::vector<std::string> read_identifiers(const DiskPath& npy,
                                                               std::size_t rows) {
  const DiskPath file = identifiers_of(npy);
  std::vector<std::string> identifiers;
  std::unordered_set<std::string> known;
  const auto add = [&](std::string& line, std::size_t number) {
    if (line.ends_with('\r')) line.pop_back();
    const Site site{file, number};
    if (line.empty()) throw user_error(site, "is empty", "write an identifier");
    if (!known.insert(line).second) {
      throw user_error(site, "'" + line + "' is duplicated", "give each row its own identifier");
    }
    identifiers.push_back(line);
  };
  for_each_line(file, add, "write the identifiers of the vectors' rows there, one per line");
  if (identifiers.size() != rows) {
    throw user_error({.file = file},
                     std::to_string(identifiers.size()) + " identifiers for " +
                         std::to_string(rows) + " vectors",
                     "write one per row");
  }
  return identifiers;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
