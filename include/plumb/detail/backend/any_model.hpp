// SPDX-License-Identifier: Apache-2.0
#pragma once

// A single type that wraps a model of any type, so that code using the wrapper is compiled only
// once.
//
// The command line uses `AnyModel`. The library's components are templates over the model's own
// type and do not need the wrapper. Each call through the wrapper costs one virtual call.

#include <Eigen/Core>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/check_model.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/evaluate.hpp"
#include "plumb/detail/backend/evaluate_masked.hpp"
#include "plumb/detail/backend/own_chat_template.hpp"
#include "plumb/detail/backend/text_tokens.hpp"
#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A model's functions as virtual functions. Calling a function that the model lacks throws an
/// internal error, because callers check `capabilities` first.
class ModelInterface {
 public:
  ModelInterface() = default;
  ModelInterface(const ModelInterface&) = delete;
  ModelInterface& operator=(const ModelInterface&) = delete;
  virtual ~ModelInterface() = default;

  [[nodiscard]] virtual Capabilities capabilities() const = 0;
  [[nodiscard]] virtual ModelDescription describe() const = 0;
  [[nodiscard]] virtual Json facts() const = 0;
  [[nodiscard]] virtual Tokenization tokenize(std::string_view text) const = 0;
  [[nodiscard]] virtual std::string detokenize(std::span<const TokenId> ids) const = 0;
  [[nodiscard]] virtual std::vector<SpecialToken> special_tokens() const = 0;
  [[nodiscard]] virtual std::optional<TokenId> bos() = 0;
  [[nodiscard]] virtual std::optional<bool> adds_bos() const = 0;
  [[nodiscard]] virtual std::optional<TextFrame> own_frame() = 0;
  [[nodiscard]] virtual std::optional<ChatTemplate> chat_template() const = 0;
  [[nodiscard]] virtual std::size_t vocabulary_size() = 0;
  [[nodiscard]] virtual std::size_t context_length() = 0;
  [[nodiscard]] virtual std::size_t dimension() = 0;
  [[nodiscard]] virtual TokenId mask() const = 0;
  [[nodiscard]] virtual TextFrame frame() const = 0;
  [[nodiscard]] virtual std::vector<std::uint32_t> words(std::string_view text) const = 0;
  [[nodiscard]] virtual std::optional<TokenId> unknown() const = 0;
  [[nodiscard]] virtual MaskedQuery masked_text(std::string_view before,
                                                std::string_view after) const = 0;
  [[nodiscard]] virtual TreeLimits tree_limits() = 0;
  [[nodiscard]] virtual bool ends(TokenId token) = 0;
  virtual void reserve(std::size_t nodes) = 0;
  virtual void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) = 0;
  virtual void evaluate(std::span<const MaskedQuery> queries, const LogitsVisitor& visit) = 0;
  virtual void evaluate(const TokenTree& tree, std::span<const NodeId> wanted,
                        const LogitsVisitor& visit) = 0;
  virtual void embed(const TokenTree& tree, std::span<const NodeId> wanted,
                     const LogitsVisitor& visit) = 0;
  virtual void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups,
                       std::span<double> log_probabilities) = 0;
  [[nodiscard]] virtual EmbeddingMatrix embed(std::span<const std::string> texts,
                                              bool with_bos) = 0;
  [[nodiscard]] virtual std::vector<std::vector<Continuation>> generate(
      std::span<const std::vector<TokenId>> prompts, const GenerationOptions& options,
      std::span<const std::uint64_t> seeds) = 0;
  virtual void release(const TokenTree& tree, NodeId node) = 0;
};

/// Implements the functions for a model of one type. The model is constructed in place, so it need
/// not be movable.
template <class M>
requires ScoringLm<M> || MaskedLm<M>
class OwnedModel final : public ModelInterface {
 public:
  template <class Make>
  explicit OwnedModel(Make& make) : model_(make()) {}

