# SPDX-License-Identifier: Apache-2.0
"""The vcpkg port, as far as it can be tested without vcpkg: stand-ins replace vcpkg's functions."""
import json
import re
import shutil
import subprocess
import unittest

import command

PROGRAMS = ""

PORT = command.ROOT / "vcpkg" / "plumb"
# vcpkg's functions that a port of a CMake project calls, each with the effect that it has in vcpkg.
STAND_INS = r"""
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vcpkg_cmake_configure: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${BUILD} -G Ninja
                          -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS}
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --target install COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/plumb-config.cmake)
    message(FATAL_ERROR "no plumb-config.cmake in ${arg_CONFIG_PATH}")
  endif()
  file(MAKE_DIRECTORY ${CURRENT_PACKAGES_DIR}/share)
  file(RENAME ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH} ${CURRENT_PACKAGES_DIR}/share/plumb)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/plumb RENAME copyright)
endfunction()
include(${PORT}/portfile.cmake)
"""


class Vcpkg(unittest.TestCase):
    def test_manifest_matches_the_library(self):
        manifest = json.loads((PORT / "vcpkg.json").read_text())
        version = (command.ROOT / "include" / "plumb" / "detail" / "core" / "version.hpp").read_text()
        self.assertEqual(manifest["version"], re.search(r'define PLUMB_VERSION "(.+)"', version).group(1))
        self.assertRegex(manifest["name"], "^[a-z0-9-]+$")
        self.assertLessEqual(set(manifest), {"$schema", "name", "version", "description", "license", "supports",
                                             "dependencies", "features"})
        named = [one if isinstance(one, str) else one["name"] for one in manifest["dependencies"]]
        self.assertEqual(named, sorted(named))
        found = re.findall(r"find_package\((\w+)", (command.ROOT / "CMakeLists.txt").read_text())
        self.assertEqual({name for name in named if not name.startswith("vcpkg-")},
                         {{"Eigen3": "eigen3", "nlohmann_json": "nlohmann-json"}.get(name, name) for name in found})
        for feature in manifest["features"].values():
            self.assertEqual(set(feature), {"description", "dependencies"})

    def test_every_option_that_the_port_gives_is_one(self):
        options = set(re.findall(r"^(?:option\(|set\()(PLUMB_\w+)", (command.ROOT / "CMakeLists.txt").read_text(), re.MULTILINE))
        given = re.findall(r"-D(\w+)=", (PORT / "portfile.cmake").read_text())
        self.assertTrue(given)
        self.assertLessEqual(set(given), options)

    def test_the_portfile_makes_a_package(self):
        folder = command.temporary_folder(self)
        (folder / "run.cmake").write_text(STAND_INS)
        done = subprocess.run(["cmake", f"-DPORT={PORT}", f"-DBUILD={folder / 'build'}",
                               f"-DCURRENT_PACKAGES_DIR={folder / 'plumb'}", "-P", folder / "run.cmake"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("not used by the project", done.stderr)
        for file in ["include/plumb/plumb.hpp", "share/plumb/plumb-config.cmake", "share/plumb/copyright"]:
            self.assertTrue((folder / "plumb" / file).exists(), file)
        self.assertFalse((folder / "plumb" / "debug").exists())
        shutil.rmtree(folder / "build")


if __name__ == "__main__":
    unittest.main()
