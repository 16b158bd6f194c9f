// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/weight_reader.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <string>
#include <vector>

#include "plumb/detail/huggingface/safetensors.hpp"
#include "support/errors.hpp"
#include "support/stored_weights.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(weight_reader)

namespace {

struct Folder : test::TemporaryFolder {
  std::filesystem::path file = write(
      "model.safetensors", test::stored({{"m.a.weight", {2, 3}, {1, 2, 3, 4, 5, 6}},
                                         {"m.a.bias", {2}, {7, 8}},
                                         {"m.x.LayerNorm.gamma", {2}, {1, 2}},
                                         {"m.x.LayerNorm.beta", {2}, {3, 4}},
                                         {"copy", {2, 3}, {1, 2, 3, 4, 5, 6}},
                                         {"other", {2, 3}, {1, 2, 3, 4, 5, 7}},
                                         {"bad", {1}, {std::numeric_limits<float>::infinity()}}}));
  Safetensors tensors{path()};
  WeightReader reader{tensors, path(), {"m."}};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_prefix_may_be_there_or_not, Folder) {
  BOOST_TEST(reader.find("a.bias") == tensors.find("m.a.bias"));
  BOOST_TEST(reader.find("copy") == tensors.find("copy"));
  BOOST_TEST(reader.find("none") == nullptr);
  const WeightReader none(tensors, path(), {"n."});
  BOOST_TEST(none.find("a.bias") == nullptr);
  const WeightReader several(tensors, path(), std::vector<std::string>{"m.x.", "m."});
  BOOST_TEST(several.find("a.bias") == tensors.find("m.a.bias"));
  BOOST_TEST(several.find("LayerNorm.bias") == tensors.find("m.x.LayerNorm.beta"));
}

BOOST_FIXTURE_TEST_CASE(old_layer_norms_have_gamma_and_beta, Folder) {
  const Norm norm = reader.norm("x.LayerNorm", 2, {.epsilon = 0.25F});
  BOOST_TEST(norm.weight == (std::vector<float>{1, 2}));
  BOOST_TEST(norm.bias == (std::vector<float>{3, 4}));
  BOOST_TEST(norm.epsilon == 0.25F);
  const NormShape bare{.has_weight = false, .has_bias = false};
  BOOST_TEST(reader.norm("absent", 2, bare).weight.empty());
  const NormShape from_one{.kind = NormKind::rms, .has_bias = false, .weight_offset = 1};
  BOOST_TEST(reader.norm("x.LayerNorm", 2, from_one).weight == (std::vector<float>{2, 3}));
}

BOOST_FIXTURE_TEST_CASE(products_are_stored_by_output_or_by_input, Folder) {
  const std::vector<float> row{1, 10, 100};
  std::vector<float> out(2);
  reader.linear("a", 2, 3).multiply(row.data(), 1, 3, out.data(), 2);
  BOOST_TEST(out == (std::vector<float>{328, 662}));  // 1 + 20 + 300 + 7 and 4 + 50 + 600 + 8
  std::vector<float> wide(3);
  reader.linear("a", 3, 2, false, WeightOrder::by_input).multiply(row.data(), 1, 2, wide.data(), 3);
  BOOST_TEST(wide == (std::vector<float>{41, 52, 63}));
}

BOOST_FIXTURE_TEST_CASE(missing_or_mismatched_tensors_are_named, Folder) {
  const auto refuses = [&](const std::string& name, const TensorShape& shape, const char* words) {
    BOOST_CHECK_EXCEPTION((void)reader.need(name, shape), Error, says(Fault::user, words));
  };
  refuses("none", {4, 5}, "none: the tensor is missing; it must have the shape [4, 5]");
  refuses("a.bias", {3}, "model.safetensors: m.a.bias: has the shape [2] instead of [3]");
  refuses("a.bias", {2, 1}, "m.a.bias: has the shape [2] instead of [2, 1]");
  BOOST_CHECK_EXCEPTION((void)reader.vector("bad", 1), Error,
                        says(Fault::user, "bad: number 0 is infinite"));
  write("integers/model.safetensors",
        test::stored(R"({"i":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", "12345678"));
  const Safetensors integers(path() / "integers");
  BOOST_CHECK_EXCEPTION((void)WeightReader(integers, path(), {}).need("i", {1}), Error,
                        says(Fault::user, "i: has numbers of type I64; plumb reads F64, F32, F16"));
}

// Sizes in a config.json do not trigger an allocation: all of these exceed any machine's memory.
BOOST_FIXTURE_TEST_CASE(sizes_that_are_not_the_files_are_refused_before_they_take_room, Folder) {
  constexpr std::size_t most = 0x7FFFFFFF;
  const char* words = "instead of [2147483647";
  BOOST_CHECK_EXCEPTION((void)reader.vector("a.bias", most), Error, says(Fault::user, words));
  BOOST_CHECK_EXCEPTION((void)reader.rows("a.weight", most, most), Error, says(Fault::user, words));
  BOOST_CHECK_EXCEPTION((void)reader.linear("a", most, most), Error, says(Fault::user, words));
  BOOST_CHECK_EXCEPTION((void)reader.matrix("copy", most, most, WeightOrder::by_input), Error,
                        says(Fault::user, words));
}

BOOST_FIXTURE_TEST_CASE(tied_weights_may_be_stored_under_either_name, Folder) {
  BOOST_TEST(reader.stored("a.weight", "copy") == "a.weight");  // both names are in the file
  BOOST_TEST(reader.stored("absent", "copy") == "copy");
  BOOST_TEST(reader.stored("a.weight", "absent") == "a.weight");
  BOOST_TEST(reader.stored("absent", "gone") == "absent");
}

BOOST_FIXTURE_TEST_CASE(tied_copies_must_be_equal, Folder) {
  reader.check_tied("absent", "a.weight", {2, 3});
  reader.check_tied("copy", "a.weight", {2, 3});
  reader.check_tied("a.bias", "a.bias", {2});
  BOOST_CHECK_EXCEPTION(reader.check_tied("a.bias", "x.LayerNorm.bias", {2}), Error,
                        says(Fault::user, "m.a.bias: differs from m.x.LayerNorm.beta"));
  BOOST_CHECK_EXCEPTION(reader.check_tied("other", "a.weight", {2, 3}), Error,
                        says(Fault::user, "other: differs from m.a.weight"));
}

BOOST_AUTO_TEST_SUITE_END()
