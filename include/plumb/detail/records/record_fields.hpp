// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fields of a results file's row, declared once for writer, reader and documentation.
//
//   template <>
//   struct RecordFields<MyRow> {
//     static constexpr std::string_view file = "SETTING_rows.jsonl", rows = "one row per prompt";
//     template <class Self, class Field>
//     static void visit(Self& row, Field& field) {
//       field("answer", row.text, "the text that the model wrote");
//       field.optional("shots", row.shots, "indices of the examples shown");
//     }
//   };
//
// `row_line` writes a row, `read_row` reads a row, and `field_list` lists its fields. Fields are
// written in the order in which they are declared. Results are JSON Lines: one object per line.

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

template <class Row>
struct RecordFields;

/// Appends a number with ten decimals, or null if it is not finite.
inline void append_fixed(std::string& out, double value) {
  if (!std::isfinite(value)) return void(out += "null");
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 std::chars_format::fixed, 10);
  out.append(digits.data(), end.ptr);
}

/// A whole number that is at least 0 and fits in a T; throws std::exception for any other value.
template <class T>
T whole(const Json& value) {
  const auto number = value.get_ref<const Json::number_unsigned_t&>();
  if (number > static_cast<std::uint64_t>((std::numeric_limits<T>::max)()))
    throw std::out_of_range("too large");
  return static_cast<T>(number);
}

/// Formats that differ from the default for a field's type; `Value` is const when writing.
template <class Value>
struct TenDigits {  // a number with ten significant digits
  Value& value;
};
template <class Values>
struct TenDecimals {  // a list of numbers with ten decimals each
  Values& values;
};
template <class Value>
struct SixteenBits {  // a whole number that a file limits to 16 bits
  Value& value;
};
template <class Flag>
struct OneOfTwo {  // a word for each value of a flag
  Flag& flag;
  const char* if_false;
  const char* if_true;
};
template <class Pairs>
struct AsObject {  // a list of (name, text) as an object
  Pairs& pairs;
};
template <class Value>
TenDigits(Value&) -> TenDigits<Value>;
template <class Values>
TenDecimals(Values&) -> TenDecimals<Values>;
template <class Value>
SixteenBits(Value&) -> SixteenBits<Value>;
template <class Flag>
OneOfTwo(Flag&, const char*, const char*) -> OneOfTwo<Flag>;
template <class Pairs>
AsObject(Pairs&) -> AsObject<Pairs>;

/// Writes a field as JSON text. A field's type must have an `append_field`, found by
/// argument-dependent lookup.
inline void append_field(std::string& out, const std::string& text) {
  out += Json(text).dump();
}
inline void append_field(std::string& out, bool value) {
  out += value ? "true" : "false";
}
inline void append_field(std::string& out, double value) {
  out += Json(value).dump();
}
template <std::integral Number>
requires(!std::same_as<Number, bool>) void append_field(std::string& out, Number value) {
  out += std::to_string(value);
}
template <class First, class Second>
void append_field(std::string& out, const std::pair<First, Second>& pair) {
  append_field(out += '[', pair.first);
  append_field(out += ',', pair.second);
  out += ']';
}
template <class Value>
void append_field(std::string& out, const std::vector<Value>& values) {
  out += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    append_field(out, values[i]);
  }
  out += ']';
}
template <class Value>
void append_field(std::string& out, const TenDigits<Value>& field) {
  append_field(out, ten_digits(field.value));
}
template <class Values>
void append_field(std::string& out, const TenDecimals<Values>& field) {
  out += '[';
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    if (i > 0) out += ',';
    append_fixed(out, field.values[i]);
  }
  out += ']';
}
template <class Value>
void append_field(std::string& out, const SixteenBits<Value>& field) {
  append_field(out, field.value);
}
template <class Flag>
void append_field(std::string& out, const OneOfTwo<Flag>& field) {
  append_field(out, std::string(field.flag ? field.if_true : field.if_false));
}
template <class Pairs>
void append_field(std::string& out, const AsObject<Pairs>& field) {
  Json object = Json::object();
  for (const auto& [name, text] : field.pairs) object[name] = text;
  out += object.dump();
}

