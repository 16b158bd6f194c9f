// SPDX-License-Identifier: Apache-2.0

// The function bodies that plumb/detail/core/compiled.hpp describes (plumb-components.cmake).

#define PLUMB_COMPILING

#include "plumb/detail/data/load.hpp"
#include "plumb/detail/data/multi_prompt_folder.hpp"
#include "plumb/detail/report/calibration_report.hpp"
#include "plumb/detail/report/comparison_report.hpp"
#include "plumb/detail/report/list_report.hpp"
#include "plumb/detail/report/many_prompt_report.hpp"
#include "plumb/detail/report/many_shot_report.hpp"
#include "plumb/detail/report/probe_report.hpp"
#include "plumb/detail/report/published_report.hpp"
#include "plumb/detail/report/rank_comparison_report.hpp"
#include "plumb/detail/report/rank_report.hpp"
#include "plumb/detail/run/generation_report.hpp"
