# SPDX-License-Identifier: Apache-2.0
"""The kinds of decoders that plumb reads, as random models of any shape. The small networks of the tests, the comparison over
whole contexts and the table of architectures are made from them.

Needs transformers 5.24; nothing here is trained or downloaded.
"""
import dataclasses
import json

import torch
import transformers


@dataclasses.dataclass(frozen=True)
class Shape:
    """Sizes that all kinds share. `odd_heads` divides `odd_hidden` and is not a power of two, which matters to ALiBi."""
    vocabulary: int
    hidden: int
    layers: int
    heads: int
    key_heads: int
    head_apart: int  # a head's size if it is not hidden / heads
    inner: int
    positions: int
    window: int
    base: float  # rotary
    odd_hidden: int
    odd_heads: int


# Few enough numbers to commit; a base and a window that matter within nine tokens.
SMALL = Shape(vocabulary=37, hidden=16, layers=2, heads=4, key_heads=2, head_apart=6, inner=20, positions=16, window=4,
              base=100.0, odd_hidden=18, odd_heads=6)


@dataclasses.dataclass(frozen=True)
class Kind:
    """One kind: transformers' model type and its fields. `old(stored)` edits config.json to the spelling of older versions."""
    name: str
    model_type: str
    fields: dict
    old: object = None
    dtype: torch.dtype = None

    def make(self):
        """The model, with transformers' initial weights."""
        config = transformers.AutoConfig.for_model(self.model_type, **self.fields)
        # transformers 5.24 adds Falcon's ALiBi twice in its eager attention, but not in sdpa, its default.
        attention = {} if self.model_type == "falcon" else {"attn_implementation": "eager"}
        return transformers.AutoModelForCausalLM.from_config(config, **attention)

    def spell(self, folder):
        """Edits the stored config.json."""
        if self.old:
            file = folder / "config.json"
            stored = json.loads(file.read_text())
            self.old(stored)
            file.write_text(json.dumps(stored, indent=2) + "\n")


def old_rope(stored):
    """rope_theta and rope_scaling, as transformers 4 wrote them."""
    rope = dict(stored.pop("rope_parameters"))
    stored["rope_theta"] = rope.pop("rope_theta")
    if "partial_rotary_factor" in rope:
        stored["partial_rotary_factor"] = rope.pop("partial_rotary_factor")
    rope["type"] = rope.pop("rope_type")
    stored["rope_scaling"] = rope if rope["type"] != "default" else None


def old_neox(stored):
    rope = stored.pop("rope_parameters")
    stored["rotary_emb_base"], stored["rotary_pct"] = rope["rope_theta"], rope["partial_rotary_factor"]


def old_gemma3(stored):
    rope = stored.pop("rope_parameters")
    stored["rope_theta"] = rope["full_attention"]["rope_theta"]
    stored["rope_scaling"] = {key: rope["full_attention"][key] for key in ("rope_type", "factor")}
    stored["rope_local_base_freq"] = rope["sliding_attention"]["rope_theta"]
    stored["sliding_window_pattern"] = 2
    del stored["layer_types"]


