# SPDX-License-Identifier: Apache-2.0
"""Prints where the time goes when a configured build folder builds the command. benchmarks/build_time.sh calls it."""
import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys
import time

CORES = 2
LARGEST = 4


def seconds_by_output(folder):
    """Output → seconds, from Ninja's log."""
    lines = (folder / ".ninja_log").read_text().splitlines()[1:]
    return {output: (int(end) - int(begin)) / 1000 for begin, end, _, output, _ in (line.split("\t") for line in lines)}


def seconds_of(words, folder):
    began = time.monotonic()
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - began


def main(folder):
    folder = pathlib.Path(folder)
    whole = seconds_of(["cmake", "--build", folder, "--target", "plumb_command", "--parallel", str(CORES)], folder)
    taken = {name: seconds for name, seconds in seconds_by_output(folder).items() if name.endswith(".o")}
    commands = {}
    for one in json.loads((folder / "compile_commands.json").read_text()):
        words = shlex.split(one["command"])
        commands[words[words.index("-o") + 1]] = words
    largest = sorted(taken, key=taken.get, reverse=True)[:LARGEST]

    def parts(*more):
        """The seconds of the largest files with further options, two at a time as in the build."""
        with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
            return list(pool.map(lambda name: seconds_of([*commands[name], "-o", "/dev/null", *more], folder), largest))

    columns = [[taken[name] for name in largest], parts("-O0"), parts("-fsyntax-only")]
    print(f"{'seconds':28}{'as built':>10}{'-O0':>10}{'only parsed':>14}")
    for row, name in enumerate(largest):
        print(f"{pathlib.Path(name).stem:28}" + "".join(f"{column[row]:>{width}.0f}" for column, width in zip(columns, (10, 10, 14))))
    rest = sum(taken.values()) - sum(columns[0])
    print(f"{str(len(taken) - LARGEST) + ' smaller files':28}{rest:>10.0f}")
    # Waiting and linking, which would not change.
    others = whole - (sum(columns[0]) + rest) / CORES
    print(f"{f'in all, on {CORES} cores':28}" + "".join(f"{(sum(column) + rest) / CORES + others:>{width}.0f}"
                                                         for column, width in zip(columns, (10, 10, 14))))


if __name__ == "__main__":
    main(*sys.argv[1:])