  [[nodiscard]] Capabilities capabilities() const override { return capabilities_of(model_); }
  [[nodiscard]] ModelDescription describe() const override {
    if constexpr (requires { model_.describe(); }) return model_.describe();
    return {"own backend", "", false};
  }
  [[nodiscard]] Json facts() const override {
    if constexpr (requires { model_.facts(); }) return model_.facts();
    return {};
  }
  [[nodiscard]] Tokenization tokenize(std::string_view text) const override {
    return model_.tokenize(text);
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const override {
    return model_.detokenize(ids);
  }
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const override {
    if constexpr (ListsSpecialTokens<M>) return model_.special_tokens();
    throw lacks("special_tokens");
  }
  [[nodiscard]] std::optional<TokenId> bos() override { return model_.bos(); }
  [[nodiscard]] std::optional<bool> adds_bos() const override { return adds_bos_of(model_); }
  [[nodiscard]] std::optional<TextFrame> own_frame() override { return own_frame_of(model_); }
  [[nodiscard]] std::optional<ChatTemplate> chat_template() const override {
    return own_chat_template(model_);
  }
  [[nodiscard]] std::size_t vocabulary_size() override { return model_.vocabulary_size(); }
  [[nodiscard]] std::size_t context_length() override { return model_.context_length(); }
  [[nodiscard]] std::size_t dimension() override {
    if constexpr (requires { model_.dimension(); }) return model_.dimension();
    throw lacks("dimension");
  }
  [[nodiscard]] TokenId mask() const override {
    if constexpr (MaskedLm<M>) return model_.mask();
    throw lacks("mask");
  }
  [[nodiscard]] TextFrame frame() const override {
    if constexpr (MaskedLm<M>) return frame_of(model_);
    throw lacks("frame");
  }
  [[nodiscard]] std::vector<std::uint32_t> words(std::string_view text) const override {
    if constexpr (NumbersWords<M>) return model_.words(text);
    throw lacks("words");
  }
  [[nodiscard]] std::optional<TokenId> unknown() const override { return unknown_of(model_); }
  [[nodiscard]] MaskedQuery masked_text(std::string_view before,
                                        std::string_view after) const override {
    if constexpr (MaskedLm<M>) return plumb::detail::masked_text(model_, before, after);
    throw lacks("masked_text");
  }
  [[nodiscard]] TreeLimits tree_limits() override {
    if constexpr (ScoringLm<M>) return plumb::detail::tree_limits(model_);
    throw lacks("tree_limits");
  }
  [[nodiscard]] bool ends(TokenId token) override {
    if constexpr (requires { model_.ends(token); }) return model_.ends(token);
    return false;
  }
  void reserve(std::size_t nodes) override {
    if constexpr (requires { model_.reserve(nodes); }) model_.reserve(nodes);
  }
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) override {
    if constexpr (CausalLm<M>) return model_.evaluate(sequence, visit);
    throw lacks("evaluate");
  }
  void evaluate(std::span<const MaskedQuery> queries, const LogitsVisitor& visit) override {
    if constexpr (MaskedLm<M>) return model_.evaluate(queries, visit);
    throw lacks("evaluate of masked queries");
  }
  void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups,
               std::span<double> log_probabilities) override {
    if constexpr (LookupLm<M>) return model_.look_up(tree, lookups, log_probabilities);
    throw lacks("look_up");
  }
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted,
                const LogitsVisitor& visit) override {
    if constexpr (TreeCausalLm<M>) return model_.evaluate(tree, wanted, visit);
    throw lacks("evaluate of a tree");
  }
  void embed(const TokenTree& tree, std::span<const NodeId> wanted,
             const LogitsVisitor& visit) override {
    if constexpr (TreeEmbedder<M>) return model_.embed(tree, wanted, visit);
    throw lacks("embed of a tree");
  }
  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts, bool with_bos) override {
    if constexpr (Embedder<M>) return model_.embed(texts, with_bos);
    throw lacks("embed");
  }
  [[nodiscard]] std::vector<std::vector<Continuation>> generate(
      std::span<const std::vector<TokenId>> prompts, const GenerationOptions& options,
      std::span<const std::uint64_t> seeds) override {
    if constexpr (BatchGenerator<M>) return model_.generate(prompts, options, seeds);
    throw lacks("generate");
  }
  void release(const TokenTree& tree, NodeId node) override {
    if constexpr (requires { model_.release(tree, node); }) return model_.release(tree, node);
    if constexpr (LookupLm<M>) return;  // nothing to release
    throw lacks("release");
  }

 private:
  static Error lacks(const char* what) {
    return internal_error({.field = what},
                          "this backend does not support it, as its capabilities show");
  }

  M model_;
};

/// Wraps a model of any type that is a CausalLm, a LookupLm or a MaskedLm. It has the interface of
/// all of these, and of TreeCausalLm, TreeEmbedder, Embedder and ListsSpecialTokens; `capabilities`
/// reports which of them the wrapped model supports. Movable. Not thread-safe.
class AnyModel {
 public:
  AnyModel(AnyModel&&) noexcept = default;
  AnyModel& operator=(AnyModel&&) noexcept = default;
  /// A second handle to the same model, for example for a job whose caller keeps the model after
  /// the job returns. Only one thread at a time may use the handles that share a model.
  [[nodiscard]] AnyModel shared() const { return AnyModel(model_); }

