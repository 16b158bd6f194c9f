# SPDX-License-Identifier: Apache-2.0
"""plumb from Python: what facts does a language model know, how confident is it, and is that confidence justified?

    import plumb_probe
    model = plumb_probe.load("SmolLM2-135M")               # a Hugging Face folder, or a .gguf file
    answers = plumb_probe.probe(model, "bear", relations=["P36"], limit=50)
    answers.metrics().overall.accuracy                      # with its 95% interval
    answers["P36"].log_likelihoods                          # NumPy, [facts, templates, candidates], nats

    run = plumb_probe.run("probe", model, data="bear", shots=3, out="RUN")   # like the command, into a folder
    run.metrics.all_templates.overall.accuracy

The command's C++ code computes all results, without the GIL. Ctrl-C ends a job between two calls of the engine. A job in a
folder saves finished work, and resume=True continues it. Only one thread at a time uses a model.
"""
from __future__ import annotations

import json
import os
import pathlib
import tempfile
from typing import Any, Iterable, Mapping, Sequence

from . import _core
from ._core import Dataset, Model, Relation
from .answers import Answers, Table
from .engines import Engine, TransformersEngine
from .errors import PlumbError, UserError
from .results import Estimate, Results
from .runs import Progress, Run, check_frame, run, shown

__all__ = ["Answers", "Dataset", "Engine", "Estimate", "Model", "PlumbError", "Relation", "Results", "Run", "Table", "TransformersEngine",
           "UserError", "calibrate", "compare", "dataset", "load", "many_prompts", "many_shot", "probe", "rank", "relation", "run",
           "verify_model"]

_llama_kernels = pathlib.Path(__file__).parent / "llama"  # in a wheel: one library for each kind of CPU
if _llama_kernels.is_dir():
    _core.set_llama_kernels(str(_llama_kernels))


def load(model: Any, tokenizer: Any = None, *, threads: int = 0, parse_special_tokens: bool = False,
         precision: str = "exact", **engine: Any) -> Model:
    """Makes a model from the path of a Hugging Face folder or a .gguf file, from a `transformers` model with its tokenizer, or from
    any engine with `tokenize` and `log_probabilities` (`plumb_probe.engines`). `threads`: 0 uses one per core. `precision`: "exact" or
    "fast"; "fast" is only for .gguf files. `parse_special_tokens`: whether a special token's text is read as the token; only for paths
    and transformers models. Other arguments are passed to TransformersEngine. A Model is returned unchanged."""
    if isinstance(model, Model):
        given = {"tokenizer": tokenizer is not None, "threads": threads != 0, "parse_special_tokens": parse_special_tokens,
                 "precision": precision != "exact", **dict.fromkeys(engine, True)}
        for name in (name for name, is_given in given.items() if is_given):
            raise _wrong(name, "the model is already loaded", "pass it when the model is loaded")
        return model
    if precision not in ("exact", "fast"):
        raise _wrong("precision", f"'{precision}' is not a valid choice", "use \"exact\" or \"fast\"")
    if threads < 0:
        raise _wrong("threads", f"{threads} is negative", "use 0 for one thread per core")
    if engine and tokenizer is None:
        raise _wrong(next(iter(engine)), "is for a transformers model with its tokenizer", "remove it")
    if not isinstance(model, (str, os.PathLike)):
        if precision != "exact":
            raise _wrong("precision", "is for .gguf files; other models compute in their own precision", "remove it")
        if tokenizer is not None:
            model = TransformersEngine(model, tokenizer, parse_special_tokens=parse_special_tokens, **engine)
        elif parse_special_tokens:
            raise _wrong("parse_special_tokens", "is for paths and transformers models; an engine's tokenize decides this itself", "remove it")
        made = _core.object_model(Engine(model))
        made.engine = model
        made.name = getattr(model, "name", None) or type(model).__name__
        return made
    if tokenizer is not None:
        raise _wrong("tokenizer", "is for a transformers model in memory; a path has its own tokenizer", "remove it")
    path = pathlib.Path(model)
    if not path.exists():
        raise UserError(f"{path}: no such model file or folder; pass a .gguf file or a Hugging Face folder", file=str(path),
                        remedy="pass a .gguf file or a Hugging Face folder")
    if path.is_dir() and precision != "exact":
        raise _wrong("precision", "is for .gguf files; folders are computed exactly", "remove it")
    made = _core.model_at(str(path), threads, parse_special_tokens, precision == "exact")
    made.parses_special_tokens = parse_special_tokens
    made.name = path.resolve().name
    return made


