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

# What a text of nasty parts is put together from.
PARTS = [
    "é", "e\u0301", "A\u030a", "q\u0323\u0307", "\u0307q\u0323", "ﬁ", "ß", "İ", "ΑΣ", "ǅ", "ᾳ", "ſ", "ŉ", "㎏", "ﷺ", "\u212b",
    " ", "  ", "   ", "\t", "\n", "\r\n", "\u00a0", "\u2028", "\u3000", "\u1680", "\u200b", "\u200d", "\ufeff", "\u202e",
    "\0", "\x01", "\x7f", "\x85", "\ufffd", "\ue000", "\U000e0041", "\u00ad", "\u034f", "\u180e", "\u061c",
    "👩‍👩‍👧", "🙂", "🇩🇪", "👍🏽", "東京", "北京市", "한국어", "\u1100\u1161\u11a8", "日本語テキスト", "。", "「x」", "עברית", "العربية",
    "हिन्दी", "क्षि", "ไทย", "\u0f71\u0f72\u0f74", "№", "½", "²", "①", "Ⓐ", "１２", "123", "1,234.5", "𝔸", "𞤀", "\u20dd",
    "don't", "I'll", "''s", "'", "``", "''", "\"", "...", "—", "…", "_", "a_b", "C++", "$5", "^~`|", "¿", "§", "▁", "▁a", "Ġ",
    "<s>", "</s>", "<mask>", " <mask> ", "[MASK]", "[CLS]", "[SEP]", "[UNK]", "<unk>", "<pad>", "a", "B", "Paris", "word"]

# Where the package has no tokenizer.json to read: how transformers builds this tokenizer.
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
                      "words": encoding.word_ids}))
"""


def facts(count):
    """So many statements of BEAR, subjects and objects of a relation drawn by a fixed seed."""
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
    """Each part alone, long words, spaces at the ends, and parts put together by a fixed seed."""
    draw = random.Random(11)
    texts = ["", *PARTS, "x" * 100, "x" * 101, "é" * 101, "東" * 120, "ab " * 300, "a" * 3000, "  both ends  "]
    while len(texts) < count:
        texts.append("".join(draw.choice(PARTS) + draw.choice(["", " "]) for _ in range(draw.randint(2, 9))))
    return texts


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
                        for field, values in wanted.items():
                            self.assertEqual(mine[field], values, f"{field} of {text!r}")

    def test_byte_level_tokens_spell_their_text(self):
        texts = hostile(600)
        for mine, text in zip(lines(command.BUILD / "tokens_of_texts", GOLDEN / "hugging-face/tiny-opt", "plain",
                                    texts=texts)[1:], texts):
            self.assertEqual(mine["text"], text)


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
