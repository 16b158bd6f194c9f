# SPDX-License-Identifier: Apache-2.0
"""The Python module: built by `pip install .` into its own environment, once, and its answers.

The environment is in ${PLUMB_CACHE:-~/.cache/plumb}/python-module, with the build folder next to it, so that a later run
compiles only what changed. The module links the kernels and subcommands that the suite's build has compiled; python/wheels.sh
compiles them for the module. Engines of transformers run with the peer's Python, which has torch.
"""
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

import command

PROGRAMS = "plumb_command"

CACHE = pathlib.Path(os.environ.get("PLUMB_CACHE", "~/.cache/plumb")).expanduser() / "python-module"
PYTHON = CACHE / "venv" / "bin" / "python"
SITE = CACHE / "site"
DECODERS = command.SHARED / "golden" / "decoders"
BEAR = command.SHARED / "data" / "bear"


def built():
    """Why the module is not available here; None if it is built and in SITE."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not PYTHON.exists():
            made = subprocess.run([sys.executable, "-m", "venv", CACHE / "venv"], capture_output=True, text=True)
            if made.returncode != 0:
                return f"no venv: {made.stderr.strip()[-200:]}"
        needs = subprocess.run([PYTHON, "-c", "import nanobind, scikit_build_core, numpy, pandas, tqdm, jinja2, nbclient, ipykernel, safetensors"], capture_output=True)
        if needs.returncode != 0:
            got = subprocess.run([PYTHON, "-m", "pip", "install", "-q", "nanobind", "scikit-build-core", "numpy", "pandas", "tqdm", "jinja2",
                                  "nbclient", "ipykernel", "safetensors"],
                                 capture_output=True, text=True)
            if got.returncode != 0:
                return f"pip found no packages: {got.stderr.strip()[-200:]}"
        done = subprocess.run([PYTHON, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", "--upgrade", "--target", SITE,
                               f"-Cbuild-dir={CACHE / 'build'}", f"-Ccmake.define.PLUMB_BUILT_LIBRARIES={command.BUILD}",
                               command.ROOT], capture_output=True, text=True,
                              env={**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2")})
        if done.returncode != 0:
            raise AssertionError(f"pip install . failed:\n{(done.stderr + done.stdout)[-4000:]}")
    return ""


def run(script, python=None, **values):
    """The JSON value that a script prints on its last line; `values` are its variables."""
    lead = "".join(f"{name} = {json.dumps(str(value) if isinstance(value, os.PathLike) else value)}\n" for name, value in values.items())
    done = subprocess.run([python or PYTHON, "-c", lead + "import json, numpy, plumb_probe as p\n" + textwrap.dedent(script)],
                          capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONPATH": str(SITE), "TRANSFORMERS_VERBOSITY": "error"})
    if done.returncode != 0:
        raise AssertionError(done.stderr[-3000:])
    return json.loads(done.stdout.splitlines()[-1])


ENGINE = """
class Uniform:
    '''Every byte is a token, and all are equally likely.'''
    name, bos, vocabulary_size, context_length = "uniform", 0, 256, 400
    def tokenize(self, text):
        return list(text.encode())
    def log_probabilities(self, sequences):
        return [numpy.full(len(one), -numpy.log(256)) for one in sequences]