def early_kinds(shape):
    """GPT-2 and OPT, whose small networks write_network_cases.py creates itself."""
    s = shape
    yield Kind("gpt2", "gpt2", dict(vocab_size=s.vocabulary, n_embd=s.hidden, n_layer=s.layers, n_head=s.heads,
                                    n_positions=s.positions))
    opt = dict(vocab_size=s.vocabulary, hidden_size=s.hidden, num_hidden_layers=s.layers, num_attention_heads=s.heads,
               ffn_dim=s.inner, max_position_embeddings=s.positions, word_embed_proj_dim=s.hidden)
    yield Kind("opt", "opt", opt)
    yield Kind("opt-norm-after", "opt", dict(opt, word_embed_proj_dim=s.inner // 2, do_layer_norm_before=False))


def decoder_kinds(shape):
    """All other kinds, in the order of the families."""
    s = shape
    rope = {"rope_type": "default", "rope_theta": s.base}
    half = dict(rope, partial_rotary_factor=0.5)
    original = s.positions // 2
    shared = dict(vocab_size=s.vocabulary, hidden_size=s.hidden, num_hidden_layers=s.layers, num_attention_heads=s.heads,
                  num_key_value_heads=s.key_heads, intermediate_size=s.inner, max_position_embeddings=s.positions)
    llama = dict(shared, rope_parameters=rope, tie_word_embeddings=False)
    yield Kind("llama", "llama", llama)
    yield Kind("llama-biases", "llama", dict(llama, attention_bias=True, mlp_bias=True, head_dim=s.head_apart,
                                             tie_word_embeddings=True))
    yield Kind("llama-linear", "llama", dict(llama, rope_parameters=dict(rope, rope_type="linear", factor=2.5)), old_rope)
    yield Kind("llama-dynamic", "llama", dict(llama, rope_parameters=dict(rope, rope_type="dynamic", factor=2.0)))
    yield Kind("llama-llama3", "llama", dict(llama, rope_parameters=dict(
        rope, rope_type="llama3", factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0,
        original_max_position_embeddings=original)))
    yield Kind("llama-yarn", "llama", dict(llama, rope_parameters=dict(
        rope, rope_type="yarn", factor=4.0, original_max_position_embeddings=original)), old_rope)
    yield Kind("llama-yarn-scales", "llama", dict(llama, rope_parameters=dict(
        rope, rope_type="yarn", factor=4.0, original_max_position_embeddings=original, mscale=1.2, mscale_all_dim=0.6,
        beta_fast=4.0, beta_slow=0.5, truncate=False)))
    yield Kind("llama-f16", "llama", llama, dtype=torch.float16)
    yield Kind("mistral", "mistral", dict(llama, sliding_window=s.window, head_dim=s.head_apart))
    yield Kind("mixtral", "mixtral", dict(llama, num_local_experts=3, num_experts_per_tok=2, sliding_window=None))
    yield Kind("qwen2", "qwen2", dict(llama, use_sliding_window=True, sliding_window=s.window, max_window_layers=1))
    yield Kind("qwen3", "qwen3", dict(llama, head_dim=s.head_apart))
    gemma = dict(shared, head_dim=s.head_apart, rope_parameters=rope)
    yield Kind("gemma", "gemma", gemma)
    yield Kind("gemma2", "gemma2", dict(gemma, sliding_window=s.window, query_pre_attn_scalar=5, attn_logit_softcapping=3.0,
                                        final_logit_softcapping=4.0))
    yield Kind("gemma3", "gemma3_text", dict(
        gemma, num_hidden_layers=3, sliding_window=s.window, query_pre_attn_scalar=5,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"], rope_parameters={
            "full_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 3 * s.base},
            "sliding_attention": {"rope_type": "default", "rope_theta": s.base / 2}}), old_gemma3)
    phi = dict(shared, rope_parameters=half)
    yield Kind("phi", "phi", phi, old_rope)
    yield Kind("phi-head-norms", "phi", dict(phi, qk_layernorm=True))
    phi3 = dict(shared, rope_parameters=rope, pad_token_id=None)
    yield Kind("phi3", "phi3", dict(phi3, sliding_window=s.window))
    pairs = s.hidden // s.heads // 2
    steps = [i / max(pairs - 1, 1) for i in range(pairs)]
    yield Kind("phi3-longrope", "phi3", dict(
        phi3, max_position_embeddings=2 * s.positions, original_max_position_embeddings=s.positions, rope_parameters=dict(
            rope, rope_type="longrope", short_factor=[round(1.1 + 0.3 * t, 6) for t in steps],
            long_factor=[round(2.0 + t, 6) for t in steps])))
    yield Kind("stablelm", "stablelm", dict(shared, rope_parameters=half, use_qkv_bias=True))
    yield Kind("stablelm-parallel", "stablelm", dict(shared, rope_parameters=half, use_parallel_residual=True,
                                                     qk_layernorm=True))
    yield Kind("olmo", "olmo", dict(llama, clip_qkv=1.5))
    yield Kind("olmo2", "olmo2", llama)
    yield Kind("granite", "granite", dict(llama, embedding_multiplier=3.0, attention_multiplier=0.3, residual_multiplier=0.7,
                                          logits_scaling=2.0))
    yield Kind("cohere", "cohere", dict(shared, rope_parameters=rope, logit_scale=0.3))
    yield Kind("cohere-head-norms", "cohere", dict(shared, rope_parameters=rope, use_qk_norm=True, attention_bias=True))
    neox = {key: value for key, value in shared.items() if key != "num_key_value_heads"}
    neox["rope_parameters"] = half
    yield Kind("gpt-neox", "gpt_neox", neox, old_neox)
    yield Kind("gpt-neox-in-turn", "gpt_neox", dict(neox, use_parallel_residual=False, attention_bias=False))
    gpt = dict(vocab_size=s.vocabulary, n_embd=s.hidden, n_layer=s.layers, n_head=s.heads, n_positions=s.positions)
    yield Kind("gptj", "gptj", dict(gpt, rotary_dim=pairs))
    yield Kind("gpt-bigcode", "gpt_bigcode", gpt)
    yield Kind("gpt-bigcode-heads", "gpt_bigcode", dict(gpt, multi_query=False, n_inner=s.inner))
    yield Kind("gpt-neo", "gpt_neo", dict(
        vocab_size=s.vocabulary, hidden_size=s.hidden, num_layers=3, num_heads=s.heads, window_size=s.window,
        attention_types=[[["local", "global"], 1], [["local"], 1]], max_position_embeddings=s.positions))
    bloom = dict(vocab_size=s.vocabulary, hidden_size=s.odd_hidden, n_layer=s.layers, n_head=s.odd_heads)
    yield Kind("bloom", "bloom", bloom)
    yield Kind("bloom-residual", "bloom", dict(bloom, apply_residual_connection_post_layernorm=True))
    falcon = dict(vocab_size=s.vocabulary, hidden_size=s.hidden, num_hidden_layers=s.layers, num_attention_heads=s.heads,
                  rope_parameters=rope)
    yield Kind("falcon", "falcon", falcon)
    yield Kind("falcon-new", "falcon", dict(falcon, new_decoder_architecture=True, num_kv_heads=s.key_heads))
    yield Kind("falcon-one-norm", "falcon", dict(falcon, new_decoder_architecture=True, num_kv_heads=s.key_heads,
                                                 num_ln_in_parallel_attn=1))
    yield Kind("falcon-alibi", "falcon", dict(falcon, hidden_size=s.odd_hidden, num_attention_heads=s.odd_heads, alibi=True,
                                              bias=True, multi_query=False, parallel_attn=False))
    yield Kind("mpt", "mpt", dict(vocab_size=s.vocabulary, d_model=s.odd_hidden, n_layers=s.layers, n_heads=s.odd_heads,
                                  max_seq_len=s.positions, attn_config={"clip_qkv": 1.5}))
