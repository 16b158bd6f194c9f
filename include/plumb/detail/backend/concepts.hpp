// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who answers? What an inference engine must offer so that plumb can probe it.
//
// `CausalLm` is enough for every likelihood probe, and so is `LookupLm`, for engines that give no
// whole rows of logits; `TreeCausalLm` is the same answers faster; `MaskedLm`, `Embedder` and
// `Generator` are what other probes ask. A backend models those it can.
// Each concept has a working model in archetypes.hpp to read and to copy from.

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

/// Receives one row of raw logits (natural-log scale, unnormalised), as long as the vocabulary. The
/// first argument is the position in the sequence or the node of the tree whose successor the row
/// predicts. The row may be overwritten after the call returns: read it, do not keep it. An engine
/// calls it on the thread that asked, one call after another, whatever threads it computes on, and
/// not after its own call has returned: a visitor needs no lock.
using LogitsVisitor = std::function<void(std::uint32_t, std::span<const float>)>;

/// The tokenizer part of every language model.
///
/// Requires:
///   1. `tokenize(text)`: the tokens of the text with the bytes each covers, no special tokens
///      added and none recognised in the text, but by a model that was made to (SpecialToken). A BOS
///      before them, of bytes {0, 0}, is left out (text_tokens.hpp); a token behind them is refused;
///   2. `detokenize(ids)`: their text;
///   3. `bos()`: the token that may start a sequence, or nothing. Whether it does is the probe's
///      choice, not the model's;
///   4. `vocabulary_size()`: tokens, which is also the length of a row of logits;
///   5. `context_length()`: tokens in the longest sequence the model can be asked about.
/// It may have `adds_bos()`, a bool or an optional one: whether its tokenizer begins a text with BOS by
/// its own configuration, as rankings do where nothing is said. Of one that does not tell they have none.
/// It may have `own_frame()`, a TextFrame or an optional one, in its place: all that its tokenizer puts
/// before and behind a text, as an end of sequence that vectors are taken of.
/// Means: tokenising the same text twice gives the same tokens.
/// Does not promise: that tokens of a part are tokens of the whole, or that detokenize undoes
/// tokenize.
template <class M>
concept LanguageModel = requires(M& model, const M& tokenizer, std::string_view text,
                                 std::span<const TokenId> ids) {
  { tokenizer.tokenize(text) } -> std::same_as<Tokenization>;
  { tokenizer.detokenize(ids) } -> std::convertible_to<std::string>;
  { model.bos() } -> std::same_as<std::optional<TokenId>>;
  { model.vocabulary_size() } -> std::convertible_to<std::size_t>;
  { model.context_length() } -> std::convertible_to<std::size_t>;
};

/// What a model may say of itself in a `describe()` of its own, optional for every backend; it is
/// kept with the results.
struct ModelDescription {
  /// The engine, e.g. "llama.cpp".
  std::string backend{};
  /// How the weights are held, e.g. "F32" or "Q4_1".
  std::string weights{};
  /// Whether kernels round activations, so that scores stand apart from the same weights in F32.
  bool quantized = false;
  /// Whether it ListsSpecialTokens; jobs see for themselves.
  bool lists_special_tokens = false;
  /// What it runs on: "CPU", or the kind of GPU; empty where that is not known.
  std::string device{};
  /// Layers that a GPU holds.
  std::optional<std::size_t> gpu_layers{};
  /// Numbers of the KV cache, as "f32"; empty where there is none.
  std::string cache_type{};
  /// Nodes that it evaluates in one step, where that was chosen for it; else 0.
  std::size_t pack = 0;
  /// The model's name, where no file on this machine has it, as that of a server's.
  std::string name{};
  /// What stands for a model that has no file to hash: digits of its answers to fixed prompts.
  std::string answers{};
  /// Whether the model's own tokenizer composes a text (NFC) before it cuts it, and this one does not.
  bool skips_composing = false;
  /// What a reader must know of every number this model gives, a sentence each: kept in run.json's
  /// settings, shown on the terminal and on each page.
  std::vector<std::string> warnings{};
};

/// A token that is no piece of text (BOS, a mark of a chat's turns), and the text that names it.
struct SpecialToken {
  std::string text{};
  TokenId id = 0;
};

/// A model that says in a `special_tokens()` of its own, optional for every backend, which texts name
/// special tokens, so that a text that holds one is not read in a way nobody chose.
///
/// Requires: `special_tokens()`, each with a text that is not empty.
/// Means: `tokenize` makes them of their texts if the model was made to (by
/// ModelOptions::parse_special_tokens), and then `detokenize` spells them; otherwise their texts are
/// plain text.
/// Does not promise: that every one can be read both ways; a job sees for itself.
template <class M>
concept ListsSpecialTokens = requires(const M& model) {
  { model.special_tokens() } -> std::same_as<std::vector<SpecialToken>>;
};

