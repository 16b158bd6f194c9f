# SPDX-License-Identifier: Apache-2.0
"""If a model, scorer, builder, policy or estimator lacks a part, it does not compile, and the compiler prints what to write."""
import re
import shutil
import subprocess
import unittest

import command

PROGRAMS = ""

COMPILERS = [name for name in ("g++", "clang++-14", "clang++-16") if shutil.which(name)]
OF_EACH_KIND = COMPILERS[:2]  # g++ and a clang, which read all the headers of DOORS

# The parts of a user's own types; each test removes one part.
PARTS = {
    "tokenize": "plumb::Tokenization tokenize(std::string_view) const { return {}; }",
    "detokenize": "std::string detokenize(std::span<const plumb::TokenId>) const { return {}; }",
    "bos": "std::optional<plumb::TokenId> bos() const { return {}; }",
    "vocabulary_size": "std::size_t vocabulary_size() const { return 2; }",
    "context_length": "std::size_t context_length() const { return 8; }",
    "evaluate": "void evaluate(std::span<const plumb::TokenId>, const plumb::LogitsVisitor&) {}",
    "tree_limits": "plumb::TreeLimits tree_limits() const { return {8, 2, 2}; }",
    "evaluate of a tree": "void evaluate(const plumb::TokenTree&, std::span<const plumb::NodeId>, "
                          "const plumb::LogitsVisitor&) {}",
    "release": "void release(const plumb::TokenTree&, plumb::NodeId) {}",
    "look_up": "void look_up(const plumb::TokenTree&, std::span<const plumb::TokenLookup>, std::span<double>) {}",
    "mask": "plumb::TokenId mask() const { return 0; }",
    "evaluate of masked queries": "void evaluate(std::span<const plumb::MaskedQuery>, const plumb::LogitsVisitor&) {}",
    "dimension": "std::size_t dimension() const { return 3; }",
    "embed of a tree": "void embed(const plumb::TokenTree&, std::span<const plumb::NodeId>, "
                       "const plumb::LogitsVisitor&) {}",
    "embed": "plumb::EmbeddingMatrix embed(std::span<const std::string>, bool) { return {}; }",
    "generate": "std::vector<plumb::Continuation> generate(std::span<const plumb::TokenId>, "
                "const plumb::GenerationOptions&) { return {}; }",
    "generate of many prompts": "std::vector<std::vector<plumb::Continuation>> generate(std::span<const "
                                "std::vector<plumb::TokenId>>, const plumb::GenerationOptions&, "
                                "std::span<const std::uint64_t>) { return {}; }",
    "operator()": "plumb::Judgement operator()(const plumb::FactPredictions&) const { return {}; }",
    "check": "void check(const plumb::RelationPredictions&) const {}",
    "name": "std::string name() const { return {}; }",
    "score": "std::vector<plumb::StatementScore> score(const plumb::Query&) { return {}; }",
    "choose": "std::optional<std::size_t> choose(std::span<const plumb::Prediction>) const { return {}; }",
    "build": "plumb::Prompt build(const plumb::Relation&, const plumb::Fact&, std::size_t, std::size_t) const { return {}; }",
}
WORDS = ["tokenize", "detokenize", "bos", "vocabulary_size", "context_length"]
CONCEPTS = {
    "language_model": WORDS,
    "causal_lm": [*WORDS, "evaluate"],
    "tree_causal_lm": [*WORDS, "evaluate", "tree_limits", "evaluate of a tree", "release"],
    "lookup_lm": [*WORDS, "tree_limits", "look_up"],
    "masked_lm": [*WORDS, "mask", "evaluate of masked queries"],
    "tree_embedder": [*WORDS, "dimension", "tree_limits", "embed of a tree", "release"],
    "embedder": ["dimension", "embed"],
    "generator": [*WORDS, "generate"],
    "batch_generator": [*WORDS, "generate of many prompts"],
    "confidence_estimator": ["operator()", "name", "check"],
    "candidate_scorer": ["score"],
    "aggregation": ["choose", "name"],
    "prompt_builder": ["build"],
}
HEADERS = ["backend/check_model.hpp", "calibrate/confidence.hpp", "score/candidate_scorer.hpp", "aggregate/aggregator.hpp",
           "prompt/prompt.hpp", "score/causal_scorer.hpp"]
