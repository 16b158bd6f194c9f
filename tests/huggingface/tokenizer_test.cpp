// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/tokenizer.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(tokenizer_suite)

namespace {

using plumb::detail::HuggingFaceTokenizer;
using plumb::detail::test::says;
using plumb::detail::test::TemporaryFolder;
using plumb::detail::test::tokenizer_folder;
using Ids = std::vector<plumb::detail::TokenId>;

HuggingFaceTokenizer of(const std::string& name, bool parse = false) {
  return HuggingFaceTokenizer::read(tokenizer_folder(name), parse);
}

HuggingFaceTokenizer read(const TemporaryFolder& folder, const std::string& json) {
  folder.write("tokenizer.json", json);
  return HuggingFaceTokenizer::read(folder.path());
}

const std::string little = R"({"model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1}})";

}  // namespace

// The expected ids, ranges and words are from tokenizers 0.23.3
// (tests/support/write_tokenizer_cases.py).
BOOST_AUTO_TEST_CASE(all_cases_are_as_in_tokenizers) {
  std::size_t compared = 0;
  for (const char* const name :
       {"bert-uncased", "bert-cased-vocab-txt", "roberta", "opt-merges-txt", "byte-level-in-steps",
        "scripts-and-thousands", "albert", "xlm-roberta", "byte-fallback", "word-cutters"}) {
    const auto file =
        nlohmann::json::parse(plumb::detail::test::slurp(tokenizer_folder(name) / "cases.json"));
    BOOST_TEST((file["before"].get<Ids>() == of(name).before()));
    BOOST_TEST((file["after"].get<Ids>() == of(name).after()));
    for (const bool parse : {false, true}) {
      const HuggingFaceTokenizer tokenizer = of(name, parse);
      for (const auto& item : file["cases"]) {
        const auto text = item["text"].get<std::string>();
        const auto& wanted = item[parse ? "parsed" : "plain"];
        BOOST_TEST_CONTEXT(name << ": " << text) {
          const plumb::detail::WordTokenization made = tokenizer.tokenize_words(text);
          BOOST_TEST((plumb::detail::test::ids(made.tokens.tokens) == wanted["ids"].get<Ids>()));
          // If a precompiled map deletes the first character, all ranges are shifted (see
          // aligned_text.hpp).
          const bool drops_first = (name == std::string("xlm-roberta") && text.starts_with("東")) ||
                                   (name == std::string("albert") && text.starts_with("\uFEFF"));
          BOOST_TEST((plumb::detail::test::ranges(made.tokens.tokens) ==
                      wanted["bytes"].get<std::vector<std::vector<std::size_t>>>()) != drops_first);
          BOOST_TEST((made.words == wanted["words"].get<std::vector<std::uint32_t>>()));
          BOOST_TEST(made.tokens.spells_text);
          ++compared;
        }
      }
    }
  }
  BOOST_TEST(compared > 10 * 2 * 60U);
}

BOOST_AUTO_TEST_CASE(tokens_of_a_lower_cased_text_cover_the_text_as_it_is) {
  const HuggingFaceTokenizer tokenizer = of("bert-uncased");
  const std::string text = "José PARIS";
  const plumb::detail::Tokenization made = tokenizer.tokenize(text);
  BOOST_TEST(made.tokens.front().bytes.begin == 0U);
  BOOST_TEST(made.tokens.back().bytes.end == text.size());
  BOOST_TEST((plumb::detail::test::ids(tokenizer.tokenize("jose paris").tokens) ==
              plumb::detail::test::ids(made.tokens)));
  BOOST_TEST((tokenizer.word_ids(text).front() == 0U && tokenizer.word_ids(text).back() == 1U));
}

BOOST_AUTO_TEST_CASE(byte_level_tokens_give_back_the_text) {
  const HuggingFaceTokenizer tokenizer = of("opt-merges-txt");
  for (const std::string text : {"The  town\n🙂 東京 don't </s>", "", " \t é"}) {
    BOOST_TEST(tokenizer.detokenize(plumb::detail::test::ids(tokenizer.tokenize(text).tokens)) ==
               text);
  }
}

