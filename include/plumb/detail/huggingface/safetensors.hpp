// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which weights does a Hugging Face folder contain, and are they complete?
//
// The weights are in model.safetensors, or in the shards that model.safetensors.index.json lists. A
// file consists of 8 bytes with the length of the header, the header itself (JSON with the type,
// shape and offsets of each tensor), and the tensors' numbers without gaps. Files are mapped; F32,
// F16 and BF16 numbers are read as F32, a row at a time. Tensors of other types may be present.
// Everything in a header is checked against the file before any numbers are read. Source of the
// format: the safetensors project's README.
// Non-goals: writing, and pickled checkpoints (pytorch_model.bin), which can execute code.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/mapped_file.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/stored_tensors.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The tensors of a model. Any number of threads may read it.
class Safetensors : public StoredTensors {
 public:
  /// Throws a user error if the folder has no such weights, if a file is damaged or truncated, if a
  /// shard is missing, or if two tensors have the same name.
  explicit Safetensors(const std::filesystem::path& folder) {
    const std::filesystem::path whole = folder / "model.safetensors";
    const std::filesystem::path index = folder / "model.safetensors.index.json";
    if (std::filesystem::exists(whole)) {
      read_file(file_ = whole);
    } else if (std::filesystem::exists(index)) {
      read_shards(file_ = index);
    } else {
      refuse_other_weights(folder);
    }
    split_experts();
  }

 private:
  /// The size in bytes of a number of this type; 0 for an unknown type.
  static std::size_t size_of(const std::string& type) {
    static const std::map<std::string, std::size_t> sizes{
        {"F64", 8},  {"I64", 8}, {"U64", 8}, {"F32", 4}, {"I32", 4}, {"U32", 4}, {"F16", 2},
        {"BF16", 2}, {"I16", 2}, {"U16", 2}, {"I8", 1},  {"U8", 1},  {"BOOL", 1}};
    const auto found = sizes.find(type);
    return found == sizes.end() ? 0 : found->second;
  }

  static Error damaged(const std::filesystem::path& file, const std::string& tensor,
                       const std::string& problem) {
    return user_error({.file = file, .field = tensor}, problem,
                      "the file is truncated or damaged; fetch it again");
  }

