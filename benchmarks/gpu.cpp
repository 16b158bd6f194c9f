// SPDX-License-Identifier: Apache-2.0

// How much do a GPU's scores differ from a CPU's, and how fast does the GPU score?
//
//   gpu weights 1B|7B|tiny VOCABULARY.gguf OUT.gguf    random BF16 weights of Llama's shape
//   gpu scores MODEL.gguf exact|fast cpu|gpu FOLDER FACTS OUT.txt
//   gpu rate MODEL.gguf exact|fast cpu|gpu FOLDER PACK SECONDS
//   gpu tokens MODEL.gguf FOLDER OUT.json              the statements of `rate` as token ids
//
// FOLDER is a closed-set dataset. `scores` writes the log-likelihood of every option of each
// relation's first FACTS facts. `rate` scores statements of the largest relation the way a probe
// does, with PACK nodes per step; it then evaluates full packs of 32-node branches with one row
// each, which show the model's speed without the cost of reading rows. It prints statements and
// nodes per second, a breakdown of the time, the fraction of the time during which a kernel ran,
// and the memory used on the card (the last two from NVML). gpu.sh calls it.

#include <dlfcn.h>
#include <ggml.h>
#include <gguf.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "plumb/detail/backend/llama.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "plumb/detail/score/causal_scorer.hpp"

namespace {

using namespace plumb::detail;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Shape {
  std::int64_t width, inner, layers, heads, kv_heads;
  bool tied;  // the output matrix is the embedding table
};
const std::map<std::string, Shape> shapes{{"tiny", {128, 256, 2, 4, 2, true}},
                                          {"1B", {2048, 8192, 16, 32, 8, true}},
                                          {"7B", {4096, 11008, 32, 32, 32, false}}};

/// Random weights that preserve the variance of their inputs and produce logits with a spread of
/// about three nats, so that rounding has the same effect as in a trained model.
class RandomLlama {
 public:
  RandomLlama(const Shape& shape, const char* vocabulary)
      : file_(gguf_init_empty()),
        tensors_(ggml_init({ggml_tensor_overhead() * 1000, nullptr, true})) {
    const std::unique_ptr<gguf_context, Free> from(
        gguf_init_from_file(vocabulary, {true, nullptr}));
    if (!from) throw user_error({.file = vocabulary}, "is not a GGUF file");
    gguf_set_kv(file_.get(), from.get());
    const auto tokens = static_cast<std::int64_t>(
        gguf_get_arr_n(from.get(), gguf_find_key(from.get(), "tokenizer.ggml.tokens")));
    gguf_set_val_str(file_.get(), "general.architecture", "llama");
    gguf_set_val_u32(file_.get(), "general.file_type", 32);
    const auto set = [&](const char* key, std::int64_t value) {
      gguf_set_val_u32(file_.get(), (std::string("llama.") + key).c_str(),
                       static_cast<std::uint32_t>(value));
    };
    set("context_length", 8192);
    set("embedding_length", shape.width);
    set("block_count", shape.layers);
    set("feed_forward_length", shape.inner);
    set("attention.head_count", shape.heads);
    set("attention.head_count_kv", shape.kv_heads);
    set("rope.dimension_count", shape.width / shape.heads);
    set("vocab_size", tokens);
    gguf_set_val_f32(file_.get(), "llama.attention.layer_norm_rms_epsilon", 1e-5F);
    gguf_set_val_f32(file_.get(), "llama.rope.freq_base", 500'000);

    const std::int64_t kv = shape.width / shape.heads * shape.kv_heads;
    const double spread = 3 / std::sqrt(static_cast<double>(shape.width));
    matrix("token_embd.weight", shape.width, tokens, spread);
    if (!shape.tied) matrix("output.weight", shape.width, tokens, spread);
    norm("output_norm.weight", shape.width);
    for (std::int64_t i = 0; i < shape.layers; ++i) {
      const std::string block = "blk." + std::to_string(i) + ".";
      norm(block + "attn_norm.weight", shape.width);
      norm(block + "ffn_norm.weight", shape.width);
      matrix(block + "attn_q.weight", shape.width, shape.width);
      matrix(block + "attn_k.weight", shape.width, kv);
      matrix(block + "attn_v.weight", shape.width, kv);
      matrix(block + "attn_output.weight", shape.width, shape.width);
      matrix(block + "ffn_gate.weight", shape.width, shape.inner);
      matrix(block + "ffn_up.weight", shape.width, shape.inner);
      matrix(block + "ffn_down.weight", shape.inner, shape.width);
    }
  }

  void write(const char* path) const {
    if (!gguf_write_to_file(file_.get(), path, false)) {
      throw user_error({.file = path}, "cannot be written", "check the space left");
    }
  }

 private:
  struct Free {
    void operator()(gguf_context* file) const { gguf_free(file); }
    void operator()(ggml_context* tensors) const { ggml_free(tensors); }
  };

  void matrix(const std::string& name, std::int64_t in, std::int64_t out, double deviation = 0) {
    if (deviation == 0) deviation = 1 / std::sqrt(static_cast<double>(in));
    auto& numbers = halves_.emplace_back(static_cast<std::size_t>(in * out));
    // Uniform within ±√3 standard deviations; the upper half of a float is its BF16 value. This
    // generator is several times faster than RandomStream, and billions of numbers are drawn.
    const double scale = deviation * std::sqrt(3.0) / 32768;
    for (std::size_t i = 0; i < numbers.size(); i += 4) {
      std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15U);
      mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
      mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
      mixed ^= mixed >> 31U;
      for (std::size_t j = i; j < std::min(i + 4, numbers.size()); ++j, mixed >>= 16U) {
        const auto value =
            static_cast<float>(scale * static_cast<double>(static_cast<std::int16_t>(mixed)));
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        numbers[j] = static_cast<std::uint16_t>(bits >> 16U);
      }
    }
    add(ggml_new_tensor_2d(tensors_.get(), GGML_TYPE_BF16, in, out), name, numbers.data());
  }
  void norm(const std::string& name, std::int64_t length) {
    auto& ones = ones_.emplace_back(static_cast<std::size_t>(length), 1.0F);
    add(ggml_new_tensor_1d(tensors_.get(), GGML_TYPE_F32, length), name, ones.data());
  }
  void add(ggml_tensor* tensor, const std::string& name, void* data) {
    ggml_set_name(tensor, name.c_str());
    tensor->data = data;
    gguf_add_tensor(file_.get(), tensor);
  }