BOOST_AUTO_TEST_CASE(other_tokens_are_spelt_by_their_decoder) {
  const auto round = [](const char* name, const std::string& text) {
    const HuggingFaceTokenizer tokenizer = of(name);
    return tokenizer.detokenize(plumb::detail::test::ids(tokenizer.tokenize(text).tokens));
  };
  BOOST_TEST(round("bert-uncased", "The Capital, of France") == "the capital , of france");
  BOOST_TEST(round("xlm-roberta", "The capital") == "The capital");
}

BOOST_AUTO_TEST_CASE(broken_bytes_are_replacement_characters_that_cover_them) {
  const HuggingFaceTokenizer tokenizer = of("opt-merges-txt");
  const plumb::detail::Tokenization made = tokenizer.tokenize("a\xFFz");
  BOOST_TEST((plumb::detail::test::ids(made.tokens) ==
              plumb::detail::test::ids(tokenizer.tokenize("a\uFFFDz").tokens)));
  BOOST_TEST((made.tokens[1].bytes == plumb::detail::ByteSpan{1, 2}));
  BOOST_TEST((made.tokens.back().bytes == plumb::detail::ByteSpan{2, 3}));
}

// If the file adds a space before each text, the ranges returned by `tokenizers` omit the first
// character of a word after a special token. A scorer needs every character of an answer.
BOOST_AUTO_TEST_CASE(every_letter_behind_a_special_token_has_a_token) {
  auto file = nlohmann::json::parse(
      plumb::detail::test::slurp(tokenizer_folder("roberta") / "tokenizer.json"));
  file["pre_tokenizer"]["add_prefix_space"] = true;
  file["post_processor"]["add_prefix_space"] = true;
  const TemporaryFolder folder;
  folder.write("tokenizer.json", file.dump());
  const HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer::read(folder.path(), true);
  for (const std::string text : {"Paris</s>lies", "</s>x", "é</s>éa</s>  b", "<mask>l <mask>1"}) {
    std::vector<bool> covered(text.size());
    for (const plumb::detail::Token& token : tokenizer.tokenize(text).tokens) {
      for (std::size_t at = token.bytes.begin; at < token.bytes.end; ++at) covered[at] = true;
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
      BOOST_TEST((covered[at] || text[at] == ' '), text << " at " << at);
    }
  }
  BOOST_TEST((tokenizer.tokenize("a  </s>b").tokens.back().bytes == plumb::detail::ByteSpan{7, 8}));
}

BOOST_AUTO_TEST_CASE(special_tokens_are_read_from_the_files) {
  const HuggingFaceTokenizer opt = of("opt-merges-txt");
  BOOST_TEST((*opt.bos() == 2 && *opt.eos() == 2 && *opt.unk() == 2 && *opt.pad() == 1));
  BOOST_TEST((!opt.mask() && !opt.cls() && !opt.sep()));
  BOOST_TEST(opt.special_tokens().size() == 2U);
  const HuggingFaceTokenizer bert = of("bert-cased-vocab-txt");
  BOOST_TEST((*bert.mask() == 4 && *bert.cls() == 2 && *bert.sep() == 3 && *bert.unk() == 1));
  BOOST_TEST(!bert.bos());
  const HuggingFaceTokenizer roberta = of("roberta", true);
  BOOST_TEST(*roberta.mask() == static_cast<plumb::detail::TokenId>(roberta.vocabulary_size()) - 1);
  BOOST_TEST((*roberta.text_of(*roberta.mask()) == "<mask>"));
  BOOST_TEST((*roberta.id_of("<s>") == 0 && !roberta.id_of("none") && !roberta.text_of(-1)));
  BOOST_TEST(roberta.detokenize(Ids{0, 100000}) == "<s>");
  BOOST_TEST(of("roberta").detokenize(Ids{0}) == "");
  const TemporaryFolder folder;
  folder.write("config.json", R"({"bos_token_id": 1, "eos_token_id": 7})");
  const HuggingFaceTokenizer named = read(folder, little + "}");
  BOOST_TEST((*named.bos() == 1 && !named.eos() && *named.unk() == 0));
}