  void read_file(const std::filesystem::path& file) {
    const MappedFile& map = maps_.emplace_back(file);
    const std::string_view bytes(map.data(), map.size());
    std::uint64_t length = 0;
    refuse_lfs_pointer(file, bytes);
    if (bytes.size() < 8) throw damaged(file, "", "is too short for a safetensors file");
    for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
    if (length > bytes.size() - 8) {
      throw damaged(file, "",
                    "claims a header of " + std::to_string(length) + " bytes but has " +
                        std::to_string(bytes.size() - 8));
    }
    const std::string_view numbers = bytes.substr(8 + length);
    const Json header = parse_header(file, bytes.substr(8, length));
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      places.push_back(add(file, name, entry, numbers));
    }
    std::sort(places.begin(), places.end());
    std::size_t end = 0;
    for (const auto& [first, last] : places) {
      if (first < end) throw damaged(file, "", "has tensors that overlap");
      if (first > end) throw damaged(file, "", "has bytes that belong to no tensor");
      end = last;
    }
    if (end != numbers.size()) throw damaged(file, "", "has bytes that belong to no tensor");
  }

  static Json parse_header(const std::filesystem::path& file, std::string_view text) {
    Json header;
    if (const auto wrong = detail::parse_json(text, header)) {
      throw damaged(file, "", "its header is " + *wrong);
    }
    if (!header.is_object()) throw damaged(file, "", "its header is not an object");
    std::map<std::string, int> seen;
    std::string twice;
    const auto count = [&](int depth, Json::parse_event_t event, Json& key) {
      if (event == Json::parse_event_t::key && depth == 1 && ++seen[key.get<std::string>()] == 2) {
        twice = key.get<std::string>();
      }
      return true;
    };
    header = Json::parse(text, count);
    if (!twice.empty()) throw damaged(file, twice, "appears twice");
    return header;
  }

  static bool is_list_of_counts(const Json& entry, const char* field) {
    const auto found = entry.find(field);
    if (found == entry.end() || !found->is_array()) return false;
    return std::all_of(found->begin(), found->end(),
                       [](const Json& item) { return item.is_number_unsigned(); });
  }

  /// Adds a tensor; returns the offsets of its first byte and of the end of its bytes.
  std::pair<std::size_t, std::size_t> add(const std::filesystem::path& file,
                                          const std::string& name, const Json& entry,
                                          std::string_view numbers) {
    const auto dtype = entry.find("dtype");
    if (!entry.is_object() || dtype == entry.end() || !dtype->is_string() ||
        !is_list_of_counts(entry, "shape") || !is_list_of_counts(entry, "data_offsets") ||
        entry["data_offsets"].size() != 2) {
      throw damaged(file, name, "lacks a dtype, a shape or two data_offsets");
    }
    const auto type = dtype->get<std::string>();
    const auto shape = entry["shape"].get<TensorShape>();
    const auto first = entry["data_offsets"][0].get<std::size_t>();
    const auto last = entry["data_offsets"][1].get<std::size_t>();
    if (first > last || last > numbers.size()) {
      throw damaged(file, name,
                    "is at bytes " + std::to_string(first) + " to " + std::to_string(last) +
                        " of " + std::to_string(numbers.size()));
    }
    std::size_t size = size_of(type);
    const bool is_known = size > 0;
    for (const std::size_t n : shape) {
      if (__builtin_mul_overflow(size, n, &size))
        throw damaged(file, name, "has a shape that is too large");
    }
    if (is_known && size != last - first) {
      throw damaged(
          file, name,
          "has " + std::to_string(last - first) + " bytes for " + type + " " + shape_text(shape));
    }
    StoredTensor tensor(file, name, type, shape, numbers.substr(first, last - first));
    if (const auto [at, added] = tensors_.try_emplace(name, std::move(tensor)); !added) {
      throw damaged(file, name, "appears in " + at->second.file().filename().string() + " too");
    }
    return {first, last};
  }

  /// transformers 5 can save all experts of a layer as two tensors: gates and inputs [experts, 2 ·
  /// inner, hidden], and outputs [experts, hidden, inner]. This function splits them into one
  /// tensor per expert, with the usual names.
  void split_experts() {
    const std::string fused = "mlp.experts.";
    std::vector<StoredTensor> wholes;
    for (const auto& [name, tensor] : tensors_) {
      const bool is_fused =
          name.ends_with(fused + "gate_up_proj") || name.ends_with(fused + "down_proj");
      if (is_fused && tensor.shape().size() == 3) wholes.push_back(tensor);
    }
    for (const StoredTensor& whole : wholes) {
      const bool is_down = whole.name().ends_with("down_proj");
      const std::string layer = whole.name().substr(0, whole.name().rfind(fused));
      const std::size_t rows = whole.shape()[1];
      for (std::size_t e = 0; e < whole.shape()[0]; ++e) {
        const std::string expert = layer + "block_sparse_moe.experts." + std::to_string(e) + ".";
        const StoredTensor one = whole.entry(expert + "w2.weight", e);
        if (is_down) {
          tensors_.try_emplace(one.name(), one);
          continue;
        }
        const StoredTensor gate = one.slice(expert + "w1.weight", 0, rows / 2);
        const StoredTensor up = one.slice(expert + "w3.weight", rows / 2, rows - rows / 2);
        tensors_.try_emplace(gate.name(), gate);
        tensors_.try_emplace(up.name(), up);
      }
      const std::string router = layer + "mlp.gate.weight";
      if (const StoredTensor* gate = find(router); gate != nullptr && !gate->shape().empty()) {
        const std::string single = layer + "block_sparse_moe.gate.weight";
        tensors_.try_emplace(single, gate->slice(single, 0, gate->shape()[0]));
        tensors_.erase(router);
      }
      tensors_.erase(whole.name());
    }
  }

  void read_shards(const std::filesystem::path& index) {
    const Json list = read_json_object(index);
    const auto places = list.find("weight_map");
    if (places == list.end() || !places->is_object()) {
      throw user_error({.file = index, .field = "weight_map"}, "is missing or not an object",
                       "fetch the file again");
    }
    std::map<std::string, std::vector<std::string>> names;  // by shard
    for (const auto& [name, shard] : places->items()) {
      if (!shard.is_string() || shard.get<std::filesystem::path>().has_parent_path()) {
        throw user_error({.file = index, .field = name}, "does not name a file in the same folder",
                         "fetch the file again");
      }
      names[shard.get<std::string>()].push_back(name);
    }
    for (const auto& [shard, tensors] : names) {
      const std::filesystem::path file = index.parent_path() / shard;
      std::error_code failed;  // a name may be too long for a file name
      if (!std::filesystem::is_regular_file(file, failed)) {
        throw user_error({.file = file}, "is missing; " + index.filename().string() + " lists it",
                         "fetch all shards");
      }
      read_file(file);
      for (const std::string& name : tensors) {
        const StoredTensor* tensor = find(name);
        if (tensor == nullptr || tensor->file() != file) {
          throw user_error({.file = file, .field = name},
                           "is missing; " + index.filename().string() + " lists it there",
                           "fetch all shards of the same model");
        }
      }
    }
  }

  [[noreturn]] static void refuse_other_weights(const std::filesystem::path& folder) {
    const std::filesystem::path pickled = folder / "pytorch_model.bin";
    if (std::filesystem::exists(pickled)) {
      throw user_error({.file = pickled}, "is a pickled checkpoint, which plumb does not read",
                       "convert it: python3 -c \"import torch, safetensors.torch as s; "
                       "s.save_file({k: v.contiguous().clone() for k, v in torch.load('" +
                           pickled.string() +
                           "', map_location='cpu', weights_only=True).items()}, '" +
                           (folder / "model.safetensors").string() + "')\"");
    }
    const std::filesystem::path index = folder / "pytorch_model.bin.index.json";
    if (std::filesystem::exists(index)) {
      throw user_error({.file = index},
                       "is the index of a pickled checkpoint, which plumb does not read",
                       "convert it: python3 -c \"import glob, torch, safetensors.torch as s; "
                       "s.save_file({k: v.contiguous().clone() for f in glob.glob('" +
                           (folder / "pytorch_model-*.bin").string() +
                           "') for k, v in torch.load(f, map_location='cpu', "
                           "weights_only=True).items()}, '" +
                           (folder / "model.safetensors").string() + "')\"");
    }
    throw user_error({.file = folder}, "has neither model.safetensors nor its index",
                     "fetch a model with safetensors weights");
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