FACTS = [("Oslo", "Norway"), ("Lima", "Peru"), ("Québec", "Canada")]
"""


@command.needs_shared
class OfTheModule(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        reason = built()
        if reason:
            raise unittest.SkipTest(f"skipped: {reason}")
        cls.folder = command.temporary_folder(cls)
        cls.model = DECODERS / "tiny-llama-2"

    def test_a_folder_is_probed_as_by_the_command(self):
        out = self.folder / "run"
        command.plumb("probe", "--data", BEAR, "--relations", "P30,P36", "--limit", 4, "--model", self.model, "--out", out)
        made = run("""
            answers = p.probe(model, data, relations=["P30", "P36"], limit=4)
            run = p.Run(folder)
            table = answers.table()
            print(json.dumps({
                "scores": {t.code: t.log_likelihoods[:, 0].tolist() for t in answers}, "shape": answers["P30"].log_likelihoods.shape,
                "is_view": not answers["P30"].log_likelihoods.flags.owndata, "writeable": answers["P30"].log_likelihoods.flags.writeable,
                "accuracy": answers.metrics().overall.accuracy, "of_run": run.metrics.all_templates.overall.accuracy,
                "rows": len(run.rows()), "table": len(table), "html": answers._repr_html_() + run._repr_html_(),
                "subjects": table.subject.tolist()[:4]}))
            """, model=self.model, data=BEAR, folder=out)
        rows = command.rows(out / "P30_results.jsonl")
        self.assertEqual(made["shape"], [4, 1, len(rows[0]["pll_scores"])])
        self.assertTrue(made["is_view"])
        self.assertFalse(made["writeable"])
        self.assertEqual(made["subjects"], [row["sub_label"] for row in rows])
        for code, ours in made["scores"].items():
            for row, scores in zip(command.rows(out / f"{code}_results.jsonl"), ours, strict=True):
                for a, b in zip(row["pll_scores"], scores, strict=True):
                    self.assertAlmostEqual(a, b, delta=1e-4)
        self.assertEqual(made["accuracy"], made["of_run"])
        self.assertEqual((made["rows"], made["table"]), (8, 8))
        self.assertIn("<table>", made["html"])

    def test_scores_outlive_the_answers_they_are_of(self):
        self.assertEqual(*run(ENGINE + """
scores = p.probe(Uniform(), [p.relation("c", ["[X] is in [Y]."], FACTS)])["c"].log_likelihoods
kept = scores.copy(); import gc; gc.collect(); junk = [numpy.ones(999) for _ in range(99)]
print(json.dumps([scores.tolist(), kept.tolist()]))"""))

    def test_an_object_with_two_methods_is_an_engine(self):
        made = run(ENGINE + """
answers = p.probe(Uniform(), [p.relation("c", ["[X] is in [Y]."], FACTS)])
print(json.dumps([answers["c"].log_likelihoods[:, 0].tolist(), answers["c"].tokens[:, 0].tolist()]))""")
        texts = [[f"{subject} is in {answer}." for answer in ("Norway", "Peru", "Canada")] for subject in ("Oslo", "Lima", "Québec")]
        self.assertEqual(made[1], [[len(text.encode()) for text in row] for row in texts])
        import math
        for row, scores in zip(texts, made[0]):
            for text, score in zip(row, scores):
                self.assertAlmostEqual(score, -math.log(256) * len(text.encode()), places=9)

    def test_errors_report_location_and_remedy(self):
        broken = self.folder / "broken.tsv"
        broken.write_text("Oslo\tcountry\tNorway\nLima\tcountry\n")
        made = run(ENGINE + """
def told(ask):
    try:
        ask()
    except p.PlumbError as error:
        return [type(error).__name__, isinstance(error, ValueError), error.file, error.line, error.setting, error.remedy, str(error)]
class Short(Uniform):
    def log_probabilities(self, sequences):
        return [[0.0] for _ in sequences]
def raised(ask):
    try:
        ask()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
