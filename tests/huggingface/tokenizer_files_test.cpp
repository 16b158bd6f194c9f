// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/tokenizer_files.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

BOOST_AUTO_TEST_SUITE(tokenizer_files_suite)

using plumb::detail::Fault;
using plumb::detail::test::says;
using plumb::detail::test::TemporaryFolder;

namespace {

plumb::detail::TokenizerFiles read(const TemporaryFolder& folder) {
  return plumb::detail::read_tokenizer_files(folder.path());
}
plumb::detail::TokenizerFiles read(const TemporaryFolder& folder, const char* config) {
  folder.write("config.json", config);
  return read(folder);
}

}  // namespace

BOOST_AUTO_TEST_CASE(tokenizer_json_comes_first) {
  const TemporaryFolder folder;
  folder.write("tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"<b>": 0}, "merges": []},
      "normalizer": {"type": "NFC"}})");
  folder.write("vocab.txt", "a\n");
  const plumb::detail::TokenizerFiles files = read(folder);
  BOOST_TEST(files.file.filename() == "tokenizer.json");
  BOOST_TEST(files.tokenizer["normalizer"]["type"] ==
             "NFC");  // without a tokenizer class, the whole file is used
}

// The expected values were produced by transformers 5.24 from the same files.
BOOST_AUTO_TEST_CASE(a_class_reads_the_vocabulary_alone_and_its_own_settings) {
  const TemporaryFolder folder;
  folder.write("tokenizer.json", R"({"model": {"type": "WordPiece", "unk_token": "[UNK]",
      "max_input_chars_per_word": 7, "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "[PAD]": 3,
      "[MASK]": 4, "a": 5}}, "normalizer": {"type": "BertNormalizer", "lowercase": true},
      "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null})");
  folder.write("config.json", R"({"model_type": "bert"})");
  folder.write("tokenizer_config.json", R"({"do_lower_case": false, "strip_accents": true,
      "tokenize_chinese_chars": false})");
  plumb::detail::TokenizerJson made = read(folder).tokenizer;
  BOOST_TEST(made["normalizer"]["lowercase"] == false);
  BOOST_TEST(made["normalizer"]["strip_accents"] == true);
  BOOST_TEST(made["normalizer"]["handle_chinese_chars"] == false);
  BOOST_TEST(made["pre_tokenizer"]["type"] == "BertPreTokenizer");
  BOOST_TEST(!made["model"].contains("max_input_chars_per_word"));
  BOOST_TEST(made["post_processor"]["special_tokens"]["[CLS]"]["ids"][0] == 1);
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "PreTrainedTokenizerFast",
      "do_lower_case": false})");
  made = read(folder).tokenizer;
  BOOST_TEST(made["normalizer"]["lowercase"] == true);
  BOOST_TEST(made["pre_tokenizer"]["type"] == "Whitespace");
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "model: is WordPiece, but the class GPT2Tokenizer"));
}

BOOST_AUTO_TEST_CASE(bos_and_eos_by_configuration_count_without_a_tokenizer_json) {
  const TemporaryFolder folder;
  folder.write("vocab.json", R"({"<|endoftext|>": 0, "a": 1})");
  folder.write("merges.txt", "");
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer",
      "add_bos_token": true, "add_eos_token": true})");
  plumb::detail::TokenizerJson made = read(folder).tokenizer;
  BOOST_TEST(made["post_processor"]["single"].size() == 3U);
  folder.write("tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"<|endoftext|>": 0, "a": 1},
      "merges": []}})");
  made = read(folder).tokenizer;
  BOOST_TEST(made["post_processor"]["single"].size() == 1U);
}

BOOST_AUTO_TEST_CASE(lines_of_a_vocabulary_end_before_white_space) {
  const TemporaryFolder folder;
  folder.write("vocab.txt", "[UNK]\n[CLS] \n[SEP]\u3000\n[PAD]\t\n[MASK]\n a\n");
  const plumb::detail::TokenizerJson made = read(folder, R"({"model_type": "bert"})").tokenizer;
  BOOST_TEST((made["model"]["vocab"]["[CLS]"] == 1 && made["model"]["vocab"]["[SEP]"] == 2));
  BOOST_TEST(made["model"]["vocab"][" a"] == 5);
}

