// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are the answers to many prompts kept in files?
//
//   asked/facts.jsonl, asked/templates.jsonl   what was asked (data/multi_prompt_folder.hpp)
//   metadata_generate.json         what was asked and how it ended (generation_metadata.hpp)
//   <setting>_answers.jsonl        a row for each prompt: relation, fact (place among the asked ones
//                                  of its relation), subject (the name used), template, expression
//                                  (place among the subject's names), answer, tokens,
//                                  log_probability (nats, of the greedy tokens; their end not
//                                  counted); of a masked model also ids (the answer's tokens), right
//                                  (whether they are exactly those of a name of an object), rank
//                                  ([above, equal]: tokens likelier than the likeliest true one, and
//                                  as likely; null where it was not taken) and, with a common
//                                  vocabulary, common: answer, id and rank among its tokens (null
//                                  where it has no true one)
//   <setting>_samples.jsonl        a row for each prompt that was sampled: the same head, samples
//                                  ([text, times] by falling times, then text)
//   <setting>_names.jsonl          the same head, names: for each object, for each of its names,
//                                  [nats, tokens] behind the prompt, or null for one that does not
//                                  fit into its gap
//   <setting>_content_free.jsonl   relation, template, subject (a text without content), candidates
//                                  ([nats, tokens] for each object label of the relation, in the
//                                  order of metadata_generate.json)
// A row whose prompt shows examples ends in "shots", places in the list that shots.jsonl has for the
// setting, relation and template (generation_shots.hpp); rows of earlier versions have none. Where each
// prompt has examples of its own the list is of all facts that may be shown, and "shot_templates" has
// the template of each. Numbers carry ten digits. What is read knows its line, from 1, for messages.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/prompt_rows.hpp"
#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/result_lines.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline Json prompt_columns(const std::string& relation, const AskedPrompt& prompt,
                           const std::string& subject) {
  return {{"relation", relation},
          {"fact", prompt.fact},
          {"subject", subject},
          {"template", prompt.template_index},
          {"expression", prompt.expression}};
}

/// A whole number from 0 on that a T can hold; throws what for_each_recorded reports of others.
template <class T>
T whole(const Json& value) {
  const auto number = value.get_ref<const Json::number_unsigned_t&>();
  if (number > static_cast<std::uint64_t>((std::numeric_limits<T>::max)()))
    throw std::out_of_range("too large");
  return static_cast<T>(number);
}

inline AskedPrompt recorded_prompt(const Json& row) {
  return {whole<std::uint32_t>(row.at("fact")), whole<std::uint16_t>(row.at("template")),
          whole<std::uint16_t>(row.at("expression"))};
}

inline void put_shots(Json& row, const ShotPlaces& shots) {
  if (!shots.places.empty()) row["shots"] = shots.places;
  if (!shots.templates.empty()) row["shot_templates"] = shots.templates;
}

inline ShotPlaces recorded_shots(const Json& row) {
  const auto numbers = [&](const char* name) {
    std::vector<std::uint32_t> all;
    if (const auto found = row.find(name); found != row.end()) {
      for (const Json& one : *found) all.push_back(whole<std::uint32_t>(one));
    }
    return all;
  };
  return {numbers("shots"), numbers("shot_templates")};
}

inline Json to_row(const TextLikelihood& one) {
  if (one.tokens == 0) return Json();
  return Json::array({ten_digits(one.nats), one.tokens});
}

inline TextLikelihood likelihood_of(const Json& row) {
  if (row.is_null()) return {};
  return {row.at(0).get<double>(), whole<std::uint32_t>(row.at(1))};
}

inline Json to_row(const std::optional<Rank>& rank) {
  return rank ? Json::array({rank->above, rank->equal}) : Json();
}

inline std::optional<Rank> rank_of(const Json& row) {
  if (row.is_null()) return std::nullopt;
  return Rank{whole<std::size_t>(row.at(0)), whole<std::size_t>(row.at(1))};
}

inline void put_fill(Json& row, const std::optional<RecordedFill>& fill) {
  if (!fill) return;
  row["ids"] = fill->ids;
  row["right"] = fill->right;
  row["rank"] = to_row(fill->rank);
  if (!fill->common_id) return;
  row["common"] = {
      {"answer", fill->common_text}, {"id", *fill->common_id}, {"rank", to_row(fill->common_rank)}};
}

inline std::optional<RecordedFill> recorded_fill(const Json& row) {
  if (!row.contains("ids")) return std::nullopt;
  RecordedFill fill;
  for (const Json& id : row.at("ids")) fill.ids.push_back(whole<TokenId>(id));
  fill.right = row.at("right").get<bool>();
  fill.rank = rank_of(row.at("rank"));
  if (const auto common = row.find("common"); common != row.end()) {
    fill.common_id = whole<TokenId>(common->at("id"));
    fill.common_text = common->at("answer").get<std::string>();
    fill.common_rank = rank_of(common->at("rank"));
  }
  return fill;
}

