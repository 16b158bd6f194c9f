// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who answers? What an inference engine must offer, checks that say what it lacks, and tiny exact models.
//
// A CausalLm is enough for every probe; a LookupLm, for engines without rows of logits, for every
// likelihood; TreeCausalLm, MaskedLm, Embedder and Generator are what an engine may offer beside.
//
//   static_assert(plumb::check_causal_lm<Mine>());       // or the compiler says what to write
//   plumb::require_verified(model, texts, 1e-3);          // its forms agree with one another
//
// Run: examples/own_engine.cpp, own_tree_engine.cpp, own_lookups.cpp, own_masked_command.cpp.

#include "plumb/backend/archetypes.hpp"
#include "plumb/backend/check_model.hpp"
#include "plumb/backend/concepts.hpp"
#include "plumb/backend/model_verification.hpp"
#include "plumb/backend/sequence_batches.hpp"
#include "plumb/backend/tree_generator.hpp"
#include "plumb/backend/verify_model.hpp"
