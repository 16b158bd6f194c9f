# SPDX-License-Identifier: Apache-2.0
"""Writes tests/support/huggingface: small tokenizers of each kind, texts, and the results of `tokenizers` for them.

Run by hand, in a virtual environment, when a kind is added; the tests then need no Python:

    python -m pip install tokenizers==0.23.3 && python tests/support/write_tokenizer_cases.py

A folder contains tokenizer.json, or the older files of the same tokenizer, and cases.json: {"made_with", "before", "after",
"cases": [{"text", "plain": {"ids", "bytes", "words"}, "parsed": …}, …]}; `plain` reads special tokens as text.
"""
import json
import pathlib
import struct

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

OUT = pathlib.Path(__file__).parent / "huggingface"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

CORPUS = [
    "Paris is the capital of France.", "The capital of Peru is Lima.", "Tokyo is in Asia, and Cairo in Africa.",
    "José Saramago wrote \"Blindness\" in 1995.", "Zürich isn't the capital of Switzerland; Bern is.",
    "The official language of Québec is French.", "Ødegård plays for Arsenal.", "The river Seine flows through Paris.",
    "It's known that they've won 12 titles in 2004.", "Москва is the capital of Russia.", "東京 is Tokyo and 北京 is Beijing."]
TEXTS = CORPUS + [
    "", " ", "  ", "   a  b ", "\t", "a\nb\r\n\r\nc", " Paris", "Paris ", "PARIS", "Pa\u0301ris", "A\u030angstro\u0308m",
    "Åse é", "q\u0323\u0307 q\u0307\u0323", "\u0301x", "ﬁne", "İstanbul", "ΟΔΟΣ", "Straße", "ǅ", "№ ½ ² ①", "１２３ 123 १२",
    "東京都 ab東c", "한국 각", "हिन्दी क्षि", "ไทย", "עברית العربية", "🙂", "👩‍👩‍👧 x", "🇩🇪👍🏽", "a\0b", "\x01\x7f\x85",
    "\ufeffx\ufffd", "a\u00a0b\u2028c\u3000d", "\u200bzero\u200d", "don't I'll we've ''s 'x", "``quoted''", "C++ $5 ^~`|",
    "a-b_c...d—e", "x" * 40, "é" * 30, "<mask> [MASK] </s>", "a <mask>  b", "a<mask>b", " [MASK]x", "word words word",
    "▁a ▁▁", "Ġ", "\U0001F9FF\ue000", "\u1100\u1161\u11a8", "ﷺ", "\r\n", "ab ab  ab", "the\u00adcapital"]


def alphabet_trainer(kind, special, size=320, **more):
    return kind(vocab_size=size, special_tokens=special, show_progress=False, **more)


def charsmap(pairs):
    """A precompiled map (a double-array trie, then its replacement texts) of {text: its replacement}."""
    trie, texts = {}, b""
    for text, made in pairs.items():
        node = trie
        for byte in text.encode():
            node = node.setdefault(byte, {})
        node[0] = len(texts)
        texts += made.encode() + b"\0"
    units = {0: 0}

    def place(node, at):
        base = 1
        while any((base ^ byte) in units for byte in node) or (base ^ at) >= 1 << 21:
            base += 1
        units[at] |= (at ^ base) << 10 | (0x100 if 0 in node else 0)
        for byte, below in node.items():
            units[base ^ byte] = below | 1 << 31 if byte == 0 else byte
        for byte, below in node.items():
            if byte:
                place(below, base ^ byte)

    place(trie, 0)
    size = (max(units) // 256 + 1) * 256
    return struct.pack(f"<I{size}I", 4 * size, *(units.get(i, 0) for i in range(size))) + texts


def bert(lowercase):
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=20))
    made.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece(cleanup=False)
    made.train_from_iterator(CORPUS, alphabet_trainer(trainers.WordPieceTrainer, special))
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return made


def byte_level(pre_tokenizer, post_processor):
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizer
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(CORPUS, alphabet_trainer(
        trainers.BpeTrainer, ["<s>", "<pad>", "</s>", "<unk>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    made.post_processor = post_processor
    return made


def roberta():
    made = byte_level(pre_tokenizers.ByteLevel(add_prefix_space=False), processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False))
    made.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    return made


def gpt2():
    return byte_level(pre_tokenizers.ByteLevel(add_prefix_space=False), processors.TemplateProcessing(
        single="</s> $A", special_tokens=[("</s>", 2)]))


def byte_level_in_steps():
    made = byte_level(
        pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(GPT2), "isolated"),
                                 pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False)]),
        processors.Sequence([processors.ByteLevel(trim_offsets=True, add_prefix_space=True),
                             processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])]))
    made.add_tokens([AddedToken("word", single_word=True), AddedToken("  ", normalized=False),
                     AddedToken("Å", rstrip=True)])
    return made


def scripts_and_thousands():
    """Expressions with a script, an intersection, ignored case, a repeated group and empty matches, as Kimi and SuperBPE use them."""
    words = (r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{L}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|"
             r"\s*[\r\n]+|\s+(?!\S)|\s+")
    made = byte_level(
        pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(words), "isolated"),
                                 pre_tokenizers.Split(Regex(r"(?=(\d{3})+(?!\d))"), "isolated"),
                                 pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]),
        processors.ByteLevel(trim_offsets=True, add_prefix_space=False))
    made.normalizer = normalizers.Replace(Regex(r"(?<=\d),(?=\d{3})|(?i:ß)"), "")
    return made


