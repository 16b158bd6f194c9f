// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does the command run under mpirun?
//
//   int main(int argc, char** argv) {
//     return plumb::run_mpi_command_line(argc, argv, models);  // like run_command_line
//   }
// `mpirun -n 4 plumb rank …` divides DEER's entities among its processes. The first process runs
// the command, and the others serve it (run/mpi_ranking.hpp). A process that fails reports the
// reason and ends all processes. Without mpirun, MPI is not initialized, and the call is equivalent
// to run_command_line.

#include <mpi.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

#include "plumb/detail/cli/command_line.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/run/mpi_exchange.hpp"
#include "plumb/detail/run/mpi_ranking.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether an MPI launcher started this process, according to the environment variables that Open
/// MPI, MPICH, Intel MPI and Slurm set.
[[nodiscard]] inline bool is_started_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

/// Reports why a serving process failed, and ends all processes.
[[noreturn]] inline void end_all(const std::string& why, int code) {
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(host, &length);
  // The message is written in a single call, because mpirun merges the output of all processes, and
  // its own, into one stream.
  const std::string process = std::to_string(mpi_rank(MPI_COMM_WORLD) + 1);
  const std::string line = "plumb: process " + process + " of " +
                           std::to_string(mpi_size(MPI_COMM_WORLD)) + " (" + host +
                           "): " + as_options(why) + "\n";
  std::cerr << line << std::flush;
  MPI_Abort(MPI_COMM_WORLD, code);
  std::exit(code);
}

/// Implements a program's main function. Returns the exit code; does not throw.
template <class MakeModel>
int run_mpi_command_line(int argc, char** argv, MakeModel make_model) {
  if (!detail::is_started_by_mpi()) return run_command_line(argc, argv, std::move(make_model));
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  int code = 0;
  if (detail::mpi_rank(MPI_COMM_WORLD) == 0) {
    MpiRanking ranking(MPI_COMM_WORLD);
    code = run_command_line(argc, argv, std::move(make_model), &ranking);
    // After a signal, the other processes may already have ended.
    if (ranking.is_broken() || code > 128) MPI_Abort(MPI_COMM_WORLD, code);
    ranking.end();
  } else {
    try {
      serve_rankings(MPI_COMM_WORLD);
    } catch (const Error& error) {
      detail::end_all(error.what(), error.fault() == Fault::user ? 2 : 1);
    } catch (const std::exception& error) {
      detail::end_all(error.what(), 1);
    }
  }
  MPI_Finalize();
  return code;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
