// SPDX-License-Identifier: Apache-2.0

#include "plumb/backend/llama_vocabulary.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/backend/llama.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

namespace {

using plumb::test::TemporaryFolder;

plumb::LlamaModel tiny(const TemporaryFolder& folder, plumb::test::TinyOptions options) {
  const auto file = plumb::test::TinyGguf(options).write(folder / "tiny.gguf");
  return plumb::LlamaModel({file, plumb::Precision::exact, 1});
}

}  // namespace

BOOST_AUTO_TEST_CASE(tokens_cover_the_bytes_they_spell) {
  const TemporaryFolder folder;
  const plumb::LlamaModel model = tiny(folder, {});
  const std::string text = "The town is D.C.. 东 🙂\n\"x\"";
  const plumb::Tokenization result = model.tokenize(text);
  BOOST_TEST(result.spells_text);
  std::size_t at = 0;
  std::vector<plumb::TokenId> ids;
  for (const plumb::Token& token : result.tokens) {
    BOOST_TEST(token.bytes.begin == at);
    at = token.bytes.end;
    ids.push_back(token.id);
  }
  BOOST_TEST(at == text.size());
  BOOST_TEST(model.detokenize(ids) == text);
  BOOST_TEST(model.tokenize("").tokens.empty());
}

BOOST_AUTO_TEST_CASE(text_that_looks_like_a_special_token_is_plain_text) {
  const TemporaryFolder folder;
  const plumb::LlamaModel model = tiny(folder, {});
  for (const plumb::Token& token : model.tokenize("a <bos> b").tokens)
    BOOST_TEST(token.id != *model.bos());
}

BOOST_AUTO_TEST_CASE(bos_is_there_only_when_the_file_names_one) {
  const TemporaryFolder folder;
  BOOST_TEST(tiny(folder, {}).bos().has_value());
  BOOST_TEST(!tiny(folder, {.with_bos = false}).bos().has_value());
}
