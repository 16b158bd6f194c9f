// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb models: which models are at hand by name?
//
// Lists what --model can be given as hf:OWNER/NAME[/FILE] (model_places.hpp), and other files of
// models in plumb's cache by their paths, with size and kind. Nothing is loaded; whether plumb can
// ask a model is said when it is.

#include <cstdint>
#include <string>

#include "plumb/cli/arguments.hpp"
#include "plumb/cli/model_places.hpp"
#include "plumb/report/text_table.hpp"

namespace plumb {
namespace detail {

/// "270.9 MB"; a MB is a million bytes, as the tools that download models count.
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

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
inline int run_models_command(Console& console) {
  const detail::options::options_description none;
  if (!detail::parse_arguments(console, "plumb models [--help]", none)) return 0;
  const detail::ModelPlaces places = detail::model_places(console);
  const std::string looked = places.hub.string() + " and " + places.own.string();
  auto models = detail::models_at_hand(places);
  for (auto& one : detail::files_beside(places)) models.push_back(std::move(one));
  if (const std::string given = console.variable("PLUMB_MODEL"); !given.empty()) {
    console.out << "PLUMB_MODEL is " << given << ", asked where --model is not given\n";
  }
  if (models.empty()) {
    console.out << "no models in " << looked << "; `hf download OWNER/NAME` gets one\n";
    return 0;
  }
  TextTable table({"--model", "size", "kind"});
  for (const detail::ModelAtHand& one : models) {
    table.add({one.word, detail::bytes_in_words(one.bytes), one.kind});
  }
  console.out << table.text() << "\nlooked in " << looked << ", and below "
              << places.own.parent().string() << "\n";
  return 0;
}

}  // namespace plumb
