// SPDX-License-Identifier: Apache-2.0

// Which logits does a network compute after every token of given sequences, and how fast?
//
//   sequence_logits MODEL [SECONDS [THREADS]] <SEQUENCES
// MODEL is a Hugging Face folder, computed by plumb's network, or a GGUF file, computed by
// llama.cpp in F32 without flash attention. SEQUENCES contains one sequence of token ids per line.
// Without SECONDS, it writes the logits of all tokens as F32 rows [tokens][vocabulary], one
// sequence after another. With SECONDS, it computes all sequences together, repeatedly for that
// time, and prints tokens per second (the median of the repetitions, after one warm-up).

#include <llama.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/huggingface/decoder_architectures.hpp"
#include "plumb/detail/huggingface/decoder_network.hpp"

namespace {

using Sequence = std::vector<plumb::detail::TokenId>;
using Row = std::function<void(std::span<const float>)>;

/// Computes the logits of sequences without sharing prefixes; `row` receives the logits of each
/// token, one sequence after another.
class Computer {
 public:
  virtual ~Computer() = default;
  virtual void compute(std::span<const Sequence> sequences, const Row& row) = 0;
};

class FolderComputer : public Computer {
 public:
  explicit FolderComputer(const std::filesystem::path& folder)
      : network_(plumb::detail::DecoderNetwork::read(folder,
                                                     plumb::detail::read_decoder_config(folder))) {}

  void compute(std::span<const Sequence> sequences, const Row& row) override {
    plumb::detail::TokenTree tree;
    std::vector<plumb::detail::NodeId> wanted;
    for (const Sequence& sequence : sequences) {
      plumb::detail::NodeId at = plumb::detail::TokenTree::root;
      for (const plumb::detail::TokenId token : sequence)
        wanted.push_back(at = tree.add(at, token));
    }
    network_.evaluate(tree, wanted,
                      [&](plumb::detail::NodeId, std::span<const float> logits) { row(logits); });
    network_.release(tree, plumb::detail::TokenTree::root);
  }

 private:
  plumb::detail::DecoderNetwork network_;
};

class LlamaComputer : public Computer {
 public:
  LlamaComputer(const std::string& file, int threads) {
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    model_.reset(llama_model_load_from_file(file.c_str(), llama_model_default_params()));
    if (!model_) throw std::runtime_error("llama.cpp cannot load " + file);
    llama_context_params params = llama_context_default_params();
    params.n_ctx = 4096;
    params.n_batch = params.n_ubatch = 512;
    params.n_seq_max = 16;
    params.kv_unified = true;
    params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    params.type_k = params.type_v = GGML_TYPE_F32;
    params.n_threads = params.n_threads_batch = threads;
    context_.reset(llama_init_from_model(model_.get(), params));
    if (!context_) throw std::runtime_error("llama.cpp cannot create a context for " + file);
  }

  void compute(std::span<const Sequence> sequences, const Row& row) override {
    llama_memory_clear(llama_get_memory(context_.get()), true);
    const auto vocabulary =
        static_cast<std::size_t>(llama_vocab_n_tokens(llama_model_get_vocab(model_.get())));
    llama_batch batch = llama_batch_init(512, 0, 1);
    const auto flush = [&] {
      if (batch.n_tokens == 0) return;
      if (llama_decode(context_.get(), batch) != 0) throw std::runtime_error("llama_decode failed");
      for (int i = 0; i < batch.n_tokens; ++i) {
        row({llama_get_logits_ith(context_.get(), i), vocabulary});
      }
      batch.n_tokens = 0;
    };
    for (std::size_t s = 0; s < sequences.size(); ++s) {
      for (std::size_t p = 0; p < sequences[s].size(); ++p) {
        const int i = batch.n_tokens++;
        batch.token[i] = sequences[s][p];
        batch.pos[i] = static_cast<llama_pos>(p);
        batch.n_seq_id[i] = 1;
        batch.seq_id[i][0] = static_cast<llama_seq_id>(s);
        batch.logits[i] = 1;
        if (batch.n_tokens == 512) flush();
      }
    }
    flush();
    llama_batch_free(batch);
  }

 private:
  struct Free {
    void operator()(llama_model* model) const { llama_model_free(model); }
    void operator()(llama_context* context) const { llama_free(context); }
  };
  std::unique_ptr<llama_model, Free> model_;
  std::unique_ptr<llama_context, Free> context_;
};

std::vector<Sequence> read_sequences() {
  std::vector<Sequence> sequences;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    Sequence sequence;
    for (plumb::detail::TokenId id = 0; words >> id;) sequence.push_back(id);
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

double tokens_per_second(Computer& computer, std::span<const Sequence> sequences, double seconds) {
  std::size_t tokens = 0;
  for (const Sequence& sequence : sequences) tokens += sequence.size();
  const auto nothing = [](std::span<const float>) {};
  computer.compute(sequences, nothing);
  std::vector<double> rates;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  while (rates.empty() || std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    const auto begin = Clock::now();
    computer.compute(sequences, nothing);
    rates.push_back(static_cast<double>(tokens) /
                    std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: sequence_logits MODEL [SECONDS [THREADS]] <SEQUENCES\n", stderr);
    return 2;
  }
  try {
    const std::string model = argv[1];
    const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
    std::unique_ptr<Computer> computer;
    if (model.ends_with(".gguf")) {
      computer = std::make_unique<LlamaComputer>(model, threads);
    } else {
      computer = std::make_unique<FolderComputer>(model);
    }
    const std::vector<Sequence> sequences = read_sequences();
    if (argc > 2) {
      std::printf("%.1f\n", tokens_per_second(*computer, sequences, std::atof(argv[2])));
    } else {
      computer->compute(sequences, [](std::span<const float> row) {
        std::fwrite(row.data(), sizeof(float), row.size(), stdout);
      });
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sequence_logits: %s\n", error.what());
    return 1;
  }
  return 0;
}
