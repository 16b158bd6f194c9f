// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/model_table.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(model_table)

namespace {

std::vector<AskedModel> table(const std::string& name, const std::string& text) {
  const test::TemporaryFolder folder;
  return read_model_table(folder.write(name, text));
}

void check_refused(const std::string& name, const std::string& text, const std::string& with) {
  BOOST_CHECK_EXCEPTION((void)table(name, text), Error, says(Fault::user, with));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_csv_names_models_and_what_is_theirs_alone) {
  const test::TemporaryFolder folder;
  const auto models =
      read_model_table(folder.write("m.csv",
                                    "name,path,family,size,kind,template-file,cache_vectors\n"
                                    "small,/models/a.gguf,SmolLM2,135M,causal,,false\n"
                                    "\"large, tuned\",b/,SmolLM2,1.7B,,own.json,true\n"
                                    ",hf:owner/name,,,,,\n"
                                    ",http://localhost:8080,,,,,\n"));
  BOOST_TEST_REQUIRE(models.size() == 4U);
  BOOST_TEST(models[0].name == "small");
  BOOST_TEST(models[0].word == "/models/a.gguf");
  BOOST_TEST(models[0].family == "SmolLM2");
  BOOST_TEST(models[0].size.value() == 135e6);
  BOOST_TEST((models[0].options == Json{{"cache-vectors", false}}));
  BOOST_TEST(
      (models[0].known() ==
       Json{{"name", "small"}, {"family", "SmolLM2"}, {"parameters", 135e6}, {"kind", "causal"}}));
  BOOST_TEST(models[1].name == "large, tuned");
  BOOST_TEST(models[1].word == (folder / "b/").string());  // relative to the table
  BOOST_TEST(models[1].size.value() == 1.7e9);
  BOOST_TEST((models[1].options ==
              Json{{"template-file", (folder / "own.json").string()}, {"cache-vectors", true}}));
  BOOST_TEST(models[1].site.line == 3U);
  BOOST_TEST(models[2].name == "name");
  BOOST_TEST(models[2].known().empty());
  BOOST_TEST(!models[2].is_server());
  BOOST_TEST(models[3].is_server());
}

BOOST_AUTO_TEST_CASE(files_are_relative_to_the_table) {
  const test::TemporaryFolder folder;
  folder.write("say.txt", "Say: ");
  const auto models = read_model_table(folder.write(
      "m.jsonl", R"({"path": "/m/a", "prefix": "say.txt", "lora": "l.gguf", "stop": "say.txt"})"
                 "\n"
                 R"({"path": "/m/b", "prefix": "Say: ", "lora": "/l.gguf"})"));
  BOOST_TEST((models.at(0).options == Json{{"prefix", (folder / "say.txt").string()},
                                           {"lora", (folder / "l.gguf").string()},
                                           {"stop", "say.txt"}}));
  BOOST_TEST((models.at(1).options == Json{{"prefix", "Say: "}, {"lora", "/l.gguf"}}));
}

BOOST_AUTO_TEST_CASE(json_lines_table_lists_models_and_their_options) {
  const auto models = table("m.jsonl",
                            "{\"path\": \"/m/one.gguf\", \"size\": 1000000, \"shots\": 3}\n\n"
                            "{\"url\": \"https://host/v1\", \"name\": \"two\", \"heads\": null}\n");
  BOOST_TEST_REQUIRE(models.size() == 2U);
  BOOST_TEST(models[0].name == "one");
  BOOST_TEST(models[0].size.value() == 1e6);
  BOOST_TEST((models[0].options == Json{{"shots", "3"}}));
  BOOST_TEST(models[1].word == "https://host/v1");
  BOOST_TEST(models[1].options.empty());
}

BOOST_AUTO_TEST_CASE(sizes_are_parameters) {
  BOOST_TEST(parameters_of("134515008").value() == 134515008.0);
  BOOST_TEST(parameters_of("135M").value() == 135e6);
  BOOST_TEST(parameters_of(" 1.7b ").value() == 1.7e9);
  BOOST_TEST(parameters_of("260K").value() == 260e3);
  for (const char* text : {"", "M", "large", "0", "-1M", "1.7 B", "1e999", "nan", "7Bx"}) {
    BOOST_TEST(!parameters_of(text).has_value(), text);
  }
}

BOOST_AUTO_TEST_CASE(table_errors_are_reported_with_their_line) {
  check_refused("m.csv", "name,family\na,b\n",
                "m.csv:1: has no column 'path' or 'url'; it has name, family");
  check_refused("m.csv", "name,path\na,\n", "m.csv:2: path: names no model");
  check_refused("m.csv", "name,path,size\na,b,big\n",
                "m.csv:2: size: 'big' is not a number of parameters");
  check_refused("m.csv", "name,path,out\na,b,c\n", "m.csv:2: out: must be the same for all models");
  check_refused("m.csv", "name,path,url\na,b,http://c\n",
                "specifies a second model in the same row");
  check_refused("m.csv", "name,path\n", "names no model");
  check_refused("m.jsonl", "{\"path\": [1]}\n",
                "m.jsonl:1: path: is not a string, a number, true or false");
  check_refused("m.txt", "a\n", "is not a table of models");
}

BOOST_AUTO_TEST_CASE(a_word_may_name_its_model) {
  BOOST_TEST(asked_model("Q8=/m/a.gguf").name == "Q8");
  BOOST_TEST(asked_model("Q8=/m/a.gguf").word == "/m/a.gguf");
  BOOST_TEST(asked_model("server=http://host:1/v1?a=b").word == "http://host:1/v1?a=b");
  BOOST_TEST(asked_model("/m/a.Q8_0.gguf").name == "a.Q8_0");
  BOOST_TEST(asked_model("folder/").name == "folder");
  BOOST_TEST(asked_model("hf:gpt2").name == "gpt2");
  // An argument that contains "=" is treated as a path if that path exists.
  const test::TemporaryFolder folder;
  const std::string odd = folder.write("a=b.gguf", "x").string();
  BOOST_TEST(asked_model(odd).word == odd);
}

BOOST_AUTO_TEST_CASE(names_that_are_no_folders_are_refused) {
  const auto check = [](const std::string& one, const std::string& other, const std::string& with) {
    BOOST_CHECK_EXCEPTION(refuse_bad_names({{.name = one}, {.name = other}}), Error,
                          says(Fault::user, with));
  };
  check("a", "a", "two models are named 'a'");
  check("a", "b/c", "'b/c' cannot be a folder name");
  check("..", "a", "'..' cannot be a folder name");
  check("comparison", "a", "'comparison' is reserved for the comparison");
}

BOOST_AUTO_TEST_SUITE_END()
