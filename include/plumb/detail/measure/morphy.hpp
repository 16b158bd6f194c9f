// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the lemma of a word?
//
// This follows WordNet's Morphy (morphy(7WN) and its morph.c): each part of speech has a list of
// exceptions and rules that detach an ending. A resulting form is accepted if it is in the index of
// that part of speech. Morphy is given the part of speech and may return several forms, or none.
// Here a word has one lemma:
//
//   1. Noun, verb, adjective and adverb are tried in turn. The first one whose exceptions contain
//      the word determines its base form ("men", "was"). The first one whose index contains the
//      word leaves it unchanged ("rose", "better"). One exception: a noun is replaced by the noun
//      that remains when its ending is detached if more senses of the latter occur in the texts
//      that WordNet's authors tagged (this applies to "trumpets" and "glasses", but not to "Wales",
//      "Laos" and "physics").
//   2. For a word that none of these contains, noun, verb and adjective are tried in turn again:
//      for the base of an exception that is in no index ("anabases" gives "anabasis"), else for a
//      base that the rules give ("guitars", "speaks", "tallest"). As in WordNet, no rule is applied
//      to an exception, and an exception that is its own base has no base ("all-arounder" does not
//      become "all-around", and "is" is not a noun).
//   3. A word that is in none of these stays as it is, as most names do.
//
// A base produced by a rule must have at least three letters. Accepting shorter bases, which are
// mostly symbols and abbreviations, would turn "his" into "hi". Nouns come first so that "roses"
// and "rose" (also a form of "rise") are the same word. Some odd results of Morphy remain ("does"
// is the plural of "doe"). If NLTK's WordNetLemmatizer is called without the part of speech, it
// considers only nouns and returns the shortest of the word and its bases: "was" becomes "wa",
// "has" "ha", "us" "u" and "physics" "physic". Non-goals: collocations (index lines with "_" are
// skipped), languages other than English.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/core/lower_case.hpp"
#include "plumb/detail/core/text_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

template <class Value>
using TableByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

struct Detachment {
  std::string_view ending, replacement;
};

inline constexpr auto noun_rules = std::to_array<Detachment>({{"s", ""},
                                                              {"ses", "s"},
                                                              {"xes", "x"},
                                                              {"zes", "z"},
                                                              {"ches", "ch"},
                                                              {"shes", "sh"},
                                                              {"men", "man"},
                                                              {"ies", "y"}});
inline constexpr auto verb_rules = std::to_array<Detachment>({{"s", ""},
                                                              {"ies", "y"},
                                                              {"es", "e"},
                                                              {"es", ""},
                                                              {"ed", "e"},
                                                              {"ed", ""},
                                                              {"ing", "e"},
                                                              {"ing", ""}});
inline constexpr auto adjective_rules =
    std::to_array<Detachment>({{"er", ""}, {"est", ""}, {"er", "e"}, {"est", "e"}});

/// Removes the front of `text` up to and including the first separator; returns the removed text
/// without the separator.
inline std::string_view cut(std::string_view& text, char separator) {
  const std::size_t end = (std::min)(text.find(separator), text.size());
  const std::string_view front = text.substr(0, end);
  text.remove_prefix((std::min)(end + 1, text.size()));
  return front;
}

/// WordNet's words; uses 7 MB of memory. Any number of threads may look up words at the same time.
class Morphy {
 public:
  /// `folder` contains index.noun, noun.exc and so on. The default is the folder in which Debian's
  /// wordnet-base installs these files. Throws a user error if a file is missing or has the wrong
  /// format.
  explicit Morphy(const DiskPath& folder = "/usr/share/wordnet") {
    words_.reserve(90'000);
    for (std::size_t part = 0; part < parts; ++part) read_index(folder, part);
    for (std::size_t part = 0; part < parts; ++part) read_exceptions(folder, part);
  }

  /// The lemma of one word, in lower case (see core/lower_case.hpp).
  [[nodiscard]] std::string lemma(std::string_view word) const {
    std::string lower = lower_case(word);
    const auto found = words_.find(lower);
    for (std::size_t part = 0; part < parts; ++part) {
      const auto exception = exceptions_[part].find(lower);
      if (exception != exceptions_[part].end()) return exception->second;
      if (found == words_.end() || !found->second.is(part)) continue;
      if (part == noun) {
        std::string base = detached(lower, noun);
        if (!base.empty() && tagged_senses(base) > found->second.tagged_noun_senses) return base;
      }
      return lower;
    }
    for (std::size_t part = 0; part < parts; ++part) {
      std::string base;
      if (const auto other = firsts_[part].find(lower); other != firsts_[part].end()) {
        base = other->second;
      } else {
        base = detached(lower, part);
      }
      if (!base.empty()) return base;
    }
    return lower;
  }

  [[nodiscard]] std::string operator()(std::string_view word) const { return lemma(word); }

 private:
  static constexpr std::size_t parts = 4, noun = 0;
  static constexpr std::array<std::string_view, parts> names{"noun", "verb", "adj", "adv"};

  struct Word {
    std::uint8_t part_bits = 0;
    std::uint16_t tagged_noun_senses = 0;
    [[nodiscard]] bool is(std::size_t part) const { return (part_bits >> part & 1) != 0; }
  };

  static constexpr const char* remedy =
      "install WordNet (Debian's wordnet-base), set `wordnet` to its folder, or set `wordnet` to "
      "none "
      "to compare words as they are";

  static std::string read(const DiskPath& file) { return read_text(file, remedy); }

  /// Calls `visit(line, number)` for each line that is not empty and does not begin with a space.
  /// The lines of the licence begin with a space.
  template <class Visit>
  static void for_each_line(std::string_view text, Visit visit) {
    for (std::size_t number = 1; !text.empty(); ++number) {
      std::string_view line = detail::cut(text, '\n');
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!line.empty() && line.front() != ' ') visit(line, number);
    }
  }

