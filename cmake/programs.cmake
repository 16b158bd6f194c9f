# SPDX-License-Identifier: Apache-2.0
# plumb's own programs: the command, the examples, the tests.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# What every program is compiled with; dependencies' headers are taken as system headers.
find_package(OpenMP REQUIRED COMPONENTS CXX)
add_library(plumb_program INTERFACE)
target_link_libraries(plumb_program INTERFACE plumb::plumb OpenMP::OpenMP_CXX)
target_compile_options(plumb_program INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
# GCC 12 warns of a literal before a std::string (PR 105651) and of vectors as long as no vector is.
target_compile_options(
  plumb_program INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                          $<$<CXX_COMPILER_ID:GNU>:-Wno-alloc-size-larger-than>)
if(PLUMB_NATIVE)
  target_compile_options(plumb_program INTERFACE -march=native)
  # GCC 12 warns of its own AVX-512 header (PR 105593).
  target_compile_options(plumb_program INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>)
endif()

# The command line's parts.
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
add_library(plumb_cli INTERFACE)
target_link_libraries(plumb_cli INTERFACE plumb_program Boost::program_options OpenSSL::Crypto)

if(PLUMB_LLAMA)
  find_package(llama CONFIG REQUIRED)
  # llama.cpp installs its CMake target without saying where its headers are.
  add_library(plumb_llama INTERFACE)
  target_include_directories(plumb_llama SYSTEM INTERFACE ${LLAMA_INCLUDE_DIR})
  target_link_libraries(plumb_llama INTERFACE llama)
  add_executable(plumb_command examples/plumb.cpp)
  set_target_properties(plumb_command PROPERTIES OUTPUT_NAME plumb)
  target_link_libraries(plumb_command PRIVATE plumb_cli plumb_llama)
  add_executable(requantize examples/requantize.cpp)
  target_link_libraries(requantize PRIVATE plumb_program plumb_llama)
  add_executable(exhaustive_time EXCLUDE_FROM_ALL benchmarks/exhaustive_time.cpp)
  target_link_libraries(exhaustive_time PRIVATE plumb_program plumb_llama)
  add_executable(sampled_answers EXCLUDE_FROM_ALL benchmarks/sampled_answers.cpp)
  target_link_libraries(sampled_answers PRIVATE plumb_program plumb_llama)
  add_executable(many_shot_from_scratch benchmarks/many_shot_from_scratch.cpp)
  target_link_libraries(many_shot_from_scratch PRIVATE plumb_program plumb_llama)
endif()

add_executable(prompt_samplings EXCLUDE_FROM_ALL benchmarks/prompt_samplings.cpp)
target_link_libraries(prompt_samplings PRIVATE plumb_program)

# The yardstick of ranking; only the benchmark that installs OpenBLAS builds it.
find_library(OPENBLAS_LIBRARY openblas)
if(OPENBLAS_LIBRARY)
  add_executable(ranking_against_sgemm EXCLUDE_FROM_ALL benchmarks/ranking_against_sgemm.cpp)
  target_link_libraries(ranking_against_sgemm PRIVATE plumb_program ${OPENBLAS_LIBRARY})
endif()

if(PLUMB_TESTS)
  enable_testing()
  include(cmake/tests.cmake)
endif()
