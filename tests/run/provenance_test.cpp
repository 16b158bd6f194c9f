// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/provenance.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(provenance)

BOOST_AUTO_TEST_CASE(shared_settings_identify_model_and_data) {
  const Provenance bare{.model = "m", .description = {"own", "", false}};
  const Json settings =
      shared_settings("go", bare, "bear", {"a.jsonl"}, true, SpecialTokenReading::refuse);
  BOOST_TEST(settings.at("command") == "go");
  BOOST_TEST(settings.at("plumb_version") == PLUMB_VERSION);
  BOOST_TEST(settings.at("dataset") == "bear");
  BOOST_TEST(settings.at("dataset_sha256").is_null());
  BOOST_TEST(settings.at("model") == "m");
  BOOST_TEST(settings.at("model_sha256").is_null());
  BOOST_TEST(settings.at("backend") == "own");
  BOOST_TEST(settings.at("weights").is_null());
  BOOST_TEST(settings.at("quantized") == false);
  BOOST_TEST(settings.at("precision").is_null());  // nobody set it
  for (const char* engine : {"device", "gpu_layers", "cache_type", "pack", "lora", "lora_sha256"}) {
    BOOST_TEST(settings.at(engine).is_null(), engine);
  }
  BOOST_TEST(settings.at("bos") == "yes");
  BOOST_TEST(settings.at("special_tokens") == "text");  // because no special tokens are listed
  BOOST_TEST(settings.at("special_tokens_known") == false);
  Provenance known{.model = "m",
                   .model_sha256 = "12",
                   .description = {"llama", "Q4_1", true, true},
                   .precision = Precision::fast,
                   .hash_files = [](const auto& files) { return Json(files.size()); },
                   .hash_file = [](const auto& file) { return Json(file.string()); },
                   .lora = {"a.gguf"},
                   .lora_sha256 = {"34"}};
  known.description.device = "CUDA";
  known.description.gpu_layers = 31;
  known.description.cache_type = "f16";
  known.description.pack = 1024;
  const Json other =
      shared_settings("go", known, "bear", {"a", "b"}, false, SpecialTokenReading::parse);
  BOOST_TEST(other.at("dataset_sha256") == 2);
  BOOST_TEST(other.at("model_sha256") == "12");
  BOOST_TEST(other.at("weights") == "Q4_1");
  BOOST_TEST(other.at("quantized") == true);
  BOOST_TEST(other.at("precision") == "fast");
  BOOST_TEST(other.at("device") == "CUDA");
  BOOST_TEST(other.at("gpu_layers") == 31);
  BOOST_TEST(other.at("cache_type") == "f16");
  BOOST_TEST(other.at("pack") == 1024);
  BOOST_TEST((other.at("lora") == Json{"a.gguf"}));
  BOOST_TEST((other.at("lora_sha256") == Json{"34"}));
  BOOST_TEST(other.at("bos") == "no");
  BOOST_TEST(other.at("special_tokens") == "parse");
  BOOST_TEST(other.at("special_tokens_known") == true);
  BOOST_TEST(!other.contains("model_answers"));
  BOOST_TEST(!other.contains("tokenizer_sha256"));
  known.tokenizer_sha256 = "56";
  known.description.answers = "a1";  // of a server
  known.description.name = "m";
  BOOST_TEST(shared_settings("go", known, "bear", {}, false, SpecialTokenReading::parse)
                 .at("precision")
                 .is_null());
  BOOST_TEST(shared_settings("go", known, "bear", {}, false, SpecialTokenReading::parse)
                 .at("model_answers") == "a1");
  BOOST_TEST(shared_settings("go", known, "bear", {}, false, SpecialTokenReading::parse)
                 .at("tokenizer_sha256") == "56");
  BOOST_TEST(known.hash_of("x") == "x");
  BOOST_TEST(known.hash_of("").is_null());
  BOOST_TEST(bare.hash_of("x").is_null());
}

BOOST_AUTO_TEST_SUITE_END()
