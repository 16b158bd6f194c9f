// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/generate_settings.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(generate_settings)

BOOST_AUTO_TEST_CASE(the_record_is_what_decides_the_answers) {
  const MultiPromptDataset dataset = test::elements_many();
  GenerateSettings settings;
  settings.sources = {ShotSource::none, ShotSource::random};
  settings.shots = 2;
  settings.form = AskedForms::both;
  const Json record = generate_record(settings, dataset, {}, {});
  BOOST_TEST(record.at("command") == "generate");
  BOOST_TEST(record.at("settings").size() == 4U);
  BOOST_TEST(record.at("settings").at(1) == "2-random");
  BOOST_TEST((record.at("names") == Json{"zero-shot"}));
  BOOST_TEST(record.at("relations").is_null());
  BOOST_TEST(record.at("max_new_tokens") == 16);
  BOOST_TEST((record.at("stop") == Json{"\n"}));
  BOOST_TEST(record.at("fresh_shots") == "no");
  BOOST_TEST(record.at("samples") == 100);
  BOOST_TEST(record.at("confidence_prompts") == 10000);
  BOOST_TEST(record.at("lemmas") == "none");
  BOOST_TEST(record.at("samplings") == 50000);
  BOOST_TEST(record.at("sample_by") == "relation");
  for (const char* none : {"shots", "form", "wordnet", "data"}) {
    BOOST_TEST(!record.contains(none), none);
  }
  settings.relations = {dataset.relations[1].code, dataset.relations[0].code};
  const Json named = generate_record(settings, dataset, {}, {});
  BOOST_TEST(named.at("relations").at(0) == dataset.relations[0].code);  // in the dataset's order
}

BOOST_AUTO_TEST_CASE(where_answers_end_and_which_examples_are_fresh_is_asked_and_recorded) {
  GenerateSettings settings;
  BOOST_TEST((settings.asking().stop == std::vector<std::string>{"\n"}));
  settings.stop.read({"%", "\\n\\n"});
  settings.max_new_tokens = 50;
  settings.fresh_shots = true;
  const AnswerOptions asking = settings.asking();
  BOOST_TEST((asking.stop == std::vector<std::string>{"%", "\n\n"}));
  BOOST_TEST(asking.max_new_tokens == 50U);
  BOOST_TEST(!asking.settings[0].fresh);  // zero-shot
  for (std::size_t s = 1; s < 4; ++s) BOOST_TEST(asking.settings[s].fresh);
  const Json record = generate_record(settings, test::elements_many(), {}, {});
  BOOST_TEST((record.at("stop") == Json{"%", "\n\n"}));
  BOOST_TEST(record.at("max_new_tokens") == 50);
  BOOST_TEST(record.at("fresh_shots") == "yes");
  BOOST_TEST(record.at("settings").at(1) == "4-random");
}

BOOST_AUTO_TEST_CASE(names_are_scored_under_settings_that_are_asked) {
  GenerateSettings settings;
  settings.sources = {ShotSource::random, ShotSource::none};
  BOOST_TEST(settings.named().size() == 1U);
  settings.names = "none";
  BOOST_TEST(settings.named().empty());
  settings.names = "all";
  BOOST_TEST(settings.named().size() == 2U);
  settings.names = "zero-shot";
  BOOST_TEST((settings.named().at(0).source == ShotSource::none));
  settings.names = "relation";
  BOOST_CHECK_EXCEPTION((void)settings.named(), Error,
                        says(Fault::user, "'relation' is not among `settings`"));
}

BOOST_AUTO_TEST_CASE(a_masked_model_is_asked_sentences_and_records_what_decides_them) {
  GenerateSettings settings;
  settings.masked = true;
  const auto asked = settings.asking().settings;
  BOOST_REQUIRE(asked.size() == 1U);
  BOOST_TEST((asked[0] == FewShotSetting{ShotSource::none, 0, PromptForm::sentence}));
  BOOST_TEST((settings.named() == asked));
  const Json record = generate_record(settings, test::elements_many(), {}, {});
  BOOST_TEST(record.at("masks") == 1);
  BOOST_TEST(record.at("vocabulary").is_null());
  BOOST_TEST(record.at("settings").at(0) == "masked");
  for (const char* idle : {"bos", "samples", "max_new_tokens", "stop", "fresh_shots", "lemmas"}) {
    BOOST_TEST(!record.contains(idle), idle);
  }
  settings.masked = false;
  BOOST_TEST(!generate_record(settings, test::elements_many(), {}, {}).contains("masks"));
}

BOOST_AUTO_TEST_CASE(lists_have_one_setting_and_record_their_form) {
  GenerateSettings settings;
  settings.form = AskedForms::kamel;
  settings.shots = 5;
  BOOST_TEST(settings.lists());
  const auto asked = settings.asking().settings;
  BOOST_REQUIRE(asked.size() == 1U);
  BOOST_TEST((asked[0] == FewShotSetting{ShotSource::relation, 5, PromptForm::list}));
  BOOST_TEST(settings.named().empty());
  const Json record = generate_record(settings, test::elements_many(), {}, {});
  BOOST_TEST(record.at("form") == "kamel");
  BOOST_TEST(record.at("settings").at(0) == "5-kamel");
  BOOST_TEST(record.at("max_new_tokens") == 16);
  for (const char* idle :
       {"origin", "names", "samples", "lemmas", "sample_by", "stop", "fresh_shots"}) {
    BOOST_TEST(!record.contains(idle), idle);
  }
}

BOOST_AUTO_TEST_CASE(templates_of_one_origin_are_recorded) {
  GenerateSettings settings;
  BOOST_TEST(generate_record(settings, test::elements_many(), {}, {}).at("origin") == "all");
  settings.origin = KeptOrigins::manual;
  BOOST_TEST(generate_record(settings, test::elements_many(), {}, {}).at("origin") == "manual");
}

BOOST_AUTO_TEST_SUITE_END()
