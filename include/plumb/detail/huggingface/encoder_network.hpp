// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a masked language model predict at a given position in a token sequence?
//
// One network implements all architectures; EncoderConfig specifies its parts: x = norm(token +
//   position + type), each layer as in decoder_layer.hpp, where a token sees every token, or those
//   within a window on either side, logits = decoder · norm(f(W x)) + bias.
// The sequences of a call are concatenated for the matrix products, so no padding is needed. The
// last layer and the head are computed only for the requested positions. Equal sequences and equal
// queries are computed only once. A row's numbers do not depend on the other queries
// (packed_matrix.hpp). Memory: the weights in their stored type, and the rows of one chunk of
// sequences for each thread.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/huggingface/attention.hpp"
#include "plumb/detail/huggingface/decoder_layer.hpp"
#include "plumb/detail/huggingface/distance_scores.hpp"
#include "plumb/detail/huggingface/encoder_config.hpp"
#include "plumb/detail/huggingface/masked_work.hpp"
#include "plumb/detail/huggingface/other_ways.hpp"
#include "plumb/detail/huggingface/packed_matrix.hpp"
#include "plumb/detail/huggingface/safetensors.hpp"
#include "plumb/detail/huggingface/weight_reader.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe: only one thread at a time may call it. Within a call, the computation uses as
/// many threads as OpenMP provides.
class EncoderNetwork {
 public:
  /// Throws a user error for weights that are missing, are damaged or have the wrong shape.
  [[nodiscard]] static EncoderNetwork read(const std::filesystem::path& folder,
                                           const EncoderConfig& config,
                                           ProductType products = ProductType::exact) {
    return EncoderNetwork(folder, config, products);
  }

  [[nodiscard]] std::size_t vocabulary_size() const noexcept { return config_.vocabulary; }
  /// The type of the weights in memory, which is the type of the token embeddings.
  [[nodiscard]] WeightType weight_type() const noexcept { return tokens_.type(); }
  /// The maximum number of tokens in a sequence, including the frame.
  [[nodiscard]] std::size_t context_length() const noexcept { return config_.positions; }
  /// The size of a hidden vector.
  [[nodiscard]] std::size_t dimension() const noexcept { return config_.hidden; }
  /// The number of queries so far, and how many of them were computed. The others were duplicates
  /// of queries in the same call.
  [[nodiscard]] std::uint64_t masked_inputs_asked() const noexcept { return asked_; }
  [[nodiscard]] std::uint64_t masked_inputs_computed() const noexcept { return computed_; }

  /// As MaskedLm requires: `visit(query, logits)` is called once per query, with the query's index,
  /// on the calling thread. Throws a user error for a sequence that is empty or longer than the
  /// context, a position outside the sequence, and a token outside the vocabulary.
  void evaluate(std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
    for (const MaskedQuery& query : queries) (check)(query.sequence, query.position);
    const MaskedWork work(queries);
    asked_ += queries.size();
    computed_ += work.places();
    std::size_t place = 0;
    const auto show = [&](std::span<const float> logits) {
      for (const std::uint32_t query : work.queries_at(place)) visit(query, logits);
      ++place;
    };
    for (std::size_t first = 0, last = 0; first < work.sequences().size(); first = last) {
      for (std::size_t held = 0; last < work.sequences().size() && held < wave; ++last) {
        held += work.sequences()[last].places.size();
      }
      predict(hidden_at(work.sequences().subspan(first, last - first)), show);
    }
  }

  /// The last hidden vectors of a sequence, [tokens, dimension()]. Throws like `evaluate`.
  [[nodiscard]] EmbeddingMatrix hidden(std::span<const TokenId> sequence) {
    (check)(sequence, 0);
    std::vector<MaskedSequence> works{{sequence, std::vector<std::uint32_t>(sequence.size())}};
    std::iota(works[0].places.begin(), works[0].places.end(), 0U);
    const std::vector<float> rows = hidden_at(works);
    return Eigen::Map<const EmbeddingMatrix>(rows.data(),
                                             static_cast<Eigen::Index>(sequence.size()),
                                             static_cast<Eigen::Index>(dimension()));
  }

 private:
  // The number of positions whose hidden vectors are in memory at the same time, the maximum and
  // minimum number of rows in a chunk, and the maximum number of rows of logits. These numbers do
  // not affect results.
  static constexpr std::size_t wave = 4096, most_rows = 192, least_rows = 24, logit_rows = 48;

