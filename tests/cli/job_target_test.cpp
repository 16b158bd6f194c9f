// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/job_target.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/cli/job_console.hpp"
#include "support/option_errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using plumb::detail::JobTarget;
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
  options::options_description list;
  Target target;
  describe_settings(list, target, console);
  read_settings(parse_arguments(console, "plumb go", list).value(), console, target);
  return target;
}

/// Parses the same arguments with PLUMB_MODEL and PLUMB_THREADS set.
Target parse_with(const std::string& model, const std::string& threads,
                  std::vector<std::string> words = {}) {
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  console.environment = [&](const char* name) {
    return std::string(name) == "PLUMB_MODEL"     ? model
           : std::string(name) == "PLUMB_THREADS" ? threads
                                                  : "another";
  };
  Target target;
  target.find_model(parse_settings(console, "plumb go", target).value(), console);
  return target;
}

}  // namespace

BOOST_AUTO_TEST_CASE(precision_is_exact_and_all_cores_are_used_by_default) {
  const Target plain = parse({"--model", "m", "--out", "o"});
  BOOST_TEST(plain.out == "o");
  BOOST_TEST(!plain.resume);
  BOOST_TEST(!plain.dry_run);
  BOOST_TEST(parse({"--dry-run"}).dry_run);
  const ModelOptions options = plain.model_options(SpecialTokenReading::refuse);
  BOOST_TEST(options.model == "m");
  BOOST_TEST((options.precision == Precision::exact));
  BOOST_TEST(options.threads >= 1);
  BOOST_TEST(!options.parse_special_tokens);
  const Target other = parse({"--precision", "fast", "--threads", "1024", "--resume"});
  BOOST_TEST(other.resume);
  BOOST_TEST((other.model_options({}).precision == Precision::fast));
  BOOST_TEST(other.model_options({}).threads == 1024);
  BOOST_TEST(other.model_options(SpecialTokenReading::parse).parse_special_tokens);
  BOOST_TEST(!other.model_options(SpecialTokenReading::text).parse_special_tokens);
  BOOST_CHECK_EXCEPTION((void)parse({"--threads", "1025"}), Error,
                        shows(Fault::user, "--threads: 1025 is more than 1024; use 0 for one"));
  BOOST_CHECK_EXCEPTION(
      (void)parse({"--precision", "half"}), Error,
      shows(Fault::user, "--precision: 'half' is not a valid choice; use exact, fast or bf16"));
}

BOOST_AUTO_TEST_CASE(engine_options_are_passed_to_the_engine) {
  BOOST_TEST(parse({}).model_options({}).engine.first_chosen() == "");
  const Target target = parse({"--gpu-layers", "7", "--main-gpu", "1", "--split-mode", "row",
                               "--tensor-split", "3,1", "--lora", "a.gguf:0.5", "--cache-type",
                               "q8_0", "--precision", "fast", "--pack", "64"});
  const EngineOptions engine = target.model_options({}).engine;
  BOOST_TEST(*engine.gpu_layers == 7U);
  BOOST_TEST(*engine.main_gpu == 1U);
  BOOST_TEST((*engine.split_mode == SplitMode::row));
  BOOST_TEST((engine.tensor_split == std::vector<float>{3, 1}));
  BOOST_TEST((engine.lora == std::vector<LoraAdapter>{{"a.gguf", 0.5}}));
  BOOST_TEST((*engine.cache_type == CacheType::q8_0));
  BOOST_TEST(engine.pack == 64U);
  const auto refused = [](const std::vector<std::string>& words, const std::string& message) {
    BOOST_CHECK_EXCEPTION((void)parse(words), Error, shows(Fault::user, message));
  };
  refused({"--cache-type", "f16"}, "--cache-type: has no effect with --precision exact");
  refused({"--cache-type", "f32", "--precision", "fast"},
          "--cache-type: has no effect with --precision fast");
  refused({"--gpu-layers", "0", "--main-gpu", "0"}, "--main-gpu: has no effect with --gpu-layers");
  refused({"--gpu-layers", "all"}, "--gpu-layers: 'all' is not a non-negative whole number");
  refused({"--split-mode", "rows"},
          "--split-mode: 'rows' is not a valid choice; use none, layer or row");
  refused({"--pack", "8193"}, "--pack: 8193 is more than 8192");
}

