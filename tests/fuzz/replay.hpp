// SPDX-License-Identifier: Apache-2.0
#pragma once

// Passes each input once to a fuzz target. To run it, use the test program of the room that
// compiles most of the target's code: test_ROOM --run_test=fuzz_TARGET --catch_system_errors=no --
// FOLDER.

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz {

/// Passes each file in the folder given as the program's argument to `target` and prints the number
/// of files. A finding aborts the program, as in a fuzzer; the last line on the error stream is
/// then the file's name.
inline void replay(const std::string& name, void (*target)(std::string_view)) {
  const auto& program = boost::unit_test::framework::master_test_suite();
  BOOST_REQUIRE_EQUAL(program.argc, 2);
  const std::filesystem::path folder = std::filesystem::absolute(program.argv[1]);
  std::size_t inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    // printed first, in case the target aborts
    std::cerr << name << "/" << entry.path().filename().string() << "\n";
    target(test::slurp(entry.path()));
    ++inputs;
  }
  std::cout << name << ": " << inputs << std::endl;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz
