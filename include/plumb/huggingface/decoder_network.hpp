// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a causal language model predict after each prefix of a token tree?
//
// OPT in both its shapes (layer norms before, or after with projections between embeddings and
// layers, as the 350M) and GPT-2. Nodes that are computed in one call go through a layer together,
// children with parents: all are in one product, then each attends to its own path, whose keys and
// values are kept for each node (node_cache.hpp), those of a few neighbours together. Positions are depths; BOS is the caller's. A
// row's numbers depend on its own prefix alone, bit by bit (packed_matrix.hpp).
// Memory: the weights in F32; for each held node 2 · layers · hidden numbers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/backend/concepts.hpp"
#include "plumb/backend/evaluate.hpp"
#include "plumb/core/error.hpp"
#include "plumb/core/number_words.hpp"
#include "plumb/core/parallel.hpp"
#include "plumb/huggingface/model_config.hpp"
#include "plumb/huggingface/network_names.hpp"
#include "plumb/huggingface/node_cache.hpp"
#include "plumb/huggingface/packed_matrix.hpp"
#include "plumb/huggingface/transformer_layer.hpp"
#include "plumb/huggingface/weight_reader.hpp"

namespace plumb {

/// What TreeCausalLm and TreeEmbedder ask beside a tokenizer. Not thread-safe: one thread at a time
/// asks, and as many as OpenMP has compute.
class DecoderNetwork {
 public:
  /// Throws a user error for weights that are missing, damaged or of other shapes.
  [[nodiscard]] static DecoderNetwork read(const std::filesystem::path& folder,
                                           const ModelConfig& config) {
    return DecoderNetwork(folder, config);
  }

  [[nodiscard]] std::size_t vocabulary_size() const noexcept { return config_.vocabulary; }
  [[nodiscard]] std::size_t context_length() const noexcept { return config_.positions; }
  /// Numbers in a hidden vector: what stands before the decoder, so after OPT's projection.
  [[nodiscard]] std::size_t dimension() const noexcept { return config_.embedding; }

  [[nodiscard]] TreeLimits tree_limits() const {
    const std::size_t nodes = std::max<std::size_t>(most_nodes, context_length());
    return {nodes, nodes, batch_size, 1};
  }

  /// Calls `visit(position, logits)` for each position, in order. What was held is released.
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    evaluate_as_tree(*this, sequence, visit);
  }