  /// A line is "lemma pos synset_cnt p_cnt [ptr_symbol…] sense_cnt tagsense_cnt synset_offset…"
  /// (wndb(5WN)).
  void read_index(const DiskPath& folder, std::size_t part) {
    const auto file = folder / std::string("index.").append(names[part]);
    const std::string text = read(file);
    std::size_t lines = 0;
    for_each_line(text, [&](std::string_view line, std::size_t number) {
      ++lines;
      const std::string_view word = detail::cut(line, ' ');
      const auto next_number = [&] {
        const std::string_view field = detail::cut(line, ' ');
        std::uint16_t value = 0;
        const char* const end = field.data() + field.size();
        const auto parsed = std::from_chars(field.data(), end, value);
        if (parsed.ec != std::errc{} || parsed.ptr != end) {
          throw user_error({file, number}, "is not a line of a WordNet index", remedy);
        }
        return value;
      };
      detail::cut(line, ' ');
      next_number();
      for (std::size_t pointers = next_number(); pointers > 0; --pointers) detail::cut(line, ' ');
      next_number();
      const std::uint16_t tagged_senses = next_number();
      if (word.find('_') != std::string_view::npos) return;
      Word& entry = words_[std::string(word)];
      entry.part_bits = static_cast<std::uint8_t>(entry.part_bits | 1U << part);
      if (part == noun) entry.tagged_noun_senses = tagged_senses;
    });
    if (lines == 0) throw user_error({.file = file}, "contains no words", remedy);
  }

  /// A line is "inflected base…". Stores the first base that is in the index, else the first base.
  /// Stores an empty first base if the first base is the form itself or a collocation.
  void read_exceptions(const DiskPath& folder, std::size_t part) {
    const auto file = folder / std::string(names[part]).append(".exc");
    const std::string text = read(file);
    for_each_line(text, [&](std::string_view line, std::size_t number) {
      const std::string_view inflected = detail::cut(line, ' ');
      if (line.empty()) {
        throw user_error({file, number}, "contains no base form",
                         "write the inflected form, a space and its base form");
      }
      const std::string_view first = line.substr(0, line.find(' '));
      const bool no_base = first == inflected || first.find('_') != std::string_view::npos;
      firsts_[part].try_emplace(std::string(inflected), no_base ? std::string_view() : first);
      while (!line.empty()) {
        const std::string_view base = detail::cut(line, ' ');
        if (knows(base, part)) exceptions_[part].try_emplace(std::string(inflected), base);
      }
    });
  }

  [[nodiscard]] bool knows(std::string_view word, std::size_t part) const {
    const auto found = words_.find(word);
    return found != words_.end() && found->second.is(part);
  }

  [[nodiscard]] std::size_t tagged_senses(std::string_view noun_word) const {
    const auto found = words_.find(noun_word);
    return found == words_.end() ? 0 : found->second.tagged_noun_senses;
  }

  /// The base that results from the first matching rule of a part of speech; empty if no rule
  /// matches. As in morph.c, nouns in "-ss" have no base, and "-ful" is removed before the rules
  /// ("boxesful").
  [[nodiscard]] std::string detached(std::string_view word, std::size_t part) const {
    using Rules = std::span<const detail::Detachment>;
    const std::array<Rules, parts> rules{detail::noun_rules, detail::verb_rules,
                                         detail::adjective_rules, Rules{}};
    std::string_view kept;
    if (part == noun) {
      if (word.ends_with("ful")) {
        kept = word.substr(word.size() - 3);
        word.remove_suffix(3);
      } else if (word.ends_with("ss")) {
        return {};
      }
    }
    for (const detail::Detachment& rule : rules[part]) {
      if (word.size() <= rule.ending.size() || !word.ends_with(rule.ending)) continue;
      std::string base(word.substr(0, word.size() - rule.ending.size()));
      base += rule.replacement;
      if (base.size() >= 3 && knows(base, part)) return base.append(kept);
    }
    return {};
  }

  detail::TableByText<Word> words_;
  /// Map each exception to its first base that is in the index, if any, and to the first of all its
  /// bases.
  std::array<detail::TableByText<std::string>, parts> exceptions_, firsts_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
