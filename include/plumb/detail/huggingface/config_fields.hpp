// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the fields of a model's config.json.
//
// Numbers are checked when they are read, so that the error for a damaged file names the field. A
// field that affects a network's numbers is either read or, if only one value is supported, checked
// against that value.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/activation.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Two spellings of one field.
struct FieldAlias {
  std::string_view alias, name;
};

/// The fields in a config.json.
class ConfigFields {
 public:
  /// `else_do` is a remedy for models with unsupported values, which is appended to error messages;
  /// it may be empty.
  explicit ConfigFields(const std::filesystem::path& file, std::string else_do = "")
      : file_(file), object_(read_json_object(file)), else_do_(std::move(else_do)) {}

  /// The fields of a nested object. Errors refer to its fields as "name.field". If the object is
  /// absent, the result has no fields. Throws a user error for a value that is not an object.
  [[nodiscard]] ConfigFields object(const std::string& name) const {
    const Json* value = find(name);
    if (value != nullptr && !value->is_object()) {
      throw wrong(name, "is " + value->dump() + ", not an object",
                  "fetch the model's config.json again");
    }
    return ConfigFields(*this, value == nullptr ? Json::object() : *value, prefix_ + name + ".");
  }

  /// The union of these fields and another object's fields; if both have a field, the other
  /// object's value is used.
  [[nodiscard]] ConfigFields with(const ConfigFields& others) const {
    ConfigFields made = *this;
    made.object_.update(others.object_);
    return made;
  }

  /// These fields, with any missing ones taken from `absent`.
  [[nodiscard]] ConfigFields completed(const Json& absent) const {
    ConfigFields made = *this;
    for (const auto& [name, value] : absent.items()) {
      if (find(name) == nullptr) made.object_[name] = value;
    }
    return made;
  }

  /// These fields, with aliased fields renamed. Throws a user error if a field is present under
  /// both names with different values.
  [[nodiscard]] ConfigFields renamed(std::span<const FieldAlias> aliases) const {
    ConfigFields made = *this;
    for (const FieldAlias& one : aliases) {
      const std::string alias(one.alias), name(one.name);
      const Json* const value = find(alias);
      if (value == nullptr) continue;
      if (const Json* const same = find(name); same != nullptr && *same != *value) {
        throw wrong(alias, "is " + value->dump() + ", but " + name + " is " + same->dump(),
                    "remove the wrong one");
      }
      made.object_[name] = *value;
    }
    return made;
  }

  [[nodiscard]] Error wrong(const std::string& field, const std::string& problem,
                            const std::string& remedy) const {
    return user_error({.file = file_, .field = prefix_ + field}, problem, remedy);
  }
  /// The error for a valid value that the network does not support; `known` names the supported
  /// values.
  [[nodiscard]] Error unmodelled(const std::string& field, const std::string& problem,
                                 const std::string& known) const {
    return wrong(field, problem, known + (else_do_.empty() ? "" : "; " + else_do_));
  }

  [[nodiscard]] const Json* find(const std::string& field) const {
    const auto found = object_.find(field);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  /// Whether a field is present and null. For fields where null and absent have different meanings.
  [[nodiscard]] bool is_null(const std::string& field) const {
    const auto found = object_.find(field);
    return found != object_.end() && found->is_null();
  }
  /// An empty set of fields.
  [[nodiscard]] ConfigFields none() const { return ConfigFields(*this, Json::object(), prefix_); }

  /// An integer of at least 1.
  [[nodiscard]] std::size_t count(const std::string& field,
                                  std::optional<std::size_t> absent = std::nullopt) const {
    const Json* value = find(field);
    if (value == nullptr && absent) return *absent;
    if (value == nullptr) throw wrong(field, "is missing", "fetch the model's config.json again");
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() < 1 ||
        value->get<std::uint64_t>() > 0x7FFFFFFF) {
      throw wrong(field, "is " + value->dump() + ", not a valid count",
                  "fetch the model's config.json again");
    }
    return value->get<std::size_t>();
  }