BOOST_AUTO_TEST_CASE(adapters_have_their_names_and_hashes_in_results) {
  const test::TemporaryFolder folder;
  Target target;
  target.model = folder.write("m.gguf", "weights");
  BOOST_TEST(target.provenance({}).lora.is_null());
  BOOST_TEST(target.provenance({}).lora_sha256.is_null());
  target.engine.lora.adapters = {{folder.write("a.gguf", "change"), 1}, {folder / "none.gguf", 2}};
  const Provenance from = target.provenance({});
  BOOST_TEST(from.model == "m.gguf+a.gguf+none.gguf:2");
  BOOST_TEST((from.lora == Json{"a.gguf", "none.gguf:2"}));
  BOOST_TEST((from.lora_sha256 == Json{hash_file(folder / "a.gguf"), nullptr}));
}

BOOST_AUTO_TEST_CASE(variables_name_model_and_threads_that_are_not_given) {
  const Target both = parse_with("m.gguf", "3");
  BOOST_TEST(both.model == "m.gguf");
  BOOST_TEST(both.threads == 3U);
  const Target given = parse_with("m.gguf", "3", {"--model", "o", "--threads", "2"});
  BOOST_TEST(given.model == "o");
  BOOST_TEST(given.threads == 2U);
  BOOST_TEST(parse_with("", "").model.empty());
  BOOST_CHECK_EXCEPTION(
      (void)parse_with("", "two"), Error,
      shows(Fault::user, "PLUMB_THREADS`: 'two' is not a non-negative whole number"));
  BOOST_CHECK_EXCEPTION((void)parse_with("", "1025"), Error,
                        shows(Fault::user, "PLUMB_THREADS`: 1025 is more than 1024"));
  BOOST_CHECK_EXCEPTION((void)parse_with("m\xE9", ""), Error,
                        shows(Fault::user, "PLUMB_MODEL`: is not UTF-8"));
  // An error about a model states where the model's name came from.
  const auto refuse = [&]() -> int {
    throw user_error({.file = "m.gguf"}, "is no model", "fix it");
  };
  BOOST_CHECK_EXCEPTION((void)both.asking_model(refuse), Error,
                        shows(Fault::user, "PLUMB_MODEL: m.gguf: is no model; fix it"));
  BOOST_CHECK_EXCEPTION((void)given.asking_model(refuse), Error, [](const Error& error) {
    return error.what() == std::string("m.gguf: is no model; fix it");
  });
}

BOOST_AUTO_TEST_CASE(a_model_is_hashed_once_from_the_start) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("m.gguf", "abc").string();
  const Target target = parse_with("", "", {"--model", file});
  // FIPS 180-4's example
  const std::string of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  BOOST_REQUIRE((target.hash != nullptr));
  BOOST_TEST(target.hash->get() == of_abc);
  folder.write("m.gguf", "abcd");
  BOOST_TEST(target.model_hash() == of_abc);
  Target other = target;
  other.model = folder.write("other.gguf", "");
  BOOST_TEST(other.model_hash() ==
             "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  BOOST_TEST((parse_with("", "", {"--model", folder.path().string()}).hash != nullptr));
  BOOST_TEST(!parse_with("", "", {"--model", file, "--dry-run"}).hash);
  BOOST_TEST(!parse_with("", "", {"--model", "/dev/null"}).hash);
  BOOST_TEST(!parse_with("", "", {"--server", "http://h"}).hash);
  BOOST_TEST(parse_with("", "", {"--model", "/absent"}).model_hash().is_null());
}

