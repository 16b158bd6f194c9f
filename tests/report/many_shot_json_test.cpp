// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_shot_json.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/many_shot_folder.hpp"
#include "support/measured_folders.hpp"
#include "support/near.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::count_of;
using test::holds;
using test::keys;
using test::ManyShotFolder;
using test::names;
using test::near;
using test::results;
using test::SmallManyShot;

BOOST_AUTO_TEST_SUITE(many_shot_json)

namespace {

using Words = std::vector<std::string>;

Setting ic(std::size_t shots) {
  return {"ic", shots, " ", "choice", 0};
}

const Setting hgp{"hgp", 0, "", "choice", 0};

}  // namespace

BOOST_FIXTURE_TEST_CASE(metrics_have_every_group_with_its_relations, SmallManyShot) {
  inject("P2");
  const ManyShotResults made = results(*this);
  const Json json = to_json(made);
  BOOST_TEST((keys(json) == Words{"chance", "choices", "choices_beginning_another", "ties",
                                  "answers", "settings", "settings_side_by_side",
                                  "accuracy_against_shots", "accuracy_at_k", "injection"}));
  BOOST_TEST((keys(json.at("settings")) == names(made.groups)));
  const Json& one = json.at("settings").at("ic/1");
  BOOST_TEST(one.at("accuracy").at("value") == 5.0 / 16);
  BOOST_TEST(one.at("accuracy").at("count") == 6);
  BOOST_TEST(one.at("variants") == 2);
  BOOST_TEST(one.at("relations_asked") == 2);
  BOOST_TEST(near(one.at("sd_over_relations").get<double>(), std::sqrt(2 * 0.0625 * 0.0625)));
  BOOST_TEST((keys(one.at("relations")) == Words{"P1", "P2"}));
  BOOST_TEST(one.at("relations").at("P2").at("accuracy").at("value") == 0.25);
  BOOST_TEST(json.at("settings").at("hgp").at("sd").is_null());
  BOOST_TEST((keys(json.at("settings_side_by_side")) == Words{"ic/1", "ic/5", "hgp"}));
  const Json& curve = json.at("accuracy_against_shots").at("ic/5");
  BOOST_TEST((keys(curve.at("points")) == Words{"1", "5"}));
  BOOST_TEST(curve.at("points").at("5").at("accuracy").at("value") == 15.0 / 16);
  BOOST_TEST(curve.at("shots_for_95_percent") == 5);
  const Json& at_k = json.at("accuracy_at_k").at("ic/5");
  BOOST_TEST(at_k.size() == 20U);
  BOOST_TEST(at_k.at(2).at("k") == 0.1);
  BOOST_TEST(at_k.at(2).at("answers") == 12);
  BOOST_TEST(at_k.at(19).at("accuracy").is_null());
  BOOST_TEST((keys(json.at("injection")) == Words{"P2"}));
}

BOOST_FIXTURE_TEST_CASE(what_does_not_exist_is_not_in_the_metrics, SmallManyShot) {
  BOOST_TEST(!to_json(results(*this)).contains("injection"));
  ManyShotFolder folder;
  folder.choose("P1", ic(5), "10");
  folder.choose("P2", hgp, "10");
  const Json json = to_json(results(folder));
  BOOST_TEST(!json.contains("settings_side_by_side"));
  BOOST_TEST(json.at("accuracy_against_shots").empty());
}

BOOST_FIXTURE_TEST_CASE(the_csv_has_a_row_for_each_group_and_relation, SmallManyShot) {
  const std::string csv = many_shot_accuracy_csv(results(*this));
  BOOST_TEST(
      csv.starts_with("method,shots,separator,by,relation,variants,sd,value,low,high,count\n"));
  // Two groups have two relations, and three have one; each group also has a row for its mean.
  BOOST_TEST(count_of(csv, "\n") == 1U + 2U * 3U + 3U * 2U);
  // The expected interval is Wilson's interval for 3/8 over four facts.
  const Estimate wilson = wilson_share(3.0 / 8, 4);
  BOOST_TEST(holds(csv, "\nic,1, ,choice,P1,2,0.17677670,0.37500000," +
                            with_decimals(wilson.low, 8) + "," + with_decimals(wilson.high, 8) +
                            ",4\n"));
  BOOST_TEST(holds(csv, "\nic,5, ,choice,mean of relations,2,0.08838835,0.93750000,"));
  BOOST_TEST(holds(csv, "\nhgp,0,,choice,P1,1,,0.25000000,"));
  BOOST_TEST(holds(csv, "\nic,5, ,generation-aliases,P1,2,0.00000000,0.75000000,"));
}

BOOST_FIXTURE_TEST_CASE(accuracy_at_k_has_a_row_for_each_level, SmallManyShot) {
  const std::string csv = accuracy_at_k_csv(results(*this));
  BOOST_TEST(csv.starts_with("setting,k,answers,value,low,high,count\n"));
  BOOST_TEST(count_of(csv, "\n") == 1U + 2U * 20U);
  BOOST_TEST(holds(csv, "\nic/5,0.80,12,0.91666667,"));
  BOOST_TEST(holds(csv, "\nic/5,0.85,0,,,,0\n"));  // no number, because no answer remains
  BOOST_TEST(holds(csv, "\nhgp,0.55,4,0.25000000,"));
}

BOOST_AUTO_TEST_SUITE_END()
