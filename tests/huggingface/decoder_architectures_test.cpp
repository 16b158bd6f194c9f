// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/decoder_architectures.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>

#include "plumb/detail/huggingface/decoder_network.hpp"
#include "support/errors.hpp"
#include "support/network_cases.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(decoder_architectures_tests)

namespace {

struct Folder : test::TemporaryFolder {
  /// The configuration of a small network with some fields changed; null removes a field.
  [[nodiscard]] DecoderConfig changed(const std::string& network, const Json& fields) const {
    Json config = read_json_object(test::network_folder(network) / "config.json");
    for (const auto& [name, value] : fields.items()) {
      value.is_null() ? config.erase(name) : 0;
      if (!value.is_null()) config[name] = value;
    }
    write("config.json", config.dump());
    return read_decoder_config(path());
  }
  void refuses(const std::string& network, const Json& fields, const std::string& words) const {
    BOOST_CHECK_EXCEPTION((void)changed(network, fields), Error, says(Fault::user, words));
  }
};

}  // namespace

// An architecture unknown to plumb, built from known parts. This is all the code that callers must
// write to add their own architecture.
namespace {

void read_newcomer(const ConfigFields& fields, DecoderConfig& config) {
  read_common_sizes(fields, config);
  config.norm = {
      .kind = NormKind::rms, .epsilon = fields.epsilon("rms_norm_eps", 1e-6), .has_bias = false};
  config.activation = Activation::silu;
  config.names.prefix = "newcomer.";
  read_one_rotary(fields, config);
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_new_architecture_of_known_parts_is_one_function, Folder) {
  // Llama's weights under a different model_type produce the same numbers.
  Json config = read_json_object(test::network_folder("llama") / "config.json");
  config["model_type"] = "newcomer";
  write("config.json", config.dump());
  std::filesystem::copy_file(test::network_folder("llama") / "model.safetensors",
                             path() / "model.safetensors");
  const DecoderArchitecture own[] = {{"newcomer", &read_newcomer}};
  DecoderConfig made = read_decoder_config(path(), own);
  made.names.prefix = "model.";
  DecoderNetwork network = DecoderNetwork::read(path(), made);
  for (const test::NetworkCase& expected : test::network_cases("llama")) {
    EmbeddingMatrix logits = expected.logits * 0;
    network.evaluate(expected.tokens, test::into_rows(logits));
    BOOST_TEST(test::relative_difference(logits, expected.logits) < 1e-5F);
  }
  BOOST_CHECK_EXCEPTION((void)read_decoder_config(path()), Error,
                        says(Fault::user, "'newcomer' is not a supported causal model"));
  BOOST_CHECK_EXCEPTION((void)read_decoder_config(test::network_folder("llama"), own), Error,
                        says(Fault::user, "plumb supports newcomer"));
}

BOOST_AUTO_TEST_CASE(each_model_type_is_there_once) {
  std::set<std::string_view> types;
  for (const DecoderArchitecture& one : decoder_architectures) {
    BOOST_TEST(types.insert(one.model_type).second);
    BOOST_TEST(find_architecture(one.model_type) == &one);
  }
  BOOST_TEST(find_architecture("t5") == nullptr);
}

BOOST_FIXTURE_TEST_CASE(what_changes_numbers_and_is_not_modelled_is_refused_by_field, Folder) {
  refuses("llama", {{"quantization_config", {{"bits", 4}}}},
          "quantization_config: weights quantised are not supported");
  refuses("gpt2", {{"scale_attn_by_inverse_layer_idx", true}},
          "scale_attn_by_inverse_layer_idx: true is not supported");
  refuses("gpt2", {{"scale_attn_weights", false}}, "scale_attn_weights: false is not supported");
  refuses("gpt2", {{"activation_function", 3}}, "activation_function: '3' is not supported");
  refuses("gemma", {{"use_bidirectional_attention", true}}, "use_bidirectional_attention: true");
  refuses("mpt", {{"no_bias", false}}, "no_bias: false is not supported");
  refuses("mpt", {{"attn_config", {{"alibi", false}}}}, "attn_config.alibi: false");
  refuses("mpt", {{"attn_config", {{"qk_ln", true}}}}, "attn_config.qk_ln: true");
  refuses("mpt", {{"attn_config", {{"alibi_bias_max", 16}}}}, "attn_config.alibi_bias_max: 16");
  refuses("gpt-neo",
          Json::parse(R"({"attention_layers": null, "attention_types": [[["global"], 9]]})"),
          "attention_types: is not a list of patterns and counts");
  refuses("gpt-neo",
          Json::parse(R"({"attention_layers": null, "attention_types": [[["global"], 2]]})"),
          "attention_types: lists 2 layers instead of 3");
  refuses("gpt-neo", {{"attention_layers", {"global", "block", "local"}}},
          "attention_types: 'block' is not supported");
  refuses("opt", {{"num_hidden_layers", 2'147'483'647}}, "an implausible number of layers: 2147");
}

// transformers 5.24 converts `is_causal` and `use_bidirectional_attention` to booleans.
BOOST_FIXTURE_TEST_CASE(attention_to_both_sides_is_refused_in_every_architecture, Folder) {
  std::size_t asked = 0;
  const auto networks = test::network_folder("llama").parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(networks)) {
    const std::string network = entry.path().filename().string();
    const Json config = read_json_object(entry.path() / "config.json");
    if (find_architecture(config.at("model_type").get<std::string>()) == nullptr) continue;
    ++asked;
    refuses(network, {{"is_causal", false}}, "is_causal: false lets tokens see later tokens");
    refuses(network, {{"use_bidirectional_attention", true}}, "use_bidirectional_attention: true");
    (void)changed(network, {{"is_causal", true}, {"use_bidirectional_attention", false}});
  }
  BOOST_TEST(asked > 30U);
  refuses("llama", {{"is_causal", 0}}, "is_causal: 0 lets tokens");
  refuses("llama", {{"per_layer_config", {{"0", {{"rms_norm_eps", 1e-3}}}}}}, "per_layer_config: ");
  refuses("gemma", {{"use_bidirectional_attention", "all"}},
          "use_bidirectional_attention: \"all\"");
  Json config = read_json_object(test::network_folder("llama") / "config.json");
  config["is_causal"] = nullptr;
  write("config.json", config.dump());
  BOOST_CHECK_EXCEPTION((void)read_decoder_config(path()), Error,
                        says(Fault::user, "is_causal: null lets tokens"));
}

BOOST_FIXTURE_TEST_CASE(rotations_are_those_of_transformers, Folder) {
  const auto rotated = [&](const std::string& network, const Json& fields) {
    const DecoderConfig config = changed(network, fields);
    return static_cast<double>(config.rotaries.front().size()) /
           static_cast<double>(config.head_size);
  };
  for (const char* network : {"llama", "mistral", "mixtral", "qwen2", "qwen3", "gemma", "olmo"}) {
    BOOST_TEST(rotated(network, {{"partial_rotary_factor", 0.5}}) == 1);
  }
  for (const char* network : {"phi", "phi3", "stablelm"}) {
    BOOST_TEST(rotated(network, {{"partial_rotary_factor", 0.5}, {"rope_parameters", nullptr}}) ==
               0.5);
  }
  BOOST_TEST(rotated("gpt-neox", {{"rotary_pct", 0.5}, {"partial_rotary_factor", 1}}) == 0.5);
  // In Gemma 3, rope_scaling overrides the parameters of the layers that see all tokens.
  const auto first = [&](const Json& scaling) {
    return changed("gemma3",
                   {{"rope_scaling", scaling},
                    {"rope_parameters",
                     {{"full_attention", {{"rope_type", "default"}, {"rope_theta", 1e6}}},
                      {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 1e4}}}}}})
        .rotaries.front()
        .frequencies()
        .front();
  };
  BOOST_TEST(first(nullptr) == 1.0F);
  BOOST_TEST(first({{"rope_type", "linear"}, {"factor", 8}}) == 0.125F);
}

BOOST_FIXTURE_TEST_CASE(no_layer_may_be_the_first_that_slides, Folder) {
  for (const char* network : {"qwen2", "qwen3"}) {
    const DecoderConfig off = changed(
        network,
        {{"max_window_layers", 0}, {"use_sliding_window", false}, {"layer_types", nullptr}});
    BOOST_TEST(std::ranges::count(off.windows, 0U) == std::ssize(off.windows));
    const DecoderConfig on = changed(network, {{"max_window_layers", 0},
                                               {"use_sliding_window", true},
                                               {"sliding_window", 4},
                                               {"layer_types", nullptr}});
    BOOST_TEST(std::ranges::count(on.windows, 4U) == std::ssize(on.windows));
    refuses(network, {{"max_window_layers", -1}}, "max_window_layers: is -1, not a valid count");
  }
}

BOOST_FIXTURE_TEST_CASE(absent_fields_have_the_values_of_transformers, Folder) {
  BOOST_TEST(!changed("llama", {{"tie_word_embeddings", nullptr}}).tied);
  BOOST_TEST(changed("gemma", {{"tie_word_embeddings", nullptr}}).tied);
  BOOST_TEST(changed("falcon", {{"tie_word_embeddings", nullptr}}).tied);
  BOOST_TEST(!changed("gpt-neox", {{"tie_word_embeddings", nullptr}}).tied);
  BOOST_TEST(changed("qwen3", {{"head_dim", nullptr}}).head_size == 128U);
  BOOST_TEST(changed("gemma2", {{"attn_logit_softcapping", nullptr}}).attention_cap == 50);
  BOOST_TEST(changed("mixtral", {{"num_experts_per_tok", nullptr}}).experts_per_token == 2U);
  BOOST_TEST(
      (changed("gpt-neo", {{"attention_layers", nullptr}, {"attention_types", nullptr}}).windows ==
       std::vector<std::size_t>{0, 4, 0}));
  BOOST_TEST(changed("opt", {{"word_embed_proj_dim", nullptr}}).embedding == 16U + 4U);
  BOOST_TEST(changed("falcon", {{"multi_query", false}}).key_heads == 4U);
}

BOOST_AUTO_TEST_SUITE_END()
