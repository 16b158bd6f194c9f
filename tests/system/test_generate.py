# SPDX-License-Identifier: Apache-2.0
"""Many prompts by the whole command on the real model, its numbers computed again from its rows."""
import collections
import itertools
import json
import math
import pathlib
import re
import shutil
import subprocess
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"

WORDS = ("--relations", "continent,nationality", "--limit", "2", "--samples", "20", "--confidence-prompts", "3",
         "--max-new-tokens", "8", "--samplings", "20000")
TEMPLATES = (0, 10, 20)  # of the 25 templates of each relation: from three groups, the last of them questions
SETTINGS = ["zero-shot", "4-random", "4-relation", "4-template"]


def generate(out, *more, data=command.FACTS, code=0):
    return command.plumb("generate", "--data", data, "--model", command.MODEL, "--out", out, *more, code=code)


def lemmas(text):
    """Words in lower case, like plumb's without WordNet for plain texts such as these."""
    text = re.sub(r"(?<=\w)['’]s\b", "", text.lower())
    return re.findall(r"[^\W_]+", text)


def holds(text, answer):
    if not answer:
        return not text
    return any(text[i:i + len(answer)] == answer for i in range(len(text) - len(answer) + 1))


@command.needs_model
class Generation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.whole = cls.folder / "whole"
        cls.data = cls.folder / "data"
        shutil.copytree(command.FACTS, cls.data)
        kept, seen, templates = [], collections.Counter(), cls.data / "prompts" / "templates.jsonl"
        for line in templates.read_text().splitlines(keepends=True):
            relation = json.loads(line)["relation"]
            if seen[relation] in TEMPLATES:
                kept.append(line)
            seen[relation] += 1
        templates.write_text("".join(kept))
        cls.shown = generate(cls.whole, *WORDS, data=cls.data).stdout
        command.plumb("report", cls.whole, "--wordnet", "none", "--out", cls.folder / "plain")
        cls.metrics = json.loads((cls.folder / "plain" / "metrics.json").read_text())["settings"]
        cls.facts = collections.defaultdict(list)
        for fact in command.rows(cls.whole / "asked" / "facts.jsonl"):
            cls.facts[fact["relation"]].append(fact)

    def right(self, row):
        text = lemmas(row["answer"])
        return any(holds(text, lemmas(name))
                   for item in self.facts[row["relation"]][row["fact"]]["objects"]
                   for name in [item["obj_label"], *item.get("obj_aliases", [])])

    def by_fact(self, setting):
        """(relation, fact) -> rows."""
        table = collections.defaultdict(list)
        for row in command.rows(self.whole / f"{setting}_answers.jsonl"):
            table[row["relation"], row["fact"]].append(row)
        return table

    def test_every_fact_is_asked_under_every_template_with_every_name(self):
        templates = collections.Counter(row["relation"] for row in
                                        command.rows(self.whole / "asked" / "templates.jsonl"))
        for setting in SETTINGS:
            table = self.by_fact(setting)
            self.assertEqual(len(table), 4)
            for (relation, fact), rows in table.items():
                names = [self.facts[relation][fact]["sub_label"],
                         *self.facts[relation][fact].get("sub_aliases", [])]
                self.assertEqual(sorted((row["template"], row["subject"]) for row in rows),
                                 sorted(itertools.product(range(templates[relation]), names)))

    def test_accuracy_coverage_and_one_word_rate_are_those_of_the_rows(self):
        for setting in SETTINGS:
            table = self.by_fact(setting)
            shares = [sum(map(self.right, rows)) / len(rows) for rows in table.values()]
            single = [sum(len(row["answer"].split()) == 1 for row in rows) / len(rows) for rows in table.values()]
            made = self.metrics[setting]
            self.assertAlmostEqual(made["coverage"]["average"]["value"], sum(shares) / len(shares), places=12)
            self.assertAlmostEqual(made["coverage"]["oracle"]["value"],
                                   sum(share > 0 for share in shares) / len(shares), places=12)
            self.assertAlmostEqual(made["one_word"]["mean_over_facts"]["value"], sum(single) / len(single), places=12)
            words = [len(row["answer"].split()) == 1 for rows in table.values() for row in rows]
            self.assertAlmostEqual(made["one_word"]["share_of_prompts"], sum(words) / len(words), places=12)

    def test_sampled_accuracy_is_within_its_closed_form(self):
        for setting in SETTINGS:
            table = self.by_fact(setting)
            shares = [sum(map(self.right, rows)) / len(rows) for rows in table.values()]
            exact = math.sqrt(sum(p * (1 - p) for p in shares)) / len(shares)
            made = self.metrics[setting]["samplings"]["by_fact"]
            self.assertAlmostEqual(made["closed_form"]["sd"], exact, places=12)
            self.assertLess(abs(made["sd"] - exact), 0.02)
            self.assertLess(abs(made["mean"] - sum(shares) / len(shares)), 0.02)

    def test_consistency_is_the_share_of_matching_pairs(self):
        for setting in SETTINGS:
            shares = []
            for rows in self.by_fact(setting).values():
                texts = [lemmas(row["answer"]) for row in rows]
                pairs = [holds(a, b) or holds(b, a) for a, b in itertools.combinations(texts, 2)]
                shares.append(sum(pairs) / len(pairs))
            made = self.metrics[setting]["consistency"]["all"]
            self.assertAlmostEqual(made["share"]["value"], sum(shares) / len(shares), places=12)

    def test_confidence_is_the_share_of_samples_that_match_the_greedy_answer(self):
        for setting in SETTINGS:
            table = self.by_fact(setting)
            differences, prompts = 0, set()
            for row in command.rows(self.whole / f"{setting}_samples.jsonl"):
                self.assertEqual(sum(times for _, times in row["samples"]), 20)
                greedy, = (answer for answer in table[row["relation"], row["fact"]]
                           if (answer["template"], answer["expression"]) == (row["template"], row["expression"]))
                answer = lemmas(greedy["answer"])
                matching = sum(times for text, times in row["samples"]
                               if holds(lemmas(text), answer) or holds(answer, lemmas(text)))
                differences += matching / 20 - self.right(greedy)
                prompts.add((row["relation"], row["fact"]))
            self.assertEqual(len(prompts), 3)
            self.assertAlmostEqual(self.metrics[setting]["overconfidence"]["overconf"]["value"], differences / 3,
                                   places=12)

    def test_its_calibration_is_that_of_the_rows(self):
        out = self.folder / "calibration"
        command.plumb("calibrate", self.whole, "--bins", 2, "--resamples", 20, "--wordnet", "none", "--out", out)
        models = json.loads((out / "metrics.json").read_text())["models"]
        self.assertEqual([name.split(" ", 1)[1] for name in models], SETTINGS)
        for name, model in models.items():
            errors = []
            for row in command.rows(self.whole / f"{name.split(' ', 1)[1]}_answers.jsonl"):
                if row["template"] != 0 or row["expression"] != 0:
                    continue
                errors.append((math.exp(row["log_probability"]) - self.right(row)) ** 2)
            self.assertEqual(model["facts"], len(errors))
            self.assertAlmostEqual(model["estimators"]["base"]["metrics"]["brier"]["value"], sum(errors) / len(errors), places=8)
            self.assertNotIn("margin", model["estimators"])

    def test_what_is_shown_and_written(self):
        for setting in SETTINGS:
            self.assertIn(setting, self.shown)
        for name in ("report.html", "metrics.json", "accuracy.csv", "templates.csv", "samplings.csv", "coverage.csv",
                     "reliability.csv", "sharing.csv", "consistency.csv"):
            self.assertTrue((self.whole / name).stat().st_size > 0, name)
        cost = json.loads((self.whole / "run.json").read_text())
        self.assertGreater(cost["tokens_one_by_one"], 6 * cost["tokens_fed"])

    def test_settings_of_another_run_are_refused(self):
        done = generate(self.whole, *WORDS, "--shots", "3", "--resume", data=self.data, code=2)
        self.assertIn("settings: the run was started with", done.stderr)

    def test_question_templates_alone_are_asked_as_questions(self):
        out = self.folder / "questions"
        generate(out, "--relations", "capital", "--limit", "1", "--form", "question", "--settings", "relation",
                 "--samples", "0", "--names", "none", "--max-new-tokens", "4")
        self.assertEqual({row["template"] for row in command.rows(out / "4-relation-question_answers.jsonl")},
                         {i for i, row in enumerate(command.rows(out / "asked" / "templates.jsonl"))
                          if row["style"] == "question"})

    def test_generated_answers_are_compared_with_a_probe(self):
        probed = self.folder / "probed"
        command.probe(probed, "--relations", "continent", "--limit", "2", "--templates", "all", "--template-file",
                      self.data / "prompts" / "templates.jsonl")
        out = self.folder / "beside"
        shown = command.plumb("compare", f"generated={self.whole}", f"closed={probed}", "--out", out).stdout
        self.assertIn("generated 4-template", shown)
        made = json.loads((out / "metrics.json").read_text())
        closed = made["settings"]["closed"]
        rows = command.rows(probed / "continent_results.jsonl")
        shares = collections.defaultdict(list)
        for row in rows:
            best = max(range(len(row["pll_scores"])), key=row["pll_scores"].__getitem__)
            shares[row["instance_index"]].append(best == row["answer_idx"])
        self.assertEqual(len(rows), 2 * len(TEMPLATES))
        self.assertAlmostEqual(closed["coverage"]["average"]["value"],
                               sum(sum(list_) / len(list_) for list_ in shares.values()) / len(shares), places=12)

    def test_damaged_row_is_reported_with_file_and_line(self):
        broken = self.folder / "broken"
        shutil.copytree(self.whole, broken)
        file = broken / "4-random_answers.jsonl"
        run = json.loads((broken / "run.json").read_text())
        sums = run.pop("files")
        lines = file.read_text().splitlines()
        lines[6] = lines[6].replace('"fact"', '"fakt"')
        pathlib.Path(file).write_text("\n".join(lines) + "\n")
        done = command.plumb("report", broken, "--out", self.folder / "never", code=2)
        self.assertIn("4-random_answers.jsonl: differs from what its run wrote", done.stderr)
        self.assertEqual(sums[file.name]["lines"], len(lines))
        (broken / "run.json").write_text(json.dumps(run))  # as earlier versions left it
        done = command.plumb("report", broken, "--out", self.folder / "never", code=2)
        self.assertIn("4-random_answers.jsonl:7", done.stderr)
        self.assertFalse((self.folder / "never").exists())


