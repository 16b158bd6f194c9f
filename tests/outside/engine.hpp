// SPDX-License-Identifier: Apache-2.0
#pragma once

// A fictitious inference engine that does not depend on plumb. Letters are tokens. It repeats its
// training text, and the longer the match with the preceding letters, the greater its confidence.

#include <string>
#include <vector>

namespace engine {

class Model {
 public:
  static constexpr int end_of_text = 256;
  static constexpr int vocabulary = 257;

  [[nodiscard]] std::vector<float> forward(const std::vector<int>& tokens) const {
    std::vector<float> logits(vocabulary, 0.0F);
    for (std::size_t at = 1; at < read_.size(); ++at) {
      std::size_t same = 0;
      while (same < at && same < tokens.size() &&
             read_[at - 1 - same] == tokens[tokens.size() - 1 - same]) {
        ++same;
      }
      float& logit = logits[static_cast<unsigned char>(read_[at])];
      if (static_cast<float>(same) > logit) logit = static_cast<float>(same);
    }
    return logits;
  }

 private:
  std::string read_ =
      "Oslo is in Norway. Lima is in Peru. Cusco is in Peru. Bergen is in Norway. "
      "In Lagos is in Peru. ";
};

}  // namespace engine
