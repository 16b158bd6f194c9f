# SPDX-License-Identifier: Apache-2.0
"""Every kind of decoder from its own folder: how far its scores are from transformers', and its speed compared with
transformers and llama.cpp. Called by architectures.sh; tests/system/test_architectures.py uses its comparison.

A model of each kind (tests/support/decoder_kinds.py) gets random weights and is written to a folder. The
log-probabilities of the whole vocabulary are compared after each token of a sequence that fills the context, so that
windows, rotary scaling and caps matter, and of shorter sequences. llama.cpp gets the same weights as an F32 GGUF file if
the conversion needs only the mapping of names in PyPI's `gguf`.
"""
import argparse
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import torch
import transformers

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "support"))
import decoder_kinds  # noqa: E402

# SmolLM2-135M's layers, but only four of them.
LARGE = decoder_kinds.Shape(vocabulary=8192, hidden=576, layers=4, heads=9, key_heads=3, head_apart=80, inner=1536,
                            positions=256, window=64, base=10000.0, odd_hidden=576, odd_heads=9)
# Only for comparisons.
MEDIUM = decoder_kinds.Shape(vocabulary=257, hidden=48, layers=3, heads=4, key_heads=2, head_apart=20, inner=80,
                             positions=256, window=48, base=10000.0, odd_hidden=48, odd_heads=6)


def randomize(model, seed):
    """Weights as large as trained ones: products keep the size of their rows, so that logits differ by a few nats."""
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        if parameter.dim() == 1:  # norms and biases, near their initial values
            parameter.data = parameter.data + 0.1 * noise
        else:
            parameter.data = noise / parameter.shape[-1] ** 0.5
    model.tie_weights()
    return model.eval()


def kinds_of(shape):
    return [*decoder_kinds.early_kinds(shape), *decoder_kinds.decoder_kinds(shape)]


def write(kind, folder, seed=1):
    """Writes a kind's folder; returns the model with the stored numbers."""
    model = randomize(kind.make(), seed)
    if kind.dtype:
        for parameter in model.parameters():
            parameter.data = parameter.data.to(kind.dtype).to(torch.float32)
        model.tie_weights()
    stored = kind.make().to(kind.dtype) if kind.dtype else model
    if kind.dtype:
        stored.load_state_dict(model.state_dict())
        stored.tie_weights()
    stored.save_pretrained(folder)
    kind.spell(folder)
    return model


def sequences_of(shape, count, length, seed=1):
    numbers = random.Random(seed)
    firsts = numbers.sample(range(shape.vocabulary), count)
    return [[first] + [numbers.randrange(shape.vocabulary) for _ in range(length - 1)] for first in firsts]


def lines_of(sequences):
    return "".join(" ".join(map(str, sequence)) + "\n" for sequence in sequences)


def log_softmax(logits):
    logits = logits.astype(numpy.float64)
    logits -= logits.max(axis=-1, keepdims=True)
    return logits - numpy.log(numpy.exp(logits).sum(axis=-1, keepdims=True))


