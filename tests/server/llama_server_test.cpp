// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/llama_server.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "plumb/detail/server/server_questions.hpp"
#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::read_one;
using test::says;

BOOST_AUTO_TEST_SUITE(llama_server_suite)

namespace {

LlamaServer server_of(std::size_t vocabulary) {
  const Json models = {
      {"data", Json::array({{{"id", "/a/b/m.gguf"}, {"meta", {{"n_vocab", vocabulary}}}}})}};
  const Json props = {{"build_info", "b7"},
                      {"bos_token", "<s>"},
                      {"model_ftype", "Q4_1"},
                      {"total_slots", 4U},
                      {"default_generation_settings", {{"n_ctx", 77U}}}};
  return {{models, "p"}, {props, "p"}, "http://h"};
}

std::string entry(const std::string& id, const std::string& nats) {
  return R"({"id":)" + id + R"(,"logprob":)" + nats +
         R"(,"top_logprobs":[{"id":0,"logprob":-0.1}]})";
}

std::string one(const std::string& id, const std::string& nats) {
  return R"({"completion_probabilities":[)" + entry(id, nats) + R"(],"timings/prompt_n":1})";
}

}  // namespace

BOOST_AUTO_TEST_CASE(server_reports_its_model_version_and_limits) {
  const LlamaServer server = server_of(1000);
  BOOST_TEST(server.facts().model == "m.gguf");
  BOOST_TEST(server.facts().version == "b7");
  BOOST_TEST(server.facts().weights == "Q4_1");
  BOOST_TEST(server.facts().vocabulary == 1000U);
  BOOST_TEST(server.facts().context == 77U);
  BOOST_TEST(server.facts().slot_count == 4U);
  BOOST_TEST((server.bos_text() == "<s>"));
}

