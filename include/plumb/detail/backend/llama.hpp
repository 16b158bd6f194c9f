// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does llama.cpp run a GGUF model?
//
// LlamaModel is a TreeCausalLm and a TreeEmbedder. A tree's branches are sequences of one unified
// KV cache (branch_ledger.hpp), so each prefix is computed once. `exact` keeps the cache in F32 and
// turns flash attention off; it agrees with PyTorch in F32 to about 2e-4 nats per statement on a
// CPU. `fast` does neither. llama_parameters.hpp sets these parameters, and decides what runs on a
// GPU. Models that keep a running state instead of a cache (Mamba, RWKV, hybrids) cannot branch, so
// their limits allow only one branch. Sliding-window models get a full-size cache (`swa_full`) and
// one extra sequence id to which every cell belongs. Without this id, llama.cpp would reuse a cell
// once the window of its only sequence has moved past it, although a branch that starts further
// back still needs the cell. If weights are not in F32, kernels also round the activations. For
// exact scores, 16-bit weights are widened to F32 (llama_f32_cache.hpp). Quantised weights are used
// as they are, and their scores differ by tenths of a nat from the scores of the same weights in
// F32.

#include <llama.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/branch_ledger.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/engine_options.hpp"
#include "plumb/detail/backend/evaluate.hpp"
#include "plumb/detail/backend/llama_adapters.hpp"
#include "plumb/detail/backend/llama_causal.hpp"
#include "plumb/detail/backend/llama_file.hpp"
#include "plumb/detail/backend/llama_hidden.hpp"
#include "plumb/detail/backend/llama_log.hpp"
#include "plumb/detail/backend/llama_parameters.hpp"
#include "plumb/detail/backend/llama_vocabulary.hpp"
#include "plumb/detail/backend/llama_weights.hpp"
#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/cores.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe: only one thread at a time may use a model. Several models may exist at the same
/// time.
class LlamaModel {
 public:
  /// Throws a user error if the file or a part of it is missing, damaged, or not a causal language
  /// model, or if exact scores are requested for 16-bit weights that cannot be widened. Also throws
  /// the errors that LlamaParameters and LlamaAdapters throw.
  explicit LlamaModel(LlamaOptions options)
      : options_(with_threads(std::move(options))),
        log_(std::make_unique<detail::LlamaLog>(options_.on_log)),
        parameters_(options_) {
    const Site site{.file = options_.model};
    if (!std::filesystem::is_regular_file(options_.model)) {
      throw user_error(site, "no such model file", "set `model` to the path of a .gguf file");
    }
    const GgufModel file = head_of_file();
    refuse_no_causal_model(file);
    file.refuse_cut_parts();
    weights_ = LlamaWeights(file);
    most_nodes_ = nodes_for_short_factors(file);
    const std::filesystem::path loaded = weights_.to_load(file, options_);
    model_.reset(llama_model_load_from_file(loaded.c_str(), parameters_.of_model()));
    if (!model_) throw cannot_load(log_->take());
    if (!llama_model_has_decoder(model_.get()) || llama_model_has_encoder(model_.get()) ||
        llama_model_is_diffusion(model_.get())) {
      throw no_causal_model(file, "its architecture is not decoder-only");
    }
    vocabulary_ = LlamaVocabulary(*model_, options_.parse_special_tokens);
    for (const LoraAdapter& one : options_.engine.lora) LlamaAdapters::refuse_not_finite(one.file);
    adapters_ = LlamaAdapters(*model_, weights_.adapters(options_), *log_);
    if (!llama_model_is_recurrent(model_.get()) && !llama_model_is_hybrid(model_.get())) {
      // llama.cpp fails if a step has no room for at least one node of each sequence.
      const std::size_t ids =
          (std::min)({std::size_t{256}, llama_max_parallel_sequences(), parameters_.pack()});
      const bool slides = llama_model_n_swa(model_.get()) > 0;
      branches_ = slides ? ids - 1 : ids;
      if (slides) keeper_ = static_cast<SequenceId>(branches_);
      ledger_ = BranchLedger(branches_);
    }
    open_context(cells_for(0));
    // llama.cpp uses the architecture's defaults for settings that the file does not specify.
    if (!llama_get_causal_attn(context_.get()) || llama_get_memory(context_.get()) == nullptr) {
      throw no_causal_model(file, "its tokens attend to later tokens");
    }
  }

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    return vocabulary_.tokenize(text);
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    return vocabulary_.detokenize(ids);
  }
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const {
    return vocabulary_.special_tokens();
  }
  [[nodiscard]] std::optional<TokenId> bos() const { return vocabulary_.bos(); }
  [[nodiscard]] bool adds_bos() const { return vocabulary_.adds_bos(); }
  [[nodiscard]] TextFrame own_frame() const { return vocabulary_.own_frame(); }
  [[nodiscard]] std::optional<ChatTemplate> chat_template() const {
    return vocabulary_.chat_template();
  }
  [[nodiscard]] bool ends(TokenId token) const { return vocabulary_.ends(token); }
  [[nodiscard]] std::size_t vocabulary_size() const { return vocabulary_.size(); }
  [[nodiscard]] std::size_t context_length() const {
    return (std::min)(static_cast<std::size_t>(llama_model_n_ctx_train(model_.get())), most_nodes_);
  }

  [[nodiscard]] TreeLimits tree_limits() const {
    // The block is at least as large as a step, so that plans treat all cells of a step as equally
    // expensive. With the CPU's block size, plans would leave larger steps partly empty.
    const std::size_t pack = parameters_.pack();
    return {(std::min)((std::max)(options_.cells, context_length()), most_nodes_), branches_, pack,
            (std::max)(attention_block, pack)};
  }

  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    evaluate_as_tree(*this, sequence, visit);
  }

  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    hold(tree, wanted, visit);
  }

  /// Size of a hidden vector.
  [[nodiscard]] std::size_t dimension() const {
    return static_cast<std::size_t>(llama_model_n_embd(model_.get()));
  }

  /// The LM head is not computed.
  void embed(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    const LlamaHidden::Reading reading(*hidden_);
    hold(tree, wanted, visit);
  }

  /// Called before a tree's first evaluation with the final number of nodes of the tree, so that
  /// the cache need not grow with the tree. Applies until the root is released.
  void reserve(std::size_t nodes) { reserved_ = (std::min)(nodes, tree_limits().nodes); }

  void release(const TokenTree& tree, NodeId node) {
    llama_memory_t memory = llama_get_memory(context_.get());
    const auto cuts = ledger_.release(tree, node);
    if (node == TokenTree::root) {
      llama_memory_clear(memory, false);
      reserved_ = 0;
      return;
    }
    for (const auto& cut : cuts) {
      llama_memory_seq_rm(memory, cut.sequence, static_cast<llama_pos>(cut.length), -1);
    }
    if (keeper_) {
      llama_memory_seq_rm(memory, *keeper_, -1, -1);
      for (std::size_t s = 0; s < branches_; ++s) keep(static_cast<SequenceId>(s));
    }
  }

  [[nodiscard]] ModelDescription describe() const {
    ModelDescription made{"llama.cpp " + std::string(llama_version()),
                          weights_.name(llama_model_ftype(model_.get())), weights_.quantized()};
    made.device = parameters_.device();
    if (parameters_.on_gpu()) made.gpu_layers = gpu_layers();
    made.cache_type = name_of(parameters_.cache_type());
    made.pack = parameters_.pack();
    made.skips_composing = vocabulary_.skips_composing();
    made.warnings = vocabulary_.warnings();
    for (std::string& text : weights_.warnings()) made.warnings.push_back(std::move(text));
    if (llama_pooling_type(context_.get()) == LLAMA_POOLING_TYPE_LAST) {
      made.warnings.emplace_back(
          "Warning: the model's file describes an embedding model (pooling_type last). It was "
          "trained to produce vectors, so its token probabilities may mean little.");
    }
    return made;
  }
  /// Returns facts for run.json: the architecture named in the file, and the number of parameters.
  [[nodiscard]] Json facts() const {
    return {{"architecture", vocabulary_.metadata("general.architecture")},
            {"parameters", llama_model_n_params(model_.get())}};
  }

 private:
  static LlamaOptions with_threads(LlamaOptions options) {
    if (options.threads <= 0) options.threads = static_cast<int>(available_cores());
    return options;
  }

  [[nodiscard]] Error cannot_load(const std::string& why,
                                  const std::filesystem::path& file = {}) const {
    return user_error(
        {.file = file.empty() ? options_.model : file}, "cannot be loaded: " + why,
        "it is truncated, damaged or of a kind that this llama.cpp does not support; fetch it "
        "again");
  }
  /// Reads the file's header. If the header is damaged, the error contains ggml's log message.
  [[nodiscard]] GgufModel head_of_file() const {
    try {
      return GgufModel(options_.model);
    } catch (const Error& error) {
      if (const std::string why = log_->take(); !why.empty()) {
        throw cannot_load(why, error.site().file);  // the file may be a later part of the model
      }
      throw;
    }
  }

  // On a CPU, llama.cpp attends to a multiple of this many cells.
  static constexpr std::size_t attention_block = 256;

  /// Feeds all nodes on which the wanted nodes depend, and visits the rows of the wanted nodes.
  void hold(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    // A tree that outgrows the cache is moved to a larger one. The held nodes are fed again in a
    // separate step, so that rows do not depend on when the move happened.
    const bool may_overflow = tree.size() > llama_n_ctx(context_.get());
    const BranchLedger::Step held = may_overflow ? ledger_.resident(tree) : BranchLedger::Step{};
    const bool was_empty = ledger_.held() == 0;
    const BranchLedger::Step step = ledger_.plan(tree, wanted);
    if (ledger_.held() > tree_limits().nodes) {
      throw internal_error(
          {.file = options_.model},
          "a tree of " + std::to_string(ledger_.held()) + " nodes exceeds the limit",
          "release nodes or stay within tree_limits()");
    }
    // The cache size depends only on the tree, not on earlier calls, because some models scale
    // their positions by this size, and a resumed run must use the same size.
    const std::size_t cells = cells_for((std::max)(ledger_.held(), reserved_));
    if (was_empty ? llama_n_ctx(context_.get()) != cells
                  : ledger_.held() > llama_n_ctx(context_.get())) {
      open_context(cells);
      feed(tree, held, {}, {});
    }
    llama_memory_t memory = llama_get_memory(context_.get());
    for (const auto& copy : step.copies) {
      llama_memory_seq_cp(memory, copy.from, copy.to, 0, static_cast<llama_pos>(copy.length));
    }
    feed(tree, step, wanted, visit);
  }

  /// Returns the number of cells for a tree of `nodes` nodes, with room to grow by another pack or
  /// two. The result is a multiple of the minimum size, so that trees of similar size get the same
  /// number of cells.
  [[nodiscard]] std::size_t cells_for(std::size_t nodes) const {
    const std::size_t block = cell_block();
    return (nodes + 2 * parameters_.pack() + block - 1) / block * block;
  }
  [[nodiscard]] std::size_t cell_block() const {
    return (std::max<std::size_t>(options_.cells, 1) + 255) / 256 * 256;
  }

  /// A LongRoPE model (Phi-3-128k) rotates with one set of factors in short contexts and another in
  /// long ones. llama.cpp chooses by the number of cells, so a larger tree would change the scores
  /// of short texts. Returns the nodes of the largest tree with the factors for short contexts; the
  /// largest number for other models. Throws a user error if `pack` leaves no room for a tree.
  [[nodiscard]] std::size_t nodes_for_short_factors(const GgufModel& file) const {
    const std::string architecture = file.first().text("general.architecture").value_or("");
    const std::optional<std::int64_t> original =
        file.first().whole_number(architecture + ".rope.scaling.original_context_length");
    if (original.value_or(0) <= 0 || !file.has_tensor("rope_factors_long")) {
      return (std::numeric_limits<std::size_t>::max)();
    }
    const std::size_t block = cell_block(), room = 2 * parameters_.pack();
    const std::size_t cells = static_cast<std::size_t>(*original) / block * block;
    if (cells > room) return cells - room;
    throw user_error(
        {.setting = "pack"},
        "leaves no room in this model's short context of " + std::to_string(*original) + " tokens",
        "use a smaller one, or run the model on a server");
  }

  /// The number of layers on a GPU. llama.cpp counts the output as one more layer of the model.
  [[nodiscard]] std::size_t gpu_layers() const {
    const auto all = static_cast<std::size_t>(llama_model_n_layer(model_.get())) + 1;
    return (std::min)(options_.engine.gpu_layers.value_or(all), all);
  }

  /// Prevents a sequence's cells from being reused; only sliding-window models need this.
  void keep(SequenceId sequence) {
    if (keeper_) llama_memory_seq_cp(llama_get_memory(context_.get()), sequence, *keeper_, 0, -1);
  }

  void open_context(std::size_t cells) {
    llama_context_params params = parameters_.of_context(cells, branches_ + (keeper_ ? 1 : 0));
    params.cb_eval = &LlamaHidden::watch;
    params.cb_eval_user_data = hidden_.get();
    context_.reset();  // free the old cache before the new one is allocated
    context_.reset(llama_init_from_model(model_.get(), params));
    if (!context_ && options_.engine.cache_type) {
      throw user_error({.setting = "cache-type"},
                       std::string(name_of(*options_.engine.cache_type)) +
                           " does not work with this model: " + log_->take(),
                       "drop `cache-type`");
    }
    if (!context_) {
      throw internal_error({.file = options_.model},
                           "llama.cpp cannot create a "
                           "context: " +
                               log_->take());
    }
    adapters_.add_to(*context_);
  }

  void feed(const TokenTree& tree, const BranchLedger::Step& step, std::span<const NodeId> wanted,
            const LogitsVisitor& visit) {
    std::vector<bool> is_wanted(tree.size(), false);
    for (const NodeId node : wanted) is_wanted[node] = true;
    for (std::size_t first = 0; first < step.nodes.size(); first += parameters_.pack()) {
      feed_batch(tree, step, first, is_wanted, visit);
    }
  }

  void feed_batch(const TokenTree& tree, const BranchLedger::Step& step, std::size_t first,
                  const std::vector<bool>& is_wanted, const LogitsVisitor& visit) {
    const std::size_t count = (std::min)(parameters_.pack(), step.nodes.size() - first);
    std::vector<llama_token> tokens(count);
    std::vector<llama_pos> positions(count);
    std::vector<std::int32_t> sequence_counts(count);
    std::vector<llama_seq_id*> sequences(count);
    std::vector<std::int8_t> wants_row(count);
    for (std::size_t i = 0; i < count; ++i) {
      const NodeId node = step.nodes[first + i];
      const auto& carried = step.sequences[first + i];
      tokens[i] = tree.token(node);
      positions[i] = static_cast<llama_pos>(tree.depth(node)) - 1;
      sequence_counts[i] = static_cast<std::int32_t>(carried.size());
      sequences[i] = const_cast<llama_seq_id*>(carried.data());  // llama.cpp only reads them
      wants_row[i] = is_wanted[node] ? 1 : 0;
    }
    const llama_batch batch{
        static_cast<std::int32_t>(count), tokens.data(),    nullptr,         positions.data(),
        sequence_counts.data(),           sequences.data(), wants_row.data()};
    if (const std::int32_t status = llama_decode(context_.get(), batch); status != 0) {
      throw internal_error({.file = options_.model},
                           "llama_decode failed (" + std::to_string(status) + "): " + log_->take());
    }
    for (std::size_t i = 0; i < count && keeper_; ++i) keep(step.sequences[first + i].front());
    for (std::size_t i = 0, rows = 0; i < count; ++i) {
      if (wants_row[i] == 0) continue;
      if (hidden_->is_read()) {
        visit(step.nodes[first + i], hidden_->row(rows++, dimension()));
      } else {
        const float* row = llama_get_logits_ith(context_.get(), static_cast<std::int32_t>(i));
        visit(step.nodes[first + i], {row, vocabulary_size()});
      }
    }
  }

  struct FreeModel {
    void operator()(llama_model* model) const { llama_model_free(model); }
  };
  struct FreeContext {
    void operator()(llama_context* context) const { llama_free(context); }
  };

  LlamaOptions options_;
  std::unique_ptr<detail::LlamaLog> log_;
  LlamaParameters parameters_;
  LlamaWeights weights_;
  std::unique_ptr<llama_model, FreeModel> model_;
  LlamaAdapters adapters_;
  std::unique_ptr<LlamaHidden> hidden_ = std::make_unique<LlamaHidden>();  // outlives the context
  std::unique_ptr<llama_context, FreeContext> context_;
  LlamaVocabulary vocabulary_;
  BranchLedger ledger_{1};
  std::size_t branches_ = 1;
  std::size_t most_nodes_ = 0;
  std::size_t reserved_ = 0;  // nodes
  std::optional<SequenceId> keeper_;
};

static_assert(TreeCausalLm<LlamaModel> && TreeEmbedder<LlamaModel>);
static_assert(ListsSpecialTokens<LlamaModel>);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
