# SPDX-License-Identifier: Apache-2.0
"""Engines in Python: any object with two methods, and models of transformers.

An engine has
    tokenize(text) -> token ids, or (id, begin, end) for each token with the characters that it covers; no special tokens added
    log_probabilities(sequences) -> for each list of ids an array of the same length: at i, ln P(id[i] | all before it) in nats;
        element 0 is not read
and may have
    bos, adds_bos, context_length, vocabulary_size, name, detokenize(ids), ends(id)
    weights ("F32", "BF16" …) and device ("CPU", "cuda:0" …): other than F32 on the CPU, equal questions may differ by 0.5 nats instead of 0.001
    embed(texts, with_bos) -> float32 [texts, dimension], and dimension: for rankings by DEER
    sequence_rows(ids) -> float32 [ids, vocabulary], logits after each: for generation
    chat_template, a Jinja text, and chat_tokens, the texts of special tokens by the names it uses: for run(…, chat=True), where tokenize
        must read the texts of special tokens as these tokens
"""
from __future__ import annotations

import itertools
from typing import Any, Sequence

import numpy

from .errors import UserError


class Engine:
    """Adapts an engine to the interface of plumb's core."""

    def __init__(self, engine: Any):
        for method in ("tokenize", "log_probabilities"):
            if not callable(getattr(engine, method, None)):
                raise TypeError(f"{type(engine).__name__} has no {method}(…); an engine has tokenize(text) and "
                                "log_probabilities(sequences)")
        self.engine = engine
        self.backend = getattr(engine, "backend", "Python")
        self.name = getattr(engine, "name", type(engine).__name__)
        self.bos = getattr(engine, "bos", None)
        self.adds_bos = getattr(engine, "adds_bos", None)
        self.context_length = int(getattr(engine, "context_length", 1 << 20))
        self.vocabulary_size = int(getattr(engine, "vocabulary_size", (1 << 31) - 1))
        self.tree_nodes = int(getattr(engine, "tree_nodes", 512))
        self.weights, self.device = getattr(engine, "weights", ""), getattr(engine, "device", "")
        for name in ("look_up", "sequence_rows", "tree_rows", "embed", "dimension", "chat_template"):
            if hasattr(engine, name):
                setattr(self, name, getattr(engine, name))
        self.chat_tokens = {name: text for name, text in (getattr(engine, "chat_tokens", None) or {}).items() if isinstance(text, str)}

    def tokens(self, text: str) -> list[tuple[int, int, int]]:
        """(id, first byte, byte after the last); -1 for bytes that the engine does not report."""
        made = list(self.engine.tokenize(text))
        if not made or not isinstance(made[0], (tuple, list)):
            return [(int(token), -1, -1) for token in made]
        if text.isascii():
            return [(int(token), int(begin), int(end)) for token, begin, end in made]
        at = [0, *itertools.accumulate(len(character.encode()) for character in text)]
        return [(int(token), at[begin], at[end]) for token, begin, end in made]

    def detokenize(self, ids: Sequence[int]) -> str:
        return self.engine.detokenize(ids) if hasattr(self.engine, "detokenize") else ""

    def ends(self, token: int) -> bool:
        return bool(self.engine.ends(token)) if hasattr(self.engine, "ends") else False

    def look_up(self, tokens: numpy.ndarray, parents: numpy.ndarray, nodes: numpy.ndarray, targets: numpy.ndarray) -> numpy.ndarray:
        """ln P(target | the prefix that ends in the node) for each pair, computed by sequences: one for each leaf of the tree."""
        ways: list[tuple[int, ...]] = []
        for token, parent in zip(tokens.tolist(), parents.tolist()):
            ways.append((ways[parent] if parent >= 0 else ()) + (token,))
        asked = [ways[node] + (target,) for node, target in zip(nodes.tolist(), targets.tolist())]
        # In sorted order, a prefix of other sequences comes directly before one of them.
        order = sorted(set(asked))
        whole = [one for one, after in itertools.zip_longest(order, order[1:]) if after is None or after[:len(one)] != one]
        found: dict[tuple[int, ...], float] = {}
        rows = list(self.engine.log_probabilities([list(way) for way in whole]))
        if len(rows) != len(whole):
            raise UserError(f"log_probabilities returned {len(rows)} arrays for {len(whole)} sequences; return one for each sequence",
                            field="log_probabilities", remedy="return one for each sequence")
        for way, row in zip(whole, rows):
            numbers = numpy.asarray(row, dtype=numpy.float64)
            if numbers.shape != (len(way),):
                raise UserError(f"log_probabilities returned an array of shape {numbers.shape} for a sequence of {len(way)} tokens; return one number "
                                "for each token", field="log_probabilities", remedy="return one number for each token")
            if (numbers[1:] > 1e-3).any():
                raise UserError(f"log_probabilities returned {numbers[1:].max():g}, which is not the logarithm of a probability; return natural logarithms",
                                field="log_probabilities", remedy="return natural logarithms")
            found.update((way[:length], float(numbers[length - 1])) for length in range(2, len(way) + 1))
        return numpy.array([found[way] for way in asked], dtype=numpy.float64)


