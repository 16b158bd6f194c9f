// SPDX-License-Identifier: Apache-2.0

// Tokenises texts with the tokenizer in a Hugging Face folder, for tests that compare with the
// `tokenizers` package.
//
//   tokens_of_texts FOLDER [parse] <TEXTS >TOKENS
//
// Each text is a line with one JSON string. Each answer is a line {"ids": […], "bytes": [[begin,
// end], …], "words": […], "text": the detokenised ids}. With `parse`, special tokens in texts are
// recognised. The first output line is {"before": […], "after": […], "size": …}.

#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/tokenizer.hpp"

int main(int argc, char** argv) try {
  using Json = nlohmann::json;
  if (argc < 2) return 2;
  const bool parse = argc > 2 && std::string_view(argv[2]) == "parse";
  const auto tokenizer = plumb::detail::HuggingFaceTokenizer::read(argv[1], parse);
  std::cout << Json{{"before", tokenizer.before()},
                    {"after", tokenizer.after()},
                    {"size", tokenizer.vocabulary_size()}}
            << "\n";
  for (std::string line; std::getline(std::cin, line);) {
    const auto text = Json::parse(line).get<std::string>();
    const plumb::detail::WordTokenization made = tokenizer.tokenize_words(text);
    std::vector<plumb::detail::TokenId> ids;
    Json bytes = Json::array();
    for (const plumb::detail::Token& token : made.tokens.tokens) {
      ids.push_back(token.id);
      bytes.push_back({token.bytes.begin, token.bytes.end});
    }
    const std::string spelt = plumb::detail::valid_utf8(tokenizer.detokenize(ids));
    std::cout << Json{{"ids", ids}, {"bytes", bytes}, {"words", made.words}, {"text", spelt}}
              << "\n";
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
