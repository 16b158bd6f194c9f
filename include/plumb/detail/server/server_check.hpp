// SPDX-License-Identifier: Apache-2.0
#pragma once

// Are a server's numbers what a probe needs, and is it the same model as the other time?
//
// Checked at connect, by a question whose answer can be:
//   Σ_v P(v | prefix) = 1 over the whole vocabulary, so nothing is cut off or scaled; of a server that
//   gives few tokens in a request, the likeliest n of V add up to between n/V and 1, for two
//   prefixes;
//   the same when it is asked again, by tokens one by one, and afresh, without the prefix cache;
//   numbers with more than three decimals.
// A server has no file to hash. What stands for it is its name and the tokens with which it goes
// on, greedily, with fixed texts: they differ between models, and between quantisations of one.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/server/http_client.hpp"
#include "plumb/detail/server/server_dialect.hpp"
#include "plumb/detail/server/server_questions.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// What the check found; differences are the largest ones, in nats.
struct ServerCheck {
  /// |Σ P − 1| over the whole vocabulary; if `is_whole` is false, how far the likeliest tokens'
  /// probabilities add up to more than 1.
  double sum_off = 0;
  bool is_whole = true;
  /// Asked again, the tokens one by one; without the cache; and as a sequence's own tokens.
  double repeat_difference = 0, uncached_difference = 0, sequence_difference = 0;

  /// Larger ones are refused. Models whose logits are kept in 16 bits move by an eighth of a nat.
  static constexpr double most_sum_off = 0.02, most_off = 0.25;
  /// Below it, two numbers are the same: servers that compute probabilities in F32 tell one near
  /// e^-87 in one reply and none in the next.
  static constexpr double least_nats = -80;
};

