// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/fact_overlap.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(fact_overlap)

namespace {

using Names = std::vector<std::string>;
using Unit = Within::Unit;
using Counts = std::vector<std::size_t>;

NamedFact fact(Names subject, Names object) {
  return {"r", 0, {"s", std::move(subject)}, {"o", std::move(object)}};
}

void feed_lines(FactOverlap& overlap, const std::string& text) {
  std::istringstream stream(text);
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) overlap.feed(line, ++number, true);
}

Counts counts_of(const std::vector<NamedFact>& facts, Within within, const std::string& text,
                 LetterCase letters = LetterCase::lower) {
  FactOverlap overlap(facts, within, letters);
  feed_lines(overlap, text);
  overlap.end_file();
  Counts counts;
  for (const FactMeetings& met : overlap.met()) counts.push_back(met.count);
  return counts;
}

std::size_t count_of(const NamedFact& one, std::size_t words, const std::string& text) {
  return counts_of({one}, {Unit::words, words}, text).front();
}

}  // namespace

BOOST_AUTO_TEST_CASE(subject_and_object_stand_within_n_words) {
  const NamedFact paris = fact({"France"}, {"Paris"});
  // There are six words from the first name through the last.
  BOOST_TEST(count_of(paris, 6, "So Paris is the capital of FRANCE's north.") == 1U);
  BOOST_TEST(count_of(paris, 5, "So Paris is the capital of FRANCE's north.") == 0U);
  BOOST_TEST(count_of(paris, 2, "France: Paris") == 1U);
  BOOST_TEST(count_of(paris, 50, "France and Parisians") == 0U);
  // The words are spread across several lines.
  BOOST_TEST(count_of(paris, 4, "Paris\n\n***\nlies in\nFrance\n") == 1U);
  BOOST_TEST(count_of(fact({"St. Louis"}, {"New York"}), 5, "in St Louis's streets, New\nYork") ==
             1U);
}

BOOST_AUTO_TEST_CASE(stretches_are_disjoint_and_as_many_as_there_can_be) {
  const NamedFact paris = fact({"France"}, {"Paris"});
  BOOST_TEST(count_of(paris, 2, "Paris France Paris France") == 2U);
  BOOST_TEST(count_of(paris, 9, "Paris France Paris France") == 2U);
  BOOST_TEST(count_of(paris, 2, "Paris France Paris") == 1U);
  BOOST_TEST(count_of(paris, 3, "France x Paris x France") == 1U);
  BOOST_TEST(count_of(paris, 3, "France x Paris x France Paris") == 2U);
  BOOST_TEST(count_of(paris, 9, "Paris Paris Paris France France") == 1U);
}

BOOST_AUTO_TEST_CASE(each_entity_has_all_its_names) {
  const NamedFact paris = fact({"France", "French Republic"}, {"Paris", "City of Light"});
  BOOST_TEST(count_of(paris, 9, "the French Republic and its City of Light") == 1U);
  BOOST_TEST(count_of(paris, 9, "France, the French Republic: Paris, City of Light") == 1U);
  BOOST_TEST(count_of(paris, 9, "French City of Paris") == 0U);
}

BOOST_AUTO_TEST_CASE(names_do_not_overlap_each_other) {
  const NamedFact bank = fact({"Bank of America"}, {"America"});
  BOOST_TEST(count_of(bank, 9, "the Bank of America") == 0U);
  BOOST_TEST(count_of(bank, 9, "the Bank of America in America") == 1U);
  BOOST_TEST(count_of(bank, 9, "America has a Bank of America") == 1U);
  const NamedFact york = fact({"New York"}, {"New York"});
  BOOST_TEST(count_of(york, 9, "New York is large") == 0U);
  BOOST_TEST(count_of(york, 9, "New York, New York") == 1U);
  // Each mention consists of two words. Of the three mentions, only the first and the last do not
  // overlap.
  const NamedFact bora = fact({"Bora Bora"}, {"Bora Bora"});
  BOOST_TEST(count_of(bora, 9, "Bora Bora Bora") == 0U);
  BOOST_TEST(count_of(bora, 9, "Bora Bora Bora Bora") == 1U);
  for (const Unit unit : {Unit::line, Unit::document}) {
    BOOST_TEST((counts_of({bora}, {unit}, "Bora Bora Bora\nBora") == (Counts{unit != Unit::line})));
    BOOST_TEST((counts_of({bora}, {unit}, "Bora Bora Bora Bora\n") == (Counts{1})));
    BOOST_TEST((counts_of({bank}, {unit}, "the Bank of America") == (Counts{0})));
    BOOST_TEST((counts_of({bank}, {unit}, "America has a Bank of America") == (Counts{1})));
  }
}