def worst_difference(program, model, folder, shape):
    """Nats, over the vocabulary after each token of a sequence that fills the context and of two shorter ones."""
    whole = sequences_of(shape, 1, shape.positions)[0]
    sequences = [whole, [(whole[0] + 1) % shape.vocabulary] + whole[1:shape.positions // 2],
                 [(whole[0] + 2) % shape.vocabulary, 3]]
    done = subprocess.run([program, folder], input=lines_of(sequences).encode(), capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode().strip())
    found = log_softmax(numpy.frombuffer(done.stdout, dtype=numpy.float32).reshape(-1, shape.vocabulary))
    with torch.no_grad():
        expected = numpy.concatenate([log_softmax(model(input_ids=torch.tensor([sequence])).logits[0].numpy())
                                      for sequence in sequences])
    return float(numpy.abs(found - expected).max())


def rate_of_program(program, model, text, seconds, threads):
    done = subprocess.run([program, model, str(seconds), str(threads)], input=text.encode(), capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode().strip())
    return float(done.stdout)


def rate_of_transformers(model, sequences, seconds):
    ids = torch.tensor(sequences)
    rates = []
    with torch.no_grad():
        model(input_ids=ids)
        start = time.monotonic()
        while not rates or time.monotonic() - start < seconds:
            begin = time.monotonic()
            model(input_ids=ids)
            rates.append(ids.numel() / (time.monotonic() - begin))
    return statistics.median(rates)


# llama.cpp's architecture by kind, if it then computes the same (it does not support Mistral's or Qwen 2's windows).
LLAMA_CPP = {"llama": "LLAMA", "qwen3": "QWEN3", "gemma": "GEMMA", "olmo2": "OLMO2", "stablelm": "STABLELM"}


def write_gguf(kind, model, file):
    """The same weights for llama.cpp in F32, without a tokenizer; False if no plain mapping of names gives them."""
    import gguf
    name = LLAMA_CPP.get(kind.name)
    if not name:
        return False
    config = model.config
    architecture = gguf.MODEL_ARCH[name]
    writer = gguf.GGUFWriter(file, gguf.MODEL_ARCH_NAMES[architecture])
    head_size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    rope = config.rope_parameters
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(head_size)
    writer.add_value_length(head_size)
    writer.add_rope_freq_base(rope["rope_theta"])
    writer.add_rope_dimension_count(int(head_size * rope.get("partial_rotary_factor", 1)))
    if hasattr(config, "rms_norm_eps"):
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    if hasattr(config, "layer_norm_eps"):
        writer.add_layer_norm_eps(config.layer_norm_eps)
    if name == "STABLELM":
        writer.add_parallel_residual(config.use_parallel_residual)
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("none")
    names = gguf.get_tensor_name_map(architecture, config.num_hidden_layers)
    for key, tensor in model.state_dict().items():
        if key == "lm_head.weight" and config.tie_word_embeddings:
            continue
        if name == "LLAMA" and ("q_proj" in key or "k_proj" in key):  # llama.cpp rotates neighbours, not halves
            heads = config.num_attention_heads if "q_proj" in key else config.num_key_value_heads
            tensor = tensor.reshape(heads, 2, tensor.shape[0] // heads // 2, *tensor.shape[1:]).swapaxes(1, 2).reshape(
                tensor.shape)
        if name == "GEMMA" and key.endswith("norm.weight"):
            tensor = tensor + 1
        writer.add_tensor(names.get_name(key, try_suffixes=(".weight", ".bias")), tensor.contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return True


def cell(value, form):
    return "–" if value is None else format(value, form)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--kinds", default="", help="names of kinds, separated by commas; all by default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds of one measurement; 0 only compares")
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    chosen = [name for name in asked.kinds.split(",") if name]
    print(f"random weights of {LARGE.layers} layers of {LARGE.hidden}, F32; 16 sequences of 64 tokens, all logits; "
          f"{asked.threads} thread(s), median of {asked.rounds} interleaved rounds")
    print(f"torch {torch.__version__}, transformers {transformers.__version__}, torch's vectors: "
          f"{torch.backends.cpu.get_cpu_capability()}\n")
    print("| model type | kind | worst nats | tokens/s | transformers | ratio | llama.cpp | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    compared = sequences_of(LARGE, 16, 64, seed=2)
    for kind in kinds_of(LARGE):
        if chosen and kind.name not in chosen:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "model"
            model = write(kind, folder)
            worst = worst_difference(asked.program, model, folder, LARGE)
            file = pathlib.Path(scratch) / "model.gguf"
            has_gguf = write_gguf(kind, model, file)
            own, torch_rates, llama = [], [], []
            for _ in range(asked.rounds if asked.seconds else 0):
                own.append(rate_of_program(asked.program, folder, lines_of(compared), asked.seconds, asked.threads))
                torch_rates.append(rate_of_transformers(model, compared, asked.seconds))
                if has_gguf:
                    llama.append(rate_of_program(asked.program, file, lines_of(compared), asked.seconds, asked.threads))
            rate, other, third = (statistics.median(rates) if rates else None for rates in (own, torch_rates, llama))
            print(f"| {kind.model_type} | {kind.name} | {worst:.1e} | {cell(rate, '.0f')} | {cell(other, '.0f')} | "
                  f"{cell(other and rate / other, '.2f')} | {cell(third, '.0f')} | {cell(third and rate / third, '.2f')} |",
                  flush=True)


if __name__ == "__main__":
    main()