def _wrong(setting: str, what: str, remedy: str) -> UserError:
    return UserError(f"`{setting}`: {what}; {remedy}", setting=setting, remedy=remedy)


def _list(value: Any) -> list[Any]:
    """`value` as a list: one value, or several."""
    return [value] if isinstance(value, (str, int)) else list(value)


def _bos(value: bool | str) -> bool | str:
    return {"yes": True, "no": False}.get(value, value) if isinstance(value, str) else value


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or pandas.NA, none of which equals itself."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas.NA has no truth value; neither have arrays, which _text refuses
        return not hasattr(value, "__len__")


def _text(value: Any, place: str) -> str:
    """A name as text. Refuses missing values and lists."""
    if _is_missing(value):
        raise UserError(f"{place} is missing; fill it in or drop the fact", remedy="fill it in or drop the fact")
    if not isinstance(value, (str, bytes)) and hasattr(value, "__len__"):
        raise UserError(f"{place} is a {type(value).__name__}, not one name; make one fact of each name", remedy="make one fact of each name")
    return str(value)


def relation(code: str, templates: Sequence[str], facts: Iterable[tuple[str, str]] | Mapping[str, str]) -> Relation:
    """Makes a relation from (subject, object) pairs or a mapping; its options are the objects. Templates have [X] for the subject and [Y]
    for the object: relation("country", ["[X] is in [Y]."], [("Oslo", "Norway"), ("Lima", "Peru")])."""
    pairs = list(facts.items() if isinstance(facts, Mapping) else facts)
    if any(isinstance(pair, str) or len(pair) != 2 for pair in pairs):
        raise UserError(f"relation '{code}': a fact is not a pair of subject and object", remedy="pass (subject, object) pairs")
    return _core.relation_of(code, list(templates), [
        (_text(subject, f"relation '{code}', fact {place}: the subject"), _text(answer, f"relation '{code}', fact {place}: the object"))
        for place, (subject, answer) in enumerate(pairs)])


def _of_frame(data: Any, templates: Mapping[str, Sequence[str]]) -> Dataset:
    """A DataFrame's dataset, read like a table in a file, with all of its columns."""
    for column in ("subject", "relation", "object"):
        if column not in data:
            raise _wrong("data", f"the DataFrame has no column '{column}'", f"rename one of its columns: {', '.join(map(str, data))}")
    for row, cells in data[["subject", "relation", "object"]].iterrows():
        for column, cell in cells.items():
            if _is_missing(cell):
                raise UserError(f"`data`: row {row} of the DataFrame has no {column}; fill it in or drop the row", setting="data", field=column,
                                remedy="fill it in or drop the row")
    check_frame(data)
    codes = {str(code) for code in data["relation"]}
    if any(str(column).lower() in ("choices", "multiple choices") for column in data):
        if templates:
            raise _wrong("templates", "a table whose facts have their own choices has no templates", "remove it, or drop the column")
        codes = set()
    for code in sorted(codes ^ templates.keys()):
        raise _wrong("templates", f"has none for relation '{code}'" if code in codes else f"'{code}' is not a relation of the DataFrame",
                     "pass a list of templates for each relation, by code")
    with tempfile.TemporaryDirectory(prefix="plumb-") as place:
        table = pathlib.Path(place) / "frame.csv"
        table.write_text(data.to_csv(index=False), encoding="utf-8")
        if templates:
            table.with_suffix(".json").write_text(json.dumps(templates), encoding="utf-8")
        return _core.load_dataset(str(table))