  /// As TreeCausalLm asks; rows come in the order of their nodes, on this thread. Throws a user
  /// error for a prefix past the positions and a token past the vocabulary, an internal one for a
  /// tree past the limits.
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    hold(tree, wanted, [&](std::span<const NodeId> nodes, const std::vector<float>& rows) {
      const PackedMatrix& decoder = config_.tied ? tokens_ : decoder_;
      std::vector<float> logits((std::min)(nodes.size(), logit_rows) * config_.vocabulary);
      for (std::size_t first = 0; first < nodes.size(); first += logit_rows) {
        const std::size_t count = (std::min)(logit_rows, nodes.size() - first);
        decoder.multiply_shared(rows.data() + first * dimension(), count, dimension(),
                                logits.data(), config_.vocabulary);
        for (std::size_t i = 0; i < count; ++i) {
          visit(nodes[first + i], {logits.data() + i * config_.vocabulary, config_.vocabulary});
        }
      }
    });
  }

  /// As TreeEmbedder asks: transformers' last hidden state. The decoder is not computed. Throws as
  /// `evaluate` does.
  void embed(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    hold(tree, wanted, [&](std::span<const NodeId> nodes, const std::vector<float>& rows) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        visit(nodes[i], {rows.data() + i * dimension(), dimension()});
      }
    });
  }

  /// Says how many nodes a tree will grow to, so that memory is taken once.
  void reserve(std::size_t nodes) { cache_.reserve((std::min)(nodes, tree_limits().nodes)); }

  void release(const TokenTree& tree, NodeId node) { cache_.release(tree, node); }

 private:
  // Nodes whose activations are held at once, rows of one product, and rows of logits at once. None
  // of them changes a number.
  static constexpr std::size_t batch_size = 512, most_rows = 96, least_rows = 12, logit_rows = 48;
  static constexpr std::size_t most_nodes = 8192, tile = SeenSlots::most_queries;

  DecoderNetwork(const std::filesystem::path& folder, const ModelConfig& config) : config_(config) {
    const Safetensors tensors(folder);
    const DecoderNames names = decoder_names(config.architecture);
    const WeightReader reader(tensors, folder, names.prefix);
    const std::size_t embedding = config.embedding, hidden = config.hidden;
    tokens_ = reader.matrix(names.tokens, config.vocabulary, embedding);
    positions_ = reader.rows(names.positions, config.first_position + config.positions, hidden);
    if (embedding != hidden) {
      project_in_ = reader.linear("decoder.project_in", hidden, embedding, false);
      project_out_ = reader.linear("decoder.project_out", embedding, hidden, false);
    }
    for (std::size_t l = 0; l < config.layers; ++l) {
      const std::string layer = names.layer + std::to_string(l) + ".";
      layers_.push_back(TransformerLayer::read(reader, layer, names.in_layer, config));
    }
    if (config.final_norm) {
      final_norm_ =
          reader.norm(names.final_norm, hidden, config.norm_epsilon, config.has_norm_weights);
    }
    if (config.tied) {
      reader.check_tied("lm_head.weight", names.tokens, {config.vocabulary, embedding});
    } else {
      decoder_ = reader.matrix("lm_head.weight", config.vocabulary, embedding);
    }
    cache_ = NodeCache(config.layers, config.heads, hidden / config.heads);
  }

  void(check)(const TokenTree& tree, std::span<const NodeId> nodes) const {
    for (const NodeId node : nodes) {
      if (tree.depth(node) > context_length()) {
        throw user_error({.field = "evaluate"},
                         "a sequence has " + counted(tree.depth(node), "token") +
                             ", the model takes " + std::to_string(context_length()),
                         "choose shorter texts or a model with more positions");
      }
      const TokenId token = tree.token(node);
      if (token < 0 || static_cast<std::size_t>(token) >= vocabulary_size()) {
        throw user_error({.field = "evaluate"},
                         "token " + std::to_string(token) + " is past the model's " +
                             std::to_string(vocabulary_size()) + " embeddings",
                         "take tokenizer and weights of one model");
      }
    }
    if (cache_.held() + nodes.size() > tree_limits().nodes) {
      throw internal_error(
          {},
          "a tree of " + std::to_string(cache_.held() + nodes.size()) + " nodes is past the limit",
          "release nodes or respect tree_limits()");
    }
  }

  /// Computes what the wanted nodes need, batch by batch; calls `show(nodes, rows)` with those of
  /// the wanted nodes that are in a batch and their last hidden vectors.
  template <class Show>
  void hold(const TokenTree& tree, std::span<const NodeId> wanted, const Show& show) {
    const std::vector<NodeId> nodes = cache_.missing(tree, wanted);
    (check)(tree, nodes);
    std::vector<bool> is_wanted(tree.size(), false);
    for (const NodeId node : wanted) is_wanted[node] = true;
    cache_.take(nodes);
    for (std::size_t first = 0; first < nodes.size(); first += batch_size) {
      const std::span<const NodeId> batch =
          std::span(nodes).subspan(first, (std::min)(batch_size, nodes.size() - first));
      std::vector<NodeId> shown;
      std::vector<float> rows = through_layers(tree, batch);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!is_wanted[batch[i]]) continue;
        std::copy_n(rows.data() + i * config_.hidden, config_.hidden,
                    rows.data() + shown.size() * config_.hidden);
        shown.push_back(batch[i]);
      }
      rows.resize(shown.size() * config_.hidden);
      finish(rows, shown.size());
      show(std::span<const NodeId>(shown), rows);
    }
  }

  /// Calls `work(first, count)` for blocks of rows that begin with a tile, shared among threads.
  template <class Work>
  static void for_blocks(std::size_t rows, Work work) {
    const std::size_t part = std::clamp((rows + 7) / 8, least_rows, most_rows);
    const std::size_t size = (part + tile - 1) / tile * tile;
    parallel_for((rows + size - 1) / size,
                 [&](std::size_t b) { work(b * size, (std::min)(size, rows - b * size)); });
  }

  [[nodiscard]] std::vector<float> through_layers(const TokenTree& tree,
                                                  std::span<const NodeId> nodes) {
    const std::size_t hidden = config_.hidden;
    std::vector<float> rows(nodes.size() * hidden), queries(rows.size());
    for_blocks(nodes.size(), [&](std::size_t first, std::size_t count) {
      embed_nodes(tree, nodes.subspan(first, count), rows.data() + first * hidden);
    });
    std::vector<SeenSlots> seen((nodes.size() + tile - 1) / tile);
    parallel_for(seen.size(), [&](std::size_t t) {
      const std::size_t count = (std::min)(tile, nodes.size() - t * tile);
      seen[t] = cache_.seen_by(tree, nodes.subspan(t * tile, count));
    });
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const TransformerLayer& layer = layers_[l];
      for_blocks(nodes.size(), [&](std::size_t first, std::size_t count) {
        std::vector<float> input(rows.begin() + offset(first),
                                 rows.begin() + offset(first + count));
        if (config_.norm_before) layer.attention_norm.apply(input.data(), count, hidden);
        std::vector<float> projected(count * 3 * hidden);
        layer.query_key_value.multiply(input.data(), count, hidden, projected.data(), 3 * hidden);
        for (std::size_t i = 0; i < count; ++i) {
          const float* from = projected.data() + i * 3 * hidden;
          std::copy_n(from, hidden, queries.data() + (first + i) * hidden);
          cache_.set(l, nodes[first + i], from + hidden);
        }
      });
      for_blocks(nodes.size(), [&](std::size_t first, std::size_t count) {
        std::vector<float> gathered(count * hidden), scratch;
        for (std::size_t h = 0; h < config_.heads; ++h) {  // tiles of one head read the same keys
          for (std::size_t i = 0; i < count; i += tile) {
            attend(cache_.layer(l), h, seen[(first + i) / tile],
                   queries.data() + (first + i) * hidden, (std::min)(tile, count - i), hidden,
                   gathered.data() + i * hidden, scratch);
          }
        }
        layer.finish(gathered, std::span(rows).subspan(first * hidden, count * hidden),
                     config_.norm_before);
      });
    }
    return rows;
  }

  [[nodiscard]] std::ptrdiff_t offset(std::size_t row) const {
    return static_cast<std::ptrdiff_t>(row * config_.hidden);
  }

  void embed_nodes(const TokenTree& tree, std::span<const NodeId> nodes, float* rows) const {
    const std::size_t hidden = config_.hidden, embedding = config_.embedding;
    std::vector<float> tokens(nodes.size() * embedding, 0.0F);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      tokens_.add_output_to(static_cast<std::size_t>(tree.token(nodes[i])),
                            tokens.data() + i * embedding);
    }
    if (embedding != hidden) {
      project_in_.multiply(tokens.data(), nodes.size(), embedding, rows, hidden);
    } else {
      std::copy(tokens.begin(), tokens.end(), rows);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::size_t position = config_.first_position + tree.depth(nodes[i]) - 1;
      for (std::size_t k = 0; k < hidden; ++k) {
        rows[i * hidden + k] += positions_[position * hidden + k];
      }
    }
  }

  /// From the last layer to the last hidden vector.
  void finish(std::vector<float>& rows, std::size_t count) const {
    if (config_.final_norm) final_norm_.apply(rows.data(), count, config_.hidden);
    if (config_.embedding == config_.hidden) return;
    std::vector<float> narrow(count * config_.embedding);
    project_out_.multiply(rows.data(), count, config_.hidden, narrow.data(), config_.embedding);
    rows.swap(narrow);
  }

  ModelConfig config_;
  PackedMatrix tokens_, project_in_, project_out_, decoder_;  // tokens_ decodes where it is tied
  std::vector<float> positions_;
  LayerNorm final_norm_;
  std::vector<TransformerLayer> layers_;
  NodeCache cache_;
};

}  // namespace plumb
