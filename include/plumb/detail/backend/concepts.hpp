// SPDX-License-Identifier: Apache-2.0
#pragma once

// What must an inference engine offer so that plumb can probe it?
//
// `CausalLm` is enough for every likelihood probe, and so is `LookupLm`, for engines that do not
// return whole rows of logits. `TreeCausalLm` returns the same answers faster. Other probes need a
// `MaskedLm`, an `Embedder` or a `Generator`. A backend models as many of these concepts as its
// engine allows. Each concept has a working example in archetypes.hpp to copy from.

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/token_tree.hpp"

namespace Eigen {
template <typename Scalar, int Rows, int Columns, int Options, int MostRows, int MostColumns>
class Matrix;
}  // namespace Eigen

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Receives one row of raw logits (natural-log scale, unnormalised), with one logit for each token
/// of the vocabulary. The first argument is the position in the sequence or the node of the tree
/// whose successor the row predicts. The row may be overwritten after the call returns: do not keep
/// the span. An engine makes these calls one after another on the thread that called it, regardless
/// of the threads on which it computes, and makes the last of them before it returns. So a visitor
/// needs no lock.
using LogitsVisitor = std::function<void(std::uint32_t, std::span<const float>)>;

/// The tokenizer part of every language model.
///
/// Requires:
///   1. `tokenize(text)`: the tokens of the text, and the bytes that each token covers. It adds no
///      special tokens, and parses none in the text unless the model was constructed to do so
///      (SpecialToken). plumb removes a BOS with bytes {0, 0} before the tokens (text_tokens.hpp);
///      a token added after them is an error; 2. `detokenize(ids)`: their text;
///   3. `bos()`: the token that may start a sequence, or nullopt. The probe, not the model, decides
///      whether the token is used;
///   4. `vocabulary_size()`: the number of tokens, which is also the length of a row of logits;
///   5. `context_length()`: the largest number of tokens in a sequence.
/// It may have `adds_bos()`, which returns a bool or an optional bool: whether its tokenizer is
/// configured to begin a text with BOS. Rankings follow `adds_bos()` by default, and use no BOS if
/// the model lacks it. It may instead have `own_frame()`, which returns a TextFrame or an optional
/// TextFrame: all tokens that its tokenizer puts before and after a text, such as an
/// end-of-sequence token whose vector represents the text.
/// Means: tokenising the same text twice gives the same tokens.
/// Does not promise: that the tokens of a part of a text are also tokens of the whole text, or that
/// `detokenize` reverses `tokenize`.
template <class M>
concept LanguageModel = requires(M& model, const M& tokenizer, std::string_view text,
                                 std::span<const TokenId> ids) {
  { tokenizer.tokenize(text) } -> std::same_as<Tokenization>;
  { tokenizer.detokenize(ids) } -> std::convertible_to<std::string>;
  { model.bos() } -> std::same_as<std::optional<TokenId>>;
  { model.vocabulary_size() } -> std::convertible_to<std::size_t>;
  { model.context_length() } -> std::convertible_to<std::size_t>;
};

/// A model's description of itself, returned by the member `describe()`. The member is optional for
/// every backend. The description is stored with the results.
struct ModelDescription {
  /// The engine, e.g. "llama.cpp".
  std::string backend{};
  /// How the weights are stored, e.g. "F32" or "Q4_1".
  std::string weights{};
  /// Whether kernels round activations, so that scores differ from the scores that the same weights
  /// produce in F32.
  bool quantized = false;
  /// Whether the model meets ListsSpecialTokens. Jobs set this field themselves.
  bool lists_special_tokens = false;
  /// The device that it runs on: "CPU", or the kind of GPU; empty if unknown.
  std::string device{};
  /// The number of layers on a GPU.
  std::optional<std::size_t> gpu_layers{};
  /// Number type of the KV cache, such as "f32"; empty if there is no cache.
  std::string cache_type{};
  /// Nodes evaluated in one step, if the user set it; otherwise 0.
  std::size_t pack = 0;
  /// The model's name if no local file provides it, as for a model on a server.
  std::string name{};
  /// Identifies a model that has no file to hash: hexadecimal digits computed from its answers to
  /// fixed prompts.
  std::string answers{};
  /// Whether the model's original tokenizer normalises text to NFC before splitting it, but this
  /// one does not.
  bool skips_composing = false;
  /// Warnings that apply to all numbers of this model, one sentence each. They are stored in
  /// run.json's settings and shown on the terminal and on each page.
  std::vector<std::string> warnings{};
};

