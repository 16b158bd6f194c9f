// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does each transformers class build a tokenizer from a vocabulary?
//
// The class builds the normalizer, pre-tokenizer, decoder and model options from the vocabulary and
// tokenizer_config.json, ignoring those in tokenizer.json. Each part is written in tokenizer.json's
// format, so that the rest of the code has to handle only one format.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/tokenizer_config.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline void build_model(TokenizerFiles& files, TokenizerJson options) {
  for (const char* const kept : {"vocab", "merges"}) {
    auto& model = files.tokenizer["model"];
    if (model.contains(kept)) options[kept] = std::move(model[kept]);
  }
  files.tokenizer["model"] = std::move(options);
}

inline void build_bert(TokenizerFiles& files) {
  const bool lowercase = config_flag(files, "do_lower_case", true);
  build_model(files, {{"type", "WordPiece"}, {"unk_token", files.named("unk_token").value_or("")}});
  files.tokenizer["normalizer"] = {
      {"type", "BertNormalizer"},
      {"handle_chinese_chars", config_flag(files, "tokenize_chinese_chars", true)},
      {"strip_accents", config_flag(files, "strip_accents", lowercase)},
      {"lowercase", lowercase}};
  files.tokenizer["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  files.tokenizer["decoder"] = {{"type", "WordPiece"}};
}

/// Builds GPT-2's and RoBERTa's tokenizers.
inline void build_byte_level(TokenizerFiles& files) {
  build_model(files, {{"type", "BPE"}});
  files.tokenizer["normalizer"] = nullptr;
  files.tokenizer["pre_tokenizer"] = {
      {"type", "ByteLevel"}, {"add_prefix_space", config_flag(files, "add_prefix_space", false)}};
  files.tokenizer["decoder"] = {{"type", "ByteLevel"}};
}

inline void build_neox(TokenizerFiles& files) {
  build_byte_level(files);
  files.tokenizer["normalizer"] = {{"type", "NFC"}};
}

/// Builds Cohere's tokenizer, which makes each digit a word.
inline void build_cohere(TokenizerFiles& files) {
  build_neox(files);
  TokenizerJson parts = TokenizerJson::array();
  parts.push_back({{"type", "Digits"}, {"individual_digits", true}});
  parts.push_back(std::move(files.tokenizer["pre_tokenizer"]));
  files.tokenizer["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", std::move(parts)}};
}

/// Qwen 2's pattern.
inline constexpr std::string_view qwen2_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

inline void build_qwen2(TokenizerFiles& files) {
  build_neox(files);
  TokenizerJson bytes = std::move(files.tokenizer["pre_tokenizer"]);
  bytes["use_regex"] = false;
  TokenizerJson parts = TokenizerJson::array();
  parts.push_back(
      {{"type", "Split"}, {"pattern", {{"Regex", qwen2_pattern}}}, {"behavior", "Isolated"}});
  parts.push_back(std::move(bytes));
  files.tokenizer["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", std::move(parts)}};
}

/// The character map in tokenizer.json's normalizer; null if there is none.
inline TokenizerJson precompiled_of(const TokenizerFiles& files) {
  const auto found = files.tokenizer.find("normalizer");
  if (found == files.tokenizer.end() || !found->is_object()) return nullptr;
  TokenizerJson list = TokenizerJson::array({*found});
  if (found->value("type", TokenizerJson()) == "Sequence" && found->contains("normalizers")) {
    list = (*found)["normalizers"];
  }
  for (const TokenizerJson& each : list) {
    if (each.is_object() && each.value("type", TokenizerJson()) == "Precompiled") return each;
  }
  return nullptr;
}

/// Builds a tokenizer that splits a text at white space and puts "▁" before each word.
inline void build_sentence_pieces(TokenizerFiles& files, std::size_t unknown) {
  build_model(files, {{"type", "Unigram"}, {"unk_id", unknown}});
  const TokenizerJson words{
      {"type", "Metaspace"},
      {"replacement", "▁"},
      {"prepend_scheme", config_flag(files, "add_prefix_space", true) ? "always" : "never"}};
  TokenizerJson parts = TokenizerJson::array();
  parts.push_back({{"type", "WhitespaceSplit"}});
  parts.push_back(words);
  files.tokenizer["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", std::move(parts)}};
  files.tokenizer["decoder"] = words;
}

