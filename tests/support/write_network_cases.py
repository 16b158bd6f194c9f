# SPDX-License-Identifier: Apache-2.0
"""Writes tests/support/huggingface/networks/: small random networks in the published forms, and the hidden vectors and logits
that transformers computes with them.

    python3 tests/support/write_network_cases.py [decoders|masked|wrapped]

Run by hand, once; the tests read the committed files. Written with torch 2.15.0, transformers
5.24.0, safetensors 0.8.0 and numpy 2.4.6, in F32 on a CPU. Each folder is a model (config.json and its
weights) with expected.json: the versions and, for each sequence of tokens, the last hidden vectors
[tokens][dimension] and the logits [tokens][vocabulary], rounded to 7 significant digits.
"""
import json
import pathlib
import shutil
import sys

import numpy
import safetensors
import safetensors.torch
import torch
import transformers
from transformers import (
    AlbertConfig, AlbertForMaskedLM, BertConfig, BertForMaskedLM, DistilBertConfig, DistilBertForMaskedLM, GPT2Config,
    GPT2LMHeadModel, OPTConfig, OPTForCausalLM, RobertaConfig, RobertaForMaskedLM, XLMRobertaConfig, XLMRobertaForMaskedLM,
)

import decoder_kinds

OUT = pathlib.Path(__file__).parent / "huggingface" / "networks"
VOCABULARY = 37
SEQUENCES = [[2, 5, 11, 4, 36, 3], [2, 9, 3], [7], [2, 5, 11, 8, 36, 20, 1, 33, 3]]
BERT = dict(vocab_size=VOCABULARY, hidden_size=20, num_hidden_layers=2, num_attention_heads=4, intermediate_size=28,
            max_position_embeddings=16)
OPT = dict(vocab_size=VOCABULARY, hidden_size=20, num_hidden_layers=2, num_attention_heads=4, ffn_dim=28,
           max_position_embeddings=16, word_embed_proj_dim=20)
GPT2 = dict(vocab_size=VOCABULARY, n_embd=20, n_layer=2, n_head=4, n_positions=16, bos_token_id=0, eos_token_id=0)


def randomize(model, spread=0.3):
    """Weights and biases far from their initial values, so that each one matters."""
    for name, parameter in model.named_parameters():
        noise = torch.randn_like(parameter) * spread
        is_norm = parameter.dim() == 1 and name.endswith("weight")
        parameter.data = noise + 1 if is_norm else noise
    model.tie_weights()
    return model.eval()


def rounded(tensor):
    return [[float(f"{x:.7g}") for x in row] for row in tensor.tolist()]


def expected(model):
    cases = []
    for sequence in SEQUENCES:
        with torch.no_grad():
            output = model(input_ids=torch.tensor([sequence]), attention_mask=torch.ones(1, len(sequence), dtype=torch.long),
                           output_hidden_states=True)
        cases.append({"tokens": sequence, "hidden": rounded(output.hidden_states[-1][0]), "logits": rounded(output.logits[0])})
    versions = {module.__name__: module.__version__ for module in (torch, transformers, safetensors, numpy)}
    return {"versions": versions, "cases": cases}


def write(name, model, rename=None, change=None, dtype=None, shards=None):
    """Saves a model and its outputs. `change(weights)` edits the stored tensors; `dtype` is the file's, and the model's
    numbers are rounded to it."""
    folder = OUT / name
    if folder.exists():
        shutil.rmtree(folder)
    torch.manual_seed(sum(map(ord, name)))
    randomize(model)
    if dtype:
        for parameter in model.parameters():  # not the buffers, which a loaded model computes in F32
            parameter.data = parameter.data.to(dtype).to(torch.float32)
        model.tie_weights()
    results = expected(model)
    if dtype:
        model = model.to(dtype)
    model.save_pretrained(folder, **({"max_shard_size": shards} if shards else {}))
    for extra in folder.glob("generation_config.json"):
        extra.unlink()
    if rename or change:
        file = folder / "model.safetensors"
        weights = safetensors.torch.load_file(file)
        if rename:
            weights = {rename(key): tensor for key, tensor in weights.items()}
        if change:
            change(weights)
        safetensors.torch.save_file({key: tensor.contiguous().clone() for key, tensor in weights.items()}, file)
    (folder / "expected.json").write_text(json.dumps(results, separators=(",", ":")) + "\n")


def old_bert(weights):
    """Tensors that the first published BERT checkpoints contain in addition to the weights."""
    weights["bert.embeddings.position_ids"] = torch.arange(16).reshape(1, 16)
    weights["cls.seq_relationship.weight"] = torch.randn(2, 20)
    weights["cls.seq_relationship.bias"] = torch.randn(2)
    weights["bert.pooler.dense.weight"] = torch.randn(20, 20)
    weights["cls.predictions.decoder.weight"] = weights["bert.embeddings.word_embeddings.weight"]
    weights["cls.predictions.decoder.bias"] = weights["cls.predictions.bias"]