/// A token that is not a piece of text, such as BOS or a chat-turn marker, and the text that
/// represents it.
struct SpecialToken {
  std::string text{};
  TokenId id = 0;
};

/// A model with a member `special_tokens()`, which lists the texts of its special tokens. The
/// member is optional for every backend. With the list, a job can detect a text that contains a
/// special token's text and is therefore ambiguous.
///
/// Requires: `special_tokens()`; each token has a non-empty text.
/// Means: if the model was constructed to parse special tokens
/// (ModelOptions::parse_special_tokens), `tokenize` turns their texts into these tokens and
/// `detokenize` turns the tokens back into their texts. Otherwise their texts are treated as plain
/// text.
/// Does not promise: that every special token can be read in both ways; a job checks this itself.
template <class M>
concept ListsSpecialTokens = requires(const M& model) {
  { model.special_tokens() } -> std::same_as<std::vector<SpecialToken>>;
};

/// A language model that predicts the next token of a sequence.
///
/// Requires: `evaluate(sequence, visit)` calls `visit(position, logits)` once for each position of
/// the non-empty sequence, in order, where `logits` predicts position + 1.
/// Means: a row depends only on the tokens up to its position, except for rounding.
/// Does not promise: anything about cost; each call may recompute everything.
template <class M>
concept CausalLm = LanguageModel<M> &&
    requires(M& model, std::span<const TokenId> sequence, const LogitsVisitor& visit) {
  model.evaluate(sequence, visit);
};

/// Limits of a tree.
struct TreeLimits {
  /// The maximum number of nodes that can be held, including the paths to them.
  std::size_t nodes = 0;
  /// The maximum number of branches, that is, of evaluated nodes without an evaluated child. 1
  /// means that the model cannot branch.
  std::size_t leaves = 0;
  /// The number of nodes evaluated in one step; a pack that exactly fills a step is the cheapest. 0
  /// means as many as can be held.
  std::size_t batch = 0;
  /// A step's attention runs over whole blocks of this many held nodes.
  std::size_t block = 1;
  /// Whether a node costs the same in a pack of any size, because its attention runs only over its
  /// own path.
  bool attends_to_path_only = false;

  /// Returns the same limits with zeros replaced, so that they can be divisors.
  [[nodiscard]] constexpr TreeLimits filled() const noexcept {
    const std::size_t step = batch > 0 ? batch : nodes;
    return {nodes, leaves, step > 0 ? step : 1, block > 0 ? block : 1, attends_to_path_only};
  }
};

/// A causal language model that evaluates a trie of sequences and computes each prefix once.
///
/// Requires:
///   1. `tree_limits()`;
///   2. `evaluate(tree, wanted, visit)` calls `visit(node, logits)` once for each wanted node, in
///      any order. Wanted nodes are distinct and ascending, so a parent comes before its children.
///      No wanted node is the root or was evaluated before.
///      Ancestors are evaluated as needed, each once: a later call reuses the nodes that an earlier
///      call evaluated, even after the tree has grown;
///   3. `release(tree, node)` forgets the node and all nodes below it; releasing the root forgets
///      everything. The root must be released before another tree is evaluated.
/// It may have a member `reserve(nodes)`, which is called with the final number of nodes of a tree
/// before the tree is first evaluated.
/// Means: up to rounding, a node's row is the one that `evaluate(sequence, …)` produces for the
/// node's prefix. Does not promise: to hold more nodes than its limits allow; exceeding the limits
/// throws.
template <class M>
concept TreeCausalLm = CausalLm<M> &&
    requires(M& model, const TokenTree& tree, std::span<const NodeId> wanted,
             const LogitsVisitor& visit, NodeId node) {
  { model.tree_limits() } -> std::same_as<TreeLimits>;
  model.evaluate(tree, wanted, visit);
  model.release(tree, node);
};

