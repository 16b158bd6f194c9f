// SPDX-License-Identifier: Apache-2.0
// The component plumb::chat: chat templates by llama.cpp's Jinja engine.

#include <cstddef>
#include <ctime>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "jinja/lexer.h"
#include "jinja/parser.h"
#include "jinja/runtime.h"
#include "jinja/value.h"
#include "json.h"
#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
namespace {

constexpr std::size_t most_known = 20'000;

/// 26 July 2024, noon in the local time zone, because the engine's strftime_now uses local time.
std::time_t fixed_date() {
  std::tm day{};
  day.tm_year = 2024 - 1900;
  day.tm_mon = 6;
  day.tm_mday = 26;
  day.tm_hour = 12;
  day.tm_isdst = -1;
  return std::mktime(&day);
}

/// The engine's message without the surrounding excerpt of the template: the line after the last
/// "Error: ", else the first line.
Error refused(const std::exception& error) {
  const std::string all = error.what();
  const std::size_t reason = all.rfind("Error: ");
  std::string said(trimmed(reason == std::string::npos ? all : all.substr(reason + 7)));
  constexpr std::string_view raised = "Jinja Exception: ";  // by raise_exception
  if (said.starts_with(raised)) said.erase(0, raised.size());
  said = said.substr(0, said.find('\n'));
  return user_error({.setting = "chat"}, "the chat template could not be run: " + shortened(said),
                    "pass another with `chat-template`, or remove options that it does not "
                    "support");
}

/// A parsed template.
class ParsedTemplate {
 public:
  explicit ParsedTemplate(const std::string& text) : text_(text) {
    jinja::lexer lexer;
    program_ = jinja::parse_from_tokens(lexer.tokenize(text));
  }

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  [[nodiscard]] std::string operator()(const Json& variables) {
    jinja::context context(text_);
    context.current_time = fixed_date();
    jinja::global_from_json(context, common_json::parse(variables.dump()), false);
    jinja::runtime runtime(context);
    return jinja::runtime::gather_string_parts(runtime.execute(program_))->as_string().str();
  }

 private:
  std::string text_;
  jinja::program program_;
};

}  // namespace

ChatRenderer jinja_renderer() {
  // Rendering takes milliseconds, and a conversation is rendered when it is checked, planned and
  // recorded, so results are cached.
  return [parsed = std::shared_ptr<ParsedTemplate>(),
          known = std::unordered_map<std::string, std::string>()](
             const ChatTemplate& by, std::span<const ChatMessage> conversation,
             bool opens_answer) mutable {
    Json variables = {{"messages", Json::array()},
                      {"tools", nullptr},
                      {"documents", nullptr},
                      {"add_generation_prompt", opens_answer}};
    for (const ChatMessage& message : conversation) {
      variables["messages"].push_back({{"role", message.role}, {"content", message.content}});
    }
    for (const auto& [name, text] : by.tokens) variables[name] = text;
    try {
      if (!parsed || parsed->text() != by.text) {
        parsed = std::make_shared<ParsedTemplate>(by.text);
        known.clear();
      }
      std::string key = variables.dump();
      if (const auto found = known.find(key); found != known.end()) return found->second;
      if (known.size() >= most_known) known.clear();
      return known.emplace(std::move(key), (*parsed)(variables)).first->second;
    } catch (const std::exception& error) {
      throw refused(error);
    }
  };
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
