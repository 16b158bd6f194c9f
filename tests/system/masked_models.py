# SPDX-License-Identifier: Apache-2.0
"""Writes folders of small random masked models with transformers, and their scores by lm-pub-quiz.

    python masked_models.py FOLDER DATA RELATIONS LIMIT

FOLDER then contains NAME/model, a Hugging Face folder whose tokenizer is trained on DATA's texts, and NAME/pll_original and
NAME/pll_within_word_l2r, the results of the first LIMIT facts of the RELATIONS.
"""
import json
import pathlib
import sys

import torch
import transformers
from lm_pub_quiz import Dataset, Evaluator
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

NAMES = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
SPECIAL = list(NAMES.values())
SIZES = dict(hidden_size=24, num_hidden_layers=3, num_attention_heads=3, intermediate_size=32, max_position_embeddings=96,
             initializer_range=0.4)


def texts_of(data):
    for entry in json.loads((data / "metadata_relations.json").read_text(encoding="utf-8")).values():
        yield from entry["templates"]
        yield from entry["answer_space_labels"]
    for file in sorted(data.glob("P*.jsonl")):
        yield from (json.loads(line)["sub_label"] for line in file.open(encoding="utf-8"))


def framed(tokenizer):
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")])
    return tokenizer


def word_pieces(data):
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.train_from_iterator(texts_of(data), trainers.WordPieceTrainer(vocab_size=900, special_tokens=SPECIAL))
    return framed(made)


def byte_pairs(data):
    """ModernBERT's kind: GPT-2's words after NFC, runs of spaces as tokens, and a mask that includes the space before it."""
    made = Tokenizer(models.BPE())
    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(texts_of(data), trainers.BpeTrainer(
        vocab_size=900, special_tokens=SPECIAL[:4], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    made.add_special_tokens([AddedToken("[MASK]", lstrip=True, special=True)])
    made.add_tokens([AddedToken(" " * count, normalized=True) for count in (2, 4)])
    return framed(made)


def pieces(data):
    """DeBERTa 3's kind."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence([normalizers.NFC()])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    made.train_from_iterator(texts_of(data), trainers.UnigramTrainer(
        vocab_size=900, special_tokens=["[PAD]", "[CLS]", "[SEP]", "[UNK]"], unk_token="[UNK]"))
    made.add_special_tokens([AddedToken("[MASK]", special=True)])
    return framed(made)


MODELS = {
    "electra": (word_pieces, "ElectraTokenizer", dict(SIZES, embedding_size=16)),
    "modernbert": (byte_pairs, "PreTrainedTokenizerFast", dict(SIZES, local_attention=4, global_attn_every_n_layers=2)),
    "deberta-v2": (pieces, "DebertaV2Tokenizer", dict(
        SIZES, relative_attention=True, position_buckets=6, share_att_key=True, pos_att_type="p2c|c2p",
        position_biased_input=False, norm_rel_ebd="layer_norm", type_vocab_size=0, legacy=False)),
}
# Models whose config.json differs from the one that transformers writes, by the model they are made from.
CHANGED = {
    "modernbert-merged": ("modernbert", {"rope_scaling": {"rope_type": "linear", "factor": 3.0}}),
    "modernbert-one-entry": ("modernbert", {"local_rope_theta": 20.0, "rope_parameters": {
        "full_attention": {"rope_type": "default", "rope_theta": 70.0}}}),
    "modernbert-yarn": ("modernbert", {"rope_parameters": {
        "full_attention": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "truncate": False,
                           "beta_fast": 4.0, "beta_slow": 0.5, "rope_theta": 5000.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 9.0}}}),
}


def write_model(folder, data, kind, build, tokenizer_class, sizes):
    tokenizer = build(data)
    ids = {f"{name}_token_id": tokenizer.token_to_id(f"[{name.upper()}]") for name in ("pad", "cls", "sep")}
    if kind == "modernbert":
        ids.update(bos_token_id=ids["cls_token_id"], eos_token_id=ids["sep_token_id"])
    config = transformers.AutoConfig.for_model(kind, vocab_size=tokenizer.get_vocab_size(), **sizes, **ids)
    model = transformers.AutoModelForMaskedLM.from_config(config)
    for parameter in model.parameters():
        parameter.data += torch.randn_like(parameter) * 0.2  # biases and norms too
    model.tie_weights()
    model.eval().save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": tokenizer_class, **NAMES}))


def main():
    folder, data = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    codes, limit = sys.argv[3].split(","), int(sys.argv[4])
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    relations = {relation.relation_code: relation.filter_subset(range(limit), keep_answer_space=True)
                 for relation in Dataset.from_path(data) if relation.relation_code in codes}
    for name in [*MODELS, *CHANGED]:
        kind, change = CHANGED.get(name, (name, {}))
        torch.manual_seed(len(kind))
        model = folder / name / "model"
        model.mkdir(parents=True)
        write_model(model, data, kind, *MODELS[kind])
        config = json.loads((model / "config.json").read_text())
        (model / "config.json").write_text(json.dumps(config | change))
        for rule in ("original", "within_word_l2r"):
            evaluator = Evaluator.from_model(str(model), model_type="MLM", pll_metric=rule)
            out = folder / name / f"pll_{rule}"
            out.mkdir()
            for code in codes:
                result = evaluator.evaluate_relation(relations[code], template_index=0, batch_size=50)
                rows = result.instance_table["pll_scores"].tolist()
                (out / f"{code}.json").write_text(json.dumps(rows))


if __name__ == "__main__":
    main()
