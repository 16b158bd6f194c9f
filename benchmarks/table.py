# SPDX-License-Identifier: Apache-2.0
"""One table of plumb's speed compared with other programs. benchmarks/run.sh calls it with the peer's Python.

Each row is measured in rounds; in each round every program works once, one after the other. A ratio is plumb's rate
divided by the other program's rate in the same round. The table shows the median ratio, the range in which the ratio of
another run on the same machine is expected, and, where it was measured, the limit: the ratio if plumb computed nothing
but its matrix products, or, over vLLM, if only vLLM's own computation took time. A row's measurements are kept
in RESULTS/ROW.json and measured again only if the row is named. With --compare EARLIER, nothing is measured: the table
then shows which ratios in RESULTS are within the ranges of the run in EARLIER.
"""
import argparse
import concurrent.futures
import copy
import datetime
import html
import json
import math
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
import urllib.request

from products import SMOLLM2_135M, Products

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "system"))
import local_servers  # noqa: E402

os.environ.setdefault("TQDM_DISABLE", "1")  # before anything imports tqdm

ROOT = pathlib.Path(__file__).resolve().parent.parent
THREADS = 2
SIX = "P19,P30,P36,P50,P272,P1376"

NO_LLAMA_SERVER = "llama-server is not built; run bash tests/servers.sh, then name this row"


class Missing(Exception):
    """A program that is not available here."""


# ---------------------------------------------------------------------------------------------- measuring

class Measured:
    """The rates of a row: units of work per second, by program and round."""

    def __init__(self, unit, rounds):
        self.unit, self.rounds, self.rates, self.missing, self.notes, self.ratios, self.limits = unit, rounds, {}, {}, [], {}, {}

    def run(self, programs):
        """`programs`: name → a call that does the work once and returns the rate, or raises Missing."""
        for turn in range(self.rounds):
            for name, work in programs.items():
                if name in self.missing:
                    continue
                try:
                    rate = work()
                except Missing as reason:
                    self.missing[name] = str(reason)
                    for known in (name, name + ", model alone"):
                        self.rates.pop(known, None)
                    print(f"    {name}: not available: {reason}", flush=True)
                    continue
                self.rates.setdefault(name, []).append(rate)
                print(f"    round {turn + 1}: {name}: {rate:.4g} {self.unit}", flush=True)

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)
            print("    " + text, flush=True)

    def limit(self, rates, name, timed=None):
        """Sets the limit of plumb's ratio to a program. `rates`: the highest rate that plumb could have, in each round; `timed`: the
        program's rates to divide it by, if they are not those of the ratio."""
        if name in self.rates:
            self.limits[name] = statistics.median(rate / theirs for rate, theirs in zip(rates, self.rates[timed or name], strict=True))

    def json(self):
        return {name: getattr(self, name) for name in ("unit", "rates", "ratios", "limits", "missing", "notes")}


def run(words, **more):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise Missing(f"{pathlib.Path(str(words[0])).name} ended with {done.returncode}: " + (done.stderr.strip().splitlines() or ["no message"])[-1][:150])
    return done


class Setup:
    """Paths, and state that rows share: the models in torch are loaded once."""

    def __init__(self, words):
        self.plumb, self.model, self.bear, self.shared = words.plumb, words.model, words.bear, words.shared
        self.llama_tools, self.harness = words.llama_tools, words.harness
        self.rounds = words.rounds
        self._model = None

    def torch(self):
        import torch
        torch.set_num_threads(THREADS)
        return torch

    def model_of(self):
        """The model in torch, in F32, and its tokenizer."""
        if self._model is None:
            from transformers import AutoModelForCausalLM, AutoTokenizer
            where = {"pretrained_model_name_or_path": os.path.dirname(self.model), "gguf_file": os.path.basename(self.model)}
            model = AutoModelForCausalLM.from_pretrained(**where, dtype=self.torch().float32).eval()
            self._model = (model, AutoTokenizer.from_pretrained(**where))
        return self._model

    def run_plumb(self, *words, keep=None):
        """A command's run.json and the seconds of its whole process."""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "run"
            began = time.monotonic()
            run([self.plumb, *words, "--threads", THREADS, "--out", out])
            seconds = time.monotonic() - began
            if keep is not None:
                keep(out)
            return json.loads((out / "run.json").read_text()), seconds


def scores_of(out):
    """(relation, template, subject) → the scores of the options."""
    rows = ((file.name[:-len("_results.jsonl")], json.loads(line)) for file in sorted(out.glob("*_results.jsonl")) for line in file.open())
    return {(code, row["template_index"], row["sub_id"]): row["pll_scores"] for code, row in rows}


def worst_difference(ours, theirs):
    assert ours.keys() == theirs.keys()
    return max(abs(a - b) for key in ours for a, b in zip(ours[key], theirs[key], strict=True))


def peer_relations(setup, codes, limit):
    from lm_pub_quiz import Dataset
    chosen = {one.relation_code: one.filter_subset(range(limit), keep_answer_space=True)
              for one in Dataset.from_path(setup.bear) if one.relation_code in codes}
    return [chosen[code] for code in codes]


# ------------------------------------------------------------------------------------------------ rows

