# SPDX-License-Identifier: Apache-2.0
# One test program for each room: tests/<room>/*_test.cpp mirror include/plumb/<room>/*.hpp.

find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)

# Tests are compiled more often than they are run: little optimisation halves the time.
set(plumb_test_optimisation $<$<CONFIG:Release>:-O1>)

foreach(room core data prompt backend score measure rank aggregate calibrate run report cli)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${room}/*_test.cpp)
  if(NOT PLUMB_LLAMA)
    list(FILTER sources EXCLUDE REGEX "/llama_[a-z_]*test.cpp$")
  endif()
  if(NOT sources)
    message(FATAL_ERROR "no tests of the room ${room}")
  endif()
  if(room STREQUAL "cli")
    file(GLOB console CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/console_run_*.cpp)
    list(PREPEND sources ${console})
  endif()
  add_executable(test_${room} tests/main.cpp ${sources})
  target_compile_definitions(test_${room} PRIVATE BOOST_TEST_DYN_LINK)
  target_compile_options(test_${room} PRIVATE ${plumb_test_optimisation})
  target_include_directories(test_${room} PRIVATE tests)
  target_link_libraries(test_${room} PRIVATE plumb_cli Boost::unit_test_framework)
  if(PLUMB_LLAMA AND room STREQUAL "backend")
    target_link_libraries(test_${room} PRIVATE plumb::llama)
  endif()
  add_test(NAME ${room} COMMAND test_${room})
endforeach()

# Programs that the tests of the whole command (tests/system) call.
add_executable(calibration_numbers tests/system/calibration_numbers.cpp)
target_link_libraries(calibration_numbers PRIVATE plumb_program)
if(PLUMB_LLAMA)
  add_executable(tree_against_one_by_one tests/system/tree_against_one_by_one.cpp)
  target_link_libraries(tree_against_one_by_one PRIVATE plumb_program plumb::llama)
  add_executable(search_against_exhaustive tests/system/search_against_exhaustive.cpp)
  target_link_libraries(search_against_exhaustive PRIVATE plumb_program plumb::llama)
  add_executable(write_tiny_gguf tests/support/write_tiny_gguf.cpp)
  target_include_directories(write_tiny_gguf PRIVATE tests)
  target_link_libraries(write_tiny_gguf PRIVATE plumb_program plumb::llama)
endif()
