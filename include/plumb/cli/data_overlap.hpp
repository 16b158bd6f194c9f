// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb data overlap: how many of a dataset's facts stand in these texts?
//
// Reads text files of any size in bounded memory, prints a table by relation and, on request, writes
// a JSON line for each fact. What is counted: measure/fact_overlap.hpp.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/cli/arguments.hpp"
#include "plumb/cli/console.hpp"
#include "plumb/core/number_words.hpp"
#include "plumb/core/over.hpp"
#include "plumb/core/text_file.hpp"
#include "plumb/data/load.hpp"
#include "plumb/data/multi_prompt_folder.hpp"
#include "plumb/data/named_facts.hpp"
#include "plumb/measure/fact_overlap.hpp"
#include "plumb/records/whole_file.hpp"
#include "plumb/report/overlap_columns.hpp"
#include "plumb/run/progress.hpp"
#include "plumb/run/setting.hpp"

namespace plumb {
namespace detail {

/// "line", "paragraph" or a number of words, at least two.
inline Within read_within(const std::string& word) {
  if (word == "line") return {Within::Unit::line};
  if (word == "paragraph") return {Within::Unit::paragraph};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!word.empty() && word.size() < 7 && over::all_of(word, is_digit)) {
    if (const std::size_t words = std::stoul(word); words >= 2) return {Within::Unit::words, words};
  }
  throw user_error({.field = "--within"}, "'" + word + "' is not a choice",
                   "say line, paragraph, or a number of words from 2 on");
}

/// The facts of a dataset of either kind, of the relations that are named.
inline std::vector<NamedFact> overlap_facts(const DiskPath& data,
                                            const std::vector<std::string>& relations) {
  std::vector<NamedFact> facts = is_multi_prompt(data) ? named_facts(load_multi_prompt(data))
                                                       : named_facts(load_dataset(data));
  for (const std::string& relation : relations) {
    if (over::find(facts, relation, &NamedFact::relation) != facts.end()) continue;
    throw user_error({.field = "--relations"},
                     "'" + relation + "' is not a relation of the dataset",
                     "plumb data describe names them");
  }
  std::erase_if(facts, [&](const NamedFact& fact) {
    return !relations.empty() && over::find(relations, fact.relation) == relations.end();
  });
  if (facts.empty()) throw user_error({.file = data}, "holds no fact", "name another dataset");
  return facts;
}

/// Files as they are named, and those of folders by name. Throws a user error for what is neither.
inline std::vector<DiskPath> overlap_texts(const std::vector<std::string>& words) {
  std::vector<DiskPath> texts;
  for (const std::string& word : words) {
    const DiskPath path(word);
    if (!path.exists()) {
      throw user_error({.file = path}, "is not there", "name text files or folders of them");
    }
    if (!path.is_folder()) {
      texts.push_back(path);
      continue;
    }
    const std::size_t before = texts.size();
    for (const DiskPath& file : path.list()) {
      if (file.is_file()) texts.push_back(file);
    }
    if (texts.size() == before) {
      throw user_error({.file = path}, "holds no file", "name text files or folders of them");
    }
  }
  return texts;
}

inline int overlap_data(Console& console) {
  std::string action, data, within = "50", relations, out;
  std::vector<std::string> texts;
  options::options_description list;
  list.add_options()                                                       //
      ("action", options::value(&action), "overlap")                       //
      ("data", options::value(&data), "dataset folder or .tsv file")       //
      ("texts", options::value(&texts), "text files, or folders of them")  //
      ("within", options::value(&within)->value_name("N|line|paragraph")->default_value("50"),
       "what subject and object must stand in together: a stretch of N words, a line or a "
       "paragraph")                                                                         //
      ("relations", options::value(&relations)->value_name("A,B"), "only these relations")  //
      ("out", options::value(&out)->value_name("FILE"), "also write a JSON line for each fact");
  const auto values = parse_arguments(console, "plumb data overlap DIR TEXT… [--within N]", list,
                                      {{"action", 1}, {"data", 1}, {"texts", -1}});
  if (!values) return 0;
  if (data.empty() || texts.empty()) {
    throw user_error({}, data.empty() ? "no dataset named" : "no text named",
                     "say plumb data overlap DIR TEXT…");
  }
  const Within unit = read_within(within);
  std::vector<std::string> named;
  if (!relations.empty()) setting::read(relations, "--relations", named);
  const std::vector<NamedFact> facts = overlap_facts(data, named);
  const std::vector<DiskPath> files = overlap_texts(texts);
  FactOverlap overlap(facts, unit);
  constexpr std::size_t megabyte = 1'000'000;
  std::size_t bytes = 0, told = 0;
  std::vector<std::string> paths;
  {
    Progress progress(console.err, files.size(), "texts", console.err_is_terminal);
    const auto tell = [&](std::size_t done) {
      progress.update(done, done, std::to_string(bytes / megabyte) + " MB");
      told = bytes;
    };
    for (const DiskPath& file : files) {
      for_each_line_piece(file, megabyte, [&](std::string_view piece, std::size_t line, bool ends) {
        bytes += piece.size() + (ends ? 1 : 0);
        overlap.feed(piece, line, ends);
        if (bytes - told >= megabyte) tell(paths.size());
      });
      overlap.end_text();
      paths.push_back(file.string());
      tell(paths.size());
    }
  }
  std::vector<MetRelation> rows = met_relations(facts, overlap.met());
  MetRelation all{"all"};
  for (const FactMeetings& met : overlap.met()) all.add(met);
  ColumnTable<MetRelation> table(overlap_columns());
  for (const MetRelation& row : rows) table.add(row);
  table.add_rule();
  table.add(all);
  console.out << table.text() << "\n"
              << overlap.words() << " words, " << bytes << " bytes of "
              << counted(files.size(), "file") << "\n";
  if (overlap.nameless() > 0) {
    console.out << counted(overlap.nameless(), "fact")
                << " whose subject or object has no name with a word, which no text can hold\n";
  }
  if (out.empty()) return 0;
  std::string lines;
  for (std::size_t f = 0; f < facts.size(); ++f) {
    lines += overlap_json(facts[f], overlap.met()[f], paths).dump() + "\n";
  }
  write_atomically(DiskPath(out), lines);
  console.out << "facts: " << out << "\n";
  return 0;
}

}  // namespace detail
}  // namespace plumb
