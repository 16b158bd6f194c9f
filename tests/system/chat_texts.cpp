// SPDX-License-Identifier: Apache-2.0

// Renders conversations with chat templates, for test_chat.py. Reads JSON lines {template, tokens,
// messages, opens} and prints each text as JSON. If a text cannot be rendered, prints null to
// stdout and the reason to stderr.

#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/data/json_file.hpp"

int main() {
  using plumb::detail::Json;
  const plumb::detail::ChatRenderer render = plumb::detail::jinja_renderer();
  std::string line;
  while (std::getline(std::cin, line)) {
    const Json row = Json::parse(line);
    std::vector<plumb::detail::ChatMessage> messages;
    for (const Json& message : row.at("messages")) {
      messages.push_back({message.at("role"), message.at("content")});
    }
    Json text;
    try {
      text = render({row.at("template"), row.at("tokens")}, messages, row.at("opens"));
    } catch (const std::exception& error) {
      std::cerr << error.what() << "\n";
    }
    std::cout << text.dump() << "\n";
  }
}
