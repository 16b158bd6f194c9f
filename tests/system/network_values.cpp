// SPDX-License-Identifier: Apache-2.0

// Do the networks compute the same values with every vector width and any number of threads?
//
//   network_values FOLDER…
//
// Each folder contains a small network and the results of the transformers library for it
// (write_network_cases.py). Prints one line with a JSON object for each network: the number of
// values in a vector of its kernels, the largest difference from transformers divided by the
// largest number, and a hash of all bits of the network's output for a few thousand queries.
// test_vector_widths.py compiles this program for several CPUs and compares the outputs.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/huggingface/decoder_network.hpp"
#include "plumb/detail/huggingface/encoder_network.hpp"
#include "plumb/detail/huggingface/network_kind.hpp"
#include "support/network_cases.hpp"

namespace {

using namespace plumb::detail;

/// An FNV-1a hash of the bits of numbers.
class Bits {
 public:
  void add(std::span<const float> numbers) {
    for (const float number : numbers) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &number, sizeof bits);
      hash_ = (hash_ ^ bits) * 1099511628211ULL;
    }
  }
  [[nodiscard]] unsigned long long value() const { return hash_; }

 private:
  unsigned long long hash_ = 14695981039346656037ULL;
};

TokenId random_token(std::mt19937& random, std::size_t vocabulary) {
  return static_cast<TokenId>(random() % vocabulary);
}

float difference_of(EncoderNetwork& network, const test::NetworkCase& expected) {
  std::vector<MaskedQuery> queries;
  for (std::uint32_t p = 0; p < expected.tokens.size(); ++p)
    queries.push_back({expected.tokens, p});
  EmbeddingMatrix logits = expected.logits * 0;
  network.evaluate(queries, test::into_rows(logits));
  return std::max(test::relative_difference(logits, expected.logits),
                  test::relative_difference(network.hidden(expected.tokens), expected.hidden));
}

float difference_of(DecoderNetwork& network, const test::NetworkCase& expected) {
  EmbeddingMatrix logits = expected.logits * 0;
  network.evaluate(expected.tokens, test::into_rows(logits));
  return test::relative_difference(logits, expected.logits);
}

Bits bits_of(EncoderNetwork& network) {
  std::mt19937 random(1);
  std::vector<MaskedQuery> queries(2000);
  for (MaskedQuery& query : queries) {
    query.sequence.resize(1 + random() % network.context_length());
    for (TokenId& t : query.sequence) t = random_token(random, network.vocabulary_size());
    query.position = static_cast<std::uint32_t>(random() % query.sequence.size());
  }
  Bits bits;
  network.evaluate(queries, [&](std::uint32_t, std::span<const float> row) { bits.add(row); });
  return bits;
}

Bits bits_of(DecoderNetwork& network) {
  std::mt19937 random(1);
  TokenTree tree;
  std::vector<NodeId> wanted;
  while (tree.size() < 3000) {
    const auto parent = static_cast<NodeId>(random() % tree.size());
    if (tree.depth(parent) >= network.context_length()) continue;
    const std::size_t before = tree.size();
    const NodeId node = tree.add(parent, random_token(random, network.vocabulary_size()));
    if (tree.size() > before) wanted.push_back(node);
  }
  Bits bits;
  network.evaluate(tree, wanted, [&](NodeId, std::span<const float> row) { bits.add(row); });
  network.release(tree, TokenTree::root);
  return bits;
}

template <class Network, class Config>
void print(const std::filesystem::path& folder, const Config& config) {
  Network network = Network::read(folder, config);
  float difference = 0;
  for (const test::NetworkCase& expected : test::network_cases(folder.filename().string())) {
    difference = std::max(difference, difference_of(network, expected));
  }
  std::printf(R"({"network": "%s", "lanes": %zu, "difference": %g, "bits": "%016llx"})"
              "\n",
              folder.filename().c_str(), network_kernels().lanes, static_cast<double>(difference),
              bits_of(network).value());
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path folder = argv[i];
    network_kind(folder) == NetworkKind::masked
        ? print<EncoderNetwork>(folder, read_encoder_config(folder))
        : print<DecoderNetwork>(folder, read_decoder_config(folder));
  }
  return 0;
}
