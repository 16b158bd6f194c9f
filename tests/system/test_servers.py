# SPDX-License-Identifier: Apache-2.0
"""Jobs through a real llama-server against the same jobs in this process, on the same weights; the server killed and started
again midway. tests/servers.sh runs the golden relations of BEAR too, which take minutes."""
import http.server
import json
import math
import os
import pathlib
import re
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

import command
from local_servers import FAST, LLAMA_SERVER, VLLM, LlamaServer, VllmServer

PROGRAMS = "plumb_command write_tiny_gguf"

GOLDEN = command.SHARED / "golden" / "lm-pub-quiz-smollm2"
BEAR = command.SHARED / "data" / "bear"
UMLS = command.SHARED / "data" / "umls"
# Log-probabilities of two builds of llama.cpp in other batches; llama-server adds up probabilities in F32.
BOUND = 1e-2

needs_server = unittest.skipUnless(os.path.isfile(LLAMA_SERVER), "skipped: PLUMB_LLAMA_SERVER is not set to a llama-server")


class EchoProxy:
    """Forwards completions to a server, names another maker in /v1/models, and has no other route."""

    def __init__(self, url):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, status, body):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                if self.path != "/v1/models":
                    return self.answer(404, b"{}")
                models = json.load(urllib.request.urlopen(url + self.path))
                for model in models["data"]:
                    model["owned_by"] = "someone"
                self.answer(200, json.dumps(models).encode())

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path != "/v1/completions":
                    return self.answer(404, b"{}")
                request = urllib.request.Request(url + self.path, body, {"Content-Type": "application/json"})
                try:
                    with urllib.request.urlopen(request) as reply:
                        self.answer(reply.status, reply.read())
                except urllib.error.HTTPError as error:
                    self.answer(error.code, error.read())

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def hugging_face_tokenizer(folder, merges):
    """A folder with the tokenizer of write_tiny_gguf's models, which has seven merges, or with others."""
    plain = [byte for byte in range(256) if 33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174]
    others = [byte for byte in range(256) if byte not in plain]
    letters = [chr(byte) if byte in plain else chr(256 + others.index(byte)) for byte in range(256)]
    words = [*letters, *(first + second for first, second in merges)]
    bos = {"id": len(words), "content": "<bos>", "special": True, "single_word": False, "lstrip": False, "rstrip": False,
           "normalized": False}
    frame = [{"SpecialToken": {"id": "<bos>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    tokenizer = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [bos], "normalizer": None,
                 "pre_tokenizer": byte_level, "decoder": byte_level,
                 "post_processor": {"type": "TemplateProcessing", "single": frame, "pair": [], "special_tokens": {
                     "<bos>": {"id": "<bos>", "ids": [bos["id"]], "tokens": ["<bos>"]}}},
                 "model": {"type": "BPE", "vocab": {word: at for at, word in enumerate(words)},
                           "merges": [f"{first} {second}" for first, second in merges]}}
    folder.mkdir()
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", "bos_token_id": bos["id"]}))
    return folder


def few_entities(folder, count=25):
    """UMLS with the triples among its first entities alone, whose descriptions are as long as they are."""
    kept = {line.split("\t")[0] for line in (UMLS / "entity2text.txt").read_text().splitlines()[:count]}
    folder.mkdir()
    for name in ("train.tsv", "dev.tsv", "test.tsv", "entity2text.txt", "entity2textlong.txt", "relation2text.txt"):
        lines = (UMLS / name).read_text().splitlines()
        if name.startswith("entity"):
            lines = [line for line in lines if line.split("\t")[0] in kept]
        elif name.endswith(".tsv"):
            lines = [line for line in lines if {line.split("\t")[0], line.split("\t")[2]} <= kept]
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return folder


MERGES = [("Ġ", "t"), ("h", "e"), ("Ġt", "he"), ("i", "s"), ("Ġ", "is"), ("a", "n"), (".", ".")]


def run_json(folder):
    return json.loads((pathlib.Path(folder) / "run.json").read_text())


def scores_of(folder, pattern, fields):
    """All numbers of the rows of some files, with their places."""
    found = {}
    for file in sorted(pathlib.Path(folder).glob(pattern)):
        for at, row in enumerate(command.rows(file)):
            for field in fields:
                values = row[field] if isinstance(row[field], list) else [row[field]]
                for i, value in enumerate(values):
                    found[file.name, at, field, i] = value
    return found


class Case(unittest.TestCase):
    def both(self, command_name, server, *words, model, more=()):
        """The same job by a server and in this process: their folders."""
        folders = []
        for name, where in (("server", ["--server", server.url, *more]), ("here", ["--model", model])):
            out = self.folder / f"{command_name}-{name}-{len(list(self.folder.iterdir()))}"
            command.plumb(command_name, *words, *where, "--out", out)
            folders.append(out)
        return folders

    def assertClose(self, theirs, ours, bound=BOUND):
        self.assertEqual(set(theirs), set(ours))
        self.assertGreater(len(ours), 0)
        worst = max(abs(theirs[place] - ours[place]) for place in ours)
        self.assertLess(worst, bound)
        return worst

    def assertOrderKept(self, theirs, ours, bound=BOUND):
        """Of two numbers of one row that are no tie, the same is the larger."""
        rows = {}
        for (file, at, field, i), value in ours.items():
            rows.setdefault((file, at, field), []).append((value, theirs[file, at, field, i]))
        compared = 0
        for row in rows.values():
            for a, x in row:
                for b, y in row:
                    if a - b > 2 * bound:
                        self.assertGreater(x, y)
                        compared += 1
        self.assertGreater(compared, 0)


@needs_server
@command.needs_model
class RealModel(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)

    def test_a_closed_set_probe(self):
        words = ["--data", command.FACTS, "--relations", "continent", "--limit", 2]
        with LlamaServer(command.MODEL) as server:
            asked, here = self.both("probe", server, *words, model=command.MODEL)
        theirs, ours = (scores_of(folder, "*_results.jsonl", ["pll_scores"]) for folder in (asked, here))
        self.assertClose(theirs, ours)
        self.assertOrderKept(theirs, ours)
        run = run_json(asked)
        said = run["server"]
        self.assertEqual(said["url"], server.url)
        self.assertEqual((said["kind"], said["vocabulary"], said["tokenizer"]), ("llama-server", 49152, "the server's"))
        self.assertLess(max(said["checks"].values()), BOUND)
        self.assertEqual(run["settings"]["model"], pathlib.Path(command.MODEL).name)
        self.assertIsNone(run["settings"]["model_sha256"])
        self.assertIsNone(run["settings"]["precision"])
        self.assertRegex(run["settings"]["model_answers"], "^[0-9a-f]{16}$")
        # The server's prefix cache does for a tree's nodes what the tree does here.
        self.assertLess(said["tokens_computed"], said["tokens_sent"])
        self.assertGreaterEqual(said["requests"], run["tree_nodes"] / 2)


@needs_server
class TinyModel(Case):
    """A vocabulary of 260 tokens and random weights, so that whole distributions are small."""

    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        (cls.folder / "long").mkdir()
        cls.model = cls.folder / "tiny.gguf"
        subprocess.run([command.BUILD / "write_tiny_gguf", cls.model], check=True)
        cls.server = LlamaServer(cls.model)
        cls.addClassCleanup(cls.server.kill)

    def test_a_closed_set_probe_with_either_tokenizer(self):
        words = ["--data", command.FACTS, "--relations", "continent,capital", "--limit", 2]
        asked, here = self.both("probe", self.server, *words, model=self.model)
        theirs, ours = (scores_of(folder, "*_results.jsonl", ["pll_scores"]) for folder in (asked, here))
        self.assertClose(theirs, ours)
        self.assertOrderKept(theirs, ours)
        again = self.folder / "given"
        command.plumb("probe", *words, "--server", self.server.url, "--tokenizer", self.model, "--concurrency", 2, "--out",
                      again)
        self.assertClose(scores_of(again, "*_results.jsonl", ["pll_scores"]), theirs)
        said = run_json(again)["server"]
        self.assertEqual((said["tokenizer"], said["texts_tokenized_alike"], said["concurrency"]), ("tiny.gguf", 4, 2))

    def test_tokens_that_end_within_a_character(self):
        # Every token is a byte, so only the last token of a character ends at a character boundary.
        data = self.folder / "scripts"
        data.mkdir()
        relations = {"ru": ("Столица [X] — [Y].", {"Японии": "Токио", "России": "Москва"}),
                     "ja": ("[X]の首都は[Y]です。", {"日本": "東京", "中国": "北京"})}
        described = {}
        for code, (template, facts) in relations.items():
            described[code] = {"templates": [template], "answer_space_labels": list(facts.values())}
            lines = [{"sub_id": subject, "sub_label": subject, "obj_id": capital, "obj_label": capital, "answer_idx": i}
                     for i, (subject, capital) in enumerate(facts.items())]
            (data / f"{code}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (data / "metadata_relations.json").write_text(json.dumps(described))
        asked, here = self.both("probe", self.server, "--data", data, model=self.model)
        self.assertClose(*(scores_of(folder, "*_results.jsonl", ["pll_scores"]) for folder in (asked, here)))

    def test_the_tokenizer_of_a_hugging_face_folder(self):
        words = ["probe", "--data", command.FACTS, "--relations", "continent", "--limit", 2, "--server", self.server.url]
        runs = {}
        for name, tokenizer in (("file", self.model), ("folder", hugging_face_tokenizer(self.folder / "tokenizer", MERGES))):
            command.plumb(*words, "--tokenizer", tokenizer, "--out", self.folder / f"by-{name}")
            runs[name] = scores_of(self.folder / f"by-{name}", "*_results.jsonl", ["pll_scores"])
        self.assertClose(runs["folder"], runs["file"])
        said = run_json(self.folder / "by-folder")["server"]
        self.assertEqual((said["tokenizer"], said["texts_tokenized_alike"]), ("tokenizer", 4))
        # Merges in another order give other tokens, and the server says so at connect.
        other = hugging_face_tokenizer(self.folder / "other-tokenizer", MERGES[::-1])
        refused = command.plumb(*words, "--tokenizer", other, "--out", self.folder / "by-other", code=2).stderr
        self.assertIn("tokenizer", refused)
        self.assertFalse((self.folder / "by-other").exists())

    def test_shards_from_one_server_are_merged_with_another(self):
        words = ["probe", "--data", command.FACTS, "--relations", "continent,capital", "--limit", 3]
        command.plumb(*words, "--server", self.server.url, "--out", self.folder / "unparted")
        shards = [self.folder / f"shard-{i}" for i in (1, 2)]
        with LlamaServer(self.model) as there:
            for i, shard in enumerate(shards, 1):
                command.plumb(*words, "--server", there.url, "--shard", f"{i}/2", "--out", shard)
        out = self.folder / "merged"
        refused = command.plumb("merge", *shards, "--model", self.model, "--out", out, code=2).stderr
        self.assertIn("--model: the shards used a server, not a local model; pass the server's current URL with --server", refused)
        command.plumb("merge", *shards, "--server", self.server.url, "--out", out)
        self.assertClose(*(scores_of(folder, "*_results.jsonl", ["pll_scores"])
                           for folder in (out, self.folder / "unparted")))

    def test_many_shot(self):
        words = ["--data", command.FACTS, "--relations", "continent", "--shots", "0,2", "--limit", 3, "--generate", 4]
        asked, here = self.both("many-shot", self.server, *words, model=self.model)
        self.assertEqual(*([row["text"] for row in command.rows(folder / "continent_generated.jsonl")]
                           for folder in (asked, here)))
        theirs, ours = (scores_of(folder, "*_choices.jsonl", ["answer_scores"]) for folder in (asked, here))
        self.assertClose(theirs, ours)
        self.assertOrderKept(theirs, ours)

    @command.needs_shared
    def test_likelihood_ranks(self):
        words = ["--data", UMLS, "--method", "likelihood", "--shots", 1, "--limit", 3]
        asked, here = self.both("rank", self.server, *words, model=self.model)
        theirs, ours = (scores_of(folder, "likelihood_ranks.jsonl", ["score"]) for folder in (asked, here))
        self.assertClose(theirs, ours)
        for a, b in zip(command.rows(asked / "likelihood_ranks.jsonl"), command.rows(here / "likelihood_ranks.jsonl"),
                        strict=True):
            near = max(a.get("near", 0), b.get("near", 0))
            self.assertLessEqual(abs(a["above"] - b["above"]), near, (a, b))

    @command.needs_shared
    @command.needs_vocabularies
    def test_deer(self):
        words = ["--data", few_entities(self.folder / "few"), "--method", "deer", "--shots", 1, "--limit", 20]
        model = command.tiny_model(self.folder / "long")  # its context has room for the descriptions
        with LlamaServer(model, "--embedding", "--pooling", "last", context=2048) as embedding:
            asked, here = self.both("rank", embedding, *words, model=model)
        self.assertEqual(run_json(asked)["server"]["vectors"], "raw")
        for a, b in zip(command.rows(asked / "deer_ranks.jsonl"), command.rows(here / "deer_ranks.jsonl"), strict=True):
            self.assertEqual(a["tail"], b["tail"])
            self.assertLessEqual(abs(a["above"] - b["above"]), max(a.get("near", 0), b.get("near", 0)), (a, b))

    def test_generation(self):
        words = ["--data", command.FACTS, "--relations", "continent", "--limit", 2, "--settings", "zero-shot", "--samples", 4,
                 "--confidence-prompts", 2, "--max-new-tokens", 6]
        asked, here = self.both("generate", self.server, *words, model=self.model)
        theirs, ours = (command.rows(folder / "zero-shot_answers.jsonl") for folder in (asked, here))
        self.assertEqual([row["answer"] for row in theirs], [row["answer"] for row in ours])
        again = self.folder / "generated-again"
        command.plumb("generate", *words, "--server", self.server.url, "--out", again)
        self.assertEqual([row["answer"] for row in command.rows(again / "zero-shot_answers.jsonl")],
                         [row["answer"] for row in theirs])
        self.assertEqual([row["samples"] for row in command.rows(again / "zero-shot_samples.jsonl")],
                         [row["samples"] for row in command.rows(asked / "zero-shot_samples.jsonl")])

    def test_a_server_that_is_killed_and_started_again(self):
        words = ["probe", "--data", command.FACTS, "--relations", "capital,continent", "--limit", 4]
        whole = self.folder / "whole"
        command.plumb(*words, "--server", self.server.url, "--out", whole)
        out = self.folder / "killed"
        server = LlamaServer(self.model)
        process = subprocess.Popen([command.PLUMB, *map(str, words), "--server", server.url, "--concurrency", "1", "--out", out],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        journal = out / "journal.jsonl"
        while process.poll() is None and (not journal.exists() or journal.stat().st_size < 2000):
            time.sleep(0.002)
        server.kill()
        _, said = process.communicate()
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("the server does not answer", said.splitlines()[-1])
        self.assertIn("resume", said.splitlines()[-1])
        kept = journal.read_bytes()
        resumed = [*words, "--server", f"http://127.0.0.1:{server.port}", "--out", out, "--resume"]
        other = self.folder / "other.gguf"
        subprocess.run([command.BUILD / "write_tiny_gguf", other, "no-bos"], check=True)
        with LlamaServer(other, port=server.port):
            refused = command.plumb(*resumed, code=2).stderr
            self.assertRegex(refused, "the run was started with|has no BOS token")
        self.assertEqual(journal.read_bytes(), kept)
        with LlamaServer(self.model, port=server.port):
            command.plumb(*resumed)
        self.assertTrue(journal.read_bytes().startswith(kept[:kept.rfind(b"\n") + 1]))
        self.assertClose(scores_of(out, "*_results.jsonl", ["pll_scores"]), scores_of(whole, "*_results.jsonl", ["pll_scores"]))

    def test_what_cannot_be_asked_is_refused_in_a_line(self):
        words = ["probe", "--data", command.FACTS, "--out", self.folder / "none"]
        for more, line in ((["--server", "http://me:pw@127.0.0.1"], "the URL contains a user name or a password"),
                           (["--server", "127.0.0.1:8080"], "begins with neither http:// nor https://"),
                           (["--server", self.server.url, "--model", self.model], "conflicts with"),
                           (["--server", self.server.url, "--precision", "fast"], "which has its own flags"),
                           (["--server", self.server.url, "--tokenizer", "/nowhere"], "is not a file or folder"),
                           (["--model", self.model, "--concurrency", "3"], "has no effect without a --server")):
            refused = command.plumb(*words, *more, code=2).stderr
            self.assertIn(line, refused)
            self.assertEqual(len(refused.splitlines()), 1, refused)
        self.assertFalse((self.folder / "none").exists())


@command.needs_shared
@command.needs_model
@unittest.skipUnless(VLLM, "skipped: PLUMB_VLLM is not set to a Python with vLLM; bash tests/servers.sh installs one")
class RealVllm(Case):
    """SmolLM2-135M in F32, beside plumb's own network of the same folder."""

    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.model = cls.folder / "SmolLM2-135M-Instruct"
        subprocess.run([VLLM, command.ROOT / "tests" / "system" / "write_hugging_face_folder.py", command.MODEL, cls.model], check=True,
                       capture_output=True)
        cls.server = VllmServer(cls.model)
        cls.addClassCleanup(cls.server.kill)

    def both(self, command_name, *words):
        return super().both(command_name, self.server, *words, model=self.model, more=["--tokenizer", self.model])

    def test_statements_of_bear(self):
        """330 statements, against lm-pub-quiz's scores, in at most 40 requests."""
        out = self.folder / "bear"
        command.plumb("probe", "--data", BEAR, "--relations", "P30,P36", "--limit", 5, "--server", self.server.url, "--tokenizer", self.model,
                      "--out", out)
        worst = compared = 0
        for relation in ("P30", "P36"):
            golden = {(row["sub_id"], row["template_index"]): row for row in command.rows(GOLDEN / f"{relation}_results.jsonl")}
            for ours in command.rows(out / f"{relation}_results.jsonl"):
                theirs = golden[ours["sub_id"], ours["template_index"]]
                for a, b in zip(theirs["pll_scores"], ours["pll_scores"], strict=True):
                    worst, compared = max(worst, abs(a - b)), compared + 1
        self.assertEqual(compared, 330)
        self.assertLess(worst, 1e-3)
        run = run_json(out)
        said = run["server"]
        print(f"vLLM {said['version']}: {compared} statements, at worst {worst:.2g} nats from lm-pub-quiz; {said['requests']} requests, {said['requests_at_connect']} of them to connect, "
              f"{said['tokens_sent']} tokens sent, {run['seconds_model']:.1f} s in the model; {1000 * said['seconds_a_prompt']:.2f} ms a prompt, "
              f"{1000 * said['seconds_a_token']:.2f} ms a token")
        self.assertEqual(said["kind"], "vLLM")
        self.assertLess(max(said["checks"].values()), 1e-3)
        self.assertLessEqual(said["requests"], 40)

    def test_as_a_server_that_only_echoes(self):
        """The same vLLM behind a proxy that hides what it is: only /v1/models and /v1/completions answer."""
        with EchoProxy(self.server.url) as url:
            out = self.folder / "echo"
            command.plumb("probe", "--data", BEAR, "--relations", "P36", "--limit", 2, "--server", url, "--tokenizer", self.model, "--out", out)
            refused = command.plumb("generate", "--data", command.FACTS, "--relations", "continent", "--limit", 1, "--server", url, "--tokenizer",
                                    self.model, "--out", self.folder / "refused", code=2)
        here = self.folder / "echo-here"
        command.plumb("probe", "--data", BEAR, "--relations", "P36", "--limit", 2, "--model", self.model, "--out", here)
        theirs, ours = (scores_of(folder, "P36_results.jsonl", ["pll_scores"]) for folder in (out, here))
        self.assertClose(theirs, ours)
        said = run_json(out)["server"]
        print(f"echo: {said['requests']} requests, {said['requests_at_connect']} of them to connect")
        self.assertEqual(said["kind"], "echo (someone)")
        self.assertIn("generate", refused.stderr)

    def test_many_shots_before_many_choices(self):
        """A long prefix that much is asked after."""
        before = self.cached_tokens()
        asked, here = self.both("many-shot", "--data", command.FACTS, "--relations", "birth-year", "--shots", 30, "--limit", 1, "--choices", 20)
        theirs, ours = (scores_of(folder, "*_choices.jsonl", ["answer_scores"]) for folder in (asked, here))
        self.assertClose(theirs, ours)
        said, cached = run_json(asked)["server"], self.cached_tokens() - before
        print(f"vLLM after 30 shots: {said['tokens_sent']} tokens sent, {cached} of them in the prefix cache")
        self.assertEqual(said["tokens_computed"], 0)  # unknown: vLLM reports the cached tokens of a request's last prompt only
        self.assertGreater(cached, said["tokens_sent"] / 2)

    def cached_tokens(self):
        with urllib.request.urlopen(self.server.url + "/metrics") as reply:
            return round(sum(map(float, re.findall(r"^vllm:prefix_cache_hits_total(?:{.*?})? (\S+)$", reply.read().decode(), re.MULTILINE))))

    def test_likelihood_ranks(self):
        asked, here = self.both("rank", "--data", few_entities(self.folder / "few"), "--method", "likelihood", "--shots", 1, "--limit", 3)
        theirs, ours = (scores_of(folder, "likelihood_ranks.jsonl", ["score"]) for folder in (asked, here))
        self.assertClose(theirs, ours)

    def test_generation(self):
        asked, here = self.both("generate", "--data", command.FACTS, "--relations", "continent", "--limit", 2, "--settings", "zero-shot",
                                "--confidence-prompts", 2, "--max-new-tokens", 6)
        theirs, ours = (command.rows(folder / "zero-shot_answers.jsonl") for folder in (asked, here))
        self.assertEqual([row["answer"] for row in theirs], [row["answer"] for row in ours])


@needs_server
@command.needs_shared
@command.needs_model
@unittest.skipUnless(os.environ.get("PLUMB_SERVERS_GOLDEN"), "skipped: takes minutes; bash tests/servers.sh runs it")
class Golden(Case):
    def test_the_golden_relations(self):
        folder = command.temporary_folder(self)
        relations = list(json.loads((GOLDEN / "metadata_results.json").read_text()))
        limit = int(os.environ["PLUMB_SERVERS_GOLDEN"])
        with LlamaServer(command.MODEL, "-t", "2", *FAST, slots=16) as server:
            command.plumb("probe", "--data", BEAR, "--server", server.url, "--tokenizer", command.MODEL, "--relations",
                          ",".join(relations), "--limit", limit, "--out", folder / "run")
        worst = compared = 0
        for relation in relations:
            golden = {(row["sub_id"], row["template_index"]): row for row in command.rows(GOLDEN / f"{relation}_results.jsonl")}
            for ours in command.rows(folder / "run" / f"{relation}_results.jsonl"):
                theirs = golden[ours["sub_id"], ours["template_index"]]
                for a, b in zip(theirs["pll_scores"], ours["pll_scores"], strict=True):
                    worst = max(worst, abs(a - b))
                    compared += 1
        run = run_json(folder / "run")
        print(f"{compared} statements of {len(relations)} relations, at worst {worst:.2g} nats apart; "
              f"{run['statements']} statements, {run['tree_nodes']} tree nodes, {run['server']['requests']} requests, "
              f"{run['server']['tokens_sent']} tokens sent, {run['server']['tokens_computed']} computed by the server, "
              f"{run['seconds_total']:.0f} s")
        self.assertGreater(compared, 0)
        # Each path computes the last token of its prefix again, and each slot its first prefixes.
        if limit == 10:  # with fewer facts, the slots' first prefixes weigh more
            self.assertLess(run["server"]["tokens_computed"], 1.5 * run["tree_nodes"])
        self.assertTrue(math.isfinite(worst))
        self.assertLess(worst, BOUND)


if __name__ == "__main__":
    unittest.main()
