// SPDX-License-Identifier: Apache-2.0

// How do I probe my own facts, from a program or from a file?
//
// Prints:
//   colours: 2 facts, 2 options, 2 templates
//   from a table: 3 facts, 3 options
//   facts.tsv:2: 2 fields instead of 3; write subject, relation and object, separated by one tab each, or name the columns in the first line

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "plumb/dataset.hpp"
#include "plumb/load.hpp"

namespace {

void write(const std::string& file, const std::string& text) {
  std::ofstream(file) << text;
}

}  // namespace

int main() {
  // In memory: templates with [X] and [Y], and subject-object pairs. The objects form the closed
  // set of options.
  const plumb::Relation colour =
      plumb::relation_of("colour", {"[X] is [Y].", "The colour of [X] is [Y]."},
                         {{"Blood", "red"}, {"Grass", "green"}});
  const plumb::Dataset made{"colours", {colour}};
  std::printf("%s: %zu facts, %zu options, %zu templates\n", made.name.c_str(), colour.facts.size(),
              colour.options.size(), colour.templates.size());

  // As a table, with its templates in a file next to it.
  const auto before = std::filesystem::current_path();
  const auto folder =
      std::filesystem::temp_directory_path() / ("plumb-own-dataset-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  write("facts.json", R"({"colour": ["[X] is [Y]."]})");
  write("facts.tsv", "Blood\tcolour\tred\nGrass\tcolour\tgreen\nSnow\tcolour\twhite\n");
  const plumb::Relation read = plumb::load_dataset("facts.tsv").relations.front();
  std::printf("from a table: %zu facts, %zu options\n", read.facts.size(), read.options.size());

  // An error message states the file, the line, the problem and the fix.
  write("facts.tsv", "Blood\tcolour\tred\nGrass\tcolour\n");
  try {
    (void)plumb::load_dataset("facts.tsv");
  } catch (const plumb::Error& error) {
    std::printf("%s\n", error.what());
  }
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}
