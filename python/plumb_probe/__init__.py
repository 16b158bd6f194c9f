# SPDX-License-Identifier: Apache-2.0
"""plumb from Python: what facts does a language model know, how sure is it, and is it right to be?

    import plumb_probe
    model = plumb_probe.load("SmolLM2-135M")               # a Hugging Face folder, or a .gguf file
    answers = plumb_probe.probe(model, "bear", relations=["P36"], limit=50)
    answers.metrics().overall.accuracy                      # with its 95% interval
    answers["P36"].log_likelihoods                          # NumPy, [facts, templates, candidates], nats

The C++ that the command is made of computes all results, without the GIL. Ctrl-C ends a job before the
engine's next call. One model is asked by one thread at a time.
"""
from __future__ import annotations

import os
import pathlib
from typing import Any, Callable, Iterable, Mapping, Sequence, Union

from . import _core
from ._core import Dataset, Graph, Model, MultiPromptDataset, Relation
from .answers import Answers, Table, calibrate, compare
from .engines import Engine, TransformersEngine
from .errors import PlumbError, UserError
from .results import Estimate, Results
from .runs import Run

__all__ = ["Answers", "Dataset", "Engine", "Estimate", "Graph", "ManyPrompts", "Model", "MultiPromptDataset", "PlumbError",
           "Ranking", "Relation", "Results", "Run", "Table", "TransformersEngine", "UserError", "calibrate", "compare", "dataset",
           "load", "many_prompts", "many_shot", "probe", "rank", "relation", "verify_model"]

Path = Union[str, "os.PathLike[str]"]
Progress = Union[None, bool, Callable[..., Any]]


def load(model: Any, tokenizer: Any = None, *, threads: int = 0, parse_special_tokens: bool = False,
         precision: str = "exact", **engine: Any) -> Model:
    """A model: a Hugging Face folder or a .gguf file, by its path; a `transformers` model with its tokenizer; or any engine that
    has `tokenize` and `log_probabilities` (`plumb_probe.engines`). `threads` 0 takes the machine's; `precision` "exact" or
    "fast" is of .gguf files. Further arguments are TransformersEngine's. A Model is passed on."""
    if isinstance(model, Model):
        return model
    if not isinstance(model, (str, os.PathLike)):
        if tokenizer is not None:
            model = TransformersEngine(model, tokenizer, **engine)
        return _core.object_model(Engine(model))
    path = pathlib.Path(model)
    if not path.exists():
        raise UserError(f"{path}: no such model file or folder; give a .gguf file or a Hugging Face folder", file=str(path),
                        remedy="give a .gguf file or a Hugging Face folder")
    if path.is_dir():
        return _core.folder_model(str(path), threads, parse_special_tokens)
    return _core.gguf_model(str(path), threads, parse_special_tokens, precision == "exact")


def relation(code: str, templates: Sequence[str], facts: Iterable[tuple[str, str]]) -> Relation:
    """A relation of (subject, object) pairs; its options are the objects. Templates have [X] for the subject and [Y] for the
    object: relation("country", ["[X] is in [Y]."], [("Oslo", "Norway"), ("Lima", "Peru")])."""
    return _core.relation_of(code, list(templates), [(str(subject), str(answer)) for subject, answer in facts])


def dataset(data: Any, *, relations: Sequence[str] = (), limit: int = 0, templates: Mapping[str, Sequence[str]] | None = None) -> Dataset:
    """A dataset: a path of any format that the command reads, a Dataset, relations, or a pandas DataFrame with the columns
    subject, relation and object (then `templates` has each relation's). Cut to `relations` by code and their first
    `limit` facts; 0 takes all."""
    if isinstance(data, (str, os.PathLike)):
        made = _core.load_dataset(str(data))
    elif isinstance(data, Dataset):
        made = data
    elif hasattr(data, "groupby"):
        given = templates or {}
        made = Dataset("frame", [relation(str(code), given.get(str(code), ["[X] [Y]"]), zip(rows["subject"], rows["object"]))
                                 for code, rows in data.groupby("relation", sort=False)])
    else:
        made = Dataset("relations", [data] if isinstance(data, Relation) else list(data))
    return made.select(list(relations), limit) if relations or limit else made


def _shown(progress: Progress) -> Callable[[int, int], None]:
    """What is called with (done, all): a bar of tqdm's for True, or of any class that is called as tqdm is."""
    if not progress:
        return lambda done, count: None
    if progress is True:
        from tqdm.auto import tqdm as progress
    bar: Any = None

    def show(done: int, count: int) -> None:
        nonlocal bar
        if bar is None:
            bar = progress(total=count, unit="fact")
        bar.update(done - bar.n)
        if done >= count:
            bar.close()

    return show


def _name(model: Any, name: str | None) -> str:
    if name is not None:
        return name
    if isinstance(model, (str, os.PathLike)):
        return pathlib.Path(model).name
    return getattr(model, "name", None) or (model.description["name"] if isinstance(model, Model) else "") or "model"


