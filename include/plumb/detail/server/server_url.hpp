// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which host and port does a server's URL specify?
//
//   http[s]://HOST[:PORT][/PATH]
// The path is prepended to every route ("/v1/completions" under "/team/llm"). A trailing "/v1", as
// used by clients of OpenAI's API, is removed, because routes already contain it. URLs with a user
// name, a password or a query are rejected: URLs are written to run.json and shown in messages, so
// they must not contain secrets.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ServerUrl {
  bool is_secure = false;
  /// The host, without the brackets of an IPv6 address.
  std::string host{};
  std::uint16_t port = 80;
  /// The path that is prepended to every route. It has no trailing slash, so it is empty for the
  /// host's root.
  std::string path{};

  /// The value of the Host header, including the port unless it is the scheme's default.
  [[nodiscard]] std::string authority() const {
    const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return port == (is_secure ? 443 : 80) ? name : name + ":" + std::to_string(port);
  }
  [[nodiscard]] std::string text() const {
    return (is_secure ? "https://" : "http://") + authority() + path;
  }

  friend bool operator==(const ServerUrl&, const ServerUrl&) = default;
};

/// Throws a user error for the setting `server` if the text does not have the form described at the
/// top of this file. The message does not repeat parts that may contain a secret.
[[nodiscard]] inline ServerUrl parse_server_url(std::string_view text) {
  const auto refuse = [](const std::string& problem, const std::string& remedy) {
    return user_error({.setting = "server"}, problem, remedy);
  };
  const std::string form = "write http://HOST:PORT or https://HOST";
  ServerUrl url;
  if (text.starts_with("https://")) {
    url.is_secure = true;
    url.port = 443;
  } else if (!text.starts_with("http://")) {
    throw refuse("the URL begins with neither http:// nor https://", form);
  }
  text.remove_prefix(url.is_secure ? 8 : 7);
  if (text.find('@') != text.npos) {
    throw refuse("the URL contains a user name or a password, but URLs are written to run.json",
                 "remove it, and set the environment variable PLUMB_API_KEY to the key");
  }
  if (text.find_first_of("?#") != text.npos) {
    throw refuse("the URL contains a query, but URLs are written to run.json",
                 "remove it, and pass any key in the environment variable PLUMB_API_KEY");
  }
  const std::size_t slash = (std::min)(text.find('/'), text.size());
  std::string_view host = text.substr(0, slash);
  url.path = text.substr(slash);
  const auto drop_slashes = [&] {
    while (url.path.ends_with('/')) url.path.pop_back();
  };
  drop_slashes();
  if (url.path.ends_with("/v1")) url.path.resize(url.path.size() - 3);
  drop_slashes();
  const auto is_graph = [](unsigned char c) { return std::isgraph(c) != 0; };
  if (!std::all_of(text.begin(), text.end(), is_graph)) {
    throw refuse("the URL contains a space or a control character", form);
  }
  std::string_view port;
  bool has_port = false;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == host.npos) throw refuse("the URL's '[' has no ']'", form);
    has_port = host.substr(end + 1).starts_with(':');
    if (!has_port && end + 1 != host.size()) throw refuse("the URL's host is not valid", form);
    if (has_port) port = host.substr(end + 2);
    host = host.substr(1, end - 1);
  } else if (const std::size_t colon = host.find(':'); colon != host.npos) {
    has_port = true;
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.empty()) throw refuse("the URL has no host", form);
  if (has_port) {
    const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), url.port);
    if (failed != std::errc() || end != port.data() + port.size() || url.port == 0) {
      throw refuse("the URL's port is not a number from 1 to 65535", form);
    }
  }
  url.host = host;
  return url;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
