# SPDX-License-Identifier: Apache-2.0
"""Many-shot scoring with shared shots, compared with scoring every (fact, choice) from its first token: the same backend,
weights, facts and threads, in one run. Prints the medians of both rates and their ratio."""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def fixed_study(relation, facts, seed=0):
    """50 shots, 100 choices, and test facts of a relation of the bundled dataset."""
    options = json.loads((ROOT / "examples/facts/metadata_relations.json").read_text())[relation]["answer_space_labels"]
    rows = [json.loads(line) for line in (ROOT / f"examples/facts/{relation}.jsonl").read_text().splitlines()]
    chance = random.Random(seed)
    chance.shuffle(rows)
    tests = rows[50:50 + facts]
    others = [option for option in options if option not in {row["obj_label"] for row in tests}]
    choices = sorted({row["obj_label"] for row in tests})
    choices += chance.sample(others, min(len(others), 100 - len(choices)))
    return {"relation": relation, "separator": " ", "shots": [[row["sub_label"], row["obj_label"]] for row in rows[:50]],
            "choices": choices, "test": [{"subject": row["sub_label"], "answer": row["obj_label"]} for row in tests]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--relation", default="birth-year")
    parser.add_argument("--facts", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scratch-facts", type=int, default=1, help="facts scored from scratch per round")
    words = parser.parse_args()
    study = fixed_study(words.relation, words.facts)
    print(f"{words.relation}, {len(study['shots'])} shots, {len(study['choices'])} choices, {words.model.name}; "
          f"per round {words.facts} facts with shared shots, {words.scratch_facts} from scratch")
    shared, scratch, worst = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "study.json").write_text(json.dumps(study))
        for turn in range(words.rounds):
            out = folder / str(turn)
            subprocess.run([words.build / "plumb", "many-shot", "--fixed", folder / "study.json", "--model", words.model,
                            "--out", out], check=True, capture_output=True)
            run = json.loads((out / "run.json").read_text())
            shared.append(words.facts / run["seconds_model"])
            done = subprocess.run([words.build / "many_shot_from_scratch", words.model, out / "fixed.json",
                                   str(words.scratch_facts)], check=True, capture_output=True, text=True)
            alone = json.loads(done.stdout)
            scratch.append(alone["facts"] / alone["seconds"])
            worst = max(worst, alone["largest_difference"])
            print(f"round {turn + 1}: {shared[-1]:.3f} facts/s with {run['tokens_fed']} tokens for {words.facts} facts, "
                  f"{scratch[-1]:.4f} facts/s with {alone['tokens']} tokens for {alone['facts']}: "
                  f"{shared[-1] / scratch[-1]:.1f} times", flush=True)
    print(f"median: {statistics.median(a / b for a, b in zip(shared, scratch)):.1f} times the facts per second; "
          f"largest difference {worst:.1e} nats")


if __name__ == "__main__":
    main()
