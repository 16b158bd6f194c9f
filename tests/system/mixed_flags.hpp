// SPDX-License-Identifier: Apache-2.0
#pragma once

// What two files of one program that are compiled with other flags give one another (test_mixed_flags.py).

#include <cstddef>
#include <string>
#include <vector>

#include "plumb/dataset.hpp"
#include "plumb/probe.hpp"

/// The other file's answers about the first file's facts.
plumb::Answers other_answers(const plumb::Dataset& facts);
/// The other file's ranks of 300 vectors among themselves, as text, and whether it is compiled with OpenMP.
std::string other_ranks();
bool other_has_openmp();
