// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tiny random models in GGUF files, so that the llama.cpp backend can be tested on every kind of
// model without a download. Byte-level BPE vocabulary: 256 bytes, a few merges, then BOS. Weights
// come from a seeded stream. The models' outputs are meaningless but exactly reproducible.

#include <ggml.h>
#include <gguf.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "support/tiny_lora.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

enum class TinyKind { transformer, sliding_window, recurrent, hybrid };

struct TinyOptions {
  TinyKind kind = TinyKind::transformer;
  /// An architecture of plumb's own network, used instead of `kind`; it has biases, windows and
  /// scales if it supports them.
  std::string architecture{};
  bool with_bos = true;
  /// If set, the BOS to write into the file instead of the model's own, and whether the file says
  /// that BOS is added to texts.
  std::optional<std::uint32_t> bos{};
  std::optional<bool> adds_bos{};
  std::uint32_t context = 512;
  std::uint64_t seed = 1;
  /// A GGUF file that provides the model's tokenizer; if empty, the model has its own small one.
  std::filesystem::path vocabulary{};
  /// Adds an unknown token and user-defined ones after BOS: "<unk>", "<|user|>" and three spaces.
  bool with_marks = false;
};

class TinyGguf {
 public:
  explicit TinyGguf(TinyOptions options)
      : options_(options),
        random_(options.seed, "tiny"),
        file_(gguf_init_empty()),
        shapes_(ggml_init({ggml_tensor_overhead() * 200, nullptr, true})) {
    if (options.vocabulary.empty()) {
      add_vocabulary();
    } else {
      copy_vocabulary();
    }
    if (!options.architecture.empty()) {
      add_known(options.architecture);
      return;
    }
    switch (options.kind) {
      case TinyKind::transformer:
        add_transformer("llama");
        break;
      case TinyKind::sliding_window:
        add_transformer("cohere2");
        break;
      case TinyKind::recurrent:
        add_recurrent();
        break;
      case TinyKind::hybrid:
        add_hybrid();
        break;
    }
  }

  /// Adds an adapter's change to the weights: W[o][i] += scale · (alpha / rank) · Σ B[o][r]
  /// A[r][i].
  TinyGguf& merge(const TinyLora& lora, double scale = 1) {
    for (const TinyLora::Factors& factors : lora.factors()) {
      std::vector<float>& weights = data_.at(places_.at(factors.name));
      for (std::size_t o = 0; o < factors.out; ++o) {
        for (std::size_t i = 0; i < factors.in; ++i) {
          double sum = 0;
          for (std::size_t r = 0; r < TinyLora::rank; ++r) {
            sum += static_cast<double>(factors.b[o * TinyLora::rank + r]) *
                   static_cast<double>(factors.a[r * factors.in + i]);
          }
          weights.at(o * factors.in + i) +=
              static_cast<float>(scale * static_cast<double>(TinyLora::alpha) /
                                 static_cast<double>(TinyLora::rank) * sum);
        }
      }
    }
    return *this;
  }

  /// Changes the file's metadata.
  TinyGguf& edit(const std::function<void(gguf_context*)>& change) {
    change(file_.get());
    return *this;
  }
  /// Adds a tensor that the architecture does not have.
  TinyGguf& with_tensor(const std::string& name) {
    tensor(name, {width, 2}, 0.1);
    return *this;
  }
  /// Makes a LongRoPE model whose context was `original` tokens long.
  TinyGguf& with_long_rope(std::uint32_t original) {
    gguf_set_val_str(file_.get(), key("rope.scaling.type").c_str(), "longrope");
    set("rope.scaling.original_context_length", std::int64_t{original});
    tensor("rope_factors_short.weight", {width / heads / 2}, 0, 1);
    tensor("rope_factors_long.weight", {width / heads / 2}, 0, 4);
    return *this;
  }
  /// Truncates the matrices' numbers to BF16 precision. `half` also stores them in BF16, so that a
  /// file in BF16 and a file in F32 contain the same weights.
  TinyGguf& cut_to_bf16(bool half, const std::string& lead = "") {
    for (ggml_tensor* t = ggml_get_first_tensor(shapes_.get()); t != nullptr;
         t = ggml_get_next_tensor(shapes_.get(), t)) {
      if (ggml_n_dims(t) < 2 || !std::string_view(t->name).starts_with(lead)) continue;
      auto& bits = halves_[t->name];
      for (float& value : data_.at(places_.at(t->name))) {
        bits.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
        value = std::bit_cast<float>(static_cast<std::uint32_t>(bits.back()) << 16);
      }
      if (!half) continue;
      gguf_set_tensor_type(file_.get(), t->name, GGML_TYPE_BF16);
      gguf_set_tensor_data(file_.get(), t->name, bits.data());
    }
    return *this;
  }

