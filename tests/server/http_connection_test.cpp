// SPDX-License-Identifier: Apache-2.0
#include "plumb/server/http_connection.hpp"

#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "support/stand_in_server.hpp"

using namespace plumb;
using test::StandInReply;
using test::StandInRequest;
using test::StandInServer;

BOOST_AUTO_TEST_SUITE(http_connection_suite)

namespace {

using Context = boost::asio::ssl::context;

auto fails_with(std::string words) {
  return [words = std::move(words)](const TransportError& error) {
    return std::string(error.what()).find(words) != std::string::npos;
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

BOOST_AUTO_TEST_CASE(half_a_reply_and_none_are_said) {
  Connected half([](const StandInRequest&) {
    StandInReply reply{"0123456789"};
    reply.end = StandInReply::End::half;
    return reply;
  });
  BOOST_CHECK_EXCEPTION((void)half.connection.exchange({"/", ""}, ""), TransportError,
                        fails_with("the reply ended in its middle"));
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

BOOST_AUTO_TEST_CASE(a_server_that_is_not_there_is_said) {
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
                        fails_with("finding no-such-host.invalid: "));
}

namespace {

/// A server with TLS whose certificate, of a key of its own, is for one name. Answers one
/// connection.
class SecureStandIn {
 public:
  explicit SecureStandIn(const std::string& name)
      : key_(EVP_EC_gen("P-256"), EVP_PKEY_free), certificate_(X509_new(), X509_free) {
    X509* const made = certificate_.get();
    X509_set_version(made, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made), 3600);
    X509_set_pubkey(made, key_.get());
    X509_NAME* const title = X509_get_subject_name(made);
    const auto* const text = reinterpret_cast<const unsigned char*>("plumb test");
    X509_NAME_add_entry_by_txt(title, "CN", MBSTRING_ASC, text, -1, -1, 0);
    X509_set_issuer_name(made, title);
    X509_EXTENSION* const names =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, name.c_str());
    X509_add_ext(made, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(made, key_.get(), EVP_sha256());
    SSL_CTX_use_certificate(context_.native_handle(), made);
    SSL_CTX_use_PrivateKey(context_.native_handle(), key_.get());
    acceptor_.listen();
    serving_ = std::thread([this] { serve(); });
  }
  ~SecureStandIn() { serving_.join(); }
  SecureStandIn(const SecureStandIn&) = delete;
  SecureStandIn& operator=(const SecureStandIn&) = delete;

  [[nodiscard]] std::string url(const std::string& host) const {
    return "https://" + host + ":" + std::to_string(acceptor_.local_endpoint().port());
  }
  /// Trusts this server's certificate and no other.
  [[nodiscard]] std::shared_ptr<Context> trust() const {
    auto context = std::make_shared<Context>(Context::tls_client);
    context->set_verify_mode(boost::asio::ssl::verify_peer);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context->native_handle()), certificate_.get());
    return context;
  }
  [[nodiscard]] bool got_request() const { return got_; }

 private:
  using Tcp = boost::asio::ip::tcp;
  void serve() {
    boost::asio::ssl::stream<Tcp::socket> stream(io_, context_);
    boost::system::error_code failed;
    acceptor_.accept(stream.lowest_layer(), failed);
    stream.handshake(boost::asio::ssl::stream_base::server, failed);
    if (failed) return;
    boost::beast::flat_buffer buffer;
    boost::beast::http::request<boost::beast::http::string_body> request;
    boost::beast::http::read(stream, buffer, request, failed);
    if (failed) return;
    got_ = true;
    const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    boost::asio::write(stream, boost::asio::buffer(reply), failed);
  }

  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
  std::unique_ptr<X509, decltype(&X509_free)> certificate_;
  boost::asio::io_context io_;
  Context context_{Context::tls_server};
  Tcp::acceptor acceptor_{io_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
  std::atomic<bool> got_{false};
  std::thread serving_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_server_whose_certificate_is_trusted_and_has_its_name_is_asked) {
  const SecureStandIn server("IP:127.0.0.1");
  HttpConnection connection(parse_server_url(server.url("127.0.0.1")), {}, server.trust());
  BOOST_TEST(connection.exchange({"/", ""}, "Bearer k").body == "{}");
}

BOOST_AUTO_TEST_CASE(a_certificate_that_nobody_vouches_for_is_refused_before_anything_is_sent) {
  const SecureStandIn server("IP:127.0.0.1");
  HttpConnection connection(parse_server_url(server.url("127.0.0.1")), {},
                            detail::trusting_context());
  BOOST_CHECK_EXCEPTION((void)connection.exchange({"/", ""}, "Bearer k"), TransportError,
                        fails_with("the TLS handshake: certificate verify failed"));
  BOOST_TEST(!server.got_request());
}

BOOST_AUTO_TEST_CASE(a_certificate_for_another_name_is_refused_before_anything_is_sent) {
  const SecureStandIn server("DNS:other.example");
  HttpConnection connection(parse_server_url(server.url("127.0.0.1")), {}, server.trust());
  BOOST_CHECK_EXCEPTION((void)connection.exchange({"/", ""}, "Bearer k"), TransportError,
                        fails_with("the TLS handshake: certificate verify failed"));
  BOOST_TEST(!server.got_request());
}

BOOST_AUTO_TEST_CASE(a_server_without_tls_is_no_https_server) {
  const StandInServer server([](const StandInRequest&) { return StandInReply{}; });
  HttpConnection connection(parse_server_url("https://127.0.0.1:" + std::to_string(server.port())),
                            {}, detail::trusting_context());
  BOOST_CHECK_THROW((void)connection.exchange({"/", ""}, ""), TransportError);
}

BOOST_AUTO_TEST_SUITE_END()