/// The reverse of append_field; throws std::exception for a value of the wrong type.
inline void read_field(const Json& json, std::string& text) {
  text = json.get_ref<const std::string&>();
}
inline void read_field(const Json& json, bool& value) {
  value = json.get<bool>();
}
inline void read_field(const Json& json, double& value) {
  value = json.get<double>();
}
template <std::integral Number>
requires(!std::same_as<Number, bool>) void read_field(const Json& json, Number& value) {
  value = whole<Number>(json);
}
template <class First, class Second>
void read_field(const Json& json, std::pair<First, Second>& pair) {
  read_field(json.at(0), pair.first);
  read_field(json.at(1), pair.second);
}
template <class Value>
void read_field(const Json& json, std::vector<Value>& values) {
  // The JSON library would iterate over a number as if it were a list with one element.
  if (!json.is_array()) throw std::invalid_argument("is not a list");
  values.clear();
  for (const Json& one : json) read_field(one, values.emplace_back());
}
template <class Value>
void read_field(const Json& json, const TenDigits<Value>& field) {
  read_field(json, field.value);
}
template <class Values>
void read_field(const Json& json, const TenDecimals<Values>& field) {
  read_field(json, field.values);
}
template <class Value>
void read_field(const Json& json, const SixteenBits<Value>& field) {
  field.value = whole<std::uint16_t>(json);
}
template <class Flag>
void read_field(const Json& json, const OneOfTwo<Flag>& field) {
  field.flag = json.get_ref<const std::string&>() == field.if_true;
  if (!field.flag && json != field.if_false) throw std::invalid_argument("is neither word");
}

/// Whether an optional field is omitted.
template <class Value>
bool is_absent(const std::vector<Value>& values) {
  return values.empty();
}
template <class Pairs>
bool is_absent(const AsObject<Pairs>& field) {
  return field.pairs.empty();
}

/// Writes fields one after another.
class RowWriter {
 public:
  template <class Value>
  void operator()(std::string_view name, const Value& value, std::string_view) {
    text_ += text_.empty() ? "{\"" : ",\"";
    text_ += name;
    text_ += "\":";
    append_field(text_, value);
  }
  template <class Value>
  void optional(std::string_view name, const Value& value, std::string_view meaning) {
    when(!is_absent(value), name, value, meaning);
  }
  /// A field that only some rows have.
  template <class Value>
  void when(bool is_there, std::string_view name, const Value& value, std::string_view meaning) {
    if (is_there) (*this)(name, value, meaning);
  }
  /// Fields that are either all present or all absent; `first` is one of them.
  template <class Part, class Visit>
  void together(std::string_view, const std::optional<Part>& part, Visit visit) {
    if (part) visit(*part, *this);
  }

  /// The unfinished object, without its closing brace.
  [[nodiscard]] std::string& open() noexcept { return text_; }
  [[nodiscard]] std::string line() && { return std::move(text_) + "}\n"; }

 private:
  std::string text_;
};

class RowReader {
 public:
  /// `row` must outlive the reader.
  explicit RowReader(const Json& row) : row_(row) {}

  template <class Value>
  void operator()(const char* name, Value&& value, std::string_view) const {
    read_field(row_.at(name), value);
  }
  template <class Value>
  void optional(const char* name, Value&& value, std::string_view) const {
    if (const auto found = row_.find(name); found != row_.end()) read_field(*found, value);
  }
  template <class Value>
  void when(bool, const char* name, Value&& value, std::string_view meaning) const {
    optional(name, value, meaning);
  }
  template <class Part, class Visit>
  void together(const char* first, std::optional<Part>& part, Visit visit) {
    if (row_.contains(first)) visit(part.emplace(), *this);
  }

 private:
  const Json& row_;
};

struct ListedField {
  std::string name;
  std::string meaning;
  bool is_optional = false;
};

/// Lists fields for documentation.
class FieldLister {
 public:
  template <class Value>
  void operator()(std::string_view name, Value&&, std::string_view meaning) {
    fields.push_back({std::string(name), std::string(meaning), is_optional_});
  }
  template <class Value>
  void optional(std::string_view name, Value&&, std::string_view meaning) {
    fields.push_back({std::string(name), std::string(meaning), true});
  }
  template <class Value>
  void when(bool, std::string_view name, Value&& value, std::string_view meaning) {
    optional(name, value, meaning);
  }
  template <class Part, class Visit>
  void together(std::string_view, std::optional<Part>&, Visit visit) {
    Part part{};
    is_optional_ = true;
    visit(part, *this);
    is_optional_ = false;
  }

  std::vector<ListedField> fields{};

 private:
  bool is_optional_ = false;
};

/// One line of a results file, including its newline.
template <class Row>
[[nodiscard]] std::string row_line(const Row& row) {
  RowWriter writer;
  RecordFields<Row>::visit(row, writer);
  return std::move(writer).line();
}

/// Reads a row from a line. Throws std::exception if the line is not such a row.
template <class Row>
[[nodiscard]] Row read_row(const Json& line) {
  Row row{};
  RowReader reader(line);
  RecordFields<Row>::visit(row, reader);
  return row;
}

template <class Row>
[[nodiscard]] std::vector<ListedField> field_list() {
  Row row{};
  FieldLister lister;
  RecordFields<Row>::visit(row, lister);
  return std::move(lister.fields);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
