#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Statements per second of plumb and of lm-pub-quiz on the same Hugging Face folders, in turn, and whether they agree.

The models are random and written here. Their tokenizers are trained on the dataset's names and templates, with far fewer
words than the model has rows, so that names are split into several tokens, as in published models. The decoder has the
published size. against_lm_pub_quiz.py describes the runs and the clocks.
"""
import argparse
import json
import pathlib
import tempfile

import torch
from against_lm_pub_quiz import THREADS, Evaluator, measure
from products import BERT_BASE, OPT_125M, Products
from tokenizers import ByteLevelBPETokenizer, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, BertConfig, OPTConfig

RULES = {"within-word": "within_word_l2r", "original": "original"}
BATCHES = (16, 64, 200)

# Relations, their first facts, and the aim. For a larger model the peer gets less work, but enough that reading and
# hashing half a gigabyte of weights, which is only in plumb's time, is a small part.
CASES = {
    "tiny-bert": ("P30,P36,P1376", 5, 5.0),
    "bert-base": ("P30,P36", 3, 1.5),
    "opt-125m": ("P30,P36,P1376", 20, 4.0),
}


def texts_of(data):
    """All texts of the dataset: templates, answers and subjects."""
    for entry in json.loads((data / "metadata_relations.json").read_text()).values():
        yield from entry["templates"]
        yield from entry["answer_space_labels"]
    for file in sorted(data.glob("P*.jsonl")):
        for line in file.open():
            yield json.loads(line)["sub_label"]


def word_pieces(data, size, rows):
    """BERT's cased tokenizer, trained on the dataset, and filled up to `rows` with words that never occur."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(texts_of(data), trainers.WordPieceTrainer(vocab_size=size, special_tokens=special))
    vocabulary = tokenizer.get_vocab()
    for i in range(len(vocabulary), rows):
        vocabulary[f"[unused{i}]"] = i
    tokenizer.model = models.WordPiece(vocab=vocabulary, unk_token="[UNK]")
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    return tokenizer


def write_bert(folder, data, tokens, **sizes):
    config = BertConfig(**sizes)
    AutoModelForMaskedLM.from_config(config).save_pretrained(folder)
    word_pieces(data, tokens, config.vocab_size).save(str(folder / "tokenizer.json"))
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": False,
                                                              **names}))


def write_opt(folder, data, tokens):
    config = OPTConfig()  # the defaults are OPT-125M's
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(texts_of(data), vocab_size=tokens, special_tokens=["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer.save_model(str(folder))
    (folder / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, "add_prefix_space": False, "bos_token": "</s>",
         "eos_token": "</s>", "unk_token": "</s>", "pad_token": "<pad>"}))


def write_folder(name, folder, data):
    folder.mkdir()
    torch.manual_seed(0)
    if name == "tiny-bert":
        write_bert(folder, data, 1500, vocab_size=1500, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                   intermediate_size=96, max_position_embeddings=64, initializer_range=0.4)
    elif name == "bert-base":
        write_bert(folder, data, 6000, vocab_size=28996)  # the other defaults are BERT-base's
    else:
        write_opt(folder, data, 6000)


def products_of(name):
    """A function for `measure`; None for a model that is too small for its products to take most of the time."""
    def masked(run):
        alone = Products(BERT_BASE, THREADS)
        return alone.masked_seconds(run["tokens_fed"], run["masked_inputs_computed"]), alone.layers_speed

    def causal(run):
        alone = Products(OPT_125M, THREADS)
        return alone.seconds(run["tokens_fed"], run["tokens_fed"]), alone.layers_speed

    return {"bert-base": masked, "opt-125m": causal}.get(name)


def main():
    parser = argparse.ArgumentParser()
    for name in ("plumb", "models", "data"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rules", default=",".join(RULES), help="rules for masked models")
    arguments = parser.parse_args()
    data = pathlib.Path(arguments.data)
    torch.set_num_threads(THREADS)
    for name in arguments.models.split(","):
        codes, limit, aim = CASES[name]
        with tempfile.TemporaryDirectory() as kept:
            folder = pathlib.Path(kept) / name
            write_folder(name, folder, data)
            for rule in [None] if name == "opt-125m" else arguments.rules.split(","):
                print(f"\n{name}, random, {'closed-set probe' if rule is None else rule}: data {data}, relations {codes}, "
                      f"first {limit} facts, template 0, {THREADS} threads, {arguments.rounds} rounds in turn; "
                      f"aim: {aim} times the statements per second", flush=True)
                masked = {} if rule is None else {"pll_metric": RULES[rule]}
                evaluator = Evaluator.from_model(str(folder), model_type="CLM" if rule is None else "MLM", **masked)
                run = measure(evaluator, arguments.plumb, str(folder), str(data), codes.split(","), limit, arguments.rounds, BATCHES,
                              () if rule is None else ("--pll", rule), products_of(name))
                if rule is None:
                    print(f"tokens fed: {run['tokens_fed']} for {run['tokens_one_by_one']} one by one")
                else:
                    asked, computed = run["masked_inputs"], run["masked_inputs_computed"]
                    print(f"masked inputs: {computed} computed of {asked} asked, {100 * (1 - computed / asked):.1f}% "
                          f"equal to another of their pack; {asked / run['statements']:.1f} a statement", flush=True)


if __name__ == "__main__":
    main()
