// SPDX-License-Identifier: Apache-2.0

// logits_of_tokens FOLDER < SEQUENCES > ROWS
//
// The logits that a causal model in a Hugging Face folder gives after each token of each sequence, for
// comparison with another program. A line of input is one sequence of token ids with spaces between; the
// output is F32 numbers, a row of the vocabulary for each token. Each sequence is evaluated by itself, or,
// with `tree` as a second argument, all as one tree.

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/core/token_tree.hpp"
#include "plumb/huggingface/decoder_architectures.hpp"
#include "plumb/huggingface/decoder_network.hpp"

using namespace plumb;

int main(int argc, char** argv) try {
  if (argc < 2) return 2;
  DecoderNetwork network = DecoderNetwork::read(argv[1], read_decoder_config(argv[1]));
  const auto write = [](std::span<const float> row) {
    std::fwrite(row.data(), sizeof(float), row.size(), stdout);
  };
  std::vector<std::vector<TokenId>> sequences;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    sequences.emplace_back();
    for (TokenId id = 0; words >> id;) sequences.back().push_back(id);
  }
  if (argc > 2 && std::string_view(argv[2]) == "tree") {
    TokenTree tree;
    std::vector<NodeId> ends;
    for (const auto& sequence : sequences) ends.push_back(tree.insert(sequence));
    std::vector<std::vector<float>> rows(tree.size());
    std::vector<NodeId> wanted;
    for (NodeId node = 1; node < tree.size(); ++node) wanted.push_back(node);
    network.evaluate(tree, wanted, [&](NodeId node, std::span<const float> row) {
      rows[node].assign(row.begin(), row.end());
    });
    for (const NodeId end : ends) {
      std::vector<NodeId> path;
      for (NodeId node = end; node != TokenTree::root; node = tree.parent(node)) path.push_back(node);
      for (auto node = path.rbegin(); node != path.rend(); ++node) write(rows[*node]);
    }
    return 0;
  }
  for (const auto& sequence : sequences) {
    network.evaluate(sequence, [&](std::uint32_t, std::span<const float> row) { write(row); });
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
