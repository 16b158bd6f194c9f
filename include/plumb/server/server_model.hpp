// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a model answer that a server runs?
//
// A LookupLm: a tree's lookups become one request for each prefix that something is asked after, many
// under way at once, in the order of the tree, so that the server's prefix cache has the parent of what
// it is asked. Token ids go both ways. The server is checked when the model is made (server_check.hpp),
// and again whenever it was lost and came back, before what it said is used.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/backend/capabilities.hpp"
#include "plumb/backend/concepts.hpp"
#include "plumb/core/error.hpp"
#include "plumb/core/token_tree.hpp"
#include "plumb/server/find_server.hpp"
#include "plumb/server/http_client.hpp"
#include "plumb/server/server_check.hpp"
#include "plumb/server/server_dialect.hpp"
#include "plumb/server/server_questions.hpp"
#include "plumb/server/server_tokenizer.hpp"

namespace plumb {

struct ServerOptions {
  std::string url{};
  HttpOptions http{};
  /// The model's tokenizer on this machine; without one the server is asked.
  std::optional<ServerTokenizer> tokenizer{};
  /// Whether the text of a special token is the token, not plain text.
  bool parse_special_tokens = false;
};

/// One thread at a time asks one; it asks the server from several.
class ServerModel {
 public:
  /// Throws a user error for a server that cannot answer what a probe asks, an internal one for one
  /// that does not answer.
  explicit ServerModel(ServerOptions options)
      : client_(std::make_unique<HttpClient>(parse_server_url(options.url),
                                             std::move(options.http))),
        given_(std::move(options.tokenizer)) {
    const std::size_t vocabulary = given_ ? given_->vocabulary_size : 0;
    dialect_ = find_server(*client_, vocabulary);
    remote_ = std::make_unique<RemoteTokenizer>(*client_, *dialect_, options.parse_special_tokens);
    read_tokenizer();
    read_embeddings();
    read_answers();
    losses_ = client_->losses();
  }

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    return given_ ? given_->tokenize(text) : remote_->tokenize(text);
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    return given_ ? given_->detokenize(ids) : remote_->detokenize(ids);
  }
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const {
    return given_ ? given_->special_tokens.value_or(std::vector<SpecialToken>{})
                  : std::vector<SpecialToken>{};
  }
  [[nodiscard]] std::optional<TokenId> bos() const { return bos_; }
  [[nodiscard]] std::size_t vocabulary_size() const { return dialect_->facts().vocabulary; }
  [[nodiscard]] std::size_t context_length() const {
    return dialect_->facts().context > 0 ? dialect_->facts().context : unknown_context;
  }

  /// What this server can do: one that only embeds has no lookups.
  [[nodiscard]] Capabilities capabilities() const {
    Capabilities can;
    can.lookups = answers_;
    can.text_embeddings = dimension_ > 0;
    can.special_tokens = given_ && given_->special_tokens;
    return can;
  }

  /// A call may ask about a whole large pack: the more it asks, the more is under way at once.
  [[nodiscard]] TreeLimits tree_limits() const {
    const std::size_t nodes = std::max<std::size_t>(4096, context_length());
    return {nodes, nodes, 512};
  }

