# SPDX-License-Identifier: Apache-2.0
"""Runs lm-pub-quiz on the first facts of one relation, to measure its start-up and memory: MODEL.gguf BEAR RELATION FACTS."""
import os
import sys

import torch
from lm_pub_quiz import Dataset, Evaluator
from transformers import AutoModelForCausalLM, AutoTokenizer

model, bear, code, limit = sys.argv[1:]
torch.set_num_threads(2)
where = {"pretrained_model_name_or_path": os.path.dirname(model), "gguf_file": os.path.basename(model)}
evaluator = Evaluator.from_model(AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32), model_type="CLM",
                                 tokenizer=AutoTokenizer.from_pretrained(**where))
relation = next(one for one in Dataset.from_path(bear) if one.relation_code == code).filter_subset(range(int(limit)), keep_answer_space=True)
evaluator.evaluate_relation(relation, template_index=0, batch_size=8)
