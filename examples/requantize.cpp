// SPDX-License-Identifier: Apache-2.0

// How do I get the same model in another weight type?
//
//   requantize IN.gguf OUT.gguf F32|F16|BF16|Q8_0
//
// Rewrites every matrix; vectors (norms, biases) stay in F32. Scores of quantised weights are
// noisy, because their kernels round the activations too: the F32 rewrite is what to compare with
// PyTorch.

#include <ggml.h>
#include <gguf.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plumb/core/error.hpp"

namespace {

struct Target {
  ggml_type type;
  std::uint32_t file_type;  // general.file_type, llama.cpp's LLAMA_FTYPE_*
};

const std::map<std::string, Target> targets{{"F32", {GGML_TYPE_F32, 0}},
                                            {"F16", {GGML_TYPE_F16, 1}},
                                            {"BF16", {GGML_TYPE_BF16, 32}},
                                            {"Q8_0", {GGML_TYPE_Q8_0, 7}}};

struct Free {
  void operator()(gguf_context* context) const { gguf_free(context); }
  void operator()(ggml_context* context) const { ggml_free(context); }
};

std::vector<float> to_floats(const ggml_tensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(ggml_nelements(&tensor)));
  if (tensor.type == GGML_TYPE_F32) {
    const auto* source = static_cast<const float*>(tensor.data);
    values.assign(source, source + values.size());
    return values;
  }
  const auto* traits = ggml_get_type_traits(tensor.type);
  if (traits->to_float == nullptr) {
    throw plumb::user_error({.field = tensor.name}, "has a weight type that cannot be read");
  }
  traits->to_float(tensor.data, values.data(), static_cast<std::int64_t>(values.size()));
  return values;
}

void rewrite(const std::string& input, const std::string& output, Target target) {
  ggml_context* raw = nullptr;
  const std::unique_ptr<gguf_context, Free> source(
      gguf_init_from_file(input.c_str(), {false, &raw}));
  if (!source) throw plumb::user_error({.file = input}, "is not a GGUF file, or damaged");
  const std::unique_ptr<ggml_context, Free> tensors(raw);
  const std::unique_ptr<gguf_context, Free> result(gguf_init_empty());
  gguf_set_kv(result.get(), source.get());
  gguf_set_val_u32(result.get(), "general.file_type", target.file_type);
  const auto count = gguf_get_n_tensors(source.get());
  const std::size_t room = ggml_tensor_overhead() * static_cast<std::size_t>(count + 1);
  const std::unique_ptr<ggml_context, Free> shapes(ggml_init({room, nullptr, true}));
  std::vector<std::vector<char>> data;
  for (std::int64_t i = 0; i < count; ++i) {
    const char* name = gguf_get_tensor_name(source.get(), i);
    const ggml_tensor* tensor = ggml_get_tensor(tensors.get(), name);
    const ggml_type type = ggml_n_dims(tensor) > 1 ? target.type : GGML_TYPE_F32;
    if (tensor->ne[0] % ggml_blck_size(type) != 0) {
      throw plumb::user_error({.field = name},
                              "has rows that do not divide into the type's blocks");
    }
    ggml_tensor* copy = ggml_new_tensor(shapes.get(), type, GGML_MAX_DIMS, tensor->ne);
    ggml_set_name(copy, name);
    auto& bytes = data.emplace_back(ggml_nbytes(copy));
    const std::vector<float> values = to_floats(*tensor);
    ggml_quantize_chunk(type, values.data(), bytes.data(), 0, ggml_nrows(tensor), tensor->ne[0],
                        nullptr);
    copy->data = bytes.data();
    gguf_add_tensor(result.get(), copy);
  }
  const std::string part = output + ".part";
  if (!gguf_write_to_file(result.get(), part.c_str(), false)) {
    throw plumb::internal_error({.file = part}, "cannot be written");
  }
  std::filesystem::rename(part, output);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4 || !targets.contains(argv[3])) {
      throw plumb::user_error({}, "usage: requantize IN.gguf OUT.gguf F32|F16|BF16|Q8_0");
    }
    rewrite(argv[1], argv[2], targets.at(argv[3]));
    return 0;
  } catch (const plumb::Error& error) {
    std::cerr << "requantize: " << error.what() << std::endl;
    return error.fault() == plumb::Fault::user ? 2 : 1;
  }
}
