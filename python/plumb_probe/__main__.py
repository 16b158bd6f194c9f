# SPDX-License-Identifier: Apache-2.0
"""`python -m plumb_probe probe --data DIR --model FOLDER --out RUN`: the whole command, with models by their path."""
import sys

from . import _core


def main() -> int:
    return _core.main(["plumb", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
