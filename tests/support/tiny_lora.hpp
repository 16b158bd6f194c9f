// SPDX-License-Identifier: Apache-2.0
#pragma once

// A tiny random LoRA adapter for the models of tiny_gguf.hpp, in llama.cpp's format: W becomes
// W + (alpha / rank) · B A, with A [rank][in] and B [out][rank].

#include <ggml.h>
#include <gguf.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

class TinyLora {
 public:
  static constexpr std::size_t rank = 2;
  static constexpr float alpha = 3;

  /// The two factors of the change to one matrix.
  struct Factors {
    std::string name;
    std::size_t in, out;
    std::vector<float> a{}, b{};
  };

  explicit TinyLora(std::uint64_t seed = 1, std::string architecture = "llama")
      : architecture_(std::move(architecture)) {
    RandomStream random(seed, "lora");
    for (Factors factors :
         {Factors{"blk.0.attn_q.weight", 32, 32}, Factors{"blk.0.attn_v.weight", 32, 16},
          Factors{"blk.1.ffn_down.weight", 64, 32}}) {
      const auto draw = [&](std::vector<float>& values, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
          values.push_back(static_cast<float>(random.uniform() - 0.5));
        }
      };
      draw(factors.a, rank * factors.in);
      draw(factors.b, factors.out * rank);
      factors_.push_back(std::move(factors));
    }
  }

  [[nodiscard]] const std::vector<Factors>& factors() const { return factors_; }

  std::filesystem::path write(const std::filesystem::path& path) const {
    struct Free {
      void operator()(gguf_context* context) const { gguf_free(context); }
      void operator()(ggml_context* context) const { ggml_free(context); }
    };
    const std::unique_ptr<gguf_context, Free> file(gguf_init_empty());
    const std::unique_ptr<ggml_context, Free> shapes(
        ggml_init({ggml_tensor_overhead() * 10, nullptr, true}));
    gguf_set_val_str(file.get(), "general.type", "adapter");
    gguf_set_val_str(file.get(), "general.architecture", architecture_.c_str());
    gguf_set_val_str(file.get(), "adapter.type", "lora");
    gguf_set_val_f32(file.get(), "adapter.lora.alpha", alpha);
    const auto add = [&](const std::string& name, std::size_t row,
                         const std::vector<float>& values) {
      ggml_tensor* const tensor =
          ggml_new_tensor_2d(shapes.get(), GGML_TYPE_F32, static_cast<std::int64_t>(row),
                             static_cast<std::int64_t>(values.size() / row));
      ggml_set_name(tensor, name.c_str());
      tensor->data = const_cast<float*>(values.data());  // only read
      gguf_add_tensor(file.get(), tensor);
    };
    for (const Factors& factors : factors_) {
      add(factors.name + ".lora_a", factors.in, factors.a);
      add(factors.name + ".lora_b", rank, factors.b);
    }
    gguf_write_to_file(file.get(), path.c_str(), false);
    return path;
  }

 private:
  std::string architecture_;
  std::vector<Factors> factors_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