def gamma_beta(key):
    return key.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")


def without(prefix):
    return lambda key: key.removeprefix(prefix)


def gpt2_masks(weights):
    """The causal masks that old checkpoints store."""
    for layer in range(2):
        weights[f"h.{layer}.attn.bias"] = torch.tril(torch.ones(1, 1, 16, 16, dtype=torch.uint8))
        weights[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)


def decoders():
    for kind in decoder_kinds.decoder_kinds(decoder_kinds.SMALL):
        write(kind.name, kind.make(), dtype=kind.dtype)
        kind.spell(OUT / kind.name)


def masked(name, model_type, fields, config=None):
    """A masked model of this type; `config(fields)` as for `decoder`."""
    made = transformers.AutoConfig.for_model(model_type, **fields)
    write(name, transformers.AutoModelForMaskedLM.from_config(made, attn_implementation="eager"))
    if config:
        file = OUT / name / "config.json"
        stored = json.loads(file.read_text())
        config(stored)
        file.write_text(json.dumps(stored, indent=2) + "\n")


def old_modernbert(stored):
    """The fields of the first published ModernBERT checkpoints."""
    rope = stored.pop("rope_parameters")
    del stored["layer_types"]
    stored["global_rope_theta"] = rope["full_attention"]["rope_theta"]
    stored["local_rope_theta"] = rope["sliding_attention"]["rope_theta"]
    stored["global_attn_every_n_layers"] = 3


def masked_models():
    masked("electra", "electra", dict(BERT, embedding_size=12))
    masked("electra-one-size", "electra", dict(BERT, embedding_size=20, hidden_act="relu", tie_word_embeddings=False))
    modern = dict(vocab_size=VOCABULARY, hidden_size=16, num_hidden_layers=4, num_attention_heads=4, intermediate_size=20,
                  max_position_embeddings=16, local_attention=4, pad_token_id=0, bos_token_id=2, eos_token_id=3,
                  cls_token_id=2, sep_token_id=3, rope_parameters={
                      "full_attention": {"rope_type": "default", "rope_theta": 100.0},
                      "sliding_attention": {"rope_type": "default", "rope_theta": 20.0}})
    masked("modernbert", "modernbert", modern, config=old_modernbert)
    masked("modernbert-biases", "modernbert", dict(
        modern, local_attention=7, attention_bias=True, mlp_bias=True, norm_bias=True, classifier_bias=True,
        decoder_bias=False, hidden_activation="silu", classifier_activation="relu", tie_word_embeddings=False,
        layer_types=["sliding_attention", "full_attention", "full_attention", "sliding_attention"]))
    deberta = dict(BERT, relative_attention=True, max_relative_positions=-1, pad_token_id=0)
    masked("deberta-v3", "deberta-v2", dict(
        deberta, position_buckets=4, share_att_key=True, pos_att_type="p2c|c2p", position_biased_input=False,
        norm_rel_ebd="layer_norm", type_vocab_size=0, legacy=False))
    masked("deberta-v2-projections", "deberta-v2", dict(
        deberta, max_relative_positions=5, share_att_key=False, pos_att_type=["c2p", "p2c"], type_vocab_size=2,
        embedding_size=12, hidden_act="relu"))
    masked("deberta-v2-by-query", "deberta-v2", dict(
        deberta, position_buckets=6, max_relative_positions=12, pos_att_type=["c2p"], position_biased_input=False))
    masked("deberta-v2-by-key", "deberta-v2", dict(
        deberta, position_buckets=3, pos_att_type=["p2c"], position_biased_input=False, tie_word_embeddings=False))
    masked("deberta-v2-absolute", "deberta-v2", dict(deberta, relative_attention=False))


def wrapped(name, model, rename=None, config=None):
    """A model for texts and images, of which only the language model is used."""
    write(name, model, rename=rename)
    file = OUT / name / "config.json"
    stored = json.loads(file.read_text())
    if config:
        config(stored)
    file.write_text(json.dumps(stored, indent=2) + "\n")


def as_published_gemma3(stored):
    """The fields of gemma-3-4b-it's text model: those with their usual values are absent."""
    text = stored["text_config"]
    old_gemma3(text)
    for field in ("vocab_size", "tie_word_embeddings", "rms_norm_eps", "attention_bias", "num_key_value_heads"):
        if text.get(field) == transformers.Gemma3TextConfig().to_dict().get(field):
            del text[field]


def in_language_model(key):
    """The names of transformers 4."""
    if key.startswith("model.language_model."):
        return key.replace("model.language_model.", "language_model.model.")
    return "language_model." + key if key.startswith("lm_head") else key.removeprefix("model.")


