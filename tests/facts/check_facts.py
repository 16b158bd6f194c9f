#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the bundled facts: their structure, and their answers against Debian's data files.

usage: check_facts.py FOLDER [--root DIR]

The structure of facts and templates is always checked. An answer is looked up again in the data file that it was taken
from, if the package with that file is installed (below DIR, by default the root of the file system).
"""

import argparse
import collections
import json
import os
import re
import sys

from fact_sources import PACKAGE_FILE, SOURCES, plain

KEYS = ["sub_id", "sub_label", "sub_aliases", "obj_id", "obj_label", "answer_idx"]
OPTIONAL_KEYS = ["obj_aliases"]
TEMPLATES = "prompts/templates.jsonl"
TEMPLATE_KEYS = ["relation", "template", "group", "style", "origin"]


def check_strings(label, aliases):
    for text in [label, *aliases]:
        if not isinstance(text, str) or not text or text != text.strip():
            yield f"empty or padded name {text!r}"
    if len({label, *aliases}) != 1 + len(aliases):
        yield "an alias is repeated, or equals the label"


def check_fact(fact, space):
    """Problems of one line by itself, without those that involve other lines."""
    if list(fact)[: len(KEYS)] != KEYS or list(fact)[len(KEYS) :] not in ([], OPTIONAL_KEYS):
        yield f"keys are {list(fact)}"
        return
    yield from check_strings(fact["sub_label"], fact["sub_aliases"])
    yield from check_strings(fact["obj_label"], fact.get("obj_aliases", []))
    if fact.get("obj_aliases") == []:
        yield "obj_aliases is present but empty"
    labels, ids = space["answer_space_labels"], space["answer_space_ids"]
    index = fact["answer_idx"]
    if type(index) is not int or not 0 <= index < len(labels):
        yield f"answer_idx {index!r} is outside the answer space"
    elif (labels[index], ids[index]) != (fact["obj_label"], fact["obj_id"]):
        yield f"answer_idx {index} is {labels[index]!r}, not {fact['obj_label']!r}"


def check_relation(name, space, facts):
    """Problems of a relation's templates and answer space."""
    where = "metadata_relations.json:0"
    for template in space["templates"]:
        if template.count("[X]") != 1 or template.count("[Y]") != 1 or not template.endswith("."):
            yield f"{where}: {name}: bad template {template!r}"
    if len(set(space["templates"])) < 3:
        yield f"{where}: {name}: fewer than three templates"
    labels, ids = space["answer_space_labels"], space["answer_space_ids"]
    if len(labels) != len(ids):
        yield f"{where}: {name}: {len(labels)} labels but {len(ids)} ids"
    for what, values in (("label", labels), ("id", ids)):
        for value, count in collections.Counter(values).items():
            if count > 1:
                yield f"{where}: {name}: {what} {value!r} occurs {count} times"
    for label in sorted(set(labels) - {fact.get("obj_label") for _, fact in facts}):
        yield f"{where}: {name}: no fact has the answer {label!r}"


def words(name):
    """The words of a name, without accents, case and punctuation."""
    return [plain(word) for word in re.findall(r"[^\W_]+", name)]


def contains(whole, part):
    return any(whole[i : i + len(part)] == part for i in range(len(whole) - len(part) + 1))


def check_object_aliases(name, facts):
    """Problems of an object's other names: its lines must agree, and no other name may also fit another object."""
    first, bare = {}, {}
    for number, fact in facts:
        aliases = fact.get("obj_aliases", [])
        line, known = first.setdefault(fact["obj_id"], (number, aliases))
        if aliases != known:
            yield f"{name}.jsonl:{number}: {fact['obj_id']} has different obj_aliases than in line {line}"
        bare[fact["obj_id"]] = [(text, words(text)) for text in [fact["obj_label"], *aliases]]
    for identity, ((label, _), *aliases) in bare.items():
        where = f"{name}.jsonl:{first[identity][0]}"
        for alias, alias_words in aliases:
            if not alias_words:
                yield f"{where}: alias {alias!r} has no letter or digit"
                continue
            for other, names in bare.items():
                for text, text_words in names if other != identity else ():
                    if text_words and (contains(text_words, alias_words) or contains(alias_words, text_words)):
                        yield f"{where}: alias {alias!r} of {label!r} cannot be distinguished from {text!r} of {other}"


