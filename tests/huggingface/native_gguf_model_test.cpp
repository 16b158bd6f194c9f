// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/native_gguf_model.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/llama.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

using namespace plumb::detail;
using test::TinyGguf;
using test::TinyOptions;

BOOST_AUTO_TEST_SUITE(native_gguf_model_suite)

namespace {

const std::vector<TokenId> tokens{5, 72, 101, 7, 7, 200, 31, 258, 64, 9, 120, 3, 99, 18};

/// All logit rows of one sequence, concatenated.
template <class Model>
std::vector<float> rows_of(Model& model, std::span<const TokenId> sequence = tokens) {
  std::vector<float> rows;
  model.evaluate(sequence, [&](std::uint32_t, std::span<const float> logits) {
    rows.insert(rows.end(), logits.begin(), logits.end());
  });
  return rows;
}

/// Log-probabilities in nats, computed in double precision.
std::vector<double> log_probabilities(const std::vector<float>& logits, std::size_t size) {
  std::vector<double> made;
  for (std::size_t first = 0; first < logits.size(); first += size) {
    double most = -INFINITY, sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      most = (std::max)(most, static_cast<double>(logits[first + i]));
    }
    for (std::size_t i = 0; i < size; ++i) {
      sum += std::exp(static_cast<double>(logits[first + i]) - most);
    }
    for (std::size_t i = 0; i < size; ++i) {
      made.push_back(static_cast<double>(logits[first + i]) - most - std::log(sum));
    }
  }
  return made;
}

