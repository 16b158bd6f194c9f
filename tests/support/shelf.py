# SPDX-License-Identifier: Apache-2.0
"""Writes a shelf of twenty small random models, causal and masked, and tables of them for `plumb --models`.

    python3 tests/support/shelf.py FOLDER FACTS

FOLDER then contains a Hugging Face folder for each model of FOLDERS, a .gguf file, and MODELS.csv, CAUSAL.csv and
MASKED.csv. Each folder has the form of a committed network (tests/support/huggingface/networks): its config.json and its
tensors' names, with a vocabulary of the words of FACTS, more positions and, in the larger ones, more layers. If a model of
the four papers has that form, the folder has its name, so that published tables have a row for it. Weights are drawn from
a seed, so the same files are written each time. Needs only Python's standard library.
"""
import array
import csv
import json
import math
import pathlib
import random
import re
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent / "huggingface"
VOCABULARY, POSITIONS, WINDOW = 37, 16, 4  # of the committed networks
MORE_POSITIONS, WIDER_WINDOW = 1024, 64
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
BERT_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
SIGNS = "!\"#$%&'()*+,-./0123456789:;<=>?@[\\]^_`{|}~"

# Name, family, network, layers (0: as many as the network has), tokenizer.
FOLDERS = [
    ("gpt2", "GPT-2", "gpt2", 0, "byte_level"),
    ("gpt2-medium", "GPT-2", "gpt2", 5, "byte_level"),
    ("opt-125m", "OPT", "opt", 0, "byte_level"),
    ("opt-350m", "OPT", "opt-norm-after", 5, "byte_level"),
    ("gemma-2b", "Gemma", "gemma", 0, "byte_level"),
    ("llama2-7b", "Llama", "llama", 0, "byte_level"),
    ("llama3-8b", "Llama", "llama-llama3", 5, "byte_level"),
    ("mistral-7b", "Mistral", "mistral", 0, "byte_level"),
    ("falcon-7b", "Falcon", "falcon-new", 0, "byte_level"),
    ("pythia-70m", "Pythia", "gpt-neox", 0, "byte_level"),
    ("phi3-mini", "Phi", "phi3", 0, "byte_level"),
    ("bert-base", "BERT", "bert", 0, "word_pieces"),
    ("bert-base-cased", "BERT", "bert", 0, "cased_word_pieces"),
    ("bert-large-cased", "BERT", "bert", 5, "cased_word_pieces"),
    ("albert-base", "ALBERT", "albert", 0, "pieces"),
    ("roberta-base", "RoBERTa", "roberta", 0, "masked_byte_level"),
    ("xlm-roberta-base", "RoBERTa", "xlm-roberta", 0, "masked_pieces"),
    ("modernbert", "ModernBERT", "modernbert", 0, "masked_byte_level"),
    ("deberta", "DeBERTa", "deberta-v3", 0, "pieces"),
]
GGUF = "tinyllama"


