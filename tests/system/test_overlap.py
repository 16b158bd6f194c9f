# SPDX-License-Identifier: Apache-2.0
"""Facts whose names appear together in texts, counted independently from the raw files; and memory that does not grow
with a text."""
import bisect
import gzip
import json
import random
import re
import subprocess
import sys
import unittest

import command

PROGRAMS = "plumb_command"

RELATIONS = ["author", "birth-year", "capital", "city-country", "continent"]
FILLER = "the a in of and was which year city land river book people north old".split()
SIMPLE = re.compile(r"[^\W_]+( [^\W_]+)*")


def raw_facts():
    """(relation, instance) -> names of the subject and of the object, read from the files themselves; only facts whose names are
    words separated by single spaces, which need no rules."""
    metadata = json.loads((command.FACTS / "metadata_relations.json").read_text())
    rows = {code: command.rows(command.FACTS / f"{code}.jsonl") for code in metadata}
    aliases = {}
    for code in rows:
        for row in rows[code]:
            aliases.setdefault(metadata[code]["answer_space_ids"][row["answer_idx"]], set()).update(row.get("obj_aliases", []))
            aliases.setdefault(row["sub_id"], set()).update(row["sub_aliases"])
    facts = {}
    for code in RELATIONS:
        for instance, row in enumerate(rows[code]):
            subject = {row["sub_label"], *row["sub_aliases"]}
            answer = row["answer_idx"]
            label, identifier = metadata[code]["answer_space_labels"][answer], metadata[code]["answer_space_ids"][answer]
            object_ = {label, *aliases[identifier]}
            if all(SIMPLE.fullmatch(name) and len(name) > 1 for name in subject | object_):
                facts[code, instance] = sorted(subject), sorted(object_)
    return facts


def made_documents(facts, seed, count):
    """Documents as lists of lines: filler with names of facts, some of them together, in any case, with commas."""
    draw = random.Random(seed)
    pairs = sorted(facts.values())
    documents = []
    for _ in range(count):
        lines = []
        for _ in range(draw.randrange(1, 30)):
            words = []
            for _ in range(draw.randrange(0, 6)):
                words += draw.choices(FILLER, k=draw.randrange(0, 12))
                subject, object_ = draw.choice(pairs)
                names = [draw.choice(subject), draw.choice(object_)]
                draw.shuffle(names)
                for name in names[:draw.choice([1, 2, 2])]:
                    words.append(draw.choice([str, str.upper, str.lower])(name) + draw.choice(["", ",", "'s"]))
                    words += draw.choices(FILLER, k=draw.choice([0, 2, 8]))
            # A name may continue in the next line.
            lines += " ".join(words).replace(" ", "\n", draw.choice([0, 0, 1])).split("\n")
        documents.append(lines)
    return documents


def words_of(text):
    return [word.lower() for word in re.findall(r"[^\W_]+", re.sub(r"'s\b", "", text))]


def places(names, words):
    """First and last word of every mention."""
    found = []
    for name in names:
        parts = words_of(name)
        found += [(at, at + len(parts) - 1) for at in range(len(words) - len(parts) + 1) if words[at:at + len(parts)] == parts]
    return found


def together(fact, words):
    """(first, last) of every pair of mentions that do not overlap."""
    return [(min(s[0], o[0]), max(s[1], o[1])) for s in places(fact[0], words) for o in places(fact[1], words)
            if s[1] < o[0] or o[1] < s[0]]


def stretches(pairs, most):
    """The largest number of disjoint pairs of at most `most` words; best[i] uses only the first i pairs, sorted by
    their ends."""
    pairs = sorted((last, first) for first, last in pairs if last - first < most)
    ends = [last for last, _ in pairs]
    best = [0]
    for i, (_, first) in enumerate(pairs):
        best.append(max(best[i], best[bisect.bisect_left(ends, first)] + 1))
    return best[-1]


def paragraphs(lines):
    """Lines joined up to a line without words."""
    joined = [[]]
    for line in lines:
        if words_of(line):
            joined[-1].append(line)
        else:
            joined.append([])
    return ["\n".join(part) for part in joined]


def recount(facts, documents, within):
    counts = dict.fromkeys(facts, 0)
    for lines in documents:
        if within == "line":
            parts = lines
        elif within == "paragraph":
            parts = paragraphs(lines)
        else:
            parts = ["\n".join(lines)]
        for part in parts:
            words = words_of(part)
            known = set(words)
            for key, fact in facts.items():
                if not all(any(words_of(name)[0] in known for name in side) for side in fact):
                    continue
                pairs = together(fact, words)
                counts[key] += stretches(pairs, int(within)) if within.isdigit() else bool(pairs)
    return counts


