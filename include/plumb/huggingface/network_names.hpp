// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do published checkpoints call the tensors of a network?
//
// The names transformers gives them today, without what WeightReader knows of older spellings. Each
// architecture's stand here once, so that one encoder serves them all.

#include <string>
#include <vector>

#include "plumb/huggingface/encoder_config.hpp"
#include "plumb/huggingface/transformer_layer.hpp"
#include "plumb/huggingface/weight_reader.hpp"

namespace plumb {

/// What an encoder's tensors are called.
struct EncoderNames {
  std::string prefix;
  /// Followed by the number of a layer and a dot.
  std::string layer;
  LayerNames in_layer;
  std::string head, head_norm, decoder;
  /// The decoder's bias; untied decoders have one of their own, `decoder`.bias.
  std::string decoder_bias;
};

inline EncoderNames encoder_names(Architecture architecture) {
  const LayerNames bert{{"attention.self.query", "attention.self.key", "attention.self.value"},
                        "attention.output.dense",
                        "attention.output.LayerNorm",
                        "intermediate.dense",
                        "output.dense",
                        "output.LayerNorm"};
  switch (architecture) {
    case Architecture::albert:
      return {"albert.",
              "encoder.albert_layer_groups.",
              {{"attention.query", "attention.key", "attention.value"},
               "attention.dense",
               "attention.LayerNorm",
               "ffn",
               "ffn_output",
               "full_layer_layer_norm"},
              "predictions.dense",
              "predictions.LayerNorm",
              "predictions.decoder",
              "predictions.bias"};
    case Architecture::distilbert:
      return {"distilbert.",
              "transformer.layer.",
              {{"attention.q_lin", "attention.k_lin", "attention.v_lin"},
               "attention.out_lin",
               "sa_layer_norm",
               "ffn.lin1",
               "ffn.lin2",
               "output_layer_norm"},
              "vocab_transform",
              "vocab_layer_norm",
              "vocab_projector",
              "vocab_projector.bias"};
    case Architecture::roberta:
    case Architecture::xlm_roberta:
      return {"roberta.",           "encoder.layer.",  bert,          "lm_head.dense",
              "lm_head.layer_norm", "lm_head.decoder", "lm_head.bias"};
    default:
      return {"bert.",
              "encoder.layer.",
              bert,
              "cls.predictions.transform.dense",
              "cls.predictions.transform.LayerNorm",
              "cls.predictions.decoder",
              "cls.predictions.bias"};
  }
}

}  // namespace plumb
