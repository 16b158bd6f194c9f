// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which models does one command run, one after another?
//
// They are specified by several arguments, `--model [NAME=]MODEL …`, or by a table, `--models
// FILE`:
//
//   models.csv     a header, then one model per line: name, path (or url), and any of family, size,
//                  kind; every other column is an option of the command, set for this model only
//   models.jsonl   the same, one object per line
//
// A relative path in a table is relative to the table's folder. A size is a number of parameters:
// 134515008, 135M or 1.7B. If a cell is empty, the option keeps its value from the command line.

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/csv_file.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One of the models that a command runs.
struct AskedModel {
  /// The name of the model's run folder and of its row in tables.
  std::string name{};
  /// Whether the user chose the name; if not, it is derived from the path.
  bool is_named = false;
  /// A path, hf:OWNER/NAME, or the URL of a server.
  std::string word{};
  /// Taken from the table; empty if the table does not contain them.
  std::string family{}, kind{};
  /// The number of parameters.
  std::optional<double> size{};
  /// Options for this model only; maps each name to its argument, or to true for a switch.
  Json options = Json::object();
  /// The table row or setting that specifies the model, for messages.
  Site site{};

  [[nodiscard]] bool is_server() const {
    return word.starts_with("http://") || word.starts_with("https://");
  }
  /// What is known about the model before it is run, for run.json; an empty object if nothing is
  /// known.
  [[nodiscard]] Json known() const {
    Json stated = Json::object();
    if (is_named) stated["name"] = name;
    if (!family.empty()) stated["family"] = family;
    if (size) stated["parameters"] = *size;
    if (!kind.empty()) stated["kind"] = kind;
    return stated;
  }
};

/// "135M" is 135e6. Returns nullopt for a string that is not a number of parameters.
[[nodiscard]] inline std::optional<double> parameters_of(std::string_view text) {
  text = trimmed(text);
  double unit = 1;
  if (!text.empty()) {
    constexpr std::string_view letters = "kKmMbBtT";
    const std::size_t at = letters.find(text.back());
    if (at != letters.npos) {
      unit = std::pow(1000.0, static_cast<double>(at / 2 + 1));
      text.remove_suffix(1);
    }
  }
  const std::optional<double> number = finite_number(text);
  if (!number || *number <= 0 || !std::isfinite(*number * unit)) return std::nullopt;
  return std::round(*number * unit);
}

/// The default name of a model: the last part of its path, without .gguf.
[[nodiscard]] inline std::string name_of_model(const std::string& word) {
  std::string_view text = word;
  while (text.size() > 1 && text.back() == '/') text.remove_suffix(1);
  const std::size_t slash = text.find_last_of('/');
  if (slash != text.npos) text.remove_prefix(slash + 1);
  if (text.starts_with("hf:")) text.remove_prefix(3);
  if (text.ends_with(".gguf")) text.remove_suffix(5);
  return std::string(text);
}

/// Reads NAME=MODEL or MODEL. An existing path is always read as MODEL.
[[nodiscard]] inline AskedModel asked_model(const std::string& word) {
  AskedModel made{.word = word, .site = {.setting = "model"}};
  const std::size_t equals = word.find('=');
  if (equals != word.npos && equals > 0 && word.find('/') > equals && !DiskPath(word).exists()) {
    made.name = word.substr(0, equals);
    made.is_named = true;
    made.word = word.substr(equals + 1);
  }
  if (made.name.empty()) made.name = name_of_model(made.word);
  return made;
}

/// A value of a table's column for an option. The relative path of a file is relative to the table's
/// folder, like a model's path. A prefix or system message is a file only if that file exists.
inline std::string relative_to_table(const DiskPath& table, const std::string& option,
                                     const std::string& value) {
  const std::filesystem::path path = value;
  if (value.starts_with("hf:") || path.is_absolute()) return value;
  const std::string placed = (table.parent() / value).string();
  for (const char* file : {"template-file", "baselines", "separators", "chat-template", "tokenizer",
                           "lora", "fixed"}) {
    if (option == file) return placed;
  }
  for (const char* file : {"prefix", "system", "entities", "vocabulary", "wordnet"}) {
    if (option == file && DiskPath(placed).exists()) return placed;
  }
  return value;
}

