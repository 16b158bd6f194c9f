// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/encoder_architectures.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/huggingface/encoder_network.hpp"
#include "support/changed_encoder.hpp"
#include "support/errors.hpp"
#include "support/network_cases.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(encoder_architectures_tests)

namespace {

struct Folder : test::ChangedEncoder {
  void refuses(const std::string& network, const Json& fields, const std::string& words) const {
    BOOST_CHECK_EXCEPTION((void)changed(network, fields), Error, says(Fault::user, words));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(each_architecture_is_read) {
  const EncoderConfig bert = test::encoder_config_of("bert");
  BOOST_TEST(bert.names.prefix == "bert.");
  BOOST_TEST(bert.vocabulary == 37U);
  BOOST_TEST(bert.hidden == 20U);
  BOOST_TEST(bert.embedding == 20U);
  BOOST_TEST(bert.intermediate == 28U);
  BOOST_TEST(bert.positions == 16U);
  BOOST_TEST(bert.token_types == 2U);
  BOOST_TEST(bert.tied);
  BOOST_TEST((bert.head_activation == Activation::gelu));
  BOOST_TEST(!test::encoder_config_of("bert-untied").tied);
  BOOST_TEST((test::encoder_config_of("bert-silu").head_activation == Activation::silu));
  const EncoderConfig roberta = test::encoder_config_of("xlm-roberta");
  BOOST_TEST(roberta.positions == 14U);
  BOOST_TEST(roberta.first_position == 2U);
  BOOST_TEST(roberta.padding.value() == 1);
  BOOST_TEST((roberta.activation == Activation::gelu_new));
  BOOST_TEST((roberta.head_activation == Activation::gelu));
  const EncoderConfig albert = test::encoder_config_of("albert-groups");
  BOOST_TEST(albert.embedding == 12U);
  BOOST_TEST(
      (albert.stored_layers == std::vector<std::string>{"0.albert_layers.0", "0.albert_layers.1",
                                                        "1.albert_layers.0", "1.albert_layers.1"}));
  BOOST_TEST((albert.path == std::vector<std::size_t>{0, 1, 0, 1, 2, 3, 2, 3}));
  BOOST_TEST(test::encoder_config_of("distilbert").token_types == 0U);
}

BOOST_FIXTURE_TEST_CASE(absent_fields_have_the_values_of_transformers, Folder) {
  BOOST_TEST((changed("bert", {{"hidden_act", nullptr}}).activation == Activation::gelu));
  BOOST_TEST((changed("albert", {{"hidden_act", nullptr}}).activation == Activation::gelu_new));
  BOOST_TEST(changed("bert", {{"layer_norm_eps", nullptr}}).norm.epsilon == 1e-12F);
  BOOST_TEST(changed("bert-untied", {{"tie_word_embeddings", nullptr}}).tied);
  BOOST_TEST(changed("roberta", {{"pad_token_id", nullptr}}).first_position == 2U);
}

BOOST_FIXTURE_TEST_CASE(unsupported_settings_are_named, Folder) {
  refuses("bert", {{"model_type", "t5"}},
          "model_type: 't5' is not a supported masked model; plumb supports bert, roberta");
  refuses("bert", {{"model_type", nullptr}}, "model_type: '' is not a supported masked model");
  refuses("bert", {{"hidden_act", "mish"}},
          "hidden_act: 'mish' is not supported; plumb supports gelu");
  refuses("bert", {{"hidden_act", 3}}, "hidden_act: '3' is not supported");
  refuses("roberta", {{"position_embedding_type", "relative_key"}},
          "position_embedding_type: \"relative_key\" is not supported; only \"absolute\" is");
  refuses("bert", {{"is_decoder", true}}, "is_decoder: true is not supported");
  refuses("bert", {{"add_cross_attention", true}}, "add_cross_attention: true is not supported");
  refuses("bert", {{"pruned_heads", {{"0", {1}}}}}, "pruned_heads: ");
  refuses("bert", {{"per_layer_config", {{"0", {{"layer_norm_eps", 1e-3}}}}}},
          "per_layer_config: ");
  refuses("bert", {{"quantization_config", {{"bits", 4}}}}, "weights quantised are not supported");
  for (const char* network : {"bert", "roberta", "albert", "distilbert", "xlm-roberta"}) {
    refuses(network, {{"is_causal", true}}, "is_causal: true is not supported; only false is");
  }
}

BOOST_FIXTURE_TEST_CASE(unsupported_settings_of_newer_models_are_named, Folder) {
  refuses("electra", {{"architectures", {"ElectraForPreTraining"}}},
          "architectures: names ElectraForPreTraining, the discriminator, which does not predict "
          "tokens; "
          "fetch the generator");
  refuses("deberta-v3", {{"conv_kernel_size", 3}}, "conv_kernel_size: 3 is not supported");
  refuses("deberta-v3", {{"attention_head_size", 64}}, "attention_head_size: 64 is not supported");
  refuses("deberta-v3", {{"pos_att_type", "c2p|p2p"}}, "pos_att_type: 'p2p' is not supported");
  refuses("deberta-v3", {{"position_buckets", 1}}, "position_buckets: 1 buckets are invalid");
  refuses("deberta-v3", {{"position_buckets", 30}}, "position_buckets: 30 buckets are invalid");
  refuses("deberta-v3", {{"embedding_size", 12}}, "embedding_size: 12 is not supported");
  refuses("modernbert-biases", {{"layer_types", {"full_attention"}}}, "has 1 text for 4 layers");
  refuses("modernbert-biases",
          {{"layer_types",
            {"chunked_attention", "full_attention", "full_attention", "full_attention"}}},
          "layer_types: 'chunked_attention' is not supported");
  refuses("modernbert", {{"rope_scaling", {{"rope_type", "spiral"}}}},
          "rope_scaling.rope_type: 'spiral' is not supported");
}

// An architecture unknown to plumb, built from known parts. This is all the code that callers must
// write to add their own architecture.
namespace {

void read_newcomer(const ConfigFields& fields, EncoderConfig& config) {
  read_bert_parts(fields, config);
  name_as_bert(config, "bert.");
  name_head(config, "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
            "cls.predictions.decoder", "cls.predictions.bias");
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_new_architecture_of_known_parts_is_one_function, Folder) {
  Json config = read_json_object(test::network_folder("bert") / "config.json");
  config["model_type"] = "newcomer";
  write("config.json", config.dump());
  std::filesystem::copy_file(test::network_folder("bert") / "model.safetensors",
                             path() / "model.safetensors");
  const EncoderArchitecture own[] = {{"newcomer", &read_newcomer}};
  EncoderNetwork network = EncoderNetwork::read(path(), read_encoder_config(path(), own));
  for (const test::NetworkCase& expected : test::network_cases("bert")) {
    BOOST_TEST(test::relative_difference(network.hidden(expected.tokens), expected.hidden) < 1e-5F);
  }
  BOOST_CHECK_EXCEPTION((void)read_encoder_config(test::network_folder("bert"), own), Error,
                        says(Fault::user, "plumb supports newcomer"));
}

BOOST_AUTO_TEST_CASE(each_model_type_is_there_once) {
  std::set<std::string_view> types;
  for (const EncoderArchitecture& one : encoder_architectures) {
    BOOST_TEST(types.insert(one.model_type).second);
    BOOST_TEST(find_masked_architecture(one.model_type) == &one);
  }
  BOOST_TEST(find_masked_architecture("llama") == nullptr);
}

BOOST_FIXTURE_TEST_CASE(invalid_settings_are_named, Folder) {
  refuses("bert", {{"hidden_size", nullptr}}, "hidden_size: is missing");
  refuses("bert", {{"hidden_size", -3}}, "hidden_size: is -3, not a valid count");
  refuses("bert", {{"vocab_size", "many"}}, "vocab_size: is \"many\"");
  refuses("bert", {{"num_hidden_layers", 0}}, "num_hidden_layers: is 0");
  refuses("bert", {{"num_attention_heads", 3}},
          "20 numbers cannot be divided equally among 3 heads");
  refuses("bert", {{"layer_norm_eps", -1}}, "layer_norm_eps: is -1, not within [0, 1)");
  refuses("bert", {{"tie_word_embeddings", "yes"}}, "tie_word_embeddings: is \"yes\"");
  for (const char* network : {"bert", "albert"}) {
    refuses(network, {{"num_hidden_layers", 2'147'483'647}},
            "an implausible number of layers: 2147");
  }
  refuses("albert", {{"inner_group_num", 9'999}}, "an implausible number of layers");
  refuses("roberta", {{"pad_token_id", 15}},
          "pad_token_id: 15 is outside the range of positions or the vocabulary");
  refuses("roberta", {{"pad_token_id", -1}}, "pad_token_id: is -1, not a token");
  refuses("albert", {{"num_hidden_groups", 9}},
          "num_hidden_groups: is larger than the number of layers");
  write("config.json", "[1]");
  BOOST_CHECK_EXCEPTION((void)read_encoder_config(path()), Error,
                        says(Fault::user, "not an object"));
}

BOOST_AUTO_TEST_SUITE_END()
