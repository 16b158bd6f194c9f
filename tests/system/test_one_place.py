# SPDX-License-Identifier: Apache-2.0
"""A metric that is added in one place appears in metrics.json, metrics.csv, the terminal and the page. A length that is added
in one place appears in scores, results files and reductions. Each is added to a copy of one header. The keys of
metrics.json are stable: tests/metrics_keys.txt lists those of every kind of run."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"
COMPILER = shutil.which("clang++-16") or "g++"  # clang compiles in two thirds of the time

FEW = ["--relations", "continent,us-state-capital", "--limit", 6]
COLUMN = '''  columns.push_back({{.key = "invented",
                     .heading = "invented",
                     .meaning = "Invented: a half.",
                     .value = [](const {row}&) {{ return PlainNumber{{0.5}}; }},
                     .weight = ColumnWeight::major}});
'''
# By header: the text that is added before a line.
METRICS = {
    "report/probe_columns.hpp": [('  weigh(columns, {"accuracy", "mean_reciprocal_rank"}', COLUMN.format(row="G"))],
    "report/rank_columns.hpp": [('  weigh(columns, {"mean_reciprocal_rank", "hits_at_10"}', COLUMN.format(row="M"))],
    "report/many_shot_columns.hpp": [('  weigh(columns, {"accuracy"}', COLUMN.format(row="S"))],
    "report/many_prompt_columns.hpp": [('  weigh(columns, {"coverage.average"', COLUMN.format(row="W"))],
    "report/comparison_columns.hpp": [("  columns.insert(columns.end(), overall.begin(), overall.end());\n",
                                       COLUMN.format(row="M").replace('"invented"', '"invented_of_models"'))],
    "calibrate/calibration_metrics.hpp": [("};\n\n/// Where a metric is shown", "  invented,\n"),
                                          ("}();\ninline constexpr std::size_t calibration_metric_count", None),
                                          ("    m[accuracy] = right / n;\n", "    m[invented] = 0.5;\n")],
}
DECLARED = 'DeclaredMetric{aurc, "aurc", "AURC",'
LENGTH = [("  std::uint32_t bytes = 0;\n", "  std::uint32_t bytes = 0;\n  std::uint32_t characters = 0;\n"),
          ("enum class Reduction { sum, mean, bytes, pmi };", "enum class Reduction { sum, mean, bytes, pmi, characters };"),
          ("constexpr std::array<Reduction, 4> every", "constexpr std::array<Reduction, 5> every"),
          ("Reduction::bytes, Reduction::pmi};", "Reduction::bytes, Reduction::pmi, Reduction::characters};"),
          ('std::array<std::string_view, 4> names{"sum", "mean", "bytes", "pmi"}',
           'std::array<std::string_view, 5> names{"sum", "mean", "bytes", "pmi", "characters"}'),
          ("inline constexpr std::array span_lengths{\n",
           'inline constexpr std::array span_lengths{\n    SpanLength{&SpanScore::characters, Reduction::characters, "character_counts", "characters",\n'
           "               [](std::string_view text) {\n                 std::uint32_t count = 0;\n"
           "                 for (const char c : text) count += (c & 0xC0) != 0x80;\n                 return count;\n               }},\n")]
REPORTS = r'''
#include <iostream>
#include "plumb/detail/run/calibrate_measurement.hpp"
#include "plumb/detail/run/compare_measurement.hpp"
#include "plumb/detail/run/finished_report.hpp"
#include "plumb/detail/run/report_place.hpp"
using namespace plumb::detail;
int main(int count, char** words) {
  for (int i = 2; i < count; ++i) {
    ReportSettings settings;
    settings.run = words[i];
    settings.out = std::string(words[1]) + "/" + std::filesystem::path(words[i]).filename().string();
    const Report report = finished_report(settings);
    write_report(report, settings.run, settings.out, false);
    std::cout << "== " << settings.out.filename().string() << "\n" << report.table() << "\n";
  }
  CalibrateSettings calibrated;
  calibrated.folders.list = {result_folder(words[2])};
  calibrated.bins = 3;
  calibrated.resamples = 20;
  const std::string out = words[1];
  std::cout << "== calibrate\n" << run_measurement(CalibrateMeasurement(calibrated), out + "/calibrate").table() << "\n";
  CompareSettings compared;
  compared.runs.list = {{"one", words[2]}, {"two", words[2]}};
  std::cout << "== compare\n" << run_measurement(CompareMeasurement(compared), out + "/compare").table() << "\n";
}
'''
SCORES = r'''
#include <cmath>
#include <iostream>
#include "plumb/detail/records/probe_rows.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
using namespace plumb::detail;
int main() {
  StatementScore score{{-6, 2}, {-3, 1}, {-4, 1}};
  count_lengths(score, {"Zürich ist groß", {{0, 7}}, {}, 8});
  std::cout << reduce(score, {Reduction::characters, Span::statement}) << "\n"
            << reduce(score, {Reduction::characters, Span::answer}) << "\n"
            << recorded_line({}, 0, {score}, {Reduction::characters, Span::statement});
  RecordedRelation recorded;
  recorded.relation.options = {"x"};
  recorded.reduction = "characters";
  recorded.span = "statement";
  const Json line = Json::parse(recorded_line({}, 0, {score}, {Reduction::characters, Span::statement}));
  const auto fail = [](const char* field, const std::string& message, const char* = "") { throw user_error({.field = field}, message, ""); };
  const auto parts = recorded_parts(recorded, line, {0.0}, fail);
  std::cout << reduce(parts[0], {Reduction::characters, Span::continuation}) << "\n";
}
'''


def compiled(folder, name, source, changes):
    """A program compiled with a copy of the headers in which some have added texts."""
    include = folder / f"{name}-include"
    shutil.copytree(command.ROOT / "include", include)
    for header, edits in changes.items():
        path = include / "plumb" / "detail" / header
        text = path.read_text()
        for before, after in edits:
            if text.count(before) != 1:
                raise AssertionError(f"{header} does not contain '{before}' exactly once")
            text = text.replace(before, after)
        path.write_text(text)
    (folder / f"{name}.cpp").write_text(source)
    done = subprocess.run([COMPILER, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", f"-I{include}", "-isystem", "/usr/include/eigen3",
                           folder / f"{name}.cpp", "-o", folder / name], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr[:4000])
    return folder / name


def key_paths(value, path=()):
    """Paths of keys. A name from the data becomes *, and so does each index of a list. A number with its interval counts as
    one."""
    if isinstance(value, dict) and set(value) == {"value", "low", "high", "count", "interval"}:
        yield ".".join(path)
    elif isinstance(value, dict):
        named = path and path[-1] in ("relations", "models", "settings", "domains", "cardinality", "templates", "methods", "estimators",
                                      "panels", "points", "injection", "chance", "accuracy_at_k", "accuracy_against_shots",
                                      "settings_side_by_side", "largest_difference_between_entity_prompts", "rank_by_name_tokens",
                                      "marker_effects", "reductions", "tokens", "ace_accuracy_correlation", "true_token_ranks",
                                      "accuracy_over_paraphrases_by_domain")
        for key, inner in value.items():
            yield from key_paths(inner, (*path, "*" if named else key))
    elif isinstance(value, list):
        for inner in value:
            yield from key_paths(inner, (*path, "*"))
    else:
        yield ".".join(path)


@command.needs_vocabularies
class OnePlace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        model = command.tiny_model(cls.folder)
        facts = ["--data", command.FACTS, "--model", model]
        cls.runs = {}

        def run(name, *words):
            cls.runs[name] = cls.folder / "runs" / name
            command.plumb(*words, "--out", cls.runs[name])

        run("probe", "probe", *facts, *FEW, "--templates", "all", "--inject", "all")
        run("many-shot", "many-shot", *facts, "--relations", "animal-class,birth-year", "--shots", "1,5,50", "--seeds", 2,
            "--choices", 10, "--limit", 2, "--eic", "both", "--generate", 4, "--injection", 20, "--injected", 4)
        run("generate", "generate", *facts, "--relations", "continent,nationality", "--limit", 2, "--confidence-prompts", 3,
            "--samples", 5, "--max-new-tokens", 6, "--samplings", 200, "--names", "all", "--wordnet", "none", "--form", "both")
        run("rank", "rank", "--data", command.FACTS, "--model", model, "--relations", "continent", "--limit", 5,
            "--candidates", "of-relation", "--method", "deer,likelihood", "--entity-prompt", "eol,a")
        run("calibrate", "calibrate", cls.runs["probe"], "--bins", 3, "--resamples", 20, "--data", command.FACTS)
        run("calibrate-two", "calibrate", f"one={cls.runs['probe']}", f"two={cls.runs['probe']}", "--bins", 3, "--resamples", 20,
            "--masked", "one")
        run("compare", "compare", f"one={cls.runs['probe']}", f"two={cls.runs['probe']}", "--pairs", "one:two")
        run("compare-prompts", "compare", f"one={cls.runs['generate']}", f"two={cls.runs['probe']}", "--samplings", 200,
            "--wordnet", "none")

    def test_a_metric_is_added_in_one_place(self):
        metrics = {name: [(before, after + before if after else before) for before, after in edits] for name, edits in METRICS.items()}
        calibration = metrics["calibrate/calibration_metrics.hpp"]
        calibration[1] = (DECLARED, 'DeclaredMetric{aurc, "aurc", "AURC", "AURC: error rate of the answers that remain when the least confident are rejected, averaged over all rejection rates.", both},\n'
                                    '      DeclaredMetric{invented, "invented", "invented",')
        text = (command.ROOT / "include/plumb/detail/calibrate/calibration_metrics.hpp").read_text()
        of_aurc = re.search(re.escape(DECLARED) + r'\s*"AURC: [^"]*"', text)
        self.assertIsNotNone(of_aurc)
        calibration[1] = (of_aurc[0], calibration[1][1] + ' "Invented: a half."')
        program = compiled(self.folder, "reports", REPORTS, metrics)
        out = self.folder / "reports-out"
        done = subprocess.run([program, out, *(self.runs[name] for name in ("probe", "many-shot", "generate", "rank"))],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        tables = dict(re.findall(r"== ([\w-]+)\n(.*?)(?=\n== |\Z)", done.stdout, re.DOTALL))
        for kind in ("probe", "many-shot", "generate", "rank", "calibrate", "compare"):
            with self.subTest(kind=kind):
                paths = list(key_paths(json.loads((out / kind / "metrics.json").read_text())))
                self.assertTrue(any("invented" in path for path in paths))
                with (out / kind / ("calibration.csv" if kind == "calibrate" else "metrics.csv")).open(newline="") as file:
                    self.assertTrue(any("invented" in row["metric"] and row["value"] == "0.50000000" for row in csv.DictReader(file)))
                self.assertIn("invented", tables[kind].splitlines()[0])
                page = (out / kind / "report.html").read_text()
                self.assertIn(">Invented</button>", page)
                self.assertIn("Invented: a half.", page)

    def test_a_length_is_added_in_one_place(self):
        program = compiled(self.folder, "scores", SCORES, {"score/statement_score.hpp": LENGTH})
        done = subprocess.run([program], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        whole, answer, line, continuation = done.stdout.splitlines()
        self.assertEqual((float(whole), float(answer), float(continuation)), (-6 / 15, -3 / 6, -4 / 8))
        row = json.loads(line)
        self.assertEqual((row["character_counts"], row["answer_character_counts"], row["continuation_character_counts"]), ([15], [6], [8]))
        self.assertEqual(row["pll_scores"], [-0.4])

    def test_keys_of_metrics_json_stay(self):
        """A removed or renamed key breaks its readers; an added one must be added to the list."""
        listed = command.ROOT / "tests" / "metrics_keys.txt"
        found = []
        for name, run in self.runs.items():
            keys = sorted(set(key_paths(json.loads((run / "metrics.json").read_text()))))
            found += [f"{name} {key}" for key in keys]
        if os.environ.get("PLUMB_WRITE_KEYS"):
            listed.write_text("".join(f"{line}\n" for line in found))
        known = listed.read_text().splitlines()
        self.assertEqual(sorted(set(known) - set(found)), [], "keys that were removed")
        self.assertEqual(sorted(set(found) - set(known)), [], "keys that are new: PLUMB_WRITE_KEYS=1 lists them")