  std::uint64_t state_ = 1;
  std::deque<std::vector<std::uint16_t>> halves_;
  std::deque<std::vector<float>> ones_;
  std::unique_ptr<gguf_context, Free> file_;
  std::unique_ptr<ggml_context, Free> tensors_;
};

/// Samples NVML's data about the first card every 20 ms, from a separate thread, during this
/// object's lifetime. Does nothing without NVML.
class CardWatch {
 public:
  CardWatch() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    if (library_ == nullptr) return;
    const auto begin = function<int()>("nvmlInit_v2");
    const auto open = function<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
    use_ = function<int(void*, Use*)>("nvmlDeviceGetUtilizationRates");
    memory_ = function<int(void*, Memory*)>("nvmlDeviceGetMemoryInfo");
    if (!begin || !open || !use_ || !memory_ || begin() != 0 || open(0, &card_) != 0) return;
    thread_ = std::thread([this] {
      while (!ends_) {
        ask();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
  }
  CardWatch(const CardWatch&) = delete;
  CardWatch& operator=(const CardWatch&) = delete;
  ~CardWatch() { stop(); }

  void stop() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
  }
  /// For example "87% of the time in kernels, 5.1 GB of the card"; call it after stop().
  [[nodiscard]] std::string told() const {
    if (asked_ == 0) return "no card";
    char text[80];
    std::snprintf(text, sizeof text, "%.0f%% of the time in kernels, %.1f GB of the card",
                  busy_ / static_cast<double>(asked_), most_ / 1e9);
    return text;
  }

 private:
  struct Use {
    unsigned kernels, memory;
  };
  struct Memory {
    unsigned long long total, free, used;
  };
  template <class F>
  [[nodiscard]] F* function(const char* name) const {
    return reinterpret_cast<F*>(dlsym(library_, name));
  }
  void ask() {
    Use use{};
    Memory memory{};
    if (use_(card_, &use) != 0 || memory_(card_, &memory) != 0) return;
    ++asked_;
    busy_ += use.kernels;
    most_ = std::max(most_, static_cast<double>(memory.used));
  }

  void* library_;
  void* card_ = nullptr;
  int (*use_)(void*, Use*) = nullptr;
  int (*memory_)(void*, Memory*) = nullptr;
  std::size_t asked_ = 0;
  double busy_ = 0, most_ = 0;  // the sum of the percentages; bytes
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

/// Measures the time spent computing and the time spent reading rows.
class TimedModel : public LlamaModel {
 public:
  using LlamaModel::LlamaModel;
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    LlamaModel::evaluate(sequence, visit);
  }
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    const Clock::time_point start = Clock::now();
    const double before = reading;
    LlamaModel::evaluate(tree, wanted, [&](NodeId node, std::span<const float> row) {
      const Clock::time_point began = Clock::now();
      visit(node, row);
      reading += since(began);
    });
    computing += since(start) - (reading - before);
  }