  std::filesystem::path write(const std::filesystem::path& path) const {
    gguf_write_to_file(file_.get(), path.c_str(), false);
    return path;
  }
  /// Writes the model as LEAD-00001-of-0000N.gguf and so on, with only metadata in the first file;
  /// returns the first file's path.
  std::filesystem::path write_parts(const std::string& lead, std::uint16_t parts) const {
    std::vector<std::unique_ptr<gguf_context, Free>> files;
    for (std::uint16_t p = 0; p < parts; ++p) {
      gguf_context* const part = files.emplace_back(gguf_init_empty()).get();
      if (p == 0) gguf_set_kv(part, file_.get());
      gguf_set_val_u16(part, "split.no", p);
      gguf_set_val_u16(part, "split.count", parts);
      gguf_set_val_i32(part, "split.tensors.count", static_cast<std::int32_t>(data_.size()));
    }
    std::size_t t = 0;
    for (ggml_tensor* one = ggml_get_first_tensor(shapes_.get()); one != nullptr;
         one = ggml_get_next_tensor(shapes_.get(), one)) {
      gguf_context* const part = files[1 + t++ % (parts - 1U)].get();
      const auto at = gguf_find_tensor(file_.get(), one->name);
      gguf_add_tensor(part, one);
      gguf_set_tensor_type(part, one->name, gguf_get_tensor_type(file_.get(), at));
      if (gguf_get_tensor_type(file_.get(), at) == GGML_TYPE_BF16) {
        gguf_set_tensor_data(part, one->name, halves_.at(one->name).data());
      }
    }
    std::filesystem::path first;
    for (std::uint16_t p = 0; p < parts; ++p) {
      std::array<char, 32> tail{};
      std::snprintf(tail.data(), tail.size(), "-%05d-of-%05d.gguf", p + 1, parts);
      const std::filesystem::path path = lead + tail.data();
      gguf_write_to_file(files[p].get(), path.c_str(), false);
      if (p == 0) first = path;
    }
    return first;
  }

 private:
  static constexpr std::int64_t width = 32, heads = 4, kv_heads = 2, inner = 64, layers = 2;

  struct Free {
    void operator()(gguf_context* context) const { gguf_free(context); }
    void operator()(ggml_context* context) const { ggml_free(context); }
  };

  std::string key(const char* name) const { return architecture_ + "." + name; }
  void set(const char* name, std::int64_t value) {
    gguf_set_val_u32(file_.get(), key(name).c_str(), static_cast<std::uint32_t>(value));
  }
  void set(const char* name, double value) {
    gguf_set_val_f32(file_.get(), key(name).c_str(), static_cast<float>(value));
  }

  // GPT-2's representation of any byte as a printable character.
  static std::string byte_token(unsigned byte) {
    const auto printable = [](unsigned b) {
      return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
    };
    unsigned code = byte;
    if (!printable(byte)) {
      code = 256;
      for (unsigned b = 0; b < byte; ++b) code += printable(b) ? 0U : 1U;
    }
    std::string text;
    append_utf8(text, code);
    return text;
  }

