// SPDX-License-Identifier: Apache-2.0

#include "plumb/huggingface/tokenizer_files.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

BOOST_AUTO_TEST_SUITE(tokenizer_files_suite)

using plumb::Fault;
using plumb::test::says;
using plumb::test::TemporaryFolder;

namespace {

plumb::TokenizerFiles read(const TemporaryFolder& folder) {
  return plumb::read_tokenizer_files(folder.path());
}

}  // namespace

BOOST_AUTO_TEST_CASE(tokenizer_json_comes_first_and_configs_name_tokens) {
  const TemporaryFolder folder;
  folder.write("tokenizer.json", R"({"model": 1})");
  folder.write("vocab.txt", "a\n");
  folder.write("special_tokens_map.json", R"({"bos_token": "<a>", "pad_token": "<p>"})");
  folder.write("tokenizer_config.json", R"({"bos_token": {"content": "<b>"}, "eos_token": null})");
  const plumb::TokenizerFiles files = read(folder);
  BOOST_TEST((files.tokenizer["model"] == 1 && files.file.filename() == "tokenizer.json"));
  BOOST_TEST((*files.named("bos_token") == "<b>" && *files.named("pad_token") == "<p>"));
  BOOST_TEST((!files.named("eos_token") && !files.named("mask_token")));
}

BOOST_AUTO_TEST_CASE(vocab_txt_is_berts) {
  const TemporaryFolder folder;
  folder.write("vocab.txt", "[PAD]\r\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
  folder.write("tokenizer_config.json", R"({"do_lower_case": false, "strip_accents": true})");
  const plumb::TokenizerJson made = read(folder).tokenizer;
  BOOST_TEST((made["model"]["vocab"]["[PAD]"] == 0 && made["model"]["vocab"]["a"] == 5));
  BOOST_TEST(
      (made["normalizer"]["lowercase"] == false && made["normalizer"]["strip_accents"] == true));
  BOOST_TEST(made["added_tokens"].size() == 5U);
  BOOST_TEST(made["post_processor"]["sep"][1] == 3);
}

BOOST_AUTO_TEST_CASE(vocab_json_is_gpt2s_or_robertas) {
  const TemporaryFolder folder;
  folder.write("vocab.json", R"({"<s>": 0, "</s>": 2, "<mask>": 4, "a": 3, "# ": 5})");
  folder.write("merges.txt", "#version: 0.2\na a\n# a\n");
  folder.write("config.json", R"({"model_type": "opt"})");
  plumb::TokenizerJson made = read(folder).tokenizer;
  BOOST_TEST((made["model"]["merges"] == plumb::TokenizerJson{"a a", "# a"}));
  BOOST_TEST(made["post_processor"]["single"].size() == 2U);  // OPT's BOS
  folder.write("tokenizer_config.json",
               R"({"tokenizer_class": "RobertaTokenizerFast", "trim_offsets": false})");
  made = read(folder).tokenizer;
  BOOST_TEST(
      (made["post_processor"]["cls"][1] == 0 && made["post_processor"]["trim_offsets"] == false));
  bool mask_takes_spaces = false;
  for (const auto& token : made["added_tokens"]) {
    mask_takes_spaces = mask_takes_spaces || (token["content"] == "<mask>" && token["lstrip"]);
  }
  BOOST_TEST(mask_takes_spaces);
}

BOOST_AUTO_TEST_CASE(added_tokens_of_older_files) {
  const TemporaryFolder folder;
  folder.write("vocab.json", R"({"<|endoftext|>": 0, "a": 1})");
  folder.write("merges.txt", "");
  folder.write("added_tokens.json", R"({"<new>": 2})");
  folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {"3": {"content": "<x>",
      "lstrip": true, "special": true}}})");
  const plumb::TokenizerJson added = read(folder).tokenizer["added_tokens"];
  BOOST_TEST(added.size() == 3U);
  BOOST_TEST((added[0]["content"] == "<x>" && added[0]["lstrip"] == true && added[0]["id"] == 3));
  BOOST_TEST((added[1]["content"] == "<|endoftext|>" && added[1]["special"] == true));
  BOOST_TEST((added[2]["content"] == "<new>" && added[2]["special"] == false));
  folder.write("merges.txt", "#version: 0.2\na a a\n");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::Error,
                        says(Fault::user, "merges.txt:2: is not two tokens"));
}

BOOST_AUTO_TEST_CASE(what_is_missing_or_not_known_is_refused_with_the_remedy) {
  const TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(read(folder), plumb::Error,
                        says(Fault::user, "holds no tokenizer.json, no vocab.txt"));
  folder.write("spiece.model", "x");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::Error,
                        says(Fault::user, "python -c 'from transformers import AutoTokenizer"));
  folder.write("vocab.txt", "a\nb\na\n");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::Error,
                        says(Fault::user, "vocab.txt:3: lists \"a\" a second time"));
  folder.write("vocab.txt", "a\n\xFF\n");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::Error, says(Fault::user, "vocab.txt:2: not UTF-8"));
  folder.write("vocab.txt", "a\n[SEP]\n");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::Error,
                        says(Fault::user, "the vocabulary lacks the cls_token \"[CLS]\""));
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "BertJapaneseTokenizer"})");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::Error,
                        says(Fault::user, "\"BertJapaneseTokenizer\" is not known"));
  folder.write("tokenizer_config.json", R"({"do_lower_case": "yes"})");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::Error,
                        says(Fault::user, "do_lower_case: is neither true nor false"));
  folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {"x": 1}})");
  BOOST_CHECK_EXCEPTION(read(folder), plumb::Error, says(Fault::user, "added_tokens_decoder"));
}

BOOST_AUTO_TEST_SUITE_END()
