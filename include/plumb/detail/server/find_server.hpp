// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which kind of server answers at a URL?
//
// llama-server, vLLM and SGLang all have /v1/models, which names who made it. Others that have it
// (Ollama, OpenAI's own) give no log-probabilities of given tokens, and are refused.

#include <cstddef>
#include <memory>
#include <string>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/server/http_client.hpp"
#include "plumb/detail/server/llama_server.hpp"
#include "plumb/detail/server/reply_json.hpp"
#include "plumb/detail/server/server_dialect.hpp"
#include "plumb/detail/server/sglang_server.hpp"
#include "plumb/detail/server/vllm_server.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// `vocabulary` is the given tokenizer's, which all but llama-server need; 0 where none was given.
/// Throws a user error for a server of another kind, and one that lacks a tokenizer.
[[nodiscard]] inline std::unique_ptr<ServerDialect> find_server(HttpClient& client,
                                                                std::size_t vocabulary) {
  const std::string place = client.url().text();
  const auto got = [&](const std::string& route) {
    return parse_reply(client.ask({route, ""}).body, place + route);
  };
  const HttpRequest models_route{"/v1/models", ""};
  const HttpReply reply = client.reply(models_route);
  if (reply.status == 404) {
    throw user_error(client.site(),
                     "has no /v1/models, so it is none of the servers that plumb asks",
                     "give the URL of a llama-server, vLLM or SGLang");
  }
  client.refuse_failure(models_route, reply);
  const ReplyJson models = parse_reply(reply.body, place + "/v1/models");
  const std::string maker = models.text_or("/data/0/owned_by", "");
  if (maker == "llamacpp") return std::make_unique<LlamaServer>(models, got("/props"), place);
  if (maker != "vllm" && maker != "sglang") {
    throw user_error(client.site(),
                     "is a server by '" + shortened(maker) +
                         "', of which no log-probabilities of given tokens can be had",
                     "use llama-server, vLLM or SGLang");
  }
  const bool is_vllm = maker == "vllm";
  if (vocabulary == 0) {
    throw user_error(
        {.setting = "tokenizer"},
        std::string(is_vllm ? "vLLM" : "SGLang") + " does not tell the bytes of its tokens",
        "give the Hugging Face folder of its model, or a .gguf file of it");
  }
  if (is_vllm) return std::make_unique<VllmServer>(models, got("/version"), place, vocabulary);
  return std::make_unique<SglangServer>(models, got("/get_server_info"), place, vocabulary);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
