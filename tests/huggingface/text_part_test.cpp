// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/text_part.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "plumb/detail/huggingface/decoder_architectures.hpp"
#include "plumb/detail/huggingface/decoder_network.hpp"
#include "plumb/detail/huggingface/network_kind.hpp"
#include "support/errors.hpp"
#include "support/network_cases.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(text_part_tests)

namespace {

struct Folder : test::TemporaryFolder {
  [[nodiscard]] TextPart part(const std::string& config) const {
    return text_part(ConfigFields(write("config.json", config)));
  }
  /// The largest difference between this folder's logits and the logits of the small network with
  /// the same weights.
  [[nodiscard]] float difference(const std::string& name) const {
    DecoderNetwork network = DecoderNetwork::read(path(), read_decoder_config(path()));
    float worst = 0;
    for (const test::NetworkCase& expected : test::network_cases(name)) {
      EmbeddingMatrix logits = expected.logits * 0;
      network.evaluate(expected.tokens, test::into_rows(logits));
      worst = (std::max)(worst, test::relative_difference(logits, expected.logits));
    }
    return worst;
  }
  void change(const Json& outer, const Json& inner) const {
    Json config = read_json_object(path() / "config.json");
    config.merge_patch(outer);
    config["text_config"].merge_patch(inner);
    write("config.json", config.dump());
  }
  /// Writes a small network's tensors, replacing one name prefix with another.
  void with_prefix(const std::string& name, const std::string& was, const std::string& is) const {
    std::map<std::string, std::string> names;
    const Safetensors stored(test::network_folder(name));
    for (const auto& [tensor, value] : stored.tensors()) {
      if (tensor.starts_with(was)) names[tensor] = is + tensor.substr(was.size());
    }
    test::write_renamed(name, *this, names);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_language_model_is_all_or_text_config, Folder) {
  const TextPart plain = part(R"({"model_type": "llama", "vocab_size": 7})");
  BOOST_TEST(plain.model_type == "llama");
  BOOST_TEST(!plain.is_wrapped);
  const TextPart inner = part(R"({"model_type": "gemma3", "text_config": {"hidden_size": 8}})");
  BOOST_TEST(inner.is_wrapped);
  BOOST_TEST(inner.model_type == "gemma3_text");  // the default model type
  BOOST_TEST(inner.fields.count("hidden_size") == 8U);
  BOOST_TEST(inner.fields.count("vocab_size") == 262'208U);  // the default of Gemma3TextConfig
  BOOST_TEST(!inner.tied.has_value());
  BOOST_TEST(
      part(R"({"model_type": "llava", "text_config": {"model_type": "mistral"}})").model_type ==
      "mistral");
  BOOST_CHECK_EXCEPTION((void)part(R"({"model_type": "gemma3", "text_config": 3})"), Error,
                        says(Fault::user, "text_config: is 3, not an object"));
}

BOOST_FIXTURE_TEST_CASE(the_outer_word_on_tied_weights_counts, Folder) {
  const auto tied = [&](const std::string& type, const std::string& outer,
                        const std::string& inner) {
    const auto field = [](const std::string& value) {
      return value.empty() ? value : ", \"tie_word_embeddings\": " + value;
    };
    return part(R"({"model_type": ")" + type + R"(", "text_config": {"hidden_size": 8)" +
                field(inner) + "}" + field(outer) + "}")
        .tied;
  };
  BOOST_TEST(tied("mistral3", "false", "true").value() == false);
  BOOST_TEST(tied("mistral3", "true", "false").value() == true);
  BOOST_TEST(tied("gemma3", "", "false").value() == false);
  BOOST_TEST(tied("llava", "false", "true").value() == true);
  BOOST_TEST(!tied("mistral3", "", "").has_value());
}

// Both transformers 4 and transformers 5 tensor names are found, whichever version wrote the
// folder.
BOOST_FIXTURE_TEST_CASE(tensors_are_found_behind_every_prefix, Folder) {
  with_prefix("mistral3", "model.language_model.", "language_model.model.");
  BOOST_TEST(difference("mistral3") < 1e-5F);
  with_prefix("gemma3-images", "language_model.model.", "model.language_model.");
  BOOST_TEST(difference("gemma3-images") < 1e-5F);
}

BOOST_FIXTURE_TEST_CASE(stored_output_head_is_used_if_tying_is_unspecified, Folder) {
  with_prefix("mistral3", "none", "none");
  change({{"tie_word_embeddings", nullptr}}, {{"tie_word_embeddings", nullptr}});
  BOOST_TEST(difference("mistral3") < 1e-5F);
  change({{"tie_word_embeddings", true}}, Json::object());
  BOOST_CHECK_EXCEPTION((void)difference("mistral3"), Error,
                        says(Fault::user, "but config.json ties the two"));
}

// The head of LLaVA, Gemma 3 and Mistral 3 only multiplies.
BOOST_FIXTURE_TEST_CASE(a_wrapped_models_head_neither_scales_nor_caps_nor_adds, Folder) {
  DecoderConfig config;
  config.logits_cap = 30;
  config.logits_scale = 0.125F;
  config.has_head_bias = true;
  unwrap(part(R"({"model_type": "granite"})"), config);
  BOOST_TEST(config.logits_scale == 0.125F);
  unwrap(part(R"({"model_type": "llava", "text_config": {"model_type": "granite"}})"), config);
  BOOST_TEST(config.logits_cap == 0);
  BOOST_TEST(config.logits_scale == 1);
  BOOST_TEST(!config.has_head_bias);
}

BOOST_FIXTURE_TEST_CASE(unsupported_language_model_settings_are_named, Folder) {
  with_prefix("mistral3", "none", "none");
  const auto refuses = [&](const char* words) {
    BOOST_CHECK_EXCEPTION((void)read_decoder_config(path()), Error, says(Fault::user, words));
  };
  change(Json::object(), {{"hidden_act", "mish"}});
  refuses("text_config.hidden_act: 'mish' is not supported");
  change(Json::object(), {{"quantization_config", {{"bits", 4}}}});
  refuses("text_config.quantization_config: weights quantised are not supported");
  change(Json::object(), {{"model_type", "ministral3"}});
  BOOST_CHECK_EXCEPTION(
      (void)network_kind(path()), Error,
      says(Fault::user, "text_config.model_type: 'ministral3' is not supported; "));
  // A masked model cannot be the text part.
  change(Json::object(), {{"model_type", "bert"}});
  BOOST_CHECK_EXCEPTION((void)network_kind(path()), Error,
                        says(Fault::user, "text_config.model_type: 'bert' is not supported"));
}

BOOST_AUTO_TEST_SUITE_END()
