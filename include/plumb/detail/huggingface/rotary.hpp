// SPDX-License-Identifier: Apache-2.0
#pragma once

// By what angles are the queries and keys at a position rotated?
//
//   (x, y) → (x cos a − y sin a, y cos a + x sin a),  a = position · frequency
// for pairs (x, y) among a head's first numbers. Frequencies fall from 1 to 1 / theta. Scaling
// methods that extend the context change the frequencies; yarn and longrope also change the length
// of the rotated vectors. Frequencies are computed in F32, with the same order of operations as in
// transformers, so that angles agree even at distant positions. Sources: Su et al., "RoFormer"
// (2021); Peng et al., "YaRN" (2023). The rope_type names and both config.json spellings
// (rope_scaling with rope_theta, and rope_parameters) match those in transformers.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/huggingface/config_fields.hpp"
#include "plumb/detail/kernels/network_kernels.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Cosines and sines by position. Any number of threads may call `apply` at the same time, but not
/// while `prepare` is running.
class Rotary {
 public:
  Rotary() = default;
  /// There is one frequency for each pair. If `interleaved` is true, neighbouring numbers form a
  /// pair; otherwise, the second number of a pair is size() / 2 positions after the first.
  Rotary(std::vector<float> frequencies, float scale, bool interleaved)
      : frequencies_(std::move(frequencies)), scale_(scale), interleaved_(interleaved) {}

  /// The number of rotated numbers in a head; the others do not change.
  [[nodiscard]] std::size_t size() const noexcept { return 2 * frequencies_.size(); }
  [[nodiscard]] const std::vector<float>& frequencies() const noexcept { return frequencies_; }
  [[nodiscard]] float scale() const noexcept { return scale_; }

  /// Computes the tables for positions 0 … count − 1.
  void prepare(std::size_t count) {
    const std::size_t pairs = frequencies_.size();
    for (std::size_t p = pairs == 0 ? count : cosines_.size() / pairs; p < count; ++p) {
      for (const float frequency : frequencies_) {
        const float angle = static_cast<float>(p) * frequency;
        cosines_.push_back(static_cast<float>(std::cos(static_cast<double>(angle))) * scale_);
        sines_.push_back(static_cast<float>(std::sin(static_cast<double>(angle))) * scale_);
      }
    }
  }

  /// Rotates `heads` heads of `head_size` numbers each.
  void apply(float* row, std::size_t heads, std::size_t head_size, std::size_t position) const {
    const std::size_t pairs = frequencies_.size();
    const float* const cosine = cosines_.data() + position * pairs;
    const float* const sine = sines_.data() + position * pairs;
    for (std::size_t h = 0; h < heads; ++h) {
      network_kernels().rotate(row + h * head_size, pairs, cosine, sine, interleaved_);
    }
  }

 private:
  std::vector<float> frequencies_;
  float scale_ = 1;
  bool interleaved_ = false;
  std::vector<float> cosines_, sines_;  // [position][pair], times the scale
};

/// An architecture's defaults for rotation fields that config.json lacks.
struct RotaryDefaults {
  double theta = 10'000;
  /// The fraction of a head that is rotated; nullopt if the architecture rotates the whole head and
  /// ignores partial_rotary_factor.
  std::optional<double> partial{};
  std::size_t head_size = 0;
  bool interleaved = false;
  /// Whether rope_theta and partial_rotary_factor are also read outside rope_parameters (false for
  /// GPT-NeoX, which has its own names for them).
  bool reads_beside = true;
  /// Whether `rope` is one of several entries of rope_parameters. If so, transformers ignores both
  /// the entry's `truncate` and the `original_max_position_embeddings` at the top level of
  /// config.json.
  bool is_entry = false;
  /// The default for original_max_position_embeddings at the top level of config.json (which takes
  /// precedence over the one in rope_parameters), and whether "yarn" means longrope. Only Phi-3
  /// sets these two.
  std::optional<double> original{};
  bool yarn_is_longrope = false;
};

