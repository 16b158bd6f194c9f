// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/backend/llama_causal.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>

#include "plumb/detail/backend/llama.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

BOOST_AUTO_TEST_SUITE(llama_causal_suite)

namespace {

using plumb::detail::Fault;
using plumb::detail::test::says;
using plumb::detail::test::TemporaryFolder;
using plumb::detail::test::TinyGguf;

/// A tiny Llama with metadata edited by `change`.
auto changed(const TemporaryFolder& folder, const std::function<void(gguf_context*)>& change) {
  return TinyGguf({}).edit(change).write(folder / "m.gguf");
}

void refuses(const std::filesystem::path& file, const std::string& why) {
  BOOST_CHECK_EXCEPTION(plumb::detail::LlamaModel({file}), plumb::detail::Error,
                        says(Fault::user, "is not a causal language model: " + why));
}

}  // namespace

BOOST_AUTO_TEST_CASE(attention_that_is_not_causal_is_refused) {
  const TemporaryFolder folder;
  refuses(changed(folder,
                  [](gguf_context* to) { gguf_set_val_bool(to, "llama.attention.causal", false); }),
          "its llama.attention.causal is false");
  const auto said = changed(
      folder, [](gguf_context* to) { gguf_set_val_bool(to, "llama.attention.causal", true); });
  BOOST_CHECK_NO_THROW(plumb::detail::LlamaModel({said}));
  // A key of a different architecture does not apply.
  const auto others = changed(
      folder, [](gguf_context* to) { gguf_set_val_bool(to, "bert.attention.causal", false); });
  BOOST_CHECK_NO_THROW(plumb::detail::LlamaModel({others}));
}

BOOST_AUTO_TEST_CASE(last_token_pooling_type_causes_a_warning_and_others_are_refused) {
  const TemporaryFolder folder;
  const auto pooled = [&](std::uint32_t type) {
    return changed(folder,
                   [=](gguf_context* to) { gguf_set_val_u32(to, "llama.pooling_type", type); });
  };
  refuses(pooled(1), "its llama.pooling_type is mean");
  refuses(pooled(2), "its llama.pooling_type is cls");
  refuses(pooled(4), "its llama.pooling_type is rank");
  refuses(pooled(5), "its llama.pooling_type is 5, which is not a known pooling type");
  refuses(pooled(9), "its llama.pooling_type is 9, which is not a known pooling type");
  BOOST_TEST(plumb::detail::LlamaModel({pooled(0)}).describe().warnings.empty());
  const auto warnings = plumb::detail::LlamaModel({pooled(3)}).describe().warnings;
  BOOST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(warnings[0].find("pooling_type last") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_calls_itself_another_kind_of_file_is_refused) {
  const TemporaryFolder folder;
  for (const char* type : {"adapter", "mmproj", "imatrix"}) {
    refuses(changed(folder, [=](gguf_context* to) { gguf_set_val_str(to, "general.type", type); }),
            "its general.type is \"" + std::string(type) + "\"");
  }
  const auto model =
      changed(folder, [](gguf_context* to) { gguf_set_val_str(to, "general.type", "model"); });
  BOOST_CHECK_NO_THROW(plumb::detail::LlamaModel({model}));
}

BOOST_AUTO_TEST_CASE(a_classifier_and_an_encoder_are_refused_by_their_tensors) {
  const TemporaryFolder folder;
  for (const char* name : {"cls.weight", "cls.output.weight"}) {
    refuses(TinyGguf({}).with_tensor(name).write(folder / "m.gguf"), "it has a classifier head");
    refuses(TinyGguf({}).with_tensor(name).write_parts(folder / "p", 3),
            "it has a classifier head");
  }
  refuses(TinyGguf({}).with_tensor("enc.blk.0.attn_q.weight").write(folder / "m.gguf"),
          "it has an encoder");
}

BOOST_AUTO_TEST_SUITE_END()
