// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which class of transformers reads a folder's tokenizer, and what does that class make of it?
//
// transformers 5 builds the tokenizers of its own classes from the vocabulary and merges alone: what
// tokenizer.json says of normalizer, pre-tokenizer and decoder does not count there, and
// tokenizer_config.json does. Only TokenizersBackend (PreTrainedTokenizerFast) takes tokenizer.json as
// it is. The class is tokenizer_config.json's, else config.json's, else the one of the model's type
// (AutoTokenizer). Each class is written in the words of tokenizer.json, so that all else has one source.
// Non-goal: classes of other architectures, which are refused by name.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/core/error.hpp"
#include "plumb/data/json_file.hpp"
#include "plumb/huggingface/json_part.hpp"
#include "plumb/huggingface/text_pattern.hpp"
#include "plumb/huggingface/tokenizer_config.hpp"

namespace plumb {
namespace detail {

/// What stands around a sequence: tokenizer.json's own, cls and sep, bos and eos, or bos and eos where
/// the configuration asks for them.
enum class ClassFrame { of_file, bert, roberta, bos_eos, optional };

struct NamedToken {
  const char* name;
  const char* content;
};

struct TokenizerClass {
  std::string_view name;
  /// The model that it builds; empty for the one of tokenizer.json.
  std::string_view model{};
  /// The file that may stand for tokenizer.json; empty where none may.
  std::string_view vocabulary{};
  /// Special tokens that it names where the configuration does not.
  std::span<const NamedToken> named{};
  ClassFrame frame = ClassFrame::of_file;
  /// Writes all but the vocabulary and the frame.
  void (*build)(TokenizerFiles&) = nullptr;

