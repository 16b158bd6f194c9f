// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a Hugging Face folder's tokenizer split a text, and which bytes does each token cover?
//
// The text is rewritten (Normalizer) and split into words (PreTokenizer), and each word is split
// into tokens (WordPiece, BytePairEncoding, Unigram). Given the same files, the `tokenizers`
// package returns the same ids, words and ranges, but its ranges count characters, whereas plumb's
// count bytes. A token's range therefore always consists of whole characters of the original text.
// If two tokens share one character, each covers all of it. A "▁" added before a text covers the
// text's first character. Ranges are trimmed if the file's post-processor trims them (RoBERTa: "
// Paris" covers "Paris"); otherwise they include the space before a word (GPT-2, OPT).
// A byte that is not part of a UTF-8 character is read as U+FFFD, which covers the byte.
// Non-goals: pairs of sequences, truncation, padding, training.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/added_tokens.hpp"
#include "plumb/detail/huggingface/byte_pair_encoding.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/normalizer.hpp"
#include "plumb/detail/huggingface/pre_tokenizer.hpp"
#include "plumb/detail/huggingface/sequence_frame.hpp"
#include "plumb/detail/huggingface/token_decoder.hpp"
#include "plumb/detail/huggingface/tokenizer_files.hpp"
#include "plumb/detail/huggingface/unicode_class.hpp"
#include "plumb/detail/huggingface/unigram.hpp"
#include "plumb/detail/huggingface/word_piece.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A text's tokens and, for each token, the index of its word, starting from 0. A word is a piece
/// from the pre-tokenizer, or an added token.
struct WordTokenization {
  Tokenization tokens;
  std::vector<std::uint32_t> words;
};

/// Copies share the data that was read from the files. Any number of threads may use the same
/// object.
class HuggingFaceTokenizer {
 public:
  /// Reads the tokenizer as the folder's tokenizer class does: from tokenizer.json, else from
  /// vocab.txt, else from vocab.json and merges.txt. Throws a user error for missing, broken or
  /// unsupported parts; nothing is ignored silently.
  static HuggingFaceTokenizer read(const std::filesystem::path& folder,
                                   bool parse_special_tokens = false) {
    HuggingFaceTokenizer tokenizer;
    tokenizer.parts_ = std::make_shared<const Parts>(parts_of(read_tokenizer_files(folder)));
    tokenizer.parses_ = parse_special_tokens;
    return tokenizer;
  }

