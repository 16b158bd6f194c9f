# SPDX-License-Identifier: Apache-2.0
"""A model that lacks something does not compile, and the compiler says what to write."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import unittest

import command

PROGRAMS = ""

COMPILERS = [name for name in ("g++", "clang++-16") if shutil.which(name)]

# A model with all parts; each test takes one away.
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
    "mask": "plumb::TokenId mask() const { return 0; }",
    "evaluate of masked queries": "void evaluate(std::span<const plumb::MaskedQuery>, const plumb::LogitsVisitor&) {}",
    "dimension": "std::size_t dimension() const { return 3; }",
    "embed of a tree": "void embed(const plumb::TokenTree&, std::span<const plumb::NodeId>, "
                       "const plumb::LogitsVisitor&) {}",
    "embed": "plumb::EmbeddingMatrix embed(std::span<const std::string>, bool) { return {}; }",
    "generate": "std::vector<plumb::Continuation> generate(std::span<const plumb::TokenId>, "
                "const plumb::GenerationOptions&) { return {}; }",
}
WORDS = ["tokenize", "detokenize", "bos", "vocabulary_size", "context_length"]
CONCEPTS = {
    "language_model": WORDS,
    "causal_lm": [*WORDS, "evaluate"],
    "tree_causal_lm": [*WORDS, "evaluate", "tree_limits", "evaluate of a tree", "release"],
    "masked_lm": [*WORDS, "mask", "evaluate of masked queries"],
    "tree_embedder": [*WORDS, "dimension", "tree_limits", "embed of a tree", "release"],
    "embedder": ["dimension", "embed"],
    "generator": [*WORDS, "generate"],
}


def compiled(compiler, check, parts):
    """What the compiler says of a program with a model of these parts that asks to be checked."""
    text = ('#include "plumb/backend/check_model.hpp"\nstruct Model {\n' + "\n".join(parts) +
            f"\n}};\nstatic_assert(plumb::check_{check}<Model>());\n")
    return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{command.ROOT / 'include'}", "-isystem",
                           "/usr/include/eigen3", "-x", "c++", "-"], input=text, capture_output=True, text=True)


def named(done):
    """The parts that are said to be missing, each with what to write."""
    return dict(re.findall(r"plumb: the model lacks (.+?)\. Write: (.+)", done.stderr))


class Concepts(unittest.TestCase):
    def test_models_with_all_parts_compile(self):
        for compiler in COMPILERS:
            for check, parts in CONCEPTS.items():
                done = compiled(compiler, check, [PARTS[part] for part in parts])
                self.assertEqual((done.returncode, done.stderr), (0, ""), f"{compiler}, {check}")

    def test_the_part_that_is_missing_is_named_and_no_other(self):
        cases = [(compiler, check, missing) for compiler in COMPILERS for check, parts in CONCEPTS.items()
                 for missing in parts]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            made = pool.map(lambda case: compiled(case[0], case[1], [PARTS[part] for part in CONCEPTS[case[1]]
                                                                     if part != case[2]]), cases)
            for case, done in zip(cases, made, strict=True):
                self.assertNotEqual(done.returncode, 0, case)
                said = named(done)
                self.assertEqual(set(said), {case[2]}, case)
                self.assertIn(case[2].split(" ")[0] + "(", said[case[2]], case)

    def test_a_part_of_another_type_is_missing(self):
        parts = dict(PARTS, bos="plumb::TokenId bos() const { return 0; }")
        for compiler in COMPILERS:
            done = compiled(compiler, "causal_lm", [parts[part] for part in CONCEPTS["causal_lm"]])
            self.assertEqual(set(named(done)), {"bos"})
            self.assertIn("std::optional<plumb::TokenId> bos() const", named(done)["bos"])

    def test_special_tokens_of_another_type_would_not_be_seen(self):
        parts = [PARTS[part] for part in CONCEPTS["causal_lm"]]
        for compiler in COMPILERS:
            done = compiled(compiler, "causal_lm", [*parts, "std::vector<int> special_tokens() const { return {}; }"])
            self.assertIn("plumb: the model's special_tokens would not be seen. Write: "
                          "std::vector<plumb::SpecialToken> special_tokens() const", done.stderr)
            right = "std::vector<plumb::SpecialToken> special_tokens() const { return {}; }"
            self.assertEqual(compiled(compiler, "causal_lm", [*parts, right]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
