# SPDX-License-Identifier: Apache-2.0
"""A model that lacks something does not compile, and the compiler says what to write."""
import re
import shutil
import subprocess
import unittest

import command

COMPILERS = [name for name in ("g++", "clang++-16") if shutil.which(name)]

# A model with all parts; each test takes one away.
PARTS = {
    "tokenize": "plumb::Tokenization tokenize(std::string_view) { return {}; }",
    "detokenize": "std::string detokenize(std::span<const plumb::TokenId>) { return {}; }",
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


def compile_all(compiler, models):
    """What the compiler says of one program with these (name, parts, check) models."""
    text = '#include "plumb/backend/check_model.hpp"\n'
    for name, parts, check in models:
        text += f"struct {name} {{\n" + "\n".join(PARTS[part] for part in parts) + "\n};\n"
        text += f"static_assert(plumb::check_{check}<{name}>());\n"
    return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{command.ROOT / 'include'}", "-isystem",
                           "/usr/include/eigen3", "-x", "c++", "-"], input=text, capture_output=True, text=True)


class Concepts(unittest.TestCase):
    def test_models_with_all_parts_compile(self):
        models = [(f"Whole_{check}", parts, check) for check, parts in CONCEPTS.items()]
        for compiler in COMPILERS:
            done = compile_all(compiler, models)
            self.assertEqual((done.returncode, done.stderr), (0, ""), compiler)

    def test_each_part_that_is_missing_is_named_with_what_to_write(self):
        for compiler in COMPILERS:
            for check, parts in CONCEPTS.items():
                models = [(f"Lacks_{i}", [part for part in parts if part != missing], check)
                          for i, missing in enumerate(parts)]
                done = compile_all(compiler, models)
                self.assertNotEqual(done.returncode, 0)
                # One message for each model, in order, each naming the part and its signature. What is missing
                # of a base concept is said by every check that asks for it.
                said = re.findall(r"plumb: the model lacks (.+?)\. Write: (.+)", done.stderr)
                named = [part for part, _ in said]
                for missing in parts:
                    self.assertIn(missing, named, f"{compiler}, {check}")
                    write = next(words for part, words in said if part == missing)
                    self.assertIn(missing.split(" ")[0] + "(", write.replace("<", "("))

    def test_a_part_of_another_type_is_missing(self):
        wrong = dict(PARTS, bos="plumb::TokenId bos() const { return 0; }")
        text = '#include "plumb/backend/check_model.hpp"\nstruct M {\n' + "\n".join(
            wrong[part] for part in CONCEPTS["causal_lm"]) + "\n};\nstatic_assert(plumb::check_causal_lm<M>());\n"
        for compiler in COMPILERS:
            done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{command.ROOT / 'include'}", "-isystem",
                                   "/usr/include/eigen3", "-x", "c++", "-"], input=text, capture_output=True, text=True)
            self.assertIn("the model lacks bos. Write: std::optional<plumb::TokenId> bos() const", done.stderr)


if __name__ == "__main__":
    unittest.main()
