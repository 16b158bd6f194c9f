// SPDX-License-Identifier: Apache-2.0

// How does the way in which llama.cpp's threads wait for each other affect its speed?
//
//   thread_waiting MODEL.gguf THREADS STEPS [POLL]
// Evaluates STEPS steps of 256 tokens, the size of most steps of a pack, and 8 · STEPS steps of 8
// tokens, the size of a pack's last step. Prints the seconds for both as a JSON list. With POLL (0
// to 100), the threads belong to ggml's own pool with that polling level, as in a llama.cpp built
// without OpenMP. Without POLL, llama.cpp uses OpenMP's threads, which wait as GOMP_SPINCOUNT and
// OMP_WAIT_POLICY specify.

#include <ggml-cpu.h>
#include <llama.h>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace {

double seconds(llama_context* context, std::int32_t tokens, int steps) {
  std::vector<llama_token> ids(static_cast<std::size_t>(tokens), 100);
  const auto step = [&] {
    llama_memory_clear(llama_get_memory(context), false);
    return llama_decode(context, llama_batch_get_one(ids.data(), tokens)) == 0;
  };
  if (!step()) return -1;  // the first call allocates memory
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) step();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: thread_waiting MODEL.gguf THREADS STEPS [POLL]\n";
    return 2;
  }
  const int threads = std::stoi(argv[2]), steps = std::stoi(argv[3]);
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  llama_model* const model = llama_model_load_from_file(argv[1], llama_model_default_params());
  if (model == nullptr) return 2;
  llama_context_params params = llama_context_default_params();
  params.n_ctx = params.n_batch = params.n_ubatch = 256;
  params.n_threads = params.n_threads_batch = threads;
  params.type_k = params.type_v = GGML_TYPE_F32;
  params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
  llama_context* const context = llama_init_from_model(model, params);
  ggml_threadpool* pool = nullptr;
  if (argc > 4) {
    ggml_threadpool_params of_pool = ggml_threadpool_params_default(threads);
    of_pool.poll = static_cast<std::uint32_t>(std::stoul(argv[4]));
    pool = ggml_threadpool_new(&of_pool);
    llama_attach_threadpool(context, pool, pool);
  }
  std::cout << "[" << seconds(context, 256, steps) << ", " << seconds(context, 8, steps * 8)
            << "]\n";
  llama_free(context);
  if (pool != nullptr) ggml_threadpool_free(pool);
  llama_model_free(model);
}
