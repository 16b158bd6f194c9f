// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/stored_tensors.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/gguf_bytes.hpp"

using namespace plumb::detail;
using test::bytes_of;

BOOST_AUTO_TEST_SUITE(stored_tensors_suite)

namespace {

/// Tensors in memory, without a file.
class InMemory : public StoredTensors {
 public:
  void add(StoredTensor tensor) {
    const std::string name = tensor.name();
    tensors_.try_emplace(name, std::move(tensor));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_format_adds_tensors_that_are_found_by_name) {
  const std::string bytes = bytes_of(1.5F) + bytes_of(-2.0F) + bytes_of(4.0F);
  InMemory made;
  made.add({"file", "a", "F32", {3}, bytes});
  made.add({"file", "b", "I64", {1}, ""});
  BOOST_TEST(made.find("c") == nullptr);
  BOOST_TEST(made.tensors().size() == 2U);
  std::vector<float> two(2);
  made.find("a")->read(1, two);
  BOOST_TEST((two == std::vector<float>{-2, 4}));
  BOOST_TEST(!made.find("b")->is_readable());
  BOOST_TEST(shape_text({2, 3}) == "[2, 3]");
  BOOST_TEST(shape_text({}) == "[]");
}

BOOST_AUTO_TEST_CASE(numbers_in_double_precision_are_rounded) {
  const std::string bytes = bytes_of(0.1) + bytes_of(-3.0) + bytes_of(1e300) +
                            bytes_of(std::numeric_limits<double>::infinity());
  const StoredTensor tensor("file", "a", "F64", {4}, bytes);
  BOOST_TEST(tensor.is_readable());
  std::vector<float> two(2), one(1);
  tensor.read(0, two);
  BOOST_TEST((two == std::vector<float>{0.1F, -3}));
  BOOST_CHECK_EXCEPTION(
      tensor.read(2, one), Error,
      test::says(Fault::user, "number 2 is too large for F32; plumb computes in F32"));
  BOOST_CHECK_EXCEPTION(tensor.read(3, one), Error,
                        test::says(Fault::user, "number 3 is infinite; the weights are damaged"));
}

BOOST_AUTO_TEST_CASE(rows_and_entries_are_tensors_of_their_own) {
  std::string bytes;
  for (int n = 0; n < 12; ++n) bytes += bytes_of(static_cast<float>(n));
  const StoredTensor whole("file", "a", "F32", {2, 3, 2}, bytes);
  const StoredTensor second = whole.entry("b", 1), row = second.slice("c", 2, 1);
  BOOST_TEST((second.shape() == TensorShape{3, 2}));
  BOOST_TEST((row.shape() == TensorShape{1, 2}));
  BOOST_TEST(row.name() == "c");
  std::vector<float> six(6), two(2);
  second.read(0, six);
  row.read(0, two);
  BOOST_TEST((six == std::vector<float>{6, 7, 8, 9, 10, 11}));
  BOOST_TEST((two == std::vector<float>{10, 11}));
}

BOOST_AUTO_TEST_CASE(non_finite_weight_is_rejected_with_its_index) {
  const std::string bytes = bytes_of(1.0F) + bytes_of(std::numeric_limits<float>::quiet_NaN());
  const StoredTensor tensor("file", "a", "F32", {2}, bytes);
  std::vector<float> one(1);
  tensor.read(0, one);
  BOOST_TEST(one[0] == 1);
  BOOST_CHECK_EXCEPTION(
      tensor.read(1, one), Error,
      test::says(Fault::user, "file: a: number 1 is NaN; the weights are damaged"));
}

BOOST_AUTO_TEST_CASE(bits_of_16_are_read_as_they_are_unless_they_are_no_number) {
  const auto read = [](const char* type, std::uint16_t last) {
    const std::string bytes = bytes_of(std::uint16_t{0x3C00}) + bytes_of(last);
    std::vector<std::uint16_t> bits(2);
    StoredTensor("file", "a", type, {2}, bytes).read_bits(0, bits);
    return bits;
  };
  BOOST_TEST((read("F16", 0xFBFF) == std::vector<std::uint16_t>{0x3C00, 0xFBFF}));
  BOOST_TEST((read("BF16", 0x7F7F) == std::vector<std::uint16_t>{0x3C00, 0x7F7F}));
  BOOST_TEST((read("BF16", 0x7C00) == std::vector<std::uint16_t>{0x3C00, 0x7C00}));
  for (const auto& [type, bits, words] : {std::tuple{"F16", 0x7C00, "number 1 is infinite"},
                                          std::tuple{"F16", 0xFC01, "number 1 is NaN"},
                                          std::tuple{"BF16", 0xFF80, "number 1 is infinite"},
                                          std::tuple{"BF16", 0x7F81, "number 1 is NaN"}}) {
    BOOST_CHECK_EXCEPTION((void)read(type, static_cast<std::uint16_t>(bits)), Error,
                          test::says(Fault::user, words));
  }
}

BOOST_AUTO_TEST_SUITE_END()
