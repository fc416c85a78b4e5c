"""Local dependence: size of the tests, power against planted pairs, and known testlets in real data.

    python -m validation.diagnostics.local_dependence --out DIR [--data DIR] [--quick]

The real data (ctest_g308.csv.gz, read_testlets.csv.gz and wirs.csv.gz, subject in the first column) are not part of the
repository; without --data that part is left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import rankdata

from psyirt.data.readers import read_responses
from psyirt.data.responses import Responses
from psyirt.diagnostics import local_dependence
from psyirt.diagnostics.pairs.bootstrap import bootstrap_null
from psyirt.diagnostics.pairs.ld_x2 import LD_X2
from psyirt.diagnostics.pairs.q3 import Q3
from psyirt.errors import ConvergenceWarning, InputError
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.files import write_text
from psyirt.foundation.progress import silent
from psyirt.results.calibration import Calibration
from validation.diagnostics.tables import markdown

# (subjects, items, share missing, data sets)
SIZES = ((500, 20, 0.0, 60), (500, 20, 0.2, 20), (1000, 30, 0.0, 20))
REPLICATIONS = 99
# p is a multiple of 1/100 then, so that "at most .05" has the level .05 and "below .05" the level .04
LEVEL = 0.05 + 1e-9
METHODS = ("LD-X2", "LD-G2", "Q3", "JSI")
# LD-G2 does what LD-X2 does, and JSI fits every replication again as often as there are items
BOOTSTRAPPED = (LD_X2, Q3)
# item 7 copies item 3's answer with this probability; or both have this loading on a factor of their own
SURFACE, UNDERLYING = (0.1, 0.2, 0.4), (0.5, 1.0, 1.5)
PAIR = (2, 6)
POWER_SETS = 10
# testlets as Schroeders, Robitzsch & Schipolowski (2014) define them, and by the items' first letters
TESTLETS = {
    "ctest_g308": (1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 4, 4, 4, 4, 4, 5, 5, 6, 6, 6),
    "read_testlets": (1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3),
}
REAL = (*TESTLETS, "wirs")


def study(out: Path, quick: bool = False, data: Path | None = None, seed: int = 1) -> str:
    """Write local_dependence.md and local_dependence.json into `out`, and return the page."""
    parts = {"size": pd.DataFrame(size(quick, seed)), "power": pd.DataFrame(power(quick, seed))}
    if data is not None:
        parts["real data"] = pd.DataFrame(real(data, quick, seed))
    page = "\n\n".join([_HEAD, *(f"## {_TITLES[name]}\n\n{markdown(frame)}" for name, frame in parts.items())]) + "\n"
    plain = {name: frame.to_dict("records") for name, frame in parts.items()}
    write_text(out / "local_dependence.json", json.dumps({"seed": seed, **plain}, indent=1) + "\n")
    write_text(out / "local_dependence.md", page)
    return page


_HEAD = (
    "# Local dependence\n\nData of the 2PL, fitted by the 2PL; nominal level .05. *pairs*: share of pairs with p of "
    f".05 or less. *any*: share of data sets with a flagged pair (familywise). Bootstrap: {REPLICATIONS} replications. "
    "After +- stands the Monte Carlo standard error over data sets."
)
_TITLES = {
    "size": "Size: nothing is planted",
    "power": "Power: items 3 and 7 of 20, 500 subjects",
    "real data": "Real data",
}


def size(quick: bool, seed: int) -> Iterator[dict[str, object]]:
    """Rejections where every pair is independent."""
    for subjects, items, missing, sets in SIZES[:1] if quick else SIZES:
        count = 6 if quick else sets
        found: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for number in range(count):
            rng = np.random.default_rng([seed, subjects, items, int(100 * missing), number])
            fit = _fit(_codes(rng, subjects, items, missing))
            for method in ("LD-X2", "LD-G2"):
                table = local_dependence(fit, method)
                rates = (float((table["p"] <= LEVEL).mean()), float(table["flag"].any()))
                found.setdefault((method, "chi-square"), []).append(rates)
            for method, (p, familywise) in bootstrapped(fit, number).items():
                rates = (float((p <= LEVEL).mean()), float((familywise <= LEVEL).any()))
                found.setdefault((method, "bootstrap"), []).append(rates)
            _tell(f"size {subjects} x {items}", number, count)
        label = f"{subjects} x {items}" + (f", {missing:.0%} missing" if missing else "")
        for (method, reference), rates in found.items():
            pairs, flagged = (_mean(column) for column in zip(*rates, strict=True))
            yield {"data": label, "method": method, "p from": reference, "data sets": count} | {
                "pairs": pairs,
                "any": flagged,
            }


def bootstrapped(fit: Calibration, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """p-values and familywise p-values of every pair, by method, all from the same replications to save time."""
    observed = [np.asarray(test.columns(fit)[test.extreme], float) for test in BOOTSTRAPPED]
    largest: list[list[float]] = []

    def extremes(replication: Calibration) -> np.ndarray:
        parts = [np.asarray(test.columns(replication)[test.extreme], float) for test in BOOTSTRAPPED]
        largest.append([float(np.nanmax(part)) for part in parts])
        return np.concatenate(parts)

    null = bootstrap_null("both", fit, np.concatenate(observed), extremes, REPLICATIONS, seed, silent)
    found = {}
    for test, values, p, heights in zip(
        BOOTSTRAPPED, observed, np.split(null.p, len(BOOTSTRAPPED)), np.array(largest).T, strict=True
    ):
        above = (heights[:, None] >= values).sum(axis=0)
        found[test.name] = (p, (1.0 + above) / (1.0 + len(heights)))
    return found


def power(quick: bool, seed: int) -> Iterator[dict[str, object]]:
    """How often the planted pair is found, and is the first of all."""
    kinds = [("surface", each) for each in SURFACE] + [("underlying", each) for each in UNDERLYING]
    for kind, strength in kinds[2:3] if quick else kinds:
        count = 6 if quick else POWER_SETS
        found: dict[str, list[tuple[float, float, float]]] = {}
        for number in range(count):
            rng = np.random.default_rng([seed, kind == "surface", int(100 * strength), number])
            fit = _fit(_codes(rng, 500, 20, 0.0, kind, strength))
            pair = tuple(fit.item_names[k] for k in PAIR)
            familywise = {method: p for method, (_, p) in bootstrapped(fit, number).items()}
            for method in METHODS:
                table = local_dependence(fit, method)
                first = float(table["statistic"].idxmax() == pair)
                chi = float(table.loc[pair, "flag"]) if method.startswith("LD") else np.nan
                at = int(np.argmax([each == pair for each in table.frame.index]))
                boot = float(familywise[method][at] <= LEVEL) if method in familywise else np.nan
                found.setdefault(method, []).append((first, chi, boot))
            _tell(f"power {kind} {strength:g}", number, count)
        for method, rates in found.items():
            first, chi, boot = (_mean(column) for column in zip(*rates, strict=True))
            yield {"planted": f"{kind} {strength:g}", "method": method, "data sets": count} | {
                "largest of all": first,
                "flagged, chi-square and Holm": chi,
                "flagged, bootstrap": boot,
            }


def real(folder: Path, quick: bool, seed: int) -> Iterator[dict[str, object]]:
    """Are pairs within testlets the most dependent ones, and is a test known not to fit seen as such?"""
    for name in REAL:
        path = folder / f"{name}.csv.gz"
        if not path.exists():
            raise InputError("is not there", str(path), f"Give a folder with {', '.join(REAL)} as .csv.gz")
        fit = fit_mml(read_responses(path))
        for method in METHODS:
            options = {} if method == "JSI" else {"bootstrap": 40 if quick else 200, "seed": seed}
            table = local_dependence(fit, method, **options)
            row: dict[str, object] = {"data": f"{name}, {fit.nobs:.0f} x {len(fit.item_names)}", "method": method}
            row["flagged, bootstrap"] = f"{len(table.flagged)} of {len(table)}" if options else "-"
            row |= _testlets(table["statistic"].to_numpy(float), TESTLETS.get(name))
            largest = table["statistic"].idxmax()
            row["largest"] = f"{' '.join(largest)}: {table.loc[largest, 'statistic']:.2f}"
            yield row
        print(f"local dependence: {name}", file=sys.stderr)


def _testlets(value: np.ndarray, testlets: tuple[int, ...] | None) -> dict[str, str]:
    """Of the five largest pairs those within testlets, and the area under the ROC curve over all pairs."""
    if testlets is None:
        return {"of the top 5 within testlets": "-", "AUC": "-"}
    groups = np.array(testlets)
    first, second = np.triu_indices(len(groups), 1)
    within = groups[first] == groups[second]
    ranks = rankdata(value)
    many = int(within.sum())
    area = (ranks[within].sum() - many * (many + 1) / 2.0) / (many * int((~within).sum()))
    return {
        "of the top 5 within testlets": str(int(within[np.argsort(-value)[:5]].sum())),
        "AUC": f"{area:.3f}",
    }


def _codes(
    rng: np.random.Generator, subjects: int, items: int, missing: float, kind: str = "", strength: float = 0.0
) -> np.ndarray:
    """2PL answers, log a ~ N(.2, .3), b ~ N(0, 1), with a pair planted in the style of Chen & Thissen (1997)."""
    theta, own = rng.standard_normal((2, subjects, 1))
    slopes, difficulty = np.exp(rng.normal(0.2, 0.3, items)), rng.standard_normal(items)
    load = np.zeros(items)
    if kind == "underlying":
        load[list(PAIR)] = strength
    codes = (rng.random((subjects, items)) < expit(slopes * (theta - difficulty) + load * own)).astype(np.int8)
    if kind == "surface":
        copies = rng.random(subjects) < strength
        codes[copies, PAIR[1]] = codes[copies, PAIR[0]]
    codes[rng.random(codes.shape) < missing] = -1
    return codes


def _fit(codes: np.ndarray) -> Calibration:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit_mml(Responses.from_array(codes))


def _mean(values: tuple[float, ...]) -> str:
    """Mean and its standard error."""
    each = np.array(values)
    if np.isnan(each).any():
        return "-"
    return f"{each.mean():.3f} +- {each.std(ddof=1) / np.sqrt(len(each)):.3f}"


def _tell(what: str, number: int, count: int) -> None:
    if (number + 1) % 10 == 0 or number + 1 == count:
        print(f"local dependence: {what}, {number + 1} of {count} data sets", file=sys.stderr)


def main(arguments: list[str] | None = None) -> int:
    """Run the study and print its page; 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m validation.diagnostics.local_dependence", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for the page and the JSON file")
    parser.add_argument("--data", type=Path, help="folder of the real data")
    parser.add_argument("--quick", action="store_true", help="a few data sets only")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        print(study(options.out, options.quick, options.data, options.seed))
    except InputError as error:
        print(f"local dependence: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
