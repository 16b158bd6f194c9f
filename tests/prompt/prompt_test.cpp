// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/prompt.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(prompt_suite)

namespace {

/// A minimal builder: the subject, followed by the option.
struct Bare {
  [[nodiscard]] Prompt build(const Relation& relation, const Fact& fact, std::size_t,
                             std::size_t option) const {
    const std::string& answer = relation.options[option];
    return {fact.subject + ' ' + answer,
            {{fact.subject.size() + 1, fact.subject.size() + 1 + answer.size()}}};
  }
};

struct ReturnsText {
  [[nodiscard]] std::string build(const Relation&, const Fact&, std::size_t, std::size_t) const;
};
struct NotConst {
  [[nodiscard]] Prompt build(const Relation&, const Fact&, std::size_t, std::size_t);
};
struct WithoutTheOption {
  [[nodiscard]] Prompt build(const Relation&, const Fact&, std::size_t) const;
};

static_assert(PromptBuilder<Bare>);
static_assert(!PromptBuilder<ReturnsText>);
static_assert(!PromptBuilder<NotConst>);
static_assert(!PromptBuilder<WithoutTheOption>);
static_assert(!PromptBuilder<int>);

std::string answer_of(const PromptBuilder auto& builder, const Relation& relation,
                      std::size_t option) {
  const Prompt prompt = builder.build(relation, relation.facts[0], 0, option);
  return prompt.text.substr(prompt.answer[0].begin, prompt.answer[0].end - prompt.answer[0].begin);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_answer_span_of_a_users_builder_holds_the_option) {
  Relation relation;
  relation.options = {"Paris", "São Tomé"};
  relation.facts = {{"", "France", {}, 0, 0}};
  BOOST_TEST(answer_of(Bare{}, relation, 0) == "Paris");
  BOOST_TEST(answer_of(Bare{}, relation, 1) == "São Tomé");
}

BOOST_AUTO_TEST_SUITE_END()
