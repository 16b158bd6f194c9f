// SPDX-License-Identifier: Apache-2.0

// Gives inputs to the fuzzers' targets once each: fuzz_replay FOLDER, which has a folder of inputs for each
// target. Prints how many each was given; a finding ends it, as it does a fuzzer.

#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "fuzz/command_lines.hpp"
#include "fuzz/datasets.hpp"
#include "fuzz/models.hpp"
#include "fuzz/records.hpp"
#include "fuzz/servers.hpp"

int main(int argc, char** argv) {
  using Target = void (*)(std::string_view);
  const std::map<std::string, Target> targets{{"datasets", plumb::fuzz::datasets},
                                              {"models", plumb::fuzz::models},
                                              {"records", plumb::fuzz::records},
                                              {"servers", plumb::fuzz::servers},
                                              {"command_lines", plumb::fuzz::command_lines}};
  if (argc != 2) return 2;
  const std::filesystem::path all = std::filesystem::absolute(argv[1]);
  for (const auto& [name, target] : targets) {
    std::size_t inputs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(all / name)) {
      std::cerr << name << "/" << entry.path().filename().string()
                << "\n";  // before it may end here
      target(plumb::test::slurp(entry.path()));
      ++inputs;
    }
    std::cout << name << ": " << inputs << std::endl;
  }
}