  EncoderNetwork(const std::filesystem::path& folder, const EncoderConfig& config,
                 ProductType products)
      : config_(config) {
    const Safetensors tensors(folder);
    detail::refuse_quantized(tensors, folder, true);
    const DecoderNames& names = config.names;
    const WeightReader reader(tensors, folder, config.prefixes(), products);
    const std::size_t embedding = config.embedding, hidden = config.hidden;
    const std::string head = names.head + ".weight";
    const std::string& tokens = config.tied ? reader.stored(names.tokens, head) : names.tokens;
    tokens_ = reader.matrix(tokens, config.vocabulary, embedding);
    if (!names.positions.empty()) {
      positions_ =
          reader.rows(names.positions, config.first_position + config.positions, embedding);
    }
    if (config.token_types > 0) {
      type_ = reader.rows("embeddings.token_type_embeddings.weight", config.token_types, embedding);
      type_.resize(embedding);  // all tokens are of type 0
    }
    if (!names.project_in.empty()) {
      projection_ = reader.linear(names.project_in, hidden, embedding, config.has_projection_bias);
    }
    norm_ = reader.norm(names.embedding_norm, config.projects_before_norm ? hidden : embedding,
                        config.norm);
    for (const std::string& stored : config.stored_layers) {
      layers_.emplace_back(reader, names.layer + stored + ".", config,
                           config.first_layer_norms_input || !layers_.empty());
    }
    if (config.has_final_norm) final_norm_ = reader.norm(names.final_norm, hidden, config.norm);
    if (config.distances) read_distances(reader);
    read_head(reader, tokens);
  }

  void read_distances(const WeightReader& reader) {
    const DistanceShape& shape = *config_.distances;
    std::vector<float> rows =
        reader.rows("encoder.rel_embeddings.weight", 2 * shape.span, config_.hidden);
    if (shape.has_norm) {
      reader.norm("encoder.LayerNorm", config_.hidden, config_.norm)
          .apply(rows.data(), 2 * shape.span, config_.hidden);
    }
    distance_rows_ = DistanceRows(shape);
    for (std::size_t s = 0; s < layers_.size(); ++s) {
      distances_.emplace_back(reader, config_.names.layer + config_.stored_layers[s] + ".",
                              layers_[s], rows, config_);
    }
  }

  void read_head(const WeightReader& reader, const std::string& tokens) {
    const std::size_t vocabulary = config_.vocabulary, embedding = config_.embedding;
    const std::string decoder = config_.names.head + ".weight", bias = config_.names.head + ".bias";
    head_ =
        reader.linear(config_.head_dense, embedding, config_.hidden, config_.has_head_dense_bias);
    head_norm_ = reader.norm(config_.head_norm, embedding, config_.norm);
    const bool has_own_bias = reader.find(bias) != nullptr;
    const bool has_shared_bias = reader.find(config_.head_bias) != nullptr;
    if (config_.tied) {
      reader.check_tied(decoder, tokens, {vocabulary, embedding});
      if (has_shared_bias) reader.check_tied(bias, config_.head_bias, {vocabulary});
    } else {
      decoder_ = reader.matrix(decoder, vocabulary, embedding);
    }
    if (!config_.has_head_bias) return;
    const bool takes_own = has_own_bias && (!config_.tied || !has_shared_bias);
    const std::string& used = takes_own ? bias : config_.head_bias;
    (config_.tied ? tokens_ : decoder_).set_bias(0, reader.vector(used, vocabulary));
  }

  void(check)(std::span<const TokenId> sequence, std::size_t position) const {
    const auto refuse = [](const std::string& problem, const std::string& remedy) {
      throw user_error({.field = "evaluate"}, problem, remedy);
    };
    if (sequence.empty() || position >= sequence.size()) {
      refuse("position " + std::to_string(position) + ": the sequence has only " +
                 counted(sequence.size(), "token") + "; positions are counted from 0",
             "pass the position of a token in the sequence");
    }
    if (sequence.size() > context_length()) {
      refuse("a sequence has " + counted(sequence.size(), "token") + "; the model's limit is " +
                 std::to_string(context_length()),
             "use shorter texts or a model with more positions");
    }
    for (const TokenId token : sequence) {
      if (token >= 0 && static_cast<std::size_t>(token) < vocabulary_size()) continue;
      refuse("token " + std::to_string(token) + " is outside the model's " +
                 std::to_string(vocabulary_size()) + " embeddings",
             "use the tokenizer and weights of the same model");
    }
  }

