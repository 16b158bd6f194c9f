// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which names of plumb does the Python module bind? All of them stand here and nowhere else.

#include <nanobind/nanobind.h>

#include "plumb/calibrator.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/compare.hpp"
#include "plumb/dataset.hpp"
#include "plumb/detail/backend/any_model.hpp"
#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/calibrate/estimators.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/data/multi_prompt.hpp"
#include "plumb/detail/measure/resamples.hpp"
#include "plumb/model.hpp"
#include "plumb/probe.hpp"

namespace plumb_python {

namespace nb = nanobind;
using namespace nb::literals;

// What is asked.
using plumb::detail::Dataset;
using plumb::detail::Fact;
using plumb::detail::KnowledgeGraph;
using plumb::detail::MultiPromptDataset;
using plumb::detail::option_text;
using plumb::detail::Relation;
using plumb::detail::relation_of;
using plumb::detail::select_facts;
// Who answers.
using plumb::detail::AnyModel;
using plumb::detail::Capabilities;
using plumb::detail::capabilities_of;
using plumb::detail::Continuation;
using plumb::detail::EmbeddingMatrix;
using plumb::detail::GenerationOptions;
using plumb::detail::LogitsVisitor;
using plumb::detail::MaskedQuery;
using plumb::detail::ModelDescription;
using plumb::detail::ModelVerification;
using plumb::detail::NodeId;
using plumb::detail::Token;
using plumb::detail::TokenId;
using plumb::detail::Tokenization;
using plumb::detail::TokenLookup;
using plumb::detail::TokenTree;
using plumb::detail::TreeLimits;
using plumb::detail::verify_model;
// How it is asked.
using plumb::detail::Bos;
using plumb::detail::CausalScorer;
using plumb::detail::MaskedScorer;
using plumb::detail::probe;
using plumb::detail::ProbeOptions;
using plumb::detail::PseudoLikelihood;
using plumb::detail::Reduction;
using plumb::detail::Span;
// What it is told by.
using plumb::detail::AnswerComparison;
using plumb::detail::Answers;
using plumb::detail::Bootstrap;
using plumb::detail::Calibration;
using plumb::detail::calibration_of;
using plumb::detail::CalibrationMetric;
using plumb::detail::chosen_estimators;
using plumb::detail::compare;
using plumb::detail::declared_metrics;
using plumb::detail::DeclaredMetric;
using plumb::detail::Error;
using plumb::detail::Estimate;
using plumb::detail::Fault;
using plumb::detail::Json;
using plumb::detail::Judgement;
using plumb::detail::metrics_of;
using plumb::detail::name_of;
using plumb::detail::NamedEstimator;
using plumb::detail::predictions_of;
using plumb::detail::Resamples;
using plumb::detail::strata_of;
using plumb::detail::user_error;

}  // namespace plumb_python
