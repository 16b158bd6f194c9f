// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which vectors has a model already computed for these texts?
//
// The cache folder contains the vectors of each embedded list of texts. A file next to the vectors
// records what determines them: the model's hash, the settings, and a hash of the texts. Because of
// rounding, a vector also depends on the other texts embedded in the same call. Lists are therefore
// stored and looked up only as a whole, and a lookup returns exactly the bits that were computed. A
// hash of the numbers detects damaged vectors, which are treated as missing and recomputed. The
// folder can be removed at any time.

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/rank/vectors.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/records/npy_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Writes vectors in the same format as a ranking does, with their identifiers in a file next to
/// them.
inline void write_vectors(const DiskPath& file, const std::vector<std::string>& identifiers,
                          VectorRows rows) {
  NpyWriter writer(file, static_cast<std::size_t>(rows.rows()),
                   static_cast<std::size_t>(rows.cols()));
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    writer.put(static_cast<std::size_t>(i),
               {rows.row(i).data(), static_cast<std::size_t>(rows.cols())});
  }
  std::string lines;
  for (const std::string& identifier : identifiers) lines += identifier + "\n";
  write_atomically(identifiers_of(file), lines);
  writer.finish();
}

/// Caches vectors under a key that contains everything they depend on. Several processes may use
/// the same folder. Not thread-safe.
class VectorCache {
 public:
  /// `cache_key` is an object that contains everything the vectors depend on, except the texts.
  VectorCache(DiskPath folder, Json cache_key)
      : folder_(std::move(folder)), cache_key_(std::move(cache_key)) {}

  /// The vectors of a list of texts; nothing if they are missing or damaged.
  [[nodiscard]] std::optional<NpyFile> find(const std::vector<std::string>& texts) const {
    const Key key = key_of(texts);
    if (!key.vectors.exists() || !key.record.exists()) return std::nullopt;
    try {
      const Json record = read_json_object(key.record);
      NpyFile vectors(key.vectors);
      if (record.value("made_under", Json()) == cache_key_ &&
          record.value("texts", Json()) == texts.size() &&
          record.value("bytes_of_texts", Json()) == key.bytes &&
          record.value("hash_of_vectors", Json()) == hash_of(vectors.rows())) {
        return std::optional<NpyFile>(std::move(vectors));
      }
    } catch (const Error&) {  // damaged
    }
    return std::nullopt;
  }

  /// Stores the vectors of a list of texts, unless another process is writing to the cache. Throws
  /// an internal error if writing fails.
  void keep(const std::vector<std::string>& texts, VectorRows rows) const {
    make_folders(folder_);
    std::unique_ptr<FolderLock> lock;
    if (folder_.disk().lock(folder_, lock)) return;
    const Key key = key_of(texts);
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < texts.size(); ++i) numbers.push_back(std::to_string(i));
    write_vectors(key.vectors, numbers, rows);
    const Json record = {{"made_under", cache_key_},
                         {"texts", texts.size()},
                         {"bytes_of_texts", key.bytes},
                         {"hash_of_vectors", hash_of(rows)}};
    write_atomically(key.record, record.dump(2) + "\n");
  }

 private:
  struct Key {
    DiskPath vectors, record;
    std::size_t bytes = 0;
  };

  static std::string hash_of(VectorRows rows) {
    return fnv1a_hex({reinterpret_cast<const char*>(rows.data()),
                      static_cast<std::size_t>(rows.size()) * sizeof(float)});
  }
  [[nodiscard]] Key key_of(const std::vector<std::string>& texts) const {
    std::string all = cache_key_.dump();
    Key key;
    for (const std::string& text : texts) {
      all += "\n" + std::to_string(text.size()) + " " + text;
      key.bytes += text.size();
    }
    const std::string name = fnv1a_hex(all);
    key.vectors = folder_ / (name + ".npy");
    key.record = folder_ / (name + ".json");
    return key;
  }

  DiskPath folder_;
  Json cache_key_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
