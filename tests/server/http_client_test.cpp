// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/http_client.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/secure_stand_in.hpp"
#include "support/stand_in_server.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;
using test::SecureStandIn;
using test::StandInReply;
using test::StandInRequest;
using test::StandInServer;

BOOST_AUTO_TEST_SUITE(http_client_suite)

namespace {

/// Options with few retries and short waits.
HttpOptions quick(std::string key = "") {
  HttpOptions options;
  options.key = std::move(key);
  options.retry = {.tries = 4, .first = RetryPolicy::Seconds(0.01)};
  return options;
}

StandInReply with_status(unsigned status, std::string body = "{}") {
  StandInReply reply{std::move(body)};
  reply.status = status;
  return reply;
}

struct Pair {
  explicit Pair(StandInServer::Answer answer, HttpOptions options = quick())
      : server(std::move(answer)), client(parse_server_url(server.url()), std::move(options)) {}
  StandInServer server;
  HttpClient client;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_busy_server_is_asked_again) {
  for (const unsigned status : {429U, 500U, 503U}) {
    Pair pair([&](const StandInRequest& request) {
      return with_status(request.number < 2 ? status : 200, "{\"ok\":1}");
    });
    BOOST_TEST(pair.client.ask({"/", ""}).body == "{\"ok\":1}");
    BOOST_TEST(pair.client.sent() == 3U);
    BOOST_TEST(pair.client.sent_again() == 2U);
    // A proxy replies with a status of 500 or above if it has lost contact with the server.
    BOOST_TEST(pair.client.losses() == (status == 429 ? 0U : 2U));
  }
}

BOOST_AUTO_TEST_CASE(one_that_stays_busy_ends_it) {
  Pair pair([&](const StandInRequest&) {
    return with_status(503, "{\"error\":{\"message\":\"Loading model\"}}");
  });
  BOOST_CHECK_EXCEPTION(
      (void)pair.client.ask({"/", ""}), Error,
      says(Fault::internal,
           pair.server.url() +
               ": the server does not answer (4 tries): answers 503: Loading model"));
  BOOST_TEST(pair.server.requests() == 4U);
}

BOOST_AUTO_TEST_CASE(error_mentions_resuming_only_after_the_client_has_connected) {
  std::string retry_after;
  Pair pair([&](const StandInRequest&) {
    StandInReply reply = with_status(503);
    if (!retry_after.empty()) reply.headers = {{"Retry-After", retry_after}};
    return reply;
  });
  const auto ends = [&](const std::string& end) {
    BOOST_CHECK_EXCEPTION((void)pair.client.ask({"/", ""}), Error, [&](const Error& error) {
      return std::string(error.what()).ends_with(end);
    });
  };
  ends("answers 503; check that it is running at this URL and has loaded its model");
  retry_after = "9999";
  ends("after 9999 s; try again after that time");
  pair.client.set_connected();
  ends("after 9999 s; finished work is kept; resume after that time");
  retry_after.clear();
  ends("answers 503; finished work is kept; check the server, then resume");
}

BOOST_AUTO_TEST_CASE(retry_after_is_waited_for) {
  Pair pair([&](const StandInRequest& request) {
    StandInReply reply = with_status(request.number == 0 ? 429 : 200);
    if (request.number == 0) reply.headers = {{"Retry-After", "1"}};
    return reply;
  });
  const auto start = std::chrono::steady_clock::now();
  (void)pair.client.ask({"/", ""});
  BOOST_TEST((std::chrono::steady_clock::now() - start >= std::chrono::seconds(1)));
  Pair late([&](const StandInRequest&) {
    StandInReply reply = with_status(429);
    reply.headers = {{"Retry-After", "86400"}};
    return reply;
  });
  BOOST_CHECK_EXCEPTION((void)late.client.ask({"/", ""}), Error,
                        says(Fault::internal, "asks to retry after 86400 s"));
  BOOST_TEST(late.server.requests() == 1U);
}

BOOST_AUTO_TEST_CASE(dropped_and_half_replies_are_asked_again) {
  for (const auto end : {StandInReply::End::half, StandInReply::End::none}) {
    Pair pair([&](const StandInRequest& request) {
      StandInReply reply{"{\"ok\":1}"};
      if (request.number < 2) reply.end = end;
      return reply;
    });
    BOOST_TEST(pair.client.ask({"/", ""}).body == "{\"ok\":1}");
    BOOST_TEST(pair.client.losses() == 2U);
    Pair gone([&](const StandInRequest&) {
      StandInReply reply{"{\"ok\":1}"};
      reply.end = end;
      return reply;
    });
    BOOST_CHECK_EXCEPTION((void)gone.client.ask({"/", ""}), Error,
                          says(Fault::internal, "the server does not answer (4 tries)"));
  }
}

BOOST_AUTO_TEST_CASE(connection_closed_while_idle_is_reopened_without_using_a_retry) {
  HttpOptions options = quick();
  options.retry.tries = 1;
  Pair pair(
      [&](const StandInRequest&) {
        StandInReply reply{"{}"};
        reply.closes = true;
        return reply;
      },
      options);
  for (int i = 0; i < 3; ++i) (void)pair.client.ask({"/", ""});
  BOOST_TEST(pair.server.requests() == 3U);
}

BOOST_AUTO_TEST_CASE(what_the_server_refuses_is_not_asked_again) {
  Pair pair([&](const StandInRequest&) {
    return with_status(400, "{\"error\":{\"message\":\"the prompt is too long\"}}");
  });
  BOOST_CHECK_EXCEPTION((void)pair.client.ask({"/completion", "{}"}), Error,
                        says(Fault::user, "refuses /completion (400): the prompt is too long"));
  BOOST_TEST(pair.server.requests() == 1U);
  BOOST_TEST(pair.client.reply({"/completion", "{}"}).status == 400U);
}

BOOST_AUTO_TEST_CASE(a_key_goes_to_the_server_and_into_no_message) {
  std::string got;
  for (const unsigned status : {200U, 400U, 401U, 403U, 503U}) {
    Pair pair(
        [&](const StandInRequest& request) {
          got = request.authorization;
          return with_status(status, "{\"error\":\"no such key: " + got + "\"}");
        },
        quick("sk-hunter2"));
    try {
      (void)pair.client.ask({"/", ""});
      BOOST_TEST(status == 200U);
    } catch (const Error& error) {
      BOOST_TEST(std::string(error.what()).find("hunter2") == std::string::npos);
    }
    BOOST_TEST(got == "Bearer sk-hunter2");
  }
  Pair open([&](const StandInRequest&) { return with_status(401); });
  BOOST_CHECK_EXCEPTION(
      (void)open.client.ask({"/", ""}), Error,
      says(Fault::user, "requires a key (401); set the environment variable PLUMB_API_KEY"));
}

BOOST_AUTO_TEST_CASE(a_key_that_no_header_can_hold_is_refused_and_not_repeated) {
  for (const std::string key : {"hunter2\r\nX: y", "hunter2\n", "hunter 2", "h\xc3\xbcnter2"}) {
    BOOST_CHECK_EXCEPTION(
        HttpClient(parse_server_url("http://h"), quick(key)), Error, [](const Error& error) {
          const std::string text = error.what();
          return text.starts_with("PLUMB_API_KEY: ") && text.find("nter") == text.npos;
        });
  }
}

BOOST_AUTO_TEST_CASE(a_certificate_that_nobody_vouches_for_ends_it_at_once) {
  const SecureStandIn server("IP:127.0.0.1");
  HttpClient client(parse_server_url(server.url("127.0.0.1")), quick());
  BOOST_CHECK_EXCEPTION(
      (void)client.ask({"/", ""}), Error,
      says(Fault::user,
           server.url("127.0.0.1") +
               ": its certificate is not trusted: self-signed certificate; use the host name in "
               "its certificate, or set the environment variable SSL_CERT_FILE to the "
               "certificate's file"));
  BOOST_TEST(client.sent() == 1U);
}

BOOST_AUTO_TEST_CASE(server_without_tls_is_reported_after_two_attempts) {
  const StandInServer server([](const StandInRequest&) { return StandInReply{}; });
  HttpClient client(parse_server_url("https://127.0.0.1:" + std::to_string(server.port())),
                    quick());
  BOOST_CHECK_EXCEPTION((void)client.ask({"/", ""}), Error,
                        says(Fault::user, "if the server only supports http://"));
  BOOST_TEST(client.sent() == 2U);
  HttpOptions once = quick();
  once.retry.tries = 1;
  HttpClient hasty(client.url(), once);
  BOOST_CHECK_EXCEPTION((void)hasty.ask({"/", ""}), Error,
                        says(Fault::user, "if the server only supports http://"));
}

BOOST_AUTO_TEST_CASE(a_tls_server_that_answered_and_fell_silent_is_asked_as_often_as_any) {
  const test::TemporaryFolder folder;
  const SecureStandIn server("IP:127.0.0.1");  // answers once
  server.write_certificate(folder / "server.pem");
  setenv("SSL_CERT_FILE", (folder / "server.pem").c_str(), 1);
  HttpOptions options = quick();
  options.times.connect = std::chrono::milliseconds(500);
  HttpClient client(parse_server_url(server.url("127.0.0.1")), options);
  unsetenv("SSL_CERT_FILE");
  BOOST_TEST(client.ask({"/", ""}).body == "{}");
  BOOST_CHECK_EXCEPTION((void)client.ask({"/", ""}), Error,
                        says(Fault::internal,
                             "the server does not answer (4 tries): the TLS "
                             "handshake took longer than 0.5 s"));
}

BOOST_AUTO_TEST_CASE(one_note_reports_that_replies_are_slow) {
  HttpOptions options = quick();
  options.concurrency = 1;
  options.times.slow = std::chrono::milliseconds(1000);
  std::vector<std::string> notes;
  options.note = [&](const std::string& text) { notes.push_back(text); };
  Pair pair(
      [](const StandInRequest& request) {
        StandInReply reply{"{}"};
        reply.delay = std::chrono::milliseconds(request.route == "/slow" ? 1200 : 0);
        return reply;
      },
      options);
  BOOST_TEST(pair.client.ask({"/", ""}).body == "{}");
  BOOST_TEST(notes.empty());
  for (int i = 0; i < 2; ++i) BOOST_TEST(pair.client.ask({"/slow", ""}).body == "{}");
  BOOST_REQUIRE(notes.size() == 1U);
  BOOST_TEST(notes[0] == pair.client.url().text() +
                             " has not replied for 1 s; plumb waits up to 600 s for each reply");
}

BOOST_AUTO_TEST_CASE(redirects_are_not_followed) {
  const StandInServer other([](const StandInRequest&) { return StandInReply{"{}"}; });
  Pair pair(
      [&](const StandInRequest&) {
        StandInReply reply = with_status(307);
        reply.headers = {{"Location", "http://me:pw@127.0.0.1:" + std::to_string(other.port()) +
                                          "/a?key=hunter2"}};
        return reply;
      },
      quick("sk"));
  BOOST_CHECK_EXCEPTION((void)pair.client.ask({"/", ""}), Error, [&](const Error& error) {
    const std::string text = error.what();
    return error.fault() == Fault::user &&
           text.find("redirects to http://127.0.0.1:" + std::to_string(other.port()) + ";") !=
               text.npos &&
           text.find("hunter2") == text.npos && text.find("pw") == text.npos;
  });
  BOOST_TEST(other.requests() == 0U);
}

BOOST_AUTO_TEST_CASE(requests_run_concurrently_up_to_the_limit) {
  HttpOptions options = quick();
  options.concurrency = 4;
  Pair pair(
      [&](const StandInRequest& request) {
        StandInReply reply{request.body};
        reply.delay = std::chrono::milliseconds(20);
        return reply;
      },
      options);
  std::vector<std::string> got(40);
  pair.client.ask_all(
      got.size(),
      [](std::size_t i) {
        return HttpRequest{"/", std::to_string(i)};
      },
      [&](std::size_t i, const HttpReply& reply) { got[i] = reply.body; });
  for (std::size_t i = 0; i < got.size(); ++i) BOOST_TEST(got[i] == std::to_string(i));
  BOOST_TEST(pair.server.most_at_once() <= 4U);
  BOOST_TEST(pair.server.most_at_once() > 1U);
  BOOST_TEST(pair.server.connections() <= 4U);
  pair.client.ask_all(
      0, [](std::size_t) { return HttpRequest{}; }, [](std::size_t, const HttpReply&) {});
  BOOST_TEST(pair.server.requests() == 40U);
}

BOOST_AUTO_TEST_CASE(the_first_error_of_many_requests_ends_them) {
  HttpOptions options = quick();
  options.concurrency = 3;
  Pair pair(
      [&](const StandInRequest& request) { return with_status(request.body == "5" ? 400 : 200); },
      options);
  BOOST_CHECK_EXCEPTION(pair.client.ask_all(
                            10'000,
                            [](std::size_t i) {
                              return HttpRequest{"/r", std::to_string(i)};
                            },
                            [](std::size_t, const HttpReply&) {}),
                        Error, says(Fault::user, "refuses /r (400)"));
  BOOST_TEST(pair.server.requests() < 10'000U);
}

BOOST_AUTO_TEST_CASE(each_part_is_sent_by_one_thread_and_an_error_ends_all_parts) {
  Pair pair(
      [](const StandInRequest& request) {
        StandInReply reply;
        reply.body = request.body;
        return reply;
      },
      quick());
  const std::vector<std::size_t> begins{0, 10, 20};
  ContiguousParts parts(begins, 30);
  std::vector<std::string> got(30);
  pair.client.ask_in_parts(
      parts,
      [](std::size_t i) {
        return HttpRequest{"/", std::to_string(i)};
      },
      [&](std::size_t i, const HttpReply& reply) { got[i] = reply.body; });
  for (std::size_t i = 0; i < got.size(); ++i) BOOST_TEST(got[i] == std::to_string(i));
  BOOST_TEST(pair.server.requests() == 30U);
  BOOST_TEST(pair.server.connections() <= 3U);

  Pair failing(
      [](const StandInRequest& request) { return with_status(request.body == "7" ? 400 : 200); },
      quick());
  const std::vector<std::size_t> two{0, 5'000};
  ContiguousParts many(two, 10'000);
  BOOST_CHECK_EXCEPTION(failing.client.ask_in_parts(
                            many,
                            [](std::size_t i) {
                              return HttpRequest{"/r", std::to_string(i)};
                            },
                            [](std::size_t, const HttpReply&) {}),
                        Error, says(Fault::user, "refuses /r (400)"));
  BOOST_TEST(failing.server.requests() < 4'000U);
  ContiguousParts none({}, 0);
  pair.client.ask_in_parts(
      none, [](std::size_t) { return HttpRequest{}; }, [](std::size_t, const HttpReply&) {});
  BOOST_TEST(pair.server.requests() == 30U);
}

BOOST_AUTO_TEST_SUITE_END()
