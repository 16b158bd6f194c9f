// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/other_ways.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"
#include "support/gguf_bytes.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(other_ways_suite)

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Tensors with names only, all of the same type.
class Named : public StoredTensors {
 public:
  Named(std::initializer_list<const char*> names, const std::string& type = "I32") {
    for (const char* name : names) {
      tensors_.try_emplace(name, StoredTensor("f", name, type, {1}, ""));
    }
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(commands_can_be_pasted_whatever_the_folder_is_called) {
  BOOST_TEST(shell_word("/models/a-b_1.5") == "/models/a-b_1.5");
  BOOST_TEST(shell_word("my model") == "'my model'");
  BOOST_TEST(shell_word("it's") == "'it'\\''s'");
  BOOST_TEST(shell_word("") == "''");
  BOOST_TEST(shell_word("$HOME;x") == "'$HOME;x'");
  BOOST_TEST(holds(other_ways("/m/new"),
                   "`python3 convert_hf_to_gguf.py /m/new --outtype f32 --outfile /m/new.gguf`"));
  BOOST_TEST(holds(other_ways("/m/new/"), "/m/new/ --outtype f32 --outfile /m/new.gguf`"));
  BOOST_TEST(holds(other_ways("/m/new"), "`vllm serve /m/new`, then set `server`"));
  BOOST_TEST(holds(other_ways("a b"), "--outfile 'a b.gguf'"));
  BOOST_TEST(
      holds(other_ways("."), "convert_hf_to_gguf.py . --outtype f32 --outfile ../model.gguf"));
}

BOOST_AUTO_TEST_CASE(each_method_of_quantising_has_its_way) {
  const auto ways = [](const char* method, bool is_masked = false) {
    return quantized_ways("/m/q", quantization_of(Json{{"quant_method", method}}).method,
                          is_masked);
  };
  for (const char* method : {"gptq", "fp8", "compressed-tensors", "GPTQ"}) {
    BOOST_TEST(holds(ways(method), "convert_hf_to_gguf.py /m/q"), method);
    BOOST_TEST(holds(ways(method), "vllm serve /m/q"), method);
  }
  for (const char* method : {"awq", "hqq", "modelopt", "fbgemm_fp8"}) {
    BOOST_TEST(!holds(ways(method), "convert_hf_to_gguf.py"), method);
    BOOST_TEST(holds(ways(method), "vllm serve /m/q"), method);
  }
  BOOST_TEST(holds(ways("bitsandbytes"),
                   "AutoModelForCausalLM as M; M.from_pretrained('/m/q')."
                   "dequantize().save_pretrained('/m/q-widened')"));
  BOOST_TEST(holds(ways("bitsandbytes"), "vllm serve /m/q"));
  BOOST_TEST(holds(ways("bitsandbytes", true), "AutoModelForMaskedLM as M"));
  BOOST_TEST(!holds(ways("bitsandbytes", true), "vllm"));
  BOOST_TEST(ways("gptq", true) == "fetch the model's F32, F16 or BF16 weights");
  const std::string odd = quantized_ways("it's", Quantization::bitsandbytes, false);
  // A path with a quote is shown as FOLDER, because no quoting style works for it.
  BOOST_TEST(holds(odd, "M.from_pretrained('FOLDER')"));
}

BOOST_AUTO_TEST_CASE(a_configuration_names_its_method) {
  const auto problem = [](const Json& config) {
    return quantized_problem(quantization_of(config));
  };
  BOOST_TEST(problem({{"quant_method", "gptq"}, {"bits", 4}}) ==
             "weights quantised by GPTQ are not supported");
  BOOST_TEST(problem({{"load_in_4bit", true}}) ==
             "weights quantised by bitsandbytes are not supported");
  BOOST_TEST(problem({{"quant_method", "aqlm"}}) == "weights quantised by aqlm are not supported");
  BOOST_TEST(problem({{"quant_method", 3}}) == "weights quantised are not supported");
  BOOST_TEST(problem(Json::array()) == "weights quantised are not supported");
}

BOOST_AUTO_TEST_CASE(tensors_show_a_method_that_no_configuration_names) {
  const auto refuses = [](const StoredTensors& tensors, const std::string& method) {
    BOOST_CHECK_EXCEPTION(refuse_quantized(tensors, "/m/q", false), Error,
                          test::says(Fault::user, "/m/q: weights quantised by " + method +
                                                      " are not supported; fetch"));
  };
  refuses(Named{"l.qweight", "l.qzeros", "l.g_idx", "l.scales"}, "GPTQ");
  refuses(Named{"l.qweight", "l.qzeros", "l.scales"}, "AWQ");
  refuses(Named{"l.weight", "l.weight.absmax"}, "bitsandbytes");
  refuses(Named{"l.weight", "l.SCB"}, "bitsandbytes");
  refuses(Named({"l.weight"}, "F8_E4M3"), "FP8");
  refuse_quantized(Named({"l.weight", "l.bias"}, "F32"), "/m/q", false);
  refuse_quantized(Named({"attn.masked_bias"}, "BOOL"), "/m/q", false);
}

BOOST_AUTO_TEST_SUITE_END()