/// A language model that predicts the next token of a sequence.
///
/// Requires: `evaluate(sequence, visit)` calls `visit(position, logits)` once for each position of
/// the non-empty sequence, in order, where `logits` predicts position + 1.
/// Means: a row depends on the tokens up to its position and on nothing else, but for rounding.
/// Does not promise: anything about cost; each call may start from nothing.
template <class M>
concept CausalLm = LanguageModel<M> &&
    requires(M& model, std::span<const TokenId> sequence, const LogitsVisitor& visit) {
  model.evaluate(sequence, visit);
};

/// What one evaluation of a tree may hold.
struct TreeLimits {
  /// Nodes that may be kept at once, the path to them included.
  std::size_t nodes = 0;
  /// Branches: evaluated nodes without an evaluated child. 1 means the model cannot share a tree.
  std::size_t leaves = 0;
  /// Nodes that are evaluated in one step; a pack that just fills it is the cheapest. 0: as many as
  /// may be kept.
  std::size_t batch = 0;
  /// A step's attention runs over whole blocks of this many kept nodes.
  std::size_t block = 1;

  /// The same with numbers that may be divided by.
  [[nodiscard]] constexpr TreeLimits filled() const noexcept {
    const std::size_t step = batch > 0 ? batch : nodes;
    return {nodes, leaves, step > 0 ? step : 1, block > 0 ? block : 1};
  }
};

/// A causal language model that evaluates a trie of sequences, each prefix once.
///
/// Requires:
///   1. `tree_limits()`;
///   2. `evaluate(tree, wanted, visit)` calls `visit(node, logits)` once for each wanted node, in
///      any order; wanted nodes are distinct and ascend, so that a parent comes before its children;
///      none is the root and none was evaluated before.
///      Ancestors are evaluated as needed, each once: a later call uses what an earlier one
///      evaluated, also after the tree has grown;
///   3. `release(tree, node)` forgets the node and all below it; the root forgets everything. It
///      must be released before another tree is evaluated.
/// It may have `reserve(nodes)`, which is told how many nodes a tree will grow to before it is first
/// evaluated.
/// Means: the same rows as `evaluate(sequence, …)` gives for the node's prefix, but for rounding.
/// Does not promise: to hold more than its limits; going past them throws.
template <class M>
concept TreeCausalLm = CausalLm<M> &&
    requires(M& model, const TokenTree& tree, std::span<const NodeId> wanted,
             const LogitsVisitor& visit, NodeId node) {
  { model.tree_limits() } -> std::same_as<TreeLimits>;
  model.evaluate(tree, wanted, visit);
  model.release(tree, node);
};

/// A question to a model: how likely is the token right after the node's prefix?
struct TokenLookup {
  NodeId node = TokenTree::root;
  TokenId token = 0;
  friend auto operator<=>(const TokenLookup&, const TokenLookup&) = default;
};

/// A language model that says how likely given tokens are after given prefixes: all that likelihood
/// probes need, and all that a server or a database of scores can give.
///
/// Requires:
///   1. `tree_limits()`: how large a tree one call may ask about;
///   2. `look_up(tree, lookups, log_probabilities)` sets, for each lookup, the natural logarithm of
///      the token's probability among the whole vocabulary, given the node's prefix. Lookups are
///      distinct and sorted by node, then token, so all that is asked after a prefix stands
///      together. None is of the root: without BOS a text's first token has no probability. No node
///      is asked about in two calls, unless it was released or its tree went between. Of a token
///      that the model does not know, as past the top k that an engine reports, it sets a quiet NaN
///      (std::numeric_limits<double>::quiet_NaN()): a fact that needs it is left out and counted.
///      Never a made-up floor, which would be scored as if it were known. Minus infinity says that
///      the probability is 0, of which no score can be made.
/// It may have `release(tree, node)` and `reserve(nodes)` as a TreeCausalLm has; a model that keeps
/// nothing between calls needs neither.
/// Means: an answer depends on its own prefix and token alone, but for rounding.
/// Does not promise: every answer, or whole rows. Generation needs rows, and says so.
///
/// Any CausalLm answers lookups through `look_up` (look_up.hpp).
template <class M>
concept LookupLm = LanguageModel<M> &&
    requires(M& model, const TokenTree& tree, std::span<const TokenLookup> lookups,
             std::span<double> log_probabilities) {
  { model.tree_limits() } -> std::same_as<TreeLimits>;
  model.look_up(tree, lookups, log_probabilities);
};

/// A model that likelihood probes can ask: by its rows or by lookups of its own.
template <class M>
concept ScoringLm = CausalLm<M> || LookupLm<M>;

/// A sequence with one position to predict; the token that stands there is the caller's to mask.
struct MaskedQuery {
  std::vector<TokenId> sequence;
  std::uint32_t position = 0;

  friend bool operator==(const MaskedQuery&, const MaskedQuery&) = default;
};

/// The special tokens that a masked model wants around every text, such as [CLS] and [SEP].
struct TextFrame {
  std::vector<TokenId> before{};
  std::vector<TokenId> after{};
};

