// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/folder_claims.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "plumb/detail/huggingface/decoder_architectures.hpp"
#include "plumb/detail/huggingface/decoder_network.hpp"
#include "support/errors.hpp"
#include "support/network_cases.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(folder_claims)

namespace {

struct Folder : test::TemporaryFolder {
  void refuses(const std::string& words) const {
    BOOST_CHECK_EXCEPTION((void)check_folder_claims(path()), Error, says(Fault::user, words));
  }
  void pools(const std::string& json, const std::string& place = "1_Pooling") const {
    std::filesystem::create_directories(path() / place);
    write(place + "/config.json", json);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(classifiers_are_refused_by_their_class, Folder) {
  for (const char* name : {"Qwen2ForSequenceClassification", "LlamaForTokenClassification",
                           "GPT2ForQuestionAnswering", "LlamaForRewardModel"}) {
    write("config.json", Json{{"architectures", {name}}}.dump());
    refuses("architectures: is not a language model: '" + std::string(name));
  }
  for (const char* said : {R"({})", R"({"architectures": ["Qwen2Model"]})",
                           R"({"architectures": ["LlamaForCausalLM"]})",
                           R"({"architectures": ["BertForPreTraining"]})"}) {
    write("config.json", said);
    BOOST_TEST(check_folder_claims(path()).empty());
  }
}

BOOST_FIXTURE_TEST_CASE(adapter_next_to_the_weights_is_rejected, Folder) {
  write("config.json", "{}");
  write("adapter_config.json", "{}");
  refuses("adapter_config.json: there is an adapter next to the weights");
}

// sentence-transformers specifies the pooling in one of two ways: with a switch for each mode, or
// with the name of the mode. The file is in 1_Pooling or in a folder that modules.json lists.
BOOST_FIXTURE_TEST_CASE(last_token_pooling_causes_a_warning_and_other_pooling_is_refused, Folder) {
  write("config.json", "{}");
  pools(R"({"pooling_mode_mean_tokens": true, "pooling_mode_lasttoken": false})");
  refuses("it pools vectors (mean_tokens)");
  pools(R"({"pooling_mode_cls_token": true})");
  refuses("it pools vectors (cls_token)");
  pools(R"({"pooling_mode": "mean"})");
  refuses("it pools vectors (mean)");
  pools(R"({"pooling_mode": ["lasttoken", "max"]})");
  refuses("it pools vectors (max)");
  pools(R"({"pooling_mode_mean_tokens": false, "pooling_mode_lasttoken": true})");
  const auto told = check_folder_claims(path());
  BOOST_REQUIRE(told.size() == 1U);
  BOOST_TEST(told[0].starts_with("Warning: the model's folder describes an embedding model"));
  pools(R"({"pooling_mode": "mean"})", "7_Other");
  write("modules.json", R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
                            {"path": "7_Other", "type": "sentence_transformers.models.Pooling"}])");
  refuses("7_Other/config.json: is not a language model");
}

BOOST_FIXTURE_TEST_CASE(other_heads_and_adapters_are_refused_and_unread_tensors_reported, Folder) {
  const auto renamed = [&](const std::string& other) {
    test::write_renamed("llama-biases", *this, {{"model.layers.0.self_attn.q_proj.bias", other}});
    return Safetensors(path());
  };
  for (const char* name : {"score.weight", "classifier.bias", "qa_outputs.weight"}) {
    BOOST_CHECK_EXCEPTION(refuse_other_tensors(renamed(name)), Error,
                          says(Fault::user, std::string(name) + ": is not a language model"));
  }
  for (const char* name : {"base_model.model.lora_A.weight", "model.layers.0.lora_B.weight"}) {
    BOOST_CHECK_EXCEPTION(refuse_other_tensors(renamed(name)), Error,
                          says(Fault::user, "belongs to an adapter"));
  }
  // A network configured without biases ignores any biases in the file. Stored masks cause no
  // warning.
  test::write_renamed("llama-biases", *this,
                      {{"model.layers.0.self_attn.q_proj.bias", "model.layers.0.attn.bias"}});
  Json config = read_json_object(path() / "config.json");
  config["attention_bias"] = config["mlp_bias"] = false;
  write("config.json", config.dump());
  const auto unread = DecoderNetwork::read(path(), read_decoder_config(path())).unread();
  BOOST_TEST(unread.size() > 3U);
  for (const std::string& name : unread) {
    BOOST_TEST(name.ends_with(".bias"));
    BOOST_TEST(name != "model.layers.0.attn.bias");
  }
  const std::string words = unread_warning(unread).value();
  BOOST_TEST(words.starts_with("Warning: " + std::to_string(unread.size()) +
                               " tensors of the weights are not part of the network"));
  BOOST_TEST(!unread_warning({}));
  BOOST_TEST(DecoderNetwork::read(test::network_folder("llama"),
                                  read_decoder_config(test::network_folder("llama")))
                 .unread()
                 .empty());
}

BOOST_AUTO_TEST_SUITE_END()
