# SPDX-License-Identifier: Apache-2.0
"""A model's answers: the scores of every candidate of every fact, and the metrics computed from them."""
from __future__ import annotations

from functools import cached_property
from typing import Any, Iterator, Sequence

import numpy

from . import _core
from .results import Results, html_table


class Table:
    """One relation's scores. Arrays are views of plumb's own memory, read-only, of shape [facts, templates, candidates]."""

    def __init__(self, table: "_core.Table", reduction: str):
        self._table = table
        self._reduction = reduction

    @property
    def code(self) -> str:
        return self._table.code

    @property
    def templates(self) -> list[str]:
        """Axis 1: the templates, or the settings of a many-shot study."""
        return self._table.templates

    @property
    def subjects(self) -> list[str]:
        """Axis 0."""
        return self._table.subjects

    @property
    def options(self) -> list[str]:
        """Axis 2, unless facts have their own choices (`labels`)."""
        return self._table.options

    def labels(self, fact: int) -> list[str]:
        """The candidates of a fact, in the order of axis 2."""
        return self._table.labels(fact)

    @property
    def answers(self) -> numpy.ndarray:
        """The index of the right candidate of each fact; [facts]."""
        return numpy.asarray(self._table.answers, dtype=numpy.intp)

    @property
    def log_likelihoods(self) -> numpy.ndarray:
        """Nats, summed over the span's tokens, float64. NaN after the choices of a fact that has fewer than others."""
        return self._table.log_likelihoods

    @property
    def tokens(self) -> numpy.ndarray:
        """Scored tokens, uint32."""
        return self._table.tokens

    @property
    def bytes(self) -> numpy.ndarray:
        """Bytes of the span's text, uint32."""
        return self._table.bytes

    @property
    def scores(self) -> numpy.ndarray:
        """The scores that candidates are compared by: nats, or nats per token (a copy) if the reduction is the mean."""
        return self.log_likelihoods if self._reduction == "sum" else self.log_likelihoods / self.tokens

    @property
    def probabilities(self) -> numpy.ndarray:
        """Softmax of the scores over the candidates."""
        scores = self.scores
        shares = numpy.exp(scores - numpy.nanmax(scores, axis=2, keepdims=True))
        return shares / numpy.nansum(shares, axis=2, keepdims=True)

    def __len__(self) -> int:
        return len(self._table.subjects)

    def __repr__(self) -> str:
        return f"<{self.code}: {' × '.join(map(str, self.log_likelihoods.shape))} facts, templates, candidates>"


class Answers:
    """A model's log-likelihoods of every candidate of every fact. `answers["P36"]` is a relation's `Table`."""

    def __init__(self, answers: "_core.Answers", of_templates: bool = True):
        self._answers = answers
        self._of_templates = of_templates
        self._tables = {table.code: table for table in
                        (Table(answers.table(i), answers.reduction) for i in range(len(answers)))}

    @property
    def name(self) -> str:
        return self._answers.name

    @property
    def remarks(self) -> list[str]:
        """Remarks that must accompany the numbers wherever they are shown."""
        left_out = self.unreported_facts
        return [*self._answers.remarks, *([f"{left_out} facts are left out: the engine did not report all of their tokens"] if left_out else [])]

    @property
    def unreported_facts(self) -> int:
        """Facts left out because the engine did not report the probability of all of their tokens."""
        return self._answers.unreported_facts

    def __contains__(self, code: object) -> bool:
        return code in self._tables

    def __getitem__(self, code: str) -> Table:
        return self._tables[code]

    def __iter__(self) -> Iterator[Table]:
        return iter(self._tables.values())

    def __len__(self) -> int:
        return len(self._tables)

    def table(self) -> Any:
        """A pandas DataFrame with a row for each fact and template: relation, subject, template (its index), asked (its text),
        answer, predicted, correct (false for ties), the scores of both (nats), and the probability of the predicted option."""
        import pandas

        return pandas.DataFrame(self._rows())

    def arrow(self) -> Any:
        """The same as a pyarrow Table."""
        import pyarrow

        return pyarrow.Table.from_pylist(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for table in self:
            scores, shares, answers = table.scores, table.probabilities, table.answers
            for fact, subject in enumerate(table.subjects):
                labels = table.labels(fact)
                for place, template in enumerate(table.templates):
                    own = scores[fact, place, :len(labels)]
                    best, right = int(own.argmax()), int(answers[fact])
                    rows.append({"relation": table.code, "subject": subject, "template": place, "asked": template,
                                 "answer": labels[right], "predicted": labels[best],
                                 "correct": best == right and int((own == own[best]).sum()) == 1,
                                 "answer_score": float(own[right]), "predicted_score": float(own[best]),
                                 "probability": float(shares[fact, place, best])})
        return rows

    def metrics(self, seed: int = 0, resamples: int = 1000) -> Results:
        """Accuracy, hits at k, mean rank and reciprocal rank with 95% intervals: `overall`, `overall_unweighted`, and by
        `relations`, `domains` and `cardinality`, as in metrics.json. For a many-shot probe: accuracy by setting."""
        if not self._of_templates:
            return Results(_core.accuracy_spreads(self._answers))
        return Results(_core.metrics_of(self._answers, seed, resamples))

    def calibrate(self, estimators: str | Sequence[str] = (), *, bins: int = 20, base_template: int = 0, seed: int = 0,
                  resamples: int = 1000) -> Results:
        """How well confidence matches accuracy, for each estimator: `results.estimators["base"].metrics.ace`, and each fact's
        `confidence` and `correct`.

        `estimators`: "base" (the answer's probability), "margin", "average_vote2" …, "consistency_max" …; by default all that the
        templates allow. `bins`: the number of bins of equal count (ACE) and of equal width (ECE, MCE). With fewer facts than bins, ACE is
        None.
        """
        wanted = [estimators] if isinstance(estimators, str) else list(estimators)
        return Results(_core.calibrate(self._answers, wanted, bins, base_template, seed, resamples))

    def compare(self, other: "Answers", *, seed: int = 0, resamples: int = 1000) -> Results:
        """Compares with the answers of another model or build on the same facts: `worst_nats` and `mean_nats` per statement, the position of
        the worst (`worst_at`), `flips`, the questions that the second `lost` and `gained`, and the paired `difference` of accuracy, first
        minus second, with its interval."""
        return Results(_core.compare(self._answers, other._answers, seed, resamples))

    @cached_property
    def _shown(self) -> Results:
        return self.metrics()

    def __repr__(self) -> str:
        facts = sum(len(table) for table in self)
        accuracy = f"accuracy {self._shown.overall.accuracy}, " if self._of_templates and facts else ""
        return f"<Answers of {self.name}: {accuracy}{facts} facts of {len(self)} relations>"

    def _repr_html_(self) -> str:
        import html

        notes = "".join(f"<p>{html.escape(remark)}</p>" for remark in self.remarks)
        rows = [row for row in self._shown.rows() if "domains" not in row["of"]]
        return f"<p><b>{html.escape(self.name)}</b></p>{notes}{html_table(rows)}"
