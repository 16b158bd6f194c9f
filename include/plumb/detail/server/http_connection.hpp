// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a request sent and its reply received within a time limit?
//
// A connection to one server is kept open between requests. It is unencrypted or uses TLS; TLS
// verifies the server's certificate against the server's name. Each step (connect, handshake,
// exchange) has a time limit. Beast's deadlines apply only to asynchronous calls, so each call here
// starts an asynchronous operation and runs it to completion. Non-goals: proxies, HTTP/2, and
// following redirects. Redirects are returned like other replies.

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "plumb/detail/server/server_url.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct HttpRequest {
  /// A route such as "/v1/completions", which is appended to the URL's path.
  std::string route{};
  /// Sent as JSON in a POST request. If empty, the request is a GET.
  std::string body{};
};

struct HttpReply {
  unsigned status = 0;
  std::string body{};
  std::string content_type{};
  std::string retry_after{};
  /// The target of a redirect.
  std::string location{};
};

/// A transport failure: no reply arrived, or only part of one. The error's text does not contain
/// any of the request headers. Any number of threads may read the same object.
class TransportError : public std::runtime_error {
 public:
  /// The step that failed. A retry does not help if the certificate is untrusted. A TLS handshake
  /// also fails if the server does not support TLS.
  enum class Step { handshake, certificate, other };

  explicit TransportError(const std::string& text, Step step = Step::other)
      : std::runtime_error(text), step_(step) {}

  [[nodiscard]] Step step() const noexcept { return step_; }

 private:
  Step step_;
};

