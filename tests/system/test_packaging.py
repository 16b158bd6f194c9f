# SPDX-License-Identifier: Apache-2.0
"""plumb in someone else's build: installed, as a folder, fetched, by Conan; and under ThreadSanitizer."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import command
from test_examples import promised

PROGRAMS = ""

OUTSIDE = command.ROOT / "tests" / "outside"
CONAN = os.environ.get("PLUMB_CONAN", "")
FASTER = "--param=ggc-min-heapsize=2000000"  # garbage is collected late: a tenth faster
PRINTS = "accuracy 0.8, ACE 0.216 [0.000, 0.451] over 5 facts\n"


def run(*words, code=0, env=None, cwd=None):
    env = {"CXXFLAGS": FASTER, **(env or os.environ)}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=env, cwd=cwd)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def configure(build, *words, code=0):
    return run("cmake", "-S", OUTSIDE, "-B", build, "-G", "Ninja", *words, code=code)


class Cmake(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "-S", command.ROOT, "-B", cls.folder / "plumb", "-G", "Ninja", "-DPLUMB_PROGRAMS=OFF",
            f"-DCMAKE_INSTALL_PREFIX={cls.prefix}")
        run("cmake", "--install", cls.folder / "plumb")

    def check(self, way, *words):
        build = self.folder / way
        configure(build, f"-DWAY={way.split('-')[0]}", *words)
        run("cmake", "--build", build)
        self.assertEqual(run(build / "outside").stdout, PRINTS)
        shutil.rmtree(build)

    def test_installed_headers_are_found(self):
        # Optimised only here: the other tests only check that plumb is found.
        self.check("package", f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Release")

    def test_components_are_found_with_it(self):
        self.check("package-components", f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCOMPONENTS=openmp;cli;server")

    def test_all_systems_run_in_memory_over_installed_headers(self):
        examples = command.ROOT / "examples"
        program = self.folder / "five_systems"
        run("g++", "-std=c++20", "-O0", FASTER, "-I", self.prefix / "include", "-isystem", "/usr/include/eigen3",
            examples / "five_systems.cpp", "-o", program)
        self.assertEqual(run(program).stdout.splitlines(), promised((examples / "five_systems.cpp").read_text()))

    def test_the_compiled_command_comes_with_it(self):
        # Its compilation, which takes minutes, is the same as that of plumb's own program.
        build = self.folder / "command"
        configure(build, "-DWAY=package", f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCOMPONENTS=command")
        planned = run("ninja", "-C", build, "-t", "commands", "outside").stdout
        self.assertIn("plumb_subcommands/asking.cpp", planned)
        self.assertIn("-DPLUMB_COMPILED_COMMAND", planned)

    def test_compiled_reports_come_with_it_and_once(self):
        # tests/run checks that programs link against them.
        for components, source in (("compiled", "compiled.cpp"), ("compiled;command", "compiled.cpp"),
                                   ("command;compiled", "plumb_subcommands/measuring.cpp")):
            build = self.folder / components.replace(";", "-")
            configure(build, "-DWAY=package", f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCOMPONENTS={components}")
            planned = run("ninja", "-C", build, "-t", "commands", "outside").stdout
            self.assertIn("-DPLUMB_COMPILED ", planned)
            self.assertIn(source, planned)
            holders = [file for file in (build / "plumb_subcommands").glob("*.cpp") if "compiled.cpp" in file.read_text()]
            self.assertEqual([file.name for file in holders], ["measuring.cpp"] if components == "command;compiled" else [])

    def test_unknown_component_is_reported(self):
        done = configure(self.folder / "lacking", "-DWAY=package", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                         "-DCOMPONENTS=blas", code=1)
        self.assertIn("blas is not a component; use openmp, kernels, compiled, cli, command, llama, huggingface, server, chat or mpi", " ".join(done.stderr.split()))

    def test_other_versions_are_refused(self):
        (self.folder / "old").mkdir()
        text = (OUTSIDE / "CMakeLists.txt").read_text().replace("find_package(plumb 0.2 ", "find_package(plumb 0.9 ")
        (self.folder / "old" / "CMakeLists.txt").write_text(text)
        done = run("cmake", "-S", self.folder / "old", "-B", self.folder / "old" / "build", "-G", "Ninja",
                   "-DWAY=package", f"-DCMAKE_PREFIX_PATH={self.prefix}", code=1)
        self.assertIn("0.9", done.stderr)

    def older(self, folder):
        """Each library that plumb links, in the version before the oldest that plumb compiles with: CMake's option for it, and the
        oldest version."""
        stated = dict(re.findall(r"set\(PLUMB_OLDEST_(\w+) ([0-9.]+)\)", (command.ROOT / "CMakeLists.txt").read_text()))
        self.assertEqual(set(stated), {"EIGEN", "XTENSOR", "NLOHMANN_JSON"})
        before = {"EIGEN": ("Eigen3", "3.3.9"), "XTENSOR": ("xtensor", "0.24.2"), "NLOHMANN_JSON": ("nlohmann_json", "3.11.1")}
        for library, (name, version) in before.items():
            found = folder / name
            found.mkdir(parents=True)
            (found / f"{name}Config.cmake").write_text("")
            (found / f"{name}ConfigVersion.cmake").write_text(
                f'set(PACKAGE_VERSION "{version}")\n'
                "if(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)\n  set(PACKAGE_VERSION_COMPATIBLE TRUE)\nendif()\n")
            yield f"-D{name}_DIR={found}", name, version, stated[library]

    def test_libraries_older_than_stated_are_refused(self):
        cache = (self.folder / "plumb" / "CMakeCache.txt").read_text()
        for word, name, version, oldest in self.older(self.folder / "older"):
            build = self.folder / "older" / f"build-{name}"
            # The system's own version is excluded, or CMake would use it.
            own = re.search(rf"^{name}_DIR:PATH=(.+)$", cache, re.MULTILINE).group(1)
            words = [word, f"-DCMAKE_IGNORE_PATH={own};{own.removeprefix('/usr')}"]
            for more in (["-S", command.ROOT, "-DPLUMB_PROGRAMS=OFF"],
                         ["-S", OUTSIDE, "-DWAY=package", f"-DCMAKE_PREFIX_PATH={self.prefix}"]):
                said = " ".join(run("cmake", *more, "-B", build, "-G", "Ninja", *words, code=1).stderr.split())
                self.assertIn(f'"{name}" that is compatible with requested version "{oldest}"', said)
                self.assertIn(f"version: {version}", said)
                shutil.rmtree(build)

    def test_all_packages_state_the_same_oldest_versions(self):
        stated = dict(re.findall(r"set\(PLUMB_OLDEST_(\w+) ([0-9.]+)\)", (command.ROOT / "CMakeLists.txt").read_text()))
        of_conan = dict(re.findall(r'requires\("(\w+)/\[>=([0-9.]+) ', (command.ROOT / "conanfile.py").read_text()))
        self.assertEqual({name.upper(): version for name, version in of_conan.items()}, stated)
        manifest = json.loads((command.ROOT / "vcpkg" / "plumb" / "vcpkg.json").read_text())
        of_vcpkg = {one["name"]: one["version>="] for one in manifest["dependencies"] if "version>=" in one}
        self.assertEqual({name.removesuffix("3").replace("-", "_").upper(): version for name, version in of_vcpkg.items()}, stated)
        readme = " ".join((command.ROOT / "README.md").read_text().split())
        for name, library in (("EIGEN", "Eigen"), ("NLOHMANN_JSON", "nlohmann-json"), ("XTENSOR", "xtensor")):
            self.assertIn(f"{library} {stated[name]} or later", readme)

    def test_as_a_folder(self):
        self.check("folder", f"-DPLUMB_SOURCE={command.ROOT}", "-DCOMPONENTS=openmp")

    def test_fetched(self):
        self.check("fetch", f"-DPLUMB_SOURCE={command.ROOT}")

    def test_only_headers_the_package_and_the_licence_are_installed(self):
        installed = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()}
        headers = {f"include/{path.relative_to(command.ROOT / 'include')}"
                   for path in (command.ROOT / "include").rglob("*.hpp")}
        self.assertEqual(installed - headers,
                         {"share/doc/plumb/LICENSE",
                          *(f"share/cmake/plumb/plumb-{part}.cmake"
                            for part in ("config", "config-version", "components", "targets")),
                          "share/cmake/plumb/subcommands.cpp.in", "share/cmake/plumb/compiled.cpp",
                          "share/cmake/plumb/kernel_set.cpp", "share/cmake/plumb/held_kernels.cpp.in", "share/cmake/plumb/chat/jinja.cpp",
                          "share/cmake/plumb/chat/ggml.h"})
        self.assertEqual(headers - installed, set())

    def test_presets_are_there(self):
        shown = run("cmake", "--list-presets", cwd=command.ROOT).stdout
        for name in ("dev", "release", "asan", "tsan"):
            self.assertIn(f'"{name}"', shown)
            if name != "release":  # that one needs llama.cpp
                run("cmake", "--preset", name, "-B", self.folder / name, cwd=command.ROOT)


@unittest.skipUnless(os.path.isfile(CONAN), "skipped: PLUMB_CONAN is not set to Conan's program")
class Conan(unittest.TestCase):
    def test_created_offline_and_used_by_a_project(self):
        folder = command.temporary_folder(self)
        env = dict(os.environ, CONAN_HOME=str(folder / "home"))
        profile = command.ROOT / "cmake" / "debian12.profile"
        source = folder / "plumb"
        source.mkdir()
        for name in ("CMakeLists.txt", "cmake", "include", "LICENSE", "conanfile.py", "test_package"):
            origin = command.ROOT / name
            if origin.is_dir():
                shutil.copytree(origin, source / name)
            else:
                shutil.copy(origin, source / name)
        done = run(CONAN, "create", source, "-pr:a", profile, "--no-remote", env=env)
        self.assertIn("Package '", done.stdout + done.stderr)
        self.assertIn("plumb 0.", done.stdout + done.stderr)  # test_package ran

        project = folder / "outside"
        shutil.copytree(OUTSIDE, project)
        run(CONAN, "install", project, "-pr:a", profile, "--no-remote", env=env)
        toolchain, = project.rglob("conan_toolchain.cmake")
        build = folder / "build"
        run("cmake", "-S", project, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DWAY=package",
            f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", "-DCMAKE_CXX_FLAGS_RELEASE=-O0")
        run("cmake", "--build", build)
        self.assertEqual(run(build / "outside").stdout, PRINTS)


class Threads(unittest.TestCase):
    def test_what_is_thread_safe_is_so_under_thread_sanitizer(self):
        program = command.temporary_folder(self) / "threads"
        run("g++", "-std=c++20", "-O1", "-g1", FASTER, "-fsanitize=thread", "-I", command.ROOT / "include", "-isystem",
            "/usr/include/eigen3", pathlib.Path(__file__).parent / "threads.cpp", "-o", program, "-pthread")
        # Randomly placed memory mappings may leave no space for the sanitizer's shadow memory.
        near = ["setarch", "-R"] if subprocess.run(["setarch", "-R", "true"]).returncode == 0 else []
        done = run(*near, program)
        self.assertEqual((done.stdout, done.stderr), ("same\n", ""))


if __name__ == "__main__":
    unittest.main()
