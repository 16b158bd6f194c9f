// SPDX-License-Identifier: Apache-2.0
#pragma once

// What pieces is a text split into before a vocabulary splits each piece into tokens?
//
// TextPieces contains one rewritten text and the ranges of its pieces. A piece that is already a
// token (an added token of the vocabulary) does not change. One of the five behaviours defined by
// `tokenizers` determines what happens to the parts that a pattern matches. Empty pieces are
// dropped, so a piece's index is also the word index of its tokens.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/aligned_text.hpp"
#include "plumb/detail/huggingface/json_part.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct TextPiece {
  ByteSpan bytes;
  std::optional<TokenId> token{};
};

/// What happens to a match: it becomes a separate piece, is removed, joins the piece before or
/// after it, or becomes one piece together with adjacent matches.
enum class MatchBehavior { isolated, removed, merged_with_previous, merged_with_next, contiguous };

[[nodiscard]] inline MatchBehavior read_match_behavior(const JsonPart& part) {
  const std::string& word = part.text();
  if (word == "Isolated") return MatchBehavior::isolated;
  if (word == "Removed") return MatchBehavior::removed;
  if (word == "MergedWithPrevious") return MatchBehavior::merged_with_previous;
  if (word == "MergedWithNext") return MatchBehavior::merged_with_next;
  if (word == "Contiguous") return MatchBehavior::contiguous;
  throw part.unknown("the behavior", word,
                     "Isolated, Removed, MergedWithPrevious, MergedWithNext and Contiguous");
}

/// A part of a text, either matched by a pattern or between matches.
struct Stretch {
  ByteSpan bytes;
  bool matched = false;
};

/// Joins adjacent stretches according to the behaviour, and removes matches if the behaviour is
/// `removed`.
inline void join_stretches(std::vector<Stretch>& all, MatchBehavior behavior) {
  std::vector<Stretch> joined;
  switch (behavior) {
    case MatchBehavior::isolated:
      return;
    case MatchBehavior::removed:
      std::erase_if(all, [](const Stretch& stretch) { return stretch.matched; });
      return;
    case MatchBehavior::contiguous:
    case MatchBehavior::merged_with_previous: {
      bool previous = false;
      for (const Stretch& stretch : all) {
        const bool joins = behavior == MatchBehavior::contiguous ? stretch.matched == previous
                                                                 : stretch.matched && !previous;
        if (joins && !joined.empty()) {
          joined.back().bytes.end = stretch.bytes.end;
        } else {
          joined.push_back(stretch);
        }
        previous = stretch.matched;
      }
      break;
    }
    case MatchBehavior::merged_with_next: {
      bool next = false;
      for (std::size_t i = all.size(); i > 0; --i) {
        if (all[i - 1].matched && !next && !joined.empty()) {
          joined.back().bytes.begin = all[i - 1].bytes.begin;
        } else {
          joined.push_back(all[i - 1]);
        }
        next = all[i - 1].matched;
      }
      std::reverse(joined.begin(), joined.end());
      break;
    }
  }
  all = std::move(joined);
}

/// Not thread-safe while it is being modified.
struct TextPieces {
  AlignedText text;
  std::vector<TextPiece> pieces;

  /// Appends a text as one piece.
  void append(const AlignedText& other, ByteSpan part, std::optional<TokenId> token = {}) {
    if (part.begin == part.end) return;
    const std::size_t begin = text.size();
    text.append(other, part);
    pieces.push_back({{begin, text.size()}, token});
  }

  /// Splits each piece at the matches visited by `for_each_match(text, visit)`, which must be in
  /// ascending order and disjoint. `invert` swaps matched and unmatched parts.
  template <class ForEachMatch>
  void split(ForEachMatch for_each_match, MatchBehavior behavior, bool invert = false) {
    std::vector<TextPiece> result;
    result.reserve(pieces.size());
    std::vector<detail::Stretch> stretches;
    for (const TextPiece& piece : pieces) {
      if (piece.token) {
        result.push_back(piece);
        continue;
      }
      stretches.clear();
      const std::size_t begin = piece.bytes.begin;
      std::size_t at = begin;
      for_each_match(text.text(piece.bytes), [&](ByteSpan match) {
        if (begin + match.begin > at) stretches.push_back({{at, begin + match.begin}, invert});
        stretches.push_back({{begin + match.begin, begin + match.end}, !invert});
        at = begin + match.end;
      });
      if (at < piece.bytes.end) stretches.push_back({{at, piece.bytes.end}, invert});
      detail::join_stretches(stretches, behavior);
      for (const detail::Stretch& stretch : stretches) {
        if (stretch.bytes.begin < stretch.bytes.end) result.push_back({stretch.bytes, {}});
      }
    }
    pieces = std::move(result);
  }

  /// Does the same, but treats each single character for which `is` is true as a match.
  template <class Is>
  void split_at_characters(Is is, MatchBehavior behavior) {
    split(
        [&](std::string_view part, auto visit) {
          for (std::size_t at = 0; at < part.size();) {
            const CodePoint c = first_code_point(part.substr(at));
            if (is(c.value)) visit(ByteSpan{at, at + c.size});
            at += c.size;
          }
        },
        behavior);
  }

  /// Rewrites each piece separately with `rewrite(AlignedText&)`.
  template <class Rewrite>
  void rewrite_each(Rewrite rewrite) {
    TextPieces result;
    result.pieces.reserve(pieces.size());
    for (const TextPiece& piece : pieces) {
      if (piece.token) {
        result.append(text, piece.bytes, piece.token);
      } else {
        AlignedText part = text.slice(piece.bytes);
        rewrite(part);
        result.append(part, {0, part.size()});
      }
    }
    *this = std::move(result);
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
