// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is to be probed, with which model, and how?
//
// The options of `plumb probe`, which `plumb calibrate --model` takes too, and the dataset they
// name: read, cut to what was chosen, with its templates replaced or marked.

#include <filesystem>
#include <string>
#include <vector>

#include "plumb/cli/job_options.hpp"
#include "plumb/data/load.hpp"
#include "plumb/data/template_file.hpp"
#include "plumb/prompt/confidence_marker.hpp"
#include "plumb/score/statement_score.hpp"

namespace plumb {
namespace detail {

struct ProbeArguments : JobArguments {
  std::filesystem::path template_file;
  std::vector<std::size_t> templates;  // empty: all
  Injection injection;
  Scoring scoring;
};

/// "none", "verbalized", "numerical" or "all".
inline std::string name_of(Injection injection) {
  if (injection.verbalized && injection.numerical) return "all";
  return injection.verbalized ? "verbalized" : injection.numerical ? "numerical" : "none";
}

/// The options as words; `parse` turns them into arguments once the command line is read.
struct ProbeOptions : JobOptions {
  std::string template_file, templates, inject, reduction, span;

  /// Options that results already there can be read with too.
  void describe_common(options::options_description& list) {
    describe_folders(list);
    list.add_options()  //
        ("reduction", text_option(reduction, "sum")->value_name("sum|mean"),
         "over a statement's tokens")  //
        ("span", text_option(span, "statement")->value_name("KIND"),
         "which tokens count: statement, answer (those that share a byte with it) or continuation "
         "(all behind what stands before the answer)");
  }

  /// Options of scoring; `all_templates` is what --templates is by default, instead of template 0.
  void describe_scoring(options::options_description& list, bool all_templates) {
    list.add_options()  //
        ("templates", text_option(templates, all_templates ? "all" : "0")->value_name("0,1|all"),
         "template indices")  //
        ("template-file", text_option(template_file, "")->value_name("FILE"),
         "JSON of templates by relation, instead of the dataset's")  //
        ("inject", text_option(inject, "none")->value_name("KIND"),
         "add template 0 with markers: verbalized, numerical or all");
    describe_model(list, "first N facts of each relation; 0 takes all");
  }

  [[nodiscard]] Scoring scoring() const {
    return {
        parse_choice(reduction, "--reduction", "sum", "mean") ? Reduction::sum : Reduction::mean,
        one_of<Span>(span, "--span",
                     {{"statement", Span::statement},
                      {"answer", Span::answer},
                      {"continuation", Span::continuation}})};
  }

  [[nodiscard]] ProbeArguments parse(const options::variables_map& values,
                                     const std::string& command) const {
    ProbeArguments parsed{parse_job(values, command), template_file, {}, {}, {}};
    if (templates != "all") {
      parsed.templates = parse_indices(templates, "--templates");
    }
    parsed.injection = {inject == "verbalized" || inject == "all",
                        inject == "numerical" || inject == "all"};
    if (name_of(parsed.injection) != inject) {
      throw user_error({.field = "--inject"}, "'" + inject + "' is not a choice",
                       "say none, verbalized, numerical or all");
    }
    if (inject != "none" && templates != "all") {
      throw user_error({.field = "--inject"}, "adds templates, but --templates names some only",
                       "say --templates all");
    }
    parsed.scoring = scoring();
    return parsed;
  }
};

/// The dataset as it is to be probed.
inline Dataset chosen_dataset(const ProbeArguments& arguments) {
  Dataset dataset = select(load_dataset(arguments.data), arguments.relations, arguments.limit);
  if (!arguments.template_file.empty()) use_template_file(dataset, arguments.template_file);
  inject_markers(dataset, arguments.injection);
  return dataset;
}

}  // namespace detail
}  // namespace plumb
