// SPDX-License-Identifier: Apache-2.0

// The bodies that plumb/core/compiled.hpp speaks of (plumb-components.cmake).

#define PLUMB_COMPILING

#include "plumb/data/load.hpp"
#include "plumb/data/multi_prompt_folder.hpp"
#include "plumb/report/calibration_report.hpp"
#include "plumb/report/comparison_report.hpp"
#include "plumb/report/list_report.hpp"
#include "plumb/report/many_prompt_report.hpp"
#include "plumb/report/many_shot_report.hpp"
#include "plumb/report/probe_report.hpp"
#include "plumb/report/published_report.hpp"
#include "plumb/report/rank_report.hpp"
#include "plumb/run/generation_report.hpp"
