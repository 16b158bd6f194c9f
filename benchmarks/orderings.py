# SPDX-License-Identifier: Apache-2.0
"""Do the four papers' main orderings hold on one small model?

Runs a few plumb commands and prints a line for each ordering: what is ahead in the paper, both numbers with the intervals
of metrics.json, their difference, and whether it agrees. The 95% interval of the difference is a paired bootstrap over
the units of both numbers (facts within relations, whole relations, or queries) with 1,000 seeded draws, shifted so that
their median is the difference, as plumb does for calibration errors. "undecided here" means that the interval contains 0.
For the draws, both numbers are computed again from the rows, and must equal those of metrics.json.
"""
import argparse
import csv
import dataclasses
import json
import math
import pathlib
import random
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
DRAWS = 1000


@dataclasses.dataclass
class Ordering:
    """`of(strata)` gives both numbers for a list of strata. Each stratum is a list of the units that are resampled."""
    paper: str
    place: str
    what: str
    names: list
    estimates: list
    strata: list
    of: object
    lower_is_better: bool = False


def quantile(ordered, share):
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def verdict(ordering):
    """The difference, its interval and the verdict."""
    first, second = ordering.of(ordering.strata)
    for number, estimate in zip((first, second), ordering.estimates):
        if abs(number - estimate["value"]) > 1e-6:
            raise SystemExit(f"{ordering.place}: {number} from the rows, {estimate['value']} in metrics.json")
    chance, draws = random.Random(0), []
    for _ in range(DRAWS):
        drawn = ordering.of([chance.choices(stratum, k=len(stratum)) for stratum in ordering.strata])
        draws.append(drawn[0] - drawn[1])
    draws = sorted(draw for draw in draws if math.isfinite(draw))
    difference = first - second
    if draws[0] == draws[-1]:  # no width means no certainty
        return difference, None, None, "undecided here"
    shift = difference - quantile(draws, 0.5)
    low, high = quantile(draws, 0.025) + shift, quantile(draws, 0.975) + shift
    better, worse = (high < 0, low > 0) if ordering.lower_is_better else (low > 0, high < 0)
    return difference, low, high, "agrees" if better else "disagrees" if worse else "undecided here"


def text(value, low, high):
    """Written as plumb writes an estimate, with a dash if there is no interval."""
    return f"{value:.3f} [–]" if low is None else f"{value:.3f} [{low:.3f}, {high:.3f}]"


