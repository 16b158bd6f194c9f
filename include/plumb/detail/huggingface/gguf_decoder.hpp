// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which GGUF files can plumb's own network run, and which parts does each network have?
//
// The table has one row per `general.architecture`, with a function that fills in a DecoderConfig
// from the file's facts and GGUF's tensor names. A file is read only if all of it is understood. If
// a fact about the architecture is not read, a tensor is unknown, or weights are stored in blocks,
// the file is left to llama.cpp. One difference from llama.cpp on a CPU: GELU is computed in F32,
// whereas ggml looks it up in an F16 table; Pythia uses the exact GELU, as in transformers.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/activation.hpp"
#include "plumb/detail/huggingface/decoder_config.hpp"
#include "plumb/detail/huggingface/gguf_tensors.hpp"
#include "plumb/detail/huggingface/norm.hpp"
#include "plumb/detail/huggingface/rotary.hpp"
#include "plumb/detail/huggingface/stored_tensors.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The facts about a file's architecture. Keys omit the architecture's name. Remembers which facts
/// were read. Each member throws a user error for a fact of the wrong type. Not thread-safe.
class GgufFacts {
 public:
  GgufFacts(const GgufTensors& file, std::filesystem::path place)
      : file_(file), place_(std::move(place)) {
    const auto named = file.facts().find("general.architecture");
    if (named != file.facts().end() && named->is_string()) architecture_ = *named;
  }

  [[nodiscard]] const std::string& architecture() const noexcept { return architecture_; }
  [[nodiscard]] Error wrong(const std::string& key, const std::string& problem) const {
    return user_error({.file = place_, .field = key}, problem,
                      "set `engine` to llama, or drop `engine`");
  }

  /// A whole number of at least 1.
  [[nodiscard]] std::size_t count(const std::string& key,
                                  std::optional<std::size_t> absent = std::nullopt) {
    const Json* const value = find(key);
    if (value == nullptr && absent) return *absent;
    if (value == nullptr) throw wrong(full(key), "is missing");
    const bool is_count = value->is_number_integer() && *value >= 1 && *value <= 0x7FFFFFFF;
    if (!is_count) throw wrong(full(key), "is " + value->dump() + ", not a valid count");
    return value->get<std::size_t>();
  }
  [[nodiscard]] double number(const std::string& key, std::optional<double> absent = std::nullopt) {
    const Json* const value = find(key);
    if (value == nullptr && absent) return *absent;
    if (value == nullptr) throw wrong(full(key), "is missing");
    if (!value->is_number() || !std::isfinite(value->get<double>())) {
      throw wrong(full(key), "is " + value->dump() + ", not a number");
    }
    return value->get<double>();
  }
  [[nodiscard]] double positive(const std::string& key,
                                std::optional<double> absent = std::nullopt) {
    const double value = number(key, absent);
    if (!(value > 0)) throw wrong(full(key), "is not above 0");
    return value;
  }
  [[nodiscard]] bool flag(const std::string& key, bool absent) {
    const Json* const value = find(key);
    if (value == nullptr) return absent;
    if (!value->is_boolean()) throw wrong(full(key), "is not true or false");
    return value->get<bool>();
  }
  /// Checks an optional fact for which only one value is supported.
  void expect(const std::string& key, const Json& supported) {
    const Json* const value = find(key);
    if (value == nullptr || *value == supported) return;
    throw wrong(full(key), "is " + value->dump() + ", but only " + supported.dump() +
                               " is supported by plumb's own network");
  }

  [[nodiscard]] const StoredTensor* tensor(const std::string& name) const {
    return file_.find(name);
  }
  [[nodiscard]] bool has(const std::string& name) const { return tensor(name) != nullptr; }
  /// All numbers of a one-dimensional tensor, which must exist.
  [[nodiscard]] std::vector<float> numbers(const std::string& name) const {
    const StoredTensor& stored = *tensor(name);
    if (stored.shape().size() != 1 || !stored.is_readable()) {
      throw wrong(name, "is " + stored.type() + " " + shape_text(stored.shape()));
    }
    std::vector<float> made(stored.shape()[0]);
    stored.read(0, made);
    return made;
  }

  /// The key of an unread fact about the architecture; empty if all were read.
  [[nodiscard]] std::string unread() const {
    for (const auto& [key, value] : file_.facts().items()) {
      if (key.starts_with(architecture_ + ".") && !read_.contains(key)) return key;
    }
    return "";
  }

