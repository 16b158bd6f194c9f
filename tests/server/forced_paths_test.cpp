// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/forced_paths.hpp"

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/dialects.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"

using namespace plumb::detail;
using test::FoundStandIn;
using test::near;
using test::says;
using test::speaking;

BOOST_AUTO_TEST_SUITE(forced_paths_suite)

namespace {

struct Lookups {
  /// A lookup of each of the text's characters from `first` on, given the characters before it.
  void add(const std::string& text, std::size_t first) {
    NodeId node = tree.add(TokenTree::root, 256);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto token = static_cast<TokenId>(static_cast<unsigned char>(text[i]));
      if (i >= first) lookups.push_back({node, token});
      if (i + 1 < text.size()) node = tree.add(node, token);
    }
    std::sort(lookups.begin(), lookups.end());
    lookups.erase(std::unique(lookups.begin(), lookups.end()), lookups.end());
  }
  /// "PREFIX>TOKENS" for each request of a plan, with "|" instead of ">" if it is not a path.
  [[nodiscard]] std::vector<std::string> planned(std::size_t longest) const {
    const ForcedPaths plan(tree, lookups, longest);
    std::vector<std::string> texts;
    for (const ForcedPaths::Request& one : plan.requests()) {
      std::string text;
      for (const TokenId id : plan.prefix(one)) {
        if (id != 256) text += static_cast<char>(id);
      }
      text += one.is_set ? '|' : '>';
      for (const TokenId id : plan.tokens(one)) text += static_cast<char>(id);
      texts.push_back(text);
    }
    return texts;
  }
  TokenTree tree;
  std::vector<TokenLookup> lookups;
};

using Texts = std::vector<std::string>;

