// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/server_check.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::FoundStandIn;
using test::says;
using test::speaking;
using test::StandInModel;

BOOST_AUTO_TEST_SUITE(server_check_suite)

namespace {

ServerCheck check(FoundStandIn& found, const std::string& text = "the cat") {
  return check_server(found.client, *found.dialect, found.tally, found.ids(text));
}

void refuses(const StandInModel::Options& options, const std::string& words) {
  FoundStandIn found(options);
  BOOST_CHECK_EXCEPTION(check(found), Error, says(Fault::user, words));
}

}  // namespace

BOOST_AUTO_TEST_CASE(sound_servers_pass) {
  for (const char* const maker : test::all_makers) {
    FoundStandIn found(speaking(maker));
    const ServerCheck made = check(found);
    BOOST_TEST(made.sum_off < 1e-9);
    BOOST_TEST(made.repeat_difference < 1e-9);
    BOOST_TEST(made.uncached_difference < 1e-9);
    BOOST_TEST(made.sequence_difference < 1e-9);
    BOOST_TEST(made.is_whole == (std::string(maker) != "vllm"));
  }
}

BOOST_AUTO_TEST_CASE(an_older_llama_server_without_ratios_passes) {
  StandInModel::Options old = speaking("llamacpp");
  old.ignores_post_sampling = true;
  FoundStandIn found(old);
  BOOST_TEST(check(found).repeat_difference < 1e-9);
}

BOOST_AUTO_TEST_CASE(wrong_ratios_to_the_reference_token_are_refused) {
  StandInModel::Options wrong = speaking("llamacpp");
  wrong.spoil = [](const test::StandInRequest& request, test::StandInReply& reply) {
    if (request.body.find(",140]") == std::string::npos) return;  // the reference token's bias
    Json body = Json::parse(reply.body);
    for (Json& entry : body["completion_probabilities"][0]["top_probs"]) {
      if (entry["prob"] < 0.5) entry["prob"] = entry["prob"].get<double>() * 3;
    }
    reply.body = body.dump();
  };
  refuses(wrong, "answers to the same question differ by 1.0986");
}

BOOST_AUTO_TEST_CASE(scaled_and_rounded_numbers_are_refused) {
  for (const char* const maker : test::all_makers) {
    const bool is_vllm = std::string(maker) == "vllm";
    StandInModel::Options scaled = speaking(maker);
    scaled.shift = is_vllm ? -9 : -0.5;
    refuses(scaled,
            is_vllm ? "which is not between 0.076923 and 1" : "add up to 0.606531, not to 1");
    StandInModel::Options rounded = speaking(maker);
    rounded.decimals = 3;
    refuses(rounded, "rounds its log-probabilities to three decimals");
  }
}

BOOST_AUTO_TEST_CASE(a_server_that_cuts_is_refused) {
  StandInModel::Options cut = speaking("llamacpp");
  cut.most_likely = 20;
  refuses(cut, "returns 20 of 260 log-probabilities");
  for (const char* const maker : {"vllm", "sglang"}) {
    StandInModel::Options ignores = speaking(maker);
    ignores.ignores_token_ids = true;
    refuses(ignores, std::string(maker) == "vllm" ? "returns no log-probability for token"
                                                  : "gives no output_token_ids_logprobs");
  }
}

BOOST_AUTO_TEST_CASE(a_vllm_that_reports_one_likeliest_token_is_enough) {
  StandInModel::Options few = speaking("vllm");
  few.spoil = [](const test::StandInRequest& request, test::StandInReply& reply) {
    if (request.body.find("\"logprobs\":20") == std::string::npos) return;
    reply = StandInModel::error(400, "Requested sample logprobs of 20, which is greater than 5");
  };
  FoundStandIn found(few);
  BOOST_TEST(check(found).sum_off < 1e-9);
}

BOOST_AUTO_TEST_CASE(a_vllm_whose_cache_answers_otherwise_is_refused) {
  StandInModel::Options cached = speaking("vllm");
  cached.spoil = [](const test::StandInRequest& request, test::StandInReply& reply) {
    const auto body = nlohmann::json::parse(request.body.empty() ? "{}" : request.body);
    if (!body.contains("cache_salt") || body.at("prompt").at(0).size() < 40) return;
    auto json = nlohmann::json::parse(reply.body);
    for (auto& top : json["choices"][0]["logprobs"]["top_logprobs"]) {
      for (auto& value : top) value = value.get<double>() - 0.5;
    }
    reply.body = json.dump();
  };
  refuses(cached, "answers to the same question differ by 0.500000 nats");
}

BOOST_AUTO_TEST_CASE(a_vllm_that_reports_other_numbers_of_prompts_is_refused) {
  StandInModel::Options shifted = speaking("vllm");
  shifted.spoil = [](const test::StandInRequest& request, test::StandInReply& reply) {
    if (request.body.find("prompt_logprobs") == std::string::npos) return;
    auto json = nlohmann::json::parse(reply.body);
    for (auto& place : json["choices"][0]["prompt_logprobs"]) {
      for (auto& entry : place) entry["logprob"] = entry["logprob"].get<double>() - 0.5;
    }
    reply.body = json.dump();
  };
  refuses(shifted, "answers to the same question differ by 0.500000 nats");
  shifted.spoil = [](const test::StandInRequest& request, test::StandInReply& reply) {
    if (request.body.find("prompt_logprobs") == std::string::npos) return;
    auto json = nlohmann::json::parse(reply.body);
    for (auto& entry : json["choices"][0]["logprobs"]["top_logprobs"][0]) {
      entry = entry.get<double>() - 0.5;  // only the tokens after the sequence
    }
    reply.body = json.dump();
  };
  refuses(shifted, "answers to the same question differ by 0.500000 nats");
}