def dataset(data: Any, *, relations: Sequence[str] = (), limit: int = 0, templates: Mapping[str, Sequence[str]] | None = None) -> Dataset:
    """Makes a dataset from a path in any format that the command reads, a Dataset, relations, or a pandas DataFrame with the columns
    subject, relation and object (then `templates` maps each relation to its templates; other columns are read as in a table). Keeps
    only `relations`, by code, and their
    first `limit` facts; 0 keeps all."""
    if templates is not None and not hasattr(data, "groupby"):
        raise _wrong("templates", "is for a DataFrame; other data has its own templates", "remove it")
    if isinstance(data, (str, os.PathLike)):
        made = _core.load_dataset(str(data))
    elif isinstance(data, Dataset):
        made = data
    elif hasattr(data, "groupby"):
        made = _of_frame(data, {str(code): _list(of) for code, of in (templates or {}).items()})
    else:
        made = Dataset("relations", [data] if isinstance(data, Relation) else list(data))
    if not isinstance(limit, int) or limit < 0:
        raise _wrong("limit", f"{limit!r} is not a number of facts", "use a whole number, or 0 for all")
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
    """The closed-set probe: scores a sentence for every option of every fact. The model knows a fact if the true option is the
    likeliest.

    `model` and `data` are anything that `load` and `dataset` accept. `templates`: indices, or "all". `reduction`: "sum" or "mean"
    over the tokens of `span`, which is "statement", "answer" or "continuation". `bos`: whether the model's BOS precedes a statement,
    or the text of another token to use. `pll`: which tokens a masked model hides, "within-word" or "original". `progress`: True for a
    tqdm bar, or a class with tqdm's interface. Raises UserError for invalid files, facts and engines.
    """
    made = dataset(data, relations=relations, limit=limit)
    chosen = [] if templates == "all" else _list(templates)
    if any(not isinstance(one, int) or one < 0 for one in chosen):
        raise _wrong("templates", f"{templates!r} names no templates", "use indices from 0, or \"all\"")
    return Answers(_core.probe(load(model), made, _name(model, name), reduction, span, chosen, _bos(bos), pll, shown(progress), block_statements))


def many_shot(model: Any, data: Any, *, shots: Sequence[int] = (50,), seeds: int = 5, choices: int = 100, training: int = 100,
              limit: int = 0, min_facts: int = 0, separators: Sequence[str] = (" ",), eic: bool = False, eic_isolated: bool = False,
              choice_seed: int = 0, split_seed: int = 0, bos: bool | str = True, relations: Sequence[str] = (),
              name: str | None = None) -> Answers:
    """The many-shot probe (IC-LKE, EIC-LKE): bare pairs of subject and object, then a subject whose `choices` are scored. Axis 1 of a
    table is the setting: a shot count and the seed that draws the shots. `limit`: test facts per relation; `training`: facts per
    relation held out for the shots."""
    made = dataset(data, relations=relations)
    return Answers(_core.many_shot(load(model), made, _name(model, name), _list(shots), seeds, choices, training, limit, min_facts,
                                   _list(separators), eic, eic_isolated, choice_seed, split_seed, _bos(bos)), of_templates=False)


def rank(model: Any, data: Any, **options: Any) -> Run:
    """What is the rank of the true entity among all entities of a knowledge graph? `data`: a graph's folder, or a closed-set dataset.
    The options are those of `plumb rank`: method="deer,likelihood,lm-head", shots=8, limit=100 …. Metrics: `.metrics.methods`;
    ranks: `.table()`."""
    return run("rank", model, data=data, **options)


def many_prompts(model: Any, data: Any, **options: Any) -> Run:
    """Each template with each name of a subject, answered in the model's own words (BELIEF-ICL); a masked model fills gaps (BELIEF).
    The options are those of `plumb generate`: samples=10, max_new_tokens=16 …. Metrics: `.metrics.settings`; answers: `.table()`."""
    return run("generate", model, data=data, **options)


def calibrate(*asked: Any, **options: Any) -> Any:
    """How well confidence matches accuracy. For `Answers`, see `Answers.calibrate`. For finished runs (`Run`s or folders), a Run of
    `plumb calibrate`, which also accepts runs of many-shot and generate."""
    if len(asked) == 1 and isinstance(asked[0], Answers):
        return asked[0].calibrate(**options)
    return run("calibrate", None, *asked, **options)


def compare(*asked: Any, **options: Any) -> Any:
    """Compares two models, or two builds of one, on the same facts. For two `Answers`, see `Answers.compare`. For finished runs (`Run`s or
    folders), a Run of `plumb compare`."""
    if len(asked) == 2 and all(isinstance(one, Answers) for one in asked):
        return asked[0].compare(asked[1], **options)
    if any(isinstance(one, Answers) for one in asked):
        raise UserError("compare takes two Answers, or finished runs; do not mix them", remedy="do not mix them")
    return run("compare", None, *asked, **options)


def verify_model(model: Any, texts: Sequence[str], tolerance: float = 1e-3) -> dict[str, Any]:
    """Checks that all forms of a model (sequences, trees, lookups) give the same results to within `tolerance` nats. Returns `agrees`, the
    forms that were `compared`, `worst_nats`, and descriptions of the `first` and the `worst` difference."""
    return _core.verify_model(load(model), _list(texts), tolerance)
