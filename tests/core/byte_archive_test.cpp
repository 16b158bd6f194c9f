// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/byte_archive.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(byte_archive)

namespace {

struct Inner {
  std::vector<std::uint32_t> numbers{};
  double weight = 0;
  template <class Archive>
  void archive(Archive& of) {
    of(numbers, weight);
  }
  bool operator==(const Inner&) const = default;
};

}  // namespace

BOOST_AUTO_TEST_CASE(values_come_back_in_their_order) {
  const std::vector<Inner> inner{{{1, 2, 3}, 0.5}, {{}, -1}};
  const std::vector<std::vector<std::uint32_t>> nested{{7}, {}, {8, 9}};
  ByteWriter writer;
  writer(std::uint8_t{4}, inner, nested, 2.5);
  std::uint8_t first = 0;
  std::vector<Inner> inner_back;
  std::vector<std::vector<std::uint32_t>> nested_back{{1}};
  double last = 0;
  ByteReader reader(writer.bytes());
  reader(first, inner_back, nested_back, last);
  BOOST_TEST(first == 4);
  BOOST_TEST((inner_back == inner));
  BOOST_TEST((nested_back == nested));
  BOOST_TEST(last == 2.5);
}

BOOST_AUTO_TEST_CASE(bytes_that_end_early_are_refused) {
  ByteWriter writer;
  writer(std::vector<int>{1, 2, 3});
  const std::string_view bytes = writer.bytes();
  std::vector<int> back;
  ByteReader reader(bytes.substr(0, bytes.size() - 1));
  BOOST_CHECK_EXCEPTION(reader(back), Error, test::says(Fault::internal, "end too early"));
}

BOOST_AUTO_TEST_SUITE_END()
