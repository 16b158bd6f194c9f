// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the value of a field in a tokenizer file, and where is the field?
//
// A JsonPart is a value in a JSON file together with the file's path and the field's name, so that
// all readers report unsupported parts with the same wording. Keys are unique and are looked up in
// logarithmic time, because vocabularies contain hundreds of thousands of them.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using TokenizerJson = nlohmann::json;

/// A tokenizer's JSON file. Throws a user error if the file is not JSON, is not an object, or has a
/// duplicate key in an object, because choosing one of the two values would be a guess.
[[nodiscard]] inline TokenizerJson read_tokenizer_json(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  if (const auto at = first_invalid_utf8(text); at != std::string_view::npos) {
    throw user_error({file, detail::line_of_byte(text, at)}, "not UTF-8", "correct the byte there");
  }
  if (const auto at = detail::too_deep_at(text)) {
    throw user_error({file, detail::line_of_byte(text, *at)},
                     "nested more than " + std::to_string(detail::deepest_json) + " levels deep",
                     "correct the file");
  }
  std::vector<std::set<std::string, std::less<>>> keys;
  std::string twice;
  const auto watch = [&](int, TokenizerJson::parse_event_t event, TokenizerJson& value) {
    using Event = TokenizerJson::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(value.get_ref<const std::string&>()).second) {
      twice = value.get_ref<const std::string&>();
    }
    return true;
  };
  TokenizerJson value;
  try {
    value = TokenizerJson::parse(text, watch);
  } catch (const TokenizerJson::parse_error& error) {
    const std::size_t byte = error.byte == 0 ? 0 : error.byte - 1;
    throw user_error({file, detail::line_of_byte(text, byte)}, "not JSON",
                     "correct the syntax there");
  } catch (const TokenizerJson::out_of_range&) {
    throw user_error({.file = file}, "contains a number outside the range of double", "correct it");
  }
  if (!twice.empty()) {
    throw user_error({.file = file}, "has the key \"" + shortened(twice) + "\" twice in one object",
                     "keep one of them");
  }
  if (!value.is_object())
    throw user_error({file, 1}, "is JSON but not an object", "correct the file");
  return value;
}

/// A view of a value; the value must outlive it. Any number of threads may read the same object.
class JsonPart {
 public:
  JsonPart(std::filesystem::path file, const TokenizerJson& value, std::string field = {})
      : file_(std::make_shared<const std::filesystem::path>(std::move(file))),
        value_(&value),
        field_(std::move(field)) {}

  [[nodiscard]] const TokenizerJson& value() const noexcept { return *value_; }
  [[nodiscard]] Error wrong(const std::string& message, const std::string& remedy = {}) const {
    return user_error({.file = *file_, .field = field_}, message, remedy);
  }
  /// The error for an unsupported word in the file.
  [[nodiscard]] Error unknown(const std::string& what, const std::string& word,
                              const std::string& known) const {
    return wrong(what + " \"" + shortened(word) + "\" is not supported", "plumb supports " + known);
  }

  /// Whether the field is present and not null.
  [[nodiscard]] bool has(const std::string& name) const {
    if (!value_->is_object()) throw wrong("is not an object", "it must be {…}");
    const auto found = value_->find(name);
    return found != value_->end() && !found->is_null();
  }
  /// A field that must be present.
  [[nodiscard]] JsonPart at(const std::string& name) const {
    if (!has(name)) throw wrong("has no \"" + name + "\"", "add it");
    return {*this, (*value_)[name], field_.empty() ? name : field_ + "." + name};
  }
  /// The number of items in a list.
  [[nodiscard]] std::size_t items() const {
    if (!value_->is_array()) throw wrong("is not a list", "it must be […]");
    return value_->size();
  }
  [[nodiscard]] JsonPart item(std::size_t i) const {
    return {*this, (*value_)[i], field_ + "[" + std::to_string(i) + "]"};
  }

  [[nodiscard]] const std::string& text() const {
    if (!value_->is_string()) throw wrong("is not a string");
    return value_->get_ref<const std::string&>();
  }
  [[nodiscard]] bool flag() const {
    if (!value_->is_boolean()) throw wrong("is neither true nor false");
    return value_->get<bool>();
  }
  /// A whole number from 0 to `most`.
  [[nodiscard]] std::size_t count(std::size_t most) const {
    if (!value_->is_number_unsigned() || value_->get<std::size_t>() > most) {
      throw wrong("is not a whole number from 0 to " + std::to_string(most));
    }
    return value_->get<std::size_t>();
  }
  [[nodiscard]] std::string text_or(const std::string& name, std::string otherwise) const {
    return has(name) ? at(name).text() : std::move(otherwise);
  }
  [[nodiscard]] bool flag_or(const std::string& name, bool otherwise) const {
    return has(name) ? at(name).flag() : otherwise;
  }

 private:
  JsonPart(const JsonPart& whole, const TokenizerJson& value, std::string field)
      : file_(whole.file_), value_(&value), field_(std::move(field)) {}

  std::shared_ptr<const std::filesystem::path> file_;
  const TokenizerJson* value_;
  std::string field_;
};

/// If the type of `part` is not `Sequence`, calls `visit(part)`. Otherwise, does the same for each
/// part in the list `list`, in order. Sequences may be nested, at most eight deep.
template <class Visit>
void for_each_of_sequence(const JsonPart& part, const std::string& list, Visit visit,
                          std::size_t depth = 0) {
  if (part.at("type").text() != "Sequence") {
    visit(part);
    return;
  }
  if (depth == 8) throw part.wrong("is a Sequence nested more than eight levels deep");
  const JsonPart parts = part.at(list);
  for (std::size_t i = 0; i < parts.items(); ++i) {
    for_each_of_sequence(parts.item(i), list, visit, depth + 1);
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
