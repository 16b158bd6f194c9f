// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does plumb use a model that runs on a server?
//
// A server's model is a LookupLm. A tree's lookups become requests for prefixes, in tree order, so
// that the server's prefix cache contains each prefix's parent. Many requests are in flight at the
// same time. If the server can be forced to generate given tokens, the lookups become requests for
// paths instead; if it can score whole sequences and this is cheaper, requests for sequences.
// Prompts and replies contain token ids. A server that can embed is also an Embedder. The server
// itself generates continuations.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/stop_text.hpp"
#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/server/server_connection.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe; internally, it sends requests from several threads.
class ServerModel {
 public:
  /// Throws the errors of ServerConnection.
  explicit ServerModel(ServerOptions options)
      : server_(std::make_unique<ServerConnection>(std::move(options))) {}

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    return server_->tokenize(text);
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    return server_->detokenize(ids);
  }
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const {
    const ServerTokenizer* const given = server_->given();
    if (given == nullptr || !given->special_tokens) return {};
    return *given->special_tokens;
  }
  [[nodiscard]] std::optional<TokenId> bos() const { return server_->bos(); }
  [[nodiscard]] std::optional<bool> adds_bos() const { return server_->adds_bos(); }
  [[nodiscard]] std::optional<TextFrame> own_frame() const { return server_->own_frame(); }
  [[nodiscard]] std::optional<ChatTemplate> chat_template() const {
    return server_->chat_template();
  }
  [[nodiscard]] std::size_t vocabulary_size() const { return server_->facts().vocabulary; }
  [[nodiscard]] std::size_t context_length() const {
    return server_->facts().context > 0 ? server_->facts().context : unknown_context;
  }

  /// The capabilities of this server. An embedding-only server does not support lookups.
  [[nodiscard]] Capabilities capabilities() const {
    Capabilities can;
    can.lookups = server_->answers();
    can.generates = can.lookups && server_->dialect().reports_generated_ids();
    can.text_embeddings = server_->dimension() > 0;
    can.special_tokens = server_->given() != nullptr && server_->given()->special_tokens;
    return can;
  }

  /// The limits favour packs of about 2,000 nodes: while the last replies to a pack arrive, few
  /// requests are in flight, but an interrupted job loses its current pack.
  [[nodiscard]] TreeLimits tree_limits() const {
    const std::size_t nodes = std::max<std::size_t>(4096, context_length());
    return {.nodes = nodes, .leaves = nodes, .batch = 2048, .attends_to_path_only = true};
  }

  /// Sets a log-probability to NaN if the probability is too small for the server to report.
  void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups,
               std::span<double> log_probabilities) {
    if (server_->forces()) {
      server_->ask_paths(tree, lookups, log_probabilities);
    } else {
      ask(tree, lookups, log_probabilities);
    }
    for (double& nats : log_probabilities) {
      if (std::isinf(nats)) nats = std::numeric_limits<double>::quiet_NaN();
    }
    server_->refuse_other_model();
  }

  /// The dimension of the vectors.
  [[nodiscard]] std::size_t dimension() const { return server_->dimension(); }

  /// Returns vectors as the server reports them, raw or normalised; `facts` records whether they
  /// are normalised.
  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts, bool with_bos) {
    std::vector<std::vector<TokenId>> sequences;
    for (const std::string& text : texts) {
      sequences.push_back(server_->ids_of(text, with_bos));
      if (!sequences.back().empty()) continue;
      throw user_error({.field = "text"}, "'" + text + "' has no tokens", "set `bos` to yes");
    }
    EmbeddingMatrix rows(static_cast<Eigen::Index>(texts.size()),
                         static_cast<Eigen::Index>(dimension()));
    server_->client().ask_all(
        sequences.size(),
        [&](std::size_t i) {
          server_->tally().tokens_sent += sequences[i].size();
          return server_->dialect().embed(std::span(&sequences[i], 1));
        },
        [&](std::size_t i, const HttpReply& reply) {
          const std::vector<float> vector = server_->dialect().read_vectors(reply, 1).front();
          if (vector.size() != dimension()) {
            throw internal_error(server_->client().site(), "returned a vector of " +
                                                               std::to_string(vector.size()) +
                                                               " numbers, but earlier ones "
                                                               "had " +
                                                               std::to_string(dimension()));
          }
          std::copy(vector.begin(), vector.end(), rows.row(static_cast<Eigen::Index>(i)).data());
        });
    server_->refuse_other_model();
    return rows;
  }

  /// Returns greedy continuations, or samples with seeds that are sent to the server. Continuations
  /// are generated to their full length and then cut at a stop text.
  [[nodiscard]] std::vector<std::vector<Continuation>> generate(
      std::span<const std::vector<TokenId>> prompts, const GenerationOptions& options,
      std::span<const std::uint64_t> seeds) {
    const std::size_t count = std::max<std::size_t>(1, options.samples);
    std::vector<std::vector<Continuation>> all(prompts.size(), std::vector<Continuation>(count));
    server_->client().ask_all(
        prompts.size() * count,
        [&](std::size_t i) {
          const std::vector<TokenId>& prompt = prompts[i / count];
          server_->tally().tokens_sent += prompt.size();
          const std::uint64_t seed = seeds.empty() ? options.seed : seeds[i / count];
          return server_->dialect().generate(
              prompt, options.max_new_tokens,
              options.samples == 0 ? std::nullopt : std::optional(seed_of(seed, i % count)));
        },
        [&](std::size_t i, const HttpReply& reply) {
          ServerContinuation made = server_->dialect().read_continuation(reply, server_->tally());
          all[i / count][i % count] = {std::move(made.tokens), std::move(made.log_probabilities)};
        });
    for (std::size_t p = 0; p < prompts.size(); ++p) {
      for (Continuation& one : all[p]) {
        const bool lacks = one.log_probabilities.size() != one.tokens.size();
        one.log_probabilities.resize(one.tokens.size());
        end_at_stop(*this, one, options.stop);
        if (lacks) look_up(prompts[p], one);
      }
    }
    server_->refuse_other_model();
    return all;
  }

  [[nodiscard]] ModelDescription describe() const {
    const ServerFacts& facts = server_->facts();
    // Based on llama.cpp's names for weight types; other servers do not report these types.
    const bool rounds = !facts.weights.empty() && facts.weights.find("F32") == std::string::npos &&
                        facts.weights.find("F16") == std::string::npos;
    ModelDescription description{facts.kind + (facts.version.empty() ? "" : " " + facts.version),
                                 facts.weights, rounds};
    description.name = facts.model;
    description.answers = server_->identity();
    if (!facts.other_models.empty()) {
      description.warnings.push_back("Warning: the server also serves " +
                                     text_list(facts.other_models) + ". All results are those of " +
                                     facts.model + ", which it lists first.");
    }
    if (const ServerTokenizer* const given = server_->given()) {
      description.skips_composing = given->skips_composing;
      description.warnings.insert(description.warnings.end(), given->warnings.begin(),
                                  given->warnings.end());
      constexpr std::size_t texts = std::size(compared_texts);
      if (server_->texts_compared() < texts) {
        description.warnings.push_back(
            "Warning: the server tokenised only " + std::to_string(server_->texts_compared()) +
            " of " + std::to_string(texts) + " texts, so " + given->name +
            " could not be compared fully with its tokenizer. If it is the tokenizer of another "
            "model, all numbers are wrong.");
      }
    }
    return description;
  }

  /// Returns, in the field "server", what plumb found when it connected and the number of requests
  /// so far. It is called at the end of a job and throws an internal error if a different model is
  /// answering by then.
  [[nodiscard]] Json facts() const {
    server_->refuse_other_model_at_end();
    const ServerFacts& server = server_->facts();
    Json checks = Json::object();
    if (server_->answers()) {
      const ServerCheck& check = (server_->check)();
      checks = {{check.is_whole ? "probabilities_add_up_to_1_within"
                                : "likeliest_probabilities_exceed_1_by",
                 check.sum_off},
                {"same_again_within_nats", check.repeat_difference}};
      if (server_->dialect().can_bypass_cache()) {
        checks["same_without_prefix_cache_within_nats"] = check.uncached_difference;
      }
      if (server_->dialect().sequences_together() > 0 || check.forces) {
        checks["same_as_sequences_within_nats"] = check.sequence_difference;
      }
    }
    const HttpClient& client = server_->client();
    Json facts = {
        {"url", client.url().text()},
        {"kind", server.kind},
        {"version", server.version},
        {"model", server.model},
        {"vocabulary", server.vocabulary},
        {"context", server.context},
        {"concurrency", client.concurrency()},
        {"tokenizer", server_->given() != nullptr ? server_->given()->name : "the server's"},
        {"texts_tokenized_alike", server_->texts_compared()},
        {"checks", std::move(checks)},
        {"requests", client.sent()},
        {"requests_at_connect", server_->requests_at_connect()},
        {"requests_sent_again", client.sent_again()},
        {"tokens_sent", server_->tally().tokens_sent.load()},
        {"tokens_computed", server_->tally().known_tokens_computed()}};
    if (server_->dialect().sequences_together() > 0) {
      facts["seconds_a_request"] = server_->costs().request;
      facts["seconds_a_prompt"] = server_->costs().prompt;
      facts["seconds_a_token"] = server_->costs().token;
    }
    if (dimension() > 0) {
      facts["vectors"] = server_->dialect().gives_raw_vectors() ? "raw" : "normalised";
    }
    return {{"server", std::move(facts)}};
  }

 private:
  /// Sends the lookups as prefixes or as whole sequences.
  void ask(const TokenTree& tree, std::span<const TokenLookup> lookups,
           std::span<double> log_probabilities) {
    std::vector<NodeId> nodes;
    std::vector<TokenId> tokens(lookups.size());
    std::vector<NextTokenQuestion> questions;
    for (std::size_t first = 0; first < lookups.size();) {
      std::size_t last = first;
      for (; last < lookups.size() && lookups[last].node == lookups[first].node; ++last) {
        tokens[last] = lookups[last].token;
      }
      nodes.push_back(lookups[first].node);
      questions.push_back({std::span(tokens).subspan(first, last - first),
                           log_probabilities.subspan(first, last - first)});
      first = last;
    }
    std::optional<LookupSequences> whole;
    if (server_->dialect().sequences_together() > 0) {
      whole.emplace(tree, lookups, server_->dialect().next_tokens_together());
    }
    if (whole && (server_->dialect().scores_only_sequences() ||
                  sequences_are_cheaper(server_->dialect(), server_->costs(), tree, *whole, nodes,
                                        questions, server_->client().concurrency()))) {
      std::vector<AskedSequence> sequences = whole->sequences();
      server_->ask(sequences);
      whole->read(sequences, log_probabilities);
    } else {
      server_->ask(questions, [&](std::size_t i) { return tree.prefix(nodes[i]); });
    }
  }

  static constexpr std::size_t unknown_context = 1 << 20;

  static std::uint32_t seed_of(std::uint64_t seed, std::size_t sample) {
    return static_cast<std::uint32_t>(
        RandomStream(seed, "sample " + std::to_string(sample)).below(0x7fffffffU));
  }

  /// Looks up log-probabilities missing from a reply.
  void look_up(const std::vector<TokenId>& prompt, Continuation& one) {
    std::vector<NextTokenQuestion> questions;
    for (std::size_t i = 0; i < one.tokens.size(); ++i) {
      questions.push_back(
          {std::span(one.tokens).subspan(i, 1), std::span(one.log_probabilities).subspan(i, 1)});
    }
    server_->ask(questions, [&](std::size_t i) {
      std::vector<TokenId> prefix = prompt;
      prefix.insert(prefix.end(), one.tokens.begin(),
                    one.tokens.begin() + static_cast<std::ptrdiff_t>(i));
      return prefix;
    });
  }

  std::unique_ptr<ServerConnection> server_;
};

static_assert(LookupLm<ServerModel> && Embedder<ServerModel>);
static_assert(ListsSpecialTokens<ServerModel> && BatchGenerator<ServerModel>);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
