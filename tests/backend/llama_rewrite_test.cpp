// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/backend/llama_rewrite.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

BOOST_AUTO_TEST_SUITE(llama_rewrite_suite)

namespace {

using plumb::detail::Fault;
using plumb::detail::GgufModel;
using plumb::detail::GgufRewrite;
using plumb::detail::test::says;
using plumb::detail::test::TemporaryFolder;
using plumb::detail::test::TinyGguf;

constexpr plumb::detail::GgufTarget f32{GGML_TYPE_F32, 0};

std::filesystem::path rewritten(const std::filesystem::path& from, const std::filesystem::path& to,
                                plumb::detail::GgufTarget target = f32) {
  const GgufModel model(from);
  GgufRewrite(model, target).write(to);
  return to;
}

/// The data bytes of each tensor, read at its offset in the file, keyed by name and type.
std::map<std::string, std::string> numbers_of(const std::filesystem::path& path) {
  const plumb::detail::GgufFile file(path);
  const std::string bytes = plumb::detail::test::slurp(path);
  std::map<std::string, std::string> all;
  for (std::size_t i = 0; i < file.tensors(); ++i) {
    const ggml_tensor& tensor = file.tensor(i);
    all[std::string(tensor.name) + " " + ggml_type_name(tensor.type)] =
        bytes.substr(file.place(i), ggml_nbytes(&tensor));
  }
  return all;
}

}  // namespace

// The oracle is the same model with its numbers truncated to BF16 but stored as F32.
BOOST_AUTO_TEST_CASE(bf16_widens_to_the_same_numbers) {
  const TemporaryFolder folder;
  const auto half = TinyGguf({}).cut_to_bf16(true).write(folder / "half.gguf");
  const auto oracle = TinyGguf({}).cut_to_bf16(false).write(folder / "oracle.gguf");
  const auto made = rewritten(half, folder / "made.gguf");
  BOOST_TEST((numbers_of(made) == numbers_of(oracle)));
  BOOST_TEST((numbers_of(half) != numbers_of(oracle)));
  BOOST_TEST(!std::filesystem::exists(folder / "made.gguf.part"));
}

BOOST_AUTO_TEST_CASE(parts_become_one_file) {
  const TemporaryFolder folder;
  TinyGguf tiny({});
  tiny.cut_to_bf16(true);
  const auto made = rewritten(tiny.write_parts(folder / "m", 4), folder / "made.gguf");
  BOOST_TEST(numbers_of(made) ==
             numbers_of(TinyGguf({}).cut_to_bf16(false).write(folder / "oracle.gguf")));
  const plumb::detail::GgufFile file(made);
  BOOST_TEST(!file.whole_number("split.count"));
  BOOST_TEST(!file.whole_number("split.no"));
  BOOST_TEST(file.text("general.architecture").value() == "llama");
}

BOOST_AUTO_TEST_CASE(its_size_is_known_before_it_is_written) {
  const TemporaryFolder folder;
  const auto whole = TinyGguf({}).write(folder / "m.gguf");
  for (const plumb::detail::GgufTarget target : {f32, plumb::detail::GgufTarget{GGML_TYPE_F16, 1},
                                                 plumb::detail::GgufTarget{GGML_TYPE_Q8_0, 7}}) {
    const GgufModel model(whole);
    const GgufRewrite rewrite(model, target);
    rewrite.write(folder / "made.gguf");
    BOOST_TEST(rewrite.bytes() == std::filesystem::file_size(folder / "made.gguf"));
    BOOST_TEST(
        plumb::detail::GgufFile(folder / "made.gguf").whole_number("general.file_type").value() ==
        target.file_type);
    BOOST_TEST(GgufModel(folder / "made.gguf").weight_types().only(target.type));
  }
}

// Worked out by hand: in IEEE 754 half precision, 0x3555 is 1365 / 4096, the number nearest to a
// third.
BOOST_AUTO_TEST_CASE(numbers_are_rounded_to_the_type_that_is_asked) {
  const TemporaryFolder folder;
  const auto path = TinyGguf({}).write(folder / "m.gguf");
  std::string bytes = plumb::detail::test::slurp(path);
  const float third = 1.0F / 3.0F;
  std::memcpy(bytes.data() + plumb::detail::GgufFile(path).place(0), &third, sizeof third);
  const auto changed = folder.write("third.gguf", bytes);
  const auto half = rewritten(changed, folder / "half.gguf", {GGML_TYPE_F16, 1});
  BOOST_TEST(numbers_of(half).at("token_embd.weight f16").substr(0, 2) == "\x55\x35");
  const auto back = rewritten(half, folder / "back.gguf");
  float number = 0;
  std::memcpy(&number, numbers_of(back).at("token_embd.weight f32").data(), sizeof number);
  BOOST_TEST(number == 1365.0F / 4096.0F);
  // Norms stay in F32.
  BOOST_TEST(numbers_of(half).contains("output_norm.weight f32"));
}

BOOST_AUTO_TEST_CASE(file_with_a_custom_alignment_is_read_correctly) {
  const TemporaryFolder folder;
  const auto path = TinyGguf({}).write(folder / "m.gguf");
  // The file is written with an alignment of 64 bytes, but the size of every tensor here is already
  // a multiple of 64.
  const auto wide =
      TinyGguf({})
          .edit([](gguf_context* to) { gguf_set_val_u32(to, "general.alignment", 32); })
          .write(folder / "wide.gguf");
  BOOST_TEST((numbers_of(rewritten(wide, folder / "made.gguf")) == numbers_of(path)));
  BOOST_TEST(!plumb::detail::GgufFile(folder / "made.gguf").whole_number("general.alignment"));
}

BOOST_AUTO_TEST_CASE(failed_rewrite_leaves_no_file) {
  const TemporaryFolder folder;
  const auto path = TinyGguf({}).write(folder / "m.gguf");
  const std::string bytes = plumb::detail::test::slurp(path);
  const auto cut = folder.write("cut.gguf", bytes.substr(0, bytes.size() - 5000));
  BOOST_CHECK_EXCEPTION(rewritten(cut, folder / "made.gguf"), plumb::detail::Error,
                        says(Fault::user, "extends past the end of the file, which is truncated"));
  BOOST_CHECK_EXCEPTION(rewritten(path, folder / "absent/made.gguf"), plumb::detail::Error,
                        says(Fault::user, "cannot be created"));
  BOOST_CHECK_EXCEPTION(rewritten(path, "/dev/full/made.gguf"), plumb::detail::Error,
                        says(Fault::user, "cannot be created"));
  BOOST_TEST(!std::filesystem::exists(folder / "made.gguf"));
  BOOST_TEST(!std::filesystem::exists(folder / "made.gguf.part"));
}

BOOST_AUTO_TEST_SUITE_END()