BOOST_AUTO_TEST_CASE(a_server_stands_in_place_of_a_model) {
  const std::vector<std::string> words{"--server", "http://h:1",  "--concurrency",
                                       "3",        "--tokenizer", "t"};
  const Target target = parse_with("m.gguf", "", words);
  BOOST_TEST(target.model.empty());  // the model in the variable is not used
  BOOST_TEST(!target.model_of_variable);
  BOOST_TEST(target.word() == "http://h:1");
  const ModelOptions options = target.model_options(SpecialTokenReading::refuse);
  BOOST_TEST(options.server == "http://h:1");
  BOOST_TEST(*options.concurrency == 3U);
  BOOST_TEST(options.tokenizer == "t");
  BOOST_TEST(!parse({}).concurrency.has_value());
  BOOST_CHECK_NO_THROW(require_model(target, "plumb go"));
  BOOST_CHECK_EXCEPTION(require_model(parse({}), "plumb go"), Error,
                        shows(Fault::user, "--model: is required but missing"));
  BOOST_CHECK_EXCEPTION(
      (void)parse_with("", "", {"--server", "http://h", "--model", "m"}), Error,
      shows(Fault::user, "--server: conflicts with --model; use only one of them"));
  BOOST_CHECK_EXCEPTION((void)parse({"--concurrency", "3"}), Error,
                        shows(Fault::user, "--concurrency: has no effect without a --server"));
  BOOST_CHECK_EXCEPTION((void)parse({"--tokenizer", "t"}), Error,
                        shows(Fault::user, "--tokenizer: has no effect without a --server"));
  BOOST_CHECK_EXCEPTION((void)parse({"--server", "http://h", "--precision", "exact"}), Error,
                        shows(Fault::user, "--precision: has no effect with a --server"));
  BOOST_CHECK_EXCEPTION((void)parse({"--server", "http://h", "--concurrency", "0"}), Error,
                        shows(Fault::user, "--concurrency: 0 is not between 1 and 1024"));
  ModelDescription description{"server", "F32"};
  description.name = "of the server";
  const Provenance from = target.provenance(description);
  BOOST_TEST(from.model == "of the server");
  BOOST_TEST(from.model_sha256.is_null());
}

namespace {

/// A model that counts its evaluations.
struct Telling : NgramLookupModel {
  Telling() : NgramLookupModel("abab") {}
  [[nodiscard]] Json facts() const { return {{"server", {{"requests", *requests}}}}; }
  std::shared_ptr<int> requests = std::make_shared<int>(1);
};

}  // namespace

BOOST_AUTO_TEST_CASE(run_json_includes_model_facts_from_the_end_of_the_job) {
  std::ostringstream out, err;
  Console console{{}, out, err};
  Target target;
  target.server = "http://h";
  std::shared_ptr<int> requests;
  const AnyModel model = target.make(ModelMaker([&](const ModelOptions&) {
                                       Telling made;
                                       requests = made.requests;
                                       return made;
                                     }),
                                     SpecialTokenReading::refuse);
  const JobFolder job = job_folder(console, "go", target, "d");
  BOOST_TEST(job.facts.at("model_path").is_null());
  *requests = 7;
  BOOST_TEST(job.facts_at_end().at("server").at("requests") == 7);
  Target silent;
  silent.model = "m";
  BOOST_TEST(job_folder(console, "go", silent, "d").facts_at_end().empty());
}

BOOST_AUTO_TEST_CASE(missing_required_option_is_named) {
  BOOST_CHECK_NO_THROW(require("d", "--data", "plumb go"));
  BOOST_CHECK_EXCEPTION(
      require("", "--data", "plumb go"), Error,
      shows(Fault::user, "--data: is required but missing; `plumb go --help` lists the options"));
}

BOOST_AUTO_TEST_CASE(provenance_hashes_files_and_knows_models_that_are_none) {
  const test::TemporaryFolder folder;
  Target target;
  target.model = folder.write("dir/m.gguf", "weights");
  target.precision = Precision::fast;
  const Provenance from = target.provenance({"llama", "F32"});
  BOOST_TEST(from.model == "m.gguf");  // wherever it is
  BOOST_TEST(from.model_sha256 == hash_file(target.model));
  BOOST_TEST(from.description.backend == "llama");
  BOOST_TEST((from.precision == std::optional(Precision::fast)));
  BOOST_TEST(from.hash_of(target.model) == hash_file(target.model));
  BOOST_TEST(from.hash_files({target.model}) == hash_files({target.model}));
  BOOST_TEST(from.tokenizer_sha256.is_null());
  target.model = folder / "no file";
  BOOST_TEST(target.provenance({}).model_sha256.is_null());
  // All parts of a model are hashed, and so is a server's tokenizer file.
  target.model = folder.write("dir/p-00001-of-00002.gguf", "one");
  folder.write("dir/p-00002-of-00002.gguf", "two");
  const Json both = target.provenance({}).model_sha256;
  folder.write("dir/p-00002-of-00002.gguf", "three");
  BOOST_TEST(target.provenance({}).model_sha256 != both);
  target.tokenizer = folder.write("tokenizer/tokenizer.json", "{}").parent_path();
  BOOST_TEST(target.provenance({}).tokenizer_sha256 == hash_path(target.tokenizer));
}

