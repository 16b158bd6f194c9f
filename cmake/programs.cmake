# SPDX-License-Identifier: Apache-2.0
# plumb's own programs: the command, the examples, the tests.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# A compiler cache and a faster linker, if they are installed and nothing else was chosen.
find_program(PLUMB_CCACHE ccache)
if(PLUMB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                  ${PLUMB_CCACHE})
endif()
find_program(PLUMB_LINKER NAMES mold ld.lld)
if(PLUMB_LINKER MATCHES "mold$")
  add_link_options(-fuse-ld=mold)
elseif(PLUMB_LINKER)
  add_link_options(-fuse-ld=lld)
endif()

# The options for every program; the headers of dependencies are system headers.
add_library(plumb_program INTERFACE)
target_link_libraries(plumb_program INTERFACE plumb::plumb)
function(plumb_need component)
  plumb_find_component(${component})
  if(NOT TARGET plumb::${component})
    message(FATAL_ERROR "${plumb_${component}_REASON}")
  endif()
endfunction()
if(PLUMB_OPENMP)
  plumb_need(openmp)
  target_link_libraries(plumb_program INTERFACE plumb::openmp)
endif()
target_compile_options(plumb_program INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
# GCC collects garbage only from 2 GB on (the number is in kB): a minute of compiling produces little, and searching for it
# takes a tenth of that time. The largest file then takes 4 GB; setup.sh starts as many compilers as memory allows.
set(plumb_late_garbage $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=2000000>)
target_compile_options(plumb_program INTERFACE ${plumb_late_garbage})
# GCC 12 warns about a literal before a std::string (PR 105651), and about vectors of impossible length.
target_compile_options(
  plumb_program INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                          $<$<CXX_COMPILER_ID:GNU>:-Wno-alloc-size-larger-than>)
# Programs run on any x86-64 machine; the kernels are compiled for every vector width.
plumb_need(kernels)
target_link_libraries(plumb_program INTERFACE plumb::kernels)

# The command line, compiled once for the command, the examples and the tests.
plumb_need(command)
target_link_libraries(plumb_subcommands PRIVATE plumb_program)
# Passes that take a seventh of the compile time.
set(plumb_fewer_passes $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fno-ipa-modref;-fno-ipa-icf;-fno-tree-pta>)
# -O2 takes half as long again to compile. With it, calibrate runs a seventh faster, report runs slower, and rank, which
# waits for the model, runs at the same speed.
target_compile_options(
  plumb_subcommands PRIVATE
  $<$<CONFIG:Release>:-O1>
  ${plumb_fewer_passes} $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fno-tree-loop-optimize>)

# Programs that are compiled more often than they are run.
add_library(plumb_small_program INTERFACE)
target_link_libraries(plumb_small_program INTERFACE plumb_program)
target_compile_options(plumb_small_program INTERFACE $<$<CONFIG:Release>:-O0>)

# The optional parts that programs use.
plumb_need(huggingface)
if(PLUMB_LLAMA)
  plumb_need(llama)
endif()
if(PLUMB_LLAMA OR PLUMB_TESTS)
  plumb_need(server)
endif()
if(PLUMB_MPI)
  plumb_need(mpi)
endif()
# The sources of the chat engine.
if(PLUMB_JINJA_DIR)
  plumb_need(chat)
  # -O3 takes a third longer to compile, and rendering a template is little beside scoring its prompt.
  target_compile_options(plumb_chat PRIVATE $<$<CONFIG:Release>:-O1>)
endif()

if(PLUMB_LLAMA)
  add_executable(plumb_command examples/plumb/plumb.cpp examples/plumb/hugging_face_models.cpp)
  # llama.cpp and servers do their own computing. Not -O0, because the linker takes code that it shares with the
  # subcommands, mostly reading JSON, from this file.
  set_source_files_properties(examples/plumb/plumb.cpp PROPERTIES COMPILE_OPTIONS
                              "$<$<CONFIG:Release>:-O1>")
  # -O3 takes a fifth longer to compile; networks run as fast with -O2, because the kernels are compiled separately.
  set_source_files_properties(examples/plumb/hugging_face_models.cpp PROPERTIES COMPILE_OPTIONS
                              "$<$<CONFIG:Release>:-O2>;${plumb_fewer_passes}")
  set_target_properties(plumb_command PROPERTIES OUTPUT_NAME plumb)
  target_link_libraries(plumb_command PRIVATE plumb_program plumb::command plumb::llama
                                             plumb::huggingface plumb::server)
  if(TARGET plumb::chat)
    target_link_libraries(plumb_command PRIVATE plumb::chat)
  endif()
  if(PLUMB_MPI)
    target_link_libraries(plumb_command PRIVATE plumb::mpi)
    target_compile_definitions(plumb_command PRIVATE PLUMB_MPI)
  endif()
endif()

# Tests before examples: their largest files take longest to compile, and the last compilations should be short.
if(PLUMB_TESTS)
  enable_testing()
  include(cmake/tests.cmake)
endif()

# Each file answers one question; tests/system/test_examples.py runs them.
add_custom_target(plumb_examples)
add_executable(example_hugging_face_folder examples/hugging_face_folder.cpp)
target_link_libraries(example_hugging_face_folder PRIVATE plumb_small_program plumb::huggingface)
add_dependencies(plumb_examples example_hugging_face_folder)
# With only the single-file header and its dependencies.
if(TARGET single_header)
  add_executable(example_one_file examples/one_file.cpp)
  target_include_directories(example_one_file PRIVATE ${PROJECT_BINARY_DIR})
  target_link_libraries(example_one_file PRIVATE Eigen3::Eigen xtensor nlohmann_json::nlohmann_json)
  target_compile_options(example_one_file PRIVATE ${plumb_late_garbage})
  # It contains all headers and compiles all their code: a warning there is a warning of plumb's.
  target_compile_options(example_one_file PRIVATE $<$<CONFIG:Release>:-O0> -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  set_target_properties(example_one_file PROPERTIES COMPILE_WARNING_AS_ERROR ${PLUMB_STRICT})
  add_dependencies(example_one_file single_header)
  add_dependencies(plumb_examples example_one_file)
endif()
foreach(example score_one_fact own_engine hold_a_kernel five_systems every_option answers_as_tensors own_prompts own_batches own_top_k own_tree_engine own_lookups own_dataset own_scorer own_confidence
                own_aggregation own_run_folder own_job own_files own_embedder own_generator rank_own_vectors calibrate_own_scores
                entropy_confidence fitted_confidence)
  add_executable(example_${example} examples/${example}.cpp)
  target_link_libraries(example_${example} PRIVATE plumb_small_program)
  add_dependencies(plumb_examples example_${example})
endforeach()
foreach(example own_command own_masked_command)
  add_executable(example_${example} examples/${example}.cpp)
  target_link_libraries(example_${example} PRIVATE plumb_small_program plumb::command)
  add_dependencies(plumb_examples example_${example})
endforeach()
if(PLUMB_MPI)
  add_executable(mpi_scaling EXCLUDE_FROM_ALL benchmarks/mpi_scaling.cpp)
  target_link_libraries(mpi_scaling PRIVATE plumb_program plumb::mpi)
endif()
if(PLUMB_LLAMA)
  if(PLUMB_INSTALL)
    include(cmake/install_command.cmake)
  endif()
  add_executable(requantize examples/requantize.cpp)
  target_link_libraries(requantize PRIVATE plumb_small_program plumb::llama)
  add_executable(exhaustive_time EXCLUDE_FROM_ALL benchmarks/exhaustive_time.cpp)
  target_link_libraries(exhaustive_time PRIVATE plumb_program plumb::llama)
  add_executable(sampled_answers EXCLUDE_FROM_ALL benchmarks/sampled_answers.cpp)
  target_link_libraries(sampled_answers PRIVATE plumb_program plumb::llama)
  add_executable(sequence_logits EXCLUDE_FROM_ALL benchmarks/sequence_logits.cpp)
  target_link_libraries(sequence_logits PRIVATE plumb_program plumb::llama plumb::huggingface)
  add_executable(many_shot_from_scratch EXCLUDE_FROM_ALL benchmarks/many_shot_from_scratch.cpp)
  target_link_libraries(many_shot_from_scratch PRIVATE plumb_program plumb::llama)
endif()

add_executable(nodes_after_prefix EXCLUDE_FROM_ALL benchmarks/nodes_after_prefix.cpp)
target_link_libraries(nodes_after_prefix PRIVATE plumb_program plumb::huggingface)
add_executable(decoder_products EXCLUDE_FROM_ALL benchmarks/decoder_products.cpp)
target_link_libraries(decoder_products PRIVATE plumb_program plumb::huggingface)
add_executable(folder_loading EXCLUDE_FROM_ALL benchmarks/folder_loading.cpp)
target_link_libraries(folder_loading PRIVATE plumb_program plumb::huggingface)
add_executable(prompt_samplings EXCLUDE_FROM_ALL benchmarks/prompt_samplings.cpp)
target_link_libraries(prompt_samplings PRIVATE plumb_program)
add_executable(interval_coverage EXCLUDE_FROM_ALL benchmarks/interval_coverage.cpp)
target_link_libraries(interval_coverage PRIVATE plumb_program)

# The reference for the speed of ranking; only the benchmark that installs OpenBLAS builds it.
find_library(OPENBLAS_LIBRARY openblas)
if(OPENBLAS_LIBRARY)
  add_executable(ranking_against_sgemm EXCLUDE_FROM_ALL benchmarks/ranking_against_sgemm.cpp)
  target_link_libraries(ranking_against_sgemm PRIVATE plumb_program ${OPENBLAS_LIBRARY})
  # Eigen's products are compiled for this machine; plumb's kernels choose a width at run time.
  foreach(cpu native haswell)
    set(program layer_products)
    if(cpu STREQUAL "haswell")
      set(program layer_products_avx2)
    endif()
    add_executable(${program} EXCLUDE_FROM_ALL benchmarks/layer_products.cpp)
    target_link_libraries(${program} PRIVATE plumb_program ${OPENBLAS_LIBRARY})
    target_compile_options(${program} PRIVATE -march=${cpu})
  endforeach()
endif()