  /// Whether tokenizer.json counts as it is.
  [[nodiscard]] bool is_backend() const { return build == nullptr; }
};

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

/// GPT-2's and RoBERTa's.
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

/// The map of characters of tokenizer.json's normalizer; null without one.
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

/// Words by white space, "▁" before each.
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

/// DeBERTa 2's and 3's: one space for several or for line breaks, "▁" before the text or each part.
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
  steps.push_back({{"type", "Replace"},
                   {"pattern", {{"Regex", R"(\s{2,}|[\n\r\t])"}}},
                   {"content", " "}});
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

/// "▁" back to a space, bytes to characters, and one space fewer before the text.
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

inline constexpr std::array<NamedToken, 5> bert_tokens{{{"unk_token", "[UNK]"},
                                                        {"sep_token", "[SEP]"},
                                                        {"pad_token", "[PAD]"},
                                                        {"cls_token", "[CLS]"},
                                                        {"mask_token", "[MASK]"}}};
inline constexpr std::array<NamedToken, 7> roberta_tokens{{{"bos_token", "<s>"},
                                                           {"eos_token", "</s>"},
                                                           {"unk_token", "<unk>"},
                                                           {"sep_token", "</s>"},
                                                           {"pad_token", "<pad>"},
                                                           {"cls_token", "<s>"},
                                                           {"mask_token", "<mask>"}}};
inline constexpr std::array<NamedToken, 7> albert_tokens{{{"bos_token", "[CLS]"},
                                                          {"eos_token", "[SEP]"},
                                                          {"unk_token", "<unk>"},
                                                          {"sep_token", "[SEP]"},
                                                          {"pad_token", "<pad>"},
                                                          {"cls_token", "[CLS]"},
                                                          {"mask_token", "[MASK]"}}};
inline constexpr std::array<NamedToken, 7> deberta_tokens{{{"bos_token", "[CLS]"},
                                                           {"eos_token", "[SEP]"},
                                                           {"unk_token", "[UNK]"},
                                                           {"sep_token", "[SEP]"},
                                                           {"pad_token", "[PAD]"},
                                                           {"cls_token", "[CLS]"},
                                                           {"mask_token", "[MASK]"}}};
inline constexpr std::array<NamedToken, 3> gpt2_tokens{{{"bos_token", "<|endoftext|>"},
                                                        {"eos_token", "<|endoftext|>"},
                                                        {"unk_token", "<|endoftext|>"}}};
inline constexpr std::array<NamedToken, 4> neox_tokens{{{"bos_token", "<|endoftext|>"},
                                                        {"eos_token", "<|endoftext|>"},
                                                        {"unk_token", "<|endoftext|>"},
                                                        {"pad_token", "<|padding|>"}}};
inline constexpr std::array<NamedToken, 3> qwen2_tokens{{{"eos_token", "<|endoftext|>"},
                                                         {"unk_token", "<|endoftext|>"},
                                                         {"pad_token", "<|endoftext|>"}}};
inline constexpr std::array<NamedToken, 3> llama_tokens{
    {{"bos_token", "<s>"}, {"eos_token", "</s>"}, {"unk_token", "<unk>"}}};
inline constexpr std::array<NamedToken, 5> gemma_tokens{{{"bos_token", "<bos>"},
                                                         {"eos_token", "<eos>"},
                                                         {"unk_token", "<unk>"},
                                                         {"pad_token", "<pad>"},
                                                         {"mask_token", "<mask>"}}};

inline constexpr std::array<TokenizerClass, 12> tokenizer_classes{{
    {"TokenizersBackend"},
    {"BertTokenizer", "WordPiece", "vocab.txt", bert_tokens, ClassFrame::bert, &build_bert},
    {"RobertaTokenizer", "BPE", "vocab.json", roberta_tokens, ClassFrame::roberta,
     &build_byte_level},
    {"XLMRobertaTokenizer", "Unigram", "", roberta_tokens, ClassFrame::bos_eos, &build_xlm_roberta},
    {"AlbertTokenizer", "Unigram", "", albert_tokens, ClassFrame::of_file, &build_albert},
    {"DebertaV2Tokenizer", "Unigram", "", deberta_tokens, ClassFrame::bert, &build_deberta2},
    {"GPT2Tokenizer", "BPE", "vocab.json", gpt2_tokens, ClassFrame::of_file, &build_byte_level},
    {"CodeGenTokenizer", "BPE", "vocab.json", gpt2_tokens, ClassFrame::of_file, &build_byte_level},
    {"GPTNeoXTokenizer", "BPE", "vocab.json", neox_tokens, ClassFrame::optional, &build_neox},
    {"Qwen2Tokenizer", "BPE", "vocab.json", qwen2_tokens, ClassFrame::of_file, &build_qwen2},
    {"LlamaTokenizer", "BPE", "", llama_tokens, ClassFrame::of_file, &build_llama},
    {"GemmaTokenizer", "BPE", "", gemma_tokens, ClassFrame::of_file, &build_gemma},
}};

/// Names that transformers gives to classes above.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 16> class_aliases{{
    {"PreTrainedTokenizer", "TokenizersBackend"},
    {"PythonBackend", "TokenizersBackend"},
    {"BloomTokenizer", "TokenizersBackend"},
    {"DistilBertTokenizer", "BertTokenizer"},
    {"ElectraTokenizer", "BertTokenizer"},
    {"MobileBertTokenizer", "BertTokenizer"},
    {"SqueezeBertTokenizer", "BertTokenizer"},
    {"LayoutLMTokenizer", "BertTokenizer"},
    {"BartTokenizer", "RobertaTokenizer"},
    {"LongformerTokenizer", "RobertaTokenizer"},
    {"LEDTokenizer", "RobertaTokenizer"},
    // Names that transformers does not have, for which it takes tokenizer.json.
    {"FalconTokenizer", "TokenizersBackend"},
    {"OPTTokenizer", "TokenizersBackend"},
    {"MistralTokenizer", "TokenizersBackend"},
    {"MistralCommonTokenizer", "TokenizersBackend"},
    {"GPTJTokenizer", "TokenizersBackend"},
}};

