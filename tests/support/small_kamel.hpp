// SPDX-License-Identifier: Apache-2.0
#pragma once

// A small KAMEL folder, and a model that was trained on answers to its questions:
//   Italy, Rome or Roma    "Roma"           right by an alias
//   Japan, Tokyo           "Kyoto; Tokyo"   one right, one wrong
//   Elek, Sebiș and Kiel   "sebis; Kiel"    both right, one by an alias
//   Zoppola, Tonneins      "Paris"          wrong

#include <filesystem>
#include <string>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

inline void write_kamel(const TemporaryFolder& folder, const std::string& name) {
  folder.write(name + "/question-templates.csv",
               "P190, What are the twin towns of [S]?\nP36, What is the capital of [S]?\n");
  folder.write(name + "/P36/train.jsonl",
               "{\"sub_label\": \"Chad\", \"obj_label\": [\"N'Djamena\"]}\n"
               "{\"sub_label\": \"Peru\", \"obj_label\": [\"Lima\"]}\n");
  folder.write(name + "/P36/dev.jsonl", "{\"sub_label\": \"Fiji\", \"obj_label\": [\"Suva\"]}\n");
  folder.write(name + "/P36/test.jsonl",
               "{\"sub_label\": \"Italy\", \"obj_uri\": [\"Q220\"], \"obj_label\": "
               "[{\"rdf\": \"Rome\", \"alternative\": [\"Roma\"], \"chosen\": \"Rome\"}]}\n"
               "{\"sub_label\": \"Japan\", \"obj_uri\": [\"Q1490\"], \"obj_label\": "
               "[{\"rdf\": \"Tokyo\", \"alternative\": [], \"chosen\": \"Tokyo\"}]}\n");
  folder.write(name + "/P190/train.jsonl",
               "{\"sub_label\": \"Oslo\", \"obj_label\": [\"Kiel\", \"Rome\"]}\n"
               "{\"sub_label\": \"Bonn\", \"obj_label\": [\"Oxford\"]}\n"
               "{\"sub_label\": \"Pisa\", \"obj_label\": [\"Kiel\"]}\n");
  folder.write(name + "/P190/test.jsonl",
               "{\"sub_label\": \"Elek\", \"obj_uri\": [\"Q1\", \"Q2\"], \"obj_label\": "
               "[{\"rdf\": \"Sebiș\", \"alternative\": [\"Sebis\"], \"chosen\": \"Sebiș\"}, "
               "{\"rdf\": \"Kiel\", \"alternative\": [], \"chosen\": \"Kiel\"}]}\n"
               "{\"sub_label\": \"Zoppola\", \"obj_uri\": [\"Q3\"], \"obj_label\": "
               "[{\"rdf\": \"Tonneins\", \"alternative\": [], \"chosen\": \"Tonneins\"}]}\n");
}

/// The last letters of a question determine the answer, whatever shots precede it.
template <class Model = NgramTreeModel>
[[nodiscard]] Model reader_of_lists() {
  return Model(
      "What is the capital of Italy? Roma%\nWhat is the capital of Japan? Kyoto; Tokyo%\n"
      "What are the twin towns of Elek? sebis; Kiel%\nWhat are the twin towns of Zoppola? Paris%\n",
      9);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
