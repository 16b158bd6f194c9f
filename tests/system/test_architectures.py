# SPDX-License-Identifier: Apache-2.0
"""Compares every kind of decoder from its own folder with transformers, over sequences that fill the context."""
import json
import pathlib
import subprocess
import unittest

import command

PROGRAMS = "sequence_logits"

COMPARE = """
import json, pathlib, sys, tempfile
import safetensors.numpy
import torch, transformers
sys.path.insert(0, sys.argv[1])
import architectures as a
def worst(kind, change=None):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "model"
        model = a.write(kind, folder)
        if change:
            stored = json.loads((folder / "config.json").read_text())
            (folder / "config.json").write_text(json.dumps(stored | change))
        return a.worst_difference(sys.argv[2], model, folder, a.MEDIUM)
kinds = {kind.name: kind for kind in a.kinds_of(a.MEDIUM)}
for name, kind in kinds.items():
    print("RESULT " + json.dumps([name, worst(kind)]), flush=True)
def varied(kind, change):
    # transformers reads the changed folder too: it defines the meaning of each field, or ignores it.
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "model"
        a.write(kind, folder)
        stored = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({name: value for name, value in {**stored, **change}.items() if value != "absent"}))
        attention = {} if kind.model_type == "falcon" else {"attn_implementation": "eager"}  # as in Kind.make
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **attention)
        return a.worst_difference(sys.argv[2], model.eval(), folder, a.MEDIUM)
for name, change in json.loads(sys.argv[3]):
    print("RESULT " + json.dumps([f"{name} with {json.dumps(change)}", varied(kinds[name], change)]), flush=True)
def fused():
    # All experts of a layer in two tensors, as in transformers 5.
    with tempfile.TemporaryDirectory() as scratch:
        model = a.randomize(kinds["mixtral"].make(), 1)
        model.save_pretrained(scratch, save_original_format=False)
        assert not any("block_sparse_moe" in name for name in safetensors.numpy.load_file(scratch + "/model.safetensors"))
        return a.worst_difference(sys.argv[2], model, scratch, a.MEDIUM)
def wrapped():
    # transformers' model of texts and images does not cap its logits.
    with tempfile.TemporaryDirectory() as scratch:
        text = kinds["gemma3"].fields | {"final_logit_softcapping": 0.5, "tie_word_embeddings": True}
        sees = dict(hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, image_size=28, patch_size=14)
        config = transformers.Gemma3Config(text_config=text, vision_config=sees, mm_tokens_per_image=4, attn_implementation="eager",
                                           image_token_index=5, boi_token_index=6, eoi_token_index=7)
        model = a.randomize(transformers.Gemma3ForConditionalGeneration(config), 1)
        model.save_pretrained(scratch)
        return a.worst_difference(sys.argv[2], model, scratch, a.MEDIUM)
print("RESULT " + json.dumps(["fused experts", fused()]))
print("RESULT " + json.dumps(["a wrapped model with a cap", wrapped()]))
print("RESULT " + json.dumps(["a window one shorter", worst(kinds["mistral"], {"sliding_window": a.MEDIUM.window - 1})]))
"""


STRETCHED = [1.0, 1.2, 1.3, 1.5, 2.0, 2.5]
TURNS = ["full_attention", "sliding_attention", "full_attention"]
# Fields that contradict others, that have an older spelling, or that an architecture reads but does not use.
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
    ("phi3", {"rope_parameters": "absent", "rope_theta": 100.0, "original_max_position_embeddings": 256,
              "max_position_embeddings": 1024, "rope_scaling": {"type": "yarn", "short_factor": STRETCHED, "long_factor": STRETCHED}}),
    ("phi3", {"max_position_embeddings": 1024, "rope_parameters": {
        "rope_type": "longrope", "rope_theta": 100.0, "original_max_position_embeddings": 256, "short_factor": STRETCHED,
        "long_factor": STRETCHED}}),
    ("llama", {"rope_parameters": {"rope_type": "yarn", "rope_theta": 100.0, "factor": 4.0, "truncate": None,
                                   "original_max_position_embeddings": 128}}),
    ("falcon-alibi", {"parallel_attn": None}),
    ("bloom", {"slow_but_exact": True}),
    # Different names of fields, and absent ones.
    ("gpt2", {"n_embd": "absent", "n_layer": "absent", "n_head": "absent", "n_positions": "absent", "hidden_size": 48,
              "num_hidden_layers": 3, "num_attention_heads": 4, "max_position_embeddings": 256}),
    ("gptj", {"n_embd": "absent", "hidden_size": 48}),
    ("gpt-neo", {"num_layers": "absent", "num_hidden_layers": 3}),
    ("gpt-bigcode", {"n_head": "absent", "num_attention_heads": 4}),
    ("bloom", {"hidden_size": "absent", "n_embed": 48, "n_layer": "absent", "num_hidden_layers": 3}),
    ("mpt", {"d_model": "absent", "hidden_size": 48}),
    ("mixtral", {"num_local_experts": "absent", "num_experts": 3}),
    ("llama", {"max_position_embeddings": "absent"}),
    ("qwen2", {"max_position_embeddings": "absent"}),
    ("gpt-neox", {"num_key_value_heads": 2, "head_dim": 8}),
]


def python_with_transformers():
    """A Python with torch and transformers: the tests' peer, or the benchmarks' peer."""
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
        self.assertGreater(len(found), 40 + len(VARIED))
        self.assertEqual({}, {name: worst for name, worst in found.items() if not worst < 1e-4})
