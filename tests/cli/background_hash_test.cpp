// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/background_hash.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <future>
#include <string>

#include "support/option_errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(background_hash)

BOOST_AUTO_TEST_CASE(the_hash_is_the_models) {
  const test::TemporaryFolder folder;
  BackgroundHash hash(folder.write("abc", "abc"));
  // FIPS 180-4's example
  BOOST_TEST(hash.get() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  BOOST_TEST(&hash.get() == &hash.get());
  folder.write("model/config.json", "{}");
  folder.write("model/model.safetensors", "weights");
  BOOST_TEST(BackgroundHash(folder / "model").get() == hash_path(folder / "model"));
}

BOOST_AUTO_TEST_CASE(get_throws_the_error_of_the_thread) {
  const test::TemporaryFolder folder;
  BackgroundHash hash(folder / "absent");
  for (int again = 0; again < 2; ++again) {
    BOOST_CHECK_EXCEPTION((void)hash.get(), Error,
                          test::shows(Fault::user, "absent: cannot be read"));
  }
}

// The file has no end, so only the destructor can end the hash.
BOOST_AUTO_TEST_CASE(the_destructor_stops_the_hash) {
  auto ended = std::async(std::launch::async, [] { const BackgroundHash hash("/dev/zero"); });
  BOOST_REQUIRE((ended.wait_for(std::chrono::minutes(1)) == std::future_status::ready));
}

BOOST_AUTO_TEST_CASE(a_stopped_hash_throws) {
  const test::TemporaryFolder folder;
  const std::atomic<bool> stop{true};
  BOOST_CHECK_THROW((void)hash_file(folder.write("abc", "abc"), &stop), HashStopped);
  BOOST_CHECK_THROW((void)hash_model(folder / "abc", &stop), HashStopped);
  folder.write("model/config.json", "{}");
  BOOST_CHECK_THROW((void)hash_model(folder / "model", &stop), HashStopped);
}

BOOST_AUTO_TEST_SUITE_END()
