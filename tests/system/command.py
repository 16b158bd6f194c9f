# SPDX-License-Identifier: Apache-2.0
"""What the system tests share: where things are, and how the command is called."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

os.environ.pop("COLUMNS", None)  # tables are as wide as they are, whoever runs the tests

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("PLUMB_BUILD", ROOT / "build"))
PLUMB = BUILD / "plumb"
FACTS = ROOT / "examples" / "facts"
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", ROOT.parent / "shared"))
MODEL = os.environ.pop("PLUMB_MODEL", "")  # which the command would read too
PEER = os.environ.get("PLUMB_PEER", "")
VOCABULARIES = os.environ.get("PLUMB_VOCABULARIES", "")
JINJA = pathlib.Path(os.environ.get("PLUMB_JINJA", "/nonexistent"))  # llama.cpp's engine and templates
LLAMA_INCLUDE = os.environ.get("PLUMB_LLAMA_INCLUDE", "")

# What is known of headers that did not change, by the hash of what was read.
CHECKED = pathlib.Path(os.environ.get("PLUMB_CACHE", "~/.cache/plumb")).expanduser() / "checked-headers"

needs_shared = unittest.skipUnless(SHARED.is_dir(), f"skipped: no reference data at {SHARED}")
needs_model = unittest.skipUnless(os.path.isfile(MODEL), "skipped: PLUMB_MODEL names no model")
needs_peer = unittest.skipUnless(os.path.isfile(PEER), "skipped: PLUMB_PEER names no lm-pub-quiz")


needs_vocabularies = unittest.skipUnless(os.path.isdir(VOCABULARIES), "skipped: PLUMB_VOCABULARIES names no folder")


def tiny_model(folder, vocabulary=None):
    """Random weights behind MPT's tokenizer, or that of another model, for what hangs on no knowledge: a job over it takes
    a second, and its scores hang on the context by nats. The module's PROGRAMS have write_tiny_gguf."""
    model = pathlib.Path(folder) / "tiny.gguf"
    vocabulary = vocabulary or pathlib.Path(VOCABULARIES) / "ggml-vocab-mpt.gguf"
    subprocess.run([BUILD / "write_tiny_gguf", model, vocabulary], check=True)
    return model


def plumb(*arguments, code=0):
    """Runs the command; fails with its own words when it does not end with `code`."""
    done = subprocess.run([PLUMB, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != code:
        raise AssertionError(f"plumb {' '.join(map(str, arguments))} ended with {done.returncode}, "
                             f"not {code}:\n{done.stderr}{done.stdout}")
    return done


def temporary_folder(case):
    """A folder that all tests of a class share, for its setUpClass; removed after the last."""
    folder = tempfile.TemporaryDirectory()
    case.addClassCleanup(folder.cleanup)
    return pathlib.Path(folder.name)


def kill_when_journal_has(process, journal, size, pause=0):
    """SIGKILLs the process a moment after the journal reached a size, or when it ended by itself."""
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
    """File name -> bytes of everything that must not depend on how a run went."""
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())
            if path.is_file() and path.name not in ("run.json", "journal.jsonl")}
