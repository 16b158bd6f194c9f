// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model, its facts, and what it knows of them: every door that works in memory. Readers of files are in
// plumb/load.hpp, run folders and pages in plumb/run.hpp, the command in plumb/command.hpp, backends in
// plumb/llama.hpp, plumb/huggingface.hpp and plumb/server.hpp; tensors over answers, which take xtensor's
// headers to compile, in plumb/tensors.hpp. Including the door that is used alone compiles faster.

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
