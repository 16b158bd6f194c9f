// SPDX-License-Identifier: Apache-2.0
#include "plumb/backend/llama_log.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/temporary_folder.hpp"

using plumb::detail::LlamaLog;

BOOST_AUTO_TEST_SUITE(llama_log)

BOOST_AUTO_TEST_CASE(errors_are_kept_until_they_are_taken) {
  const plumb::test::TemporaryFolder folder;
  const auto damaged = folder.write("damaged.gguf", "this is no model");
  (void)LlamaLog::instance().take();
  BOOST_TEST(LlamaLog::instance().take() == "");
  BOOST_TEST(llama_model_load_from_file(damaged.c_str(), llama_model_default_params()) == nullptr);
  const std::string said = LlamaLog::instance().take();
  BOOST_TEST(said.find("damaged.gguf") != std::string::npos, said);
  BOOST_TEST(LlamaLog::instance().take() == "");
}

BOOST_AUTO_TEST_SUITE_END()