/// Texts of up to `longest` characters; some contain others.
Lookups random_lookups(std::size_t count, std::size_t first, std::size_t longest) {
  RandomStream random(7, "paths");
  Lookups made;
  for (std::size_t s = 0; s < count; ++s) {
    std::string text;
    for (std::size_t length = 1 + random.below(longest); text.size() < length;) {
      text += static_cast<char>('a' + random.below(5));
    }
    made.add(text, std::min(first, text.size()));
  }
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_statement_is_one_path_and_the_next_begins_where_it_differs) {
  Lookups made;
  made.add("abcd", 1);
  BOOST_TEST(made.planned(64) == Texts{"a>bcd"}, boost::test_tools::per_element());
  made.add("abef", 1);
  made.add("ab", 1);  // a prefix of the others
  BOOST_TEST(made.planned(64) == (Texts{"ab>cd", "a>bef"}), boost::test_tools::per_element());
  BOOST_TEST(made.planned(2) == (Texts{"a>b", "ab>cd", "ab>ef"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_path_ends_before_a_repeated_token_and_before_tokens_without_lookups) {
  Lookups made;
  made.add("abcbd", 1);
  BOOST_TEST(made.planned(64) == (Texts{"a>b", "ab>cbd"}), boost::test_tools::per_element());
  Lookups gap;
  gap.add("abcdef", 4);
  gap.add("abx", 1);
  BOOST_TEST(gap.planned(64) == (Texts{"a>bx", "abcd>ef"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(more_than_two_tokens_after_a_prefix_share_a_request) {
  Lookups made;
  made.add("abcd", 1);
  made.add("axyz", 1);
  BOOST_TEST(made.planned(64) == (Texts{"a>bcd", "a>xyz"}), boost::test_tools::per_element());
  made.add("ae", 1);
  BOOST_TEST(made.planned(64) == (Texts{"a|bex", "ab>cd", "ax>yz"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_distinct_lookup_is_in_exactly_one_request) {
  std::size_t sets = 0, paths = 0;
  for (const std::size_t first : {0U, 1U, 4U}) {
    for (const std::size_t longest : {2U, 3U, 64U}) {
      const Lookups made = random_lookups(80, first, longest == 3 ? 3 : 9);
      const ForcedPaths plan(made.tree, made.lookups, longest);
      std::vector<int> times(made.lookups.size());
      for (const ForcedPaths::Request& one : plan.requests()) {
        for (const std::size_t i : one.lookups) ++times[i];
        ++(one.is_set ? sets : paths);
        const std::vector<TokenId> tokens = plan.tokens(one);
        BOOST_TEST(std::set(tokens.begin(), tokens.end()).size() == tokens.size());
        for (std::size_t t = 1; t < one.lookups.size(); ++t) {
          const TokenLookup& before = made.lookups[one.lookups[t - 1]];
          const NodeId node = made.lookups[one.lookups[t]].node;
          BOOST_TEST((one.is_set ? before.node : made.tree.child(before.node, before.token)) ==
                     node);
        }
        BOOST_TEST((one.is_set ? one.lookups.size() > 2 : one.lookups.size() <= longest));
      }
      BOOST_TEST(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
    }
  }
  BOOST_TEST(sets >= 5U);
  BOOST_TEST(paths > 100U);
}

BOOST_AUTO_TEST_CASE(a_long_common_prefix_is_sent_in_few_parts_and_short_ones_in_many) {
  Lookups quick, slow;
  for (int i = 0; i < 200; ++i) {
    std::string digits = std::to_string(1000 + i);
    std::reverse(digits.begin(), digits.end());
    quick.add("a" + digits, 1);
  }
  for (int i = 0; i < 40; ++i) slow.add(std::string(400, 'a') + std::to_string(1000 + i), 400);
  const auto parts = [](const Lookups& made, std::size_t most, double steps = 1) {
    return ForcedPaths(made.tree, made.lookups, 64).part_begins(most, steps);
  };
  for (const std::size_t most : {1U, 4U, 16U}) {
    const std::vector<std::size_t> begins = parts(quick, most);
    BOOST_TEST(begins.size() == most);
    BOOST_TEST(begins.front() == 0U);
    BOOST_TEST((std::is_sorted(begins.begin(), begins.end())));
  }
  BOOST_TEST(parts(slow, 16).size() < 4U);
  BOOST_TEST(parts(slow, 16, 100).size() > parts(slow, 16).size());
  BOOST_TEST(parts(Lookups(), 16).empty());
}

namespace {

/// Looks up the tokens of random texts through a stand-in server and compares them with its model.
/// Returns the number of requests beyond those of the plan.
std::ptrdiff_t more_requests(test::StandInModel::Options options,
                             const Lookups& made = random_lookups(60, 0, 9)) {
  FoundStandIn found(std::move(options));
  std::vector<double> nats(made.lookups.size());
  const std::size_t before = found.server.requests();
  ask_paths(found.client, *found.dialect, found.tally, made.tree, made.lookups, nats);
  const std::size_t sent = found.server.requests() - before;
  for (std::size_t i = 0; i < nats.size(); ++i) {
    const auto& [node, token] = made.lookups[i];
    BOOST_TEST(near(nats[i], found.made.model().log_probability(made.tree.prefix(node), token)));
  }
  const ForcedPaths plan(made.tree, made.lookups, found.dialect->forced_together());
  std::size_t planned = 0;
  for (const auto& one : plan.requests()) planned += one.is_set ? 2 : 1;
  return static_cast<std::ptrdiff_t>(sent) - static_cast<std::ptrdiff_t>(planned);
}

}  // namespace

BOOST_AUTO_TEST_CASE(lookups_through_paths_are_those_of_the_model) {
  auto options = speaking("llamacpp");
  BOOST_TEST(more_requests(options) == 0);
  options.slots = 2;
  BOOST_TEST(more_requests(options) == 0);
  // Tokens that the server does not generate are looked up one by one.
  options.ignores_penalties = true;
  BOOST_TEST(more_requests(options) > 50);
}

BOOST_AUTO_TEST_CASE(a_token_that_ends_within_a_character_takes_two_small_requests) {
  // Characters of two and three bytes; the server reports each one's last byte. A text that ends
  // within a character is a path of one token.
  Lookups made;
  made.add("aж", 1);
  made.add("b東e", 1);
  made.add("c東", 1);
  made.add("d\xd0", 1);
  BOOST_TEST(more_requests(speaking("llamacpp"), made) == 2 * (1 + 2 + 2 + 1));
  std::atomic<std::size_t> most{0};
  auto options = speaking("llamacpp");
  options.slots = 1;
  options.spoil = [&](const test::StandInRequest& request, test::StandInReply&) {
    if (request.route != "/completion") return;
    most = std::max(most.load(), Json::parse(request.body).value("n_probs", std::size_t{0}));
  };
  (void)more_requests(options, made);
  BOOST_TEST(most == 2U);
}

BOOST_AUTO_TEST_CASE(an_error_of_the_server_ends_all_parts) {
  std::atomic<int> times{0};
  auto options = speaking("llamacpp");
  options.spoil = [&](const test::StandInRequest& request, test::StandInReply& reply) {
    if (request.route == "/completion" && ++times == 3) {
      reply = test::StandInModel::error(400, "too long");
    }
  };
  FoundStandIn found(options);
  const Lookups made = random_lookups(60, 0, 9);
  std::vector<double> nats(made.lookups.size());
  BOOST_CHECK_EXCEPTION(
      ask_paths(found.client, *found.dialect, found.tally, made.tree, made.lookups, nats), Error,
      says(Fault::user, "too long"));
  BOOST_TEST(times < 30);
}

BOOST_AUTO_TEST_SUITE_END()
