// SPDX-License-Identifier: Apache-2.0
#pragma once

// What must an inference engine provide? This header contains the concepts, checks that report
// which members a type lacks, and tiny exact models.
//
// A CausalLm is enough for every probe. For engines that do not return rows of logits, a LookupLm
// is enough to compute every likelihood. TreeCausalLm, MaskedLm, Embedder and Generator are
// optional additions.
//
//   static_assert(plumb::check_causal_lm<Mine>()); // or the compiler prints what to write
//   plumb::require_verified(model, texts, 1e-3); // all forms must give the same answers
//
// Run: examples/own_engine.cpp, own_tree_engine.cpp, own_lookups.cpp, own_masked_command.cpp.

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/backend/check_model.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/model_verification.hpp"
#include "plumb/detail/backend/sequence_batches.hpp"
#include "plumb/detail/backend/tree_generator.hpp"
#include "plumb/detail/backend/verify_model.hpp"

namespace plumb {

using detail::BatchCausalLm;
using detail::CausalLm;
using detail::check_causal_lm;
using detail::check_lookup_lm;
using detail::check_masked_lm;
using detail::check_tree_causal_lm;
using detail::Continuation;
using detail::Embedder;
using detail::EmbeddingMatrix;
using detail::GenerationOptions;
using detail::Generator;
using detail::LogitsVisitor;
using detail::LookupLm;
using detail::MaskedLm;
using detail::MaskedQuery;
using detail::ModelDescription;
using detail::NgramModel;
using detail::NgramTreeModel;
using detail::NodeId;
using detail::require_verified;
using detail::SequenceBatches;
using detail::TokenId;
using detail::Tokenization;
using detail::TokenLookup;
using detail::TokenTree;
using detail::TreeCausalLm;
using detail::TreeEmbedder;
using detail::TreeLimits;
using detail::verify_model;

}  // namespace plumb
