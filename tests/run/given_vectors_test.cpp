// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/given_vectors.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(given_vectors)

namespace {

/// Entities e0, e1 and e2 as candidates, and a vector file; in the tests, the first number of each
/// candidate's vector is 10 plus the number in its identifier.
struct ThreeCandidates {
  ThreeCandidates() {
    for (const char* id : {"e0", "e1", "e2", "other"}) graph.entities.push_back({id, id});
    plan.candidates = Candidates({0, 1, 2}, graph.entities.size());
  }

  void write(const std::vector<std::string>& ids, const std::vector<float>& numbers) {
    const std::size_t columns = numbers.size() / ids.size();
    NpyWriter writer(file, ids.size(), columns);
    std::string lines;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      writer.put(i, std::span(numbers).subspan(i * columns, columns));
      lines += ids[i] + "\n";
    }
    writer.finish();
    folder.write("v.txt", lines);
  }

  /// The first number of each row.
  [[nodiscard]] std::vector<float> firsts() const {
    const GivenVectors given(plan, file, 2);
    std::vector<float> numbers;
    const EntityVectors vectors = given.vectors();
    for (std::size_t i = 0; i < vectors.size(); ++i) numbers.push_back(*vectors.row(i));
    return numbers;
  }
  void refuse(const std::string& message, std::size_t dimension = 2) const {
    BOOST_CHECK_EXCEPTION(GivenVectors(plan, file, dimension), Error, says(Fault::user, message));
  }

  test::TemporaryFolder folder;
  std::filesystem::path file = folder / "v.npy";
  KnowledgeGraph graph;
  RankPlan plan{graph, {}, {}, {}, 0};
};

constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

BOOST_FIXTURE_TEST_CASE(rows_are_the_candidates_in_their_order, ThreeCandidates) {
  const std::vector<float> expected{10, 11, 12};
  write({"e0", "e1", "e2"}, {10, 1, 11, 1, 12, 1});
  BOOST_TEST(firsts() == expected, boost::test_tools::per_element());
  write({"e2", "e0", "e1"}, {12, 1, 10, 1, 11, 1});
  BOOST_TEST(firsts() == expected, boost::test_tools::per_element());
  write({"unknown", "e0", "other", "e1", "e2"}, {1, 1, 10, 1, 2, 2, 11, 1, 12, 1});
  BOOST_TEST(firsts() == expected, boost::test_tools::per_element());
}

// A row that belongs to no candidate need not be valid.
BOOST_FIXTURE_TEST_CASE(only_candidates_need_a_direction, ThreeCandidates) {
  write({"e0", "e1", "other", "e2"}, {10, 1, 11, 1, 0, 0, 12, 1});
  BOOST_TEST(firsts().size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(invalid_vectors_are_reported_with_file_row_and_entity, ThreeCandidates) {
  write({"e2", "e0", "e1"}, {12, 1, 0, 0, 11, 1});
  refuse(file.string() +
         ": row 1: the vector of 'e0' is a zero vector, so it has no direction; embed it again");
  write({"e2", "e0", "e1"}, {12, 1, 10, 1, 11, infinity});
  refuse("row 2: the vector of 'e1' is not finite");
  write({"e0", "e1", "e3"}, {10, 1, 11, 1, 12, 1});
  refuse("has no vector for entity 'e2'; embed it or remove it from the graph");
  write({"e0", "e1", "e2"}, {10, 1, 11, 1, 12, 1});
  refuse("has vectors of 2 dimensions, but the model has 3; embed the entities with this model", 3);
}

BOOST_FIXTURE_TEST_CASE(nonexistent_file_is_reported, ThreeCandidates) {
  std::filesystem::remove(file);
  refuse("v.npy: does not exist; set `entities` to the entities.npy of a run");
}

BOOST_AUTO_TEST_SUITE_END()
