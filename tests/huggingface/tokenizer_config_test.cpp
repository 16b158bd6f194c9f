// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/tokenizer_config.hpp"

#include <boost/test/unit_test.hpp>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

BOOST_AUTO_TEST_SUITE(tokenizer_config_suite)

using plumb::detail::Fault;
using plumb::detail::test::says;
using plumb::detail::test::TemporaryFolder;

namespace {

plumb::detail::TokenizerFiles read_config(const TemporaryFolder& folder) {
  return plumb::detail::read_tokenizer_config(folder.path());
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_map_of_special_tokens_wins_unless_there_is_a_decoder) {
  const TemporaryFolder folder;
  folder.write("special_tokens_map.json", R"({"bos_token": "<a>", "eos_token": null})");
  folder.write("tokenizer_config.json",
               R"({"bos_token": {"content": "<b>"}, "eos_token": "<e>", "unk_token": null})");
  plumb::detail::TokenizerFiles files = read_config(folder);
  BOOST_TEST((*files.named("bos_token") == "<a>" && !files.named("eos_token")));
  files.defaults = {{"unk_token", "<u>"}, {"pad_token", "<p>"}};
  BOOST_TEST(!files.named("unk_token"));  // null also counts as a value
  BOOST_TEST(*files.named("pad_token") == "<p>");
  folder.write("tokenizer_config.json",
               R"({"bos_token": {"content": "<b>"}, "added_tokens_decoder": {}})");
  BOOST_TEST(*read_config(folder).named("bos_token") == "<b>");
}

BOOST_AUTO_TEST_CASE(further_special_tokens_add_up) {
  const TemporaryFolder folder;
  folder.write("special_tokens_map.json", R"({"extra_special_tokens": ["<y>", "<x>"]})");
  folder.write("tokenizer_config.json", R"({"additional_special_tokens": ["<x>"]})");
  const plumb::detail::TokenizerFiles files = read_config(folder);
  BOOST_TEST((files.config["extra_special_tokens"] == plumb::detail::TokenizerJson{"<x>", "<y>"}));
  BOOST_TEST(!files.config.contains("additional_special_tokens"));
}

BOOST_AUTO_TEST_CASE(fields_that_are_not_computed_are_refused_by_name) {
  const TemporaryFolder folder;
  const auto refused = [&](const char* config, const char* words) {
    folder.write("tokenizer_config.json", config);
    BOOST_CHECK_EXCEPTION((void)read_config(folder), plumb::detail::Error,
                          says(Fault::user, words));
  };
  refused(R"({"auto_map": {"AutoTokenizer": ["x.Y", null]}})",
          "tokenizer_config.json: auto_map: refers to code in the folder");
  refused(R"({"auto_map": ["x.Y", null]})", "auto_map: refers to code");
  refused(R"({"fix_mistral_regex": true})", "fix_mistral_regex: would replace the pattern");
  refused(R"({"fast_tokenizer_files": ["tokenizer.json", "tokenizer.4.0.json"]})",
          "fast_tokenizer_files[1]: a file for a specific version");
  refused(R"({"init_inputs": ["vocab.txt"]})", "init_inputs: is not supported");
  folder.write("tokenizer_config.json", R"({"auto_map": {"AutoModel": "x.Y"}, "init_inputs": [],
      "fast_tokenizer_files": ["tokenizer.json"], "fix_mistral_regex": false,
      "model_max_length": 5, "clean_up_tokenization_spaces": true, "legacy": false})");
  BOOST_TEST(read_config(folder).config["model_max_length"] == 5);
}

BOOST_AUTO_TEST_SUITE_END()
