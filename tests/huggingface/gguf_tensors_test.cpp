// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/gguf_tensors.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/gguf_bytes.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::bytes_of;
using test::GgufBytes;
using test::says;
using test::text_bytes;

BOOST_AUTO_TEST_SUITE(gguf_tensors_suite)

namespace {

struct Folder : test::TemporaryFolder {
  [[nodiscard]] GgufTensors read(const std::string& bytes) const {
    write("m.gguf", bytes);
    const std::filesystem::path file = path() / "m.gguf";
    return GgufTensors(std::vector{file});
  }
  void refuses(const std::string& bytes, const std::string& words) const {
    BOOST_CHECK_EXCEPTION((void)read(bytes), Error, says(Fault::user, words));
  }
};

std::vector<float> numbers_of(const GgufTensors& tensors, const std::string& name,
                              std::size_t count) {
  std::vector<float> into(count);
  tensors.find(name)->read(0, into);
  return into;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(facts_of_every_type_are_read, Folder) {
  GgufBytes file;
  file.fact("a.u8", 0, bytes_of(std::uint8_t{200}))
      .fact("a.i8", 1, bytes_of(std::int8_t{-3}))
      .fact("a.u16", 2, bytes_of(std::uint16_t{60'000}))
      .fact("a.i16", 3, bytes_of(std::int16_t{-300}))
      .fact("a.u32", 4, bytes_of(std::uint32_t{4'000'000'000U}))
      .fact("a.i32", 5, bytes_of(std::int32_t{-70'000}))
      .fact("a.f32", 6, bytes_of(0.5F))
      .fact("a.flag", 7, bytes_of(std::uint8_t{1}))
      .fact("a.text", 8, text_bytes("llama"))
      .fact("a.list", 9,
            bytes_of(std::uint32_t{5}) + bytes_of(std::uint64_t{2}) + bytes_of(std::int32_t{7}) +
                bytes_of(std::int32_t{-8}))
      .fact("a.u64", 10, bytes_of(std::uint64_t{1} << 40))
      .fact("a.i64", 11, bytes_of(-(std::int64_t{1} << 40)))
      .fact("a.f64", 12, bytes_of(0.1))
      .fact("tokenizer.ggml.tokens", 9,
            bytes_of(std::uint32_t{8}) + bytes_of(std::uint64_t{2}) + text_bytes("a") +
                text_bytes("b"))
      .fact("tokenizer.ggml.scores", 9,
            bytes_of(std::uint32_t{6}) + bytes_of(std::uint64_t{1}) + bytes_of(1.0F));
  const Json facts = read(file.bytes()).facts();
  BOOST_TEST(facts["a.u8"] == 200);
  BOOST_TEST(facts["a.i8"] == -3);
  BOOST_TEST(facts["a.u16"] == 60'000);
  BOOST_TEST(facts["a.i16"] == -300);
  BOOST_TEST(facts["a.u32"] == 4'000'000'000U);
  BOOST_TEST(facts["a.i32"] == -70'000);
  BOOST_TEST(facts["a.f32"] == 0.5);
  BOOST_TEST(facts["a.flag"] == true);
  BOOST_TEST(facts["a.text"] == "llama");
  BOOST_TEST(facts["a.list"] == (Json{7, -8}));
  BOOST_TEST(facts["a.u64"] == std::uint64_t{1} << 40);
  BOOST_TEST(facts["a.i64"] == -(std::int64_t{1} << 40));
  BOOST_TEST(facts["a.f64"] == 0.1);
  BOOST_TEST(facts["tokenizer.ggml.tokens"].is_null());  // the tokenizer's lists are not stored
  BOOST_TEST(facts["tokenizer.ggml.scores"].empty());
}

BOOST_FIXTURE_TEST_CASE(tensors_have_their_slowest_dimension_first_and_their_own_type, Folder) {
  GgufBytes file;
  file.tensor("f32", {3, 2}, 0,
              bytes_of(1.0F) + bytes_of(2.0F) + bytes_of(3.0F) + bytes_of(4.0F) + bytes_of(5.0F) +
                  bytes_of(-6.5F))
      .tensor("f16", {2}, 1, bytes_of(std::uint16_t{0x3C00}) + bytes_of(std::uint16_t{0xC100}))
      .tensor("bf16", {2}, 30, bytes_of(std::uint16_t{0x3F80}) + bytes_of(std::uint16_t{0xC020}))
      .tensor("blocks", {32}, 8, std::string(34, 'q'));
  for (const std::uint32_t version : {2U, 3U}) {
    const GgufTensors made = read(file.bytes(version));
    BOOST_TEST((made.find("f32")->shape() == TensorShape{2, 3}));
    BOOST_TEST((numbers_of(made, "f32", 6) == std::vector<float>{1, 2, 3, 4, 5, -6.5F}));
    BOOST_TEST(made.find("f16")->type() == "F16");
    BOOST_TEST((numbers_of(made, "f16", 2) == std::vector<float>{1, -2.5F}));
    BOOST_TEST(made.find("bf16")->type() == "BF16");
    BOOST_TEST((numbers_of(made, "bf16", 2) == std::vector<float>{1, -2.5F}));
    BOOST_TEST(!made.find("blocks")->is_readable());
    BOOST_TEST(made.find("blocks")->type() == "ggml's type 8");
  }
}

BOOST_FIXTURE_TEST_CASE(a_model_in_parts_has_the_tensors_of_all_and_the_facts_of_the_first,
                        Folder) {
  write("1.gguf", GgufBytes().count("split.no", 0).tensor("a", {1}).bytes());
  write("2.gguf", GgufBytes().count("split.no", 1).tensor("b", {1}, 2.0F).bytes());
  const std::vector<std::filesystem::path> parts{path() / "1.gguf", path() / "2.gguf"};
  const GgufTensors made{parts};
  BOOST_TEST(made.facts()["split.no"] == 0);
  BOOST_TEST((numbers_of(made, "a", 1) == std::vector<float>{0.5F}));
  BOOST_TEST((numbers_of(made, "b", 1) == std::vector<float>{2}));
  write("2.gguf", GgufBytes().tensor("a", {1}).bytes());
  BOOST_CHECK_EXCEPTION(GgufTensors{parts}, Error, says(Fault::user, "2.gguf: a: appears twice"));
}

BOOST_FIXTURE_TEST_CASE(damage_is_refused, Folder) {
  const std::string whole = GgufBytes().count("n", 1).tensor("a", {2, 2}).bytes();
  refuses("", "is empty");
  refuses("GGML" + whole.substr(4), "is not a GGUF file");
  refuses(GgufBytes().bytes(1), "of version 1; plumb reads versions 2 and 3");
  refuses("GGUF" + std::string("\0\0\0\3", 4) + whole.substr(8), "of version 50331648");
  for (std::size_t size = 8; size < whole.size(); ++size) {
    BOOST_CHECK_THROW((void)read(whole.substr(0, size)), Error);
  }
  refuses(whole.substr(0, whole.size() - 1), "a: extends past the end of the file");
  refuses(GgufBytes().count("n", 1).count("n", 1).bytes(), "n: appears twice");
  refuses(GgufBytes().fact("n", 13, "").bytes(), "has a metadata value of unknown type 13");
  refuses(GgufBytes().fact("n", 9, bytes_of(std::uint32_t{9}) + bytes_of(std::uint64_t{1})).bytes(),
          "has a list of lists");
  refuses(
      GgufBytes().fact("n", 9, bytes_of(std::uint32_t{0}) + bytes_of(~std::uint64_t{0})).bytes(),
      "ends within its header");
  refuses(GgufBytes().fact("n", 8, bytes_of(~std::uint64_t{0})).bytes(), "ends within its header");
  refuses(GgufBytes().count("general.alignment", 0).bytes(), "general.alignment: is 0");
  refuses(GgufBytes().tensor("a", {1, 1, 1, 1, 1}).bytes(), "a: has more than four dimensions");
  const std::uint64_t large = std::uint64_t{1} << 33;
  refuses(GgufBytes().tensor("a", {large, large}, 0, "").bytes(),
          "a: has a shape that is too large");
  refuses(GgufBytes().tensor("a", {large}, 0, "abcd").bytes(), "a: extends past the end");
}

BOOST_AUTO_TEST_SUITE_END()
