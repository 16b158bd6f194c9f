// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb calibrate: does a model's confidence match its accuracy?
//
// Reads the results folders (plumb's or lm-pub-quiz's) of one or more models; nothing is scored
// again. With --model, it first probes the model into the folder "probe" inside --out, so that a
// single command produces the report page from a model.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/cli/probe.hpp"
#include "plumb/detail/cli/several_models.hpp"
#include "plumb/detail/run/calibrate_measurement.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct CalibrateArguments {
  CalibrateSettings calibrate{};
  /// The settings of the probe that runs with --model; unused when results folders are calibrated.
  ProbeSettings probe{.templates = {}};
  JobTarget target{};

  [[nodiscard]] bool probes() const { return target.names_model(); }

  template <class Self, class Visitor>
  static void visit_calibration(Self& self, Visitor& visitor) {
    CalibrateSettings::visit(self.calibrate, visitor);
    JobTarget::visit_out(self.target, visitor);
  }
  template <class Self, class Visitor>
  static void visit_probe(Self& self, Visitor& visitor) {
    const auto scoring = [&](std::string_view name, auto& value, SettingInfo info) {
      if (!self.probes() && info.idle.empty()) {
        info.idle = "on folders, which are not scored again; remove it, or probe with --model";
      }
      if (name == "shot-seeds" && info.idle.empty()) {
        info.idle = "in calibrate; run plumb probe --shot-seeds, then calibrate its runs";
      }
      if (!self.calibrate.folders.list.empty()) info.variable = "";  // PLUMB_MODEL is not read
      visitor(name, value, info);
    };
    ProbeSettings::visit_scoring(self.probe, scoring);
    JobTarget::visit_model(self.target, scoring);
  }
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visit_calibration(self, visitor);
    visit_probe(self, visitor);
  }

  /// Throws a user error for missing or contradictory options.
  void(check)() const {
    const bool folders = !calibrate.folders.list.empty();
    if (probes() == folders) {
      throw user_error({}, folders ? "got both folders and a --model" : "nothing to calibrate",
                       "pass either results folders or --data DIR --model FILE");
    }
    (calibrate.check)();
  }
};

/// The output folder for calibrating results folders: --out or, for a single run created by plumb,
/// a folder inside that run. If that run is the probe inside a calibration's folder, the output
/// folder is that calibration's folder. Throws a user error if none of these applies.
inline DiskPath calibration_out(const CalibrateArguments& arguments) {
  if (!arguments.target.out.empty()) return arguments.target.out;
  const auto& folders = arguments.calibrate.folders.list;
  const auto& folder = folders.front().path;
  if (folders.size() == 1 && (folder / "run.json").exists()) {
    const auto above = folder.parent();
    const bool of_model =
        folder.name() == "probe" && holds_measurement(above, CalibrateMeasurement::identity());
    return of_model ? above : folder / "calibration";
  }
  throw user_error({.field = "--out"},
                   "is required for several folders and for another tool's results",
                   "add --out DIR");
}

/// Returns the arguments of the probe that runs before a calibration and writes to the folder
/// "probe" inside --out. Moves the probe's settings out of `arguments` and sets that folder as the
/// calibration's input.
inline ProbeArguments take_probe(CalibrateArguments& arguments) {
  CalibrateSettings& calibrate = arguments.calibrate;
  ProbeArguments probing{arguments.probe, arguments.target};
  probing.probe.data = std::exchange(calibrate.data, {});
  probing.probe.relations = std::exchange(calibrate.relations, {});
  probing.probe.seed = calibrate.seed;
  probing.probe.scoring = calibrate.scoring();
  calibrate.reduction.reset();
  calibrate.span.reset();
  (probing.check)("plumb calibrate");
  probing.target.out /= "probe";
  calibrate.folders.list = {{"", probing.target.out}};
  return probing;
}

