// SPDX-License-Identifier: Apache-2.0
#pragma once

// Includes every public header that works in memory: models, facts, and the measurement of
// knowledge. File readers are in plumb/load.hpp, run folders and pages in plumb/run.hpp, the
// command in plumb/command.hpp. Backends are in plumb/llama.hpp, plumb/huggingface.hpp and
// plumb/server.hpp. Tensor views of answers are in plumb/tensors.hpp, because xtensor's headers
// take a long time to compile. Programs compile faster if they include only the headers they use.

#include "plumb/aggregator.hpp"
#include "plumb/calibrator.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/compare.hpp"
#include "plumb/dataset.hpp"
#include "plumb/many_prompts.hpp"
#include "plumb/many_shot.hpp"
#include "plumb/model.hpp"
#include "plumb/probe.hpp"
#include "plumb/prompt_builder.hpp"
#include "plumb/rank.hpp"
