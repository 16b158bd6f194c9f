// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/label_inventor.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cctype>
#include <set>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(label_inventor)

namespace {

using Labels = std::vector<std::string>;

/// One fact per subject; the answer is always the first option.
Relation relation_of(const Labels& subjects, const Labels& options) {
  Relation relation;
  relation.code = "R";
  relation.options = options;
  for (const std::string& subject : subjects) relation.facts.push_back({"", subject, {}, 0, 0, 0});
  return relation;
}

LabelInventor inventor(const Relation& relation, std::uint64_t seed = 0) {
  return {relation, RandomStream(seed, "test")};
}

std::string invented_subject(const std::string& like) {
  return inventor(relation_of({like}, {"yes", "no"})).subject();
}

/// Replaces each letter with A or a according to its case, then collapses each run of the same
/// letter: "Kevodan Thasor" → "Aa Aa".
std::string pattern(const std::string& label) {
  std::string made;
  for (const char c : label) {
    const auto byte = static_cast<unsigned char>(c);
    const char kind = std::isupper(byte) != 0 ? 'A' : std::islower(byte) != 0 ? 'a' : c;
    if (made.empty() || made.back() != kind || (kind != 'A' && kind != 'a')) made += kind;
  }
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_invented_label_has_the_shape_of_a_real_one) {
  BOOST_TEST(pattern(invented_subject("Marie Curie")) == "Aa Aa");
  BOOST_TEST(pattern(invented_subject("France")) == "Aa");
  BOOST_TEST(pattern(invented_subject("aardvark")) == "a");
  BOOST_TEST(pattern(invented_subject("Jean-Jacques Rousseau")) == "Aa-Aa Aa");
  BOOST_TEST(pattern(invented_subject("BBC")) == "A");
  BOOST_TEST(pattern(invented_subject("Özil")) == "Aa");
  BOOST_TEST(pattern(invented_subject("özil")) == "a");
  BOOST_TEST(pattern(invented_subject("القاهرة")) == "Aa");  // a script without case
}

BOOST_AUTO_TEST_CASE(small_words_initials_and_digits_stay) {
  const std::string film = invented_subject("The Last Days of 1984");
  BOOST_TEST(film.starts_with("The "));
  BOOST_TEST(film.ends_with(" of 1984"));
  BOOST_TEST(pattern(film) == "Aa Aa Aa a 1984");
  BOOST_TEST(invented_subject("A. A. Milne").starts_with("A. A. "));
  BOOST_TEST(invented_subject("a bird").starts_with("a "));
}

BOOST_AUTO_TEST_CASE(a_label_of_nothing_else_is_new_all_the_same) {
  BOOST_TEST(pattern(invented_subject("cat")) == "a");
  BOOST_TEST(invented_subject("cat") != "cat");
  BOOST_TEST(pattern(invented_subject("X")) == "Aa");
  BOOST_TEST(pattern(invented_subject("1984")) == "Aa");
  BOOST_TEST(pattern(invented_subject("")) == "Aa");
}

// The words that the generator would invent by default are used as labels here, so it must invent
// different ones.
BOOST_AUTO_TEST_CASE(no_invented_word_stands_in_the_relation) {
  Relation relation = relation_of({"Marie Curie"}, {"chemist", "poet"});
  LabelInventor first = inventor(relation);
  const std::string subject = first.subject(), object = first.object(), next = first.subject();
  const std::string word = subject.substr(0, subject.find(' '));
  std::string shouted = object;
  std::ranges::transform(object, shouted.begin(),
                         [](char c) { return static_cast<char>(std::toupper(c)); });
  const auto avoids = [&](const Relation& changed, const std::string& what) {
    LabelInventor again = inventor(changed);
    for (int i = 0; i < 50; ++i) {
      BOOST_TEST(again.subject().find(what) == std::string::npos);
      BOOST_TEST(again.object().find(what) == std::string::npos);
    }
  };
  Relation changed = relation;
  changed.facts[0].subject_aliases = {"Madame " + word};
  avoids(changed, word);
  changed = relation;
  changed.options[1] = shouted;  // in any case
  BOOST_TEST(inventor(changed).subject() == subject);
  avoids(changed, object);
  changed = relation;
  changed.facts.push_back({"", "Mr " + next, {}, 0, 0, 0});
  avoids(changed, next.substr(0, next.find(' ')));
}

BOOST_AUTO_TEST_CASE(no_invented_word_comes_twice) {
  LabelInventor some = inventor(relation_of({"Marie Curie", "Ada Lovelace"}, {"Paris", "Rome"}));
  std::set<std::string> words;
  std::size_t count = 0;
  for (int i = 0; i < 500; ++i) {
    for (const std::string& label : {some.subject(), some.object()}) {
      for (const LabelPiece& piece : label_pieces(label)) {
        if (!piece.word) continue;
        words.insert(folded(piece.text));
        ++count;
      }
    }
  }
  BOOST_TEST(count == 1500U);
  BOOST_TEST(words.size() == count);
}

// There are 18 · 5 · 18 · 5 · 5 two-syllable words. A word gets one more syllable when unused words
// become hard to find.
BOOST_AUTO_TEST_CASE(it_never_runs_out_of_words) {
  LabelInventor some = inventor(relation_of({"Rome"}, {"yes", "no"}));
  std::set<std::string> labels;
  for (int i = 0; i < 60'000; ++i) labels.insert(some.subject());
  BOOST_TEST(labels.size() == 60'000U);
}

BOOST_AUTO_TEST_CASE(years_are_years_between_the_least_and_the_greatest) {
  LabelInventor some = inventor(relation_of({"Marie Curie"}, {"1867", "1906", "1871", "987"}));
  std::set<std::string> years;
  for (int i = 0; i < 2000; ++i) years.insert(some.object());
  BOOST_TEST(years.contains("987"));  // the only option with three digits
  years.erase("987");
  BOOST_TEST(*years.begin() == "1867");
  BOOST_TEST(*years.rbegin() == "1906");
  BOOST_TEST(years.size() == 40U);
}

BOOST_AUTO_TEST_CASE(numbers_keep_their_zeros_and_what_stands_before_all_of_them) {
  LabelInventor codes = inventor(relation_of({"France"}, {"+007", "+012"}));
  std::set<std::string> made;
  for (int i = 0; i < 200; ++i) made.insert(codes.object());
  BOOST_TEST(made.size() == 6U);
  BOOST_TEST(*made.begin() == "+007");
  BOOST_TEST(*made.rbegin() == "+012");
  for (const Labels& options : {Labels{"12", "+13"}, Labels{"12", "twelve"}, Labels{"12", ""},
                                Labels{"1234567890", "12"}, Labels{"12", "1 2"}}) {
    BOOST_TEST(!number_prefix(options));
  }
  BOOST_TEST(!number_prefix({}));
  BOOST_TEST(number_prefix({"999999999", "0"}).value() == "");
}

BOOST_AUTO_TEST_CASE(the_objects_of_facts_with_choices_are_their_true_ones) {
  Relation relation = relation_of({"a", "b"}, {"Right", "Wrong"});
  relation.facts[0].choices = {"1867", "Paris"};
  relation.facts[1].choices = {"1869", "Rome"};
  LabelInventor some = inventor(relation);
  for (int i = 0; i < 20; ++i) {
    const std::string object = some.object();
    BOOST_TEST((object == "1867" || object == "1868" || object == "1869"), object);
  }
}

BOOST_AUTO_TEST_CASE(the_stream_decides) {
  const Relation relation = relation_of({"Marie Curie", "Ada Lovelace"}, {"1", "2", "3"});
  LabelInventor one = inventor(relation), same = inventor(relation), other = inventor(relation, 1);
  for (int i = 0; i < 5; ++i) {
    const std::string subject = one.subject();
    BOOST_TEST(subject == same.subject());
    BOOST_TEST(subject != other.subject());
    BOOST_TEST(one.object() == same.object());
  }
}

BOOST_AUTO_TEST_SUITE_END()
