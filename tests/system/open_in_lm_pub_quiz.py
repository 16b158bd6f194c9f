# SPDX-License-Identifier: Apache-2.0
"""Opens a results folder with lm-pub-quiz and prints the accuracies it finds, as JSON.

lm-pub-quiz imports torch, transformers and accelerate for its evaluators; its results classes need
none of them, so empty stand-ins are enough here.
"""
import json
import sys
import types
import unittest.mock

import scipy.stats  # noqa: F401  before the stand-ins: scipy and scikit-learn look for a real torch
import sklearn.metrics  # noqa: F401

for name in ("torch", "torch.nn", "torch.nn.functional", "transformers", "accelerate"):
    module = types.ModuleType(name)
    module.__getattr__ = lambda attribute: unittest.mock.MagicMock
    module.__path__ = []
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)

from lm_pub_quiz import DatasetResults  # noqa: E402

results = DatasetResults.from_path(sys.argv[1], relation_info=sys.argv[2])  # the dataset's relation_info.json
relations = results.get_metrics(["accuracy"], accumulate=False)["accuracy"].to_dict()
answer = {"overall": float(results.get_metrics("accuracy")),
          "relations": {code: float(value) for code, value in relations.items()}, "domains": {}}
domains = results.get_metrics(["accuracy"], accumulate="domains")["accuracy"].to_dict()
answer["domains"] = {name: float(value) for name, value in domains.items()}
print(json.dumps(answer))