def check_template(line, metadata):
    """Problems of one line of templates.jsonl by itself, without those that involve other lines."""
    if list(line) != TEMPLATE_KEYS or not all(isinstance(value, str) for value in line.values()):
        yield f"the fields are {line}, not the strings {TEMPLATE_KEYS}"
        return
    text, name = line["template"], line["relation"]
    if name not in metadata:
        yield f"relation {name!r} is not in metadata_relations.json"
    if not re.fullmatch(re.escape(name) + r"-[1-9]\d*", line["group"]):
        yield f"group {line['group']!r} is not {name!r} and a number"
    if line["origin"] not in ("manual", "generated"):
        yield f"origin {line['origin']!r} is neither manual nor generated"
    if sorted(re.findall(r"\[.*?\]", text)) != ["[X]", "[Y]"]:
        yield f"{text!r} does not contain [X] once and [Y] once"
    if "  " in text or text != text.strip() or not (text[:1].isupper() or text.startswith(("[X]", "[Y]"))):
        yield f"{text!r} has wrong blanks or starts with a small letter"
    if line["style"] == "cloze":
        if "?" in text or not text.endswith("."):
            yield f"{text!r} is not a sentence with a full stop"
    elif line["style"] == "question":
        if text.count("?") != 1 or not text.endswith("? [Y]."):
            yield f"{text!r} does not end in '? [Y].'"
    else:
        yield f"style {line['style']!r} is neither cloze nor question"


def check_templates(metadata, templates):
    """Problems of templates.jsonl: of its lines, of its groups, and of its size."""
    relations, groups, seen, sound = {}, {}, {}, []
    for number, line in templates:
        broken = list(check_template(line, metadata))
        yield from (f"{TEMPLATES}:{number}: {what}" for what in broken)
        if broken:
            continue
        sound.append((list(metadata).index(line["relation"]), int(line["group"].rpartition("-")[2])))
        groups.setdefault(line["group"], []).append((number, line))
        relations.setdefault(line["relation"], []).append(line)
        text = plain(line["template"])
        if seen.setdefault(text, number) != number:
            yield f"{TEMPLATES}:{number}: {line['template']!r} is already in line {seen[text]}"
    if sound != sorted(sound):
        yield f"{TEMPLATES}:0: the lines are not sorted by relation, as in metadata_relations.json, then by group"
    for group, lines in groups.items():
        where = f"{TEMPLATES}:{lines[0][0]}: {group}"
        if [line["origin"] for _, line in lines] != ["manual"] + ["generated"] * (len(lines) - 1):
            yield f"{where}: the first template, and only the first, must be manual"
        if len(lines) < 2:
            yield f"{where}: the template has no paraphrase"
        if len({line["style"] for _, line in lines}) > 1:
            yield f"{where}: the group has more than one style"
    for name, lines in relations.items():
        for style in sorted({"cloze", "question"} - {line["style"] for line in lines}):
            yield f"{TEMPLATES}:0: {name} has no group of {style} templates"
    if sum(len(lines) >= 20 for lines in relations.values()) < 8:
        yield f"{TEMPLATES}:0: fewer than eight relations with 20 templates"


def check_thresholds(relations):
    """The dataset must stay large enough for the measurements that use it."""
    sizes = {name: len(facts) for name, facts in relations.items()}
    large = [facts for facts in relations.values() if len(facts) >= 320]
    for fine, what in (
        (len(sizes) >= 12, "fewer than 12 relations"),
        (sum(sizes.values()) >= 900, "fewer than 900 facts"),
        (sum(size >= 150 for size in sizes.values()) >= 3, "fewer than three relations with 150 facts"),
        (any(len({f.get("obj_id") for _, f in facts}) >= 100 for facts in large),
         "no relation with 320 facts and 100 distinct answers"),
    ):
        if not fine:
            yield f"metadata_relations.json:0: {what}"


def read_lines(folder, name, problems):
    """[(line number, object)]; lines that are not JSON objects are omitted."""
    lines = []
    with open(os.path.join(folder, name), encoding="utf-8") as handle:
        for number, line in enumerate(handle, 1):
            try:
                value = json.loads(line)
            except ValueError as error:
                problems.append(f"{name}:{number}: {error}")
                continue
            if not isinstance(value, dict):
                problems.append(f"{name}:{number}: not an object")
                continue
            if json.dumps(value, ensure_ascii=False) != line.rstrip("\n"):
                problems.append(f"{name}:{number}: not written as json.dumps(..., ensure_ascii=False)")
            lines.append((number, value))
    return lines


