# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` installs of the command: the program, its man page, and its shell completions."""
import re
import shutil
import subprocess
import unittest

import command


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = command.temporary_folder(cls)
        subprocess.run(["cmake", "--install", command.BUILD, "--component", "command", "--prefix", cls.prefix], check=True,
                       capture_output=True)

    def completed(self, *words):
        """Bash's completions of the last word."""
        script = self.prefix / "share" / "bash-completion" / "completions" / "plumb"
        listed = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(["bash", "--norc", "-c", f"source {script}; COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; "
                               "_plumb; printf '%s\\n' \"${COMPREPLY[@]}\""], capture_output=True, text=True, cwd=self.prefix)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return set(done.stdout.split())

    def test_the_command_and_what_belongs_to_it_are_there(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()}
        self.assertEqual(files, {"bin/plumb", "share/man/man1/plumb.1", "share/bash-completion/completions/plumb",
                                 "share/zsh/site-functions/_plumb"})
        done = subprocess.run([self.prefix / "bin" / "plumb", "--version"], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"^plumb \d+\.\d+\.\d+\n$")

    def test_bash_completes_commands_options_and_their_words(self):
        self.assertEqual(self.completed("plumb", "pro"), {"probe"})
        self.assertEqual(self.completed("plumb", "probe", "--prec"), {"--precision"})
        self.assertEqual(self.completed("plumb", "probe", "--precision", ""), {"exact", "fast", "bf16"})
        self.assertEqual(self.completed("plumb", "probe", "--model", ""), {"bin", "share"})
        self.assertEqual(self.completed("plumb", "probe", "--limit", ""), set())
        self.assertEqual(self.completed("plumb", "data", "pro"), {"prompts"})
        self.assertEqual(self.completed("plumb", "completion", "z"), {"zsh"})

    def test_every_option_of_help_is_completed_and_in_the_man_page(self):
        page = (self.prefix / "share" / "man" / "man1" / "plumb.1").read_text().replace("\\-", "-")
        for name in ["probe", "many-shot", "rank", "generate", "calibrate", "compare", "report", "data"]:
            options = set(re.findall(r"^  (--[a-z-]+)", command.plumb(name, "--help", "all").stdout, re.MULTILINE))
            self.assertGreater(len(options), 1, name)
            self.assertLessEqual(options - {"--help"}, self.completed("plumb", name, "--"), name)
            part = page.split(f".SH PLUMB {name}\n")[1].split("\n.SH ")[0]
            self.assertLessEqual(options, set(re.findall(r"^\.B (--[a-z-]+)$", part, re.MULTILINE)), name)

    @unittest.skipUnless(shutil.which("groff"), "skipped: no groff")
    def test_the_man_page_is_one(self):
        page = self.prefix / "share" / "man" / "man1" / "plumb.1"
        done = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-ww", page], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("measure what facts a language model knows", done.stdout)

    @unittest.skipUnless(shutil.which("zsh"), "skipped: no zsh")
    def test_zsh_reads_its_own(self):
        script = self.prefix / "share" / "zsh" / "site-functions" / "_plumb"
        done = subprocess.run(["zsh", "-n", script], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
