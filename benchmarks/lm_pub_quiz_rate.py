# SPDX-License-Identifier: Apache-2.0
"""Statements per second of lm-pub-quiz on this Python's torch, F32, its best batch size.

    lm_pub_quiz_rate.py MODEL_FOLDER BEAR RELATIONS FACTS THREADS PACKAGES

PACKAGES is a folder of packages that this Python lacks, such as lm-pub-quiz; its own packages come first.
"""
import os
import sys
import time

os.environ["TQDM_DISABLE"] = "1"
model, bear, codes, limit, threads, packages = sys.argv[1:]
sys.path.append(packages)
import torch  # noqa: E402
from lm_pub_quiz import Dataset, Evaluator  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

torch.set_num_threads(int(threads))
relations = [one.filter_subset(range(int(limit)), keep_answer_space=True) for one in Dataset.from_path(bear) if one.relation_code in codes.split(",")]
evaluator = Evaluator.from_model(AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32), model_type="CLM",
                                 tokenizer=AutoTokenizer.from_pretrained(model))


def rate(chosen, batch):
    began = time.monotonic()
    tables = [evaluator.evaluate_relation(one, template_index=0, batch_size=batch).instance_table for one in chosen]
    return sum(len(row) for table in tables for row in table["pll_scores"]) / (time.monotonic() - began)


rate(relations[:1], 8)  # a warm-up
best = max((8, 32, 64), key=lambda batch: rate(relations[:1], batch))
print(f"torch {torch.__version__}, batches of {best}: {rate(relations, best)}")