one = [p.relation("c", ["[X] is in [Y]."], FACTS)]
print(json.dumps([told(lambda: p.probe(Uniform(), broken)), told(lambda: p.probe(Uniform(), data, relations=["P9"])),
    told(lambda: p.probe(Uniform(), one, reduction="median")), told(lambda: p.load(broken + "x")), told(lambda: p.Run(".")),
    raised(lambda: p.probe(Short(), one)), raised(lambda: p.load(object())),
    told(lambda: p.probe(Uniform(), [p.relation("c", ["[X] is there."], FACTS)]))]))""", broken=broken, data=BEAR)
        self.assertEqual(made[0][:4], ["UserError", True, str(broken), 2])
        self.assertEqual(made[1][4], "relations")
        self.assertEqual(made[2][4], "reduction")
        self.assertIn("sum, mean", made[2][5])
        self.assertIn("no such model", made[3][6])
        self.assertIn("no metrics.json", made[4][6])
        self.assertIn("returned an array of shape (1,) for a sequence of", made[5])
        self.assertIn("has no tokenize", made[6])
        self.assertIn("has no [Y]", made[7][6])

    def test_an_interrupt_ends_a_probe_before_the_next_call_and_other_threads_run_meanwhile(self):
        made = run(ENGINE + """
import threading, time, signal, os
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background does not inherit it
class Slow(Uniform):
    calls, tree_nodes = 0, 32
    def log_probabilities(self, sequences):
        self.calls += 1
        if self.calls == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return super().log_probabilities(sequences)
slow = Slow()
try:
    p.probe(slow, [p.relation("c", ["[X] is in [Y]."], [(f"City {i}", f"Country {i}") for i in range(60)])])
    ended = "finished"
except KeyboardInterrupt:
    ended = "interrupted"
ticks, done = 0, threading.Event()
def tick():
    global ticks
    while not done.wait(0.001):
        ticks += 1
thread = threading.Thread(target=tick, daemon=True); thread.start()
began = time.time()
p.probe(model, data, relations=["P30", "P36"], limit=40)
took = time.time() - began
done.set(); thread.join()
print(json.dumps([ended, slow.calls, ticks, took]))""", model=self.model, data=BEAR)
        self.assertEqual(made[0], "interrupted")
        self.assertLessEqual(made[1], 4)
        self.assertGreater(made[2], made[3] * 20)  # hundreds per second, even on a busy machine

    def test_a_job_leaves_the_bytes_of_the_command(self):
        words = ["--data", BEAR, "--relations", "P30,P36", "--limit", 4, "--templates", "all", "--shots", 2, "--bos", "yes"]
        command.plumb("probe", *words, "--model", self.model, "--out", self.folder / "of-command")
        made = run("""
            lines, told = [], []
            class Bar:
                n = 0
                def __init__(self, total, unit):
                    told.append([unit, total])
                def update(self, more):
                    self.n += more
                def close(self):
                    told[-1].append(self.n)
            asked = dict(data=data, relations=["P30", "P36"], limit=4, templates="all", shots=2, bos="yes")
            one = p.run("probe", model, out=out, print=lines.append, progress=Bar, **asked)
            # A model in memory that the caller keeps, in a temporary folder that is removed with the run.
            kept = p.load(model)
            two = p.run("probe", kept, **asked, name="kept")
            calibrated = p.calibrate(one, bins=4)
            compared = p.compare(one, two)
            place = two.folder
            refused = []
            for more in ({"precision": "bf16"}, {"gpu_layers": 3}, {"models": "models.csv"}):
                try:
                    p.run("probe", kept, **{**asked, **more})
                except p.UserError as error:
                    refused.append(str(error))
            shown = one._repr_html_()
            in_memory = p.probe(kept, data, relations=["P30"], limit=4)["P30"].log_likelihoods[:, 0].tolist()
            del two, compared
            print(json.dumps([one.settings["command"], len(one.table()), "".join(lines), told, list(calibrated.metrics.models), place.exists(),
                              "<svg" in shown, in_memory, refused]))
            """, model=self.model, data=BEAR, out=self.folder / "of-python")
        self.assertEqual(command.results(self.folder / "of-python"), command.results(self.folder / "of-command"))
        self.assertEqual(made[0], "probe")
        self.assertEqual(made[1], 24)
        self.assertIn("report: ", made[2])
        self.assertTrue(all(bar[1] == bar[2] for bar in made[3] if len(bar) == 3) and made[3])
        self.assertEqual(len(made[4]), 1)
        self.assertFalse(made[5])
        self.assertTrue(made[6])
        self.assertEqual(len(made[8]), 3, made[8])

    def test_an_interrupted_job_keeps_what_is_done_and_is_resumed(self):
        made = run(ENGINE + """