def probe(model: Any, data: Any, *, relations: Sequence[str] = (), limit: int = 0, templates: Sequence[int] | str = (0,),
          reduction: str = "sum", span: str = "statement", bos: bool | str = True, pll: str = "within-word", name: str | None = None,
          progress: Progress = None, block_statements: int = 2048) -> Answers:
    """The closed-set probe: every option of every fact in a sentence, and the model knows a fact if it finds the true one the
    likeliest.

    `model` and `data` are whatever `load` and `dataset` take. `templates`: by index, or "all". `reduction` "sum" or "mean" over
    the tokens of `span`: "statement", "answer" or "continuation". `bos`: whether the model's BOS stands before a statement, or
    another token by its text. `pll`: what a masked model hides, "within-word" or "original". `progress`: True for tqdm's bar, or
    what is called as tqdm is. Raises UserError for what is wrong with files, facts and engines.
    """
    made = dataset(data, relations=relations, limit=limit)
    chosen = [] if templates == "all" else [int(one) for one in templates]
    return Answers(_core.probe(load(model), made, _name(model, name), reduction, span, chosen, bos, pll, _shown(progress), block_statements))


def many_shot(model: Any, data: Any, *, shots: Sequence[int] = (50,), seeds: int = 5, choices: int = 100, training: int = 100,
              limit: int = 0, min_facts: int = 0, separators: Sequence[str] = (" ",), eic: bool = False, eic_isolated: bool = False,
              choice_seed: int = 0, split_seed: int = 0, bos: bool | str = True, relations: Sequence[str] = (),
              name: str | None = None) -> Answers:
    """Latent knowledge behind many shots (IC-LKE, EIC-LKE): bare pairs of subject and object, then a subject whose `choices` are
    scored. Axis 1 of a table is the setting: so many shots, drawn by a seed. `limit`: test facts of a relation; `training`:
    facts kept for the shots."""
    made = dataset(data, relations=relations)
    return Answers(_core.many_shot(load(model), made, _name(model, name), list(shots), seeds, choices, training, limit, min_facts,
                                   list(separators), eic, eic_isolated, choice_seed, split_seed, bos), of_templates=False)


class Ranking(Results):
    """Where the true entities stand: numbers by `methods`, and `agreement` of them."""

    def __init__(self, values: Mapping[str, Any], ranks: list[dict[str, Any]]):
        super().__init__(values)
        self.ranks = ranks

    def ranks_table(self) -> Any:
        """A DataFrame, a row for each method and query: relation, head, tail, score (cosine, or nats), rank, filtered_rank."""
        import pandas

        return pandas.DataFrame(self.ranks)


def rank(model: Any, data: Any, *, methods: Sequence[str] = ("deer",), part: str = "test", candidates: str = "all",
         relations: Sequence[str] = (), limit: int = 0, sample: int = 0, shots: int = 8, seed: int = 0, heads: bool = False,
         bos: bool | str | None = None) -> Ranking:
    """Where does the true entity stand among all of a knowledge graph? `data`: a graph's folder, or a closed-set dataset, whose facts
    are triples then. `methods`: "deer" (cosines), "likelihood" (of every name), "lm-head" (names of one token). `limit`: triples
    that are asked, 0 for all. `bos` None does what the model's tokenizer does."""
    is_graph = isinstance(data, Graph) or (isinstance(data, (str, os.PathLike)) and _core.is_graph(str(data)))
    made = (data if isinstance(data, Graph) else _core.load_graph(str(data))) if is_graph else dataset(data)
    return Ranking(*_core.rank(load(model), made, list(methods), part, candidates, list(relations), limit, sample, shots, seed, heads,
                              "" if bos is None else bos))


class ManyPrompts:
    """Answers to many prompts of each fact."""

    def __init__(self, answers: Any):
        self._answers = answers

    @property
    def remarks(self) -> list[str]:
        """What must be said wherever the numbers are shown."""
        return self._answers.remarks

    def metrics(self, samplings: int = 50_000, seed: int = 0, resamples: int = 1000) -> Results:
        """Coverage, accuracy and its spread, consistency, overconfidence, by `settings`, as in metrics.json."""
        return Results(_core.metrics_of_prompts(self._answers, samplings, seed, resamples))

    def _repr_html_(self) -> str:
        return self.metrics()._repr_html_()


def many_prompts(model: Any, data: Any, *, relations: Sequence[str] = (), limit: int = 0,
                 settings: Sequence[tuple[str, int, bool]] = (("zero-shot", 0, False),), max_new_tokens: int = 16,
                 stop: Sequence[str] = ("\n",), samples: int = 0, confidence_prompts: int = 10_000, names: bool = False, masks: int = 1,
                 seed: int = 0, bos: bool | str = True) -> ManyPrompts:
    """Each template with each name of a subject, answered in the model's own words (BELIEF-ICL), or a masked model's gaps filled
    (BELIEF). `data`: a path of a dataset of many prompts or of a closed-set one, or a MultiPromptDataset. `settings`: (source of
    the shots, their number, whether prompts are questions), the source "zero-shot", "random", "relation" or "template".
    `samples`: sampled answers behind a confidence."""
    made = data if isinstance(data, MultiPromptDataset) else _core.load_multi_prompt(str(data))
    return ManyPrompts(_core.many_prompts(load(model), made, list(relations), limit, [tuple(one) for one in settings], max_new_tokens,
                                          list(stop), samples, confidence_prompts, names, masks, seed, bos))


def verify_model(model: Any, texts: Sequence[str], tolerance: float = 1e-3) -> dict[str, Any]:
    """Whether all forms of a model (sequences, trees, lookups) give the same answers to within `tolerance` nats: `agrees`, the forms
    that were `compared`, `worst_nats`, and the `first` and the `worst` place in words."""
    return _core.verify_model(load(model), list(texts), tolerance)
