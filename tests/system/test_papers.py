# SPDX-License-Identifier: Apache-2.0
"""Every command of docs/papers runs, in the page's order and on a few facts, and the published numbers next to each page have
the same names as the runs' numbers.

The model is a tiny random one, since the values are not checked; tests/papers.sh uses SmolLM2-135M. Words in capitals are
the reader's own data and models: here the bundled facts, three reference files and that model. Sizes are set below; all
other options are the page's. test_shelf runs the commands over a table of models.
"""
import csv
import json
import os
import pathlib
import re
import shlex
import subprocess
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"

PAPERS = command.ROOT / "docs" / "papers"
GIVEN_MODEL = os.environ.get("PLUMB_PAPERS_MODEL", "")

# Values for a page's words in capitals; MODEL.gguf, TWELVE.json, TABLE5.json and FAMILIES.json are generated.
STANDS_FOR = {**dict.fromkeys(("WN18RR", "FB15K-237", "YAGO3-10", "BEAR", "TREX-MC", "NOBEL", "MYRIADLAMA", "MANUAL", "LAMA-UHN"),
                              str(command.FACTS)),
              "FACTOR.csv": str(command.SHARED / "data" / "factor" / "expert_factor.csv"),
              "BERT": str(command.SHARED / "golden" / "tiny-bert")}
MADE = ("MODEL.gguf", "TWELVE.json", "TABLE5.json", "FAMILIES.json")

# Published numbers that do not exist for few facts: of domains, relations and models that are not run, and of ranks and
# lengths that do not occur.
NOT_MET = {"deer": r"hits_at_100$",
           "calibration": r"^accuracy_over_paraphrases_by_domain\.|\.domains\.",
           "many-shot": r"^relations\.|^subsumption\.|^base_and_tuned\.",
           "many-prompts": r"\.bias\.|consistency\.only_subject\.|overconfidence_by_length\.tokens\.|aliases_above_labels\.|hits_at"}


# The section of a page with the commands over a table of models.
OVER_MODELS = "## All models in one command"

# Tables with only such numbers.
NOTHING_MET = ("docs/papers/many-shot/table-8.csv", "docs/papers/calibration/table-5.csv",
               "docs/papers/many-prompts/table-10.csv")


def commands(page, over_models=None):
    """The commands of a page's blocks, each a list of words without the program's name: those over a table of models, the
    others, or all."""
    before, _, rest = page.read_text().partition(f"{OVER_MODELS}\n")
    section, _, after = rest.partition("\n## ")
    text = {True: section, False: before + after, None: before + section + after}[over_models]
    lines = re.findall(r"^    build/plumb (.*)$", text, re.MULTILINE)
    return [shlex.split(line) for line in lines]


def set_option(words, name, value):
    """Sets an option's value, whether or not it has one already."""
    if name in words:
        words[words.index(name) + 1] = str(value)
    else:
        words += [name, str(value)]


def in_small(words):
    """The command over few facts."""
    small = [STANDS_FOR.get(word, word) for word in words]
    masked, asks = "BERT" in words or "MODELS.csv" in words, "--model" in words or "--models" in words
    if words[0] == "rank":
        for option in (("--relations", "continent,part-of-speech"), ("--limit", 12)):
            set_option(small, *option)
    if words[0] == "calibrate" and asks:
        if "FACTOR.csv" not in words:
            set_option(small, "--relations", "continent" if masked else "continent,capital")  # capital: 1:1, of 99 options
        set_option(small, "--limit", 20)  # a fact for each bin
    if words[0] == "many-shot":
        relations = "birth-year" if "--relations" in words else "birth-year,author"  # two values have a deviation
        for option in (("--relations", relations), ("--limit", 2), ("--choices", 10)):
            set_option(small, *option)
        for option, value in (("--min-facts", 100), ("--min-objects", 10), ("--seeds", 1), ("--injection", 20), ("--injected", 4),
                              ("--generate", 5)):
            if option in small:
                set_option(small, option, value)
    if words[0] == "generate":
        for option in (("--relations", "continent,nationality"), ("--limit", 2), ("--samplings", 1000)):
            set_option(small, *option)
        if not masked:
            set_option(small, "--max-new-tokens", 4)
            if "--samples" not in words:
                set_option(small, "--samples", 5)
                set_option(small, "--confidence-prompts", 3)
    return small


