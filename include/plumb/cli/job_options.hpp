// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does every command that asks a model need to be told?
//
// Which dataset, which model, where to write, which part, and how exact: the options that probe,
// many-shot and calibrate --model share.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plumb/cli/arguments.hpp"
#include "plumb/run/special_token_check.hpp"

namespace plumb {
namespace detail {

struct JobArguments {
  std::filesystem::path data, out;
  ModelOptions model;
  std::vector<std::string> relations;
  std::size_t limit = 0;
  bool bos = true;
  SpecialTokenReading special_tokens = SpecialTokenReading::refuse;
  std::uint64_t seed = 0;
  bool resume = false;
};

/// An option whose word is kept as text until `parse` looks at it.
inline options::typed_value<std::string>* text_option(std::string& target, const char* fallback) {
  return options::value(&target)->default_value(fallback);
}

/// What --special-tokens says; an option that is not given refuses.
inline options::typed_value<std::string>* special_tokens_option(std::string& word) {
  return options::value(&word)->value_name("text|parse");
}
inline constexpr const char* special_tokens_help =
    "what the text of a special token is, in templates and facts: plain text, or the token; not "
    "given: refused";

inline SpecialTokenReading parse_special_tokens(const options::variables_map& values,
                                                const std::string& word) {
  if (!values.contains("special-tokens")) return SpecialTokenReading::refuse;
  return parse_choice(word, "--special-tokens", "text", "parse") ? SpecialTokenReading::text
                                                                 : SpecialTokenReading::parse;
}

/// The options as words; `parse_job` turns them into arguments once the command line is read.
struct JobOptions {
  std::string data, model, out, relations, limit, bos, special_tokens, precision, threads, seed;

  /// Which facts are asked, and where the results go.
  void describe_folders(options::options_description& list) {
    using options::value;
    list.add_options()  //
        ("data", value(&data)->value_name("DIR"),
         "dataset: a BEAR, LAMA or PARAREL folder, FACTOR's .csv, or a .tsv file")            //
        ("out", value(&out)->value_name("RUN"), "folder to write")                            //
        ("relations", text_option(relations, "")->value_name("A,B"), "only these relations")  //
        ("seed", text_option(seed, "0")->value_name("N"), "of the bootstrap intervals");
  }

  /// Which model is asked, and how.
  void describe_model(options::options_description& list, const char* limit_help) {
    using options::value;
    list.add_options()                                                           //
        ("model", value(&model)->value_name("FILE"), "the model, a .gguf file")  //
        ("limit", text_option(limit, "0")->value_name("N"), limit_help)          //
        ("bos", text_option(bos, "yes")->value_name("yes|no"),
         "start each statement with the BOS token")                                     //
        ("special-tokens", special_tokens_option(special_tokens), special_tokens_help)  //
        ("precision", text_option(precision, "exact")->value_name("exact|fast"),
         "exact: F32 cache, no flash attention; fast: neither, and less exact")               //
        ("threads", text_option(threads, "0")->value_name("N"), "0 takes one for each core")  //
        ("resume", "go on with the run that --out holds");
  }

  /// `with_data` says whether --data must be there.
  [[nodiscard]] JobArguments parse_job(const options::variables_map& values,
                                       const std::string& command, bool with_data = true) const {
    JobArguments parsed;
    for (const auto& [word, option] :
         {std::pair{&data, "--data"}, {&model, "--model"}, {&out, "--out"}}) {
      if (!word->empty() || (word == &data && !with_data)) continue;
      throw user_error({.field = option}, "is required but missing",
                       "`" + command + " --help` tells more");
    }
    parsed.data = data;
    parsed.out = out;
    const std::uint64_t thread_count = parse_count(threads, "--threads");
    if (thread_count > 1024) {
      throw user_error({.field = "--threads"}, "is more than 1024", "0 takes one for each core");
    }
    parsed.special_tokens = parse_special_tokens(values, special_tokens);
    parsed.model = {model, parse_choice(precision, "--precision", "exact", "fast"),
                    static_cast<int>(thread_count),
                    parsed.special_tokens == SpecialTokenReading::parse};
    if (parsed.model.threads == 0) {
      parsed.model.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    }
    parsed.relations = parse_list(relations, "--relations");
    parsed.limit = parse_count(limit, "--limit");
    parsed.bos = parse_choice(bos, "--bos", "yes", "no");
    parsed.seed = parse_count(seed, "--seed");
    parsed.resume = values.contains("resume");
    return parsed;
  }
};

}  // namespace detail
}  // namespace plumb
