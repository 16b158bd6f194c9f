// SPDX-License-Identifier: Apache-2.0
#pragma once

// May a prompt contain the text of a special token, and how is such a text read?
//
// A tokenizer can read "<|im_start|>" in a fact as twelve characters or as the single token that
// opens a chat turn. The two readings lead to entirely different scores. A job therefore rejects
// the first text that contains the text of a special token, unless the user has specified how to
// read it. Models that do not list their special tokens (ListsSpecialTokens) read every text as
// ordinary text. Each text is checked separately, so a special token's text that forms only when
// two texts are joined ("<[X]>" about "s") is not found. Because all texts pass through the check,
// it also counts those that the model's original tokenizer would first convert to composed form
// (NFC) but that the engine leaves unconverted.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/text_tokens.hpp"
#include "plumb/detail/core/composed.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/data/dataset_texts.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// What to do with the text of a special token: refuse it, read it as ordinary text, or parse it as
/// the token.
enum class SpecialTokenReading : std::uint8_t { refuse, text, parse };

/// The values that a user can set; `refuse` is the default.
[[nodiscard]] constexpr std::array<SpecialTokenReading, 2> every(SpecialTokenReading) noexcept {
  return {SpecialTokenReading::text, SpecialTokenReading::parse};
}
inline constexpr const char* special_tokens_help =
    "read special-token text in templates and facts as text, or parse it as tokens; default: "
    "refuse";
[[nodiscard]] inline std::string_view name_of(SpecialTokenReading reading) {
  constexpr std::array<std::string_view, 3> names{"refuse", "text", "parse"};
  return names[static_cast<std::size_t>(reading)];
}

/// Finds the texts of special tokens in other texts. Any number of threads may use the same object.
class SpecialTokenTexts {
 public:
  SpecialTokenTexts() = default;
  explicit SpecialTokenTexts(std::vector<SpecialToken> tokens) : tokens_(std::move(tokens)) {
    std::erase_if(tokens_, [](const SpecialToken& token) { return token.text.empty(); });
    ranges::sort(tokens_, {}, [](const SpecialToken& token) { return byte(token.text.front()); });
    for (const SpecialToken& token : tokens_) ++starts_[byte(token.text.front()) + 1];
    for (std::size_t b = 1; b < starts_.size(); ++b) starts_[b] += starts_[b - 1];
  }

  /// The special tokens in a text, in order of appearance: the longest at each position, without
  /// overlaps. The pointers are valid as long as this object exists.
  [[nodiscard]] std::vector<const SpecialToken*> in(std::string_view text) const {
    std::vector<const SpecialToken*> found;
    for (std::size_t at = 0; at < text.size();) {
      const SpecialToken* const longest = longest_at(text, at);
      if (longest != nullptr) found.push_back(longest);
      at += longest != nullptr ? longest->text.size() : 1;
    }
    return found;
  }

 private:
  [[nodiscard]] const SpecialToken* longest_at(std::string_view text, std::size_t at) const {
    const SpecialToken* longest = nullptr;
    for (std::size_t t = starts_[byte(text[at])]; t < starts_[byte(text[at]) + 1]; ++t) {
      if (longest != nullptr && tokens_[t].text.size() <= longest->text.size()) continue;
      if (text.substr(at).starts_with(tokens_[t].text)) longest = &tokens_[t];
    }
    return longest;
  }

  static std::size_t byte(char c) { return static_cast<unsigned char>(c); }

  std::vector<SpecialToken> tokens_;
  /// For each first byte, the index of the first token that begins with this byte. The next entry
  /// is the end of the range.
  std::array<std::size_t, 257> starts_{};
};

/// This object is as thread-safe as the model, which must outlive it. It uses only the model's
/// tokenizer.
template <class Model>
class SpecialTokenCheck {
 public:
  /// `bos` precedes each prompt. Throws a user error if special tokens must be parsed but the model
  /// lists none.
  SpecialTokenCheck(const Model& model, SpecialTokenReading reading,
                    std::optional<TokenId> bos = std::nullopt)
      : model_(model), reading_(reading), own_bos_(model, bos) {
    if constexpr (requires { model.describe(); }) {
      if (model.describe().skips_composing) uncomposed_ = std::make_shared<Uncomposed>();
    }
    if constexpr (ListsSpecialTokens<Model>) {
      if (capabilities_of(model).special_tokens) {
        texts_ = SpecialTokenTexts(model.special_tokens());
        return;
      }
    }
    if (reading == SpecialTokenReading::parse) {
      throw user_error({.setting = "special-tokens"},
                       "this model does not list its special tokens, so none can be parsed",
                       "set it to text, or add a special_tokens() to the model");
    }
  }

  /// Declares that the model parses special tokens in every text, as a model with a chat template
  /// does.
  void must_parse() noexcept { must_parse_ = true; }

