// SPDX-License-Identifier: Apache-2.0
#pragma once

// What must my engine provide so that plumb can probe it? (The plain form: one sequence at a time.)
//
// An engine that knows nothing about plumb, and the thirty lines that make it a plumb::CausalLm.
// own_engine.cpp and other examples use it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/model.hpp"

/// A typical engine: token ids in, the next token's logits out. This one repeats what it has read;
/// the more preceding letters match, the more confident it is.
struct Engine {
  std::string read = "Oslo is in Norway. Lima is in Peru. ";

  [[nodiscard]] std::vector<float> next(std::span<const plumb::TokenId> tokens) const {
    std::vector<float> logits(257, 0.0F);
    for (std::size_t at = 1; at < read.size(); ++at) {
      std::size_t same = 0;
      while (same < std::min(at, tokens.size()) &&
             read[at - 1 - same] == tokens[tokens.size() - 1 - same]) {
        ++same;
      }
      logits[static_cast<unsigned char>(read[at])] += static_cast<float>(same);
    }
    return logits;
  }
};

/// The thirty lines that turn the engine into a plumb::CausalLm.
class EngineModel {
 public:
  [[nodiscard]] plumb::Tokenization tokenize(std::string_view text) const {
    plumb::Tokenization made;
    for (std::size_t i = 0; i < text.size(); ++i) {
      made.tokens.push_back({static_cast<unsigned char>(text[i]), {i, i + 1}});
    }
    return made;
  }
  [[nodiscard]] std::string detokenize(std::span<const plumb::TokenId> ids) const {
    std::string text;
    for (const plumb::TokenId id : ids) text += static_cast<char>(id);
    return text;
  }
  [[nodiscard]] std::optional<plumb::TokenId> bos() const { return 256; }
  [[nodiscard]] std::size_t vocabulary_size() const { return 257; }
  [[nodiscard]] std::size_t context_length() const { return 2048; }

  void evaluate(std::span<const plumb::TokenId> sequence, const plumb::LogitsVisitor& visit) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      visit(static_cast<std::uint32_t>(i), engine_.next(sequence.first(i + 1)));
    }
  }

 private:
  Engine engine_;
};
static_assert(plumb::check_causal_lm<EngineModel>());
