// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb models: which models are available locally, and what can plumb do with each?
//
// Lists the models that --model can select as hf:OWNER/NAME[/FILE] (model_places.hpp) and, by path,
// other model files in plumb's cache; if the user specifies folders, lists the models in those
// folders instead. Reads a folder's configuration and tokenizer as a run would, or a .gguf file's
// header, but no weights. A model that cannot be used is listed with the error that a run would
// report, which states the reason and the remedy.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/cli/arguments.hpp"
#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/cli/model_places.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// "270.9 MB"; 1 MB is a million bytes, as in the tools that download models.
[[nodiscard]] inline std::string bytes_in_words(std::uintmax_t bytes) {
  auto number = static_cast<double>(bytes) / 1000;
  std::string unit = "kB";
  for (const char* larger : {"MB", "GB"}) {
    if (number < 999.95) break;
    number /= 1000;
    unit = larger;
  }
  return with_decimals(number, 1) + " " + unit;
}

/// Runs the subcommand; returns the exit code 0. Throws an Error for every failure.
inline int run_models_command(Console& console, const ModelMaker& make_model) {
  detail::options::options_description list;
  list.add_options()(
      "folder", detail::options::value<std::vector<std::string>>()->value_name("DIR"),
      "list the models in this folder and its direct subfolders instead of the downloaded models");
  const auto values =
      detail::parse_arguments(console, "plumb models [FOLDER…] [--help]", list, {{"folder", -1}});
  if (!values) return 0;
  const detail::ModelPlaces places = detail::model_places(console);
  const auto given = values->find("folder");
  std::vector<detail::LocalModel> models;
  std::string looked;
  if (given != values->end()) {
    const auto words = given->second.as<std::vector<std::string>>();
    models = detail::models_in_folder(words);
    looked = text_list(words);
  } else {
    models = detail::local_models(places);
    for (auto& one : detail::files_beside(places)) models.push_back(std::move(one));
    looked = places.hub.string() + " and " + places.own.string();
    if (const std::string named = console.variable("PLUMB_MODEL"); !named.empty()) {
      console.out << "PLUMB_MODEL is " << named << ", used if --model is not given\n";
    }
  }
  if (models.empty()) {
    console.out << "no models in " << looked << "; `hf download OWNER/NAME` downloads one\n";
    return 0;
  }
  const bool inspects = make_model.inspects();
  std::vector<std::string> columns{"--model", "size", "kind"};
  if (inspects) columns.emplace_back("usable by");
  TextTable table(columns);
  std::string refused;
  for (const detail::LocalModel& one : models) {
    std::vector<std::string> cells{one.word, detail::bytes_in_words(one.bytes), one.kind};
    if (inspects) {
      try {
        const ModelKind kind = make_model.inspect({.model = one.path.path()});
        cells.emplace_back(kind == ModelKind::causal ? "all commands"
                                                     : "probe, calibrate, generate");
      } catch (const Error& error) {
        cells.emplace_back("none: see below");
        refused += "\n" + one.word + " cannot be used: " + detail::as_options(error.what()) + "\n";
      }
    }
    table.add(cells);
  }
  console.out << table.text() << refused << "\nsearched " << looked;
  if (given == values->end()) console.out << " and below " << places.own.parent().string();
  console.out << "\n";
  return 0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
