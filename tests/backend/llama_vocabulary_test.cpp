// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/backend/llama_vocabulary.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/backend/llama.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

BOOST_AUTO_TEST_SUITE(llama_vocabulary_suite)

namespace {

using plumb::detail::test::TemporaryFolder;

plumb::detail::LlamaModel tiny(const TemporaryFolder& folder,
                               plumb::detail::test::TinyOptions options) {
  const auto file = plumb::detail::test::TinyGguf(options).write(folder / "tiny.gguf");
  return plumb::detail::LlamaModel({file, plumb::detail::Precision::exact, 1});
}

/// Rewrites the model with the given end-of-sequence token in its metadata.
void name_end(const std::filesystem::path& path, std::uint32_t token) {
  ggml_context* weights = nullptr;
  gguf_context* before = gguf_init_from_file(path.c_str(), {.no_alloc = false, .ctx = &weights});
  gguf_context* after = gguf_init_empty();
  gguf_set_kv(after, before);
  gguf_set_val_u32(after, "tokenizer.ggml.eos_token_id", token);
  for (std::int64_t i = 0; i < gguf_get_n_tensors(before); ++i) {
    gguf_add_tensor(after, ggml_get_tensor(weights, gguf_get_tensor_name(before, i)));
  }
  gguf_write_to_file(after, path.c_str(), false);
  gguf_free(after);
  gguf_free(before);
  ggml_free(weights);
}

}  // namespace

BOOST_AUTO_TEST_CASE(tokens_cover_the_bytes_they_spell) {
  const TemporaryFolder folder;
  const plumb::detail::LlamaModel model = tiny(folder, {});
  const std::string text = "The town is D.C.. 东 🙂\n\"x\"";
  const plumb::detail::Tokenization result = model.tokenize(text);
  BOOST_TEST(result.spells_text);
  std::size_t at = 0;
  std::vector<plumb::detail::TokenId> ids;
  for (const plumb::detail::Token& token : result.tokens) {
    BOOST_TEST(token.bytes.begin == at);
    at = token.bytes.end;
    ids.push_back(token.id);
  }
  BOOST_TEST(at == text.size());
  BOOST_TEST(model.detokenize(ids) == text);
  BOOST_TEST(model.tokenize("").tokens.empty());
}

BOOST_AUTO_TEST_CASE(text_that_looks_like_a_special_token_is_plain_text) {
  const TemporaryFolder folder;
  const plumb::detail::LlamaModel model = tiny(folder, {});
  for (const plumb::detail::Token& token : model.tokenize("a <bos> b").tokens)
    BOOST_TEST(token.id != *model.bos());
}

BOOST_AUTO_TEST_CASE(special_tokens_are_listed_and_parsed_where_that_is_wanted) {
  const TemporaryFolder folder;
  const auto file = plumb::detail::test::TinyGguf({.with_marks = true}).write(folder / "tiny.gguf");
  const plumb::detail::LlamaModel plain({.model = file, .threads = 1});
  const plumb::detail::LlamaModel parsing(
      {.model = file, .threads = 1, .parse_special_tokens = true});
  std::vector<std::string> texts;
  for (const plumb::detail::SpecialToken& token : plain.special_tokens())
    texts.push_back(token.text);
  // The token that consists of spaces is not listed.
  BOOST_TEST(texts == (std::vector<std::string>{"<bos>", "<unk>", "<|user|>"}),
             boost::test_tools::per_element());
  const auto ids_of = [](const plumb::detail::Tokenization& made) {
    std::vector<plumb::detail::TokenId> ids;
    for (const plumb::detail::Token& token : made.tokens) ids.push_back(token.id);
    return ids;
  };
  const auto bos = *plain.bos();
  const std::string text = "the <bos>is<unk>";
  const plumb::detail::Tokenization made = parsing.tokenize(text);
  BOOST_TEST(made.spells_text);
  for (std::size_t t = 0; t + 1 < made.tokens.size(); ++t) {
    BOOST_TEST(made.tokens[t].bytes.end == made.tokens[t + 1].bytes.begin);
  }
  BOOST_TEST(made.tokens.back().bytes.end == text.size());
  BOOST_TEST(std::ranges::count(ids_of(made), bos) == 1);
  BOOST_TEST(ids_of(made).back() == bos + 1);
  BOOST_TEST(parsing.detokenize(ids_of(made)) == text);
  const auto as_text = ids_of(plain.tokenize(text));
  BOOST_TEST(std::ranges::count(as_text, bos) == 0);
  BOOST_TEST(std::ranges::count(as_text, bos + 1) == 0);
  // llama.cpp always parses tokens that the file marks as user-defined.
  for (const plumb::detail::LlamaModel* model : {&plain, &parsing}) {
    BOOST_TEST(std::ranges::count(ids_of(model->tokenize("a<|user|>")), bos + 2) == 1);
    BOOST_TEST(std::ranges::count(ids_of(model->tokenize("a   b")), bos + 3) == 1);
  }
}