/// A query for the probability of a token directly after a node's prefix.
struct TokenLookup {
  NodeId node = TokenTree::root;
  TokenId token = 0;
  friend auto operator<=>(const TokenLookup&, const TokenLookup&) = default;
};

/// A language model that returns the log-probabilities of given tokens after given prefixes.
/// Likelihood probes need nothing else, and a server or a database of scores can often provide
/// nothing else.
///
/// Requires:
///   1. `tree_limits()`: how large the tree of one call may be;
///   2. `look_up(tree, lookups, log_probabilities)` sets, for each lookup, the natural logarithm of
///      the token's probability over the whole vocabulary, given the node's prefix. Lookups are
///      distinct and sorted by node, then token, so all lookups after one prefix are adjacent.
///      There are no lookups after the root, because a text's first token has no probability
///      without BOS. No node occurs in two calls, unless it was released or another tree was used
///      in between.
///      If the model does not know a token's probability (for example because the token is not
///      among the top k that an engine reports), it sets a quiet NaN
///      (std::numeric_limits<double>::quiet_NaN()). A fact that needs this probability is then
///      excluded and counted. The model must never substitute an invented floor value, which would
///      be scored like a known one. Minus infinity means that the probability is 0; no score can be
///      computed from it.
/// It may have members `release(tree, node)` and `reserve(nodes)`, as in a TreeCausalLm; a model
/// that keeps nothing between calls needs neither.
/// Means: an answer depends only on its own prefix and token, except for rounding.
/// Does not promise: an answer to every lookup, or whole rows. Generation needs rows and throws an
/// error if the model provides none.
///
/// Any CausalLm answers lookups through `look_up` (look_up.hpp).
template <class M>
concept LookupLm = LanguageModel<M> &&
    requires(M& model, const TokenTree& tree, std::span<const TokenLookup> lookups,
             std::span<double> log_probabilities) {
  { model.tree_limits() } -> std::same_as<TreeLimits>;
  model.look_up(tree, lookups, log_probabilities);
};

/// A model that likelihood probes can use: through its rows or through its own lookups.
template <class M>
concept ScoringLm = CausalLm<M> || LookupLm<M>;

/// A sequence with one position to predict. The caller puts the mask at that position.
struct MaskedQuery {
  std::vector<TokenId> sequence;
  std::uint32_t position = 0;

  friend bool operator==(const MaskedQuery&, const MaskedQuery&) = default;
};

/// The special tokens that a masked model expects around every text, such as [CLS] and [SEP].
struct TextFrame {
  std::vector<TokenId> before{};
  std::vector<TokenId> after{};
};

/// A language model that predicts the token at a position from the text on both sides.
///
/// Requires:
///   1. `mask()`: the token that replaces a hidden one;
///   2. `evaluate(queries, visit)` calls `visit(query, logits)` once for each query, by index, in
///      any order, where `logits` predicts the query's position.
/// It may have the following members, which are optional for every backend:
///   `frame()`, the TextFrame that it expects around a text; without this member, texts have no
///   frame; `words(text)`, the word number of each token of `tokenize(text)`, in ascending order;
///   without this member, the later tokens of a word cannot be masked along with an earlier one;
///   `unknown()`, the token for text that the vocabulary cannot spell, if there is one;
///   `masked_text(before, after)`, the MaskedQuery, without the frame, for a text with one mask
///   between the two parts, tokenised as if the mask's own text were written there; without this
///   member, the two parts are tokenised separately.
/// Means: a row depends only on its own query's sequence, except for rounding.
/// Does not promise: that the product over a text's rows is a probability of the text.
template <class M>
concept MaskedLm = LanguageModel<M> &&
    requires(M& model, std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
  { model.mask() } -> std::same_as<TokenId>;
  model.evaluate(queries, visit);
};

/// One row for each text: Eigen::Matrix<float, Dynamic, Dynamic, RowMajor>. Include <Eigen/Core> to
/// create or read such a matrix.
using EmbeddingMatrix = Eigen::Matrix<float, -1, -1, 1, -1, -1>;