def rows(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def write_part_of_bear(bear, twelve, folder, facts=10):
    """A few facts of each relation in random order, one name each, under the calibration paper's paraphrases."""
    folder.mkdir(parents=True, exist_ok=True)
    metadata = json.loads(twelve.read_text())
    for code, relation in metadata.items():
        relation["templates"] = relation["templates"][:5]
        drawn = random.Random(code).sample(rows(bear / f"{code}.jsonl"), facts)
        for fact in drawn:
            fact["sub_aliases"] = []
        (folder / f"{code}.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in drawn))
    (folder / "metadata_relations.json").write_text(json.dumps(metadata))


def write_part_of_graph(graph, folder, queries=200, training=40, letters=5):
    """Test triples whose tail has a short name, which often is one token, and the entities of all triples."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = (graph / "entity2text.txt").read_text().splitlines()
    names = {line.split("\t")[0]: line.split("\t")[1].split(", ")[0] for line in lines}
    test = [line for line in (graph / "test.tsv").read_text().splitlines()
            if names[line.split("\t")[2]].isalpha() and len(names[line.split("\t")[2]]) <= letters]
    chance = random.Random(0)
    parts = {"test": chance.sample(test, queries),
             "train": chance.sample((graph / "train.tsv").read_text().splitlines(), training)}
    met = {entity for part in parts.values() for line in part for entity in line.split("\t")[::2]}
    for part, triples in parts.items():
        (folder / f"{part}.tsv").write_text("".join(line + "\n" for line in triples))
    (folder / "entity2text.txt").write_text("".join(line + "\n" for line in lines if line.split("\t")[0] in met))
    (folder / "relation2text.txt").write_text((graph / "relation2text.txt").read_text())


def commands(data, runs):
    """The words of each run's command, by the run's name."""
    write_part_of_bear(data / "bear", data / "bear-12-templates/metadata_relations.json", runs / "bear-part")
    write_part_of_graph(data / "wn18rr", runs / "wn18rr-part")
    return {
        "shots": ["many-shot", "--data", ROOT / "examples/facts", "--relations", "birth-year", "--shots", "1,50",
                  "--seeds", 2, "--limit", 40],
        "prompts": ["many-shot", "--data", data / "bear", "--relations", "P103,P176,P178,P364,P413,P449", "--shots", "1,50",
                    "--seeds", 1, "--choices", 10, "--limit", 20, "--eic", "paper", "--baselines",
                    data / "many-shot-baselines/table5.json"],
        "head": ["rank", "--data", runs / "wn18rr-part", "--method", "deer,lm-head", "--candidates", "single-token"],
        "names": ["rank", "--data", data / "wn18rr", "--method", "deer,likelihood", "--sample", 100, "--candidates",
                  "of-queries"],
        "confidence": ["calibrate", "--data", runs / "bear-part", "--limit", 3, "--bins", 10],
        "answers": ["generate", "--data", runs / "bear-part", "--limit", 1, "--fresh-shots", "--samples", 0, "--names",
                    "none"]}


def metrics_of(run):
    return json.loads((run / "metrics.json").read_text())


def many_shot_orderings(run, place, pairs):
    """Accuracies over the same facts of each relation; the mean, if there are several draws or templates."""
    made, facts = metrics_of(run)["settings"], {}
    for file in sorted(run.glob("*_choices.jsonl")):
        for row in rows(file):
            scores, method = row["answer_scores"], row["method"]
            name = f"ic/{row['shots']}" if method == "ic" else method
            right = (scores[row["answer"]] == max(scores)) / scores.count(max(scores))
            facts.setdefault(file, {}).setdefault(row["instance_index"], {}).setdefault(name, []).append(right)
    strata = [[{name: statistics.fmean(values) for name, values in fact.items()} for fact in relation.values()]
              for relation in facts.values()]

    def mean(drawn, name):
        return statistics.fmean(statistics.fmean(fact[name] for fact in stratum) for stratum in drawn)

    for names in pairs:
        yield Ordering("many shots", place, "accuracy", names, [made[name]["accuracy"] for name in names], strata,
                       lambda drawn, names=names: [mean(drawn, name) for name in names])


def correlation(xs, ys):
    try:
        return statistics.correlation(xs, ys)
    except statistics.StatisticsError:  # one of them is constant
        return math.nan


def rank_ordering(run, place, what, better, other):
    """Hit@10, or the correlation of ranks with the token counts of the true names, over the same queries."""
    made, queries = metrics_of(run)["methods"], {}
    with open(run / "ranks.csv", newline="") as file:
        for row in csv.DictReader(file):
            queries.setdefault((row["part"], row["line"]), {})[row["method"]] = (float(row["rank"]), int(row["tokens"]))
    hits = what == "Hit@10"

    def number(drawn, method):
        ranks, tokens = zip(*(query[method] for query in drawn))
        return statistics.fmean(rank <= 10 for rank in ranks) if hits else correlation(tokens, ranks)

    def estimate(method):
        one = made[method]
        return one["raw"]["realistic"]["hits_at_10"] if hits else one["rank_against_name_tokens"]["r"]

    return Ordering("DEER", place, what, [better, other], [estimate(better), estimate(other)], [list(queries.values())],
                    lambda drawn: [number(drawn[0], better), number(drawn[0], other)])


def judgements(fact):
    """By estimator: confidence and whether the answer is right, from a fact's scores under each paraphrase."""
    answers = []
    for scores, answer in fact:
        best = max(scores)
        first, second = sorted((math.exp(score - best) for score in scores), reverse=True)[:2]
        total = sum(math.exp(score - best) for score in scores)
        answers.append((first / total, (first - second) / total, scores.index(best), scores.index(best) == answer))
    unsure = min(answers, key=lambda made: made[0])
    agreeing = sum(made[0] for made in answers if made[2] == unsure[2])
    return {"base": (answers[0][0], answers[0][3]), "margin": (answers[0][1], answers[0][3]),
            "average_min": (agreeing / len(answers), unsure[3])}


def brier(judged, _):
    return statistics.fmean((confidence - right) ** 2 for confidence, right in judged)


def ace(judged, bins):
    """Bins as in scikit-learn: a confidence that equals an edge is in the lower bin."""
    ordered = sorted(judged)
    sure = [confidence for confidence, _ in ordered]
    edges = [quantile(sure, i / bins) for i in range(1, bins)] + [math.inf]
    gaps, bin_ = {}, 0
    for confidence, right in ordered:
        while confidence > edges[bin_]:
            bin_ += 1
        gaps.setdefault(bin_, []).append(right - confidence)
    return statistics.fmean(abs(statistics.fmean(gap)) for gap in gaps.values())


def calibration_orderings(run):
    """The calibration paper's orderings, over whole relations."""
    made, relations = metrics_of(run), []
    for file in sorted((run / "probe").glob("*_results.jsonl")):
        facts = {}
        for row in sorted(rows(file), key=lambda row: row["template_index"]):
            facts.setdefault(row["instance_index"], []).append((row["pll_scores"], row["answer_idx"]))
        relations.append([judgements(fact) for fact in facts.values()])
    estimators = next(iter(made["models"].values()))["estimators"]
    for metric, measure in (("ace", ace), ("brier", brier)):
        for names in (("average_min", "base"), ("average_min", "margin"), ("margin", "base")):
            yield Ordering("calibration", "Table 1", metric + ", less is better", names,
                           [estimators[name]["metrics"][metric] for name in names], [relations],
                           lambda drawn, names=names, measure=measure: [
                               measure([fact[name] for relation in drawn[0] for fact in relation], made["bins"])
                               for name in names], lower_is_better=True)


def many_prompt_orderings(run):
    """The many-prompt paper's orderings, over whole relations."""
    made = metrics_of(run)["settings"]
    kinds = (("Acc@1", lambda way: way["coverage"]["average"], lambda relation: relation["accuracy"]),
             ("Consist", lambda way: way["consistency"]["all"]["share"],
              lambda relation: relation["consistency"]["all"]["share"]))
    for what, overall, of_relation in kinds:
        for names in (("4-template", "4-relation"), ("4-template", "4-random"), ("4-template", "zero-shot")):
            relations = [[of_relation(made[name]["relations"][code]) for name in names]
                         for code in made[names[0]]["relations"]]

            def means(drawn):
                return [sum(pair[i]["value"] * pair[i]["count"] for pair in drawn[0]) /
                        sum(pair[i]["count"] for pair in drawn[0]) for i in (0, 1)]

            yield Ordering("many prompts", "Table 3", what, names, [overall(made[name]) for name in names],
                           [relations], means)


def main():
    parser = argparse.ArgumentParser()
    for name in ("plumb", "model", "data", "runs"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    runs = arguments.runs
    if not arguments.data.is_dir():
        raise SystemExit(f"skipped: no reference data at {arguments.data}")
    for name, words in commands(arguments.data, runs).items():
        out = runs / name
        call = [arguments.plumb, *words, "--model", arguments.model, "--out", out]
        call += ["--resume"] if out.exists() else []
        print(f"{name}: plumb", *words, flush=True)
        done = subprocess.run([str(word) for word in call], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
    orderings = [
        *many_shot_orderings(runs / "shots", "Figure 1", [("ic/50", "ic/1")]),
        *many_shot_orderings(runs / "prompts", "Figure 1 on six relations of BEAR", [("ic/50", "ic/1")]),
        *many_shot_orderings(runs / "prompts", "Figure 3", [("ic/50", "hgp"), ("ic/50", "mmp"), ("eic", "hgp"),
                                                            ("eic", "mmp")]),
        rank_ordering(runs / "head", "Table 4", "Hit@10", "lm-head", "deer"),
        rank_ordering(runs / "names", "Table 8", "Hit@10", "likelihood", "deer"),
        rank_ordering(runs / "names", "Figure 9", "r of rank and name's tokens", "likelihood", "deer"),
        *calibration_orderings(runs / "confidence"),
        *many_prompt_orderings(runs / "answers")]
    found = []
    print()
    for one in orderings:
        difference, low, high, word = verdict(one)
        found.append(word)
        shown = [f"{name} {text(*(estimate[key] for key in ('value', 'low', 'high')))}"
                 for name, estimate in zip(one.names, one.estimates)]
        print(f"{one.paper}, {one.place}, {one.what}: {' ahead of '.join(shown)}, "
              f"difference {text(difference, low, high)}: {word}")
    print("; ".join(f"{found.count(word)} {word}" for word in ("agrees", "disagrees", "undecided here")))


if __name__ == "__main__":
    main()
