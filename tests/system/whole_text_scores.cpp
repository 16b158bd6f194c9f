// SPDX-License-Identifier: Apache-2.0

// Scores whole texts using only llama.cpp, one after another, as a reference for plumb's scores.
//
//   whole_text_scores MODEL.gguf <QUESTIONS >ANSWERS
//
// A question is a line in one of two forms. In {"given": TEXT, "rest": TEXT, "bos": true}, the text
// is tokenised as a whole. The scored tokens are those after the longest token prefix that the
// whole text shares with the given text. In {"given": [PIECE, …], "rest": [PIECE, …], "bos": true},
// each piece is tokenised separately; a piece {"separator": TEXT} is tokenised without the space
// that SentencePiece puts before a text. An answer is {"score": nats, "tokens": scored, "ids": of
// the whole text}. The first output line is {"has_bos": …}. This program includes nothing from
// plumb.

#include <llama.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;
using Ids = std::vector<llama_token>;

Ids tokens_of(const llama_vocab* vocabulary, const std::string& text, bool parse_special = false) {
  Ids ids(text.size() + 8);
  const int count = llama_tokenize(vocabulary, text.data(), static_cast<int>(text.size()),
                                   ids.data(), static_cast<int>(ids.size()), false, parse_special);
  ids.resize(static_cast<std::size_t>(std::max(count, 0)));
  return ids;
}

/// With SentencePiece, each separator in these tests is a single token in which a special character
/// stands for a space.
Ids separator_of(const llama_vocab* vocabulary, const std::string& text) {
  if (llama_vocab_type(vocabulary) != LLAMA_VOCAB_TYPE_SPM) return tokens_of(vocabulary, text);
  std::string written;
  for (const char c : text) written += c == ' ' ? "\u2581" : std::string(1, c);
  for (llama_token id = 0; id < llama_vocab_n_tokens(vocabulary); ++id) {
    if (written == llama_vocab_get_text(vocabulary, id)) return {id};
  }
  std::cerr << "no token '" << written << "'\n";
  std::exit(1);
}

Ids ids_of(const llama_vocab* vocabulary, const Json& text) {
  if (text.is_string()) return tokens_of(vocabulary, text);
  Ids all;
  for (const Json& piece : text) {
    const Ids part = piece.is_string() ? tokens_of(vocabulary, piece)
                                       : separator_of(vocabulary, piece.at("separator"));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// The log-probability of each token of a text, in nats; 0 for the tokens before `first`, which is
/// at least 1.
std::vector<double> scored(llama_context* context, const llama_vocab* vocabulary, const Ids& whole,
                           std::size_t first) {
  const int size = llama_vocab_n_tokens(vocabulary);
  llama_memory_clear(llama_get_memory(context), true);
  llama_batch batch = llama_batch_init(static_cast<int>(whole.size()), 0, 1);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    batch.token[i] = whole[i];
    batch.pos[i] = static_cast<llama_pos>(i);
    batch.n_seq_id[i] = 1;
    batch.seq_id[i][0] = 0;
    batch.logits[i] = i + 1 >= first && i + 1 < whole.size() ? 1 : 0;
  }
  batch.n_tokens = static_cast<int>(whole.size());
  if (llama_decode(context, batch) != 0) std::exit(1);
  llama_batch_free(batch);
  std::vector<double> scores(whole.size(), 0.0);
  for (std::size_t t = first; t < whole.size(); ++t) {
    const float* row = llama_get_logits_ith(context, static_cast<int>(t) - 1);
    const double best = *std::max_element(row, row + size);
    double sum = 0;
    for (int v = 0; v < size; ++v) sum += std::exp(row[v] - best);
    scores[t] = row[whole[t]] - best - std::log(sum);
  }
  return scores;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  llama_model* model = llama_model_load_from_file(argv[1], llama_model_default_params());
  if (model == nullptr) return 1;
  const llama_vocab* vocabulary = llama_model_get_vocab(model);
  llama_context_params params = llama_context_default_params();
  params.n_ctx = params.n_batch = params.n_ubatch = 2048;
  params.type_k = params.type_v = GGML_TYPE_F32;
  params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
  params.n_threads = params.n_threads_batch = 1;
  llama_context* context = llama_init_from_model(model, params);
  const bool has_bos =
      llama_model_meta_val_str(model, "tokenizer.ggml.bos_token_id", nullptr, 0) >= 0;
  std::cout << Json{{"has_bos", has_bos}} << std::endl;  // the caller may be waiting for it

  struct Known {
    std::size_t first = 0;
    std::vector<double> scores;
  };
  std::map<Ids, Known> texts;  // a statement and an identical candidate share one entry
  for (std::string line; std::getline(std::cin, line);) {
    const Json question = Json::parse(line);
    const bool special = question.value("special", false);
    Ids given = special ? tokens_of(vocabulary, question.at("given"), true)
                        : ids_of(vocabulary, question.at("given"));
    Ids whole;
    if (question.at("given").is_string()) {
      whole = tokens_of(
          vocabulary, question["given"].get<std::string>() + question.at("rest").get<std::string>(),
          special);
    } else {
      const Ids rest = ids_of(vocabulary, question.at("rest"));
      whole = given;
      whole.insert(whole.end(), rest.begin(), rest.end());
    }
    std::size_t first = static_cast<std::size_t>(
        std::mismatch(given.begin(), given.end(), whole.begin(), whole.end()).first -
        given.begin());
    if (question.at("bos")) {
      whole.insert(whole.begin(), llama_vocab_bos(vocabulary));
      ++first;
    }
    first = std::max<std::size_t>(first, 1);
    Known& known = texts[whole];
    if (known.scores.empty() || first < known.first) {
      known = {first, scored(context, vocabulary, whole, first)};
    }
    double score = 0;
    for (std::size_t t = first; t < whole.size(); ++t) score += known.scores[t];
    std::cout << Json{{"score", score}, {"tokens", whole.size() - first}, {"ids", whole}} << "\n";
  }
  llama_free(context);
  llama_model_free(model);
}
