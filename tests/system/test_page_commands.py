# SPDX-License-Identifier: Apache-2.0
"""Every plumb command in the README and in docs/ runs, in the page's order and on a few facts. test_papers runs the commands of
docs/papers, and test_in_your_ci those of docs/in-your-ci.md. The measured*.md pages show outputs of benchmarks.

Bash runs each block as written. `build/plumb` and `plumb` are a small program that reduces the sizes, removes the previous output,
and calls the command. Words in capitals and model names are links to few facts and to tiny random models. Commands that download,
install or submit a job to a cluster are replaced; a server is a real llama-server. `--gpu-layers` is 0,
because the tests' build has no GPU.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import command
import local_servers

PROGRAMS = "plumb_command write_tiny_gguf"

PAGES = [command.ROOT / "README.md", *(page for page in sorted((command.ROOT / "docs").glob("*.md"))
                                           if page.name != "in-your-ci.md" and not page.name.startswith("measured"))]
FEW = {"capital": 40, "continent": 40, "birth-year": 110, "animal-class": 20, "element-family": 20, "mythology": 20}  # facts of each relation
ADDRESS = re.compile(r"http://(?:localhost|127\.0\.0\.1):80[08]0")

# Programs that a page's blocks call besides plumb: what runs in their place.
REPLACED = {**dict.fromkeys(("hf", "llama-server", "vllm", "pip", "python3"), "exit 0"),
            # Runs every index of the job.
            "kubectl": "for i in 0 1 2 3 4 5 6 7; do JOB_COMPLETION_INDEX=$i sh job.sh; done",
            # Runs every index of the array, or the command of --wrap.
            "sbatch": 'while [ $# -gt 1 ]; do [ "$1" = --wrap ] && exec bash -c "$2"; shift; done\n'
                      'for i in 1 2 3 4 5 6 7 8; do SLURM_CPUS_PER_TASK=1 SLURM_ARRAY_TASK_ID=$i bash "$1" >&2; done; echo 1'}

# The program `plumb` of the blocks.
IN_SMALL = f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n" + """
import os, pathlib, shutil, subprocess
import test_papers
words, log = sys.argv[1:], pathlib.Path("commands")
seen = log.read_text().splitlines() if log.exists() else []
if "\\u2026" in words:  # "plumb probe … --gpu-layers 20": the previous command with more options
    words = seen[-1].split("\\0") + words[words.index("\\u2026") + 1:]
log.write_text("\\n".join([*seen, "\\0".join(words)]) + "\\n")

def set_option(name, value):
    test_papers.set_option(words, name, value)

job, asks = words[0], {"--model", "--models", "--server"} & set(words)
if "--gpu-layers" in words:
    set_option("--gpu-layers", "0")
if job == "generate":
    for option, value in (("--limit", "2"), ("--max-new-tokens", "4")):
        set_option(option, value)
    if "kamel" not in words:
        for option, value in (("--samples", "3"), ("--confidence-prompts", "2"), ("--samplings", "200"), ("--relations", "continent,capital")):
            set_option(option, value)
    if "FOLDER" in words:  # a masked model
        words = [word for i, word in enumerate(words) if not {word, words[max(i - 1, 0)]} &
                 {"--samples", "--confidence-prompts", "--max-new-tokens"}]
if job == "many-shot" and "--fixed" not in words:
    for option, value in (("--limit", "2"), ("--choices", "8"), ("--injection", "20"), ("--generate", "5"), ("--eic", "both")):
        if option in ("--limit", "--choices") or option in words:
            set_option(option, value)
if "--eic" in words:
    words += ["--eic-first", "10", "--eic-questions", "2", "--train", "50", "--relations", "birth-year"]
if "--chat" in words:
    words += ["--chat-template", "chat.jinja", "--relations", "capital,continent"]
if job == "rank" and "--fixed" not in words:
    set_option("--limit", "4")
