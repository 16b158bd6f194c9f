# SPDX-License-Identifier: Apache-2.0
"""The compilers listed as tested are tested, an older one gets a one-line error, and headers are clean in other people's
programs: under libc++, under their warnings, under their macros, and never under flags that disable NaN or exceptions."""
import hashlib
import pathlib
import re
import shutil
import subprocess
import unittest

import command
from test_examples import promised
from test_headers import CLANG, HEADERS, UMBRELLAS, closure, version

PROGRAMS = ""

INCLUDE = command.ROOT / "include"
VERSION = INCLUDE / "plumb" / "detail" / "core" / "version.hpp"
OLDEST_CLANG = shutil.which("clang++-14")
LIBCXX = ["-stdlib=libc++"]
HAS_LIBCXX = CLANG and (pathlib.Path(CLANG).resolve().parent.parent / "include" / "c++" / "v1" / "version").exists()
# Flags of Debian 12's Boost 1.74 for libc++ 16, which has removed what C++17 removed.
OLD_BOOST = ["-DBOOST_NO_CXX98_FUNCTION_BASE", "-DBOOST_ASIO_HAS_STD_INVOKE_RESULT"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wold-style-cast",
            "-Wdouble-promotion", "-Wcast-qual", "-Wnon-virtual-dtor", "-Woverloaded-virtual", "-Wundef", "-Wextra-semi", "-Werror"]

# Names that are macros in programs that use plumb's headers. CONTRIBUTING.md describes how a header handles them.
# Before any other header: macOS's AssertMacros.h, Unreal Engine.
CALLED_FIRST = """check check_noerr ncheck verify verify_noerr require require_noerr ensure checkf verifyf""".split()
# After the libraries that plumb includes: windows.h, glibc's sys/sysmacros.h and sys/param.h, glog, Catch2, GoogleTest,
# gettext.
CALLED_LATER = """min max major minor makedev MIN MAX ABS CHECK CHECK_EQ REQUIRE VERIFY ASSERT LOG DCHECK TEST FAIL SUCCEED SECTION
likely unlikely foreach TEXT ARRAY_SIZE _""".split()
# Macros without arguments: windows.h, X11, Qt, curses, complex.h, Objective-C.
WORDS = """TRUE FALSE ERROR IN OUT OPTIONAL CONST VOID DELETE NO_ERROR STRICT near far small hyper interface DOMAIN OVERFLOW UNDERFLOW
SING PLOSS TLOSS ABSOLUTE RELATIVE TRANSPARENT IGNORE DIFFERENCE PAGE_SIZE None Bool Status True False Success Always Never
Complex Above Below Unsorted Convex KeyPress FocusIn FocusOut CursorShape unix linux signals slots emit forever I complex OK ERR
INFO WARN WARNING DEBUG FATAL VERSION YES NO Yes No nil Nil BOOL ECHO PI""".split()


def words_of(compiler, *more):
    llama = ["-isystem", command.LLAMA_INCLUDE] if command.LLAMA_INCLUDE else []
    return [compiler, "-std=c++20", *more, "-fsyntax-only", f"-I{INCLUDE}", "-isystem", "/usr/include/eigen3", *llama, "-x", "c++", "-"]


def compiled(compiler, headers, *more):
    source = "".join(f'#include "{header}"\n' for header in headers)
    return subprocess.run(words_of(compiler, *more), input=source, capture_output=True, text=True)


def is_clean(compiler, source, *more):
    """The compiler's messages for a text, which names files only by #include. A clean result is remembered until a byte of a
    header or of the text changes."""
    read = hashlib.sha256("\0".join([version(compiler), *words_of(compiler, *more), source]).encode())
    for header in sorted(INCLUDE.rglob("*.hpp")):
        read.update(header.read_bytes())
    clean = command.CHECKED / f"{read.hexdigest()}.clean"
    if clean.exists():
        return ""
    done = subprocess.run(words_of(compiler, *more), input=source, capture_output=True, text=True, cwd=command.ROOT)
    if done.returncode == 0 and not done.stderr:
        command.CHECKED.mkdir(parents=True, exist_ok=True)
        clean.touch()
        return ""
    return done.stderr or f"ended with {done.returncode}"