double worst_apart(const std::vector<double>& a, const std::vector<double>& b) {
  BOOST_REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = (std::max)(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(every_architecture_answers_as_llama_cpp_does, test::TemporaryFolder) {
  for (const auto& [architecture, read] : gguf_architectures) {
    const std::string name(architecture);
    const auto file = TinyGguf({.architecture = name, .context = 64}).write(path() / "tiny.gguf");
    BOOST_TEST(NativeGgufModel::refusal(file) == "", name);
    NativeGgufModel native(file);
    LlamaModel llama({.model = file, .precision = Precision::exact, .threads = 1});
    BOOST_REQUIRE(native.vocabulary_size() == llama.vocabulary_size());
    BOOST_TEST(native.context_length() == llama.context_length());
    BOOST_TEST(native.dimension() == llama.dimension());
    const std::size_t size = native.vocabulary_size();
    const double worst = worst_apart(log_probabilities(rows_of(native), size),
                                     log_probabilities(rows_of(llama), size));
    // ggml computes GELU with an F16 table, and uses the tanh approximation for Pythia too.
    const bool has_gelu =
        name.starts_with("g") || name.starts_with("phi") || name.starts_with("star");
    BOOST_TEST(worst < (has_gelu && name != "granite" ? 2e-2 : 1e-4), name << ": " << worst);
    // Swapping two tokens changes the result by more than this bound, so a missing component would
    // be detected.
    std::vector<TokenId> other = tokens;
    std::swap(other[0], other[1]);
    BOOST_TEST(worst_apart(log_probabilities(rows_of(native, other), size),
                           log_probabilities(rows_of(llama), size)) > 0.1,
               name);
  }
}

BOOST_FIXTURE_TEST_CASE(sixteen_bits_are_kept_and_scored_as_the_same_weights_in_f32,
                        test::TemporaryFolder) {
  const auto file = [&](bool half) {
    return TinyGguf(TinyOptions{}).cut_to_bf16(half).write(path() / (half ? "half" : "whole"));
  };
  NativeGgufModel half(file(true)), whole(file(false));
  BOOST_TEST(half.describe().weights == "BF16");
  BOOST_TEST(whole.describe().weights == "F32");
  BOOST_TEST((rows_of(half) == rows_of(whole)));
}

BOOST_FIXTURE_TEST_CASE(row_does_not_depend_on_later_tokens, test::TemporaryFolder) {
  NativeGgufModel model(TinyGguf(TinyOptions{}).write(path() / "tiny.gguf"));
  const std::vector<float> all = rows_of(model);
  for (std::size_t length = 1; length < tokens.size(); ++length) {
    const std::vector<float> part = rows_of(model, std::span(tokens).first(length));
    BOOST_TEST(std::equal(part.begin(), part.end(), all.begin()), length);
  }
}

BOOST_FIXTURE_TEST_CASE(its_tokens_are_those_of_llama_cpp, test::TemporaryFolder) {
  const auto file = TinyGguf({.with_marks = true}).write(path() / "tiny.gguf");
  for (const bool parses : {false, true}) {
    const NativeGgufModel native(file, parses, true);
    const LlamaModel llama({.model = file, .threads = 1, .parse_special_tokens = parses});
    for (const char* text : {"the end.", " is <|user|> of\n", "", "\xC3\xA9t\xC3\xA9"}) {
      const Tokenization a = native.tokenize(text), b = llama.tokenize(text);
      BOOST_REQUIRE(a.tokens.size() == b.tokens.size());
      for (std::size_t i = 0; i < a.tokens.size(); ++i) {
        BOOST_TEST(a.tokens[i].id == b.tokens[i].id);
        BOOST_TEST(a.tokens[i].bytes.begin == b.tokens[i].bytes.begin);
      }
    }
    BOOST_TEST((native.bos() == llama.bos()));
    BOOST_TEST(native.adds_bos() == llama.adds_bos());
    BOOST_TEST(native.special_tokens().size() == llama.special_tokens().size());
    BOOST_TEST(native.ends(263) == llama.ends(263));
  }
}

BOOST_FIXTURE_TEST_CASE(model_describes_its_backend_device_and_cache_type, test::TemporaryFolder) {
  const NativeGgufModel model(TinyGguf(TinyOptions{}).write(path() / "tiny.gguf"), false, true);
  const ModelDescription made = model.describe();
  BOOST_TEST(made.backend.starts_with("native, tokens by llama.cpp "));
  BOOST_TEST(made.device == "CPU");
  BOOST_TEST(made.cache_type == "f32");
  BOOST_TEST(!made.quantized);
  BOOST_TEST(made.pack == 0U);
}

BOOST_FIXTURE_TEST_CASE(a_model_in_parts_is_all_of_them, test::TemporaryFolder) {
  const TinyGguf tiny{TinyOptions{}};
  NativeGgufModel whole(tiny.write(path() / "tiny.gguf"));
  NativeGgufModel parts(tiny.write_parts((path() / "parts").string(), 3));
  BOOST_TEST((rows_of(parts) == rows_of(whole)));
}

BOOST_FIXTURE_TEST_CASE(what_it_does_not_compute_is_refused_with_the_reason,
                        test::TemporaryFolder) {
  const auto refusal = [&](const TinyGguf& tiny) {
    return NativeGgufModel::refusal(tiny.write(path() / "tiny.gguf"));
  };
  const auto holds = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  for (const auto kind :
       {test::TinyKind::sliding_window, test::TinyKind::recurrent, test::TinyKind::hybrid}) {
    BOOST_TEST(holds(refusal(TinyGguf({.kind = kind})), "is not supported by plumb's own network"));
  }
  BOOST_TEST(holds(refusal(TinyGguf(TinyOptions{}).with_tensor("blk.0.attn_gate.weight")),
                   "blk.0.attn_gate.weight: is not supported"));
  BOOST_TEST(holds(refusal(TinyGguf(TinyOptions{}).edit([](gguf_context* file) {
                     gguf_set_val_u32(file, "llama.pooling_type", 3);
                   })),
                   "llama.pooling_type: is not supported"));
  BOOST_TEST(holds(refusal(TinyGguf(TinyOptions{}).edit([](gguf_context* file) {
                     gguf_set_val_bool(file, "llama.attention.causal", false);
                   })),
                   "is not a causal language model"));
  write("bad.gguf", "GGUFxx");
  BOOST_TEST(!NativeGgufModel::refusal(path() / "bad.gguf").empty());
  BOOST_CHECK_THROW(NativeGgufModel(path() / "none.gguf"), Error);
}

BOOST_AUTO_TEST_SUITE_END()