/// Throws a user error for a server whose numbers do not do. `prefix` is not empty.
[[nodiscard]] inline ServerCheck check_server(HttpClient& client, const ServerDialect& dialect,
                                              ServerTally& tally,
                                              const std::vector<TokenId>& prefix) {
  const std::string remedy = "docs/servers.md says which flags each server needs";
  const auto prefix_of = [&](std::size_t length) {
    return std::vector<TokenId>(prefix.begin(), prefix.begin() + static_cast<int>(length));
  };
  // All of `tokens` after the whole prefix: in one question, or in one each.
  const auto asked = [&](std::span<const TokenId> tokens, std::size_t each, QueryMode how) {
    std::vector<double> nats(tokens.size());
    std::vector<NextTokenQuestion> questions;
    for (std::size_t i = 0; i < tokens.size(); i += each) {
      questions.push_back({tokens.subspan(i, each), std::span(nats).subspan(i, each)});
    }
    ask_questions(
        client, dialect, tally, questions, [&](std::size_t) { return prefix; }, how);
    return nats;
  };
  ServerCheck check;
  const std::size_t vocabulary = dialect.facts().vocabulary;
  const std::size_t together = dialect.together(vocabulary, QueryMode::full_distribution);
  check.is_whole = together == vocabulary;
  std::vector<TokenId> all;
  for (std::size_t i = 0; i < together; ++i) {
    all.push_back(static_cast<TokenId>(i * vocabulary / together));
  }
  const std::vector<double> whole = asked(all, all.size(), QueryMode::full_distribution);
  const auto refuse_sum = [&](double sum, const std::string& bound) {
    throw user_error(client.site(),
                     "its next-token probabilities add up to " + std::to_string(sum) + ", " + bound,
                     "it cuts or scales them; " + remedy);
  };
  if (check.is_whole) {
    double sum = 0;
    for (const double nats : whole) sum += std::exp(nats);
    check.sum_off = std::abs(sum - 1);
    if (check.sum_off > ServerCheck::most_sum_off) refuse_sum(sum, "not to 1");
  } else {
    // The likeliest of V tokens have at least their share, and at most all. Logits do not.
    for (const std::size_t length : std::set{std::size_t{1}, prefix.size()}) {
      std::size_t count = 20;
      HttpRequest request = dialect.ask_likeliest(prefix_of(length), count);
      HttpReply reply = client.reply(request);
      if (reply.status == 400) {  // its operator allows fewer
        count = 1;
        request = dialect.ask_likeliest(prefix_of(length), count);
        reply = client.reply(request);
      }
      client.refuse_failure(request, reply);
      tally.tokens_sent += length;
      double sum = 0;
      for (const double nats : dialect.read_likeliest(reply, tally)) sum += std::exp(nats);
      const double least =
          static_cast<double>((std::min)(count, vocabulary)) / static_cast<double>(vocabulary);
      check.sum_off = (std::max)(check.sum_off, sum - 1);
      if (sum > 1 + ServerCheck::most_sum_off || sum < 0.98 * least) {
        refuse_sum(sum, "which is not between " + std::to_string(least) + " and 1");
      }
    }
  }
  if (ranges::all_of(whole, [](double nats) {
        return std::isinf(nats) || std::abs(nats * 1000 - std::round(nats * 1000)) < 1e-6;
      })) {
    throw user_error(client.site(), "rounds its log-probabilities to three decimals or fewer",
                     remedy);
  }

  // The likeliest of those that were asked, which matter most, and some from everywhere.
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t several = std::min<std::size_t>(4, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<int>(several), order.end(),
                    [&](std::size_t a, std::size_t b) { return whole[a] > whole[b]; });
  order.resize(several);
  for (std::size_t k = 1; k <= 4; ++k) order.push_back((all.size() - 1) * k / 4);
  ranges::sort_distinct(order);
  std::vector<TokenId> some;
  for (const std::size_t i : order) some.push_back(all[i]);
  const auto floored = [](double nats) { return (std::max)(nats, ServerCheck::least_nats); };
  const auto difference = [&](QueryMode how) {
    double most = 0;
    const std::vector<double> nats = asked(some, 1, how);
    for (std::size_t i = 0; i < order.size(); ++i) {
      most = (std::max)(most, std::abs(floored(nats[i]) - floored(whole[order[i]])));
    }
    return most;
  };
  // The prefix grows in the server's cache: in one request, or in one after another.
  std::vector<double> own(prefix.size());
  const std::size_t lengths = dialect.prefixes_together() > 1 ? prefix.size() - 1 : 1;
  for (std::size_t first = 1; first < prefix.size(); first += lengths) {
    std::vector<NextTokenQuestion> questions;
    for (std::size_t length = first; length < first + lengths; ++length) {
      questions.push_back(
          {std::span(prefix).subspan(length, 1), std::span(own).subspan(length, 1)});
    }
    ask_questions(client, dialect, tally, questions,
                  [&](std::size_t i) { return prefix_of(first + i); });
  }
  if (dialect.sequences_together() > 0) {
    AskedSequence sequence{prefix, {}};
    ask_sequences(client, dialect, tally, std::span(&sequence, 1));
    for (std::size_t i = 1; i < prefix.size(); ++i) {
      check.sequence_difference = (std::max)(check.sequence_difference,
                                             std::abs(floored(sequence.nats[i]) - floored(own[i])));
    }
  }
  check.repeat_difference = difference(QueryMode::normal);
  check.uncached_difference = difference(QueryMode::without_cache);
  if (dialect.tokens_behind_cache(2) > 1) {
    // The cache keeps blocks, so a longer prompt is asked: for the first time, from the cache, afresh.
    std::vector<TokenId> longer;
    while (longer.size() < 40) longer.insert(longer.end(), prefix.begin(), prefix.end());
    if (dialect.facts().context > 0 && longer.size() >= dialect.facts().context) longer = prefix;
    std::vector<std::vector<double>> answers;
    for (const QueryMode how : {QueryMode::normal, QueryMode::normal, QueryMode::without_cache}) {
      std::vector<double>& nats = answers.emplace_back(some.size());
      const NextTokenQuestion question{some, nats};
      ask_questions(
          client, dialect, tally, std::span(&question, 1), [&](std::size_t) { return longer; },
          how);
      for (std::size_t i = 0; i < some.size(); ++i) {
        check.uncached_difference = (std::max)(
            check.uncached_difference, std::abs(floored(nats[i]) - floored(answers.front()[i])));
      }
    }
  }
  const double worst =
      (std::max)({check.repeat_difference, check.uncached_difference, check.sequence_difference});
  if (worst > ServerCheck::most_off) {
    throw user_error(client.site(),
                     "the same question is answered " + std::to_string(worst) + " nats apart",
                     "run it without what makes it differ (speculative decoding, sampling that "
                     "changes log-probabilities); " +
                         remedy);
  }
  return check;
}

/// What stands for the server's model in run.json: hexadecimal digits of the tokens that follow
/// fixed prompts.
[[nodiscard]] inline std::string server_answers(HttpClient& client, const ServerDialect& dialect,
                                                ServerTally& tally,
                                                std::span<const std::vector<TokenId>> prompts) {
  constexpr std::size_t tokens_each = 12;
  std::vector<std::string> answers(prompts.size());
  client.ask_all(
      prompts.size(),
      [&](std::size_t i) {
        tally.tokens_sent += prompts[i].size();
        return dialect.generate(prompts[i], tokens_each, std::nullopt);
      },
      [&](std::size_t i, const HttpReply& reply) {
        answers[i] = detail::json_ids(dialect.read_continuation(reply, tally).tokens);
      });
  std::string all;
  for (const std::string& one : answers) all += one;
  return fnv1a_hex(all);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
