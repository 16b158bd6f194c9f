// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which names of plumb does the Python module bind? All of them stand here and nowhere else.

#include <nanobind/nanobind.h>

#include "plumb/backend/any_model.hpp"
#include "plumb/backend/capabilities.hpp"
#include "plumb/calibrate/estimators.hpp"
#include "plumb/calibrator.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/compare.hpp"
#include "plumb/data/json_file.hpp"
#include "plumb/data/knowledge_graph.hpp"
#include "plumb/data/multi_prompt.hpp"
#include "plumb/dataset.hpp"
#include "plumb/measure/resamples.hpp"
#include "plumb/model.hpp"
#include "plumb/probe.hpp"

namespace plumb_python {

namespace nb = nanobind;
using namespace nb::literals;

// What is asked.
using plumb::Dataset;
using plumb::Fact;
using plumb::KnowledgeGraph;
using plumb::MultiPromptDataset;
using plumb::option_text;
using plumb::Relation;
using plumb::relation_of;
using plumb::select_facts;
// Who answers.
using plumb::AnyModel;
using plumb::Capabilities;
using plumb::capabilities_of;
using plumb::Continuation;
using plumb::EmbeddingMatrix;
using plumb::GenerationOptions;
using plumb::LogitsVisitor;
using plumb::MaskedQuery;
using plumb::ModelDescription;
using plumb::ModelVerification;
using plumb::NodeId;
using plumb::Token;
using plumb::TokenId;
using plumb::Tokenization;
using plumb::TokenLookup;
using plumb::TokenTree;
using plumb::TreeLimits;
using plumb::verify_model;
// How it is asked.
using plumb::Bos;
using plumb::CausalScorer;
using plumb::MaskedScorer;
using plumb::probe;
using plumb::ProbeOptions;
using plumb::PseudoLikelihood;
using plumb::Reduction;
using plumb::Span;
// What it is told by.
using plumb::AnswerComparison;
using plumb::Answers;
using plumb::Bootstrap;
using plumb::Calibration;
using plumb::calibration_metric_names;
using plumb::calibration_of;
using plumb::CalibrationMetric;
using plumb::chosen_estimators;
using plumb::compare;
using plumb::Error;
using plumb::Estimate;
using plumb::Fault;
using plumb::in_words;
using plumb::Json;
using plumb::Judgement;
using plumb::metrics_of;
using plumb::name_of;
using plumb::NamedEstimator;
using plumb::predictions_of;
using plumb::Resamples;
using plumb::strata_of;
using plumb::user_error;

}  // namespace plumb_python
