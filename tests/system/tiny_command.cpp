// SPDX-License-Identifier: Apache-2.0

// The whole command, with models that need no file (support/tiny_jobs.hpp).
//
//   tiny_command --jobs FOLDER    writes the inputs of the jobs into FOLDER/in, and lists the jobs
//                                 as JSON
//   tiny_command COMMAND …        runs plumb COMMAND …; PLUMB_TINY_PAUSE is the number of
//                                 microseconds that the models take for each evaluation;
//                                 PLUMB_TINY_MARK is a file that is created when one begins

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

#include "support/tiny_jobs.hpp"

int main(int argc, char** argv) {
  using namespace plumb::detail;
  if (argc == 3 && std::string(argv[1]) == "--jobs") {
    const test::TemporaryFolder folder;
    test::write_tiny_inputs(folder, "in");
    std::filesystem::copy(folder.path(), argv[2], std::filesystem::copy_options::recursive);
    Json list = Json::array();
    for (const test::TinyJob& job : test::tiny_jobs()) {
      list.push_back({{"name", job.name},
                      {"words", job.words},
                      {"redo", job.redo},
                      {"before", job.before},
                      {"last_file", job.last_file},
                      {"refuses_its_own", job.refuses_its_own}});
    }
    std::cout << list.dump() << std::endl;
    return 0;
  }
  const char* const pause = std::getenv("PLUMB_TINY_PAUSE");
  const char* const mark = std::getenv("PLUMB_TINY_MARK");
  test::TinyModels models;
  if (pause != nullptr) {
    models.on_work = [microseconds = std::atoi(pause), mark] {
      if (mark != nullptr) std::ofstream(mark) << "working\n";
      std::this_thread::sleep_for(
          std::chrono::microseconds(microseconds));  // signals do not interrupt this wait
    };
  }
  return run_command_line(argc, argv, models);
}
