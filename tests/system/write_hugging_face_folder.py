# SPDX-License-Identifier: Apache-2.0
"""Writes the model of a GGUF file in F32 as a Hugging Face folder, for servers that do not read GGUF: MODEL.gguf FOLDER."""
import pathlib
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

source, folder = map(pathlib.Path, sys.argv[1:])
read = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.float32)
# A model that was read from GGUF is marked as quantised, and transformers does not save quantised models.
if hasattr(read.config, "quantization_config"):
    del read.config.quantization_config
model = AutoModelForCausalLM.from_config(read.config, dtype=torch.float32)
model.load_state_dict(read.state_dict())
model.save_pretrained(folder)
AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name).save_pretrained(folder)
