// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/folder_chat_template.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(folder_chat_template_suite)

BOOST_FIXTURE_TEST_CASE(the_template_is_found_where_transformers_looks, test::TemporaryFolder) {
  BOOST_TEST(folder_chat_template(path()).text.empty());
  write(
      "tokenizer_config.json",
      R"({"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": false}, "unk_token": null,
            "chat_template": [{"name": "tool_use", "template": "no"}, {"name": "default", "template": "list"}]})");
  BOOST_TEST(folder_chat_template(path()).text == "list");
  write("tokenizer_config.json",
        R"({"bos_token": "<s>", "eos_token": {"content": "</s>"}, "chat_template": "config"})");
  BOOST_TEST(folder_chat_template(path()).text == "config");
  write("chat_template.json", R"({"chat_template": "processor"})");
  BOOST_TEST(folder_chat_template(path()).text == "processor");
  write("chat_template.jinja", "file\n");
  const auto made = folder_chat_template(path());
  BOOST_TEST(made.text == "file\n");
  BOOST_TEST(made.tokens.size() == 2U);
  BOOST_TEST(made.tokens.at("bos_token") == "<s>");
  BOOST_TEST(made.tokens.at("eos_token") == "</s>");
}

// As in transformers 5: special_tokens_map.json precedes tokenizer_config.json, and the class's
// tokens are used if no file has any.
BOOST_FIXTURE_TEST_CASE(a_folder_without_template_has_its_tokens, test::TemporaryFolder) {
  using Tokens = std::map<std::string, std::string>;
  write("tokenizer_config.json", R"({"bos_token": "<s>", "eos_token": "</s>"})");
  BOOST_TEST(
      (folder_chat_template(path()).tokens == Tokens{{"bos_token", "<s>"}, {"eos_token", "</s>"}}));
  write("special_tokens_map.json", R"({"bos_token": {"content": "<b>"}})");
  BOOST_TEST(folder_chat_template(path()).tokens.at("bos_token") == "<b>");
  write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})");
  write("special_tokens_map.json", "{}");
  const Tokens of_class = folder_chat_template(path()).tokens;
  BOOST_TEST(of_class.at("bos_token") == "<|endoftext|>");
  BOOST_TEST(of_class.at("eos_token") == "<|endoftext|>");
}

BOOST_FIXTURE_TEST_CASE(what_is_no_template_is_refused_by_its_file, test::TemporaryFolder) {
  write("tokenizer_config.json", R"({"chat_template": [{"name": "rag", "template": "x"}]})");
  BOOST_CHECK_EXCEPTION((void)folder_chat_template(path()), Error,
                        says(Fault::user, "none is named default"));
  write("tokenizer_config.json", R"({"chat_template": 3})");
  BOOST_CHECK_EXCEPTION((void)folder_chat_template(path()), Error,
                        says(Fault::user, "is neither a string nor a list"));
}

BOOST_AUTO_TEST_SUITE_END()
