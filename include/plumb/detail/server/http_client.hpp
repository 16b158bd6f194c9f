// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are many requests sent to one server in parallel, and what happens if it is busy or
// unreachable?
//
// Several threads each keep a connection open and send either the next pending request, so that
// requests start in order, or the next request of the thread's own part. A request that fails
// temporarily is retried (retry_policy.hpp). If it keeps failing, an internal error is thrown (exit
// code 1). If the server permanently rejects a request, or if its certificate is not trusted, a user
// error is thrown. Redirects are not followed, so the key is never sent to another host. The key
// never appears in a message, even if a server repeats it.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/server/contiguous_parts.hpp"
#include "plumb/detail/server/http_connection.hpp"
#include "plumb/detail/server/reply_json.hpp"
#include "plumb/detail/server/retry_policy.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct HttpOptions {
  /// Sent as "Authorization: Bearer KEY". If empty, no such header is sent.
  std::string key{};
  /// The maximum number of requests in flight, at least 1. If not set, it is 8; a ServerConnection
  /// allows two more than the server has slots, if the server reports slots.
  std::optional<std::size_t> concurrency{};
  HttpTimes times{};
  RetryPolicy retry{};
  /// Receives one note, from any thread, when a reply first takes longer than `times.slow`. If not
  /// set, plumb waits silently. It must not throw.
  std::function<void(const std::string& text)> note{};
};

/// Threads that are joined at the end of their scope, like std::jthread, which libc++ 16 lacks. Not
/// thread-safe.
class JoinedThreads {
 public:
  JoinedThreads() = default;
  JoinedThreads(const JoinedThreads&) = delete;
  JoinedThreads& operator=(const JoinedThreads&) = delete;
  ~JoinedThreads() {
    for (std::thread& thread : threads_) thread.join();
  }
  template <class Work>
  void start(const Work& work) {
    threads_.emplace_back(work);
  }

 private:
  std::vector<std::thread> threads_;
};