# Makes every public name available as plumb::X, whichever door declares it.
ALL_NAMES = "namespace plumb { using namespace detail; }\n"


def includes(headers):
    """A program's first lines. Models that return an EmbeddingMatrix need Eigen themselves: the concepts only declare it."""
    return "#include <Eigen/Core>\n" + "".join(f'#include "plumb/detail/{header}"\n' for header in headers) + ALL_NAMES


def compiled(compiler, models, more=""):
    """The compiler's messages for a program that checks models, each (check, parts), with additional lines; Model0 is the
    first."""
    text = includes(HEADERS)
    for i, (check, parts) in enumerate(models):
        text += f"struct Model{i} {{\n" + "\n".join(parts) + f"\n}};\nstatic_assert(plumb::check_{check}<Model{i}>());\n"
    return compile_text(compiler, text + more)


def compile_text(compiler, text):
    """All of a compiler's messages for a program."""
    more = ["-ferror-limit=0"] if "clang" in compiler else ["-fmax-errors=0", "--param=ggc-min-heapsize=2000000"]
    return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{command.ROOT / 'include'}", "-isystem",
                           "/usr/include/eigen3", "-ftemplate-backtrace-limit=0", *more, "-x", "c++", "-"], input=text,
                          capture_output=True, text=True)


def first_errors(done):
    """By file of a program's #line, the first error that its lines cause. GCC names the line before the error, clang after it."""
    first, pending, door = {}, None, None
    for line in done.stderr.splitlines():
        at = re.search(r"\bdoor\d+(?=:\d+:)", line)
        if at and " error: " not in line:
            door = at.group(0)
            if pending:
                first.setdefault(door, pending)
                pending = None
        elif " error: " in line:
            if "clang" in done.args[0]:
                pending = line
            else:
                first.setdefault(at.group(0) if at else door, line)
    return first


# Headers that check a type themselves: the header, a program's call, the check, and the part that its type lacks.
DOORS = [
    ("score/causal_scorer.hpp", "plumb::CausalScorer(mine, plumb::Bos())", "causal_lm", "context_length"),
    ("score/causal_scorer.hpp", "plumb::CausalScorer(mine, plumb::Bos())", "lookup_lm", "tree_limits"),
    ("score/masked_scorer.hpp", "plumb::MaskedScorer(mine)", "masked_lm", "mask"),
    ("backend/any_model.hpp", "plumb::AnyModel::made_by([] { return Mine(); })", "causal_lm", "evaluate"),
    ("backend/any_model.hpp", "plumb::AnyModel::made_by([] { return Mine(); })", "masked_lm", "vocabulary_size"),
    ("calibrate/calibrator.hpp", "plumb::Calibrator(mine)", "confidence_estimator", "check"),
    ("calibrate/fitted_confidence.hpp", "plumb::Tempered({}, mine)", "confidence_estimator", "operator()"),
    ("aggregate/aggregator.hpp", "plumb::Aggregator(mine)", "aggregation", "choose"),
    ("aggregate/probe_in_memory.hpp", "plumb::probe_in_memory(mine, plumb::Dataset())", "candidate_scorer", "score"),
    ("run/probe_into_folder.hpp", 'plumb::probe_into_folder(mine, {}, "run")', "candidate_scorer", "score"),
]


def named(done):
    """By model, the parts reported as missing, each with what to write. GCC names the model before the message, clang after
    it."""
    said, pending, model = {}, [], None
    for line in done.stderr.splitlines():
        message = re.search(r"plumb: the [a-z ]+ lacks (.+?)\. Write: (.+?)\"?$", line)
        at = re.search(r"(?:with [A-Z] = |check_\w+<)Model(\d+)[>\];]", line)
        if at and not message:
            model = int(at.group(1))
            said.setdefault(model, {}).update(pending)
            pending = []
        elif message and " error: " in line:
            # Clang names the place once for all parts that a check misses, and the model in the message.
            own = re.search(r"requires \([^)]*?\bModel(\d+)\b", line)
            if "clang" in done.args[0] and own:
                said.setdefault(int(own.group(1)), {}).update([message.groups()])
            elif "clang" in done.args[0]:
                pending.append(message.groups())
            else:
                said.setdefault(model, {}).update([message.groups()])
    return said