def in_model(key):
    """The names of transformers 5."""
    if key.startswith("language_model.model."):
        return key.replace("language_model.model.", "model.language_model.")
    return key.removeprefix("language_model.") if key.startswith("language_model.lm_head") else key


def wrapped_models():
    vision = dict(hidden_size=4, intermediate_size=4, num_hidden_layers=1, num_attention_heads=1, image_size=4, patch_size=2)
    gemma = dict(LLAMA, head_dim=6, num_key_value_heads=4, num_hidden_layers=3, sliding_window=4, query_pre_attn_scalar=5,
                 layer_types=["sliding_attention", "full_attention", "sliding_attention"], rope_parameters={
                     "full_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 300.0},
                     "sliding_attention": {"rope_type": "default", "rope_theta": 50.0}})
    wrapped("gemma3-images", transformers.Gemma3ForConditionalGeneration(transformers.Gemma3Config(
        text_config=gemma, vision_config=vision, mm_tokens_per_image=1)), rename=in_language_model,
        config=as_published_gemma3)
    text = dict(LLAMA, rope_parameters=ROPE, tie_word_embeddings=False)
    mistral = dict(text, model_type="mistral", sliding_window=4, head_dim=6)
    wrapped("mistral3", transformers.Mistral3ForConditionalGeneration(transformers.Mistral3Config(
        text_config=mistral, vision_config=dict(vision, model_type="pixtral", head_dim=4), tie_word_embeddings=False)),
        rename=in_model)
    wrapped("llava", transformers.LlavaForConditionalGeneration(transformers.LlavaConfig(
        text_config=dict(text, model_type="llama"), vision_config=dict(vision, model_type="clip_vision_model"),
        tie_word_embeddings=False)), rename=in_language_model)


def main():
    write("bert", BertForMaskedLM(BertConfig(**BERT)))
    write("bert-old-names", BertForMaskedLM(BertConfig(**BERT)), rename=gamma_beta, change=old_bert)
    write("bert-no-prefix", BertForMaskedLM(BertConfig(**BERT)), rename=without("bert."))
    write("bert-untied", BertForMaskedLM(BertConfig(**BERT, tie_word_embeddings=False)))
    write("bert-gelu-new", BertForMaskedLM(BertConfig(**BERT, hidden_act="gelu_new", layer_norm_eps=1e-3)))
    write("bert-silu", BertForMaskedLM(BertConfig(**BERT, hidden_act="silu")))
    write("bert-relu", BertForMaskedLM(BertConfig(**BERT, hidden_act="relu")))
    write("bert-f16", BertForMaskedLM(BertConfig(**BERT)), dtype=torch.float16)
    write("bert-bf16", BertForMaskedLM(BertConfig(**BERT)), dtype=torch.bfloat16)
    write("bert-shards", BertForMaskedLM(BertConfig(**BERT)), shards="12KB")
    write("roberta", RobertaForMaskedLM(RobertaConfig(**BERT, type_vocab_size=1, layer_norm_eps=1e-5)))
    write("xlm-roberta", XLMRobertaForMaskedLM(XLMRobertaConfig(**BERT, type_vocab_size=1, hidden_act="gelu_pytorch_tanh")))
    albert = dict(BERT, num_hidden_layers=4, embedding_size=12)
    write("albert", AlbertForMaskedLM(AlbertConfig(**albert)))
    write("albert-groups", AlbertForMaskedLM(AlbertConfig(**albert, num_hidden_groups=2, inner_group_num=2, hidden_act="gelu")))
    write("distilbert", DistilBertForMaskedLM(DistilBertConfig(
        vocab_size=VOCABULARY, dim=20, n_layers=2, n_heads=4, hidden_dim=28, max_position_embeddings=16)))
    write("opt", OPTForCausalLM(OPTConfig(**OPT)))
    write("opt-norm-after", OPTForCausalLM(OPTConfig(**dict(OPT, word_embed_proj_dim=12), do_layer_norm_before=False)))
    write("opt-no-bias", OPTForCausalLM(OPTConfig(**OPT, enable_bias=False, layer_norm_elementwise_affine=False,
                                                  activation_function="gelu")), rename=without("model."))
    write("opt-no-final-norm", OPTForCausalLM(OPTConfig(**OPT, _remove_final_layer_norm=True, tie_word_embeddings=False)))
    write("gpt2", GPT2LMHeadModel(GPT2Config(**GPT2)))
    decoders()
    masked_models()
    wrapped_models()
    write("gpt2-old-names", GPT2LMHeadModel(GPT2Config(**GPT2, n_inner=28)), rename=without("transformer."), change=gpt2_masks)


if __name__ == "__main__":
    {"decoders": decoders, "masked": masked_models, "wrapped": wrapped_models, "": main}[" ".join(sys.argv[1:])]()