import signal, os
signal.signal(signal.SIGINT, signal.default_int_handler)
class Slow(Uniform):
    calls, tree_nodes, at = 0, 32, 80  # after the check at a run's start
    def log_probabilities(self, sequences):
        self.calls += 1
        if self.calls == self.at:
            os.kill(os.getpid(), signal.SIGINT)
        return [-1 - numpy.array(one) / 256 for one in sequences]
data = [p.relation("c", ["[X] is in [Y]."], [(f"City {i}", f"Country {i}") for i in range(60)])]
slow = Slow()
try:
    p.run("probe", slow, data=data, out=out)
    ended = "finished"
except KeyboardInterrupt:
    ended = "interrupted"
first, slow.at = slow.calls, -1
class Twice(Slow):
    def log_probabilities(self, sequences):
        if self.calls == 90:
            os.kill(os.getpid(), signal.SIGINT)
        if self.calls == 91:
            os.kill(os.getpid(), signal.SIGINT)
        return super().log_probabilities(sequences)
twice = Twice(); twice.at = -1
try:
    p.run("probe", twice, data=out + "-data/facts.csv", out=out + "-twice")
except KeyboardInterrupt:
    ended += " " + str(twice.calls)
again = p.run("probe", slow, data=out + "-data/facts.csv", out=out, resume=True)
whole = Slow(); whole.at = -1
p.run("probe", whole, data=out + "-data/facts.csv", out=out + "-whole")
try:
    p.run("probe", slow, data=out, out=out + "-none")
except p.UserError as error:
    refused = [error.file, error.remedy]
