// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/reply_json.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(reply_json_suite)

BOOST_AUTO_TEST_CASE(non_json_reply_is_described_in_one_line) {
  const auto parse = [](const std::string& body) { return parse_reply(body, "http://h/r"); };
  BOOST_CHECK_EXCEPTION(parse("<!doctype html>\n<p>Sign in"), Error,
                        says(Fault::internal, "http://h/r: the reply is a page (HTML), not JSON"));
  BOOST_CHECK_EXCEPTION(parse(" \n"), Error, says(Fault::internal, "the reply is empty"));
  BOOST_CHECK_EXCEPTION(parse("{\"tokens\": [1, 2"), Error, says(Fault::internal, "not JSON"));
  BOOST_CHECK_EXCEPTION(parse("{\"p\": NaN}"), Error, says(Fault::internal, "contains NaN"));
  BOOST_CHECK_EXCEPTION(parse("\"\xff\""), Error, says(Fault::internal, "not UTF-8"));
}

BOOST_AUTO_TEST_CASE(fields_are_found_by_pointers) {
  const ReplyJson reply = parse_reply(R"({"a": [{"b": "x", "n": 7}], "s": -3})", "p");
  BOOST_TEST(reply.at("/a/0/b") == "x");
  BOOST_TEST(reply.text_or("/a/0/b", "y") == "x");
  BOOST_TEST(reply.text_or("/a/0/n", "y") == "y");
  BOOST_TEST(reply.text_or("/a/1/b", "y") == "y");
  BOOST_TEST(reply.count_or("/a/0/n", 1) == 7U);
  BOOST_TEST(reply.count_or("/s", 1) == 1U);
  BOOST_TEST(reply.find("/none/there").is_null());
  BOOST_CHECK_EXCEPTION((void)reply.at("/a/0/c"), Error,
                        says(Fault::internal, "p: the reply's /a/0/c is missing"));
}

BOOST_AUTO_TEST_CASE(token_ids_are_ids_of_the_vocabulary) {
  const ReplyJson reply = parse_reply("[5, -1, 1.5, \"5\", 4294967296, null]", "p");
  BOOST_TEST(reply.token(reply.value[0], "f", 6) == 5);
  BOOST_TEST(reply.token(reply.value[0], "f", 0) == 5);
  BOOST_CHECK_EXCEPTION((void)reply.token(reply.value[0], "f", 5), Error,
                        says(Fault::internal, "contains token 5, which is not in the vocabulary"));
  for (const std::size_t i : {1U, 2U, 3U, 4U, 5U}) {
    BOOST_CHECK_EXCEPTION((void)reply.token(reply.value[i], "f", 0), Error,
                          says(Fault::internal, "the reply's f"));
  }
}

BOOST_AUTO_TEST_CASE(log_probabilities_are_at_most_0) {
  const ReplyJson reply = parse_reply("[-1.5, 0, 1e-4, 0.01, null, -9999.0]", "p");
  BOOST_TEST(reply.log_probability(reply.value[0], "f") == -1.5);
  BOOST_TEST(reply.log_probability(reply.value[1], "f") == 0.0);
  BOOST_TEST(reply.log_probability(reply.value[2], "f") == 1e-4);
  for (const std::size_t i : {3U, 4U}) {
    BOOST_CHECK_EXCEPTION((void)reply.log_probability(reply.value[i], "f"), Error,
                          says(Fault::internal, "f is not a log-probability"));
  }
  BOOST_TEST(std::isinf(reply.log_probability(reply.value[5], "f")));
  BOOST_CHECK_EXCEPTION((void)reply.checked_log_probability(std::nan(""), "f"), Error,
                        says(Fault::internal, "f is not a log-probability"));
}

BOOST_AUTO_TEST_CASE(vectors_are_finite_numbers) {
  const ReplyJson reply = parse_reply("[[1, -2.5], [], [1, null], \"x\"]", "p");
  const std::vector<float> vector = reply.numbers(reply.value[0], "f");
  BOOST_TEST(vector.size() == 2U);
  BOOST_TEST(vector[1] == -2.5F);
  BOOST_CHECK_EXCEPTION((void)reply.numbers(reply.value[1], "f"), Error,
                        says(Fault::internal, "f is not a vector"));
  BOOST_CHECK_EXCEPTION((void)reply.numbers(reply.value[2], "f"), Error,
                        says(Fault::internal, "f holds null"));
  BOOST_CHECK_EXCEPTION((void)reply.numbers(reply.value[3], "f"), Error,
                        says(Fault::internal, "f is not a vector"));
}

BOOST_AUTO_TEST_CASE(errors_of_all_servers_are_read) {
  BOOST_TEST(error_message(R"({"error": {"code": 400, "message": "too long"}})") == "too long");
  BOOST_TEST(error_message(R"({"error": "busy"})") == "busy");
  BOOST_TEST(error_message(R"({"object": "error", "message": "no model"})") == "no model");
  BOOST_TEST(error_message(R"({"detail": "Not Found"})") == "Not Found");
  BOOST_TEST(error_message("{\"error\": 3}").empty());
  BOOST_TEST(error_message("<html>").empty());
}

BOOST_AUTO_TEST_SUITE_END()