 private:
  [[nodiscard]] std::string full(const std::string& key) const { return architecture_ + "." + key; }
  [[nodiscard]] const Json* find(const std::string& key) {
    read_.insert(full(key));
    const auto found = file_.facts().find(full(key));
    return found == file_.facts().end() ? nullptr : &*found;
  }

  const GgufTensors& file_;
  std::filesystem::path place_;
  std::string architecture_;
  std::set<std::string, std::less<>> read_;
};

/// Reads the sizes and names that nearly all architectures share. The file's tensors determine
/// which biases exist, whether queries, keys and values share one tensor, and whether there is a
/// head.
inline void read_gguf_sizes(GgufFacts& facts, DecoderConfig& config) {
  config.names = {.prefix = "",
                  .tokens = "token_embd.weight",
                  .layer = "blk.",
                  .final_norm = "output_norm",
                  .head = "output",
                  .query_key_value = {"attn_q", "attn_k", "attn_v"},
                  .attention_out = "attn_output",
                  .attention_norm = "attn_norm",
                  .feed_norm = "ffn_norm",
                  .gate = "ffn_gate",
                  .up = "ffn_up",
                  .down = "ffn_down"};
  if (facts.has("blk.0.attn_qkv.weight")) config.names.query_key_value = {"attn_qkv"};
  config.hidden = config.embedding = facts.count("embedding_length");
  config.layers = facts.count("block_count");
  config.heads = facts.count("attention.head_count");
  config.key_heads = facts.count("attention.head_count_kv", config.heads);
  set_head_size(config, facts.count("attention.key_length", config.hidden / config.heads));
  facts.expect("attention.value_length", config.head_size);
  if (config.layers > 10'000 || config.head_size == 0 || config.head_size > 65'536 ||
      config.heads % config.key_heads != 0) {
    throw facts.wrong("", "has sizes that contradict each other");
  }
  config.intermediate = facts.count("feed_forward_length");
  config.positions = facts.count("context_length");
  const StoredTensor* const tokens = facts.tensor(config.names.tokens);
  if (tokens == nullptr || tokens->shape().size() != 2)
    throw facts.wrong(config.names.tokens, "is missing");
  config.vocabulary = tokens->shape()[0];
  facts.expect("vocab_size", config.vocabulary);
  facts.expect("attention.causal", true);
  config.tied = !facts.has("output.weight");
  config.has_head_bias = facts.has("output.bias");
  config.has_attention_bias = facts.has("blk.0." + config.names.query_key_value[0] + ".bias");
  config.has_attention_out_bias = facts.has("blk.0.attn_output.bias");
  config.has_feed_bias = facts.has("blk.0.ffn_up.bias");
}

inline void set_gguf_rms(GgufFacts& facts, DecoderConfig& config) {
  config.norm = {.kind = NormKind::rms,
                 .epsilon = static_cast<float>(facts.positive("attention.layer_norm_rms_epsilon")),
                 .has_bias = false};
}
inline void set_gguf_layer_norm(GgufFacts& facts, DecoderConfig& config) {
  config.norm = {.epsilon = static_cast<float>(facts.positive("attention.layer_norm_epsilon"))};
}

