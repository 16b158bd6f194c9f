# SPDX-License-Identifier: Apache-2.0
"""Compares the scores that gpu.sh wrote, and measures how fast transformers scores the same statements.

    gpu.py compare REFERENCE SCORES...                   differences in nats, by statement
    gpu.py transformers 1B|7B|tiny TOKENS.json SECONDS cpu|gpu
"""

import json
import math
import pathlib
import sys
import time

SHAPES = {"tiny": (128, 256, 2, 4, 2), "1B": (2048, 8192, 16, 32, 8), "7B": (4096, 11008, 32, 32, 32)}


def compare(reference, *others):
    expected = [float(line) for line in pathlib.Path(reference).read_text().split()]
    for other in others:
        if other == reference:
            continue
        apart = [abs(a - float(b)) for a, b in zip(expected, pathlib.Path(other).read_text().split(), strict=True)]
        worst = max(apart, key=lambda nats: (math.isnan(nats), nats))
        print(f"{pathlib.Path(other).name:24} against {pathlib.Path(reference).name}: mean {sum(apart) / len(apart):.6f}, "
              f"worst {worst:.6f} nats of {len(apart)} statements")


def transformers_rate(shape, tokens, seconds, device):
    """Statements per second, each scored from its first token on, sorted by length so that there is little padding."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
    statements = sorted(json.loads(pathlib.Path(tokens).read_text()), key=len)
    width, inner, layers, heads, kv_heads = SHAPES[shape]
    vocabulary = 32_000 if shape == "7B" else 128_256
    where = "cuda" if device == "gpu" else "cpu"
    config = LlamaConfig(vocab_size=vocabulary, hidden_size=width, intermediate_size=inner, num_hidden_layers=layers,
                         num_attention_heads=heads, num_key_value_heads=kv_heads, tie_word_embeddings=shape != "7B")
    for number, name in ((torch.bfloat16, "BF16"), (torch.float32, "F32")):
        torch.manual_seed(0)
        with torch.device(where):
            model = LlamaForCausalLM(config).to(number).eval()
        best = (0.0, 0)
        for batch in (16, 64, 256, 1024):
            begins = list(range(0, len(statements), batch))
            begins = begins[:: max(1, len(begins) // 64)]  # of all lengths
            scored, start = 0, None
            try:
                for i, begin in enumerate(begins * 1000):
                    if i == 2:
                        scored, start = 0, time.perf_counter()
                    scored += score_batch(torch, model, statements[begin:begin + batch], where)
                    if start is not None and time.perf_counter() - start > seconds:
                        break
            except torch.cuda.OutOfMemoryError:
                break
            if start is None:
                continue
            rate = scored / (time.perf_counter() - start)
            print(f"  {name}, {batch} statements per batch: {rate:.0f} statements/s")
            best = max(best, (rate, batch))
        memory = torch.cuda.max_memory_allocated() / 1e9 if where == "cuda" else 0
        print(f"{name}: {best[0]:.0f} statements/s at best, {best[1]} per batch; {memory:.1f} GB of the card")
        del model
        if where == "cuda":
            torch.cuda.empty_cache()


def score_batch(torch, model, batch, where):
    longest = max(map(len, batch))
    ids = torch.tensor([one + [0] * (longest - len(one)) for one in batch], device=where)
    mask = torch.tensor([[1] * len(one) + [0] * (longest - len(one)) for one in batch], device=where)
    with torch.inference_mode():
        rows = model(input_ids=ids, attention_mask=mask, use_cache=False).logits[:, :-1].float()
        chosen = torch.gather(rows, 2, ids[:, 1:, None]).squeeze(2) - torch.logsumexp(rows, 2)
        (chosen * mask[:, 1:]).sum(1).cpu()
    return len(batch)


if __name__ == "__main__":
    {"compare": compare, "transformers": lambda shape, tokens, seconds, device:
     transformers_rate(shape, tokens, float(seconds), device)}[sys.argv[1]](*sys.argv[2:])
