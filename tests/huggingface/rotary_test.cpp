// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/rotary.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(rotary)

namespace {

struct Folder : test::TemporaryFolder {
  /// The rotation described by a config.json, for heads of four numbers.
  [[nodiscard]] Rotary of(const std::string& json, RotaryDefaults defaults = {}) {
    write("config.json", json);
    defaults.head_size = 4;
    return read_rotary(ConfigFields(path() / "config.json"), defaults, positions);
  }
  std::size_t positions = 64;
};

void near(const std::vector<float>& is, const std::vector<double>& expected) {
  BOOST_TEST_REQUIRE(is.size() == expected.size());
  for (std::size_t i = 0; i < is.size(); ++i) {
    BOOST_TEST(std::abs(static_cast<double>(is[i]) - expected[i]) <
               1e-6 * (1 + std::abs(expected[i])));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(pairs_are_turned_by_position_times_frequency) {
  // At position 3, the frequencies 1 and 1/2 rotate their pairs by 3 and 1.5 radians. The fifth
  // number is unchanged.
  const std::vector<float> row{1, 2, 0, 1, 7};
  const double c = std::cos(3), s = std::sin(3), d = std::cos(1.5), t = std::sin(1.5);
  Rotary halves({1, 0.5F}, 1, false), pairs({1, 0.5F}, 2, true);
  halves.prepare(4);
  pairs.prepare(2);
  pairs.prepare(4);  // the table grows
  std::vector<float> turned = row;
  halves.apply(turned.data(), 1, 5, 3);  // rotates the pairs (1, 0) and (2, 1)
  near(turned, {c, 2 * d - t, s, d + 2 * t, 7});
  turned = row;
  // Rotates the pairs (1, 2) and (0, 1), and doubles their length.
  pairs.apply(turned.data(), 1, 5, 3);
  near(turned, {2 * (c - 2 * s), 2 * (2 * c + s), 2 * -t, 2 * d, 7});
  std::vector<float> heads{1, 0, 0, 0, 1, 0, 0, 0};
  halves.apply(heads.data(), 2, 4, 0);
  BOOST_TEST((heads == std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0}));
}

BOOST_FIXTURE_TEST_CASE(both_rope_config_formats_are_equivalent, Folder) {
  near(of("{}").frequencies(), {1, 0.01});
  near(of(R"({"rope_theta": 16})").frequencies(), {1, 0.25});
  near(of(R"({"rope_parameters": {"rope_theta": 16, "rope_type": "default"}})").frequencies(),
       {1, 0.25});
  near(of(R"({"rope_theta": 16, "rope_scaling": {"type": "linear", "factor": 4}})").frequencies(),
       {0.25, 0.0625});
  near(of(R"({"rope_parameters": {"rope_theta": 16, "rope_type": "linear", "factor": 4}})")
           .frequencies(),
       {0.25, 0.0625});
  near(of(R"({"rope_theta": 16, "partial_rotary_factor": 0.5})", {.partial = 1}).frequencies(),
       {1});
  near(of(R"({"rope_theta": 16, "rope_scaling": null})").frequencies(), {1, 0.25});
  near(of(R"({"rope_theta": 16, "rope_scaling": {"type": "dynamic", "factor": 4}})").frequencies(),
       {1, 0.25});
}

// As in transformers 5.24, rope_scaling takes precedence unless it is empty. rope_theta comes from
// the same object or, if it is absent there, from the top level.
BOOST_FIXTURE_TEST_CASE(of_two_contradicting_spellings_the_older_one_counts, Folder) {
  const std::string parameters = R"("rope_parameters": {"rope_type": "default", "rope_theta": 16})";
  const std::string linear = R"("rope_scaling": {"type": "linear", "factor": 4})";
  near(of("{" + parameters + ", " + linear + R"(, "rope_theta": 256})").frequencies(),
       {0.25, 0.25 / 16});
  near(of("{" + parameters + ", " + linear + "}").frequencies(), {0.25, 0.0025});
  near(of("{" + parameters + R"(, "rope_scaling": {}, "rope_theta": 256})").frequencies(),
       {1, 0.25});
  near(of("{" + parameters + R"(, "rope_scaling": null})").frequencies(), {1, 0.25});
  near(of(R"({"rope_scaling": {"type": "linear", "rope_type": "default", "factor": 4}})")
           .frequencies(),
       {1, 0.01});
  BOOST_CHECK_EXCEPTION(
      (void)of(R"({"rope_parameters": {"full_attention": {}}})"), Error,
      says(Fault::user, "rope_parameters.full_attention: is a rotation for only some layers"));
}

// transformers 5.24 reads partial_rotary_factor only for Phi, Phi-3, StableLM and GPT-NeoX. For
// other models, it is ignored with plain frequencies and causes an error with scaled ones.
BOOST_FIXTURE_TEST_CASE(a_part_of_a_head_is_rotated_where_the_architecture_does_so, Folder) {
  const std::string part = R"("rope_theta": 16, "partial_rotary_factor": 0.5)";
  near(of("{" + part + "}").frequencies(), {1, 0.25});
  near(of(R"({"rope_parameters": {)" + part + "}}").frequencies(), {1, 0.25});
  near(of(R"({"rope_parameters": {)" + part + "}}", {.partial = 1}).frequencies(), {1});
  BOOST_CHECK_EXCEPTION(
      (void)of("{" + part + R"(, "rope_scaling": {"type": "linear", "factor": 2}})"), Error,
      says(Fault::user,
           "partial_rotary_factor: is not supported by this architecture with rope_type"));
  near(of("{" + part + "}", {.theta = 256, .partial = 1, .reads_beside = false}).frequencies(),
       {1, 1.0 / 16});
}

// Worked out by hand. With an original context of 64 tokens, wavelengths below 16 tokens are
// unchanged, wavelengths above 64 are stretched by a factor of 8, and those in between are blended.
// With theta 4096², the frequencies are 1 (wavelength 6.28) and 1/4096 (25,736). With theta 25,
// they are 1 and 0.2 (wavelength 31.4); the latter is blended with the factor (64 / 31.4 − 1) / 3 =
// 0.3457.
BOOST_FIXTURE_TEST_CASE(llama3_stretches_long_waves, Folder) {
  const std::string scaling =
      R"("rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1,
          "high_freq_factor": 4, "original_max_position_embeddings": 64}})";
  near(of(R"({"rope_theta": 16777216, )" + scaling).frequencies(), {1, 1.0 / 4096 / 8});
  const double smooth = (64 / (2 * std::acos(-1.0) / 0.2) - 1) / 3;
  near(of(R"({"rope_theta": 25, )" + scaling).frequencies(),
       {1, (1 - smooth) * 0.2 / 8 + smooth * 0.2});
}

