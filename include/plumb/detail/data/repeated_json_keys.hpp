// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does an object of JSON have a key twice? Readers take the last, and what stands at the first is lost
// without a word.

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

/// The objects of a JSON text, its keys counted.
class RepeatedKeys : public nlohmann::json_sax<Json> {
 public:
  /// Where the first repeated key stands: "P36.templates"; nothing where there is none.
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

/// The first key that stands twice in an object of a JSON text; nothing where none does, or where it is
/// no JSON.
[[nodiscard]] inline std::optional<std::string> repeated_json_key(std::string_view text) {
  detail::RepeatedKeys keys;
  (void)Json::sax_parse(text, &keys);
  return keys.found();
}

/// Reports the first repeated key of a JSON text.
inline void check_json_keys(std::string_view text, const Site& site, const ProblemSink& report) {
  const auto key = repeated_json_key(text);
  if (!key) return;
  report(user_error(site, "the key " + *key + " stands twice in one object",
                    "keep one; readers take the last, and its first value is lost"));
}

/// The same of a file that ends with .json or .jsonl; any other has none.
inline void check_json_keys(const DiskPath& file, const ProblemSink& report) {
  if (file.extension() == ".json") check_json_keys(read_text(file), {.file = file}, report);
  if (file.extension() != ".jsonl") return;
  for_each_line(file, [&](const std::string& text, std::size_t line) {
    check_json_keys(text, {file, line}, report);
  });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
