// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/manual.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/cli/command_line.hpp"
#include "support/console_run.hpp"

using namespace plumb::detail;
using namespace plumb::detail::test;
using plumb::detail::CommandManual;

BOOST_AUTO_TEST_SUITE(manual_suite)

namespace {

std::vector<CommandManual> little() {
  return {{"probe",
           "closed-set probe",
           {{"plumb probe --data DIR",
             {{"data", "DIR", "", "a dataset's folder; see [1]"},
              {"bos", "yes|no", "yes", "start with BOS"},
              {"limit", "N", "0", "first N facts"},
              {"resume", "", "", "go on"}}}}},
          {"completion", "bash|zsh: what a shell completes", {}}};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(commands_are_read_from_the_usage) {
  const auto all =
      commands_of("plumb asks.\n\n  plumb probe   closed set\n  plumb many-shot a: b\n\nend\n");
  BOOST_REQUIRE(all.size() == 2U);
  BOOST_TEST(all[0].name == "probe");
  BOOST_TEST(all[0].summary == "closed set");
  BOOST_TEST(all[1].name == "many-shot");
  BOOST_TEST(all[1].summary == "a: b");
}

BOOST_AUTO_TEST_CASE(a_value_is_one_of_words_or_a_file_or_anything) {
  using Words = std::vector<std::string>;
  BOOST_TEST(kind_of_value("exact|fast").words == (Words{"exact", "fast"}));
  BOOST_TEST(!kind_of_value("exact|fast").is_file);
  BOOST_TEST(kind_of_value("DIR").is_file);
  BOOST_TEST(kind_of_value("N").words.empty());
  BOOST_TEST(!kind_of_value("A,B").is_file);
}

BOOST_AUTO_TEST_CASE(a_man_page_has_each_option_with_its_value_and_default) {
  const std::string page = man_page(little(), "1.2.3");
  BOOST_TEST(has(page, "\"plumb 1.2.3\""));
  BOOST_TEST(has(page, ".TP\n.B plumb probe\nclosed\\-set probe\n"));
  BOOST_TEST(has(page, ".TP\n.B \\-\\-bos\n.I yes|no\n.br\nstart with BOS (default: yes)\n"));
  BOOST_TEST(has(page, ".TP\n.B \\-\\-resume\ngo on\n"));
  BOOST_TEST(has(page, "a dataset\\(aqs folder"));
}

BOOST_AUTO_TEST_CASE(shells_complete_commands_options_and_words) {
  const std::string bash = bash_completion(little());
  BOOST_TEST(has(bash, "compgen -W 'probe completion' -- "));
  BOOST_TEST(has(bash, "probe) words='--data --bos --limit --resume' ;;"));
  BOOST_TEST(has(bash, "'probe --bos') COMPREPLY=($(compgen -W 'yes no' -- "));
  BOOST_TEST(has(bash, "    'probe --limit') return ;;\n"));
  BOOST_TEST(has(bash, "'probe --data') COMPREPLY=($(compgen -f -- "));
  BOOST_TEST(!has(bash, "'probe --resume')"));  // takes no value
  const std::string zsh = zsh_completion(little());
  BOOST_TEST(zsh.starts_with("#compdef plumb\n"));
  BOOST_TEST(has(zsh, "'--data[a dataset’s folder; see \\[1\\]]:DIR:_files'"));
  BOOST_TEST(has(zsh, "'--bos[start with BOS]:yes|no:(yes no)'"));
  BOOST_TEST(has(zsh, "'completion:bash|zsh\\: what a shell completes'"));
}

// Every declared setting appears in the manual and in both completion scripts.
BOOST_AUTO_TEST_CASE(manual_and_completions_list_every_option) {
  const auto never = [](const ModelOptions&) -> NgramModel { throw std::logic_error("no model"); };
  const auto said = [&](const std::string& command, const std::vector<std::string>& words = {}) {
    std::vector<std::string> all{command};
    all.insert(all.end(), words.begin(), words.end());
    const ConsoleRun run = run_words(all, never);
    BOOST_TEST(run.code == 0, run);
    return run.out;
  };
  const std::string page = said("manual"), bash = said("completion", {"bash"}),
                    zsh = said("completion", {"zsh"});
  for (const char* name :
       {"probe", "many-shot", "rank", "generate", "calibrate", "compare", "report"}) {
    const std::string help = said(name, {"--help", "all"});
    std::size_t options = 0;
    for (std::size_t at = help.find("\n  --"); at != help.npos; at = help.find("\n  --", at + 1)) {
      const std::string option = help.substr(at + 3, help.find_first_of(" \n", at + 3) - at - 3);
      BOOST_TEST(has(bash, option), name << " " << option);
      BOOST_TEST(has(zsh, option + "["), name << " " << option);
      ++options;
    }
    BOOST_TEST(options > 1U, name);
    BOOST_TEST(
        has(page, name[0] == 'm' ? ".SH PLUMB many\\-shot" : ".SH PLUMB " + std::string(name)));
  }
  BOOST_TEST(has(page, ".B \\-\\-ids"));     // of `plumb data prompts`
  BOOST_TEST(has(page, ".B \\-\\-within"));  // of `plumb data overlap`
  BOOST_TEST(has(bash, "check describe convert prompts overlap"));
  BOOST_TEST(has(zsh, "check describe convert prompts overlap"));
  BOOST_TEST(run_words({"completion", "fish"}, never).refused("'fish' is not a valid choice"));
}

BOOST_AUTO_TEST_SUITE_END()
