// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/written_rows.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstring>

BOOST_AUTO_TEST_SUITE(written_rows_of_vectors)

using namespace plumb::detail;

namespace {

using Numbers = std::array<float, 6>;

VectorRows three_of_two(const Numbers& numbers) {
  return {numbers.data(), 3, 2};
}

}  // namespace

BOOST_AUTO_TEST_CASE(any_bit_of_a_packs_rows_and_no_other_is_noticed) {
  const Numbers numbers{0, -0.0F, 1, 2.5F, 3, 4};
  const Json said = written_rows(three_of_two(numbers), {2, 0});
  BOOST_TEST(said.at("rows") == Json::parse("[2, 0]"));
  BOOST_TEST(!changed_row(three_of_two(numbers), said).has_value());
  for (std::size_t bit = 0; bit < 8 * sizeof(Numbers); ++bit) {
    Numbers flipped = numbers;
    std::array<unsigned char, sizeof(Numbers)> bytes{};
    std::memcpy(bytes.data(), flipped.data(), bytes.size());
    bytes.at(bit / 8) = static_cast<unsigned char>(bytes.at(bit / 8) ^ (1U << (bit % 8)));
    std::memcpy(flipped.data(), bytes.data(), bytes.size());
    const bool of_pack = bit / (8 * 2 * sizeof(float)) != 1;
    BOOST_TEST(changed_row(three_of_two(flipped), said).has_value() == of_pack, "bit " << bit);
    BOOST_TEST(!are_same_bytes(three_of_two(flipped), three_of_two(numbers)));
  }
  BOOST_TEST(are_same_bytes(three_of_two(numbers), three_of_two(Numbers(numbers))));
}

BOOST_AUTO_TEST_CASE(missing_rows_count_as_changed_and_older_journals_are_accepted) {
  const Numbers numbers{};
  Json said = written_rows(three_of_two(numbers), {1});
  said["rows"] = {3};
  BOOST_TEST(changed_row(three_of_two(numbers), said).value() == 3U);
  BOOST_TEST(!changed_row(three_of_two(numbers), Json::array()).has_value());
  BOOST_CHECK_THROW((void)changed_row(three_of_two(numbers), Json::parse(R"({"rows": "x"})")),
                    Json::exception);
}

BOOST_AUTO_TEST_SUITE_END()
