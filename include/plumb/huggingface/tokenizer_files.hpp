// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which files of a folder hold its tokenizer, and what would its tokenizer.json say?
//
// Older folders have no tokenizer.json: vocab.txt is BERT's WordPiece, vocab.json with merges.txt
// byte-level BPE. They are put in the words of tokenizer.json, as transformers builds these
// tokenizers (BertTokenizer, GPT2Tokenizer, RobertaTokenizer), so that all else has one source.
// Non-goal: SentencePiece's own files.

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/core/error.hpp"
#include "plumb/data/json_file.hpp"
#include "plumb/huggingface/json_part.hpp"

namespace plumb {

/// A tokenizer in the words of tokenizer.json, and what the files beside it say.
struct TokenizerFiles {
  /// The file that errors are about.
  std::filesystem::path file;
  TokenizerJson tokenizer;
  /// special_tokens_map.json with tokenizer_config.json over it; empty without them.
  TokenizerJson config = TokenizerJson::object();
  /// config.json; empty without it.
  TokenizerJson model = TokenizerJson::object();

  /// The content of a named special token ("mask_token"), as text or as {content, …}.
  [[nodiscard]] std::optional<std::string> named(const std::string& name) const {
    const auto found = config.find(name);
    if (found == config.end()) return std::nullopt;
    if (found->is_string()) return found->get<std::string>();
    if (!found->is_object() || !found->contains("content")) return std::nullopt;
    const TokenizerJson& content = (*found)["content"];
    return content.is_string() ? std::optional(content.get<std::string>()) : std::nullopt;
  }
};

namespace detail {

inline constexpr std::array<std::string_view, 7> named_tokens{
    "unk_token", "bos_token", "eos_token", "sep_token", "pad_token", "cls_token", "mask_token"};

/// Fills in a named token that the files do not name.
inline void name_token(TokenizerFiles& files, const char* name, const char* content) {
  if (!files.config.contains(name)) files.config[name] = content;
}

/// Writes the added tokens of an older folder: those of added_tokens.json and of
/// added_tokens_decoder, and the named ones, which are special.
inline void write_added_tokens(TokenizerFiles& files, const std::filesystem::path& folder) {
  TokenizerJson tokens = TokenizerJson::array();
  std::set<std::string> contents;
  const auto add = [&](const std::string& content, const TokenizerJson& id,
                       const TokenizerJson& details, bool special) {
    if (!contents.insert(content).second) return;
    TokenizerJson token{{"content", content}, {"id", id}, {"special", special}};
    for (const char* const flag : {"single_word", "lstrip", "rstrip", "normalized"}) {
      const bool given = details.is_object() && details.contains(flag);
      token[flag] = given ? details[flag] : TokenizerJson(false);
    }
    tokens.push_back(std::move(token));
  };
  TokenizerJson later = TokenizerJson::object();  // contents beside the vocabulary
  if (std::filesystem::exists(folder / "added_tokens.json")) {
    later = read_tokenizer_json(folder / "added_tokens.json");
  }
  const TokenizerJson& vocabulary = files.tokenizer["model"]["vocab"];
  const auto decoder = files.config.find("added_tokens_decoder");
  if (decoder != files.config.end() && decoder->is_object()) {
    for (const auto& [id, details] : decoder->items()) {
      const bool is_number =
          !id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == std::string::npos;
      if (!is_number || !details.is_object() || !details.contains("content") ||
          !details["content"].is_string()) {
        throw user_error(
            {.file = folder / "tokenizer_config.json", .field = "added_tokens_decoder"},
            "holds something else than {id: {\"content\": …}, …}");
      }
      const auto special = details.find("special");
      add(details["content"].get<std::string>(), std::stoul(id), details,
          special != details.end() && special->is_boolean() && special->get<bool>());
    }
  }
  for (const std::string_view name : named_tokens) {
    const auto content = files.named(std::string(name));
    if (!content) continue;
    const TokenizerJson& from = vocabulary.contains(*content) ? vocabulary : later;
    // One that has no id stands in no text; what needs it misses it by name.
    if (from.contains(*content)) {
      add(*content, from[*content], files.config[std::string(name)], true);
    }
  }
  for (const auto& [content, id] : later.items()) add(content, id, {}, false);
  files.tokenizer["added_tokens"] = std::move(tokens);
}

/// [content, id] of a named token that the frame needs.
inline TokenizerJson pair_of(const TokenizerFiles& files, const char* name) {
  const auto content = files.named(name);
  for (const TokenizerJson& token : files.tokenizer["added_tokens"]) {
    if (content && token["content"] == *content) return {*content, token["id"]};
  }
  throw user_error({.file = files.file},
                   std::string("the vocabulary lacks the ") + name + " \"" +
                       shortened(content.value_or("")) + "\"",
                   "name the right one in tokenizer_config.json");
}

[[nodiscard]] inline bool config_flag(const TokenizerFiles& files, const char* name,
                                      bool otherwise) {
  return JsonPart(files.file.parent_path() / "tokenizer_config.json", files.config)
      .flag_or(name, otherwise);
}

/// The class that tokenizer_config.json names, without "Fast"; else what stands for the model.
[[nodiscard]] inline std::string tokenizer_class(const TokenizerFiles& files,
                                                 const std::string& otherwise) {
  std::string name = otherwise;
  const auto found = files.config.find("tokenizer_class");
  if (found != files.config.end() && found->is_string()) name = found->get<std::string>();
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  return name;
}

inline Error unknown_class(const TokenizerFiles& files, const std::string& name,
                           const std::string& known) {
  return user_error(
      {.file = files.file.parent_path() / "tokenizer_config.json", .field = "tokenizer_class"},
      "\"" + shortened(name) + "\" is not known with " + files.file.filename().string(),
      "known are " + known +
          "; or write a tokenizer.json: python -c 'from transformers import "
          "AutoTokenizer; AutoTokenizer.from_pretrained(\"FOLDER\").save_pretrained"
          "(\"FOLDER\")'");
}

/// BertTokenizer of vocab.txt, one token a line.
inline void write_bert(TokenizerFiles& files, const std::filesystem::path& folder) {
  const std::string name = tokenizer_class(files, "BertTokenizer");
  if (name != "BertTokenizer" && name != "DistilBertTokenizer") {
    throw unknown_class(files, name, "BertTokenizer and DistilBertTokenizer");
  }
  name_token(files, "unk_token", "[UNK]");
  name_token(files, "sep_token", "[SEP]");
  name_token(files, "pad_token", "[PAD]");
  name_token(files, "cls_token", "[CLS]");
  name_token(files, "mask_token", "[MASK]");
  TokenizerJson vocabulary = TokenizerJson::object();
  const std::string text = read_text(files.file);
  if (const auto at = first_invalid_utf8(text); at != std::string_view::npos) {
    throw user_error({files.file, line_of_byte(text, at)}, "not UTF-8", "correct the byte there");
  }
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    if (line.ends_with('\r')) line.pop_back();
    if (!vocabulary.emplace(line, count).second) {
      throw user_error({files.file, count + 1}, "lists \"" + shortened(line) + "\" a second time",
                       "remove one of them");
    }
  }
  const bool lowercase = config_flag(files, "do_lower_case", true);
  files.tokenizer["model"] = {{"type", "WordPiece"},
                              {"unk_token", files.named("unk_token").value_or("[UNK]")},
                              {"vocab", std::move(vocabulary)}};
  files.tokenizer["normalizer"] = {
      {"type", "BertNormalizer"},
      {"handle_chinese_chars", config_flag(files, "tokenize_chinese_chars", true)},
      {"strip_accents", config_flag(files, "strip_accents", lowercase)},
      {"lowercase", lowercase}};
  files.tokenizer["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  files.tokenizer["decoder"] = {{"type", "WordPiece"}};
  write_added_tokens(files, folder);
  files.tokenizer["post_processor"] = {{"type", "BertProcessing"},
                                       {"cls", pair_of(files, "cls_token")},
                                       {"sep", pair_of(files, "sep_token")}};
}

/// The lines of merges.txt but for its version.
[[nodiscard]] inline TokenizerJson merges_of(const std::filesystem::path& file) {
  TokenizerJson merges = TokenizerJson::array();
  const std::string text = read_text(file);
  if (const auto at = first_invalid_utf8(text); at != std::string_view::npos) {
    throw user_error({file, line_of_byte(text, at)}, "not UTF-8", "correct the byte there");
  }
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    ++count;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with("#version")) continue;
    if (std::count(line.begin(), line.end(), ' ') != 1) {
      throw user_error({file, count}, "is not two tokens with one space between",
                       "each line must be one merge");
    }
    merges.push_back(line);
  }
  return merges;
}