def closed_set(setup, templates, dtype="float32", limit=12):
    """lm-pub-quiz at its best batch size, plumb by its own network and over llama.cpp."""
    from lm_pub_quiz import Evaluator
    made = Measured("statements/s", setup.rounds)
    if dtype == "bfloat16" and not flags_of_processor() & {"avx512_bf16", "amx_bf16"}:
        made.missing["lm-pub-quiz"] = "this processor has no BF16 products, and torch takes about ten minutes a round"
        return made
    setup.torch()
    codes = SIX.split(",")
    relations = peer_relations(setup, codes, limit)
    model, tokenizer = setup.model_of()
    if dtype != "float32":  # both programs read the same folder
        half = tempfile.TemporaryDirectory()
        from transformers import AutoModelForCausalLM
        type_of = getattr(setup.torch(), dtype)
        config = copy.deepcopy(model.config)
        if hasattr(config, "quantization_config"):  # a model read from GGUF cannot be saved
            del config.quantization_config
        plain = AutoModelForCausalLM.from_config(config)
        plain.load_state_dict(model.state_dict())
        plain.to(type_of).save_pretrained(half.name)
        tokenizer.save_pretrained(half.name)
        model = AutoModelForCausalLM.from_pretrained(half.name, dtype=type_of).eval()
    evaluator = Evaluator.from_model(model, model_type="CLM", tokenizer=tokenizer)
    count = max(1, min(len(one.templates) for one in relations)) if templates == "all" else 1
    scores = {}

    def peer(batch, chosen=relations):
        began, statements = time.monotonic(), 0
        for relation in chosen:
            for template in range(count):
                table = evaluator.evaluate_relation(relation, template_index=template, batch_size=batch).instance_table
                statements += sum(map(len, table["pll_scores"]))
                for subject, row in zip(table["sub_id"], table["pll_scores"].tolist()):
                    scores[relation.relation_code, template, subject] = row
        return statements / (time.monotonic() - began)

    few = peer_relations(setup, codes[:1], min(limit, 4))
    peer(8, few)  # a warm-up
    # The better of two rates of each size: on a busy machine, one may be wrong by more than the sizes differ.
    by_size = {size: max(peer(size, few) for _ in range(2)) for size in (8, 16, 32, 64)}
    batch = max(by_size, key=by_size.get)
    made.note(f"lm-pub-quiz's best batch size: {batch} (statements/s on the first facts of one relation: " +
              ", ".join(f"{size}: {rate:.1f}" for size, rate in by_size.items()) + ")")
    words = ["probe", "--data", setup.bear, "--relations", SIX, "--limit", limit, "--templates",
             ",".join(map(str, range(count))), "--bos", "yes"]
    found, record_of, products = {}, {}, {}

    def plumb(name, *more, model=None, kind=None):
        """`kind`: if given, the products of this type are also timed by themselves in each round."""
        def work():
            kept = {}
            record, seconds = setup.run_plumb(*words, "--model", model or setup.model, *more, keep=lambda out: kept.update(scores_of(out)))
            found[name] = kept
            record_of[name] = record
            made.rates.setdefault(name + ", model alone", []).append(record["statements"] / record["seconds_model"])
            if kind:  # right after plumb, because a shared machine's speed changes from minute to minute
                products.setdefault(name, []).append(Products(SMOLLM2_135M, THREADS, kind))
            return record["statements"] / seconds
        return work

    with tempfile.TemporaryDirectory() as folder:
        programs = {"lm-pub-quiz": lambda: peer(batch)}
        if dtype == "bfloat16":
            programs["plumb"] = plumb("plumb", model=half.name, kind="f32")
            programs["plumb, BF16 products"] = plumb("plumb, BF16 products", "--precision", "bf16", model=half.name, kind="bf16")
        else:
            programs["plumb"] = plumb("plumb", kind="f32")
            programs["plumb over llama.cpp"] = plumb("llama.cpp", "--engine", "llama")
            if setup.llama_tools and count == 1:
                programs["llama.cpp, multiple choice"] = multiple_choice(setup, folder, words)
            if count == 1:
                programs["lm-evaluation-harness"] = harness(setup, folder, words)
        made.run(programs)
        if dtype == "bfloat16" and "plumb" in made.rates:
            made.note(f"lm-pub-quiz's scores are at most {worst_difference(found['plumb'], scores):.2g} nats from plumb's, which are exact")
            if "plumb, BF16 products" in made.rates:  # otherwise the CPU has none
                made.note(f"BF16 products change plumb's scores by at most {worst_difference(found['plumb'], found['plumb, BF16 products']):.2g} nats")
                name = "plumb, BF16 products"
                made.note("BF16 products: " + share_of_products(record_of[name], made.rates[name + ", model alone"], products[name])[1])
            nearness(made, record_of["plumb"], products["plumb"])
            for name, changed in rounded_less(setup, half.name, model).items():
                evaluator = Evaluator.from_model(changed, model_type="CLM", tokenizer=tokenizer)
                peer(batch)
                made.note(f"with {name}, lm-pub-quiz's scores are {worst_difference(found['plumb'], scores):.2g} nats from the exact ones")
        elif "plumb" in made.rates:
            apart = worst_difference(found["plumb"], scores)
            made.note(f"worst difference of {sum(map(len, scores.values()))} statements' scores from lm-pub-quiz's: {apart:.1e} nats")
            alone = statistics.median(a / b for a, b in zip(made.rates["plumb, model alone"], made.rates["lm-pub-quiz"]))
            made.note(f"plumb without start-up and page: {alone:.1f} times lm-pub-quiz's statements per second")
            nearness(made, record_of["plumb"], products["plumb"])
            assert apart < 1e-3
    return made


def rounded_less(setup, folder, model):
    """name → a variant of the BF16 model that rounds fewer of its intermediate results to BF16."""
    from transformers import AutoModelForCausalLM
    torch = setup.torch()
    wide = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    whole, products = model.forward, wide.forward

    def wider_softmax(*words, **named):
        made = whole(*words, **named)
        made.logits = made.logits.float()
        return made

    def narrow_products(*words, **named):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            made = products(*words, **named)
        made.logits = made.logits.float()
        return made

    model.forward, wide.forward = wider_softmax, narrow_products
    return {"its softmax in F32": model, "only its products in BF16 (torch.autocast) and its softmax in F32": wide}


def share_of_products(record, rates, products):
    """The seconds that a probe's matrix products take by themselves, in each round, and a sentence about their share of the
    model's time. `rates`: statements per second in the model; `products`: the products' speed in the same rounds."""
    fed, seconds = record["tokens_fed"], [record["statements"] / rate for rate in rates]
    least = [one.seconds(fed, fed) for one in products]  # a token is looked up after each node, so each needs a row of logits
    share = statistics.median(a / b for a, b in zip(least, seconds, strict=True))
    return least, (f"the products alone would take {statistics.median(least):.1f} of the {statistics.median(seconds):.1f} s in the model "
                   f"({share:.2f}), at {statistics.median(one.layers_speed for one in products):.0f} GFLOP/s per thread; "
                   f"{fed} tokens fed for {record['statements']} statements")


