# SPDX-License-Identifier: Apache-2.0
"""Opens a dataset with lm-pub-quiz and prints each relation's options and the option that answers each fact, as JSON."""
import json
import sys

import without_torch  # noqa: F401

from lm_pub_quiz import Dataset

print(json.dumps({relation.relation_code: {"answers": [int(i) for i in relation.instance_table["answer_idx"]],
                                           "labels": relation.answer_space.tolist(),
                                           "ids": relation.answer_space.index.tolist()}
                  for relation in Dataset.from_path(sys.argv[1])}))