  /// The tokens of the text itself, without those that the post-processor adds before and after it.
  /// `spells_text` is always true: the ranges are valid even if the tokens differ from the text
  /// (because of lower-casing or removed accents). After a special token, the ranges of the
  /// `tokenizers` package may lose a character; here, the character stays in its token's range.
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    Tokenization made = tokenize_words(text).tokens;
    if (parts_->frame.trims()) give_back_characters(made.tokens, text);
    return made;
  }

  /// The index of each token's word, for the tokens of `tokenize(text)`.
  [[nodiscard]] std::vector<std::uint32_t> word_ids(std::string_view text) const {
    return tokenize_words(text).words;
  }

  /// The tokens of `before`, the mask and `after`, tokenized as one text that contains the mask's
  /// string, and the mask's index among these tokens. The tokenizer must have a mask.
  [[nodiscard]] MaskedQuery masked_text(std::string_view before, std::string_view after) const {
    const std::string mask(text_of(*parts_->mask).value_or("[MASK]"));
    const ByteSpan place{before.size(), before.size() + mask.size()};
    MaskedQuery made;
    const std::string text = std::string(before) + mask + std::string(after);
    for (const Token& token :
         tokenize_words(text, PlacedToken{place, *parts_->mask}).tokens.tokens) {
      if (token.id == *parts_->mask && token.bytes.overlaps(place)) {
        made.position = static_cast<std::uint32_t>(made.sequence.size());
      }
      made.sequence.push_back(token.id);
    }
    return made;
  }

  /// The tokens and the indices of their words. `placed` is a token at a known position.
  [[nodiscard]] WordTokenization tokenize_words(
      std::string_view text, std::optional<PlacedToken> placed = std::nullopt) const {
    const Parts& parts = *parts_;
    WordTokenization result;
    TextPieces pieces = parts.added.pieces(text, parts.normalizer, parses_, placed);
    parts.pre_tokenizer(pieces);
    std::vector<Token> tokens;
    for (std::size_t word = 0; word < pieces.pieces.size(); ++word) {
      const TextPiece& piece = pieces.pieces[word];
      const std::string_view written = pieces.text.text(piece.bytes);
      tokens.clear();
      if (piece.token) {
        tokens.push_back({*piece.token, {0, written.size()}});
      } else {
        std::visit([&](const auto& model) { model.tokenize(written, tokens); }, parts.model);
      }
      for (const Token& token : tokens) {
        const std::size_t begin = piece.bytes.begin;
        Token made{token.id,
                   pieces.text.origin({begin + token.bytes.begin, begin + token.bytes.end})};
        if (parts.frame.trims()) {
          const std::string_view spelling =
              piece.token ? written
                          : written.substr(token.bytes.begin, token.bytes.end - token.bytes.begin);
          parts.frame.trim(made, spelling, result.words.empty(), text);
        }
        result.tokens.tokens.push_back(made);
        result.words.push_back(static_cast<std::uint32_t>(word));
      }
    }
    return result;
  }

  /// The text that the tokens represent, according to the file's decoder. Byte-level tokens yield
  /// their exact bytes. WordPiece tokens yield words with spaces between them, even before
  /// punctuation. "▁" becomes a space, unless it was added before the text. Special tokens yield no
  /// text unless they are parsed.
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    std::vector<std::string> texts;
    for (const TokenId id : ids) {
      if (!parses_ && is_special(id)) continue;
      if (const auto text = text_of(id)) texts.emplace_back(*text);
    }
    return parts_->decoder(std::move(texts));
  }

  /// The token as written in the vocabulary ("Ġthe", "##ing"); nullopt for an id without a token.
  [[nodiscard]] std::optional<std::string_view> text_of(TokenId id) const {
    if (const auto text = parts_->added.vocabulary().text_of(id)) return text;
    return vocabulary().text_of(id);
  }

  /// The token with this spelling, or nullopt.
  [[nodiscard]] std::optional<TokenId> id_of(std::string_view text) const {
    if (const auto id = parts_->added.vocabulary().id_of(text)) return id;
    return vocabulary().id_of(text);
  }

  [[nodiscard]] std::vector<SpecialToken> special_tokens() const {
    std::vector<SpecialToken> all;
    for (const AddedToken& token : parts_->added.tokens()) {
      if (token.special) all.push_back({token.content, token.id});
    }
    return all;
  }

  /// One more than the largest id of a token. A model may have more embedding rows.
  [[nodiscard]] std::size_t vocabulary_size() const {
    return (std::max)(vocabulary().end(), parts_->added.vocabulary().end());
  }

  /// Warnings about fields of the folder's files that have no effect, one sentence each.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return parts_->warnings; }

  /// The tokens that the post-processor adds around a sequence, such as [CLS] and [SEP]; may be
  /// empty.
  [[nodiscard]] const std::vector<TokenId>& before() const { return parts_->frame.before(); }
  [[nodiscard]] const std::vector<TokenId>& after() const { return parts_->frame.after(); }

  /// Each function returns the token with that role; nullopt if the files specify no token for the
  /// role, or a token that does not exist.
  [[nodiscard]] std::optional<TokenId> mask() const { return parts_->mask; }
  [[nodiscard]] std::optional<TokenId> cls() const { return parts_->cls; }
  [[nodiscard]] std::optional<TokenId> sep() const { return parts_->sep; }
  [[nodiscard]] std::optional<TokenId> bos() const { return parts_->bos; }
  /// Whether the post-processor starts a sequence with BOS.
  [[nodiscard]] bool adds_bos() const {
    return bos() && !before().empty() && before().front() == *bos();
  }
  /// All tokens that the tokenizer adds around a sequence, as own_frame_of
  /// (backend/text_tokens.hpp) requires.
  [[nodiscard]] TextFrame own_frame() const { return {before(), after()}; }
  [[nodiscard]] std::optional<TokenId> eos() const { return parts_->eos; }
  /// Whether the token ends a generated text: the tokenizer's EOS, or one of the `eos_token_id` of
  /// generation_config.json and config.json.
  [[nodiscard]] bool ends(TokenId token) const {
    return ranges::find(parts_->ends, token) != parts_->ends.end();
  }
  [[nodiscard]] std::optional<TokenId> unk() const { return parts_->unk; }
  [[nodiscard]] std::optional<TokenId> pad() const { return parts_->pad; }

 private:
  using Model = std::variant<WordPiece, BytePairEncoding, Unigram>;

  struct Parts {
    Normalizer normalizer;
    PreTokenizer pre_tokenizer;
    Model model;
    AddedTokens added;
    SequenceFrame frame;
    TokenDecoder decoder;
    std::vector<bool> special;  // by id
    std::vector<std::string> warnings;
    std::optional<TokenId> mask, cls, sep, bos, eos, unk, pad;
    std::vector<TokenId> ends;
  };

  HuggingFaceTokenizer() = default;

  /// Restores the character that the `tokenizers` package wrongly trims from a token's range: after
  /// a special token, the package mistakes an added space, which has no bytes, for a space in the
  /// text.
  static void give_back_characters(std::vector<Token>& tokens, std::string_view text) {
    std::size_t covered = 0;
    for (Token& token : tokens) {
      if (token.bytes.begin > covered) {
        const CodePoint lost = first_code_point(text.substr(covered));
        if (covered + lost.size == token.bytes.begin && !is_white_space(lost.value)) {
          token.bytes.begin = covered;
        }
      }
      covered = (std::max)(covered, token.bytes.end);
    }
  }

  static const TokenVocabulary& vocabulary_of(const Model& model) {
    return std::visit([](const auto& each) -> const TokenVocabulary& { return each.vocabulary(); },
                      model);
  }
  [[nodiscard]] const TokenVocabulary& vocabulary() const { return vocabulary_of(parts_->model); }

  [[nodiscard]] bool is_special(TokenId id) const {
    const auto at = static_cast<std::size_t>(id);
    return id >= 0 && at < parts_->special.size() && parts_->special[at];
  }

  static Model read_model(const JsonPart& model) {
    const std::string type = detail::type_of_model(model);
    if (type == "WordPiece") return WordPiece::read(model);
    if (type == "BPE") return BytePairEncoding::read(model);
    if (type == "Unigram") return Unigram::read(model);
    throw model.unknown("the model", type, "WordPiece, BPE and Unigram");
  }

  static Parts parts_of(const TokenizerFiles& files) {
    const JsonPart file(files.file, files.tokenizer);
    Parts parts;
    parts.model = read_model(file.at("model"));
    if (file.has("normalizer")) parts.normalizer = Normalizer::read(file.at("normalizer"));
    if (file.has("pre_tokenizer")) {
      parts.pre_tokenizer = PreTokenizer::read(file.at("pre_tokenizer"));
    }
    const TokenVocabulary& vocabulary = vocabulary_of(parts.model);
    if (file.has("added_tokens")) {
      parts.added = AddedTokens::read(file.at("added_tokens"), vocabulary, parts.normalizer);
    }
    const std::size_t ids = (std::max)(vocabulary.end(), parts.added.vocabulary().end());
    if (file.has("post_processor")) {
      parts.frame = SequenceFrame::read(file.at("post_processor"), ids);
    }
    if (file.has("decoder")) {
      parts.decoder = TokenDecoder::read(file.at("decoder"));
    } else if (std::holds_alternative<WordPiece>(parts.model)) {
      parts.decoder =
          TokenDecoder::word_piece(file.at("model").text_or("continuing_subword_prefix", "##"));
    }
    parts.special.resize(ids);
    for (const AddedToken& token : parts.added.tokens()) {
      if (token.special) parts.special[static_cast<std::size_t>(token.id)] = true;
    }
    name_tokens(parts, files, ids);
    parts.warnings = files.warnings;
    return parts;
  }

  /// Looks up special tokens by role in tokenizer_config.json, else in config.json, else (only for
  /// mask) among the added tokens. For unknown, the tokenizer's own unknown token takes precedence
  /// over these files.
  static void name_tokens(Parts& parts, const TokenizerFiles& files, std::size_t ids) {
    const TokenVocabulary& vocabulary = vocabulary_of(parts.model);
    const auto id_of = [&](const std::string& content) {
      const auto id = parts.added.vocabulary().id_of(content);
      return id ? id : vocabulary.id_of(content);
    };
    const auto named = [&](const std::string& name) -> std::optional<TokenId> {
      if (const auto content = files.named(name + "_token")) return id_of(*content);
      const auto found = files.model.find(name + "_token_id");
      if (found == files.model.end() || !found->is_number_unsigned()) return std::nullopt;
      const auto id = found->get<std::size_t>();
      return id < ids ? std::optional(static_cast<TokenId>(id)) : std::nullopt;
    };
    parts.cls = named("cls");
    parts.sep = named("sep");
    parts.bos = named("bos");
    parts.eos = named("eos");
    parts.pad = named("pad");
    if (parts.eos) parts.ends.push_back(*parts.eos);
    add_ends(parts.ends, files.generation);
    add_ends(parts.ends, files.model);
    if (const auto text = files.model.find("text_config"); text != files.model.end()) {
      add_ends(parts.ends, *text);
    }
    parts.unk = std::visit([](const auto& model) { return model.unknown(); }, parts.model);
    if (!parts.unk) parts.unk = named("unk");
    parts.mask = named("mask");
    if (!parts.mask) parts.mask = parts.added.vocabulary().id_of("[MASK]");
    if (!parts.mask) parts.mask = parts.added.vocabulary().id_of("<mask>");
  }

  /// Adds a configuration's `eos_token_id`, which is a number or a list of numbers.
  static void add_ends(std::vector<TokenId>& ends, const TokenizerJson& config) {
    const auto found = config.is_object() ? config.find("eos_token_id") : config.end();
    if (found == config.end()) return;
    const auto add = [&](const TokenizerJson& id) {
      if (!id.is_number_unsigned()) return;
      const auto number = id.get<std::uint64_t>();
      if (std::in_range<TokenId>(number)) ends.push_back(static_cast<TokenId>(number));
    };
    if (!found->is_array()) return add(*found);
    for (const TokenizerJson& id : *found) add(id);
  }

  std::shared_ptr<const Parts> parts_;
  bool parses_ = false;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