BOOST_AUTO_TEST_CASE(bos_is_there_only_when_the_file_names_one) {
  const TemporaryFolder folder;
  BOOST_TEST(tiny(folder, {}).bos().has_value());
  BOOST_TEST(!tiny(folder, {.with_bos = false}).bos().has_value());
  BOOST_TEST(!tiny(folder, {.bos = 99'999}).bos().has_value());  // outside the vocabulary
}

BOOST_AUTO_TEST_CASE(vocabulary_file_determines_whether_bos_is_added) {
  const TemporaryFolder folder;
  BOOST_TEST(tiny(folder, {.adds_bos = true}).adds_bos());
  BOOST_TEST(!tiny(folder, {.adds_bos = false}).adds_bos());
  BOOST_TEST(!tiny(folder, {.with_bos = false, .adds_bos = true}).adds_bos());
}

BOOST_AUTO_TEST_CASE(an_end_of_sequence_that_the_file_adds_is_in_its_frame) {
  const TemporaryFolder folder;
  const auto frame = [&](bool adds_end, bool names_end) {
    return plumb::detail::LlamaModel({plumb::detail::test::TinyGguf({.adds_bos = true})
                                          .edit([=](gguf_context* to) {
                                            gguf_set_val_bool(to, "tokenizer.ggml.add_eos_token",
                                                              adds_end);
                                            if (!names_end) return;
                                            gguf_set_val_u32(to, "tokenizer.ggml.eos_token_id", 7);
                                          })
                                          .write(folder / "tiny.gguf")})
        .own_frame();
  };
  BOOST_TEST((frame(true, true).after == std::vector<plumb::detail::TokenId>{7}));
  BOOST_TEST(frame(true, true).before.size() == 1U);
  BOOST_TEST(frame(false, true).after.empty());
}

// For SentencePiece vocabularies, llama.cpp uses <s> at 1 and </s> at 2 if the file omits the ids
// (LLAMA_VOCAB_TYPE_SPM).
BOOST_AUTO_TEST_CASE(a_sentencepiece_vocabulary_has_its_usual_bos_without_an_id) {
  const TemporaryFolder folder;
  const auto with = [&](bool control) {
    return plumb::detail::LlamaModel(
        {plumb::detail::test::TinyGguf({.with_bos = false})
             .edit([=](gguf_context* to) {
               const auto size = gguf_get_arr_n(to, gguf_find_key(to, "tokenizer.ggml.tokens"));
               std::vector<std::string> texts{"<unk>", "<s>", "</s>"};
               std::vector<std::int32_t> types{2, control ? 3 : 1, control ? 3 : 1};
               constexpr std::string_view digits = "0123456789ABCDEF";
               for (std::size_t byte = 0; byte < 256; ++byte) {
                 texts.push_back(std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">");
                 types.push_back(6);
               }
               while (texts.size() < size) {
                 texts.push_back("x" + std::to_string(texts.size()));
                 types.push_back(1);
               }
               std::vector<const char*> pointers;
               for (const std::string& text : texts) pointers.push_back(text.c_str());
               const std::vector<float> scores(size, 0);
               gguf_set_val_str(to, "tokenizer.ggml.model", "llama");
               gguf_set_arr_str(to, "tokenizer.ggml.tokens", pointers.data(), size);
               gguf_set_arr_data(to, "tokenizer.ggml.token_type", GGUF_TYPE_INT32, types.data(),
                                 size);
               gguf_set_arr_data(to, "tokenizer.ggml.scores", GGUF_TYPE_FLOAT32, scores.data(),
                                 size);
             })
             .write(folder / "spm.gguf")});
  };
  BOOST_TEST((with(true).bos() == 1));
  BOOST_TEST((with(true).own_frame().before == std::vector<plumb::detail::TokenId>{1}));
  BOOST_TEST(with(true).ends(2));
  BOOST_TEST(!with(false).bos());  // that id belongs to an ordinary piece of text
}

// Left to itself, llama.cpp would choose token 11 for these, as in GPT-2.
BOOST_AUTO_TEST_CASE(a_bos_that_is_not_in_the_vocabulary_is_none) {
  const TemporaryFolder folder;
  const auto with = [&](const std::function<void(gguf_context*)>& change) {
    return plumb::detail::LlamaModel(
        {plumb::detail::test::TinyGguf({}).edit(change).write(folder / "tiny.gguf")});
  };
  const char* const key = "tokenizer.ggml.bos_token_id";
  const auto size = static_cast<std::uint32_t>(with([](gguf_context*) {}).vocabulary_size());
  const auto bos_of = [&](std::uint32_t id) {
    return with([&](gguf_context* to) { gguf_set_val_u32(to, key, id); }).bos();
  };
  BOOST_TEST(bos_of(size - 1).value() == static_cast<plumb::detail::TokenId>(size - 1));
  BOOST_TEST(bos_of(0).value() == 0);
  BOOST_TEST(bos_of(11).value() == 11);
  BOOST_TEST(!bos_of(size));
  BOOST_TEST(!bos_of(50'256));
  BOOST_TEST(!bos_of(0xFFFFFFFF));
  const auto end = with(
      [&](gguf_context* to) { gguf_set_val_u32(to, "tokenizer.ggml.eos_token_id", size + 5); });
  for (std::uint32_t id = 0; id < size; ++id)
    BOOST_TEST(!end.ends(static_cast<plumb::detail::TokenId>(id)));
}

BOOST_AUTO_TEST_CASE(a_vocabulary_that_names_no_pre_tokenizer_is_warned_of) {
  const TemporaryFolder folder;
  const auto warnings = [&](const std::function<void(gguf_context*)>& change) {
    return plumb::detail::LlamaModel(
               {plumb::detail::test::TinyGguf({}).edit(change).write(folder / "tiny.gguf")})
        .describe()
        .warnings;
  };
  const char* const key = "tokenizer.ggml.pre";
  BOOST_TEST(warnings([](gguf_context*) {}).empty());
  BOOST_TEST(warnings([&](gguf_context* to) { gguf_set_val_str(to, key, "qwen2"); }).empty());
  const auto missing = warnings([&](gguf_context* to) { gguf_remove_key(to, key); });
  BOOST_REQUIRE(missing.size() == 1U);
  BOOST_TEST(
      missing[0].starts_with("Warning: the model's file specifies no pre-tokenizer "
                             "(tokenizer.ggml.pre), so llama.cpp guesses"));
  BOOST_TEST(warnings([&](gguf_context* to) { gguf_set_val_str(to, key, ""); }) == missing,
             boost::test_tools::per_element());
  const auto standard = warnings([&](gguf_context* to) { gguf_set_val_str(to, key, "default"); });
  BOOST_REQUIRE(standard.size() == 1U);
  BOOST_TEST(
      standard[0].starts_with("Warning: the model's file calls its pre-tokenizer \"default\""));
  BOOST_CHECK_THROW(warnings([&](gguf_context* to) { gguf_set_val_str(to, key, "no such"); }),
                    plumb::detail::Error);
}

BOOST_AUTO_TEST_CASE(vocabulary_reports_skipped_nfc_normalization) {
  const TemporaryFolder folder;
  const auto skips = [&](const char* pre) {
    return plumb::detail::LlamaModel({plumb::detail::test::TinyGguf({})
                                          .edit([&](gguf_context* to) {
                                            gguf_set_val_str(to, "tokenizer.ggml.pre", pre);
                                          })
                                          .write(folder / "tiny.gguf")})
        .describe()
        .skips_composing;
  };
  for (const char* pre : {"qwen2", "olmo", "stablelm2", "command-r", "mpt"}) BOOST_TEST(skips(pre));
  for (const char* pre : {"gpt-2", "llama-bpe", "falcon", "smollm"}) BOOST_TEST(!skips(pre));
}

BOOST_AUTO_TEST_CASE(a_text_ends_only_with_tokens_that_the_file_names) {
  const TemporaryFolder folder;
  const auto file = plumb::detail::test::TinyGguf({}).write(folder / "tiny.gguf");
  const auto ends_of = [&] {
    const plumb::detail::LlamaModel model({file, plumb::detail::Precision::exact, 1});
    std::vector<plumb::detail::TokenId> ends;
    for (std::size_t id = 0; id < model.vocabulary_size(); ++id) {
      if (model.ends(static_cast<plumb::detail::TokenId>(id))) {
        ends.push_back(static_cast<plumb::detail::TokenId>(id));
      }
    }
    return ends;
  };
  BOOST_TEST(ends_of().empty());  // llama.cpp's default, token 11, is ignored
  name_end(file, 258);
  BOOST_TEST(ends_of() == std::vector<plumb::detail::TokenId>{258});
}

BOOST_AUTO_TEST_SUITE_END()
