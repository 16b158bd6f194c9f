# SPDX-License-Identifier: Apache-2.0
"""Times of two jobs through a llama-server with several flags: PLUMB MODEL BEAR. Prints a Markdown table.

The short job has 330 statements of BEAR. The long one has 20 choices after 50 shots, for one fact and two seeds.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests" / "system"))
import local_servers  # noqa: E402

plumb, model, bear = sys.argv[1:]
SHORT = ("probe", "--data", bear, "--relations", "P30,P36", "--limit", "5")
LONG = ("many-shot", "--data", ROOT / "examples" / "facts", "--relations", "birth-year", "--shots", "50", "--limit", "1", "--choices", "20", "--seeds", "2")


def run(words, *where):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([plumb, *map(str, words), "--threads", "2", "--out", f"{folder}/run", *map(str, where)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
        return json.loads(pathlib.Path(folder, "run", "run.json").read_text())


def cells(records, tokens):
    return "".join(f" {tokens(record)} | {record['seconds_model']:.1f} |" for record in records)


print("| flags | short: tokens computed | seconds | long: tokens computed | seconds |\n|---|---|---|---|---|")
for slots, fast in ((4, []), (16, []), (16, ["-kvu"]), (4, local_servers.FAST), (16, local_servers.FAST), (32, local_servers.FAST)):
    with local_servers.LlamaServer(model, "-t", "2", *fast, slots=slots, context=1200, waits_actively=True) as server:
        records = [run(words, "--server", server.url, "--tokenizer", model) for words in (SHORT, LONG)]
    flags = " ".join(["-np", str(slots), *fast])
    print(f"| `{flags}` |" + cells(records, lambda record: record["server"]["tokens_computed"]), flush=True)
records = [run(words, "--model", model, "--engine", "llama") for words in (SHORT, LONG)]
print("| no server: the same llama.cpp in plumb's process |" + cells(records, lambda record: record["tokens_fed"]))
