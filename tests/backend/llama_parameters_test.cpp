// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/llama_parameters.hpp"

// These tests do not need a GPU: they check the parameters that llama.cpp would receive on a
// machine with one, without running it.

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(llama_parameters)

namespace {

LlamaOptions with(EngineOptions engine, Precision precision = Precision::exact) {
  LlamaOptions options{"m.gguf", precision, 3};
  options.engine = std::move(engine);
  return options;
}

void refused(const EngineOptions& engine, const std::string& gpu, const std::string& message) {
  BOOST_CHECK_EXCEPTION(LlamaParameters(with(engine), gpu), Error, says(Fault::user, message));
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_a_gpu_all_is_on_the_cpu) {
  LlamaParameters made(with({}), "");
  BOOST_TEST(made.device() == "CPU");
  BOOST_TEST(!made.on_gpu());
  BOOST_TEST(made.pack() == 256U);
  const llama_model_params model = made.of_model();
  BOOST_TEST(model.n_gpu_layers == 0);
  BOOST_TEST(model.devices == nullptr);
  const llama_context_params context = made.of_context(2048, 7);
  BOOST_TEST(context.n_ctx == 2048U);
  BOOST_TEST(context.n_batch == 256U);
  BOOST_TEST(context.n_ubatch == 256U);
  BOOST_TEST(context.n_seq_max == 7U);
  BOOST_TEST(context.n_threads == 3);
  BOOST_TEST(context.n_threads_batch == 3);
  BOOST_TEST(context.kv_unified);
  BOOST_TEST(context.swa_full);
  BOOST_TEST(!context.offload_kqv);
  BOOST_TEST(!context.op_offload);
}

BOOST_AUTO_TEST_CASE(a_gpu_gets_all_layers_and_larger_steps) {
  LlamaParameters made(with({}), "CUDA");
  BOOST_TEST(made.device() == "CUDA");
  BOOST_TEST(made.pack() == 1024U);
  BOOST_TEST(made.of_model().n_gpu_layers < 0);  // negative means all layers, as in llama.h
  BOOST_TEST(made.of_model().tensor_split == nullptr);
  const llama_context_params context = made.of_context(4096, 256);
  BOOST_TEST(context.n_batch == 1024U);
  BOOST_TEST(context.n_ubatch == 1024U);
  BOOST_TEST(context.offload_kqv);
  BOOST_TEST(context.op_offload);
}

BOOST_AUTO_TEST_CASE(gpu_options_are_passed_to_llama_cpp) {
  EngineOptions engine;
  engine.gpu_layers = 12;
  engine.main_gpu = 1;
  engine.tensor_split = {3, 1};
  engine.pack = 40;
  const llama_split_mode modes[] = {LLAMA_SPLIT_MODE_NONE, LLAMA_SPLIT_MODE_LAYER,
                                    LLAMA_SPLIT_MODE_ROW};
  for (const SplitMode mode : every(SplitMode{})) {
    engine.split_mode = mode;
    LlamaParameters made(with(engine), "Vulkan");
    const llama_model_params model = made.of_model();
    BOOST_TEST(model.n_gpu_layers == 12);
    BOOST_TEST(model.main_gpu == 1);
    BOOST_TEST(model.split_mode == modes[static_cast<std::size_t>(mode)]);
    BOOST_TEST(model.tensor_split[0] == 3);
    BOOST_TEST(model.tensor_split[1] == 1);
    for (std::size_t i = 2; i < llama_max_devices(); ++i) BOOST_TEST(model.tensor_split[i] == 0);
    BOOST_TEST(made.pack() == 40U);
  }
  engine.gpu_layers = std::size_t{1} << 40;
  BOOST_TEST(LlamaParameters(with(engine), "Vulkan").of_model().n_gpu_layers == 0x7FFFFFFF);
}

BOOST_AUTO_TEST_CASE(zero_gpu_layers_leave_the_gpu_unused) {
  EngineOptions engine;
  engine.gpu_layers = 0;
  LlamaParameters made(with(engine), "CUDA");
  BOOST_TEST(made.device() == "CPU");
  BOOST_TEST(made.pack() == 256U);
  const llama_model_params model = made.of_model();
  BOOST_REQUIRE(model.devices != nullptr);
  BOOST_TEST(model.devices[0] == nullptr);  // an empty list
  BOOST_TEST(model.n_gpu_layers == 0);
  BOOST_TEST(!made.of_context(256, 1).op_offload);
  // The computation runs on the CPU anyway.
  BOOST_CHECK_NO_THROW(LlamaParameters(with(engine), ""));
}

BOOST_AUTO_TEST_CASE(choices_without_effect_are_refused) {
  EngineOptions layers, main_gpu, mode, shares;
  layers.gpu_layers = 1;
  main_gpu.main_gpu = 0;
  mode.split_mode = SplitMode::row;
  shares.tensor_split = {1, 1};
  const std::string none =
      "this llama.cpp cannot use a GPU; build it for a GPU (PLUMB_LLAMA_BACKEND)";
  refused(layers, "", "`gpu-layers`: " + none);
  refused(main_gpu, "", "`main-gpu`: " + none);
  refused(mode, "", "`split-mode`: " + none);
  refused(shares, "", "`tensor-split`: " + none);
  main_gpu.gpu_layers = mode.gpu_layers = shares.gpu_layers = 0;
  refused(main_gpu, "CUDA", "`main-gpu`: has no effect with `gpu-layers` 0");
  refused(mode, "CUDA", "`split-mode`: has no effect with `gpu-layers` 0");
  refused(shares, "CUDA", "`tensor-split`: has no effect with `gpu-layers` 0");
  EngineOptions few;
  few.pack = 31;
  refused(few, "", "`pack`: is 31, but must be at least 32");
  EngineOptions many;
  many.tensor_split.assign(llama_max_devices() + 1, 1);
  refused(many, "CUDA", "`tensor-split`: has " + std::to_string(many.tensor_split.size()));
  many.tensor_split.pop_back();
  BOOST_CHECK_NO_THROW(LlamaParameters(with(many), "CUDA"));
}

BOOST_AUTO_TEST_CASE(exact_scores_keep_an_f32_cache_and_no_flash_attention) {
  const auto context = [](std::optional<CacheType> type, Precision precision) {
    EngineOptions engine;
    engine.cache_type = type;
    return LlamaParameters(with(engine, precision), "").of_context(256, 1);
  };
  for (const auto said : {std::optional<CacheType>(), std::optional(CacheType::f32)}) {
    const auto exact = context(said, Precision::exact);
    BOOST_TEST(exact.type_k == GGML_TYPE_F32);
    BOOST_TEST(exact.type_v == GGML_TYPE_F32);
    BOOST_TEST(exact.flash_attn_type == LLAMA_FLASH_ATTN_TYPE_DISABLED);
  }
  const auto fast = context({}, Precision::fast);
  BOOST_TEST(fast.type_k == GGML_TYPE_F16);
  BOOST_TEST(fast.flash_attn_type == LLAMA_FLASH_ATTN_TYPE_ENABLED);
  BOOST_TEST(context(CacheType::f16, Precision::fast).type_v == GGML_TYPE_F16);
  BOOST_CHECK_EXCEPTION((void)context(CacheType::f32, Precision::fast), Error,
                        says(Fault::user, "`cache-type`: f32 has no effect on fast scores"));
  BOOST_CHECK_EXCEPTION((void)context({}, Precision::bf16), Error,
                        says(Fault::user, "`precision`: bf16 is only for Hugging Face folders"));
  BOOST_TEST(context(CacheType::q8_0, Precision::fast).type_k == GGML_TYPE_Q8_0);
  for (const CacheType type : {CacheType::f16, CacheType::q8_0}) {
    EngineOptions engine;
    engine.cache_type = type;
    refused(engine, "",
            "`cache-type`: " + std::string(name_of(type)) +
                " is not allowed for exact "
                "scores");
  }
}

BOOST_AUTO_TEST_CASE(a_build_without_gpus_has_no_kind_of_them) {
  BOOST_TEST(llama_gpu_kind().empty() == !llama_supports_gpu_offload());
}

BOOST_AUTO_TEST_SUITE_END()
