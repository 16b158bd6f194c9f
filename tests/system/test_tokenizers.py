# SPDX-License-Identifier: Apache-2.0
"""The same tokens, ranges and words as the `tokenizers` package, on facts of BEAR and on hostile texts."""
import json
import pathlib
import random
import subprocess
import tempfile
import unittest

import command

PROGRAMS = "tokens_of_texts"

GOLDEN = command.SHARED / "golden"
BEAR = command.SHARED / "data" / "bear"
FOLDERS = ["hugging-face/tiny-albert", "hugging-face/tiny-bert-cased", "hugging-face/tiny-opt",
           "hugging-face/tiny-opt-350m-shape", "hugging-face/tiny-roberta", "hugging-face/tiny-xlm-roberta", "tiny-bert"]

DECODERS = sorted(folder.name for folder in (GOLDEN / "decoders").iterdir()) if (GOLDEN / "decoders").is_dir() else []

# The parts of hostile texts.
PARTS = [
    "é", "e\u0301", "A\u030a", "q\u0323\u0307", "\u0307q\u0323", "ﬁ", "ß", "İ", "ΑΣ", "ǅ", "ᾳ", "ſ", "ŉ", "㎏", "ﷺ", "\u212b",
    " ", "  ", "   ", "\t", "\n", "\r\n", "\u00a0", "\u2028", "\u3000", "\u1680", "\u200b", "\u200d", "\ufeff", "\u202e",
    "\0", "\x01", "\x7f", "\x85", "\ufffd", "\ue000", "\U000e0041", "\u00ad", "\u034f", "\u180e", "\u061c",
    "👩‍👩‍👧", "🙂", "🇩🇪", "👍🏽", "東京", "北京市", "한국어", "\u1100\u1161\u11a8", "日本語テキスト", "。", "「x」", "עברית", "العربية",
    "हिन्दी", "क्षि", "ไทย", "\u0f71\u0f72\u0f74", "№", "½", "²", "①", "Ⓐ", "１２", "123", "1,234.5", "𝔸", "𞤀", "\u20dd",
    "don't", "I'll", "''s", "'", "``", "''", "\"", "...", "—", "…", "_", "a_b", "C++", "$5", "^~`|", "¿", "§", "▁", "▁a", "Ġ",
    "<s>", "</s>", "<mask>", " <mask> ", "[MASK]", "[CLS]", "[SEP]", "[UNK]", "<unk>", "<pad>", "a", "B", "Paris", "word"]

# If the folder has no tokenizer.json for the package: how transformers builds this tokenizer.
THEIRS = r"""
import json, pathlib, sys
import tokenizers
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers
folder = pathlib.Path(sys.argv[1])
if (folder / "tokenizer.json").exists():
    made = Tokenizer.from_file(str(folder / "tokenizer.json"))
else:
    made = Tokenizer(models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    names = {config[name] for name in ("bos_token", "eos_token", "unk_token", "pad_token")}
    made.add_special_tokens([AddedToken(name, normalized=False, special=True) for name in sorted(names)])
if json.loads((folder / "config.json").read_text())["model_type"] == "qwen2":
    made.normalizer = tokenizers.normalizers.NFC()  # as in transformers' class for Qwen 2, whatever tokenizer.json contains
made.encode_special_tokens = sys.argv[2] != "parse"
made.no_truncation()
made.no_padding()
for line in sys.stdin:
    text = json.loads(line)
    encoding = made.encode(text, add_special_tokens=False)
    places = [0]
    for character in text:
        places.append(places[-1] + len(character.encode()))
    print(json.dumps({"ids": encoding.ids, "bytes": [[places[a], places[b]] for a, b in encoding.offsets],
                      "words": encoding.word_ids, "text": made.decode(encoding.ids, skip_special_tokens=sys.argv[2] != "parse")}))
"""


# The same through transformers, which uses all files of the folder; whether it is installed: `import transformers`.
AS_TRANSFORMERS = r"""
import json, os, sys
os.environ["HF_HUB_OFFLINE"] = "1"
import transformers
transformers.logging.set_verbosity_error()
with open(sys.argv[1]) as file:
    asked = json.load(file)
for folder, texts in asked:
    try:
        made = transformers.AutoTokenizer.from_pretrained(folder)
        ids = [made._tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
        print(json.dumps({"ids": ids, "framed": made._tokenizer.encode(texts[0]).ids}))
    except Exception as error:
        print(json.dumps({"error": repr(error)}))
"""

