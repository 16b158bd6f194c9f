// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/llama_probabilities.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(llama_probabilities_suite)

BOOST_AUTO_TEST_CASE(ids_and_nats_are_read_and_all_else_is_passed_over) {
  const auto read = read_llama_probabilities(R"({
    "index": 0, "content": "\u00e9 x", "tokens": [7, 8], "id": 99, "logprob": -9,
    "generation_settings": {"logit_bias": [{"id": 3, "logprob": -4}], "stop_type": "x"},
    "stop_type": "limit", "timings": {"cache_n": 5, "prompt_n": 2},
    "completion_probabilities": [
      {"id": 7, "token": "a", "bytes": [97, 98], "logprob": -0.5, "top_logprobs": [
        {"id": 7, "token": "a", "bytes": [97], "logprob": -0.5},
        {"id": 1, "token": "id", "bytes": [], "logprob": -2}]},
      {"id": 8, "token": "b", "bytes": [], "logprob": -1e-3, "top_logprobs": []}]})");
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->generated.size() == 2U);
  BOOST_TEST(read->generated[0].id == 7);
  BOOST_TEST(read->generated[0].nats == -0.5);
  BOOST_TEST(read->generated[1].id == 8);
  BOOST_TEST(read->generated[1].nats == -1e-3);
  BOOST_TEST(read->likeliest.size() == 2U);
  BOOST_TEST(read->likeliest[0].size() == 2U);
  BOOST_TEST(read->likeliest[0][1].id == 1);
  BOOST_TEST(read->likeliest[0][1].nats == -2.0);
  BOOST_TEST(read->likeliest[1].empty());
  BOOST_TEST(read->tokens.size() == 2U);
  BOOST_TEST(read->computed == 2U);
  BOOST_TEST(read->stop_type == "limit");
}

BOOST_AUTO_TEST_CASE(fields_that_were_asked_by_path_are_read_too) {
  const auto read = read_llama_probabilities(R"({"timings/prompt_n": 3, "stop_type": "eos"})");
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->computed == 3U);
  BOOST_TEST(read->generated.empty());
}

BOOST_AUTO_TEST_CASE(missing_entry_fields_become_an_invalid_id_and_nan) {
  const auto read = read_llama_probabilities(
      R"({"completion_probabilities": [{"logprob": null, "top_logprobs": [{"id": 2.5}]}]})");
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->generated[0].id == -1);
  BOOST_TEST(std::isnan(read->generated[0].nats));
  BOOST_TEST(read->likeliest[0][0].id == -1);
}

BOOST_AUTO_TEST_CASE(what_is_no_json_gives_nothing) {
  for (const std::string text :
       {"", "<html>", "{\"completion_probabilities\": [{", "{\"a\": NaN}", "[1,2"}) {
    BOOST_TEST(!read_llama_probabilities(text).has_value());
  }
  for (const std::string text :
       {"[]", "3", "null", "{\"completion_probabilities\": 3}",
        "{\"completion_probabilities\": [[{\"id\": 1}]]}",
        "{\"completion_probabilities\": {\"top_logprobs\": [{\"id\": 1}]}}", "[[[[{\"id\": 1}]]]]",
        "{\"a\": [[1]], \"tokens\": {\"x\": 1}}"}) {
    const auto read = read_llama_probabilities(text);
    BOOST_REQUIRE(read.has_value());
    BOOST_TEST(read->generated.empty());
    BOOST_TEST(read->tokens.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
