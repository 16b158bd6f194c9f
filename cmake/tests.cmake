# SPDX-License-Identifier: Apache-2.0
# One test program for each room: tests/<room>/*_test.cpp mirror include/plumb/detail/<room>/*.hpp, tests/doors the headers
# directly under include/plumb.

find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)

# clang compiles unoptimised code in two thirds of GCC's time. If clang and its OpenMP are installed, clang compiles
# tokens_of_texts and the rooms that link no code of plumb's compiled by GCC. In the other rooms the linker would take a
# function from one compiler and its lambda from the other, which may store its captures in a different order. A launcher
# that the caller set (a compiler cache) is kept, and sanitizers use one compiler for everything. With
# -DPLUMB_TEST_CLANG=OFF, GCC compiles everything.
find_program(PLUMB_TEST_CLANG clang++-16)
find_library(PLUMB_TEST_OPENMP omp PATHS /usr/lib/llvm-16/lib)
mark_as_advanced(PLUMB_TEST_CLANG PLUMB_TEST_OPENMP)
set(plumb_test_compiler own)  # CMake's
if(PLUMB_TEST_CLANG AND PLUMB_TEST_OPENMP AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(plumb_test_compiler clang)
endif()
function(plumb_compile_by compiler target)
  if(compiler STREQUAL "clang")
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
                                               "${PROJECT_SOURCE_DIR}/cmake/compile_with.sh;${PLUMB_TEST_CLANG}")
  endif()
endfunction()

