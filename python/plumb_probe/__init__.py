# SPDX-License-Identifier: Apache-2.0
"""plumb from Python: what facts does a language model know, how sure is it, and is it right to be?

    import plumb_probe
    model = plumb_probe.load("SmolLM2-135M")               # a Hugging Face folder, or a .gguf file
    answers = plumb_probe.probe(model, "bear", relations=["P36"], limit=50)
    answers.metrics().overall.accuracy                      # with its 95% interval
    answers["P36"].log_likelihoods                          # NumPy, [facts, templates, candidates], nats

    run = plumb_probe.run("probe", model, data="bear", shots=3, out="RUN")   # what the command does, into a folder
    run.metrics.all_templates.overall.accuracy

The C++ that the command is made of computes all results, without the GIL. Ctrl-C ends a job between two calls of the
engine; a job in a folder keeps what is done, and resume=True continues it. One model is asked by one thread at a time.
"""
from __future__ import annotations

import os
import pathlib
from typing import Any, Iterable, Mapping, Sequence

from . import _core
from ._core import Dataset, Model, Relation
from .answers import Answers, Table
from .engines import Engine, TransformersEngine
from .errors import PlumbError, UserError
from .results import Estimate, Results
from .runs import Progress, Run, run, shown

__all__ = ["Answers", "Dataset", "Engine", "Estimate", "Model", "PlumbError", "Relation", "Results", "Run", "Table", "TransformersEngine",
           "UserError", "calibrate", "compare", "dataset", "load", "many_prompts", "many_shot", "probe", "rank", "relation", "run",
           "verify_model"]

_llama_kernels = pathlib.Path(__file__).parent / "llama"  # of a wheel: one library for each kind of CPU
if _llama_kernels.is_dir():
    _core.set_llama_kernels(str(_llama_kernels))


def load(model: Any, tokenizer: Any = None, *, threads: int = 0, parse_special_tokens: bool = False,
         precision: str = "exact", **engine: Any) -> Model:
    """A model: a Hugging Face folder or a .gguf file, by its path; a `transformers` model with its tokenizer; or any engine that
    has `tokenize` and `log_probabilities` (`plumb_probe.engines`). `threads` 0 takes the machine's; `precision` "exact" or
    "fast" is of .gguf files. Further arguments are TransformersEngine's. A Model is passed on."""
    if isinstance(model, Model):
        return model
    if precision not in ("exact", "fast"):
        raise _wrong("precision", f"'{precision}' is not a choice", "say \"exact\" or \"fast\"")
    if threads < 0:
        raise _wrong("threads", f"{threads} is negative", "say 0 for the machine's")
    if engine and tokenizer is None:
        raise _wrong(next(iter(engine)), "is for a transformers model with its tokenizer", "leave it out")
    if not isinstance(model, (str, os.PathLike)):
        if tokenizer is not None:
            model = TransformersEngine(model, tokenizer, **engine)
        made = _core.object_model(Engine(model))
        made.name = getattr(model, "name", None) or type(model).__name__
        return made
    path = pathlib.Path(model)
    if not path.exists():
        raise UserError(f"{path}: no such model file or folder; give a .gguf file or a Hugging Face folder", file=str(path),
                        remedy="give a .gguf file or a Hugging Face folder")
    if path.is_dir() and precision != "exact":
        raise _wrong("precision", "is for .gguf files; folders are computed exactly", "leave it out")
    made = _core.model_at(str(path), threads, parse_special_tokens, precision == "exact")
    made.name = path.resolve().name
    return made


def _wrong(setting: str, what: str, remedy: str) -> UserError:
    return UserError(f"`{setting}`: {what}; {remedy}", setting=setting, remedy=remedy)


def _list(value: Any) -> list[Any]:
    """A list of what was given: one value, or several."""
    return [value] if isinstance(value, (str, int)) else list(value)


def _bos(value: bool | str) -> bool | str:
    return {"yes": True, "no": False}.get(value, value) if isinstance(value, str) else value


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
        for column in ("subject", "relation", "object"):
            if column not in data:
                raise _wrong("data", f"the DataFrame has no column '{column}'", f"rename one of its columns: {', '.join(map(str, data))}")
        missing = data[["subject", "relation", "object"]].isna()
        if missing.any(axis=None):
            row, column = next((row, column) for row, cells in missing.iterrows() for column in cells.index if cells[column])
            raise UserError(f"`data`: row {row} of the DataFrame has no {column}; fill it in or drop the row", setting="data", field=column,
                            remedy="fill it in or drop the row")
        given = {code: _list(of) for code, of in (templates or {}).items()}
        codes = {str(code) for code in data["relation"].dropna()}
        for code in sorted(codes ^ given.keys()):
            raise _wrong("templates", f"has none of relation '{code}'" if code in codes else f"'{code}' is no relation of the DataFrame",
                         "give a list of templates for each relation, by code")
        made = Dataset("frame", [relation(str(code), given[str(code)], zip(rows["subject"], rows["object"]))
                                 for code, rows in data.groupby("relation", sort=False)])
    else:
        made = Dataset("relations", [data] if isinstance(data, Relation) else list(data))
    if not isinstance(limit, int) or limit < 0:
        raise _wrong("limit", f"{limit!r} is no count of facts", "say a whole number, or 0 for all")
    return made.select(_list(relations), limit) if relations or limit else made


