# SPDX-License-Identifier: Apache-2.0
"""Run folders: reads finished ones, and makes new ones like the command."""
from __future__ import annotations

import contextlib
import csv
import html
import io
import itertools
import json
import os
import pathlib
import tempfile
import threading
from typing import Any, Callable, Union

from . import _core
from .errors import PlumbError, UserError
from .results import Results, html_table


Path = Union[str, "os.PathLike[str]"]
Progress = Union[None, bool, Callable[..., Any]]


class Run:
    """A folder that `plumb probe`, `calibrate`, `many-shot`, `rank`, `generate` or `compare` has finished.

    `settings` and `record` come from run.json, `metrics` is metrics.json with its intervals, `rows` returns the rows of the results files,
    and `page` is the path of report.html.
    """

    def __init__(self, folder: Union[str, "os.PathLike[str]"]):
        self.folder = pathlib.Path(folder)
        if not (self.folder / "metrics.json").is_file():
            remedy = "name the folder of a finished run, or finish it with --resume"
            raise UserError(f"{self.folder}: has no metrics.json; {remedy}", file=str(self.folder), remedy=remedy)
        self.record: dict[str, Any] = self._json("run.json") if (self.folder / "run.json").is_file() else {}
        self.settings: dict[str, Any] = self.record.get("settings", {})
        self.metrics = Results(self._json("metrics.json"))
        self._temporary: Any = None

    def _json(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    @property
    def warnings(self) -> list[str]:
        """What a reader must know about the numbers: the model's warnings and the notes of the run."""
        notes = self.metrics.get("notes") or []
        return [*self.settings.get("warnings", []), *(note if isinstance(note, str) else note.text for note in notes)]

    @property
    def page(self) -> pathlib.Path:
        return self.folder / "report.html"

    def rows(self) -> list[dict[str, Any]]:
        """Every line of the results files. `file` is the name of its file, which names a ranking's method or a generation's setting.
        `relation` is also the file's name if the line has no relation."""
        found = []
        files = sorted(self.folder.glob("*_results.jsonl")) or [file for file in sorted(self.folder.glob("*.jsonl"))
                                                                if file.name not in ("journal.jsonl", "example_prompts.jsonl")]
        for file in files:
            code = file.name[:-len(".jsonl")]
            code = code[:-len("_results")] if code.endswith("_results") else code
            with file.open(encoding="utf-8") as lines:
                found += [{"file": code, "relation": code, **json.loads(line)} for line in lines if line.strip()]
        return found

    def table(self) -> Any:
        """The rows of the results files as a pandas DataFrame, with the files' own columns (docs/results.md)."""
        import pandas

        return pandas.DataFrame(self.rows())

    def __repr__(self) -> str:
        return f"<Run {self.folder}>"

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{html.escape(warning)}</p>" for warning in self.warnings)
        figures = "".join(file.read_text(encoding="utf-8") for file in sorted((self.folder / "figures").glob("*.svg"))[:1])
        return (f"<p><b>{html.escape(self.folder.name)}</b>, <a href='{self.page}'>its page</a></p>{notes}"
                f"{html_table(self.metrics.rows())}{figures}")


def check_frame(frame: Any) -> None:
    """Refuses cells that a table would change: tuples, sets and arrays, and whole numbers that pandas stores as floating-point numbers (1990.0)."""
    for column in frame.columns:
        cells = frame[column]
        for row, cell in cells.items():
            if isinstance(cell, (tuple, set, dict)) or hasattr(cell, "shape") and getattr(cell, "shape"):
                raise UserError(f"`data`: row {row} of the DataFrame has a {type(cell).__name__} in column '{column}'; convert it to a list",
                                setting="data", field=str(column), remedy="convert it to a list")
        if str(column) in ("subject", "object") and getattr(cells.dtype, "kind", "") == "f" and (cells.dropna() % 1 == 0).all():
            raise UserError(f"`data`: column '{column}' of the DataFrame has floating-point numbers, which would be names such as "
                            f"'{cells.dropna().iloc[0]}'; convert it with astype(\"Int64\") or astype(str)", setting="data", field=str(column))


def _written(command: str, data: Any, dataset: Any, folder: pathlib.Path) -> pathlib.Path:
    """Writes a table into `folder`: a DataFrame's with all of its columns, or a dataset's with a file of its templates. Files that already
    exist must have the same content."""
    texts = {}
    if hasattr(data, "to_csv"):
        check_frame(data)
        texts["facts.csv"] = data.to_csv(index=False)
    else:
        data = dataset(data)
        for one in data.relations:
            if set(one.options) != {answer for _, answer in one.facts}:
                raise UserError(f"`data`: {one.code} has options that no fact answers, which a table cannot represent; pass the dataset's path, and "
                                "`relations` and `limit` to run", setting="data")
            # A probe asks about every option by its label, so only the templates' weights matter.
            lost = [what for what in one._beyond_pairs if command != "probe" or what == "template weights"]
            if lost:
                raise UserError(f"`data`: {one.code} has {lost[0]}, which would be lost; pass the dataset's path, and `relations` and `limit` to "
                                "run", setting="data")
        rows = io.StringIO(newline="")
        csv.writer(rows, lineterminator="\n").writerows([["subject", "relation", "object"], *(
            [subject, one.code, answer] for one in data.relations for subject, answer in one.facts)])
        texts = {"facts.csv": rows.getvalue(), "facts.json": json.dumps({one.code: one.templates for one in data.relations})}
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        if (folder / name).exists() and (folder / name).read_text(encoding="utf-8") != text:
            raise UserError(f"{folder / name}: already exists with different facts; choose another `out`", file=str(folder / name), setting="out")
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "facts.csv"


def _rendered(template: str, tokens: dict[str, str], turns: list[dict[str, str]], opens_answer: bool) -> str:
    """A conversation rendered by a chat template, like transformers. The date is 26 July 2024, as in the command."""
    import datetime

    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: str) -> None:
        raise UserError(f"the chat template refuses the conversation: {message}", setting="chat")

    jinja = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    jinja.filters["tojson"] = lambda value, **more: json.dumps(value, ensure_ascii=False, **more)
    jinja.globals.update(raise_exception=refuse, strftime_now=datetime.datetime(2024, 7, 26).strftime)
    return jinja.from_string(template).render(messages=turns, add_generation_prompt=opens_answer, **tokens)


