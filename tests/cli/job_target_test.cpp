// SPDX-License-Identifier: Apache-2.0
#include "plumb/cli/job_target.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/option_errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using detail::JobTarget;
using test::shows;

BOOST_AUTO_TEST_SUITE(job_target)

namespace {

struct Target : JobTarget {
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visit_out(self, visitor);
    visit_model(self, visitor);
  }
};

Target parse(std::vector<std::string> words) {
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  detail::options::options_description list;
  Target target;
  detail::describe_settings(list, target);
  detail::read_settings(detail::parse_arguments(console, "plumb go", list).value(), target);
  return target;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_is_asked_exactly_on_all_cores_unless_said_otherwise) {
  const Target plain = parse({"--model", "m", "--out", "o"});
  BOOST_TEST(plain.out == "o");
  BOOST_TEST(!plain.resume);
  BOOST_TEST(!plain.dry_run);
  BOOST_TEST(parse({"--dry-run"}).dry_run);
  const ModelOptions options = plain.model_options(SpecialTokenReading::refuse);
  BOOST_TEST(options.model == "m");
  BOOST_TEST(options.exact);
  BOOST_TEST(options.threads >= 1);
  BOOST_TEST(!options.parse_special_tokens);
  const Target other = parse({"--precision", "fast", "--threads", "1024", "--resume"});
  BOOST_TEST(other.resume);
  BOOST_TEST(!other.model_options({}).exact);
  BOOST_TEST(other.model_options({}).threads == 1024);
  BOOST_TEST(other.model_options(SpecialTokenReading::parse).parse_special_tokens);
  BOOST_TEST(!other.model_options(SpecialTokenReading::text).parse_special_tokens);
  BOOST_CHECK_EXCEPTION((void)parse({"--threads", "1025"}), Error,
                        shows(Fault::user, "--threads: is more than 1024; 0 takes one"));
  BOOST_CHECK_EXCEPTION(
      (void)parse({"--precision", "half"}), Error,
      shows(Fault::user, "--precision: 'half' is not a choice; say exact or fast"));
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_named) {
  BOOST_CHECK_NO_THROW(detail::require("d", "--data", "plumb go"));
  BOOST_CHECK_EXCEPTION(
      detail::require("", "--data", "plumb go"), Error,
      shows(Fault::user, "--data: is required but missing; `plumb go --help` tells more"));
}

BOOST_AUTO_TEST_CASE(provenance_hashes_files_and_knows_models_that_are_none) {
  const test::TemporaryFolder folder;
  Target target;
  target.model = folder.write("dir/m.gguf", "weights");
  target.precision = detail::Precision::fast;
  const Provenance from = target.provenance({"llama", "F32"});
  BOOST_TEST(from.model == "m.gguf");  // wherever it lies
  BOOST_TEST(from.model_sha256 == hash_file(target.model));
  BOOST_TEST(from.description.backend == "llama");
  BOOST_TEST(!from.exact);
  BOOST_TEST(from.hash_of(target.model) == hash_file(target.model));
  BOOST_TEST(from.hash_files({target.model}) == hash_files({target.model}));
  target.model = folder / "no file";
  BOOST_TEST(target.provenance({}).model_sha256.is_null());
}

BOOST_AUTO_TEST_CASE(facts_of_the_run_are_its_words_and_paths) {
  std::ostringstream out, err;
  Console console{{"--data", "d"}, out, err};
  JobTarget target;
  target.out = "o";
  target.model = "m";
  target.threads = 3;
  target.resume = true;
  const JobFolder folder = detail::job_folder(console, "go", target, "d");
  BOOST_TEST(folder.out.path() == "o");
  BOOST_TEST(folder.resume);
  BOOST_TEST((folder.facts.at("command_line") == Json{"plumb", "go", "--data", "d"}));
  BOOST_TEST(folder.facts.at("working_directory") == std::filesystem::current_path().string());
  BOOST_TEST(folder.facts.at("model_path") == std::filesystem::absolute("m").string());
  BOOST_TEST(folder.facts.at("dataset_path") == std::filesystem::absolute("d").string());
  BOOST_TEST(folder.facts.at("threads") == 3);
}

BOOST_AUTO_TEST_CASE(each_thing_that_is_counted_has_a_bar_of_its_own) {
  std::ostringstream out, err;
  Console console{{}, out, err};
  const ProgressCallback show = detail::progress_bars(console);
  show({"queries", 2, 2, 2, ""});
  show({"entities", 0, 0, 5, ""});
  show({"entities", 5, 5, 5, "P36"});
  const std::string said = err.str();
  BOOST_TEST(said.find("100% 2/2 queries") != std::string::npos);
  BOOST_TEST(said.find("0% 0/5 entities") != std::string::npos);
  BOOST_TEST(said.find("100% 5/5 entities") != std::string::npos);
  BOOST_TEST(said.find("P36\n") != std::string::npos);
  BOOST_TEST(out.str().empty());
}

BOOST_AUTO_TEST_CASE(the_cost_in_words_says_what_sharing_saved) {
  const RunSummary summary{{10, 400, 90, 160}, 0, 0};
  BOOST_TEST(detail::cost_in_words(summary) ==
             "10 statements, 160 tokens fed (2.50 times fewer than one by one)\n");
  // A scorer that feeds no tokens divides by nothing.
  BOOST_TEST(detail::cost_in_words({}).starts_with("0 statements, 0 tokens fed (0.00 "));
}

BOOST_AUTO_TEST_SUITE_END()