def unigram(normalizer, pre_tokenizer):
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizer
    made.pre_tokenizer = pre_tokenizer
    made.decoder = decoders.Metaspace()
    made.train_from_iterator(CORPUS, alphabet_trainer(
        trainers.UnigramTrainer, ["<unk>", "<s>", "</s>", "<mask>"], unk_token="<unk>"))
    return made


def albert():
    return unigram(
        normalizers.Sequence([
            normalizers.Replace("``", '"'), normalizers.Replace("''", '"'), normalizers.NFKD(),
            normalizers.StripAccents(), normalizers.Lowercase(),
            normalizers.Precompiled(charsmap({"\t": " ", "\n": " ", "\r": " ", "\x01": "", "\x7f": "",
                                              "\u00a0": " ", "\u3000": " ", "\u2028": " ", "\ufeff": "", "…": "...",
                                              "ø": "oe", "e\u0301": "é"}))]),
        pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]))


def xlm_roberta():
    return unigram(
        normalizers.Sequence([
            normalizers.Nmt(), normalizers.NFKC(), normalizers.Strip(left=False, right=True),
            normalizers.Replace(Regex(" {2,}"), " "),
            normalizers.Precompiled(charsmap({"a\u0301": "á", "é": "e", "\r": "", "ﬁ": "fi", "½": "1⁄2", "東": "",
                                              "\u200d": " "}))]),
        pre_tokenizers.Metaspace(prepend_scheme="first"))


def byte_fallback():
    texts = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *"abcdeinoprst.▁P", "▁P", "ar", "▁Par", "is"]
    made = Tokenizer(models.BPE(vocab={text: i for i, text in enumerate(texts)}, unk_token="<unk>", byte_fallback=True,
                                merges=[("▁", "P"), ("a", "r"), ("▁P", "ar"), ("i", "s")], fuse_unk=True))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                                      decoders.Strip(" ", 1, 0)])
    return made


def word_cutters():
    made = Tokenizer(models.BPE(unk_token="[UNK]", fuse_unk=True, continuing_subword_prefix="##"))
    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.Split("a", "merged_with_previous")])
    made.train_from_iterator(CORPUS, alphabet_trainer(trainers.BpeTrainer, ["[UNK]"], 200,
                                                      continuing_subword_prefix="##"))
    return made


def expected(made, text, parse):
    made.encode_special_tokens = not parse
    encoding = made.encode(text, add_special_tokens=False)
    places = [0]
    for character in text:
        places.append(places[-1] + len(character.encode()))
    return {"ids": encoding.ids, "bytes": [[places[a], places[b]] for a, b in encoding.offsets],
            "words": encoding.word_ids}


def dump(file, value):
    file.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def write(name, made, older=None):
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    file = json.loads(made.to_str())
    if older:
        older(folder, file)
    else:
        dump(folder / "tokenizer.json", file)
    frame = made.encode("a").ids
    inner = made.encode("a", add_special_tokens=False).ids
    at = next(i for i in range(len(frame)) if frame[i:i + len(inner)] == inner)
    cases = [{"text": text, "plain": expected(made, text, False), "parsed": expected(made, text, True)}
             for text in TEXTS]
    dump(folder / "cases.json", {"made_with": f"tokenizers {tokenizers.__version__}", "before": frame[:at],
                                 "after": frame[at + len(inner):], "cases": cases})


def as_vocab_txt(folder, file):
    vocabulary = sorted(file["model"]["vocab"].items(), key=lambda item: item[1])
    (folder / "vocab.txt").write_text("".join(text + "\n" for text, _ in vocabulary), encoding="utf-8")
    dump(folder / "tokenizer_config.json", {"do_lower_case": False, "tokenizer_class": "BertTokenizer"})


def as_merges_txt(folder, file):
    dump(folder / "vocab.json", file["model"]["vocab"])
    lines = ["#version: 0.2", *(" ".join(merge) for merge in file["model"]["merges"])]
    (folder / "merges.txt").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    dump(folder / "tokenizer_config.json", {
        "tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, "bos_token": {"content": "</s>"},
        "eos_token": "</s>", "unk_token": "</s>", "pad_token": "<pad>"})


if __name__ == "__main__":
    write("bert-uncased", bert(True))
    long_words = bert(False)
    long_words.model.max_input_chars_per_word = 100
    write("bert-cased-vocab-txt", long_words, as_vocab_txt)
    write("roberta", roberta())
    opt = gpt2()
    opt_file = json.loads(opt.to_str())
    opt_file["added_tokens"] = [token for token in opt_file["added_tokens"] if token["content"] in ("</s>", "<pad>")]
    write("opt-merges-txt", Tokenizer.from_str(json.dumps(opt_file)), as_merges_txt)
    write("byte-level-in-steps", byte_level_in_steps())
    write("scripts-and-thousands", scripts_and_thousands())
    write("albert", albert())
    write("xlm-roberta", xlm_roberta())
    write("byte-fallback", byte_fallback())
    write("word-cutters", word_cutters())
