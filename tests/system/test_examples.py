# SPDX-License-Identifier: Apache-2.0
"""Each example prints the output in its comment."""
import json
import subprocess
import unittest

import command

PROGRAMS = "plumb_examples"

EXAMPLES = command.ROOT / "examples"


def promised(text):
    """The lines below "// Prints:" in an example's first comment; empty if there is none."""
    lines = text.splitlines()
    if "// Prints:" not in lines:
        return None
    below = lines[lines.index("// Prints:") + 1:]
    end = next(i for i, line in enumerate(below) if not line.startswith("//   "))
    return [line.removeprefix("//   ") for line in below[:end]]


class Examples(unittest.TestCase):
    def test_examples_print_their_documented_output(self):
        ran = 0
        for source in sorted(EXAMPLES.glob("*.cpp")):
            expected = promised(source.read_text())
            if expected is None:
                continue
            with self.subTest(source.name):
                done = subprocess.run([command.BUILD / f"example_{source.stem}"], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout.splitlines(), expected)
                ran += 1
        self.assertEqual(ran, 25)

    def test_the_command_over_an_own_engine_probes(self):
        folder = command.temporary_folder(self)
        (folder / "facts.json").write_text('{"capital": ["The capital of [X] is [Y]."]}')
        (folder / "facts.tsv").write_text("France\tcapital\tParis\nKorea\tcapital\tSeoul\n")
        done = subprocess.run([command.BUILD / "example_own_command", "probe", "--data", folder / "facts.tsv", "--model",
                               "own", "--out", folder / "run"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("capital", done.stdout)
        self.assertTrue((folder / "run" / "report.html").stat().st_size > 0)

        check = json.loads((folder / "run" / "run.json").read_text())["start_check"]
        self.assertEqual((check["worst_nats"], check["most_nats"]), (0, 0.5))
        self.assertIn("evaluate of a tree after a release", check["compared"])

    def test_an_own_engine_is_verified(self):
        done = subprocess.run([command.BUILD / "example_own_command", "verify"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertIn("compared: evaluate of a tree that grows", lines)
        self.assertEqual(lines[-1], "all agree")

    def test_the_command_over_an_own_masked_engine_probes_and_is_calibrated(self):
        folder = command.temporary_folder(self)
        (folder / "read.txt").write_text("The capital of France is Paris. The capital of Korea is Seoul.")
        (folder / "facts.json").write_text('{"capital": ["The capital of [X] is [Y]."]}')
        (folder / "facts.tsv").write_text("France\tcapital\tParis\nKorea\tcapital\tSeoul\n")

        def run(*words):
            return subprocess.run([command.BUILD / "example_own_masked_command", *words], capture_output=True, text=True,
                                  cwd=folder)

        asked = ["--data", "facts.tsv", "--model", "read.txt", "--out", "run"]
        done = run("probe", *asked)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^capital +2 +2 +1\.000 ")
        self.assertIn("masked inputs", done.stdout)
        done = run("calibrate", "run", "--out", "calibration", "--bins", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("rank", *asked)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is a masked model", done.stderr)

    def test_the_readme_shows_the_example_as_it_is(self):
        shown = (command.ROOT / "README.md").read_text().split("```cpp\n")[1].split("\n```")[0]
        self.assertIn(shown, (EXAMPLES / "own_engine.hpp").read_text())

    def test_programs_that_are_promised_to_be_short_are(self):
        for name, most in (("five_systems", 120), ("hold_a_kernel", 30)):
            lines = [line for line in (EXAMPLES / f"{name}.cpp").read_text().splitlines()
                     if line.strip() and not line.lstrip().startswith(("//", "#include"))]
            self.assertLess(len(lines), most, name)

    def test_a_missing_promise_is_noticed(self):
        self.assertIsNone(promised("// What?\n\nint main() {}\n"))
        self.assertEqual(promised("// What?\n//\n// Prints:\n//   one\n//   two\n\nint"), ["one", "two"])


if __name__ == "__main__":
    unittest.main()
