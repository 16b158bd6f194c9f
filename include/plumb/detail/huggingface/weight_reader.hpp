// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which stored tensor contains each weight of a network?
//
// Checkpoints of the same architecture name their tensors in different ways: with or without the
// model's prefix, and with layer norms stored as weight and bias or, in old checkpoints, as gamma
// and beta. A network requests each tensor under its newest name and with the shape that the
// network needs. Tensors that it never requests are ignored, and `unread` lists them. Weights are
// read directly into the layout that computations use, so the mapped file is not needed afterwards.

#include <algorithm>
#include <array>
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
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/huggingface/norm.hpp"
#include "plumb/detail/huggingface/packed_matrix.hpp"
#include "plumb/detail/huggingface/stored_tensors.hpp"
#include "plumb/detail/huggingface/weight_type.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// How a weight matrix is stored: one output per row or, in GPT-2, one input per row.
enum class WeightOrder { by_output, by_input };

/// Reads a folder's tensors by name. Members that need a tensor throw a user error if it is
/// missing, has the wrong shape or an unreadable type, or, when it is read, contains a non-finite
/// number. `find`, `stored` and `unread` do not throw. Not thread-safe.
class WeightReader {
 public:
  /// For each name, `prefixes` are tried in order, and then the name without a prefix.
  WeightReader(const StoredTensors& tensors, std::filesystem::path folder,
               std::vector<std::string> prefixes, ProductType products = ProductType::exact)
      : tensors_(tensors),
        folder_(std::move(folder)),
        prefixes_(std::move(prefixes)),
        products_(products) {
    prefixes_.emplace_back();
  }

  [[nodiscard]] const StoredTensor* find(const std::string& name) const {
    for (const std::string& prefix : prefixes_) {
      for (const std::string& spelling : {name, old_spelling(name)}) {
        if (const StoredTensor* tensor = tensors_.find(prefix + spelling)) {
          asked_.insert(tensor->name());
          return tensor;
        }
      }
    }
    return nullptr;
  }

  [[nodiscard]] const StoredTensor& need(const std::string& name, const TensorShape& shape) const {
    const StoredTensor* tensor = find(name);
    if (tensor == nullptr) {
      throw user_error(
          {.file = tensors_.file().empty() ? folder_ : tensors_.file(), .field = name},
          "the tensor is missing; it must have the shape " + shape_text(shape),
          "fetch the weights and config.json of the same model, with its language model head");
    }
    const Site site{.file = tensor->file(), .field = tensor->name()};
    if (tensor->shape() != shape) {
      throw user_error(
          site, "has the shape " + shape_text(tensor->shape()) + " instead of " + shape_text(shape),
          "fetch the weights and config.json of the same model");
    }
    if (!tensor->is_readable()) {
      throw user_error(site, "has numbers of type " + tensor->type(),
                       "plumb reads F64, F32, F16 and BF16; save the model in one of these types");
    }
    return *tensor;
  }

  [[nodiscard]] std::vector<float> vector(const std::string& name, std::size_t size) const {
    const StoredTensor& tensor = need(name, {size});
    std::vector<float> numbers(size);
    tensor.read(0, numbers);
    return numbers;
  }

  /// Reads a tensor that consists of `count` rows of `size` numbers each.
  [[nodiscard]] std::vector<float> rows(const std::string& name, std::size_t count,
                                        std::size_t size) const {
    const StoredTensor& tensor = need(name, {count, size});
    std::vector<float> numbers(count * size);
    tensor.read(0, numbers);
    return numbers;
  }

  /// Reads a norm's weight and bias, of `size` numbers each, if `shape` includes them.
  [[nodiscard]] Norm norm(const std::string& name, std::size_t size, const NormShape& shape) const {
    Norm made{{}, {}, shape.epsilon, shape.kind};
    if (shape.has_weight) made.weight = vector(name + ".weight", size);
    for (float& weight : made.weight) weight += shape.weight_offset;
    if (shape.has_bias) made.bias = vector(name + ".bias", size);
    return made;
  }

  /// The tensor that stores the weights of a matrix product. Call this before allocating memory,
  /// because config.json may specify any size.
  const StoredTensor& need_product(const std::string& name, std::size_t outputs, std::size_t inputs,
                                   WeightOrder order = WeightOrder::by_output) const {
    const bool by_output = order == WeightOrder::by_output;
    return need(name, by_output ? TensorShape{outputs, inputs} : TensorShape{inputs, outputs});
  }

  /// Reads the weights of `outputs` outputs into `into`, starting at output `first`. The type of
  /// `into` must be the tensor's type or F32.
  void fill(PackedMatrix& into, const std::string& name, std::size_t first, std::size_t outputs,
            WeightOrder order = WeightOrder::by_output) const {
    const std::size_t inputs = into.inputs();
    const bool by_output = order == WeightOrder::by_output;
    const StoredTensor& tensor = need_product(name, outputs, inputs, order);
    if (!by_output) {
      parallel_for(inputs, [&](std::size_t row) {
        std::vector<float> numbers(outputs);
        tensor.read(row * outputs, numbers);
        into.set_input(row, first, numbers);
      });
      return;
    }
    // Each thread works on whole panels, because the numbers of neighbouring outputs are
    // interleaved within a panel.
    const std::size_t width = into.width();
    const std::size_t panel = first / width;
    const auto place = [&](std::size_t p) {
      return std::clamp((panel + p) * width, first, first + outputs);
    };
    const bool is_same = into.type() == WeightType::bf16 || into.type() == WeightType::f16;
    parallel_for((first + outputs + width - 1) / width - panel, [&](std::size_t p) {
      const std::size_t begin = place(p), count = place(p + 1) - begin;
      if (is_same) {
        std::vector<std::uint16_t> bits(count * inputs);
        tensor.read_bits((begin - first) * inputs, bits);
        into.set_rows(begin, count, bits.data());
      } else {
        std::vector<float> numbers(count * inputs);
        tensor.read((begin - first) * inputs, numbers);
        if (into.type() == WeightType::f32) {
          into.set_rows(begin, count, numbers.data());
          return;
        }
        for (std::size_t c = 0; c < count; ++c) {
          into.set_output(begin + c, std::span(numbers).subspan(c * inputs, inputs));
        }
      }
    });
  }