  void add_vocabulary() {
    for (unsigned byte = 0; byte < 256; ++byte) tokens_.push_back(byte_token(byte));
    std::vector<std::string> merges;
    const std::string space = byte_token(' ');
    for (const auto& [left, right] :
         std::vector<std::pair<std::string, std::string>>{{space, "t"},
                                                          {"h", "e"},
                                                          {space + "t", "he"},
                                                          {"i", "s"},
                                                          {space, "is"},
                                                          {"a", "n"},
                                                          {".", "."}}) {
      merges.push_back(left + " " + right);
      tokens_.push_back(left + right);
    }
    const auto bos = static_cast<std::uint32_t>(tokens_.size());
    tokens_.push_back("<bos>");
    std::vector<std::int32_t> types(tokens_.size(), 1);
    types.back() = 3;
    if (options_.with_marks) {
      tokens_.insert(tokens_.end(), {"<unk>", "<|user|>", "   "});
      types.insert(types.end(), {2, 4, 4});
    }
    gguf_set_val_str(file_.get(), "tokenizer.ggml.model", "gpt2");
    gguf_set_val_str(file_.get(), "tokenizer.ggml.pre", "gpt-2");
    set_strings("tokenizer.ggml.tokens", tokens_);
    set_strings("tokenizer.ggml.merges", merges);
    gguf_set_arr_data(file_.get(), "tokenizer.ggml.token_type", GGUF_TYPE_INT32, types.data(),
                      types.size());
    if (options_.with_bos) {
      gguf_set_val_u32(file_.get(), "tokenizer.ggml.bos_token_id", options_.bos.value_or(bos));
    }
    if (options_.adds_bos) {
      gguf_set_val_bool(file_.get(), "tokenizer.ggml.add_bos_token", *options_.adds_bos);
    }
  }

  void copy_vocabulary() {
    gguf_context* read = gguf_init_from_file(options_.vocabulary.c_str(), {true, nullptr});
    if (read == nullptr)
      throw std::runtime_error(options_.vocabulary.string() + " is no GGUF file");
    const std::unique_ptr<gguf_context, Free> from(read);
    gguf_set_kv(file_.get(), from.get());
    tokens_.resize(gguf_get_arr_n(from.get(), gguf_find_key(from.get(), "tokenizer.ggml.tokens")));
  }

  void set_strings(const char* name, const std::vector<std::string>& list) {
    std::vector<const char*> pointers;
    for (const std::string& text : list) pointers.push_back(text.c_str());
    gguf_set_arr_str(file_.get(), name, pointers.data(), pointers.size());
  }

  void begin(const std::string& architecture) {
    architecture_ = architecture;
    gguf_set_val_str(file_.get(), "general.architecture", architecture.c_str());
    gguf_set_val_u32(file_.get(), "general.file_type", 0);
    set("context_length", std::int64_t{options_.context});
    set("embedding_length", width);
    set("block_count", layers);
    set("feed_forward_length", inner);
    set("attention.head_count", heads);
    set("attention.layer_norm_rms_epsilon", 1e-5);
    set("rope.dimension_count", width / heads);
    tensor("token_embd.weight", {width, static_cast<std::int64_t>(tokens_.size())}, 1.0);
  }

  void add_transformer(const std::string& architecture) {
    begin(architecture);
    set("attention.head_count_kv", kv_heads);
    const bool sliding = options_.kind == TinyKind::sliding_window;
    if (sliding) {
      set("attention.layer_norm_epsilon", 1e-5);
      set("attention.sliding_window", std::int64_t{4});
      set("logit_scale", 1.0);
    }
    norm("output_norm.weight", width);
    for (std::int64_t i = 0; i < layers; ++i) {
      norm(block(i, "attn_norm.weight"), width);
      attention(i);
      if (!sliding) norm(block(i, "ffn_norm.weight"), width);
      feed_forward(i);
    }
  }

  void drop(const char* name) { gguf_remove_key(file_.get(), key(name).c_str()); }
  void norm_with_bias(const std::string& name, std::int64_t length) {
    norm(name + ".weight", length);
    tensor(name + ".bias", {length}, 0.1);
  }
  void product(const std::string& name, std::int64_t inputs, std::int64_t outputs, bool has_bias) {
    tensor(name + ".weight", {inputs, outputs}, 0.3);
    if (has_bias) tensor(name + ".bias", {outputs}, 0.3);
  }