def nearness(made, record, products):
    """Sets the limits of the ratios to programs whose time in the model is known."""
    least, said = share_of_products(record, made.rates["plumb, model alone"], products)
    made.note("limit: " + said)
    timed = {"lm-pub-quiz": "lm-pub-quiz", "lm-evaluation-harness": "lm-evaluation-harness", "llama.cpp, multiple choice": "llama.cpp, multiple choice",
             "plumb over llama.cpp": "llama.cpp, model alone"}
    for name, rates in timed.items():
        made.limit([record["statements"] / one for one in least], name, rates)


def statements_of(setup, words, folder):
    """The statements of each of the probe's facts, one for each option."""
    out = pathlib.Path(folder) / "listed"
    if not out.exists():
        run([setup.plumb, *words, "--model", setup.model, "--out", out])
    listed = run([setup.plumb, "data", "prompts", out]).stdout.splitlines()
    return [[row["prompt"] + one["text"] for one in row["candidates"]] for row in map(json.loads, listed)]


def multiple_choice(setup, folder, words):
    """llama-perplexity --multiple-choice over the same facts; its data file is the tool's own binary format."""
    facts = statements_of(setup, words, folder)
    file = pathlib.Path(folder) / "tasks.bin"
    tool = pathlib.Path(setup.llama_tools) / "llama-perplexity"

    def text(value):
        data = value.encode()
        return len(data).to_bytes(4, "little") + data

    tasks = []
    for options in facts:
        lead = os.path.commonprefix(options)
        lead = lead[:lead.rfind(" ")] if " " in lead else ""
        answers = b"".join(text(one[len(lead):].strip()) for one in options)
        answers = len(options).to_bytes(4, "little") + answers + b"".join((1 if i == 0 else 0).to_bytes(4, "little") for i in range(len(options)))
        tasks.append(text(lead.strip() or "The") + answers + (0).to_bytes(4, "little"))  # no second set of answers
    head = len(tasks).to_bytes(4, "little")
    places, at = b"", 0
    for one in tasks:
        places += at.to_bytes(4, "little")
        at += len(one)
    file.write_bytes(head + places + b"".join(tasks))
    count = sum(map(len, facts))

    def work():
        if not tool.exists():
            raise Missing("llama.cpp's tools are not built")
        began = time.monotonic()
        done = run([tool, "-m", setup.model, "--multiple-choice", "-bf", file, "-t", THREADS, "-np", 64, "-c", 64, "-b", 2048, "-fa", "off",
                    "-ctk", "f32", "-ctv", "f32"])
        seconds = time.monotonic() - began
        last = re.findall(r"^(\d+)\t", done.stdout + done.stderr, re.MULTILINE)
        if not last or int(last[-1]) != len(tasks):
            raise Missing(f"llama-perplexity scored {last[-1] if last else 0} of {len(tasks)} facts")
        return count / seconds
    return work


def harness(setup, folder, words):
    """lm-evaluation-harness's log-likelihoods of the same statements, in its own process; its clock runs only over them."""
    def work():
        if not setup.harness or not pathlib.Path(setup.harness).exists():
            raise Missing("lm-evaluation-harness is not installed; benchmarks/against_lm_evaluation_harness.sh installs it")
        texts = pathlib.Path(folder) / "texts.json"
        if not texts.exists():
            texts.write_text(json.dumps([one for options in statements_of(setup, words, folder) for one in options]))
        done = run([setup.harness, ROOT / "benchmarks" / "harness_rate.py", setup.model, texts, THREADS])
        return float(done.stdout.split()[-1])
    return work


def started(kind, *words, **named):
    try:
        return kind(*words, **named)
    except AssertionError as failure:
        raise Missing(str(failure).splitlines()[0]) from None


