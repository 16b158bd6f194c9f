// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a causal language model predict after each prefix of a token tree?
//
// One network implements all architectures; DecoderConfig specifies its parts. Each layer processes
// all nodes of a call together, children alongside their parents; only the last layer stops after
// attention for nodes whose row is not wanted. A single matrix product covers all nodes. Then each
// node attends to its own path; a few neighbouring nodes are processed at a time. The keys and
// values of each node are stored (node_cache.hpp). A token's position is its node's depth; the
// caller adds BOS. A row's numbers depend only on its own prefix, bit for bit (packed_matrix.hpp).
// Memory: the weights in the type in which they are stored, and 2 · layers · key_heads · head_size
// numbers for each node in the cache.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/evaluate.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/huggingface/attention.hpp"
#include "plumb/detail/huggingface/decoder_config.hpp"
#include "plumb/detail/huggingface/decoder_layer.hpp"
#include "plumb/detail/huggingface/node_cache.hpp"
#include "plumb/detail/huggingface/other_ways.hpp"
#include "plumb/detail/huggingface/packed_matrix.hpp"
#include "plumb/detail/huggingface/rotary.hpp"
#include "plumb/detail/huggingface/safetensors.hpp"
#include "plumb/detail/huggingface/stored_tensors.hpp"
#include "plumb/detail/huggingface/weight_reader.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Provides everything that TreeCausalLm and TreeEmbedder require except a tokenizer. Not
/// thread-safe: only one thread at a time may call it. Within a call, the computation uses as many
/// threads as OpenMP provides.
class DecoderNetwork {
 public:
  /// Throws a user error for weights that are missing, are damaged or have the wrong shape.
  [[nodiscard]] static DecoderNetwork read(const std::filesystem::path& folder,
                                           const DecoderConfig& config,
                                           ProductType products = ProductType::exact) {
    const Safetensors tensors(folder);
    detail::refuse_quantized(tensors, folder, false);
    return DecoderNetwork(tensors, folder, config, products);
  }
  /// Does the same with tensors that were already read. `place` is the path of the file or folder
  /// that contains them.
  [[nodiscard]] static DecoderNetwork read(const StoredTensors& tensors,
                                           const std::filesystem::path& place,
                                           const DecoderConfig& config) {
    return DecoderNetwork(tensors, place, config, ProductType::exact);
  }

  [[nodiscard]] std::size_t vocabulary_size() const noexcept { return config_.vocabulary; }
  /// The type of the weights in memory, which is the type of the token embeddings.
  [[nodiscard]] WeightType weight_type() const noexcept { return tokens_.type(); }
  [[nodiscard]] std::size_t context_length() const noexcept { return config_.positions; }
  /// The size of a hidden vector. Hidden vectors are the decoder's input, so OPT's hidden vectors
  /// are taken after its projection.
  [[nodiscard]] std::size_t dimension() const noexcept { return config_.embedding; }

  [[nodiscard]] TreeLimits tree_limits() const { return limits_of(context_length()); }
  /// The limits of a network with a context of `context` tokens.
  [[nodiscard]] static TreeLimits limits_of(std::size_t context) {
    const std::size_t nodes = std::max<std::size_t>(most_nodes, context);
    return {nodes, nodes, batch_size, 1};
  }

