// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/activation.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "support/exact_activation.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(activations)

BOOST_AUTO_TEST_CASE(each_is_within_1e6) {
  std::vector<float> xs;
  for (float x = -30; x < 30; x += 0.0017F) xs.push_back(x);
  xs.insert(xs.end(), {0, -1e4F, 1e4F});
  for (const Activation activation :
       {Activation::gelu, Activation::gelu_new, Activation::relu, Activation::silu}) {
    std::vector<float> row = xs;
    activate(activation, row);
    double worst = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const auto x = static_cast<double>(xs[i]);
      const double scale = std::max(1.0, std::abs(x));
      worst = std::max(
          worst,
          std::abs(static_cast<double>(row[i]) - test::exact_activation(activation, x)) / scale);
    }
    BOOST_TEST(worst < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(names_are_those_of_configurations) {
  BOOST_TEST((activation_named("gelu") == Activation::gelu));
  BOOST_TEST((activation_named("gelu_pytorch_tanh") == Activation::gelu_new));
  BOOST_TEST((activation_named("swish") == Activation::silu));
  BOOST_TEST(!activation_named("quick_gelu").has_value());
  BOOST_TEST(activation_list() ==
             "gelu, gelu_python, gelu_new, gelu_pytorch_tanh, gelu_fast, relu, silu, swish");
}

BOOST_AUTO_TEST_SUITE_END()
