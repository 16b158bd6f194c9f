#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The time for 50,000 prompt samplings over 30,000 facts with 100 prompts each, compared with drawing every fact's prompt.
#
#   bash benchmarks/prompt_samplings.sh [FACTS] [PROMPTS] [SAMPLINGS]

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb prompt_samplings
exec build/prompt_samplings "$@"
