// SPDX-License-Identifier: Apache-2.0

// How long do MPI processes take to rank queries if the number of entities grows with the number of
// processes?
//
//   mpirun -n P mpi_scaling [ENTITIES_EACH] [QUERIES] [DIMENSION] [ROUNDS]
// Prints one line of JSON with the median, the minimum and the maximum of the seconds per round of
// ranking, excluding the first round, which reads the file of vectors for the first time.

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/npy_file.hpp"
#include "plumb/detail/run/mpi_ranking.hpp"

namespace {

using namespace plumb::detail;

std::vector<float> drawn(RandomStream& random, std::size_t dimension) {
  std::vector<float> row(dimension);
  for (float& x : row) x = static_cast<float>(random.uniform() * 2 - 1);
  return row;
}

void measure(std::size_t each, std::size_t count, std::size_t dimension, std::size_t rounds) {
  MpiRanking ranking(MPI_COMM_WORLD);
  const std::size_t entities = each * ranking.processes();
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "mpi_scaling.npy";
  RandomStream random(1, "mpi_scaling");
  {
    NpyWriter writer(file, entities, dimension);
    for (std::size_t e = 0; e < entities; ++e) writer.put(e, drawn(random, dimension));
    writer.finish();
  }
  EmbeddingMatrix queries(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(dimension));
  std::vector<EntityQuestion> questions;
  for (std::size_t q = 0; q < count; ++q) {
    const std::vector<float> row = drawn(random, dimension);
    std::copy(row.begin(), row.end(), queries.row(static_cast<Eigen::Index>(q)).data());
    questions.push_back(
        {static_cast<std::uint32_t>(q), static_cast<std::uint32_t>(random.below(entities)), {}});
  }
  const NpyFile npy(file);
  std::vector<double> seconds;
  double mean_rank = 0;
  for (std::size_t round = 0; round <= rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const auto made = ranking.standings({npy.rows(), file}, rows_of(queries), questions);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (round > 0) seconds.push_back(spent.count());
    mean_rank = 0;
    for (const EntityStanding& one : made) {
      mean_rank += one.raw.realistic() / static_cast<double>(made.size());
    }
  }
  std::sort(seconds.begin(), seconds.end());
  ranking.end();
  std::filesystem::remove(file);
  std::cout << Json{{"processes", ranking.processes()},
                    {"entities", entities},
                    {"queries", count},
                    {"dimension", dimension},
                    {"rounds", rounds},
                    {"seconds", seconds[seconds.size() / 2]},
                    {"seconds_least", seconds.front()},
                    {"seconds_most", seconds.back()},
                    {"mean_rank", mean_rank}}
                   .dump()
            << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at, std::size_t otherwise) {
    return argc > at ? static_cast<std::size_t>(std::stoull(argv[at])) : otherwise;
  };
  MPI_Init(nullptr, nullptr);
  try {
    if (plumb::detail::mpi_rank(MPI_COMM_WORLD) == 0) {
      measure(number(1, 20000), number(2, 2000), number(3, 768),
              std::max<std::size_t>(1, number(4, 5)));
    } else {
      plumb::detail::serve_rankings(MPI_COMM_WORLD);
    }
  } catch (const std::exception& error) {
    std::cerr << "mpi_scaling: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
