// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/engine_options.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(engine_options)

BOOST_AUTO_TEST_CASE(first_explicitly_chosen_option_is_named) {
  BOOST_TEST(EngineOptions{}.first_chosen() == "");
  EngineOptions options;
  options.pack = 1;
  BOOST_TEST(options.first_chosen() == "pack");
  options.cache_type = CacheType::f32;
  BOOST_TEST(options.first_chosen() == "cache-type");
  options.lora = {{"a.gguf", 1}};
  BOOST_TEST(options.first_chosen() == "lora");
  options.tensor_split = {1};
  BOOST_TEST(options.first_chosen() == "tensor-split");
  options.split_mode = SplitMode::none;
  BOOST_TEST(options.first_chosen() == "split-mode");
  options.main_gpu = 0;
  BOOST_TEST(options.first_chosen() == "main-gpu");
  options.gpu_layers = 0;
  BOOST_TEST(options.first_chosen() == "gpu-layers");
  options.choice = EngineChoice::llama;
  BOOST_TEST(options.first_chosen() == "engine");
}

BOOST_AUTO_TEST_CASE(each_value_has_a_word) {
  std::string words;
  for (const SplitMode mode : every(SplitMode{})) words += std::string(name_of(mode)) + " ";
  for (const CacheType type : every(CacheType{})) words += std::string(name_of(type)) + " ";
  for (const EngineChoice one : every(EngineChoice{})) words += std::string(name_of(one)) + " ";
  BOOST_TEST(words == "none layer row f32 f16 q8_0 native llama ");
  BOOST_TEST(backend_lead(EngineChoice::native) == "native");
  BOOST_TEST(backend_lead(EngineChoice::llama) == "llama.cpp");
}

BOOST_AUTO_TEST_SUITE_END()
