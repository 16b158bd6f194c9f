// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which files of a folder contain its tokenizer, and what is the equivalent tokenizer.json?
//
// The vocabulary is in tokenizer.json. Older folders instead have vocab.txt (BERT's WordPiece), or
// vocab.json and merges.txt (byte-level BPE). The class that reads the folder determines which
// other parts of tokenizer.json are used (tokenizer_class.hpp). Added tokens are numbered as in
// transformers (added_token_ids.hpp). The result is in tokenizer.json's format, so that the rest of
// the code has to handle only one format. Non-goal: SentencePiece's own files.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/added_token_ids.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/tokenizer_class.hpp"
#include "plumb/detail/huggingface/tokenizer_config.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Visits the lines of a file, which must be well-formed UTF-8.
template <class Visit>
void for_each_line(const std::filesystem::path& file, Visit visit) {
  const std::string text = read_text(file);
  if (const auto at = first_invalid_utf8(text); at != std::string_view::npos) {
    throw user_error({file, line_of_byte(text, at)}, "not UTF-8", "correct the byte there");
  }
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    visit(line, ++count);
  }
}

/// Reads vocab.txt: one token per line, with trailing white space removed.
[[nodiscard]] inline TokenizerJson vocabulary_of_lines(const std::filesystem::path& file) {
  TokenizerJson vocabulary = TokenizerJson::object();
  for_each_line(file, [&](const std::string& line, std::size_t count) {
    const std::string token = line.substr(0, line.size() - trailing_white_space(line));
    if (!vocabulary.emplace(token, count - 1).second) {
      throw user_error({file, count}, "lists \"" + shortened(token) + "\" a second time",
                       "remove one of them");
    }
  });
  return vocabulary;
}

/// The lines of merges.txt, except the version line.
[[nodiscard]] inline TokenizerJson merges_of(const std::filesystem::path& file) {
  TokenizerJson merges = TokenizerJson::array();
  for_each_line(file, [&](const std::string& line, std::size_t count) {
    if (line.empty() || line.starts_with("#version")) return;
    if (std::count(line.begin(), line.end(), ' ') != 1) {
      throw user_error({file, count}, "is not two tokens separated by one space",
                       "each line must be one merge");
    }
    merges.push_back(line);
  });
  return merges;
}

/// The pair [content, id] for a named token that the frame requires.
inline TokenizerJson pair_of(const TokenizerFiles& files, const char* name) {
  const auto content = files.named(name);
  for (const TokenizerJson& token : files.tokenizer["added_tokens"]) {
    if (content && token["content"] == *content) return {*content, token["id"]};
  }
  throw user_error({.file = files.file},
                   std::string("the vocabulary lacks the ") + name + " \"" +
                       shortened(content.value_or("")) + "\"",
                   "set the right one in tokenizer_config.json");
}

/// A template for one sequence. `before` and `after` name the tokens around the sequence; null
/// means no token.
inline TokenizerJson template_of(const TokenizerFiles& files, const char* before,
                                 const char* after) {
  TokenizerJson single = TokenizerJson::array(), known = TokenizerJson::object();
  const auto put = [&](const char* name) {
    if (name == nullptr) return;
    const TokenizerJson pair = pair_of(files, name);
    single.push_back({{"SpecialToken", {{"id", pair[0]}}}});
    known[pair[0].get<std::string>()] = {{"ids", TokenizerJson::array({pair[1]})}};
  };
  put(before);
  single.push_back({{"Sequence", {{"id", "A"}}}});
  put(after);
  return {{"type", "TemplateProcessing"}, {"single", single}, {"special_tokens", known}};
}

/// Writes the post-processor that adds the class's frame to a sequence; the added tokens must
/// already have ids.
inline void write_frame(TokenizerFiles& files, const TokenizerClass& of, bool has_json) {
  TokenizerJson& frame = files.tokenizer["post_processor"];
  // add_bos_token and add_eos_token have an effect only without tokenizer.json.
  const auto asked = [&](const char* flag, const char* name) {
    return !has_json && config_flag(files, flag, false) && files.named(name) ? name : nullptr;
  };
  switch (of.frame) {
    case ClassFrame::bert:
      frame = template_of(files, "cls_token", "sep_token");
      return;
    case ClassFrame::bos_eos:
      frame = template_of(files, "bos_token", "eos_token");
      return;
    case ClassFrame::roberta:
      frame = {{"type", "RobertaProcessing"},
               {"cls", pair_of(files, "cls_token")},
               {"sep", pair_of(files, "sep_token")},
               {"trim_offsets", config_flag(files, "trim_offsets", true)},
               {"add_prefix_space", config_flag(files, "add_prefix_space", false)}};
      return;
    case ClassFrame::of_file:
      if (has_json && !frame.is_null()) return;
      if (of.name == "AlbertTokenizer") {
        frame = template_of(files, "cls_token", "sep_token");
        return;
      }
      [[fallthrough]];
    case ClassFrame::optional:
      frame = template_of(files, asked("add_bos_token", "bos_token"),
                          asked("add_eos_token", "eos_token"));
  }
}