  /// The last hidden vectors at all requested positions, in order, computed chunk by chunk.
  [[nodiscard]] std::vector<float> hidden_at(std::span<const MaskedSequence> works) {
    std::size_t rows = 0, places = 0, longest = 0;
    for (const MaskedSequence& work : works) {
      rows += work.sequence.size();
      longest = (std::max)(longest, work.sequence.size());
    }
    for (Rotary& rotary : config_.rotaries) rotary.prepare(longest);
    distance_rows_.prepare(longest);
    const std::size_t limit = std::clamp((rows + 7) / 8, least_rows, most_rows);
    std::vector<std::size_t> begins{0}, first_places{0};
    for (std::size_t w = 0, held = 0; w < works.size(); ++w) {
      if (held > 0 && held + works[w].sequence.size() > limit) {
        begins.push_back(w);
        first_places.push_back(places);
        held = 0;
      }
      held += works[w].sequence.size();
      places += works[w].places.size();
    }
    begins.push_back(works.size());
    std::vector<float> result(places * config_.hidden);
    parallel_for(first_places.size(), [&](std::size_t c) {
      compute(works.subspan(begins[c], begins[c + 1] - begins[c]),
              result.data() + first_places[c] * config_.hidden);
    });
    return result;
  }

  /// The first layer's input rows for the tokens of a chunk.
  [[nodiscard]] std::vector<float> embed(std::span<const MaskedSequence> works,
                                         std::size_t count) const {
    const std::size_t size = config_.embedding, hidden = config_.hidden;
    std::vector<float> rows(count * size, 0.0F);
    float* row = rows.data();
    for (const MaskedSequence& work : works) {
      std::size_t position = config_.first_position;
      for (const TokenId token : work.sequence) {
        const bool is_padding = config_.padding && token == *config_.padding;
        if (!positions_.empty()) {
          const std::size_t at = is_padding ? config_.first_position - 1 : position;
          std::copy_n(positions_.data() + at * size, size, row);
        }
        if (!is_padding) ++position;
        for (std::size_t k = 0; k < type_.size(); ++k) row[k] += type_[k];
        tokens_.add_output_to(static_cast<std::size_t>(token), row);
        row += size;
      }
    }
    if (!config_.projects_before_norm) norm_.apply(rows.data(), count, size);
    if (projection_.outputs() > 0) {
      std::vector<float> wide(count * hidden);
      projection_.multiply(rows.data(), count, size, wide.data(), hidden);
      rows.swap(wide);
    }
    if (config_.projects_before_norm) norm_.apply(rows.data(), count, hidden);
    return rows;
  }

  /// Computes all layers for one chunk. The last layer computes only the queries at the requested
  /// positions.
  void compute(std::span<const MaskedSequence> works, float* result) const {
    const std::size_t hidden = config_.hidden;
    std::vector<std::size_t> positions;  // by row
    for (const MaskedSequence& work : works) {
      for (std::size_t i = 0; i < work.sequence.size(); ++i) positions.push_back(i);
    }
    std::vector<float> rows = embed(works, positions.size());
    std::vector<float> input, projected, gathered, given, between;
    Scratch scratch{KeyValues(config_.heads, config_.head_size), {}, {}, {}};
    for (std::size_t l = 0; l < config_.path.size(); ++l) {
      const DecoderLayer& layer = layers_[config_.path[l]];
      const bool is_last = l + 1 == config_.path.size();
      layer.project(config_, rows, positions, config_.rotary(l), input, projected);
      std::vector<std::size_t> kept;  // the rows for the requested positions
      gathered.resize(positions.size() * hidden);
      std::size_t at = 0;
      for (const MaskedSequence& work : works) {
        const std::size_t length = work.sequence.size();
        std::vector<std::size_t> asked(work.places.begin(), work.places.end());
        if (!is_last) {
          asked.resize(length);
          std::iota(asked.begin(), asked.end(), std::size_t{0});
        }
        attend_to_sequence(l, projected.data() + at * 3 * hidden, asked, length,
                           gathered.data() + kept.size() * hidden, scratch);
        for (const std::size_t place : asked) kept.push_back(at + place);
        at += length;
      }
      for (std::size_t i = 0; is_last && i < kept.size(); ++i) {  // rows ascend
        std::copy_n(rows.data() + kept[i] * hidden, hidden, rows.data() + i * hidden);
      }
      rows.resize(kept.size() * hidden);
      gathered.resize(rows.size());
      layer.finish(config_, gathered, rows, input, given, between);
    }
    if (config_.has_final_norm) final_norm_.apply(rows.data(), rows.size() / hidden, hidden);
    std::copy(rows.begin(), rows.end(), result);
  }

  /// Reusable memory.
  struct Scratch {
    KeyValues held;
    std::vector<float> queries, added, weights;
  };

