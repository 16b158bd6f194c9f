// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many-shot run folders with given answers. A string such as "101" specifies the answers, each
// chosen from two options.

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/records/injection_file.hpp"
#include "plumb/detail/records/many_shot_rows.hpp"
#include "support/small_many_shot.hpp"
#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Fact i of a relation: its subject is "s" followed by i, its instance is i, and its answer is
/// option i % 2.
[[nodiscard]] inline Fact numbered_fact(std::size_t i) {
  Fact fact;
  fact.subject_id = "Q" + std::to_string(i);
  fact.subject = "s" + std::to_string(i);
  fact.answer = i % 2;
  fact.instance = i;
  return fact;
}

class ManyShotFolder {
 public:
  /// Adds a relation with facts 0, 1, …, the options "yes" and "no", and no rows.
  void relation(const std::string& code, std::size_t choices = 0, std::size_t beginning = 0) {
    entry(code)["choices"] = choices;
    entry(code)["choices_beginning_another"] = beginning;
    append(code + "_choices.jsonl", "");
    save();
  }
  void note(const std::string& code, const RelationRemark& remark) {
    entry(code)["notes"].push_back(to_json(remark));
    save();
  }
  void skip(const std::string& code, const RelationRemark& why) {
    entry(code)["skipped"] = to_json(why);
    save();
  }

  /// Adds a row for each mark, correct ('1') or wrong; the chosen option has the given probability.
  void choose(const std::string& code, const Setting& setting, const std::string& marks,
              double probability = 0.82) {
    relation_if_new(code);
    std::string rows;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      const Fact fact = numbered_fact(i);
      const bool first = (fact.answer == 0) == (marks[i] == '1');
      std::vector<StatementScore> scores(2);
      scores[0].continuation.log_likelihood = std::log(first ? probability : 1 - probability);
      scores[1].continuation.log_likelihood = std::log(first ? 1 - probability : probability);
      rows += recorded_choice_line(setting, fact, {{0, 1}, fact.answer}, scores);
    }
    append(code + "_choices.jsonl", rows);
  }

  /// Adds a generated text for each mark: '1' means that the text contains the label, 'a' an alias,
  /// and '0' neither.
  void generate(const std::string& code, const Setting& setting, const std::string& marks) {
    std::string rows;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      rows += row_line(
          RecordedGeneration{setting, numbered_fact(i), "…", marks[i] == '1', marks[i] != '0'});
    }
    append(code + "_generated.jsonl", rows);
  }

  /// Adds an injection experiment with ten pairs, two of which are replaced. Position p of panel i
  /// has probability (p + 1) / (20 + i).
  void inject(const std::string& code) {
    relation_if_new(code);
    ScoredInjection made{injection_design(births(30, 8, code), {.pairs = 10, .injected = 2}), {}};
    for (std::size_t i = 0; i < made.design.panels.size(); ++i) {
      std::vector<double>& scores = made.log_probabilities.emplace_back();
      for (std::size_t p = 0; p < 10; ++p) {
        scores.push_back(std::log(static_cast<double>(p + 1) / static_cast<double>(20 + i)));
      }
    }
    files_.write(code + "_injection.json", recorded_injection_text(made));
  }

  /// Writes run settings as a command would.
  void settings(const Json& values) const {
    files_.write("run.json", Json{{"status", "complete"}, {"settings", values}}.dump());
  }

  [[nodiscard]] const std::filesystem::path& path() const { return files_.path(); }
  [[nodiscard]] const TemporaryFolder& files() const { return files_; }

 private:
  Json& entry(const std::string& code) {
    Json& relations = metadata_["relations"];
    if (!relations.contains(code)) {
      relations[code] = {{"options", {"yes", "no"}},
                         {"notes", Json::array()},
                         {"skipped", nullptr},
                         {"choices", 0},
                         {"choices_beginning_another", 0}};
    }
    return relations[code];
  }
  void relation_if_new(const std::string& code) {
    if (!metadata_["relations"].contains(code)) relation(code);
  }
  void append(const std::string& name, const std::string& text) const {
    files_.write(name, (std::filesystem::exists(files_ / name) ? slurp(files_ / name) : "") + text);
  }
  void save() const { files_.write("metadata_many_shot.json", metadata_.dump()); }

  TemporaryFolder files_;
  Json metadata_ = {{"model", "m.gguf"}, {"dataset", "d"}, {"relations", Json::object()}};
};

/// Two relations with 1 and 5 shots and two seeds each; P1 also has answers for a template. A third
/// relation is skipped.
///           1 shot        5 shots       template 0
///   P1   1000  1100     1110  1111        1000        4 facts
///   P2   10    00       11    11          –           2 facts
/// The continuations of P1 with 5 shots are 10aa with seed 0 and 110a with seed 1.
struct SmallManyShot : ManyShotFolder {
  SmallManyShot() {
    relation("P1", 8, 1);
    relation("P2", 4);
    const auto ic = [](std::size_t shots, std::size_t seed) {
      return Setting{"ic", shots, " ", "choice", seed};
    };
    choose("P1", ic(1, 0), "1000");
    choose("P1", ic(5, 0), "1110");
    choose("P1", ic(1, 1), "1100");
    choose("P1", ic(5, 1), "1111");
    choose("P1", {"hgp", 0, "", "choice", 0}, "1000", 0.6);
    choose("P2", ic(1, 0), "10");
    choose("P2", ic(5, 0), "11");
    choose("P2", ic(1, 1), "00");
    choose("P2", ic(5, 1), "11");
    generate("P1", ic(5, 0), "10aa");
    generate("P1", ic(5, 1), "110a");
    note("P1", {"a remark on <some>", "here"});
    skip("P3", {"skipped for having fewer than 9 facts", "3"});
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
