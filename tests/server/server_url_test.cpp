// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/server_url.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(server_url_suite)

BOOST_AUTO_TEST_CASE(urls_become_hosts_ports_and_paths) {
  BOOST_TEST(
      (parse_server_url("http://127.0.0.1:8080") == ServerUrl{false, "127.0.0.1", 8080, ""}));
  BOOST_TEST((parse_server_url("http://gpu7/") == ServerUrl{false, "gpu7", 80, ""}));
  BOOST_TEST(
      (parse_server_url("https://gpu7/team/llm/") == ServerUrl{true, "gpu7", 443, "/team/llm"}));
  BOOST_TEST((parse_server_url("https://[::1]:9/a") == ServerUrl{true, "::1", 9, "/a"}));
  BOOST_TEST((parse_server_url("https://gpu7/v1x") == ServerUrl{true, "gpu7", 443, "/v1x"}));
  BOOST_TEST((parse_server_url("http://[::1]") == ServerUrl{false, "::1", 80, ""}));
}

BOOST_AUTO_TEST_CASE(the_v1_of_other_clients_is_left_out) {
  for (const std::string end : {"/v1", "/v1/", "/v1//", "//v1", ""}) {
    BOOST_TEST(parse_server_url("http://h:8080" + end).text() == "http://h:8080");
    BOOST_TEST(parse_server_url("https://h/team/llm" + end).text() == "https://h/team/llm");
  }
}

BOOST_AUTO_TEST_CASE(url_omits_only_the_default_port) {
  for (const std::string url :
       {"http://gpu7", "http://gpu7:8080/a", "https://[::1]:80", "https://h/p/q"}) {
    BOOST_TEST(parse_server_url(url).text() == url);
  }
  BOOST_TEST(parse_server_url("https://h:443/").text() == "https://h");
  BOOST_TEST(parse_server_url("http://[::1]:8080").authority() == "[::1]:8080");
}

BOOST_AUTO_TEST_CASE(secrets_are_refused_and_not_repeated) {
  for (const std::string url : {"http://me:hunter2@gpu7", "https://hunter2@gpu7/v1",
                                "http://gpu7/?key=hunter2", "http://gpu7/#hunter2"}) {
    BOOST_CHECK_EXCEPTION((void)parse_server_url(url), Error, [](const Error& error) {
      const std::string text = error.what();
      return error.fault() == Fault::user && text.find("hunter2") == text.npos &&
             text.find("PLUMB_API_KEY") != text.npos;
    });
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_url_is_refused) {
  for (const auto& [url, words] :
       {std::pair{"gpu7:8080", "neither http:// nor https://"},
        std::pair{"ftp://gpu7", "neither http:// nor https://"},
        std::pair{"http://", "has no host"}, std::pair{"http://:80", "has no host"},
        std::pair{"http://h:", "port is not a number"},
        std::pair{"http://h:0", "port is not a number"},
        std::pair{"http://h:70000", "port is not a number"},
        std::pair{"http://h:8a", "port is not a number"}, std::pair{"http://[::1", "has no ']'"},
        std::pair{"http://[::1]x", "is not valid"}, std::pair{"http://h/a b", "a space"},
        std::pair{"http://h\r\nX: y", "control character"}}) {
    BOOST_CHECK_EXCEPTION((void)parse_server_url(url), Error, says(Fault::user, words));
  }
}

BOOST_AUTO_TEST_SUITE_END()
