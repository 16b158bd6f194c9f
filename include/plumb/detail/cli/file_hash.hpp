// SPDX-License-Identifier: Apache-2.0
#pragma once

// Are these the same files as before?
//
// Compares SHA-256 hashes, computed by OpenSSL's libcrypto and written as hexadecimal digits, as
// sha256sum and model hubs print them.

#include <openssl/evp.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/text_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Thrown by a hash of files that another thread has stopped.
struct HashStopped {};

class Sha256 {
 public:
  Sha256() { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  /// Throws HashStopped once `*stop` is true; `stop` may be null.
  void add_file(const DiskPath& file, const std::atomic<bool>* stop = nullptr) {
    for_each_block(file, [&](std::string_view block) {
      if (stop != nullptr && *stop) throw HashStopped();
      add(block);
    });
  }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
    std::string text;
    for (unsigned i = 0; i < length; ++i) {
      constexpr std::string_view digits = "0123456789abcdef";
      text += digits[digest[i] >> 4];
      text += digits[digest[i] & 15];
    }
    return text;
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_{EVP_MD_CTX_new()};
};

/// SHA-256 of one file, as sha256sum prints it. This and the following functions throw HashStopped
/// once `*stop` is true; `stop` may be null.
[[nodiscard]] inline std::string hash_file(const DiskPath& file,
                                           const std::atomic<bool>* stop = nullptr) {
  detail::Sha256 hash;
  hash.add_file(file, stop);
  return hash.hex();
}

/// SHA-256 of several files' names and contents, in order; folder names are not hashed.
[[nodiscard]] inline std::string hash_files(const std::vector<std::filesystem::path>& files,
                                            const std::atomic<bool>* stop = nullptr) {
  detail::Sha256 hash;
  for (const auto& file : files) {
    hash.add(file.filename().string());
    hash.add(std::string_view("\0", 1));
    hash.add_file(file, stop);
    hash.add(std::string_view("\0", 1));
  }
  return hash.hex();
}

/// SHA-256 of the file or folder at a setting's path. For a file, this is the hash of its content;
/// for a folder, the hash of the names and contents of the files directly in it, in order of their
/// names.
[[nodiscard]] inline std::string hash_path(const DiskPath& path,
                                           const std::atomic<bool>* stop = nullptr) {
  if (!path.is_folder()) return hash_file(path, stop);
  std::vector<std::filesystem::path> files;
  for (const DiskPath& file : path.list()) {
    if (file.is_file()) files.push_back(file);
  }
  return hash_files(files, stop);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