/// The fraction of a head that is rotated. If an architecture rotates the whole head, plain
/// frequencies ignore partial_rotary_factor, as in transformers. Any other rope_type with a partial
/// factor fails in transformers, so it is rejected.
inline double rotated_share(const ConfigFields& rope, const ConfigFields& beside,
                            const RotaryDefaults& defaults, const std::string& type) {
  const char* const field = "partial_rotary_factor";
  const double share = rope.positive(field, beside.positive(field, defaults.partial.value_or(1)));
  if (defaults.partial) return share;
  if (type != "default" && share != 1) {
    const ConfigFields& from = rope.find(field) != nullptr ? rope : beside;
    throw from.wrong(field, "is not supported by this architecture with rope_type '" + type + "'",
                     "remove it if the whole head is rotated");
  }
  return 1;
}

/// theta^(−2i / size) for each pair i.
inline std::vector<float> plain_frequencies(double theta, std::size_t size) {
  std::vector<float> frequencies;
  for (std::size_t i = 0; i < size; i += 2) {
    const float power = static_cast<float>(i) / static_cast<float>(size);
    frequencies.push_back(1.0F / std::pow(static_cast<float>(theta), power));
  }
  return frequencies;
}

/// Stretches long wavelengths by `factor`, leaves short ones unchanged, and interpolates in
/// between.
inline void scale_as_llama3(const ConfigFields& rope, double original,
                            std::vector<float>& frequencies) {
  const double factor = rope.positive("factor"), low = rope.positive("low_freq_factor"),
               high = rope.positive("high_freq_factor");
  for (float& frequency : frequencies) {
    const double wave = 2 * std::numbers::pi / static_cast<double>(frequency);
    if (wave < original / high) continue;
    const auto plain = static_cast<double>(frequency);
    if (wave > original / low) {
      frequency = static_cast<float>(plain / factor);
    } else {
      const double smooth = (original / wave - low) / (high - low);
      frequency = static_cast<float>((1 - smooth) * plain / factor + smooth * plain);
    }
  }
}

/// Computes YaRN's frequencies. Returns the factor by which rotated numbers are multiplied.
inline double scale_as_yarn(const ConfigFields& rope, double theta, double original,
                            std::size_t positions, bool truncates,
                            std::vector<float>& frequencies) {
  const double factor = rope.positive("factor", static_cast<double>(positions) / original);
  const auto length = [](double scale, double by) {
    return scale <= 1 ? 1.0 : 0.1 * by * std::log(scale) + 1.0;
  };
  const double mscale = rope.number("mscale", 0), mscale_all = rope.number("mscale_all_dim", 0);
  const double inferred = mscale != 0 && mscale_all != 0
                              ? length(factor, mscale) / length(factor, mscale_all)
                              : length(factor, 1);
  const auto size = static_cast<double>(2 * frequencies.size());
  const auto turn = [&](double turns) {
    return size * std::log(original / (turns * 2 * std::numbers::pi)) / (2 * std::log(theta));
  };
  double low = turn(rope.positive("beta_fast", 32)), high = turn(rope.positive("beta_slow", 1));
  if (truncates) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = (std::max)(low, 0.0);
  high = (std::min)(high, size - 1);
  if (low == high) high += 0.001;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double stretched = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    const auto plain = static_cast<double>(frequencies[i]);
    frequencies[i] = static_cast<float>(plain / factor * stretched + plain * (1 - stretched));
  }
  return rope.number("attention_factor", inferred);
}

/// Computes LongRoPE's frequencies for sequences up to the original context. Returns the factor by
/// which rotated numbers are multiplied.
inline double scale_as_longrope(const ConfigFields& rope, double original, std::size_t positions,
                                std::vector<float>& frequencies) {
  const double factor = rope.positive("factor", static_cast<double>(positions) / original);
  const std::vector<double> by = rope.numbers("short_factor");
  if (by.size() != frequencies.size()) {
    throw rope.wrong("short_factor",
                     "has " + std::to_string(by.size()) + " numbers for " +
                         std::to_string(frequencies.size()) + " frequencies",
                     "fetch the model's config.json again");
  }
  for (std::size_t i = 0; i < by.size(); ++i) {
    frequencies[i] /= static_cast<float>(by[i]);
  }
  const double inferred = factor <= 1 ? 1.0 : std::sqrt(1 + std::log(factor) / std::log(original));
  return rope.number("attention_factor", inferred);
}

