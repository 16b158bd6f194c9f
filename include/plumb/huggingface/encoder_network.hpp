// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a masked language model predict at one place of a token sequence?
//
// BERT, RoBERTa, XLM-RoBERTa, ALBERT and DistilBERT with their masked-LM heads:
//   x = norm(token + position + type), each layer as in transformer_layer.hpp with every token seen,
//   logits = decoder · norm(f(W x)) + bias.
// All sequences of a call stand in the same products, one behind the other, so nothing is padded;
// in the last layer, and in the head, only places that are asked for are computed; equal sequences
// and equal questions once. A row's numbers do not depend on what else is asked (packed_matrix.hpp).
// Memory: the weights in F32, and the rows of one chunk of sequences for each thread.

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

#include "plumb/backend/concepts.hpp"
#include "plumb/core/error.hpp"
#include "plumb/core/number_words.hpp"
#include "plumb/core/parallel.hpp"
#include "plumb/huggingface/attention.hpp"
#include "plumb/huggingface/encoder_config.hpp"
#include "plumb/huggingface/masked_work.hpp"
#include "plumb/huggingface/network_names.hpp"
#include "plumb/huggingface/other_ways.hpp"
#include "plumb/huggingface/packed_matrix.hpp"
#include "plumb/huggingface/safetensors.hpp"
#include "plumb/huggingface/transformer_layer.hpp"
#include "plumb/huggingface/weight_reader.hpp"

namespace plumb {

/// Not thread-safe: one thread at a time asks, and as many as OpenMP has compute.
class EncoderNetwork {
 public:
  /// Throws a user error for weights that are missing, damaged or of other shapes.
  [[nodiscard]] static EncoderNetwork read(const std::filesystem::path& folder,
                                           const EncoderConfig& config) {
    return EncoderNetwork(folder, config);
  }

  [[nodiscard]] std::size_t vocabulary_size() const noexcept { return config_.vocabulary; }
  /// The type that the weights are held in, by that of the token embeddings.
  [[nodiscard]] WeightType weight_type() const noexcept { return tokens_.type(); }
  /// Tokens in the longest sequence, the frame included.
  [[nodiscard]] std::size_t context_length() const noexcept { return config_.positions; }
  /// Numbers in a hidden vector.
  [[nodiscard]] std::size_t dimension() const noexcept { return config_.hidden; }
  /// Queries so far, and how many of them were computed: the others were equal to one of their call.
  [[nodiscard]] std::uint64_t masked_inputs_asked() const noexcept { return asked_; }
  [[nodiscard]] std::uint64_t masked_inputs_computed() const noexcept { return computed_; }

  /// As MaskedLm asks: `visit(query, logits)` once for each query, by index, on this thread. Throws a
  /// user error for a sequence that is empty or past the positions, a position past its end, and a
  /// token past the vocabulary.
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

  /// The last hidden vectors of a sequence, [tokens, dimension()]. Throws as `evaluate` does.
  [[nodiscard]] EmbeddingMatrix hidden(std::span<const TokenId> sequence) const {
    (check)(sequence, 0);
    std::vector<MaskedSequence> works{{sequence, std::vector<std::uint32_t>(sequence.size())}};
    std::iota(works[0].places.begin(), works[0].places.end(), 0U);
    const std::vector<float> rows = hidden_at(works);
    return Eigen::Map<const EmbeddingMatrix>(rows.data(),
                                             static_cast<Eigen::Index>(sequence.size()),
                                             static_cast<Eigen::Index>(dimension()));
  }

 private:
  // Places whose hidden vectors are held at once, rows of a chunk, and rows of logits at once. None
  // of them changes a number.
  static constexpr std::size_t wave = 4096, most_rows = 192, least_rows = 24, logit_rows = 48;