/// Probes the model and prints the cost. Returns whether there are results to calibrate. After a
/// dry run there are none.
[[nodiscard]] inline bool probe_to_calibrate(Console& console, const ModelMaker& make_model,
                                             CalibrateArguments& arguments) {
  const ProbeArguments probing = take_probe(arguments);
  if (probing.target.shard.is_part()) {
    throw user_error({.setting = "shard"}, "splits a probe, not its calibration",
                     "use plumb probe, merge its shards and calibrate the run");
  }
  const DiskPath& out = arguments.target.out;
  if (probing.target.dry_run) {
    // A dry run writes nothing.
  } else if (probing.target.overwrite) {
    refuse_other_measurements(out, CalibrateMeasurement::identity(), arguments.calibrate.folders);
    check_out(probing.target);
  } else if (!is_unused(out) && !(probing.target.resume && DiskPath(probing.target.out).exists())) {
    refuse_used(out);
  }
  const Dataset dataset = chosen_dataset(probing.probe);
  check_calibration(arguments.calibrate, probing.target.shown_name(), dataset,
                    probing.probe.templates.indices);
  const auto probed = detail::probe(console, "calibrate", probing, dataset, make_model);
  if (probed) for_people(console) << probed->second << "\n";
  return probed.has_value();
}

/// Returns nullopt after printing help. Without `make_model`, the kind of the model is not
/// determined.
inline std::optional<CalibrateArguments> parse_calibrate(Console& console,
                                                         const ModelMaker* make_model = nullptr) {
  CalibrateArguments arguments;
  options::options_description measuring, probing("To probe a model first, into RUN/probe");
  DescribeOptions describe(measuring, console), describe_probe(probing, console);
  CalibrateArguments::visit_calibration(arguments, describe);
  CalibrateArguments::visit_probe(arguments, describe_probe);
  add_config(measuring);
  measuring.add(probing);
  const auto values = parse_arguments(console,
                                      "plumb calibrate DIR… --out RUN\n"
                                      "       plumb calibrate --data DIR --model FILE --out RUN",
                                      measuring, {{"folders", -1}});
  if (!values) return std::nullopt;
  read_settings(*values, console, arguments);
  if (!arguments.target.asks_several()) arguments.target.find_model(*values, console);
  (arguments.check)();
  if (arguments.target.asks_several()) return arguments;
  take_bos_of_template(*values, arguments.probe);
  if (make_model != nullptr && arguments.probes()) {
    arguments.probe.masked = will_be_masked(*make_model, arguments.target);
    const RefuseIdleOptions refuse(*values);
    CalibrateArguments::visit_probe(std::as_const(arguments), refuse);
  }
  return arguments;
}

/// A visitor that collects the names of settings.
struct SettingNames {
  std::vector<std::string> list{};

  template <class Value>
  void operator()(std::string_view name, const Value&, const SettingInfo&) {
    list.emplace_back(name);
  }
};

/// The command that calibrates the probes of several models together, with the calibration options
/// that the user specified.
inline ComparingCommand calibration_of_several(const Console& console,
                                               const CalibrateArguments& arguments) {
  SettingNames names;
  CalibrateSettings::visit(arguments.calibrate, names);
  return comparing_with(console, "calibrate", names.list);
}

/// Runs the subcommand; returns the exit code 0. Throws an Error for every failure.
inline int run_calibrate_command(Console& console, const ModelMaker& make_model) {
  auto arguments = detail::parse_calibrate(console, &make_model);
  if (!arguments) return 0;
  if (arguments->target.asks_several()) {
    return detail::ask_each_model(console, "calibrate", arguments->target,
                                  detail::calibration_of_several(console, *arguments));
  }
  if (arguments->probes()) {
    if (!detail::probe_to_calibrate(console, make_model, *arguments)) return 0;
  } else {
    arguments->target.out = detail::calibration_out(*arguments);
  }
  detail::show_measurement(console, "calibrate", CalibrateMeasurement(arguments->calibrate),
                           arguments->target.out);
  return 0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
