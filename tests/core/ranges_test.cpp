// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/ranges.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <random>
#include <ranges>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(over_ranges)

namespace {

struct Card {
  int suit = 0;
  std::string name;

  [[nodiscard]] bool is_high() const { return suit >= 2; }
  friend bool operator==(const Card&, const Card&) = default;
};

/// Hands of cards with few suits, so that cards tie; the first hand is empty.
std::vector<std::vector<Card>> hands() {
  std::mt19937_64 random(7);
  std::vector<std::vector<Card>> made(40);
  for (std::size_t size = 0; size < made.size(); ++size) {
    for (std::size_t i = 0; i < size; ++i) {
      made[size].push_back({static_cast<int>(random() % 4), std::to_string(random() % 10)});
    }
  }
  return made;
}

const auto suit_of = [](const Card& card) { return card.suit; };

}  // namespace

BOOST_AUTO_TEST_CASE(the_standard_finds_and_counts_the_same) {
  for (const auto& hand : hands()) {
    BOOST_TEST((ranges::find(hand, 3, &Card::suit) == std::ranges::find(hand, 3, &Card::suit)));
    BOOST_TEST(
        (ranges::find_if(hand, &Card::is_high) == std::ranges::find_if(hand, &Card::is_high)));
    BOOST_TEST(ranges::count(hand, 1, suit_of) == std::ranges::count(hand, 1, suit_of));
    BOOST_TEST(ranges::count_if(hand, &Card::is_high) ==
               std::ranges::count_if(hand, &Card::is_high));
    const auto is_two = [](int suit) { return suit == 2; };
    BOOST_TEST(ranges::any_of(hand, is_two, &Card::suit) ==
               std::ranges::any_of(hand, is_two, &Card::suit));
    BOOST_TEST(ranges::all_of(hand, &Card::is_high) == std::ranges::all_of(hand, &Card::is_high));
    BOOST_TEST(ranges::none_of(hand, is_two, suit_of) ==
               std::ranges::none_of(hand, is_two, suit_of));
  }
}

BOOST_AUTO_TEST_CASE(the_standard_orders_the_same) {
  for (const auto& hand : hands()) {
    auto ours = hand, theirs = hand;
    ranges::stable_sort(ours, std::greater<>{}, &Card::suit);
    std::ranges::stable_sort(theirs, std::greater{}, &Card::suit);
    BOOST_TEST((ours == theirs));
    ranges::sort(ours, {}, &Card::name);
    BOOST_TEST(std::ranges::is_sorted(ours, {}, &Card::name));
    ranges::stable_sort(ours, {}, suit_of);
    ranges::reverse(ours);
    BOOST_TEST(std::ranges::is_sorted(ours, std::greater{}, suit_of));
    BOOST_TEST(std::ranges::is_permutation(ours, theirs));
  }
}

BOOST_AUTO_TEST_CASE(the_first_of_equals_is_the_extreme) {
  for (const auto& hand : hands()) {
    BOOST_TEST((ranges::max_element(hand, {}, &Card::suit) ==
                std::ranges::max_element(hand, {}, &Card::suit)));
    BOOST_TEST(
        (ranges::min_element(hand, {}, suit_of) == std::ranges::min_element(hand, {}, suit_of)));
  }
}

BOOST_AUTO_TEST_CASE(the_standard_has_the_same_bounds) {
  for (auto hand : hands()) {
    ranges::sort(hand, {}, &Card::suit);
    for (int suit = -1; suit <= 4; ++suit) {
      BOOST_TEST((ranges::lower_bound(hand, suit, {}, &Card::suit) ==
                  std::ranges::lower_bound(hand, suit, {}, &Card::suit)));
      BOOST_TEST((ranges::upper_bound(hand, suit, {}, suit_of) ==
                  std::ranges::upper_bound(hand, suit, {}, suit_of)));
    }
  }
  const std::array numbers{1, 3, 5};
  BOOST_TEST(ranges::binary_search(numbers, 3));
  BOOST_TEST(!ranges::binary_search(numbers, 4));
  BOOST_TEST(ranges::binary_search("ace", 'c'));
}

BOOST_AUTO_TEST_CASE(lengths_matter_to_equality) {
  const std::vector<int> three{1, 2, 3}, two{1, 2};
  BOOST_TEST(ranges::equal(three, std::array{1, 2, 3}));
  BOOST_TEST(!ranges::equal(three, two));
  BOOST_TEST(!ranges::equal(two, three));
  BOOST_TEST(!ranges::equal(three, std::array{1, 2, 4}));
}

BOOST_AUTO_TEST_CASE(nothing_is_looked_at_behind_an_answer) {
  const std::array numbers{1, 2, 3, 4};
  int asked = 0;
  const auto below_two = [&](int number) {
    ++asked;
    return number < 2;
  };
  BOOST_TEST(!ranges::all_of(numbers, below_two));
  BOOST_TEST(asked == 2);
  BOOST_TEST(ranges::any_of(numbers, below_two));
  BOOST_TEST(asked == 3);
}

BOOST_AUTO_TEST_CASE(constants_may_be_looked_up) {
  static constexpr std::array numbers{1, 3, 5};
  static_assert(*ranges::lower_bound(numbers, 2) == 3);
  static_assert(ranges::all_of(numbers, [](int number) { return number % 2 == 1; }));
}

BOOST_AUTO_TEST_CASE(one_of_each_is_left_in_order) {
  std::vector<int> some{3, 1, 3, 2, 1, 3}, none;
  ranges::sort_distinct(some);
  ranges::sort_distinct(none);
  BOOST_TEST(some == (std::vector<int>{1, 2, 3}));
  BOOST_TEST(none.empty());
}

BOOST_AUTO_TEST_SUITE_END()
