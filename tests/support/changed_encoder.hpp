// SPDX-License-Identifier: Apache-2.0
#pragma once

// Configurations of the small masked networks, unchanged or with changed fields.

#include <string>

#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/encoder_architectures.hpp"
#include "support/network_cases.hpp"
#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

struct ChangedEncoder : TemporaryFolder {
  /// The configuration of a small network with some fields changed; null removes a field.
  [[nodiscard]] EncoderConfig changed(const std::string& network, const Json& fields) const {
    Json config = read_json_object(network_folder(network) / "config.json");
    for (const auto& [name, value] : fields.items()) config[name] = value;
    write("config.json", config.dump());
    return read_encoder_config(path());
  }
};

[[nodiscard]] inline EncoderConfig encoder_config_of(const std::string& network) {
  return read_encoder_config(network_folder(network));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
