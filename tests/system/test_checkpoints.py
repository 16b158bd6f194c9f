# SPDX-License-Identifier: Apache-2.0
"""Checkpoints as they were published over the years, and broken ones, through the command: the same scores, or one line with
the error and the remedy."""
import json
import shutil
import struct
import unittest

import command

PROGRAMS = "plumb_command"

FOLDERS = command.SHARED / "golden" / "hugging-face"
BEAR = command.SHARED / "data" / "bear"


def read_tensors(file):
    """Name -> (type, shape, bytes) of a safetensors file."""
    data = file.read_bytes()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:end])
    header.pop("__metadata__", None)
    return {name: (entry["dtype"], entry["shape"], data[end + entry["data_offsets"][0]:end + entry["data_offsets"][1]])
            for name, entry in header.items()}


def write_tensors(file, tensors):
    header, at = {}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data for _, _, data in tensors.values()))


@command.needs_shared
class Checkpoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.count = 0

    def copy(self, name):
        """A copy of the folder under the same name, so that results do not differ in it, for changes."""
        type(self).count += 1
        model = self.folder / str(self.count) / name
        shutil.copytree(FOLDERS / name, model, ignore=shutil.ignore_patterns("pll_*", "scores"))
        return model

    def rewrite(self, model, change):
        weights = model / "model.safetensors"
        tensors = read_tensors(weights)
        changed = change(tensors)
        write_tensors(weights, tensors if changed is None else changed)

    def probe(self, model, *options, code=0):
        out = model.parent / f"run-{model.name}"
        done = command.plumb("probe", "--data", BEAR, "--relations", "P30", "--limit", 3, "--model", model, "--out", out,
                             *options, code=code)
        return (out / "P30_results.jsonl").read_bytes() if code == 0 else done.stderr

    def same(self, name, change, config=None):
        """A changed checkpoint scores like its original."""
        model = self.copy(name)
        expected = self.probe(model)
        shutil.rmtree(model.parent / f"run-{name}")
        self.rewrite(model, change)
        if config:
            file = model / "config.json"
            file.write_text(json.dumps({**json.loads(file.read_text()), **config}))
        self.assertEqual(self.probe(model), expected)

    def test_old_layer_norms_have_gamma_and_beta(self):
        self.same("tiny-bert-cased", lambda tensors: {
            name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): tensor
            for name, tensor in tensors.items()})

    def test_the_models_prefix_may_be_missing(self):
        for name, prefix in (("tiny-bert-cased", "bert."), ("tiny-roberta", "roberta."), ("tiny-albert", "albert."),
                             ("tiny-opt", "model.")):
            with self.subTest(model=name):
                self.same(name, lambda tensors, prefix=prefix: {
                    tensor.removeprefix(prefix): value for tensor, value in tensors.items()})

    def test_tied_weights_may_be_stored_twice(self):
        def copies(embeddings, decoder, bias=None):
            def change(tensors):
                tensors[decoder + ".weight"] = tensors[embeddings]
                if bias:
                    tensors[decoder + ".bias"] = tensors[bias]
            return change
        self.same("tiny-bert-cased", copies("bert.embeddings.word_embeddings.weight", "cls.predictions.decoder",
                                            "cls.predictions.bias"))
        self.same("tiny-roberta", copies("roberta.embeddings.word_embeddings.weight", "lm_head.decoder", "lm_head.bias"))
        self.same("tiny-opt", copies("model.decoder.embed_tokens.weight", "lm_head"))

    def test_stored_positions_and_other_heads_are_not_looked_at(self):
        def change(tensors):
            tensors["bert.embeddings.position_ids"] = ("I64", [1, 64], struct.pack("<64q", *range(64)))
            tensors["bert.pooler.dense.weight"] = ("F32", [48, 48], bytes(4 * 48 * 48))
            tensors["bert.pooler.dense.bias"] = ("F32", [48], bytes(4 * 48))
            tensors["cls.seq_relationship.weight"] = ("F32", [2, 48], bytes(4 * 2 * 48))
            tensors["cls.seq_relationship.bias"] = ("F32", [2], bytes(4 * 2))
        self.same("tiny-bert-cased", change)

    def test_robertas_mask_takes_the_space_before_it(self):
        data = self.folder / "mask-in-a-template"
        data.mkdir()
        (data / "facts.tsv").write_text("France\tr\tParis\nSpain\tr\tMadrid\n")
        (data / "facts.json").write_text(json.dumps({"r": ["[X] has <mask> [Y]"]}))
        ids = {}
        for takes in (False, True):
            model = self.copy("tiny-roberta")
            file = model / "tokenizer.json"
            made = json.loads(file.read_text())
            next(token for token in made["added_tokens"] if token["content"] == "<mask>")["lstrip"] = takes
            file.write_text(json.dumps(made))
            space = made["model"]["vocab"]["Ġ"]
            out = model.parent / "run"
            command.plumb("probe", "--data", data, "--special-tokens", "parse", "--model", model, "--out", out)
            done = command.plumb("data", "prompts", out, "--ids", "--fact", "France")
            line = json.loads(done.stdout.splitlines()[0])
            ids[takes] = line["ids"] + line["candidates"][0]["ids"]
        mask = ids[True].index(4)
        self.assertEqual(ids[False], [*ids[True][:mask], space, *ids[True][mask:]])

    def refused(self, model, *words, options=()):
        said = self.probe(model, *options, code=2)
        self.assertEqual(len(said.strip().splitlines()), 1, said)
        for part in words:
            self.assertIn(part, said)
        self.assertFalse((model.parent / f"run-{model.name}" / "metrics.json").exists())

    def test_weights_that_are_not_safetensors_are_refused_with_the_line_that_converts_them(self):
        model = self.copy("tiny-bert-cased")
        (model / "model.safetensors").rename(model / "pytorch_model.bin")
        self.refused(model, "pytorch_model.bin: is a pickled checkpoint", 'python3 -c "import torch, safetensors.torch as s;',
                     f"{model / 'model.safetensors'}")

    def test_pickled_shards_are_refused_with_the_line_that_converts_them(self):
        model = self.copy("tiny-bert-cased")
        (model / "model.safetensors").rename(model / "pytorch_model-00001-of-00001.bin")
        (model / "pytorch_model.bin.index.json").write_text("{}")
        self.refused(model, "pytorch_model.bin.index.json: is the index of a pickled checkpoint",
                     'python3 -c "import glob, torch, safetensors.torch as s;', f"{model / 'pytorch_model-*.bin'}")

    def test_a_folder_without_its_config_is_refused(self):
        model = self.copy("tiny-bert-cased")
        (model / "config.json").unlink()
        self.refused(model, "is a folder without config.json", "Hugging Face folder")

    def test_a_sentencepiece_file_alone_is_refused_with_the_remedy(self):
        for name in ("tiny-albert", "tiny-xlm-roberta"):
            model = self.copy(name)
            (model / "tokenizer.json").unlink()
            self.refused(model, "from transformers import AutoTokenizer")

    def test_broken_weights_are_refused_by_name(self):
        name = "bert.encoder.layer.1.output.dense.weight"
        nan = struct.pack("<f", float("nan"))

        def reshape(tensors):
            tensors[name] = (tensors[name][0], tensors[name][1][::-1], tensors[name][2])

        def spoil(tensors):
            tensors[name] = (*tensors[name][:2], tensors[name][2][:40] + nan + tensors[name][2][44:])

        for change, words in ((lambda tensors: tensors.pop(name) and None, "the tensor is missing"),
                              (reshape, "has the shape [96, 48] instead of [48, 96]"),
                              (spoil, "number 10 is NaN")):
            model = self.copy("tiny-bert-cased")
            self.rewrite(model, change)
            self.refused(model, name.removeprefix("bert."), words)

    def test_damaged_files_are_refused(self):
        whole = (FOLDERS / "tiny-bert-cased" / "model.safetensors").read_bytes()
        end = 8 + struct.unpack("<Q", whole[:8])[0]
        header = json.loads(whole[8:end])
        header.pop("__metadata__", None)
        names = sorted(header, key=lambda name: header[name]["data_offsets"])
        header[names[1]]["data_offsets"] = header[names[0]]["data_offsets"]
        header[names[1]]["shape"] = header[names[0]]["shape"]
        overlapping = json.dumps(header).encode()
        for data, words in ((whole[:-1], "truncated or damaged"), (whole[:end // 2], "claims a header of"), (b"", "is empty"),
                            (struct.pack("<Q", 1 << 60) + whole[8:], f"claims a header of {1 << 60} bytes"),
                            (struct.pack("<Q", len(overlapping)) + overlapping + whole[end:], "tensors that overlap")):
            model = self.copy("tiny-bert-cased")
            (model / "model.safetensors").write_bytes(data)
            self.refused(model, "model.safetensors", words)

    def change_json(self, model, file, change):
        path = model / file
        made = json.loads(path.read_text())
        change(made)
        path.write_text(json.dumps(made))

    def test_unsupported_values_are_reported_with_supported_ones(self):
        def normalizer(made):
            made["normalizer"] = {"type": "Uppercase"}
        for file, change, words in (
                ("config.json", lambda made: made.update(model_type="t5"), ("t5", "roberta", "opt")),
                ("config.json", lambda made: made.update(hidden_act="mish"), ("mish", "gelu_new", "relu")),
                ("tokenizer.json", normalizer, ("Uppercase", "BertNormalizer", "NFKC"))):
            model = self.copy("tiny-bert-cased")
            # The class that uses tokenizer.json's normalizer; BertTokenizer has its own.
            self.change_json(model, "tokenizer_config.json", lambda made: made.update(tokenizer_class="PreTrainedTokenizerFast"))
            self.change_json(model, file, change)
            self.refused(model, file, *words)

    def test_a_statement_past_the_positions_is_refused(self):
        data = self.folder / "long"
        data.mkdir()
        (data / "facts.tsv").write_text("France\tr\tParis\nSpain\tr\tMadrid\n")
        (data / "facts.json").write_text(json.dumps({"r": ["[X]" + " is" * 70 + " [Y]"]}))
        for name in ("tiny-bert-cased", "tiny-roberta"):
            done = command.plumb("probe", "--data", data, "--model", FOLDERS / name, "--out", self.folder / f"long-{name}",
                                 code=2)
            self.assertRegex(done.stderr, r"has \d+ tokens; the model's limit is 64")


if __name__ == "__main__":
    unittest.main()
