// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/npy_file.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;
using test::slurp;

BOOST_AUTO_TEST_SUITE(npy_file)

namespace {

using Floats = std::vector<float>;

/// The values as little-endian single-precision numbers, on any machine.
std::string bytes_of(const Floats& values) {
  std::string bytes;
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (const int shift : {0, 8, 16, 24}) bytes += static_cast<char>(bits >> shift & 0xFF);
  }
  return bytes;
}

/// A file as written by numpy: version 1.0, a two-byte length, and a header padded with spaces.
std::string npy(const std::string& dictionary, const std::string& numbers) {
  std::string header = dictionary;
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + numbers;
}

std::string two_by_three(const std::string& type = "<f4", const std::string& order = "False",
                         const std::string& shape = "(2, 3)") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

const Floats six{1, -2.5F, 0, 1e-40F, std::numeric_limits<float>::max(), -0.0F};

struct Vectors : test::TemporaryFolder {
  std::filesystem::path file = *this / "entities.npy";
  std::filesystem::path part = *this / "entities.npy.part";

  /// Expects these bytes to be rejected with this message.
  void refuses(const std::string& bytes, const std::string& words) const {
    write("entities.npy", bytes);
    BOOST_CHECK_EXCEPTION(NpyFile{file}, Error, says(Fault::user, file.string() + ": " + words));
  }
  void check(const NpyFile& npy, Eigen::Index rows, Eigen::Index columns,
             const Floats& values) const {
    const VectorRows all = npy.rows();
    BOOST_REQUIRE(all.rows() == rows);
    BOOST_REQUIRE(all.cols() == columns);
    for (std::size_t i = 0; i < values.size(); ++i) {
      BOOST_TEST(std::bit_cast<std::uint32_t>(all.data()[i]) ==
                 std::bit_cast<std::uint32_t>(values[i]));
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_file_of_numpys_is_read, Vectors) {
  write("entities.npy", npy(two_by_three(), bytes_of(six)));
  NpyFile vectors(file);
  check(vectors, 2, 3, six);
  BOOST_TEST(vectors.rows()(0, 1) == -2.5F);
  BOOST_TEST(vectors.rows()(1, 1) == std::numeric_limits<float>::max());
  const float* const at = vectors.rows().data();
  const NpyFile moved(std::move(vectors));
  BOOST_TEST(moved.rows().data() == at);
  check(moved, 2, 3, six);
}

BOOST_FIXTURE_TEST_CASE(headers_may_be_of_any_version_and_length, Vectors) {
  const std::string numbers = bytes_of(six);
  for (const char version : {'\x02', '\x03'}) {
    std::string header = two_by_three();
    header.resize(65536 + 64 - 12, ' ');  // longer than a two-byte length can encode
    header.back() = '\n';
    std::string bytes = std::string("\x93NUMPY") + version + '\0';
    for (const int shift : {0, 8, 16, 24}) bytes += static_cast<char>(header.size() >> shift);
    write("entities.npy", bytes + header + numbers);
    check(NpyFile(file), 2, 3, six);
  }
  // numpy before 1.14 padded to 16 bytes. Other writers use a different order of keys and different
  // spacing.
  const std::string old = two_by_three() + std::string(80 - 10 - 1 - two_by_three().size(), ' ');
  write("entities.npy", std::string("\x93NUMPY\x01\x00\x46\x00", 10) + old + "\n" + numbers);
  check(NpyFile(file), 2, 3, six);
  write("entities.npy", npy("{'shape':(2, 3),'fortran_order':False,'descr':'<f4'}", numbers));
  check(NpyFile(file), 2, 3, six);
}

BOOST_FIXTURE_TEST_CASE(a_file_may_have_no_rows, Vectors) {
  write("entities.npy", npy(two_by_three("<f4", "False", "(0, 3)"), ""));
  check(NpyFile(file), 0, 3, {});
  refuses(npy(two_by_three("<f4", "False", "(3, 0)"), ""),
          "does not have two dimensions; save one");
}

BOOST_FIXTURE_TEST_CASE(other_numbers_and_orders_are_refused, Vectors) {
  const std::string words =
      "does not contain single-precision numbers in C order; save numpy.ascontiguousarray(vectors, "
      "dtype='<f4')";
  for (const char* type : {"<f8", ">f4", "<f2", "<i4", "<c8", "|u1"}) {
    refuses(npy(two_by_three(type), bytes_of(six)), words);
  }
  refuses(npy(two_by_three("<f4", "True"), bytes_of(six)), words);
  refuses(npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 3), }", ""), words);
  refuses(npy("{'descr': '<f4', 'shape': (2, 3), }", bytes_of(six)), words);
  refuses(npy("{'fortran_order': False, 'shape': (2, 3), }", bytes_of(six)), words);
}

BOOST_FIXTURE_TEST_CASE(other_shapes_are_refused, Vectors) {
  for (const char* shape : {"(6,)", "()", "6", "(2; 3)", ""}) {
    refuses(npy(two_by_three("<f4", "False", shape), bytes_of(six)),
            "does not have two dimensions; save one vector per row");
  }
  refuses(npy("{'descr': '<f4', 'fortran_order': False, }", bytes_of(six)),
          "does not have two dimensions; save one vector per row");
}

BOOST_FIXTURE_TEST_CASE(three_dimensions_are_refused, Vectors) {
  for (const char* shape : {"(2, 3, 1)", "(1, 2, 3)"}) {
    refuses(npy(two_by_three("<f4", "False", shape), bytes_of(six)),
            "does not have two dimensions; save one vector per row");
  }
}

BOOST_FIXTURE_TEST_CASE(a_shape_that_no_file_can_have_is_refused, Vectors) {
  refuses(npy(two_by_three("<f4", "False", "(4611686018427387904, 4)"), ""), "has ");
  refuses(npy(two_by_three("<f4", "False", "(4611686018427387910, 1)"), bytes_of(six)), "has ");
}

// -1 is read as the largest possible number.
BOOST_FIXTURE_TEST_CASE(a_row_of_as_many_numbers_as_no_row_has_is_refused, Vectors) {
  for (const char* shape : {"(0, -1)", "(0, 18446744073709551615)", "(0, 2305843009213693952)"}) {
    refuses(npy(two_by_three("<f4", "False", shape), ""), "does not have two dimensions; save one");
  }
}

// Numbers are read in place, so their bytes must start at a multiple of four.
BOOST_FIXTURE_TEST_CASE(numbers_that_begin_at_an_odd_place_are_refused, Vectors) {
  std::string bytes = npy(two_by_three(), bytes_of(six));
  bytes[8] = '\x77';
  bytes.insert(128, " ");
  refuses(bytes,
          "contains numbers that do not start at a multiple of four bytes; save the vectors with "
          "numpy.save");
}

BOOST_FIXTURE_TEST_CASE(a_file_of_another_kind_is_refused, Vectors) {
  const std::string words = "is not a .npy file; save the vectors with numpy.save";
  refuses("PK\x03\x04 an .npz of numpy's", words);
  refuses("02\t0.25\t0.5\n", words);
  refuses("x", words);
  refuses(" " + npy(two_by_three(), bytes_of(six)), words);
  refuses("", "is empty; create it again");
}

BOOST_FIXTURE_TEST_CASE(a_file_that_is_cut_off_anywhere_is_refused, Vectors) {
  const std::string whole = npy(two_by_three(), bytes_of(six));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    refuses(
        whole.substr(0, size),
        size < 12 ? "is not a .npy file; save the vectors with numpy.save"
        : size < 128
            ? "ends within its header; create it again"
            : "has " + std::to_string(size - 128) +
                  " bytes of numbers instead of 24; it is truncated or damaged; create it again");
  }
  refuses(whole + "x", "has 25 bytes of numbers instead of 24");
}

