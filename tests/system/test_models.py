# SPDX-License-Identifier: Apache-2.0
"""plumb models: the jobs that each local model supports or, if it cannot be used, the reason and the next command, as --model
shows them."""
import json
import shutil
import struct
import subprocess
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"
SMALL = command.ROOT / "tests" / "support" / "huggingface"
OUTPUT = "--outtype f32 --outfile"


def write_tensors(file, types):
    """A safetensors file with one number for each name and type."""
    header, end = {}, 0
    for name, dtype in types.items():
        header[name] = {"dtype": dtype, "shape": [1], "data_offsets": [end, end + (1 if dtype.startswith("F8") else 4)]}
        end = header[name]["data_offsets"][1]
    text = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + bytes(end))


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)

    def model(self, name, change=None, network="llama", tokenizer="byte-level-in-steps"):
        """A usable causal model, except for these changes in its config.json."""
        folder = self.folder / name
        folder.mkdir()
        shutil.copy(SMALL / "networks" / network / "model.safetensors", folder)
        for file in (SMALL / tokenizer).glob("*"):
            if file.name not in ("cases.json", "config.json"):
                shutil.copy(file, folder)
        config = json.loads((SMALL / "networks" / network / "config.json").read_text())
        config.update(change or {})
        (folder / "config.json").write_text(json.dumps(config))
        return folder

    def listed(self, folder=None):
        return command.plumb("models", folder or self.folder).stdout

    def refused(self, folder):
        done = command.probe(self.folder / "run", "--relations", "continent", "--limit", 1, model=folder, code=2)
        return done.stderr.removeprefix("plumb: ").rstrip("\n")

    def expect(self, folder, *parts):
        """`plumb models` and a job end with the same message, which contains these parts."""
        words = self.refused(folder)
        self.assertIn(f"\n{folder} cannot be used: {words}\n", self.listed())
        for part in parts:
            self.assertIn(part, words)

    def test_what_can_be_asked_is_listed_with_what_can_ask_it(self):
        self.model("causal")
        self.model("masked", network="bert", tokenizer="bert-uncased")
        subprocess.run([command.BUILD / "write_tiny_gguf", self.folder / "tiny.gguf"], check=True)
        lines = {line.split()[0]: line for line in self.listed().splitlines() if line.startswith(str(self.folder))}
        self.assertIn("folder, llama", lines[str(self.folder / "causal")])
        self.assertTrue(lines[str(self.folder / "causal")].endswith("all commands"))
        self.assertTrue(lines[str(self.folder / "masked")].endswith("probe, calibrate, generate"))
        self.assertTrue(lines[str(self.folder / "tiny.gguf")].endswith("all commands"))

    def test_unsupported_models_are_refused_with_converter_or_server_command(self):
        for name, change, words in (
                ("newcomer", {"model_type": "llama4"}, "model_type: 'llama4' is not supported"),
                ("activation", {"hidden_act": "quick_gelu"}, "hidden_act: 'quick_gelu' is not supported; plumb supports gelu"),
                ("rope", {"rope_parameters": {"rope_type": "spiral", "rope_theta": 100.0}}, "'spiral' is not supported"),
                ("own-tokenizer", {"tokenizer_class": "OwnTokenizer"}, "OwnTokenizer")):
            folder = self.model(name, change)
            if name == "own-tokenizer":
                (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "OwnTokenizer"}')
            self.expect(folder, words, f"`vllm serve {folder}`, then set --server to http://localhost:8000")
            # The converter drops a field that it does not know, so the file would be a different model.
            converts = f"`python3 convert_hf_to_gguf.py {folder} {OUTPUT} {folder}.gguf`"
            (self.assertIn if name in ("newcomer", "own-tokenizer") else self.assertNotIn)(converts, self.refused(folder))
        folder = self.model("both-parts", {"model_type": "t5", "is_encoder_decoder": True})
        self.expect(folder, "is_encoder_decoder: 't5' has an encoder and a decoder; choose a causal or a masked model")
        self.assertNotIn("convert it", self.refused(folder))

    def test_each_kind_of_quantised_weights_has_its_way_out(self):
        converted, served = "convert_hf_to_gguf.py", "vllm serve"
        for method, shown, has, has_not in (("gptq", "GPTQ", (converted, served), ()), ("awq", "AWQ", (served,), (converted,)),
                                            ("bitsandbytes", "bitsandbytes", ("dequantize()", served), (converted,)),
                                            ("fp8", "FP8", (converted, served), ()),
                                            ("compressed-tensors", "compressed-tensors", (converted, served), ()),
                                            ("quanto", "quanto", (served,), (converted,))):
            folder = self.model(method, {"quantization_config": {"quant_method": method}})
            self.expect(folder, f"quantization_config: weights quantised by {shown} are not supported; fetch the model's F32, F16 or "
                        "BF16 weights, or ", *has)
            for word in has_not:
                self.assertNotIn(word, self.refused(folder))
        masked = self.model("masked-8bit", {"quantization_config": {"load_in_8bit": True}}, "bert", "bert-uncased")
        self.expect(masked, "bitsandbytes", "AutoModelForMaskedLM")
        self.assertNotIn("vllm", self.refused(masked))

    def test_quantised_tensors_are_detected_without_a_config_entry(self):
        for name, shown, tensors in (("old-gptq", "GPTQ", {"l.qweight": "I32", "l.g_idx": "I32"}),
                                     ("old-awq", "AWQ", {"l.qweight": "I32", "l.qzeros": "I32"}),
                                     ("old-bnb", "bitsandbytes", {"l.weight.absmax": "F32"}),
                                     ("old-fp8", "FP8", {"l.weight": "F8_E4M3"})):
            folder = self.model(name)
            write_tensors(folder / "model.safetensors", tensors)
            self.expect(folder, f"weights quantised by {shown} are not supported")

    def test_missing_or_damaged_model_files_are_named(self):
        bare = self.model("bare")
        (bare / "config.json").unlink()
        self.expect(bare, "is a folder without config.json")
        pickled = self.model("pickled")
        (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
        self.expect(pickled, "pytorch_model.bin: is a pickled checkpoint", "python3 -c")
        torn = self.model("torn")
        whole = (torn / "model.safetensors").read_bytes()
        (torn / "model.safetensors").write_bytes(whole[:-1])
        self.expect(torn, "the file is truncated or damaged; fetch it again")
        broken = self.model("broken")
        (broken / "config.json").write_text("{")
        self.expect(broken, "config.json")
        untied = self.model("no-tokenizer")
        for file in untied.glob("*.json"):
            if file.name != "config.json":
                file.unlink()
        self.expect(untied, "contains no tokenizer.json")
        self.assertNotIn("convert it", self.refused(untied))  # the converter would need it too

    def test_non_causal_gguf_is_refused(self):
        model = self.folder / "two-way.gguf"
        subprocess.run([command.BUILD / "write_tiny_gguf", model, "two-way"], check=True)
        self.expect(model, "is not a causal language model: its llama.attention.causal is false")

    def test_a_name_with_spaces_is_quoted_in_the_command(self):
        folder = self.model("my odd model", {"model_type": "newcomer"})
        self.expect(folder, f"convert_hf_to_gguf.py '{folder}' {OUTPUT} '{folder}.gguf'", f"vllm serve '{folder}'")

    def test_a_download_in_hugging_faces_cache_is_listed_too(self):
        home = self.folder / "home"
        snapshot = home / ".cache/huggingface/hub/models--own--new/snapshots/abc"
        snapshot.parent.mkdir(parents=True)
        self.model("to-move", {"model_type": "newcomer"}).rename(snapshot)
        (snapshot.parent.parent / "refs").mkdir()
        (snapshot.parent.parent / "refs/main").write_text("abc")
        done = subprocess.run([command.PLUMB, "models"], env={"HOME": str(home)}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"hf:own/new +\S+ kB  folder, newcomer +none: see below\n")
        self.assertIn(f"\nhf:own/new cannot be used: {snapshot}/config.json: model_type: 'newcomer' is not supported; convert it: `python3 "
                      f"convert_hf_to_gguf.py {snapshot} ", done.stdout)

    def test_a_word_that_is_no_folder_is_refused(self):
        self.assertIn("none: is not a folder", command.plumb("models", self.folder / "none", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