  /// Throws a user error with the location if a text contains the text of a special token and
  /// either such texts are refused or the model does not read the token's text as the setting
  /// requires. If the line number is unknown, the check searches the file for the text.
  void operator()(const Site& site, const std::string& text) const {
    count(text);
    for (const SpecialToken* const found : texts_.in(text)) {
      if (reading_ == SpecialTokenReading::refuse) {
        throw user_error(
            with_line(site, text),
            "'" + shortened(text) + "' contains '" + found->text +
                "', the text of a special token of this model",
            must_parse_ ? "change it, or set `special-tokens` to parse, to read it as the token"
                        : "change it, or set `special-tokens` to text (to read it as plain text) "
                          "or to parse (to read it as the token)");
      }
      const bool parse = reading_ == SpecialTokenReading::parse;
      if (parse == reads_token(*found, text)) continue;
      throw user_error(
          with_line(site, text),
          "'" + found->text + "' in '" + shortened(text) + "' is read as " +
              (parse ? "plain text" : "a special token") + " by this model",
          std::string("change it, or set `special-tokens` to ") + (parse ? "text" : "parse"));
    }
    if (own_bos_.begins(text)) ++*with_own_bos_;
  }

  /// A warning if any text that this check or its copies have seen already begins with BOS.
  [[nodiscard]] std::optional<std::string> bos_warning() const {
    return own_bos_warning(*with_own_bos_, "text");
  }

  /// Same as the overload above, for the texts of a graph, which may be in any of its files.
  /// Descriptions are checked only if prompts contain them.
  void operator()(const KnowledgeGraph& graph, const std::vector<std::uint32_t>& entities,
                  bool with_descriptions) const {
    const auto look = [&](Site site, const std::string& text) {
      count(text);
      if (texts_.in(text).empty()) return;
      for (const std::filesystem::path& file : graph.files) {
        const std::size_t line = line_with(file, text);
        if (line == 0) continue;
        site.file = file;
        site.line = line;
        break;
      }
      (*this)(site, text);
    };
    for_each_relation_name(graph, look);
    for (const std::uint32_t entity : entities) {
      for_each_text(graph, graph.entities[entity], with_descriptions, look);
    }
  }

  /// Adds warnings about the texts that the check has seen: those that already begin with BOS, and
  /// those that the model's original tokenizer would have converted to composed form.
  void warn(ModelDescription& description) const {
    if (auto begins = bos_warning()) description.warnings.push_back(*std::move(begins));
    if (!uncomposed_ || uncomposed_->texts.empty()) return;
    const std::size_t count = uncomposed_->texts.size();
    description.warnings.push_back(
        "Warning: " + counted(count, "text") + (count == 1 ? " is" : " are") +
        " not in Unicode's composed form (NFC), such as '" + shortened(uncomposed_->first) +
        "': this model's own tokenizer composes texts first, but llama.cpp's does not, so they "
        "become different tokens from those the model was trained on. Compose the data's texts "
        "first.");
  }

  /// A remark if a prompt's fixed wording, which no user chose, contains the text of a special
  /// token. Such wording is never refused.
  [[nodiscard]] std::optional<std::string> remark_on(const std::string& own_words) const {
    const auto found = texts_.in(own_words);
    if (found.empty()) return std::nullopt;
    return "the prompts' fixed wording contains '" + found.front()->text +
           "', the text of a special token of this model, which is read as " +
           (reads_token(*found.front(), own_words) ? "the token." : "plain text.");
  }

 private:
  struct Uncomposed {
    std::unordered_set<std::string> texts;
    std::string first;
  };

  void count(const std::string& text) const {
    if (!uncomposed_ || detail::is_composed(text)) return;
    if (uncomposed_->texts.empty()) uncomposed_->first = text;
    uncomposed_->texts.insert(text);
  }

  [[nodiscard]] bool reads_token(const SpecialToken& token, const std::string& text) const {
    if constexpr (LanguageModel<Model>) {
      return ranges::any_of(text_tokens(model_, text).tokens,
                            [&](const Token& one) { return one.id == token.id; });
    } else {
      return reading_ == SpecialTokenReading::parse;  // this model has no tokenizer
    }
  }

  [[nodiscard]] static Site with_line(Site site, const std::string& text) {
    // The name of a field begins with the code of its relation.
    const std::string relation = site.field.substr(0, site.field.find_first_of(",."));
    if (site.line == 0 && !site.file.empty()) site.line = line_with(site.file, text, relation);
    return site;
  }

  const Model& model_;
  SpecialTokenReading reading_;
  bool must_parse_ = false;
  SpecialTokenTexts texts_;
  std::shared_ptr<Uncomposed> uncomposed_;  // shared by all copies; null if nothing is counted
  OwnBos<Model> own_bos_;
  std::shared_ptr<std::size_t> with_own_bos_ = std::make_shared<std::size_t>(0);
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