  double computing = 0, reading = 0;  // seconds
};

LlamaOptions options(const std::string& model, const std::string& precision,
                     const std::string& device, std::size_t pack = 0) {
  if (device == "gpu" && llama_gpu_kind().empty()) {
    throw user_error({}, "llama.cpp finds no GPU", "run gpu.sh on a machine with a GPU");
  }
  LlamaOptions made{model, precision == "exact" ? Precision::exact : Precision::fast};
  if (device == "cpu") made.engine.gpu_layers = 0;
  made.engine.pack = pack;
  return made;
}

Query query_of(const Relation& relation, const Fact& fact) {
  Query query;
  for (std::size_t option = 0; option < relation.options.size(); ++option) {
    query.candidates.push_back(Statement().build(relation, fact, 0, option));
  }
  return query;
}

/// At most 16,384 statements, all from the relation with the most statements.
std::vector<Query> largest_relation(const Dataset& dataset) {
  const Relation& relation = *std::max_element(
      dataset.relations.begin(), dataset.relations.end(), [](const auto& a, const auto& b) {
        return a.facts.size() * a.options.size() < b.facts.size() * b.options.size();
      });
  std::vector<Query> queries;
  std::size_t statements = 0;
  for (const Fact& fact : relation.facts) {
    if (statements + relation.options.size() > 16'384) break;
    queries.push_back(query_of(relation, fact));
    statements += relation.options.size();
  }
  return queries;
}

void write_scores(LlamaModel& model, const Dataset& dataset, std::size_t facts, const char* path) {
  CausalScorer scorer(model, model.bos().has_value());
  std::vector<Query> queries;
  for (const Relation& relation : dataset.relations) {
    for (std::size_t f = 0; f < std::min(facts, relation.facts.size()); ++f) {
      queries.push_back(query_of(relation, relation.facts[f]));
    }
  }
  CausalScorer<LlamaModel>::Block block;
  for (const Query& query : queries) scorer.add(block, query);
  scorer.plan(block);
  const Clock::time_point start = Clock::now();
  std::ofstream out(path);
  out.precision(17);
  for (const StatementScore& score : score_all_packs(scorer, block)) {
    out << score.statement.log_likelihood << '\n';
  }
  std::printf("%llu statements on %s in %.1f s\n",
              static_cast<unsigned long long>(block.cost().statements),
              model.describe().device.c_str(), since(start));
}

void print_statement_rate(TimedModel& model, const Dataset& dataset, double seconds) {
  CausalScorer scorer(model, model.bos().has_value());
  CausalScorer<TimedModel>::Block block;
  for (const Query& query : largest_relation(dataset)) scorer.add(block, query);
  scorer.plan(block);
  static_cast<void>(scorer.score(block, 0));  // the first pack sets up the cache
  model.computing = model.reading = 0;
  std::size_t statements = 0, packs = 0;
  std::uint64_t nodes = 0;
  CardWatch card;
  const Clock::time_point start = Clock::now();
  for (; since(start) < seconds; ++packs) {
    const std::size_t p = packs % block.packs();
    static_cast<void>(scorer.score(block, p));
    statements += block.pack(p).size();
    nodes += block.tokens(p);
  }
  const double took = since(start);
  card.stop();
  const auto share = [&](double part) { return 100 * part / took; };
  std::printf(
      "  %6.0f statements/s, %6.0f nodes/s, %4.0f nodes a pack; model %.0f%%, reading rows %.0f%%; "
      "%s\n",
      static_cast<double>(statements) / took, static_cast<double>(nodes) / took,
      static_cast<double>(nodes) / static_cast<double>(packs), share(model.computing),
      share(model.reading), card.told().c_str());
}

void print_node_rate(TimedModel& model, std::size_t pack, double seconds) {
  constexpr std::size_t length = 32;
  RandomStream random(0, "tokens");
  std::size_t nodes = 0;
  std::optional<Clock::time_point> start;
  std::optional<CardWatch> card;
  while (!start || since(*start) < seconds) {
    TokenTree tree;
    std::vector<NodeId> wanted;
    const std::size_t branches = std::min(pack / length, model.tree_limits().leaves);
    for (std::size_t b = 0; b < branches; ++b) {
      NodeId at = TokenTree::root;
      for (std::size_t i = 0; i < length; ++i) {
        at = tree.add(at, static_cast<TokenId>(random.below(model.vocabulary_size())));
      }
      wanted.push_back(at);
    }
    model.evaluate(tree, wanted, [](NodeId, std::span<const float>) {});
    model.release(tree, TokenTree::root);
    if (start) {
      nodes += tree.size() - 1;
    } else {
      start = Clock::now();
      card.emplace();
    }
  }
  const double took = since(*start);
  card->stop();
  std::printf("  %6.0f nodes/s in branches of %zu, a row each; %s\n",
              static_cast<double>(nodes) / took, length, card->told().c_str());
}

void write_tokens(const LlamaModel& model, const Dataset& dataset, const char* path) {
  std::ofstream out(path);
  out << '[';
  const char* comma = "";
  for (const Query& query : largest_relation(dataset)) {
    for (const Prompt& prompt : query.candidates) {
      out << std::exchange(comma, ",\n") << '[';
      if (model.bos()) out << *model.bos();
      bool first = !model.bos();
      for (const Token& token : model.tokenize(prompt.text).tokens) {
        out << (std::exchange(first, false) ? "" : ",") << token.id;
      }
      out << ']';
    }
  }
  out << "]\n";
}

int run(const std::vector<std::string>& words) {
  const std::string mode = words.empty() ? "" : words[0];
  if (mode == "weights" && words.size() == 4 && shapes.contains(words[1])) {
    RandomLlama(shapes.at(words[1]), words[2].c_str()).write(words[3].c_str());
  } else if (mode == "scores" && words.size() == 7) {
    LlamaModel model(options(words[1], words[2], words[3]));
    write_scores(model, load_dataset(words[4]), std::stoul(words[5]), words[6].c_str());
  } else if (mode == "rate" && words.size() == 7) {
    const std::size_t pack = std::stoul(words[5]);
    TimedModel model(options(words[1], words[2], words[3], pack));
    std::printf("%s, %s, %zu nodes a step\n", words[2].c_str(), model.describe().device.c_str(),
                pack);
    print_statement_rate(model, load_dataset(words[4]), std::stod(words[6]));
    print_node_rate(model, pack, std::stod(words[6]) / 2);
  } else if (mode == "tokens" && words.size() == 4) {
    const LlamaModel model(options(words[1], "fast", "cpu"));
    write_tokens(model, load_dataset(words[2]), words[3].c_str());
  } else {
    throw user_error({}, "usage: see the head of benchmarks/gpu.cpp");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const Error& error) {
    std::cerr << "gpu: " << error.what() << std::endl;
    return error.fault() == Fault::user ? 2 : 1;
  }
}
