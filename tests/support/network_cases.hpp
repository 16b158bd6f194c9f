// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small networks and the results of the transformers library for them, written by
// write_network_cases.py.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "support/stored_weights.hpp"
#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// The expected results for a token sequence, one row for each token.
struct NetworkCase {
  std::vector<TokenId> tokens;
  EmbeddingMatrix hidden, logits;
};

[[nodiscard]] inline std::filesystem::path network_folder(const std::string& name) {
  return std::filesystem::path(__FILE__).parent_path() / "huggingface" / "networks" / name;
}

/// Writes a network into a folder and renames some of its tensors.
inline void write_renamed(const std::string& name, const TemporaryFolder& folder,
                          const std::map<std::string, std::string>& names) {
  folder.write("config.json", slurp(network_folder(name) / "config.json"));
  const std::string bytes = slurp(network_folder(name) / "model.safetensors");
  std::size_t size = 0;
  for (std::size_t i = 8; i > 0; --i) size = size << 8 | static_cast<unsigned char>(bytes[i - 1]);
  Json header = Json::object();
  const Json stored_header = Json::parse(bytes.substr(8, size));
  for (const auto& [tensor, value] : stored_header.items()) {
    const auto other = names.find(tensor);
    header[other == names.end() ? tensor : other->second] = value;
  }
  folder.write("model.safetensors", stored(header.dump(), bytes.substr(8 + size)));
}

[[nodiscard]] inline EmbeddingMatrix matrix_of(const Json& rows) {
  EmbeddingMatrix matrix(static_cast<Eigen::Index>(rows.size()),
                         static_cast<Eigen::Index>(rows[0].size()));
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) {
      matrix(r, c) = rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)].get<float>();
    }
  }
  return matrix;
}

[[nodiscard]] inline std::vector<NetworkCase> network_cases(const std::string& name) {
  std::vector<NetworkCase> cases;
  const Json expected = read_json(network_folder(name) / "expected.json");
  for (const Json& entry : expected["cases"]) {
    cases.push_back({entry["tokens"].get<std::vector<TokenId>>(), matrix_of(entry["hidden"]),
                     matrix_of(entry["logits"])});
  }
  if (cases.size() != 4) throw std::runtime_error(name + " has not four cases");
  return cases;
}

/// The largest difference divided by the largest expected number; infinity if the shapes differ.
[[nodiscard]] inline float relative_difference(const EmbeddingMatrix& is,
                                               const EmbeddingMatrix& expected) {
  if (is.rows() != expected.rows() || is.cols() != expected.cols()) return INFINITY;
  return (is - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

/// Collects rows of logits or of hidden vectors, by position.
[[nodiscard]] inline LogitsVisitor into_rows(EmbeddingMatrix& rows) {
  return [&rows](std::uint32_t at, std::span<const float> row) {
    rows.row(at) = Eigen::Map<const Eigen::RowVectorXf>(row.data(), rows.cols());
  };
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
