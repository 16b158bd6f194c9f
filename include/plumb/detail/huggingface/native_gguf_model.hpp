// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does plumb's own network run the model in a GGUF file?
//
// gguf_tensors.hpp reads the weights. They are used like those of a Hugging Face folder: in their
// stored type, widened in registers, with F32 activations. The scores of F16 and BF16 files are
// therefore exact, and the files need not be converted. The numbers of a row are bitwise
// independent of the other rows. The tokenizer is llama.cpp's, because a GGUF file contains the
// data that llama.cpp's tokenizer needs. Files that the network does not support (gguf_decoder.hpp)
// are left to LlamaModel.

#include <llama.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/engine_options.hpp"
#include "plumb/detail/backend/llama_causal.hpp"
#include "plumb/detail/backend/llama_file.hpp"
#include "plumb/detail/backend/llama_log.hpp"
#include "plumb/detail/backend/llama_vocabulary_file.hpp"
#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/decoder_config.hpp"
#include "plumb/detail/huggingface/decoder_network.hpp"
#include "plumb/detail/huggingface/gguf_decoder.hpp"
#include "plumb/detail/huggingface/gguf_tensors.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Models TreeCausalLm, TreeEmbedder and ListsSpecialTokens. Not thread-safe.
class NativeGgufModel {
 public:
  /// With `only_tokens`, the weights are not read, and only tokens and descriptions are available.
  /// Throws a user error if the file is missing or damaged, or if the network does not support it.
  explicit NativeGgufModel(const std::filesystem::path& file, bool parse_special_tokens = false,
                           bool only_tokens = false)
      : head_(file), vocabulary_(checked(head_), parse_special_tokens) {
    const GgufTensors tensors(head_.paths());
    const DecoderConfig config = read_gguf_config(tensors, file);
    facts_ = {{"architecture", tensors.facts().value("general.architecture", Json())},
              {"parameters", tensors.parameters()}};
    context_ = config.positions;
    dimension_ = config.embedding;
    if (config.vocabulary < vocabulary_->size()) {
      throw user_error({.file = file},
                       "has only " + counted(config.vocabulary, "embedding") + " for " +
                           counted(vocabulary_->size(), "token"),
                       "fetch the model again");
    }
    if (!only_tokens) network_ = DecoderNetwork::read(tensors, file, config);
  }

  /// The reason why the network does not support a file; empty if it does.
  [[nodiscard]] static std::string refusal(const std::filesystem::path& file) {
    const detail::LlamaLog unheard;
    try {
      const GgufModel head(file);
      refuse_no_causal_model(head);
      (void)read_gguf_config(GgufTensors(head.paths()), file);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  [[nodiscard]] ModelDescription describe() const {
    ModelDescription made{std::string(backend_lead(EngineChoice::native)) +
                              ", tokens by llama.cpp " + llama_version(),
                          head_.weight_types().names(), false};
    made.device = "CPU";
    made.cache_type = name_of(CacheType::f32);
    made.skips_composing = vocabulary_->skips_composing();
    made.warnings = vocabulary_->warnings();
    return made;
  }
  /// For run.json: the architecture named in the file, and the number of parameters in its tensors.
  [[nodiscard]] const Json& facts() const noexcept { return facts_; }
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    return vocabulary_->tokenize(text);
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    return vocabulary_->detokenize(ids);
  }
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const {
    return vocabulary_->special_tokens();
  }
  [[nodiscard]] std::optional<TokenId> bos() const { return vocabulary_->bos(); }
  [[nodiscard]] bool adds_bos() const { return vocabulary_->adds_bos(); }
  [[nodiscard]] TextFrame own_frame() const { return vocabulary_->own_frame(); }
  [[nodiscard]] std::optional<ChatTemplate> chat_template() const {
    return vocabulary_->chat_template();
  }
  [[nodiscard]] bool ends(TokenId token) const { return vocabulary_->ends(token); }
  /// Embeddings without a token are not counted, as in llama.cpp.
  [[nodiscard]] std::size_t vocabulary_size() const { return vocabulary_->size(); }
  [[nodiscard]] std::size_t context_length() const { return context_; }
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] TreeLimits tree_limits() const { return DecoderNetwork::limits_of(context_); }

  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    network().evaluate(sequence, whole(visit));
  }
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    network().evaluate(tree, wanted, whole(visit));
  }
  void embed(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    network().embed(tree, wanted, visit);
  }
  void reserve(std::size_t nodes) { network().reserve(nodes); }
  void release(const TokenTree& tree, NodeId node) { network().release(tree, node); }

 private:
  static const std::filesystem::path& checked(const GgufModel& head) {
    refuse_no_causal_model(head);
    return head.first().path();
  }

  [[nodiscard]] DecoderNetwork& network() {
    if (!network_) throw internal_error({}, "the weights were not read");
    return *network_;
  }
  /// Truncates rows to the size of the vocabulary.
  [[nodiscard]] LogitsVisitor whole(const LogitsVisitor& visit) const {
    return [&visit, size = vocabulary_size()](std::uint32_t at, std::span<const float> logits) {
      visit(at, logits.first(size));
    };
  }

  GgufModel head_;
  LlamaVocabularyFile vocabulary_;
  std::optional<DecoderNetwork> network_;
  std::size_t context_ = 0, dimension_ = 0;
  Json facts_;
};

static_assert(TreeCausalLm<NativeGgufModel> && TreeEmbedder<NativeGgufModel>);
static_assert(ListsSpecialTokens<NativeGgufModel>);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