  void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups,
               std::span<double> log_probabilities) {
    std::vector<NodeId> nodes;
    std::vector<TokenId> tokens;
    std::vector<NextTokenQuestion> questions;
    tokens.reserve(lookups.size());  // the questions keep spans of it
    for (std::size_t first = 0; first < lookups.size();) {
      std::size_t last = first;
      for (; last < lookups.size() && lookups[last].node == lookups[first].node; ++last) {
        tokens.push_back(lookups[last].token);
      }
      nodes.push_back(lookups[first].node);
      questions.push_back({std::span(tokens).subspan(first),
                           log_probabilities.subspan(first, last - first)});
      first = last;
    }
    ask_questions(*client_, *dialect_, tally_, questions,
                  [&](std::size_t i) { return tree.prefix(nodes[i]); });
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      if (!std::isinf(log_probabilities[i])) continue;
      throw internal_error(client_->site(),
                           "cannot tell how likely token " + std::to_string(lookups[i].token) +
                               " is after " + std::to_string(tree.depth(lookups[i].node)) +
                               " tokens: its probability is too small for it",
                           "leave out what asks for it, or ask the model by another backend");
    }
    refuse_other_server();
  }

  /// Numbers in a vector.
  [[nodiscard]] std::size_t dimension() const { return dimension_; }

  /// Vectors as the server gives them: raw ones, or normalised ones, as `facts` says.
  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts, bool with_bos) {
    std::vector<std::vector<TokenId>> sequences;
    for (const std::string& text : texts) {
      sequences.push_back(ids_of(text, with_bos));
      if (!sequences.back().empty()) continue;
      throw user_error({.field = "text"}, "'" + text + "' has no token", "use `bos` yes");
    }
    EmbeddingMatrix rows(static_cast<Eigen::Index>(texts.size()),
                         static_cast<Eigen::Index>(dimension_));
    client_->ask_all(
        sequences.size(),
        [&](std::size_t i) {
          tally_.tokens_sent += sequences[i].size();
          return dialect_->embed(std::span(&sequences[i], 1));
        },
        [&](std::size_t i, const HttpReply& reply) {
          const std::vector<float> vector = dialect_->read_vectors(reply, 1).front();
          if (vector.size() != dimension_) {
            throw internal_error(client_->site(),
                                 "gives a vector of " + std::to_string(vector.size()) +
                                     " numbers, and gave ones of " + std::to_string(dimension_));
          }
          std::copy(vector.begin(), vector.end(), rows.row(static_cast<Eigen::Index>(i)).data());
        });
    refuse_other_server();
    return rows;
  }

  [[nodiscard]] ModelDescription describe() const {
    const ServerFacts& facts = dialect_->facts();
    // By llama.cpp's names of weights: others do not say.
    const bool rounds = !facts.weights.empty() && facts.weights.find("F32") == std::string::npos &&
                        facts.weights.find("F16") == std::string::npos;
    ModelDescription description{facts.kind + (facts.version.empty() ? "" : " " + facts.version),
                                 facts.weights, rounds};
    description.name = facts.model;
    description.answers = identity_;
    return description;
  }

  /// What was found at connect, and what was asked so far, under "server".
  [[nodiscard]] Json facts() const {
    const ServerFacts& server = dialect_->facts();
    Json checks = Json::object();
    if (answers_) {
      checks = {{"probabilities_add_up_to_1_within", check_.sum_off},
                {"same_again_within_nats", check_.again_off},
                {"same_without_prefix_cache_within_nats", check_.afresh_off}};
    }
    Json facts = {{"url", client_->url().text()},
                  {"kind", server.kind},
                  {"version", server.version},
                  {"model", server.model},
                  {"vocabulary", server.vocabulary},
                  {"context", server.context},
                  {"concurrency", client_->concurrency()},
                  {"tokenizer", given_ ? given_->name : "the server's"},
                  {"texts_tokenized_alike", compared_},
                  {"checks", std::move(checks)},
                  {"requests", client_->sent()},
                  {"requests_sent_again", client_->sent_again()},
                  {"tokens_sent", tally_.tokens_sent.load()},
                  {"tokens_computed", tally_.tokens_computed.load()}};
    if (dimension_ > 0) facts["vectors"] = dialect_->gives_raw_vectors() ? "raw" : "normalised";
    return {{"server", std::move(facts)}};
  }

 private:
  static constexpr std::size_t unknown_context = 1 << 20;

  [[nodiscard]] std::vector<TokenId> ids_of(std::string_view text, bool with_bos) const {
    std::vector<TokenId> ids;
    if (with_bos && bos_) ids.push_back(*bos_);
    for (const Token& token : tokenize(text).tokens) ids.push_back(token.id);
    return ids;
  }

  void read_tokenizer() {
    auto* const llama = dynamic_cast<LlamaServer*>(dialect_.get());
    if (given_) {
      compared_ = compare_tokenizers(*client_, *dialect_, *given_);
      bos_ = given_->bos;
    } else if (llama != nullptr && !llama->bos_text().empty()) {
      const Tokenization bos = remote_->asked(llama->bos_text(), true);
      if (bos.tokens.size() == 1) bos_ = bos.tokens.front().id;
    }
    prompt_ = checked_ids("The capital of France is");
    if (llama != nullptr) llama->set_sampled(prompt_.back());
  }

  /// A fixed text's tokens; of a vocabulary that cannot spell it, some.
  [[nodiscard]] std::vector<TokenId> checked_ids(std::string_view text) const {
    std::vector<TokenId> ids = ids_of(text, true);
    if (ids.size() > 2) return ids;
    const auto size = static_cast<TokenId>(vocabulary_size());
    return {size / 2, size / 3, size / 4};
  }

  void read_embeddings() {
    const HttpReply reply = client_->reply(dialect_->embed(std::span(&prompt_, 1)));
    if (reply.status < 200 || reply.status >= 300) return;
    dimension_ = dialect_->read_vectors(reply, 1).front().size();
  }

  void read_answers() {
    const HttpRequest asked = dialect_->ask(prompt_, std::span(prompt_).last(1), AskHow::plainly);
    const HttpReply reply = client_->reply(asked);
    if (dimension_ > 0 && (reply.status == 400 || reply.status == 404 || reply.status == 501)) return;
    client_->refuse_failure(asked, reply);
    check_ = check_server(*client_, *dialect_, tally_, prompt_);
    answers_ = true;
    identity_ = fingerprint();
  }

  [[nodiscard]] std::string fingerprint() {
    std::vector<std::vector<TokenId>> prompts;
    for (const std::string_view text :
         {"The capital of France is", "1 2 3 4 5 6 7", "Once upon a time there was a"}) {
      prompts.push_back(checked_ids(text));
    }
    return server_answers(*client_, *dialect_, tally_, prompts);
  }

  /// Throws an internal error where the server was lost meanwhile and another model answers.
  void refuse_other_server() {
    if (client_->losses() == losses_) return;
    losses_ = client_->losses();
    const auto now = find_server(*client_, given_ ? given_->vocabulary_size : 0);
    const bool same = now->facts().kind == dialect_->facts().kind &&
                      now->facts().model == dialect_->facts().model &&
                      now->facts().vocabulary == dialect_->facts().vocabulary &&
                      (!answers_ || fingerprint() == identity_);
    if (same) return;
    throw internal_error(client_->site(),
                         "another model answers since the server was lost: " + now->facts().model +
                             ", not " + dialect_->facts().model,
                         "what is done is kept; start the first model again, and resume");
  }

  std::unique_ptr<HttpClient> client_;
  std::optional<ServerTokenizer> given_;
  std::unique_ptr<ServerDialect> dialect_;
  std::unique_ptr<RemoteTokenizer> remote_;
  std::optional<TokenId> bos_;
  std::vector<TokenId> prompt_;  // of the checks
  ServerCheck check_;
  std::string identity_;
  std::size_t compared_ = 0, dimension_ = 0;
  bool answers_ = false;
  std::uint64_t losses_ = 0;
  ServerTally tally_;
};

static_assert(LookupLm<ServerModel> && Embedder<ServerModel>);
static_assert(ListsSpecialTokens<ServerModel>);

}  // namespace plumb