/// A language model that computes the hidden vectors of a trie's prefixes, each once.
///
/// Requires:
///   1. `dimension()`, known before anything is embedded;
///   2. `tree_limits()` and `release(tree, node)`, as in a TreeCausalLm;
///   3. `embed(tree, wanted, visit)`, like a TreeCausalLm's `evaluate`, except that the rows are
///      the last hidden vectors (last layer, after the final norm), each with `dimension()`
///      numbers. A model that has both functions holds one tree for both: a node that one function
///      computed is not requested from the other.
/// Means: a row depends only on its own prefix, except for rounding.
/// Does not promise: any length or direction; vectors are raw, not normalised.
template <class M>
concept TreeEmbedder = LanguageModel<M> &&
    requires(M& model, const TokenTree& tree, std::span<const NodeId> wanted,
             const LogitsVisitor& visit, NodeId node) {
  { model.dimension() } -> std::convertible_to<std::size_t>;
  { model.tree_limits() } -> std::same_as<TreeLimits>;
  model.embed(tree, wanted, visit);
  model.release(tree, node);
};

/// A model that turns texts into vectors. PromptEmbedder turns any TreeEmbedder into an Embedder
/// (rank/prompt_embedder.hpp).
///
/// Requires:
///   1. `dimension()`, known before anything is embedded;
///   2. `embed(texts, with_bos)`: the last hidden vector (last layer, after the final norm) of the
///      last token of each text, shape [texts, dimension].
/// Means: a row depends only on its own text, except for rounding; equal texts give equal rows.
/// Does not promise: any length or direction; vectors are raw, not normalised.
template <class M>
concept Embedder = requires(M& model, std::span<const std::string> texts, bool with_bos) {
  { model.dimension() } -> std::convertible_to<std::size_t>;
  { model.embed(texts, with_bos) } -> std::same_as<EmbeddingMatrix>;
};

struct GenerationOptions {
  /// The number of sampled continuations of the prompt; 0 for the greedy one.
  std::size_t samples = 0;
  std::size_t max_new_tokens = 16;
  /// Texts that end a continuation if they extend beyond its leading white space (stop_text.hpp).
  /// They do not become part of the continuation. If the list is empty, only the end of sequence
  /// ends a continuation.
  std::vector<std::string> stop{"\n"};
  std::uint64_t seed = 0;
};

struct Continuation {
  std::vector<TokenId> tokens;
  /// ln P of each token given all tokens before it, at temperature 1 and over the whole vocabulary.
  std::vector<double> log_probabilities;
};

/// A language model that continues a text.
///
/// Requires: `generate(prompt, options)` returns one greedy continuation, or `samples` of them
/// drawn at temperature 1 from the whole vocabulary. Greedy ties go to the lowest token id. A
/// continuation ends before the end-of-generation token, at `max_new_tokens`, or before a stop
/// text. More exactly, only a stop text that extends beyond the continuation's leading white space
/// counts, and the continuation ends before the token in which the first such text begins
/// (`end_at_stop` in stop_text.hpp implements this).
/// Means: equal arguments give equal continuations.
/// Does not promise: that a continuation is not empty.
///
/// TreeGenerator (tree_generator.hpp) turns any CausalLm into a Generator. A model may have a
/// member `ends(token)`, optional for every backend, which returns whether the token ends a text.
/// Without this member, only a stop text or the length ends a continuation.
template <class M>
concept Generator = LanguageModel<M> &&
    requires(M& model, std::span<const TokenId> prompt, const GenerationOptions& options) {
  { model.generate(prompt, options) } -> std::same_as<std::vector<Continuation>>;
};

/// A language model that itself continues many texts in one call and does not expose rows of
/// logits, such as a model on a server.
///
/// Requires: `generate(prompts, options, seeds)` returns, for each prompt, the continuations that a
/// Generator would return. Samples are drawn with the options' seed, or, if `seeds` is not empty,
/// with one seed for each prompt.
/// Means and does not promise: the same as a Generator.
///
/// Jobs generate through PromptGenerator (prompt_generator.hpp), which uses either rows or a
/// BatchGenerator.
template <class M>
concept BatchGenerator = LanguageModel<M> &&
    requires(M& model, std::span<const std::vector<TokenId>> prompts,
             const GenerationOptions& options, std::span<const std::uint64_t> seeds) {
  {
    model.generate(prompts, options, seeds)
    } -> std::same_as<std::vector<std::vector<Continuation>>>;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
