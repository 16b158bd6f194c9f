// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/encoder_network.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "plumb/detail/huggingface/encoder_architectures.hpp"
#include "support/errors.hpp"
#include "support/network_cases.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(encoder_network)

namespace {

EncoderNetwork network(const std::string& name) {
  const std::filesystem::path folder = test::network_folder(name);
  return EncoderNetwork::read(folder, read_encoder_config(folder));
}

/// The rows of all queries.
EmbeddingMatrix ask(EncoderNetwork& model, const std::vector<MaskedQuery>& queries) {
  EmbeddingMatrix rows =
      EmbeddingMatrix::Constant(static_cast<Eigen::Index>(queries.size()),
                                static_cast<Eigen::Index>(model.vocabulary_size()), NAN);
  model.evaluate(queries, test::into_rows(rows));
  return rows;
}

std::vector<MaskedQuery> all_places(const std::vector<TokenId>& tokens) {
  std::vector<MaskedQuery> queries;
  for (std::uint32_t p = 0; p < tokens.size(); ++p) queries.push_back({tokens, p});
  return queries;
}

/// Random queries with 1 to 12 tokens from a vocabulary of 37.
std::vector<MaskedQuery> random_queries(std::size_t count) {
  std::mt19937 random(7);
  std::vector<MaskedQuery> queries(count);
  for (MaskedQuery& query : queries) {
    query.sequence.resize(1 + random() % 12);
    for (TokenId& token : query.sequence) token = static_cast<TokenId>(random() % 37);
    query.position = static_cast<std::uint32_t>(random() % query.sequence.size());
  }
  return queries;
}

}  // namespace

// safetensors' save_model may store the weights this way: if a tensor has two names, it keeps only
// one of them.
BOOST_AUTO_TEST_CASE(tied_weights_are_found_under_the_name_of_the_head) {
  const struct {
    std::string name, embeddings, decoder, bias, own_bias;
  } networks[] = {
      {"bert", "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight",
       "cls.predictions.bias", "cls.predictions.decoder.bias"},
      {"roberta", "roberta.embeddings.word_embeddings.weight", "lm_head.decoder.weight",
       "lm_head.bias", "lm_head.decoder.bias"},
      {"albert", "albert.embeddings.word_embeddings.weight", "predictions.decoder.weight",
       "predictions.bias", "predictions.decoder.bias"},
      {"distilbert", "distilbert.embeddings.word_embeddings.weight", "vocab_projector.weight",
       "vocab_projector.bias", "vocab_projector.bias"}};
  for (const auto& [name, embeddings, decoder, bias, own_bias] : networks) {
    BOOST_TEST_CONTEXT(name) {
      for (const std::string& used : {bias, own_bias}) {
        const test::TemporaryFolder folder;
        test::write_renamed(name, folder, {{embeddings, decoder}, {bias, used}});
        EncoderNetwork model =
            EncoderNetwork::read(folder.path(), read_encoder_config(folder.path()));
        for (const test::NetworkCase& expected : test::network_cases(name)) {
          BOOST_TEST(test::relative_difference(ask(model, all_places(expected.tokens)),
                                               expected.logits) < 1e-5F);
        }
      }
    }
  }
  const test::TemporaryFolder lacking;
  test::write_renamed("bert", lacking, {{networks[0].embeddings, "elsewhere"}});
  BOOST_CHECK_EXCEPTION(
      EncoderNetwork::read(lacking.path(), read_encoder_config(lacking.path())), Error,
      says(Fault::user, "embeddings.word_embeddings.weight: the tensor is missing"));
}

