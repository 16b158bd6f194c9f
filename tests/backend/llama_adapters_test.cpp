// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/llama_adapters.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "plumb/detail/backend/llama.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

using namespace plumb::detail;
using test::says;
using test::TemporaryFolder;
using test::TinyGguf;
using test::TinyKind;
using test::TinyLora;

BOOST_AUTO_TEST_SUITE(llama_adapters)

namespace {

LlamaModel adapted(const std::filesystem::path& model, std::vector<LoraAdapter> adapters) {
  LlamaOptions options{model, Precision::exact, 2};
  options.engine.lora = std::move(adapters);
  return LlamaModel(std::move(options));
}

/// The rows after each token of a text, concatenated.
std::vector<float> rows_of(LlamaModel& model) {
  std::vector<float> all;
  model.evaluate(std::vector<TokenId>{80, 97, 114, 105, 115, 32, 10, 200},
                 [&](std::uint32_t, std::span<const float> row) {
                   all.insert(all.end(), row.begin(), row.end());
                 });
  return all;
}

double apart(const std::vector<float>& a, const std::vector<float>& b) {
  BOOST_REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return worst;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_adapted_model_answers_as_the_merged_weights_do) {
  const TemporaryFolder folder;
  const auto base = TinyGguf({}).write(folder / "base.gguf");
  const TinyLora lora(1), other(2);
  const auto adapter = lora.write(folder / "a.gguf"), second = other.write(folder / "b.gguf");
  LlamaModel plain = adapted(base, {});
  const auto unchanged = rows_of(plain);
  for (const double scale : {1.0, -0.25}) {
    LlamaModel beside = adapted(base, {{adapter, scale}});
    LlamaModel merged = adapted(TinyGguf({}).merge(lora, scale).write(folder / "merged.gguf"), {});
    const auto rows = rows_of(beside);
    BOOST_TEST(apart(rows, unchanged) > 0.05);
    BOOST_TEST(apart(rows, rows_of(merged)) < 1e-4);
  }
  LlamaModel both = adapted(base, {{adapter, 0.5}, {second, 1}});
  LlamaModel merged =
      adapted(TinyGguf({}).merge(lora, 0.5).merge(other).write(folder / "both.gguf"), {});
  BOOST_TEST(apart(rows_of(both), rows_of(merged)) < 1e-4);
  LlamaModel nothing = adapted(base, {{adapter, 0}});
  BOOST_TEST(apart(rows_of(nothing), unchanged) < 1e-6);
}

BOOST_AUTO_TEST_CASE(an_adapter_with_a_number_that_is_none_is_refused_by_its_own_name) {
  const TemporaryFolder folder;
  const auto base = TinyGguf({}).write(folder / "base.gguf");
  const auto adapter = TinyLora(1).write(folder / "a.gguf");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto damaged = [&](std::size_t at, const char* words) {
    std::string bytes = test::slurp(adapter);
    std::memcpy(bytes.data() + at, &nan, sizeof nan);
    folder.write("bad.gguf", bytes);
    BOOST_CHECK_EXCEPTION((void)adapted(base, {{folder / "bad.gguf", 1}}), Error,
                          says(Fault::user, words));
  };
  const std::string key = "adapter.lora.alpha";
  const std::string bytes = test::slurp(adapter);
  // In the file, each key is followed by its four-byte type and then by its value.
  damaged(bytes.find(key) + key.size() + 4, "bad.gguf: its adapter.lora.alpha is not finite");
  const GgufFile head(adapter);
  damaged(head.place(0), "bad.gguf: its tensor blk.0.attn_q.weight.lora_a has values that are not");
  damaged(head.place(5) + 4, "bad.gguf: its tensor blk.1.ffn_down.weight.lora_b has values");
}

BOOST_AUTO_TEST_CASE(an_adapted_model_keeps_its_adapter_in_a_larger_cache) {
  const TemporaryFolder folder;
  const TinyLora lora;
  const auto base = TinyGguf({.context = 2048}).write(folder / "base.gguf");
  LlamaModel beside = adapted(base, {{lora.write(folder / "a.gguf"), 1}});
  LlamaModel merged =
      adapted(TinyGguf({.context = 2048}).merge(lora).write(folder / "merged.gguf"), {});
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < 1800; ++i) tokens.push_back(static_cast<TokenId>(i * i % 251));
  const auto last = [&](LlamaModel& model) {
    std::vector<float> kept;
    model.evaluate(tokens, [&](std::uint32_t position, std::span<const float> row) {
      if (position % 300 == 299) kept.insert(kept.end(), row.begin(), row.end());
    });
    return kept;
  };
  BOOST_TEST(apart(last(beside), last(merged)) < 1e-3);
}

BOOST_AUTO_TEST_CASE(an_adapter_changes_hidden_vectors_too) {
  const TemporaryFolder folder;
  const TinyLora lora;
  const auto base = TinyGguf({}).write(folder / "base.gguf");
  LlamaModel plain = adapted(base, {});
  LlamaModel beside = adapted(base, {{lora.write(folder / "a.gguf"), 1}});
  LlamaModel merged = adapted(TinyGguf({}).merge(lora).write(folder / "merged.gguf"), {});
  const auto vector_of = [](LlamaModel& model) {
    TokenTree tree;
    const NodeId end = tree.insert(std::vector<TokenId>{80, 97, 114});
    std::vector<float> made;
    model.embed(tree, std::vector{end},
                [&](NodeId, std::span<const float> row) { made.assign(row.begin(), row.end()); });
    model.release(tree, TokenTree::root);
    return made;
  };
  BOOST_TEST(apart(vector_of(beside), vector_of(merged)) < 1e-4);
  BOOST_TEST(apart(vector_of(beside), vector_of(plain)) > 1e-2);
}

BOOST_AUTO_TEST_CASE(an_adapter_that_cannot_be_added_is_refused_by_name) {
  const TemporaryFolder folder;
  const auto base = TinyGguf({}).write(folder / "base.gguf");
  const auto refused = [&](const std::filesystem::path& file, const std::string& message) {
    BOOST_CHECK_EXCEPTION((void)adapted(base, {{file, 1}}), Error,
                          says(Fault::user, file.string() + ": " + message));
  };
  refused(folder / "none.gguf", "no such adapter file; set `lora`");
  refused(folder.write("text.gguf", std::string(2000, 'a')), "cannot be loaded as a LoRA adapter");
  refused(base, "cannot be loaded as a LoRA adapter");
  refused(TinyLora(1, "gpt2").write(folder / "gpt2.gguf"), "cannot be loaded as a LoRA adapter");
  const auto whole = TinyLora().write(folder / "whole.gguf");
  const std::string bytes = test::slurp(whole);
  refused(folder.write("cut.gguf", bytes.substr(0, bytes.size() - 100)),
          "cannot be loaded as a LoRA adapter");
}

BOOST_AUTO_TEST_SUITE_END()
