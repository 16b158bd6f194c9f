// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which transformers class reads a folder's tokenizer?
//
// For its own tokenizer classes, transformers 5 builds the tokenizer only from the vocabulary, the
// merges and tokenizer_config.json. It ignores the normalizer, pre-tokenizer and decoder in
// tokenizer.json. Only TokenizersBackend (PreTrainedTokenizerFast) uses tokenizer.json unchanged.
// The class is the one named in tokenizer_config.json, else the one named in config.json, else the
// class for the model's type (AutoTokenizer). tokenizer_builds.hpp defines what each class builds.
// Non-goal: classes of other architectures. Such classes are rejected with an error that names the
// class.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/tokenizer_builds.hpp"
#include "plumb/detail/huggingface/tokenizer_config.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The tokens around a sequence: those in tokenizer.json, cls and sep, bos and eos, or bos and eos
/// if the configuration requests them.
enum class ClassFrame { of_file, bert, roberta, bos_eos, optional };

struct NamedToken {
  const char* name;
  const char* content;
};

struct TokenizerClass {
  std::string_view name;
  /// The type of model that the class builds; empty to use the type in tokenizer.json.
  std::string_view model{};
  /// The file that may replace tokenizer.json; empty if no file may replace it.
  std::string_view vocabulary{};
  /// The class's special tokens, used if the configuration does not specify them.
  std::span<const NamedToken> named{};
  ClassFrame frame = ClassFrame::of_file;
  /// Builds all parts of the tokenizer except the vocabulary and the frame.
  void (*build)(TokenizerFiles&) = nullptr;

  /// Whether tokenizer.json is used unchanged.
  [[nodiscard]] bool is_backend() const { return build == nullptr; }
};

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

inline constexpr std::array<NamedToken, 7> cohere_tokens{{{"bos_token", "<BOS_TOKEN>"},
                                                          {"eos_token", "<|END_OF_TURN_TOKEN|>"},
                                                          {"unk_token", "<UNK>"},
                                                          {"sep_token", "<SEP>"},
                                                          {"pad_token", "<PAD>"},
                                                          {"cls_token", "<CLS>"},
                                                          {"mask_token", "<MASK_TOKEN>"}}};

inline constexpr std::array<TokenizerClass, 13> tokenizer_classes{{
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
    {"CohereTokenizer", "BPE", "", cohere_tokens, ClassFrame::of_file, &build_cohere},
}};

/// transformers' other names for the classes above.
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
    // Class names that do not exist in transformers, which falls back to tokenizer.json for them.
    {"FalconTokenizer", "TokenizersBackend"},
    {"OPTTokenizer", "TokenizersBackend"},
    {"MistralTokenizer", "TokenizersBackend"},
    {"MistralCommonTokenizer", "TokenizersBackend"},
    {"GPTJTokenizer", "TokenizersBackend"},
}};

/// The class that AutoTokenizer uses for a model type; empty if there is none.
[[nodiscard]] inline std::string_view class_of_model(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 34> classes{
      {{"bert", "BertTokenizer"},
       {"roberta", "RobertaTokenizer"},
       {"albert", "AlbertTokenizer"},
       {"xlm-roberta", "XLMRobertaTokenizer"},
       {"distilbert", "BertTokenizer"},
       {"opt", "GPT2Tokenizer"},
       {"gpt2", "GPT2Tokenizer"},
       {"gptj", "GPT2Tokenizer"},
       {"gpt_neo", "GPT2Tokenizer"},
       {"phi", "GPT2Tokenizer"},
       {"starcoder2", "GPT2Tokenizer"},
       {"gpt_neox", "GPTNeoXTokenizer"},
       {"mpt", "GPTNeoXTokenizer"},
       {"olmo", "GPTNeoXTokenizer"},
       {"gemma", "GemmaTokenizer"},
       {"gemma2", "GemmaTokenizer"},
       {"gemma3", "GemmaTokenizer"},
       {"gemma3_text", "GemmaTokenizer"},
       {"qwen2", "Qwen2Tokenizer"},
       {"qwen3", "Qwen2Tokenizer"},
       {"cohere", "CohereTokenizer"},
       {"cohere2", "CohereTokenizer"},
       {"mistral", "TokenizersBackend"},
       {"mixtral", "TokenizersBackend"},
       {"stablelm", "TokenizersBackend"},
       {"granite", "TokenizersBackend"},
       {"olmo2", "TokenizersBackend"},
       {"phi3", "TokenizersBackend"},
       {"gpt_bigcode", "TokenizersBackend"},
       {"mistral3", "TokenizersBackend"},
       {"electra", "BertTokenizer"},
       {"deberta-v2", "DebertaV2Tokenizer"},
       {"modernbert", "TokenizersBackend"},
       {"llava", "TokenizersBackend"}}};
  for (const auto& [of, name] : classes) {
    if (of == type) return name;
  }
  return {};
}

/// The class with this name, which may end with "Fast"; null if the class is unknown.
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

/// A class name without a trailing "Fast".
[[nodiscard]] inline std::string_view plain_class(std::string_view name) {
  if (name.ends_with("Fast")) name.remove_suffix(4);
  return name;
}

/// The class that reads a folder's tokenizer. For an unsupported class, throws a user error that
/// points to the file in which the class is named.
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
  // Qwen 2 folders are known to specify a wrong class.
  const bool is_forced = type == "qwen2" || declared.empty();
  if (is_forced && of_model.empty()) return backend;
  const std::string name = is_forced ? std::string(of_model) : declared;
  const std::string_view plain = detail::plain_class(name);
  if (of_model == backend.name && plain != of_model) return backend;
  const detail::TokenizerClass* const found = detail::class_named(name);
  if (found == nullptr) {
    throw user_error({.file = by, .field = declared.empty() ? "model_type" : "tokenizer_class"},
                     declared.empty() ? "has the class \"" + name + "\", which is not supported"
                                      : "\"" + shortened(name) + "\" is not supported",
                     "plumb supports " + detail::known_classes() +
                         "; if tokenizer.json describes the whole tokenizer, set tokenizer_class "
                         "to TokenizersBackend in tokenizer_config.json");
  }
  if (plain == "LlamaTokenizer" && std::filesystem::exists(folder / "tokenizer.json") &&
      read_text(folder / "tokenizer.json").find("\"ByteLevel\"") != std::string::npos) {
    return backend;
  }
  return *found;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
