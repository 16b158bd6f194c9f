// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tokens does a folder add to the vocabulary, and with which ids?
//
// Tokens are numbered as in transformers 5 and `tokenizers`: a token that is in the vocabulary
// keeps its id. Each other token gets the next free id after the vocabulary and the added tokens,
// in the order of the files. The ids that the files specify for added tokens are ignored. A later
// entry with the same content replaces the rules for finding the token.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/tokenizer_config.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The rules for finding a listed token: {content, single_word, lstrip, rstrip, normalized,
/// special}.
[[nodiscard]] inline TokenizerJson listed_token(const JsonPart& part) {
  TokenizerJson token{{"content", part.at("content").text()}};
  const bool special = part.flag_or("special", false);
  for (const char* const flag : {"single_word", "lstrip", "rstrip"}) {
    token[flag] = part.flag_or(flag, false);
  }
  token["normalized"] = part.flag_or("normalized", !special);
  token["special"] = special;
  return token;
}

[[nodiscard]] inline TokenizerJson special_token(const std::string& content) {
  return {{"content", content}, {"single_word", false}, {"lstrip", false},
          {"rstrip", false},    {"normalized", false},  {"special", true}};
}

/// Collects the added tokens of one tokenizer.
class AddedTokenIds {
 public:
  /// `vocabulary` is a model's {text: id} or [[text, score], …]; it must outlive this object.
  explicit AddedTokenIds(const TokenizerJson& vocabulary) : vocabulary_(vocabulary) {
    if (!vocabulary.is_array()) return;
    for (std::size_t i = 0; i < vocabulary.size(); ++i) {
      const TokenizerJson& item = vocabulary[i];
      if (item.is_array() && !item.empty() && item[0].is_string()) {
        places_.emplace(item[0].get_ref<const std::string&>(), i);
      }
    }
  }

  [[nodiscard]] std::optional<std::size_t> id_of(const std::string& content) const {
    if (const auto found = ids_.find(content); found != ids_.end()) return found->second;
    if (vocabulary_.is_array()) {
      const auto found = places_.find(content);
      return found == places_.end() ? std::nullopt : std::optional(found->second);
    }
    const auto found = vocabulary_.find(content);
    if (found == vocabulary_.end() || !found->is_number_unsigned()) return std::nullopt;
    return found->get<std::size_t>();
  }

  [[nodiscard]] bool has(const std::string& content) const { return ids_.contains(content); }

  /// Adds the tokens listed in one file.
  void add(const std::vector<TokenizerJson>& tokens) {
    std::size_t next = vocabulary_.size();
    if (!tokens_.empty()) next = (std::max)(next, tokens_.rbegin()->first + 1);
    for (const TokenizerJson& token : tokens) {
      const auto& content = token["content"].get_ref<const std::string&>();
      if (content.empty()) continue;
      if (token["special"].get<bool>()) special_.insert(content);
      const auto known = id_of(content);
      if (known && tokens_.contains(*known) && tokens_[*known] == token) continue;
      const std::size_t id = known ? *known : next++;
      ids_[content] = id;
      tokens_[id] = token;
    }
  }

  /// The list for tokenizer.json, sorted by id.
  [[nodiscard]] TokenizerJson list() const {
    TokenizerJson all = TokenizerJson::array();
    for (const auto& [id, token] : tokens_) {
      TokenizerJson each = token;
      each["id"] = id;
      each["special"] = special_.contains(token["content"].get_ref<const std::string&>());
      all.push_back(std::move(each));
    }
    return all;
  }

 private:
  const TokenizerJson& vocabulary_;
  // keyed by content; filled only if the vocabulary is a list
  std::unordered_map<std::string, std::size_t> places_;
  std::unordered_map<std::string, std::size_t> ids_;  // of added tokens
  std::map<std::size_t, TokenizerJson> tokens_;
  std::set<std::string> special_;
};

/// The tokens listed in tokenizer.json.
[[nodiscard]] inline std::vector<TokenizerJson> tokens_of_json(const TokenizerFiles& files) {
  const JsonPart file(files.file, files.tokenizer);
  std::vector<TokenizerJson> tokens;
  if (!file.has("added_tokens")) return tokens;
  const JsonPart list = file.at("added_tokens");
  for (std::size_t i = 0; i < list.items(); ++i) {
    tokens.push_back(listed_token(list.item(i)));
    (void)list.item(i).at("id").count(static_cast<std::size_t>(-1) / 2);
  }
  return tokens;
}

