// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions that one file of a program provides to another file compiled with different flags
// (test_mixed_flags.py).

#include <cstddef>
#include <string>
#include <vector>

#include "plumb/dataset.hpp"
#include "plumb/probe.hpp"

/// The other file's answers to the first file's facts.
plumb::Answers other_answers(const plumb::Dataset& facts);
/// The other file's ranks of 300 vectors relative to one another, as text; and whether that file is
/// compiled with OpenMP.
std::string other_ranks();
bool other_has_openmp();
