// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which kind of server answers at a URL?
//
// llama-server, vLLM and SGLang all have /v1/models, which names the server's maker. Any other
// server that supports /v1/models is used as an EchoServer if it echoes prompts with
// log-probabilities. Otherwise it is rejected (Ollama, OpenAI's own server).

#include <cstddef>
#include <memory>
#include <string>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/server/echo_server.hpp"
#include "plumb/detail/server/http_client.hpp"
#include "plumb/detail/server/llama_server.hpp"
#include "plumb/detail/server/reply_json.hpp"
#include "plumb/detail/server/server_dialect.hpp"
#include "plumb/detail/server/sglang_server.hpp"
#include "plumb/detail/server/vllm_server.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// `vocabulary` is the vocabulary size of the tokenizer that the user specified, which is required
/// for all servers except llama-server; 0 if none was specified. Throws a user error if the server
/// is of an unsupported kind, or if a required tokenizer is missing.
[[nodiscard]] inline std::unique_ptr<ServerDialect> find_server(HttpClient& client,
                                                                std::size_t vocabulary) {
  const std::string place = client.url().text();
  const auto got = [&](const std::string& route) {
    return parse_reply(client.ask({route, ""}).body, place + route);
  };
  const HttpRequest models_route{"/v1/models", ""};
  const HttpReply reply = client.reply(models_route);
  if (reply.status == 404) {
    throw user_error(client.site(), "has no /v1/models, so it is not a server that plumb supports",
                     "use the URL of a llama-server, vLLM or SGLang");
  }
  client.refuse_failure(models_route, reply);
  const ReplyJson models = parse_reply(reply.body, place + "/v1/models");
  const std::string maker = models.text_or("/data/0/owned_by", "");
  if (maker == "llamacpp") return std::make_unique<LlamaServer>(models, got("/props"), place);
  const bool is_vllm = maker == "vllm", echoes = !is_vllm && maker != "sglang";
  if (echoes &&
      !EchoServer::echoes(client.reply(EchoServer::trial(models.text_or("/data/0/id", ""))))) {
    throw user_error(client.site(),
                     "is a server made by '" + shortened(maker) +
                         "' that reports no log-probabilities of given tokens: its /v1/completions "
                         "does not answer requests with token ids, `echo` and `logprobs`",
                     "use llama-server, vLLM or SGLang");
  }
  if (vocabulary == 0) {
    throw user_error({.setting = "tokenizer"},
                     (is_vllm  ? "vLLM"
                      : echoes ? "this server"
                               : "SGLang") +
                         std::string(" does not report the bytes of its tokens"),
                     "set `tokenizer` to the Hugging Face folder or a .gguf file of its model");
  }
  if (echoes) return std::make_unique<EchoServer>(maker, models, place, vocabulary);
  if (is_vllm) return std::make_unique<VllmServer>(models, got("/version"), place, vocabulary);
  return std::make_unique<SglangServer>(models, got("/get_server_info"), place, vocabulary);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
