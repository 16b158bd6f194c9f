// SPDX-License-Identifier: Apache-2.0

#ifdef _OPENMP
#include <omp.h>
#endif

#include <memory>

#include "hugging_face_models.hpp"
#include "plumb/detail/huggingface/folder_chat_template.hpp"
#include "plumb/detail/huggingface/folder_model.hpp"
#include "plumb/detail/huggingface/native_gguf_model.hpp"

namespace {

void set_threads([[maybe_unused]] const plumb::detail::ModelOptions& options) {
#ifdef _OPENMP
  if (options.threads > 0) omp_set_num_threads(options.threads);
#endif
}

template <class Model>
plumb::detail::AnyModel folder_model(const plumb::detail::ModelOptions& options) {
  set_threads(options);
  return plumb::detail::AnyModel::made_by([&] {
    return Model(options.model, options.parse_special_tokens,
                 options.precision == plumb::detail::Precision::bf16
                     ? plumb::detail::ProductType::bf16
                     : plumb::detail::ProductType::exact);
  });
}

}  // namespace

plumb::detail::AnyModel causal_folder_model(const plumb::detail::ModelOptions& options) {
  return folder_model<plumb::detail::HuggingFaceCausalModel>(options);
}

plumb::detail::AnyModel masked_folder_model(const plumb::detail::ModelOptions& options) {
  return folder_model<plumb::detail::HuggingFaceMaskedModel>(options);
}

plumb::detail::AnyModel native_gguf_model(const plumb::detail::ModelOptions& options) {
  set_threads(options);
  return plumb::detail::AnyModel::made_by([&] {
    return plumb::detail::NativeGgufModel(options.model, options.parse_special_tokens,
                                          options.only_tokens);
  });
}

std::string native_refusal(const std::filesystem::path& file) {
  return plumb::detail::NativeGgufModel::refusal(file);
}

plumb::detail::ModelKind inspected_folder(const std::filesystem::path& folder) {
  return plumb::detail::inspect_folder(folder) == plumb::detail::NetworkKind::masked
             ? plumb::detail::ModelKind::masked
             : plumb::detail::ModelKind::causal;
}

plumb::detail::ServerTokenizer folder_tokenizer(const std::filesystem::path& folder,
                                                bool parse_special_tokens) {
  auto read = std::make_shared<const plumb::detail::HuggingFaceTokenizer>(
      plumb::detail::HuggingFaceTokenizer::read(folder, parse_special_tokens));
  auto made =
      plumb::detail::server_tokenizer(read, read->vocabulary_size(), folder.filename().string());
  made.chat_template = plumb::detail::folder_chat_template(folder);
  return made;
}
