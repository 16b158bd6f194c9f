// SPDX-License-Identifier: Apache-2.0
#pragma once

// Are a server's numbers what a probe needs, and is it the same model as the other time?
//
// Checked at connect, by a question whose answer can be:
//   Σ_v P(v | prefix) = 1 over the whole vocabulary, so nothing is cut off or scaled;
//   the same when it is asked again, by tokens one by one, and afresh, without the prefix cache;
//   numbers with more than three decimals.
// A server has no file to hash. What stands for it is its name and the tokens with which it goes
// on, greedily, with fixed texts: they differ between models, and between quantisations of one.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/core/over.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/server/http_client.hpp"
#include "plumb/detail/server/server_dialect.hpp"
#include "plumb/detail/server/server_questions.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// What the check found; differences are the largest ones, in nats.
struct ServerCheck {
  /// |Σ P − 1|.
  double sum_off = 0;
  /// Asked again, the tokens one by one; and afresh.
  double again_off = 0, afresh_off = 0;

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
  std::vector<TokenId> all(dialect.facts().vocabulary);
  std::iota(all.begin(), all.end(), TokenId{0});
  const auto asked = [&](const std::vector<TokenId>& tokens, std::size_t length, AskHow how) {
    std::vector<double> nats(tokens.size());
    const NextTokenQuestion question{tokens, nats};
    ask_questions(
        client, dialect, tally, std::span(&question, 1),
        [&](std::size_t) {
          return std::vector<TokenId>(prefix.begin(), prefix.begin() + static_cast<int>(length));
        },
        how);
    return nats;
  };
  ServerCheck check;
  const std::vector<double> whole = asked(all, prefix.size(), AskHow::wholly);
  double sum = 0;
  for (const double nats : whole) sum += std::exp(nats);
  check.sum_off = std::abs(sum - 1);
  if (check.sum_off > ServerCheck::most_sum_off) {
    throw user_error(client.site(),
                     "its next-token probabilities add up to " + std::to_string(sum) + ", not to 1",
                     "it cuts or scales them; " + remedy);
  }
  if (over::all_of(whole, [](double nats) {
        return std::isinf(nats) || std::abs(nats * 1000 - std::round(nats * 1000)) < 1e-6;
      })) {
    throw user_error(client.site(), "rounds its log-probabilities to three decimals or fewer",
                     remedy);
  }

  // The likeliest tokens, which matter most, and some from everywhere.
  std::vector<TokenId> some = all;
  const std::size_t several = std::min<std::size_t>(4, some.size());
  std::partial_sort(some.begin(), some.begin() + static_cast<int>(several), some.end(),
                    [&](TokenId a, TokenId b) {
                      return whole[static_cast<std::size_t>(a)] >
                             whole[static_cast<std::size_t>(b)];
                    });
  some.resize(several);
  for (std::size_t k = 1; k <= 4; ++k) {
    some.push_back(static_cast<TokenId>((all.size() - 1) * k / 4));
  }
  over::sort_distinct(some);
  const auto told = [](double nats) { return (std::max)(nats, ServerCheck::least_nats); };
  const auto difference = [&](AskHow how) {
    double most = 0;
    for (const TokenId token : some) {
      const double nats = asked({token}, prefix.size(), how).front();
      most = (std::max)(most, std::abs(told(nats) - told(whole[static_cast<std::size_t>(token)])));
    }
    return most;
  };
  for (std::size_t length = 1; length < prefix.size(); ++length) {
    (void)asked({some.front()}, length, AskHow::plainly);  // grows in the server's cache
  }
  check.again_off = difference(AskHow::plainly);
  check.afresh_off = difference(AskHow::afresh);
  const double worst = (std::max)(check.again_off, check.afresh_off);
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
