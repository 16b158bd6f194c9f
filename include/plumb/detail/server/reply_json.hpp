// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are the values of a server's reply read and checked?
//
// All values are read through these functions. If a reply is HTML instead of JSON, is truncated,
// lacks a field, or contains an invalid or out-of-range number, they throw a one-line error that
// states the route and the field.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A reply's JSON content, and the URL that the reply came from.
struct ReplyJson {
  Json value;
  /// The URL as errors show it, for example "http://127.0.0.1:8080/completion".
  std::string place{};

  [[nodiscard]] Error wrong(const std::string& field, const std::string& problem) const {
    return internal_error({.field = place}, "the reply's " + field + " " + problem,
                          "see docs/servers.md for the servers and versions that plumb supports");
  }

  /// The field at a JSON pointer ("/choices/0/text"). Throws if it is missing.
  [[nodiscard]] const Json& at(const std::string& pointer) const {
    try {
      return value.at(Json::json_pointer(pointer));
    } catch (const Json::exception&) {
      throw wrong(pointer, "is missing");
    }
  }
  /// The field at a JSON pointer, or null if it is missing.
  [[nodiscard]] Json find(const std::string& pointer) const {
    const Json::json_pointer path(pointer);
    return value.contains(path) ? value.at(path) : Json();
  }
  [[nodiscard]] std::string text_or(const std::string& pointer, std::string other) const {
    const Json found = find(pointer);
    return found.is_string() ? found.get<std::string>() : std::move(other);
  }
  [[nodiscard]] std::uint64_t count_or(const std::string& pointer, std::uint64_t other) const {
    const Json found = find(pointer);
    return found.is_number_unsigned() ? found.get<std::uint64_t>() : other;
  }

  /// A token id; it must be below `size`, the vocabulary size, unless that is 0 (unknown).
  [[nodiscard]] TokenId token(const Json& item, const std::string& field, std::size_t size) const {
    if (!item.is_number_integer())
      throw wrong(field,
                  "is not a token "
                  "id: " +
                      shortened(item.dump()));
    const auto id = item.get<std::int64_t>();
    if (id < 0 || id > std::int64_t{0x7fffffff} ||
        (size > 0 && id >= static_cast<std::int64_t>(size))) {
      throw wrong(field,
                  "contains token " + std::to_string(id) + ", which is not in the vocabulary");
    }
    return static_cast<TokenId>(id);
  }
  /// The largest value that is still a log-probability, because of rounding.
  static constexpr double most_nats = 1e-3;
  /// A log-probability in nats: at most 0, except for rounding. Servers write −9999 for minus
  /// infinity, which JSON does not support.
  [[nodiscard]] double log_probability(const Json& item, const std::string& field) const {
    if (!item.is_number()) {
      throw wrong(field, "is not a log-probability: " + shortened(item.dump()));
    }
    return checked_log_probability(item.get<double>(), field);
  }
  [[nodiscard]] double checked_log_probability(double nats, const std::string& field) const {
    if (!std::isfinite(nats) || nats > most_nats) {
      throw wrong(field, "is not a log-probability: " + std::to_string(nats));
    }
    return nats <= -9999 ? -std::numeric_limits<double>::infinity() : nats;
  }

  /// A non-empty vector of finite numbers.
  [[nodiscard]] std::vector<float> numbers(const Json& list, const std::string& field) const {
    if (!list.is_array() || list.empty()) throw wrong(field, "is not a vector");
    std::vector<float> vector;
    vector.reserve(list.size());
    for (const Json& item : list) {
      const double number = item.is_number() ? item.get<double>() : std::nan("");
      if (!std::isfinite(number)) throw wrong(field, "holds " + shortened(item.dump()));
      vector.push_back(static_cast<float>(number));
    }
    return vector;
  }
};

/// Throws an internal error for a text that is not JSON.
[[nodiscard]] inline ReplyJson parse_reply(std::string_view body, std::string place) {
  ReplyJson reply{{}, std::move(place)};
  const auto wrong = detail::parse_json(body, reply.value);
  if (!wrong) return reply;
  const std::string_view text = trimmed(body);
  const bool is_page = text.starts_with('<');
  throw internal_error({.field = reply.place},
                       is_page        ? "the reply is a page (HTML), not JSON"
                       : text.empty() ? "the reply is empty"
                                      : "the reply cannot be read: " + *wrong,
                       is_page ? "check that this is the server's own address, not a website in "
                                 "front of it"
                               : "check the server, then resume");
}

/// The message in a server's error reply, in any of the servers' formats; empty if there is none.
[[nodiscard]] inline std::string error_message(std::string_view body) {
  Json value;
  if (detail::parse_json(body, value) || !value.is_object()) return "";
  const auto text = [](const Json& of, const char* field) {
    const auto found = of.find(field);
    return found != of.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto error = value.find("error");
  if (error != value.end() && error->is_object()) return text(*error, "message");
  for (const char* field : {"error", "message", "detail"}) {
    if (std::string found = text(value, field); !found.empty()) return found;
  }
  return "";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
