# SPDX-License-Identifier: Apache-2.0
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.4"


class PlumbConan(ConanFile):
    name = "plumb"
    description = "Measures what facts a language model knows, how confident it is, and whether that confidence is justified"
    license = "Apache-2.0"
    topics = ("language-model", "llm", "knowledge-probing", "calibration", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = ("CMakeLists.txt", "cmake/install.cmake", "cmake/plumb-components.cmake",
                       "cmake/plumb-config.cmake.in", "cmake/subcommands.cpp.in",
                       "cmake/compiled.cpp", "cmake/kernel_set.cpp", "cmake/held_kernels.cpp.in", "cmake/chat/*",
                       "include/*",
                       "LICENSE")
    no_copy_source = True

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "include", "plumb", "detail", "core", "version.hpp"))
        self.version = re.search(r'define PLUMB_VERSION "([0-9.]+)"', text).group(1)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("eigen/[>=3.4.0 <4]", transitive_headers=True)
        self.requires("xtensor/[>=0.24.3 <0.26]", transitive_headers=True)
        self.requires("nlohmann_json/[>=3.11.2 <4]", transitive_headers=True)

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        CMakeDeps(self).generate()  # nothing for dependencies that come from the system
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["PLUMB_PROGRAMS"] = False
        toolchain.cache_variables["PLUMB_INSTALL"] = True
        toolchain.cache_variables["CMAKE_INSTALL_DATADIR"] = "share"  # package_info expects it there
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "share", "doc"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        # plumb-config.cmake is installed; it finds dependencies from any source.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("share", "cmake", "plumb")]
