# SPDX-License-Identifier: Apache-2.0
"""Finished run folders of the command, read."""
from __future__ import annotations

import html
import json
import os
import pathlib
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
        return f"<p><b>{html.escape(self.folder.name)}</b>, <a href='{self.page}'>its page</a></p>{notes}{html_table(self.metrics.rows())}"
