# SPDX-License-Identifier: Apache-2.0
"""Tables fit the terminal, or COLUMNS, and list the columns that are left out."""
import fcntl
import os
import pty
import struct
import subprocess
import termios
import unittest

import command

PROGRAMS = "plumb_command"

DESCRIBE = [command.PLUMB, "data", "describe", command.FACTS]
HEADS = ["relation", "facts", "options", "templates", "kind", "statements", "tokens", "tree", "tokens/statement"]


def on_terminal(columns):
    """The output of `plumb data describe` on a terminal with this many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(DESCRIBE, stdout=theirs, stderr=theirs)
    os.close(theirs)
    text = b""
    try:
        while part := os.read(ours, 65536):
            text += part
    except OSError:  # Linux reports this way that no process has the terminal open any more
        pass
    os.close(ours)
    process.wait()
    return text.decode().replace("\r\n", "\n").splitlines()


def table_of(lines):
    """The table's lines, and the names of the columns that are left out."""
    end = next((i for i, line in enumerate(lines) if line.startswith(("Left out to fit ", "Token counts"))), len(lines))
    below = " ".join(lines[end:])
    named = below.split(": ")[1].split(";")[0].split(", ") if below.startswith("Left out to fit ") else []
    return lines[1:end], named


class Terminal(unittest.TestCase):
    def check(self, lines, width):
        table, named = table_of(lines)
        self.assertLessEqual(max(map(len, table)), width)
        self.assertEqual(len(table[1]), max(map(len, table)))  # the rule below the heads
        self.assertEqual(sorted(table[0].split() + named), sorted(HEADS))
        self.assertTrue(all(len(line) <= width for line in lines if not line.startswith("Token counts")), lines)
        return named

    def test_a_terminal_shows_what_it_has_room_for(self):
        self.assertNotEqual(self.check(on_terminal(60), 60), [])
        self.assertEqual(self.check(on_terminal(200), 200), [])

    def test_columns_are_kept_to_wherever_the_output_goes(self):
        done = subprocess.run(DESCRIBE, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "50"})
        self.assertNotEqual(self.check(done.stdout.splitlines(), 50), [])

    def test_without_them_a_file_has_all(self):
        done = subprocess.run(DESCRIBE, capture_output=True, text=True, check=True)
        self.assertEqual(table_of(done.stdout.splitlines())[0][0].split(), HEADS)


if __name__ == "__main__":
    unittest.main()
