// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is to be probed, with which model, and how?
//
// The options of `plumb probe`, which `plumb calibrate --model` takes too, and the dataset they
// name: read, cut to what was chosen, with its templates replaced or marked.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plumb/cli/arguments.hpp"
#include "plumb/data/load.hpp"
#include "plumb/data/template_file.hpp"
#include "plumb/prompt/confidence_marker.hpp"
#include "plumb/score/statement_score.hpp"

namespace plumb {
namespace detail {

struct ProbeArguments {
  std::filesystem::path data, out, template_file;
  ModelOptions model;
  std::vector<std::string> relations;
  std::vector<std::size_t> templates;  // empty: all
  Injection injection;
  std::size_t limit = 0;
  bool bos = true;
  Scoring scoring;
  std::uint64_t seed = 0;
  bool resume = false;
};

/// "none", "verbalized", "numerical" or "all".
inline std::string name_of(Injection injection) {
  if (injection.verbalized && injection.numerical) return "all";
  return injection.verbalized ? "verbalized" : injection.numerical ? "numerical" : "none";
}

/// The options as words; `parse` turns them into arguments once the command line is read.
struct ProbeOptions {
  std::string data, model, out, template_file, relations, templates, inject, limit, bos, reduction,
      span, precision, threads, seed;

  /// Options that results already there can be read with too.
  void describe_common(options::options_description& list) {
    using options::value;
    list.add_options()  //
        ("data", value(&data)->value_name("DIR"),
         "dataset: a BEAR, LAMA or PARAREL folder, FACTOR's .csv, or a .tsv file")     //
        ("out", value(&out)->value_name("RUN"), "folder to write")                     //
        ("relations", text(relations, "")->value_name("A,B"), "only these relations")  //
        ("reduction", text(reduction, "sum")->value_name("sum|mean"),
         "over a statement's tokens")                                                            //
        ("span", text(span, "statement")->value_name("statement|answer"), "which tokens count")  //
        ("seed", text(seed, "0")->value_name("N"), "of the bootstrap intervals");
  }

  /// Options of scoring; `all_templates` is what --templates is by default, instead of template 0.
  void describe_scoring(options::options_description& list, bool all_templates) {
    using options::value;
    list.add_options()                                                           //
        ("model", value(&model)->value_name("FILE"), "the model, a .gguf file")  //
        ("templates", text(templates, all_templates ? "all" : "0")->value_name("0,1|all"),
         "template indices")  //
        ("template-file", text(template_file, "")->value_name("FILE"),
         "JSON of templates by relation, instead of the dataset's")  //
        ("inject", text(inject, "none")->value_name("KIND"),
         "add template 0 with markers: verbalized, numerical or all")  //
        ("limit", text(limit, "0")->value_name("N"),
         "first N facts of each relation; 0 takes all")  //
        ("bos", text(bos, "yes")->value_name("yes|no"),
         "start each statement with the BOS token")  //
        ("precision", text(precision, "exact")->value_name("exact|fast"),
         "exact: F32 cache, no flash attention; fast: neither, and less exact")        //
        ("threads", text(threads, "0")->value_name("N"), "0 takes one for each core")  //
        ("resume", "go on with the run that --out holds");
  }

  [[nodiscard]] Scoring scoring() const {
    return {
        parse_choice(reduction, "--reduction", "sum", "mean") ? Reduction::sum : Reduction::mean,
        parse_choice(span, "--span", "statement", "answer") ? Span::statement : Span::answer};
  }

  [[nodiscard]] ProbeArguments parse(const options::variables_map& values,
                                     const std::string& command) const {
    ProbeArguments parsed;
    for (const auto& [word, option] :
         {std::pair{&data, "--data"}, {&model, "--model"}, {&out, "--out"}}) {
      if (!word->empty()) continue;
      throw user_error({.field = option}, "is required but missing",
                       "`" + command + " --help` tells more");
    }
    parsed.data = data;
    parsed.out = out;
    parsed.template_file = template_file;
    const std::uint64_t thread_count = parse_count(threads, "--threads");
    if (thread_count > 1024) {
      throw user_error({.field = "--threads"}, "is more than 1024", "0 takes one for each core");
    }
    parsed.model = {model, parse_choice(precision, "--precision", "exact", "fast"),
                    static_cast<int>(thread_count)};
    if (parsed.model.threads == 0) {
      parsed.model.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    }
    parsed.relations = parse_list(relations, "--relations");
    if (templates != "all") {
      parsed.templates = parse_indices(templates, "--templates");
      if (parsed.templates.empty()) {
        throw user_error({.field = "--templates"}, "names none", "say 0 or all");
      }
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
    parsed.limit = parse_count(limit, "--limit");
    parsed.bos = parse_choice(bos, "--bos", "yes", "no");
    parsed.scoring = scoring();
    parsed.seed = parse_count(seed, "--seed");
    parsed.resume = values.contains("resume");
    return parsed;
  }

 private:
  static options::typed_value<std::string>* text(std::string& target, const char* fallback) {
    return options::value(&target)->default_value(fallback);
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
