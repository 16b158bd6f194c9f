// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files that store the answers to many prompts.
//
// A run folder contains the facts and templates that were used (asked/facts.jsonl and
// asked/templates.jsonl, data/multi_prompt_folder.hpp) and metadata_generate.json
// (generation_metadata.hpp). In addition, it has files for each setting with the answers, the
// samples, the likelihoods of names, and the candidates after content-free prompts. Their fields
// are declared below. A row whose prompt shows examples ends with "shots": indices into the list in
// shots.jsonl for its setting, relation and template (generation_shots.hpp). Rows written by
// earlier versions do not have this field. If each prompt has its own examples, the list contains
// all facts that may be shown, and "shot_templates" contains the template of each example. Numbers
// are written with ten digits. A row that has been read contains its line number, counted from 1,
// for use in messages.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/aggregate/prompt_rows.hpp"
#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/record_fields.hpp"
#include "plumb/detail/records/result_lines.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline void append_field(std::string& out, const TextLikelihood& one) {
  if (one.tokens == 0) return void(out += "null");
  append_field(out, std::pair(ten_digits(one.nats), one.tokens));
}
inline void read_field(const Json& json, TextLikelihood& one) {
  if (json.is_null()) return;
  std::pair<double, std::uint32_t> both;
  read_field(json, both);
  one = {both.first, both.second};
}
inline void append_field(std::string& out, const std::optional<Rank>& rank) {
  if (!rank) return void(out += "null");
  append_field(out, std::pair(rank->above, rank->equal));
}
inline void read_field(const Json& json, std::optional<Rank>& rank) {
  if (json.is_null()) return void(rank = std::nullopt);
  std::pair<std::size_t, std::size_t> both;
  read_field(json, both);
  rank = Rank{both.first, both.second};
}

/// A masked model's answer, restricted to a common vocabulary.
template <class Fill>
struct CommonFill {
  Fill& fill;
};
template <class Fill>
CommonFill(Fill&) -> CommonFill<Fill>;
template <class Fill>
bool is_absent(const CommonFill<Fill>& common) {
  return !common.fill.common_id;
}
template <class Fill>
void append_field(std::string& out, const CommonFill<Fill>& common) {
  append_field(out += "{\"answer\":", common.fill.common_text);
  append_field(out += ",\"id\":", *common.fill.common_id);
  append_field(out += ",\"rank\":", common.fill.common_rank);
  out += '}';
}
template <class Fill>
void read_field(const Json& json, const CommonFill<Fill>& common) {
  read_field(json.at("answer"), common.fill.common_text);
  read_field(json.at("id"), common.fill.common_id.emplace());
  read_field(json.at("rank"), common.fill.common_rank);
}

/// The fields at the beginning of every row about a prompt, and the fields at its end if the prompt
/// shows examples.
template <class Row, class Field>
void prompt_fields(Row& row, Field& field) {
  field("relation", row.relation, "code of the relation");
  field("fact", row.prompt.fact, "index among the relation's asked facts, from 0");
  field("subject", row.subject, "the subject's name in the prompt");
  field("template", row.prompt.template_index, "index among the relation's templates, from 0");
  field("expression", row.prompt.expression,
        "index of that name among the subject's names, from 0");
}
template <class Row, class Field>
void shot_fields(Row& row, Field& field) {
  field.optional("shots", row.shots.places, "indices of the examples in shots.jsonl's list");
  field.optional("shot_templates", row.shots.templates, "the template of each example");
}

template <>
struct RecordFields<RecordedAnswer> {
  static constexpr std::string_view file = "SETTING_answers.jsonl", rows = "one row per prompt";
  template <class Self, class Field>
  static void visit(Self& row, Field& field) {
    prompt_fields(row, field);
    field("answer", row.text, "the text that the model wrote, or the tokens that fill the gap");
    field("tokens", row.tokens, "number of tokens of the answer");
    field("log_probability", TenDigits{row.log_probability},
          "log-probability of the greedy tokens, in nats; the end token is not included");
    field.together("ids", row.fill, [](auto& fill, auto& of) {
      of("ids", fill.ids, "token identifiers of a masked model's answer");
      of("right", fill.right,
         "whether these identifiers exactly match those of any of the objects' names");
      of("rank", fill.rank,
         "[above, equal]: number of tokens likelier than the likeliest true token, and number of "
         "equally likely tokens; null if not computed");
      of.optional("common", CommonFill{fill},
                  "answer, id and rank in a common vocabulary; the rank is null if the vocabulary "
                  "contains no true token");
    });
    shot_fields(row, field);
  }
};

template <>
struct RecordFields<RecordedSamples> {
  static constexpr std::string_view file = "SETTING_samples.jsonl",
                                    rows = "one row per sampled prompt";
  template <class Self, class Field>
  static void visit(Self& row, Field& field) {
    prompt_fields(row, field);
    field("samples", row.texts, "[text, count], sorted by descending count, then by text");
    shot_fields(row, field);
  }
};

template <>
struct RecordFields<RecordedNames> {
  static constexpr std::string_view file = "SETTING_names.jsonl", rows = "one row per prompt";
  template <class Self, class Field>
  static void visit(Self& row, Field& field) {
    prompt_fields(row, field);
    field("names", row.names,
          "for each name of each object: [nats, tokens] after the prompt, or null for a name that "
          "does not fit into its gap");
    shot_fields(row, field);
  }
};

template <>
struct RecordFields<RecordedContentFree> {
  static constexpr std::string_view file = "SETTING_content_free.jsonl",
                                    rows = "one row per template and content-free subject";
  template <class Self, class Field>
  static void visit(Self& row, Field& field) {
    field("relation", row.relation, "code of the relation");
    field("template", SixteenBits{row.template_index},
          "index among the relation's templates, from 0");
    field("subject", row.subject, "the content-free text");
    field("candidates", row.candidates,
          "[nats, tokens] for each object label, in the order of metadata_generate.json");
    shot_fields(row, field);
  }
};

/// Calls `visit` with each row of a file. Throws a user error if the file cannot be read or a line
/// is not such a row. Exceptions thrown by `visit` are propagated.
template <class Row, class Visit>
void for_each_row(const DiskPath& file, Visit visit) {
  for_each_result_line(file, [&](const Json& line, std::size_t number) {
    Row row = [&] {
      try {
        return read_row<Row>(line);
      } catch (const std::exception&) {
        throw user_error({file, number}, "is not a row of answers",
                         "the file was changed; run the job again");
      }
    }();
    row.line = number;
    visit(row);
  });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