  EncoderNetwork(const std::filesystem::path& folder, const EncoderConfig& config)
      : config_(config) {
    const Safetensors tensors(folder);
    detail::refuse_quantized(tensors, folder, true);
    const EncoderNames names = encoder_names(config.architecture);
    const WeightReader reader(tensors, folder, names.prefix);
    const std::size_t embedding = config.embedding, hidden = config.hidden;
    const std::string decoder = names.decoder + ".weight", bias = names.decoder + ".bias";
    const std::string embeddings = "embeddings.word_embeddings.weight";
    const std::string& tokens = config.tied ? reader.stored(embeddings, decoder) : embeddings;
    tokens_ = reader.matrix(tokens, config.vocabulary, embedding);
    positions_ = reader.rows("embeddings.position_embeddings.weight",
                             config.first_position + config.positions, embedding);
    if (config.token_types > 0) {
      type_ = reader.rows("embeddings.token_type_embeddings.weight", config.token_types, embedding);
      type_.resize(embedding);  // all tokens are of type 0
    }
    norm_ = reader.norm("embeddings.LayerNorm", embedding, {.epsilon = config.norm_epsilon});
    if (config.architecture == Architecture::albert) {
      projection_ = reader.linear("encoder.embedding_hidden_mapping_in", hidden, embedding);
      for (std::size_t g = 0; g < config.groups; ++g) {
        for (std::size_t i = 0; i < config.inner_groups; ++i) {
          const std::string layer =
              names.layer + std::to_string(g) + ".albert_layers." + std::to_string(i) + ".";
          layers_.push_back(TransformerLayer::read(reader, layer, names.in_layer, config));
        }
      }
      for (std::size_t l = 0; l < config.layers; ++l) {
        for (std::size_t i = 0; i < config.inner_groups; ++i) {
          path_.push_back(l * config.groups / config.layers * config.inner_groups + i);
        }
      }
    } else {
      for (std::size_t l = 0; l < config.layers; ++l) {
        const std::string layer = names.layer + std::to_string(l) + ".";
        layers_.push_back(TransformerLayer::read(reader, layer, names.in_layer, config));
        path_.push_back(l);
      }
    }
    head_ = reader.linear(names.head, embedding, hidden);
    head_norm_ = reader.norm(names.head_norm, embedding, {.epsilon = config.norm_epsilon});
    const bool has_own_bias = reader.find(bias) != nullptr;
    const bool has_shared_bias = reader.find(names.decoder_bias) != nullptr;
    if (config.tied) {
      reader.check_tied(decoder, tokens, {config.vocabulary, embedding});
      if (has_shared_bias) reader.check_tied(bias, names.decoder_bias, {config.vocabulary});
    } else {
      decoder_ = reader.matrix(decoder, config.vocabulary, embedding);
    }
    const bool takes_own = has_own_bias && (!config.tied || !has_shared_bias);
    const std::string& used = takes_own ? bias : names.decoder_bias;
    (config.tied ? tokens_ : decoder_).set_bias(0, reader.vector(used, config.vocabulary));
  }

  void(check)(std::span<const TokenId> sequence, std::size_t position) const {
    const auto refuse = [](const std::string& problem, const std::string& remedy) {
      throw user_error({.field = "evaluate"}, problem, remedy);
    };
    if (sequence.empty() || position >= sequence.size()) {
      refuse("position " + std::to_string(position) + " of a sequence of " +
                 counted(sequence.size(), "token") + " is asked for",
             "ask for a token that is there");
    }
    if (sequence.size() > context_length()) {
      refuse("a sequence has " + counted(sequence.size(), "token") + ", the model takes " +
                 std::to_string(context_length()),
             "choose shorter texts or a model with more positions");
    }
    for (const TokenId token : sequence) {
      if (token >= 0 && static_cast<std::size_t>(token) < vocabulary_size()) continue;
      refuse("token " + std::to_string(token) + " is past the model's " +
                 std::to_string(vocabulary_size()) + " embeddings",
             "take tokenizer and weights of one model");
    }
  }