def words_of(facts):
    """The words of all templates, subjects and answers, the most frequent first; and the answers that are one word."""
    counts, answers = {}, set()

    def count(text):
        for word in re.findall(r"[^\W\d_]+|\d+", text):
            counts[word] = counts.get(word, 0) + 1

    for relation in json.loads((facts / "metadata_relations.json").read_text(encoding="utf-8")).values():
        for text in [*relation["templates"], *relation["answer_space_labels"]]:
            count(text)
        answers.update(text for text in relation["answer_space_labels"] if re.fullmatch(r"[^\W\d_]+|\d+", text))
    for file in sorted(facts.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            count(json.loads(line)["sub_label"])
    return sorted(counts, key=lambda word: (-counts[word], word)), sorted(answers)


def byte_letters():
    """GPT-2's letter for each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte if byte in plain else next(others)) for byte in range(256)]


LETTERS = byte_letters()


def spelled(text):
    return "".join(LETTERS[byte] for byte in text.encode())


def added(tokens, lstrip=()):
    return [dict(id=i, content=token, single_word=False, lstrip=token in lstrip, rstrip=False, normalized=False, special=True)
            for i, token in enumerate(tokens)]


def frame(before, after, tokens):
    """A post-processor that adds these tokens: one in front and, if given, one at the end."""
    pieces = [{"SpecialToken": {"id": before, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    pieces += [{"SpecialToken": {"id": after, "type_id": 0}}] if after else []
    return {"type": "TemplateProcessing", "single": pieces, "pair": [], "special_tokens": {
        name: {"id": name, "ids": [tokens.index(name)], "tokens": [name]} for name in (before, after) if name}}


def byte_level(words, answers, masked=False):
    """GPT-2's kind: a word with the space before it is one token, and so is an answer at the beginning of a text."""
    made = json.loads((HERE / "roberta" / "tokenizer.json").read_text(encoding="utf-8"))
    made["added_tokens"] = added(SPECIAL if masked else SPECIAL[:4], lstrip=("<mask>",))
    made["post_processor"] = frame("<s>", "</s>" if masked else None, SPECIAL)
    whole = dict.fromkeys([*(spelled(" " + word) for word in words), *map(spelled, answers)])
    tokens = dict.fromkeys([*SPECIAL, *LETTERS, *whole])
    made["model"].update(vocab={token: i for i, token in enumerate(tokens)}, merges=[], ignore_merges=True)
    return made, SPECIAL, len(tokens)


def masked_byte_level(words, answers):
    return byte_level(words, answers, masked=True)


def word_pieces(words, answers, cased=False):
    """BERT's kind: words, letters, and letters within a word."""
    made = json.loads((HERE / "bert-uncased" / "tokenizer.json").read_text(encoding="utf-8"))
    made["normalizer"].update(lowercase=not cased)
    spelled_words = dict.fromkeys(word if cased else word.lower() for word in [*words, *answers])
    letters = dict.fromkeys("".join(spelled_words) + SIGNS)
    tokens = dict.fromkeys([*BERT_SPECIAL, *letters, *(f"##{letter}" for letter in letters), *spelled_words])
    made["model"]["vocab"] = {token: i for i, token in enumerate(tokens)}
    return made, BERT_SPECIAL, len(tokens)


def cased_word_pieces(words, answers):
    return word_pieces(words, answers, cased=True)


def pieces(words, answers, special=BERT_SPECIAL, of="albert"):
    """SentencePiece's kind: words are more likely than letters."""
    made = json.loads((HERE / of / "tokenizer.json").read_text(encoding="utf-8"))
    lower = str.lower if of == "albert" else str
    whole = dict.fromkeys(f"▁{lower(word)}" for word in [*words, *answers])
    tokens = {**dict.fromkeys(special, 0.0), **dict.fromkeys("▁" + "".join(whole) + SIGNS, -12.0), **dict.fromkeys(whole, -6.0)}
    first, last = ("[CLS]", "[SEP]") if special == BERT_SPECIAL else ("<s>", "</s>")
    unknown = next(i for i, token in enumerate(special) if "unk" in token.lower())
    made["model"].update(vocab=[list(item) for item in tokens.items()], unk_id=unknown)
    made["added_tokens"] = added(special, lstrip=("[MASK]", "<mask>"))
    made["post_processor"] = frame(first, last, special)
    return made, special, len(tokens)


def masked_pieces(words, answers):
    return pieces(words, answers, SPECIAL, "xlm-roberta")


def header_of(file):
    """The shapes of a safetensors file's tensors, by name."""
    stored = file.read_bytes()
    size, = struct.unpack_from("<Q", stored)
    header = json.loads(stored[8:8 + size])
    return {name: tensor["shape"] for name, tensor in header.items() if name != "__metadata__"}


def enlarged(shapes, config, layers, vocabulary):
    """The tensors of a network with this vocabulary, more positions and this many layers; and its config.json."""
    made = {}
    for name, shape in shapes.items():
        shape = [vocabulary if size == VOCABULARY else size for size in shape]
        if re.search(r"position|wpe", name):
            shape[0] += MORE_POSITIONS - POSITIONS
        made[name] = shape
        of_layer = re.match(r"(.*\.(?:layers?|h)\.)1(\..*)", name)
        if layers and of_layer:
            made.update({f"{of_layer[1]}{i}{of_layer[2]}": shape for i in range(2, layers)})
    changed = dict(config, vocab_size=vocabulary)
    for key in ("max_position_embeddings", "n_positions"):
        if config.get(key) == POSITIONS:
            changed[key] = MORE_POSITIONS
    if config.get("sliding_window") == WINDOW:
        changed["sliding_window"] = WIDER_WINDOW
    for key in ("num_hidden_layers", "n_layer", "n_layers"):
        if layers and key in config:
            changed[key] = layers
    return made, changed


def drawn(shape, is_norm, random_stream):
    """Weights far from zero, in F32: from -0.5 to 0.5; those of norms from 0.5 to 1.5."""
    draw, lowest = random_stream.random, 0.5 if is_norm else -0.5
    numbers = array.array("f", [lowest + draw() for _ in range(math.prod(shape))])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def write_tensors(file, shapes, random_stream):
    """Writes drawn weights as safetensors; returns how many numbers."""
    header, end = {}, 0
    for name, shape in shapes.items():
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + 4 * math.prod(shape)]}
        end += 4 * math.prod(shape)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with file.open("wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for name, shape in shapes.items():
            out.write(drawn(shape, len(shape) == 1 and name.endswith("weight"), random_stream))
    return end // 4


def write_folder(folder, network, layers, made, seed):
    """Returns the model's number of parameters."""
    tokenizer, special, vocabulary = made
    folder.mkdir(parents=True)
    source = HERE / "networks" / network
    shapes, config = enlarged(header_of(source / "model.safetensors"),
                              json.loads((source / "config.json").read_text(encoding="utf-8")), layers, vocabulary)
    named = ("pad", "unk", "cls", "sep", "mask") if special == BERT_SPECIAL else ("bos", "pad", "eos", "unk", "mask")
    ids = {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
    names = {name: token for name, token in zip(named, special) if token in ids}
    for name, token in names.items():
        config[f"{name}_token_id"] = ids[token]
    if "cls" in names:
        config.update(bos_token_id=ids[names["cls"]], eos_token_id=ids[names["sep"]])
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "PreTrainedTokenizerFast", **{f"{name}_token": token for name, token in names.items()}}))
    return write_tensors(folder / "model.safetensors", shapes, random.Random(seed))