BOOST_AUTO_TEST_CASE(two_tokens_are_forced_one_by_one_and_more_share_a_request) {
  const LlamaServer server = server_of(40'960);
  BOOST_TEST(server.together(1, QueryMode::normal) == 1U);
  BOOST_TEST(server.together(2, QueryMode::normal) == 1U);
  BOOST_TEST(server.together(3, QueryMode::normal) == 3U);
  BOOST_TEST(server.together(2, QueryMode::full_distribution) == 2U);
}

BOOST_AUTO_TEST_CASE(requests_force_a_token_lift_several_or_want_the_whole_distribution) {
  LlamaServer server = server_of(80);
  server.set_reference(42);
  const std::vector<TokenId> prefix{1, 2}, one{7}, three{7, 9, 8}, many(11, 7),
      distinct{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const auto asked = [&](std::span<const TokenId> tokens, QueryMode how) {
    const HttpRequest request = test::ask_after(server, prefix, tokens, how);
    BOOST_TEST(request.route == "/completion");
    return Json::parse(request.body);
  };
  const Json forced = asked(one, QueryMode::normal);
  BOOST_TEST(forced["prompt"] == Json({1, 2}));
  BOOST_TEST(forced["n_predict"] == 1);
  BOOST_TEST(forced["n_probs"] == 1);
  BOOST_TEST(forced["logit_bias"] == Json::parse("[[7,1e9]]"));
  BOOST_TEST(forced["top_k"] == 1);
  BOOST_TEST(forced["cache_prompt"] == true);
  BOOST_TEST(forced["post_sampling_probs"] == false);
  BOOST_TEST(asked(one, QueryMode::without_cache)["cache_prompt"] == false);
  const Json ratios = asked(three, QueryMode::normal);
  BOOST_TEST(ratios["n_probs"] == 3);
  BOOST_TEST(ratios["top_k"] == 3);
  BOOST_TEST(ratios["logit_bias"] == Json::parse("[[7,100],[8,100],[9,100]]"));
  BOOST_TEST(ratios["post_sampling_probs"] == true);
  BOOST_TEST(asked(many, QueryMode::normal)["n_probs"] == 1);  // the same token eleven times
  for (const Json& whole :
       {asked(one, QueryMode::full_distribution), asked(distinct, QueryMode::normal)}) {
    BOOST_TEST(whole["n_probs"] == 80);
    BOOST_TEST(whole["logit_bias"][0][0] == 42);
    BOOST_TEST(whole["post_sampling_probs"] == false);
  }
  std::vector<double> nats{-3, -1, -2};
  const AskedPrefix known{prefix, three, nats};
  const Json anchor = Json::parse(server.ask(std::span(&known, 1), QueryMode::anchor).body);
  BOOST_TEST(anchor["logit_bias"] == Json::parse("[[9,1e9]]"));
  BOOST_TEST(anchor["n_probs"] == 1);
  const Json reference = asked(three, QueryMode::reference);
  BOOST_TEST(reference["n_probs"] == 4);
  BOOST_TEST(reference["top_k"] == 4);
  BOOST_TEST(reference["logit_bias"] == Json::parse("[[7,100],[8,100],[9,100],[42,140]]"));
  BOOST_TEST(reference["post_sampling_probs"] == true);
  const std::vector<TokenId> itself{42, 7};
  const Json among = asked(itself, QueryMode::reference);
  BOOST_TEST(among["n_probs"] == 2);
  BOOST_TEST(among["logit_bias"] == Json::parse("[[7,100],[42,140]]"));
  BOOST_TEST(asked(distinct, QueryMode::reference)["n_probs"] == 80);
  const Json reference_alone = asked(three, QueryMode::reference_anchor);
  BOOST_TEST(reference_alone["logit_bias"] == Json::parse("[[42,1e9]]"));
  BOOST_TEST(reference_alone["n_probs"] == 1);
}

namespace {

/// Requests the log-probabilities of three tokens after "the c", one request at a time. Returns the
/// number of requests.
std::size_t three_tokens(test::StandInModel::Options options,
                         const std::vector<TokenId>& tokens = {'z', 'a', 256}) {
  test::FoundStandIn found(std::move(options));
  const std::vector<TokenId> prefix = found.ids("the c");
  std::vector<double> nats(3);
  const NextTokenQuestion question{tokens, nats};
  const std::size_t before = found.server.requests();
  ask_questions(found.client, *found.dialect, found.tally, std::span(&question, 1),
                [&](std::size_t) { return prefix; });
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST(std::abs(nats[i] - found.made.model().log_probability(prefix, tokens[i])) < 1e-9);
  }
  return found.server.requests() - before;
}

}  // namespace

BOOST_AUTO_TEST_CASE(several_tokens_take_ratios_and_an_anchor) {
  BOOST_TEST(three_tokens(test::speaking("llamacpp")) == 2U);
  auto old = test::speaking("llamacpp");
  old.ignores_post_sampling = true;
  BOOST_TEST(three_tokens(old) == 2U);  // the second request is for the whole distribution
}

BOOST_AUTO_TEST_CASE(tokens_that_end_within_a_character_take_ratios_to_a_reference_token) {
  // The first request samples one of the tokens, and the server reports nothing.
  const std::vector<TokenId> split{0xd0, 0xe6, 0xf0};
  BOOST_TEST(three_tokens(test::speaking("llamacpp"), split) == 3U);
  auto old = test::speaking("llamacpp");
  old.ignores_post_sampling = true;
  BOOST_TEST(three_tokens(old, split) == 3U);  // the third request is for the whole distribution
  const std::vector<TokenId> with_reference{0xd0, 'a', 0xd0};
  // 'a' is sampled, so the first reply has ratios, but the anchor is not reported.
  BOOST_TEST(three_tokens(test::speaking("llamacpp"), with_reference) == 4U);
  BOOST_TEST(three_tokens(old, with_reference) == 2U);
}

BOOST_AUTO_TEST_CASE(ratios_to_the_reference_token_are_read_with_its_log_probability) {
  LlamaServer server = server_of(100);
  server.set_reference(42);
  const std::vector<TokenId> tokens{7, 42, 9};
  std::vector<double> nats(3);
  ServerTally tally;
  const AskedPrefix asked{{0}, tokens, nats};
  const auto read = [&](const std::string& body, QueryMode how) {
    return server.read({200, body}, std::span(&asked, 1), how, tally);
  };
  const auto ratios = [](const std::string& entries) {
    return R"({"completion_probabilities":[{"id":42,"prob":1,"top_probs":[)" + entries + "]}]}";
  };
  const std::string all = R"({"id":42,"prob":1},{"id":7,"prob":1e-16},{"id":9,"prob":1e-33})";
  BOOST_TEST((read(ratios(all), QueryMode::reference) == QueryMode::reference_anchor));
  BOOST_TEST(!read(one("42", "-7"), QueryMode::reference_anchor));
  BOOST_TEST(nats[0] == std::log(1e-16) + 40 - 7);
  BOOST_TEST(nats[1] == -7.0);
  BOOST_TEST(nats[2] == std::log(1e-33) + 40 - 7);
  // The whole distribution is requested if a probability is missing or too small for F32, or if the
  // server did not sample the reference token.
  for (const char* const entries :
       {R"({"id":42,"prob":1},{"id":7,"prob":1e-16})",
        R"({"id":42,"prob":1},{"id":7,"prob":1e-16},{"id":9,"prob":1e-38})",
        R"({"id":7,"prob":1},{"id":9,"prob":1e-16})"}) {
    BOOST_TEST((read(ratios(entries), QueryMode::reference) == QueryMode::full_distribution));
  }
  for (const QueryMode how :
       {QueryMode::reference, QueryMode::reference_anchor, QueryMode::full_distribution}) {
    BOOST_TEST((read("{}", how) == QueryMode::full_distribution));
  }
  BOOST_TEST((read("{}", QueryMode::normal) == QueryMode::reference));
  BOOST_TEST((read(one("42", "-88"), QueryMode::reference_anchor) == QueryMode::full_distribution));
  // A token that would have a probability above 1: the two replies do not belong together.
  (void)read(ratios(R"({"id":42,"prob":1},{"id":7,"prob":1e-16},{"id":9,"prob":1e-3})"),
             QueryMode::reference);
  BOOST_TEST((read(one("42", "-7"), QueryMode::reference_anchor) == QueryMode::full_distribution));
  BOOST_CHECK_EXCEPTION((void)read(one("7", "-1"), QueryMode::reference_anchor), Error,
                        says(Fault::internal, "is 7, but token 42 was forced"));
}

BOOST_AUTO_TEST_CASE(ratios_are_read_with_the_anchor_after_them) {
  const LlamaServer server = server_of(100);
  const std::vector<TokenId> tokens{7, 8, 9};
  std::vector<double> nats(3);
  ServerTally tally;
  const AskedPrefix asked{{0}, tokens, nats};
  const auto read = [&](const std::string& body) {
    return server.read({200, body}, std::span(&asked, 1), QueryMode::normal, tally);
  };
  const auto ratios = [](const std::string& entries) {
    return R"({"completion_probabilities":[{"id":8,"prob":0.5,"top_probs":[)" + entries + "]}]}";
  };
  BOOST_TEST((read(ratios(R"({"id":8,"prob":0.75},{"id":7,"prob":0.25})")) == QueryMode::anchor));
  BOOST_TEST(nats[0] == std::log(0.25));
  BOOST_TEST(std::isinf(nats[2]));  // its probability was 0
  BOOST_TEST(!read(one("8", "-1")));
  BOOST_TEST(nats[1] == -1.0);
  BOOST_TEST(std::abs(nats[0] - (-1 + std::log(0.25 / 0.75))) < 1e-12);
  BOOST_TEST(std::isinf(nats[2]));
  // The first reply contains a token that was not requested, and the second is empty.
  BOOST_TEST((read(ratios(R"({"id":8,"prob":0.75},{"id":1,"prob":0.25})")) ==
              QueryMode::full_distribution));
  BOOST_TEST((read(ratios("")) == QueryMode::full_distribution));
  BOOST_CHECK_EXCEPTION(
      (void)read(ratios(R"({"id":100,"prob":1})")), Error,
      says(Fault::internal, "contains token 100, which is not in the vocabulary"));
  BOOST_CHECK_EXCEPTION((void)read(ratios(R"({"id":8,"prob":2})")), Error,
                        says(Fault::internal, "probability of token 8"));
  (void)read(ratios(R"({"id":8,"prob":0.75},{"id":7,"prob":0.25})"));
  BOOST_CHECK_EXCEPTION((void)read(one("7", "-1")), Error,
                        says(Fault::internal, "is 7, but token 8 was forced"));
}

BOOST_AUTO_TEST_CASE(a_forced_token_is_read_where_it_is_that_token) {
  const LlamaServer server = server_of(100);
  BOOST_TEST(read_one(server, one("7", "-2.5"), 7) == -2.5);
  BOOST_TEST(std::isinf(read_one(server, one("7", "-3.4028234663852886e+38"), 7)));
  BOOST_TEST(std::isinf(read_one(server, one("7", "-87.5"), 7)));
  BOOST_CHECK_EXCEPTION(read_one(server, one("8", "-2.5"), 7), Error,
                        says(Fault::internal, "is 8, but token 7 was forced"));
  for (const std::string nats : {"null", "0.5", "\"x\""}) {
    BOOST_CHECK_EXCEPTION(
        read_one(server, one("7", nats), 7), Error,
        says(Fault::internal, "log-probability of token 7 is not a log-probability"));
  }
  BOOST_CHECK_EXCEPTION(
      read_one(server, one("7", "NaN"), 7), Error,
      says(Fault::internal, "http://h/completion: the reply cannot be read: contains NaN"));
  BOOST_CHECK_EXCEPTION(read_one(server, "<html>", 7), Error,
                        says(Fault::internal, "a page (HTML)"));
}

BOOST_AUTO_TEST_CASE(a_path_has_falling_biases_and_compensates_the_prefix) {
  const LlamaServer server = server_of(100);
  const Json body = Json::parse(server.force({{5, 8, 5, 1}, {7, 5, 8}, {}}).body);
  BOOST_TEST(body["prompt"] == Json({5, 8, 5, 1}));
  BOOST_TEST(body["n_predict"] == 3);
  BOOST_TEST(body["frequency_penalty"] == 4000);
  // By their order 3000, 2000 and 1000, and 4000 for each occurrence.
  BOOST_TEST(body["logit_bias"] == Json::parse("[[7,3000],[5,10000],[8,5000]]"));
  BOOST_TEST(body["samplers"] == Json({"top_k", "penalties"}));
  BOOST_TEST(body["top_k"] == 3);
  BOOST_TEST(body["repeat_last_n"] == 7);
  BOOST_TEST(body["n_probs"] == 1);
  BOOST_TEST(body["return_tokens"] == true);
}

BOOST_AUTO_TEST_CASE(a_path_is_read_up_to_the_first_other_token) {
  const LlamaServer server = server_of(100);
  ServerTally tally;
  std::size_t generated = 0;
  // The log-probabilities; 1 if the reply does not have one.
  const auto read = [&](const std::string& tokens, const std::string& entries) {
    ForcedPath path{{5}, {7, 8, 9}};
    server.read_forced({200, R"({"timings/prompt_n":2,"tokens":[)" + tokens +
                                 R"(],"completion_probabilities":[)" + entries + "]}"},
                       path, tally);
    for (double& nats : path.nats) nats = std::isnan(nats) ? 1 : nats;
    generated = path.generated;
    return path.nats;
  };
  const auto is = [](const std::vector<double>& nats, const std::vector<double>& expected) {
    BOOST_TEST(nats == expected, boost::test_tools::per_element());
  };
  const std::string seven = entry("7", "-1.5"), eight = entry("8", "-99"), nine = entry("9", "-2");
  is(read("7,8,9", seven + "," + eight + "," + nine),
     {-1.5, -std::numeric_limits<double>::infinity(), -2});
  BOOST_TEST(tally.tokens_computed == 4U);  // two of the prompt, 7 and 8
  is(read("7,8,9", seven + "," + nine), {-1.5, 1, -2});
  is(read("7,8,9", nine), {1, 1, -2});
  BOOST_TEST(generated == 3U);
  is(read("7,7,9", seven + "," + seven + "," + nine), {-1.5, 1, 1});
  BOOST_TEST(generated == 1U);
  is(read("8,7,9", eight + "," + seven + "," + nine), {1, 1, 1});
  is(read("7,8", seven + "," + eight), {-1.5, -std::numeric_limits<double>::infinity(), 1});
  is(read("", ""), {1, 1, 1});
  // A speculative batch has no candidates.
  is(read("7,8,9", seven + R"(,{"id":8,"logprob":0,"top_logprobs":[]},)" + nine), {-1.5, 1, -2});
  is(read("", seven + "," + nine), {1, 1, 1});  // without the tokens, no entry can be trusted
  BOOST_CHECK_EXCEPTION(
      (void)read("7", entry("7", "0.5")), Error,
      says(Fault::internal, "log-probability of token 7 is not a log-probability"));
}

BOOST_AUTO_TEST_CASE(a_path_has_the_log_probabilities_of_its_tokens) {
  test::FoundStandIn found(test::speaking("llamacpp"));
  const TokenId end = *found.made.model().bos();
  // "é" has two tokens; the first ends in the middle of the character. 0xe9 begins a character
  // that never ends.
  const std::vector<TokenId> prefix = found.ids("the cat the"),
                             tokens{'x', 0xc3, 0xa9, 't', 0xe9, 'c', end, 'h'};
  ForcedPath path{prefix, tokens};
  found.dialect->read_forced(found.client.ask(found.dialect->force(path)), path, found.tally);
  BOOST_TEST_REQUIRE(path.nats.size() == tokens.size());
  std::vector<TokenId> before = prefix;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const double expected = found.made.model().log_probability(before, tokens[i]);
    if (tokens[i] == 0xc3 || tokens[i] == 0xe9 || i > 6) {  // generation ends after the end token
      BOOST_TEST(std::isnan(path.nats[i]));
    } else {
      BOOST_TEST(std::abs(path.nats[i] - expected) < 1e-9);
    }
    before.push_back(tokens[i]);
  }
}