struct HttpTimes {
  std::chrono::milliseconds connect{10'000};
  /// The time limit for one exchange, including receiving the whole reply.
  std::chrono::milliseconds reply{600'000};
  /// After this time without a whole reply, the user is told that plumb is waiting.
  std::chrono::milliseconds slow{30'000};
};

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

/// The certificates that a TLS connection trusts: the system's, or those in OpenSSL's SSL_CERT_FILE
/// and SSL_CERT_DIR.
inline std::shared_ptr<asio::ssl::context> trusting_context() {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  context->set_options(asio::ssl::context::no_sslv2 | asio::ssl::context::no_sslv3 |
                       asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
  context->set_default_verify_paths();
  context->set_verify_mode(asio::ssl::verify_peer);
  return context;
}

/// Not thread-safe. Throws TransportError for every failure; the next exchange then connects again.
class HttpConnection {
 public:
  /// `trust` is null for a server without TLS. `on_slow` is called if a reply takes longer than
  /// `times.slow`; it must not throw.
  HttpConnection(ServerUrl url, HttpTimes times, std::shared_ptr<detail::asio::ssl::context> trust,
                 std::function<void()> on_slow = {})
      : url_(std::move(url)),
        times_(times),
        trust_(std::move(trust)),
        on_slow_(std::move(on_slow)) {}
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// Whether the connection is still open after an earlier reply, as far as is known.
  [[nodiscard]] bool is_open() const noexcept { return plain_ || secure_; }

  /// `authorization` is the value of the Authorization header. If empty, no such header is sent.
  [[nodiscard]] HttpReply exchange(const HttpRequest& asked, const std::string& authorization) {
    if (!is_open()) connect();
    try {
      return plain_ ? exchange_on(*plain_, asked, authorization)
                    : exchange_on(*secure_, asked, authorization);
    } catch (...) {
      close();
      throw;
    }
  }

  void close() noexcept {
    plain_.reset();
    secure_.reset();
    buffer_.clear();
  }

 private:
  using Plain = detail::beast::tcp_stream;
  using Secure = detail::beast::ssl_stream<detail::beast::tcp_stream>;
  using Code = boost::system::error_code;

  /// Runs the operation that `start(handler)` begins on a stream until it completes or times out.
  /// `on_slow` is called if it takes longer than `times.slow`.
  template <class Stream, class Start>
  void run(Stream& stream, std::chrono::milliseconds time, const std::string& doing, Start start,
           const std::function<void()>& on_slow = {}) {
    Code failed = detail::asio::error::would_block;
    auto& lowest = detail::beast::get_lowest_layer(stream);
    lowest.expires_after(time);
    start([&failed](Code code, auto&&...) { failed = code; });
    io_.restart();
    if (on_slow && times_.slow < time) {
      io_.run_for(times_.slow);
      if (failed == detail::asio::error::would_block) on_slow();
    }
    io_.run();
    lowest.expires_never();
    if (!failed) return;
    if (failed == detail::beast::error::timeout) {
      throw TransportError(doing + " took longer than " + seconds(time) + " s");
    }
    if (failed == detail::http::error::end_of_stream || failed == detail::asio::error::eof ||
        failed == detail::asio::ssl::error::stream_truncated) {
      throw TransportError("the server closed the connection before it replied");
    }
    if (failed == detail::http::error::partial_message) {
      throw TransportError("the reply was incomplete");
    }
    throw TransportError(doing + ": " + failed.message());
  }

  static std::string seconds(std::chrono::milliseconds time) {
    std::string text = std::to_string(std::chrono::duration<double>(time).count());
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
    return text;
  }

  void connect() {
    Code failed;
    detail::asio::ip::tcp::resolver resolver(io_);
    const auto places = resolver.resolve(url_.host, std::to_string(url_.port), failed);
    if (failed) throw TransportError("resolving " + url_.host + ": " + failed.message());
    if (!url_.is_secure) {
      auto stream = std::make_unique<Plain>(io_);
      run(*stream, times_.connect, "connecting",
          [&](auto handler) { stream->async_connect(places, handler); });
      detail::beast::get_lowest_layer(*stream).socket().set_option(
          detail::asio::ip::tcp::no_delay(true), failed);
      plain_ = std::move(stream);
      return;
    }
    auto stream = std::make_unique<Secure>(io_, *trust_);
    // A server with several names sends the certificate for the requested name. This call replaces
    // OpenSSL's macro SSL_set_tlsext_host_name, which has an old-style cast.
    if (SSL_ctrl(stream->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                 url_.host.data()) != 1) {
      throw TransportError("setting the server's name for TLS failed");
    }
    stream->set_verify_callback(detail::asio::ssl::host_name_verification(url_.host));
    auto& lowest = detail::beast::get_lowest_layer(*stream);
    run(*stream, times_.connect, "connecting",
        [&](auto handler) { lowest.async_connect(places, handler); });
    lowest.socket().set_option(detail::asio::ip::tcp::no_delay(true), failed);
    try {
      run(*stream, times_.connect, "the TLS handshake", [&](auto handler) {
        stream->async_handshake(detail::asio::ssl::stream_base::client, handler);
      });
    } catch (const TransportError& error) {
      throw of_handshake(error, SSL_get_verify_result(stream->native_handle()));
    }
    secure_ = std::move(stream);
  }

  /// `verified` is OpenSSL's result for the certificate. A wrong host name is detected by a
  /// callback and has no error code of its own.
  [[nodiscard]] TransportError of_handshake(const TransportError& error, long verified) const {
    if (verified == X509_V_OK) return TransportError(error.what(), TransportError::Step::handshake);
    return TransportError(verified == X509_V_ERR_UNSPECIFIED
                              ? "its certificate is not valid for the name " + url_.host
                              : "its certificate is not trusted: " +
                                    std::string(X509_verify_cert_error_string(verified)),
                          TransportError::Step::certificate);
  }

  template <class Stream>
  HttpReply exchange_on(Stream& stream, const HttpRequest& asked,
                        const std::string& authorization) {
    namespace http = detail::http;
    http::request<http::string_body> request{
        asked.body.empty() ? http::verb::get : http::verb::post, url_.path + asked.route, 11};
    request.set(http::field::host, url_.authority());
    request.set(http::field::user_agent, "plumb");
    request.set(http::field::accept, "application/json");
    if (!authorization.empty()) request.set(http::field::authorization, authorization);
    if (!asked.body.empty()) {
      request.set(http::field::content_type, "application/json");
      request.body() = asked.body;
    }
    request.prepare_payload();
    run(stream, times_.reply, "sending the request",
        [&](auto handler) { http::async_write(stream, request, handler); });
    http::response_parser<http::string_body> parser;
    parser.body_limit(most_bytes);
    run(
        stream, times_.reply, "waiting for the reply",
        [&](auto handler) { http::async_read(stream, buffer_, parser, handler); }, on_slow_);
    const auto text = [&](http::field name) {
      const auto value = parser.get()[name];
      return std::string(value.data(), value.size());
    };
    HttpReply reply{parser.get().result_int(),
                    {},
                    text(http::field::content_type),
                    text(http::field::retry_after),
                    text(http::field::location)};
    reply.body = std::move(parser.get().body());
    if (!parser.get().keep_alive()) close();
    return reply;
  }

  // A reply that contains the whole distribution over a large vocabulary can be tens of megabytes
  // in size.
  static constexpr std::uint64_t most_bytes = 1ULL << 30U;

  ServerUrl url_;
  HttpTimes times_;
  std::shared_ptr<detail::asio::ssl::context> trust_;
  std::function<void()> on_slow_;
  detail::asio::io_context io_{1};
  detail::beast::flat_buffer buffer_;
  std::unique_ptr<Plain> plain_;
  std::unique_ptr<Secure> secure_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