def load(folder):
    """(metadata, {relation: [(line number, fact)]}, [(line number, template)], problems)"""
    problems, relations, templates = [], {}, []
    with open(os.path.join(folder, "metadata_relations.json"), encoding="utf-8") as handle:
        metadata = json.load(handle)
    with open(os.path.join(folder, "relation_info.json"), encoding="utf-8") as handle:
        info = json.load(handle)
    files = {name[: -len(".jsonl")] for name in os.listdir(folder) if name.endswith(".jsonl")}
    for name in sorted(files ^ set(metadata)):
        problems.append(f"{name}.jsonl:0: the file or its entry in metadata_relations.json is missing")
    for name in sorted(files ^ set(info)):
        problems.append(f"relation_info.json:0: {name}: no such file, or no such entry")
    for name, entry in info.items():
        if not entry.get("domains"):
            problems.append(f"relation_info.json:0: {name}: no domains")
    for name in sorted(files & set(metadata)):
        relations[name] = read_lines(folder, name + ".jsonl", problems)
    if os.path.exists(os.path.join(folder, TEMPLATES)):
        templates = read_lines(folder, TEMPLATES, problems)
    else:
        problems.append(f"{TEMPLATES}:0: the file is missing")
    return metadata, relations, templates, problems


def check_structure(metadata, relations, templates):
    label_of = {}
    for name, facts in relations.items():
        yield from check_relation(name, metadata[name], facts)
        seen, whole = {}, []
        for number, fact in facts:
            where = f"{name}.jsonl:{number}"
            broken = list(check_fact(fact, metadata[name]))
            yield from (f"{where}: {what}" for what in broken)
            if broken:
                continue
            whole.append((number, fact))
            for value in (fact["sub_id"], plain(fact["sub_label"])):
                if seen.setdefault(value, number) != number:
                    yield f"{where}: subject {value!r} is already in line {seen[value]}"
            for side in ("sub", "obj"):
                label, identity = fact[side + "_label"], fact[side + "_id"]
                first = label_of.setdefault(identity, label)
                if first != label:
                    yield f"{where}: id {identity} has two labels, {label!r} and {first!r}"
        yield from check_object_aliases(name, whole)
    yield from check_templates(metadata, templates)
    yield from check_thresholds(relations)


def check_answers(metadata, relations, root, counts):
    """Problems of the answers; prints which could not be looked up, and counts those that could."""
    public = set(relations)
    for source, packages, covered in SOURCES:
        present = [name for name in covered if name in relations]
        public -= set(present)
        missing = [p for p in packages if not os.path.exists(os.path.join(root, PACKAGE_FILE[p]))]
        for name in present if missing else ():
            print(f"skipped: {name}: package {missing[0]} is not installed")
            counts["skipped"] += len(relations[name])
        if missing or not present:
            continue
        checks = source(root)
        for name in present:
            options = metadata[name]["answer_space_ids"]
            for number, fact in relations[name]:
                what = checks[name](fact, options)
                counts["checked"] += 1
                if what:
                    yield f"{name}.jsonl:{number}: {fact['sub_label']} -> {fact['obj_label']}: {what}"
    for name in sorted(public):
        print(f"public knowledge: {name}: {len(relations[name])} answers have no source to check against")
        counts["public"] += len(relations[name])


def main():
    parser = argparse.ArgumentParser(description="Check a folder of facts.")
    parser.add_argument("folder")
    parser.add_argument("--root", default="/", help="where the packages' files are (default: /)")
    arguments = parser.parse_args()
    metadata, relations, templates, problems = load(arguments.folder)
    problems += check_structure(metadata, relations, templates)
    counts = collections.Counter()
    # A broken line would make a look-up fail for a reason that is already reported.
    sound = {name: [(n, f) for n, f in facts if not list(check_fact(f, metadata[name]))]
             for name, facts in relations.items()}
    problems += check_answers(metadata, sound, arguments.root, counts)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(templates)} templates in {len({str(t.get('group')) for _, t in templates})} groups of "
          f"{len({str(t.get('relation')) for _, t in templates})} relations")
    print(f"{sum(map(len, relations.values()))} facts in {len(relations)} relations: "
          f"{counts['checked']} answers looked up again, {counts['skipped']} skipped, "
          f"{counts['public']} from public knowledge, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
