// SPDX-License-Identifier: Apache-2.0

// How long does a Hugging Face folder take to load, and how much memory does it take in addition to
// its mapped files?
//
//   folder_loading FOLDER
//
// Prints the seconds until a causal model can be used, the CPU seconds of all cores together for
// the same work, the seconds for the first sequence of 32 tokens, the bytes of the weights on disk,
// and the peak of anonymous memory (RssAnon in /proc/self/status, sampled every millisecond), which
// excludes the mapped pages of files.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "plumb/detail/huggingface/folder_model.hpp"

namespace {

/// The value of a line in /proc/self/status, converted from kB to bytes.
std::size_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1)) * 1024;
  }
  return 0;
}

class PeakOfMemory {
 public:
  PeakOfMemory() : thread_([this] { watch(); }) {}
  PeakOfMemory(const PeakOfMemory&) = delete;
  PeakOfMemory& operator=(const PeakOfMemory&) = delete;
  ~PeakOfMemory() {
    ends_ = true;
    thread_.join();
  }
  [[nodiscard]] double megabytes() const { return static_cast<double>(peak_.load()) / 1e6; }

 private:
  void watch() {
    while (!ends_) {
      const std::size_t now = status_bytes("RssAnon");
      if (now > peak_) peak_ = now;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::atomic<std::size_t> peak_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  double weights = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".safetensors") weights += static_cast<double>(file.file_size());
  }
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto seconds = [](auto from, auto to) {
    return std::chrono::duration<double>(to - from).count();
  };
  const PeakOfMemory peak;
  const auto begin = now();
  const std::clock_t before = std::clock();
  plumb::detail::HuggingFaceCausalModel model(folder);
  const auto loaded = now();
  const double busy = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  std::vector<plumb::detail::TokenId> tokens;
  for (plumb::detail::TokenId token = 0; token < 32; ++token) tokens.push_back(token);
  model.evaluate(tokens, [](std::uint32_t, std::span<const float>) {});
  const auto asked = now();
  std::cout << folder.filename().string() << ": loaded in " << seconds(begin, loaded) << " s ("
            << busy << " s of a core), 32 tokens in " << seconds(loaded, asked) << " s; weights "
            << weights / 1e6 << " MB, peak of memory without mapped files " << peak.megabytes()
            << " MB\n";
}
