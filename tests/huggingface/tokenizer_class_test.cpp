// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/tokenizer_class.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

BOOST_AUTO_TEST_SUITE(tokenizer_class_suite)

using plumb::detail::Fault;
using plumb::detail::test::says;
using plumb::detail::test::TemporaryFolder;

namespace {

/// The tokenizer class of a folder with these values in tokenizer_config.json and config.json;
/// empty if it has none.
std::string class_of(const TemporaryFolder& folder, std::string_view config, std::string_view model,
                     std::string_view type) {
  plumb::detail::TokenizerFiles files;
  files.file = folder / "tokenizer.json";
  if (!config.empty()) files.config["tokenizer_class"] = config;
  if (!model.empty()) files.model["tokenizer_class"] = model;
  if (!type.empty()) files.model["model_type"] = type;
  return std::string(plumb::detail::tokenizer_class_of(files).name);
}

}  // namespace

// The expected classes are those chosen by AutoTokenizer in transformers 5.24.
BOOST_AUTO_TEST_CASE(the_configuration_names_the_class_then_the_model_then_its_type) {
  const TemporaryFolder folder;
  BOOST_TEST(class_of(folder, "", "", "") == "TokenizersBackend");
  BOOST_TEST(class_of(folder, "", "", "bert") == "BertTokenizer");
  BOOST_TEST(class_of(folder, "", "", "llama") == "TokenizersBackend");
  BOOST_TEST(class_of(folder, "", "", "qwen3") == "Qwen2Tokenizer");
  BOOST_TEST(class_of(folder, "", "RobertaTokenizer", "bert") == "RobertaTokenizer");
  BOOST_TEST(class_of(folder, "GPT2TokenizerFast", "BertTokenizer", "bert") == "GPT2Tokenizer");
  BOOST_TEST(class_of(folder, "DistilBertTokenizerFast", "", "distilbert") == "BertTokenizer");
  BOOST_TEST(class_of(folder, "PreTrainedTokenizerFast", "", "albert") == "TokenizersBackend");
  BOOST_TEST(class_of(folder, "BloomTokenizerFast", "", "bloom") == "TokenizersBackend");
  // Model types without their own class use tokenizer.json; Qwen 2 always uses its own class.
  BOOST_TEST(class_of(folder, "LlamaTokenizer", "", "mistral") == "TokenizersBackend");
  BOOST_TEST(class_of(folder, "AnyTokenizer", "", "granite") == "TokenizersBackend");
  BOOST_TEST(class_of(folder, "GPT2Tokenizer", "", "phi3") == "TokenizersBackend");
  BOOST_TEST(class_of(folder, "PreTrainedTokenizerFast", "", "qwen2") == "Qwen2Tokenizer");
  BOOST_TEST(class_of(folder, "PreTrainedTokenizerFast", "", "cohere") == "TokenizersBackend");
  BOOST_TEST(class_of(folder, "", "", "electra") == "BertTokenizer");
  BOOST_TEST(class_of(folder, "", "", "deberta-v2") == "DebertaV2Tokenizer");
  BOOST_TEST(class_of(folder, "DebertaV2TokenizerFast", "", "deberta-v2") == "DebertaV2Tokenizer");
  BOOST_TEST(class_of(folder, "RobertaTokenizer", "", "modernbert") == "TokenizersBackend");
  BOOST_TEST(class_of(folder, "LlamaTokenizerFast", "", "llava") == "TokenizersBackend");
  BOOST_TEST(class_of(folder, "LlamaTokenizerFast", "", "mistral3") == "TokenizersBackend");
  BOOST_TEST(class_of(folder, "", "", "gemma3") == "GemmaTokenizer");
}

BOOST_AUTO_TEST_CASE(llamas_class_over_byte_level_files_is_tokenizer_json) {
  const TemporaryFolder folder;
  BOOST_TEST(class_of(folder, "LlamaTokenizerFast", "", "llama") == "LlamaTokenizer");
  folder.write("tokenizer.json", R"({"decoder": {"type": "ByteLevel"}})");
  BOOST_TEST(class_of(folder, "LlamaTokenizerFast", "", "llama") == "TokenizersBackend");
  BOOST_TEST(class_of(folder, "GemmaTokenizer", "", "llama") == "GemmaTokenizer");
}

BOOST_AUTO_TEST_CASE(unknown_tokenizer_class_is_rejected_with_its_file_and_field) {
  const TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(
      class_of(folder, "", "BertJapaneseTokenizer", "bert"), plumb::detail::Error,
      says(Fault::user,
           "/config.json: tokenizer_class: \"BertJapaneseTokenizer\" is not supported"));
  BOOST_TEST(class_of(folder, "", "", "cohere") == "CohereTokenizer");
  BOOST_CHECK_EXCEPTION(class_of(folder, "CanineTokenizer", "BertTokenizer", "bert"),
                        plumb::detail::Error,
                        says(Fault::user, "tokenizer_config.json: tokenizer_class: \"Canine"));
}

BOOST_AUTO_TEST_SUITE_END()
