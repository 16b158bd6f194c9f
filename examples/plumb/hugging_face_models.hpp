// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hugging Face folders for the reference command.

#include <filesystem>

#include "plumb/backend/any_model.hpp"
#include "plumb/cli/console.hpp"
#include "plumb/server/server_tokenizer.hpp"

/// The model of a Hugging Face folder. They throw as HuggingFaceCausalModel and
/// HuggingFaceMaskedModel do.
plumb::AnyModel causal_folder_model(const plumb::ModelOptions& options);
plumb::AnyModel masked_folder_model(const plumb::ModelOptions& options);

/// The tokenizer of a Hugging Face folder, for the model of a server.
plumb::ServerTokenizer folder_tokenizer(const std::filesystem::path& folder,
                                        bool parse_special_tokens);