/// GPT2Tokenizer (OPT's too) or RobertaTokenizer of vocab.json and merges.txt.
inline void write_byte_level(TokenizerFiles& files, const std::filesystem::path& folder) {
  const auto type = files.model.find("model_type");
  const bool of_roberta = type != files.model.end() && *type == "roberta";
  const bool of_opt = type != files.model.end() && *type == "opt";
  const std::string name =
      tokenizer_class(files, of_roberta ? "RobertaTokenizer" : "GPT2Tokenizer");
  if (name != "GPT2Tokenizer" && name != "RobertaTokenizer") {
    throw unknown_class(files, name, "GPT2Tokenizer and RobertaTokenizer");
  }
  const bool is_roberta = name == "RobertaTokenizer";
  const bool adds_space = config_flag(files, "add_prefix_space", false);
  const char* const end = is_roberta || of_opt ? "</s>" : "<|endoftext|>";
  name_token(files, "bos_token", is_roberta ? "<s>" : end);
  name_token(files, "eos_token", end);
  name_token(files, "unk_token", is_roberta ? "<unk>" : end);
  if (is_roberta) {
    name_token(files, "cls_token", "<s>");
    name_token(files, "sep_token", "</s>");
    name_token(files, "pad_token", "<pad>");
    if (!files.config.contains("mask_token")) {
      files.config["mask_token"] = {{"content", "<mask>"}, {"lstrip", true}};
    }
  }
  files.tokenizer["model"] = {{"type", "BPE"},
                              {"vocab", read_tokenizer_json(folder / "vocab.json")},
                              {"merges", merges_of(folder / "merges.txt")}};
  files.tokenizer["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", adds_space}};
  files.tokenizer["decoder"] = {{"type", "ByteLevel"}};
  write_added_tokens(files, folder);
  if (is_roberta) {
    files.tokenizer["post_processor"] = {{"type", "RobertaProcessing"},
                                         {"cls", pair_of(files, "cls_token")},
                                         {"sep", pair_of(files, "sep_token")},
                                         {"trim_offsets", config_flag(files, "trim_offsets", true)},
                                         {"add_prefix_space", adds_space}};
  } else if (config_flag(files, "add_bos_token", of_opt)) {
    const TokenizerJson bos = pair_of(files, "bos_token");
    TokenizerJson single = TokenizerJson::array();
    single.push_back({{"SpecialToken", {{"id", bos[0]}}}});
    single.push_back({{"Sequence", {{"id", "A"}}}});
    TokenizerJson known = TokenizerJson::object();
    known[bos[0].get<std::string>()] = {{"ids", TokenizerJson::array({bos[1]})}};
    files.tokenizer["post_processor"] = {{"type", "TemplateProcessing"},
                                         {"single", std::move(single)},
                                         {"special_tokens", std::move(known)}};
  }
}

}  // namespace detail

