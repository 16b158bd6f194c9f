// SPDX-License-Identifier: Apache-2.0

// My facts, my graph and my prompts are in files. How do I read them?
//
// Writes three small examples and reads them.
//
// Prints:
//   dataset: 1 relation, 3 facts, 2 options
//   graph: 5 entities, 3 triples to train on, 1 to test
//   prompts: 2 templates of country, 3 facts

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "plumb/dataset.hpp"
#include "plumb/load.hpp"

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "plumb own_files";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "graph");
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };

  // A table of facts, with its templates next to it.
  write("cities.tsv", "Oslo\tcountry\tNorway\nBergen\tcountry\tNorway\nLima\tcountry\tPeru\n");
  write("cities.json", R"({"country": ["[X] is in [Y].", "[Y] is where [X] is."]})");
  const plumb::Dataset dataset = plumb::load_dataset(folder / "cities.tsv");
  std::printf("dataset: %zu relation, %zu facts, %zu options\n", dataset.relations.size(),
              dataset.relations[0].facts.size(), dataset.relations[0].options.size());

  // A graph in the usual layout for link prediction: three files of triples.
  write("graph/train.txt", "oslo\tin\tnorway\nbergen\tin\tnorway\nlima\tin\tperu\n");
  write("graph/valid.txt", "");
  write("graph/test.txt", "oslo\tnear\tbergen\n");
  const plumb::KnowledgeGraph graph = plumb::load_graph(folder / "graph");
  std::printf("graph: %zu entities, %zu triples to train on, %zu to test\n", graph.entities.size(),
              graph.train.size(), graph.test.size());

  // Several prompts for each fact, here built from the table's templates.
  const plumb::MultiPromptDataset prompts = plumb::load_multi_prompt(folder / "cities.tsv");
  std::printf("prompts: %zu templates of %s, %zu facts\n", prompts.relations[0].templates.size(),
              prompts.relations[0].code.c_str(), prompts.relations[0].facts.size());
  std::filesystem::remove_all(folder);
}