inline void build_xlm_roberta(TokenizerFiles& files) {
  build_sentence_pieces(files, 3);
  files.tokenizer["normalizer"] = precompiled_of(files);
}

inline void build_albert(TokenizerFiles& files) {
  build_sentence_pieces(files, 1);
  TokenizerJson steps = TokenizerJson::array();
  for (const char* const quotes : {"``", "''"}) {
    steps.push_back({{"type", "Replace"}, {"pattern", {{"String", quotes}}}, {"content", "\""}});
  }
  if (!config_flag(files, "keep_accents", false)) {
    steps.push_back({{"type", "NFKD"}});
    steps.push_back({{"type", "StripAccents"}});
  }
  if (config_flag(files, "do_lower_case", true)) steps.push_back({{"type", "Lowercase"}});
  TokenizerJson map = precompiled_of(files);
  if (!map.is_null()) steps.push_back(std::move(map));
  files.tokenizer["normalizer"] = {{"type", "Sequence"}, {"normalizers", std::move(steps)}};
}

/// Builds the tokenizers of DeBERTa 2 and 3, which replace several spaces or a line break with one
/// space, and put "▁" before the text or before each part.
inline void build_deberta2(TokenizerFiles& files) {
  std::size_t unknown = 1, at = 0;
  const TokenizerJson named = files.named("unk_token").value_or("");
  for (const TokenizerJson& piece : files.tokenizer["model"]["vocab"]) {
    if (piece.is_array() && piece.size() == 2 && piece[0] == named && piece[1] == 0.0) {
      unknown = at;
      break;
    }
    ++at;
  }
  build_model(files, {{"type", "Unigram"}, {"unk_id", unknown}});
  TokenizerJson steps = TokenizerJson::array(), parts = TokenizerJson::array();
  if (config_flag(files, "do_lower_case", false)) steps.push_back({{"type", "Lowercase"}});
  steps.push_back(
      {{"type", "Replace"}, {"pattern", {{"Regex", R"(\s{2,}|[\n\r\t])"}}}, {"content", " "}});
  steps.push_back({{"type", "NFC"}});
  steps.push_back({{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}});
  files.tokenizer["normalizer"] = {{"type", "Sequence"}, {"normalizers", std::move(steps)}};
  const TokenizerJson words{
      {"type", "Metaspace"},
      {"replacement", "▁"},
      {"prepend_scheme", config_flag(files, "add_prefix_space", true) ? "always" : "first"}};
  if (config_flag(files, "split_by_punct", false)) {
    parts.push_back({{"type", "Punctuation"}, {"behavior", "Isolated"}});
  }
  parts.push_back(words);
  files.tokenizer["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", std::move(parts)}};
  files.tokenizer["decoder"] = words;
}

/// A decoder that replaces "▁" with a space and byte tokens with characters, and that removes one
/// space before the text if `strips` is true.
inline TokenizerJson spaced_decoder(bool strips) {
  TokenizerJson steps = TokenizerJson::array();
  steps.push_back({{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}});
  steps.push_back({{"type", "ByteFallback"}});
  steps.push_back({{"type", "Fuse"}});
  if (strips) steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1U}, {"stop", 0U}});
  return {{"type", "Sequence"}, {"decoders", std::move(steps)}};
}

inline void build_llama(TokenizerFiles& files) {
  build_model(files, {{"type", "BPE"}, {"fuse_unk", true}, {"byte_fallback", true}});
  const bool prefix = config_flag(files, "add_prefix_space", true);
  const bool legacy = config_flag(files, "legacy", false);
  files.tokenizer["normalizer"] = nullptr;
  files.tokenizer["pre_tokenizer"] = {{"type", "Metaspace"},
                                      {"replacement", "▁"},
                                      {"prepend_scheme", !prefix  ? "never"
                                                         : legacy ? "always"
                                                                  : "first"},
                                      {"split", false}};
  files.tokenizer["decoder"] = spaced_decoder(prefix);
}

inline void build_gemma(TokenizerFiles& files) {
  build_model(files, {{"type", "BPE"},
                      {"unk_token", files.named("unk_token").value_or("")},
                      {"fuse_unk", true},
                      {"byte_fallback", true}});
  files.tokenizer["normalizer"] = {
      {"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}};
  files.tokenizer["pre_tokenizer"] = {
      {"type", "Split"}, {"pattern", {{"String", " "}}}, {"behavior", "MergedWithPrevious"}};
  files.tokenizer["decoder"] = spaced_decoder(false);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
