// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/kernels.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(kernels_of_a_program)

namespace {

RowKernels table_of(const char* width, unsigned needs) {
  RowKernels made{};
  made.width = width;
  made.needs = needs;
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_widest_that_the_machine_has_is_chosen) {
  const RowKernels narrow = table_of("v2", 0), other = table_of("v3", 0);
  const std::vector<const RowKernels*> held{&narrow, &other};
  // the first of several equal candidates
  BOOST_TEST(&choose_kernels<RowKernels>(held, "") == &narrow);
  BOOST_TEST(&choose_kernels<RowKernels>(held, "v3") == &other);
  BOOST_CHECK_EXCEPTION(
      (void)choose_kernels<RowKernels>(held, "v4"), Error,
      says(Fault::user,
           "PLUMB_VECTOR: 'v4' is not one of this program's vector widths: v2, v3; unset it"));
  BOOST_CHECK_EXCEPTION(
      (void)choose_kernels<RowKernels>({}, ""), Error,
      says(Fault::user, "this processor supports none of the program's vector widths"));
  std::vector<unsigned> needs;
  for (const RowKernels* set : held_kernels<RowKernels>()) {
    if (machine_has(set->needs)) needs.push_back(set->needs);
  }
  BOOST_TEST(choose_kernels(held_kernels<RowKernels>(), "").needs ==
             *std::max_element(needs.begin(), needs.end()));
}

#if defined(__x86_64__)
BOOST_AUTO_TEST_CASE(kernels_unsupported_by_the_machine_are_not_run) {
  BOOST_TEST(machine_has(0));
  const unsigned all =
      static_cast<unsigned>(VectorNeeds::avx2) | static_cast<unsigned>(VectorNeeds::avx_vnni) |
      static_cast<unsigned>(VectorNeeds::avx512) | static_cast<unsigned>(VectorNeeds::vnni) |
      static_cast<unsigned>(VectorNeeds::bf16);
  // Only some processors have all these features.
  const RowKernels plain = table_of("v2", 0), wide = table_of("v9", all);
  const std::vector<const RowKernels*> held{&wide, &plain};
  BOOST_TEST(&choose_kernels<RowKernels>(held, "") == (machine_has(all) ? &wide : &plain));
  if (!machine_has(all)) {
    BOOST_CHECK_EXCEPTION((void)choose_kernels<RowKernels>(held, "v9"), Error,
                          says(Fault::user, "PLUMB_VECTOR: this processor does not support v9"));
  }
}
#endif

BOOST_AUTO_TEST_SUITE_END()
