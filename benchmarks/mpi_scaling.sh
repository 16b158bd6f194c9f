#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Weak scaling of a ranking over MPI on one machine: every process has the same number of entities and one thread, so at best
# several processes take the time of one. If there are more processes than cores, they share the cores.
#
#   bash benchmarks/mpi_scaling.sh [ENTITIES_EACH] [QUERIES] [DIMENSION] [ROUNDS]
# PLUMB_PROCESSES="1 2 4" sets the process counts.

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
