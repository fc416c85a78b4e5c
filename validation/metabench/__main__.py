"""Compare with mirt on metabench: ``python -m validation.metabench --data DIR``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from psyirt.errors import PsyirtError
from validation.metabench.study import TESTS, Line, compare, read_stored


def main(arguments: list[str] | None = None) -> int:
    """Print the comparisons; 1 if one is not good enough, 2 without data."""
    parser = argparse.ArgumentParser(prog="python -m validation.metabench", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with metabench_arc.csv.gz and its like")
    folder = parser.parse_args(arguments).data
    lines: list[Line] = []
    try:
        for name in TESTS:
            print(f"metabench: {name}", file=sys.stderr)
            lines += compare(read_stored(folder, name))
    except PsyirtError as error:
        print(f"metabench: {error}", file=sys.stderr)
        return 2
    print("| test | what | psyirt | R mirt | as it should be |\n|---|---|---|---|---|")
    for line in lines:
        print(f"| {line.test} | {line.what} | {_number(line.ours)} | {_number(line.theirs)} | {_word(line.good)} |")
    return int(not all(line.good for line in lines))


def _word(good: bool) -> str:
    return "yes" if good else "NO"


def _number(value: float) -> str:
    """Log-likelihoods with two decimals, differences with two digits."""
    return f"{value:,.2f}" if abs(value) >= 1.0 else f"{value:.2g}"


if __name__ == "__main__":
    sys.exit(main())
