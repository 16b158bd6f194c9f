// SPDX-License-Identifier: Apache-2.0

// My engine predicts masked tokens. What must it provide to run one probe, and to run the whole
// plumb command?
//
// The thirty lines of MaskedModel and the three of main provide `own_masked_command probe --data
// DIR --model FILE --out RUN` and every other subcommand for masked models. Here, --model is the
// text that the engine reads.

#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/command.hpp"
#include "plumb/model.hpp"

/// A typical engine: it takes token IDs and a position, and returns the logits for that position.
/// This one predicts the letters that it has read in the same context; the more of the surrounding
/// letters match, the more confident it is.
struct Engine {
  std::string read;

  [[nodiscard]] std::vector<float> fill(const std::vector<plumb::TokenId>& tokens,
                                        std::size_t place) const {
    const auto same = [&](std::size_t at, std::size_t from, int step) {
      std::size_t count = 0;
      while (at + 1 != 0 && at < read.size() && from + 1 != 0 && from < tokens.size() &&
             static_cast<unsigned char>(read[at]) == tokens[from]) {
        at += static_cast<std::size_t>(step);
        from += static_cast<std::size_t>(step);
        ++count;
      }
      return count;
    };
    std::vector<float> logits(257, 0.0F);
    for (std::size_t at = 0; at < read.size(); ++at) {
      const std::size_t agree = same(at - 1, place - 1, -1) + same(at + 1, place + 1, 1);
      logits[static_cast<unsigned char>(read[at])] += static_cast<float>(agree);
    }
    return logits;
  }
};

/// The thirty lines that present the engine as a plumb::MaskedLm.
class MaskedModel {
 public:
  explicit MaskedModel(const plumb::ModelOptions& options) {
    std::ifstream file(options.model);
    engine_.read.assign(std::istreambuf_iterator<char>(file), {});
  }
  [[nodiscard]] plumb::Tokenization tokenize(std::string_view text) const {
    plumb::Tokenization made;
    for (std::size_t i = 0; i < text.size(); ++i) {
      made.tokens.push_back({static_cast<unsigned char>(text[i]), {i, i + 1}});
    }
    return made;
  }
  [[nodiscard]] std::string detokenize(std::span<const plumb::TokenId> ids) const {
    return {ids.begin(), ids.end()};
  }
  [[nodiscard]] std::optional<plumb::TokenId> bos() const { return std::nullopt; }
  [[nodiscard]] std::size_t vocabulary_size() const { return 257; }
  [[nodiscard]] std::size_t context_length() const { return 512; }
  [[nodiscard]] plumb::TokenId mask() const { return 256; }
  /// The index of the word that contains each token, so that `pll` within-word can also mask the
  /// rest of a word. A model that adds special tokens around a text also provides frame().
  [[nodiscard]] std::vector<std::uint32_t> words(std::string_view text) const {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t word = 0; const char c : text) numbers.push_back(word += c == ' ' ? 1U : 0U);
    return numbers;
  }
  void evaluate(std::span<const plumb::MaskedQuery> queries, const plumb::LogitsVisitor& visit) {
    for (std::uint32_t q = 0; q < queries.size(); ++q) {
      visit(q, engine_.fill(queries[q].sequence, queries[q].position));
    }
  }

 private:
  Engine engine_;
};
static_assert(plumb::check_masked_lm<MaskedModel>());

int main(int argc, char** argv) {
  return plumb::run_command_line(
      argc, argv, [](const plumb::ModelOptions& options) { return MaskedModel(options); });
}
