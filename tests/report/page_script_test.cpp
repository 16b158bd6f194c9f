// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/page_script.hpp"

#include <boost/test/unit_test.hpp>
#include <string_view>

using namespace plumb::detail;

// tests/system/test_page.py tests the script in a browser.
BOOST_AUTO_TEST_CASE(the_script_of_a_page_fetches_nothing_and_ends_where_it_should) {
  for (const char* part : {"</script", "<!--", "http", "fetch(", "import(", "eval("}) {
    BOOST_TEST((page_script.find(part) == std::string_view::npos), part);
  }
}