BOOST_AUTO_TEST_CASE(lines_paragraphs_and_documents_are_counted) {
  const std::string text =
      "Paris is large.\n"
      "France is larger than Paris.\n"
      "***\n"
      "France.\n"
      "Paris, Paris, France and New\n"
      "York\n";
  const std::vector<NamedFact> facts{fact({"France"}, {"Paris"}), fact({"New York"}, {"France"})};
  const auto met_within = [&](Within within) {
    FactOverlap overlap(facts, within);
    feed_lines(overlap, text);
    overlap.end_file();
    return overlap.met();
  };
  const auto lines = met_within({Unit::line}), paragraphs = met_within({Unit::paragraph}),
             documents = met_within({Unit::document}), far = met_within({Unit::words, 50}),
             near = met_within({Unit::words, 2});
  BOOST_TEST(lines[0].count == 2U);
  BOOST_TEST(lines[0].line == 2U);
  BOOST_TEST(lines[1].count == 0U);  // no line contains "New York"
  BOOST_TEST(paragraphs[0].count == 2U);
  BOOST_TEST(paragraphs[0].line == 2U);
  BOOST_TEST(paragraphs[1].count == 1U);
  BOOST_TEST(paragraphs[1].line == 6U);
  BOOST_TEST(documents[0].count == 1U);
  BOOST_TEST(documents[1].count == 1U);
  // The words are paris 0, france 3, paris 7, france 8, paris 9, paris 10 and france 11, so the
  // pairs are 0–3, 7–8 and 10–11.
  BOOST_TEST(far[0].count == 3U);
  BOOST_TEST(near[0].count == 2U);
  BOOST_TEST(near[0].line == 4U);
}

BOOST_AUTO_TEST_CASE(nothing_stands_over_documents) {
  const std::vector<NamedFact> facts{fact({"France"}, {"Paris"})};
  for (const Within within :
       {Within{Unit::words, 50}, Within{Unit::paragraph}, Within{Unit::document}}) {
    FactOverlap overlap(facts, within);
    overlap.feed("Paris and", 1, true);
    overlap.end_document();
    overlap.feed("France", 2, true);
    overlap.end_file();
    BOOST_TEST(overlap.met()[0].count == 0U);
    overlap.feed("France", 1, true);
    overlap.end_document();
    overlap.feed("France and Paris", 7, true);
    overlap.end_document();
    overlap.feed("Paris, France", 8, true);
    overlap.end_file();
    BOOST_TEST(overlap.met()[0].count == 2U);
    BOOST_TEST(overlap.met()[0].file == 1U);
    BOOST_TEST(overlap.met()[0].line == 7U);
    BOOST_TEST(overlap.words() == 9U);
  }
}

BOOST_AUTO_TEST_CASE(a_line_may_come_in_pieces) {
  const std::vector<NamedFact> facts{fact({"New York"}, {"America"})};
  FactOverlap overlap(facts, {Unit::line});
  overlap.feed("in New ", 1, false);
  overlap.feed("York and ", 1, false);
  overlap.feed("America", 1, true);
  overlap.feed("America and New", 2, true);
  overlap.feed("York", 3, true);
  BOOST_TEST(overlap.met()[0].count == 1U);
  // A chunk without words does not end a paragraph.
  FactOverlap other(facts, {Unit::paragraph});
  other.feed("New York ", 1, false);
  other.feed("... ", 1, false);
  other.feed("---", 1, true);
  other.feed("America", 2, true);
  BOOST_TEST(other.met()[0].count == 1U);
}

BOOST_AUTO_TEST_CASE(letters_may_keep_their_case) {
  const std::vector<NamedFact> facts{fact({"US"}, {"Washington"})};
  const std::string text = "tell us about Washington\n";
  BOOST_TEST((counts_of(facts, {Unit::line}, text) == (Counts{1})));
  BOOST_TEST((counts_of(facts, {Unit::line}, text, LetterCase::kept) == (Counts{0})));
  BOOST_TEST(counts_of(facts, {Unit::line}, "the U.S. capital Washington", LetterCase::kept) ==
             (Counts{1}));
}

