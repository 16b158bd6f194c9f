// SPDX-License-Identifier: Apache-2.0
#pragma once

// Are a server's numbers correct, and is its model still the same?
//
// When plumb connects, it sends requests whose answers can be checked:
//   Σ_v P(v | prefix) = 1 over the whole vocabulary, so nothing is cut off or scaled. If a server
//   returns only a few tokens per request, the probabilities of the n most likely of V tokens must
//   add up to between n/V and 1, for two prefixes; answers must be equal when the request is
//   repeated, sent token by token, and sent without the prefix cache; and log-probabilities must
//   have more than three decimals.
// A server does not provide a file to hash. Its model is identified by name and by its greedy
// continuations of fixed texts, which differ between models and between quantisations of the same
// model.

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

/// The results of the check. Each difference is the maximum observed, in nats.
struct ServerCheck {
  /// |Σ P − 1| over the whole vocabulary. If `is_whole` is false, the amount by which the sum over
  /// the most likely tokens exceeds 1.
  double sum_off = 0;
  bool is_whole = true;
  /// Differences from the first answers when the same tokens are requested one by one, when the
  /// cache is bypassed, and when the tokens are scored as part of a sequence or after one.
  double repeat_difference = 0, uncached_difference = 0, sequence_difference = 0;
  /// Whether the server can be forced to generate given tokens one after another; their answers are
  /// then compared as part of `sequence_difference`.
  bool forces = false;

  /// Servers that exceed these limits are rejected. Models with 16-bit logits vary by up to an
  /// eighth of a nat.
  static constexpr double most_sum_off = 0.02, most_off = 0.25;
  /// Log-probabilities below this value are treated as equal, because a server that computes
  /// probabilities in F32 may report a probability near e^-87 in one reply and omit it from the
  /// next.
  static constexpr double least_nats = -80;
};

