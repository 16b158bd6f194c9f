// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/backend/llama_f32_cache.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

BOOST_AUTO_TEST_SUITE(llama_f32_cache_suite)

namespace {

using plumb::detail::F32Cache;
using plumb::detail::Fault;
using plumb::detail::GgufModel;
using plumb::detail::test::says;
using plumb::detail::test::TemporaryFolder;
using plumb::detail::test::TinyGguf;

struct Heard {
  std::vector<std::string> lines{};
  [[nodiscard]] F32Cache cache(const std::filesystem::path& folder, std::string key = "key") {
    return {folder, [key = std::move(key)](const auto&) { return key; },
            [this](const std::string& line) { lines.push_back(line); }};
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(f32_rewrite_is_made_once_and_announced_with_its_size) {
  const TemporaryFolder folder;
  const GgufModel half(TinyGguf({}).cut_to_bf16(true).write(folder / "half.gguf"));
  Heard heard;
  const auto made = heard.cache(folder / "cache")(half);
  BOOST_TEST(made == folder / "cache/key/weights.F32.gguf");
  BOOST_TEST(GgufModel(made).weight_types().only(GGML_TYPE_F32));
  const auto megabytes = (std::filesystem::file_size(made) + 999'999) / 1'000'000;
  BOOST_REQUIRE(heard.lines.size() == 1U);
  BOOST_TEST(heard.lines[0] ==
             (folder / "half.gguf").string() +
                 " has BF16 weights. For exact scores, they are widened to F32 once, which takes " +
                 std::to_string(megabytes) + " MB of disk space: " + made.string());
  const auto when = std::filesystem::last_write_time(made);
  BOOST_TEST(heard.cache(folder / "cache")(half) == made);
  BOOST_TEST(heard.lines.size() == 1U);
  BOOST_TEST((std::filesystem::last_write_time(made) == when));
  (void)heard.cache(folder / "cache", "other")(half);
  BOOST_TEST(heard.lines.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_rewrite_that_is_not_whole_is_made_again) {
  const TemporaryFolder folder;
  const GgufModel half(TinyGguf({}).cut_to_bf16(true).write(folder / "half.gguf"));
  Heard heard;
  const auto made = heard.cache(folder / "cache")(half);
  const std::string bytes = plumb::detail::test::slurp(made);
  folder.write("cache/key/weights.F32.gguf", bytes.substr(0, 100));
  (void)heard.cache(folder / "cache")(half);
  BOOST_TEST((plumb::detail::test::slurp(made) == bytes));
  BOOST_TEST(heard.lines.size() == 2U);
}

BOOST_AUTO_TEST_CASE(of_two_that_want_one_at_once_one_makes_it) {
  const TemporaryFolder folder;
  const GgufModel half(TinyGguf({}).cut_to_bf16(true).write(folder / "half.gguf"));
  std::vector<Heard> heard(4);
  std::vector<std::thread> threads;
  for (Heard& one : heard) {
    threads.emplace_back([&] { (void)one.cache(folder / "cache")(half); });
  }
  for (std::thread& one : threads) one.join();
  std::size_t lines = 0;
  for (const Heard& one : heard) lines += one.lines.size();
  BOOST_TEST(lines == 1U);
}

BOOST_AUTO_TEST_CASE(failed_cache_creation_reports_the_manual_command) {
  const TemporaryFolder folder;
  const auto file = TinyGguf({}).cut_to_bf16(true).write(folder / "half.gguf");
  const GgufModel half(file);
  Heard heard;
  const std::string remedy = "; run `requantize " + file.string() + " " +
                             (folder / "half.F32.gguf").string() +
                             " F32` and use that file, or set `precision` to fast";
  folder.write("file", "");
  BOOST_CHECK_EXCEPTION(heard.cache(folder / "file")(half), plumb::detail::Error,
                        says(Fault::user, "they cannot be widened to F32: "));
  BOOST_CHECK_EXCEPTION(heard.cache(folder / "file")(half), plumb::detail::Error,
                        says(Fault::user, remedy));
  BOOST_TEST(heard.lines.empty());
  // The copy cannot be written because a folder already has its name.
  std::filesystem::create_directories(folder / "cache/key/weights.F32.gguf.part/inner");
  BOOST_CHECK_EXCEPTION(heard.cache(folder / "cache")(half), plumb::detail::Error,
                        says(Fault::user, remedy));
  BOOST_CHECK_EXCEPTION(throw plumb::detail::no_exact_scores(half, ""), plumb::detail::Error,
                        says(Fault::user,
                             "has BF16 weights, for which llama.cpp rounds the activations, so its "
                             "scores are not exact" +
                                 remedy));
}

BOOST_AUTO_TEST_SUITE_END()
