// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/backend/llama_file.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "plumb/detail/backend/llama_log.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

BOOST_AUTO_TEST_SUITE(llama_file_suite)

namespace {

using plumb::detail::Fault;
using plumb::detail::GgufFile;
using plumb::detail::GgufModel;
using plumb::detail::test::says;
using plumb::detail::test::TemporaryFolder;
using plumb::detail::test::TinyGguf;

}  // namespace

BOOST_AUTO_TEST_CASE(metadata_and_tensors_are_read) {
  const TemporaryFolder folder;
  const GgufFile file(TinyGguf({})
                          .edit([](gguf_context* to) {
                            gguf_set_val_i32(to, "minus", -3);
                            gguf_set_val_bool(to, "no", false);
                            gguf_set_val_u16(to, "short", 65'535);
                          })
                          .write(folder / "m.gguf"));
  BOOST_TEST(file.text("general.architecture").value() == "llama");
  BOOST_TEST(!file.text("minus"));
  BOOST_TEST(!file.text("absent"));
  BOOST_TEST(file.whole_number("llama.context_length").value() == 512);
  BOOST_TEST(file.whole_number("minus").value() == -3);
  BOOST_TEST(file.whole_number("no").value() == 0);
  BOOST_TEST(file.whole_number("short").value() == 65'535);
  BOOST_TEST(!file.whole_number("general.architecture"));
  BOOST_TEST(file.tensors() == 20U);  // embeddings, a norm, and nine tensors in each of two layers
  BOOST_TEST(file.tensor(0).name == "token_embd.weight");
  BOOST_TEST(file.tensor(0).ne[0] == 32);
  // The offset in the file points to the first number of the embeddings.
  const std::string bytes = plumb::detail::test::slurp(file.path());
  BOOST_TEST(file.place(0) % 32 == 0U);
  BOOST_TEST(file.place(file.tensors() - 1) + ggml_nbytes(&file.tensor(file.tensors() - 1)) <=
             bytes.size());
}

BOOST_AUTO_TEST_CASE(what_is_no_gguf_file_is_refused) {
  const TemporaryFolder folder;
  const plumb::detail::LlamaLog quiet;
  BOOST_CHECK_EXCEPTION(GgufModel(folder / "absent.gguf"), plumb::detail::Error,
                        says(Fault::user, "absent.gguf: is not a file"));
  BOOST_CHECK_EXCEPTION(GgufModel(folder.write("a.gguf", "GGUF and no more")), plumb::detail::Error,
                        says(Fault::user, "a.gguf: is not a GGUF file, or is damaged"));
}

BOOST_AUTO_TEST_CASE(types_of_weights_are_those_of_the_matrices) {
  const TemporaryFolder folder;
  const auto types = [&](TinyGguf& tiny) {
    return GgufModel(tiny.write(folder / "m.gguf")).weight_types();
  };
  TinyGguf plain({});
  BOOST_TEST(types(plain).names() == "F32");
  BOOST_TEST(types(plain).only(GGML_TYPE_F32));
  BOOST_TEST(!types(plain).half());
  // general.file_type still specifies F32.
  TinyGguf half({});
  half.cut_to_bf16(true);
  BOOST_TEST(types(half).names() == "BF16");
  BOOST_TEST(types(half).half());
  BOOST_TEST(!types(half).quantized());
  TinyGguf some({});
  some.cut_to_bf16(true, "blk.1.attn_q");
  BOOST_TEST(types(some).names() == "F32 and BF16");
  BOOST_TEST(types(some).half());
  BOOST_TEST(!types(some).only(GGML_TYPE_F32));

  plumb::detail::GgufWeightTypes mixed;
  mixed.numbers[GGML_TYPE_BF16] = 100;
  mixed.numbers[GGML_TYPE_Q8_0] = 200;
  BOOST_TEST(mixed.quantized());
  BOOST_TEST(!mixed.half());
  BOOST_TEST(mixed.names() == "Q8_0 and BF16");
}

BOOST_AUTO_TEST_CASE(a_model_is_all_its_parts) {
  const TemporaryFolder folder;
  const TinyGguf tiny({});
  const auto first = tiny.write_parts(folder / "m", 3);
  const GgufModel model(first);
  BOOST_REQUIRE(model.files().size() == 3U);
  BOOST_TEST(model.first().tensors() == 0U);
  BOOST_TEST(model.paths()[2] == folder / "m-00003-of-00003.gguf");
  std::size_t tensors = 0;
  model.for_each_tensor([&](const GgufFile&, std::size_t) { ++tensors; });
  BOOST_TEST(tensors == 20U);
  BOOST_TEST(model.has_tensor("blk.1."));
  BOOST_TEST(!model.has_tensor("blk.2."));
  BOOST_TEST(model.weight_types().numbers ==
                 GgufModel(tiny.write(folder / "whole.gguf")).weight_types().numbers,
             boost::test_tools::per_element());
  // The files are links, as in Hugging Face's cache.
  std::filesystem::create_directory(folder / "snapshot");
  for (const std::string name :
       {"m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "m-00003-of-00003.gguf"}) {
    std::filesystem::create_symlink(folder / name, folder / ("snapshot/" + name));
  }
  BOOST_TEST(GgufModel(folder / "snapshot/m-00001-of-00003.gguf").files().size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_part_that_is_not_the_first_is_refused_with_the_name_of_the_first) {
  const TemporaryFolder folder;
  TinyGguf({}).write_parts(folder / "m", 3);
  BOOST_CHECK_EXCEPTION(GgufModel(folder / "m-00002-of-00003.gguf"), plumb::detail::Error,
                        says(Fault::user, "is part 2 of 3 of a model; use the first part, " +
                                              (folder / "m-00001-of-00003.gguf").string()));
  std::filesystem::rename(folder / "m-00001-of-00003.gguf", folder / "first.gguf");
  BOOST_CHECK_EXCEPTION(GgufModel(folder / "first.gguf"), plumb::detail::Error,
                        says(Fault::user,
                             "is part 1 of 3 of a model, but its name does not match; name it "
                             "NAME-00001-of-00003.gguf, and rename the other parts likewise"));
}

BOOST_AUTO_TEST_CASE(missing_part_and_part_of_another_model_are_rejected) {
  const TemporaryFolder folder;
  const auto first = TinyGguf({}).write_parts(folder / "m", 4);
  TinyGguf({}).write_parts(folder / "n", 5);
  const auto third = folder / "m-00003-of-00004.gguf";
  std::filesystem::rename(folder / "n-00003-of-00005.gguf", third);
  BOOST_CHECK_EXCEPTION(
      GgufModel{first}, plumb::detail::Error,
      says(Fault::user, third.string() + ": is not part 3 of 4, although its name says so"));
  std::filesystem::remove(third);
  BOOST_CHECK_EXCEPTION(
      GgufModel{first}, plumb::detail::Error,
      says(Fault::user, third.string() + ": is missing: part 3 of 4 of the model"));
}

BOOST_AUTO_TEST_CASE(error_names_the_truncated_part) {
  const TemporaryFolder folder;
  const auto first = TinyGguf({}).write_parts(folder / "m", 4);
  BOOST_CHECK_NO_THROW(plumb::detail::GgufModel(first).refuse_cut_parts());
  const auto third = folder / "m-00003-of-00004.gguf";
  std::filesystem::resize_file(third, std::filesystem::file_size(third) - 5);
  BOOST_CHECK_EXCEPTION(plumb::detail::GgufModel(first).refuse_cut_parts(), plumb::detail::Error,
                        says(Fault::user, "m-00003-of-00004.gguf: is truncated: it has "));
}

BOOST_AUTO_TEST_SUITE_END()
