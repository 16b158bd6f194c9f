# SPDX-License-Identifier: Apache-2.0
"""Time of 330 statements of BEAR through a llama-server with several flags: PLUMB MODEL BEAR. Prints a Markdown table."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "system"))
import local_servers  # noqa: E402

plumb, model, bear = sys.argv[1:]


def run(*words):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([plumb, "probe", "--data", bear, "--relations", "P30,P36", "--limit", "5", "--threads", "2", "--out", f"{folder}/run",
                        *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
        return json.loads(pathlib.Path(folder, "run", "run.json").read_text())


print("| flags and `--concurrency` | requests | tokens computed by the server | seconds |\n|---|---|---|---|")
for slots, fast in ((4, []), (16, []), (16, ["-kvu"]), (4, local_servers.FAST), (8, local_servers.FAST), (16, local_servers.FAST), (32, local_servers.FAST)):
    with local_servers.LlamaServer(model, "-t", "2", slots=slots, fast=fast) as server:
        record = run("--server", server.url, "--tokenizer", model, "--concurrency", slots)
    said = record["server"]
    flags = " ".join(["-np", str(slots), *fast])
    print(f"| `{flags}`, {slots} | {said['requests']} | {said['tokens_computed']} | {record['seconds_model']:.1f} |", flush=True)
record = run("--model", model, "--engine", "llama")
print(f"| no server: the same llama.cpp in plumb's process | | {record['tokens_fed']} | {record['seconds_model']:.1f} |")
