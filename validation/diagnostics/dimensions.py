"""Dimensions: how often each criterion counts right where the truth is known, and what they say of real data.

    python -m validation.diagnostics.dimensions --out DIR [--data DIR] [--quick]

The real data (lalor_snli_5gs.csv.gz: three classes of items, and wirs.csv.gz: known poor fit of one ability; subject in
the first column) are not part of the repository; without --data that part is left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

import psyirt
from psyirt.errors import InputError, PsyirtError
from psyirt.foundation.files import write_text
from validation.diagnostics.tables import markdown

REAL = {"lalor_snli_5gs": "90 items of three classes", "wirs": "6 items"}
# (subjects, items, abilities, correlation of abilities, data sets)
CASES = (
    (500, 20, 1, 0.0, 40),
    (1000, 30, 1, 0.0, 40),
    (500, 20, 2, 0.3, 40),
    (1000, 30, 2, 0.7, 40),
    (1000, 30, 3, 0.3, 40),
)
_DRAWS = 40
_QUICK_SETS = 3

_HEAD = (
    "# Dimensions\n\nItems of simple structure (each measures one ability, in turn), slopes lognormal around 1.22, "
    "difficulties normal. Share of data sets in which a criterion counts the true number; those that count no further "
    "than 1 are right where they say one of one, and more than one of more."
)


def study(out: Path, quick: bool = False, data: Path | None = None, seed: int = 1) -> str:
    """Write dimensions.md and dimensions.json into `out`, and return the page."""
    known = pd.DataFrame(simulated(quick, seed))
    parts = [_HEAD, "## The truth is known", markdown(known, digits=2)]
    plain = {"seed": seed, "simulated": known.to_dict("records")}
    if data is not None:
        real = pd.DataFrame(of_real(data, seed))
        parts += ["## Real data", markdown(real)]
        plain["real data"] = real.to_dict("records")
    page = "\n\n".join(parts) + "\n"
    write_text(out / "dimensions.json", json.dumps(plain, indent=1) + "\n")
    write_text(out / "dimensions.md", page)
    return page


def simulated(quick: bool, seed: int) -> Iterator[dict[str, object]]:
    """Share of right answers of each criterion, case by case."""
    for subjects, items, abilities, correlation, sets in CASES[1:4:2] if quick else CASES:
        count = _QUICK_SETS if quick else sets
        right: dict[str, list[bool]] = {}
        for number in range(count):
            rng = np.random.default_rng([seed, subjects, abilities, int(100 * correlation), number])
            found = psyirt.dimensionality(_responses(rng, subjects, items, abilities, correlation), draws=_DRAWS)
            for name, row in found.criteria.iterrows():
                right.setdefault(str(name), []).append(_right(row, abilities))
            print(f"dimensions: {subjects} x {items}, {abilities}: {number + 1} of {count}", file=sys.stderr)
        label = f"{subjects} x {items}, {abilities}" + (f" (r {correlation:g})" if abilities > 1 else "")
        yield {"data": label, "data sets": count} | {name: float(np.mean(each)) for name, each in right.items()}


def _right(row: pd.Series, abilities: int) -> bool:
    """Whether a criterion's answer is the truth; where it counts no further than 1, whether it is compatible."""
    if row["answer"] == "no answer":
        return False
    return abilities > 1 if pd.isna(row["factors"]) else int(row["factors"]) == abilities


def _responses(
    rng: np.random.Generator, subjects: int, items: int, abilities: int, correlation: float
) -> psyirt.Responses:
    """Answers to items that measure one ability each."""
    covariance = np.full((abilities, abilities), correlation)
    np.fill_diagonal(covariance, 1.0)
    theta = rng.multivariate_normal(np.zeros(abilities), covariance, size=subjects)
    slope, difficulty = np.exp(rng.normal(0.2, 0.3, items)), rng.normal(size=items)
    own = theta[:, np.arange(items) % abilities]
    return psyirt.Responses.from_array(rng.random((subjects, items)) < expit(slope * (own - difficulty)))


def of_real(folder: Path, seed: int) -> Iterator[dict[str, object]]:
    """What every criterion says of the real data."""
    for name, words in REAL.items():
        path = folder / f"{name}.csv.gz"
        if not path.exists():
            raise InputError("no such file", str(path), "Name the folder that holds it, or leave out --data")
        found = psyirt.dimensionality(psyirt.read_responses(path), draws=100, seed=seed)
        for criterion, row in found.criteria.iterrows():
            yield {"data": f"{name} ({words})", "criterion": criterion, "answer": row["answer"]}


def main(arguments: list[str] | None = None) -> int:
    """Run the study; 2 without data that were named."""
    parser = argparse.ArgumentParser(prog="python -m validation.diagnostics.dimensions", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for dimensions.md and dimensions.json")
    parser.add_argument("--data", type=Path, help="folder with the real data")
    parser.add_argument("--quick", action="store_true", help="few data sets: a look, no result")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        print(study(options.out, options.quick, options.data, options.seed))
    except PsyirtError as error:
        print(f"dimensions: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
