// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/network_kind.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "support/errors.hpp"
#include "support/network_cases.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(network_kind_tests)

BOOST_AUTO_TEST_CASE(network_kind_is_read_from_config_json) {
  for (const char* name : {"bert", "roberta", "xlm-roberta", "albert", "distilbert", "electra",
                           "deberta-v3", "modernbert"}) {
    BOOST_TEST((network_kind(test::network_folder(name)) == NetworkKind::masked));
  }
  for (const char* name :
       {"opt", "gpt2", "llama", "gemma3", "falcon-alibi", "gemma3-images", "mistral3", "llava"}) {
    BOOST_TEST((network_kind(test::network_folder(name)) == NetworkKind::causal));
  }
}

BOOST_FIXTURE_TEST_CASE(what_neither_kind_knows_is_refused_with_a_way_on, test::TemporaryFolder) {
  const auto refuses = [&](const char* config, const char* words) {
    write("config.json", config);
    BOOST_CHECK_EXCEPTION((void)network_kind(path()), Error, says(Fault::user, words));
  };
  refuses(R"({"model_type": "llama4"})", "model_type: 'llama4' is not supported; convert it: ");
  // A model whose network is Python code in the folder cannot be converted.
  const std::string served =
      " is not supported; its network is custom Python code: serve it with vLLM and "
      "--trust-remote-code, and set `server`";
  refuses(R"({"model_type": "phi3small"})", ("'phi3small'" + served).c_str());
  refuses(R"({"model_type": "own", "auto_map": {"AutoModelForCausalLM": "modeling.Own"}})",
          ("'own'" + served).c_str());
  write("config.json", "{}");
  BOOST_CHECK_EXCEPTION((void)network_kind(path()), Error,
                        says(Fault::user, "model_type: is missing"));
}

BOOST_AUTO_TEST_SUITE_END()