def peak_bytes(words):
    """Peak resident memory of a process, started by a small process: a child's peak is at least its parent's memory."""
    measure = "import sys, test_memory; print(test_memory.peak_bytes(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", measure, *map(str, words)], cwd=command.ROOT / "tests" / "system",
                          capture_output=True, text=True, check=True)
    return int(done.stdout)


class Overlap(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.facts = raw_facts()
        cls.documents = made_documents(cls.facts, 7, 40)
        cls.plain = cls.folder / "plain"
        cls.plain.mkdir()
        for i, lines in enumerate(cls.documents):
            (cls.plain / f"{i:02}.txt").write_text("\n".join(lines) + "\n")
        cls.rows = cls.folder / "rows.jsonl"
        cls.rows.write_text("".join(json.dumps({"id": i, "text": "\n".join(lines), "meta": {"text": "Paris France"}}) + "\n"
                                    for i, lines in enumerate(cls.documents)))

    def meetings(self, texts, *more):
        out = self.folder / "out.jsonl"
        words = ["data", "overlap", command.FACTS, *texts, "--relations", ",".join(RELATIONS), "--out", out, *more]
        command.plumb(*words)
        return {(row["relation"], row["instance_index"]): row for row in command.rows(out)}

    def test_counts_are_those_of_the_raw_files(self):
        self.assertGreater(len(self.facts), 200)
        for within in ("3", "12", "50", "line", "paragraph", "document"):
            expected = recount(self.facts, self.documents, within)
            self.assertGreater(sum(count > 0 for count in expected.values()), 100 if within != "3" else 20)
            for texts in (self.plain, self.rows):
                met = self.meetings([texts], "--within", within)
                self.assertEqual({key: met[key]["meetings"] for key in expected}, expected, f"{within} {texts}")

    def test_first_meeting_is_at_the_reported_position(self):
        met = self.meetings([self.plain], "--within", "line")
        told = [(key, row) for key, row in met.items() if key in self.facts and row["meetings"] > 0]
        self.assertGreater(len(told), 50)
        for key, row in told[::10]:
            document = int(row["first_file"][-6:-4])
            before = recount({key: self.facts[key]}, [*self.documents[:document],
                                                      self.documents[document][:row["first_line"] - 1]], "line")
            self.assertEqual(before[key], 0)
            line = self.documents[document][row["first_line"] - 1]
            self.assertTrue(together(self.facts[key], words_of(line)), line)

    def test_a_compressed_file_is_refused_and_read_from_a_pipe(self):
        packed = self.folder / "rows.jsonl.gz"
        packed.write_bytes(gzip.compress(self.rows.read_bytes()))
        refused = command.plumb("data", "overlap", command.FACTS, packed, code=2).stderr
        self.assertIn("rows.jsonl.gz: is a gzip file, not text; unpack it", refused)
        words = [command.PLUMB, "data", "overlap", command.FACTS, "/dev/stdin", "--text-field", "text"]
        with subprocess.Popen(["gzip", "-dc", packed], stdout=subprocess.PIPE) as unpacked:
            piped = subprocess.run(words, stdin=unpacked.stdout, capture_output=True, text=True)
        self.assertEqual(piped.returncode, 0, piped.stderr)
        self.assertEqual(piped.stdout, command.plumb("data", "overlap", command.FACTS, self.rows).stdout)

    def test_memory_does_not_grow_with_a_text_a_line_or_a_document(self):
        part = " ".join(line for lines in self.documents for line in lines) + " "
        large = part * (20_000_000 // len(part))
        texts = {"small.txt": part, "one line.txt": large, "lines.txt": large.replace(" the ", "\n"),
                 "one.jsonl": json.dumps({"text": large})}
        for within in ("50", "document"):
            peaks = {}
            for name, text in texts.items():
                file = self.folder / name
                file.write_text(text)
                peaks[name] = peak_bytes([command.PLUMB, "data", "overlap", command.FACTS, file, "--within", within])
                file.unlink()
            growth = (max(peaks.values()) - peaks["small.txt"]) / 1e6
            print(f"growth {growth:.1f} MB ... ", end="")
            self.assertLessEqual(growth, 4, f"{within}: {peaks}")


if __name__ == "__main__":
    unittest.main()
