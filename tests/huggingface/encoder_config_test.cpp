// SPDX-License-Identifier: Apache-2.0
#include "plumb/huggingface/encoder_config.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"
#include "support/network_cases.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(encoder_config)

namespace {

struct Folder : test::TemporaryFolder {
  /// The configuration of a small network with some fields changed; null takes one away.
  [[nodiscard]] EncoderConfig changed(const std::string& network, const Json& fields) const {
    Json config = read_json_object(test::network_folder(network) / "config.json");
    for (const auto& [name, value] : fields.items()) config[name] = value;
    write("config.json", config.dump());
    return read_encoder_config(path());
  }
  void refuses(const std::string& network, const Json& fields, const std::string& words) const {
    BOOST_CHECK_EXCEPTION((void)changed(network, fields), Error, says(Fault::user, words));
  }
};

EncoderConfig config_of(const std::string& network) {
  return read_encoder_config(test::network_folder(network));
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_architecture_is_read) {
  const EncoderConfig bert = config_of("bert");
  BOOST_TEST((bert.architecture == Architecture::bert));
  BOOST_TEST(bert.vocabulary == 37U);
  BOOST_TEST(bert.hidden == 20U);
  BOOST_TEST(bert.embedding == 20U);
  BOOST_TEST(bert.intermediate == 28U);
  BOOST_TEST(bert.positions == 16U);
  BOOST_TEST(bert.token_types == 2U);
  BOOST_TEST(bert.tied);
  BOOST_TEST((bert.head_activation == Activation::gelu));
  BOOST_TEST(!config_of("bert-untied").tied);
  BOOST_TEST((config_of("bert-silu").head_activation == Activation::silu));
  const EncoderConfig roberta = config_of("xlm-roberta");
  BOOST_TEST((roberta.architecture == Architecture::xlm_roberta));
  BOOST_TEST(roberta.positions == 14U);
  BOOST_TEST(roberta.first_position == 2U);
  BOOST_TEST(roberta.padding.value() == 1);
  BOOST_TEST((roberta.activation == Activation::gelu_new));
  BOOST_TEST((roberta.head_activation == Activation::gelu));
  const EncoderConfig albert = config_of("albert-groups");
  BOOST_TEST(albert.embedding == 12U);
  BOOST_TEST(albert.groups == 2U);
  BOOST_TEST(albert.inner_groups == 2U);
  BOOST_TEST(config_of("distilbert").token_types == 0U);
}

BOOST_FIXTURE_TEST_CASE(absent_fields_have_the_values_of_transformers, Folder) {
  BOOST_TEST((changed("bert", {{"hidden_act", nullptr}}).activation == Activation::gelu));
  BOOST_TEST((changed("albert", {{"hidden_act", nullptr}}).activation == Activation::gelu_new));
  BOOST_TEST(changed("bert", {{"layer_norm_eps", nullptr}}).norm_epsilon == 1e-12F);
  BOOST_TEST(changed("bert-untied", {{"tie_word_embeddings", nullptr}}).tied);
  BOOST_TEST(changed("roberta", {{"pad_token_id", nullptr}}).first_position == 2U);
}

BOOST_FIXTURE_TEST_CASE(what_is_not_supported_is_named, Folder) {
  refuses("bert", {{"model_type", "t5"}},
          "model_type: 't5' is not known; known are bert, roberta, xlm-roberta, albert");
  refuses("bert", {{"model_type", nullptr}}, "model_type: is missing");
  refuses("bert", {{"hidden_act", "mish"}}, "hidden_act: 'mish' is not known; known are gelu");
  refuses("bert", {{"hidden_act", 3}}, "hidden_act: '3' is not known");
  refuses("roberta", {{"position_embedding_type", "relative_key"}},
          "position_embedding_type: \"relative_key\" is not supported; only \"absolute\" is");
  refuses("bert", {{"is_decoder", true}}, "is_decoder: true is not supported");
  for (const char* network : {"bert", "roberta", "albert", "distilbert", "xlm-roberta"}) {
    refuses(network, {{"is_causal", true}}, "is_causal: true is not supported; only false is");
  }
  refuses("bert", {{"add_cross_attention", true}}, "add_cross_attention: true is not supported");
  refuses("bert", {{"pruned_heads", {{"0", {1}}}}}, "pruned_heads: ");
  refuses("bert", {{"quantization_config", {{"bits", 4}}}},
          "quantization_config: weights quantised are not computed");
}

BOOST_FIXTURE_TEST_CASE(what_makes_no_sense_is_named, Folder) {
  refuses("bert", {{"hidden_size", nullptr}}, "hidden_size: is missing");
  refuses("bert", {{"hidden_size", -3}}, "hidden_size: is -3, not a number of things");
  refuses("bert", {{"vocab_size", "many"}}, "vocab_size: is \"many\"");
  refuses("bert", {{"num_hidden_layers", 0}}, "num_hidden_layers: is 0");
  refuses("bert", {{"num_attention_heads", 3}}, "20 numbers do not share out among 3 heads");
  refuses("bert", {{"layer_norm_eps", -1}}, "layer_norm_eps: is -1, not within [0, 1)");
  refuses("bert", {{"tie_word_embeddings", "yes"}}, "tie_word_embeddings: is \"yes\"");
  for (const char* network : {"bert", "albert"}) {
    refuses(network, {{"num_hidden_layers", 2'147'483'647}},
            "more layers than any model has: 2147");
  }
  refuses("albert", {{"inner_group_num", 9'999}}, "more layers than any model has");
  refuses("roberta", {{"pad_token_id", 15}}, "pad_token_id: 15 is past the positions or tokens");
  refuses("roberta", {{"pad_token_id", -1}}, "pad_token_id: is -1, not a token");
  refuses("albert", {{"num_hidden_groups", 9}}, "num_hidden_groups: is more than the layers");
  write("config.json", "[1]");
  BOOST_CHECK_EXCEPTION((void)read_encoder_config(path()), Error,
                        says(Fault::user, "not an object"));
}

BOOST_AUTO_TEST_SUITE_END()