def servers(setup, limit=4, slots=16):
    """plumb over vLLM beside lm-pub-quiz on vLLM's torch, and plumb over llama-server beside the same llama.cpp in plumb's process."""
    over = {"vLLM": Measured("statements/s", setup.rounds), "llama-server": Measured("statements/s", setup.rounds)}
    words = ["probe", "--data", setup.bear, "--relations", SIX, "--limit", limit, "--bos", "yes"]

    def plumb(made, *more):
        def work():
            record, seconds = setup.run_plumb(*words, *more)
            if "server" in record and not made.notes:
                said = record["server"]
                made.note(f"{said['kind']} {said['version']}: {record['statements']} statements, {record['tree_nodes']} tree nodes, "
                          f"{said['requests'] - said['requests_at_connect']} requests and {said['requests_at_connect']} to connect, "
                          f"{said['tokens_sent']} tokens sent, {said['tokens_computed'] or 'an unknown number'} computed, "
                          f"{record['seconds_model']:.1f} s scoring in the first round, {seconds - record['seconds_model']:.1f} s outside it")
            return record["statements"] / record["seconds_model"]
        return work

    def vllm_alone(server, folder):
        """Statements per second of vLLM, the median of a few rounds, for the prompts that plumb sends and the log-probabilities of their tokens."""
        with tempfile.TemporaryDirectory() as kept:
            out = pathlib.Path(kept) / "run"
            run([setup.plumb, *words, "--model", folder, "--out", out])
            listed = map(json.loads, run([setup.plumb, "data", "prompts", out, "--ids", "--model", folder]).stdout.splitlines())
            statements = [row["ids"] + one["ids"] for row in listed for one in row["candidates"]]
        prompts = sorted({tuple(ids[:-1]) for ids in statements})

        def ask(number, how):
            body = {"model": str(folder), "prompt": prompts[number::8], "max_tokens": 1, "temperature": 0, **how}
            post = urllib.request.Request(server.url + "/v1/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
            with urllib.request.urlopen(post, timeout=600) as reply:
                return json.load(reply)["usage"]["prompt_tokens"]

        def rate(how):
            began = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                counts.append(sum(pool.map(lambda number: ask(number, how), range(8))))
            return len(statements) / (time.monotonic() - began)

        counts = []
        alone = statistics.median(rate({"prompt_logprobs": 0}) for _ in range(setup.rounds))
        without = rate({"cache_salt": str(time.time())})
        over["vLLM"].note(f"limit: vLLM computes the {len(statements)} statements without their last tokens ({len(prompts)} prompts, {counts[0]} "
                          f"tokens) at {alone:.1f} a second, and at {without:.1f} if it returns no log-probabilities")
        return alone

    def peer(folder):
        done = run([local_servers.VLLM, ROOT / "benchmarks" / "lm_pub_quiz_rate.py", folder, setup.bear, SIX, limit, THREADS,
                    next(path for path in sys.path if path.endswith("site-packages"))])
        return float(done.stdout.split()[-1])

    if not os.path.isfile(local_servers.VLLM):
        over["vLLM"].missing["lm-pub-quiz, vLLM's torch"] = "vLLM is not installed; run bash tests/servers.sh, then name this row"
    else:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "model"
            run([sys.executable, ROOT / "tests" / "system" / "write_hugging_face_folder.py", setup.model, folder])
            with started(local_servers.VllmServer, folder) as server:
                over["vLLM"].run({"plumb": plumb(over["vLLM"], "--server", server.url, "--tokenizer", folder),
                                  "lm-pub-quiz, vLLM's torch": lambda: peer(folder)})
                over["vLLM"].limit([vllm_alone(server, folder)] * setup.rounds, "lm-pub-quiz, vLLM's torch")
    if not os.path.isfile(local_servers.LLAMA_SERVER):
        over["llama-server"].missing["plumb over llama.cpp"] = NO_LLAMA_SERVER
    else:
        with started(local_servers.LlamaServer, setup.model, "-t", THREADS, *local_servers.FAST, slots=slots, waits_actively=True) as server:
            over["llama-server"].run({"plumb": plumb(over["llama-server"], "--server", server.url, "--tokenizer", setup.model),
                                      "plumb over llama.cpp": plumb(over["llama-server"], "--model", setup.model, "--engine", "llama")})
    return over


def many_shot(setup, facts=4):
    """Facts per second after 50 shots: plumb, transformers with the shots' cache kept and the choices in one batch, and plumb over a
    llama-server that has just started, so that its prefix cache is empty."""
    torch = setup.torch()
    model, _ = setup.model_of()
    made = Measured("facts/s", setup.rounds)
    words = ["many-shot", "--data", ROOT / "examples" / "facts", "--relations", "birth-year", "--shots", 50, "--seeds", 1, "--choices", 100,
             "--limit", facts]
    kept, fed, products = {}, [], []

    def scores_in(out):
        return [row["answer_scores"] for row in map(json.loads, (out / "birth-year_choices.jsonl").open())]

    def plumb():
        def keep(out):
            kept["scores"] = scores_in(out)
            kept["listed"] = [json.loads(line) for line in run([setup.plumb, "data", "prompts", out, "--ids", "--model", setup.model]).stdout.splitlines()]
        record, _ = setup.run_plumb(*words, "--model", setup.model, keep=keep)
        fed.append(record["tokens_fed"])
        products.append(Products(SMOLLM2_135M, THREADS))
        return facts / record["seconds_model"]

    def over_server(slots=16):
        if not os.path.isfile(local_servers.LLAMA_SERVER):
            raise Missing(NO_LLAMA_SERVER)
        with started(local_servers.LlamaServer, setup.model, "-t", THREADS, *local_servers.FAST, slots=slots, context=1200,
                     waits_actively=True) as server:
            record, _ = setup.run_plumb(*words, "--server", server.url, "--tokenizer", setup.model,
                                        keep=lambda out: kept.update(served=scores_in(out)))
        worst = max(abs(a - b) for one, other in zip(kept["scores"], kept["served"], strict=True) for a, b in zip(one, other, strict=True))
        made.note(f"worst difference of an answer's score over llama-server: {worst:.1e} nats; it computed "
                  f"{record['server']['tokens_computed']} tokens in {record['server']['requests']} requests")
        assert worst < 1e-2, worst
        return facts / record["seconds_model"]

    def transformers():
        from transformers import DynamicCache
        began = time.monotonic()
        shared = os.path.commonprefix([row["ids"] for row in kept["listed"]])
        worst = 0
        with torch.no_grad():
            cache = model(torch.tensor([shared]), use_cache=True).past_key_values
            for row, ours in zip(kept["listed"], kept["scores"]):
                tails = [row["ids"][len(shared):] + one["ids"] for one in row["candidates"]]
                longest, keys = max(map(len, tails)), [(layer.keys, layer.values) for layer in cache.layers]
                grown = DynamicCache()
                for index, (key, value) in enumerate(keys):
                    grown.update(key.expand(len(tails), -1, -1, -1), value.expand(len(tails), -1, -1, -1), index)
                logits = model(torch.tensor([tail + [0] * (longest - len(tail)) for tail in tails]), past_key_values=grown).logits
                rows = logits.log_softmax(-1)
                at = len(row["ids"]) - len(shared)
                for i, tail in enumerate(tails):
                    score = sum(rows[i, t - 1, tail[t]].item() for t in range(at, len(tail)))
                    worst = max(worst, abs(score - ours[i]))
        assert worst < 1e-3, worst
        made.note(f"worst difference of an answer's score from transformers': {worst:.1e} nats")
        return facts / (time.monotonic() - began)

    made.run({"plumb": plumb, "transformers, shots cached": transformers, "plumb over llama-server": over_server})
    # Logits are needed where a choice's token follows, but not after the tokens of the shots.
    rows = len({tuple(row["ids"] + one["ids"][:length]) for row in kept["listed"] for one in row["candidates"] for length in range(len(one["ids"]))})
    least = [facts / alone.seconds(tokens, rows) for tokens, alone in zip(fed, products, strict=True)]
    for name in ("transformers, shots cached", "plumb over llama-server"):
        made.limit(least, name)
    made.note(f"limit: {fed[0]} tokens fed and {rows} rows of logits; the products alone would take "
              f"{statistics.median(ours / most for ours, most in zip(made.rates['plumb'], least)):.2f} of the time in the model")
    return made


def sampling(setup, prompts=8, samples=100):
    """BELIEF-ICL: sampled answers to prompts, 100 each, and greedy ones."""
    torch = setup.torch()
    model, tokenizer = setup.model_of()
    sampled, greedy = Measured("prompts/s", setup.rounds), Measured("prompts/s", setup.rounds)
    kept = {}

    def plumb(count):
        def work():
            words = ["generate", "--data", ROOT / "examples" / "facts", "--model", setup.model, "--relations", "capital", "--settings", "relation",
                     "--max-new-tokens", 16, "--limit", 1 if count else 8, "--wordnet", "none",
                     *(["--samples", count, "--confidence-prompts", prompts] if count else [])]

            def keep(out):
                listed = [json.loads(line) for line in run([setup.plumb, "data", "prompts", out, "--ids", "--model", setup.model]).stdout.splitlines()]
                kept[count] = [row["ids"] for row in listed if row["part"].endswith("samples" if count else "answers")]
            record, _ = setup.run_plumb(*words, keep=keep)
            return len(kept[count]) / record["seconds_by_part"]["4-relation samples" if count else "4-relation"]
        return work

    def drawn():
        began, chosen = time.monotonic(), kept[samples][::4]
        with torch.no_grad():
            for ids in chosen:
                model.generate(torch.tensor([ids]), do_sample=True, top_k=0, num_return_sequences=samples, max_new_tokens=16,
                               pad_token_id=0, stop_strings=["\n"], tokenizer=tokenizer)
        return len(chosen) / (time.monotonic() - began)

    def likeliest(batch=16):
        began, chosen = time.monotonic(), sorted(kept[0], key=len)
        with torch.no_grad():
            for first in range(0, len(chosen), batch):
                part = chosen[first:first + batch]
                longest = max(map(len, part))
                ids = torch.tensor([[0] * (longest - len(one)) + one for one in part])
                mask = torch.tensor([[0] * (longest - len(one)) + [1] * len(one) for one in part])
                model.generate(ids, attention_mask=mask, do_sample=False, max_new_tokens=16, pad_token_id=0, stop_strings=["\n"], tokenizer=tokenizer)
        return len(chosen) / (time.monotonic() - began)

    sampled.run({"plumb": plumb(samples), "transformers, 100 samples": drawn})
    greedy.run({"plumb": plumb(0), "transformers, batch of 16": likeliest})
    return {"sampled": sampled, "greedy": greedy}


def ranks(setup, queries=3000, entities=40943, dimension=768):
    import numpy
    torch = setup.torch()
    made = Measured("queries/s", setup.rounds)
    draw = numpy.random.default_rng(0)
    q, e = (draw.standard_normal((rows, dimension), "float32") for rows in (queries, entities))
    for rows in (q, e):
        rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
    gold = draw.integers(0, entities, queries)

    def of_program(field):
        def work():
            done = json.loads(run([ROOT / "build" / "ranking_against_sgemm", queries, entities, dimension, 1],
                                  env={**os.environ, "OMP_NUM_THREADS": str(THREADS), "OPENBLAS_NUM_THREADS": str(THREADS)}).stdout)
            return queries / done[field]
        return work

    def faiss_search():
        try:
            import faiss
        except ImportError:
            raise Missing("faiss-cpu is not installed in the peer's environment") from None
        faiss.omp_set_num_threads(THREADS)
        index = faiss.IndexFlatIP(dimension)
        index.add(e)
        began = time.monotonic()
        index.search(q, 10)  # only the ten nearest; exact ranks would cost more
        return queries / (time.monotonic() - began)

    def torch_sort():
        left, right, of = torch.from_numpy(q), torch.from_numpy(e), torch.from_numpy(gold)
        began = time.monotonic()
        for first in range(0, queries, 500):
            order = torch.mm(left[first:first + 500], right.T).argsort(descending=True)
            (order == of[first:first + 500, None]).nonzero()
        return queries / (time.monotonic() - began)

    made.run({"plumb": of_program("ranking_seconds"), "OpenBLAS sgemm alone": of_program("sgemm_seconds"), "faiss IndexFlatIP, top 10": faiss_search,
              "torch mm and sort": torch_sort})
    return made


def likelihood(setup, queries=320):
    """Hit@10 by exact likelihood among all entities of WN18RR: plumb's search, and the score of every entity."""
    graph = setup.shared / "data" / "wn18rr"
    timed, counted = Measured("queries/s", setup.rounds), Measured("tokens/query", 1)

    def plumb():
        record, seconds = setup.run_plumb("rank", "--data", graph, "--model", setup.model, "--method", "likelihood", "--hits", "1,3,10", "--sample", queries)
        counted.ratios["every entity, one by one"] = [record["tokens_one_by_one"] / record["tokens_fed"]]
        counted.note(f"{record['tokens_fed'] / queries:.0f} tokens fed per query, of {record['tokens_one_by_one'] / queries:,.0f} one by one")
        return queries / seconds

    def exhaustive():
        done = json.loads(run([ROOT / "build" / "exhaustive_time", setup.model, graph, 1, 1, 0],
                              env={**os.environ, "OMP_NUM_THREADS": str(THREADS)}).stdout)
        asked, seconds = done["queries_and_seconds"][0]
        return asked / seconds

    timed.run({"plumb": plumb, "every entity in one tree": exhaustive})
    return {"": timed, "tokens": counted}


# Started from a small process: a child's peak memory includes its parent's memory at the time of the start.
TIMED = """import os, subprocess, sys, time
began = time.monotonic()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(status, time.monotonic() - began, usage.ru_maxrss)"""


def start(setup):
    """The time from the call of a program to the end of one fact's probe, and the peak memory."""
    seconds, memory = Measured("starts/s", setup.rounds), Measured("1/GB", setup.rounds)
    most = {}

    def timed(name, words):
        def work():
            with tempfile.TemporaryDirectory() as folder:
                done = run([sys.executable, "-S", "-c", TIMED, *(str(word).replace("OUT", folder) for word in words)])
            status, taken, kilobytes = map(float, done.stdout.split())
            if status != 0:
                raise Missing(f"{name} ended with status {status:.0f}")
            most.setdefault(name, []).append(1e6 / kilobytes)
            return 1 / taken
        return work

    programs = {"plumb": [setup.plumb, "probe", "--data", setup.bear, "--relations", "P30", "--limit", 1, "--threads", THREADS, "--model", setup.model,
                          "--out", "OUT/run"],
                "lm-pub-quiz": [sys.executable, ROOT / "benchmarks" / "lm_pub_quiz_once.py", setup.model, setup.bear, "P30", 1]}
    seconds.run({name: timed(name, words) for name, words in programs.items()})
    memory.rates = most
    for name, values in most.items():
        memory.note(f"{name}: {1000 / statistics.median(values):.0f} MB at most")
    return {"start": seconds, "memory": memory}


def script(words, patterns, keep=3):
    """A row that another benchmark prints. `patterns`: part → {other program: the pattern of a ratio's median, lowest and
    highest}. A line "limit, NAME: RATIO" is the limit of the ratio that is printed as "ratio, NAME: …". The last `keep` lines
    become notes."""
    def work(setup):
        done = subprocess.run(["bash", *map(str, words)], cwd=ROOT, capture_output=True, text=True)
        parts = {}
        for part, pattern_of in patterns.items():
            made = parts[part] = Measured("", 1)
            for beside, pattern in pattern_of.items():
                found = re.findall(pattern, done.stdout)
                if done.returncode != 0 or not found:
                    raise Missing(f"{words[0]} ended with {done.returncode}: {(done.stderr.strip().splitlines() or ['no ratio'])[-1][:150]}")
                median_lowest_highest = [float(value) for value in found[-1]]
                # Three rounds are these three values. Of another number, only the median is known.
                made.ratios[beside] = median_lowest_highest[:3 if setup.rounds == 3 else 1]
                limit = re.findall(pattern.replace("ratio", "limit", 1).replace(SPREAD, r"([\d.]+)"), done.stdout)
                if limit:
                    made.limits[beside] = float(limit[-1])
        for line in done.stdout.strip().splitlines()[-keep:]:
            made.note(line)
        return parts
    return work


SPREAD = r"([\d.]+) \(from ([\d.]+) to ([\d.]+)\)"


def growth(setup):
    """Exponents of plumb's own time; there is no other program."""
    made = Measured("", 1)
    with tempfile.TemporaryDirectory() as folder:
        done = run([sys.executable, ROOT / "benchmarks" / "growth.py", setup.plumb, ROOT / "build" / "ranking_against_sgemm", setup.model, folder,
                    setup.rounds])
    for line in done.stdout.splitlines():
        made.note(line)
    return made


def seconds_to_open(page):
    """How much longer headless Chromium takes for a page than for an empty one; the median of three rounds."""
    if shutil.which("chromium") is None:
        raise Missing("Chromium is not installed")
    with tempfile.TemporaryDirectory() as folder:
        empty = pathlib.Path(folder) / "empty.html"
        empty.write_text("<!doctype html><title>empty</title>")

        def seconds(file):
            began = time.monotonic()
            run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", file.as_uri()])
            return time.monotonic() - began

        seconds(empty)  # a warm-up
        return statistics.median(seconds(page) - seconds(empty) for _ in range(3))


def all_of_bear(setup):
    """Every statement of BEAR under template 0, once, from the command to the page."""
    made = Measured("statements/s", 1)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run"
        words = [setup.plumb, "probe", "--data", setup.bear, "--model", setup.model, "--threads", THREADS, "--out", out]
        status, seconds, kilobytes = map(float, run([sys.executable, "-S", "-c", TIMED, *map(str, words)]).stdout.split())
        if status != 0:
            raise Missing(f"plumb ended with status {status:.0f}")
        record = json.loads((out / "run.json").read_text())
        made.rates["plumb"] = [record["statements"] / seconds]
        made.note(f"{record['statements']} statements in {seconds:.0f} s ({record['seconds_model']:.0f} s in the model), "
                  f"{kilobytes / 1e6:.2f} GB at most; page {(out / 'report.html').stat().st_size / 1e6:.1f} MB, folder "
                  f"{sum(one.stat().st_size for one in out.rglob('*') if one.is_file()) / 1e6:.0f} MB")
        try:
            made.note(f"the page opens in {seconds_to_open(out / 'report.html'):.2f} s more than an empty page, in headless Chromium")
        except Missing as reason:
            made.note(f"opening of the page not measured: {reason}")
    return made


def rows_of(setup):
    """name → (job, how it is measured, {other program: aim}, what limits it, what is timed)."""
    product = "the packed product"
    quiz = 10 if "avx512f" in flags_of_processor() else 8
    deer = ["benchmarks/against_deer.sh", setup.shared / "data" / "wn18rr", 400, setup.rounds, 500]
    return {
        "closed-set": ("closed set, 6 relations", lambda s: closed_set(s, "0"), {
            "lm-pub-quiz": quiz, "lm-evaluation-harness": quiz, "llama.cpp, multiple choice": 2.5, "plumb over llama.cpp": 2}, product,
            "plumb and the tool: the whole process, including plumb's page; lm-pub-quiz and lm-evaluation-harness: only scoring"),
        "templates": ("closed set, 3 templates", lambda s: closed_set(s, "all", limit=2), {"lm-pub-quiz": quiz}, product,
                      "plumb: the whole process; lm-pub-quiz: only scoring"),
        "bf16": ("closed set, BF16 weights", lambda s: closed_set(s, "0", "bfloat16"), {"lm-pub-quiz": 10}, product,
                 "plumb: the whole process, by default with exact products; lm-pub-quiz: only scoring, in BF16"),
        "many-shot": ("50 shots, 100 choices", many_shot, {"transformers, shots cached": 5, "plumb over llama-server": 2}, product,
                      "only scoring; a new llama-server in each round"),
        "deer": ("DEER on WN18RR", script(deer, {kind: {"transformers, as the paper": rf"ratio, {kind}, causal model: {SPREAD}",
                                                         "transformers, batch of 16": rf"ratio, {kind}, sorted batches: {SPREAD}"}
                                                  for kind in ("queries", "entities")}, 13),
                 {"queries": {"transformers, batch of 16": 5}, "entities": {"transformers, batch of 16": 1.5}}, product,
                 "only embedding; the paper's way is one prompt at a time, the batches are sorted by length and skip the LM head"),
        "ranks": ("ranks, 3,000 × 40,943", ranks, {"OpenBLAS sgemm alone": 1, "faiss IndexFlatIP, top 10": 1, "torch mm and sort": 1},
                  "16-bit products", "vectors are in memory; faiss: the search, not the index"),
        "likelihood": ("likelihood ranks", likelihood, {"": {"every entity in one tree": 1000}, "tokens": {"every entity, one by one": 100_000}},
                       "the queries' own prompts", "plumb: the whole process, 320 queries of the test set; every entity: one query, only scoring"),
        "sampling": ("BELIEF-ICL", sampling, {"transformers, 100 samples": 8, "transformers, batch of 16": 3}, product,
                     "only generation; transformers samples every fourth prompt"),
        "calibration": ("calibration, 16 models", script(["benchmarks/calibration_of_many_models.sh", 1, 16, setup.rounds],
                                                         {"": {"scikit-learn, all facts": rf"ratio: {SPREAD}",
                                                               "scikit-learn, with groups": rf"ratio, all groups: {SPREAD}"}}, 5),
                        {"scikit-learn, with groups": 10}, "the bootstrap",
                        "numpy and scikit-learn, extrapolated from one model, compute 5 of plumb's 14 metrics"),
        "masked": ("masked, BERT-base's size", script(["benchmarks/huggingface_against_lm_pub_quiz.sh", "bert-base", setup.rounds, setup.bear, "original"],
                                                      {"": {"lm-pub-quiz": rf"ratio, whole process: {SPREAD}"}}, 14), {"lm-pub-quiz": 2.5}, product,
                   "plumb: the whole process; lm-pub-quiz: only scoring"),
        "start": ("one fact", start, {"lm-pub-quiz": 1}, "reading the weights", "whole processes"),
        "servers": ("server", servers, {"vLLM": {"lm-pub-quiz, vLLM's torch": 1}, "llama-server": {}},
                    "the server", "only scoring, after the connection"),
        "growth": ("how time grows", growth, {}, "nothing worse than linear", "whole jobs without their start-up, on a tiny model"),
        "bear": ("all of BEAR, template 0", all_of_bear, {}, product, "the whole process, once"),
    }


# ----------------------------------------------------------------------------------------------- table

def flags_of_processor():
    found = re.search(r"flags\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return set(found[1].split()) if found else set()


def machine():
    name = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    widths = [flag for flag in ("avx2", "avx512f", "avx512_bf16", "amx_bf16") if flag in flags_of_processor()]
    memory = int(re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text())[1]) / 1e6
    return f"{name[1].strip() if name else platform.machine()}, {os.cpu_count()} cores ({', '.join(widths)}), {memory:.0f} GB"


def versions(setup):
    found = [run([setup.plumb, "--version"]).stdout.strip().splitlines()[0]]
    for name in ("torch", "transformers", "lm-pub-quiz", "faiss-cpu", "scikit-learn"):
        try:
            from importlib.metadata import version
            found.append(f"{name} {version(name)}")
        except Exception:
            pass
    return found


def lines_of(record):
    """Each line of a row: job, other program, aim, unit, and the median ratio, its limit, the range of another run's and both
    median rates, or why the program is missing."""
    for part, made in record["parts"].items():
        line = {"job": record["job"] + (f", {part}" if part else ""), "unit": made["unit"]}
        ours = made["rates"].get("plumb", [])
        aims = record["aims"].get(part) if isinstance(record["aims"].get(part), dict) else record["aims"]
        for name, reason in made["missing"].items():
            yield {**line, "beside": name, "aim": aims.get(name), "missing": reason}
        for name, ratios in made["ratios"].items():
            yield {**line, "beside": name, "aim": aims.get(name), "ratio": statistics.median(ratios), "range": range_of_another_run(ratios),
                   "limit": made.get("limits", {}).get(name)}
        for name, theirs in made["rates"].items():
            if name == "plumb" or name.endswith("model alone") or not ours:
                continue
            ratios = [a / b for a, b in zip(ours, theirs)]
            yield {**line, "beside": name, "aim": aims.get(name), "ratio": statistics.median(ratios), "range": range_of_another_run(ratios),
                   "limit": made.get("limits", {}).get(name), "ours": statistics.median(ours), "theirs": statistics.median(theirs)}


def range_of_another_run(ratios):
    """The lowest and highest ratio expected of another run on this machine with as many rounds (95%), or None for fewer than
    three rounds. The logarithms of the rounds' ratios are taken as normal, and two runs as equal but for their rounds: the
    medians of two runs of n rounds with standard deviation s then differ with a standard error of about s sqrt(pi / n)."""
    if len(ratios) < 3:
        return None
    from scipy.stats import t
    logs = [math.log(ratio) for ratio in ratios]
    half = t.ppf(0.975, len(logs) - 1) * statistics.stdev(logs) * math.sqrt(math.pi / len(logs))
    middle = statistics.median(logs)
    return math.exp(middle - half), math.exp(middle + half)


def shown(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def shown_range(bounds):
    return "" if bounds is None else f"{shown(bounds[0])}–{shown(bounds[1])}"


def print_table(records):
    print("\nRange: where the ratio of another run on this machine is expected (95%). Limit:")
    print("the ratio if plumb computed nothing but its matrix products (over vLLM: if only")
    print("vLLM's own computation took time).\n")
    print(f"{'job':24} {'compared with':26}{'ratio':>6}{'range':>10}{'limit':>6} aim")
    print("─" * 80)
    for record in records:
        for line in lines_of(record):
            head = f"{line['job'][:24]:24} {line['beside'][:26]:26}"
            if "missing" in line:
                print(head + " not available")
                continue
            aim = line["aim"]
            said = "" if aim is None else f"{aim:g}" + ("" if line["ratio"] >= aim else " no")
            limit = "" if line["limit"] is None else shown(line["limit"])
            print(f"{head}{shown(line['ratio']):>6}{shown_range(line['range']):>10}{limit:>6} {said}".rstrip())
    for record in records:
        if not list(lines_of(record)):
            print(f"\n{record['job']}:")
            for note in (note for made in record["parts"].values() for note in made["notes"]):
                print("\n".join(textwrap.wrap(note, 78, initial_indent="  ", subsequent_indent="    ")))


def print_comparison(earlier, records):
    """The ratios of two runs, and whether those of the second are within the ranges of the first."""
    before = {(line["job"], line["beside"]): line for record in earlier for line in lines_of(record) if "ratio" in line}
    machines = [sorted({record["machine"] for record in one}) for one in (earlier, records)]
    if machines[0] != machines[1]:
        said = f"The runs are from different machines: {'; '.join(machines[0])} and {'; '.join(machines[1])}. A range applies only to its own machine."
        print("\n" + textwrap.fill(said, 80))
    print("\nRange: where the first run expects the ratio of another run (95%).\n")
    print(f"{'job':24} {'compared with':26}{'first':>6}{'range':>10}{'second':>7}")
    print("─" * 80)
    counted = within = 0
    for line in (line for record in records for line in lines_of(record)):
        first = before.get((line["job"], line["beside"]))
        if first is None or "ratio" not in line:
            continue
        inside = ""
        if first["range"] is not None:
            counted += 1
            low, high, ratio = (float(shown(value)) for value in (*first["range"], line["ratio"]))  # as the table states them
            is_within = low <= ratio <= high
            within += is_within
            inside = "" if is_within else " no"
        print(f"{line['job'][:24]:24} {line['beside'][:26]:26}{shown(first['ratio']):>6}{shown_range(first['range']):>10}{shown(line['ratio']):>7}{inside}")
    print(f"\n{within} of {counted} ratios of the second run are within the first run's range")


PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>plumb: speed</title><style>
:root{{color-scheme:light dark}}body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}
.wide{{overflow-x:auto}}table{{border-collapse:collapse;width:100%}}th,td{{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8886;vertical-align:top}}
td.n,th.n{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}.missed{{color:#b3261e}}@media(prefers-color-scheme:dark){{.missed{{color:#ff8a80}}}}
ul{{padding-left:1.2rem}}</style><h1>Speed compared with other programs</h1>
<p>A ratio is plumb's rate divided by the other program's in the same round: the table has its median and the range in which the
ratio of another run on the same machine is expected (95%). The limit is the ratio if plumb computed nothing but its matrix
products, or, over vLLM, if only vLLM's own computation took time. Every program has two threads. {machine}. {versions}.</p><div class="wide"><table><thead><tr><th>job</th><th>compared with</th><th class="n">ratio</th><th class="n">range</th><th class="n">limit</th><th class="n">aim</th>
<th class="n">plumb</th><th class="n">the other</th><th>unit</th></tr></thead><tbody>{rows}</tbody></table></div><h2>Notes</h2>{notes}</html>"""


def write_page(file, records):
    rows, notes = "", ""
    for record in records:
        for line in lines_of(record):
            cells = f"<td>{html.escape(line['job'])}</td><td>{html.escape(line['beside'])}</td>"
            if "missing" in line:
                rows += f"<tr>{cells}<td colspan=7>not available: {html.escape(line['missing'])}</td></tr>"
                continue
            aim = line["aim"]
            missed = aim is not None and line["ratio"] < aim
            rates = "".join(f"<td class='n'>{line[key]:.4g}</td>" if key in line else "<td></td>" for key in ("ours", "theirs"))
            rows += (f"<tr>{cells}<td class='n'><b>{shown(line['ratio'])}</b></td><td class='n'>{shown_range(line['range'])}</td>"
                     f"<td class='n'>{'' if line['limit'] is None else shown(line['limit'])}</td>"
                     f"<td class='n{' missed' if missed else ''}'>{'' if aim is None else f'{aim:g}'}{' missed' if missed else ''}</td>"
                     f"{rates}<td>{html.escape(line['unit'])}</td></tr>")
        said = [note for made in record["parts"].values() for note in made["notes"]]
        notes += (f"<p><b>{html.escape(record['job'])}</b>. Timed: {html.escape(record['timed'])}. Limited by {html.escape(record['limit'])}. "
                  f"{html.escape(record['date'])}.</p><ul>" + "".join(f"<li>{html.escape(note)}</li>" for note in said) + "</ul>")
    seen = list(dict.fromkeys(record["machine"] for record in records))
    used = list(dict.fromkeys(one for record in records for one in record["versions"]))
    file.write_text(PAGE.format(machine=html.escape("; ".join(seen)), versions=html.escape(", ".join(used)), rows=rows, notes=notes), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    for name in ("plumb", "model", "bear", "shared"):
        parser.add_argument("--" + name, required=True, type=pathlib.Path)
    parser.add_argument("--llama-tools", default="")
    parser.add_argument("--harness", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build" / "benchmarks")
    parser.add_argument("--compare", type=pathlib.Path, metavar="EARLIER")
    parser.add_argument("names", nargs="*")
    words = parser.parse_args()
    setup = Setup(words)
    rows = rows_of(setup)
    if unknown := [name for name in words.names if name not in rows]:
        print(f"benchmarks/run.sh: '{unknown[0]}' is not a row; use one of {', '.join(rows)}", file=sys.stderr)
        return 2
    folder = words.results
    if words.compare is not None:
        if absent := [where for where in (words.compare, folder) if not where.is_dir()]:
            print(f"benchmarks/run.sh: {absent[0]} is not a folder of measurements; name the --results of a run", file=sys.stderr)
            return 2
        earlier, records = ([json.loads(file.read_text()) for file in (where / f"{name}.json" for name in rows) if file.exists()]
                            for where in (words.compare, folder))
        print_comparison(earlier, records)
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    records = []
    for name, (job, measure, aims, limit, timed) in rows.items():
        file = folder / f"{name}.json"
        if name in words.names or (not words.names and not file.exists()):
            print(f"\n== {name}: {job}", flush=True)
            began = time.monotonic()
            try:
                made = measure(setup)
            except (Missing, OSError, subprocess.CalledProcessError) as reason:  # nothing is stored, so the next run tries it again
                print(f"    not measured: {reason}", file=sys.stderr)
                continue
            parts = made if isinstance(made, dict) else {"": made}
            record = {"name": name, "job": job, "aims": aims, "limit": limit, "timed": timed, "machine": machine(), "versions": versions(setup),
                      "date": datetime.date.today().isoformat(), "minutes": round((time.monotonic() - began) / 60, 1),
                      "parts": {part: one.json() for part, one in parts.items()}}
            file.with_suffix(".part").write_text(json.dumps(record, indent=1, ensure_ascii=False))
            file.with_suffix(".part").rename(file)
        if file.exists():
            records.append(json.loads(file.read_text()))
    print_table(records)
    write_page(folder / "table.html", records)
    print(f"\npage: {folder / 'table.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