CAUSAL = [PARTS[part] for part in CONCEPTS["causal_lm"]]
# Parts added to a causal model that would never be called: a part of an optional form, or one with the wrong signature; and
# the parts that are then reported as missing.
HALF_FORMS = [
    ([PARTS["tree_limits"]], {"evaluate of a tree", "release"}),
    ([PARTS["release"]], {"evaluate of a tree", "tree_limits"}),
    ([PARTS["tree_limits"], PARTS["release"]], {"evaluate of a tree"}),
    ([PARTS["evaluate of a tree"]], {"tree_limits", "release"}),
    ([PARTS["evaluate of a tree"], PARTS["tree_limits"]], {"release"}),
    ([PARTS["tree_limits"], PARTS["release"], "void evaluate(const plumb::TokenTree&, std::vector<plumb::NodeId>, "
      "const plumb::LogitsVisitor&) {}"], {"evaluate of a tree"}),
    ([PARTS["tree_limits"], PARTS["release"], "void evaluate(const plumb::TokenTree&, const plumb::LogitsVisitor&) {}"],
     {"evaluate of a tree"}),
    ([PARTS["tree_limits"], PARTS["release"], "void evaluate(const plumb::TokenTree&, std::span<plumb::NodeId>, "
      "const plumb::LogitsVisitor&) {}"], {"evaluate of a tree"}),
    (["int tree_limits() const { return 8; }", PARTS["evaluate of a tree"], PARTS["release"]], {"tree_limits"}),
    ([PARTS["look_up"]], {"tree_limits"}),
    ([PARTS["tree_limits"], "void look_up(const plumb::TokenTree&, std::span<const plumb::TokenLookup>, std::span<float>) {}"],
     {"look_up"}),
    ([PARTS["tree_limits"], "std::vector<double> look_up(const plumb::TokenTree&, std::vector<plumb::TokenLookup>) { return {}; }"],
     {"look_up"}),
    ([PARTS["embed of a tree"]], {"dimension", "tree_limits", "release"}),
    ([PARTS["dimension"], PARTS["tree_limits"], PARTS["release"], "void embed(const plumb::TokenTree&, "
      "std::vector<plumb::NodeId>, const plumb::LogitsVisitor&) {}"], {"embed of a tree"}),
    ([PARTS["embed"]], {"dimension"}),
    ([PARTS["dimension"], "plumb::EmbeddingMatrix embed(const std::vector<std::string>&, bool) { return {}; }"], {"embed"}),
    ([PARTS["dimension"], "std::vector<float> embed(const std::string&) { return {}; }"], {"embed"}),
    ([PARTS["generate of many prompts"].replace("std::span<const std::uint64_t>", "std::vector<std::uint64_t>")],
     {"generate of many prompts"}),
]
# Parts added to a causal model that form a whole form, or that belong to none.
WHOLE_FORMS = [
    [PARTS["tree_limits"], PARTS["evaluate of a tree"], PARTS["release"]],
    [PARTS["tree_limits"], PARTS["look_up"]], [PARTS["tree_limits"], PARTS["look_up"], PARTS["release"]],
    [PARTS["dimension"], PARTS["tree_limits"], PARTS["embed of a tree"], PARTS["release"]],
    [PARTS["dimension"], PARTS["embed"]], [PARTS["dimension"]], [PARTS["generate"]],
    ["void generate(int) {}", "int evaluate(int, int, int) { return 0; }"],
]
# Reading the headers takes a compiler seconds, so similar checks are in one program.
MISSING = [(check, missing) for check, parts in CONCEPTS.items() for missing in parts]
OTHER_TYPE = ("causal_lm", [PARTS[part] if part != "bos" else "plumb::TokenId bos() const { return 0; }"
                            for part in CONCEPTS["causal_lm"]])
UNSEEN = ("causal_lm", [*CAUSAL, "std::vector<int> special_tokens() const { return {}; }"])
SEEN = ("causal_lm", [*CAUSAL, "std::vector<plumb::SpecialToken> special_tokens() const { return {}; }"])


def asked_as_const(parts):
    """A program's lines that pass a const model with these parts."""
    return ("struct Mine {\n" + "\n".join(parts) + "\n};\n"
            "void ask(const Mine& mine) { (void)plumb::CausalScorer(mine, plumb::Bos()); }\n")


