# SPDX-License-Identifier: Apache-2.0
"""Allows importing lm-pub-quiz without torch, transformers and accelerate. Its evaluators need them, but its datasets and
results do not, so empty stand-ins are enough. Import this before lm_pub_quiz."""
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
