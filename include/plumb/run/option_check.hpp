// SPDX-License-Identifier: Apache-2.0
#pragma once

// Can the model see every option of a dataset?

#include <cstddef>
#include <string>

#include "plumb/backend/text_tokens.hpp"
#include "plumb/core/error.hpp"
#include "plumb/data/dataset.hpp"

namespace plumb {

/// Throws a user error for an option that the model cannot see, by name.
template <class Model>
void refuse_empty_options(const Model& model, const Dataset& dataset) {
  for (const Relation& relation : dataset.relations) {
    const auto check = [&](const std::string& option, std::size_t line) {
      if (!text_tokens(model, option).tokens.empty()) return;
      throw user_error({line > 0 ? relation.file : "", line, relation.code},
                       "option '" + option + "' tokenises to nothing with this model",
                       "remove it or give it a label the tokenizer knows");
    };
    for (const std::string& option : relation.options) (check)(option, 0);
    for (const Fact& fact : relation.facts) {
      for (const std::string& choice : fact.choices) (check)(choice, fact.line);
    }
  }
}

}  // namespace plumb
