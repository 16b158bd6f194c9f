# SPDX-License-Identifier: Apache-2.0
"""One program with files compiled with and without AVX2, with and without OpenMP, or with two versions of plumb: the same
answers, and no function with two bodies."""
import pathlib
import platform
import re
import shutil
import subprocess
import unittest

import command

PROGRAMS = "plumb_command"

HERE = pathlib.Path(__file__).parent
FLAGS = ["-std=c++20", "-O0", f"-I{command.ROOT / 'include'}", "-isystem", "/usr/include/eigen3"]
VECTORS = ["-mavx2", "-mfma", "-mf16c", "-fopenmp"]


def has_avx2():
    cpu = pathlib.Path("/proc/cpuinfo")
    return cpu.exists() and {"avx2", "fma", "f16c"} <= set(cpu.read_text().split())


@unittest.skipUnless(platform.machine() == "x86_64" and has_avx2(), "skipped: this machine has no AVX2")
class MixedFlags(unittest.TestCase):
    def built(self, *flags, libraries=()):
        """The program's output, and its two object files."""
        folder = command.temporary_folder(self)
        for name, own in (("main", VECTORS), ("other", [])):
            subprocess.run(["g++", *FLAGS, *own, *flags, "-c", HERE / f"mixed_flags_{name}.cpp", "-o", folder / f"{name}.o"], check=True)
        subprocess.run(["g++", folder / "main.o", folder / "other.o", *libraries, "-fopenmp", "-o", folder / "program"], check=True)
        done = subprocess.run([folder / "program"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip(), [folder / "main.o", folder / "other.o"]

    def test_headers_alone_hold_the_widths_of_all_files(self):
        printed, objects = self.built()
        widths, runs, openmp = printed.split(" | ")
        self.assertEqual(sorted(widths.split()), ["v2", "v3"])
        self.assertEqual((runs.strip(), openmp), ("v3", "1 0 1"))
        kernels = [set(re.findall(r"::detail::(v\d\w*)::", subprocess.run(["nm", "-C", file], capture_output=True,
                                                                               text=True, check=True).stdout))
                   for file in objects]
        self.assertEqual(kernels, [{"v3"}, {"v2"}])

    def test_the_library_s_kernels_serve_all_files(self):
        libraries = [command.BUILD / "libplumb_subcommands.a", command.BUILD / "libplumb_kernels.a", "-lboost_program_options",
                     "-lcrypto"]
        printed, objects = self.built("-DPLUMB_COMPILED", "-DPLUMB_COMPILED_KERNELS", libraries=libraries)
        widths, runs, openmp = printed.split(" | ")
        self.assertEqual(widths.split(), ["v2", "v3", "v3", "v4", "v4", "v4"])
        self.assertIn(runs.strip(), ("v3", "v4"))
        self.assertEqual(openmp, "1 0 1")
        for file in objects:
            self.assertNotRegex(subprocess.run(["nm", "-C", file], capture_output=True, text=True, check=True).stdout,
                                r"::detail::v\d")

    def test_no_kernel_of_the_library_is_a_function_that_other_files_have(self):
        for file in sorted(command.BUILD.glob("CMakeFiles/plumb_kernels_v[34]*.dir/cmake/kernel_set.cpp.o")):
            defined = subprocess.run(["nm", "-C", "--defined-only", file], capture_output=True, text=True, check=True).stdout
            shared = [line for line in defined.splitlines() if re.search(r" [WVu] ", line) and "::detail::held_" not in line]
            self.assertEqual(shared, [], file)
            self.assertIn("kernel_set_", defined)


class Versions(unittest.TestCase):
    def test_two_versions_in_one_program_share_no_function(self):
        folder = command.temporary_folder(self)
        shutil.copytree(command.ROOT / "include", folder / "include")
        header = folder / "include/plumb/detail/core/version.hpp"
        text, changed = re.subn(r"(#define PLUMB_VERSION_NAMESPACE) \w+", r"\1 v999", header.read_text())
        self.assertEqual(changed, 1)
        header.write_text(text)
        source = command.ROOT / "examples" / "own_scorer.cpp"
        symbols = []
        for name, include in (("one", command.ROOT / "include"), ("two", folder / "include")):
            subprocess.run(["g++", "-std=c++20", "-O0", f"-I{include}", "-isystem", "/usr/include/eigen3", "-c", source, "-o",
                            folder / f"{name}.o"], check=True)
            subprocess.run(["objcopy", "--redefine-sym", f"main=_Z3{name}v", folder / f"{name}.o"], check=True)
            listed = subprocess.run(["nm", "-C", "--defined-only", folder / f"{name}.o"], capture_output=True, text=True, check=True)
            symbols.append({line[19:] for line in listed.stdout.splitlines() if "plumb::" in line})
        self.assertGreater(len(symbols[0]), 50)
        self.assertEqual(symbols[0] & symbols[1], set())
        (folder / "main.cpp").write_text("int one();\nint two();\nint main() { return one() + two(); }\n")
        subprocess.run(["g++", folder / "main.cpp", folder / "one.o", folder / "two.o", "-o", folder / "both"], check=True)
        done = subprocess.run([folder / "both"], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(lines[:len(lines) // 2], lines[len(lines) // 2:])
        self.assertGreater(len(lines), 1)


if __name__ == "__main__":
    unittest.main()
