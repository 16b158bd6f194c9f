// SPDX-License-Identifier: Apache-2.0
#pragma once

// The algorithms of std::ranges, with projections but without concepts.
//
// The compiler would check the concepts again for each type. These checks would take as long as
// compiling all other code that uses the type. A projection is a member or a function; an order is
// a function. Calls whose result would dangle do not compile.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::ranges {

/// Whether iterators into an argument passed as Range&& stay valid after the call.
template <class Range>
inline constexpr bool is_lasting =
    std::is_lvalue_reference_v<Range> ||
    std::ranges::enable_borrowed_range<std::remove_cv_t<std::remove_reference_t<Range>>>;

struct AsIs {
  template <class T>
  constexpr const T& operator()(const T& value) const noexcept {
    return value;
  }
};

template <class Projection, class T>
constexpr decltype(auto) projected(Projection& projection, T&& value) {
  if constexpr (std::is_member_object_pointer_v<Projection>) {
    return (std::forward<T>(value).*projection);
  } else if constexpr (std::is_member_function_pointer_v<Projection>) {
    return (std::forward<T>(value).*projection)();
  } else {
    return projection(std::forward<T>(value));
  }
}

/// Compares values by their projections.
template <class Less, class Projection>
constexpr auto by(Less& less, Projection& projection) {
  return [&](const auto& a, const auto& b) {
    return less(projected(projection, a), projected(projection, b));
  };
}

template <class Range, class Predicate, class Projection = AsIs>
constexpr auto find_if(Range&& range, Predicate predicate, Projection projection = {}) {
  static_assert(is_lasting<Range>, "iterators into a temporary dangle");
  auto at = std::begin(range);
  for (const auto end = std::end(range); at != end; ++at) {
    if (projected(predicate, projected(projection, *at))) break;
  }
  return at;
}

template <class Range, class T, class Projection = AsIs>
constexpr auto find(Range&& range, const T& value, Projection projection = {}) {
  static_assert(is_lasting<Range>, "iterators of a temporary dangle");
  auto at = std::begin(range);
  for (const auto end = std::end(range); at != end; ++at) {
    if (projected(projection, *at) == value) break;
  }
  return at;
}

template <class Range, class Predicate, class Projection = AsIs>
constexpr std::ptrdiff_t count_if(Range&& range, Predicate predicate, Projection projection = {}) {
  std::ptrdiff_t count = 0;
  for (auto&& value : range) {
    if (projected(predicate, projected(projection, value))) ++count;
  }
  return count;
}

template <class Range, class T, class Projection = AsIs>
constexpr std::ptrdiff_t count(Range&& range, const T& wanted, Projection projection = {}) {
  std::ptrdiff_t count = 0;
  for (auto&& value : range) {
    if (projected(projection, value) == wanted) ++count;
  }
  return count;
}

template <class Range, class Predicate, class Projection = AsIs>
constexpr bool any_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return find_if(range, predicate, projection) != std::end(range);
}

template <class Range, class Predicate, class Projection = AsIs>
constexpr bool all_of(Range&& range, Predicate predicate, Projection projection = {}) {
  for (auto&& value : range) {
    if (!projected(predicate, projected(projection, value))) return false;
  }
  return true;
}

template <class Range, class Predicate, class Projection = AsIs>
constexpr bool none_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return !any_of(range, predicate, projection);
}

template <class Range, class Less = std::less<>, class Projection = AsIs>
constexpr void sort(Range&& range, Less less = {}, Projection projection = {}) {
  std::sort(std::begin(range), std::end(range), by(less, projection));
}

template <class Range, class Less = std::less<>, class Projection = AsIs>
void stable_sort(Range&& range, Less less = {}, Projection projection = {}) {
  std::stable_sort(std::begin(range), std::end(range), by(less, projection));
}

template <class Range, class Less = std::less<>, class Projection = AsIs>
constexpr auto max_element(Range&& range, Less less = {}, Projection projection = {}) {
  static_assert(is_lasting<Range>, "iterators of a temporary dangle");
  return std::max_element(std::begin(range), std::end(range), by(less, projection));
}

template <class Range, class Less = std::less<>, class Projection = AsIs>
constexpr auto min_element(Range&& range, Less less = {}, Projection projection = {}) {
  static_assert(is_lasting<Range>, "iterators of a temporary dangle");
  return std::min_element(std::begin(range), std::end(range), by(less, projection));
}

template <class Range, class T, class Less = std::less<>, class Projection = AsIs>
constexpr auto lower_bound(Range&& range, const T& value, Less less = {},
                           Projection projection = {}) {
  static_assert(is_lasting<Range>, "iterators of a temporary dangle");
  return std::lower_bound(
      std::begin(range), std::end(range), value,
      [&](const auto& a, const T& b) { return less(projected(projection, a), b); });
}

template <class Range, class T, class Less = std::less<>, class Projection = AsIs>
constexpr auto upper_bound(Range&& range, const T& value, Less less = {},
                           Projection projection = {}) {
  static_assert(is_lasting<Range>, "iterators of a temporary dangle");
  return std::upper_bound(
      std::begin(range), std::end(range), value,
      [&](const T& a, const auto& b) { return less(a, projected(projection, b)); });
}

template <class Range, class T>
constexpr bool binary_search(Range&& range, const T& value) {
  return std::binary_search(std::begin(range), std::end(range), value);
}

template <class A, class B>
constexpr bool equal(const A& a, const B& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}

template <class Range>
constexpr void reverse(Range&& range) {
  std::reverse(std::begin(range), std::end(range));
}

/// Sorts the list and removes duplicates.
template <class List>
void sort_distinct(List& list) {
  sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::ranges