  /// Computes attention over a sequence in layer `l` for the queries at the positions `asked`.
  /// `projected` contains the sequence's queries, keys and values.
  void attend_to_sequence(std::size_t l, const float* projected, std::span<const std::size_t> asked,
                          std::size_t length, float* gathered, Scratch& scratch) const {
    const std::size_t hidden = config_.hidden, all = 3 * hidden, size = config_.head_size;
    const std::size_t tile = SeenSlots::most_queries();
    scratch.held.resize(length);
    for (std::size_t j = 0; j < length; ++j) {
      scratch.held.set(j, projected + j * all + hidden);
    }
    scratch.queries.resize(asked.size() * hidden);
    for (std::size_t q = 0; q < asked.size(); ++q) {
      std::copy_n(projected + asked[q] * all, hidden, scratch.queries.data() + q * hidden);
    }
    std::vector<SeenSlots> seen;  // by tile
    for (std::size_t i = 0; i < asked.size(); i += tile) {
      seen.push_back(
          seen_by(asked.subspan(i, (std::min)(tile, asked.size() - i)), length, config_.window(l)));
    }
    for (std::size_t h = 0; h < config_.heads; ++h) {
      const float* const queries = scratch.queries.data() + h * size;
      HeadScores scores{.scale = config_.attention_scale};
      if (!distances_.empty()) {
        distances_[config_.path[l]].add(distance_rows_, h, asked, length, queries, hidden,
                                        projected + hidden + h * size, all, scratch.added);
        scores.added_stride = length;
      }
      for (std::size_t i = 0; i < asked.size(); i += tile) {
        if (!distances_.empty()) scores.added = scratch.added.data() + i * length;
        attend(scratch.held, h, seen[i / tile], scores, queries + i * hidden,
               (std::min)(tile, asked.size() - i), hidden, gathered + i * hidden + h * size, hidden,
               scratch.weights);
      }
    }
  }

  /// The slots that tokens at these positions see in a sequence. Each token sees itself and
  /// `window` - 1 tokens on either side; 0 means all tokens. The positions must be ascending,
  /// and there may be at most SeenSlots::most_queries() of them.
  static SeenSlots seen_by(std::span<const std::size_t> places, std::size_t length,
                           std::size_t window) {
    if (window == 0 || window >= length) return {{{0, length}}, length, {}};
    const auto begin = [&](std::size_t place) { return place < window ? 0 : place - window + 1; };
    const auto end = [&](std::size_t place) { return (std::min)(length, place + window); };
    const std::size_t first = begin(places.front());
    SeenSlots seen{{{first, end(places.back()) - first}}, 0, {}};
    for (const std::size_t place : places) {
      std::vector<std::uint32_t>& own = seen.own.emplace_back();
      for (std::size_t j = begin(place); j < end(place); ++j) {
        own.push_back(static_cast<std::uint32_t>(j - first));
      }
    }
    return seen;
  }

  /// Calls `show(logits)` for each position, in order.
  template <class Show>
  void predict(const std::vector<float>& rows, const Show& show) const {
    const std::size_t hidden = config_.hidden, embedding = config_.embedding;
    const std::size_t places = rows.size() / hidden;
    const PackedMatrix& decoder = config_.tied ? tokens_ : decoder_;
    std::vector<float> head(places * embedding),
        logits((std::min)(places, logit_rows) * config_.vocabulary);
    parallel_for((places + most_rows - 1) / most_rows, [&](std::size_t c) {
      const std::size_t first = c * most_rows, count = (std::min)(most_rows, places - first);
      float* to = head.data() + first * embedding;
      head_.multiply(rows.data() + first * hidden, count, hidden, to, embedding);
      activate(config_.head_activation, {to, count * embedding});
      head_norm_.apply(to, count, embedding);
    });
    for (std::size_t first = 0; first < places; first += logit_rows) {
      const std::size_t count = (std::min)(logit_rows, places - first);
      decoder.multiply_shared(head.data() + first * embedding, count, embedding, logits.data(),
                              config_.vocabulary);
      for (std::size_t i = 0; i < count; ++i) {
        show(std::span<const float>(logits).subspan(i * config_.vocabulary, config_.vocabulary));
      }
    }
  }

  EncoderConfig config_;
  PackedMatrix tokens_, projection_, head_, decoder_;  // tokens_ also serves as a tied decoder
  std::vector<float> positions_, type_;
  Norm norm_, final_norm_, head_norm_;
  std::vector<DecoderLayer> layers_;  // by stored layer
  // by stored layer; empty if the model does not use distances
  std::vector<DistanceScores> distances_;
  DistanceRows distance_rows_;
  std::uint64_t asked_ = 0, computed_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
