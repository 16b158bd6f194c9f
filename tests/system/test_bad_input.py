# SPDX-License-Identifier: Apache-2.0
"""Bad input ends with exit code 2 and one line that names the place and the remedy."""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unicodedata
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"

FACT = {"sub_id": "F", "sub_label": "France", "sub_aliases": [], "obj_id": "P", "obj_label": "Paris", "answer_idx": 0}


class BadInput(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.model = self.folder / "tiny.gguf"
        subprocess.run([command.BUILD / "write_tiny_gguf", self.model], check=True)
        self.data = self.folder / "data"
        self.data.mkdir()
        self.metadata = {"capital": {"templates": ["The capital of [X] is [Y]."],
                                     "answer_space_labels": ["Paris", "Rome"], "answer_space_ids": ["P", "R"]}}
        self.lines = [json.dumps(FACT)]

    def fails(self, *more, model=None):
        """The one line on stderr; nothing that looks like a run is left."""
        (self.data / "metadata_relations.json").write_text(json.dumps(self.metadata))
        (self.data / "capital.jsonl").write_text("\n".join(self.lines) + "\n")
        out = self.folder / "out"
        done = command.probe(out, *more, data=self.data, model=model or self.model, code=2)
        errors = [line for line in done.stderr.splitlines() if line.startswith("plumb: ")]
        self.assertEqual(len(errors), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertFalse((out / "metadata_results.json").exists())
        self.assertFalse((out / "report.html").exists())
        return errors[0]

    def check(self, problem, *parts):
        for part in parts:
            self.assertIn(part, problem)

    def test_sound_input_passes(self):
        (self.data / "metadata_relations.json").write_text(json.dumps(self.metadata))
        (self.data / "capital.jsonl").write_text("\n".join(self.lines) + "\n")
        command.probe(self.folder / "out", data=self.data, model=self.model)

    def test_a_path_that_is_not_utf_8_is_refused_before_the_job(self):
        out = os.fsdecode(os.fsencode(self.folder / "run") + b"\xff")
        problem = command.plumb("probe", "--data", self.data, "--model", self.model, "--out", out, code=2).stderr
        self.check(problem, "--out: is not UTF-8; write it in UTF-8; rename a file or folder")
        self.assertFalse(os.path.exists(out))

    def test_missing_model(self):
        self.check(self.fails(model=self.folder / "none.gguf"), "none.gguf", "no such model file or folder", "--model")

    def test_models_by_name_and_by_the_environment(self):
        self.check(self.fails(model="hf:nobody/nothing"), "--model: hf:nobody/nothing is neither in ",
                   "; download it with `hf download nobody/nothing`")
        (self.folder / "own/models/o/tiny").mkdir(parents=True)
        (self.folder / "own/models/o/tiny/tiny.gguf").symlink_to(self.model)
        caches = {"HF_HUB_CACHE": str(self.folder / "hub"), "PLUMB_CACHE": str(self.folder / "own")}

        def run(*words, **variables):
            return subprocess.run([command.PLUMB, *map(str, words)], capture_output=True, text=True,
                                  env={**os.environ, **caches, **variables})

        self.assertIn("\nhf:o/tiny/tiny.gguf ", run("models").stdout)
        words = ["probe", "--data", self.data, "--out", self.folder / "named"]
        named = run(*words, PLUMB_MODEL="hf:o/tiny", PLUMB_THREADS="1")
        self.assertEqual(named.returncode, 0, named.stderr)
        record = json.loads((self.folder / "named/run.json").read_text())
        self.assertEqual((record["model_given"], record["settings"]["model"], record["threads"]), ("hf:o/tiny", "tiny.gguf", 1))
        words[-1] = self.folder / "none"
        for variables, said in (({"PLUMB_MODEL": "none.gguf"}, "plumb: PLUMB_MODEL: none.gguf: no such model file"),
                                ({"PLUMB_MODEL": "hf:o/none"}, "PLUMB_MODEL`: hf:o/none is neither in "),
                                ({"PLUMB_MODEL": str(self.model), "PLUMB_THREADS": "many"},
                                 "PLUMB_THREADS`: 'many' is not a non-negative whole number")):
            done = run(*words, **variables)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)

    def test_truncated_model(self):
        whole = self.model.read_bytes()
        for kept in (10, len(whole) // 3, len(whole) - 7):
            cut = self.folder / "cut.gguf"
            cut.write_bytes(whole[:kept])
            self.check(self.fails(model=cut), "cut.gguf", "cannot be loaded", "fetch it again")

    def test_line_that_is_not_json(self):
        self.lines.append('{"sub_label": "Italy"')
        self.check(self.fails(), "capital.jsonl:2: ", "not JSON")

    def test_metadata_that_is_not_json(self):
        (self.data / "capital.jsonl").write_text(self.lines[0])
        (self.data / "metadata_relations.json").write_text('{\n "capital": {,\n}')
        done = command.probe(self.folder / "out", data=self.data, model=self.model, code=2)
        self.check(done.stderr, "metadata_relations.json:2: ", "not JSON")

    def test_line_that_is_not_an_object(self):
        self.lines.append("[1, 2]")
        self.check(self.fails(), "capital.jsonl:2: ", "not an object")

    def test_fact_without_its_subject(self):
        self.lines.append(json.dumps({key: FACT[key] for key in FACT if key != "sub_label"}))
        self.check(self.fails(), "capital.jsonl:2: ", "sub_label: ", "no subject")

    def test_answer_that_is_not_among_the_options(self):
        self.lines.append(json.dumps({**FACT, "answer_idx": 2}))
        self.check(self.fails(), "capital.jsonl:2: ", "answer_idx: ", "not among the 2 options")

    def test_template_without_its_placeholder(self):
        self.metadata["capital"]["templates"].append("The capital of [X] is well known.")
        self.check(self.fails(), "metadata_relations.json", "capital: ", "has no [Y]")

    def test_duplicate_options(self):
        self.metadata["capital"]["answer_space_labels"] = ["Paris", "Paris"]
        self.metadata["capital"].pop("answer_space_ids", None)  # may distinguish them
        self.check(self.fails(), "option 'Paris' is duplicated")

    def test_empty_dataset(self):
        self.metadata = {}
        self.check(self.fails(), "data", "empty")

    def test_statement_longer_than_the_context(self):
        self.lines = [json.dumps({**FACT, "sub_label": "France " * 600})]
        self.check(self.fails(), "capital.jsonl:1: ", "capital, template 0: ", "tokens", "the model's limit is 512")

    def test_answer_without_scored_token_is_refused_before_scoring(self):
        self.metadata["capital"]["templates"].append("[Y] is the capital of [X].")
        self.metadata["capital"]["answer_space_labels"] = ["P", "R"]
        self.lines = [json.dumps({**FACT, "obj_label": "P"})]
        problem = self.fails("--templates", "all", "--bos", "no", "--span", "answer")
        self.check(problem, "capital.jsonl:1: ", "capital, template 1: ", "no scored token in its answer", "--bos to yes")
        self.assertFalse((self.folder / "out").exists())  # the plan refuses it before the folder exists

    def test_closed_streams_do_no_harm(self):
        self.metadata["capital"]["templates"].append("[Y] is the capital of [X].")
        (self.data / "metadata_relations.json").write_text(json.dumps(self.metadata))
        (self.data / "capital.jsonl").write_text("\n".join(self.lines) + "\n")
        words = f"'{command.PLUMB}' probe --data '{self.data}' --model '{self.model}' --templates all --out"
        subprocess.run(["bash", "-c", f"{words} '{self.folder}/closed' <&- >&- 2>&-"], check=True)
        subprocess.run(["bash", "-c", f"{words} '{self.folder}/open' >/dev/null 2>&1"], check=True)
        self.assertEqual(command.results(self.folder / "closed"), command.results(self.folder / "open"))
        for line in (self.folder / "closed" / "journal.jsonl").read_text().splitlines():
            json.loads(line)

    def test_bos_on_a_model_without_one(self):
        bare = self.folder / "bare.gguf"
        subprocess.run([command.BUILD / "write_tiny_gguf", bare, "no-bos"], check=True)
        self.check(self.fails(model=bare), "--bos: ", "no BOS", "--bos to no")
        command.probe(self.folder / "bare", "--bos", "no", data=self.data, model=bare)
        counts = command.rows(self.folder / "bare" / "capital_results.jsonl")[0]["token_counts"]
        command.probe(self.folder / "with", data=self.data, model=self.model)
        with_bos = command.rows(self.folder / "with" / "capital_results.jsonl")[0]["token_counts"]
        self.assertEqual([count + 1 for count in counts], with_bos)  # the first token is unscored
        run = json.loads((self.folder / "bare" / "run.json").read_text())
        self.assertEqual(run["settings"]["bos"], "no")

    def test_unknown_options_and_values(self):
        self.check(self.fails("--dta", "x"), "--dta", "unknown option", "--help")
        self.check(self.fails("--temp", "0"), "--temp", "unknown option")
        self.check(self.fails("--bos", "maybe"), "--bos: ", "use yes, no")
        self.check(self.fails("--templates", "7"), "--templates: ", "no index 7")
        self.check(self.fails("--relations", "capitol"), "--relations: ", "'capitol'")
        self.check(self.fails("--limit", "-1"), "--limit")

    def test_check_prints_every_problem_with_its_place(self):
        self.lines += ["oops", "[]", json.dumps({**FACT, "answer_idx": 9}), json.dumps({"sub_label": "Spain"})]
        (self.data / "metadata_relations.json").write_text(json.dumps(self.metadata))
        (self.data / "capital.jsonl").write_text("\n".join(self.lines) + "\n")
        done = command.plumb("data", "check", self.data, code=2)
        for line in (2, 3, 4, 5):
            self.assertIn(f"capital.jsonl:{line}: ", done.stdout)
        self.assertIn("1 relation, 1 fact, 4 problems", done.stdout)


CAPITALS = [("Peru", "Lima"), ("Chad", "N'Djamena"), ("Cuba", "Havana"), ("Iraq", "Baghdad"), ("Fiji", "Suva"),
            ("Mali", "Bamako"), ("Oman", "Muscat"), ("Togo", "Lomé")]


class Tables(unittest.TestCase):
    """Users' own tables and those of the many-shot paper, as other programs write them."""

    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.model = cls.folder / "tiny.gguf"
        subprocess.run([command.BUILD / "write_tiny_gguf", cls.model], check=True)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def checked(self, path, problems):
        done = command.plumb("data", "check", path, code=2 if problems else 0)
        self.assertEqual(int(re.search(r"(\d+) problems?$", done.stdout.strip()).group(1)), problems, done.stdout)
        return done.stdout

    def published(self, name, field, lists, ending):
        """T-REx-MC's columns: six facts to train, two to test; each fact's choices are those of the two before it."""
        for part, facts in (("train", CAPITALS[:6]), ("test", CAPITALS[6:])):
            rows = [{"Relation_ID": 50, "Subject": subject, "Object": object, field: lists([CAPITALS[at - 1][1], CAPITALS[at - 2][1]]),
                     "Title": subject, "Text": f"{subject} [is] a country."}
                    for subject, object in facts for at in [CAPITALS.index((subject, object))]]
            if ending == "jsonl":
                self.write(f"{name}/{part}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
            else:
                made = io.StringIO()
                csv.DictWriter(made, rows[0]).writeheader()
                csv.DictWriter(made, rows[0]).writerows(rows)
                self.write(f"{name}/{part}.csv", made.getvalue())
        return self.folder / name

    def test_t_rex_mc_is_asked_with_its_own_choices(self):
        numpy = lambda texts: "[" + "\n ".join(map(repr, texts)) + "]"
        for name, lists, ending in (("python", repr, "jsonl"), ("json", json.dumps, "jsonl"), ("list", list, "jsonl"),
                                    ("csv", repr, "csv"), ("numpy", numpy, "csv")):
            with self.subTest(name):
                data = self.published(name, "Multiple Choices", lists, ending)
                self.checked(data, 0)
                out = self.folder / f"choices-{name}-run"
                command.plumb("many-shot", "--data", data, "--model", self.model, "--out", out, "--shots", "2", "--seeds", "1",
                              "--threads", "1")
                options = json.loads((out / "metadata_many_shot.json").read_text())["relations"]["50"]["options"]
                asked = {row["instance_index"]: sorted(options[choice] for choice in row["choices"])
                         for row in command.rows(out / "50_choices.jsonl")}
                self.assertEqual(list(asked.values()), [sorted(["Muscat", "Bamako", "Suva"]), sorted(["Lomé", "Muscat", "Bamako"])])

    def test_choices_that_nothing_reads_are_refused(self):
        for field in ("Options", "answer_choices", "Distractors", "candidates", "mc"):
            with self.subTest(field):
                data = self.published(f"unread-{field}", field, repr, "jsonl")
                self.assertIn(f"{field}: looks like a question's choices, but is not read", self.checked(data, 2))
                done = command.plumb("many-shot", "--data", data, "--model", self.model, "--out", self.folder / "none", code=2)
                self.assertIn(f"test.jsonl:1: {field}: looks like a question's choices", done.stderr)

    def test_the_laureates_excerpt_is_asked_for_birth_years(self):
        rows = [f"Laureate {i},{1900 + i},{1950 + i},Physics,male" for i in range(12)]
        data = self.write("nobel.csv", "Name,Birth Year,Award Year,Nature of Award,Gender\n" + "\n".join(rows) + "\n")
        self.assertIn("gender (1 answer in all)", self.checked(data, 0))
        command.plumb("many-shot", "--data", data, "--model", self.model, "--out", self.folder / "nobel", "--relations", "birth-year",
                      "--shots", "2", "--seeds", "1", "--choices", "4", "--threads", "1")

    def test_template_file_replaces_templates_next_to_the_table(self):
        tsv = self.write("own/facts.tsv", "".join(f"{s}\tcapital\t{o}\n" for s, o in CAPITALS))
        table = self.write("own-csv/facts.csv", "object,subject,relation\n" + "".join(f"{o},{s},capital\n" for s, o in CAPITALS))
        templates = self.write("templates.json", '{"capital": ["The capital of [X] is [Y]."]}')
        results = []
        for data in (tsv, table):
            self.checked(data, 0)
            out = self.folder / (data.suffix[1:] + "-run")
            done = command.probe(self.folder / "without", data=data, model=self.model, code=2)
            self.assertRegex(done.stderr, r"capital: has no template; .*--template-file")
            command.probe(out, "--template-file", templates, data=data, model=self.model)
            results.append((out / "capital_results.jsonl").read_text())
        self.assertEqual(*results)

    def test_csv_with_unknown_header_explains_what_to_do(self):
        data = self.write("other.csv", "country,capital\nPeru,Lima\n")
        done = command.plumb("data", "check", data, code=2)
        self.assertIn("other.csv:1: the header 'country', 'capital' names no subject, no relation and no object; name the columns", done.stdout)

    def test_headers_of_a_graph_are_no_triples(self):
        rows = ["a\tr\tb\n", "b\tr\tc\n", "c\tr\ta\n"]
        for name, header in (("none", ""), ("head", "head\trelation\ttail\n"), ("Subject", "Subject\tPredicate\tObject\n"),
                             ("h", "h\tr\tt\r\n")):
            for part, row in zip(("train", "valid", "test"), rows):
                self.write(f"graph-{name}/{part}.tsv", header + row)
            self.assertIn("3 entities, 1 relation, 3 triples, 0 problems", self.checked(self.folder / f"graph-{name}", 0))

    def test_names_that_are_not_what_they_seem_are_remarked_on(self):
        templates = '{"capital": ["The capital of [X] is [Y]."]}'
        for name, change, words in (
                ("quoted", lambda text: f'"{text}"', "is in quotes (and 7 "), ("spaced", lambda text: text + " ", "begins or ends with white space"),
                ("no-break", lambda text: text + "\u00a0x", "contains a no-break"), ("zero-width", lambda text: text + "\u200bx", "invisible character"),
                ("marks", lambda text: unicodedata.normalize("NFD", text + "é"), "composed form, NFC")):
            with self.subTest(name):
                self.write(f"{name}/facts.tsv", "".join(f"{change(s)}\tcapital\t{change(o)}\n" for s, o in CAPITALS))
                self.write(f"{name}/facts.json", templates)
                self.assertEqual(self.checked(self.folder / name, 2).count(words), 2)  # subjects and options
        self.write("forms/facts.tsv", "Peru\tcapital\tZ\u00fcrich\nChad\tcapital\tZu\u0308rich\nCuba\tcapital\tN'D\nFiji\tcapital\tN\u2019D\n")
        self.write("forms/facts.json", templates)
        said = self.checked(self.folder / "forms", 3)
        self.assertIn("in Unicode normal form only", said)
        self.assertIn("in appearance (quotes", said)


class Text(unittest.TestCase):
    def test_any_text_survives_into_results_and_page(self):
        subjects = ['the "quoted" <b>one</b>', "two\nlines", "🇫🇷 flag", "القاهرة", "</script><script>alert(1)</script>",
                    "東京 & co", "it's [Y]"]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subprocess.run([command.BUILD / "write_tiny_gguf", folder / "tiny.gguf"], check=True)
            (folder / "metadata_relations.json").write_text(json.dumps(
                {"r": {"templates": ["[X] is [Y]."], "answer_space_labels": ["a", "b</script>"], "answer_space_ids": ["A", "B"]}}))
            (folder / "r.jsonl").write_text("".join(json.dumps({**FACT, "obj_label": "a", "obj_id": "A", "sub_label": s}) + "\n"
                                                    for s in subjects))
            command.probe(folder / "out", data=folder, model=folder / "tiny.gguf")
            self.assertEqual([row["sub_label"] for row in command.rows(folder / "out" / "r_results.jsonl")], subjects)
            page = (folder / "out" / "report.html").read_text(encoding="utf-8")
            data = page.split('id="scores">')[1].split("</script>")[0]
            self.assertEqual([row[0] for row in json.loads(data)["relations"][0]["rows"]], subjects)


if __name__ == "__main__":
    unittest.main()
