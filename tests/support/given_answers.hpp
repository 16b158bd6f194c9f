// SPDX-License-Identifier: Apache-2.0
#pragma once

// Answers whose scores are specified by the test.

#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/answers.hpp"
#include "plumb/detail/data/check_and_complete.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// One relation, capitals, with facts France and Korea and candidates Paris and Seoul. `nats` are
/// ordered by fact, then template, then candidate. Every statement has four tokens and ten bytes.
inline Answers::Table capital_table(std::vector<std::string> templates, std::vector<double> nats) {
  Answers::Table table;
  table.relation.code = "capital";
  table.relation.templates = std::move(templates);
  table.relation.options = {"Paris", "Seoul"};
  table.relation.facts = {{.subject = "France", .answer = 0}, {.subject = "Korea", .answer = 1}};
  fill_in(table.relation);
  for (std::size_t i = 0; i < table.relation.templates.size(); ++i) {
    table.settings.push_back(template_setting(i));
  }
  table.tokens.assign(nats.size(), 4);
  table.bytes.assign(nats.size(), 10);
  table.log_likelihoods = std::move(nats);
  return table;
}

inline Answers answers_of_capitals(std::vector<std::string> templates, std::vector<double> nats) {
  return {.name = "given", .tables = {capital_table(std::move(templates), std::move(nats))}};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
