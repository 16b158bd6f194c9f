// SPDX-License-Identifier: Apache-2.0
#include "plumb/cli/probe_options.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/console_run.hpp"
#include "support/errors.hpp"

using namespace plumb;
using detail::ProbeArguments;
using test::says;

BOOST_AUTO_TEST_SUITE(probe_options)

namespace {

using Words = std::vector<std::string>;
using Indices = std::vector<std::size_t>;

/// Parses the words as those of `plumb go`.
ProbeArguments parse(Words words, bool all_templates = false) {
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  detail::ProbeOptions options;
  detail::options::options_description list;
  options.describe_common(list);
  options.describe_scoring(list, all_templates);
  const auto values = detail::parse_arguments(console, "plumb go [options]", list);
  return options.parse(values.value(), "plumb go");
}

/// With what is required.
ProbeArguments with(Words words, bool all_templates = false) {
  words.insert(words.begin(), {"--data", "d", "--model", "m", "--out", "o"});
  return parse(std::move(words), all_templates);
}

void refused(const Words& words, const std::string& message) {
  BOOST_CHECK_EXCEPTION((void)with(words), Error, says(Fault::user, words[0] + ": " + message));
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_not_given_has_its_default) {
  const ProbeArguments parsed = with({});
  BOOST_TEST(parsed.data == "d");
  BOOST_TEST(parsed.model.model == "m");
  BOOST_TEST(parsed.out == "o");
  BOOST_TEST(parsed.template_file.empty());
  BOOST_TEST(parsed.relations.empty());
  BOOST_TEST((parsed.templates == Indices{0}));
  BOOST_TEST(!parsed.injection.verbalized);
  BOOST_TEST(!parsed.injection.numerical);
  BOOST_TEST(parsed.limit == 0U);
  BOOST_TEST(parsed.bos);
  BOOST_TEST((parsed.scoring.reduction == Reduction::sum));
  BOOST_TEST((parsed.scoring.span == Span::statement));
  BOOST_TEST(parsed.model.exact);
  BOOST_TEST(parsed.model.threads >= 1);  // one for each core
  BOOST_TEST(parsed.seed == 0U);
  BOOST_TEST(!parsed.resume);
  BOOST_TEST(with({}, true).templates.empty());  // all of them
}

BOOST_AUTO_TEST_CASE(what_is_given_is_taken) {
  const ProbeArguments parsed =
      with({"--template-file", "t.json", "--relations", "P36,P30", "--templates", "2-3,0",
            "--limit",         "5",      "--bos",       "no",      "--reduction", "mean",
            "--span",          "answer", "--precision", "fast",    "--threads",   "1024",
            "--seed",          "9",      "--resume"});
  BOOST_TEST(parsed.template_file == "t.json");
  BOOST_TEST((parsed.relations == Words{"P36", "P30"}));
  BOOST_TEST((parsed.templates == Indices{0, 2, 3}));
  BOOST_TEST(parsed.limit == 5U);
  BOOST_TEST(!parsed.bos);
  BOOST_TEST((parsed.scoring.reduction == Reduction::mean));
  BOOST_TEST((parsed.scoring.span == Span::answer));
  BOOST_TEST(!parsed.model.exact);
  BOOST_TEST(parsed.model.threads == 1024);
  BOOST_TEST(parsed.seed == 9U);
  BOOST_TEST(parsed.resume);
  BOOST_TEST(with({"--templates", "all"}).templates.empty());
  BOOST_TEST((with({"--templates", "1"}, true).templates == Indices{1}));
}

BOOST_AUTO_TEST_CASE(kinds_of_markers_have_names) {
  for (const auto& [kind, verbalized, numerical] : {std::tuple{"none", false, false},
                                                    {"verbalized", true, false},
                                                    {"numerical", false, true},
                                                    {"all", true, true}}) {
    const Injection injection = with({"--templates", "all", "--inject", kind}).injection;
    BOOST_TEST(injection.verbalized == verbalized, kind);
    BOOST_TEST(injection.numerical == numerical, kind);
    BOOST_TEST(detail::name_of(Injection{verbalized, numerical}) == kind);
  }
}

BOOST_AUTO_TEST_CASE(what_is_required_is_named_when_it_is_missing) {
  const Words all{"--data", "d", "--model", "m", "--out", "o"};
  for (std::size_t left_out = 0; left_out < all.size(); left_out += 2) {
    Words words = all;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(left_out),
                words.begin() + static_cast<std::ptrdiff_t>(left_out) + 2);
    BOOST_CHECK_EXCEPTION((void)parse(words), Error,
                          says(Fault::user, all[left_out] + ": is required but missing; `plumb go "
                                                            "--help` tells more"));
  }
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused_by_name) {
  refused({"--threads", "1025"}, "is more than 1024; 0 takes one for each core");
  refused({"--templates", ""}, "names nothing; give it a value");
  refused({"--templates", "3-1"}, "'3-1' is not a range");
  refused({"--relations", "a,"}, "'a,' has an empty item");
  refused({"--precision", "half"}, "'half' is not a choice");
  refused({"--inject", "both"}, "'both' is not a choice; say none, verbalized, numerical or all");
  refused({"--inject", ""}, "names nothing; give it a value");
  refused({"--inject", "all"}, "adds templates, but --templates names some only; say --templates");
  BOOST_CHECK_EXCEPTION((void)with({"--inject", "all", "--templates", "0-9"}), Error,
                        says(Fault::user, "--inject: adds templates"));
}

BOOST_FIXTURE_TEST_CASE(the_dataset_is_cut_to_what_was_chosen, test::ConsoleFiles) {
  ProbeArguments arguments;
  arguments.data = folder / "data";
  BOOST_TEST(detail::chosen_dataset(arguments).relations.size() == 2U);
  arguments.relations = {"river"};
  arguments.limit = 1;
  const Dataset cut = detail::chosen_dataset(arguments);
  BOOST_TEST(cut.relations.size() == 1U);
  BOOST_TEST(cut.relations[0].facts.size() == 1U);
  BOOST_TEST((cut.relations[0].templates == test::small_dataset().relations[1].templates));
}

BOOST_FIXTURE_TEST_CASE(templates_are_replaced_and_then_marked, test::ConsoleFiles) {
  ProbeArguments arguments;
  arguments.data = folder / "data";
  arguments.relations = {"capital"};  // the file need not have the other
  arguments.template_file =
      folder.write("t.json", R"({"capital": ["The capital of [X] is {marker} [Y]."]})");
  const auto templates = [&] { return detail::chosen_dataset(arguments).relations[0].templates; };
  BOOST_TEST((templates() == Words{"The capital of [X] is [Y]."}));
  arguments.injection = {true, true};
  const Words marked = templates();
  BOOST_TEST(marked.size() == 1U + 2U + 5U);
  BOOST_TEST(marked[0] == "The capital of [X] is [Y].");
  BOOST_TEST(marked[1] == "The capital of [X] is possibly [Y].");
  BOOST_TEST(marked[4] == "I'm 25% confident the capital of [X] is [Y].");
  BOOST_TEST(detail::chosen_dataset(arguments).files.back() == arguments.template_file);
}

BOOST_AUTO_TEST_SUITE_END()
