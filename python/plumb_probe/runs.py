# SPDX-License-Identifier: Apache-2.0
"""Finished run folders of the command, read."""
from __future__ import annotations

import csv
import html
import json
import os
import pathlib
import tempfile
import threading
from typing import Any, Union

from .errors import UserError
from .results import Results, html_table


class Run:
    """A folder that `plumb probe`, `calibrate`, `many-shot`, `rank`, `generate` or `compare` has finished.

    `settings` and `record` are run.json's, `metrics` is metrics.json with its intervals, `rows` are those of the results files,
    and `page` is where report.html is.
    """

    def __init__(self, folder: Union[str, "os.PathLike[str]"]):
        self.folder = pathlib.Path(folder)
        if not (self.folder / "metrics.json").is_file():
            remedy = "name the folder of a finished run, or finish it with --resume"
            raise UserError(f"{self.folder}: has no metrics.json; {remedy}", file=str(self.folder), remedy=remedy)
        self.record: dict[str, Any] = self._json("run.json") if (self.folder / "run.json").is_file() else {}
        self.settings: dict[str, Any] = self.record.get("settings", {})
        self.metrics = Results(self._json("metrics.json"))

    def _json(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    @property
    def warnings(self) -> list[str]:
        """What a reader must know of every number."""
        return self.settings.get("warnings", [])

    @property
    def page(self) -> pathlib.Path:
        return self.folder / "report.html"

    def rows(self) -> list[dict[str, Any]]:
        """Every line of the results files, with the relation that the file is of, or its name, as `relation`."""
        found = []
        files = sorted(self.folder.glob("*_results.jsonl")) or [file for file in sorted(self.folder.glob("*.jsonl"))
                                                                if file.name not in ("journal.jsonl", "example_prompts.jsonl")]
        for file in files:
            code = file.name[:-len(".jsonl")]
            code = code[:-len("_results")] if code.endswith("_results") else code
            with file.open(encoding="utf-8") as lines:
                found += [{"relation": code, **json.loads(line)} for line in lines if line.strip()]
        return found

    def table(self) -> Any:
        """The rows as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows())

    def __repr__(self) -> str:
        return f"<Run {self.folder}>"

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{html.escape(warning)}</p>" for warning in self.warnings)
        figures = "".join(file.read_text(encoding="utf-8") for file in sorted((self.folder / "figures").glob("*.svg"))[:1])
        return (f"<p><b>{html.escape(self.folder.name)}</b>, <a href='{self.page}'>its page</a></p>{notes}"
                f"{html_table(self.metrics.rows())}{figures}")


def _written(data: Any, folder: pathlib.Path) -> pathlib.Path:
    """A dataset as a table with its templates beside it; each object is an option."""
    folder.mkdir(parents=True)
    with (folder / "facts.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["subject", "relation", "object"])
        table.writerows([subject, one.code, answer] for one in data.relations for subject, answer in one.facts)
    (folder / "facts.json").write_text(json.dumps({one.code: one.templates for one in data.relations}), encoding="utf-8")
    return folder / "facts.csv"


def _rendered(template: str, tokens: dict[str, str], turns: list[dict[str, str]], opens_answer: bool) -> str:
    """A conversation by a chat template, as transformers writes it; dates are those of 26 July 2024, as in the command."""
    import datetime

    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: str) -> None:
        raise UserError(f"the chat template refuses the conversation: {message}", setting="chat")

    jinja = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    jinja.filters["tojson"] = lambda value, **more: json.dumps(value, ensure_ascii=False, **more)
    jinja.globals.update(raise_exception=refuse, strftime_now=datetime.datetime(2024, 7, 26).strftime)
    return jinja.from_string(template).render(messages=turns, add_generation_prompt=opens_answer, **tokens)


def run_words(core: Any, load: Any, dataset: Any, command: str, model: Any, folders: Any, data: Any, out: Any, on_progress: Any,
              show: Any, options: dict[str, Any]) -> Run:
    """plumb_probe.run, on the words that the command line would have."""
    temporary = None if out is not None else tempfile.TemporaryDirectory(prefix="plumb-")
    place = pathlib.Path(out if temporary is None else pathlib.Path(temporary.name) / "run")
    words = [str(one.folder if isinstance(one, Run) else one) for one in folders]
    if model is not None and not isinstance(model, (str, os.PathLike)):
        model = load(model)
        words += ["--model", options.pop("name", None) or model.description["name"] or "model"]
    elif model is not None:
        words += ["--model", str(model)]
        model = None
    if data is not None:
        words += ["--data", str(data if isinstance(data, (str, os.PathLike)) else _written(dataset(data), place.with_name(place.name + "-data")))]
    for name, value in options.items():
        word = "--" + name.replace("_", "-")
        if value is True:
            words.append(word)
        elif value is not None and value is not False:
            words += [word, ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)]
    core(command, [*words, "--out", str(place)], model, show or (lambda line: None), on_progress, _rendered,
         threading.current_thread() is threading.main_thread())
    made = Run(place)
    made._temporary = temporary  # lives as long as the run
    return made
