// SPDX-License-Identifier: Apache-2.0

// How much does a long shared prefix slow a causal model from a Hugging Face folder?
//
//   nodes_after_prefix [nodes] [rounds] [prefix …]
// A random network of OPT-125M's size stores a prefix of the given number of tokens, then evaluates
// and releases branches of four tokens after it. The prefixes are timed in turn. Prints the nodes
// per second for each prefix, and the ratio of the last rate to the first.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/huggingface/decoder_architectures.hpp"
#include "plumb/detail/huggingface/decoder_network.hpp"

namespace {

using namespace plumb::detail;

constexpr std::size_t hidden = 768, inner = 3072, layers = 12, positions = 2048, vocabulary = 50272;

/// Writes config.json and a model.safetensors of random BF16 weights: 250 MB.
void write_folder(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "config.json")
      << R"({"model_type": "opt", "hidden_size": 768, "word_embed_proj_dim": 768, "ffn_dim": 3072,)"
      << R"( "num_hidden_layers": 12, "num_attention_heads": 12, "vocab_size": 50272,)"
      << R"( "max_position_embeddings": 2048, "activation_function": "relu",)"
      << R"( "do_layer_norm_before": true})";
  std::vector<std::pair<std::string, std::vector<std::size_t>>> tensors{
      {"model.decoder.embed_tokens.weight", {vocabulary, hidden}},
      {"model.decoder.embed_positions.weight", {positions + 2, hidden}},
      {"model.decoder.final_layer_norm.weight", {hidden}},
      {"model.decoder.final_layer_norm.bias", {hidden}}};
  const auto add = [&](const std::string& name, std::vector<std::size_t> weight) {
    tensors.push_back({name + ".bias", {weight[0]}});
    tensors.push_back({name + ".weight", std::move(weight)});
  };
  for (std::size_t l = 0; l < layers; ++l) {
    const std::string layer = "model.decoder.layers." + std::to_string(l) + ".";
    for (const char* part : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
      add(layer + "self_attn." + part, {hidden, hidden});
    }
    add(layer + "self_attn_layer_norm", {hidden});
    add(layer + "final_layer_norm", {hidden});
    add(layer + "fc1", {inner, hidden});
    add(layer + "fc2", {hidden, inner});
  }
  std::string header;
  std::size_t bytes = 0;
  for (const auto& [name, shape] : tensors) {
    const std::size_t size = std::accumulate(shape.begin(), shape.end(), std::size_t{2},
                                             std::multiplies<>());  // two bytes each
    header += (header.empty() ? "{\"" : ",\"") + name + R"(":{"dtype":"BF16","shape":[)" +
              std::to_string(shape[0]) +
              (shape.size() > 1 ? "," + std::to_string(shape[1]) : std::string()) +
              R"(],"data_offsets":[)" + std::to_string(bytes) + "," + std::to_string(bytes + size) +
              "]}";
    bytes += size;
  }
  header += "}";
  std::ofstream file(folder / "model.safetensors", std::ios::binary);
  const std::uint64_t length = header.size();
  file.write(reinterpret_cast<const char*>(&length), sizeof length) << header;
  RandomStream random(0, "weights");
  std::vector<std::uint16_t> numbers(1 << 20);
  for (std::uint16_t& number : numbers) {  // within ±0.04, with the sign in the highest bit
    const auto value = static_cast<float>(0.08 * random.uniform() - 0.04);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    number = static_cast<std::uint16_t>(bits >> 16);
  }
  for (std::size_t written = 0; written < bytes;) {
    const std::size_t part = std::min(bytes - written, numbers.size() * sizeof numbers[0]);
    file.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(part));
    written += part;
  }
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Nodes per second after a prefix of random tokens.
double rate(DecoderNetwork& network, std::size_t prefix, std::size_t nodes, RandomStream& random) {
  const auto token = [&] { return static_cast<TokenId>(random.below(vocabulary)); };
  TokenTree tree;
  std::vector<TokenId> tokens(prefix);
  for (TokenId& t : tokens) t = token();
  const NodeId end = tree.insert(tokens);
  const auto ignore = [](NodeId, std::span<const float>) {};
  network.embed(tree, std::vector<NodeId>{end}, ignore);
  std::vector<NodeId> wanted;
  while (tree.size() < prefix + 1 + nodes) {
    NodeId at = end;
    for (int i = 0; i < 4 && tree.size() < prefix + 1 + nodes; ++i) at = tree.add(at, token());
    wanted.push_back(at);
  }
  const auto start = std::chrono::steady_clock::now();
  network.embed(tree, wanted, ignore);
  const auto end_time = std::chrono::steady_clock::now();
  network.release(tree, TokenTree::root);
  return static_cast<double>(nodes) / std::chrono::duration<double>(end_time - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
  const std::size_t nodes = argc > 1 ? number(1) : 256, rounds = argc > 2 ? number(2) : 5;
  std::vector<std::size_t> prefixes;
  for (int i = 3; i < argc; ++i) prefixes.push_back(number(i));
  if (prefixes.empty()) prefixes = {16, 1900};
  std::printf("OPT-125M's size, random, %zu nodes in branches of 4, %zu rounds in turn\n", nodes,
              rounds);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "plumb-nodes-behind-prefix";
  write_folder(folder);
  DecoderNetwork network = DecoderNetwork::read(folder, read_decoder_config(folder));
  std::filesystem::remove_all(folder);
  RandomStream random(0, "tokens");
  std::vector<std::vector<double>> rates(prefixes.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t p = 0; p < prefixes.size(); ++p) {
      rates[p].push_back(rate(network, prefixes[p], nodes, random));
    }
  }
  for (std::size_t p = 0; p < prefixes.size(); ++p) {
    const auto [least, most] = std::minmax_element(rates[p].begin(), rates[p].end());
    std::printf("after %zu tokens: %.1f nodes/s (from %.1f to %.1f)\n", prefixes[p],
                middle(rates[p]), *least, *most);
  }
  std::printf("last over first: %.2f\n", middle(rates.back()) / middle(rates.front()));
  return 0;
}