def tree_mask(parents: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """For a tree whose parents come before their children: which node sees which, bool [nodes, nodes], and depths from 0."""
    count = len(parents)
    sees = numpy.eye(count, dtype=bool)
    depths = numpy.zeros(count, dtype=numpy.int64)
    for node, parent in enumerate(parents.tolist()):
        if parent >= 0:
            sees[node] |= sees[parent]
            depths[node] = depths[parent] + 1
    return sees, depths


_weight_types = {"torch.float32": "F32", "torch.float16": "F16", "torch.bfloat16": "BF16"}


def _numbers(of: Any) -> set[int]:
    """The numbers of a configuration's field: one, several, or none."""
    return set() if of is None else {of} if isinstance(of, int) else set(of)


class TransformersEngine:
    """A causal model of transformers and its tokenizer, on the model's device.

    `trees`: True scores whole trees of prefixes in one call with a 4-D mask; False evaluates every branch as a separate sequence. None
    tries a small tree first, and uses sequences if the results differ because the model has its own kind of positions or attention.
    `tree_nodes`: tokens per call. `parse_special_tokens`: whether a special token's text is read as the token.
    """

    backend = "transformers"
    probes = "the cat sat on a mat and saw the dog"

    def __init__(self, model: Any, tokenizer: Any, *, trees: bool | None = None, tree_nodes: int = 512, parse_special_tokens: bool = False):
        import inspect

        self.model, self.tokenizer, self.tree_nodes = model.eval(), tokenizer, tree_nodes
        self.parse_special_tokens = parse_special_tokens
        config = model.config.get_text_config()
        self.name = getattr(model.config, "_name_or_path", "") or type(model).__name__
        self.bos = tokenizer.bos_token_id
        template = getattr(tokenizer, "chat_template", None)
        self.chat_template = template.get("default") if isinstance(template, dict) else template
        self.chat_tokens = {name: text for name, text in tokenizer.special_tokens_map.items() if isinstance(text, str)}
        self.adds_bos = self.bos is not None and tokenizer("a").input_ids[:1] == [self.bos]
        self._ends = _numbers(tokenizer.eos_token_id)
        for of in (getattr(model, "generation_config", None), model.config, config):
            self._ends |= _numbers(getattr(of, "eos_token_id", None))
        self.weights = _weight_types.get(str(model.dtype), str(model.dtype).replace("torch.", ""))
        self.device = "CPU" if model.device.type == "cpu" else str(model.device)
        self.vocabulary_size = model.get_output_embeddings().weight.shape[0]
        self.dimension = config.hidden_size
        self.context_length = int(getattr(config, "max_position_embeddings", None) or getattr(config, "seq_length", None) or
                                  getattr(config, "max_seq_len", None) or 2048)
        uses = getattr(config, "use_sliding_window", True)
        self._window = getattr(config, "sliding_window", None) if uses else None
        self._kinds = set(getattr(config, "layer_types", None) or ())
        taken = inspect.signature(model.forward).parameters
        self._keeps = "logits_to_keep" in taken
        self._refuse_not_causal()
        # GPT-Neo's local attention depends on places in a row, which a small tree does not show.
        by_place = hasattr(config, "window_size")
        self.trees = ("position_ids" in taken and not by_place and self._trees_agree()) if trees is None else trees
        if self.trees:  # plumb's core uses these if they exist
            self.look_up, self.tree_rows = self._look_up, self._tree_rows

    def tokenize(self, text: str) -> list[tuple[int, int, int]]:
        if not self.tokenizer.is_fast:
            return self.tokenizer(text, add_special_tokens=False).input_ids
        made = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, split_special_tokens=not self.parse_special_tokens)
        return [(token, *span) for token, span in zip(made.input_ids, made.offset_mapping)]

    def detokenize(self, ids: Sequence[int]) -> str:
        return self.tokenizer.decode(list(ids), clean_up_tokenization_spaces=False)

    def ends(self, token: int) -> bool:
        return token in self._ends

    def _refuse_not_causal(self) -> None:
        """Refuses a model whose rows depend on later tokens."""
        ids = numpy.array([token if isinstance(token, int) else token[0] for token in self.tokenize(self.probes)])
        half = max(1, len(ids) // 2)
        apart = numpy.abs(self.sequence_rows(ids)[:half] - self.sequence_rows(ids[:half])).max()
        if apart > (0.01 if self.model.dtype.itemsize >= 4 else 0.5):
            remedy = "use a causal model, or pass a masked model's folder as a path"
            raise UserError(f"`model`: is not causal: its logits change by {apart:.3g} with the tokens that follow; {remedy}", setting="model", remedy=remedy)

    def _forward(self, ids: Any, keep: Any = None, **more: Any) -> Any:
        """Logits in float32. With `keep`, only those at these positions of a single sequence, [positions, vocabulary]."""
        import torch

        with torch.inference_mode():
            if keep is not None and self._keeps:
                return self.model(input_ids=ids, logits_to_keep=keep, use_cache=False, **more).logits[0].float()
            logits = self.model(input_ids=ids, use_cache=False, **more).logits
            return logits[0, keep].float() if keep is not None else logits.float()

    def _tree_logits(self, tokens: numpy.ndarray, parents: numpy.ndarray, places: numpy.ndarray) -> Any:
        import torch

        sees, depths = tree_mask(parents)
        device, dtype = self.model.device, self.model.dtype

        def additive(seen: numpy.ndarray) -> Any:
            mask = torch.zeros(seen.shape, dtype=dtype).masked_fill_(torch.from_numpy(~seen), torch.finfo(dtype).min)
            return mask[None, None].to(device)

        close = sees & (depths[:, None] - depths < self._window) if self._window else sees
        mask = additive(close if not self._kinds or "full_attention" not in self._kinds else sees)
        if "sliding_attention" in self._kinds and "full_attention" in self._kinds:
            mask = {"full_attention": mask, "sliding_attention": additive(close)}
        return self._forward(torch.from_numpy(tokens).long()[None].to(device), torch.from_numpy(places).long().to(device),
                             attention_mask=mask, position_ids=torch.from_numpy(depths)[None].to(device))

    def _look_up(self, tokens: numpy.ndarray, parents: numpy.ndarray, nodes: numpy.ndarray, targets: numpy.ndarray) -> numpy.ndarray:
        import torch

        places, rows = numpy.unique(nodes, return_inverse=True)
        logits = self._tree_logits(tokens, parents, places)
        asked = logits[torch.from_numpy(rows).to(logits.device), torch.from_numpy(targets).long().to(logits.device)]
        normalizers = torch.logsumexp(logits, dim=-1)[torch.from_numpy(rows).to(logits.device)]
        return (asked - normalizers).double().cpu().numpy()

    def _tree_rows(self, tokens: numpy.ndarray, parents: numpy.ndarray, places: numpy.ndarray) -> numpy.ndarray:
        return self._tree_logits(tokens, parents, places).cpu().numpy()

    def sequence_rows(self, ids: numpy.ndarray) -> numpy.ndarray:
        import torch

        return self._forward(torch.as_tensor(numpy.asarray(ids)).long()[None].to(self.model.device))[0].cpu().numpy()

    def log_probabilities(self, sequences: Sequence[Sequence[int]]) -> list[numpy.ndarray]:
        """Flat: batches sequences of similar length, padded at the end, which causal attention does not see."""
        import torch

        found: list[Any] = [None] * len(sequences)
        order = sorted(range(len(sequences)), key=lambda i: -len(sequences[i]))
        while order:
            width = len(sequences[order[0]])
            batch, order = order[:max(1, self.tree_nodes // width)], order[max(1, self.tree_nodes // width):]
            ids = torch.zeros(len(batch), width, dtype=torch.long)
            mask = torch.zeros_like(ids)
            for row, i in enumerate(batch):
                ids[row, :len(sequences[i])] = torch.tensor(sequences[i])
                mask[row, :len(sequences[i])] = 1
            ids, mask = ids.to(self.model.device), mask.to(self.model.device)
            logits = self._forward(ids, attention_mask=mask)[:, :-1]
            asked = logits.gather(-1, ids[:, 1:, None])[..., 0] - torch.logsumexp(logits, dim=-1)
            for row, i in enumerate(batch):
                made = numpy.full(len(sequences[i]), numpy.nan)
                made[1:] = asked[row, :len(sequences[i]) - 1].double().cpu().numpy()
                found[i] = made
        return found

    def embed(self, texts: Sequence[str], with_bos: bool) -> numpy.ndarray:
        """The last hidden vector of each text's last token, after the final norm."""
        import torch

        made = numpy.empty((len(texts), self.dimension), dtype=numpy.float32)
        for place, text in enumerate(texts):
            ids = self.tokenizer(text, add_special_tokens=False).input_ids
            ids = [self.bos, *ids] if with_bos and self.bos is not None and ids[:1] != [self.bos] else ids
            with torch.inference_mode():
                hidden = self.model.base_model(input_ids=torch.tensor([ids], device=self.model.device), use_cache=False)
            made[place] = hidden.last_hidden_state[0, -1].float().cpu().numpy()
        return made

    @property
    def _flat(self) -> Engine:
        flat = Engine.__new__(Engine)
        flat.engine = self
        return flat

    def _trees_agree(self) -> bool:
        """Whether a tree of two branches gives the same results as its branches as separate sequences."""
        ids = [token if isinstance(token, int) else token[0] for token in self.tokenize(self.probes)]
        lead, first, second = ids[:3], ids[3:] * 2, ids[3:][::-1] * 2
        tokens = numpy.array(lead + first + second, dtype=numpy.int32)
        parents = numpy.arange(-1, len(tokens) - 1, dtype=numpy.int32)
        parents[len(lead) + len(first)] = len(lead) - 1
        nodes = numpy.array([n for n in range(len(tokens)) if n not in (len(lead) + len(first) - 1, len(tokens) - 1)], dtype=numpy.int32)
        after = {int(parent): int(token) for parent, token in zip(parents[::-1], tokens[::-1]) if parent >= 0}
        targets = numpy.array([after[int(node)] for node in nodes], dtype=numpy.int32)
        try:
            by_tree = self._look_up(tokens, parents, nodes, targets)
        except Exception:  # any error of a model that does not support the mask
            return False
        alone = Engine.look_up(self._flat, tokens, parents, nodes, targets)
        most = 1e-3 if self.model.dtype.itemsize >= 4 else 0.25
        return bool(numpy.abs(by_tree - alone).max() <= most)
