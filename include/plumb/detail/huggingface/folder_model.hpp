// SPDX-License-Identifier: Apache-2.0
#pragma once

// Models in Hugging Face folders: config.json, weights in safetensors, the tokenizer's files.
//
// `HuggingFaceMaskedModel` reads the masked models of encoder_architectures.hpp,
// `HuggingFaceCausalModel` the causal ones of decoder_architectures.hpp; config.json specifies
// which kind a folder contains. Activations are F32, on the CPU, whatever the precision of the
// stored weights. If products are computed in BF16, activations are rounded to BF16 for them.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/decoder_architectures.hpp"
#include "plumb/detail/huggingface/decoder_network.hpp"
#include "plumb/detail/huggingface/encoder_architectures.hpp"
#include "plumb/detail/huggingface/encoder_network.hpp"
#include "plumb/detail/huggingface/folder_chat_template.hpp"
#include "plumb/detail/huggingface/folder_claims.hpp"
#include "plumb/detail/huggingface/network_kind.hpp"
#include "plumb/detail/huggingface/other_ways.hpp"
#include "plumb/detail/huggingface/safetensors.hpp"
#include "plumb/detail/huggingface/tokenizer.hpp"
#include "plumb/detail/huggingface/weight_type.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The matching tokenizer, configuration and network of a folder.
template <class Network>
class FolderModel {
 public:
  /// Throws a user error for an incomplete folder, for an architecture of the wrong kind (masked or
  /// causal), and for products in BF16 if the program or the processor does not support
  /// AVX512-BF16.
  explicit FolderModel(const std::filesystem::path& folder, bool parse_special_tokens = false,
                       ProductType products = ProductType::exact)
      : products_(supported(products)),
        config_(config_of_kind(folder)),
        claims_(claims_of(folder)),
        tokenizer_(tokenizer_of(folder, parse_special_tokens)),
        folder_(folder),
        network_(Network::read(folder, config_, products)),
        facts_{
            {"architecture", detail::ConfigFields(folder / "config.json").text("model_type", "")},
            {"parameters", Safetensors(folder).parameters()}} {}

  /// Throws the same user errors as reading the folder, but does not read the weights.
  static void(check)(const std::filesystem::path& folder) {
    (void)config_of_kind(folder);
    (void)claims_of(folder);
    (void)tokenizer_of(folder, false);
    detail::refuse_quantized(Safetensors(folder), folder, is_masked);
  }

  [[nodiscard]] ModelDescription describe() const {
    ModelDescription described{"Hugging Face folder", std::string(name_of(network_.weight_type())),
                               false};
    described.warnings = tokenizer_.warnings();
    described.warnings.insert(described.warnings.end(), claims_.begin(), claims_.end());
    if constexpr (!is_masked) {
      if (auto warning = detail::unread_warning(network_.unread())) {
        described.warnings.push_back(std::move(*warning));
      }
    }
    if (products_ == ProductType::bf16) {
      described.warnings.push_back(
          "Products are computed in BF16 (`precision` bf16), which rounds weights and activations "
          "to 8 bits. Scores differ from exact ones by a tenth of a nat per statement on average "
          "and by more than a nat at worst (SmolLM2-135M); answers may also differ.");
    }
    return described;
  }
  /// For run.json: the `model_type` of config.json, and the number of parameters in the folder's
  /// tensors.
  [[nodiscard]] const Json& facts() const noexcept { return facts_; }
  /// Throws a user error for a text that contains a token without an embedding in the model.
  /// Tokenizers may have such tokens, for example for padding; only texts with such a token are
  /// refused.
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    Tokenization made = tokenizer_.tokenize(text);
    for (const Token& token : made.tokens) check_row(token.id);
    return made;
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    return tokenizer_.detokenize(ids);
  }
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const {
    return tokenizer_.special_tokens();
  }
  /// A token without an embedding is not treated as BOS.
  [[nodiscard]] std::optional<TokenId> bos() const {
    const auto id = tokenizer_.bos();
    return id && has_row(*id) ? id : std::nullopt;
  }
  [[nodiscard]] bool adds_bos() const { return bos() && tokenizer_.adds_bos(); }
  /// The text is empty if the folder has no template. Throws a user error for a template that
  /// cannot be read.
  [[nodiscard]] std::optional<ChatTemplate> chat_template() const {
    return folder_chat_template(folder_);
  }
  [[nodiscard]] std::size_t vocabulary_size() const { return network_.vocabulary_size(); }
  [[nodiscard]] std::size_t context_length() const { return network_.context_length(); }
  [[nodiscard]] std::optional<TokenId> unknown() const { return tokenizer_.unk(); }

 protected:
  static constexpr bool is_masked = std::same_as<Network, EncoderNetwork>;

  [[nodiscard]] bool has_row(TokenId id) const {
    return static_cast<std::size_t>(id) < network_.vocabulary_size();
  }

  void check_row(TokenId id) const {
    if (has_row(id)) return;
    throw user_error({.field = "tokenize"},
                     "the token \"" + shortened(std::string(tokenizer_.text_of(id).value_or(""))) +
                         "\" has the id " + std::to_string(id) + ", but the model has " +
                         counted(network_.vocabulary_size(), "embedding"),
                     "remove it from the text, or use the weights and tokenizer of the same model");
  }

  /// For a causal model with an unsupported tokenizer, the error also suggests other ways to use
  /// the model.
  static HuggingFaceTokenizer tokenizer_of(const std::filesystem::path& folder, bool parses) {
    try {
      return HuggingFaceTokenizer::read(folder, parses);
    } catch (const Error& error) {
      // Other programs cannot use a folder without a tokenizer either.
      const bool is_there = std::filesystem::exists(folder / "tokenizer.json") ||
                            std::filesystem::exists(folder / "tokenizer.model") ||
                            std::filesystem::exists(folder / "vocab.json");
      if (is_masked || !is_there || error.fault() != Fault::user) throw;
      throw user_error({}, error.what(), "or " + detail::other_ways(folder));
    }
  }

  /// Throws a user error for a folder whose own files show that it is not a language model of this
  /// kind.
  static std::vector<std::string> claims_of(const std::filesystem::path& folder) {
    if constexpr (is_masked) {
      detail::refuse_other_heads(detail::ConfigFields(folder / "config.json"));
      detail::refuse_adapter_beside(folder);
      return {};
    } else {
      std::vector<std::string> warnings = check_folder_claims(folder);
      detail::refuse_other_tensors(Safetensors(folder));
      return warnings;
    }
  }

  static ProductType supported(ProductType products) {
    if (products == ProductType::bf16 && !network_kernels().has_pair_products) {
      throw user_error(
          {.setting = "precision"},
          "bf16 needs AVX512-BF16, which this processor or this program does not support",
          "set `precision` to exact, or drop `precision`");
    }
    return products;
  }

  static auto config_of_kind(const std::filesystem::path& folder) {
    if ((network_kind(folder) == NetworkKind::masked) != is_masked) {
      throw user_error({folder / "config.json", 0, "model_type"},
                       is_masked ? "belongs to a causal model" : "belongs to a masked model",
                       is_masked ? "read it with HuggingFaceCausalModel"
                                 : "read it with HuggingFaceMaskedModel");
    }
    if constexpr (is_masked) {
      return read_encoder_config(folder);
    } else {
      return read_decoder_config(folder);
    }
  }

  // The members are initialised, and therefore checked, in this order.
  ProductType products_;
  std::conditional_t<is_masked, EncoderConfig, DecoderConfig> config_;
  std::vector<std::string> claims_;  // warnings about the folder
  HuggingFaceTokenizer tokenizer_;
  std::filesystem::path folder_;
  Network network_;
  Json facts_;
};

