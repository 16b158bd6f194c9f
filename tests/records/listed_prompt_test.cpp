// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/listed_prompt.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(listed_prompt_suite)

namespace {

/// A text whose answer consists of its last `length` bytes; the given part ends where the answer
/// begins.
Prompt ending(const std::string& text, std::size_t length) {
  const std::size_t given = text.size() - length;
  return {text, {{given, text.size()}}, {}, given};
}

/// One token for each byte, preceded by a 0 if there is a BOS.
std::vector<TokenId> bytes(const Prompt& prompt, const Bos& with_bos) {
  std::vector<TokenId> ids;
  if (with_bos) ids.push_back(0);
  for (const char c : prompt.text) ids.push_back(static_cast<unsigned char>(c));
  return ids;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_prompt_that_is_gone_on_with_is_one_text) {
  const ListedPrompt one{
      .about = Json{{"part", "x"}}, .texts = {{"Q: \"a\"\nA:", {}, {}}}, .with_bos = true};
  BOOST_TEST(to_json(one).dump() == R"({"part":"x","prompt":"Q: \"a\"\nA:"})");
  const ListedPrompt two{.about = Json{{"part", "x"}}, .texts = {{"ab", {}, {}}}, .with_bos = true};
  BOOST_TEST(to_json(two, bytes).dump() == R"({"part":"x","prompt":"ab","ids":[0,97,98]})");
}

BOOST_AUTO_TEST_CASE(one_text_may_have_answers_within) {
  const ListedPrompt one{.texts = {{"a 1 b 2", {{2, 3}, {6, 7}}, {}}}};
  BOOST_TEST(to_json(one).dump() == R"({"prompt":"a 1 b 2","answer":[[2,3],[6,7]],"given":0})");
}

BOOST_AUTO_TEST_CASE(candidates_share_what_they_begin_with) {
  const ListedPrompt one{.texts = {ending("of France Paris", 5), ending("of France Parma", 5)},
                         .candidates = true};
  // Both answers start with "Par", which is part of the answers, not of the prompt.
  BOOST_TEST(to_json(one).dump() == R"({"prompt":"of France ","candidate_count":2,"candidates":[)"
                                    R"({"text":"Paris","answer":[[10,15]],"given":10},)"
                                    R"({"text":"Parma","answer":[[10,15]],"given":10}]})");
  const ListedPrompt first{.texts = {{"A is b.", {{0, 1}}, {}}, {"C is b.", {{0, 1}}, {}}},
                           .candidates = true};
  BOOST_TEST(to_json(first).at("prompt") == "");
  BOOST_TEST(to_json(first).at("candidates")[1].at("text") == "C is b.");
  const ListedPrompt alone{.texts = {ending("x y", 1)}, .candidates = true};
  BOOST_TEST(to_json(alone).dump() == R"({"prompt":"x ","candidate_count":1,)"
                                      R"("candidates":[{"text":"y","answer":[[2,3]],"given":2}]})");
}

// "é" and "è" start with the same byte, which is not a character on its own.
BOOST_AUTO_TEST_CASE(whole_characters_are_shared) {
  const ListedPrompt one{.texts = {{"caf\xC3\xA9", {}, {}}, {"caf\xC3\xA8", {}, {}}},
                         .candidates = true};
  const Json row = to_json(one);
  BOOST_TEST(row.at("prompt") == "caf");
  BOOST_TEST(row.at("candidates")[0].at("text") == "\xC3\xA9");
  BOOST_TEST(!row.at("candidates")[0].contains("answer"));
}

BOOST_AUTO_TEST_CASE(candidate_ids_continue_the_prompt_ids) {
  const ListedPrompt one{.texts = {ending("a bc", 2), ending("a bd", 2), ending("a b", 1)},
                         .entities = {"Q1", "Q2", "Q3"},
                         .with_bos = true,
                         .candidates = true};
  const Json row = to_json(one, bytes);
  BOOST_TEST(row.at("prompt") == "a ");
  // all candidates also share "b", but it is scored
  BOOST_TEST((row.at("ids") == Json{0, 'a', ' '}));
  BOOST_TEST((row.at("candidates")[0].at("ids") == Json{'b', 'c'}));
  BOOST_TEST((row.at("candidates")[1].at("ids") == Json{'b', 'd'}));
  BOOST_TEST((row.at("candidates")[2].at("ids") == Json{'b'}));
  BOOST_TEST(row.at("candidates")[1].at("entity") == "Q2");
}