  /// Does the same, but writes each stored row to output `place(row)`. Only for by_output.
  template <class Place>
  void fill_rows(PackedMatrix& into, const std::string& name, std::size_t rows, Place place) const {
    const StoredTensor& tensor = need_product(name, rows, into.inputs());
    parallel_for(rows, [&](std::size_t row) {
      std::vector<float> numbers(into.inputs());
      tensor.read(row * numbers.size(), numbers);
      into.set_output(place(row), numbers);
    });
  }

  /// The type in which the weights of these tensors are stored in memory: their own type, F32 if
  /// their types differ, or pairs for products in BF16. The tensors must exist.
  [[nodiscard]] WeightType type_of(const std::vector<std::string>& names) const {
    if (products_ == ProductType::bf16) return WeightType::bf16_pairs;
    std::optional<WeightType> type;
    for (const std::string& name : names) {
      const WeightType one = weight_type_named(find(name)->type()).value_or(WeightType::f32);
      if (type && *type != one) return WeightType::f32;
      type = one;
    }
    return type.value_or(WeightType::f32);
  }

  /// A matrix without a bias, read from the tensor with that name.
  [[nodiscard]] PackedMatrix matrix(const std::string& name, std::size_t outputs,
                                    std::size_t inputs,
                                    WeightOrder order = WeightOrder::by_output) const {
    need_product(name, outputs, inputs, order);
    PackedMatrix made(outputs, inputs, type_of({name}));
    fill(made, name, 0, outputs, order);
    return made;
  }

  /// A matrix with the weights `name`.weight and, if `has_bias` is true, the bias `name`.bias.
  [[nodiscard]] PackedMatrix linear(const std::string& name, std::size_t outputs,
                                    std::size_t inputs, bool has_bias = true,
                                    WeightOrder order = WeightOrder::by_output) const {
    PackedMatrix made = matrix(name + ".weight", outputs, inputs, order);
    if (has_bias) made.set_bias(0, vector(name + ".bias", outputs));
    return made;
  }

  /// Of the two names of tied weights, returns the one that is stored: safetensors' save_model may
  /// keep either. If both or neither are stored, returns `name`.
  [[nodiscard]] const std::string& stored(const std::string& name, const std::string& twin) const {
    return find(name) == nullptr && find(twin) != nullptr ? twin : name;
  }

  /// Throws a user error if a stored copy of tied weights differs from the original.
  void check_tied(const std::string& copy, const std::string& name,
                  const TensorShape& shape) const {
    const StoredTensor* other = find(copy);
    if (other == nullptr) return;
    const StoredTensor& one = need(name, shape);
    if (&one == other) return;
    const std::size_t size = shape.size() > 1 ? shape[1] : 1;
    std::vector<float> a(size), b(size);
    for (std::size_t row = 0; row < shape[0]; ++row) {
      one.read(row * a.size(), a);
      need(copy, shape).read(row * b.size(), b);
      if (a != b) {
        throw user_error({.file = other->file(), .field = other->name()},
                         "differs from " + one.name() + ", but config.json ties the two",
                         "set tie_word_embeddings to false in config.json, or remove the tensor");
      }
    }
  }

  /// Names of tensors that were not requested. The list excludes tensors that checkpoints store in
  /// addition to weights (masks, rotation angles and position ids, which the network computes
  /// itself) and the tensors for images and audio, which are not needed for text.
  [[nodiscard]] std::vector<std::string> unread() const {
    constexpr std::array<std::string_view, 8> computed{
        ".attn.bias",          ".attention.bias", ".attn.masked_bias",     ".attention.masked_bias",
        "rotary_emb.inv_freq", "position_ids",    "rotary_emb.cos_cached", "rotary_emb.sin_cached"};
    constexpr std::array<std::string_view, 6> senses{"vision_tower.", "vision_model.",
                                                     "visual.",       "multi_modal_projector.",
                                                     "audio_tower.",  "image_newline"};
    std::vector<std::string> names;
    for (const auto& stored : tensors_.tensors()) {
      const std::string& name = stored.first;
      const auto ends = [&](std::string_view tail) { return name.ends_with(tail); };
      const auto holds = [&](std::string_view part) { return name.find(part) != name.npos; };
      if (asked_.contains(name) || std::any_of(computed.begin(), computed.end(), ends) ||
          std::any_of(senses.begin(), senses.end(), holds)) {
        continue;
      }
      names.push_back(name);
    }
    return names;
  }

 private:
  static std::string old_spelling(const std::string& name) {
    for (const auto& [today, then] :
         {std::pair<std::string_view, std::string_view>{"LayerNorm.weight", "LayerNorm.gamma"},
          {"LayerNorm.bias", "LayerNorm.beta"}}) {
      if (name.ends_with(today)) return name.substr(0, name.size() - today.size()).append(then);
    }
    return name;
  }

  const StoredTensors& tensors_;
  std::filesystem::path folder_;
  mutable std::set<std::string> asked_;  // visible to callers only through `unread`
  std::vector<std::string> prefixes_;
  ProductType products_ = ProductType::exact;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