  /// The last hidden vectors of all places asked for, in order, computed chunk by chunk.
  [[nodiscard]] std::vector<float> hidden_at(std::span<const MaskedSequence> works) const {
    std::size_t rows = 0, places = 0;
    for (const MaskedSequence& work : works) rows += work.sequence.size();
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

  void embed(std::span<const TokenId> sequence, float* rows) const {
    const std::size_t size = config_.embedding;
    for (std::size_t i = 0, counted = 0; i < sequence.size(); ++i) {
      const bool is_padding = config_.padding && sequence[i] == *config_.padding;
      const std::size_t position =
          is_padding ? config_.first_position - 1 : config_.first_position + counted++;
      float* row = rows + i * size;
      std::copy_n(positions_.data() + position * size, size, row);
      for (std::size_t k = 0; k < type_.size(); ++k) row[k] += type_[k];
      tokens_.add_output_to(static_cast<std::size_t>(sequence[i]), row);
    }
    norm_.apply(rows, sequence.size(), size);
  }

  /// One chunk through all layers; in the last, queries of the places alone.
  void compute(std::span<const MaskedSequence> works, float* result) const {
    const std::size_t hidden = config_.hidden;
    std::size_t count = 0;
    for (const MaskedSequence& work : works) count += work.sequence.size();
    std::vector<float> rows(count * config_.embedding);
    std::size_t at = 0;
    for (const MaskedSequence& work : works) {
      embed(work.sequence, rows.data() + at * config_.embedding);
      at += work.sequence.size();
    }
    if (projection_.outputs() > 0) {
      std::vector<float> wide(count * hidden);
      projection_.multiply(rows.data(), count, config_.embedding, wide.data(), hidden);
      rows.swap(wide);
    }
    std::vector<float> projected(count * 3 * hidden), queries, gathered, scratch;
    KeyValues held(config_.heads, hidden / config_.heads);
    for (std::size_t l = 0; l < path_.size(); ++l) {
      const TransformerLayer& layer = layers_[path_[l]];
      const bool is_last = l + 1 == path_.size();
      layer.query_key_value.multiply(rows.data(), count, hidden, projected.data(), 3 * hidden);
      std::vector<std::size_t> kept;  // the rows that go on
      gathered.resize(count * hidden);
      at = 0;
      for (const MaskedSequence& work : works) {
        const std::size_t length = work.sequence.size();
        held.resize(length);
        for (std::size_t j = 0; j < length; ++j) {
          held.set(j, projected.data() + (at + j) * 3 * hidden + hidden);
        }
        const std::size_t first = kept.size();
        for (std::size_t i = 0; i < (is_last ? work.places.size() : length); ++i) {
          kept.push_back(at + (is_last ? work.places[i] : i));
        }
        attend_to_all(held, projected, std::span(kept).subspan(first), length,
                      gathered.data() + first * hidden, queries, scratch);
        at += length;
      }
      for (std::size_t i = 0; is_last && i < kept.size(); ++i) {  // rows ascend
        std::copy_n(rows.data() + kept[i] * hidden, hidden, rows.data() + i * hidden);
      }
      rows.resize(kept.size() * hidden);
      gathered.resize(rows.size());
      layer.finish(gathered, rows);
    }
    std::copy(rows.begin(), rows.end(), result);
  }

  /// What the queries of some rows gather from a sequence of so many tokens.
  void attend_to_all(const KeyValues& held, const std::vector<float>& projected,
                     std::span<const std::size_t> asked, std::size_t length, float* gathered,
                     std::vector<float>& queries, std::vector<float>& scratch) const {
    const std::size_t hidden = config_.hidden;
    const SeenSlots all{{{0, length}}, length, {}};
    queries.resize(SeenSlots::most_queries * hidden);
    for (std::size_t i = 0; i < asked.size(); i += SeenSlots::most_queries) {
      const std::size_t count = (std::min)(SeenSlots::most_queries, asked.size() - i);
      for (std::size_t q = 0; q < count; ++q) {
        std::copy_n(projected.data() + asked[i + q] * 3 * hidden, hidden,
                    queries.data() + q * hidden);
      }
      for (std::size_t h = 0; h < config_.heads; ++h) {
        const std::size_t first = h * held.size();
        attend(held, h, all, {1.0F / std::sqrt(static_cast<float>(held.size()))},
               queries.data() + first, count, hidden, gathered + i * hidden + first, hidden,
               scratch);
      }
    }
  }

  /// Calls `show(logits)` for each place, in order.
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
  PackedMatrix tokens_, projection_, head_, decoder_;  // tokens_ is the decoder where it is tied
  std::vector<float> positions_, type_;
  Norm norm_, head_norm_;
  std::vector<TransformerLayer> layers_;
  std::vector<std::size_t> path_;  // by step: its layer; ALBERT takes one several times
  std::uint64_t asked_ = 0, computed_ = 0;
};

}  // namespace plumb