  /// An integer of at least 0.
  [[nodiscard]] std::size_t count_from_0(const std::string& field, std::size_t absent) const {
    const Json* const value = find(field);
    return value != nullptr && *value == Json(0) ? 0 : count(field, absent);
  }

  [[nodiscard]] bool flag(const std::string& field, bool absent) const {
    const Json* value = find(field);
    if (value == nullptr) return absent;
    if (!value->is_boolean()) {
      throw wrong(field, "is " + value->dump() + ", not true or false",
                  "fetch the model's config.json again");
    }
    return value->get<bool>();
  }

  /// A finite number.
  [[nodiscard]] std::optional<double> number(const std::string& field) const {
    const Json* value = find(field);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number()) {
      throw wrong(field, "is " + value->dump() + ", not a number",
                  "fetch the model's config.json again");
    }
    return value->get<double>();
  }
  [[nodiscard]] double number(const std::string& field, double absent) const {
    return number(field).value_or(absent);
  }
  /// A number above 0.
  [[nodiscard]] double positive(const std::string& field, std::optional<double> absent = {}) const {
    const std::optional<double> value = number(field);
    if (!value && absent) return *absent;
    if (!value) throw wrong(field, "is missing", "fetch the model's config.json again");
    if (!(*value > 0)) {
      throw wrong(field, "is " + find(field)->dump() + ", not above 0",
                  "fetch the model's config.json again");
    }
    return *value;
  }

  [[nodiscard]] std::string text(const std::string& field, const std::string& absent) const {
    const Json* value = find(field);
    if (value == nullptr) return absent;
    if (!value->is_string()) {
      throw wrong(field, "is " + value->dump() + ", not a string",
                  "fetch the model's config.json again");
    }
    return value->get<std::string>();
  }

  /// A list of finite numbers; empty if the field is absent.
  [[nodiscard]] std::vector<double> numbers(const std::string& field) const {
    std::vector<double> list;
    const Json* value = find(field);
    if (value == nullptr) return list;
    for (const Json& item : *value) {
      if (!value->is_array() || !item.is_number()) {
        throw wrong(field, "is not a list of numbers", "fetch the model's config.json again");
      }
      list.push_back(item.get<double>());
    }
    return list;
  }
  /// A list of strings; empty if the field is absent.
  [[nodiscard]] std::vector<std::string> texts(const std::string& field) const {
    std::vector<std::string> list;
    const Json* value = find(field);
    if (value == nullptr) return list;
    for (const Json& item : *value) {
      if (!value->is_array() || !item.is_string()) {
        throw wrong(field, "is not a list of strings", "fetch the model's config.json again");
      }
      list.push_back(item.get<std::string>());
    }
    return list;
  }

  [[nodiscard]] float epsilon(const std::string& field, double absent) const {
    const Json* value = find(field);
    if (value == nullptr) return static_cast<float>(absent);
    if (!value->is_number() || !(value->get<double>() >= 0 && value->get<double>() < 1)) {
      throw wrong(field, "is " + value->dump() + ", not within [0, 1)",
                  "fetch the model's config.json again");
    }
    return static_cast<float>(value->get<double>());
  }

  [[nodiscard]] Activation activation(const std::string& field, const char* absent) const {
    const Json* value = find(field);
    const std::string name = value == nullptr     ? absent
                             : value->is_string() ? value->get<std::string>()
                                                  : value->dump();
    const auto known = activation_named(name);
    if (!known) {
      throw unmodelled(field, "'" + name + "' is not supported",
                       "plumb supports " + activation_list());
    }
    return *known;
  }

  /// Checks a field that has only one supported value, which is also the field's default.
  void expect(const std::string& field, const Json& supported) const {
    if (const Json* value = find(field); value != nullptr && *value != supported) {
      throw unmodelled(field, value->dump() + " is not supported",
                       "only " + supported.dump() + " is");
    }
  }

 private:
  ConfigFields(const ConfigFields& of, Json object, std::string prefix)
      : file_(of.file_),
        object_(std::move(object)),
        prefix_(std::move(prefix)),
        else_do_(of.else_do_) {}

  std::filesystem::path file_;
  Json object_;
  std::string prefix_{};
  std::string else_do_{};
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
