// SPDX-License-Identifier: Apache-2.0
#pragma once

// Extracts the text under one key of a JSON object without storing the object in memory.
//
// Corpora are JSON Lines files, {"text": "…", "meta": {…}}, whose texts are documents of any
// length. The object arrives in blocks of bytes, which may begin and end anywhere. The text is
// passed on in parts, with its escapes decoded. Everything else is skipped with minimal checks:
// strings and brackets must be closed, and the outermost object must have its colons and commas.
// Numbers and inner commas are not checked. Bytes that are not UTF-8 pass through unchanged; an
// unpaired surrogate becomes U+FFFD.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/utf8.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Processes one object after another and calls `visit(std::string_view)` with the pieces of their
/// texts. Not thread-safe.
template <class Visit>
class JsonTextField {
 public:
  JsonTextField(std::string field, Visit visit)
      : field_(std::move(field)), visit_(std::move(visit)) {}

  /// Adds bytes of the current object, without a newline.
  void add(std::string_view bytes) {
    while (!bytes.empty() && problem_ == nullptr) {
      if (in_string_) {
        take_string(bytes);
      } else {
        take_mark(bytes.front());
        bytes.remove_prefix(1);
      }
    }
    give();
  }

  /// Ends the current object; another may follow. Returns the problem with the object, for a
  /// message, or null.
  const char* end() {
    const char* problem = problem_;
    is_blank_ = problem == nullptr && place_ == Place::before;
    if (problem == nullptr && !is_blank_) {
      if (in_string_ || place_ != Place::behind) {
        problem = "is not a complete JSON object";
      } else if (!found_) {
        problem = "has no text";
      }
    }
    closers_.clear();
    escape_.clear();
    high_ = 0;
    place_ = Place::before;
    in_string_ = found_ = false;
    problem_ = nullptr;
    return problem;
  }

  /// Whether the most recently completed line was blank instead of containing an object.
  [[nodiscard]] bool was_blank() const noexcept { return is_blank_; }

 private:
  /// What the outermost object expects next; `first` means a key or the end of the object.
  enum class Place { before, first, key, colon, value, next, behind };
  enum class Kind { key, wanted, other };
  static constexpr std::size_t deepest = 1000;

  void refuse(const char* problem) { problem_ = problem; }

  /// Processes a byte outside strings.
  void take_mark(char c) {
    if (c == ' ' || c == '\t' || c == '\r') return;
    if (closers_.size() > 1) return take_inner(c);
    const bool is_wanted = key_ == field_;
    if (place_ == Place::before) {
      if (c != '{') return refuse("is not a JSON object");
      closers_ = "}";
      place_ = Place::first;
    } else if (c == '"' && (place_ == Place::first || place_ == Place::key)) {
      begin_string(Kind::key);
      place_ = Place::colon;
    } else if (c == ':' && place_ == Place::colon) {
      place_ = Place::value;
    } else if (place_ == Place::value && c != ',' && c != ':' && c != '}' && c != ']') {
      if (is_wanted && found_) return refuse("has two texts");
      if (is_wanted && c != '"') return refuse("has a text that is not a string");
      place_ = Place::next;
      if (c == '"') begin_string(is_wanted ? Kind::wanted : Kind::other);
      if (c == '{') closers_ += '}';
      if (c == '[') closers_ += ']';
    } else if (c == ',' && place_ == Place::next) {
      place_ = Place::key;
    } else if (c == '}' && (place_ == Place::first || place_ == Place::next)) {
      place_ = Place::behind;
      // otherwise, a number or a literal (true, false, null) continues
    } else if (place_ != Place::next || is_mark(c)) {
      refuse(place_ == Place::behind ? "has further text after its object"
                                     : "is not a complete JSON object");
    }
  }

  /// Processes a byte outside strings in an inner object or list.
  void take_inner(char c) {
    if (c == '"') return begin_string(Kind::other);
    if (c == '{' || c == '[') {
      if (closers_.size() == deepest) return refuse("is nested too deeply");
      closers_ += c == '{' ? '}' : ']';
    } else if (c == '}' || c == ']') {
      if (c != closers_.back()) return refuse("is not a complete JSON object");
      closers_.pop_back();
    }
  }

  static bool is_mark(char c) { return std::string_view("\"{}[]:,").find(c) != std::string::npos; }

  void begin_string(Kind kind) {
    in_string_ = true;
    kind_ = kind;
    if (kind == Kind::key) key_.clear();
    if (kind == Kind::wanted) found_ = true;
  }

  /// Consumes bytes of a string, up to its end or an escape.
  void take_string(std::string_view& bytes) {
    if (!escape_.empty()) {
      take_escape(bytes.front());
      bytes.remove_prefix(1);
      return;
    }
    std::size_t end = 0;
    while (end < bytes.size() && bytes[end] != '"' && bytes[end] != '\\') ++end;
    if (end > 0) put(bytes.substr(0, end));
    if (end < bytes.size() && bytes[end] == '\\') escape_ = "\\";
    if (end < bytes.size() && bytes[end] == '"') {
      put({});
      in_string_ = false;
    }
    bytes.remove_prefix(end < bytes.size() ? end + 1 : end);
  }

  void take_escape(char c) {
    escape_ += c;
    if (escape_[1] != 'u') {
      constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
      const std::size_t at = letters.find(c);
      if (at == std::string_view::npos) return refuse("has an escape that is not valid in JSON");
      put(meant.substr(at, 1));
      escape_.clear();
      return;
    }
    if (escape_.size() < 6) return;
    char32_t unit = 0;
    for (const char digit : std::string_view(escape_).substr(2)) {
      constexpr std::string_view digits = "0123456789abcdefABCDEF";
      const std::size_t at = digits.find(digit);
      if (at == std::string_view::npos) return refuse("has an escape that is not valid in JSON");
      unit = unit * 16 + static_cast<char32_t>(at < 16 ? at : at - 6);
    }
    escape_.clear();
    put_unit(unit);
  }

  /// Adds a UTF-16 code unit.
  void put_unit(char32_t unit) {
    const bool is_low = unit >= 0xDC00 && unit <= 0xDFFF;
    if (is_low && high_ != 0) {
      unit = 0x10000 + ((high_ - 0xD800) << 10) + (unit - 0xDC00);
      high_ = 0;
    } else if (is_low) {
      unit = U'\uFFFD';
    }
    std::string text;
    if (unit >= 0xD800 && unit <= 0xDBFF) {
      put({});
      high_ = unit;
      return;
    }
    append_utf8(text, unit);
    put(text);
  }

  /// Adds text to the current string. If the first half of a surrogate pair is pending, its second
  /// half is missing, and U+FFFD replaces it.
  void put(std::string_view text) {
    if (high_ != 0) {
      high_ = 0;
      put("\uFFFD");
    }
    if (kind_ == Kind::wanted) out_ += text;
    // Stores only enough of a key to distinguish it from the field.
    if (kind_ == Kind::key && key_.size() <= field_.size()) {
      key_ += text.substr(0, field_.size() + 1 - key_.size());
    }
  }

  void give() {
    if (!out_.empty()) visit_(std::string_view(out_));
    out_.clear();
  }

  std::string field_;
  Visit visit_;
  Place place_ = Place::before;
  Kind kind_ = Kind::other;
  bool in_string_ = false, found_ = false, is_blank_ = false;
  const char* problem_ = nullptr;
  /// The closing brackets that match the open ones.
  std::string closers_;
  std::string key_, escape_, out_;
  /// The first half of a surrogate pair, or 0.
  char32_t high_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