// Instruction models often have several, as Phi-3 and Gemma do.
BOOST_AUTO_TEST_CASE(every_end_token_of_the_files_ends_a_text) {
  const TemporaryFolder folder;
  folder.write("config.json", R"({"eos_token_id": 7, "text_config": {"eos_token_id": [8, null]}})");
  folder.write("generation_config.json", R"({"eos_token_id": [7, 106, -1, 5000000000]})");
  const HuggingFaceTokenizer named = read(folder, little + "}");
  for (const plumb::detail::TokenId id : {7, 8, 106}) BOOST_TEST(named.ends(id));
  for (const plumb::detail::TokenId id : {0, 1, -1, 105}) BOOST_TEST(!named.ends(id));
  const HuggingFaceTokenizer opt = of("opt-merges-txt");
  BOOST_TEST((opt.ends(2) && !opt.ends(1)));
}

BOOST_AUTO_TEST_CASE(copies_outlive_what_they_were_copied_from) {
  std::optional<HuggingFaceTokenizer> first = of("albert");
  const HuggingFaceTokenizer copy = *first;
  const Ids before = plumb::detail::test::ids(first->tokenize("Paris").tokens);
  first.reset();
  BOOST_TEST((plumb::detail::test::ids(copy.tokenize("Paris").tokens) == before));
}

BOOST_AUTO_TEST_CASE(unknown_parts_are_refused_by_field) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& json, const char* words) {
    BOOST_CHECK_EXCEPTION(read(folder, json), plumb::detail::Error,
                          says(plumb::detail::Fault::user, words));
  };
  refused("{}", "tokenizer.json: has no \"model\"");
  refused(R"({"model": {"type": "WordLevel"}})", "model: the model \"WordLevel\" is not supported");
  refused(little + R"(, "normalizer": {"type": "X"}})", "normalizer: the normalizer \"X\"");
  refused(little + R"(, "pre_tokenizer": {"type": "X"}})", "pre_tokenizer: the pre-tokenizer");
  refused(little + R"(, "post_processor": {"type": "X"}})", "post_processor: the post-processor");
  refused(little + R"(, "decoder": {"type": "X"}})", "decoder: the decoder \"X\"");
  refused(little + R"(, "added_tokens": 3})", "added_tokens: is not a list");
  refused(R"({"model": {"vocab": {"a": 0, "a": 1}}})", "has the key \"a\" twice");
}

// The tokens match those that `tokenizers` returns when it parses the text with the mask's string
// in it (all_cases_are_as_in_tokenizers). Any other special token in the text remains plain text.
BOOST_AUTO_TEST_CASE(a_text_with_a_mask_has_the_tokens_of_the_masks_text_parsed) {
  for (const auto& [name, mask] :
       {std::pair{"bert-uncased", "[MASK]"}, std::pair{"roberta", "<mask>"},
        std::pair{"albert", "<mask>"}, std::pair{"xlm-roberta", "<mask>"}}) {
    const HuggingFaceTokenizer plain = of(name), parsed = of(name, true);
    for (const auto& [before, after] :
         {std::pair{"The capital of France is ", "."}, std::pair{"", " is the capital  of it."},
          std::pair{"the  (", ")"}, std::pair{"é ", ""}}) {
      BOOST_TEST_CONTEXT(name << ": " << before) {
        const plumb::detail::MaskedQuery made = plain.masked_text(before, after);
        const std::string text = std::string(before) + mask + after;
        BOOST_TEST((made.sequence == plumb::detail::test::ids(parsed.tokenize(text).tokens)));
        BOOST_TEST((made.sequence.at(made.position) == *plain.mask()));
      }
    }
    // Unigram's vocabulary may also contain the mask's text as a piece.
    const plumb::detail::MaskedQuery twice = plain.masked_text(std::string(mask) + " and ", ".");
    if (name == std::string("bert-uncased") || name == std::string("roberta")) {
      BOOST_TEST(std::count(twice.sequence.begin(), twice.sequence.end(), *plain.mask()) == 1);
    }
    BOOST_TEST((twice.sequence.at(twice.position) == *plain.mask()));
  }
}

BOOST_AUTO_TEST_SUITE_END()
