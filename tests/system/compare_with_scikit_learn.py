# SPDX-License-Identifier: Apache-2.0
"""Calibration numbers of random answers with ties, in plumb and in scikit-learn; run by the peer's Python.

Arguments: the program calibration_numbers, the number of inputs. Prints the number of inputs and, by name, the largest
difference found.
"""
import json
import subprocess
import sys

import numpy as np
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

random = np.random.default_rng(7)
inputs = []
for i in range(int(sys.argv[2])):
    n = int(random.integers(30, 400))
    kind = i % 4
    if kind == 0:  # few distinct values
        confidence = random.integers(0, 6, n) / 5
    elif kind == 1:  # rounded
        confidence = np.round(random.random(n), 2)
    elif kind == 2:  # concentrated at both ends, some of them duplicated
        confidence = random.beta(0.3, 0.3, n)
        confidence[n // 2:] = confidence[: n - n // 2]
    else:
        confidence = random.random(n)
    correct = (random.random(n) < confidence ** 1.5).astype(int)
    correct[:2] = (0, 1)
    at = np.concatenate([random.random(20), confidence[:20], [0.0, 1.0]])
    inputs.append({"confidence": confidence.tolist(), "correct": correct.tolist(), "bins": int(random.integers(2, 30)),
                   "at": at.tolist()})

text = "".join(json.dumps(line) + "\n" for line in inputs)
done = subprocess.run([sys.argv[1]], input=text, capture_output=True, text=True, check=True)
worst = {}


def compare(name, ours, theirs):
    difference = float(np.max(np.abs(np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float))))
    worst[name] = max(worst.get(name, 0.0), difference)


for given, line in zip(inputs, done.stdout.splitlines(), strict=True):
    ours = json.loads(line)
    c, y = np.array(given["confidence"]), np.array(given["correct"])
    true, predicted = calibration_curve(y, c, n_bins=given["bins"], strategy="quantile")
    assert len(true) == len(ours["curve"]), (len(true), len(ours["curve"]))
    compare("curve", ours["curve"], np.stack([predicted, true], axis=1))
    compare("ace", ours["metrics"]["ace"], np.mean(np.abs(true - predicted)))
    true, predicted = calibration_curve(y, c, n_bins=given["bins"], strategy="uniform")
    compare("mce", ours["metrics"]["mce"], np.max(np.abs(true - predicted)))
    compare("brier", ours["metrics"]["brier"], brier_score_loss(y, c))
    compare("log_loss", ours["metrics"]["log_loss"], log_loss(y, np.clip(c, 1e-12, 1 - 1e-12)))
    compare("auroc", ours["metrics"]["auroc"], roc_auc_score(y, c))
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(c, y)
    compare("isotonic", ours["isotonic"], isotonic.predict(given["at"]))
print(json.dumps({"inputs": len(inputs), "worst": worst}))
