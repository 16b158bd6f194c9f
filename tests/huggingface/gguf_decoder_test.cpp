// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/gguf_decoder.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/gguf_bytes.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::bytes_of;
using test::GgufBytes;
using test::says;

BOOST_AUTO_TEST_SUITE(gguf_decoder_suite)

namespace {

/// A model with one layer, a hidden size of 8, two query heads, one key head, an inner size of 12
/// and three tokens.
GgufBytes small(const std::string& type = "llama") {
  GgufBytes file;
  file.text("general.architecture", type)
      .count(type + ".context_length", 64)
      .count(type + ".embedding_length", 8)
      .count(type + ".block_count", 1)
      .count(type + ".feed_forward_length", 12)
      .count(type + ".attention.head_count", 2)
      .count(type + ".attention.head_count_kv", 1)
      .number(type + ".attention.layer_norm_rms_epsilon", 1e-5F)
      .tensor("token_embd.weight", {8, 3})
      .tensor("output_norm.weight", {8})
      .tensor("blk.0.attn_norm.weight", {8})
      .tensor("blk.0.ffn_norm.weight", {8})
      .tensor("blk.0.attn_q.weight", {8, 8})
      .tensor("blk.0.attn_k.weight", {8, 4})
      .tensor("blk.0.attn_v.weight", {8, 4})
      .tensor("blk.0.attn_output.weight", {8, 8})
      .tensor("blk.0.ffn_gate.weight", {8, 12})
      .tensor("blk.0.ffn_up.weight", {8, 12})
      .tensor("blk.0.ffn_down.weight", {12, 8});
  return file;
}

struct Folder : test::TemporaryFolder {
  [[nodiscard]] DecoderConfig read(const GgufBytes& file) const {
    write("m.gguf", file.bytes());
    const std::filesystem::path at = path() / "m.gguf";
    return read_gguf_config(GgufTensors(std::vector{at}), at);
  }
  void refuses(const GgufBytes& file, const std::string& words) const {
    BOOST_CHECK_EXCEPTION((void)read(file), Error, says(Fault::user, words));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(config_is_derived_from_metadata_and_tensors, Folder) {
  const DecoderConfig config = read(small().number("llama.rope.freq_base", 100));
  BOOST_TEST(config.vocabulary == 3U);
  BOOST_TEST(config.hidden == 8U);
  BOOST_TEST(config.layers == 1U);
  BOOST_TEST(config.heads == 2U);
  BOOST_TEST(config.key_heads == 1U);
  BOOST_TEST(config.head_size == 4U);
  BOOST_TEST(config.attention_scale == 0.5F);
  BOOST_TEST(config.intermediate == 12U);
  BOOST_TEST(config.positions == 64U);
  BOOST_TEST(config.tied);
  BOOST_TEST(!config.has_attention_bias);
  BOOST_TEST((config.norm.kind == NormKind::rms));
  BOOST_TEST(config.norm.epsilon == 1e-5F);
  // The frequencies theta^(-2i / 4) are 1 and 1 / 10.
  BOOST_TEST((config.rotaries.at(0).frequencies() == std::vector<float>{1, 1.0F / 10}));
}

BOOST_FIXTURE_TEST_CASE(biases_and_a_head_are_there_where_their_tensors_are, Folder) {
  GgufBytes file = small("qwen2");
  for (const auto& [name, size] : {std::pair{"q", 8}, std::pair{"k", 4}, std::pair{"v", 4}}) {
    file.tensor("blk.0.attn_" + std::string(name) + ".bias", {static_cast<std::uint64_t>(size)});
  }
  const DecoderConfig config = read(file.tensor("output.weight", {8, 3}));
  BOOST_TEST(config.has_attention_bias);
  BOOST_TEST(!config.has_attention_out_bias);
  BOOST_TEST(!config.tied);
}

BOOST_FIXTURE_TEST_CASE(scaled_positions_have_lower_frequencies, Folder) {
  const auto frequencies = [&](const GgufBytes& file) {
    return read(file).rotaries.at(0).frequencies();
  };
  BOOST_TEST((frequencies(small()
                              .number("llama.rope.freq_base", 100)
                              .text("llama.rope.scaling.type", "linear")
                              .number("llama.rope.scaling.factor", 4)) ==
              std::vector<float>{0.25F, (1.0F / 10) / 4}));
  BOOST_TEST(
      (frequencies(small()
                       .number("llama.rope.freq_base", 100)
                       .tensor("rope_freqs.weight", {2}, 0, bytes_of(1.0F) + bytes_of(8.0F))) ==
       std::vector<float>{1, (1.0F / 10) / 8}));
  refuses(small().tensor("rope_freqs.weight", {3}), "rope_freqs.weight: has the wrong size");
  refuses(small().text("llama.rope.scaling.type", "yarn"),
          "llama.rope.scaling.type: is \"yarn\", but only \"none\" is supported");
  refuses(small().text("llama.rope.scaling.type", "yarn").number("llama.rope.scaling.factor", 4),
          "is \"yarn\", but only \"linear\" is supported");
}

BOOST_FIXTURE_TEST_CASE(unsupported_gguf_fields_and_tensors_are_named, Folder) {
  refuses(small("newcomer"),
          "general.architecture: 'newcomer' is not supported by plumb's own network");
  refuses(small().count("llama.expert_count", 8), "llama.expert_count: is not supported");
  refuses(small().number("llama.attention.scale", 2), "llama.attention.scale: is not supported");
  refuses(small().tensor("blk.0.attn_q_norm.weight", {4}),
          "blk.0.attn_q_norm.weight: is not supported");
  refuses(small().tensor("blk.1.attn_q.weight", {8, 8}), "blk.1.attn_q.weight: is not supported");
  refuses(small().tensor("blk.0.attn_q.bias", {8}), "blk.0.attn_k.bias: is missing");
  refuses(small().tensor("output.weight", {8, 3}, 8, std::string(34, 'q')),
          "output.weight: has an unsupported number type, ggml's type 8");
  refuses(small("qwen3"), "blk.0.attn_k_norm.weight: is missing");
  refuses(GgufBytes().text("general.architecture", "llama"), "llama.embedding_length: is missing");
  refuses(GgufBytes(), "general.architecture: '' is not supported");
}

BOOST_FIXTURE_TEST_CASE(facts_that_make_no_sense_are_refused, Folder) {
  const auto with = [](const char* key, std::uint32_t type, const std::string& value) {
    // A duplicate key would make the file invalid, so this fact replaces the default one.
    GgufBytes file;
    file.text("general.architecture", "llama").fact(std::string("llama.") + key, type, value);
    return file;
  };
  refuses(with("embedding_length", 4, bytes_of(std::uint32_t{0})),
          "llama.embedding_length: is 0, not a valid count");
  refuses(with("embedding_length", 8, test::text_bytes("8")), "is \"8\", not a valid count");
  refuses(small().count("llama.attention.value_length", 8),
          "llama.attention.value_length: is 8, but only 4 is supported");
  refuses(small().count("llama.vocab_size", 4), "llama.vocab_size: is 4, but only 3 is supported");
  refuses(small().count("llama.rope.dimension_count", 6),
          "rope.dimension_count: is 6 for a head of 4");
  refuses(small().number("llama.rope.freq_base", 0), "llama.rope.freq_base: is not above 0");
  refuses(small().number("llama.rope.freq_base", INFINITY), "not a number");
}

BOOST_AUTO_TEST_SUITE_END()
