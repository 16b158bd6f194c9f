// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/tokenizer_builds.hpp"

#include <boost/test/unit_test.hpp>
#include <string_view>

#include "plumb/detail/huggingface/tokenizer_class.hpp"

BOOST_AUTO_TEST_SUITE(tokenizer_builds_suite)

BOOST_AUTO_TEST_CASE(each_class_writes_its_own_parts) {
  plumb::detail::TokenizerFiles files;
  const auto build = [&](std::string_view name, const char* config) {
    files.config = plumb::detail::TokenizerJson::parse(config);
    files.tokenizer = plumb::detail::TokenizerJson::parse(
        R"({"model": {"vocab": {"a": 0}, "merges": [], "ignore_merges": true}, "normalizer":
            {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Precompiled",
            "precompiled_charsmap": "AA=="}]}})");
    plumb::detail::class_named(name)->build(files);
    return files.tokenizer;
  };
  auto made = build("LlamaTokenizer", "{}");
  BOOST_TEST(made["pre_tokenizer"]["prepend_scheme"] == "first");
  BOOST_TEST((made["normalizer"].is_null() && made["model"]["byte_fallback"] == true));
  BOOST_TEST(!made["model"].contains("ignore_merges"));
  BOOST_TEST(build("LlamaTokenizer", R"({"legacy": true})")["pre_tokenizer"]["prepend_scheme"] ==
             "always");
  BOOST_TEST(
      build("LlamaTokenizer",
            R"({"add_prefix_space": false, "legacy": true})")["pre_tokenizer"]["prepend_scheme"] ==
      "never");
  made = build("GPTNeoXTokenizer", R"({"add_prefix_space": true})");
  BOOST_TEST(
      (made["normalizer"]["type"] == "NFC" && made["pre_tokenizer"]["add_prefix_space"] == true));
  made = build("XLMRobertaTokenizer", R"({"add_prefix_space": false})");
  BOOST_TEST(made["normalizer"]["type"] == "Precompiled");
  BOOST_TEST(made["pre_tokenizer"]["pretokenizers"][1]["prepend_scheme"] == "never");
  BOOST_TEST(made["model"]["unk_id"] == 3);
  made = build("AlbertTokenizer", R"({"keep_accents": true, "do_lower_case": false})");
  // two that replace quotes, and the precompiled map
  BOOST_TEST(made["normalizer"]["normalizers"].size() == 3U);
  made = build("Qwen2Tokenizer", "{}");
  BOOST_TEST(made["pre_tokenizer"]["pretokenizers"][1]["use_regex"] == false);
  made = build("GemmaTokenizer", R"({"unk_token": "<unk>"})");
  BOOST_TEST((made["model"]["unk_token"] == "<unk>" && made["normalizer"]["content"] == "▁"));
  made = build("CohereTokenizer", "{}");
  BOOST_TEST((made["normalizer"]["type"] == "NFC" && made["decoder"]["type"] == "ByteLevel"));
  BOOST_TEST(made["pre_tokenizer"]["pretokenizers"][0]["individual_digits"] == true);
  BOOST_TEST(made["pre_tokenizer"]["pretokenizers"][1]["add_prefix_space"] == false);
  made = build("GPT2Tokenizer", "{}");
  BOOST_TEST((made["normalizer"].is_null() && made["decoder"]["type"] == "ByteLevel"));
  // The unknown piece is the one with the unknown token's text and a score of 0; if there is none,
  // it is the second piece.
  made = build("DebertaV2Tokenizer", R"({"do_lower_case": true, "split_by_punct": true})");
  BOOST_TEST(made["model"]["unk_id"] == 1);
  BOOST_TEST(made["normalizer"]["normalizers"].size() == 4U);
  BOOST_TEST(made["pre_tokenizer"]["pretokenizers"][0]["type"] == "Punctuation");
  BOOST_TEST(made["pre_tokenizer"]["pretokenizers"][1]["prepend_scheme"] == "always");
  files.config =
      plumb::detail::TokenizerJson::parse(R"({"unk_token": "[UNK]", "add_prefix_space": false})");
  files.tokenizer = plumb::detail::TokenizerJson::parse(
      R"({"model": {"vocab": [["[UNK]", -1.5], ["a", 0], ["[UNK]", 0.0]]}})");
  plumb::detail::class_named("DebertaV2Tokenizer")->build(files);
  BOOST_TEST(files.tokenizer["model"]["unk_id"] == 2);
  BOOST_TEST(files.tokenizer["normalizer"]["normalizers"].size() == 3U);
  BOOST_TEST(files.tokenizer["pre_tokenizer"]["pretokenizers"][0]["prepend_scheme"] == "first");
}

BOOST_AUTO_TEST_SUITE_END()