  /// The tensors and metadata have the form that llama.cpp's converter writes.
  void add_known(const std::string& of) {
    const auto is = [&](std::initializer_list<const char*> names) {
      return std::any_of(names.begin(), names.end(), [&](const char* one) { return of == one; });
    };
    const bool is_plain = is({"gpt2", "starcoder", "gptneox", "phi2", "starcoder2"});
    const bool has_layer_norms = is_plain || of == "stablelm", is_gemma = is({"gemma", "gemma2"});
    const bool is_fused = is({"gpt2", "starcoder", "gptneox"});
    const std::int64_t keys = is({"gpt2", "gptneox", "phi2"}) ? heads
                              : of == "starcoder"             ? 1
                                                              : kv_heads;
    const std::int64_t size = is_gemma ? 16 : width / heads;
    begin(of);
    if (keys != heads) set("attention.head_count_kv", keys);
    if (has_layer_norms) {
      drop("attention.layer_norm_rms_epsilon");
      set("attention.layer_norm_epsilon", 1e-5);
    }
    if (is({"gpt2", "starcoder"})) {
      drop("rope.dimension_count");
      tensor("position_embd.weight", {width, std::int64_t{options_.context}}, 0.5);
    }
    if (is({"gptneox", "phi2", "stablelm"})) set("rope.dimension_count", size / 2);
    if (is({"gptneox", "stablelm"})) {
      gguf_set_val_bool(file_.get(), key("use_parallel_residual").c_str(), of == "gptneox");
    }
    if (is({"llama", "qwen2"})) set("rope.freq_base", 100.0);
    if (of == "qwen3") set("attention.key_length", size), set("attention.value_length", size);
    if (is_gemma) {
      set("attention.key_length", size), set("attention.value_length", size);
      set("rope.dimension_count", size);
    }
    if (of == "gemma2") {
      set("attn_logit_softcapping", 3.0), set("final_logit_softcapping", 5.0);
      set("attention.sliding_window", std::int64_t{4});
    }
    if (of == "granite") {
      set("logit_scale", 2.0), set("residual_scale", 0.5);
      set("embedding_scale", 3.0), set("attention.scale", 0.25);
    }
    if (of == "llama") {  // Llama 3's per-frequency factors
      tensor("rope_freqs.weight", {size / 2}, 0.4, 2.0);
    }
    has_layer_norms ? norm_with_bias("output_norm", width) : norm("output_norm.weight", width);
    const auto vocabulary = static_cast<std::int64_t>(tokens_.size());
    if (is({"gptneox", "phi2", "stablelm", "olmo2", "qwen3"})) {
      product("output", width, vocabulary, of == "phi2");
    }
    for (std::int64_t i = 0; i < layers; ++i) {
      const bool has_biases = is_plain || of == "llama";
      const auto norm_of = [&](const char* name) {
        has_layer_norms ? norm_with_bias(block(i, name), width)
                        : norm(block(i, name) + ".weight", width);
      };
      if (of != "olmo2") norm_of("attn_norm");
      if (!is({"olmo2", "phi2"})) norm_of("ffn_norm");
      if (is({"olmo2", "gemma2"})) norm_of("post_attention_norm"), norm_of("post_ffw_norm");
      if (is_fused) {
        product(block(i, "attn_qkv"), width, size * (heads + 2 * keys), true);
      } else {
        const bool has = has_biases || is({"qwen2", "stablelm"});
        product(block(i, "attn_q"), width, size * heads, has);
        product(block(i, "attn_k"), width, size * keys, has);
        product(block(i, "attn_v"), width, size * keys, has);
      }
      product(block(i, "attn_output"), size * heads, width, has_biases);
      if (of == "qwen3") {
        norm(block(i, "attn_q_norm.weight"), size);
        norm(block(i, "attn_k_norm.weight"), size);
      } else if (of == "olmo2") {
        norm(block(i, "attn_q_norm.weight"), size * heads);
        norm(block(i, "attn_k_norm.weight"), size * keys);
      } else if (of == "stablelm") {
        tensor(block(i, "attn_q_norm.weight"), {size, heads}, 0.1, 1.0);
        tensor(block(i, "attn_k_norm.weight"), {size, keys}, 0.1, 1.0);
      }
      if (!is_plain) product(block(i, "ffn_gate"), width, inner, of == "llama");
      product(block(i, "ffn_up"), width, inner, has_biases);
      product(block(i, "ffn_down"), inner, width, has_biases);
    }
  }