BOOST_FIXTURE_TEST_CASE(error_names_the_missing_file, Vectors) {
  BOOST_CHECK_EXCEPTION(
      NpyFile{file}, Error,
      says(Fault::user, file.string() + ": cannot be read; check that its folder exists, "
                                        "and check its permissions"));
}

// The expected bytes are what numpy.save writes for the same array.
BOOST_FIXTURE_TEST_CASE(what_is_written_is_what_numpy_would_write, Vectors) {
  NpyWriter writer(file, 2, 3);
  writer.put(1, Floats{six[3], six[4], six[5]});
  writer.put(0, Floats{six[0], six[1], six[2]});
  writer.finish();
  BOOST_TEST((slurp(file) == npy(two_by_three(), bytes_of(six))));
  BOOST_TEST(!std::filesystem::exists(part));
  check(NpyFile(file), 2, 3, six);
}

BOOST_AUTO_TEST_CASE(numbers_begin_at_a_multiple_of_64) {
  for (std::size_t rows = 1; rows < 1000000000000; rows *= 10) {
    for (const std::size_t columns : {1U, 64U, 2048U, 1000000U}) {
      const std::string header = npy_header(rows, columns);
      BOOST_TEST(header.size() % 64 == 0U);
      BOOST_TEST(header.back() == '\n');
      BOOST_TEST(static_cast<std::size_t>(header[8]) == header.size() - 10);
      BOOST_TEST(header[9] == '\0');
      const std::string shape =
          "'shape': (" + std::to_string(rows) + ", " + std::to_string(columns) + "), }";
      BOOST_TEST(header.find(shape) != std::string::npos);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(there_is_no_file_until_it_is_finished, Vectors) {
  write("entities.npy", "what stood there before");
  NpyWriter writer(file, 2, 3);
  writer.put(0, Floats{1, 2, 3});
  BOOST_TEST(slurp(file) == "what stood there before");
  BOOST_TEST(std::filesystem::exists(part));
  writer.put(1, Floats{4, 5, 6});
  writer.finish();
  check(NpyFile(file), 2, 3, {1, 2, 3, 4, 5, 6});
}

BOOST_FIXTURE_TEST_CASE(rows_that_were_put_stay_when_the_process_is_killed, Vectors) {
  const pid_t child = fork();
  if (child == 0) {
    NpyWriter writer(file, 3, 2);
    writer.put(2, Floats{5, 6});
    writer.put(0, Floats{1, 2});
    raise(SIGKILL);
  }
  int status = 0;
  BOOST_REQUIRE(waitpid(child, &status, 0) == child);
  BOOST_TEST(WIFSIGNALED(status));
  BOOST_TEST(!std::filesystem::exists(file));
  NpyWriter writer(file, 3, 2);
  writer.put(1, Floats{3, 4});
  writer.finish();
  check(NpyFile(file), 3, 2, {1, 2, 3, 4, 5, 6});
}

// A full disk can leave a file that exists but has no allocated space.
BOOST_FIXTURE_TEST_CASE(an_empty_part_is_not_gone_on_with, Vectors) {
  write("entities.npy.part", "");
  BOOST_TEST(!NpyWriter::is_unfinished(file, 3, 2));
  {
    NpyWriter writer(file, 3, 2);
    BOOST_TEST(!writer.is_resumed());
  }
  BOOST_TEST(NpyWriter::is_unfinished(file, 3, 2));
  BOOST_TEST(!NpyWriter::is_unfinished(file, 2, 3));
}

BOOST_FIXTURE_TEST_CASE(a_part_of_another_size_is_not_gone_on_with, Vectors) {
  for (const std::size_t before : {1U, 2U, 4U, 50U}) {
    {
      NpyWriter writer(file, before, 2);
      for (std::size_t row = 0; row < before; ++row) writer.put(row, Floats{7, 7});
    }
    NpyWriter writer(file, 3, 2);
    BOOST_TEST(!writer.is_resumed());
    writer.put(1, Floats{3, 4});
    BOOST_TEST(NpyWriter(file, 3, 2).is_resumed());
    writer.finish();
    check(NpyFile(file), 3, 2, {0, 0, 3, 4, 0, 0});
  }
}

BOOST_FIXTURE_TEST_CASE(a_part_of_another_shape_is_not_gone_on_with, Vectors) {
  {
    NpyWriter writer(file, 2, 6);
    writer.put(0, Floats(6, 7.0F));
    writer.put(1, Floats(6, 7.0F));
  }
  NpyWriter writer(file, 3, 4);
  writer.put(1, Floats{1, 2, 3, 4});
  writer.finish();
  check(NpyFile(file), 3, 4, {0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0});
}

BOOST_FIXTURE_TEST_CASE(rows_that_others_have_written_are_taken, Vectors) {
  const auto theirs = [&](const std::string& name, std::size_t rows) {
    return NpyWriter(*this / name, rows, 2);
  };
  NpyWriter first = theirs("first.npy", 3), second = theirs("second.npy", 3);
  first.put(2, Floats{-1, 0.1F});
  second.put(0, Floats{5, -6});
  NpyWriter other = theirs("other.npy", 2);
  NpyWriter writer(file, 3, 2);
  writer.put(1, Floats{3, 4});
  writer.take_rows(*this / "second.npy.part");
  writer.take_rows(*this / "first.npy.part");
  BOOST_CHECK_EXCEPTION(
      writer.take_rows(*this / "other.npy.part"), Error,
      says(Fault::user,
           "other.npy.part: contains vectors of a different shape; it is not a shard"));
  writer.finish();
  check(NpyFile(file), 3, 2, {5, -6, 3, 4, -1, 0.1F});
}

BOOST_FIXTURE_TEST_CASE(a_file_may_be_written_without_rows, Vectors) {
  NpyWriter(file, 0, 3).finish();
  check(NpyFile(file), 0, 3, {});
}

BOOST_FIXTURE_TEST_CASE(error_names_the_file_that_cannot_be_created, Vectors) {
  const auto absent = *this / "absent/entities.npy";
  BOOST_CHECK_EXCEPTION(
      NpyWriter(absent, 2, 3), Error,
      says(Fault::user, absent.string() + ".part: cannot be created; check that its folder "
                                          "exists, and check its permissions"));
  // 2⁶³ bytes plus a header exceed the maximum size of a file.
  BOOST_CHECK_EXCEPTION(
      NpyWriter(file, std::size_t{1} << 61, 1), Error,
      says(Fault::internal,
           part.string() + ": needs 9223372036854775936 bytes that could not be allocated; check "
                           "the free disk space"));
}

BOOST_FIXTURE_TEST_CASE(identifiers_are_read_from_the_file_next_to_the_vectors, Vectors) {
  const auto ids = [&](const char* text, std::size_t rows) {
    write("entities.txt", text);
    return read_identifiers(file, rows);
  };
  const std::vector<std::string> expected{"02", "Łódź ", "a\tb"};
  BOOST_TEST(ids("02\nŁódź \na\tb\n", 3) == expected, boost::test_tools::per_element());
  BOOST_TEST(ids("02\r\nŁódź \r\na\tb", 3) == expected, boost::test_tools::per_element());
  BOOST_TEST(ids("", 0).empty());
}

BOOST_FIXTURE_TEST_CASE(identifiers_are_as_many_as_rows_and_all_different, Vectors) {
  const std::string at = (*this / "entities.txt").string();
  const auto refused = [&](const char* text, const std::string& words) {
    write("entities.txt", text);
    BOOST_CHECK_EXCEPTION((void)read_identifiers(file, 3), Error, says(Fault::user, at + words));
  };
  refused("a\nb\n", ": 2 identifiers for 3 vectors; write one per row");
  refused("a\nb\nc\nd\n", ": 4 identifiers for 3 vectors; write one per row");
  refused("", ": 0 identifiers for 3 vectors; write one per row");
  refused("a\n\nc\n", ":2: is empty; write an identifier");
  refused("a\nb\nc\n\n", ":4: is empty; write an identifier");
  refused("a\r\n\r\nc\r\n", ":2: is empty; write an identifier");
  refused("a\nb\na\n", ":3: 'a' is duplicated; give each row its own");
}

BOOST_FIXTURE_TEST_CASE(error_names_the_missing_identifier_file, Vectors) {
  BOOST_CHECK_EXCEPTION(
      (void)read_identifiers(file, 3), Error,
      says(Fault::user, (*this / "entities.txt").string() +
                            ": cannot be read; write the identifiers of the vectors' rows there, "
                            "one per line"));
}

BOOST_AUTO_TEST_SUITE_END()
