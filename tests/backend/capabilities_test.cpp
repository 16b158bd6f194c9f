// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/capabilities.hpp"

#include <boost/test/unit_test.hpp>

#include "plumb/detail/backend/archetypes.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(capabilities_suite)

namespace {

/// A wrapper around a masked-only model.
struct StandsForAnother {
  [[nodiscard]] Capabilities capabilities() const { return {.masked = true}; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(capabilities_are_derived_from_the_model_type) {
  const Capabilities ngram = capabilities_of(NgramModel("abab", 2));
  BOOST_TEST(!ngram.generates);  // generating for one prompt at a time is not batch generation
  BOOST_TEST((ngram.causal && !ngram.trees && !ngram.masked && !ngram.special_tokens));
  const Capabilities tree = capabilities_of(NgramTreeModel("abab", 2));
  BOOST_TEST((tree.causal && tree.trees && tree.tree_embeddings));
  const Capabilities neighbours = capabilities_of(NeighbourModel("abab"));
  BOOST_TEST((neighbours.masked && neighbours.words && !neighbours.causal));
}

BOOST_AUTO_TEST_CASE(type_erased_model_reports_its_own_capabilities) {
  const Capabilities can = capabilities_of(StandsForAnother{});
  BOOST_TEST((can.masked && !can.causal && !can.words));
}

BOOST_AUTO_TEST_SUITE_END()
