// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files in Hugging Face folders and vector files: tokenizers, configurations, weights, .npy. They
// are mapped or read from the machine's own disk, so the folder is created there (TMPDIR may point
// to a folder in memory).

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sound.hpp"
#include "plumb/detail/huggingface/decoder_network.hpp"
#include "plumb/detail/huggingface/folder_model.hpp"
#include "plumb/detail/huggingface/gguf_decoder.hpp"
#include "plumb/detail/huggingface/gguf_tensors.hpp"
#include "plumb/detail/huggingface/safetensors.hpp"
#include "plumb/detail/huggingface/tokenizer.hpp"
#include "plumb/detail/records/npy_file.hpp"
#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz {

/// A text that contains letters from several scripts, white space, digits, a special token and an
/// invalid byte.
inline constexpr std::string_view tokenizer_text =
    "The capital of Fran\u00e7e  is [MASK] <mask> Paris, 1234\u2581\u4e2d\u6587 \U0001F600\n\x80 "
    "e\u0301";

inline void use_tokenizer(const HuggingFaceTokenizer& tokenizer, std::string_view text) {
  const WordTokenization made = tokenizer.tokenize_words(text);
  const auto& tokens = made.tokens.tokens;
  require(made.words.size() == tokens.size(), "tokens and words differ in number");
  require(std::is_sorted(made.words.begin(), made.words.end()), "words go back");
  std::vector<TokenId> ids;
  for (const Token& token : tokens) {
    require(token.bytes.begin <= token.bytes.end && token.bytes.end <= text.size(),
            "a token past its text");
    require(token.id >= 0 && static_cast<std::size_t>(token.id) < tokenizer.vocabulary_size(),
            "a token past the vocabulary");
    require(tokenizer.text_of(token.id).has_value(), "a token without a text");
    ids.push_back(token.id);
  }
  (void)tokenizer.detokenize(ids);
  if (tokenizer.mask()) {
    const MaskedQuery query = tokenizer.masked_text("a ", text);
    require(query.position < query.sequence.size(), "a mask that stands nowhere");
  }
}

/// Creates a file of weights or vectors. If the text begins with '{', it is treated as the file's
/// header: the header's length and the magic bytes are added before it, and the bytes of the
/// tensors that it declares are added after it, up to a million bytes.
inline std::string with_header(const std::string& name, const std::string& text) {
  if (!text.starts_with('{')) return text;
  std::string header = text.substr(0, text.find('\n'));
  std::string numbers = text.substr(std::min(header.size() + 1, text.size()));
  std::string begins;
  if (name.ends_with(".npy")) {
    header += '\n';
    begins = std::string("\x93NUMPY\x01\x00", 8);
    begins += static_cast<char>(header.size() & 0xFF);
    begins += static_cast<char>(header.size() >> 8);
    return begins + header + numbers;
  }
  for (int i = 0; i < 8; ++i) begins += static_cast<char>(header.size() >> (8 * i));
  const auto json = nlohmann::json::parse(header, nullptr, false);
  std::uint64_t end = 0;
  for (const auto& tensor : json) {
    if (!tensor.is_object() || !tensor.contains("data_offsets")) continue;
    for (const auto& offset : tensor["data_offsets"]) {
      if (offset.is_number_unsigned()) end = std::max(end, offset.get<std::uint64_t>());
    }
  }
  if (end > numbers.size() && end < 1'000'000) numbers.resize(end, '\x01');
  return begins + header + numbers;
}

template <class Network, class Config>
void use_network(const std::filesystem::path& folder, const Config& config) {
  Network network = Network::read(folder, config);
  std::size_t rows = 0;
  const LogitsVisitor count = [&](std::uint32_t, std::span<const float> row) {
    require(row.size() == network.vocabulary_size(), "a row of another size than the vocabulary");
    ++rows;
  };
  if constexpr (std::same_as<Network, EncoderNetwork>) {
    const std::vector<MaskedQuery> one{{{0}, 0}};
    network.evaluate(one, count);
  } else {
    network.evaluate(std::vector<TokenId>{0}, count);
  }
  require(rows == 1, "not one row for one token");
}

inline void models(std::string_view input) {
  const test::TemporaryFolder folder;
  const std::string place = folder.path().string();
  std::string text(tokenizer_text);
  bool has_tokenizer = false, has_config = false, has_weights = false;
  std::vector<std::filesystem::path> vectors, files;
  for (const auto& [name, content] : files_of(input)) {
    if (name == "text") {
      text = content;
      continue;
    }
    std::error_code failed;  // there may be a file with the folder's name
    std::filesystem::create_directories((folder / name).parent_path(), failed);
    if (failed || std::filesystem::is_directory(folder / name)) continue;
    const bool has_header = name.ends_with(".safetensors") || name.ends_with(".npy");
    folder.write(name, has_header ? with_header(name, content) : content);
    has_tokenizer = has_tokenizer || name.starts_with("tokenizer") || name.starts_with("vocab");
    has_config = has_config || name == "config.json";
    has_weights = has_weights || name.find(".safetensors") != name.npos;
    if (name.ends_with(".npy")) vectors.push_back(folder / name);
    if (name.ends_with(".gguf")) files.push_back(folder / name);
  }
  if (has_tokenizer) {
    for (const bool parse : {false, true}) {
      is_read(place,
              [&] { use_tokenizer(HuggingFaceTokenizer::read(folder.path(), parse), text); });
    }
  }
  if (has_weights) {
    is_read(place, [&] {
      const Safetensors weights(folder.path());
      for (const auto& [name, tensor] : weights.tensors()) (void)tensor.shape();
    });
  }
  if (has_config) {
    is_read(place, [&] {
      if (network_kind(folder.path()) == NetworkKind::masked) {
        return use_network<EncoderNetwork>(folder.path(), read_encoder_config(folder.path()));
      }
      use_network<DecoderNetwork>(folder.path(), read_decoder_config(folder.path()));
    });
  }
  if (!files.empty()) {
    is_read(place, [&] {
      const GgufTensors weights(files);
      const DecoderConfig config = read_gguf_config(weights, files.front());
      (void)DecoderNetwork::read(weights, files.front(), config);
    });
  }
  for (const auto& file : vectors) {
    is_read(place, [&] {
      const NpyFile npy(file);
      const VectorRows rows = npy.rows();
      if (rows.size() > 0) (void)rows.sum();
      (void)read_identifiers(DiskPath(file), static_cast<std::size_t>(rows.rows()));
    });
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz
