// SPDX-License-Identifier: Apache-2.0

#ifdef _OPENMP
#include <omp.h>
#endif

#include <memory>

#include "hugging_face_models.hpp"
#include "plumb/huggingface/folder_model.hpp"
#include "plumb/huggingface/native_gguf_model.hpp"

namespace {

void set_threads([[maybe_unused]] const plumb::ModelOptions& options) {
#ifdef _OPENMP
  if (options.threads > 0) omp_set_num_threads(options.threads);
#endif
}

template <class Model>
plumb::AnyModel folder_model(const plumb::ModelOptions& options) {
  set_threads(options);
  return plumb::AnyModel::made_by([&] {
    return Model(options.model, options.parse_special_tokens,
                 options.precision == plumb::Precision::bf16 ? plumb::ProductType::bf16
                                                             : plumb::ProductType::exact);
  });
}

}  // namespace

plumb::AnyModel causal_folder_model(const plumb::ModelOptions& options) {
  return folder_model<plumb::HuggingFaceCausalModel>(options);
}

plumb::AnyModel masked_folder_model(const plumb::ModelOptions& options) {
  return folder_model<plumb::HuggingFaceMaskedModel>(options);
}

plumb::AnyModel native_gguf_model(const plumb::ModelOptions& options) {
  set_threads(options);
  return plumb::AnyModel::made_by([&] {
    return plumb::NativeGgufModel(options.model, options.parse_special_tokens, options.only_tokens);
  });
}

std::string native_refusal(const std::filesystem::path& file) {
  return plumb::NativeGgufModel::refusal(file);
}

plumb::ModelKind inspected_folder(const std::filesystem::path& folder) {
  return plumb::inspect_folder(folder) == plumb::NetworkKind::masked ? plumb::ModelKind::masked
                                                                     : plumb::ModelKind::causal;
}

plumb::ServerTokenizer folder_tokenizer(const std::filesystem::path& folder,
                                        bool parse_special_tokens) {
  auto read = std::make_shared<const plumb::HuggingFaceTokenizer>(
      plumb::HuggingFaceTokenizer::read(folder, parse_special_tokens));
  return plumb::server_tokenizer(read, read->vocabulary_size(), folder.filename().string());
}
