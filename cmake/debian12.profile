# SPDX-License-Identifier: Apache-2.0
# Conan profile: GCC 12 and every dependency from Debian 12's packages, nothing from a remote.
#   conan create . -pr:a cmake/debian12.profile --no-remote
[settings]
os=Linux
arch=x86_64
compiler=gcc
compiler.version=12
compiler.cppstd=20
compiler.libcxx=libstdc++11
build_type=Release

[platform_requires]
eigen/3.4.0
nlohmann_json/3.11.2
xtensor/0.24.3

[conf]
tools.cmake.cmaketoolchain:generator=Ninja