  /// Wraps the model that `make()` returns by value; an AnyModel is returned unchanged.
  template <class Make>
  [[nodiscard]] static AnyModel made_by(Make make) {
    if constexpr (std::same_as<decltype(make()), AnyModel>) {
      return make();
    } else {
      static_assert(check_any_model<decltype(make())>());
      return AnyModel(std::make_shared<detail::OwnedModel<decltype(make())>>(make));
    }
  }

  [[nodiscard]] Capabilities capabilities() const { return model_->capabilities(); }
  [[nodiscard]] ModelDescription describe() const {
    ModelDescription description = model_->describe();
    description.lists_special_tokens = capabilities().special_tokens;
    return description;
  }

  /// A function that returns the model's `facts()`: an object for run.json that describes how the
  /// model is run. `facts()` is optional for every backend; if the model has none, the function
  /// returns null. The function may be called as long as the model exists, even after this wrapper
  /// has been moved.
  [[nodiscard]] std::function<Json()> facts() const {
    return [model = model_.get()] { return model->facts(); };
  }

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    if (!texts_) return model_->tokenize(text);
    const auto found = texts_->tokens.find(std::string(text));
    if (found != texts_->tokens.end()) return found->second;
    Tokenization made = model_->tokenize(text);
    if (texts_->bytes > most_bytes) *texts_ = {};
    texts_->bytes += text.size() + made.tokens.size() * sizeof(Token) + 100;
    texts_->tokens.emplace(text, made);
    return made;
  }
  /// After this call, the tokens of texts are cached. A job that uses the same texts for several
  /// purposes (names as candidates, in a trie and in prompts) then tokenises each text only once.
  /// Handles from `shared()` do not share the cache.
  void remember_texts() { texts_ = std::make_unique<RememberedTexts>(); }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    return model_->detokenize(ids);
  }
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const {
    return model_->special_tokens();
  }
  [[nodiscard]] std::optional<TokenId> bos() const { return model_->bos(); }
  [[nodiscard]] std::optional<bool> adds_bos() const { return model_->adds_bos(); }
  [[nodiscard]] std::optional<TextFrame> own_frame() const { return model_->own_frame(); }
  [[nodiscard]] std::optional<ChatTemplate> chat_template() const {
    return model_->chat_template();
  }
  [[nodiscard]] std::size_t vocabulary_size() const { return model_->vocabulary_size(); }
  [[nodiscard]] std::size_t context_length() const { return model_->context_length(); }
  [[nodiscard]] std::size_t dimension() const { return model_->dimension(); }
  [[nodiscard]] TokenId mask() const { return model_->mask(); }
  [[nodiscard]] TextFrame frame() const { return model_->frame(); }
  [[nodiscard]] std::vector<std::uint32_t> words(std::string_view text) const {
    return model_->words(text);
  }
  [[nodiscard]] std::optional<TokenId> unknown() const { return model_->unknown(); }
  [[nodiscard]] MaskedQuery masked_text(std::string_view before, std::string_view after) const {
    return model_->masked_text(before, after);
  }
  [[nodiscard]] TreeLimits tree_limits() const { return model_->tree_limits(); }
  [[nodiscard]] bool ends(TokenId token) { return model_->ends(token); }
  void reserve(std::size_t nodes) { model_->reserve(nodes); }

  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    model_->evaluate(sequence, visit);
  }
  void evaluate(std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
    model_->evaluate(queries, visit);
  }
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    model_->evaluate(tree, wanted, visit);
  }
  void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups,
               std::span<double> log_probabilities) {
    model_->look_up(tree, lookups, log_probabilities);
  }
  void embed(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    model_->embed(tree, wanted, visit);
  }
  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts, bool with_bos) {
    return model_->embed(texts, with_bos);
  }
  [[nodiscard]] std::vector<std::vector<Continuation>> generate(
      std::span<const std::vector<TokenId>> prompts, const GenerationOptions& options,
      std::span<const std::uint64_t> seeds) {
    return model_->generate(prompts, options, seeds);
  }
  void release(const TokenTree& tree, NodeId node) { model_->release(tree, node); }

 private:
  struct RememberedTexts {
    std::unordered_map<std::string, Tokenization> tokens{};
    std::size_t bytes = 0;
  };
  // A cache that reaches this size is cleared.
  static constexpr std::size_t most_bytes = std::size_t{256} << 20U;

  explicit AnyModel(std::shared_ptr<detail::ModelInterface> model) : model_(std::move(model)) {}

  std::shared_ptr<detail::ModelInterface> model_;
  std::unique_ptr<RememberedTexts> texts_;
};

static_assert(TreeCausalLm<AnyModel> && LookupLm<AnyModel> && MaskedLm<AnyModel>);
static_assert(TreeEmbedder<AnyModel> && Embedder<AnyModel>);
static_assert(ListsSpecialTokens<AnyModel> && BatchGenerator<AnyModel>);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