/// The type of the model in tokenizer.json. Files that predate the type field are recognised by
/// their merges, or by having a list as the vocabulary.
[[nodiscard]] inline std::string type_of_model(const JsonPart& model) {
  if (model.has("type")) return model.at("type").text();
  if (model.has("merges")) return "BPE";
  return model.at("vocab").value().is_array() ? "Unigram" : "WordPiece";
}

/// Reads tokenizer.json, or the older file that the class uses instead.
inline void read_vocabulary(TokenizerFiles& files, const TokenizerClass& of) {
  const std::filesystem::path folder = files.file.parent_path();
  const auto has = [&](std::string_view name) { return std::filesystem::exists(folder / name); };
  const std::string save =
      "python -c 'from transformers import AutoTokenizer; AutoTokenizer.from_pretrained(\"" +
      folder.string() + "\").save_pretrained(\"" + folder.string() + "\")'";
  if (has("tokenizer.json")) {
    files.tokenizer = read_tokenizer_json(files.file);
    const JsonPart model = JsonPart(files.file, files.tokenizer).at("model");
    const std::string type = type_of_model(model);
    if (of.is_backend() || type == of.model) return;
    throw model.wrong("is " + type + ", but the class " + std::string(of.name) + " reads " +
                          std::string(of.model),
                      "set tokenizer_class in tokenizer_config.json to the tokenizer's own class");
  }
  files.tokenizer = TokenizerJson::object();
  files.file = folder / of.vocabulary;
  if (of.vocabulary == "vocab.txt" && has("vocab.txt")) {
    files.tokenizer["model"] = {{"vocab", vocabulary_of_lines(files.file)}};
  } else if (of.vocabulary == "vocab.json" && has("vocab.json") && has("merges.txt")) {
    files.tokenizer["model"] = {{"vocab", read_tokenizer_json(files.file)},
                                {"merges", merges_of(folder / "merges.txt")}};
  } else {
    for (const char* const name :
         {"spiece.model", "spm.model", "sentencepiece.bpe.model", "tokenizer.model"}) {
      if (!has(name)) continue;
      throw user_error({.file = folder / name},
                       "is SentencePiece's own file, which plumb does not read",
                       "create a tokenizer.json next to it: " + save);
    }
    for (const char* const name : {"vocab.txt", "vocab.json"}) {
      if (!has(name)) continue;
      throw user_error({.file = folder / name},
                       "the class " + std::string(of.name) + " does not read it",
                       "set tokenizer_class in tokenizer_config.json to the tokenizer's own class, "
                       "or create a tokenizer.json: " +
                           save);
    }
    throw user_error({.file = folder},
                     "contains no tokenizer.json, no vocab.txt, and no vocab.json with merges.txt",
                     "pass a folder that contains a Hugging Face model with its tokenizer");
  }
}

/// Reads a folder's tokenizer: tokenizer.json, else vocab.txt, else vocab.json with merges.txt,
/// according to the folder's tokenizer class. Throws a user error if the class is unsupported or
/// all of these files are missing. If the folder has a SentencePiece file, the error contains the
/// Python command that writes a tokenizer.json.
[[nodiscard]] inline TokenizerFiles read_tokenizer_files(const std::filesystem::path& folder) {
  TokenizerFiles files = read_tokenizer_config(folder);
  const detail::TokenizerClass& of = tokenizer_class_of(files);
  detail::read_vocabulary(files, of);
  const bool has_json = files.file.filename() == "tokenizer.json";
  for (const auto& [name, content] : of.named) {
    files.defaults[name] = content;
  }
  if (!of.is_backend()) of.build(files);
  number_added_tokens(files, of.is_backend());
  if (!of.is_backend()) detail::write_frame(files, of, has_json);
  return files;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
