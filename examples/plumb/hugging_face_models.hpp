// SPDX-License-Identifier: Apache-2.0
#pragma once

// The models that plumb's own networks can run, for the reference command: Hugging Face folders,
// and GGUF files of supported architectures.

#include <filesystem>
#include <string>

#include "plumb/detail/backend/any_model.hpp"
#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/server/server_tokenizer.hpp"

/// The model in a Hugging Face folder. Both functions throw the same user errors as
/// HuggingFaceCausalModel and HuggingFaceMaskedModel.
plumb::detail::AnyModel causal_folder_model(const plumb::detail::ModelOptions& options);
plumb::detail::AnyModel masked_folder_model(const plumb::detail::ModelOptions& options);

/// A GGUF file run by plumb's own network. Throws like NativeGgufModel.
plumb::detail::AnyModel native_gguf_model(const plumb::detail::ModelOptions& options);
/// The reason why plumb's own network cannot run a GGUF file; empty if it can.
std::string native_refusal(const std::filesystem::path& file);

/// The kind of model in a folder. Throws the same user errors as reading the model would, but does
/// not read its weights.
plumb::detail::ModelKind inspected_folder(const std::filesystem::path& folder);

/// The tokenizer of a Hugging Face folder, for a model on a server.
plumb::detail::ServerTokenizer folder_tokenizer(const std::filesystem::path& folder,
                                                bool parse_special_tokens);
