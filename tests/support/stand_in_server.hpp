// SPDX-License-Identifier: Apache-2.0
#pragma once

// An HTTP server on the loopback interface for one test. The test provides its replies, valid or
// not.

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

struct StandInRequest {
  std::string route{}, body{}, authorization{}, host{};
  /// The number of the request on this server, counting from 0.
  std::size_t number = 0;
  /// The number of the request on its connection, counting from 0.
  std::size_t on_connection = 0;
};

struct StandInReply {
  std::string body{};
  unsigned status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers{};
  /// Whether the server sends the whole reply, sends its first half and then closes the connection,
  /// or closes the connection without sending anything.
  enum class End { whole, half, none } end = End::whole;
  std::chrono::milliseconds delay{0};
  /// Whether the server closes the connection unannounced after a whole reply.
  bool closes = false;
};

/// Replies with the result of `answer`; each connection has its own thread.
class StandInServer {
 public:
  using Answer = std::function<StandInReply(const StandInRequest&)>;

  /// Listens on the given port, as after a restart, or on any free port if `port` is 0.
  explicit StandInServer(Answer answer, std::uint16_t port = 0)
      : answer_(std::move(answer)), acceptor_(io_) {
    const Tcp::endpoint place(boost::asio::ip::address_v4::loopback(), port);
    acceptor_.open(place.protocol());
    acceptor_.set_option(Tcp::acceptor::reuse_address(true));
    acceptor_.bind(place);
    acceptor_.listen();
    port_ = acceptor_.local_endpoint().port();
    accepting_ = std::thread([this] { accept(); });
  }
  StandInServer(const StandInServer&) = delete;
  StandInServer& operator=(const StandInServer&) = delete;
  ~StandInServer() {
    stopped_ = true;
    boost::system::error_code ignored;
    {
      // A connection from this thread wakes the accepting thread.
      Tcp::socket wake(io_);
      wake.connect(Tcp::endpoint(boost::asio::ip::address_v4::loopback(), port_), ignored);
    }
    accepting_.join();
    acceptor_.close(ignored);
    {
      const std::lock_guard lock(mutex_);
      for (const auto& socket : sockets_) socket->shutdown(Tcp::socket::shutdown_both, ignored);
    }
    for (std::thread& thread : threads_) thread.join();
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::size_t requests() const { return requests_; }
  [[nodiscard]] std::size_t connections() const { return connections_; }
  /// The largest number of simultaneous requests.
  [[nodiscard]] std::size_t most_at_once() const { return most_at_once_; }

 private:
  using Tcp = boost::asio::ip::tcp;

  void accept() {
    while (true) {
      auto socket = std::make_shared<Tcp::socket>(io_);
      boost::system::error_code failed;
      acceptor_.accept(*socket, failed);
      if (stopped_ || failed) return;
      ++connections_;
      const std::lock_guard lock(mutex_);
      sockets_.push_back(socket);
      threads_.emplace_back([this, socket] { serve(*socket); });
    }
  }

  void serve(Tcp::socket& socket) {
    namespace http = boost::beast::http;
    boost::beast::flat_buffer buffer;
    boost::system::error_code failed;
    for (std::size_t on_connection = 0; !stopped_; ++on_connection) {
      http::request<http::string_body> got;
      http::read(socket, buffer, got, failed);
      if (failed) break;
      const std::size_t now = ++at_once_;
      for (std::size_t most = most_at_once_; now > most;) {
        if (most_at_once_.compare_exchange_weak(most, now)) break;
      }
      const auto text = [](auto view) { return std::string(view.data(), view.size()); };
      const StandInReply reply =
          answer_({text(got.target()), got.body(), text(got[http::field::authorization]),
                   text(got[http::field::host]), requests_++, on_connection});
      std::this_thread::sleep_for(reply.delay);
      --at_once_;
      if (reply.end == StandInReply::End::none) break;
      std::string bytes = "HTTP/1.1 " + std::to_string(reply.status) +
                          " X\r\nContent-Type: " + reply.content_type +
                          "\r\nContent-Length: " + std::to_string(reply.body.size()) + "\r\n";
      for (const auto& [name, value] : reply.headers) bytes += name + ": " + value + "\r\n";
      bytes += "\r\n";
      const bool is_half = reply.end == StandInReply::End::half;
      bytes += is_half ? reply.body.substr(0, reply.body.size() / 2) : reply.body;
      boost::asio::write(socket, boost::asio::buffer(bytes), failed);
      if (failed || is_half || reply.closes) break;
    }
    socket.shutdown(Tcp::socket::shutdown_both, failed);
  }

  Answer answer_;
  boost::asio::io_context io_;
  Tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopped_{false};
  std::atomic<std::size_t> requests_{0}, connections_{0}, at_once_{0}, most_at_once_{0};
  std::mutex mutex_;
  std::vector<std::shared_ptr<Tcp::socket>> sockets_;
  std::list<std::thread> threads_;
  std::thread accepting_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