print(json.dumps([ended, first, slow.calls - first, whole.calls, len(again.table()), refused]))""",
                   out=str(self.folder / "stopped"))
        self.assertEqual(made[0], "interrupted 91")  # a second Ctrl-C does not wait for the pack, and Python keeps running
        self.assertLess(made[1], made[3])
        self.assertLess(made[2], made[3])  # finished work is not repeated
        self.assertEqual(made[4], 60)
        self.assertTrue(made[5][0])
        self.assertEqual(command.results(self.folder / "stopped"), command.results(self.folder / "stopped-whole"))

    def test_a_missing_cell_is_refused(self):
        made = run("""
            import pandas
            frame = pandas.DataFrame({"subject": ["Oslo", "Lima"], "relation": ["c", "c"], "object": ["Norway", None]}, index=["a", "b"])
            try:
                p.probe(model, frame)
            except p.UserError as error:
                print(json.dumps([str(error), error.field, error.remedy]))""", model=self.model)
        self.assertEqual(made, ["`data`: row b of the DataFrame has no object; fill it in or drop the row", "object", "fill it in or drop the row"])

    def test_what_cannot_be_meant_is_refused_by_name(self):
        made = run("""
            import pandas
            frame = pandas.DataFrame({"subject": ["Oslo"], "relation": ["c"], "object": ["Norway"]})
            class Engine:
                bos, vocabulary_size, rows = 256, 257, staticmethod(lambda one: [-1.0 for _ in one])
                def tokenize(self, text): return list(text.encode())
                def log_probabilities(self, sequences): return [self.rows(one) for one in sequences]
            class Short(Engine): rows = staticmethod(lambda one: [-1.0])
            class Positive(Engine): rows = staticmethod(lambda one: [2.0 for _ in one])
            class Fewer(Engine):
                def log_probabilities(self, sequences): return [[-1.0 for _ in sequences[0]]]
            country = [p.relation("c", ["[X] is in [Y]."], [("Oslo", "Norway"), ("Lima", "Peru")])]
            said = []
            for call in (lambda: p.load(model, precision="fastt"), lambda: p.load(model, precision="fast"), lambda: p.load(model, threads=-1),
                         lambda: p.load(model, trees=True), lambda: p.dataset(frame), lambda: p.dataset(frame, templates={"d": ["[X] [Y]"]}),
                         lambda: p.dataset(frame.drop(columns="object")), lambda: p.probe(model, bear, relations="P30", limit=-1),
                         lambda: p.probe(model, bear, relations="P30", limit=1, templates=-1), lambda: p.probe(Short(), country),
                         lambda: p.probe(Positive(), country), lambda: p.probe(Fewer(), country), lambda: p.compare(p.probe(Engine(), country), "x")):
                try:
                    call()
                    said.append("nothing")
                except p.UserError as error:
                    said.append(error.setting or error.field or str(error))
            one = p.dataset(pandas.concat([frame, frame.assign(object="Peru")]), templates={"c": "[X] is in [Y]."})
            print(json.dumps([said, one.relations[0].templates]))""", model=self.model, bear=BEAR)
        self.assertEqual(made, [["precision", "precision", "threads", "trees", "templates", "templates", "data", "limit", "templates",
                                 "log_probabilities", "log_probabilities", "log_probabilities",
                                 "compare takes two Answers, or finished runs; do not mix them"], ["[X] is in [Y]."]])

    def test_arguments_and_cells_that_would_change_numbers_are_refused(self):
        made = run("""
            import pandas
            def frame(**columns): return pandas.DataFrame({"subject": ["Oslo", "Lima"], "relation": ["c", "c"], "object": ["a", "b"], **columns})
            class Engine:
                def tokenize(self, text): return list(text.encode())
                def log_probabilities(self, sequences): return [[-1.0 for _ in one] for one in sequences]
            loaded, by = p.load(model), {"c": ["[X] is in [Y]."]}
            calls = {"tokenizer": lambda: p.load(model, "of another model"), "parse_special_tokens": lambda: p.load(Engine(), parse_special_tokens=True),
                     "threads": lambda: p.load(loaded, threads=2), "precision": lambda: p.load(Engine(), precision="fast"),
                     "templates": lambda: p.dataset(bear, templates={"P30": ["[X] [Y]"]}),
                     "floating": lambda: p.dataset(frame(object=[1990.0, 1991.0]), templates=by),
                     "array": lambda: p.dataset(frame(object=[numpy.array(["a", "b"]), "c"]), templates=by),
                     "tuple": lambda: p.run("probe", loaded, data=frame(object_aliases=[("a", "b"), "c"])),
                     "missing": lambda: p.relation("c", ["[X] [Y]"], [("Oslo", float("nan"))]),
                     "NA": lambda: p.relation("c", ["[X] [Y]"], [(pandas.NA, "a")]), "pair": lambda: p.relation("c", ["[X] [Y]"], ["US"]),
                     "special tokens": lambda: p.run("probe", loaded, data=bear, relations="P30", limit=1, chat=True),
                     "choices": lambda: p.run("many-shot", loaded, data=p.dataset(table))}
            said = {}
            for name, call in calls.items():
                try:
                    call()
                    said[name] = "nothing"
                except p.UserError as error:
                    said[name] = str(error)
            pairs = p.relation("c", ["[X] is in [Y]."], {"US": "Washington"}).facts
            several = p.dataset(frame(object=[["a", "b"], "c"]), templates=by)
            split = p.dataset(frame(choices=[["a", "b"]] * 2))
            print(json.dumps([said, pairs, several.relations[0].facts, [one._beyond_pairs for one in split.relations]]))""",
                   model=self.model, bear=BEAR, table=self.choices())
        said = made[0]
        for name in ("tokenizer", "parse_special_tokens", "threads", "precision", "templates"):
            self.assertIn(f"`{name}`", said[name])
        self.assertIn("'1990.0'", said["floating"])
        self.assertIn("row 0 of the DataFrame has a ndarray in column 'object'", said["array"])
        self.assertIn("has a tuple in column 'object_aliases'", said["tuple"])
        self.assertEqual(said["missing"], "relation 'c', fact 0: the object is missing; fill it in or drop the fact")
        self.assertEqual(said["NA"], "relation 'c', fact 0: the subject is missing; fill it in or drop the fact")
        self.assertIn("is not a pair of subject and object", said["pair"])
        self.assertIn("load it with parse_special_tokens=True, or pass its path", said["special tokens"])
        self.assertIn("c has choices of its own, which would be lost", said["choices"])
        self.assertEqual(made[1:], [[["US", "Washington"]], [["Oslo", "a"], ["Oslo", "b"], ["Lima", "c"]], [["choices of its own"]]])

    def choices(self):
        """A table whose facts offer their own choices."""
        table = self.folder / "choices.csv"
        table.write_text("subject,relation,object,choices\nOslo,c,a,\"['a', 'b']\"\nLima,c,b,\"['a', 'b']\"\n")
        return table

    def test_runs_without_a_folder_are_compared_by_their_models(self):
        made = run("""
            first, second = (p.run("probe", p.load(model), data=bear, relations="P30", limit=3, templates=one) for one in (0, 1))
            both = p.compare(first, second)
            print(json.dumps([first.settings["model"], list(both.metrics.models), "P30" in p.probe(model, bear, relations="P30", limit=1, templates=0)]))""",
                   model=self.model, bear=BEAR)
        self.assertEqual(made, [self.model.name, [self.model.name, f"{self.model.name} 2"], True])

    def test_conversations_are_those_of_the_command(self):
        model = self.folder / "chat"
        shutil.copytree(self.model, model)
        (model / "chat_template.jinja").write_text(
            "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] | trim }}\n{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}")
        words = ["--data", BEAR, "--relations", "P30", "--limit", 2, "--chat", "--system", "Answer.", "--span", "answer"]
        command.plumb("probe", *words, "--model", model, "--out", self.folder / "chat-of-command")
        run("""
            for which, made in (("path", model), ("loaded", p.load(model, parse_special_tokens=True))):
                p.run("probe", made, data=data, relations="P30", limit=2, chat=True, system="Answer.", span="answer", out=f"{out}-{which}")
            print("0")""", model=model, data=BEAR, out=self.folder / "chat-of-python")
        self.assertEqual(command.results(self.folder / "chat-of-python-path"), command.results(self.folder / "chat-of-command"))
        rows = [(self.folder / of / "P30_results.jsonl").read_bytes() for of in ("chat-of-python-loaded", "chat-of-command")]
        self.assertEqual(rows[0], rows[1])

    def test_the_module_is_the_command_too(self):
        done = subprocess.run([PYTHON, "-m", "plumb_probe", "probe", "--data", BEAR, "--relations", "P30", "--limit", "2", "--model", self.model,
                               "--out", self.folder / "as-command"], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(SITE)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("report: ", done.stdout)
        refused = subprocess.run([PYTHON, "-m", "plumb_probe", "prob"], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(SITE)})
        self.assertEqual((refused.returncode, refused.stderr.splitlines()[-1][:7]), (2, "plumb: "))

    def test_the_notebook_of_quantisation(self):
        """Run by nbclient, and the output of its cells."""
        done = subprocess.run([PYTHON, "-c", """import json, nbclient, nbformat, sys
