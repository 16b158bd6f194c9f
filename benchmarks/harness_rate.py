# SPDX-License-Identifier: Apache-2.0
"""Statements per second of lm-evaluation-harness over given texts, F32, its best batch size: MODEL.gguf TEXTS.json THREADS."""
import json
import os
import sys
import time

import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from transformers import AutoModelForCausalLM, AutoTokenizer

model, file, threads = sys.argv[1:]
torch.set_num_threads(int(threads))
where = {"pretrained_model_name_or_path": os.path.dirname(model), "gguf_file": os.path.basename(model)}
weights = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
tokenizer = AutoTokenizer.from_pretrained(**where)
texts = json.load(open(file, encoding="utf-8"))


def rate(chosen, batch):
    lm = HFLM(pretrained=weights, tokenizer=tokenizer, batch_size=batch)
    asked = [Instance("loglikelihood", {}, ("", text), i) for i, text in enumerate(chosen)]
    began = time.monotonic()
    lm.loglikelihood(asked, disable_tqdm=True)
    return len(chosen) / (time.monotonic() - began)


rate(texts[:32], 16)  # a warm-up
best = max((16, 64), key=lambda batch: rate(texts[:128], batch))
print(rate(texts, best))
