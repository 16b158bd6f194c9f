// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/folder_model.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(folder_model_suite)

namespace {

const std::filesystem::path small_networks =
    std::filesystem::path(__FILE__).parent_path().parent_path() / "support/huggingface/networks";

/// The small BERT with a vocabulary of seven words, plus `more` additional ones.
struct BertFolder {
  explicit BertFolder(int more = 0) {
    std::filesystem::copy(small_networks / "bert", folder / "bert",
                          std::filesystem::copy_options::recursive);
    std::ofstream words(folder / "bert/vocab.txt");
    words << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nab\n##c\n";
    for (int i = 0; i < more; ++i) words << "w" << i << "\n";
    std::ofstream(folder / "bert/tokenizer_config.json")
        << R"({"tokenizer_class": "BertTokenizer", "do_lower_case": false, "mask_token": "[MASK]",)"
           R"( "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"})";
  }
  [[nodiscard]] std::filesystem::path path() const { return folder / "bert"; }
  test::TemporaryFolder folder;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_masked_model_has_its_tokenizers_frame_words_and_unknown_token) {
  const BertFolder folder;
  BOOST_TEST(is_hugging_face_folder(folder.path()));
  HuggingFaceMaskedModel model(folder.path());
  BOOST_TEST(model.mask() == 4);
  BOOST_TEST((model.frame().before == std::vector<TokenId>{2}));
  BOOST_TEST((model.frame().after == std::vector<TokenId>{3}));
  BOOST_TEST((model.unknown() == 1));
  BOOST_TEST(model.tokenize("ab abc").tokens.size() == 3U);
  BOOST_TEST((model.words("ab abc") == std::vector<std::uint32_t>{0, 1, 1}));
  int rows = 0;
  model.evaluate(std::vector<MaskedQuery>{{{2, 4, 6, 3}, 1}},
                 [&](std::uint32_t query, std::span<const float> logits) {
                   BOOST_TEST(query == 0U);
                   BOOST_TEST(logits.size() == model.vocabulary_size());
                   ++rows;
                 });
  BOOST_TEST(rows == 1);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  const BertFolder folder;
  BOOST_TEST(!is_hugging_face_folder(folder.folder.path()));
  BOOST_CHECK_EXCEPTION(HuggingFaceCausalModel(folder.path()), Error,
                        test::says(Fault::user, "model_type: belongs to a masked model"));
  BOOST_CHECK_EXCEPTION(HuggingFaceMaskedModel(small_networks / "opt"), Error,
                        test::says(Fault::user, "model_type: belongs to a causal model"));
}

BOOST_AUTO_TEST_CASE(bf16_products_cause_a_warning_or_are_refused) {
  const BertFolder folder;
  BOOST_TEST(HuggingFaceMaskedModel(folder.path()).describe().warnings.empty());
  const auto rounding = [&] {
    return HuggingFaceMaskedModel(folder.path(), false, ProductType::bf16);
  };
  if (!network_kernels().has_pair_products) {
    BOOST_CHECK_EXCEPTION((void)rounding(), Error,
                          test::says(Fault::user, "`precision`: bf16 needs AVX512-BF16"));
    return;
  }
  const std::vector<std::string> warnings = rounding().describe().warnings;
  BOOST_TEST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(warnings[0].starts_with("Products are computed in BF16 (`precision` bf16)"));
}

BOOST_AUTO_TEST_CASE(a_token_without_an_embedding_is_refused_only_in_a_text_that_holds_it) {
  const BertFolder folder(5000);
  HuggingFaceMaskedModel model(folder.path());
  BOOST_TEST(model.tokenize("ab w0").tokens.size() == 2U);
  BOOST_CHECK_EXCEPTION((void)model.tokenize("ab w4999"), Error,
                        test::says(Fault::user,
                                   "the token \"w4999\" has the id 5006, but the "
                                   "model has"));
  BOOST_CHECK_EXCEPTION((void)model.masked_text("ab ", " w4999"), Error,
                        test::says(Fault::user, "the token \"w4999\""));
}

BOOST_AUTO_TEST_CASE(a_mask_without_an_embedding_is_refused) {
  const BertFolder folder(5000);
  std::ofstream(folder.path() / "tokenizer_config.json")
      << R"({"tokenizer_class": "BertTokenizer", "mask_token": "w4999"})";
  BOOST_CHECK_EXCEPTION(HuggingFaceMaskedModel(folder.path()), Error,
                        test::says(Fault::user, "the token \"w4999\" has the id 5006"));
}

BOOST_AUTO_TEST_CASE(a_folder_is_inspected_without_its_weights) {
  const BertFolder folder;
  BOOST_TEST((inspect_folder(folder.path()) == NetworkKind::masked));
  // A wrong shape is detected only when the weights are read.
  std::filesystem::copy_file(small_networks / "llama/model.safetensors",
                             folder.path() / "model.safetensors",
                             std::filesystem::copy_options::overwrite_existing);
  BOOST_TEST((inspect_folder(folder.path()) == NetworkKind::masked));
  std::filesystem::remove(folder.path() / "model.safetensors");
  BOOST_CHECK_EXCEPTION((void)inspect_folder(folder.path()), Error,
                        test::says(Fault::user, "has neither model.safetensors nor its index"));
  std::filesystem::remove(folder.path() / "vocab.txt");
  BOOST_CHECK_EXCEPTION((void)inspect_folder(folder.path()), Error, [](const Error& error) {
    return std::string(error.what()).find("vllm") ==
           std::string::npos;  // the message must not suggest vLLM, which no masked model needs
  });
}

BOOST_AUTO_TEST_CASE(a_causal_model_whose_tokenizer_is_not_known_has_other_ways) {
  const test::TemporaryFolder folder;
  std::filesystem::copy(small_networks / "llama", folder / "llama");
  std::ofstream(folder / "llama/tokenizer.json") << "{}";
  std::ofstream(folder / "llama/tokenizer_config.json") << R"({"tokenizer_class": "OwnTokenizer"})";
  for (const bool is_asked : {false, true}) {
    BOOST_CHECK_EXCEPTION(
        is_asked ? (void)HuggingFaceCausalModel(folder / "llama")
                 : (void)inspect_folder(folder / "llama"),
        Error, test::says(Fault::user, "; or convert it: `python3 convert_hf_to_gguf.py "));
  }
}

BOOST_AUTO_TEST_SUITE_END()