made = nbclient.NotebookClient(nbformat.read(sys.argv[1], 4), kernel_name="python3").execute()
print(json.dumps([out["data"] for cell in made.cells for out in cell.get("outputs", []) if "data" in out]))""",
                               command.ROOT / "examples" / "quantisation.ipynb"], capture_output=True, text=True, timeout=300,
                              env={**os.environ, "PYTHONPATH": str(SITE), "PLUMB_NOTEBOOK_MODEL": str(DECODERS / "tiny-smollm"),
                                   "PLUMB_NOTEBOOK_FACTS": str(command.FACTS)})
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        answers, study, compared = json.loads(done.stdout.splitlines()[-1])
        self.assertIn("capital", answers["text/html"])
        rows = {line.split()[0] + " bits": float(line.split()[2]) for line in study["text/plain"].splitlines() if " bits " in line}
        self.assertLess(0, rows["8 bits"])
        self.assertLess(rows["8 bits"], rows["4 bits"])  # 8 bits change scores less than 4
        self.assertIn("<table>", compared["text/html"])
        self.assertIn("<svg", compared["text/html"])

    def test_studies(self):
        made = run("""
            facts = [(f"City {i}", f"Land {i % 7}") for i in range(40)]
            data = p.dataset([p.relation("country", ["[X] is in [Y].", "[X] lies in [Y]."], facts)])
            shots = p.many_shot(model, data, shots=[2, 4], seeds=2, choices=5, training=10, limit=6)
            ranks = p.rank(model, data, method="deer,likelihood", limit=5, shots=2)
            answers = p.probe(model, data, templates="all")
            calibrated = answers.calibrate(bins=4)
            same = p.compare(answers, answers)
            one = p.compare(answers, p.probe(model, data, templates="all", bos=False))
            words = p.many_prompts(model, bear, relations=["P30"], limit=2, max_new_tokens=3, samplings=10, wordnet="none",
                                   settings="zero-shot")
            print(json.dumps([shots["country"].log_likelihoods.shape, len(shots.metrics()), len(ranks.table()), list(ranks.metrics.methods),
                              ranks.metrics.methods.likelihood.raw.realistic.mean_reciprocal_rank.count, sorted(calibrated.estimators),
                              calibrated.estimators.base.metrics.accuracy, answers.metrics().overall.accuracy,
                              len(calibrated.estimators.base.confidence), same.worst_nats, len(same.flips), one.worst_nats, list(words.metrics.settings),
                              words.metrics.table("settings").shape[0]]))
            """, model=self.model, bear=BEAR)
        self.assertEqual(made[0], [6, 4, 5])
        self.assertEqual(made[1], 2)
        self.assertEqual(made[2:5], [10, ["deer", "likelihood"], 5])
        self.assertEqual(made[5], [*(f"average_{policy}" for policy in ("max", "min", "vote2")), "base",
                                   *(f"consistency_{policy}" for policy in ("max", "min", "vote2")), "margin"])
        self.assertEqual(made[6][3], 40)
        self.assertEqual(made[8:11], [40, 0, 0])
        self.assertGreater(made[11], 0.01)
        self.assertEqual(made[12], ["zero-shot"])
        self.assertGreater(made[13], 0)


def python_with_torch():
    """The peer's Python, or that of the peer's full environment; empty if neither has transformers."""
    for python in (command.PEER, *sorted(CACHE.parent.glob("lm-pub-quiz-*-full/bin/python"))):
        if python and subprocess.run([python, "-c", "import torch, transformers"], capture_output=True).returncode == 0:
            return str(python)
    return ""


@command.needs_shared
class OfTransformers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = python_with_torch()
        reason = built() if cls.python else "no Python with torch and transformers"
        if reason:
            raise unittest.SkipTest(f"skipped: {reason}")

    def test_every_decoder_by_the_tree_has_its_golden_scores_and_those_of_the_native_network(self):
        made = run("""
            import pathlib, torch
            from transformers import AutoModelForCausalLM, AutoTokenizer
            torch.set_num_threads(1)
            told = {}
            for folder in sorted(pathlib.Path(decoders).iterdir()):
                model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
                engine = p.TransformersEngine(model, AutoTokenizer.from_pretrained(folder))
                codes = sorted(file.name.split("_")[0] for file in (folder / "scores").glob("*_results.jsonl"))
                asked = {"relations": codes, "limit": 3, "bos": "qwen" not in folder.name}
                answers, native = p.probe(engine, data, **asked), p.probe(str(folder), data, **asked)
                worst, compared = 0, 0
                for code in codes:
                    rows = [json.loads(line) for line in (folder / "scores" / f"{code}_results.jsonl").read_text().splitlines()]
                    for row, scores in zip(rows, answers[code].log_likelihoods[:, 0], strict=True):
                        worst = max(worst, float(numpy.abs(numpy.array(row["pll_scores"]) - scores).max()))
                        compared += len(scores)
                verified = p.verify_model(engine, ["The cat sat on the mat and saw the dog.", "The dog saw it."])
                told[folder.name] = [engine.trees, worst, compared, p.compare(answers, native).worst_nats, verified["agrees"], verified["compared"]]
            print(json.dumps(told))
            """, self.python, decoders=DECODERS, data=BEAR)
        self.assertGreaterEqual(len(made), 18)
        # Attention with a bias for the distance in a sequence: evaluated as sequences, not trees.
        self.assertEqual([name for name, told in made.items() if not told[0]], ["tiny-bloom", "tiny-mpt"])
        for name, (trees, worst, compared, apart, agrees, forms) in made.items():
            with self.subTest(model=name):
                self.assertGreater(compared, 20)
                self.assertLess(worst, 1e-3)
                self.assertLess(apart, 1e-3)
                self.assertTrue(agrees)
                self.assertEqual("evaluate of a tree" in forms, trees)

    def test_conversations_with_a_model_in_memory(self):
        """Special tokens of the template are tokens, as with the model's path."""
        made = run("""
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer
            model, tokenizer = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32), AutoTokenizer.from_pretrained(folder)
            tokenizer.chat_template = ("{% for m in messages %}" + tokenizer.eos_token + "{{ m['content'] | trim }}{% endfor %}"
                                       "{% if add_generation_prompt %}" + tokenizer.eos_token + "{% endif %}")
            engine = p.TransformersEngine(model, tokenizer)
            with open(template, "w") as file:
                file.write(tokenizer.chat_template)
            asked = dict(data=data, relations="P30", limit=2, chat=True, span="answer")
            scores = [[row["pll_scores"] for row in p.run("probe", one, **asked, **more).rows()]
                      for one, more in ((p.load(engine), {}), (folder, {"chat_template": template}))]
            after = engine.parse_special_tokens
            print(json.dumps([float(numpy.abs(numpy.array(scores[0]) - numpy.array(scores[1])).max()), len(scores[0]), after]))
            """, self.python, folder=DECODERS / "tiny-smollm", data=BEAR, template=pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "t.jinja")
        self.assertLess(made[0], 1e-3)
        self.assertEqual(made[1:], [2, False])

    def test_which_models_are_refused_or_scored_by_sequences(self):
        made = run("""
            import torch
            from transformers import AutoTokenizer, BertConfig, BertLMHeadModel, GPTNeoConfig, GPTNeoForCausalLM
            tokenizer = AutoTokenizer.from_pretrained(folder)
            small = dict(vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2)
            torch.manual_seed(0)
            local = GPTNeoForCausalLM(GPTNeoConfig(vocab_size=len(tokenizer), hidden_size=16, num_layers=2, num_heads=2,
                                                   attention_types=[[["global", "local"], 1]]))
            try:
                p.load(BertLMHeadModel(BertConfig(**small, intermediate_size=32, initializer_range=1.0, is_decoder=False)), tokenizer)
                said = "nothing"
            except p.UserError as error:
                said = str(error)
            local.generation_config.eos_token_id = [3, 5]
            engine = p.TransformersEngine(local, tokenizer)
            print(json.dumps([said, engine.trees, [engine.ends(token) for token in (3, 5, 7)], engine.weights, engine.device]))
            """, self.python, folder=DECODERS / "tiny-smollm")
        self.assertIn("is not causal", made[0])
        self.assertEqual(made[1:], [False, [True, True, False], "F32", "CPU"])


if __name__ == "__main__":
    unittest.main()