@command.needs_vocabularies
class Killed(unittest.TestCase):
    def test_killed_run_resumes_to_identical_results(self):
        folder = command.temporary_folder(self)
        words = ["--data", command.FACTS, "--model", command.tiny_model(folder), *WORDS]
        command.plumb("generate", "--out", folder / "whole", *words)
        size = (folder / "whole" / "journal.jsonl").stat().st_size
        out = folder / "killed"
        again = [command.PLUMB, "generate", "--out", out, *words, "--resume"]
        for share in (0, 0.3, 0.8):
            process = subprocess.Popen([str(word) for word in again], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            command.kill_when_journal_has(process, out / "journal.jsonl", max(1, share * size))
            self.assertFalse((out / "report.html").exists())
        command.plumb("generate", "--out", out, *words, "--resume")
        self.assertEqual(command.results(out), command.results(folder / "whole"))


@command.needs_vocabularies
class Ends(unittest.TestCase):
    """Where answers end and which shots are before prompts, with a model that knows nothing."""
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.words = ["--data", command.FACTS, "--model", command.tiny_model(cls.folder), "--relations", "capital,continent",
                     "--limit", "2", "--samples", "0", "--names", "none"]

    def answers(self, run, *more, setting="zero-shot"):
        out = self.folder / run
        command.plumb("generate", "--out", out, *self.words, *more)
        return command.rows(out / f"{setting}_answers.jsonl")

    def test_answers_end_at_the_texts_that_are_given_and_are_counted_where_they_are_cut(self):
        asked = ("--settings", "zero-shot", "--max-new-tokens", "12")
        whole = [row["answer"] for row in self.answers("whole", *asked, "--stop", "")]
        inside = collections.Counter(c for text in whole for c in set(text.strip()[1:]) if c.isascii() and c.isalnum())
        stops = [c for c, _ in inside.most_common()[-2:]]  # some answers contain them
        rows = self.answers("ended", *asked, "--stop", stops[0], "--stop", stops[1])
        ended, cut = 0, 0
        for text, row in zip(whole, rows, strict=True):
            places = [text.find(stop) for stop in stops if stop in text]
            # The token in which a stop text begins is removed as a whole.
            self.assertTrue(text.startswith(row["answer"]), (text, row))
            self.assertTrue(not places or len(row["answer"]) <= min(places), (text, row, stops))
            self.assertEqual(row["answer"] == text, not places, (text, row, stops))
            ended += bool(places)
            cut += row["tokens"] == 12
        self.assertGreater(ended, 0)
        self.assertLess(ended, len(whole))
        settings = json.loads((self.folder / "ended" / "metrics.json").read_text())["settings"]["zero-shot"]
        self.assertEqual(settings["answers_cut"], cut)
        self.assertEqual(settings["answers_empty"], sum(not row["answer"].strip() for row in rows))

    def test_run_without_recorded_stop_is_reported_but_not_resumed(self):
        asked = ("--settings", "zero-shot", "--max-new-tokens", "4")
        self.answers("old", *asked)
        old = self.folder / "old"
        for file, take in (("metadata_generate.json", lambda made: made.pop("max_new_tokens")),
                           ("run.json", lambda made: (made.pop("files"), made["settings"].pop("stop")))):
            made = json.loads((old / file).read_text())
            take(made)
            (old / file).write_text(json.dumps(made))
        command.plumb("report", old)
        settings = json.loads((old / "metrics.json").read_text())["settings"]["zero-shot"]
        self.assertIsNone(settings["answers_cut"])
        done = command.plumb("generate", "--out", old, *self.words, *asked, "--resume", code=2)
        self.assertIn("stop: the run was started with null, not", done.stderr)

    def test_fresh_examples_are_the_prompts_own(self):
        asked = ("--settings", "relation", "--shots", "2", "--max-new-tokens", "1")
        templates = collections.defaultdict(list)

        def contexts(run, *more):
            """(relation, fact) -> for each of its prompts, the shots that the row names and those in the prompt."""
            rows = self.answers(run, *asked, *more, setting="2-relation")
            lists = {row["relation"]: row["shots"] for row in command.rows(self.folder / run / "shots.jsonl")}
            for row in command.rows(self.folder / run / "asked" / "templates.jsonl"):
                templates[row["relation"]].append(row["template"])
            printed = command.plumb("data", "prompts", self.folder / run).stdout.splitlines()
            made = collections.defaultdict(list)
            for row, line in zip(rows, map(json.loads, printed), strict=True):
                text, own = "Predict the [MASK] in each sentence in one word.\n", row.get("shot_templates")
                for i, place in enumerate(row["shots"]):
                    shot = lists[row["relation"]][place]
                    template = templates[row["relation"]][own[i] if own else shot["template"]]
                    text += (f"Q: {template.replace('[X]', shot['sub_label']).replace('[Y]', '[MASK]')}\n"
                             f"A: {shot['obj_label']}.\n")
                    self.assertNotEqual(shot["sub_label"], row["subject"])
                self.assertTrue(line["prompt"].startswith(text + "Q: "), (line, text))
                made[row["relation"], row["fact"]].append(text)
            return made

        shared, fresh = contexts("shared"), contexts("fresh", "--fresh-shots")
        for fact, texts in shared.items():
            self.assertEqual(len(set(texts)), 1, fact)
            self.assertGreater(len(set(fresh[fact])), 1, fact)


if __name__ == "__main__":
    unittest.main()
