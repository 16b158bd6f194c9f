// SPDX-License-Identifier: Apache-2.0

// The functions on which most test programs spend the most time, compiled with optimisation: the
// rows of the tiny exact models, their softmax, and the ranks of candidates over them. A linker
// uses the first copy of a function, so this file comes before the tests, which are not optimised.

#include <map>
#include <span>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/kernels/log_softmax.hpp"
#include "plumb/detail/rank/likelihood_ranker.hpp"

// The containers of an n-gram model, which are used for every row. The standard does not specify
// whether a map of such types may be instantiated; the supported compilers accept it.
template class std::map<std::vector<plumb::detail::TokenId>,
                        std::map<plumb::detail::TokenId, double>>;

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

template class LikelihoodRanker<NgramTreeModel>;

namespace test {
namespace {

struct OfRows : NgramModel {
  static constexpr auto filled = &OfRows::fill_row;
};

using OfTree = void (NgramTreeModel::*)(const TokenTree&, std::span<const NodeId>,
                                        const LogitsVisitor&);

}  // namespace

// Functions that other files may use must be emitted, and so must the functions they use.
extern const decltype(&plumb::detail::log_sum_exp) log_sum_exp = &plumb::detail::log_sum_exp;
extern const decltype(&NgramModel::tokenize) tokenize = &NgramModel::tokenize;
extern const decltype(&NgramModel::generate) generate = &NgramModel::generate;
extern const decltype(&NgramModel::log_probability) log_probability = &NgramModel::log_probability;
extern const decltype(OfRows::filled) fill_row = OfRows::filled;
extern const decltype(&NgramModel::evaluate) evaluate_sequence = &NgramModel::evaluate;
extern const OfTree evaluate_tree = &NgramTreeModel::evaluate;
extern const decltype(&NgramTreeModel::embed) embed = &NgramTreeModel::embed;
extern const decltype(&NgramTreeModel::release) release = &NgramTreeModel::release;

}  // namespace test
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
