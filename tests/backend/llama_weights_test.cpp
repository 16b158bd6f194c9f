// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/backend/llama_weights.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "plumb/detail/backend/llama.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

BOOST_AUTO_TEST_SUITE(llama_weights_suite)

namespace {

using plumb::detail::Fault;
using plumb::detail::LlamaModel;
using plumb::detail::Precision;
using plumb::detail::test::says;
using plumb::detail::test::TemporaryFolder;
using plumb::detail::test::TinyGguf;

/// Widens the weights using a cache in that folder, without reporting anything.
auto into(const std::filesystem::path& folder) {
  return [folder](const plumb::detail::GgufModel& model) {
    const plumb::detail::F32Cache cache(
        folder, [](const auto& files) { return files.front().stem().string(); },
        [](const std::string&) {});
    return cache(model);
  };
}

std::vector<float> last_row(LlamaModel& model) {
  std::vector<float> row;
  const std::vector<plumb::detail::TokenId> sequence{84, 104, 101, 256, 12, 99, 7, 200, 31};
  model.evaluate(sequence, [&](std::uint32_t, std::span<const float> logits) {
    row.assign(logits.begin(), logits.end());
  });
  return row;
}

}  // namespace

// The oracle is a file with the same weights in F32, made without GgufRewrite.
BOOST_AUTO_TEST_CASE(exact_scores_of_bf16_weights_are_those_of_the_same_weights_in_f32) {
  const TemporaryFolder folder;
  TinyGguf tiny({});
  tiny.cut_to_bf16(true);
  LlamaModel oracle({TinyGguf({}).cut_to_bf16(false).write(folder / "oracle.gguf")});
  const auto expected = last_row(oracle);
  for (const auto& file : {tiny.write(folder / "half.gguf"), tiny.write_parts(folder / "p", 3)}) {
    LlamaModel exact({.model = file, .widen = into(folder / "cache")});
    BOOST_TEST(last_row(exact) == expected, boost::test_tools::per_element());
    BOOST_TEST(exact.describe().weights == "BF16, widened to F32");
    BOOST_TEST(!exact.describe().quantized);
    BOOST_TEST(exact.describe().warnings.empty());
    LlamaModel fast({.model = file, .precision = Precision::fast});
    BOOST_TEST(last_row(fast) != expected);
    BOOST_TEST(fast.describe().weights == "BF16");
    BOOST_TEST(!fast.describe().quantized);
    BOOST_REQUIRE(fast.describe().warnings.size() == 1U);
    BOOST_TEST(
        fast.describe().warnings[0].starts_with("Warning: weights in BF16 are used without "
                                                "widening"));
  }
}

BOOST_AUTO_TEST_CASE(exact_scores_of_half_weights_that_cannot_be_widened_are_refused) {
  const TemporaryFolder folder;
  for (const char* lead : {"", "blk.0.ffn_up"}) {
    const auto file = TinyGguf({}).cut_to_bf16(true, lead).write(folder / "half.gguf");
    BOOST_CHECK_EXCEPTION(
        LlamaModel({file}), plumb::detail::Error,
        says(Fault::user, "so its scores are not exact; run `requantize " + file.string() + " " +
                              (folder / "half.F32.gguf").string() + " F32`"));
  }
}

BOOST_AUTO_TEST_CASE(the_types_of_the_tensors_decide_what_weights_are_called) {
  const TemporaryFolder folder;
  const auto name = [&](TinyGguf&& tiny, std::int64_t told) {
    const plumb::detail::GgufModel model(tiny.write(folder / "m.gguf"));
    const plumb::detail::LlamaWeights weights(model);
    return weights.name(static_cast<llama_ftype>(told)) + (weights.quantized() ? "!" : "");
  };
  BOOST_TEST(name(TinyGguf({}), LLAMA_FTYPE_ALL_F32) == "all F32");
  BOOST_TEST(name(TinyGguf({}), LLAMA_FTYPE_ALL_F32 | LLAMA_FTYPE_GUESSED) == "all F32");
  // The type that the file declares is ignored.
  BOOST_TEST(name(TinyGguf({}), LLAMA_FTYPE_MOSTLY_Q8_0) == "all F32");
  BOOST_TEST(name(std::move(TinyGguf({}).cut_to_bf16(true)), LLAMA_FTYPE_ALL_F32) == "BF16");
  BOOST_TEST(name(std::move(TinyGguf({}).cut_to_bf16(true, "token_embd")),
                  LLAMA_FTYPE_MOSTLY_F16) == "F32 and BF16");

  const auto plain = TinyGguf({}).write(folder / "plain.gguf");
  const plumb::detail::GgufModel model(plain);
  // This file still claims to be "all F32".
  plumb::detail::GgufRewrite(model, {GGML_TYPE_Q8_0, 0}).write(folder / "q.gguf");
  const plumb::detail::GgufModel blocks(folder / "q.gguf");
  const plumb::detail::LlamaWeights weights(blocks);
  BOOST_TEST(weights.quantized());
  BOOST_TEST(weights.name(LLAMA_FTYPE_ALL_F32) == "Q8_0");
  BOOST_TEST(weights.name(LLAMA_FTYPE_MOSTLY_Q4_K_M) == "Q4_K - Medium");
  BOOST_TEST(LlamaModel({folder / "q.gguf"}).describe().quantized);
}

BOOST_AUTO_TEST_CASE(adapters_are_widened_as_the_model_is) {
  const TemporaryFolder folder;
  const auto plain = TinyGguf({}).write(folder / "plain.gguf");
  const auto lora = plumb::detail::test::TinyLora().write(folder / "a.gguf");
  const plumb::detail::GgufModel adapter(lora);
  plumb::detail::GgufRewrite(adapter, {GGML_TYPE_F16, 1}).write(folder / "half.gguf");
  const plumb::detail::EngineOptions half{.lora = {{folder / "half.gguf", 1}}};
  BOOST_CHECK_EXCEPTION(LlamaModel({.model = plain, .engine = half}), plumb::detail::Error,
                        says(Fault::user, "half.gguf: has F16 weights"));
  const plumb::detail::GgufModel rounded(folder / "half.gguf");
  plumb::detail::GgufRewrite(rounded, {GGML_TYPE_F32, 0}).write(folder / "oracle.gguf");
  LlamaModel oracle({.model = plain, .engine = {.lora = {{folder / "oracle.gguf", 1}}}});
  LlamaModel exact({.model = plain, .engine = half, .widen = into(folder / "cache")});
  BOOST_TEST(last_row(exact) == last_row(oracle), boost::test_tools::per_element());
  BOOST_TEST(exact.describe().warnings.empty());
  const LlamaModel fast({.model = plain, .precision = Precision::fast, .engine = half});
  BOOST_TEST(fast.describe().warnings.at(0).starts_with("Warning: weights in F16"));
}

BOOST_AUTO_TEST_SUITE_END()