def gguf_text(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def gguf_value(value):
    """A value, preceded by its type."""
    if isinstance(value, str):
        return struct.pack("<I", 8) + gguf_text(value)
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    texts = isinstance(value[0], str)
    items = b"".join(map(gguf_text, value)) if texts else struct.pack(f"<{len(value)}i", *value)
    return struct.pack("<IIQ", 9, 8 if texts else 5, len(value)) + items


def write_gguf(file, tokenizer, seed, width=16, heads=4, key_heads=2, inner=20, layers=2):
    """A Llama in llama.cpp's format, with the words of a byte-level tokenizer; returns its number of parameters."""
    tokens = list(tokenizer["model"]["vocab"])
    special = {token["content"] for token in tokenizer["added_tokens"]}
    fields = {
        "general.architecture": "llama", "llama.context_length": MORE_POSITIONS, "llama.embedding_length": width,
        "llama.block_count": layers, "llama.feed_forward_length": inner, "llama.attention.head_count": heads,
        "llama.attention.head_count_kv": key_heads, "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": width // heads, "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "llama-bpe",  # takes words unchanged
        "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.token_type": [3 if token in special else 1 for token in tokens],
        "tokenizer.ggml.merges": [f"{LETTERS[32]} a"], "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 2, "tokenizer.ggml.add_bos_token": True}
    shapes = {"token_embd.weight": (len(tokens), width), "output.weight": (len(tokens), width), "output_norm.weight": (width,)}
    for i in range(layers):
        of_layer = {"attn_norm": (width,), "attn_q": (width, width), "attn_k": (width // heads * key_heads, width),
                    "attn_v": (width // heads * key_heads, width), "attn_output": (width, width), "ffn_norm": (width,),
                    "ffn_gate": (inner, width), "ffn_up": (inner, width), "ffn_down": (width, inner)}
        shapes.update({f"blk.{i}.{name}.weight": shape for name, shape in of_layer.items()})
    stream, infos, data = random.Random(seed), b"", b""
    for name, shape in shapes.items():
        infos += gguf_text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *reversed(shape), 0, len(data))
        data += drawn(shape, len(shape) == 1, stream)
        data += bytes(-len(data) % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(fields))
    head += b"".join(gguf_text(name) + gguf_value(value) for name, value in fields.items()) + infos
    file.write_bytes(head + bytes(-len(head) % 32) + data)
    return sum(map(math.prod, shapes.values()))


def write_table(file, rows, options=None):
    """A table of models. `options` are additional columns, only for causal models: name of an option -> its value."""
    options = options or {}
    with file.open("w", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, ["name", "path", "family", "size", "kind", *options], lineterminator="\n")
        table.writeheader()
        table.writerows({**row, **(options if row["kind"] == "causal" else {})} for row in rows)


def write_shelf(folder, facts):
    """Writes the models and the tables; returns the rows of MODELS.csv."""
    folder = pathlib.Path(folder)
    words = words_of(pathlib.Path(facts))
    tokenizers = {build: globals()[build](*words) for build in dict.fromkeys(row[4] for row in FOLDERS)}
    rows = []
    for name, family, network, layers, build in FOLDERS:
        size = write_folder(folder / name, network, layers, tokenizers[build], name)
        rows.append(dict(name=name, path=name, family=family, size=size, kind="causal" if build == "byte_level" else "masked"))
    size = write_gguf(folder / f"{GGUF}.gguf", tokenizers["byte_level"][0], GGUF)
    rows.append(dict(name=GGUF, path=f"{GGUF}.gguf", family="Llama", size=size, kind="causal"))
    write_table(folder / "MODELS.csv", rows)
    for kind in ("causal", "masked"):
        write_table(folder / f"{kind.upper()}.csv", [row for row in rows if row["kind"] == kind])
    return rows


if __name__ == "__main__":
    write_shelf(*sys.argv[1:])