def make_files(folder):
    """Files that the pages' commands read and nobody publishes."""
    metadata = json.loads((command.FACTS / "metadata_relations.json").read_text())
    twelve = {}
    for relation in ("continent", "capital", "nationality", "mythology"):
        plain = metadata[relation]["templates"][:5]
        marked = [plain[0].replace(" is ", f" is {marker} ", 1) for marker in ("possibly", "certainly")]
        twelve[relation] = plain + marked + [f"I'm {x}% confident that {plain[0]}" for x in (0, 25, 50, 75, 100)]
    (folder / "TWELVE.json").write_text(json.dumps(twelve))
    (folder / "TABLE5.json").write_text(json.dumps(
        {"Birth year": {"property": "birth-year", "hgp": ["{subject} was born in", "{subject} was born in the year"],
                        "mmp": ["{subject} ("]}}))
    (folder / "FAMILIES.json").write_text(json.dumps({"OPT": ["OPT-125M", "OPT-30B"]}))


@command.needs_shared
@unittest.skipUnless(GIVEN_MODEL or os.path.isdir(command.VOCABULARIES),
                     "skipped: neither PLUMB_PAPERS_MODEL nor PLUMB_VOCABULARIES is set")
class Papers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        model = pathlib.Path(GIVEN_MODEL) if GIVEN_MODEL else command.tiny_model(cls.folder)
        (cls.folder / "MODEL.gguf").symlink_to(model.resolve())
        (cls.folder / "docs").symlink_to(command.ROOT / "docs")
        make_files(cls.folder)

    def run_page(self, name):
        """Runs a page's commands in a separate folder; returns the results of its comparisons with published numbers."""
        folder = self.folder / name
        folder.mkdir()
        for made in ("docs", *MADE):
            (folder / made).symlink_to(self.folder / made)
        compared = {}
        listed = commands(PAPERS / f"{name}.md", over_models=False)
        self.assertGreater(len(listed), 8)
        for words in listed:
            with self.subTest(command=" ".join(words)):
                done = subprocess.run([command.PLUMB, *in_small(words)], cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
                if "--published" in words:
                    out = folder / words[words.index("--out") + 1]
                    compared[words[words.index("--published") + 1]] = json.loads((out / "metrics.json").read_text())
        return compared

    def check(self, name):
        compared = self.run_page(name)
        tables = {f"docs/papers/{name}/{path.name}" for path in (PAPERS / name).glob("*.csv")}
        self.assertEqual(set(compared), tables)  # each table has its command
        for table, made in compared.items():
            missing = {one["number"] for one in made["without_counterpart"]}
            self.assertEqual({number for number in missing if not re.search(NOT_MET[name], number)}, set(), table)
            if table not in NOTHING_MET:
                self.assertTrue(made["numbers"], table)

    def test_deer(self):
        self.check("deer")

    def test_calibration(self):
        self.check("calibration")

    def test_many_shot(self):
        self.check("many-shot")

    def test_many_prompts(self):
        self.check("many-prompts")


class Pages(unittest.TestCase):
    def test_every_page_is_run(self):
        pages = {path.stem for path in PAPERS.glob("*.md")}
        self.assertEqual(pages, {name[5:].replace("_", "-") for name in dir(Papers) if name.startswith("test_")})

    def test_words_in_capitals_are_known(self):
        """A page's data and models are in the lists above, and its runs are folders that it has written before."""
        for page in sorted(PAPERS.glob("*.md")):
            written = set()
            for words in commands(page):
                for word in words:
                    last = word.split("=")[-1].split("/")[0]
                    known = last in written or last in STANDS_FOR or last in MADE
                    if re.fullmatch(r"[A-Z][A-Z0-9.-]+", last) and not known:
                        self.assertEqual(words[words.index(word) - 1], "--out", f"{page.name}: {' '.join(words)}")
                if "--out" in words:
                    written.add(words[words.index("--out") + 1])

    def test_a_table_of_numbers_is_in_order(self):
        """Fields as documented, no number twice for a model, values written as shares."""
        for path in sorted(PAPERS.rglob("*.csv")):
            with self.subTest(path=path.name):
                with open(path, newline="") as file:
                    rows = list(csv.DictReader(file))
                said = ["candidates", "queries"] if path.parent.name == "deer" else []
                self.assertEqual(list(rows[0]), ["table", "model", "dataset", *said, "setting", "relation", "metric", "value", "note"])
                keys = [tuple(row[field] for field in ("model", "dataset", "setting", "relation", "metric")) for row in rows]
                self.assertEqual(len(set(keys)), len(keys))
                for row in rows:
                    is_share = not re.search(r"prompts_per_fact$|names_per_subject$|mean_rank$", row["metric"])
                    self.assertTrue(-1 <= float(row["value"]) <= (1 if is_share else 500), row)


if __name__ == "__main__":
    unittest.main()
