// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/mpi_ranking.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"
#include "support/mpi_session.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(mpi_ranking)

namespace {

/// A file of vectors, some of which are tied, and questions about these vectors.
struct Files {
  explicit Files(std::size_t count = 90) : file(folder / "v.npy") {
    RandomStream random(1, "mpi");
    NpyWriter writer(file, count, 3);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<float> row;
      for (int d = 0; d < 3; ++d) row.push_back(static_cast<float>(random.below(4)) + 0.5F);
      writer.put(i, row);
    }
    writer.finish();
    for (std::uint32_t i = 0; i < 40; ++i) {
      questions.push_back({i % 7, static_cast<std::uint32_t>(random.below(count)), {}});
      for (std::uint32_t e = i % 5; e < count; e += 11) {
        if (e != questions.back().gold) questions.back().known.push_back(e);
      }
    }
    queries = EmbeddingMatrix::Random(7, 3);
  }
  test::TemporaryFolder folder;
  std::filesystem::path file;
  std::vector<EntityQuestion> questions;
  EmbeddingMatrix queries;
};

}  // namespace

BOOST_AUTO_TEST_CASE(one_process_counts_as_it_does_without_mpi) {
  test::MpiSession::begin();
  const Files files;
  const NpyFile npy(files.file);
  MpiRanking ranking(MPI_COMM_SELF);
  LocalRanking alone;
  BOOST_TEST(ranking.processes() == 1U);
  const VectorRows queries = rows_of(files.queries);
  for (const bool chooses : {false, true}) {
    EntityVectors entities(npy.rows(), files.file);
    if (chooses) {
      entities.chosen.emplace();
      for (std::uint32_t i = 0; i < 90; ++i) entities.chosen->push_back((i * 7 + 3) % 90);
    }
    const auto made = ranking.standings(entities, queries, files.questions);
    const auto expected = alone.standings(entities, queries, files.questions);
    BOOST_REQUIRE(made.size() == expected.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      BOOST_TEST(made[i].cosine == expected[i].cosine);
      BOOST_TEST((made[i].raw == expected[i].raw));
      BOOST_TEST((made[i].filtered.rank == expected[i].filtered.rank));
      BOOST_TEST(made[i].filtered.candidates == expected[i].filtered.candidates);
    }
    const auto near = ranking.nearest(entities, queries, 5);
    const auto sorted = alone.nearest(entities, queries, 5);
    for (std::size_t q = 0; q < near.size(); ++q) {
      BOOST_REQUIRE(near[q].size() == 5U);
      for (std::size_t i = 0; i < 5; ++i) BOOST_TEST(near[q][i].entity == sorted[q][i].entity);
    }
  }
  ranking.end();
  BOOST_TEST(!ranking.is_broken());
}

BOOST_AUTO_TEST_CASE(invalid_requests_are_refused_before_other_processes_are_notified) {
  test::MpiSession::begin();
  const Files files;
  const NpyFile npy(files.file);
  MpiRanking ranking(MPI_COMM_SELF);
  const EmbeddingMatrix wide = EmbeddingMatrix::Ones(1, 4);
  const EntityVectors entities(npy.rows(), files.file);
  BOOST_CHECK_EXCEPTION((void)ranking.nearest(entities, rows_of(wide), 1), Error,
                        says(Fault::user, "queries: have 4 dimensions, but the entities have 3"));
  BOOST_CHECK_EXCEPTION((void)ranking.standings(npy.rows(), rows_of(files.queries), {}), Error,
                        says(Fault::internal, "several processes need a file"));
  BOOST_TEST(!ranking.is_broken());
}

BOOST_AUTO_TEST_CASE(error_during_an_exchange_leaves_the_ranking_broken) {
  test::MpiSession::begin();
  const Files files;
  const NpyFile npy(files.file);
  MpiRanking ranking(MPI_COMM_SELF);
  const EmbeddingMatrix nothing = EmbeddingMatrix::Zero(1, 3);
  BOOST_CHECK_EXCEPTION(
      (void)ranking.nearest(EntityVectors(npy.rows(), files.file), rows_of(nothing), 1), Error,
      says(Fault::user, "queries: row 0 is a zero vector"));
  BOOST_TEST(ranking.is_broken());
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_the_firsts_is_refused_where_it_is_read) {
  test::MpiSession::begin();
  const Files files;
  const test::TemporaryFolder folder_of_copy;
  MpiExchange exchange(MPI_COMM_SELF);
  const std::uint64_t sample = sample_of(NpyFile(files.file).rows());
  const auto mapped = [&](std::uint64_t rows, std::uint64_t dimension, const std::string& file) {
    return exchange.mapped({MpiTask::nearest, rows, dimension, sample, 0, 0, 0}, file).rows();
  };
  const std::string file = files.file.string();
  BOOST_TEST(mapped(90, 3, file) == 90);
  const std::string words = file + ": has 90 vectors of 3 dimensions here, but ";
  BOOST_CHECK_EXCEPTION((void)mapped(91, 3, file), Error,
                        says(Fault::user, words + "91 vectors of 3 dimensions in the first"));
  BOOST_CHECK_EXCEPTION((void)mapped(90, 4, file), Error,
                        says(Fault::user, words + "90 vectors of 4 dimensions in the first"));
  BOOST_CHECK_EXCEPTION((void)mapped(90, 3, file + ".none"), Error,
                        says(Fault::user, file + ".none: cannot be read"));
  BOOST_TEST(mapped(90, 3, file) == 90);
  // A different file of the same shape, such as an outdated copy.
  NpyWriter writer(folder_of_copy / "v.npy", 90, 3);
  for (std::size_t i = 0; i < 90; ++i) writer.put(i, std::vector<float>{1, 2, 3});
  writer.finish();
  BOOST_CHECK_EXCEPTION((void)mapped(90, 3, (folder_of_copy / "v.npy").string()), Error,
                        says(Fault::user, "contains different vectors here than in the first"));
}

BOOST_AUTO_TEST_CASE(a_sample_of_vectors_has_the_first_and_the_last) {
  EmbeddingMatrix rows = EmbeddingMatrix::Random(1000, 4);
  const std::uint64_t sample = sample_of(rows_of(rows));
  BOOST_TEST(sample_of(rows_of(rows)) == sample);
  for (const Eigen::Index row : {0, 999}) {
    EmbeddingMatrix other = rows;
    other(row, 3) += 1;
    BOOST_TEST(sample_of(rows_of(other)) != sample);
  }
  const EmbeddingMatrix one = rows.topRows(1), none = rows.topRows(0);
  BOOST_TEST(sample_of(rows_of(one)) != sample_of(rows_of(none)));
}

BOOST_AUTO_TEST_SUITE_END()
