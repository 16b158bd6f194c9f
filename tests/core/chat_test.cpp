// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/chat.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(chat_suite)

BOOST_AUTO_TEST_CASE(templates_differ_by_text_or_tokens) {
  const ChatTemplate one{"{{ bos_token }}", {{"bos_token", "<s>"}}};
  BOOST_TEST((one == ChatTemplate{"{{ bos_token }}", {{"bos_token", "<s>"}}}));
  BOOST_TEST((one != ChatTemplate{"{{ bos_token }}", {{"bos_token", "<t>"}}}));
  BOOST_TEST((one != ChatTemplate{"{{ eos_token }}", {{"bos_token", "<s>"}}}));
}

#ifdef PLUMB_CHAT

// The expected texts are written by hand.
BOOST_AUTO_TEST_CASE(a_template_is_run_over_a_conversation) {
  const ChatRenderer render = jinja_renderer();
  const ChatTemplate by{
      "{{ bos_token }}{% for m in messages %}[{{ m.role }}] {{ m['content'] | trim }}\n{% endfor %}"
      "{% if add_generation_prompt %}[assistant]{% endif %}",
      {{"bos_token", "<s>"}}};
  const std::vector<ChatMessage> turns{{"system", "Be \"brief\".\n"}, {"user", "Who’s <there>?"}};
  BOOST_TEST(render(by, turns, true) ==
             "<s>[system] Be \"brief\".\n[user] Who’s <there>?\n[assistant]");
  BOOST_TEST(render(by, turns, false) == "<s>[system] Be \"brief\".\n[user] Who’s <there>?\n");
  BOOST_TEST(render({"{{ messages | length }}"}, turns, true) == "2");  // a different template
}

BOOST_AUTO_TEST_CASE(the_date_is_always_the_same) {
  BOOST_TEST(jinja_renderer()({"{{ strftime_now('%d %b %Y') }}"}, {}, true) == "26 Jul 2024");
}

BOOST_AUTO_TEST_CASE(a_template_that_refuses_or_is_none_is_a_user_error) {
  const ChatRenderer render = jinja_renderer();
  BOOST_CHECK_EXCEPTION((void)render({"{{ raise_exception('no system role') }}"}, {}, true), Error,
                        says(Fault::user, "the chat template could not be run: no system role"));
  for (const char* broken : {"{% for %}", "{{ messages[0].content.nothing() }}", "{% if"}) {
    BOOST_CHECK_THROW((void)render({broken}, {}, true), Error);
  }
}

#endif

BOOST_AUTO_TEST_SUITE_END()