BOOST_AUTO_TEST_CASE(a_reply_without_its_token_is_asked_wholly) {
  double nats = 0;
  const TokenId token = 7;
  ServerTally tally;
  BOOST_TEST(!test::read_after(server_of(100), {200, R"({"timings":{"prompt_n":4}})"},
                               std::span(&token, 1), std::span(&nats, 1), tally));
  BOOST_TEST(tally.tokens_computed == 4U);
}

BOOST_AUTO_TEST_CASE(a_distribution_that_is_cut_is_refused) {
  const std::string body = R"({"completion_probabilities":[{"id":1,"logprob":-1,"top_logprobs":[
      {"id":2,"logprob":-1},{"id":0,"logprob":-2},{"id":1,"logprob":-3}]}]})";
  const std::vector<TokenId> tokens{1, 2};
  std::vector<double> nats(2);
  ServerTally tally;
  BOOST_TEST(test::read_after(server_of(3), {200, body}, tokens, nats, tally));
  BOOST_TEST(nats[0] == -3.0);
  BOOST_TEST(nats[1] == -1.0);
  BOOST_CHECK_EXCEPTION((void)test::read_after(server_of(4), {200, body}, tokens, nats, tally),
                        Error, says(Fault::user, "returns 3 of 4 log-probabilities"));
  std::string wrong = body;
  wrong.replace(wrong.find("\"id\":0"), 6, "\"id\":3");
  BOOST_CHECK_EXCEPTION((void)test::read_after(server_of(3), {200, wrong}, tokens, nats, tally),
                        Error,
                        says(Fault::internal, "contains token 3, which is not in the vocabulary"));
  wrong.replace(wrong.find("\"id\":3"), 6, "\"id\":2");
  BOOST_TEST(test::read_after(server_of(3), {200, wrong}, tokens, nats, tally));
  const std::vector<TokenId> lost{0, 1};
  BOOST_CHECK_EXCEPTION((void)test::read_after(server_of(3), {200, wrong}, lost, nats, tally),
                        Error,
                        says(Fault::internal,
                             "log-probability of token 0 is not a "
                             "log-probability"));
}