/// Reads tokenizer.json, else vocab.txt, else vocab.json with merges.txt. Throws a user error when
/// there is none of them, with the line of Python that writes one where SentencePiece's file is there.
[[nodiscard]] inline TokenizerFiles read_tokenizer_files(const std::filesystem::path& folder) {
  const auto has = [&](const char* name) { return std::filesystem::exists(folder / name); };
  TokenizerFiles files;
  for (const char* const name : {"special_tokens_map.json", "tokenizer_config.json"}) {
    if (has(name)) files.config.update(read_tokenizer_json(folder / name));
  }
  if (has("config.json")) files.model = read_tokenizer_json(folder / "config.json");
  if (has("tokenizer.json")) {
    files.file = folder / "tokenizer.json";
    files.tokenizer = read_tokenizer_json(files.file);
    return files;
  }
  files.tokenizer = TokenizerJson::object();
  if (has("vocab.txt")) {
    files.file = folder / "vocab.txt";
    detail::write_bert(files, folder);
  } else if (has("vocab.json") && has("merges.txt")) {
    files.file = folder / "vocab.json";
    detail::write_byte_level(files, folder);
  } else {
    for (const char* const name : {"spiece.model", "sentencepiece.bpe.model", "tokenizer.model"}) {
      if (!has(name)) continue;
      throw user_error({.file = folder / name}, "SentencePiece's own file is not read",
                       "write a tokenizer.json beside it: python -c 'from transformers import "
                       "AutoTokenizer; AutoTokenizer.from_pretrained(\"" +
                           folder.string() + "\").save_pretrained(\"" + folder.string() + "\")'");
    }
    throw user_error({.file = folder},
                     "holds no tokenizer.json, no vocab.txt, and no vocab.json with merges.txt",
                     "name a folder that holds a Hugging Face model with its tokenizer");
  }
  return files;
}

}  // namespace plumb