/// Any number of threads may use the same object.
class HttpClient {
 public:
  /// Throws a user error for a key that cannot be sent in a header.
  HttpClient(ServerUrl url, HttpOptions options)
      : url_(std::move(url)),
        options_(std::move(options)),
        concurrency_(std::max<std::size_t>(1, options_.concurrency.value_or(8))),
        trust_(url_.is_secure ? detail::trusting_context() : nullptr),
        random_(
            static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()),
            "retries") {
    if (!ranges::all_of(options_.key, [](char c) { return c > 0x20 && c < 0x7f; })) {
      throw user_error({.field = "PLUMB_API_KEY"}, "contains a space or a non-ASCII character",
                       "set it to the key alone");
    }
  }

  [[nodiscard]] const ServerUrl& url() const noexcept { return url_; }
  [[nodiscard]] std::size_t concurrency() const noexcept { return concurrency_; }
  /// Allows `count` requests in flight from now on, unless the options set a number. Must not be
  /// called while requests are being sent.
  void set_default_concurrency(std::size_t count) {
    if (!options_.concurrency) concurrency_ = count;
  }
  /// The number of requests sent, including retries.
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t sent_again() const noexcept { return sent_again_; }
  /// How often plumb, or a proxy in between, lost the connection to the server. After a lost
  /// connection, a different server may answer. A "server busy" reply (429) does not count as a
  /// loss.
  [[nodiscard]] std::uint64_t losses() const noexcept { return losses_; }

  /// Returns the reply, whatever its status. Temporary failures are not returned but retried.
  /// Throws an internal error if no reply arrives.
  [[nodiscard]] HttpReply reply(const HttpRequest& asked) {
    auto connection = take_connection();
    for (std::size_t failures = 0;;) {
      const bool was_open = connection->is_open();
      std::string problem;
      std::optional<RetryPolicy::Seconds> retry_after;
      try {
        ++sent_;
        HttpReply got = connection->exchange(asked, authorization());
        answered_ = true;
        if (!RetryPolicy::is_passing(got.status)) {
          give_back(std::move(connection));
          return got;
        }
        if (got.status >= 500) ++losses_;
        problem = "answers " + std::to_string(got.status) + said_in(got);
        retry_after = retry_after_seconds(got.retry_after);
      } catch (const TransportError& error) {
        ++losses_;
        problem = error.what();
        refuse_tls(error, failures + 1);
        if (was_open) {  // the server has closed the idle connection
          ++sent_again_;
          continue;
        }
      }
      const auto wait = options_.retry.wait(failures++, uniform(), retry_after);
      if (!wait) throw retries_exhausted(problem, failures, retry_after);
      pause(*wait);
      ++sent_again_;
    }
  }

  /// After this call, a failure of the server ends a running job, so error messages explain how to
  /// resume the job.
  void set_connected() { is_connected_ = true; }

  /// Returns the reply to a request that must succeed. Throws a user error if the server rejects
  /// the request.
  [[nodiscard]] HttpReply ask(const HttpRequest& asked) {
    HttpReply got = reply(asked);
    refuse_failure(asked, got);
    return got;
  }

  /// Sends `request(i)` for each i below `count`, in order, and calls `take(i, reply)` from any
  /// thread, in any order. After the first error no further requests are sent, and the error is
  /// thrown.
  template <class Request, class Take>
  void ask_all(std::size_t count, Request request, Take take) {
    std::atomic<std::size_t> next{0};
    in_threads((std::min)(concurrency_, count),
               [&](std::size_t) {
                 for (std::size_t i = 0; (i = next++) < count;) take(i, ask(request(i)));
               },
               [&] { next = count; });
  }

  /// Like `ask_all`, but each part has a thread, which sends neighbouring requests one after
  /// another. There may be more parts than `concurrency()`.
  template <class Request, class Take>
  void ask_in_parts(ContiguousParts& parts, Request request, Take take) {
    in_threads(
        parts.size(),
        [&](std::size_t part) {
          while (const auto i = parts.next(part)) take(*i, ask(request(*i)));
        },
        [&] { parts.stop(); });
  }

  /// The error site for this server's replies.
  [[nodiscard]] Site site() const { return {.field = url_.text()}; }

  /// Throws a user error for a reply whose status does not indicate success.
  void refuse_failure(const HttpRequest& asked, const HttpReply& got) const {
    if (got.status >= 200 && got.status < 300) return;
    if (got.status == 401 || got.status == 403) {
      throw user_error(site(), "the server requires a key (" + std::to_string(got.status) + ")",
                       options_.key.empty() ? "set the environment variable PLUMB_API_KEY"
                                            : "the server does not accept the key in "
                                              "PLUMB_API_KEY");
    }
    if (got.status >= 300 && got.status < 400) {
      throw user_error(site(), "the server redirects" + host_of(got.location),
                       "redirects are not followed; use the URL that it redirects to");
    }
    throw user_error(site(),
                     "the server refuses " + asked.route + " (" + std::to_string(got.status) + ")" +
                         said_in(got),
                     "docs/servers.md lists the flags that each server needs");
  }

 private:
  /// Calls `work(t)` for each t below `count`, each in a thread. After the first error `stop` is
  /// called, and the error is thrown when all threads have ended.
  template <class Work, class Stop>
  static void in_threads(std::size_t count, Work work, Stop stop) {
    if (count == 0) return;
    std::exception_ptr failed;
    std::mutex failing;
    const auto guarded = [&](std::size_t t) {
      try {
        work(t);
      } catch (...) {
        stop();
        const std::lock_guard lock(failing);
        if (!failed) failed = std::current_exception();
      }
    };
    {
      detail::JoinedThreads threads;
      for (std::size_t t = 1; t < count; ++t) threads.start([&guarded, t] { guarded(t); });
      guarded(0);
    }
    if (failed) std::rethrow_exception(failed);
  }

  [[nodiscard]] std::string authorization() const {
    return options_.key.empty() ? "" : "Bearer " + options_.key;
  }

  /// ": MESSAGE" from the server's error reply, with the key removed.
  [[nodiscard]] std::string said_in(const HttpReply& got) const {
    std::string message = error_message(got.body);
    if (message.empty()) return "";
    if (!options_.key.empty()) {
      for (std::size_t at = 0; (at = message.find(options_.key, at)) != std::string::npos;) {
        message.replace(at, options_.key.size(), "…");
      }
    }
    return ": " + shortened(message);
  }

  /// " to https://HOST", without the path and the query, because these may contain a secret.
  static std::string host_of(const std::string& location) {
    const std::size_t host = location.find("://");
    if (host == std::string::npos) return "";
    std::string text = location.substr(0, location.find_first_of("/?#", host + 3));
    const std::size_t at = text.rfind('@');
    if (at != std::string::npos) text.erase(host + 3, at - host - 2);
    return " to " + text;
  }

  [[nodiscard]] Error retries_exhausted(const std::string& problem, std::size_t times,
                                        std::optional<RetryPolicy::Seconds> retry_after) const {
    const std::string kept = is_connected_ ? "finished work is kept; " : "";
    if (retry_after && *retry_after > options_.retry.patience) {
      return internal_error(site(),
                            "the server " + problem + " and asks to retry after " +
                                std::to_string(static_cast<long>(retry_after->count())) + " s",
                            kept + (is_connected_ ? "resume after that time"
                                                  : "try again after "
                                                    "that time"));
    }
    return internal_error(
        site(), "the server does not answer (" + std::to_string(times) + " tries): " + problem,
        kept + (is_connected_ ? "check the server, then resume"
                              : "check that it is running at this URL and has loaded its model"));
  }

  /// Throws a user error if the certificate is untrusted, because retrying cannot help, or if the
  /// TLS handshake fails twice with a server that has never answered.
  void refuse_tls(const TransportError& error, std::size_t times) const {
    if (error.step() == TransportError::Step::certificate) {
      throw user_error(site(), error.what(),
                       "use the host name in its certificate, or set the environment variable "
                       "SSL_CERT_FILE to the certificate's file");
    }
    if (error.step() != TransportError::Step::handshake || answered_) return;
    if (times < std::min<std::size_t>(2, options_.retry.tries)) return;
    throw user_error(site(), "no TLS connection is possible: " + std::string(error.what()),
                     "if the server only supports http://, use that URL; otherwise check its TLS "
                     "settings");
  }

  [[nodiscard]] double uniform() {
    const std::lock_guard lock(mutex_);
    return random_.uniform();
  }
  static void pause(RetryPolicy::Seconds time) { std::this_thread::sleep_for(time); }

  void note_slow_reply() {
    if (!options_.note || has_noted_.exchange(true)) return;
    const auto seconds = [](std::chrono::milliseconds time) {
      return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
    };
    options_.note(url_.text() + " has not replied for " + seconds(options_.times.slow) +
                  "; plumb waits up to " + seconds(options_.times.reply) + " for each reply");
  }

  [[nodiscard]] std::unique_ptr<HttpConnection> take_connection() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      return std::make_unique<HttpConnection>(url_, options_.times, trust_,
                                              [this] { note_slow_reply(); });
    }
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }
  void give_back(std::unique_ptr<HttpConnection> connection) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
  }

  ServerUrl url_;
  HttpOptions options_;
  std::size_t concurrency_;
  std::shared_ptr<detail::asio::ssl::context> trust_;
  std::mutex mutex_;  // guards the members below
  RandomStream random_;
  std::vector<std::unique_ptr<HttpConnection>> idle_;
  std::atomic<std::uint64_t> sent_{0}, sent_again_{0}, losses_{0};
  std::atomic<bool> answered_{false}, is_connected_{false}, has_noted_{false};
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
