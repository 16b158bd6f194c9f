# SPDX-License-Identifier: Apache-2.0
"""Compiles headers by themselves under clang, each only once: as modules.

As a separate module, a header sees only the names and macros of the headers that it includes, directly or not. These are
read from their modules, which were made before, instead of being compiled again. The headers of the standard library,
Eigen, xtensor and nlohmann-json are modules too, visible only to headers that include them. Their sources are unchanged,
with one exception. clang 16 treats two instances of std::pair from two modules as different, because of the requirements
of its constructors. So its C++17 form is read, which has no requirements.

A module that does not compile proves nothing, because clang's modules have bugs: the caller compiles that header again
without them. A module that compiles proves that its header compiles by itself.
"""
import concurrent.futures
import pathlib
import re
import subprocess

THIRD_PARTY = ("Eigen/", "unsupported/", "xtensor/", "nlohmann/")
PAIR = """#pragma once
#include <compare>
#include <concepts>
#include <type_traits>
#pragma push_macro("__cpp_lib_concepts")
#undef __cpp_lib_concepts
#include <bits/stl_pair.h>
#pragma pop_macro("__cpp_lib_concepts")
"""


def module_of(name):
    return re.sub(r"\W", "_", name)


def prerequisites(listed):
    """Files of a list of dependencies written by a compiler."""
    return set(pathlib.Path(listed).read_text().replace("\\\n", " ").split()[1:])


class Modules:
    """Modules of the headers in a folder. `words` call the compiler in `root`; `names` are the headers below `include`;
    `closure` returns the headers that one of them includes, directly or not; `named` are the headers that they name in <>."""

    def __init__(self, words, root, include, folder, names, closure, named):
        self.words, self.root, self.folder, self.closure = [word for word in words if word != "-fsyntax-only"], root, pathlib.Path(folder), closure
        self.read, self.said = {}, {}
        self.foreign = self.map_headers(include, names, named)

    def map_headers(self, include, names, named):
        """Writes which header is which module; returns the names of the modules in addition to those of `names`."""
        listed = self.folder / "named.d"
        named = sorted(name for name in named if "/" not in name or name.startswith(THIRD_PARTY))
        source = "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in named)
        subprocess.run([*self.words, "-M", "-MF", listed, "-x", "c++", "-"], input=source, text=True, cwd=self.root, check=True)
        files = sorted(map(pathlib.Path, prerequisites(listed) - {"-"}))
        library = next(file.parent.parent for file in files if file.match("bits/stl_pair.h"))
        (self.folder / "pair.hpp").write_text(PAIR)
        lines = ["module std [system] {", f'  module pair {{ header "{self.folder}/pair.hpp" '
                                          f'header "{library}/bits/stl_pair.h" export * }}']
        lines += [f'  module {file.name} {{ header "{file}" export * }}'
                  for file in files if file.parent == library and "." not in file.name]
        lines.append("}")
        third = {name: file for name in named if "/" in name for file in files if str(file).endswith("/" + name)}
        lines += [f'module {module_of(name)} [system] {{ header "{file}" export * }}' for name, file in third.items()]
        lines += [f'module {module_of(name)} {{ header "{include / name}" export * }}' for name in names]
        (self.folder / "headers.modulemap").write_text("\n".join(lines) + "\n")
        return ["std", *map(module_of, third)]

    def make(self, module, more=()):
        """(the compiler's messages, the files it read) of one module whose imports have all been made."""
        described, made = self.folder / "headers.modulemap", self.folder / f"{module}.pcm"
        flags = ["-fmodules", "-fno-implicit-modules", "-fno-implicit-module-maps", f"-fprebuilt-module-path={self.folder}",
                 f"-fmodule-map-file={described}", "-Wno-c++17-extensions"]  # in modules it warns of 0x1p-53 in C++20
        visible = ["-Xclang", "-fmodules-local-submodule-visibility", "-Xclang", "-emit-module", f"-fmodule-name={module}"]
        done = subprocess.run([*self.words, *more, *flags, *visible, "-x", "c++", "-c", described, "-o", made, "-MD", "-MF",
                               made.with_suffix(".d")], capture_output=True, text=True, cwd=self.root)
        if done.returncode != 0 or done.stderr:
            made.unlink(missing_ok=True)
            return done.stderr or f"ended with {done.returncode}", set()
        return "", {file for file in prerequisites(made.with_suffix(".d")) if not file.startswith(str(self.folder))}

    def make_all(self, names, more, threads):
        """Fills `said` and `read` (its own lines and its includes') of headers that can be made. A header that includes one that
        could not be made is in neither. `more(names)` are additional flags of a header. False if the underlying libraries
        cannot be made."""
        below = [self.make(module) for module in self.foreign]
        self.below = set().union(*(read for _, read in below))
        if any(said for said, _ in below):
            return False
        begun = {}

        def make(name):
            for included in self.closure(name):
                begun[included].result()
            if all(self.said.get(included) == "" for included in self.closure(name)):
                said, read = self.make(module_of(name), more([name]))
                self.read[name] = read.union(*(self.read[included] for included in self.closure(name)))
                self.said[name] = said

        needed = sorted(set(names).union(*map(self.closure, names)), key=lambda name: len(self.closure(name)))
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            for name in needed:
                begun[name] = pool.submit(make, name)
        for done in begun.values():
            done.result()
        return True