BOOST_AUTO_TEST_CASE(vocab_txt_is_berts) {
  const TemporaryFolder folder;
  folder.write("vocab.txt", "[PAD]\r\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
  folder.write(
      "tokenizer_config.json",
      R"({"tokenizer_class": "BertTokenizer", "do_lower_case": false, "strip_accents": true})");
  const plumb::detail::TokenizerJson made = read(folder).tokenizer;
  BOOST_TEST((made["model"]["vocab"]["[PAD]"] == 0 && made["model"]["vocab"]["a"] == 5));
  BOOST_TEST(
      (made["normalizer"]["lowercase"] == false && made["normalizer"]["strip_accents"] == true));
  BOOST_TEST(made["added_tokens"].size() == 5U);
  BOOST_TEST(made["post_processor"]["special_tokens"]["[SEP]"]["ids"][0] == 3);
}

BOOST_AUTO_TEST_CASE(vocab_json_is_gpt2s_or_robertas) {
  const TemporaryFolder folder;
  folder.write("vocab.json", R"({"<s>": 0, "</s>": 2, "<mask>": 4, "a": 3, "# ": 5})");
  folder.write("merges.txt", "#version: 0.2\na a\n# a\n");
  folder.write("config.json", R"({"model_type": "opt"})");
  plumb::detail::TokenizerJson made = read(folder).tokenizer;
  BOOST_TEST((made["model"]["merges"] == plumb::detail::TokenizerJson{"a a", "# a"}));
  BOOST_TEST(made["post_processor"]["single"].size() == 1U);  // BOS is added only on request
  folder.write("tokenizer_config.json",
               R"({"tokenizer_class": "RobertaTokenizerFast", "trim_offsets": false})");
  made = read(folder).tokenizer;
  BOOST_TEST(
      (made["post_processor"]["cls"][1] == 0 && made["post_processor"]["trim_offsets"] == false));
  bool has_mask = false;
  for (const auto& token : made["added_tokens"]) {
    // transformers 5 treats the mask as plain text, which does not absorb an adjacent space.
    has_mask = has_mask || (token["content"] == "<mask>" && token["lstrip"] == false);
  }
  BOOST_TEST(has_mask);
}

BOOST_AUTO_TEST_CASE(broken_merges_are_refused) {
  const TemporaryFolder folder;
  folder.write("vocab.json", R"({"a": 0})");
  folder.write("config.json", R"({"model_type": "gpt2"})");
  folder.write("merges.txt", "#version: 0.2\na a a\n");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "merges.txt:2: is not two tokens"));
}

BOOST_AUTO_TEST_CASE(what_is_missing_or_not_known_is_refused_with_the_remedy) {
  const TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "contains no tokenizer.json, no vocab.txt"));
  folder.write("spiece.model", "x");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "python -c 'from transformers import AutoTokenizer"));
  folder.write("vocab.txt", "a\nb\na\n");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "spiece.model: is SentencePiece's own file"));
  folder.write("config.json", R"({"model_type": "bert"})");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "vocab.txt:3: lists \"a\" a second time"));
  folder.write("vocab.txt", "a\n\xFF\n");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "vocab.txt:2: not UTF-8"));
  folder.write("vocab.txt", "a\n[SEP]\n");
  folder.write("tokenizer_config.json", R"({"cls_token": null})");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "the vocabulary lacks the cls_token \"\""));
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "BertJapaneseTokenizer"})");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "\"BertJapaneseTokenizer\" is not supported"));
  folder.write("tokenizer_config.json", R"({"do_lower_case": "yes"})");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "do_lower_case: is neither true nor false"));
  folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {"x": 1}})");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "added_tokens_decoder"));
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "is SentencePiece's own file"));
  std::filesystem::remove(folder / "spiece.model");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::detail::Error,
                        says(Fault::user, "vocab.txt: the class GPT2Tokenizer does not read it"));
}

BOOST_AUTO_TEST_SUITE_END()