/// Sets the same rotation for all layers, with linear scaling or none, and with one factor per
/// frequency if the file has such factors (Llama 3). `interleaved` is true for architectures whose
/// rows the converter reorders.
inline void set_gguf_rotary(GgufFacts& facts, DecoderConfig& config, bool interleaved) {
  const std::size_t size = facts.count("rope.dimension_count", config.head_size);
  if (size > config.head_size || size % 2 != 0) {
    throw facts.wrong("rope.dimension_count", "is " + std::to_string(size) + " for a head of " +
                                                  std::to_string(config.head_size));
  }
  std::vector<float> frequencies =
      plain_frequencies(facts.positive("rope.freq_base", 10'000), size);
  const double old = facts.number("rope.scale_linear", 0);
  const double factor = facts.number("rope.scaling.factor", old);
  if (factor > 0) {
    facts.expect("rope.scaling.type", "linear");
    for (float& frequency : frequencies) frequency /= static_cast<float>(factor);
  } else {
    facts.expect("rope.scaling.type", "none");
  }
  if (facts.has("rope_freqs.weight")) {
    const std::vector<float> by = facts.numbers("rope_freqs.weight");
    if (by.size() != frequencies.size())
      throw facts.wrong("rope_freqs.weight", "has the wrong size");
    for (std::size_t i = 0; i < by.size(); ++i) frequencies[i] /= by[i];
  }
  config.rotaries = {{std::move(frequencies), 1, interleaved}};
}

/// Reads Llama and similar models: RMS norms, a gated feed-forward with SiLU, and rotated
/// positions.
inline void read_gguf_gated(GgufFacts& facts, DecoderConfig& config, bool interleaved) {
  read_gguf_sizes(facts, config);
  set_gguf_rms(facts, config);
  config.activation = Activation::silu;
  set_gguf_rotary(facts, config, interleaved);
}
inline void read_gguf_llama(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_gated(facts, config, true);
}
inline void read_gguf_qwen2(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_gated(facts, config, false);
}
inline void read_gguf_qwen3(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_gated(facts, config, false);
  set_head_norms(config, HeadNorm::shared, config.norm, "attn_q_norm", "attn_k_norm");
}
inline void read_gguf_granite(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_gated(facts, config, true);
  config.logits_scale = static_cast<float>(1 / facts.positive("logit_scale"));
  config.residual_scale = static_cast<float>(facts.positive("residual_scale", 1));
  config.embedding_scale = static_cast<float>(facts.positive("embedding_scale", 1));
  config.attention_scale = static_cast<float>(
      facts.positive("attention.scale", static_cast<double>(config.attention_scale)));
}
inline void read_gguf_olmo2(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_gated(facts, config, false);
  set_head_norms(config, HeadNorm::whole, config.norm, "attn_q_norm", "attn_k_norm");
  config.names.attention_norm.clear();
  config.names.feed_norm.clear();
  config.names.attention_end_norm = "post_attention_norm";
  config.names.feed_end_norm = "post_ffw_norm";
}

/// Gemma's norm weights are relative to 1; the converter has already added the 1.
inline void read_gguf_gemma(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_gated(facts, config, false);
  config.activation = Activation::gelu_new;
  config.embedding_scale = std::sqrt(static_cast<float>(config.hidden));
}
inline void read_gguf_gemma2(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_gemma(facts, config);
  config.names.attention_end_norm = "post_attention_norm";
  config.names.feed_end_norm = "post_ffw_norm";
  config.attention_cap = static_cast<float>(facts.positive("attn_logit_softcapping", 50));
  config.logits_cap = static_cast<float>(facts.positive("final_logit_softcapping", 30));
  const std::size_t window = facts.count("attention.sliding_window", 4096);
  for (std::size_t l = 0; l < config.layers; ++l) {
    config.windows.push_back(l % 2 == 0 ? window : 0);
  }
  if (config.layers == 46) {  // this is the 27B model; the file does not specify the scale
    config.attention_scale =
        1 / std::sqrt(static_cast<float>(config.hidden) / static_cast<float>(config.heads));
  }
}

/// Reads GPT-2 and its successors: layer norms with biases and a plain feed-forward.
inline void read_gguf_plain(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_sizes(facts, config);
  set_gguf_layer_norm(facts, config);
  config.names.gate.clear();
  config.activation = Activation::gelu_new;
}
inline void read_gguf_gpt2(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_plain(facts, config);
  config.names.positions = "position_embd.weight";
}
inline void read_gguf_gptneox(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_plain(facts, config);
  config.activation = Activation::gelu;
  config.parallel = facts.flag("use_parallel_residual", true);
  set_gguf_rotary(facts, config, false);
}
inline void read_gguf_phi2(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_plain(facts, config);
  config.parallel = true;
  config.names.feed_norm.clear();
  set_gguf_rotary(facts, config, false);
}
inline void read_gguf_starcoder2(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_plain(facts, config);
  set_gguf_rotary(facts, config, false);
}
inline void read_gguf_stablelm(GgufFacts& facts, DecoderConfig& config) {
  read_gguf_sizes(facts, config);
  set_gguf_layer_norm(facts, config);
  config.activation = Activation::silu;
  config.parallel = facts.flag("use_parallel_residual", false);
  const bool has_feed_norm = facts.has("blk.0.ffn_norm.weight");
  if (config.parallel == has_feed_norm) {
    throw facts.wrong("ffn_norm", "contradicts use_parallel_residual");
  }
  if (!has_feed_norm) config.names.feed_norm.clear();
  if (facts.has("blk.0.attn_q_norm.weight")) {
    set_head_norms(config, HeadNorm::each, {.epsilon = config.norm.epsilon, .has_bias = false},
                   "attn_q_norm", "attn_k_norm");
  }
  set_gguf_rotary(facts, config, false);
}

struct GgufArchitecture {
  std::string_view name;
  void (*read)(GgufFacts&, DecoderConfig&);
};
inline constexpr GgufArchitecture gguf_architectures[] = {{"gemma", &read_gguf_gemma},
                                                          {"gemma2", &read_gguf_gemma2},
                                                          {"gpt2", &read_gguf_gpt2},
                                                          {"gptneox", &read_gguf_gptneox},
                                                          {"granite", &read_gguf_granite},
                                                          {"llama", &read_gguf_llama},
                                                          {"olmo2", &read_gguf_olmo2},
                                                          {"phi2", &read_gguf_phi2},
                                                          {"qwen2", &read_gguf_qwen2},
                                                          {"qwen3", &read_gguf_qwen3},
                                                          {"stablelm", &read_gguf_stablelm},
                                                          {"starcoder", &read_gguf_gpt2},
                                                          {"starcoder2", &read_gguf_starcoder2}};

/// The names of all tensors that the network will read.
[[nodiscard]] inline std::set<std::string> gguf_names(const DecoderConfig& config) {
  std::set<std::string> all{config.names.tokens};
  const auto add = [&](const std::string& name, bool has_weight, bool has_bias) {
    if (has_weight) all.insert(name + ".weight");
    if (has_bias) all.insert(name + ".bias");
  };
  const auto norm = [&](const std::string& name, const std::string& layer, const NormShape& shape) {
    if (!name.empty()) add(layer + name, shape.has_weight, shape.has_bias);
  };
  const DecoderNames& names = config.names;
  if (!names.positions.empty()) all.insert(names.positions);
  norm(names.final_norm, "", config.norm);
  add(names.head, !config.tied, config.has_head_bias);
  for (std::size_t l = 0; l < config.layers; ++l) {
    const std::string layer = names.layer + std::to_string(l) + ".";
    for (const std::string& name : names.query_key_value) {
      add(layer + name, true, config.has_attention_bias);
    }
    add(layer + names.attention_out, true, config.has_attention_out_bias);
    for (const std::string& name : {names.gate, names.up, names.down}) {
      if (!name.empty()) add(layer + name, true, config.has_feed_bias);
    }
    for (const std::string& name :
         {names.attention_norm, names.feed_norm, names.attention_end_norm, names.feed_end_norm}) {
      norm(name, layer, config.norm);
    }
    norm(names.query_norm, layer, config.head_norm_shape);
    norm(names.key_norm, layer, config.head_norm_shape);
  }
  return all;
}

/// Returns the parts of a GGUF file's network. Throws a user error that names the unsupported part
/// if the facts and tensors show that plumb's own network cannot compute the model exactly.
[[nodiscard]] inline DecoderConfig read_gguf_config(const GgufTensors& file,
                                                    const std::filesystem::path& place) {
  detail::GgufFacts facts(file, place);
  for (const detail::GgufArchitecture& one : detail::gguf_architectures) {
    if (one.name != facts.architecture()) continue;
    DecoderConfig config;
    one.read(facts, config);
    if (const std::string key = facts.unread(); !key.empty()) {
      throw facts.wrong(key, "is not supported by plumb's own network");
    }
    const std::set<std::string> names = detail::gguf_names(config);
    for (const auto& [name, tensor] : file.tensors()) {
      if (name == "rope_freqs.weight" && !config.rotaries.empty()) continue;
      if (!names.contains(name)) throw facts.wrong(name, "is not supported by plumb's own network");
      if (!tensor.is_readable()) {
        throw facts.wrong(name, "has an unsupported number type, " + tensor.type() +
                                    "; plumb reads F32, F16 and BF16");
      }
    }
    for (const std::string& name : names) {
      if (!facts.has(name)) throw facts.wrong(name, "is missing");
    }
    return config;
  }
  throw facts.wrong(
      "general.architecture",
      "'" + facts.architecture() + "' is not supported by plumb's own network, which supports " +
          text_list(detail::gguf_architectures, [](const auto& one) { return one.name; }));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
