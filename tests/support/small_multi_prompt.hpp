// SPDX-License-Identifier: Apache-2.0
#pragma once

// A small dataset of many prompts about chemical elements, larger datasets of any shape, and
// ready-made, finished run folders of generations.

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/data/multi_prompt_folder.hpp"
#include "plumb/detail/records/generation_folder.hpp"
#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A fact with the given names for its subject and for each of its objects. The identifier of an
/// entity is "Q" followed by its label.
[[nodiscard]] inline ManyNamedFact named_fact(
    const std::vector<std::string>& subject, const std::vector<std::vector<std::string>>& objects) {
  ManyNamedFact fact{{"Q" + subject.front(), subject}, {}};
  for (const auto& names : objects) fact.objects.push_back({"Q" + names.front(), names});
  return fact;
}

/// Three relations, 13 facts:
///   symbol    iron → Fe             6 facts with one object; a group of a cloze and a generated
///                                   template, and a group of two questions
///   contains  water → hydrogen      4 facts of two or three objects; two clozes, a question
///             and oxygen
///   family    neon → noble gas      3 facts; two clozes and no question
/// Iron, salt and neon have one alias; some objects have one or two.
[[nodiscard]] inline MultiPromptDataset elements_many() {
  using enum TemplateStyle;
  using enum TemplateOrigin;
  MultiPromptDataset made{"elements", {}, {"elements/facts.jsonl", "elements/templates.jsonl"}};
  made.relations.push_back(
      {"symbol",
       {{"The symbol of [X] is [Y].", "symbol-1", cloze, manual},
        {"[Y] is how [X] is written.", "symbol-1", cloze, generated},
        {"What is the symbol of [X]? [Y].", "symbol-2", question, manual},
        {"Which letters stand for [X]? [Y]", "symbol-2", question, generated}},
       {named_fact({"hydrogen"}, {{"H"}}), named_fact({"helium"}, {{"He"}}),
        named_fact({"carbon"}, {{"C"}}), named_fact({"oxygen"}, {{"O"}}),
        named_fact({"sodium"}, {{"Na"}}), named_fact({"iron", "ferrum"}, {{"Fe"}})}});
  made.relations.push_back(
      {"contains",
       {{"[X] contains [Y].", "contains-1", cloze, manual},
        {"[Y] is a part of [X].", "contains-1", cloze, generated},
        {"What does [X] contain? [Y].", "contains-2", question, manual}},
       {named_fact({"water"}, {{"hydrogen"}, {"oxygen", "dioxygen"}}),
        named_fact({"salt", "table salt"}, {{"sodium", "natrium"}, {"chlorine"}}),
        named_fact({"rust"}, {{"iron", "ferrum"}, {"oxygen", "dioxygen"}}),
        named_fact({"sugar"}, {{"carbon"}, {"hydrogen"}, {"oxygen", "dioxygen"}})}});
  made.relations.push_back({"family",
                            {{"[X] is a [Y].", "family-1", cloze, manual},
                             {"[Y]: [X] is one.", "family-1", cloze, generated}},
                            {named_fact({"neon", "Ne"}, {{"noble gas", "inert gas", "rare gas"}}),
                             named_fact({"argon"}, {{"noble gas", "inert gas", "rare gas"}}),
                             named_fact({"gold"}, {{"metal"}})}});
  for (MultiPromptRelation& relation : made.relations) {
    relation.file = "elements/facts.jsonl";
    relation.template_file = "elements/templates.jsonl";
  }
  return made;
}

/// The shape of a relation of a larger dataset.
struct MultiPromptShape {
  std::size_t facts = 10;
  std::size_t templates = 4;
  /// The number of names per subject.
  std::size_t names = 1;
  /// The number of templates at the end that are questions.
  std::size_t questions = 0;
};

/// Relations "P0" … with these shapes: subjects "s0", with aliases "s0a1" …, and objects "o0" ….
[[nodiscard]] inline MultiPromptDataset shaped_many(const std::vector<MultiPromptShape>& shapes) {
  MultiPromptDataset made{"shaped", {}, {}};
  for (const MultiPromptShape& shape : shapes) {
    const std::string code = "P" + std::to_string(made.relations.size());
    MultiPromptRelation& relation = made.relations.emplace_back();
    relation.code = code;
    for (std::size_t t = 0; t < shape.templates; ++t) {
      const std::string name = code + " t" + std::to_string(t);
      if (t + shape.questions < shape.templates) {
        relation.templates.push_back({name + ": [X] and [Y]."});
      } else {
        relation.templates.push_back({name + ": [X]? [Y].", {}, TemplateStyle::question});
      }
    }
    for (std::size_t f = 0; f < shape.facts; ++f) {
      std::vector<std::string> names{"s" + std::to_string(f)};
      for (std::size_t n = 1; n < shape.names; ++n) {
        names.push_back(names.front() + "a" + std::to_string(n));
      }
      relation.facts.push_back(named_fact(names, {{"o" + std::to_string(f)}}));
    }
  }
  return made;
}

