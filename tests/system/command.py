# SPDX-License-Identifier: Apache-2.0
"""Shared by the system tests: where things are, and how to call the command."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

os.environ.pop("COLUMNS", None)  # tables have their full width, whoever runs the tests

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("PLUMB_BUILD", ROOT / "build"))
PLUMB = BUILD / "plumb"
FACTS = ROOT / "examples" / "facts"
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", ROOT.parent / "shared"))
MODEL = os.environ.pop("PLUMB_MODEL", "")  # the command would read it too
PEER = os.environ.get("PLUMB_PEER", "")
VOCABULARIES = os.environ.get("PLUMB_VOCABULARIES", "")
JINJA = pathlib.Path(os.environ.get("PLUMB_JINJA", "/nonexistent"))  # the engine and templates of llama.cpp
LLAMA_INCLUDE = os.environ.get("PLUMB_LLAMA_INCLUDE", "")

# Results for headers that did not change, by the hash of the files read.
CHECKED = pathlib.Path(os.environ.get("PLUMB_CACHE", "~/.cache/plumb")).expanduser() / "checked-headers"

needs_shared = unittest.skipUnless(SHARED.is_dir(), f"skipped: no reference data at {SHARED}")
needs_model = unittest.skipUnless(os.path.isfile(MODEL), "skipped: PLUMB_MODEL is not set to a model file")
needs_peer = unittest.skipUnless(os.path.isfile(PEER), "skipped: PLUMB_PEER is not set to a Python with lm-pub-quiz")


needs_vocabularies = unittest.skipUnless(os.path.isdir(VOCABULARIES), "skipped: PLUMB_VOCABULARIES is not set to a folder")


def tiny_model(folder, vocabulary=None):
    """Random weights with MPT's tokenizer, or another model's, for tests that need no knowledge: a job over it takes a
    second, and its scores depend on the context by nats. The module's PROGRAMS must contain write_tiny_gguf."""
    model = pathlib.Path(folder) / "tiny.gguf"
    vocabulary = vocabulary or pathlib.Path(VOCABULARIES) / "ggml-vocab-mpt.gguf"
    subprocess.run([BUILD / "write_tiny_gguf", model, vocabulary], check=True)
    return model


def plumb(*arguments, code=0):
    """Runs the command; fails with the command's output if it does not end with `code`."""
    done = subprocess.run([PLUMB, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != code:
        raise AssertionError(f"plumb {' '.join(map(str, arguments))} ended with {done.returncode}, "
                             f"not {code}:\n{done.stderr}{done.stdout}")
    return done


def temporary_folder(case):
    """A folder that all tests of a class share, for its setUpClass; removed after the last test."""
    folder = tempfile.TemporaryDirectory()
    case.addClassCleanup(folder.cleanup)
    return pathlib.Path(folder.name)


def kill_when_journal_has(process, journal, size, pause=0):
    """SIGKILLs the process a moment after the journal reached a size, or after the process ended by itself."""
    while process.poll() is None and (not journal.exists() or journal.stat().st_size < size):
        time.sleep(0.002)
    time.sleep(pause)
    process.send_signal(signal.SIGKILL)
    process.wait()


def probe(out, *more, data=FACTS, model=None, code=0):
    return plumb("probe", "--data", data, "--model", model or MODEL, "--out", out, *more, code=code)


def rows(file):
    return [json.loads(line) for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines()]


def results(folder):
    """File name -> bytes of everything that must not depend on how a run was interrupted."""
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())
            if path.is_file() and path.name not in ("run.json", "journal.jsonl")}
