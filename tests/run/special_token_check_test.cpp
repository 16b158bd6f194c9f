// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/special_token_check.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;
using enum SpecialTokenReading;

BOOST_AUTO_TEST_SUITE(special_token_check)

namespace {

const std::vector<std::string> marks{"<s>", "<|im_start|>", "<|im_start|>user", "[MASK]"};

SpecialTokenModel model_of(bool parse) {
  return SpecialTokenModel("", 1, marks, parse);
}

/// A model that reads everything as plain text, whatever the setting.
struct DeafModel : NgramModel {
  DeafModel() : NgramModel("") {}
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const { return {{"<s>", 3}}; }
};

/// A model whose own tokenizer composes characters but whose engine does not.
struct UncomposedModel : NgramModel {
  UncomposedModel() : NgramModel("") {}
  [[nodiscard]] static ModelDescription describe() {
    return {.backend = "an engine", .skips_composing = true};
  }
};

std::string found_in(const SpecialTokenTexts& texts, const std::string& text) {
  std::string all;
  for (const SpecialToken* const found : texts.in(text))
    all += (all.empty() ? "" : " ") + found->text;
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_texts_are_found_and_of_those_that_begin_at_one_place_the_longest) {
  const SpecialTokenTexts texts(model_of(false).special_tokens());
  BOOST_TEST(found_in(texts, "") == "");
  BOOST_TEST(found_in(texts, "a < b, [M] and <|im_start| >") == "");
  BOOST_TEST(found_in(texts, "<s>") == "<s>");
  BOOST_TEST(found_in(texts, "a [MASK] <s><s>") == "[MASK] <s> <s>");
  BOOST_TEST(found_in(texts, "<|im_start|>use") == "<|im_start|>");
  BOOST_TEST(found_in(texts, "<|im_start|>users") == "<|im_start|>user");
  BOOST_TEST(found_in(SpecialTokenTexts(), "<s>") == "");
  BOOST_TEST(found_in(SpecialTokenTexts({{"", 1}, {"\xFF", 2}}), "a\xFF") == "\xFF");
}

BOOST_AUTO_TEST_CASE(special_token_text_is_rejected_unless_its_reading_is_set) {
  const auto plain = model_of(false);
  const SpecialTokenCheck check(plain, refuse);
  BOOST_CHECK_NO_THROW(check({"f.jsonl", 3, "P36, subject"}, "France <S>"));
  BOOST_CHECK_EXCEPTION(
      check({"f.jsonl", 3, "P36, subject"}, "France<s>"), Error,
      says(Fault::user,
           "f.jsonl:3: P36, subject: 'France<s>' contains '<s>', the text of a special token of "
           "this model; change it, or set `special-tokens` to text (to read it as plain text) or "
           "to parse (to read it as the token)"));
  BOOST_CHECK_NO_THROW(SpecialTokenCheck(plain, text)({"f.jsonl", 3, "P36"}, "France<s>"));
  const auto parsing = model_of(true);
  BOOST_CHECK_NO_THROW(SpecialTokenCheck(parsing, parse)({"f.jsonl", 3, "P36"}, "France<s>"));
}

BOOST_AUTO_TEST_CASE(a_line_that_is_not_known_is_looked_for) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("t.json", "{\n\"P36\": [\"<s> [X]\",\n\"[X] <s> [Y]\"]}\n");
  const auto model = model_of(false);
  const SpecialTokenCheck check(model, refuse);
  BOOST_CHECK_EXCEPTION(check({file, 0, "P36, template 1"}, "[X] <s> [Y]"), Error,
                        says(Fault::user, "t.json:3: P36, template 1: '[X] <s> [Y]' contains"));
  BOOST_CHECK_EXCEPTION(check({file, 0, "P36, template 1"}, "[Y] <s>"), Error,
                        says(Fault::user, "t.json: P36, template 1: '[Y] <s>' contains"));
  // Another relation has the same template, written with escapes in JSON.
  const auto two = folder.write(
      "u.json", "{\n\"P17\": [\"\\\"[X]\\\" <s>\"],\n\"P36\":\n[\"\\\"[X]\\\" <s>\"]}\n");
  BOOST_CHECK_EXCEPTION(check({two, 0, "P36, template 0"}, "\"[X]\" <s>"), Error,
                        says(Fault::user, "u.json:4: P36, template 0: "));
}

BOOST_AUTO_TEST_CASE(a_graphs_text_is_looked_for_in_its_files) {
  const test::TemporaryFolder folder;
  KnowledgeGraph graph;
  graph.files = {folder.write("a.txt", "e1\te2\n"), folder.write("b.txt", "e1\tgas\ne2\tgas<s>\n")};
  graph.entities = {{"e1", "gas"}, {"e2", "gas<s>"}};
  const auto model = model_of(false);
  const SpecialTokenCheck check(model, refuse);
  BOOST_CHECK_NO_THROW(check(graph, {0}, true));
  BOOST_CHECK_EXCEPTION(check(graph, {0, 1}, true), Error,
                        says(Fault::user, "b.txt:2: entity e2: 'gas<s>' contains '<s>'"));
  graph.relations = {{"r1", "is [MASK]"}};
  BOOST_CHECK_EXCEPTION(check(graph, {0}, true), Error,
                        says(Fault::user, "a.txt: relation r1: 'is [MASK]' contains '[MASK]'"));
}