/// The class that AutoTokenizer has for a type of model; empty where it has none.
[[nodiscard]] inline std::string_view class_of_model(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 34> classes{
      {{"bert", "BertTokenizer"},           {"roberta", "RobertaTokenizer"},
       {"albert", "AlbertTokenizer"},       {"xlm-roberta", "XLMRobertaTokenizer"},
       {"distilbert", "BertTokenizer"},     {"opt", "GPT2Tokenizer"},
       {"gpt2", "GPT2Tokenizer"},           {"gptj", "GPT2Tokenizer"},
       {"gpt_neo", "GPT2Tokenizer"},        {"phi", "GPT2Tokenizer"},
       {"starcoder2", "GPT2Tokenizer"},     {"gpt_neox", "GPTNeoXTokenizer"},
       {"mpt", "GPTNeoXTokenizer"},         {"olmo", "GPTNeoXTokenizer"},
       {"gemma", "GemmaTokenizer"},         {"gemma2", "GemmaTokenizer"},
       {"gemma3", "GemmaTokenizer"},        {"gemma3_text", "GemmaTokenizer"},
       {"qwen2", "Qwen2Tokenizer"},         {"qwen3", "Qwen2Tokenizer"},
       {"cohere", "CohereTokenizer"},       {"cohere2", "CohereTokenizer"},
       {"mistral", "TokenizersBackend"},    {"mixtral", "TokenizersBackend"},
       {"stablelm", "TokenizersBackend"},   {"granite", "TokenizersBackend"},
       {"olmo2", "TokenizersBackend"},      {"phi3", "TokenizersBackend"},
       {"gpt_bigcode", "TokenizersBackend"}, {"mistral3", "TokenizersBackend"},
       {"electra", "BertTokenizer"},        {"deberta-v2", "DebertaV2Tokenizer"},
       {"modernbert", "TokenizersBackend"}, {"llava", "TokenizersBackend"}}};
  for (const auto& [of, name] : classes) {
    if (of == type) return name;
  }
  return {};
}

/// The class of that name, with or without "Fast"; nothing for one that is not known.
[[nodiscard]] inline const TokenizerClass* class_named(std::string_view name) {
  if (name.ends_with("Fast")) name.remove_suffix(4);
  for (const auto& [alias, of] : class_aliases) {
    if (alias == name) name = of;
  }
  for (const TokenizerClass& each : tokenizer_classes) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

[[nodiscard]] inline std::string known_classes() {
  std::string list;
  for (const TokenizerClass& each : tokenizer_classes) {
    list += (list.empty() ? "" : ", ") + std::string(each.name);
  }
  return list;
}

/// Without "Fast".
[[nodiscard]] inline std::string_view plain_class(std::string_view name) {
  if (name.ends_with("Fast")) name.remove_suffix(4);
  return name;
}

}  // namespace detail

/// The class that reads a folder's tokenizer. Throws a user error, with the file that names it, for
/// one that plumb does not know.
[[nodiscard]] inline const detail::TokenizerClass& tokenizer_class_of(const TokenizerFiles& files) {
  const std::filesystem::path folder = files.file.parent_path();
  std::string declared, type;
  std::filesystem::path by = folder / "config.json";
  const auto text_of = [](const TokenizerJson& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  type = text_of(files.model, "model_type");
  declared = text_of(files.config, "tokenizer_class");
  if (!declared.empty()) {
    by = folder / "tokenizer_config.json";
  } else {
    declared = text_of(files.model, "tokenizer_class");
  }
  const detail::TokenizerClass& backend = detail::tokenizer_classes.front();
  const std::string_view of_model = detail::class_of_model(type);
  // Qwen 2's folders are known to name a wrong class.
  const bool is_forced = type == "qwen2" || declared.empty();
  if (is_forced && of_model.empty()) return backend;
  const std::string name = is_forced ? std::string(of_model) : declared;
  const std::string_view plain = detail::plain_class(name);
  if (of_model == backend.name && plain != of_model) return backend;
  const detail::TokenizerClass* const found = detail::class_named(name);
  if (found == nullptr) {
    throw user_error({.file = by, .field = declared.empty() ? "model_type" : "tokenizer_class"},
                     declared.empty() ? "has the class \"" + name + "\", which is not known"
                                      : "\"" + shortened(name) + "\" is not known",
                     "known are " + detail::known_classes() +
                         "; where tokenizer.json is all that it does, name TokenizersBackend as "
                         "tokenizer_class in tokenizer_config.json");
  }
  if (plain == "LlamaTokenizer" && std::filesystem::exists(folder / "tokenizer.json") &&
      read_text(folder / "tokenizer.json").find("\"ByteLevel\"") != std::string::npos) {
    return backend;
  }
  return *found;
}

}  // namespace plumb
