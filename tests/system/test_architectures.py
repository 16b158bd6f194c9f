# SPDX-License-Identifier: Apache-2.0
"""Every kind of decoder from its own folder beside transformers, over sequences that fill the context."""
import json
import pathlib
import subprocess
import unittest

import command

PROGRAMS = "sequence_logits"

COMPARE = """
import json, pathlib, sys, tempfile
import torch, transformers
sys.path.insert(0, sys.argv[1])
import architectures as a
import decoder_kinds
def worst(kind, change=None):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "model"
        model = a.write(kind, folder)
        if change:
            stored = json.loads((folder / "config.json").read_text())
            (folder / "config.json").write_text(json.dumps(stored | change))
        return a.worst_difference(sys.argv[2], model, folder, a.MEDIUM)
kinds = {kind.name: kind for kind in decoder_kinds.decoder_kinds(a.MEDIUM)}
for name, kind in kinds.items():
    print("RESULT " + json.dumps([name, worst(kind)]), flush=True)
def varied(kind, change):
    # transformers reads the changed folder too: it says what each field means, or that it means nothing.
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "model"
        a.write(kind, folder)
        stored = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({name: value for name, value in {**stored, **change}.items() if value != "absent"}))
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
        return a.worst_difference(sys.argv[2], model.eval(), folder, a.MEDIUM)
for name, change in json.loads(sys.argv[3]):
    print("RESULT " + json.dumps([f"{name} with {json.dumps(change)}", varied(kinds[name], change)]), flush=True)
print("RESULT " + json.dumps(["a window one shorter", worst(kinds["mistral"], {"sliding_window": a.MEDIUM.window - 1})]))
"""


TURNS = ["full_attention", "sliding_attention", "full_attention"]
# Fields that contradict others, that have an older spelling, or that an architecture reads and does not use.
VARIED = [
    ("gemma3", {"attn_logit_softcapping": 2.0}),
    ("gemma3", {"layer_types": "absent", "_sliding_window_pattern": 2, "sliding_window_pattern": "absent"}),
    ("gemma3", {"rope_parameters": "absent", "rope_scaling": {"type": "linear", "factor": 3.0}}),
    ("gemma3", {"rope_parameters": "absent", "rope_scaling": {"rope_type": "linear", "factor": 3.0}}),
    ("gemma3", {"original_max_position_embeddings": 32, "rope_parameters": {
        "full_attention": {"rope_type": "yarn", "factor": 4.0, "rope_theta": 10000.0, "truncate": False},
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}}),
    ("gemma", {"hidden_act": "silu", "hidden_activation": "gelu_pytorch_tanh"}),
    ("gemma", {"hidden_act": "gelu", "hidden_activation": "relu"}),
    ("phi3", {"layer_types": TURNS}),
    ("mixtral", {"layer_types": TURNS, "sliding_window": 5}),
    ("mistral", {"layer_types": TURNS, "sliding_window": 5}),
    ("mistral", {"attention_bias": True}),
]


def python_with_transformers():
    """A Python that has torch and transformers: the tests' peer, or that of the benchmarks."""
    whole = sorted(pathlib.Path.home().glob(".cache/plumb/lm-pub-quiz-*-full/bin/python"))
    for python in [command.PEER, *whole]:
        if python and subprocess.run([python, "-c", "import torch, transformers"], capture_output=True).returncode == 0:
            return python
    return None


class AgainstTransformers(unittest.TestCase):
    def test_all_kinds_agree_over_whole_contexts(self):
        python = python_with_transformers()
        if not python:
            self.skipTest("skipped: no Python with torch and transformers (benchmarks/architectures.sh sets one up)")
        done = subprocess.run([python, "-c", COMPARE, command.ROOT / "benchmarks", command.BUILD / "sequence_logits",
                               json.dumps(VARIED)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        found = dict(json.loads(line[7:]) for line in done.stdout.splitlines() if line.startswith("RESULT "))
        self.assertGreater(found.pop("a window one shorter"), 1e-2)
        self.assertGreater(len(found), 36 + len(VARIED))
        self.assertEqual({}, {name: worst for name, worst in found.items() if not worst < 1e-4})
