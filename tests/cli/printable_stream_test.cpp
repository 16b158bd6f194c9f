// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/printable_stream.hpp"

#include <boost/test/unit_test.hpp>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/data/csv_file.hpp"
#include "support/console_run.hpp"
#include "support/generate_console.hpp"
#include "support/hostile_texts.hpp"
#include "support/small_graph.hpp"
#include "support/small_many_shot.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using plumb::detail::PrintableStream;
using test::HostileTexts;
using test::run_words;

BOOST_AUTO_TEST_SUITE(printable_streams)

namespace {

/// The first control character that a terminal would execute, other than line feeds and tabs; 0 if
/// there is none.
std::uint32_t obeyed(std::string_view text) {
  while (!text.empty()) {
    const auto [value, size] = first_code_point(text);
    if (size == 0) return 0xFFFFFF;
    if (is_control(value) && value != U'\n' && value != U'\t') return value;
    text.remove_prefix(size);
  }
  return 0;
}

/// The number of occurrences of a word in a text.
std::size_t times(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

/// Whether a cell is a number, or does not begin like a formula.
bool is_harmless(const std::string& cell) {
  if (cell.empty() || std::string_view("=+-@\t\r").find(cell.front()) == std::string_view::npos) {
    return true;
  }
  double number = 0;
  const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return read.ec == std::errc() && read.ptr == cell.data() + cell.size();
}

/// The small dataset with hostile names for everything but its relations.
Dataset hostile_dataset(HostileTexts& text) {
  Dataset dataset = test::small_dataset();
  for (Relation& relation : dataset.relations) {
    for (std::string& one : relation.templates) one = text() + one + text();
    for (std::string& one : relation.domains) one = "d" + text();
    for (std::string& one : relation.options) one = text() + "x";
    for (std::string& one : relation.option_ids) one += text();
    for (Fact& fact : relation.facts) {
      fact.subject = text() + "y";
      fact.subject_id = text();
    }
  }
  return dataset;
}

/// A model with a context long enough for any text in this file.
NgramTreeModel roomy_model(const ModelOptions&) {
  NgramTreeModel model = test::small_model();
  model.limits = {4096, 4096, 256};
  return model;
}

/// The text as a valid file name.
std::string as_file_name(std::string text) {
  for (char& c : text) {
    if (c == '/' || c == '\0') c = '-';
  }
  return "m" + text + ".gguf";
}

/// The text as a valid field of a tab-separated file.
std::string in_a_column(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::size_t entries_of(const test::TemporaryFolder& folder) {
  const std::filesystem::directory_iterator all(folder.path());
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Checks that all scripts and comments of a page are plumb's own, and that each script ends at its
/// own end tag.
void expect_harmless_page(const std::string& page) {
  BOOST_TEST(obeyed(page.substr(0, page.find("<script"))) == 0U);
  BOOST_TEST(times(page, "</script>") == times(page, "<script"));
  BOOST_TEST(times(page, "<!--") == 0U);
}

/// Checks that nothing printed by a call or left in its folder affects a terminal, a spreadsheet or
/// a browser, and that its JSON can be read.
void expect_harmless(const test::ConsoleRun& made, const std::filesystem::path& run) {
  BOOST_TEST(obeyed(made.out) == 0U);
  BOOST_TEST(obeyed(made.err) == 0U);
  for (const auto& [name, csv] : test::contents(run, ".csv")) {
    std::optional<std::size_t> unclosed;
    for (const CsvRecord& record : split_csv(csv, unclosed)) {
      for (const std::string& cell : record.fields) BOOST_TEST(is_harmless(cell), printable(cell));
    }
    BOOST_TEST(!unclosed.has_value());
  }
  const auto pages = test::contents(run, ".html");
  BOOST_TEST(!pages.empty());
  for (const auto& [name, page] : pages) expect_harmless_page(page);
  for (const auto& [name, text] : test::contents(run, ".json")) {
    BOOST_TEST(!Json::parse(text, nullptr, false).is_discarded(), name);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(controls_are_written_out_and_lines_stay) {
  std::ostringstream target;
  PrintableStream out(target);
  out << "a\x1b[2J\tb\r" << 12 << '\x07' << std::endl;
  BOOST_TEST(target.str() == "a\\u001b[2J\tb\\u000d12\\u0007\n");
}

// U+009B takes two bytes, U+202E three and a flag four.
BOOST_AUTO_TEST_CASE(a_character_may_come_byte_by_byte) {
  std::ostringstream target;
  PrintableStream out(target);
  for (const char byte : std::string("é\u009B\u202E🇫ok")) out.put(byte);
  BOOST_TEST(target.str() == "é\\u009b\\u202e🇫ok");
}

BOOST_AUTO_TEST_CASE(half_a_character_is_replaced_where_nothing_follows) {
  std::ostringstream target;
  {
    PrintableStream out(target);
    out << "a\xE2\x80" << std::flush;
    BOOST_TEST(target.str() == "a\uFFFD\uFFFD");
    out << "\xC3";
  }
  BOOST_TEST(target.str() == "a\uFFFD\uFFFD\uFFFD");
  std::ostringstream other;
  PrintableStream(other) << "\x9b"
                            "31m\xC3x";
  BOOST_TEST(other.str() == "\uFFFD31m\uFFFDx");
}

BOOST_AUTO_TEST_CASE(a_target_that_takes_nothing_more_is_noticed) {
  std::ostringstream target;
  target.setstate(std::ios::badbit);
  PrintableStream out(target);
  out << "lost" << std::flush;
  BOOST_TEST(!out);
}

// Runs a probe on hostile names generated from 12 seeds. No control character reaches the terminal,
// no cell is a formula, no page contains a script or a tag that plumb did not write, JSON contains
// the texts unchanged, and no file appears outside the run folder.
BOOST_AUTO_TEST_CASE(hostile_names_do_nothing_in_any_output) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    HostileTexts text(seed);
    const test::TemporaryFolder folder;
    const Dataset dataset = hostile_dataset(text);
    test::write_bear(folder, "data", dataset);
    const std::string model = as_file_name(text());
    folder.write(model, "stands for a model");
    const std::string run = (folder / "run").string();
    const auto made = run_words({"probe", "--data", (folder / "data").string(), "--model",
                                 (folder / model).string(), "--out", run},
                                roomy_model);
    BOOST_REQUIRE_MESSAGE(made.code == 0, "seed " << seed << ": " << printable(made.err));
    expect_harmless(made, folder / "run");
    const auto checked = run_words({"data", "check", (folder / "data").string()});
    BOOST_TEST(obeyed(checked.out + checked.err) == 0U);
    BOOST_TEST(obeyed(run_words({"data", "prompts", run}, roomy_model).out) == 0U);
    for (const Relation& relation : dataset.relations) {
      const auto rows = test::rows_of(folder / "run" / (relation.code + "_results.jsonl"));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        BOOST_TEST(rows[i].at("sub_label") ==
                   relation.facts[i * relation.facts.size() / rows.size()].subject);
      }
    }
    BOOST_TEST(entries_of(folder) == 3U);  // data, the model and the run
  }
}

// For commands that read several runs, the names of models and folders are hostile too.
BOOST_AUTO_TEST_CASE(hostile_names_do_nothing_in_what_is_made_of_runs) {
  for (std::uint64_t seed = 20; seed < 24; ++seed) {
    HostileTexts text(seed);
    const test::TemporaryFolder folder;
    test::write_bear(folder, "data", hostile_dataset(text));
    std::vector<std::string> runs;
    for (const char* which : {"one", "two"}) {
      const std::string model = which + as_file_name(text());
      folder.write(model, "stands for a model");
      runs.push_back((folder / ("run" + as_file_name(text()) + which)).string());
      const auto made =
          run_words({"probe", "--data", (folder / "data").string(), "--model",
                     (folder / model).string(), "--templates", "all", "--out", runs.back()},
                    roomy_model);
      BOOST_REQUIRE_MESSAGE(made.code == 0, "seed " << seed << ": " << printable(made.err));
    }
    const std::vector<std::vector<std::string>> calls{
        {"calibrate", runs[0], "--bins", "2", "--resamples", "20"},
        {"calibrate", runs[0], runs[1], "--bins", "2", "--resamples", "20"},
        {"compare", runs[0], runs[1]},
        {"report", runs[0]}};
    for (std::vector<std::string> words : calls) {
      const std::string out = words[0] + std::to_string(words.size());
      words.insert(words.end(), {"--out", (folder / out).string()});
      const auto made = run_words(words, roomy_model);
      BOOST_REQUIRE_MESSAGE(made.code == 0,
                            words[0] << ", seed " << seed << ": " << printable(made.err));
      expect_harmless(made, folder / out);
    }
    BOOST_TEST(entries_of(folder) == 9U);
  }
}

BOOST_AUTO_TEST_CASE(hostile_names_do_nothing_in_ranks) {
  for (std::uint64_t seed = 30; seed < 34; ++seed) {
    HostileTexts text(seed);
    const test::TemporaryFolder folder;
    KnowledgeGraph graph = test::elements();
    graph.name = "graph";
    for (Entity& entity : graph.entities) {
      entity.name = in_a_column(text() + entity.name);
      entity.description = in_a_column(text());
    }
    for (GraphRelation& relation : graph.relations) {
      relation.name = in_a_column(relation.name + text());
      relation.id += in_a_column(text());
    }
    test::write_graph(folder, graph);
    const std::string model = as_file_name(text());
    folder.write(model, "stands for a model");
    const auto made =
        run_words({"rank", "--data", (folder / "graph").string(), "--model",
                   (folder / model).string(), "--method", "deer,likelihood", "--nearest", "2",
                   "--shots", "2", "--limit", "6", "--out", (folder / "run").string()},
                  roomy_model);
    BOOST_REQUIRE_MESSAGE(made.code == 0, "seed " << seed << ": " << printable(made.err));
    expect_harmless(made, folder / "run");
    BOOST_TEST(entries_of(folder) == 3U);
  }
}

BOOST_AUTO_TEST_CASE(hostile_names_do_nothing_in_what_is_generated_and_shown) {
  for (std::uint64_t seed = 40; seed < 44; ++seed) {
    HostileTexts text(seed);
    const test::TemporaryFolder folder;
    MultiPromptDataset many = test::elements_many();
    for (MultiPromptRelation& relation : many.relations) {
      for (PromptTemplate& one : relation.templates) one.text = in_a_column(text()) + one.text;
      for (ManyNamedFact& fact : relation.facts) {
        fact.subject.names.push_back(in_a_column(text()) + "y");
        for (auto& object : fact.objects) object.names.front() += in_a_column(text());
      }
    }
    folder.write("many/facts.jsonl", facts_jsonl(many));
    folder.write("many/templates.jsonl", templates_jsonl(many));
    Relation births = test::births(30, 8, "birth");
    std::string lines;
    for (std::string& option : births.options) option += text();
    for (const Fact& fact : births.facts) {
      lines += Json{{"subject", text() + fact.subject},
                    {"subject_id", fact.subject_id},
                    {"object", births.options[fact.answer]}}
                   .dump() +
               "\n";
    }
    folder.write("births/birth.jsonl", lines);
    const std::string model = as_file_name(text());
    folder.write(model, "stands for a model");
    const std::vector<std::vector<std::string>> calls{
        {"generate", "--data", (folder / "many").string(), "--max-new-tokens", "12", "--samplings",
         "50", "--wordnet", "none", "--samples", "3", "--confidence-prompts", "4", "--limit", "2"},
        {"many-shot", "--data", (folder / "births").string(), "--shots", "1,4", "--seeds", "2",
         "--choices", "5", "--train", "12", "--limit", "6", "--generate", "4"}};
    for (std::vector<std::string> words : calls) {
      const std::string out = words[0];
      words.insert(words.end(),
                   {"--model", (folder / model).string(), "--out", (folder / out).string()});
      const auto made = run_words(words, roomy_model);
      BOOST_REQUIRE_MESSAGE(made.code == 0,
                            out << ", seed " << seed << ": " << printable(made.err));
      expect_harmless(made, folder / out);
      BOOST_TEST(obeyed(run_words({"data", "prompts", (folder / out).string()}, roomy_model).out) ==
                 0U);
    }
    BOOST_TEST(entries_of(folder) == 5U);
  }
}

// A relation's name is also a file name. Either a hostile name is rejected in one line without
// control characters, or its results are stored in the run's folder.
BOOST_AUTO_TEST_CASE(hostile_relations_are_refused_or_stay_in_their_folder) {
  HostileTexts text(3);
  std::size_t refused = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string code = text();
    const auto problem =
        problem_with_relation_name(code, {.file = "data", .line = 0, .field = code});
    if (problem) {
      ++refused;
      BOOST_TEST(obeyed(problem->what()) == 0U);
      BOOST_TEST(std::string_view(problem->what()).find('\n') == std::string_view::npos);
    } else {
      BOOST_TEST(obeyed(code) == 0U);
      const std::filesystem::path path = std::filesystem::path("run") / (code + "_results.jsonl");
      BOOST_TEST(path.lexically_normal().parent_path() == "run");
    }
  }
  BOOST_TEST(refused > 10);
  BOOST_TEST(refused < 60);
}

BOOST_AUTO_TEST_SUITE_END()