def _name(model: Any, name: str | None) -> str:
    if name is not None:
        return name
    if isinstance(model, (str, os.PathLike)):
        return pathlib.Path(model).name
    return getattr(model, "name", None) or "model"


def probe(model: Any, data: Any, *, relations: Sequence[str] | str = (), limit: int = 0, templates: Sequence[int] | int | str = (0,),
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
    chosen = [] if templates == "all" else _list(templates)
    if any(not isinstance(one, int) or one < 0 for one in chosen):
        raise _wrong("templates", f"{templates!r} names no templates", "give indices from 0, or \"all\"")
    return Answers(_core.probe(load(model), made, _name(model, name), reduction, span, chosen, _bos(bos), pll, shown(progress), block_statements))


def many_shot(model: Any, data: Any, *, shots: Sequence[int] = (50,), seeds: int = 5, choices: int = 100, training: int = 100,
              limit: int = 0, min_facts: int = 0, separators: Sequence[str] = (" ",), eic: bool = False, eic_isolated: bool = False,
              choice_seed: int = 0, split_seed: int = 0, bos: bool | str = True, relations: Sequence[str] = (),
              name: str | None = None) -> Answers:
    """Latent knowledge behind many shots (IC-LKE, EIC-LKE): bare pairs of subject and object, then a subject whose `choices` are
    scored. Axis 1 of a table is the setting: so many shots, drawn by a seed. `limit`: test facts of a relation; `training`:
    facts kept for the shots."""
    made = dataset(data, relations=relations)
    return Answers(_core.many_shot(load(model), made, _name(model, name), _list(shots), seeds, choices, training, limit, min_facts,
                                   _list(separators), eic, eic_isolated, choice_seed, split_seed, _bos(bos)), of_templates=False)


def rank(model: Any, data: Any, **options: Any) -> Run:
    """Where does the true entity stand among all of a knowledge graph? `data`: a graph's folder, or a closed-set dataset. Options are those
    of `plumb rank`: method="deer,likelihood,lm-head", shots=8, limit=100 …. Numbers: `.metrics.methods`; ranks: `.table()`."""
    return run("rank", model, data=data, **options)


def many_prompts(model: Any, data: Any, **options: Any) -> Run:
    """Each template with each name of a subject, answered in the model's own words (BELIEF-ICL), or a masked model's gaps filled
    (BELIEF). Options are those of `plumb generate`: samples=10, max_new_tokens=16 …. Numbers: `.metrics.settings`; answers: `.table()`."""
    return run("generate", model, data=data, **options)


def calibrate(*asked: Any, **options: Any) -> Any:
    """How confidence fits being right. Of `Answers`: see `Answers.calibrate`. Of finished runs (`Run`s or folders): a Run of `plumb calibrate`,
    which also takes runs of many shots and generations."""
    if len(asked) == 1 and isinstance(asked[0], Answers):
        return asked[0].calibrate(**options)
    return run("calibrate", None, *asked, **options)


def compare(*asked: Any, **options: Any) -> Any:
    """Two models, or two builds of one, on the same facts. Of two `Answers`: see `Answers.compare`. Of finished runs (`Run`s or folders): a Run of
    `plumb compare`."""
    if len(asked) == 2 and all(isinstance(one, Answers) for one in asked):
        return asked[0].compare(asked[1], **options)
    if any(isinstance(one, Answers) for one in asked):
        raise UserError("compare takes two Answers, or finished runs; give two of a kind", remedy="give two of a kind")
    return run("compare", None, *asked, **options)


def verify_model(model: Any, texts: Sequence[str], tolerance: float = 1e-3) -> dict[str, Any]:
    """Whether all forms of a model (sequences, trees, lookups) give the same answers to within `tolerance` nats: `agrees`, the forms
    that were `compared`, `worst_nats`, and the `first` and the `worst` place in words."""
    return _core.verify_model(load(model), _list(texts), tolerance)
