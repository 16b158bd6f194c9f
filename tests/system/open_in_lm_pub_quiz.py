# SPDX-License-Identifier: Apache-2.0
"""Opens a results folder with lm-pub-quiz and prints its accuracies as JSON."""
import json
import sys

import without_torch  # noqa: F401

from lm_pub_quiz import DatasetResults

results = DatasetResults.from_path(sys.argv[1], relation_info=sys.argv[2])  # the dataset's relation_info.json
relations = results.get_metrics(["accuracy"], accumulate=False)["accuracy"].to_dict()
answer = {"overall": float(results.get_metrics("accuracy")),
          "relations": {code: float(value) for code, value in relations.items()}, "domains": {}}
domains = results.get_metrics(["accuracy"], accumulate="domains")["accuracy"].to_dict()
answer["domains"] = {name: float(value) for name, value in domains.items()}
print(json.dumps(answer))