BOOST_AUTO_TEST_CASE(model_must_read_special_tokens_as_configured) {
  const DeafModel deaf;
  BOOST_CHECK_EXCEPTION(
      SpecialTokenCheck(deaf, parse)({.field = "P36"}, "a<s>"), Error,
      says(Fault::user,
           "P36: '<s>' in 'a<s>' is read as plain text by this model; change it, or set "
           "`special-tokens` to text"));
  const auto parsing = model_of(true);
  BOOST_CHECK_EXCEPTION(
      SpecialTokenCheck(parsing, text)({.field = "P36"}, "a<s>"), Error,
      says(Fault::user,
           "P36: '<s>' in 'a<s>' is read as a special token by this model; change it, or set "
           "`special-tokens` to parse"));
}

// A vocabulary like Cohere's: one special token is always read as text, another never is.
struct UnequalModel : NgramModel {
  UnequalModel() : NgramModel("") {}
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const {
    return {{"<pad>", 3}, {"<user>", 250}};
  }
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    Tokenization made = NgramModel::tokenize(text);
    if (text.find("<user>") != std::string_view::npos) made.tokens.push_back({250, {}});
    return made;
  }
};

BOOST_AUTO_TEST_CASE(every_special_token_in_a_text_must_be_read_as_configured) {
  const UnequalModel model;
  for (const std::string both : {"<pad> <user>", "<user> <pad>"}) {
    BOOST_CHECK_EXCEPTION(
        SpecialTokenCheck(model, text)({.field = "P36"}, both), Error,
        says(Fault::user, "P36: '<user>' in '" + both + "' is read as a special"));
    BOOST_CHECK_EXCEPTION(
        SpecialTokenCheck(model, parse)({.field = "P36"}, both), Error,
        says(Fault::user, "P36: '<pad>' in '" + both + "' is read as plain text"));
  }
}

BOOST_AUTO_TEST_CASE(without_a_list_all_text_is_text) {
  const NgramModel model("");
  for (const SpecialTokenReading reading : {refuse, text}) {
    BOOST_CHECK_NO_THROW(SpecialTokenCheck(model, reading)({.field = "P36"}, "a<s>"));
  }
  BOOST_CHECK_EXCEPTION(SpecialTokenCheck(model, parse), Error,
                        says(Fault::user,
                             "`special-tokens`: this model does not list its special "
                             "tokens, so none can be parsed; set it to text"));
}

BOOST_AUTO_TEST_CASE(own_words_are_spoken_of_and_not_refused) {
  const std::string words = "Predict the [MASK].\n";
  const auto plain = model_of(false);
  BOOST_TEST(SpecialTokenCheck(plain, refuse).remark_on(words).value() ==
             "the prompts' fixed wording contains '[MASK]', the text of a special token of this "
             "model, which "
             "is read as plain text.");
  const auto parsing = model_of(true);
  BOOST_TEST(SpecialTokenCheck(parsing, parse)
                 .remark_on(words)
                 .value()
                 .ends_with("is read as the token."));
  BOOST_TEST(!SpecialTokenCheck(plain, refuse).remark_on("Answer in one word.").has_value());
}

BOOST_AUTO_TEST_CASE(readings_have_names) {
  BOOST_TEST(name_of(refuse) == "refuse");
  BOOST_TEST(name_of(text) == "text");
  BOOST_TEST(name_of(parse) == "parse");
}

// NFC composes U+0308 with a preceding letter, but not with "q"; U+212B, the ångström sign, becomes
// "Å".
BOOST_AUTO_TEST_CASE(texts_that_the_models_own_tokenizer_would_compose_are_counted) {
  const UncomposedModel model;
  const SpecialTokenCheck check(model, refuse);
  ModelDescription description;
  check({}, "Z\u00FCrich");
  check({}, "q\u0308");
  check.warn(description);
  BOOST_TEST(description.warnings.empty());
  const auto copy = check;  // copied, as visitors are
  copy({}, "Zu\u0308rich");
  check.warn(description);
  BOOST_REQUIRE(description.warnings.size() == 1U);
  BOOST_TEST(description.warnings[0].starts_with(
      "Warning: 1 text is not in Unicode's composed form (NFC), such as 'Zu\u0308rich': this "
      "model's own tokenizer"));
  copy({}, "Zu\u0308rich");
  copy({}, "\u212B");
  check({}, "[X] liegt in O\u0308sterreich: [Y].");
  description = UncomposedModel::describe();
  check.warn(description);
  BOOST_TEST(description.warnings.at(0).starts_with(
      "Warning: 3 texts are not in Unicode's composed form"));
  BOOST_TEST(description.warnings[0].find("but llama.cpp's does not") != std::string::npos);

  const KnowledgeGraph graph{
      .entities = {{.id = "1", .name = "Zu\u0308rich"}, {.id = "2", .name = "Bern"}}};
  const SpecialTokenCheck of_graph(model, refuse);
  of_graph(graph, {1}, false);
  ModelDescription of_bern;
  of_graph.warn(of_bern);
  BOOST_TEST(of_bern.warnings.empty());
  of_graph(graph, {0, 1}, false);
  of_graph.warn(of_bern);
  BOOST_TEST(of_bern.warnings.size() == 1U);

  const auto composing = model_of(false);
  const SpecialTokenCheck quiet(composing, refuse);
  quiet({}, "Zu\u0308rich");
  ModelDescription none;
  quiet.warn(none);
  BOOST_TEST(none.warnings.empty());
}

BOOST_AUTO_TEST_SUITE_END()
