// SPDX-License-Identifier: Apache-2.0
#include "plumb/huggingface/network_names.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/huggingface/safetensors.hpp"
#include "support/network_cases.hpp"

using namespace plumb;

BOOST_AUTO_TEST_SUITE(network_names)

namespace {

/// Looks for tensors as transformers saved them.
struct Saved {
  explicit Saved(const std::string& network, const std::string& prefix)
      : tensors(test::network_folder(network)), reader(tensors, {}, prefix) {}

  void has(const std::string& name) const {
    BOOST_TEST(reader.find(name + ".weight") != nullptr, name);
  }
  void has_layer(const std::string& layer, const LayerNames& names) const {
    for (const std::string& name : names.query_key_value) has(layer + name);
    for (const std::string& name :
         {names.attention_out, names.attention_norm, names.up, names.down, names.norm}) {
      has(layer + name);
    }
  }

  Safetensors tensors;
  WeightReader reader;
};

}  // namespace

BOOST_AUTO_TEST_CASE(names_are_those_that_transformers_saves) {
  for (const std::string network : {"bert", "roberta", "xlm-roberta", "albert", "distilbert"}) {
    BOOST_TEST_CONTEXT(network) {
      const EncoderConfig config = read_encoder_config(test::network_folder(network));
      const EncoderNames names = encoder_names(config.architecture);
      const Saved saved(network, names.prefix);
      const bool is_albert = config.architecture == Architecture::albert;
      saved.has_layer(names.layer + (is_albert ? "0.albert_layers.0." : "1."), names.in_layer);
      saved.has(names.head);
      saved.has(names.head_norm);
      BOOST_TEST(saved.reader.find(names.decoder_bias) != nullptr);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_decoder_of_untied_weights_has_a_name) {
  const Saved saved("bert-untied", "bert.");
  saved.has(encoder_names(Architecture::bert).decoder);
}

BOOST_AUTO_TEST_SUITE_END()
