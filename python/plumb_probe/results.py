# SPDX-License-Identifier: Apache-2.0
"""Numbers with their intervals, as objects and as tables."""
from __future__ import annotations

import html
from typing import Any, Iterator, Mapping, NamedTuple


class Estimate(NamedTuple):
    """A number with its 95% interval over `count` facts. `low` and `high` are None if there is no interval;
    `interval` names its method ("wilson", "bootstrap")."""
    value: float
    low: float | None
    high: float | None
    count: int
    interval: str

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.value:.3f}"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def __float__(self) -> float:
        return float(self.value)


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"value", "low", "high", "count", "interval"}:
            return Estimate(value["value"], value["low"], value["high"], value["count"], value["interval"])
        return Results(value)
    if isinstance(value, list):
        return [_read(one) for one in value]
    return value


class Results(Mapping[str, Any]):
    """A tree of numbers with their names in metrics.json: `results.overall.accuracy.value`, or `results["overall"]["accuracy"]`.
    Numbers with intervals are `Estimate`s; a number that does not exist is None."""

    def __init__(self, values: Mapping[str, Any]):
        self._values = {name: _read(value) for name, value in values.items()}

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r} among {', '.join(self._values) or 'no numbers'}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __repr__(self) -> str:
        return "\n".join(f"{' '.join(map(str, row['of'])) or 'all'}: " + ", ".join(f"{k} {v}" for k, v in row.items() if k != "of")
                         for row in self.rows())

    def rows(self, *names: str) -> list[dict[str, Any]]:
        """The groups of numbers below `names`, as {"of": the path of names to the group, name of a number: its value}."""
        found: list[dict[str, Any]] = []
        at: Any = self
        for name in names:
            at = at[name]

        def visit(node: Mapping[str, Any], way: tuple[str, ...]) -> None:
            flat = {k: v for k, v in node.items() if v is None or isinstance(v, (Estimate, int, float, str))}
            if any(isinstance(v, Estimate) for v in flat.values()):
                found.append({"of": way, **flat})
            for name, value in node.items():
                if isinstance(value, Mapping):
                    visit(value, way + (name,))

        visit(at, ())
        return found

    def table(self, *names: str) -> Any:
        """A pandas DataFrame of the groups below `names`, one per row: for each Estimate its value, and its interval's ends as
        `<name>_low` and `<name>_high`."""
        import pandas

        rows = []
        for row in self.rows(*names):
            cells: dict[str, Any] = {"of": " / ".join(row["of"]) or "all"}
            for name, value in row.items():
                if isinstance(value, Estimate):
                    cells.update({name: value.value, f"{name}_low": value.low, f"{name}_high": value.high})
                elif name != "of":
                    cells[name] = value
            rows.append(cells)
        return pandas.DataFrame(rows)

    def arrow(self, *names: str) -> Any:
        """The same as a pyarrow Table, without pandas' index."""
        import pyarrow

        rows = []
        for row in self.rows(*names):
            cells: dict[str, Any] = {"of": " / ".join(row["of"]) or "all"}
            cells.update({k: v.value if isinstance(v, Estimate) else v for k, v in row.items() if k != "of"})
            rows.append(cells)
        return pyarrow.Table.from_pylist(rows)

    def _repr_html_(self) -> str:
        return html_table(self.rows())


def html_table(rows: list[dict[str, Any]], most: int = 60) -> str:
    """Rows of `Results.rows` as HTML for a notebook. The background of each share has a bar of its size."""
    columns = list(dict.fromkeys(k for row in rows for k, v in row.items() if k != "of" and (v is None or isinstance(v, (Estimate, int)))))
    head = "".join(f"<th>{html.escape(name.replace('_', ' '))}</th>" for name in columns)

    def cell(value: Any) -> str:
        if value is None:
            return "<td>–</td>"
        if not isinstance(value, Estimate):
            return f"<td>{html.escape(str(value))}</td>"
        ends = "" if value.low is None else f"95% interval {value.low:.3f} to {value.high:.3f}, "
        share = min(max(value.value, 0), 1) * 100 if value.interval.endswith("wilson") else 0
        style = f"background:linear-gradient(90deg,rgba(70,130,180,.3) {share:.1f}%,transparent {share:.1f}%)"
        return f'<td style="{style}" title="{ends}{value.count} facts">{value.value:.3f}</td>'

    body = "".join(f"<tr><th style='text-align:left'>{html.escape(' / '.join(row['of']) or 'all')}</th>" +
                   "".join(cell(row[name]) if name in row else "<td></td>" for name in columns) + "</tr>" for row in rows[:most])
    more = f"<p>… and {len(rows) - most} more rows</p>" if len(rows) > most else ""
    return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
