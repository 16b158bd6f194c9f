// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/engine_settings.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "support/setting_words.hpp"

using namespace plumb::detail;
using test::read;
using test::refused;

BOOST_AUTO_TEST_SUITE(engine_settings)

namespace {

/// For each setting that has no effect, the reason why.
std::map<std::string, std::string> idle(EngineSettings settings, Precision precision,
                                        const std::string& elsewhere = "") {
  std::map<std::string, std::string> found;
  const auto visitor = [&](std::string_view name, const auto&, const SettingInfo& info) {
    if (!info.idle.empty()) found[std::string(name)] = info.idle;
  };
  EngineSettings::visit(settings, visitor, precision, elsewhere);
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(adapters_are_files_with_a_scale_where_it_is_not_one) {
  const auto one = read<LoraSetting>("dir/a.gguf:0.5");
  BOOST_REQUIRE(one.adapters.size() == 1U);
  BOOST_TEST(one.adapters[0].file == "dir/a.gguf");
  BOOST_TEST(one.adapters[0].scale == 0.5);
  BOOST_TEST(one.word() == "dir/a.gguf:0.5");
  BOOST_TEST((one.json() == Json{"a.gguf:0.5"}));
  const auto two = read<LoraSetting>("a.gguf,c:/b.gguf:-2,d:x");
  BOOST_REQUIRE(two.adapters.size() == 3U);
  BOOST_TEST(two.adapters[0].scale == 1);
  BOOST_TEST(two.adapters[1].file == "c:/b.gguf");
  BOOST_TEST(two.adapters[1].scale == -2);
  BOOST_TEST(two.adapters[2].file == "d:x");  // "x" is not a number
  BOOST_TEST(two.word() == "a.gguf,c:/b.gguf:-2,d:x");
  BOOST_TEST(two.with_paths([](const std::string& path) { return "/" + path; }) ==
             "/a.gguf,/c:/b.gguf:-2,/d:x");
  BOOST_TEST(read<LoraSetting>("").adapters.empty());
  BOOST_TEST(LoraSetting{}.json().is_null());
  BOOST_TEST(LoraSetting{}.word().empty());
  refused<LoraSetting>(":0.5", "':0.5' does not name a file; write FILE or FILE:0.5");
  refused<LoraSetting>("a,,b", "'a,,b' has an empty item");
}

BOOST_AUTO_TEST_CASE(shares_are_numbers_of_which_one_is_more_than_nothing) {
  BOOST_TEST((read<TensorSplitSetting>("3,1.5,0").shares == std::vector<float>{3, 1.5F, 0}));
  BOOST_TEST(read<TensorSplitSetting>("3,1.5,0").word() == "3,1.5,0");
  BOOST_TEST(read<TensorSplitSetting>("3,1").json() == "3,1");
  BOOST_TEST(TensorSplitSetting{}.json().is_null());
  for (const char* word : {"a", "-1,2", "1x", "inf"}) {
    refused<TensorSplitSetting>(word, "");
  }
  refused<TensorSplitSetting>("1,b", "'b' is not a valid GPU share; write 3,1");
  refused<TensorSplitSetting>("0,0", "assigns every GPU a share of 0");
}

BOOST_AUTO_TEST_CASE(settings_are_the_engines_options) {
  EngineSettings settings;
  BOOST_TEST(settings.options().first_chosen() == "");
  settings.gpu_layers = 3;
  settings.main_gpu = 1;
  settings.split_mode = SplitMode::row;
  settings.tensor_split.shares = {1, 2};
  settings.lora.adapters = {{"a.gguf", 2}};
  settings.cache_type = CacheType::q8_0;
  settings.pack = 64;
  settings.choice = EngineChoice::llama;
  const EngineOptions made = settings.options();
  BOOST_TEST((*made.choice == EngineChoice::llama));
  BOOST_TEST(*made.gpu_layers == 3U);
  BOOST_TEST(*made.main_gpu == 1U);
  BOOST_TEST((*made.split_mode == SplitMode::row));
  BOOST_TEST((made.tensor_split == std::vector<float>{1, 2}));
  BOOST_TEST((made.lora == std::vector<LoraAdapter>{{"a.gguf", 2}}));
  BOOST_TEST((*made.cache_type == CacheType::q8_0));
  BOOST_TEST(made.pack == 64U);
}

BOOST_AUTO_TEST_CASE(ineffective_settings_are_listed_with_the_reason) {
  BOOST_TEST(idle({}, Precision::exact).empty());
  BOOST_TEST(idle({}, Precision::fast).empty());
  const auto all = idle({}, Precision::exact, "on a server");
  BOOST_TEST(all.size() == 8U);
  for (const auto& [name, why] : all) BOOST_TEST(why == "on a server", name);
  EngineSettings settings;
  settings.gpu_layers = 1;
  settings.cache_type = CacheType::f32;
  BOOST_TEST(idle(settings, Precision::exact).empty());
  settings.gpu_layers = 0;
  const auto on_cpu = idle(settings, Precision::exact);
  BOOST_TEST(on_cpu.size() == 3U);
  for (const char* name : {"main-gpu", "split-mode", "tensor-split"}) {
    BOOST_TEST(on_cpu.at(name).starts_with("with `gpu-layers` 0"), name);
  }
  settings = {};
  settings.choice = EngineChoice::llama;
  BOOST_TEST(idle(settings, Precision::exact).empty());
  settings.choice = EngineChoice::native;  // ignores all settings of llama.cpp
  const auto native = idle(settings, Precision::exact);
  BOOST_TEST(native.size() == 7U);
  BOOST_TEST(!native.contains("engine"));
  for (const auto& [name, why] : native) BOOST_TEST(why.starts_with("with `engine` native"), name);
  settings.gpu_layers = 0;  // it runs on the CPU anyway
  BOOST_TEST(!idle(settings, Precision::exact).contains("gpu-layers"));
  settings = {};
  for (const CacheType type : {CacheType::f16, CacheType::q8_0}) {
    settings.cache_type = type;
    BOOST_TEST(
        idle(settings, Precision::exact).at("cache-type").starts_with("with `precision` exact"));
    BOOST_TEST(idle(settings, Precision::fast).empty());
  }
  settings.cache_type = CacheType::f32;
  BOOST_TEST(idle(settings, Precision::fast).at("cache-type").starts_with("with `precision` fast"));
}

BOOST_AUTO_TEST_SUITE_END()
