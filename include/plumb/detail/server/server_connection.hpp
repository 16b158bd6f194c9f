// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which server is this, which model does it run, and is it still the same?
//
// At connect: its kind, its model, its tokenizer beside a given one, whether it embeds, whether it
// gives log-probabilities and whether these are sound (server_check.hpp). Whenever it was lost and
// came back it is asked again, before what it said is used; and once at the end of a job, since
// what stands before several servers may change between them without a failure.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/text_tokens.hpp"
#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/server/find_server.hpp"
#include "plumb/detail/server/http_client.hpp"
#include "plumb/detail/server/lookup_plan.hpp"
#include "plumb/detail/server/server_check.hpp"
#include "plumb/detail/server/server_dialect.hpp"
#include "plumb/detail/server/server_questions.hpp"
#include "plumb/detail/server/server_tokenizer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ServerOptions {
  std::string url{};
  HttpOptions http{};
  /// The model's tokenizer on this machine; without one the server is asked.
  std::optional<ServerTokenizer> tokenizer{};
  /// Whether the text of a special token is the token, not plain text.
  bool parse_special_tokens = false;
  /// What the server's time is taken to be; measured where nothing is said.
  std::optional<ServerCosts> costs{};
};

/// One thread at a time uses one; it asks the server from several.
class ServerConnection {
 public:
  /// Throws a user error for a server that cannot answer what a probe asks, an internal one for one
  /// that does not answer.
  explicit ServerConnection(ServerOptions options)
      : client_(parse_server_url(options.url), std::move(options.http)),
        given_(std::move(options.tokenizer)),
        dialect_(find_server(client_, given_vocabulary())),
        remote_(client_, *dialect_, options.parse_special_tokens),
        given_costs_(options.costs) {
    auto* const llama = dynamic_cast<LlamaServer*>(dialect_.get());
    if (given_) {
      compared_ = compare_tokenizers(client_, *dialect_, *given_);
      bos_ = given_->bos;
      adds_bos_ = given_->adds_bos;
    } else if (llama != nullptr && !llama->bos_text().empty()) {
      const Tokenization bos = remote_.asked(llama->bos_text(), true);
      if (bos.tokens.size() == 1) bos_ = bos.tokens.front().id;
      adds_bos_ = bos_ && begins_with(dialect_->read_tokens(
                                          client_.ask(llama->tokenize_as_configured("a")), "a"),
                                      bos_);
    } else if (llama != nullptr) {
      adds_bos_ = false;
    }
    prompt_ = fixed_prompt("The capital of France is");
    if (llama != nullptr) llama->set_sampled(prompt_.back());
    find_embeddings();
    find_answers();
    losses_ = client_.losses();
    requests_at_connect_ = client_.sent();
    client_.set_connected();
  }

  [[nodiscard]] HttpClient& client() { return client_; }
  [[nodiscard]] const HttpClient& client() const { return client_; }
  [[nodiscard]] const ServerDialect& dialect() const { return *dialect_; }
  [[nodiscard]] ServerTally& tally() { return tally_; }
  [[nodiscard]] const ServerFacts& facts() const { return dialect_->facts(); }
  /// Null without one.
  [[nodiscard]] const ServerTokenizer* given() const { return given_ ? &*given_ : nullptr; }

  [[nodiscard]] Tokenization tokenize(std::string_view text) {
    return given_ ? given_->tokenize(text) : remote_.tokenize(text);
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) {
    return given_ ? given_->detokenize(ids) : remote_.detokenize(ids);
  }
  [[nodiscard]] std::optional<TokenId> bos() const { return bos_; }
  /// Nothing where neither server nor tokenizer tells.
  [[nodiscard]] std::optional<bool> adds_bos() const { return adds_bos_; }
  /// Of a server without a tokenizer on this machine only BOS is known.
  [[nodiscard]] std::optional<TextFrame> own_frame() const {
    if (given_) return given_->own_frame;
    if (!adds_bos_) return std::nullopt;
    return *adds_bos_ && bos_ ? TextFrame{{*bos_}, {}} : TextFrame{};
  }
  /// The given tokenizer's, else what the server tells.
  [[nodiscard]] std::optional<ChatTemplate> chat_template() const {
    return given_ && given_->chat_template ? given_->chat_template : dialect_->chat_template();
  }
  [[nodiscard]] std::vector<TokenId> ids_of(std::string_view text, bool with_bos) {
    std::vector<TokenId> ids;
    for (const Token& token : behind_bos(tokenize(text), with_bos ? bos_ : std::nullopt).tokens) {
      ids.push_back(token.id);
    }
    return ids;
  }

  /// Whether it tells log-probabilities of given tokens; one that only embeds does not.
  [[nodiscard]] bool answers() const { return answers_; }
  /// What stands for its model; empty where it does not answer.
  [[nodiscard]] const std::string& identity() const { return identity_; }
  [[nodiscard]] const ServerCheck&(check)() const { return check_; }
  /// Numbers of a vector; 0 where it does not embed.
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  /// Texts that a given tokenizer and the server's were seen to cut alike.
  [[nodiscard]] std::size_t texts_compared() const { return compared_; }