/// The special tokens named by the configuration and by the tokenizer class, and those listed in
/// the configuration. If several entries have the same content, the first plain string and the last
/// entry with details are used.
[[nodiscard]] inline std::vector<TokenizerJson> special_of_config(const TokenizerFiles& files) {
  const JsonPart config(files.config_file(), files.config);
  std::vector<TokenizerJson> tokens;
  std::set<std::string> texts;
  const auto add_text = [&](const std::string& content) {
    if (texts.insert(content).second) tokens.push_back(special_token(content));
  };
  const auto add = [&](const JsonPart& part) {
    if (part.value().is_object()) {
      tokens.push_back(listed_token(part));
      tokens.back()["special"] = true;
    } else {
      add_text(part.text());
    }
  };
  for (const std::string_view each : named_tokens) {
    const std::string name(each);
    if (config.has(name)) {
      add(config.at(name));
    } else if (const auto content = files.named(name)) {
      add_text(*content);
    }
  }
  for (const auto& [name, value] : files.config.items()) {  // names such as "image_token"
    const bool is_named =
        std::find(named_tokens.begin(), named_tokens.end(), name) != named_tokens.end();
    if (!is_named && name.ends_with("_token") && value.is_string()) {
      add_text(value.get<std::string>());
    }
  }
  bool has_list = false;  // if true, only an object can still add tokens
  for (const char* const name : {"extra_special_tokens", "additional_special_tokens"}) {
    if (!config.has(name)) continue;
    const JsonPart further = config.at(name);
    if (further.value().is_object()) {
      for (const auto& item : further.value().items()) add(further.at(item.key()));
    } else if (!has_list) {
      has_list = true;
      for (std::size_t i = 0; i < further.items(); ++i) add(further.item(i));
    }
  }
  return tokens;
}

/// The tokens that a slow tokenizer would add, keyed by their id in the tokenizer's files.
[[nodiscard]] inline std::map<std::size_t, TokenizerJson> tokens_by_written_id(
    const TokenizerFiles& files) {
  const std::filesystem::path folder = files.file.parent_path();
  constexpr std::size_t most = static_cast<std::size_t>(-1) / 2;
  std::map<std::size_t, TokenizerJson> tokens;
  const JsonPart config(files.config_file(), files.config);
  if (files.config.contains("added_tokens_decoder")) {
    const JsonPart decoder = config.at("added_tokens_decoder");
    const auto wrong = [&] {
      return decoder.wrong("is not {id: {\"content\": …}, …}", "correct it");
    };
    if (!decoder.value().is_object()) throw wrong();
    for (const auto& [id, token] : decoder.value().items()) {
      const bool is_number =
          !id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == std::string::npos;
      if (!is_number || !token.is_object() || !token.contains("content")) throw wrong();
      tokens[std::stoul(id)] = listed_token(decoder.at(id));
    }
    return tokens;
  }
  if (std::filesystem::exists(folder / "added_tokens.json")) {
    const TokenizerJson list = read_tokenizer_json(folder / "added_tokens.json");
    const JsonPart part(folder / "added_tokens.json", list);
    std::set<std::string> special;
    for (const std::string_view name : named_tokens) {
      const auto content = files.named(std::string(name));
      if (content && files.config.contains(std::string(name))) special.insert(*content);
    }
    if (config.has("extra_special_tokens") &&
        config.at("extra_special_tokens").value().is_array()) {
      const JsonPart further = config.at("extra_special_tokens");
      for (std::size_t i = 0; i < further.items(); ++i) {
        const bool is_text = further.item(i).value().is_string();
        special.insert((is_text ? further.item(i) : further.item(i).at("content")).text());
      }
    }
    for (const auto& item : list.items()) {
      TokenizerJson token = special_token(item.key());
      token["special"] = special.contains(item.key());
      token["normalized"] = !special.contains(item.key());
      tokens[part.at(item.key()).count(most)] = std::move(token);
    }
  }
  if (files.file.filename() == "tokenizer.json") {
    const std::vector<TokenizerJson> listed = tokens_of_json(files);
    for (std::size_t i = 0; i < listed.size(); ++i) {
      tokens[files.tokenizer["added_tokens"][i]["id"].get<std::size_t>()] = listed[i];
    }
  }
  return tokens;
}

/// Writes a folder's added tokens into its `tokenizer`, each with the id that transformers would
/// assign to it. Warns if a file specifies a different id for a token. `keeps_list` is true if the
/// tokenizer itself comes from tokenizer.json, along with the added tokens listed there. Throws a
/// user error for an invalid entry.
inline void number_added_tokens(TokenizerFiles& files, bool keeps_list) {
  using detail::AddedTokenIds;
  AddedTokenIds ids(files.tokenizer["model"]["vocab"]);
  if (keeps_list) ids.add(detail::tokens_of_json(files));
  const std::map<std::size_t, TokenizerJson> written = detail::tokens_by_written_id(files);
  std::set<std::string> named, seen;
  for (const std::string_view name : detail::named_tokens) {
    if (const auto content = files.named(std::string(name))) named.insert(*content);
  }
  std::vector<TokenizerJson> later;
  for (const auto& [id, token] : written) {
    const auto& content = token["content"].get_ref<const std::string&>();
    seen.insert(content);
    later.push_back(token);
    if (named.contains(content)) later.back()["special"] = true;
  }
  for (TokenizerJson& token : detail::special_of_config(files)) {
    const auto& content = token["content"].get_ref<const std::string&>();
    if (!ids.has(content) && !seen.contains(content)) later.push_back(std::move(token));
  }
  ids.add(later);
  for (const auto& [id, token] : written) {
    const auto& content = token["content"].get_ref<const std::string&>();
    if (const auto given = ids.id_of(content); given && *given != id) {
      files.warnings.push_back("Warning: the added token \"" + shortened(content) +
                               "\" has the id " + std::to_string(*given) +
                               ", as in transformers, not the id " + std::to_string(id) +
                               " from the tokenizer's files");
    }
  }
  files.tokenizer["added_tokens"] = ids.list();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