BOOST_AUTO_TEST_CASE(hidden_vectors_and_logits_are_those_of_transformers) {
  for (const std::string name : {"bert",
                                 "bert-old-names",
                                 "bert-no-prefix",
                                 "bert-untied",
                                 "bert-gelu-new",
                                 "bert-silu",
                                 "bert-relu",
                                 "bert-f16",
                                 "bert-bf16",
                                 "bert-shards",
                                 "roberta",
                                 "xlm-roberta",
                                 "albert",
                                 "albert-groups",
                                 "distilbert",
                                 "electra",
                                 "electra-one-size",
                                 "modernbert",
                                 "modernbert-biases",
                                 "deberta-v3",
                                 "deberta-v2-projections",
                                 "deberta-v2-by-query",
                                 "deberta-v2-by-key",
                                 "deberta-v2-absolute"}) {
    BOOST_TEST_CONTEXT(name) {
      EncoderNetwork model = network(name);
      for (const test::NetworkCase& expected : test::network_cases(name)) {
        BOOST_TEST(test::relative_difference(model.hidden(expected.tokens), expected.hidden) <
                   1e-5F);
        BOOST_TEST(test::relative_difference(ask(model, all_places(expected.tokens)),
                                             expected.logits) < 1e-5F);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_row_does_not_depend_on_what_else_is_asked) {
  for (const char* const name : {"roberta", "modernbert", "deberta-v3"}) {
    EncoderNetwork model = network(name);
    const std::vector<MaskedQuery> queries = random_queries(300);
    const EmbeddingMatrix together = ask(model, queries);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      BOOST_TEST((ask(model, {queries[q]}) == together.row(static_cast<Eigen::Index>(q))), name);
    }
  }
}

BOOST_AUTO_TEST_CASE(equal_questions_are_computed_once) {
  EncoderNetwork model = network("bert");
  const std::vector<TokenId> a{2, 5, 11, 3}, b{2, 5, 12, 3};
  const EmbeddingMatrix rows = ask(model, {{a, 1}, {b, 1}, {a, 2}, {a, 1}, {b, 1}});
  BOOST_TEST(model.masked_inputs_asked() == 5U);
  BOOST_TEST(model.masked_inputs_computed() == 3U);
  BOOST_TEST((rows.row(0) == rows.row(3)));
  BOOST_TEST((rows.row(1) == rows.row(4)));
  BOOST_TEST((rows.row(0) != rows.row(1)));
  BOOST_TEST((rows.row(0) != rows.row(2)));
}

BOOST_AUTO_TEST_CASE(each_query_is_visited_once) {
  EncoderNetwork model = network("bert");
  // There are more queries than are computed at a time.
  const std::vector<MaskedQuery> queries = random_queries(9000);
  std::vector<int> visits(queries.size(), 0);
  model.evaluate(queries, [&](std::uint32_t query, std::span<const float> row) {
    ++visits[query];
    if (row.size() != 37) visits[query] = -1000;
  });
  BOOST_TEST(std::count(visits.begin(), visits.end(), 1) == 9000);
  model.evaluate({}, [](std::uint32_t, std::span<const float>) { BOOST_ERROR("no query"); });
}

BOOST_AUTO_TEST_CASE(sequences_that_make_no_sense_are_refused) {
  EncoderNetwork bert = network("bert"), roberta = network("roberta");
  BOOST_TEST(bert.context_length() == 16U);
  BOOST_TEST(roberta.context_length() == 14U);  // two of the position embeddings are never used
  const auto refuses = [&](EncoderNetwork& model, const MaskedQuery& query, const char* words) {
    BOOST_CHECK_EXCEPTION(ask(model, {query}), Error, says(Fault::user, words));
  };
  refuses(bert, {{}, 0}, "position 0: the sequence has only 0 tokens");
  refuses(bert, {{2, 3}, 2}, "position 2: the sequence has only 2 tokens");
  refuses(bert, {{2, 37}, 0}, "token 37 is outside the model's 37 embeddings");
  refuses(bert, {{2, -1}, 0}, "token -1 is outside the model's 37 embeddings");
  refuses(bert, {std::vector<TokenId>(17, 5), 0}, "17 tokens; the model's limit is 16");
  refuses(roberta, {std::vector<TokenId>(15, 5), 0}, "15 tokens; the model's limit is 14");
  ask(bert, {{std::vector<TokenId>(16, 5), 15}});
  ask(roberta, {{std::vector<TokenId>(14, 5), 13}});
}

BOOST_AUTO_TEST_SUITE_END()