if job in ("probe", "calibrate") and asks:
    set_option("--limit", "20" if job == "calibrate" else "5")
    if job == "calibrate":
        set_option("--relations", "capital,continent")
if job == "rank" and "--fixed" in words:
    words[words.index("GRAPH")] = "WN18RR"
if "gpt2/" in words:
    words[words.index("BEAR")] = "REAL_BEAR"
url = os.environ.get("SERVER_URL")
if url:  # the page's server has another model
    set_option("--tokenizer", "MODEL.gguf")
words = ["TEXT" if word == "TEXT\u2026" else url if url and word.startswith("http://") else word for word in words]
if "--out" in words and "--resume" not in words:
    shutil.rmtree(words[words.index("--out") + 1], ignore_errors=True)
shards = [words[words.index("--shard") + 1]] if "--shard" in words else [""]
if shards == ["1/4"]:  # the page shows one command of four
    shards = [f"{i}/4" for i in (1, 2, 3, 4)]
for shard in shards:
    mine = [shard if word == shards[0] else word.replace("part/1", "part/" + shard[0]) if len(shards) > 1 else word for word in words]
    done = subprocess.run([os.environ["REAL_PLUMB"], *mine])
    if done.returncode:
        sys.exit(done.returncode)
"""


def blocks(page):
    """The blocks of a page that call plumb: indented lines, without examples of output, and the job script of Slurm."""
    text = page.read_text(encoding="utf-8")
    plain = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    found = [re.sub(r"^ {4}", "", block[0], flags=re.MULTILINE) for block in re.finditer(r"(?:^ {4}.*\n)+", plain, re.MULTILINE)]
    return [block for block in found if re.search(r"^(?:.*\{ )?(?:build/)?plumb |sbatch ", block, re.MULTILINE)]


def calls(block):
    """How many commands of plumb a block has."""
    once = re.sub(r"^\w+\(\) \{.*?\}$", "", block, flags=re.MULTILINE | re.DOTALL)
    names = ["(?:build/)?plumb", *re.findall(r"^(\w+)\(\) \{", block, re.MULTILINE)]
    return len(re.findall(rf"^(?:{'|'.join(names)}) ", once, re.MULTILINE))


class Inputs:
    """The folder with everything that the blocks name."""

    def __init__(self, folder):
        self.folder = folder
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        for name, script in {**REPLACED, "plumb": IN_SMALL}.items():
            text = script if script.startswith("#!") else f"#!/bin/bash\n{script}\n"
            (bin_folder / name).write_text(text)
            (bin_folder / name).chmod(0o755)
        self.facts()
        self.models()
        self.others()
        self.runs()

    def plumb(self, *words):
        done = subprocess.run([command.PLUMB, *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{words}: {done.stderr}")

    def facts(self):
        small = self.folder / "small"
        small.mkdir()
        known = json.loads((command.FACTS / "metadata_relations.json").read_text())
        (small / "metadata_relations.json").write_text(json.dumps({code: known[code] for code in FEW}))
        for code, count in FEW.items():
            lines = sorted((command.FACTS / f"{code}.jsonl").open(), key=lambda line: '"France"' not in line)  # docs/prompts.md names it
            (small / f"{code}.jsonl").write_text("".join(lines[:count]))
            self.write(f"LPAQA/mine/{code}.jsonl", json.dumps({"template": known[code]["templates"][0], "weight": 0.5}) + "\n")
        shutil.copy(command.FACTS / "relation_info.json", small)
        for name in ("DIR", "bear", "BEAR", "GRAPH", "examples/facts"):
            self.link(name, small)
        self.link("docs", command.ROOT / "docs")
        (self.folder / "build").mkdir()
        self.link("build/plumb", self.folder / "bin" / "plumb")
        self.link("KAMEL", command.SHARED / "data" / "kamel-sample")
        own = (command.ROOT / "docs" / "own-data.md").read_text(encoding="utf-8")
        for kind in ("csv", "json"):
            self.write(f"facts.{kind}", re.search(rf"```{kind}\n(.*?)```", own, re.DOTALL)[1])
        self.write("examples/quickstart.sh", "")

    def link(self, name, target):
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(pathlib.Path(target).resolve())

    def write(self, name, text):
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def models(self):
        vocabularies = pathlib.Path(command.VOCABULARIES)
        command.tiny_model(self.folder).rename(self.folder / "FILE.gguf")
        other = command.tiny_model(self.folder, vocabularies / "ggml-vocab-gpt-2.gguf").rename(self.folder / "other.gguf")
        for name in ("MODEL.gguf", "m.gguf", "small.gguf", "MODEL.F32.gguf", "MODEL.Q8_0.gguf", "SmolLM2-135M-Instruct.F32.gguf"):
            self.link(name, self.folder / "FILE.gguf")
        for name in ("big/model.gguf", "MODEL.Q4_K.gguf"):
            self.link(name, other)
        decoders = command.SHARED / "golden" / "decoders"
        for name, kind in (("MODEL", "tiny-llama-2"), ("FOLDER_OR_FILE", "tiny-llama-2"), ("FOLDER_OR_GGUF", "tiny-llama-2"),
                           ("Qwen2.5-0.5B", "tiny-qwen-2"), ("pythia-160m", "tiny-pythia"), ("opt-125m", "tiny-mpt")):
            self.link(name, decoders / kind)
        for name in ("bert-base-cased", "roberta-base", "FOLDER"):
            self.link(name, command.SHARED / "golden" / "tiny-bert")

    def others(self):
        golden = command.SHARED / "golden"
        self.link("STUDY.json", golden / "many-shot-smollm2.json")
        self.link("RANKING.json", golden / "deer-smollm2.json")
        self.link("WN18RR", command.SHARED / "data" / "wn18rr")
        self.link("gpt2", golden / "gpt2-bear")
        self.link("REAL_BEAR", command.SHARED / "data" / "bear")
        (self.folder / "hub").mkdir()
        self.link("own/models/openai-community/gpt2", golden / "decoders" / "tiny-pythia")
        subprocess.run([command.BUILD / "write_tiny_gguf", self.folder / "ADAPTER.gguf", "lora"], check=True)
        self.write("models.csv", "name,model\nsmall,small.gguf\nlarge,big/model.gguf\n")
        self.write("table5.json", json.dumps({"Birth year": {"property": "birth-year", "hgp": ["{subject} was born in"], "mmp": ["{subject} ("]}}))
        self.write("common.txt", "Paris\nOslo\nLima\nAsia\n")
        self.write("TEXT", "Paris is the capital of France. Oslo is the capital of Norway.\n")
        self.write("mine.csv", "metric,value,model\naccuracy,0.5,A\n")
        self.write("chat.jinja", "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}</{{ message['role'] }}>{% endfor %}"
                                 "{% if add_generation_prompt %}<assistant>{% endif %}")
        self.write("TREX/triples.jsonl", "".join(json.dumps({"head": f"s{i}", "tail": f"o{i % 120}", "relation": "in"}) + "\n" for i in range(600)))
        rows = [json.dumps({"Relation_ID": 50, "Subject": f"s{i}", "Object": f"o{i}", "Multiple Choices": str([f"o{j}" for j in range(100) if j != i])}) + "\n"
                for i in range(100)]
        self.write("T-REx-MC/train.jsonl", "".join(rows[:60]))
        self.write("T-REx-MC/test.jsonl", "".join(rows[60:]))

    def runs(self):
        probe = ("probe", "--data", "DIR", "--limit", 20)
        for name, model, templates in (("PROBE_RUN", "FILE.gguf", "all"), ("A", "FILE.gguf", "0"), ("B", "FILE.gguf", "1"), ("C", "other.gguf", "0"),
                                       ("CHANGED", "FILE.gguf", "0")):
            self.plumb(*probe, "--model", model, "--templates", templates, "--out", name)
        self.plumb("many-shot", "--data", "DIR", "--model", "FILE.gguf", "--limit", 20, "--choices", 8, "--shots", "1,2", "--out", "MANY_SHOT_RUN")
        generate = ("generate", "--data", "DIR", "--model", "FILE.gguf", "--limit", 2, "--max-new-tokens", 4, "--samples", 3, "--confidence-prompts", 2,
                    "--samplings", 200)
        self.plumb(*generate, "--out", "GENERATE_RUN")
        self.plumb("rank", "--data", "DIR", "--model", "FILE.gguf", "--limit", 4, "--out", "RANK_RUN")
        rows = "".join(f"s{i},capital,o{i % 8},{i}\n" for i in range(30))
        self.write("popular/facts.csv", "subject,relation,object,popularity\n" + rows)
        self.write("popular/facts.json", '{"capital": ["The capital of [X] is [Y].", "[Y] is the capital of [X]."]}')
        for name, model, templates in (("RUN_A", "FILE.gguf", "0"), ("RUN_B", "other.gguf", "0"), ("RUN_C", "FILE.gguf", "all")):
            self.plumb("probe", "--data", "popular/facts.csv", "--model", model, "--templates", templates, "--out", name)
        for name, run in (("BASE", "A"), ("CAUSAL_RUN", "GENERATE_RUN")):
            shutil.copytree(self.folder / run, self.folder / name)

    def page_folder(self, page):
        """A new folder for one of a page's blocks: links to the inputs, and copies of the runs."""
        folder = self.folder / "pages" / page.stem
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for place in self.folder.iterdir():
            if (place / "run.json").exists():
                shutil.copytree(place, folder / place.name)
            elif place.name != "pages":
                (folder / place.name).symlink_to(place)
        begins_with = {"prompts": "PROBE_RUN", "published": "RANK_RUN"}.get(page.stem)
        if begins_with:
            shutil.copytree(self.folder / begins_with, folder / "RUN")
        return folder