/// Reads a row with named fields. Throws a user error for a row that does not describe a model.
inline AskedModel model_of_row(const Json& row, const DiskPath& file, std::size_t line) {
  AskedModel made{.site = {file, line}};
  const auto at = [&](const std::string& field) { return Site{file, line, field}; };
  for (const auto& [field, value] : row.items()) {
    const bool is_switch = value.is_boolean();
    constexpr std::string_view described[] = {"name",   "path", "url", "model",
                                              "family", "kind", "size"};
    const bool describes = ranges::find(described, field) != std::end(described);
    if (value.is_null() || (describes && value == false)) continue;
    if (!is_switch && !value.is_string() && !value.is_number()) {
      throw user_error(at(field), "is not a string, a number, true or false",
                       "write it as on the command line");
    }
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (value.is_string() && is_blank(text)) continue;
    if (field == "name") {
      made.name = text;
      made.is_named = true;
    } else if (field == "path" || field == "url" || field == "model") {
      if (!made.word.empty()) {
        throw user_error(at(field), "specifies a second model in the same row",
                         "use only one of path and url");
      }
      made.word = text;
    } else if (field == "family") {
      made.family = text;
    } else if (field == "kind") {
      made.kind = text;
    } else if (field == "size") {
      made.size = parameters_of(text);
      if (!made.size) {
        throw user_error(at(field), "'" + text + "' is not a number of parameters",
                         "write it as 134515008, 135M or 1.7B");
      }
    } else {
      std::string option = field;
      for (char& c : option) c = c == '_' ? '-' : c;
      for (const char* fixed :
           {"out", "models", "shard", "resume", "overwrite", "dry-run", "config", "data"}) {
        if (option != fixed) continue;
        throw user_error(at(field), "must be the same for all models",
                         "set --" + option + " on the command line");
      }
      made.options[option] = is_switch ? value : Json(relative_to_table(file, option, text));
    }
  }
  if (made.word.empty()) {
    throw user_error(at("path"), "names no model", "add a path or url");
  }
  if (!made.is_server() && !made.word.starts_with("hf:") &&
      std::filesystem::path(made.word).is_relative()) {
    made.word = (file.parent() / made.word).string();
  }
  if (made.name.empty()) made.name = name_of_model(made.word);
  return made;
}

/// The models of a table. Throws a user error for the first problem in the table.
[[nodiscard]] inline std::vector<AskedModel> read_model_table(const DiskPath& file) {
  std::vector<AskedModel> models;
  const ProblemSink refuse = [](const Error& problem) { throw Error(problem); };
  if (file.extension() == ".jsonl") {
    for_each_json_line(file, refuse, [&](const Json& row, std::size_t line) {
      models.push_back(model_of_row(row, file, line));
    });
  } else if (file.extension() == ".csv" || file.extension() == ".tsv") {
    const CsvFile table(file, refuse, file.extension() == ".tsv" ? '\t' : ',');
    if (!table.has("path") && !table.has("url") && !table.has("model")) {
      throw user_error({file, 1},
                       "has no column 'path' or 'url'; it has " + text_list(table.header()),
                       "its first line must name the columns: name,path,family,size");
    }
    for (const CsvRecord& record : table.records()) {
      Json row = Json::object();
      for (const std::string& column : table.header()) {
        // A switch's column contains true or false.
        const std::string& text = table.at(record, column);
        row[column] = text == "true" ? Json(true) : text == "false" ? Json(false) : Json(text);
      }
      models.push_back(model_of_row(row, file, record.line));
    }
  } else {
    throw user_error({.file = file}, "is not a table of models", "use a .csv or .jsonl file");
  }
  if (models.empty()) throw user_error({.file = file}, "names no model", "add one row per model");
  return models;
}

/// Throws a user error for a name that is not a valid folder name, is reserved, or occurs twice.
inline void refuse_bad_names(const std::vector<AskedModel>& models) {
  for (std::size_t i = 0; i < models.size(); ++i) {
    const AskedModel& one = models[i];
    const auto wrong = [&](const std::string& message) {
      return user_error(one.site, message,
                        "choose a name with NAME=MODEL, or in the table's 'name' column");
    };
    if (one.name.empty() || one.name == "." || one.name == ".." ||
        one.name.find('/') != std::string::npos) {
      throw wrong("'" + one.name + "' cannot be a folder name");
    }
    if (one.name == "comparison") throw wrong("'comparison' is reserved for the comparison");
    for (std::size_t j = 0; j < i; ++j) {
      if (models[j].name == one.name) throw wrong("two models are named '" + one.name + "'");
    }
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
