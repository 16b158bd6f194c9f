#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Weak scaling of a ranking over MPI on one machine: as many entities for each process, one thread each, so that
# the time of one process is what more would take at best. Processes beyond the cores share them.
#
#   bash benchmarks/mpi_scaling.sh [ENTITIES_EACH] [QUERIES] [DIMENSION] [ROUNDS]
# PLUMB_PROCESSES="1 2 4" says how many.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_packages libopenmpi-dev openmpi-bin
plumb_options+=(-DPLUMB_MPI=ON)
build_plumb mpi_scaling
echo "$(nproc) cores: $(grep -m1 '^model name' /proc/cpuinfo | cut -d: -f2 | xargs)"
export OMP_NUM_THREADS=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
for processes in ${PLUMB_PROCESSES:-1 2 4}; do
  mpirun --allow-run-as-root --oversubscribe -n "$processes" build/mpi_scaling "$@"
done | python3 -c "
import json, sys
one = None
for line in sys.stdin:
    row = json.loads(line)
    one = one or row['seconds']
    print(line.strip())
    print(row['processes'], 'processes: weak-scaling efficiency', round(one / row['seconds'], 2))
"
