// SPDX-License-Identifier: Apache-2.0
#pragma once

// Presents answers as xtensor tensors, which can be reduced over their axes.
//
//   const auto scores = plumb::log_likelihoods(answers.tables[0]);   // [facts, templates, candidates]
//   xt::mean(scores, {plumb::axis::templates})
//   xt::argmax(scores, plumb::axis::candidates)
//   plumb::softmax(scores)                                           // over candidates
//
// This is a separate header because xtensor's headers take a second to compile. Run:
// examples/answers_as_tensors.cpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
#if __has_include(<xtensor/containers/xadapt.hpp>)
#include <xtensor/containers/xadapt.hpp>  // the path since xtensor 0.26
#include <xtensor/containers/xtensor.hpp>
#include <xtensor/core/xmath.hpp>
#include <xtensor/misc/xsort.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#endif

#include "plumb/detail/aggregate/answers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The axes of a relation's tensors.
struct axis {
  static constexpr std::size_t facts = 0;
  static constexpr std::size_t templates = 1;
  static constexpr std::size_t candidates = 2;
};

template <class Number>
[[nodiscard]] auto tensor_of(const Answers::Table& table, const std::vector<Number>& numbers) {
  const std::array<std::size_t, 3> shape{table.facts(), table.templates(), table.candidates()};
  return xt::adapt(numbers.data(), numbers.size(), xt::no_ownership(), shape);
}

/// Returns a view of the log-likelihoods in nats, with shape [facts, templates, candidates]. The
/// table must outlive the view. For facts with fewer choices than others, rows are padded with NaN.
[[nodiscard]] inline auto log_likelihoods(const Answers::Table& table) {
  return detail::tensor_of(table, table.log_likelihoods);
}
auto log_likelihoods(Answers::Table&& table) = delete;

/// The number of scored tokens of each candidate, in the same shape.
[[nodiscard]] inline auto token_counts(const Answers::Table& table) {
  return detail::tensor_of(table, table.tokens);
}
/// The number of UTF-8 bytes in each span's text, in the same shape.
[[nodiscard]] inline auto byte_counts(const Answers::Table& table) {
  return detail::tensor_of(table, table.bytes);
}
auto token_counts(Answers::Table&& table) = delete;
auto byte_counts(Answers::Table&& table) = delete;

/// exp(score) divided by its sum over the candidates, so that the probabilities of each fact's
/// candidates sum to 1 under each template. Shape [facts, templates, candidates].
template <class Scores>
[[nodiscard]] xt::xtensor<double, 3> softmax(const xt::xexpression<Scores>& expression) {
  const Scores& scores = expression.derived_cast();
  const xt::xtensor<double, 3> best = xt::amax(scores, {axis::candidates}, xt::keep_dims);
  const xt::xtensor<double, 3> likely = xt::exp(scores - best);
  const xt::xtensor<double, 3> sums = xt::sum(likely, {axis::candidates}, xt::keep_dims);
  return likely / sums;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

namespace plumb {

using detail::axis;
using detail::byte_counts;
using detail::log_likelihoods;
using detail::softmax;
using detail::token_counts;

}  // namespace plumb