BOOST_AUTO_TEST_CASE(a_model_of_the_cache_has_its_path_and_the_name_that_was_given) {
  const test::TemporaryFolder folder;
  folder.write("models/o/bert/config.json", "{}");
  folder.write("models/o/quant/q.gguf", "weights");
  std::ostringstream out, err;
  const auto found = [&](const std::string& word, bool by_variable = false) {
    Console console{{}, out, err};
    if (!by_variable) console.arguments = {"--model", word};
    console.environment = [&](const char* name) {
      return std::string(name) == "PLUMB_CACHE"                  ? folder.path().string()
             : std::string(name) == "PLUMB_MODEL" && by_variable ? word
                                                                 : "";
    };
    Target target;
    target.find_model(parse_settings(console, "plumb go", target).value(), console);
    return target;
  };
  const Target bert = found("hf:o/bert");
  BOOST_TEST(bert.model == folder / "models/o/bert");
  BOOST_TEST(bert.shown_name() == "bert");
  BOOST_TEST(bert.provenance({}).model == "bert");
  BOOST_TEST(bert.provenance({}).model_sha256 == hash_path(bert.model));
  BOOST_TEST(found("hf:o/quant").shown_name() == "q.gguf");
  BOOST_TEST(found("hf:o/quant/q.gguf", true).model == folder / "models/o/quant/q.gguf");
  BOOST_TEST(found("a/dir/").shown_name() == "dir");
  BOOST_CHECK_EXCEPTION((void)found("hf:o/none"), Error,
                        shows(Fault::user, "--model: hf:o/none is neither in "));
  BOOST_CHECK_EXCEPTION((void)found("hf:o/none", true), Error,
                        shows(Fault::user, "PLUMB_MODEL`: hf:o/none is neither in "));
  Console console{{}, out, err};
  const JobFolder job = job_folder(console, "go", bert, "d");
  BOOST_TEST(job.facts.at("model_given") == "hf:o/bert");
  BOOST_TEST(job.facts.at("model_path") == (folder / "models/o/bert").string());
}

/// A tree model whose cache returns another node's row every seventh time.
struct StaleModel : NgramModel {
  StaleModel() : NgramModel("The capital of France is Paris. 1, 2, 3: one, two, three", 12) {}
  using NgramModel::evaluate;
  [[nodiscard]] TreeLimits tree_limits() const { return {256, 32, 32}; }
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    for (const NodeId node : wanted) {
      fill_row(tree.prefix(stale && ++rows % 7 == 0 && node > 1 ? node - 1 : node));
      visit(node, row_);
    }
  }
  void release(const TokenTree&, NodeId) {}
  bool stale = true;
  std::size_t rows = 0;
};

BOOST_AUTO_TEST_CASE(model_is_checked_before_use_and_the_result_is_recorded) {
  const test::TemporaryFolder folder;
  Target target = parse({"--model", "m", "--out", (folder / "run").string()});
  const ModelMaker stale = [](const ModelOptions&) { return StaleModel(); };
  BOOST_CHECK_EXCEPTION(
      (void)target.make(stale, SpecialTokenReading::refuse), Error,
      shows(Fault::user, "--model: m gives inconsistent answers: evaluate of a tree"));
  const ModelMaker level = [](const ModelOptions&) { return NgramModel("", 3); };
  BOOST_CHECK_EXCEPTION(
      (void)target.make(level, SpecialTokenReading::refuse), Error,
      shows(Fault::user, "--model: m returns rows in which all logits are equal"));
  const ModelMaker sound = [](const ModelOptions&) {
    StaleModel model;
    model.stale = false;
    return model;
  };
  const AnyModel model = target.make(sound, SpecialTokenReading::refuse);
  const Json facts = (*target.model_facts)().at("start_check");
  BOOST_TEST(facts.at("worst_nats") == 0);
  BOOST_TEST(facts.at("rows") > 8);
  BOOST_TEST(facts.at("compared").size() == 4U);

  // A dry run does not query the model. Neither does a complete run, which retains its recorded
  // check result.
  target.dry_run = true;
  (void)target.make(stale, SpecialTokenReading::refuse);
  target.dry_run = false;
  folder.write("run/run.json", R"({"status":"complete","start_check":{"worst_nats":0.25}})");
  target.resume = true;
  const AnyModel kept = target.make(stale, SpecialTokenReading::refuse);
  BOOST_TEST((*target.model_facts)().at("start_check").at("worst_nats") == 0.25);
  folder.write("run/run.json", R"({"status":"running"})");
  BOOST_CHECK_THROW((void)target.make(stale, SpecialTokenReading::refuse), Error);
}