BOOST_AUTO_TEST_CASE(facts_whose_names_have_no_word_are_counted) {
  const std::vector<NamedFact> facts{fact({"?"}, {"Paris"}), fact({"France"}, {"…", "Paris"})};
  FactOverlap overlap(facts, {});
  BOOST_TEST(overlap.nameless() == 1U);
  overlap.feed("? Paris France", 1, true);
  BOOST_TEST(overlap.met()[0].count == 0U);
  BOOST_TEST(overlap.met()[1].count == 1U);
  BOOST_TEST(FactOverlap({}, {}).met().empty());
}

namespace {

/// The mentions of names of one or two words, each given by the indices of its first and last
/// words.
std::vector<std::pair<int, int>> places_of(const Names& names, const Names& words) {
  std::vector<std::pair<int, int>> places;
  for (const std::string& name : names) {
    std::istringstream stream(name);
    Names parts;
    for (std::string part; stream >> part;) parts.push_back(part);
    for (std::size_t i = 0; i + parts.size() <= words.size(); ++i) {
      if (std::equal(parts.begin(), parts.end(), words.begin() + static_cast<std::ptrdiff_t>(i))) {
        places.emplace_back(static_cast<int>(i), static_cast<int>(i + parts.size() - 1));
      }
    }
  }
  return places;
}

/// The largest number of disjoint stretches of at most `most` words; best[j] is this number for the
/// first j words.
std::size_t most_stretches(const NamedFact& one, const Names& words, int most) {
  std::vector<std::size_t> best(words.size() + 1, 0);
  const auto subjects = places_of(one.subject.names, words);
  const auto objects = places_of(one.object.names, words);
  for (std::size_t j = 1; j <= words.size(); ++j) {
    best[j] = best[j - 1];
    for (const auto& s : subjects) {
      for (const auto& o : objects) {
        if (s.second >= o.first && o.second >= s.first) continue;
        const int first = std::min(s.first, o.first), last = std::max(s.second, o.second);
        if (last + 1 != static_cast<int>(j) || last - first + 1 > most) continue;
        best[j] = std::max(best[j], best[static_cast<std::size_t>(first)] + 1);
      }
    }
  }
  return best.back();
}

}  // namespace

// Some facts have few partners and some have many, so both search methods are used.
BOOST_AUTO_TEST_CASE(counts_are_those_of_all_pairs_of_mentions) {
  RandomStream random(11, "overlap");
  const auto word = [&](std::size_t of) { return "w" + std::to_string(random.below(of)); };
  std::size_t met = 0, several = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t vocabulary = 3 + random.below(20);
    const auto names = [&] {
      Names made{word(vocabulary)};
      if (random.below(2) == 0) made.push_back(word(vocabulary) + " " + word(vocabulary));
      return made;
    };
    std::vector<NamedFact> facts;
    const Names common = names();
    for (int f = 0; f < 40; ++f) facts.push_back(fact(names(), f < 25 ? common : names()));
    Names words;
    std::string line;
    for (int i = 0; i < 60; ++i) {
      words.push_back(word(vocabulary + 3));
      line += words.back() + " ";
    }
    for (const int most : {2, 3, 5, 12, 100}) {
      const Counts counts =
          counts_of(facts, {Unit::words, static_cast<std::size_t>(most)}, line + "\n");
      for (std::size_t f = 0; f < facts.size(); ++f) {
        BOOST_REQUIRE(counts[f] == most_stretches(facts[f], words, most));
        met += counts[f] > 0 ? 1 : 0;
        several += counts[f] > 1 ? 1 : 0;
      }
    }
    for (const Unit unit : {Unit::line, Unit::paragraph, Unit::document}) {
      const Counts counts = counts_of(facts, {unit}, line + "\n");
      for (std::size_t f = 0; f < facts.size(); ++f) {
        BOOST_REQUIRE(counts[f] == (most_stretches(facts[f], words, 60) > 0 ? 1U : 0U));
      }
    }
  }
  BOOST_TEST(met > 3'000U);
  BOOST_TEST(several > 1'000U);
}

BOOST_AUTO_TEST_SUITE_END()