BOOST_FIXTURE_TEST_CASE(yarn_and_longrope_lengthen_the_result, Folder) {
  const Rotary yarn = of(
      R"({"rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 16}})");
  BOOST_TEST(std::abs(yarn.scale() - (0.1 * std::log(4.0) + 1)) < 1e-6);
  BOOST_TEST(of(R"({"rope_scaling": {"type": "yarn", "factor": 4, "attention_factor": 1.5,
                    "original_max_position_embeddings": 16}})")
                 .scale() == 1.5F);
  BOOST_TEST(positions == 64U);
  const Rotary longrope =
      of(R"({"original_max_position_embeddings": 16, "rope_scaling": {"type": "longrope",
             "short_factor": [2, 4], "long_factor": [8, 8]}})");
  near(longrope.frequencies(), {0.5, 0.0025});
  BOOST_TEST(std::abs(longrope.scale() - std::sqrt(1 + std::log(4.0) / std::log(16.0))) < 1e-6);
  BOOST_TEST(positions == 16U);  // with more positions, all frequencies would change
}

BOOST_FIXTURE_TEST_CASE(unsupported_or_invalid_fields_are_refused_by_name, Folder) {
  BOOST_CHECK_EXCEPTION((void)of(R"({"rope_scaling": {"type": "mrope"}})"), Error,
                        says(Fault::user, "rope_scaling.rope_type: 'mrope' is not supported"));
  BOOST_CHECK_EXCEPTION((void)of(R"({"rope_scaling": {"type": "linear"}})"), Error,
                        says(Fault::user, "rope_scaling.factor: is missing"));
  BOOST_CHECK_EXCEPTION(
      (void)of(R"({"rope_scaling": {"type": "longrope", "short_factor": [1]}})"), Error,
      says(Fault::user, "rope_scaling.short_factor: has 1 numbers for 2 frequencies"));
}

BOOST_AUTO_TEST_SUITE_END()
