# SPDX-License-Identifier: Apache-2.0
# The optional parts of plumb, for find_package(plumb COMPONENTS …) and for the source tree alike:
#   plumb::openmp  several threads in ranking, resampling and calibration
#   plumb::cli     the whole command line (Boost.Program_options, OpenSSL's libcrypto)
#   plumb::llama   the llama.cpp backend

# Makes plumb::<component> if what it needs is on this machine; otherwise plumb_<component>_REASON
# says what is not.
function(plumb_find_component component)
  if(TARGET plumb::${component})
    set(plumb_${component}_FOUND TRUE PARENT_SCOPE)
    return()
  endif()
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
  set(needed plumb::plumb)
  set(reason "")
  if(component STREQUAL "openmp")
    find_package(OpenMP QUIET COMPONENTS CXX)
    list(APPEND needed OpenMP::OpenMP_CXX)
    set(reason "openmp: the compiler has no OpenMP")
  elseif(component STREQUAL "cli")
    find_package(Boost 1.74 QUIET COMPONENTS program_options)
    find_package(OpenSSL QUIET COMPONENTS Crypto)
    list(APPEND needed Boost::program_options OpenSSL::Crypto)
    set(reason "cli: wants Boost.Program_options 1.74 and OpenSSL (Debian: "
               "libboost-program-options-dev, libssl-dev)")
    string(JOIN "" reason ${reason})
  elseif(component STREQUAL "llama")
    find_package(llama CONFIG QUIET)
    list(APPEND needed llama)
    set(reason "llama: no llama-config.cmake; install llama.cpp and put it on CMAKE_PREFIX_PATH")
  else()
    set(plumb_${component}_FOUND FALSE PARENT_SCOPE)
    set(plumb_${component}_REASON "${component} is no component; say openmp, cli or llama"
        PARENT_SCOPE)
    return()
  endif()
  foreach(target IN LISTS needed)
    if(NOT TARGET ${target})
      set(plumb_${component}_FOUND FALSE PARENT_SCOPE)
      set(plumb_${component}_REASON "${reason}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  add_library(plumb::${component} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(plumb::${component} INTERFACE ${needed})
  if(component STREQUAL "llama")
    # llama.cpp installs its CMake target without saying where its headers are.
    target_include_directories(plumb::llama SYSTEM INTERFACE ${LLAMA_INCLUDE_DIR})
  endif()
  set(plumb_${component}_FOUND TRUE PARENT_SCOPE)
endfunction()
