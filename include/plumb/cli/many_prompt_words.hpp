// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the answers of a run folder were measured, for commands that measure them again.

#include <filesystem>
#include <string>

#include "plumb/cli/setting_options.hpp"
#include "plumb/run/generate_settings.hpp"

namespace plumb::detail {

/// What is not given on the command line stays as the run has it.
inline void take_recorded(const options::variables_map& values,
                          const std::filesystem::path& run_file, MeasuringSettings& measuring) {
  if (!std::filesystem::exists(run_file)) return;
  const Json run = read_json_object(run_file);
  const Json settings = run.value("settings", Json::object());
  if (!settings.is_object()) return;
  if (values["wordnet"].defaulted()) {
    // A run that ended before it was complete knows no more than whether there is one.
    if (first_string(settings, "lemmas") == "none") measuring.wordnet = "none";
    measuring.wordnet = first_string(run, "wordnet").value_or(measuring.wordnet.string());
  }
  if (const auto by = first_string(settings, "sample_by"); by && values["sample-by"].defaulted()) {
    setting::read(*by, "sample_by", measuring.sample_by);
  }
  if (const Json many = settings.value("samplings", Json());
      values["samplings"].defaulted() && many.is_number_unsigned()) {
    measuring.samplings = many.get<std::size_t>();
  }
}

}  // namespace plumb::detail