BOOST_AUTO_TEST_CASE(a_lone_candidates_continuation_is_not_the_prompts) {
  const ListedPrompt one{.texts = {ending("a bc", 2)}, .candidates = true};
  const Json row = to_json(one, bytes);
  BOOST_TEST((row.at("ids") == Json{'a', ' '}));
  BOOST_TEST((row.at("candidates")[0].at("ids") == Json{'b', 'c'}));
}

// Some tokenizers split off digits: the space before a digit is then a separate token, which is
// scored.
BOOST_AUTO_TEST_CASE(a_space_before_a_digit_is_the_candidates) {
  const ListedPrompt one{.texts = {ending("is 12", 3), ending("is 13", 3)}, .candidates = true};
  const Json row = to_json(one, bytes);
  BOOST_TEST((row.at("ids") == Json{'i', 's'}));
  BOOST_TEST((row.at("candidates")[0].at("ids") == Json{' ', '1', '2'}));
}

BOOST_AUTO_TEST_CASE(candidates_are_cut_and_counted) {
  ListedPrompt one{.candidates = true};
  for (const char* text : {"x1", "x2", "x3"}) one.texts.push_back(ending(text, 1));
  const Json row = to_json(one, {}, 2);
  BOOST_TEST(row.at("candidate_count") == 3);
  BOOST_TEST(row.at("candidates").size() == 2U);
  BOOST_TEST(to_json(one, {}, 5).at("candidates").size() == 3U);
}

BOOST_AUTO_TEST_CASE(prompts_with_cuts_are_marked_as_tokenized_by_parts) {
  const ListedPrompt one{.texts = {{"a b", {}, {1}}}};
  BOOST_TEST(to_json(one).dump() == R"({"tokenized":"by parts","prompt":"a b"})");
}

BOOST_AUTO_TEST_CASE(a_fact_is_wanted_by_identifier_label_or_place) {
  BOOST_TEST(WantedFact{}.all());
  BOOST_TEST(WantedFact{}.has("Q1", "France", "P36", 7));
  BOOST_TEST(WantedFact{"Q1"}.has("Q1", "France"));
  BOOST_TEST(WantedFact{"France"}.has("Q1", "France"));
  BOOST_TEST(!WantedFact{"Fran"}.has("Q1", "France"));
  BOOST_TEST(WantedFact{"P36:7"}.has("Q1", "France", "P36", 7));
  BOOST_TEST(!WantedFact{"P36:7"}.has("Q1", "France", "P36", 77));
  BOOST_TEST(!WantedFact{"P36:7"}.has("Q1", "France"));
}

BOOST_AUTO_TEST_CASE(the_first_prompt_of_each_kind_is_kept) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "run");
  ExamplePrompts examples;
  int made = 0;
  const auto give = [&](const std::string& kind, const std::string& text) {
    examples(kind, [&] {
      ++made;
      return ListedPrompt{.about = Json{{"part", kind}}, .texts = {{text, {}, {}}}};
    });
  };
  give("a", "1");
  give("b", "2");
  give("a", "3");
  BOOST_TEST(made == 2);
  examples.write(folder / "run");
  BOOST_TEST(slurp(folder / "run/example_prompts.jsonl") ==
             "{\"part\":\"a\",\"prompt\":\"1\"}\n{\"part\":\"b\",\"prompt\":\"2\"}\n");
  const std::vector<Json> read = read_example_prompts(folder / "run");
  BOOST_REQUIRE(read.size() == 2U);
  BOOST_TEST(read[1].at("prompt") == "2");
}

BOOST_AUTO_TEST_CASE(a_folder_without_examples_has_none) {
  const TemporaryFolder folder;
  BOOST_TEST(read_example_prompts(folder.path()).empty());
  folder.write("example_prompts.jsonl", "{}\n[]\n");
  BOOST_CHECK_EXCEPTION((void)read_example_prompts(folder.path()), Error,
                        says(Fault::user, "example_prompts.jsonl:2: is JSON but not an object"));
}

BOOST_AUTO_TEST_SUITE_END()
