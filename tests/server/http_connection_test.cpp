// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/http_connection.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <utility>

#include "support/secure_stand_in.hpp"
#include "support/stand_in_server.hpp"

using namespace plumb::detail;
using test::SecureStandIn;
using test::StandInReply;
using test::StandInRequest;
using test::StandInServer;

BOOST_AUTO_TEST_SUITE(http_connection_suite)

namespace {

using Step = TransportError::Step;

auto fails_with(std::string words, Step step = Step::other) {
  return [words = std::move(words), step](const TransportError& error) {
    return std::string(error.what()).find(words) != std::string::npos && error.step() == step;
  };
}

struct Connected {
  explicit Connected(StandInServer::Answer answer, HttpTimes times = {},
                     const std::string& path = "")
      : server(std::move(answer)),
        connection(parse_server_url(server.url() + path), times, nullptr) {}
  StandInServer server;
  HttpConnection connection;
};

}  // namespace

BOOST_AUTO_TEST_CASE(requests_and_replies_go_through_one_connection) {
  StandInRequest last;
  Connected both(
      [&](const StandInRequest& request) {
        last = request;
        StandInReply reply{"{\"n\": " + std::to_string(request.on_connection) + "}", 203};
        reply.headers = {{"Retry-After", "7"}, {"Location", "http://other/"}};
        return reply;
      },
      {}, "/base");
  BOOST_TEST(!both.connection.is_open());
  HttpReply reply = both.connection.exchange({"/v1/x", ""}, "");
  BOOST_TEST(last.route == "/base/v1/x");
  BOOST_TEST(last.authorization.empty());
  BOOST_TEST(last.host == "127.0.0.1:" + std::to_string(both.server.port()));
  BOOST_TEST(reply.status == 203U);
  BOOST_TEST(reply.content_type == "application/json");
  BOOST_TEST(reply.retry_after == "7");
  BOOST_TEST(reply.location == "http://other/");
  BOOST_TEST(both.connection.is_open());
  reply = both.connection.exchange({"/y", "{\"q\":1}"}, "Bearer k");
  BOOST_TEST(reply.body == "{\"n\": 1}");
  BOOST_TEST(last.body == "{\"q\":1}");
  BOOST_TEST(last.authorization == "Bearer k");
  BOOST_TEST(both.server.connections() == 1U);
}

BOOST_AUTO_TEST_CASE(a_reply_of_megabytes_comes_whole) {
  const std::string large(20'000'000, 'x');
  Connected both([&](const StandInRequest&) { return StandInReply{large}; });
  BOOST_TEST((both.connection.exchange({"/", ""}, "").body == large));
}

BOOST_AUTO_TEST_CASE(incomplete_and_missing_replies_are_reported) {
  Connected half([](const StandInRequest&) {
    StandInReply reply{"0123456789"};
    reply.end = StandInReply::End::half;
    return reply;
  });
  BOOST_CHECK_EXCEPTION((void)half.connection.exchange({"/", ""}, ""), TransportError,
                        fails_with("the reply was incomplete"));
  BOOST_TEST(!half.connection.is_open());
  Connected none([](const StandInRequest&) {
    StandInReply reply;
    reply.end = StandInReply::End::none;
    return reply;
  });
  BOOST_CHECK_EXCEPTION((void)none.connection.exchange({"/", ""}, ""), TransportError,
                        fails_with("closed the connection before it replied"));
}

BOOST_AUTO_TEST_CASE(a_slow_reply_is_given_up) {
  Connected both(
      [](const StandInRequest&) {
        StandInReply reply{"{}"};
        reply.delay = std::chrono::milliseconds(400);
        return reply;
      },
      {.connect = std::chrono::milliseconds(10'000), .reply = std::chrono::milliseconds(50)});
  BOOST_CHECK_EXCEPTION((void)both.connection.exchange({"/", ""}, ""), TransportError,
                        fails_with("waiting for the reply took longer than 0.05 s"));
}

BOOST_AUTO_TEST_CASE(unreachable_server_is_reported) {
  std::string url;
  {
    const StandInServer server([](const StandInRequest&) { return StandInReply{}; });
    url = server.url();
  }
  HttpConnection connection(parse_server_url(url), {}, nullptr);
  BOOST_CHECK_EXCEPTION((void)connection.exchange({"/", ""}, ""), TransportError,
                        fails_with("connecting: "));
  HttpConnection nowhere(parse_server_url("http://no-such-host.invalid"), {}, nullptr);
  BOOST_CHECK_EXCEPTION((void)nowhere.exchange({"/", ""}, ""), TransportError,
                        fails_with("resolving no-such-host.invalid: "));
}

BOOST_AUTO_TEST_CASE(a_server_whose_certificate_is_trusted_and_has_its_name_is_asked) {
  const SecureStandIn server("IP:127.0.0.1");
  HttpConnection connection(parse_server_url(server.url("127.0.0.1")), {}, server.trust());
  BOOST_TEST(connection.exchange({"/", ""}, "Bearer k").body == "{}");
}

BOOST_AUTO_TEST_CASE(a_certificate_that_nobody_vouches_for_is_refused_before_anything_is_sent) {
  const SecureStandIn server("IP:127.0.0.1");
  HttpConnection connection(parse_server_url(server.url("127.0.0.1")), {}, trusting_context());
  BOOST_CHECK_EXCEPTION(
      (void)connection.exchange({"/", ""}, "Bearer k"), TransportError,
      fails_with("its certificate is not trusted: self-signed certificate", Step::certificate));
  BOOST_TEST(!server.got_request());
}

BOOST_AUTO_TEST_CASE(a_certificate_for_another_name_is_refused_before_anything_is_sent) {
  const SecureStandIn server("DNS:other.example");
  HttpConnection connection(parse_server_url(server.url("127.0.0.1")), {}, server.trust());
  BOOST_CHECK_EXCEPTION(
      (void)connection.exchange({"/", ""}, "Bearer k"), TransportError,
      fails_with("its certificate is not valid for the name 127.0.0.1", Step::certificate));
  BOOST_TEST(!server.got_request());
}

BOOST_AUTO_TEST_CASE(a_server_without_tls_is_no_https_server) {
  const StandInServer server([](const StandInRequest&) { return StandInReply{}; });
  HttpConnection connection(parse_server_url("https://127.0.0.1:" + std::to_string(server.port())),
                            {}, trusting_context());
  BOOST_CHECK_EXCEPTION((void)connection.exchange({"/", ""}, ""), TransportError,
                        fails_with("", Step::handshake));
}

BOOST_AUTO_TEST_SUITE_END()