def public_headers():
    """All but those of libraries that are not installed."""
    absent = ["/mpi_", *([] if command.LLAMA_INCLUDE else ["backend/llama", "huggingface/native_gguf"])]
    return [name for name in HEADERS if not any(word in other for word in absent for other in closure(name) | {name})]


def includes(names):
    return "".join(f'#include "{name}"\n' for name in names)


def libraries(texts):
    """Other libraries' headers that the texts include, if they are installed."""
    named = {found for text in texts for found in re.findall(r"^#include <(\S+)>", text, re.MULTILINE)}
    return "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in sorted(named))


def examples():
    """Every example in its own namespace, after the headers that all of them include, so that one compilation instantiates the
    templates that they call."""
    found, texts = [], []
    for source in sorted((command.ROOT / "examples").glob("*.cpp")):
        if source.stem in ("one_file", "requantize"):  # includes them differently, and llama.cpp's own headers only
            continue
        text = re.sub(r'^#include "(\w+\.hpp)"', lambda found: (source.parent / found.group(1)).read_text(), source.read_text(),
                      flags=re.MULTILINE)
        texts.append(text)
        text = re.sub(r"^#(include|pragma once).*", "", text, flags=re.MULTILINE).replace("int main(", "[[maybe_unused]] int example(")
        text = re.sub(r"^}\s*\Z", "return 0;\n}\n", text, flags=re.MULTILINE)
        found.append(f'namespace example_{source.stem} {{\n#line 1 "{source.name}"\n{text}}}\n')
    return libraries(texts), found


class Compilers(unittest.TestCase):
    # g++ 12 and clang 16 compile every header in test_headers.
    @unittest.skipUnless(OLDEST_CLANG, "skipped: no clang++-14")
    def test_debian_12s_own_clang_compiles_all_that_an_embedder_includes_without_type_information(self):
        self.assertEqual(is_clean(OLDEST_CLANG, includes(UMBRELLAS), "-fno-rtti"), "")

    def test_older_compiler_is_refused_with_the_tested_versions(self):
        older = [("g++", ["-U__GNUC__", "-D__GNUC__=11"]), ("g++", ["-std=c++17"])]
        if OLDEST_CLANG:
            older.append((OLDEST_CLANG, ["-U__clang_major__", "-D__clang_major__=13"]))
        for compiler, flags in older:
            done = compiled(compiler, ["plumb/detail/core/version.hpp"], *flags)
            self.assertNotEqual(done.returncode, 0, flags)
            self.assertRegex(done.stderr, "error: .*plumb needs C\\+\\+20 and is tested with")
            self.assertEqual(compiled(compiler, ["plumb/detail/core/version.hpp"], *flags, "-DPLUMB_ANY_COMPILER").returncode, 0)
        self.assertEqual(compiled("g++", ["plumb/detail/core/version.hpp"]).returncode, 0)

    def test_readme_and_error_name_the_same_compilers(self):
        tested = re.search(r"tested with (.+?);", VERSION.read_text()).group(1)
        self.assertEqual(tested, "g++ 12, clang 14 and clang 16")
        self.assertIn(f"tested with {tested}", " ".join((command.ROOT / "README.md").read_text().split()))
        self.assertIn(f"tested with {tested}", " ".join((command.ROOT / "docs" / "embedding.md").read_text().split()))


