// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which probabilities does a reply of llama-server contain?
//
//   {"completion_probabilities": [{"id", "logprob", "top_logprobs": [{"id", "logprob", …}, …]}]}
// The whole distribution over a vocabulary is megabytes of text, but only two numbers per entry are
// needed. So the numbers are extracted during parsing, without building a JSON document.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct LlamaProbabilities {
  struct Entry {
    std::int64_t id = -1;
    /// In nats; NaN if the entry does not contain a number.
    double nats = std::numeric_limits<double>::quiet_NaN();
  };
  /// For each generated token: the token itself, and the most likely tokens in the reply's order.
  std::vector<Entry> generated{};
  std::vector<std::vector<Entry>> likeliest{};
  /// "tokens": the ids of all generated tokens.
  std::vector<std::int64_t> tokens{};
  std::uint64_t computed = 0;
  std::string stop_type{};
  /// Whether the entries contain probabilities after sampling ("prob", "top_probs").
  bool after_sampling = false;
};

/// Extracts the numbers during parsing by nlohmann-json; unknown fields are skipped.
class LlamaProbabilityReader : public nlohmann::json_sax<Json> {
 public:
  explicit LlamaProbabilityReader(LlamaProbabilities& into) : into_(into) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override {
    return number(value, static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto most = (std::numeric_limits<std::int64_t>::max)();
    const auto id =
        value > static_cast<number_unsigned_t>(most) ? most : static_cast<std::int64_t>(value);
    return number(id, static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return number(-1, value); }
  bool string(string_t& value) override {
    if (path_.size() == 1 && path_[0] == "stop_type") into_.stop_type = value;
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    if (is_at(2)) {
      into_.generated.emplace_back();
      into_.likeliest.emplace_back();
    } else if (is_at(4) && !into_.likeliest.empty()) {
      into_.likeliest.back().emplace_back();
    }
    path_.emplace_back();
    return true;
  }
  bool key(string_t& name) override {
    path_.back() = name;
    return true;
  }
  bool end_object() override {
    path_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override {
    path_.emplace_back("[]");
    return true;
  }
  bool end_array() override {
    path_.pop_back();
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  /// Whether an entry begins here: a generated token's entry at depth 2, or a likely token's entry
  /// at depth 4.
  [[nodiscard]] bool is_at(std::size_t depth) const {
    if (path_.size() != depth || path_[0] != "completion_probabilities" || path_[1] != "[]") {
      return false;
    }
    return depth == 2 || (is_top(path_[2]) && path_[3] == "[]");
  }

  static bool is_top(const std::string& name) {
    return name == "top_logprobs" || name == "top_probs";
  }

  bool number(std::int64_t id, double value) {
    if (path_.size() == 2 && path_[0] == "tokens" && path_[1] == "[]") into_.tokens.push_back(id);
    // llama-server either nests the timings or writes their path as a single key.
    if ((path_.size() == 2 && path_[0] == "timings" && path_[1] == "prompt_n") ||
        (path_.size() == 1 && path_[0] == "timings/prompt_n")) {
      into_.computed = static_cast<std::uint64_t>(id < 0 ? 0 : id);
    }
    LlamaProbabilities::Entry* entry = nullptr;
    if (path_.size() == 3 && !into_.generated.empty() && path_[0] == "completion_probabilities") {
      entry = &into_.generated.back();
    } else if (path_.size() == 5 && is_top(path_[2]) && !into_.likeliest.empty() &&
               !into_.likeliest.back().empty()) {
      entry = &into_.likeliest.back().back();
    }
    if (entry == nullptr) return true;
    if (path_.back() == "id") entry->id = id;
    if (path_.back() == "logprob") entry->nats = value;
    if (path_.back() == "prob") {
      entry->nats = std::log(value);
      into_.after_sampling = true;
    }
    return true;
  }

  LlamaProbabilities& into_;
  std::vector<std::string> path_;  // the keys that lead to the current value, with "[]" for lists
};

/// Returns nullopt for a text that is not JSON.
[[nodiscard]] inline std::optional<LlamaProbabilities> read_llama_probabilities(
    const std::string& body) {
  LlamaProbabilities read;
  detail::LlamaProbabilityReader reader(read);
  try {
    if (!Json::sax_parse(body, &reader)) return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  return read;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