/// Models MaskedLm, with the optional members `words` and `frame`, and ListsSpecialTokens. Not
/// thread-safe.
class HuggingFaceMaskedModel : public detail::FolderModel<EncoderNetwork> {
 public:
  /// Throws the same user errors as FolderModel. Also refuses a tokenizer without a mask token, and
  /// a mask or frame token without an embedding.
  explicit HuggingFaceMaskedModel(const std::filesystem::path& folder,
                                  bool parse_special_tokens = false,
                                  ProductType products = ProductType::exact)
      : FolderModel(folder, parse_special_tokens, products) {
    if (!tokenizer_.mask()) {
      throw user_error({.file = folder}, "has a tokenizer without a mask token",
                       "set mask_token in tokenizer_config.json");
    }
    check_row(*tokenizer_.mask());
    for (const TokenId id : tokenizer_.before()) check_row(id);
    for (const TokenId id : tokenizer_.after()) check_row(id);
  }

  [[nodiscard]] TokenId mask() const { return *tokenizer_.mask(); }
  [[nodiscard]] TextFrame frame() const { return {tokenizer_.before(), tokenizer_.after()}; }
  [[nodiscard]] std::vector<std::uint32_t> words(std::string_view text) const {
    return tokenizer_.word_ids(text);
  }
  [[nodiscard]] MaskedQuery masked_text(std::string_view before, std::string_view after) const {
    MaskedQuery made = tokenizer_.masked_text(before, after);
    for (const TokenId id : made.sequence) check_row(id);
    return made;
  }
  void evaluate(std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
    network_.evaluate(queries, visit);
  }
};

/// Models TreeCausalLm, TreeEmbedder and ListsSpecialTokens. Not thread-safe.
class HuggingFaceCausalModel : public detail::FolderModel<DecoderNetwork> {
 public:
  using FolderModel::FolderModel;

  [[nodiscard]] std::size_t dimension() const { return network_.dimension(); }
  [[nodiscard]] bool ends(TokenId token) const { return tokenizer_.ends(token); }
  [[nodiscard]] TreeLimits tree_limits() const { return network_.tree_limits(); }
  /// The tokens that the post-processor puts around a text. A BOS without an embedding is omitted;
  /// any other token without an embedding causes a user error.
  [[nodiscard]] TextFrame own_frame() const {
    TextFrame made{tokenizer_.before(), tokenizer_.after()};
    if (const auto id = tokenizer_.bos(); id && !has_row(*id)) std::erase(made.before, *id);
    for (const TokenId id : made.before) check_row(id);
    for (const TokenId id : made.after) check_row(id);
    return made;
  }
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    network_.evaluate(sequence, visit);
  }
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    network_.evaluate(tree, wanted, visit);
  }
  void embed(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    network_.embed(tree, wanted, visit);
  }
  void reserve(std::size_t nodes) { network_.reserve(nodes); }
  void release(const TokenTree& tree, NodeId node) { network_.release(tree, node); }
};

static_assert(MaskedLm<HuggingFaceMaskedModel> && !CausalLm<HuggingFaceMaskedModel>);
static_assert(TreeCausalLm<HuggingFaceCausalModel> && TreeEmbedder<HuggingFaceCausalModel>);
static_assert(ListsSpecialTokens<HuggingFaceMaskedModel>);

/// Whether a folder's model is masked or causal. Throws the same user errors as reading the folder,
/// but does not read the weights.
[[nodiscard]] inline NetworkKind inspect_folder(const std::filesystem::path& folder) {
  const NetworkKind kind = network_kind(folder);
  kind == NetworkKind::masked ? (HuggingFaceMaskedModel::check)(folder)
                              : (HuggingFaceCausalModel::check)(folder);
  return kind;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