/// The rotation that `rope` describes (rope_parameters, or one entry of it). `outer` contains the
/// fields that older spellings store outside `rope`. `positions` is reduced to the number of
/// positions for which a single set of frequencies is valid: beyond longrope's original context,
/// the results for a token would depend on later tokens.
inline Rotary read_rotary(const ConfigFields& rope, const ConfigFields& outer,
                          const RotaryDefaults& defaults, std::size_t& positions) {
  const ConfigFields beside = defaults.reads_beside ? outer : outer.none();
  const double theta = rope.positive("rope_theta", beside.positive("rope_theta", defaults.theta));
  std::string type = rope.text("rope_type", rope.text("type", "default"));
  if (type == "su" || (type == "yarn" && defaults.yarn_is_longrope)) type = "longrope";
  const double share = rotated_share(rope, beside, defaults, type);
  const auto size = static_cast<std::size_t>(static_cast<double>(defaults.head_size) * share);
  std::vector<float> frequencies = plain_frequencies(theta, size);
  const char* const field = "original_max_position_embeddings";
  const double within = rope.positive(field, static_cast<double>(positions));
  const double original =
      defaults.is_entry ? within : outer.positive(field, defaults.original.value_or(within));
  double scale = 1;
  if (type == "linear") {
    const auto factor = static_cast<float>(rope.positive("factor"));
    for (float& frequency : frequencies) frequency /= factor;
  } else if (type == "llama3") {
    scale_as_llama3(rope, original, frequencies);
  } else if (type == "yarn") {
    // transformers treats null as false.
    const bool truncates =
        defaults.is_entry || (!rope.is_null("truncate") && rope.flag("truncate", true));
    scale = scale_as_yarn(rope, theta, original, positions, truncates, frequencies);
  } else if (type == "longrope") {
    scale = scale_as_longrope(rope, original, positions, frequencies);
    positions = (std::min)(positions, static_cast<std::size_t>(original));
  } else if (type != "default" && type != "dynamic") {
    // "dynamic" changes frequencies only beyond max_position_embeddings, which no sequence exceeds.
    throw rope.unmodelled("rope_type", "'" + type + "' is not supported",
                          "plumb supports default, linear, dynamic, llama3, yarn and longrope");
  }
  return {std::move(frequencies), static_cast<float>(scale), defaults.interleaved};
}

/// One entry of rope_parameters, with the fields of rope_scaling taking precedence, as in
/// transformers. A missing entry has rope_type "default", which `type` in rope_scaling does not
/// change.
inline ConfigFields rotary_entry(const ConfigFields& rope, const char* layers,
                                 const ConfigFields& scaling) {
  return rope.find(layers) != nullptr ? rope.object(layers).with(scaling)
                                      : scaling.completed({{"rope_type", "default"}});
}

/// The rotation in a config.json that defines one rotation for all layers. As in transformers, it
/// is read from rope_scaling, or from rope_parameters if rope_scaling is absent or empty.
inline Rotary read_rotary(const ConfigFields& fields, const RotaryDefaults& defaults,
                          std::size_t& positions) {
  const Json* const scaling = fields.find("rope_scaling");
  const bool is_old = scaling != nullptr && !scaling->empty();
  const ConfigFields rope = fields.object(is_old ? "rope_scaling" : "rope_parameters");
  for (const char* const layers : {"full_attention", "sliding_attention"}) {
    if (rope.find(layers) == nullptr) continue;
    throw rope.wrong(layers,
                     "is a rotation for only some layers, which this architecture does not support",
                     "fetch the model's config.json again");
  }
  return read_rotary(rope, fields, defaults, positions);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
