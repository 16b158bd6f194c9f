// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/server_tokenizer.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

#include "support/dialects.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::FoundStandIn;
using test::says;
using test::speaking;

BOOST_AUTO_TEST_SUITE(server_tokenizer_suite)

namespace {

struct Listing : NgramModel {
  using NgramModel::NgramModel;
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const { return {{"<bos>", *bos()}}; }
};

ServerTokenizer tokenizer(std::vector<std::string> pieces) {
  const auto of = std::make_shared<const Listing>("a", 2, pieces);
  return server_tokenizer(of, of->vocabulary_size(), "a file");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_tokenizer_of_any_type_is_taken) {
  const ServerTokenizer made = tokenizer({"the "});
  BOOST_TEST(made.tokenize("the x").tokens.size() == 2U);
  const std::vector<TokenId> ids{256, 'x'};
  BOOST_TEST(made.detokenize(ids) == "the x");
  BOOST_TEST(*made.bos == 257);
  BOOST_TEST(made.special_tokens->front().text == "<bos>");
  BOOST_TEST(made.vocabulary_size == 258U);
  BOOST_TEST(made.name == "a file");
}

BOOST_AUTO_TEST_CASE(warnings_of_a_tokenizer_are_kept) {
  struct Warning : Listing {
    using Listing::Listing;
    [[nodiscard]] std::vector<std::string> warnings() const { return {"a guess"}; }
    [[nodiscard]] bool skips_composing() const { return true; }
  };
  const auto of = std::make_shared<const Warning>("a", 2, std::vector<std::string>{});
  const ServerTokenizer made = server_tokenizer(of, of->vocabulary_size(), "a file");
  BOOST_TEST(made.warnings == std::vector<std::string>{"a guess"},
             boost::test_tools::per_element());
  BOOST_TEST(made.skips_composing);
  BOOST_TEST(!tokenizer({}).skips_composing);
}

BOOST_AUTO_TEST_CASE(the_servers_own_is_asked_once_for_each_text) {
  FoundStandIn found(speaking("llamacpp"));
  RemoteTokenizer remote(found.client, *found.dialect, false);
  const std::size_t before = found.server.requests();
  for (int i = 0; i < 3; ++i) {
    const Tokenization made = remote.tokenize("the café");
    BOOST_TEST(made.spells_text);
    BOOST_TEST(made.tokens.size() == 6U);
    BOOST_TEST((made.tokens[0].bytes == ByteSpan{0, 4}));
  }
  BOOST_TEST(found.server.requests() == before + 1);
  BOOST_TEST(remote.tokenize("").tokens.empty());
  BOOST_TEST(remote.detokenize(found.ids("the cat")) == "the cat");
  BOOST_TEST(remote.detokenize({}).empty());
}

BOOST_AUTO_TEST_CASE(a_given_one_is_compared_with_the_servers) {
  for (const char* const maker : test::all_makers) {
    FoundStandIn found(speaking(maker));
    BOOST_TEST(
        compare_tokenizers(found.client, *found.dialect, tokenizer({"the ", "cat", " sat"})) == 4U);
    BOOST_CHECK_EXCEPTION(
        (void)compare_tokenizers(found.client, *found.dialect,
                                 tokenizer({"capital", "cat", " sat"})),
        Error,
        says(Fault::user,
             "`tokenizer`: a file splits 'The capital of France is Paris.' into 25 tokens"));
  }
}

BOOST_AUTO_TEST_CASE(a_server_without_the_route_is_not_compared) {
  auto options = speaking("sglang");
  options.spoil = [](const test::StandInRequest& request, test::StandInReply& reply) {
    if (request.route == "/tokenize") reply = test::StandInModel::error(404, "none");
  };
  FoundStandIn found(options);
  BOOST_TEST(compare_tokenizers(found.client, *found.dialect, tokenizer({"x"})) == 0U);
}

BOOST_AUTO_TEST_CASE(a_server_that_refuses_the_comparison_is_refused) {
  auto options = speaking("sglang");
  options.spoil = [](const test::StandInRequest& request, test::StandInReply& reply) {
    if (request.route == "/tokenize") reply = test::StandInModel::error(403, "no");
  };
  FoundStandIn found(options);
  BOOST_CHECK_EXCEPTION(
      (void)compare_tokenizers(found.client, *found.dialect, tokenizer({"the ", "cat", " sat"})),
      Error, says(Fault::user, "the server requires a key (403)"));
}

BOOST_AUTO_TEST_SUITE_END()
