// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/llama_vocabulary_file.hpp"

#include <boost/test/unit_test.hpp>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(llama_vocabulary_file_suite)

BOOST_FIXTURE_TEST_CASE(a_vocabulary_lives_with_its_file, test::TemporaryFolder) {
  const auto file = test::TinyGguf(test::TinyOptions{}).write(path() / "tiny.gguf");
  LlamaVocabularyFile first(file);
  const LlamaVocabularyFile moved = std::move(first);
  BOOST_TEST(moved->size() == 264U);  // 256 bytes, seven merges and BOS
  BOOST_TEST((*moved).detokenize(std::vector<TokenId>{97}) == "a");
}

BOOST_FIXTURE_TEST_CASE(load_failure_names_the_file_or_the_setting, test::TemporaryFolder) {
  write("bad.gguf", "no model");
  BOOST_CHECK_EXCEPTION(LlamaVocabularyFile(path() / "bad.gguf"), Error,
                        test::says(Fault::user, "bad.gguf: cannot be loaded: "));
  BOOST_CHECK_EXCEPTION(LlamaVocabularyFile(path() / "bad.gguf", false, "tokenizer"), Error,
                        test::says(Fault::user, "`tokenizer`: "));
}

BOOST_AUTO_TEST_SUITE_END()