class Flags(unittest.TestCase):
    def refused(self, compiler, headers, *flags):
        done = compiled(compiler, headers, *flags)
        self.assertNotEqual(done.returncode, 0, flags)
        return next(line for line in done.stderr.splitlines() if "error: " in line)  # the first error

    def test_flags_that_take_nan_away_are_refused(self):
        for compiler in ["g++", *([CLANG] if CLANG else [])]:
            for flags in (["-ffast-math"], ["-Ofast"], ["-ffinite-math-only"], ["-O2", "-ffast-math", "-fno-signed-zeros"],
                          ["-D_M_FP_FAST"]):
                with self.subTest(compiler, flags=flags):
                    said = self.refused(compiler, ["plumb/detail/core/version.hpp"], *flags)
                    self.assertIn("-ffast-math", said)
                    self.assertIn("add -fno-finite-math-only", said)

    def test_flags_that_take_exceptions_away_are_refused(self):
        for compiler in ["g++", *([CLANG] if CLANG else [])]:
            with self.subTest(compiler):
                said = self.refused(compiler, ["plumb/detail/core/version.hpp"], "-fno-exceptions")
                self.assertIn("-fno-exceptions", said)
                self.assertIn("add -fexceptions", said)

    def test_the_first_error_of_a_public_header_is_that_one(self):
        for header in ("plumb/detail/core/error.hpp", "plumb/detail/core/compiled.hpp", "plumb/detail/measure/rank.hpp", "plumb/detail/core/ranges.hpp",
                       "plumb/detail/kernels/tile_products.hpp", "plumb/detail/kernels/float_lanes.hpp"):
            self.assertIn("-ffast-math", self.refused("g++", [header], "-ffast-math"))
        self.assertIn("-fno-exceptions", self.refused("g++", ["plumb/plumb.hpp"], "-fno-exceptions"))

    def test_every_header_includes_what_refuses_them(self):
        name = str(VERSION.relative_to(INCLUDE))
        self.assertEqual([header for header in HEADERS if header != name and name not in closure(header)], [])

    def test_what_the_error_advises_and_what_only_rounds_is_taken(self):
        for compiler in ["g++", *([CLANG] if CLANG else [])]:
            for flags in (["-ffast-math", "-fno-finite-math-only"], ["-fno-exceptions", "-fexceptions"], ["-fno-signed-zeros"],
                          ["-fno-math-errno"], ["-freciprocal-math"], ["-O3"], ["-fno-rtti"], ["-funsigned-char"]):
                done = compiled(compiler, ["plumb/detail/core/error.hpp"], *flags)
                self.assertEqual((done.returncode, done.stderr), (0, ""), flags)


class Warnings(unittest.TestCase):
    def test_neither_warnings_nor_macros_of_a_program_meet_a_header(self):
        headers, (before, programs) = public_headers(), examples()
        boost = [text for text in re.findall(r"^#include <boost/.+", "".join((INCLUDE / name).read_text() for name in headers), re.MULTILINE)]
        poison = ["#define {0}(...) a macro {0} ] )", "#undef {0}\n#define {0}(...) a macro {0} ] )", "#undef {0}\n#define {0} a macro {0} ] )"]
        first, later, words = ("".join(f"{line.format(name)}\n" for name in names)
                               for line, names in zip(poison, (CALLED_FIRST, CALLED_LATER, WORDS), strict=True))
        none = "".join(f"#undef {name}\n" for name in CALLED_FIRST + CALLED_LATER + WORDS)
        # Boost.Beast itself does not compile after a macro `check`.
        source = "\n".join([before, *sorted(set(boost)), first, libraries((INCLUDE / name).read_text() for name in headers), later, words,
                            includes(headers), none, *programs])
        self.assertGreater(len(programs), 15)
        self.assertEqual(is_clean("g++", source, *WARNINGS), "")

    def test_the_check_itself_finds_warnings_and_macros(self):
        folder = command.temporary_folder(self)
        for text, fault in (("inline unsigned f(int i) { return i; }", "sign-conversion"), ("inline int f(long i) { return (int)i; }", "old-style-cast"),
                            ("struct A { void check(int) const {} };", "check"), ("inline int f() { return std::max(1, 2); }", "max")):
            (folder / "header.hpp").write_text(f"#pragma once\n{text}\n")
            source = f'#include <algorithm>\n#define check(...) ] )\n#define max(...) ] )\n#include "{folder}/header.hpp"\n'
            self.assertIn(fault, is_clean("g++", source, *WARNINGS))

    def test_wider_vectors_warn_of_nothing(self):
        headers = ["plumb/detail/kernels/network_functions.hpp", "plumb/detail/kernels/rank_functions.hpp", "plumb/detail/kernels/row_sums.hpp"]
        for compiler in ["g++", *([CLANG] if CLANG else [])]:
            for flags in (["-mavx2"], ["-march=x86-64-v3"], ["-march=x86-64-v3", "-mavxvnni"], ["-mfma", "-mavx512f", "-mavx512bw"],
                          ["-march=x86-64-v4", "-mavx512vnni"], ["-march=x86-64-v4", "-mavx512bf16"]):
                done = compiled(compiler, headers, *WARNINGS, *flags)
                self.assertEqual((done.returncode, done.stderr), (0, ""), flags)

    @unittest.skipUnless(CLANG, "skipped: no clang++-16")
    def test_clang_generates_code_for_the_narrowest_and_the_widest_kernels(self):
        folder = command.temporary_folder(self)
        for flags in ([], ["-march=x86-64-v4", "-mavx512vnni", "-mavx512bf16"]):
            done = subprocess.run([CLANG, "-std=c++20", "-O1", *flags, f"-I{INCLUDE}", "-DPLUMB_KERNEL_SET=kernels", "-DPLUMB_KERNEL_SPACE=held",
                                   "-c", command.ROOT / "cmake" / "kernel_set.cpp", "-o", folder / "kernels.o"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), flags)


