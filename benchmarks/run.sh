#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# plumb's speed compared with other programs: one table and one page, build/benchmarks/table.html.
#
#   bash benchmarks/run.sh [ROW…]
#   bash benchmarks/run.sh --results build/benchmarks-2 [ROW…]
#   bash benchmarks/run.sh --results build/benchmarks-2 --compare build/benchmarks
#
# Without arguments it measures the rows that have no measurement in build/benchmarks/ yet, so an interrupted run continues;
# named rows are measured again. --results sets another folder for the measurements. --compare measures nothing: it shows
# which ratios of the run in --results are within the ranges that the earlier run states.
#
# Installs lm-pub-quiz with torch (6 GB, once). Uses lm-evaluation-harness if
# benchmarks/against_lm_evaluation_harness.sh has installed it, and llama-server and vLLM if tests/servers.sh has. Needs
# BEAR and WN18RR in the reference data.
#
# PLUMB_ROUNDS: rounds of each row (3).

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

if [ ! -d "$plumb_shared/data/bear" ]; then
  echo "no BEAR in $plumb_shared: name the reference data in PLUMB_SHARED" >&2
  exit 2
fi
need_build_packages
need_packages libopenblas-dev
build_plumb plumb_command requantize ranking_against_sgemm decoder_products exhaustive_time
need_model
need_whole_peer
need_llama_perplexity
# OpenBLAS does not recognise Intel processors newer than itself, and then uses its slowest kernels.
if grep -q GenuineIntel /proc/cpuinfo && grep -q avx512f /proc/cpuinfo; then
  export OPENBLAS_CORETYPE="${OPENBLAS_CORETYPE:-SkylakeX}"
fi
export OMP_WAIT_POLICY=passive PLUMB_LLAMA_SERVER="$llama_server" PLUMB_VLLM="$vllm_python"
"$whole_peer_python" -c "import faiss" 2>/dev/null || "$whole_peer_python" -m pip install -q --disable-pip-version-check faiss-cpu
exec "$whole_peer_python" benchmarks/table.py --plumb build/plumb --model "$model_f32" --bear "$plumb_shared/data/bear" \
  --shared "$plumb_shared" --rounds "${PLUMB_ROUNDS:-3}" --llama-tools "$llama_perplexity_folder" \
  --harness "$plumb_cache/lm-evaluation-harness-0.4.13/bin/python" "$@"