@command.needs_shared
@command.needs_vocabularies
class PageCommands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.inputs = Inputs(cls.folder)

    def run_page(self, page):
        text = page.read_text(encoding="utf-8")
        for block in blocks(page):
            with contextlib.ExitStack() as stack, self.subTest(page=page.name, block=block):
                if ADDRESS.search(block) and not os.path.isfile(local_servers.LLAMA_SERVER):
                    self.skipTest("skipped: PLUMB_LLAMA_SERVER is not set to a llama-server")
                folder = self.inputs.page_folder(page)
                for name, script in (("plumb.sbatch", r"```bash\n(#!.*?)```"), ("job.sh", r">-\n(.*?)\n +resources:")):
                    for found in re.findall(script, text, re.DOTALL):
                        (folder / name).write_text(found if name == "plumb.sbatch" else " ".join(found.split()))
                environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "REAL_PLUMB": str(command.PLUMB),
                               "HF_HUB_CACHE": str(folder / "hub"), "PLUMB_CACHE": str(folder / "own"), "SLURM_ARRAY_TASK_ID": "1"}
                if ADDRESS.search(block):
                    environment["SERVER_URL"] = stack.enter_context(local_servers.LlamaServer(folder / "MODEL.gguf")).url
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, env=environment, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr[-2000:])
                self.assertGreaterEqual(len((folder / "commands").read_text().splitlines()), max(1, calls(block)))

    def test_blocks_are_found(self):
        self.assertGreater(sum(calls(block) for page in PAGES for block in blocks(page)), 70)
        self.assertEqual(calls("ask() { build/plumb probe \\\n  --out $1; }\nask a\nask b\nplumb compare a b\n"), 3)


def test_of(page):
    return lambda case: case.run_page(page)


for one in PAGES:
    if blocks(one):
        setattr(PageCommands, "test_" + one.stem.replace("-", "_").lower(), test_of(one))


if __name__ == "__main__":
    unittest.main()