/// Throws a user error for a server whose numbers fail the check. `prefix` must not be empty.
[[nodiscard]] inline ServerCheck check_server(HttpClient& client, const ServerDialect& dialect,
                                              ServerTally& tally,
                                              const std::vector<TokenId>& prefix) {
  const std::string remedy = "docs/servers.md lists the flags that each server needs";
  const auto prefix_of = [&](std::size_t length) {
    return std::vector<TokenId>(prefix.begin(), prefix.begin() + static_cast<int>(length));
  };
  // Looks up all `tokens` after the whole prefix, `each` tokens per question.
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
                     "the server truncates or scales them; " + remedy);
  };
  if (check.is_whole) {
    double sum = 0;
    for (const double nats : whole) sum += std::exp(nats);
    check.sum_off = std::abs(sum - 1);
    if (check.sum_off > ServerCheck::most_sum_off) refuse_sum(sum, "not to 1");
  } else {
    // The probabilities of the n most likely of V tokens add up to at least n/V and at most 1.
    // Logits do not.
    for (const std::size_t length : std::set{std::size_t{1}, prefix.size()}) {
      std::size_t count = 0;
      HttpRequest request;
      HttpReply reply;
      for (const std::size_t likeliest : {20U, 5U, 1U}) {  // the server's operator may allow fewer
        count = likeliest;
        request = dialect.ask_likeliest(prefix_of(length), count);
        reply = client.reply(request);
        if (reply.status != 400) break;
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

  // Choose the most likely of the looked-up tokens, because they matter most, and some tokens from
  // the whole vocabulary.
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
  const auto difference_of = [&](std::span<const double> nats) {
    double most = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      most = (std::max)(most, std::abs(floored(nats[i]) - floored(whole[order[i]])));
    }
    return most;
  };
  // Look up each token of the prefix after the preceding tokens, and some tokens after the whole
  // prefix. The prefix thereby grows in the server's cache, in one request or in successive
  // requests.
  std::vector<double> own(prefix.size()), one_by_one(some.size());
  std::vector<NextTokenQuestion> questions;
  std::vector<std::size_t> lengths;
  for (std::size_t length = 1; length < prefix.size(); ++length) {
    questions.push_back({std::span(prefix).subspan(length, 1), std::span(own).subspan(length, 1)});
    lengths.push_back(length);
  }
  for (std::size_t i = 0; i < some.size(); ++i) {
    questions.push_back({std::span(some).subspan(i, 1), std::span(one_by_one).subspan(i, 1)});
    lengths.push_back(prefix.size());
  }
  const std::size_t at_once = dialect.prefixes_together() > 1 ? questions.size() : 1;
  for (std::size_t first = 0; first < questions.size(); first += at_once) {
    ask_questions(client, dialect, tally, std::span(questions).subspan(first, at_once),
                  [&](std::size_t i) { return prefix_of(lengths[first + i]); });
  }
  check.repeat_difference = difference_of(one_by_one);
  if (dialect.sequences_together() > 0) {
    AskedSequence sequence{prefix, {}};
    if (dialect.next_tokens_together() >= some.size()) sequence.next = some;
    ask_sequences(client, dialect, tally, std::span(&sequence, 1));
    if (!sequence.next.empty()) {
      check.sequence_difference = difference_of(sequence.next_nats);
    }
    for (std::size_t i = 1; i < prefix.size(); ++i) {
      check.sequence_difference = (std::max)(check.sequence_difference,
                                             std::abs(floored(sequence.nats[i]) - floored(own[i])));
    }
  }
  if (dialect.forced_together() > 1) {
    // The prompt's tokens after the first, up to a repeated one.
    ForcedPath path{prefix_of(1), {}};
    for (std::size_t i = 1; i < prefix.size() && path.tokens.size() < dialect.forced_together() &&
                            ranges::find(path.tokens, prefix[i]) == path.tokens.end();
         ++i) {
      path.tokens.push_back(prefix[i]);
    }
    const auto is_forced = [&](ForcedPath& one) {
      tally.tokens_sent += one.prefix.size();
      const HttpReply reply = client.reply(dialect.force(one));
      if (reply.status < 200 || reply.status >= 300) return false;  // it limits biases or penalties
      dialect.read_forced(reply, one, tally);
      return ranges::none_of(one.nats, [](double nats) { return std::isnan(nats); });
    };
    if (path.tokens.size() > 1) {
      // The last token must also come last after a prefix that contains it.
      ForcedPath again{path.prefix, path.tokens};
      again.prefix.push_back(path.tokens.back());
      check.forces = is_forced(path) && is_forced(again);
      for (std::size_t i = 0; check.forces && i < path.nats.size(); ++i) {
        check.sequence_difference = (std::max)(
            check.sequence_difference, std::abs(floored(path.nats[i]) - floored(own[i + 1])));
      }
    }
  }
  if (check.is_whole) {
    // Requests several tokens in one question, which the dialect may handle differently from a
    // single token.
    for (const QueryMode how : {QueryMode::normal, QueryMode::reference}) {
      if (how == QueryMode::reference && !dialect.has_reference()) continue;
      check.repeat_difference =
          (std::max)(check.repeat_difference, difference_of(asked(some, some.size(), how)));
    }
  }
  if (dialect.tokens_behind_cache(2) <= 1) {
    check.uncached_difference = difference_of(asked(some, 1, QueryMode::without_cache));
  } else {
    // The cache works in blocks, so this check uses a longer prompt. The prompt is sent first as a
    // new prompt, then with the cache filled, and finally without the cache.
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
                     "answers to the same question differ "
                     "by " +
                         std::to_string(worst) + " nats",
                     "turn off options that make answers vary (speculative decoding, sampling that "
                     "changes log-probabilities); " +
                         remedy);
  }
  return check;
}

/// The identity of the server's model for run.json, as hexadecimal digits computed from the model's
/// continuations of fixed prompts.
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
        const ServerContinuation made = dialect.read_continuation(reply, tally);
        answers[i] = detail::json_ids(made.tokens) + made.text;
      });
  std::string all;
  for (const std::string& one : answers) all += one;
  return fnv1a_hex(all);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
