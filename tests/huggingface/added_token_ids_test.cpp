// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/added_token_ids.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

BOOST_AUTO_TEST_SUITE(added_token_ids_suite)

using plumb::detail::Fault;
using plumb::detail::test::says;
using plumb::detail::test::TemporaryFolder;

namespace {

/// The tokens as "ID CONTENT", with special ones in [], such as "0 [<s>] 4 <x>". New ids start
/// after a vocabulary of three tokens.
struct Numbered {
  explicit Numbered(const TemporaryFolder& folder, const char* listed, bool keeps_list = true)
      : files(plumb::detail::read_tokenizer_config(folder.path())) {
    files.tokenizer = {
        {"model", plumb::detail::TokenizerJson::parse(R"({"vocab": {"<s>": 0, "a": 1, "b": 2}})")},
        {"added_tokens", plumb::detail::TokenizerJson::parse(listed)}};
    plumb::detail::number_added_tokens(files, keeps_list);
    for (const auto& token : files.tokenizer["added_tokens"]) {
      const auto content = token["content"].get<std::string>();
      text += (text.empty() ? "" : " ") + token["id"].dump() + " " +
              (token["special"] == true ? "[" + content + "]" : content);
    }
  }
  plumb::detail::TokenizerFiles files;
  std::string text;
};

}  // namespace

// The `tokenizers` package assigns id 3 to the token that tokenizer.json lists as 30.
BOOST_AUTO_TEST_CASE(new_token_ids_continue_after_the_vocabulary_regardless_of_the_file) {
  const TemporaryFolder folder;
  const Numbered made(folder, R"([{"id": 0, "content": "<s>", "special": true},
      {"id": 30, "content": "<x>"}, {"id": 7, "content": "a"}, {"id": 4, "content": "<y>"}])");
  BOOST_TEST(made.text == "0 [<s>] 1 a 3 <x> 4 <y>");
  BOOST_REQUIRE(made.files.warnings.size() == 2U);
  BOOST_TEST(made.files.warnings[1] ==
             "Warning: the added token \"<x>\" has the id 3, as in transformers, not the id "
             "30 from the tokenizer's files");
}

BOOST_AUTO_TEST_CASE(a_list_has_ids_by_place) {
  const TemporaryFolder folder;
  plumb::detail::TokenizerFiles files = plumb::detail::read_tokenizer_config(folder.path());
  files.tokenizer =
      plumb::detail::TokenizerJson::parse(R"({"model": {"vocab": [["<unk>", 0], ["a", -1]]},
      "added_tokens": [{"id": 0, "content": "<unk>"}, {"id": 2, "content": "<mask>"}]})");
  plumb::detail::number_added_tokens(files, true);
  BOOST_TEST(files.tokenizer["added_tokens"][0]["id"] == 0);
  BOOST_TEST(files.tokenizer["added_tokens"][1]["id"] == 2);
  BOOST_TEST(files.warnings.empty());
}

// The expected ids are the results of transformers 5.24 for the same files.
BOOST_AUTO_TEST_CASE(configuration_adds_decoder_then_named_then_further_tokens) {
  const TemporaryFolder folder;
  folder.write("tokenizer_config.json", R"({"eos_token": "<e>", "bos_token": "<s>",
      "extra_special_tokens": ["<z>", "<x>"], "image_token": "<i>",
      "added_tokens_decoder": {"9": {"content": "<e>", "lstrip": true}, "5": {"content": "<d>"}}})");
  const Numbered made(folder, R"([{"id": 3, "content": "<x>"}])");
  BOOST_TEST(made.text == "0 [<s>] 3 <x> 4 <d> 5 [<e>] 6 [<i>] 7 [<z>]");
  BOOST_TEST(made.files.tokenizer["added_tokens"][3]["lstrip"] == true);
  // A specific tokenizer class ignores tokenizer.json's list if there is an added_tokens_decoder.
  BOOST_TEST(Numbered(folder, R"([{"id": 3, "content": "<x>", "normalized": true}])", false).text ==
             "0 [<s>] 3 <d> 4 [<e>] 5 [<i>] 6 [<z>] 7 [<x>]");
}

BOOST_AUTO_TEST_CASE(added_tokens_json_is_read_without_a_decoder) {
  const TemporaryFolder folder;
  folder.write("added_tokens.json", R"({"<n>": 8, "<m>": 7})");
  folder.write("special_tokens_map.json", R"({"mask_token": {"content": "<m>", "lstrip": true}})");
  const Numbered made(folder, "[]");
  BOOST_TEST(made.text == "3 [<m>] 4 <n>");
  BOOST_TEST(made.files.tokenizer["added_tokens"][0]["normalized"] == false);
  BOOST_TEST(made.files.tokenizer["added_tokens"][1]["normalized"] == true);
}

BOOST_AUTO_TEST_CASE(what_is_no_token_is_refused) {
  const TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(Numbered(folder, R"([{"id": 1}])"), plumb::detail::Error,
                        says(Fault::user, "added_tokens[0]: has no \"content\""));
  folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {"-1": {"content": "x"}}})");
  BOOST_CHECK_EXCEPTION(Numbered(folder, "[]"), plumb::detail::Error,
                        says(Fault::user, "added_tokens_decoder: is not {id"));
}

BOOST_AUTO_TEST_SUITE_END()
