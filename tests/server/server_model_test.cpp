// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/server_model.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "plumb/detail/backend/any_model.hpp"
#include "plumb/detail/backend/look_up.hpp"
#include "plumb/detail/rank/text_batches.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;
using test::speaking;
using test::StandInModel;
using test::StandInReply;
using test::StandInRequest;
using test::StandInServer;

BOOST_AUTO_TEST_SUITE(server_model_suite)

namespace {

struct Listing : NgramModel {
  using NgramModel::NgramModel;
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const { return {{"<bos>", *bos()}}; }
};

/// Options that include the tokenizer if the dialect needs one.
ServerOptions asking(const std::string& url, const std::string& maker, std::string key = "") {
  ServerOptions options;
  options.url = url;
  options.http = test::quick_http(4, std::move(key));
  if (maker != "llamacpp") {
    const auto of = std::make_shared<const Listing>(
        StandInModel::text, 2, std::vector<std::string>{"the ", "cat", " sat"});
    options.tokenizer = server_tokenizer(of, of->vocabulary_size(), "given");
  }
  return options;
}

struct Asked {
  explicit Asked(const StandInModel::Options& options, std::string key = "",
                 std::optional<ServerCosts> costs = std::nullopt)
      : made(options), server(made), model([&] {
          ServerOptions asked = asking(server.url(), options.maker, std::move(key));
          asked.costs = costs;
          return asked;
        }()) {}
  StandInModel made;
  StandInServer server;
  ServerModel model;
};

const std::vector<Prompt>& statements() {
  static const std::vector<Prompt> all{{"the cat sat on the mat.", {{19, 22}}, {}},
                                       {"the cat sat on the log.", {{19, 22}}, {}},
                                       {"the café is naïve", {{4, 9}}, {}}};
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(statements_score_as_the_model_itself_scores_them) {
  NgramModel direct(StandInModel::text, 2, {"the ", "cat", " sat"});
  CausalScorer expected_scorer(direct);
  const auto expected = expected_scorer.score(Query{statements()});
  for (const char* const maker : test::all_makers) {
    Asked asked(speaking(maker));
    CausalScorer scorer(asked.model);
    const auto scores = scorer.score(Query{statements()});
    BOOST_TEST(scores.size() == expected.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      BOOST_TEST(std::abs(scores[i].statement.log_likelihood -
                          expected[i].statement.log_likelihood) < 1e-5);
      BOOST_TEST(std::abs(scores[i].answer.log_likelihood - expected[i].answer.log_likelihood) <
                 1e-5);
      BOOST_TEST(scores[i].statement.tokens == expected[i].statement.tokens);
      BOOST_TEST(scores[i].answer.tokens == expected[i].answer.tokens);
    }
  }
}

BOOST_AUTO_TEST_CASE(model_properties_and_request_facts_are_reported) {
  for (const char* const maker : test::all_makers) {
    Asked asked(speaking(maker));
    const ServerModel& model = asked.model;
    BOOST_TEST(model.vocabulary_size() == asked.made.model().vocabulary_size());
    BOOST_TEST(model.context_length() == 512U);
    BOOST_TEST(*model.bos() == *asked.made.model().bos());
    BOOST_TEST(model.capabilities().lookups);
    BOOST_TEST(!model.capabilities().causal);
    BOOST_TEST(!model.capabilities().text_embeddings);
    BOOST_TEST(model.capabilities().special_tokens == (std::string(maker) != "llamacpp"));
    const ModelDescription description = model.describe();
    BOOST_TEST(description.name == "tiny");
    BOOST_TEST(description.answers.size() == 16U);
    BOOST_TEST(!description.quantized);
    const Json facts = model.facts().at("server");
    BOOST_TEST(facts.at("url") == asked.server.url());
    BOOST_TEST(facts.at("kind") == asked.model.describe().backend.substr(
                                       0, facts.at("kind").get<std::string>().size()));
    BOOST_TEST(facts.at("requests") == asked.server.requests());
    BOOST_TEST(facts.at("tokens_sent") > 0);
    BOOST_TEST(facts.at("checks").at("same_again_within_nats") < 1e-9);
    const bool bypasses = std::string(maker) == "llamacpp" || std::string(maker) == "vllm";
    BOOST_TEST(facts.at("checks").contains("same_without_prefix_cache_within_nats") == bypasses);
    BOOST_TEST(description.warnings.empty());
  }
}

BOOST_AUTO_TEST_CASE(other_models_and_a_tokenizer_that_was_not_compared_are_warned_of) {
  auto options = speaking("vllm");
  options.spoil = [](const test::StandInRequest& request, test::StandInReply& reply) {
    if (request.route == "/tokenize") reply = StandInModel::error(404, "none");
    if (request.route != "/v1/models") return;
    Json models = Json::parse(reply.body);
    models["data"][0]["root"] = "/models/tiny";
    Json alias = models["data"][0], adapter = alias;
    alias["id"] = "another name";
    adapter["id"] = "tuned";
    adapter["root"] = "/adapters/tuned";
    models["data"].push_back(alias);
    models["data"].push_back(adapter);
    reply.body = models.dump();
  };
  Asked asked(options);
  const std::vector<std::string> warnings = asked.model.describe().warnings;
  BOOST_TEST_REQUIRE(warnings.size() == 2U);
  BOOST_TEST(warnings[0] ==
             "Warning: the server also serves tuned. All results are those of tiny, which it lists "
             "first.");
  BOOST_TEST(warnings[1].starts_with("Warning: the server tokenised only 0 of 4 texts, so "));
}

BOOST_AUTO_TEST_CASE(any_model_holds_it) {
  const StandInServer server{StandInModel(speaking("llamacpp"))};
  AnyModel model = AnyModel::made_by([&] { return ServerModel(asking(server.url(), "llamacpp")); });
  BOOST_TEST(model.capabilities().lookups);
  BOOST_TEST(!model.capabilities().only_masked());
  const auto facts = model.facts();
  const AnyModel moved = std::move(model);
  BOOST_TEST(facts().at("server").at("model") == "tiny");
  BOOST_TEST(moved.tokenize("the cat").tokens.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_key_opens_a_server) {
  auto options = speaking("vllm");
  options.key = "sk-hunter2";
  Asked asked(options, "sk-hunter2");
  BOOST_TEST(asked.model.facts().dump().find("hunter2") == std::string::npos);
  BOOST_CHECK_EXCEPTION(ServerModel(asking(asked.server.url(), "vllm")), Error,
                        says(Fault::user, "PLUMB_API_KEY"));
}

BOOST_AUTO_TEST_CASE(texts_are_embedded_by_servers_that_do) {
  for (const char* const maker : test::all_makers) {
    auto options = speaking(maker);
    options.embeds = true;
    Asked asked(options);
    BOOST_TEST(asked.model.capabilities().text_embeddings);
    BOOST_TEST(asked.model.dimension() == 3U);
    const std::vector<std::string> texts{"cat", "the cat sat"};
    const EmbeddingMatrix rows = asked.model.embed(texts, true);
    BOOST_TEST(rows(0, 0) == 258.0F);  // "cat" is 257; BOS before it
    BOOST_TEST(rows(0, 2) == 2.0F);
    BOOST_TEST(rows(1, 0) == 259.0F);
    BOOST_TEST(asked.model.embed(texts, false)(0, 2) == 1.0F);
    BOOST_TEST(asked.model.facts().at("server").at("vectors") ==
               (std::string(maker) == "llamacpp" ? "raw" : "normalised"));
    const std::vector<std::string> empty{""};
    BOOST_CHECK_EXCEPTION((void)asked.model.embed(empty, false), Error,
                          says(Fault::user, "has no token"));
  }
}

BOOST_AUTO_TEST_CASE(texts_are_gone_on_with) {
  for (const char* const maker : test::all_makers) {
    Asked asked(speaking(maker));
    const NgramModel& direct = asked.made.model();
    std::vector<std::vector<TokenId>> prompts;
    for (const char* const text : {"the cat", "a", "the caf\xc3"}) {
      prompts.emplace_back();
      for (const Token& token : direct.tokenize(text).tokens) prompts.back().push_back(token.id);
    }
    const GenerationOptions greedy{0, 8, {"."}, 0};
    const auto made = asked.model.generate(prompts, greedy, {});
    for (std::size_t p = 0; p < prompts.size(); ++p) {
      const Continuation expected = direct.generate(prompts[p], greedy).front();
      BOOST_TEST(made[p].size() == 1U);
      BOOST_TEST(made[p][0].tokens == expected.tokens, boost::test_tools::per_element());
      BOOST_REQUIRE(made[p][0].log_probabilities.size() == expected.tokens.size());
      for (std::size_t t = 0; t < expected.tokens.size(); ++t) {
        BOOST_TEST(std::abs(made[p][0].log_probabilities[t] - expected.log_probabilities[t]) <
                   1e-9);
      }
    }
    const GenerationOptions sampled{3, 6, {}, 7};
    const auto drawn = asked.model.generate(prompts, sampled, {});
    const auto again = asked.model.generate(prompts, sampled, {});
    const std::vector<std::uint64_t> seeds{1, 2, 3};
    const auto other = asked.model.generate(prompts, sampled, seeds);
    bool differ = false;
    for (std::size_t p = 0; p < prompts.size(); ++p) {
      BOOST_TEST(drawn[p].size() == 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        BOOST_TEST(drawn[p][i].tokens == again[p][i].tokens, boost::test_tools::per_element());
        BOOST_TEST(drawn[p][i].log_probabilities.size() == drawn[p][i].tokens.size());
        differ = differ || drawn[p][i].tokens != other[p][i].tokens;
      }
      BOOST_TEST(
          (drawn[p][0].tokens != drawn[p][1].tokens || drawn[p][1].tokens != drawn[p][2].tokens));
    }
    BOOST_TEST(differ);
  }
}

BOOST_AUTO_TEST_CASE(a_server_that_only_embeds_has_no_lookups) {
  auto options = speaking("vllm");
  options.embeds = true;
  options.spoil = [](const StandInRequest& request, StandInReply& reply) {
    if (request.route == "/v1/completions") reply = StandInModel::error(404, "no completions");
  };
  Asked asked(options);
  BOOST_TEST(!asked.model.capabilities().lookups);
  BOOST_TEST(asked.model.capabilities().text_embeddings);
  BOOST_TEST(asked.model.describe().answers.empty());
}

BOOST_AUTO_TEST_CASE(a_server_that_does_neither_is_refused) {
  auto options = speaking("vllm");
  options.spoil = [](const StandInRequest& request, StandInReply& reply) {
    if (request.route == "/v1/completions") reply = StandInModel::error(404, "no completions");
  };
  BOOST_CHECK_EXCEPTION(Asked{options}, Error,
                        says(Fault::user, "refuses /v1/completions (404): no completions"));
}

namespace {

/// Scores statements through a server; `spoil` modifies the replies that follow the checks.
std::vector<StatementScore> scored(const std::string& maker, StandInModel::Spoil spoil) {
  auto on = std::make_shared<std::atomic<bool>>(false);
  auto options = speaking(maker);
  options.spoil = [=](const StandInRequest& request, StandInReply& reply) {
    if (*on) spoil(request, reply);
  };
  Asked asked(options);
  CausalScorer scorer(asked.model);
  *on = true;
  return scorer.score(Query{statements()});
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_passes_changes_nothing) {
  const auto first_time = [](StandInReply::End end, unsigned status, bool closes) {
    auto seen = std::make_shared<std::set<std::string>>();
    auto mutex = std::make_shared<std::mutex>();
    return [=](const StandInRequest& request, StandInReply& reply) {
      const std::lock_guard lock(*mutex);
      if (!seen->insert(request.route + request.body).second) return;
      if (status != 200) reply = StandInModel::error(status, "x");
      reply.end = end;
      reply.closes = closes;
    };
  };
  using End = StandInReply::End;
  for (const char* const maker : test::all_makers) {
    const auto sound = scored(maker, [](const StandInRequest&, StandInReply&) {});
    for (const auto& [end, status, closes] :
         {std::tuple{End::whole, 500U, false}, std::tuple{End::whole, 429U, false},
          std::tuple{End::none, 200U, false}, std::tuple{End::half, 200U, false},
          std::tuple{End::whole, 200U, true}}) {
      const auto scores = scored(maker, first_time(end, status, closes));
      for (std::size_t i = 0; i < sound.size(); ++i) {
        BOOST_TEST(scores[i].statement.log_likelihood == sound[i].statement.log_likelihood);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_does_not_pass_ends_in_a_line) {
  const auto every = [](StandInReply put) {
    return [put](const StandInRequest&, StandInReply& reply) { reply = put; };
  };
  for (const char* const maker : test::all_makers) {
    BOOST_CHECK_EXCEPTION(scored(maker, every(StandInModel::error(503, "busy"))), Error,
                          says(Fault::internal, "does not answer (4 tries): answers 503: busy"));
    BOOST_CHECK_EXCEPTION(scored(maker, every({"<html><p>Sign in</html>"})), Error,
                          says(Fault::internal, "a page (HTML), not JSON"));
    BOOST_CHECK_EXCEPTION(scored(maker, every({"{\"choices\": [{\"log"})), Error,
                          says(Fault::internal, "not JSON"));
    BOOST_CHECK_EXCEPTION(scored(maker, every({"{\"p\": NaN}"})), Error,
                          says(Fault::internal, "contains NaN"));
    BOOST_CHECK_EXCEPTION(scored(maker, every({"[]"})), Error, [](const Error& error) {
      return std::string(error.what()).find('\n') == std::string::npos;
    });
  }
}

BOOST_AUTO_TEST_CASE(replies_of_any_bytes_are_scores_or_an_error_in_a_line) {
  std::uint64_t errors = 0, scores = 0;
  for (const char* const maker : test::all_makers) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      auto random = std::make_shared<RandomStream>(seed, "bytes");
      auto mutex = std::make_shared<std::mutex>();
      const auto spoil = [=](const StandInRequest&, StandInReply& reply) {
        const std::lock_guard lock(*mutex);
        if (reply.body.empty() || random->below(4) > 0) return;
        const std::size_t at = random->below(reply.body.size());
        constexpr std::string_view bytes = "[]{}\",:-e0987654321.nNtf\\ \xff";
        switch (random->below(4)) {
          case 0:
            reply.body.resize(at);
            break;
          case 1:
            reply.body[at] = bytes[random->below(bytes.size())];
            break;
          case 2:
            reply.body.insert(at, 1, bytes[random->below(bytes.size())]);
            break;
          default:
            reply.body.erase(at, random->below(20));
            break;
        }
      };
      try {
        for (const StatementScore& score : scored(maker, spoil)) {
          BOOST_TEST(std::isfinite(score.statement.log_likelihood));
        }
        ++scores;
      } catch (const Error& error) {
        BOOST_TEST(std::string(error.what()).find('\n') == std::string::npos);
        ++errors;
      }
    }
  }
  BOOST_TEST(errors > 20U);
  BOOST_TEST_MESSAGE(errors << " errors, " << scores << " scores");
}

BOOST_AUTO_TEST_CASE(another_model_behind_the_same_address_is_refused) {
  for (const char* const maker : test::all_makers) {
    auto other = speaking(maker);
    for (const bool renamed : {true, false}) {
      other.name = renamed ? "another" : "tiny";
      const StandInModel second(other, renamed ? StandInModel::text
                                               : std::string(StandInModel::text) +
                                                     "the cat ran. the cat ran. the cat ran. ");
      std::optional<StandInServer> server(StandInModel(speaking(maker)));
      const std::uint16_t port = server->port();
      ServerModel model(asking(server->url(), maker));
      CausalScorer scorer(model);
      (void)scorer.score(Query{statements()});
      server.reset();
      server.emplace(second, port);
      BOOST_CHECK_EXCEPTION(
          (void)scorer.score(Query{statements()}), Error,
          says(Fault::internal, "after the connection was lost, a different model is answering"));
      server.reset();
      server.emplace(StandInModel(speaking(maker)), port);
      (void)scorer.score(Query{statements()});
    }
  }
}

// A load balancer that never returns an error behaves like this.
BOOST_AUTO_TEST_CASE(what_a_job_ends_with_is_refused_where_another_model_answers_by_then) {
  for (const char* const maker : test::all_makers) {
    auto changed = std::make_shared<std::atomic<bool>>(false);
    auto other = speaking(maker);
    other.name = "another";
    const StandInModel first(speaking(maker)), second(other);
    const StandInServer server(
        [=](const StandInRequest& request) { return *changed ? second(request) : first(request); });
    ServerModel model(asking(server.url(), maker));
    BOOST_TEST(model.facts().at("server").at("model") == "tiny");
    *changed = true;
    BOOST_CHECK_EXCEPTION((void)model.facts(), Error,
                          says(Fault::internal, "at the start: another, not tiny"));
  }
}

BOOST_AUTO_TEST_CASE(texts_that_are_too_long_are_refused_before_the_first_is_embedded) {
  for (const char* const maker : test::all_makers) {
    auto embedded = std::make_shared<std::atomic<int>>(0);
    auto options = speaking(maker);
    options.embeds = true;
    options.spoil = [=](const StandInRequest& request, StandInReply&) {
      if (request.route.find("/embedding") != std::string::npos) ++*embedded;
    };
    Asked asked(options);
    const int before = *embedded;
    TextBatches batches(asked.model);
    const std::vector<std::string> texts{"cat", std::string(512, 'x')};
    BOOST_TEST(batches.plan(texts, false).packs() == 1U);
    BOOST_CHECK_EXCEPTION((void)batches.plan(texts, true), Error,
                          says(Fault::user, "has 513 tokens; the model's limit is 512; shorten"));
    BOOST_TEST(*embedded == before);
  }
}

BOOST_AUTO_TEST_CASE(lost_server_is_reported) {
  std::optional<StandInServer> server(StandInModel(speaking("llamacpp")));
  ServerModel model(asking(server->url(), "llamacpp"));
  server.reset();
  CausalScorer scorer(model);
  BOOST_CHECK_EXCEPTION(
      (void)scorer.score(Query{statements()}), Error,
      says(Fault::internal, "finished work is kept; check the server, then resume"));
}

BOOST_AUTO_TEST_CASE(a_probability_that_the_server_cannot_tell_is_not_reported) {
  auto options = speaking("vllm");
  options.spoil = [](const StandInRequest& request, StandInReply& reply) {
    if (request.route != "/v1/completions") return;
    auto json = nlohmann::json::parse(reply.body);
    for (auto& choice : json["choices"]) {
      auto& top = choice["logprobs"]["top_logprobs"][0];
      if (top.contains("token_id:109")) top["token_id:109"] = -9999.0;
      if (!choice.contains("prompt_logprobs")) continue;
      for (auto& place : choice["prompt_logprobs"]) {
        if (place.is_object() && place.contains("109")) place["109"]["logprob"] = -9999.0;
      }
    }
    reply.body = json.dump();
  };
  // With equal costs, lookups are sent prefix by prefix; if prompts are expensive, they are sent as
  // sequences, which need fewer prompts.
  for (const ServerCosts& costs : {ServerCosts{}, ServerCosts{.prompt = 1}}) {
    Asked asked(options, "", costs);
    CausalScorer scorer(asked.model);
    const std::vector<Prompt> prompts{{"the mat", {}, {}}, {"the cat", {}, {}}};
    const std::vector<StatementScore> scores = scorer.score(Query{prompts});
    BOOST_TEST(scores[0].unreported_tokens == 1U);
    BOOST_TEST(std::isnan(scores[0].statement.log_likelihood));
    BOOST_TEST(scores[1].unreported_tokens == 0U);
    BOOST_TEST(std::isfinite(scores[1].statement.log_likelihood));
  }
}

BOOST_AUTO_TEST_CASE(vllm_prefixes_and_whole_sequences_give_equal_scores) {
  std::vector<double> scored[2];
  std::atomic<std::size_t> whole{0};
  auto options = speaking("vllm");
  options.spoil = [&](const StandInRequest& request, StandInReply&) {
    if (request.body.find("prompt_logprobs") != std::string::npos) ++whole;
  };
  for (const bool as_sequences : {false, true}) {
    Asked asked(options, "", as_sequences ? ServerCosts{.prompt = 1} : ServerCosts{});
    whole = 0;
    CausalScorer scorer(asked.model);
    for (const StatementScore& one : scorer.score(Query{statements()})) {
      scored[as_sequences].push_back(one.statement.log_likelihood);
    }
    BOOST_TEST((whole > 0U) == as_sequences);
  }
  BOOST_TEST(scored[0].size() == 3U);
  for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(std::abs(scored[0][i] - scored[1][i]) < 1e-12);
}

BOOST_AUTO_TEST_SUITE_END()