@unittest.skipUnless(HAS_LIBCXX, "skipped: no libc++-16-dev")
class Libcxx(unittest.TestCase):
    def test_every_header_and_example_compiles(self):
        before, programs = examples()
        source = "\n".join([before, includes(public_headers()), *programs])
        self.assertGreater(len(public_headers()), len(HEADERS) - 12)
        self.assertEqual(is_clean(CLANG, source, *LIBCXX, *OLD_BOOST, "-Wall", "-Wextra"), "")

    def test_examples_compile_without_warnings_and_print_expected_output(self):
        folder = command.temporary_folder(self)
        for name in ("own_engine", "own_lookups"):
            source = command.ROOT / "examples" / f"{name}.cpp"
            done = subprocess.run([CLANG, "-std=c++20", *LIBCXX, f"-I{INCLUDE}", "-isystem", "/usr/include/eigen3", source, "-o",
                                   folder / name], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = subprocess.run([folder / name], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout.splitlines()), (0, promised(source.read_text())))


class Locales(unittest.TestCase):
    def test_numbers_are_read_and_written_with_a_point(self):
        folder = command.temporary_folder(self)
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"], check=True, capture_output=True)
        (folder / "main.cpp").write_text('''
#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/records/generation_rows.hpp"
#include <clocale>
#include <cstdio>

int main() {
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) return 2;
  std::printf("%.2f\\n", 0.5);  // the locale is in force
  std::puts(plumb::detail::with_decimals(-1234.5678, 3).c_str());
  std::printf("%d %d\\n", plumb::detail::finite_number("0.1") == 0.1, plumb::detail::finite_number("0,1").has_value());
  double read = 0;
  const std::string text = "-12.5e-1x";
  const auto end = plumb::detail::read_number_by_strtod(text.data(), text.data() + text.size(), read);
  std::printf("%d %d\\n", read == -1.25, *end.ptr == 'x');
  std::printf("%d\\n", plumb::detail::ten_digits(0.12345678901) == 0.123456789);
}
''')
        for compiler in [["g++"], *([[CLANG, *LIBCXX]] if HAS_LIBCXX else [])]:
            subprocess.run([*compiler, "-std=c++20", f"-I{INCLUDE}", "-isystem", "/usr/include/eigen3", "main.cpp", "-o", "main"],
                           check=True, cwd=folder)
            done = subprocess.run([folder / "main"], capture_output=True, text=True, env={"LOCPATH": str(folder)})
            self.assertEqual((done.returncode, done.stdout.splitlines()), (0, ["0,50", "-1234.568", "1 0", "1 1", "1"]))


if __name__ == "__main__":
    unittest.main()
