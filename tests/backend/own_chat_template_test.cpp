// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/own_chat_template.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>

#include "plumb/detail/backend/any_model.hpp"
#include "plumb/detail/backend/archetypes.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(own_chat_template_suite)

namespace {

struct ChatModel : NgramModel {
  using NgramModel::NgramModel;
  [[nodiscard]] ChatTemplate chat_template() const { return {"{{ messages }}", {}}; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(chat_template_is_available_through_any_model) {
  BOOST_TEST(own_chat_template(ChatModel("ab", 2))->text == "{{ messages }}");
  BOOST_TEST(!own_chat_template(NgramModel("ab", 2)));
  const AnyModel any = AnyModel::made_by([] { return ChatModel("ab", 2); });
  BOOST_TEST(own_chat_template(any)->text == "{{ messages }}");
  BOOST_TEST(!own_chat_template(AnyModel::made_by([] { return NgramModel("ab", 2); })));
}

BOOST_AUTO_TEST_SUITE_END()