WORD_PIECE = ["BertTokenizer", "BertTokenizerFast", "DistilBertTokenizerFast", "ElectraTokenizer", "PreTrainedTokenizerFast", None]
BYTE_PAIRS = ["GPT2TokenizerFast", "RobertaTokenizer", "LlamaTokenizer", "GemmaTokenizerFast", "GPTNeoXTokenizer", "CodeGenTokenizer",
              "BloomTokenizerFast", "PreTrainedTokenizerFast", "TokenizersBackend", None]
UNIGRAM = ["AlbertTokenizer", "XLMRobertaTokenizerFast", "PreTrainedTokenizerFast", None]
CLASSES = {"tiny-bert": WORD_PIECE, "hugging-face/tiny-bert-cased": WORD_PIECE, "hugging-face/tiny-albert": UNIGRAM,
           "hugging-face/tiny-xlm-roberta": UNIGRAM, "hugging-face/tiny-roberta": BYTE_PAIRS, "decoders/tiny-llama-2": BYTE_PAIRS,
           "decoders/tiny-gemma": BYTE_PAIRS, "decoders/tiny-pythia": BYTE_PAIRS}
SWITCHES = {"do_lower_case": [True, False], "strip_accents": [True, False, None], "tokenize_chinese_chars": [True, False],
            "add_prefix_space": [True, False], "keep_accents": [True, False], "trim_offsets": [True, False],
            "add_bos_token": [True, False], "add_eos_token": [True, False], "legacy": [True, False], "model_max_length": [5, 512],
            "clean_up_tokenization_spaces": [True, False]}


def contradicting_folder(folder, draw):
    """A folder whose files name classes, switches and added tokens that contradict its tokenizer.json."""
    name = draw.choice(sorted(CLASSES))
    tokenizer = json.loads((GOLDEN / name / "tokenizer.json").read_text(encoding="utf-8"))
    config = json.loads((GOLDEN / name / "tokenizer_config.json").read_text(encoding="utf-8"))
    model = json.loads((GOLDEN / name / "config.json").read_text(encoding="utf-8"))
    config.pop("tokenizer_class", None)
    chosen = draw.choice(CLASSES[name])
    if chosen:
        draw.choice([config, model])["tokenizer_class"] = chosen
    for switch, values in SWITCHES.items():
        if draw.random() < 0.4:
            config[switch] = draw.choice(values)
    size = len(tokenizer["model"]["vocab"])

    def token(content):
        flags = {flag: draw.random() < 0.3 for flag in ("single_word", "lstrip", "rstrip", "normalized", "special")}
        return {"content": content, **flags}
    if draw.random() < 0.4:
        tokenizer["added_tokens"] += [{"id": size + draw.randint(0, 40), **token(content)} for content in ("Newword", "<extra>")]
    if draw.random() < 0.3:
        config["added_tokens_decoder"] = {str(draw.randint(0, size + 30)): token(content) for content in ("Paris", "<extra>")}
    if draw.random() < 0.3:
        config["extra_special_tokens"] = ["<extra>", "<new>"]
    if draw.random() < 0.3:
        (folder / "added_tokens.json").write_text(json.dumps({"<extra>": size + 3, "Newword": size}))
    if draw.random() < 0.3:
        (folder / "special_tokens_map.json").write_text(json.dumps({"unk_token": "<unk>", "mask_token": {
            "content": "<mask>", "lstrip": True, "rstrip": False, "normalized": False, "single_word": False}}))
    for file, content in (("tokenizer.json", tokenizer), ("tokenizer_config.json", config), ("config.json", model)):
        (folder / file).write_text(json.dumps(content), encoding="utf-8")


def has_transformers():
    return bool(command.PEER) and subprocess.run([command.PEER, "-c", "import transformers"], capture_output=True).returncode == 0


def facts(count):
    """This many statements of BEAR; subjects and objects of a relation are drawn by a fixed seed."""
    draw = random.Random(7)
    relations = json.loads((BEAR / "metadata_relations.json").read_text(encoding="utf-8"))
    subjects = {name: command.rows(BEAR / f"{name}.jsonl") for name in sorted(relations)}
    texts = []
    while len(texts) < count:
        name = draw.choice(sorted(subjects))
        text = draw.choice(relations[name]["templates"]).replace("[X]", draw.choice(subjects[name])["sub_label"])
        texts.append(text.replace("[Y]", draw.choice(subjects[name]).get("obj_label", "it")))
    return texts


