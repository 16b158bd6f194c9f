// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a JSON object have a duplicate key? Readers use the last value and silently discard the
// first.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Searches the objects of a JSON text for duplicate keys.
class RepeatedKeys : public nlohmann::json_sax<Json> {
 public:
  /// The path of the first duplicate key, such as "P36.templates"; nullopt if there is none.
  [[nodiscard]] const std::optional<std::string>& found() const { return found_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    objects_.emplace_back();
    return true;
  }
  bool key(string_t& name) override {
    auto& [keys, latest] = objects_.back();
    latest = name;
    if (keys.insert(name).second) return true;
    found_ = text_list(
        objects_, [](const auto& object) { return object.second; }, ".");
    return false;
  }
  bool end_object() override {
    objects_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  std::vector<std::pair<std::unordered_set<std::string>, std::string>> objects_;
  std::optional<std::string> found_;
};

/// The path of the first duplicate key in a JSON text; nullopt if there is none or the text is not
/// JSON.
[[nodiscard]] inline std::optional<std::string> repeated_json_key(std::string_view text) {
  detail::RepeatedKeys keys;
  (void)Json::sax_parse(text, &keys);
  return keys.found();
}

/// Reports the first duplicate key in a JSON text.
inline void check_json_keys(std::string_view text, const Site& site, const ProblemSink& report) {
  const auto key = repeated_json_key(text);
  if (!key) return;
  report(user_error(site, "the key " + *key + " appears twice in one object",
                    "keep one; only the last value is read"));
}

/// Checks a file that ends in .json or .jsonl; other files are ignored.
inline void check_json_keys(const DiskPath& file, const ProblemSink& report) {
  if (file.extension() == ".json") check_json_keys(read_text(file), {.file = file}, report);
  if (file.extension() != ".jsonl") return;
  for_each_line(file, [&](const std::string& text, std::size_t line) {
    check_json_keys(text, {file, line}, report);
  });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
