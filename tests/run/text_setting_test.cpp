// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/text_setting.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(text_setting)

namespace {

TextSetting read(const std::string& word) {
  TextSetting made;
  made.read(word, "prefix");
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_text_is_itself) {
  for (const std::string text : {"Fact: ", "one", "a\nb\n", "é / ö.txt and more", ""}) {
    BOOST_TEST(read(text).text == text);
    BOOST_TEST(read(text).word() == text);
  }
  BOOST_TEST(read("Fact: ").json() == "Fact: ");
  BOOST_TEST(read("").json().is_null());
}

BOOST_AUTO_TEST_CASE(a_file_is_read_as_it_is) {
  const test::TemporaryFolder folder;
  folder.write("shown.txt", "Answer.\r\n\n");
  const std::string path = (folder / "shown.txt").string();
  const TextSetting made = read(path);
  BOOST_TEST(made.text == "Answer.\r\n\n");
  BOOST_TEST(made.json() == "Answer.\r\n\n");
  BOOST_TEST(made.word() == path);
  BOOST_TEST(made.with_paths([](const std::string& file) { return "whole " + file; }) ==
             "whole " + path);
  BOOST_TEST(read("text:" + path).text == path);
  BOOST_TEST(read("text:" + path).word() == "text:" + path);
  BOOST_TEST(read("no file").with_paths([](const std::string&) { return "path"; }) == "no file");
}

BOOST_AUTO_TEST_CASE(what_looks_like_a_file_and_is_none_is_refused) {
  for (const std::string word : {"prompts/shown", "lost.txt", "lost.md"}) {
    BOOST_CHECK_EXCEPTION(read(word), Error,
                          says(Fault::user, "`prefix`: there is no file '" + word + "'"));
    BOOST_TEST(read("text:" + word).text == word);
  }
  const test::TemporaryFolder folder;
  folder.write("bytes.txt", "\xff\xfe");
  BOOST_CHECK_EXCEPTION(read((folder / "bytes.txt").string()), Error,
                        says(Fault::user, "bytes.txt: is not UTF-8"));
}

BOOST_AUTO_TEST_CASE(an_empty_text_is_another_thing_than_none) {
  GivenText none, empty;
  empty.read("", "neutral");
  BOOST_TEST(none.json().is_null());
  BOOST_TEST(empty.json() == "");
  BOOST_TEST(!(none == empty));
}

BOOST_AUTO_TEST_SUITE_END()
