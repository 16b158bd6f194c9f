// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/llama_log.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "support/temporary_folder.hpp"

using plumb::detail::LlamaLog;

BOOST_AUTO_TEST_SUITE(llama_log)

namespace {

/// Makes llama.cpp log an error about a file.
void load_damaged(const plumb::detail::test::TemporaryFolder& folder) {
  const auto damaged = folder.write("damaged.gguf", "this is no model");
  BOOST_TEST(llama_model_load_from_file(damaged.c_str(), llama_model_default_params()) == nullptr);
}

/// Returns the current log callback and its data.
std::pair<ggml_log_callback, void*> hearer() {
  std::pair<ggml_log_callback, void*> made;
  llama_log_get(&made.first, &made.second);
  return made;
}

bool names_the_file(const std::string& text) {
  return text.find("damaged.gguf") != text.npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(errors_are_kept_until_they_are_taken) {
  const plumb::detail::test::TemporaryFolder folder;
  LlamaLog log;
  BOOST_TEST(log.take() == "");
  load_damaged(folder);
  const std::string said = log.take();
  BOOST_TEST(names_the_file(said), said);
  BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(all_that_live_hear_it) {
  const plumb::detail::test::TemporaryFolder folder;
  std::string heard, heard_by_other;
  const LlamaLog log([&](std::string_view text) { heard += text; });
  {
    const LlamaLog other([&](std::string_view text) { heard_by_other += text; });
    load_damaged(folder);
  }
  BOOST_TEST(names_the_file(heard), heard);
  BOOST_TEST(heard == heard_by_other);
  load_damaged(folder);
  BOOST_TEST(heard.size() > heard_by_other.size());
}

BOOST_AUTO_TEST_CASE(whoever_heard_it_before_hears_it_again) {
  const plumb::detail::test::TemporaryFolder folder;
  const auto original = hearer();
  std::string mine;
  const ggml_log_callback keep = [](ggml_log_level, const char* text, void* data) {
    *static_cast<std::string*>(data) += text;
  };
  llama_log_set(keep, &mine);
  {
    const LlamaLog log;
    load_damaged(folder);
    BOOST_TEST(mine == "");
  }
  load_damaged(folder);
  BOOST_TEST(names_the_file(mine), mine);
  BOOST_TEST((hearer() == std::pair<ggml_log_callback, void*>(keep, &mine)));
  llama_log_set(original.first, original.second);
}

BOOST_AUTO_TEST_CASE(a_log_that_was_taken_away_is_taken_back_by_the_next_and_left_to_its_taker) {
  const plumb::detail::test::TemporaryFolder folder;
  const auto original = hearer();
  const ggml_log_callback ignore = [](ggml_log_level, const char*, void*) {};
  int mark = 0;
  {
    LlamaLog first;
    llama_log_set(ignore, nullptr);
    load_damaged(folder);
    BOOST_TEST(first.take() == "");
    LlamaLog second;
    load_damaged(folder);
    BOOST_TEST(names_the_file(first.take()));
    BOOST_TEST(names_the_file(second.take()));
    llama_log_set(ignore, &mark);
  }
  BOOST_TEST((hearer() == std::pair<ggml_log_callback, void*>(ignore, &mark)));
  llama_log_set(original.first, original.second);
}

BOOST_AUTO_TEST_CASE(the_last_errors_are_kept_and_what_a_listener_throws_is_not) {
  const plumb::detail::test::TemporaryFolder folder;
  LlamaLog log([](std::string_view) { throw std::runtime_error("deaf"); });
  const auto [receive, data] = hearer();
  for (int i = 0; i < 100; ++i) {
    receive(GGML_LOG_LEVEL_ERROR, ("old " + std::to_string(i) + '\n').c_str(), data);
  }
  receive(GGML_LOG_LEVEL_INFO, "said aside\n", data);
  receive(GGML_LOG_LEVEL_ERROR, "the cause\n", data);
  const std::string said = log.take();
  BOOST_TEST(said.size() <= 500U);  // the text is limited to 400 bytes, plus a space for each line
  BOOST_TEST(said.ends_with("old 98; old 99; the cause"), said);
  BOOST_TEST(said.starts_with("old "), said);
}

BOOST_AUTO_TEST_SUITE_END()
