// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb calibrate: whether a model's confidence fits its correctness.
//
// Reads results folders (plumb's or lm-pub-quiz's), of one model or several; nothing is scored again.
// With --model it probes first, into the folder "probe" of --out, so that one command leads from a
// model to the page.

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
  /// Of a model that is probed first; not asked with folders.
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
        info.idle = "on folders, which are read as they are; leave it out, or probe with --model";
      }
      if (name == "shot-seeds" && info.idle.empty()) {
        info.idle = "in calibrate; draw with plumb probe --shot-seeds, then calibrate its runs";
      }
      if (!self.calibrate.folders.list.empty()) info.variable = "";  // none stands for a model
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

  /// Throws a user error for what is missing or contradicts itself.
  void(check)() const {
    const bool folders = !calibrate.folders.list.empty();
    if (probes() == folders) {
      throw user_error({.field = "plumb calibrate"},
                       folders ? "got folders and a --model" : "nothing to calibrate",
                       "name results folders, or --data DIR --model FILE");
    }
    (calibrate.check)();
  }
};

/// Where the calibration of folders goes: into a run's own folder, where there is one run of plumb's.
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
  throw user_error({.field = "--out"}, "is required for several folders and for another tool's",
                   "give --out DIR");
}

/// The probe that comes before a calibration, into the folder "probe" of --out; takes from the
/// calibration what is the probe's, and has it read that folder.
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

/// Probes the model and prints what that cost; whether there is something to calibrate, which a dry run
/// does not leave.
[[nodiscard]] inline bool probe_to_calibrate(Console& console, const ModelMaker& make_model,
                                             CalibrateArguments& arguments) {
  const ProbeArguments probing = take_probe(arguments);
  if (probing.target.shard.is_part()) {
    throw user_error({.setting = "shard"}, "parts a probe, not its calibration",
                     "use plumb probe, merge its shards and calibrate the run");
  }
  const DiskPath& out = arguments.target.out;
  if (probing.target.dry_run) {
    // Nothing is written.
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

/// Returns nothing after printing help. Without a maker the kind of the model stays open.
inline std::optional<CalibrateArguments> parse_calibrate(Console& console,
                                                         const ModelMaker* make_model = nullptr) {
  CalibrateArguments arguments;
  options::options_description measuring, probing("To probe a model first, into RUN/probe");
  DescribeOptions describe(measuring, console), describe_probe(probing, console);
  CalibrateArguments::visit_calibration(arguments, describe);
  CalibrateArguments::visit_probe(arguments, describe_probe);
  add_config(measuring);
  measuring.add(probing);
  const auto values = parse_arguments(
      console, "plumb calibrate DIR… --out RUN | plumb calibrate --data DIR --model FILE --out RUN",
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

/// Takes the names of settings.
struct SettingNames {
  std::vector<std::string> list{};

  template <class Value>
  void operator()(std::string_view name, const Value&, const SettingInfo&) {
    list.emplace_back(name);
  }
};

/// Probes of several models are calibrated together, with the options of the calibration that were given.
inline ComparingCommand calibration_of_several(const Console& console,
                                               const CalibrateArguments& arguments) {
  SettingNames names;
  CalibrateSettings::visit(arguments.calibrate, names);
  return comparing_with(console, "calibrate", names.list);
}

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
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