/// A language model that predicts the token at a place from both sides.
///
/// Requires:
///   1. `mask()`: the token that hides another one;
///   2. `evaluate(queries, visit)` calls `visit(query, logits)` once for each query, by index, in
///      any order, where `logits` predicts the query's position.
/// It may have, optional for every backend:
///   `frame()`, the TextFrame that it wants around a text (without one, none is put there);
///   `words(text)`, for each token of `tokenize(text)` the number of its word, ascending, without
///   which later tokens of a word cannot be masked too;
///   `unknown()`, the token of what the vocabulary cannot spell, if there is one;
///   `masked_text(before, after)`, the MaskedQuery, without the frame, of a text with one mask between
///   the two, as its tokenizer reads the mask's own text there (without one, the two are tokenised
///   apart).
/// Means: a row depends on its own query's sequence alone, but for rounding.
/// Does not promise: that rows of one text multiply to a probability of it.
template <class M>
concept MaskedLm = LanguageModel<M> &&
    requires(M& model, std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
  { model.mask() } -> std::same_as<TokenId>;
  model.evaluate(queries, visit);
};

/// One row for each text: Eigen::Matrix<float, Dynamic, Dynamic, RowMajor>. Include <Eigen/Core> to make
/// or read one.
using EmbeddingMatrix = Eigen::Matrix<float, -1, -1, 1, -1, -1>;

/// A language model that gives the hidden vectors of a trie's prefixes, each computed once.
///
/// Requires:
///   1. `dimension()`, known before anything is embedded;
///   2. `tree_limits()` and `release(tree, node)` as a TreeCausalLm's;
///   3. `embed(tree, wanted, visit)`, as a TreeCausalLm's `evaluate`, but that the rows are the last
///      hidden vectors (last layer, after the final norm), `dimension()` numbers each. A model that
///      does both holds one tree for both: a node that one computed is not asked of the other.
/// Means: a row depends on its own prefix alone, but for rounding.
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

/// A model that gives texts as vectors. Any TreeEmbedder is one through PromptEmbedder
/// (rank/prompt_embedder.hpp).
///
/// Requires:
///   1. `dimension()`, known before anything is embedded;
///   2. `embed(texts, with_bos)`: the last hidden vector (last layer, after the final norm) of the
///      last token of each text, shape [texts, dimension].
/// Means: a row depends on its own text alone, but for rounding; equal texts give equal rows.
/// Does not promise: any length or direction; vectors are raw, not normalised.
template <class M>
concept Embedder = requires(M& model, std::span<const std::string> texts, bool with_bos) {
  { model.dimension() } -> std::convertible_to<std::size_t>;
  { model.embed(texts, with_bos) } -> std::same_as<EmbeddingMatrix>;
};

struct GenerationOptions {
  /// Continuations of the prompt; 0 asks for the greedy one.
  std::size_t samples = 0;
  std::size_t max_new_tokens = 16;
  /// Texts that end a continuation, behind the white space it begins with (stop_text.hpp); they are
  /// not part of it. Without any only the end of sequence does.
  std::vector<std::string> stop{"\n"};
  std::uint64_t seed = 0;
};

struct Continuation {
  std::vector<TokenId> tokens;
  /// ln P of each token given all before it, under temperature 1 and the whole vocabulary.
  std::vector<double> log_probabilities;
};

/// A language model that continues a text.
///
/// Requires: `generate(prompt, options)` returns one greedy continuation, or `samples` of them
/// drawn at temperature 1 from the whole vocabulary. Greedy ties go to the lowest token. A
/// continuation ends before the end-of-generation token, before the token in which the first stop
/// text begins that reaches past the white space it begins with (`end_at_stop` of stop_text.hpp
/// does that), or at `max_new_tokens`.
/// Means: equal arguments give equal continuations.
/// Does not promise: that a continuation is not empty.
///
/// Any CausalLm is one through TreeGenerator (tree_generator.hpp). A model may say in an
/// `ends(token)` of its own, optional for every backend, whether a token ends a text; one without
/// it goes on until a stop text or the length ends it.
template <class M>
concept Generator = LanguageModel<M> &&
    requires(M& model, std::span<const TokenId> prompt, const GenerationOptions& options) {
  { model.generate(prompt, options) } -> std::same_as<std::vector<Continuation>>;
};

/// A language model that continues many texts at once, by itself and without rows of logits, as a
/// server does.
///
/// Requires: `generate(prompts, options, seeds)` returns for each prompt what a Generator returns for
/// it; samples are drawn by the options' seed, or each prompt's by its own where `seeds` has as many.
/// Means and does not promise: as a Generator.
///
/// What a job continues goes through PromptGenerator (prompt_generator.hpp), by rows or by this.
template <class M>
concept BatchGenerator = LanguageModel<M> &&
    requires(M& model, std::span<const std::vector<TokenId>> prompts,
             const GenerationOptions& options, std::span<const std::uint64_t> seeds) {
  {
    model.generate(prompts, options, seeds)
    } -> std::same_as<std::vector<std::vector<Continuation>>>;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
