# SPDX-License-Identifier: Apache-2.0
# An overlay port of the tree that it lies in: vcpkg install plumb --overlay-ports=vcpkg

get_filename_component(SOURCE_PATH ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)

vcpkg_cmake_configure(SOURCE_PATH ${SOURCE_PATH} OPTIONS -DPLUMB_PROGRAMS=OFF -DPLUMB_TESTS=OFF
                      -DPLUMB_INSTALL=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/plumb)
# Headers only: nothing differs between debug and release.
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug ${CURRENT_PACKAGES_DIR}/lib)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
