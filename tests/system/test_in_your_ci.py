# SPDX-License-Identifier: Apache-2.0
"""The CTest lines and the workflow of docs/in-your-ci.md, executed as written there.

`my_probe` is the command itself, and the base is a run of a tiny random model. The changed run uses the same model,
which passes, or another model, which fails.
"""
import json
import os
import pathlib
import re
import subprocess
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"

PAGE = (command.ROOT / "docs" / "in-your-ci.md").read_text()


def block(language):
    """The text of the page's block in a language."""
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL).group(1)


@unittest.skipUnless(os.path.isdir(command.VOCABULARIES), "skipped: PLUMB_VOCABULARIES is not set to a folder")
class InYourCi(unittest.TestCase):
    def setUp(self):
        self.folder = command.temporary_folder(self)
        (self.folder / "facts").mkdir()
        known = json.loads((command.FACTS / "metadata_relations.json").read_text())
        few = ("capital", "continent", "currency")
        (self.folder / "facts" / "metadata_relations.json").write_text(json.dumps({code: known[code] for code in few}))
        for code in few:
            (self.folder / "facts" / f"{code}.jsonl").symlink_to(command.FACTS / f"{code}.jsonl")
        for vocabulary, name in (("mpt", "model"), ("gpt-2", "other")):
            command.tiny_model(self.folder, pathlib.Path(command.VOCABULARIES) / f"ggml-vocab-{vocabulary}.gguf").rename(self.folder / f"{name}.gguf")
        command.plumb("probe", "--data", self.folder / "facts", "--model", self.folder / "model.gguf", "--out", self.folder / "base")
        self.env = {**os.environ, "PATH": f"{command.BUILD}:{os.environ['PATH']}"}

    def run_ctest(self, model):
        """Whether each test passed, by name, and the output."""
        project = self.folder
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(engine NONE)\nenable_testing()\n"
            "add_executable(my_probe IMPORTED)\n"
            f"set_target_properties(my_probe PROPERTIES IMPORTED_LOCATION {command.PLUMB})\n"
            f"set(MODEL {self.folder / model})\n" + block("cmake"))
        build = project / "made"
        subprocess.run(["cmake", "-S", project, "-B", build, "-G", "Ninja"], check=True, capture_output=True, env=self.env)
        done = subprocess.run(["ctest", "--test-dir", build, "--output-on-failure"], capture_output=True, text=True, env=self.env)
        return {name: words == "Passed" for name, words in re.findall(r"(\S+) \.+ *\**(Passed|Failed)", done.stdout)}, done.stdout

    def test_ctest_passes_for_the_same_model_and_fails_for_another(self):
        passed, printed = self.run_ctest("model.gguf")
        self.assertEqual(passed, {"probe.changed": True, "knowledge.is_kept": True}, printed)
        passed, printed = self.run_ctest("other.gguf")
        self.assertEqual(passed, {"probe.changed": True, "knowledge.is_kept": False}, printed)
        self.assertIn("condition not met: loglik.max < 0.5: ", printed)
        self.check_changes(json.loads((self.folder / "made" / "comparison" / "metrics.json").read_text())["changes"])

    def check_changes(self, changes):
        """Counts and likelihoods, computed again from the rows of both runs."""
        (changed,) = changes.values()
        moved, lost, gained, drops = [], 0, 0, []
        for file in sorted((self.folder / "base").glob("*_results.jsonl")):
            known = [[], []]
            for before, after in zip(command.rows(file), command.rows(self.folder / "made" / "changed" / file.name), strict=True):
                moved += [abs(a - b) for a, b in zip(before["pll_scores"], after["pll_scores"], strict=True)]
                for row, answers in zip((before, after), known):
                    scores = row["pll_scores"]
                    answers.append(scores[row["answer_idx"]] == max(scores) and scores.count(max(scores)) == 1)
            lost += sum(a and not b for a, b in zip(*known))
            gained += sum(b and not a for a, b in zip(*known))
            drops.append((sum(known[0]) - sum(known[1])) / len(known[0]))
        for key, expected in (("loglik.max", max(moved)), ("loglik.mean", sum(moved) / len(moved)), ("known.lost", lost),
                              ("known.gained", gained), ("accuracy.drop", sum(drops) / len(drops))):
            self.assertAlmostEqual(changed[key]["value"], expected, places=9, msg=key)

    def test_the_workflow_runs(self):
        steps = re.findall(r"- run: (?:>\n((?:          .*\n)+)|(.*)\n)", block("yaml"))
        steps = [" ".join((folded or plain).split()) for folded, plain in steps]
        self.assertEqual(len(steps), 3)
        build, ask, compare = steps
        self.assertTrue(build.startswith("cmake "))  # builds the project's own program
        (self.folder / "build").mkdir()
        (self.folder / "build" / "my_probe").symlink_to(command.PLUMB)
        for step in (ask, compare):
            done = subprocess.run(["bash", "-ec", step], cwd=self.folder, env=self.env, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, step + done.stdout + done.stderr)
        self.assertTrue((self.folder / "comparison" / "report.html").is_file())


if __name__ == "__main__":
    unittest.main()
