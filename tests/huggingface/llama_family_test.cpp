// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/llama_family.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "plumb/detail/huggingface/decoder_architectures.hpp"
#include "support/network_cases.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

// decoder_network_test checks what each network computes; this test checks where each part is read
// from.
BOOST_AUTO_TEST_SUITE(llama_family)

namespace {

DecoderConfig config_of(const char* network) {
  return read_decoder_config(test::network_folder(network));
}

/// A network's config.json with some values changed; the value "absent" removes a field.
DecoderConfig changed(const char* network, const char* values) {
  Json config = Json::parse(test::slurp(test::network_folder(network) / "config.json"));
  const Json others = Json::parse(values);
  for (const auto& [name, value] : others.items()) {
    if (value == "absent") {
      config.erase(name);
    } else {
      config[name] = value;
    }
  }
  const test::TemporaryFolder folder;
  folder.write("config.json", config.dump());
  return read_decoder_config(folder.path());
}

}  // namespace

// The expected values are from transformers 5.24's configuration classes; test_architectures.py
// checks the numbers computed from such folders.
BOOST_AUTO_TEST_CASE(absent_fields_are_what_transformers_takes) {
  BOOST_TEST(changed("mistral", R"({"sliding_window": "absent"})").window(0) == 4096U);
  BOOST_TEST(changed("mistral", R"({"sliding_window": null})").window(0) == 0U);
  BOOST_TEST(changed("mixtral", R"({"sliding_window": "absent"})").window(0) == 0U);
  BOOST_TEST(
      changed("qwen2", R"({"use_sliding_window": true, "sliding_window": null})").window(1) == 0U);
  BOOST_TEST(changed("mistral", R"({"num_key_value_heads": null})").key_heads ==
             config_of("mistral").heads);
  const char* const eight = R"({"num_attention_heads": 8, "num_key_value_heads": "absent"})";
  BOOST_TEST(changed("mistral", eight).key_heads == 8U);
}

BOOST_AUTO_TEST_CASE(parts_are_those_of_each_architecture) {
  const DecoderConfig llama = config_of("llama");
  BOOST_TEST((llama.norm.kind == NormKind::rms));
  BOOST_TEST(llama.key_heads == 2U);
  BOOST_TEST(!llama.has_attention_bias);
  BOOST_TEST(llama.windows.empty());
  BOOST_TEST(config_of("llama-biases").has_feed_bias);
  BOOST_TEST(config_of("mistral").window(1) == 4U);
  BOOST_TEST(config_of("mixtral").experts == 3U);
  const DecoderConfig qwen2 = config_of("qwen2");
  BOOST_TEST(qwen2.has_attention_bias);
  BOOST_TEST(!qwen2.has_attention_out_bias);
  BOOST_TEST(qwen2.window(0) == 0U);
  BOOST_TEST(qwen2.window(1) == 4U);
  BOOST_TEST((config_of("qwen3").head_norm == HeadNorm::shared));
  BOOST_TEST((config_of("olmo2").head_norm == HeadNorm::whole));
  BOOST_TEST(config_of("olmo2").names.attention_norm.empty());
  BOOST_TEST(config_of("olmo").clip == 1.5F);
  BOOST_TEST((config_of("stablelm-parallel").head_norm == HeadNorm::each_named));
  BOOST_TEST((config_of("cohere-head-norms").head_norm == HeadNorm::each));
  BOOST_TEST(config_of("granite").logits_scale == 0.5F);
}

BOOST_AUTO_TEST_CASE(gemma_scales_caps_and_slides) {
  const DecoderConfig gemma2 = config_of("gemma2"), gemma3 = config_of("gemma3");
  BOOST_TEST(gemma2.norm.weight_offset == 1);
  BOOST_TEST(gemma2.embedding_scale == 4);
  BOOST_TEST(gemma2.attention_cap == 3);
  BOOST_TEST(gemma2.logits_cap == 4);
  BOOST_TEST(std::abs(gemma2.attention_scale - 1 / std::sqrt(5.0F)) < 1e-7F);
  BOOST_TEST((gemma2.windows == std::vector<std::size_t>{4, 0}));
  BOOST_TEST(gemma3.attention_cap == 0);
  BOOST_TEST((gemma3.windows == std::vector<std::size_t>{4, 0, 4}));
  BOOST_TEST((gemma3.rotary_of_layer == std::vector<std::size_t>{1, 0, 1}));
  BOOST_TEST(gemma3.rotaries[0].frequencies()[0] == 0.5F);  // linear scaling with factor 2
  BOOST_TEST(gemma3.rotaries[1].frequencies()[0] == 1);
}

BOOST_AUTO_TEST_CASE(longrope_keeps_to_the_original_context) {
  BOOST_TEST(config_of("phi3-longrope").positions == 16U);
  BOOST_TEST(config_of("phi3").positions == 16U);
  BOOST_TEST(config_of("phi3").window(0) == 4U);
}

BOOST_AUTO_TEST_SUITE_END()