# Tests are compiled more often than they are run, so they are not optimised, except for code in which most rooms spend
# much time. Headers that nearly all tests include in addition to plumb's are precompiled for all rooms, and the test files
# of a room are one batch, so shared code is compiled once. tests/system/test_headers.py checks that each header compiles by
# itself.
add_library(plumb_test_parts INTERFACE)
# An index past the end of a vector fails a test.
target_compile_definitions(plumb_test_parts INTERFACE BOOST_TEST_DYN_LINK _GLIBCXX_ASSERTIONS)
target_include_directories(plumb_test_parts INTERFACE tests)
target_link_libraries(plumb_test_parts INTERFACE plumb_program plumb::cli Boost::unit_test_framework)
# GCC sees a batch as the main file, so it takes the hidden names of a test file for hidden names of a header.
target_compile_options(plumb_test_parts INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
# No functions are emitted for std::move and the like, and no unwinding tables where nothing is thrown.
target_compile_options(plumb_test_parts INTERFACE
                       $<$<CXX_COMPILER_ID:GNU>:-ffold-simple-inlines;-fno-asynchronous-unwind-tables;-fno-dwarf2-cfi-asm>)
# main.cpp configures Boost.Test before it includes it.
set_source_files_properties(tests/main.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
set(plumb_compilers own ${plumb_test_compiler})
list(REMOVE_DUPLICATES plumb_compilers)
foreach(compiler IN LISTS plumb_compilers)
  add_library(plumb_precompiled_${compiler} OBJECT tests/support/precompiled.cpp tests/main.cpp)
  target_compile_options(plumb_precompiled_${compiler} PRIVATE $<$<CONFIG:Release>:-O0>)
  target_link_libraries(plumb_precompiled_${compiler} PRIVATE plumb_test_parts)
  target_precompile_headers(plumb_precompiled_${compiler} PRIVATE tests/support/precompiled.hpp)
  plumb_compile_by(${compiler} plumb_precompiled_${compiler})
  add_library(plumb_optimised_${compiler} OBJECT tests/support/optimised.cpp)
  target_compile_options(plumb_optimised_${compiler} PRIVATE $<$<CONFIG:Release>:-O2>)
  target_link_libraries(plumb_optimised_${compiler} PRIVATE plumb_test_parts)
  plumb_compile_by(${compiler} plumb_optimised_${compiler})
endforeach()

# First on the linker's line, so that the linker takes the optimised version of a function that is in both.
function(plumb_link_optimised target compiler)
  target_link_options(${target} PRIVATE $<TARGET_OBJECTS:plumb_optimised_${compiler}>)
  add_dependencies(${target} plumb_optimised_${compiler})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS $<TARGET_OBJECTS:plumb_optimised_${compiler}>)
endfunction()

# The fuzz targets. Each is replayed by the room that compiles most of the code it runs.
set(plumb_fuzz_targets datasets models records servers command_lines)
set(plumb_fuzz_rooms data huggingface run server cli)

# The rooms that take longest to compile come first.
set(plumb_rooms_with_command run cli)
foreach(room run cli report doors records server rank data measure calibrate aggregate backend huggingface kernels prompt score core)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${room}/*_test.cpp)
  if(NOT PLUMB_LLAMA)
    list(FILTER sources EXCLUDE REGEX "/(llama|native_gguf)_[a-z0-9_]*test.cpp$")
  endif()
  if(NOT PLUMB_MPI)
    list(FILTER sources EXCLUDE REGEX "/mpi_[a-z_]*test.cpp$")
  endif()
  if(NOT sources)
    message(FATAL_ERROR "no tests of the room ${room}")
  endif()
  list(FIND plumb_fuzz_rooms ${room} at)
  if(NOT at EQUAL -1)
    list(GET plumb_fuzz_targets ${at} target)
    set(replayed ${PROJECT_BINARY_DIR}/fuzz/replay_${target}.cpp)
    configure_file(tests/fuzz/replay.cpp.in ${replayed} @ONLY)
    list(APPEND sources ${replayed})
  endif()
  set(compiler ${plumb_test_compiler})
  if(room IN_LIST plumb_rooms_with_command)
    set(compiler own)
  endif()
  add_executable(test_${room} ${sources} $<TARGET_OBJECTS:plumb_precompiled_${compiler}>)
  set_target_properties(test_${room} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  target_compile_options(test_${room} PRIVATE $<$<CONFIG:Release>:-O0>)
  target_link_libraries(test_${room} PRIVATE plumb_test_parts)
  target_precompile_headers(test_${room} REUSE_FROM plumb_precompiled_${compiler})
  plumb_compile_by(${compiler} test_${room})
  plumb_link_optimised(test_${room} ${compiler})
  if(compiler STREQUAL "clang")
    # Before GCC's own on the linker's line: it also provides the OpenMP functions that llama.cpp calls.
    target_link_libraries(test_${room} PRIVATE ${PLUMB_TEST_OPENMP})
  endif()
  if(PLUMB_LLAMA AND room STREQUAL "backend")
    target_link_libraries(test_${room} PRIVATE plumb::llama)
  endif()
  if(room STREQUAL "core" AND TARGET plumb::chat)
    target_link_libraries(test_core PRIVATE plumb::chat)
  endif()
  if(room STREQUAL "server")
    target_link_libraries(test_server PRIVATE plumb::server)
  endif()
  if(room STREQUAL "huggingface")
    target_link_libraries(test_huggingface PRIVATE plumb::huggingface)
    if(PLUMB_LLAMA)
      target_link_libraries(test_huggingface PRIVATE plumb::llama)
    endif()
  endif()
  # Reports are linked from a library; the room `report` tests that their headers compile too.
  if(room IN_LIST plumb_rooms_with_command)
    target_link_libraries(test_${room} PRIVATE plumb::command)
    target_link_options(test_${room} PRIVATE $<TARGET_OBJECTS:plumb_subcommands>)
    if(PLUMB_MPI)
      target_link_libraries(test_${room} PRIVATE plumb::mpi)
    endif()
  endif()
  add_test(NAME ${room} COMMAND test_${room})
endforeach()

# How readers handle arbitrary bytes: the rooms' programs replay stored inputs once (above). The fuzzers, one per family
# of readers, are built with -fsanitize=fuzzer.
if(PLUMB_FUZZ)
  foreach(target IN LISTS plumb_fuzz_targets)
    configure_file(tests/fuzz/libfuzzer.cpp.in fuzz/${target}.cpp @ONLY)
    add_executable(fuzz_${target} EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/fuzz/${target}.cpp)
    target_include_directories(fuzz_${target} PRIVATE tests)
    target_link_libraries(fuzz_${target} PRIVATE plumb_program)
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
  endforeach()
  target_link_libraries(fuzz_models PRIVATE plumb::huggingface)
  target_link_libraries(fuzz_servers PRIVATE plumb::server)
  target_link_libraries(fuzz_records PRIVATE plumb::command)
  target_link_libraries(fuzz_command_lines PRIVATE plumb::command)
endif()

# Programs that the tests of the whole command (tests/system) call; they are compiled like the rooms, without optimisation.
function(plumb_add_small_program target compiler)
  add_executable(${target} ${ARGN})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
  target_link_libraries(${target} PRIVATE plumb_test_parts)
  target_precompile_headers(${target} REUSE_FROM plumb_precompiled_${compiler})
  plumb_compile_by(${compiler} ${target})
  if(compiler STREQUAL "clang")
    target_link_libraries(${target} PRIVATE ${PLUMB_TEST_OPENMP})
  endif()
endfunction()
plumb_add_small_program(tokens_of_texts ${plumb_test_compiler} tests/system/tokens_of_texts.cpp)
target_link_libraries(tokens_of_texts PRIVATE plumb::huggingface)
# The networks with the library's kernels, and with only the headers' kernels at two widths.
add_executable(network_values tests/system/network_values.cpp)
target_link_libraries(network_values PRIVATE plumb_program plumb::huggingface)
foreach(width IN ITEMS v2 v3)
  add_executable(network_values_${width} tests/system/network_values.cpp)
  target_link_libraries(network_values_${width} PRIVATE plumb::openmp plumb::huggingface)
  target_compile_options(network_values_${width} PRIVATE $<$<CONFIG:Release>:-O2>)
endforeach()
foreach(program network_values network_values_v2 network_values_v3)
  target_include_directories(${program} PRIVATE tests)
endforeach()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  target_compile_options(network_values_v3 PRIVATE -march=x86-64-v3)
endif()
plumb_add_small_program(calibration_numbers own tests/system/calibration_numbers.cpp)
if(PLUMB_LLAMA)
  # These go through whole vocabularies at each position: without optimisation they run for a minute. -O3 takes half as
  # long again to compile as -O1.
  foreach(program tree_against_one_by_one search_against_exhaustive)
    add_executable(${program} tests/system/${program}.cpp)
    target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:-O1>)
    target_link_libraries(${program} PRIVATE plumb_program plumb::llama)
  endforeach()
  # It computes almost only exponentials, which this option vectorises.
  add_executable(whole_text_scores tests/system/whole_text_scores.cpp)
  target_compile_options(whole_text_scores PRIVATE $<$<CONFIG:Release>:-ffast-math>)
  target_link_libraries(whole_text_scores PRIVATE plumb_program plumb::llama)
  plumb_add_small_program(write_tiny_gguf own tests/support/write_tiny_gguf.cpp)
  target_link_libraries(write_tiny_gguf PRIVATE plumb::llama)
endif()
if(TARGET plumb::chat)
  plumb_add_small_program(chat_texts own tests/system/chat_texts.cpp)
  target_link_libraries(chat_texts PRIVATE plumb::chat)
endif()
# The command with tiny models, and all its jobs under failing file calls.
plumb_add_small_program(tiny_command own tests/system/tiny_command.cpp)
target_link_libraries(tiny_command PRIVATE plumb::command)
plumb_link_optimised(tiny_command own)
plumb_add_small_program(faults own tests/system/faults.cpp tests/system/file_calls.cpp)
target_link_libraries(faults PRIVATE plumb::command ${CMAKE_DL_LIBS})
plumb_link_optimised(faults own)
set_target_properties(faults PROPERTIES ENABLE_EXPORTS ON)  # for the C++ library, which also calls the replaced functions