BOOST_AUTO_TEST_CASE(texts_are_spelt_by_the_pieces) {
  const LlamaServer server = server_of(300);
  const auto read = [&](const char* tokens, std::string_view text) {
    return server.read_tokens({200, std::string("{\"tokens\": ") + tokens + "}"}, text);
  };
  const Tokenization made = read(R"([{"id": 5, "piece": "a"}, {"id": 6, "piece": [195]},
                                     {"id": 7, "piece": [169]}])",
                                 "aé");
  BOOST_TEST(made.spells_text);
  BOOST_TEST(made.tokens[2].id == 7);
  BOOST_TEST((made.tokens[2].bytes == ByteSpan{2, 3}));
  const Tokenization spaced = read(R"([{"id": 5, "piece": " a"}, {"id": 6, "piece": "b"}])", "ab");
  BOOST_TEST(spaced.spells_text);
  BOOST_TEST((spaced.tokens[0].bytes == ByteSpan{0, 1}));
  BOOST_TEST((spaced.tokens[1].bytes == ByteSpan{1, 2}));
  BOOST_TEST(!read(R"([{"id": 5, "piece": "A"}])", "a").spells_text);
  BOOST_CHECK_EXCEPTION(read(R"([{"id": 5, "piece": [256]}])", "a"), Error,
                        says(Fault::internal, "which is not a byte"));
  BOOST_CHECK_EXCEPTION(read(R"([{"id": 300, "piece": "a"}])", "a"), Error,
                        says(Fault::internal, "which is not in the vocabulary"));
  const Json asked = Json::parse(server.tokenize("<s>\xc3", true).body);
  BOOST_TEST(asked["parse_special"] == true);
  BOOST_TEST(asked["with_pieces"] == true);
  BOOST_TEST(asked["add_special"] == false);
}

