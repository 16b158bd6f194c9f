// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are the numbers of a JSON text written?
//
// A parsed number loses its spelling: 2.50 becomes 2.5, and an integer of 30 digits is rounded. In
// a table of facts, a number is a name, so its spelling matters.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Collects the spellings of the numbers that are parsed as floating-point numbers, in order.
class FloatSpellings final : public nlohmann::json_sax<Json> {
 public:
  std::vector<std::string> all{};

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t& spelling) override {
    all.push_back(spelling);
    return true;
  }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }
};

/// The floating-point numbers in a value, in the order of its text.
inline void collect_floats(Json& value, std::vector<Json*>& found) {
  if (value.is_number_float()) found.push_back(&value);
  if (!value.is_structured()) return;
  for (Json& part : value) detail::collect_floats(part, found);
}

/// Replaces each floating-point number in `value`, which was parsed from `text`, with a string that
/// contains its spelling. Does nothing if the text repeats a key, because then only one of the
/// key's values is in `value`.
inline void keep_spellings_of_floats(Json& value, const std::string& text) {
  std::vector<Json*> floats;
  detail::collect_floats(value, floats);
  if (floats.empty()) return;
  FloatSpellings spellings;
  Json::sax_parse(text, &spellings);
  if (spellings.all.size() != floats.size()) return;
  for (std::size_t i = 0; i < floats.size(); ++i) *floats[i] = std::move(spellings.all[i]);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