def shown(progress: Progress) -> Callable[..., None] | None:
    """A function that is called with (what is counted, done, total) and shows a tqdm bar for True, or a bar of any class with tqdm's
    interface."""
    if not progress:
        return None
    if progress is True:
        from tqdm.auto import tqdm as progress
    bars: dict[str, Any] = {}

    def show(counted: str, done: int, count: int) -> None:
        if counted not in bars:
            bars[counted] = progress(total=count, unit=" " + counted)
        bars[counted].update(done - bars[counted].n)
        if done >= count:
            bars.pop(counted).close()

    return show


def _named(folders: tuple[Path, ...]) -> list[str]:
    """The words for finished runs. Runs in temporary folders, which all have the same name, get their models' names."""
    words: list[str] = []
    used: set[str] = set()
    for one in folders:
        if not isinstance(one, Run):
            words.append(str(one))
        elif one._temporary is None:
            words.append(str(one.folder))
        else:
            model = str(one.settings.get("model") or "run").replace("=", "-")
            name = next(name for name in itertools.chain([model], (f"{model} {i}" for i in itertools.count(2))) if name not in used)
            used.add(name)
            words.append(f"{name}={one.folder}")
    return words


@contextlib.contextmanager
def _parsing(model: Any) -> Any:
    """While it is open, a transformers model reads the texts of special tokens as these tokens, as chat templates require."""
    engine = getattr(model, "engine", None)
    if not hasattr(engine, "parse_special_tokens"):
        yield
        return
    before, engine.parse_special_tokens = engine.parse_special_tokens, True
    try:
        yield
    finally:
        engine.parse_special_tokens = before


def run(command: str, model: Any = None, *folders: Path, data: Any = None, out: Path | None = None, progress: Progress = None,
        print: Callable[[str], Any] | None = None, **options: Any) -> Run:
    """Runs `plumb COMMAND` with any model: "probe", "many-shot", "rank", "generate", "calibrate", "compare", "report" ….

    `options` are the command's, with _ for -: run("probe", model, data="bear", templates="all", shots=3, chat=True, out="RUN").
    True sets a switch, and a list is joined by commas. `folders` are the finished runs for "calibrate", "compare" and "report". `data` is
    a path, or anything that `dataset` accepts, which is then written next to the run. Without `out`, the run is in a temporary folder
    that exists as long as the Run. `print` is called with each line that the command prints. Raises UserError for the errors of the
    command. After Ctrl-C, finished work is saved, and the same call with resume=True continues it."""
    from . import dataset, load

    temporary = None if out is not None else tempfile.TemporaryDirectory(prefix="plumb-")
    place = pathlib.Path(out if temporary is None else pathlib.Path(temporary.name) / "run")
    words = _named(folders)
    if model is not None and not isinstance(model, (str, os.PathLike)):
        if options.get("models"):
            raise UserError("`models`: conflicts with `model`; use only one of them", setting="models")
        model = load(model)
        words += ["--model", options.pop("name", None) or getattr(model, "name", None) or "model"]
        if command == "rank" and model.vocabulary_size >= (1 << 31) - 1:
            raise UserError("`model`: rankings search the vocabulary, but the engine has no vocabulary_size; add one", setting="model")
    elif model is not None:
        words += ["--model", str(model)]
        model = None
    reads_special_tokens = bool(options.get("chat")) or options.get("special_tokens") == "parse"
    if reads_special_tokens and model is not None and getattr(model, "parses_special_tokens", None) is False:
        remedy = "load it with parse_special_tokens=True, or pass its path"
        raise UserError(f"`model`: reads the texts of special tokens as plain text; {remedy}", setting="model", remedy=remedy)
    if data is not None:
        is_path = isinstance(data, (str, os.PathLike))
        words += ["--data", str(data if is_path else _written(command, data, dataset, place.with_name(place.name + "-data")))]
    for name, value in options.items():
        word = "--" + name.replace("_", "-")
        if name == "bos" and isinstance(value, bool):
            value = "yes" if value else "no"
        if value is True:
            words.append(word)
        elif name in ("stop", "assert", "assert_") and isinstance(value, (list, tuple)):
            for one in value:
                words += [word.rstrip("-"), str(one)]
        elif value is not None and value is not False:
            words += [word.rstrip("-"), ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)]
    printed: list[str] = []
    with _parsing(model if reads_special_tokens else None):
        code = _core.run(command, [*words, "--out", str(place)], model, print or printed.append, shown(progress), _rendered,
                         threading.current_thread() is threading.main_thread())
    if code != 0:
        raise PlumbError(f"plumb {command} ended with {code}: {''.join(printed[-3:]).strip()}")
    made = Run(place)
    made._temporary = temporary  # the folder exists as long as the Run
    return made