BOOST_AUTO_TEST_CASE(continuations_have_log_probabilities_where_the_reply_has_all) {
  test::FoundStandIn found(test::speaking("llamacpp"));
  const std::vector<TokenId> prompt = found.ids("the c");
  const auto generated = [&](const std::vector<TokenId>& from, std::size_t most) {
    const HttpReply reply = found.client.ask(found.dialect->generate(from, most, std::nullopt));
    return found.dialect->read_continuation(reply, found.tally);
  };
  const ServerContinuation made = generated(prompt, 3);
  const Continuation expected = found.made.model().generate(prompt, {0, 3, {}, 0}).front();
  BOOST_TEST(made.tokens == expected.tokens, boost::test_tools::per_element());
  BOOST_TEST(made.log_probabilities == expected.log_probabilities,
             boost::test_tools::tolerance(1e-12) << boost::test_tools::per_element());
  BOOST_TEST(!made.ended);
}

BOOST_AUTO_TEST_CASE(vectors_are_raw_and_of_the_last_token) {
  const LlamaServer server = server_of(300);
  BOOST_TEST(server.gives_raw_vectors());
  const std::vector<std::vector<TokenId>> sequences{{1, 2}, {3}};
  const Json asked = Json::parse(server.embed(sequences).body);
  BOOST_TEST(asked["content"] == Json::parse("[[1,2],[3]]"));
  BOOST_TEST(asked["embd_normalize"] == -1);
  const auto vectors = server.read_vectors(
      {200, R"([{"index":1,"embedding":[[3,4]]},{"index":0,"embedding":[[9,9],[1,2]]}])"}, 2);
  BOOST_TEST(vectors[0] == (std::vector<float>{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(vectors[1] == (std::vector<float>{3, 4}), boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(server.read_vectors({200, "[]"}, 1), Error,
                        says(Fault::internal, "is not a list of 1 vectors"));
  BOOST_CHECK_EXCEPTION(server.read_vectors({200, R"([{"index":0,"embedding":[[null]]}])"}, 1),
                        Error, says(Fault::internal, "holds null"));
}

BOOST_AUTO_TEST_SUITE_END()
