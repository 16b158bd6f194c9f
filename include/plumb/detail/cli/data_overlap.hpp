// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb data overlap: how many of a dataset's facts appear in these texts?
//
// Reads each text file once, in bounded memory for any file size. Prints a table by relation and,
// on request, writes a JSON line for each fact. This header lists the text files in a folder;
// measure/fact_overlap.hpp defines what is counted, and data/corpus_file.hpp how a file is read.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/cli/arguments.hpp"
#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/corpus_file.hpp"
#include "plumb/detail/data/graph_folder.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/data/multi_prompt_folder.hpp"
#include "plumb/detail/data/named_facts.hpp"
#include "plumb/detail/measure/fact_overlap.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/report/overlap_columns.hpp"
#include "plumb/detail/run/job_setting.hpp"
#include "plumb/detail/run/progress_bar.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// "line", "paragraph", "document" or a number of words (at least two).
inline Within read_within(const std::string& word) {
  if (word == "line") return {Within::Unit::line};
  if (word == "paragraph") return {Within::Unit::paragraph};
  if (word == "document") return {Within::Unit::document};
  const auto is_digit_here = [](char c) { return is_digit(c); };
  if (!word.empty() && word.size() < 7 && ranges::all_of(word, is_digit_here)) {
    if (const std::size_t words = std::stoul(word); words >= 2) {
      return {Within::Unit::words, words};
    }
  }
  throw user_error({.setting = "within"}, "'" + word + "' is not a valid choice",
                   "use line, paragraph, document, or a number of words from 2 to 999999");
}

inline LetterCase read_letter_case(const std::string& word) {
  if (word == "ignore") return LetterCase::lower;
  if (word == "keep") return LetterCase::kept;
  throw setting::no_choice("case", word, {"ignore", "keep"});
}

/// The facts of a dataset of any kind: those of the relations in `relations`, or all facts if
/// `relations` is empty.
inline std::vector<NamedFact> overlap_facts(const DiskPath& data,
                                            const std::vector<std::string>& relations) {
  std::vector<NamedFact> facts = is_graph_folder(data) ? named_facts(load_graph(data), relations)
                                 : is_multi_prompt(data)
                                     ? named_facts(load_multi_prompt(data), relations)
                                     : named_facts(load_dataset(data), relations);
  if (facts.empty()) throw user_error({.file = data}, "contains no facts", "use another dataset");
  return facts;
}

/// The text files, in the order of `words`. A folder stands for all files below it, in order of
/// their names. Throws a user error for a path that does not exist, and for a file that is listed
/// twice, because its text would be counted twice.
inline std::vector<DiskPath> overlap_texts(const std::vector<std::string>& words) {
  std::vector<DiskPath> texts;
  std::set<std::filesystem::path> seen;
  const auto add = [&](const auto& self, const DiskPath& path) -> void {
    if (path.is_folder()) {
      for (const DiskPath& inside : path.list()) self(self, inside);
    } else if (seen.insert(path.path().lexically_normal()).second) {
      texts.push_back(path);
    } else {
      throw user_error({.file = path}, "is listed twice", "list each text only once");
    }
  };
  for (const std::string& word : words) {
    const DiskPath path(word);
    const std::size_t before = texts.size();
    if (!path.exists()) {
      throw user_error({.file = path}, "does not exist",
                       "pass text files or folders of text files");
    }
    add(add, path);
    if (texts.size() == before) {
      throw user_error({.file = path}, "contains no files",
                       "pass text files or folders of text files");
    }
  }
  return texts;
}

/// The amount of text that was read.
struct CorpusSizes {
  std::size_t documents = 0;
  std::size_t bytes = 0;
};