BOOST_AUTO_TEST_CASE(only_what_is_computed_in_f32_is_held_to_a_thousandth) {
  Target target = parse({"--model", "m"});
  ModelDescription model{"llama.cpp b1", "all F32", false};
  model.device = "CPU";
  model.cache_type = "f32";
  target.takes_precision = true;
  BOOST_TEST(target.largest_difference(model) == 1e-3);
  BOOST_TEST(target.largest_difference({"Hugging Face folder", "F32", false}) == 1e-3);
  const auto other = [&](auto change) {
    ModelDescription one = model;
    Target of = target;
    change(one, of);
    return of.largest_difference(one);
  };
  BOOST_TEST(other([](auto& m, auto&) { m.quantized = true; }) == 0.5);
  BOOST_TEST(other([](auto& m, auto&) { m.device = "CUDA"; }) == 0.5);
  BOOST_TEST(other([](auto& m, auto&) { m.weights = "BF16"; }) == 0.5);
  BOOST_TEST(other([](auto& m, auto&) { m.cache_type = "f16"; }) == 0.5);
  BOOST_TEST(other([](auto&, auto& t) { t.precision = Precision::fast; }) == 0.5);
  BOOST_TEST(other([](auto&, auto& t) { t.precision = Precision::bf16; }) == 0.5);
  BOOST_TEST(other([](auto&, auto& t) { t.server = "http://x"; }) == 0.5);
  // A program's own engine specifies its precision.
  BOOST_TEST(other([](auto&, auto& t) { t.takes_precision = false; }) == 1e-3);
  BOOST_TEST(other([](auto& m, auto& t) {
               t.takes_precision = false;
               m.weights = "";
             }) == 0.5);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_resumed_or_merged_keeps_its_engine) {
  const test::TemporaryFolder folder;
  const auto engine_of = [&](const std::string& backend, std::vector<std::string> words,
                             bool is_merged = false, const std::string& run = "") {
    std::ostringstream out, err;
    Console console{std::move(words), out, err};
    console.takes = [](std::string_view) { return true; };
    const Json record{{"settings", {{"backend", backend}}}};
    folder.write((is_merged ? "shard/" : "") + run + "run.json", record.dump());
    if (run == "probe/") {
      folder.write("run.json", R"({"settings": {"command": "calibrate"}})");
    }
    if (is_merged) {
      console.merged =
          std::make_shared<const MergedShards>(MergedShards{{folder / "shard"}, record, {}});
    }
    console.arguments.insert(console.arguments.end(),
                             {"--model", "m.gguf", "--out", folder.path().string()});
    Target target;
    target.find_model(parse_settings(console, "plumb go", target).value(), console);
    return target.engine.choice ? std::string(name_of(*target.engine.choice)) : "";
  };
  BOOST_TEST(engine_of("llama.cpp b1", {"--resume"}) == "llama");
  BOOST_TEST(engine_of("native, tokens by llama.cpp b1", {"--resume"}) == "native");
  BOOST_TEST(engine_of("Hugging Face folder", {"--resume"}) == "");
  BOOST_TEST(engine_of("llama.cpp b1", {}) == "");
  BOOST_TEST(engine_of("llama.cpp b1", {"--resume", "--engine", "native"}) == "native");
  BOOST_TEST(engine_of("native, tokens", {}) == "");
  BOOST_TEST(engine_of("llama.cpp b1", {"--resume"}, true) == "llama");
  BOOST_TEST(engine_of("llama.cpp b1", {"--resume"}, false, "probe/") == "llama");
}

BOOST_AUTO_TEST_SUITE_END()