  void add_recurrent() {
    begin("mamba");
    constexpr std::int64_t conv = 4, state = 8, rank = 4, twice = 2 * width;
    set("ssm.conv_kernel", conv);
    set("ssm.inner_size", twice);
    set("ssm.state_size", state);
    set("ssm.time_step_rank", rank);
    norm("output_norm.weight", width);
    for (std::int64_t i = 0; i < layers; ++i) {
      norm(block(i, "attn_norm.weight"), width);
      tensor(block(i, "ssm_in.weight"), {width, 2 * twice}, 0.2);
      tensor(block(i, "ssm_conv1d.weight"), {conv, twice}, 0.5);
      tensor(block(i, "ssm_conv1d.bias"), {twice}, 0.1);
      tensor(block(i, "ssm_x.weight"), {twice, rank + 2 * state}, 0.2);
      tensor(block(i, "ssm_dt.weight"), {rank, twice}, 0.2);
      tensor(block(i, "ssm_dt.bias"), {twice}, 0.1);
      tensor(block(i, "ssm_a"), {state, twice}, 0.2, -1.0);
      tensor(block(i, "ssm_d"), {twice}, 0.2);
      tensor(block(i, "ssm_out.weight"), {twice, width}, 0.2);
    }
  }

  void add_hybrid() {
    begin("lfm2");
    const std::array<std::int32_t, layers> per_layer{0, kv_heads};  // 0 marks a convolution layer
    gguf_set_arr_data(file_.get(), key("attention.head_count_kv").c_str(), GGUF_TYPE_INT32,
                      per_layer.data(), per_layer.size());
    set("shortconv.l_cache", std::int64_t{3});
    norm("token_embd_norm.weight", width);
    for (std::int64_t i = 0; i < layers; ++i) {
      norm(block(i, "attn_norm.weight"), width);
      norm(block(i, "ffn_norm.weight"), width);
      feed_forward(i);
      if (per_layer[static_cast<std::size_t>(i)] == 0) {
        tensor(block(i, "shortconv.conv.weight"), {3, width}, 0.5);
        tensor(block(i, "shortconv.in_proj.weight"), {width, 3 * width}, 0.2);
        tensor(block(i, "shortconv.out_proj.weight"), {width, width}, 0.2);
      } else {
        attention(i);
        norm(block(i, "attn_q_norm.weight"), width / heads);
        norm(block(i, "attn_k_norm.weight"), width / heads);
      }
    }
  }

  void attention(std::int64_t i) {
    const std::int64_t kv = width / heads * kv_heads;
    tensor(block(i, "attn_q.weight"), {width, width}, 0.3);
    tensor(block(i, "attn_k.weight"), {width, kv}, 0.3);
    tensor(block(i, "attn_v.weight"), {width, kv}, 0.3);
    tensor(block(i, "attn_output.weight"), {width, width}, 0.3);
  }

  void feed_forward(std::int64_t i) {
    tensor(block(i, "ffn_gate.weight"), {width, inner}, 0.3);
    tensor(block(i, "ffn_up.weight"), {width, inner}, 0.3);
    tensor(block(i, "ffn_down.weight"), {inner, width}, 0.3);
  }

  static std::string block(std::int64_t i, const std::string& name) {
    return "blk." + std::to_string(i) + "." + name;
  }

  void norm(const std::string& name, std::int64_t length) { tensor(name, {length}, 0.1, 1.0); }

  void tensor(const std::string& name, const std::vector<std::int64_t>& shape, double scale,
              double centre = 0) {
    ggml_tensor* t =
        ggml_new_tensor(shapes_.get(), GGML_TYPE_F32, static_cast<int>(shape.size()), shape.data());
    ggml_set_name(t, name.c_str());
    places_[name] = data_.size();
    auto& values = data_.emplace_back(static_cast<std::size_t>(ggml_nelements(t)));
    for (float& value : values) {
      value = static_cast<float>(centre + scale * (2 * random_.uniform() - 1));
    }
    t->data = values.data();
    gguf_add_tensor(file_.get(), t);
  }

  TinyOptions options_;
  RandomStream random_;
  std::string architecture_;
  std::vector<std::string> tokens_;
  std::vector<std::vector<float>> data_;
  std::map<std::string, std::size_t> places_;                 // in data_, by the tensor's name
  std::map<std::string, std::vector<std::uint16_t>> halves_;  // of truncated tensors
  std::unique_ptr<gguf_context, Free> file_;
  std::unique_ptr<ggml_context, Free> shapes_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