  /// Calls `visit(position, logits)` for each position, in order. Releases all nodes from earlier
  /// calls.
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    evaluate_as_tree(*this, sequence, visit);
  }

  /// As TreeCausalLm requires. Rows are visited in the order of their nodes, on the calling thread.
  /// Throws a user error for a prefix longer than the context and for a token outside the
  /// vocabulary, and an internal error for a tree that exceeds the limits.
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    hold(tree, wanted, [&](std::span<const NodeId> nodes, const std::vector<float>& rows) {
      const PackedMatrix& decoder = config_.tied ? tokens_ : head_;
      std::vector<float>& logits = buffers_.logits;
      logits.resize(
          (std::max)(logits.size(), (std::min)(nodes.size(), logit_rows) * config_.vocabulary));
      for (std::size_t first = 0; first < nodes.size(); first += logit_rows) {
        const std::size_t count = (std::min)(logit_rows, nodes.size() - first);
        decoder.multiply_shared(rows.data() + first * dimension(), count, dimension(),
                                logits.data(), config_.vocabulary);
        finish_logits({logits.data(), count * config_.vocabulary});
        for (std::size_t i = 0; i < count; ++i) {
          visit(nodes[first + i], {logits.data() + i * config_.vocabulary, config_.vocabulary});
        }
      }
    });
  }

  /// The names of stored tensors that the network does not read.
  [[nodiscard]] const std::vector<std::string>& unread() const noexcept { return unread_; }

  /// As TreeEmbedder requires. The vectors equal transformers' last hidden state; logits are not
  /// computed. Throws like `evaluate`.
  void embed(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    hold(tree, wanted, [&](std::span<const NodeId> nodes, const std::vector<float>& rows) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        visit(nodes[i], {rows.data() + i * dimension(), dimension()});
      }
    });
  }

  /// Announces the number of nodes that a tree will have, so that memory is allocated only once.
  void reserve(std::size_t nodes) { cache_.reserve((std::min)(nodes, tree_limits().nodes)); }

  void release(const TokenTree& tree, NodeId node) { cache_.release(tree, node); }

 private:
  // The maximum number of nodes whose activations are in memory at the same time, and the maximum
  // number of rows of logits. These numbers do not affect results.
  static constexpr std::size_t batch_size = 512, logit_rows = 96;
  static constexpr std::size_t most_nodes = 8192;

  DecoderNetwork(const StoredTensors& tensors, const std::filesystem::path& place,
                 const DecoderConfig& config, ProductType products)
      : config_(config) {
    const DecoderNames& names = config.names;
    const WeightReader reader(tensors, place, config.prefixes(), products);
    const std::size_t embedding = config.embedding, hidden = config.hidden;
    const std::string head = names.head + ".weight";
    if (config.unties_by_stored_head && reader.find(head) != nullptr) config_.tied = false;
    const std::string& tokens = config_.tied ? reader.stored(names.tokens, head) : names.tokens;
    tokens_ = reader.matrix(tokens, config.vocabulary, embedding);
    if (!names.positions.empty()) {
      positions_ = reader.rows(names.positions, config.first_position + config.positions, hidden);
    }
    if (!names.embedding_norm.empty()) {
      embedding_norm_ = reader.norm(names.embedding_norm, hidden, config.norm);
    }
    if (embedding != hidden) {
      project_in_ = reader.linear(names.project_in, hidden, embedding, false);
      project_out_ = reader.linear(names.project_out, embedding, hidden, false);
    }
    for (std::size_t l = 0; l < config.layers; ++l) {
      layers_.emplace_back(reader, names.layer + std::to_string(l) + ".", config);
    }
    if (config.has_final_norm) final_norm_ = reader.norm(names.final_norm, hidden, config.norm);
    if (config_.tied) {
      reader.check_tied(head, tokens, {config.vocabulary, embedding});
      if (config.has_head_bias) {
        tokens_.set_bias(0, reader.vector(names.head + ".bias", config.vocabulary));
      }
    } else {
      head_ = reader.linear(names.head, config.vocabulary, embedding, config.has_head_bias);
    }
    unread_ = reader.unread();
    cache_ = NodeCache(config.layers, config.key_heads, config.head_size);
    key_biases_.resize(config.slopes.size());
  }

  void(check)(const TokenTree& tree, std::span<const NodeId> nodes) const {
    for (const NodeId node : nodes) {
      if (tree.depth(node) > context_length()) {
        throw user_error({.field = "evaluate"},
                         "a sequence has " + counted(tree.depth(node), "token") +
                             "; the model's limit is " + std::to_string(context_length()),
                         "use shorter texts or a model with more positions");
      }
      const TokenId token = tree.token(node);
      if (token < 0 || static_cast<std::size_t>(token) >= vocabulary_size()) {
        throw user_error({.field = "evaluate"},
                         "token " + std::to_string(token) + " is outside the model's " +
                             std::to_string(vocabulary_size()) + " embeddings",
                         "use the tokenizer and weights of the same model");
      }
    }
    if (cache_.held() + nodes.size() > tree_limits().nodes) {
      throw internal_error(
          {},
          "a tree of " + std::to_string(cache_.held() + nodes.size()) + " nodes exceeds the limit",
          "release nodes or stay within tree_limits()");
    }
  }

  /// Computes, in batches, the wanted nodes and all their ancestors that are not in the cache. For
  /// each batch, calls `show(nodes, rows)` with the batch's wanted nodes and their last hidden
  /// vectors.
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
      std::vector<std::size_t> places;  // of the wanted nodes in the batch
      std::vector<NodeId> shown;
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!is_wanted[batch[i]]) continue;
        places.push_back(i);
        shown.push_back(batch[i]);
      }
      std::vector<float>& rows = through_layers(tree, batch, places);
      finish(rows, shown.size());
      show(std::span<const NodeId>(shown), rows);
    }
  }

  /// The slots that each tile of nodes sees in layers whose window has `window` tokens.
  [[nodiscard]] std::vector<SeenSlots> seen_by(const TokenTree& tree, std::span<const NodeId> nodes,
                                               std::size_t window) const {
    std::vector<SeenSlots> seen((nodes.size() + tile_ - 1) / tile_);
    parallel_for(seen.size(), [&](std::size_t t) {
      const std::size_t count = (std::min)(tile_, nodes.size() - t * tile_);
      seen[t] =
          cache_.seen_by(tree, nodes.subspan(t * tile_, count), window, !config_.slopes.empty());
    });
    return seen;
  }

  /// Computes the tables for positions 0 … count − 1.
  void prepare_positions(std::size_t count) {
    for (Rotary& rotary : config_.rotaries) rotary.prepare(count);
    for (std::size_t h = 0; h < key_biases_.size(); ++h) {
      for (std::size_t p = key_biases_[h].size(); p < count; ++p) {
        const float slope = config_.slopes[h], at = static_cast<float>(p);
        key_biases_[h].push_back(config_.rounds_slopes ? as_bfloat16(as_bfloat16(slope) * at) *
                                                             config_.attention_scale
                                                       : slope * at);
      }
    }
  }
  static float as_bfloat16(float number) {
    return widened(WeightType::bf16, narrowed(WeightType::bf16, number));
  }

  /// The rows of the nodes at `places` after the last layer; valid until the next call. For the
  /// other nodes, the last layer stops after attention; later nodes need their keys and values.
  [[nodiscard]] std::vector<float>& through_layers(const TokenTree& tree,
                                                   std::span<const NodeId> nodes,
                                                   std::span<const std::size_t> places) {
    const std::size_t hidden = config_.hidden, width = config_.query_size();
    std::vector<std::size_t> positions;
    for (const NodeId node : nodes) positions.push_back(tree.depth(node) - 1);
    prepare_positions(1 + *std::max_element(positions.begin(), positions.end()));
    std::vector<float>&rows = buffers_.rows, &gathered = buffers_.gathered,
    &projected = buffers_.projected;
    rows.resize(nodes.size() * hidden);
    gathered.resize(nodes.size() * width);
    for_row_blocks(nodes.size(), [&](std::size_t first, std::size_t count) {
      embed_nodes(tree, nodes.subspan(first, count), rows.data() + first * hidden);
    });
    std::map<std::size_t, std::vector<SeenSlots>> seen;  // by window
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      if (!seen.contains(config_.window(l))) {
        seen[config_.window(l)] = seen_by(tree, nodes, config_.window(l));
      }
    }
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      layers_[l].project(config_, rows, positions, config_.rotary(l), buffers_.input, projected);
      gather(l, nodes, seen.at(config_.window(l)), projected, gathered);
      if (l + 1 == layers_.size()) {
        keep_rows(places, width, gathered);
        keep_rows(places, hidden, rows);
        if (places.empty()) break;
      }
      layers_[l].finish(config_, gathered, rows, buffers_.input, buffers_.given, buffers_.between);
    }
    return rows;
  }

  /// Moves the rows at `places`, which are in ascending order, to the front and drops the others.
  static void keep_rows(std::span<const std::size_t> places, std::size_t width,
                        std::vector<float>& rows) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] != i) {
        std::copy_n(rows.data() + places[i] * width, width, rows.data() + i * width);
      }
    }
    rows.resize(places.size() * width);
  }

  /// Stores the nodes' keys and values, and computes the attention of their queries.
  void gather(std::size_t l, std::span<const NodeId> nodes, const std::vector<SeenSlots>& seen,
              const std::vector<float>& projected, std::vector<float>& gathered) {
    const std::size_t width = config_.query_size(), all = width + 2 * config_.key_size();
    for_row_blocks(nodes.size(), [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        cache_.set(l, nodes[i], projected.data() + i * all + width);
      }
    });
    const std::size_t group = config_.heads / config_.key_heads;
    // A unit of work is one key head and a few tiles, because the tiles of one head read the same
    // keys.
    const std::size_t tiles = std::max<std::size_t>(1, (seen.size() + 7) / 8);
    const std::size_t parts = (seen.size() + tiles - 1) / tiles;
    parallel_for(parts * config_.key_heads, [&](std::size_t piece) {
      const std::size_t part = piece / config_.key_heads, key_head = piece % config_.key_heads;
      std::vector<float> scratch;
      for (std::size_t t = part * tiles; t < (std::min)(seen.size(), (part + 1) * tiles); ++t) {
        const std::size_t count = (std::min)(tile_, nodes.size() - t * tile_);
        for (std::size_t h = key_head * group; h < (key_head + 1) * group; ++h) {
          const HeadScores scores{config_.attention_scale, config_.attention_cap,
                                  key_biases_.empty() ? nullptr : key_biases_[h].data()};
          const std::size_t at = h * config_.head_size;
          attend(cache_.layer(l), key_head, seen[t], scores,
                 projected.data() + t * tile_ * all + at, count, all,
                 gathered.data() + t * tile_ * width + at, width, scratch);
        }
      }
    });
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
    for (std::size_t i = 0; config_.embedding_scale != 1 && i < nodes.size() * hidden; ++i) {
      rows[i] *= config_.embedding_scale;
    }
    for (std::size_t i = 0; !positions_.empty() && i < nodes.size(); ++i) {
      const std::size_t position = config_.first_position + tree.depth(nodes[i]) - 1;
      for (std::size_t k = 0; k < hidden; ++k) {
        rows[i * hidden + k] += positions_[position * hidden + k];
      }
    }
    if (!config_.names.embedding_norm.empty()) {
      embedding_norm_.apply(rows, nodes.size(), hidden);
    }
  }

  /// Computes the last hidden vectors from the last layer's rows.
  void finish(std::vector<float>& rows, std::size_t count) const {
    if (config_.has_final_norm) final_norm_.apply(rows.data(), count, config_.hidden);
    if (config_.embedding == config_.hidden) return;
    std::vector<float> narrow(count * config_.embedding);
    project_out_.multiply(rows.data(), count, config_.hidden, narrow.data(), config_.embedding);
    rows.swap(narrow);
  }

  void finish_logits(std::span<float> logits) const {
    if (config_.logits_scale != 1) {
      for (float& x : logits) x *= config_.logits_scale;
    }
    if (config_.logits_cap > 0)
      network_kernels().cap(logits.data(), logits.size(), config_.logits_cap);
  }

  /// Kept between calls, so that memory is allocated only once.
  struct Buffers {
    std::vector<float> rows, input, projected, gathered, given, between, logits;
  };

  DecoderConfig config_;
  Buffers buffers_;
  std::size_t tile_ = SeenSlots::most_queries();  // nodes whose attention is computed together
  PackedMatrix tokens_, project_in_, project_out_, head_;  // tokens_ also serves as a tied head
  std::vector<float> positions_;
  Norm embedding_norm_, final_norm_;
  std::vector<DecoderLayer> layers_;
  NodeCache cache_;
  std::vector<std::string> unread_;
  std::vector<std::vector<float>> key_biases_;  // ALiBi's biases, [head][position]
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