/// Feeds the files' documents to `overlap`. The byte count covers only the text, not the
/// surrounding JSON or its escapes.
inline CorpusSizes read_texts(Console& console, const std::vector<DiskPath>& files,
                              const std::string& text_field, FactOverlap& overlap) {
  constexpr std::size_t megabyte = 1'000'000;
  CorpusSizes sizes;
  std::size_t reported = 0;
  ProgressBar progress(bar_of(console), files.size(), "files", console.err_is_terminal);
  for (std::size_t f = 0; f < files.size(); ++f) {
    const auto tell = [&](std::size_t done) {
      progress.update(done, done, std::to_string(sizes.bytes / megabyte) + " MB");
      reported = sizes.bytes;
    };
    for_each_document(
        files[f], text_field_of(files[f], text_field),
        [&](std::string_view piece, std::size_t line, bool ends) {
          sizes.bytes += piece.size() + (ends ? 1 : 0);
          overlap.feed(piece, line, ends);
          if (sizes.bytes - reported >= megabyte) tell(f);
        },
        [&] {
          ++sizes.documents;
          overlap.end_document();
        });
    overlap.end_file();
    tell(f + 1);
  }
  return sizes;
}

inline int overlap_data(Console& console) {
  std::string action, data, within, letters, text_field, relations, out;
  std::vector<std::string> texts;
  options::options_description list;
  list.add_options()                                                        //
      ("action", options::value(&action)->value_name("ACTION"), "overlap")  //
      ("data", options::value(&data)->value_name("DIR"),
       "dataset folder or .tsv file, or a knowledge graph's folder")                           //
      ("texts", options::value(&texts)->value_name("FILE"), "text files, or folders of them")  //
      ("within",
       options::value(&within)->value_name("N|line|paragraph|document")->default_value("50"),
       "where subject and object must appear together: within N words, or in the same line, "
       "paragraph or document (a plain text file, or one line of JSON lines)")  //
      ("case", options::value(&letters)->value_name("ignore|keep")->default_value("ignore"),
       "whether to ignore case, so that us matches US")  //
      ("text-field", options::value(&text_field)->value_name("NAME"),
       "read the texts as JSON lines, each with a document under NAME; for .jsonl files the "
       "default NAME is text")                                                              //
      ("relations", options::value(&relations)->value_name("A,B"), "only these relations")  //
      ("out", options::value(&out)->value_name("FILE"), "also write a JSON line for each fact");
  const auto values = parse_arguments(console, "plumb data overlap DIR TEXT… [options]", list,
                                      {{"action", 1}, {"data", 1}, {"texts", -1}});
  if (!values) return 0;
  if (data.empty() || texts.empty()) {
    throw user_error({}, data.empty() ? "no dataset given" : "no text given",
                     "use plumb data overlap DIR TEXT…");
  }
  const Within unit = read_within(within);
  const LetterCase letter_case = read_letter_case(letters);
  std::vector<std::string> codes;
  setting::read(relations, "relations", codes);
  const std::vector<NamedFact> facts = overlap_facts(data, codes);
  const std::vector<DiskPath> files = overlap_texts(texts);
  FactOverlap overlap(facts, unit, letter_case);
  std::optional<AtomicFile> made;
  if (!out.empty()) made.emplace(DiskPath(out));  // reject a bad path before the texts are read
  const CorpusSizes sizes = read_texts(console, files, text_field, overlap);

  std::vector<RelationOverlap> rows = met_relations(facts, overlap.met());
  RelationOverlap& all =
      rows.emplace_back(RelationOverlap{.relation = "all", .begins_section = true});
  for (const FactMeetings& met : overlap.met()) all.add(met);
  console.out << text_table(overlap_columns(), rows, width_on(console))
              << "met: " << meaning_of(unit) << ". " << counted(overlap.words(), "word") << " in "
              << counted(sizes.documents, "document") << " of " << counted(files.size(), "file")
              << ".\n";
  if (overlap.nameless() > 0) {
    console.out << counted(overlap.nameless(), "fact")
                << " cannot appear in a text: the subject or object has no name with a word.\n";
  }
  if (!made) return 0;
  std::vector<std::string> paths;
  for (const DiskPath& file : files) paths.push_back(file.string());
  for (std::size_t f = 0; f < facts.size(); ++f) {
    *made << overlap_json(facts[f], overlap.met()[f], paths).dump() + "\n";
  }
  made->finish();
  console.out << "facts: " << out << "\n";
  return 0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
