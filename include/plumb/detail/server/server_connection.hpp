// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which server is this, which model does it run, and has either changed?
//
// When plumb connects, it detects the kind of server and the model, compares the server's tokenizer
// with the local one if there is one, and checks whether the server can embed and returns correct
// log-probabilities (server_check.hpp). Whenever the connection has been lost and restored, the
// model is checked again before its answers are used. The model is also checked once at the end of
// a job, because a load balancer may switch servers without a failure.

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
#include "plumb/detail/server/forced_paths.hpp"
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
  /// The model's tokenizer on this machine. Without one, the server tokenises the texts.
  std::optional<ServerTokenizer> tokenizer{};
  /// Whether a special token's text is parsed as the token rather than as plain text.
  bool parse_special_tokens = false;
  /// The server's costs. If not set, the costs are measured.
  std::optional<ServerCosts> costs{};
};

/// Not thread-safe; internally, it sends requests from several threads.
class ServerConnection {
 public:
  /// Throws a user error if the server lacks something that a probe needs, and an internal error if
  /// it does not answer.
  explicit ServerConnection(ServerOptions options)
      : client_(parse_server_url(options.url), std::move(options.http)),
        given_(std::move(options.tokenizer)),
        dialect_(find_server(client_, given_vocabulary())),
        remote_(client_, *dialect_, options.parse_special_tokens),
        given_costs_(options.costs) {
    if (facts().slot_count > 0) {
      // Two requests wait for a slot, so that fewer slots are idle. By default, llama-server has a
      // few more HTTP threads than slots, and each open connection occupies one. Requests on further
      // connections run into a timeout.
      client_.set_default_concurrency(facts().slot_count + 2);
    }
    if (given_) {
      compared_ = compare_tokenizers(client_, *dialect_, *given_);
      bos_ = given_->bos;
      adds_bos_ = given_->adds_bos;
    } else if (const std::optional<std::string> bos_text = dialect_->bos_text()) {
      find_bos(*bos_text);
    }
    prompt_ = fixed_prompt("The capital of France is");
    dialect_->set_reference(prompt_.back());
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
  /// The tokenizer that was passed; null if there is none.
  [[nodiscard]] const ServerTokenizer* given() const { return given_ ? &*given_ : nullptr; }

  [[nodiscard]] Tokenization tokenize(std::string_view text) {
    return given_ ? given_->tokenize(text) : remote_.tokenize(text);
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) {
    return given_ ? given_->detokenize(ids) : remote_.detokenize(ids);
  }
  [[nodiscard]] std::optional<TokenId> bos() const { return bos_; }
  /// Whether a text begins with BOS by default; nullopt if neither the server nor the tokenizer
  /// specifies this.
  [[nodiscard]] std::optional<bool> adds_bos() const { return adds_bos_; }
  /// The tokens that are added around a text. Without a tokenizer on this machine, only BOS is
  /// known.
  [[nodiscard]] std::optional<TextFrame> own_frame() const {
    if (given_) return given_->own_frame;
    if (!adds_bos_) return std::nullopt;
    return *adds_bos_ && bos_ ? TextFrame{{*bos_}, {}} : TextFrame{};
  }
  /// The chat template of the tokenizer that was passed, if it has one, or else the server's;
  /// without either, only the special tokens of the server or of the tokenizer, if they are known.
  [[nodiscard]] std::optional<ChatTemplate> chat_template() {
    if (given_ && given_->chat_template && !given_->chat_template->text.empty()) {
      return given_->chat_template;
    }
    std::optional<ChatTemplate> of_server = dialect_->chat_template();
    if (!of_server) return given_ ? given_->chat_template : std::nullopt;
    if (!bos_) of_server->tokens["bos_token"].clear();
    // For a model without a template, llama-server reports one with these markers.
    constexpr std::string_view marker = "<|im_start|>";
    if (of_server->text.find(marker) != std::string::npos && !is_special(marker)) {
      of_server->text.clear();
    }
    return of_server;
  }
  [[nodiscard]] std::vector<TokenId> ids_of(std::string_view text, bool with_bos) {
    std::vector<TokenId> ids;
    for (const Token& token : after_bos(tokenize(text), with_bos ? bos_ : std::nullopt).tokens) {
      ids.push_back(token.id);
    }
    return ids;
  }

  /// Whether the server reports the log-probabilities of given tokens; an embedding-only server
  /// does not.
  [[nodiscard]] bool answers() const { return answers_; }
  /// The identity of the server's model; empty if the server does not report log-probabilities.
  [[nodiscard]] const std::string& identity() const { return identity_; }
  [[nodiscard]] const ServerCheck&(check)() const { return check_; }
  /// The dimension of the vectors; 0 if the server does not embed.
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  /// The number of texts on which the local tokenizer and the server's were compared.
  [[nodiscard]] std::size_t texts_compared() const { return compared_; }

  /// Sends each question; `prefix(i)` is the prefix of the i-th question. Throws the errors of
  /// ask_questions.
  template <class Prefix>
  void ask(std::span<const NextTokenQuestion> questions, Prefix prefix) {
    ask_questions(client_, *dialect_, tally_, questions, prefix);
  }
  /// Whether the server can be forced to generate given tokens one after another.
  [[nodiscard]] bool forces() const { return answers_ && check_.forces; }
  /// Looks up tokens of a tree by forcing paths. Throws the errors of detail::ask_paths.
  void ask_paths(const TokenTree& tree, std::span<const TokenLookup> lookups,
                 std::span<double> log_probabilities) {
    detail::ask_paths(client_, *dialect_, tally_, tree, lookups, log_probabilities);
  }
  /// Requests the log-probability of each token in the sequences and of the tokens after them.
  /// Throws the errors of ask_sequences.
  void ask(std::span<AskedSequence> sequences) {
    ask_sequences(client_, *dialect_, tally_, sequences);
  }
  /// The server's costs; all zero if the server does not support sequences.
  [[nodiscard]] const ServerCosts& costs() const { return costs_; }
  /// The number of requests sent to find and check the server.
  [[nodiscard]] std::uint64_t requests_at_connect() const { return requests_at_connect_; }

  /// Throws an internal error if the connection has been lost since the last check and a different
  /// model now answers. Must be called before the server's answers are used.
  void refuse_other_model() {
    if (client_.losses() == losses_) return;
    losses_ = client_.losses();
    const std::string other = other_model();
    if (other.empty()) return;
    throw internal_error(client_.site(),
                         "after the connection was lost, a different model is answering: " + other,
                         "finished work is kept; start the first model again, then resume");
  }

  /// The same check for the end of a job; it is performed even if the connection was never lost. If
  /// it fails, earlier answers may come from either model.
  void refuse_other_model_at_end() {
    const std::string other = other_model();
    if (other.empty()) return;
    throw MixedResults(Fault::internal, client_.site(),
                       "the answers now come from a different model than at the start: " + other,
                       "the results may mix both models; run again with another output folder and "
                       "a URL that always leads to the same model");
  }

 private:
  [[nodiscard]] std::size_t given_vocabulary() const {
    return given_ ? given_->vocabulary_size : 0;
  }

  /// Finds the BOS token and whether texts begin with it. `bos_text` may be empty. For a BPE model
  /// without BOS, llama.cpp reports an ordinary token, such as ",", which is not used.
  void find_bos(const std::string& bos_text) {
    adds_bos_ = false;
    if (bos_text.empty()) return;
    const Tokenization bos = remote_.asked(bos_text, true);
    if (bos.tokens.size() != 1) return;
    const TokenId id = bos.tokens.front().id;
    const HttpReply reply = client_.ask(dialect_->tokenize_as_configured("a"));
    adds_bos_ = begins_with(dialect_->read_tokens(reply, "a"), id);
    if (*adds_bos_ || !is_plain(bos_text, id)) bos_ = id;
  }

  /// Whether a text is this token even if special tokens are not parsed.
  [[nodiscard]] bool is_plain(std::string_view text, TokenId id) {
    const Tokenization plain = remote_.asked(text, false);
    return plain.tokens.size() == 1 && plain.tokens.front().id == id;
  }
  /// Whether a text is one special token.
  [[nodiscard]] bool is_special(std::string_view text) {
    const Tokenization parsed = remote_.asked(text, true);
    return parsed.tokens.size() == 1 && !is_plain(text, parsed.tokens.front().id);
  }

  /// Describes how the current model differs from the one that plumb first connected to, such as
  /// "NAME, not NAME"; empty if they are the same.
  [[nodiscard]] std::string other_model() {
    const auto now = find_server(client_, given_vocabulary());
    const auto name = [](const ServerFacts& of) { return of.model + " (" + of.kind + ")"; };
    if (now->facts().model != facts().model) return now->facts().model + ", not " + facts().model;
    if (now->facts().kind != facts().kind) return name(now->facts()) + ", not " + name(facts());
    if (now->facts().vocabulary == facts().vocabulary &&
        (!answers_ || fingerprint() == identity_)) {
      return "";
    }
    return "it has the same name, " + facts().model + ", but continues fixed texts differently";
  }

  /// The tokens of a fixed text, or arbitrary tokens if the text cannot be spelled with the
  /// vocabulary.
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
    if (dimension_ > 0) {
      const AskedPrefix question{prompt_, std::span(prompt_).last(1), {}};
      const auto asked = dialect_->ask(std::span(&question, 1), QueryMode::normal);
      const unsigned status = client_.reply(asked).status;
      if (status == 400 || status == 404 || status == 501) return;
    }
    check_ = check_server(client_, *dialect_, tally_, prompt_);
    if (given_costs_) {
      costs_ = *given_costs_;
    } else if (dialect_->sequences_together() > 0 && !dialect_->scores_only_sequences()) {
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
  std::vector<TokenId> prompt_;  // used by the checks
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
