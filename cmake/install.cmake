# SPDX-License-Identifier: Apache-2.0
# Headers, the CMake package and the licence.

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_DATADIR}/cmake/plumb)
configure_package_config_file(cmake/plumb-config.cmake.in ${PROJECT_BINARY_DIR}/plumb-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plumb-config-version.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(TARGETS plumb EXPORT plumb-targets)
install(EXPORT plumb-targets NAMESPACE plumb:: DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/plumb-config.cmake
              ${PROJECT_BINARY_DIR}/plumb-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/plumb-components.cmake
              ${PROJECT_SOURCE_DIR}/cmake/subcommands.cpp.in
              ${PROJECT_SOURCE_DIR}/cmake/kernel_set.cpp
              ${PROJECT_SOURCE_DIR}/cmake/held_kernels.cpp.in
              ${PROJECT_SOURCE_DIR}/cmake/compiled.cpp DESTINATION ${package_folder})
install(FILES cmake/chat/jinja.cpp cmake/chat/ggml.h DESTINATION ${package_folder}/chat)
install(DIRECTORY include/plumb DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