def hostile(count):
    """Each part by itself, long words, spaces at the ends, and parts combined by a fixed seed."""
    draw = random.Random(11)
    texts = ["", *PARTS, "x" * 100, "x" * 101, "é" * 101, "東" * 120, "ab " * 300, "a" * 3000, "  both ends  "]
    while len(texts) < count:
        texts.append("".join(draw.choice(PARTS) + draw.choice(["", " "]) for _ in range(draw.randint(2, 9))))
    return texts


DROPPED = {*map(chr, range(1, 9)), "\v", *map(chr, range(0xE, 0x20)), "\x7f", "\x8f", "\x9f"}  # by SentencePiece's map


def ranges_are_right(folder, text):
    """Whether the package's ranges are correct: they are wrong after a character that the tokenizer's map drops at the
    beginning of a part."""
    return folder.split("/")[-1] not in ("tiny-albert", "tiny-xlm-roberta") or not DROPPED.intersection(text)


def lines(*call, texts):
    done = subprocess.run([str(part) for part in call], input="".join(json.dumps(text) + "\n" for text in texts),
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return [json.loads(line) for line in done.stdout.split("\n") if line]


@command.needs_shared
@command.needs_peer
class AgainstTokenizers(unittest.TestCase):
    def test_ids_ranges_and_words_are_the_same(self):
        texts = facts(1000) + hostile(600)
        self.assertGreaterEqual(len(texts), 1200)
        for name in FOLDERS:
            for special in ("plain", "parse"):
                with self.subTest(folder=name, special=special):
                    folder = GOLDEN / name
                    ours = lines(command.BUILD / "tokens_of_texts", folder, special, texts=texts)[1:]
                    theirs = lines(command.PEER, "-c", THEIRS, folder, special, texts=texts)
                    self.assertEqual(len(ours), len(texts))
                    for text, mine, wanted in zip(texts, ours, theirs):
                        for field in ("ids", "bytes", "words"):
                            values = wanted[field]
                            # After characters that a map drops at the beginning of a text, the package's ranges are too
                            # early.
                            if field != "bytes" or ranges_are_right(name, text):
                                self.assertEqual(mine[field], values, f"{field} of {text!r}")

    def test_decoders_have_the_same_ids_ranges_words_and_texts(self):
        self.assertEqual(len(DECODERS), 18)
        texts = facts(1000) + hostile(3200)
        for name in DECODERS:
            for special, asked in (("plain", texts), ("parse", texts[1000:1600])):
                with self.subTest(folder=name, special=special):
                    folder = GOLDEN / "decoders" / name
                    ours = lines(command.BUILD / "tokens_of_texts", folder, special, texts=asked)[1:]
                    theirs = lines(command.PEER, "-c", THEIRS, folder, special, texts=asked)
                    self.assertEqual(len(ours), len(asked))
                    for text, mine, wanted in zip(asked, ours, theirs):
                        for field, values in wanted.items():
                            self.assertEqual(mine[field], values, f"{field} of {text!r}")

    def test_byte_level_tokens_spell_their_text(self):
        texts = hostile(600)
        for mine, text in zip(lines(command.BUILD / "tokens_of_texts", GOLDEN / "hugging-face/tiny-opt", "plain",
                                    texts=texts)[1:], texts):
            self.assertEqual(mine["text"], text)


@command.needs_shared
class Contradictions(unittest.TestCase):
    # The tokens of transformers 5.24 for the folders.
    TEXT = "The capital of Zürich 東京 is."
    KNOWN = {
        "tokenizer-config-overrides/cf-bert-json-cased-cfg-lower": [1781, 2023, 1794, 94, 2014, 1882, 883, 862, 1798, 18],
        "tokenizer-config-overrides/cf-bert-json-lower-cfg-cased": [1, 1418, 1186, 1, 596, 575, 1185, 18],
        "tokenizer-config-overrides/cf-bert-json-lower-cfg-keepacc": [1170, 1418, 1186, 1, 596, 575, 1185, 18],
        "tokenizer-config-overrides/cf-bert-json-lower-cfg-nochin": [1170, 1418, 1186, 1496, 1, 1185, 18],
        "tokenizer-config-overrides/cf-gpt2-json-noprefix-cfg-prefix": [544, 641, 300, 774, 813, 110, 304, 18],
        "added-token-id-gap/model": [1026, 637, 296, 770, 809, 106, 300, 14],
    }

    def test_the_class_and_its_switches_win_over_tokenizer_json(self):
        for name, ids in self.KNOWN.items():
            with self.subTest(folder=name):
                made = lines(command.BUILD / "tokens_of_texts", command.SHARED / "cases" / name, texts=[self.TEXT])[1]
                self.assertEqual(made["ids"], ids)

    def test_an_added_token_behind_a_gap_has_the_next_id(self):
        made = lines(command.BUILD / "tokens_of_texts", command.SHARED / "cases" / "added-token-id-gap" / "model", texts=["Zwickau"])
        self.assertEqual(made[1]["ids"], [1500])

    def test_unsupported_tokenizer_class_is_refused_in_either_config_file(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "vocab.txt").write_text("[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\na\n")
            for file in ("config.json", "tokenizer_config.json"):
                (folder / file).write_text(json.dumps({"model_type": "bert", "tokenizer_class": "BertJapaneseTokenizer"}))
                done = subprocess.run([command.BUILD / "tokens_of_texts", folder], capture_output=True, text=True, input="")
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{file}: tokenizer_class: \"BertJapaneseTokenizer\" is not supported", done.stderr)

    @unittest.skipUnless(has_transformers(), "skipped: the Python of PLUMB_PEER has no transformers")
    def test_folders_at_odds_with_themselves_are_read_as_transformers_reads_them(self):
        draw, asked, texts = random.Random(5), [], hostile(150)
        with tempfile.TemporaryDirectory() as parent:
            for number in range(200):
                folder = pathlib.Path(parent) / str(number)
                folder.mkdir()
                contradicting_folder(folder, draw)
                asked.append((str(folder), ["Paris", "a <extra> bNewword <new>", *draw.sample(texts, 40)]))
            (pathlib.Path(parent) / "asked").write_text(json.dumps(asked))
            theirs = lines(command.PEER, "-c", AS_TRANSFORMERS, pathlib.Path(parent) / "asked", texts=[])
            self.assertEqual(len(theirs), len(asked))
            compared = 0
            for (folder, sample), wanted in zip(asked, theirs):
                done = subprocess.run([command.BUILD / "tokens_of_texts", folder, "parse"], capture_output=True, text=True,
                                      input="".join(json.dumps(text) + "\n" for text in sample))
                if done.returncode != 0 or "error" in wanted:
                    continue
                compared += 1
                frame, *made = [json.loads(line) for line in done.stdout.split("\n") if line]
                self.assertEqual(frame["before"] + made[0]["ids"] + frame["after"], wanted["framed"])
                for text, mine, ids in zip(sample, made, wanted["ids"]):
                    self.assertEqual(mine["ids"], ids, f"{text!r} in {folder}")
            self.assertGreater(compared, 150)


@command.needs_shared
class Frames(unittest.TestCase):
    def test_each_folder_has_its_frame(self):
        frames = {name.split("/")[-1]: lines(command.BUILD / "tokens_of_texts", GOLDEN / name, texts=[])[0]
                  for name in FOLDERS}
        for name in ("tiny-albert", "tiny-bert-cased", "tiny-bert"):
            self.assertEqual((frames[name]["before"], frames[name]["after"]), ([2], [3]))
        for name in ("tiny-roberta", "tiny-xlm-roberta"):
            self.assertEqual((frames[name]["before"], frames[name]["after"]), ([0], [2]))
        for name in ("tiny-opt", "tiny-opt-350m-shape"):
            self.assertEqual((frames[name]["before"], frames[name]["after"]), ([2], []))

    def test_a_folder_with_only_sentencepiece_is_refused_with_the_remedy(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "spiece.model").write_bytes(b"x")
            done = subprocess.run([command.BUILD / "tokens_of_texts", folder], capture_output=True, text=True, input="")
            self.assertEqual(done.returncode, 1)
            self.assertIn("AutoTokenizer.from_pretrained", done.stderr)


if __name__ == "__main__":
    unittest.main()
