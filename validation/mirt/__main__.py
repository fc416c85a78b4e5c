"""Compare with R's mirt: ``python -m validation.mirt --reference DIR``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from psyirt.data.readers import read_responses
from psyirt.errors import PsyirtError
from validation.mirt.compare import BOUNDS, differences
from validation.mirt.stored import data_sets, stored_fits


def main(arguments: list[str] | None = None) -> int:
    """Fit every stored data set and model; print the largest difference of each quantity; 1 if one is too large."""
    parser = argparse.ArgumentParser(prog="python -m validation.mirt", description=__doc__)
    parser.add_argument(
        "--reference", type=Path, required=True, help="folder of stored results, one folder per data set"
    )
    folder = parser.parse_args(arguments).reference
    largest: dict[str, tuple[float, str]] = {}
    try:
        for data_set in data_sets(folder):
            responses = read_responses(data_set / "responses.csv")
            for stored in stored_fits(data_set):
                print(f"mirt: {stored.data_set} {stored.model}", file=sys.stderr)
                for quantity, size in differences(stored, responses):
                    if size >= largest.get(quantity, (-1.0, ""))[0]:
                        largest[quantity] = (size, f"{stored.data_set} {stored.model}")
    except PsyirtError as error:
        print(f"mirt: {error}", file=sys.stderr)
        return 2
    return _report(largest)


def _report(largest: dict[str, tuple[float, str]]) -> int:
    """Print the table; 1 where a difference exceeds its bound."""
    print("| quantity | largest difference | held to | where |\n|---|---|---|---|")
    for quantity, (size, where) in largest.items():
        verdict = "" if size <= BOUNDS[quantity] else " EXCEEDED"
        print(f"| {quantity} | {size:.1e} | {BOUNDS[quantity]:g}{verdict} | {where} |")
    return int(any(size > BOUNDS[quantity] for quantity, (size, _) in largest.items()))


if __name__ == "__main__":
    sys.exit(main())