/// Calls `visit` with what `read` makes of each row. What `visit` throws is its own.
template <class Read, class Visit>
void for_each_recorded(const DiskPath& file, Read read, Visit visit) {
  for_each_result_line(file, [&](const Json& row, std::size_t line) {
    auto made = [&] {
      try {
        auto answer = read(row);
        answer.shots = recorded_shots(row);
        return answer;
      } catch (const std::exception&) {
        throw user_error({file, line}, "is no row of answers", "the file was changed; ask again");
      }
    }();
    made.line = line;
    visit(made);
  });
}

[[nodiscard]] inline Json answer_row(const RecordedAnswer& answer) {
  Json row = detail::prompt_columns(answer.relation, answer.prompt, answer.subject);
  row["answer"] = answer.text;
  row["tokens"] = answer.tokens;
  row["log_probability"] = ten_digits(answer.log_probability);
  detail::put_fill(row, answer.fill);
  detail::put_shots(row, answer.shots);
  return row;
}
[[nodiscard]] inline std::string answer_line(const RecordedAnswer& answer) {
  return answer_row(answer).dump() + "\n";
}

[[nodiscard]] inline std::string samples_line(const RecordedSamples& samples) {
  Json row = detail::prompt_columns(samples.relation, samples.prompt, samples.subject);
  Json& texts = row["samples"] = Json::array();
  for (const auto& [text, times] : samples.texts) texts.push_back(Json::array({text, times}));
  detail::put_shots(row, samples.shots);
  return row.dump() + "\n";
}

[[nodiscard]] inline Json names_row(const RecordedNames& names) {
  Json row = detail::prompt_columns(names.relation, names.prompt, names.subject);
  Json& objects = row["names"] = Json::array();
  for (const auto& object : names.names) {
    Json& list = objects.emplace_back(Json::array());
    for (const TextLikelihood& one : object) list.push_back(detail::to_row(one));
  }
  detail::put_shots(row, names.shots);
  return row;
}
[[nodiscard]] inline std::string names_line(const RecordedNames& names) {
  return names_row(names).dump() + "\n";
}

[[nodiscard]] inline Json content_free_row(const RecordedContentFree& one) {
  Json row = {{"relation", one.relation},
              {"template", one.template_index},
              {"subject", one.subject},
              {"candidates", Json::array()}};
  for (const TextLikelihood& of : one.candidates) row["candidates"].push_back(detail::to_row(of));
  detail::put_shots(row, one.shots);
  return row;
}
[[nodiscard]] inline std::string content_free_line(const RecordedContentFree& one) {
  return content_free_row(one).dump() + "\n";
}

/// Calls `visit(RecordedAnswer)` for each row. Throws a user error for a file that cannot be read
/// and a row that is none; so do the others.
template <class Visit>
void for_each_answer(const DiskPath& file, Visit visit) {
  detail::for_each_recorded(
      file,
      [](const Json& row) {
        return RecordedAnswer{row.at("relation"),
                              detail::recorded_prompt(row),
                              row.at("subject"),
                              row.at("answer"),
                              detail::whole<std::uint32_t>(row.at("tokens")),
                              row.at("log_probability").get<double>(),
                              0,
                              {},
                              detail::recorded_fill(row)};
      },
      visit);
}

/// Calls `visit(RecordedSamples)` for each row.
template <class Visit>
void for_each_samples(const DiskPath& file, Visit visit) {
  detail::for_each_recorded(
      file,
      [](const Json& row) {
        RecordedSamples made{
            row.at("relation"), detail::recorded_prompt(row), row.at("subject"), {}};
        for (const Json& text : row.at("samples")) {
          made.texts.emplace_back(text.at(0).get<std::string>(),
                                  detail::whole<std::uint32_t>(text.at(1)));
        }
        return made;
      },
      visit);
}

/// Calls `visit(RecordedNames)` for each row.
template <class Visit>
void for_each_names(const DiskPath& file, Visit visit) {
  detail::for_each_recorded(
      file,
      [](const Json& row) {
        RecordedNames made{row.at("relation"), detail::recorded_prompt(row), row.at("subject"), {}};
        for (const Json& object : row.at("names")) {
          auto& list = made.names.emplace_back();
          for (const Json& one : object) list.push_back(detail::likelihood_of(one));
        }
        return made;
      },
      visit);
}

/// Calls `visit(RecordedContentFree)` for each row.
template <class Visit>
void for_each_content_free(const DiskPath& file, Visit visit) {
  detail::for_each_recorded(
      file,
      [](const Json& row) {
        RecordedContentFree made{row.at("relation"),
                                 detail::whole<std::uint16_t>(row.at("template")),
                                 row.at("subject"),
                                 {}};
        for (const Json& one : row.at("candidates")) {
          made.candidates.push_back(detail::likelihood_of(one));
        }
        return made;
      },
      visit);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
