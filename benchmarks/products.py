# SPDX-License-Identifier: Apache-2.0
"""How long would a model's matrix products take if plumb computed nothing else?

This limits what other improvements can achieve.
"""
import dataclasses
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass(frozen=True)
class Shape:
    """A model's matrices. `projected`: queries, keys and values; `widened`: the outputs of the feed-forward network's first
    product, `inner`: the inputs of its last one (half of `widened` if it is gated)."""
    hidden: int
    projected: int
    widened: int
    inner: int
    layers: int
    vocabulary: int


SMOLLM2_135M = Shape(576, 960, 3072, 1536, 30, 49152)
OPT_125M = Shape(768, 2304, 3072, 3072, 12, 50272)
BERT_BASE = Shape(768, 2304, 3072, 3072, 12, 28996)


class Products:
    """The speed of the products by themselves, measured once. A shared machine's speed changes, so measure it in each round."""

    def __init__(self, shape, threads, kind="f32", build=ROOT / "build"):
        words = [f"{build}/decoder_products", *map(str, dataclasses.astuple(shape)), str(threads), kind]
        done = subprocess.run(words, check=True, capture_output=True, env={**os.environ, "OMP_PROC_BIND": "true"})
        made = json.loads(done.stdout)
        self.shape = shape
        self.node_seconds, self.row_seconds = made["node"], made["row"]
        self.layers_speed, self.tile_speed, self.vectors = made["layers"], made["tile"], made["vectors"]

    def seconds(self, fed, rows, with_logits=True):
        """Seconds for a decoder that feeds `fed` tokens and returns the logits, or only the last vectors, of `rows` of them. In the
        probes of a causal model, a token is looked up after each token that is fed, so both numbers are equal."""
        return self._layers_seconds(fed, rows) + with_logits * rows * self.row_seconds

    def masked_seconds(self, fed, rows):
        """Seconds for an encoder that is fed `fed` tokens and returns the logits of `rows` of them. Its head has one more matrix."""
        return self._layers_seconds(fed, rows, self.shape.hidden**2) + rows * self.row_seconds

    def _layers_seconds(self, fed, rows, head=0):
        """All layers but the last are computed for `fed` tokens. In the last layer, the queries, keys and values are computed for
        all of these tokens; the rest, and the head's additional `head` weights, only for `rows` tokens."""
        one = self.shape
        for_all = one.hidden * one.projected
        of_layer = one.hidden * (one.projected + one.hidden + one.widened) + one.inner * one.hidden
        last = (fed * for_all + rows * (of_layer - for_all + head)) / of_layer
        return (fed * (one.layers - 1) + last) * self.node_seconds / one.layers