BOOST_AUTO_TEST_CASE(only_a_llama_server_that_penalises_generated_tokens_can_be_forced) {
  for (const char* const maker : test::all_makers) {
    FoundStandIn found(speaking(maker));
    BOOST_TEST(check(found, "the cat sat").forces == (std::string(maker) == "llamacpp"));
    BOOST_TEST(!check(found, "cat").forces);  // too short to be tried
  }
  StandInModel::Options ignores = speaking("llamacpp");
  ignores.ignores_penalties = true;
  FoundStandIn found(ignores);
  BOOST_TEST(!check(found, "the cat sat").forces);
  // A server that does not penalise the prompt's tokens, and one that rejects the request.
  for (const bool is_rejected : {false, true}) {
    StandInModel::Options other = speaking("llamacpp");
    other.counts_prompt = false;
    other.spoil = [is_rejected](const test::StandInRequest& request, test::StandInReply& reply) {
      if (!is_rejected || request.body.find("frequency_penalty") == std::string::npos) return;
      reply = StandInModel::error(400, "frequency_penalty must be at most 2");
    };
    FoundStandIn without(other);
    BOOST_TEST(!check(without, "the cat sat").forces);
  }
}

BOOST_AUTO_TEST_CASE(a_llama_server_whose_paths_have_other_numbers_is_refused) {
  StandInModel::Options other = speaking("llamacpp");
  other.spoil = [](const test::StandInRequest& request, test::StandInReply& reply) {
    if (request.body.find("frequency_penalty") == std::string::npos) return;
    auto json = nlohmann::json::parse(reply.body);
    auto& last = json["completion_probabilities"].back()["logprob"];
    last = last.get<double>() - 0.5;
    reply.body = json.dump();
  };
  FoundStandIn found(other);
  BOOST_CHECK_EXCEPTION(check(found, "the cat sat"), Error,
                        says(Fault::user, "answers to the same question differ by 0.500000 nats"));
}

BOOST_AUTO_TEST_CASE(a_server_that_answers_otherwise_each_time_is_refused) {
  std::atomic<int> asked{0};
  StandInModel::Options drifts = speaking("sglang");
  drifts.spoil = [&](const test::StandInRequest& request, test::StandInReply& reply) {
    if (request.route != "/generate" || ++asked < 2) return;
    auto json = nlohmann::json::parse(reply.body);
    for (auto& row : json["meta_info"]["output_token_ids_logprobs"][0])
      row[0] = row[0].get<double>() - 0.5;
    reply.body = json.dump();
  };
  refuses(drifts, "answers to the same question differ by 0.500000 nats");
}

// The value is at the limit of F32: one reply contains it, but the next does not.
BOOST_AUTO_TEST_CASE(log_probabilities_near_the_f32_limit_count_as_equal) {
  for (const auto& [first, then, sound] :
       {std::tuple{-86.9, -9999.0, true}, std::tuple{-9999.0, -86.9, true},
        std::tuple{-80.1, -79.9, true}, std::tuple{-30.0, -9999.0, false},
        std::tuple{-86.9, -30.0, false}}) {
    std::atomic<int> asked{0};
    StandInModel::Options rare = speaking("sglang");
    rare.spoil = [&, first = first, then = then](const test::StandInRequest& request,
                                                 test::StandInReply& reply) {
      if (request.route != "/generate") return;
      const double nats = ++asked == 1 ? first : then;
      auto json = nlohmann::json::parse(reply.body);
      for (auto& row : json["meta_info"]["output_token_ids_logprobs"][0]) {
        if (row[1] == 129) row[0] = nats;  // 129 is half of the largest id, 259
      }
      reply.body = json.dump();
    };
    if (!sound) {
      refuses(rare, "answers to the same question differ by 50.000000 nats");
      continue;
    }
    FoundStandIn found(rare);
    BOOST_TEST(check(found).repeat_difference < 0.2);
  }
}

BOOST_AUTO_TEST_CASE(models_are_distinguished_by_their_answers) {
  const auto answers = [](const char* maker, const std::string& training) {
    const StandInModel made(speaking(maker), training);
    const test::StandInServer server(made);
    HttpClient client(parse_server_url(server.url()), test::quick_http());
    const auto dialect = find_server(client, made.model().vocabulary_size());
    ServerTally tally;
    const std::vector<std::vector<TokenId>> prompts{{'a'}, {256}};
    return server_answers(client, *dialect, tally, prompts);
  };
  const std::string other =
      std::string(StandInModel::text) + "the cat ran. the cat ran. the cat ran. ";
  for (const char* const maker : test::all_makers) {
    BOOST_TEST(answers(maker, StandInModel::text) == answers(maker, StandInModel::text));
    BOOST_TEST(answers(maker, StandInModel::text) != answers(maker, other));
  }
}

BOOST_AUTO_TEST_SUITE_END()