class Concepts(unittest.TestCase):
    def test_models_with_all_parts_compile(self):
        models = [*((check, [PARTS[part] for part in parts]) for check, parts in CONCEPTS.items()), SEEN]
        free = [part.replace("LogitsVisitor&) {}", "LogitsVisitor&) const {}") for part in CAUSAL]
        self.assertNotEqual(free, CAUSAL)
        for compiler in COMPILERS:
            done = compiled(compiler, models, asked_as_const(free))
            self.assertEqual((done.returncode, done.stderr), (0, ""), compiler)

    def test_only_the_missing_part_is_named(self):
        models = [*((check, [PARTS[part] for part in CONCEPTS[check] if part != missing]) for check, missing in MISSING),
                  OTHER_TYPE, UNSEEN]
        for compiler in COMPILERS:
            done = compiled(compiler, models)
            self.assertNotEqual(done.returncode, 0)
            said = named(done)
            for i, (check, missing) in enumerate([*MISSING, ("of another type", "bos")]):
                case = (compiler, check, missing)
                self.assertEqual(set(said.get(i, {})), {missing}, case)
                self.assertIn(missing.split(" ")[0] + "(", said[i][missing], case)
            self.assertIn("std::optional<plumb::TokenId> bos() const", said[len(MISSING)]["bos"])
            self.assertNotIn(len(models) - 1, [model for model, parts in said.items() if parts])  # it lacks nothing
            self.assertIn("plumb: the model's special_tokens would not be used. Write: "
                          "std::vector<plumb::SpecialToken> special_tokens() const", done.stderr)

    def test_missing_half_of_an_optional_form_is_named(self):
        for door in ("causal_lm", "any_model"):
            for compiler in OF_EACH_KIND:
                done = compiled(compiler, [(door, [*CAUSAL, *parts]) for parts, _ in HALF_FORMS])
                said = named(done)
                for i, (parts, missing) in enumerate(HALF_FORMS):
                    with self.subTest(compiler=compiler, door=door, parts=parts[-1]):
                        self.assertEqual(set(said.get(i, {})), missing, done.stderr[:3000])
                done = compiled(compiler, [(door, [*CAUSAL, *parts]) for parts in WHOLE_FORMS])
                self.assertEqual((done.returncode, done.stderr), (0, ""), (compiler, door))

    def test_release_with_wrong_signature_is_reported(self):
        parts = [PARTS[part] for part in CONCEPTS["lookup_lm"]]
        for compiler in OF_EACH_KIND:
            done = compiled(compiler, [("lookup_lm", [*parts, "void release(plumb::NodeId) {}"])])
            self.assertIn("plumb: the model's release has the wrong signature and would not be used. Write: "
                          "void release(const plumb::TokenTree& tree, plumb::NodeId node), or remove it", done.stderr)

    def test_scorers_and_calibrators_name_it_without_being_asked(self):
        text = includes(dict.fromkeys(door[0] for door in DOORS))
        for i, (_, call, check, missing) in enumerate(DOORS):
            parts = [PARTS[part] for part in CONCEPTS[check] if part != missing]
            text += (f"namespace door{i} {{\nstruct Mine {{\n" + "\n".join(parts) +
                     f'\n}};\n#line 1 "door{i}"\nvoid ask() {{ Mine mine; (void){call}; }}\n}}\n')
        as_const = f"door{len(DOORS)}"
        text += f'namespace {as_const} {{\n#line 1 "{as_const}"\n{asked_as_const(CAUSAL)}}}\n'
        for compiler in OF_EACH_KIND:
            done = compile_text(compiler, text)
            said = first_errors(done)
            for i, (_, call, _, missing) in enumerate(DOORS):
                with self.subTest(compiler=compiler, call=call, missing=missing):
                    self.assertIn(f" lacks {missing}. Write: ", said.get(f"door{i}", "nothing"), done.stderr)
            of_const = said.get(as_const, "nothing")
            self.assertIn("plumb: the model is const, but its functions are not", of_const, done.stderr)
            self.assertNotIn(" lacks ", of_const)


if __name__ == "__main__":
    unittest.main()
