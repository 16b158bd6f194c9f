// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/safetensors.hpp"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/gguf_bytes.hpp"
#include "support/stored_weights.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::floats;
using test::says;
using test::stored;

BOOST_AUTO_TEST_SUITE(safetensors)

namespace {

/// 16-bit numbers, little-endian.
std::string halves(const std::vector<std::uint16_t>& values) {
  std::string bytes;
  for (const std::uint16_t bits : values) {
    bytes += static_cast<char>(bits & 0xFF);
    bytes += static_cast<char>(bits >> 8);
  }
  return bytes;
}

std::string entry(const std::string& name, const std::string& type, const std::string& shape,
                  std::size_t first, std::size_t last) {
  return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
         std::to_string(first) + "," + std::to_string(last) + "]}";
}

struct Folder : test::TemporaryFolder {
  /// Checks that a model file with these bytes is rejected with this message.
  void refuses(const std::string& bytes, const std::string& words) const {
    write("model.safetensors", bytes);
    refuses_it(words);
  }
  void refuses_it(const std::string& words) const {
    BOOST_CHECK_EXCEPTION(Safetensors{path()}, Error, says(Fault::user, words));
  }
};

std::vector<float> numbers_of(const Safetensors& tensors, const std::string& name,
                              std::size_t first, std::size_t count) {
  std::vector<float> into(count);
  tensors.find(name)->read(first, into);
  return into;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(tensors_are_read_as_single_precision, Folder) {
  write(
      "model.safetensors",
      stored("{" + entry("a", "F32", "[2,3]", 0, 24) + "," + entry("h", "F16", "[4]", 24, 32) +
                 "," + entry("b", "BF16", "[2]", 32, 36) + "," +
                 entry("ids", "I64", "[1,1]", 36, 44) + "," + entry("new", "F9", "[5]", 44, 45) +
                 "," + entry("d", "F64", "[2]", 45, 61) + ",\"__metadata__\":{\"format\":\"pt\"}}",
             floats({1, 2, 3, 4, -5, 0.5F}) + halves({0x3C00, 0xC000, 0x0001, 0x7BFF}) +
                 halves({0x3F80, 0xC040}) + std::string(9, '\0') + test::bytes_of(0.1) +
                 test::bytes_of(-2.5)));
  const Safetensors tensors(path());
  BOOST_TEST(tensors.tensors().size() == 6U);
  BOOST_TEST(numbers_of(tensors, "d", 0, 2) == (std::vector<float>{0.1F, -2.5F}));
  BOOST_TEST(numbers_of(tensors, "a", 2, 3) == (std::vector<float>{3, 4, -5}));
  BOOST_TEST(numbers_of(tensors, "h", 0, 4) ==
             (std::vector<float>{1, -2, std::ldexp(1.0F, -24), 65504}));
  BOOST_TEST(numbers_of(tensors, "b", 0, 2) == (std::vector<float>{1, -3}));
  BOOST_TEST((tensors.find("a")->shape() == TensorShape{2, 3}));
  BOOST_TEST(!tensors.find("ids")->is_readable());
  BOOST_TEST(!tensors.find("new")->is_readable());
  BOOST_TEST(tensors.find("none") == nullptr);
}

BOOST_FIXTURE_TEST_CASE(numbers_that_are_not_finite_are_refused_by_name, Folder) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  write("model.safetensors",
        stored("{" + entry("a", "F32", "[3]", 0, 12) + "," + entry("h", "F16", "[2]", 12, 16) +
                   "," + entry("b", "BF16", "[1]", 16, 18) + "}",
               floats({1, 2, nan}) + halves({0x3C00, 0x7C00}) + halves({0xFF80})));
  const Safetensors tensors(path());
  const auto refuses = [&](const char* name, std::size_t count, const char* words) {
    BOOST_CHECK_EXCEPTION(numbers_of(tensors, name, 0, count), Error, says(Fault::user, words));
  };
  refuses("a", 3, "a: number 2 is NaN");
  refuses("h", 2, "h: number 1 is infinite");
  refuses("b", 1, "b: number 0 is infinite");
  BOOST_TEST(numbers_of(tensors, "a", 0, 2) == (std::vector<float>{1, 2}));
}

BOOST_FIXTURE_TEST_CASE(damaged_files_are_refused, Folder) {
  const std::string two = floats({1, 2});
  refuses("", "is empty");
  refuses("1234567", "is too short for a safetensors file");
  refuses(std::string("\xFF\0\0\0\0\0\0\0{}", 10), "claims a header of 255 bytes but has 2");
  refuses(std::string(8, '\xFF') + "{}", "claims a header of 18446744073709551615 bytes");
  refuses(stored("{", ""), "its header is not JSON");
  refuses(stored("[]", ""), "its header is not an object");
  refuses(stored("{\"a\":1}", ""), "a: lacks a dtype");
  refuses(stored("{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", two),
          "a: lacks a dtype, a shape or two data_offsets");
  refuses(stored("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]}}", two),
          "a: lacks a dtype, a shape or two data_offsets");
  refuses(stored("{" + entry("a", "F32", "[2]", 0, 8) + "}", two.substr(0, 7)),
          "a: is at bytes 0 to 8 of 7; the file is truncated or damaged");
  refuses(stored("{" + entry("a", "F32", "[2]", 8, 0) + "}", two), "a: is at bytes 8 to 0");
  refuses(stored("{" + entry("a", "F32", "[3]", 0, 8) + "}", two), "a: has 8 bytes for F32 [3]");
  refuses(stored("{" + entry("a", "F32", "[4294967296,4294967296,4294967296]", 0, 8) + "}", two),
          "a: has a shape that is too large");
  refuses(stored("{" + entry("a", "F32", "[1]", 0, 4) + "," + entry("b", "F32", "[2]", 0, 8) + "}",
                 two),
          "has tensors that overlap");
  refuses(stored("{" + entry("a", "F32", "[1]", 4, 8) + "}", two), "belong to no tensor");
  refuses(stored("{" + entry("a", "F32", "[1]", 0, 4) + "}", two), "belong to no tensor");
  refuses(stored("{" + entry("a", "F32", "[1]", 0, 4) + "," + entry("a", "F32", "[1]", 4, 8) + "}",
                 two),
          "a: appears twice");
}

BOOST_FIXTURE_TEST_CASE(shards_are_read_together, Folder) {
  const std::string one = floats({1}), index = "model.safetensors.index.json";
  write("1.safetensors", stored("{" + entry("a", "F32", "[1]", 0, 4) + "}", one));
  write(index, R"({"weight_map":{"a":"1.safetensors","b":"2.safetensors"}})");
  refuses_it("2.safetensors: is missing; model.safetensors.index.json lists it");
  write("2.safetensors", stored("{" + entry("a", "F32", "[1]", 0, 4) + "}", one));
  refuses_it("2.safetensors: a: appears in 1.safetensors too");
  write("2.safetensors", stored("{" + entry("c", "F32", "[1]", 0, 4) + "}", one));
  refuses_it("2.safetensors: b: is missing; ");
  write("2.safetensors", stored("{" + entry("b", "F32", "[1]", 0, 4) + "}", floats({2})));
  const Safetensors tensors(path());
  BOOST_TEST(numbers_of(tensors, "a", 0, 1) == std::vector<float>{1});
  BOOST_TEST(numbers_of(tensors, "b", 0, 1) == std::vector<float>{2});
  write(index, R"({"weight_map":{"a":"../1.safetensors"}})");
  refuses_it("a: does not name a file in the same folder");
  // The file name is too long.
  write(index, R"({"weight_map":{"a":")" + std::string(300, 'x') + R"("}})");
  refuses_it("xxx: is missing; model.safetensors.index.json lists it");
  write(index, R"({"weight_map":3})");
  refuses_it("weight_map: is missing or not an object");
}

// Two experts with inner size 1, for rows of 2 numbers.
BOOST_FIXTURE_TEST_CASE(fused_experts_get_the_names_of_single_ones, Folder) {
  write("model.safetensors",
        stored(std::vector<test::PlainTensor>{
            {"m.mlp.experts.gate_up_proj", {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}},
            {"m.mlp.experts.down_proj", {2, 2, 1}, {11, 12, 13, 14}},
            {"m.mlp.gate.weight", {2, 2}, {1, 0, 0, 1}}}));
  const Safetensors tensors(path());
  const std::string second = "m.block_sparse_moe.experts.1.";
  BOOST_TEST(numbers_of(tensors, second + "w1.weight", 0, 2) == (std::vector<float>{5, 6}));
  BOOST_TEST(numbers_of(tensors, second + "w3.weight", 0, 2) == (std::vector<float>{7, 8}));
  BOOST_TEST(numbers_of(tensors, second + "w2.weight", 0, 2) == (std::vector<float>{13, 14}));
  BOOST_TEST((tensors.find(second + "w2.weight")->shape() == TensorShape{2, 1}));
  BOOST_TEST((tensors.find(second + "w1.weight")->shape() == TensorShape{1, 2}));
  BOOST_TEST(tensors.tensors().size() == 7U);
  BOOST_TEST(tensors.find("m.block_sparse_moe.gate.weight") != nullptr);
}

BOOST_FIXTURE_TEST_CASE(git_lfs_pointer_is_rejected, Folder) {
  refuses("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1234\n",
          "model.safetensors: is a Git LFS pointer, not the file itself; run 'git lfs pull'");
}

BOOST_FIXTURE_TEST_CASE(other_weights_are_refused_with_the_remedy, Folder) {
  refuses_it("has neither model.safetensors nor its index");
  write("pytorch_model.bin", "pickled");
  refuses_it(
      "is a pickled checkpoint, which plumb does not read; convert it: python3 -c \"import torch");
}

BOOST_AUTO_TEST_SUITE_END()