  /// Asks each question, whose prefix is `prefix(i)`. Throws as ask_questions does.
  template <class Prefix>
  void ask(std::span<const NextTokenQuestion> questions, Prefix prefix) {
    ask_questions(client_, *dialect_, tally_, questions, prefix);
  }
  /// Asks for the log-probabilities of sequences' own tokens. Throws as ask_sequences does.
  void ask(std::span<AskedSequence> sequences) {
    ask_sequences(client_, *dialect_, tally_, sequences);
  }
  /// Zero where sequences cannot be asked.
  [[nodiscard]] const ServerCosts& costs() const { return costs_; }
  /// Requests until the server was found and checked.
  [[nodiscard]] std::uint64_t requests_at_connect() const { return requests_at_connect_; }

  /// Throws an internal error where the server was lost meanwhile and another model answers. To be
  /// asked before what it said is used.
  void refuse_other_model() {
    if (client_.losses() == losses_) return;
    losses_ = client_.losses();
    const std::string other = other_model();
    if (other.empty()) return;
    throw internal_error(client_.site(),
                         "another model answers since the server was lost: " + other,
                         "what is done is kept; start the first model again, and resume");
  }

  /// The same at the end of a job, whether or not the server was lost: what was said before may be
  /// of either model.
  void refuse_other_model_at_end() {
    const std::string other = other_model();
    if (other.empty()) return;
    throw MixedResults(Fault::internal, client_.site(),
                       "another model answers than at the beginning: " + other,
                       "results may be of both; do it anew, into another folder, by a URL that one "
                       "model answers");
  }

 private:
  [[nodiscard]] std::size_t given_vocabulary() const {
    return given_ ? given_->vocabulary_size : 0;
  }

  /// How what answers now differs from what answered at connect, as "NAME, not NAME"; empty where
  /// it does not.
  [[nodiscard]] std::string other_model() {
    const auto now = find_server(client_, given_vocabulary());
    const auto name = [](const ServerFacts& of) { return of.model + " (" + of.kind + ")"; };
    if (now->facts().model != facts().model) return now->facts().model + ", not " + facts().model;
    if (now->facts().kind != facts().kind) return name(now->facts()) + ", not " + name(facts());
    if (now->facts().vocabulary == facts().vocabulary &&
        (!answers_ || fingerprint() == identity_)) {
      return "";
    }
    return "it has the same name, " + facts().model + ", and goes on with fixed texts otherwise";
  }

  /// A fixed text's tokens; of a vocabulary that cannot spell it, some.
  [[nodiscard]] std::vector<TokenId> fixed_prompt(std::string_view text) {
    std::vector<TokenId> ids = ids_of(text, true);
    if (ids.size() > 2) return ids;
    const auto size = static_cast<TokenId>(facts().vocabulary);
    return {size / 2, size / 3, size / 4};
  }

  void find_embeddings() {
    const HttpReply reply = client_.reply(dialect_->embed(std::span(&prompt_, 1)));
    if (reply.status < 200 || reply.status >= 300) return;
    dimension_ = dialect_->read_vectors(reply, 1).front().size();
  }

  void find_answers() {
    const AskedPrefix question{prompt_, std::span(prompt_).last(1), {}};
    const HttpRequest asked = dialect_->ask(std::span(&question, 1), QueryMode::normal);
    const HttpReply reply = client_.reply(asked);
    const bool has_no_route = reply.status == 400 || reply.status == 404 || reply.status == 501;
    if (dimension_ > 0 && has_no_route) return;
    client_.refuse_failure(asked, reply);
    check_ = check_server(client_, *dialect_, tally_, prompt_);
    if (given_costs_) {
      costs_ = *given_costs_;
    } else if (dialect_->sequences_together() > 0) {
      costs_ = measure_costs(client_, *dialect_, tally_);
    }
    answers_ = true;
    identity_ = fingerprint();
  }

  [[nodiscard]] std::string fingerprint() {
    std::vector<std::vector<TokenId>> prompts;
    for (const std::string_view text :
         {"The capital of France is", "1 2 3 4 5 6 7", "Once upon a time there was a"}) {
      prompts.push_back(fixed_prompt(text));
    }
    return server_answers(client_, *dialect_, tally_, prompts);
  }

  HttpClient client_;
  std::optional<ServerTokenizer> given_;
  std::unique_ptr<ServerDialect> dialect_;
  RemoteTokenizer remote_;
  std::optional<TokenId> bos_;
  std::optional<bool> adds_bos_;
  std::vector<TokenId> prompt_;  // of the checks
  ServerCheck check_;
  std::optional<ServerCosts> given_costs_;
  ServerCosts costs_;
  std::uint64_t requests_at_connect_ = 0;
  std::string identity_;
  std::size_t compared_ = 0, dimension_ = 0;
  bool answers_ = false;
  std::uint64_t losses_ = 0;
  ServerTally tally_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