/// A ready-made, finished run folder of a generation, with these facts.
class GenerationFolder {
 public:
  explicit GenerationFolder(MultiPromptDataset asked = elements_many()) : asked_(std::move(asked)) {
    files_.write("asked/facts.jsonl", facts_jsonl(asked_));
    files_.write("asked/templates.jsonl", templates_jsonl(asked_));
    save();
  }

  [[nodiscard]] const MultiPromptDataset& asked() const { return asked_; }
  [[nodiscard]] const std::filesystem::path& path() const { return files_.path(); }
  [[nodiscard]] const TemporaryFolder& files() const { return files_; }

  /// A row with the indices of its relation, fact, template and expression. The answer scores −1
  /// nat per token.
  [[nodiscard]] RecordedAnswer answer(std::size_t relation, const AskedPrompt& prompt,
                                      const std::string& text, std::uint32_t tokens = 1) const {
    return {code(relation), prompt, subject(relation, prompt),
            text,           tokens, -static_cast<double>(tokens)};
  }
  [[nodiscard]] RecordedSamples samples(
      std::size_t relation, const AskedPrompt& prompt,
      const std::vector<std::pair<std::string, std::uint32_t>>& texts) const {
    return {code(relation), prompt, subject(relation, prompt), texts};
  }
  [[nodiscard]] RecordedNames names(std::size_t relation, const AskedPrompt& prompt,
                                    const std::vector<std::vector<TextLikelihood>>& names) const {
    return {code(relation), prompt, subject(relation, prompt), names};
  }
  [[nodiscard]] RecordedContentFree content_free(std::size_t relation, std::size_t template_index,
                                                 const std::string& subject,
                                                 const std::vector<double>& nats) const {
    RecordedContentFree row{code(relation), template_index, subject, {}};
    for (const double one : nats) row.candidates.push_back({one, 1});
    return row;
  }

  /// Adds a setting, after the earlier ones, with its answers.
  void setting(const std::string& name, const std::vector<RecordedAnswer>& rows) {
    write(name + "_answers.jsonl", rows);
    metadata_["settings"].push_back(name);
    save();
  }
  void write_samples(const std::string& setting, const std::vector<RecordedSamples>& rows) const {
    write(setting + "_samples.jsonl", rows);
  }
  void write_names(const std::string& setting, const std::vector<RecordedNames>& rows) const {
    write(setting + "_names.jsonl", rows);
  }
  void write_content_free(const std::string& setting,
                          const std::vector<RecordedContentFree>& rows) const {
    write(setting + "_content_free.jsonl", rows);
  }
  /// Sets the maximum number of tokens of an answer.
  void limit(std::size_t tokens) {
    metadata_["max_new_tokens"] = tokens;
    save();
  }
  void remark(const std::string& text) {
    metadata_["remarks"].push_back(text);
    save();
  }
  /// Sets the labels of the candidates that are scored after a relation's content-free prompts.
  void candidates(std::size_t relation, const std::vector<std::string>& labels) {
    metadata_["candidates"][code(relation)] = labels;
    save();
  }

 private:
  [[nodiscard]] std::string code(std::size_t relation) const {
    return asked_.relations.at(relation).code;
  }
  [[nodiscard]] std::string subject(std::size_t relation, const AskedPrompt& prompt) const {
    return asked_.relations.at(relation).facts.at(prompt.fact).subject.names.at(prompt.expression);
  }

  template <class Row>
  void write(const std::string& name, const std::vector<Row>& rows) const {
    std::string text;
    for (const Row& row : rows) text += row_line(row);
    files_.write(name, text);
  }
  void save() const { files_.write("metadata_generate.json", metadata_.dump(2) + "\n"); }

  MultiPromptDataset asked_;
  TemporaryFolder files_;
  Json metadata_ = {{"model", "by hand"},
                    {"dataset", "elements"},
                    {"settings", Json::array()},
                    {"candidates", Json::object()},
                    {"remarks", Json::array()}};
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
