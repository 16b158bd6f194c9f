# SPDX-License-Identifier: Apache-2.0
"""Writes a folder of random weights in Llama 3.2 1B's shape, in BF16 and in three shards, with another folder's tokenizer.

    folder_loading.py FOLDER TOKENIZER_FOLDER
"""
import json
import pathlib
import random
import shutil
import struct
import sys

HIDDEN, INNER, LAYERS, HEADS, KEY_HEADS, SIZE, VOCABULARY = 2048, 8192, 16, 32, 8, 64, 128256
CONFIG = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": VOCABULARY, "hidden_size": HIDDEN,
          "intermediate_size": INNER, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": KEY_HEADS,
          "head_dim": SIZE, "max_position_embeddings": 4096, "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "hidden_act": "silu",
          "tie_word_embeddings": True}


def shapes():
    yield "model.embed_tokens.weight", (VOCABULARY, HIDDEN)
    for layer in range(LAYERS):
        lead = f"model.layers.{layer}."
        for name, shape in {"self_attn.q_proj": (HEADS * SIZE, HIDDEN), "self_attn.k_proj": (KEY_HEADS * SIZE, HIDDEN),
                            "self_attn.v_proj": (KEY_HEADS * SIZE, HIDDEN), "self_attn.o_proj": (HIDDEN, HEADS * SIZE),
                            "mlp.gate_proj": (INNER, HIDDEN), "mlp.up_proj": (INNER, HIDDEN), "mlp.down_proj": (HIDDEN, INNER),
                            "input_layernorm": (HIDDEN,), "post_attention_layernorm": (HIDDEN,)}.items():
            yield lead + name + ".weight", shape
    yield "model.norm.weight", (HIDDEN,)


def main(folder, tokenizer):
    folder.mkdir(parents=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(tokenizer / name, folder / name)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    # Numbers around 0.02, with random signs and last bits. One block is repeated: for a speed test this is random
    # enough.
    drawn = random.Random(1)
    block = b"".join(struct.pack("<H", drawn.choice((0, 0x8000)) | 0x3C00 | drawn.randrange(256)) for _ in range(1 << 20))
    tensors, places = list(shapes()), {}
    parts = [tensors[0::3], tensors[1::3], tensors[2::3]]
    for number, part in enumerate(parts, 1):
        name, header, end = f"model-{number:05}-of-00003.safetensors", {}, 0
        for tensor, shape in part:
            size = 2 * (shape[0] * shape[1] if len(shape) == 2 else shape[0])
            header[tensor] = {"dtype": "BF16", "shape": shape, "data_offsets": [end, end + size]}
            end += size
            places[tensor] = name
        text = json.dumps(header).encode()
        with open(folder / name, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            while end > 0:
                end -= file.write(block[:min(end, len(block))])
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:3]))
