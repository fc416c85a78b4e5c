"""M2 and the likelihood ratio of 2PL within 3PL: how often they reject a true model, and M2 a false one.

Self-contained: ``study(out, quick)``, or from the command line
``python -m validation.diagnostics.model_fit --out DIR [--quick] [--data DIR]``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from psyirt.data.readers import read_responses
from psyirt.data.responses import Responses
from psyirt.diagnostics import compare_models, model_fit
from psyirt.errors import ConvergenceWarning
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.files import write_text
from psyirt.simulation import simulate_responses

LEVEL = 0.05
Row = dict[str, float | str]

# (model, subjects, items, share missing, booklets, replications, replications of a quick run)
SIZES = (
    ("2PL", 500, 10, 0.0, None, 1000, 40),
    ("2PL", 1000, 20, 0.0, None, 500, 20),
    ("2PL", 500, 10, 0.1, None, 500, 20),
    ("2PL", 1000, 20, 0.1, None, 100, 4),
    ("2PL", 1000, 20, 0.0, 5, 200, 10),
    ("2PL", 200, 30, 0.0, None, 300, 10),
    ("1PL", 1000, 20, 0.0, None, 300, 10),
    ("3PL", 1000, 20, 0.0, None, 300, 10),
)
# (subjects, items, correlation of the two abilities)
POWERS = ((500, 10, 0.8), (500, 10, 0.5), (1000, 20, 0.8), (1000, 20, 0.95))
# the fewest draws whose smallest p-value is .05
BOOTSTRAP = 19


def study(out: Path, quick: bool, data: Path | None = None) -> list[Row]:
    """Run everything; write model_fit.json and model_fit.md into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    real = real_data(data) if data is not None else []
    rows: list[Row] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # written anew after each row: what is finished is kept when a run is stopped
        for row in itertools.chain(powers(quick), sizes(quick), edge(quick)):
            rows.append(row)
            write_text(out / "model_fit.json", json.dumps({"rates": rows, "real data": real}, indent=1) + "\n")
            write_text(out / "model_fit.md", page(rows, real))
    return rows


def sizes(quick: bool) -> Iterator[Row]:
    """Rejections of M2 where the model is true; default priors for 3PL."""
    for model, subjects, items, missing, booklets, full, few in SIZES:
        kinds = [f"{missing:.0%} missing"] * (missing > 0) + ["booklets"] * (booklets is not None)
        label = ", ".join([f"{model}, {subjects} x {items}", *kinds])

        def one(seed: int, n=subjects, j=items, m=missing, b=booklets, name=model) -> float:
            # a seed in a thousand makes a slope run away: that fit has a note, and counts like any other
            responses = simulate_responses(n, j, name, seed=seed, missing=m, booklets=b).responses
            return model_fit(fit_mml(responses, name)).p

        yield rate("M2, size", label, one, few if quick else full)


def powers(quick: bool) -> Iterator[Row]:
    """Rejections of M2 where items measure two abilities in turn."""
    for subjects, items, correlation in POWERS:

        def one(seed: int, n=subjects, j=items, r=correlation) -> float:
            return model_fit(fit_mml(two_abilities(n, j, r, seed))).p

        label = f"2PL, {subjects} x {items}, two abilities of correlation {correlation}"
        yield rate("M2, power", label, one, 10 if quick else 200)


def two_abilities(subjects: int, items: int, correlation: float, seed: int) -> Responses:
    """Even items measure one ability, odd items another; slopes 1.3."""
    rng = np.random.default_rng(seed)
    abilities = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], subjects)
    chance = 1 / (1 + np.exp(-1.3 * (abilities[:, np.arange(items) % 2] - np.linspace(-1.5, 1.5, items))))
    return Responses.from_array(rng.random(chance.shape) < chance)


def edge(quick: bool) -> Iterator[Row]:
    """2PL within 3PL where 2PL is true: plain chi-square, both bounds, and the bootstrap of fewer data sets."""
    count, few = (10, 4) if quick else (300, 60)
    found: dict[str, list[float]] = {"plain chi-square": [], "upper bound": [], "lower bound": [], "bootstrap": []}
    for seed in range(count):
        progress("likelihood ratio", seed, count)
        responses = simulate_responses(500, 6, seed=seed).responses
        fits = fit_mml(responses, "2PL"), fit_mml(responses, "3PL", priors={"c": None})
        drawn = {"bootstrap": BOOTSTRAP, "seed": seed} if seed < few else {}
        row = compare_models(*fits, **drawn).tests.iloc[0]
        found["plain chi-square"].append(plain(row["statistic"], int(row["df"])))
        found["upper bound"].append(row["p_high"])
        found["lower bound"].append(row["p_low"])
        found["bootstrap"] += [row["p_bootstrap"]] * (seed < few)
    for name, p in found.items():
        how = f"{name}, {BOOTSTRAP} draws" if name == "bootstrap" else name
        yield summary("likelihood ratio, size", f"2PL within 3PL, 500 x 6: {how}", np.array(p))


def plain(statistic: float, df: int) -> float:
    """The tail probability that ignores the edge."""
    from scipy.stats import chi2

    return float(chi2.sf(max(statistic, 0.0), df))


def rate(test: str, label: str, one: Callable[[int], float], count: int) -> Row:
    """Rejections over seeds 0, 1, ...; a p-value of NaN is "not valid" and no rejection."""
    p = []
    for seed in range(count):
        progress(label, seed, count)
        p.append(one(seed))
    return summary(test, label, np.array(p))


def summary(test: str, label: str, p: np.ndarray) -> Row:
    """Share of p-values up to .05 and .01 with the standard error of chance at that share."""
    valid = p[np.isfinite(p)]
    share = float(np.mean(valid <= LEVEL)) if len(valid) else math.nan
    return {
        "test": test,
        "condition": label,
        "rejected": share,
        "se": math.sqrt(share * (1 - share) / len(valid)) if len(valid) else math.nan,
        "at .01": float(np.mean(valid <= 0.01)) if len(valid) else math.nan,
        "data sets": len(valid),
        "not valid": int(len(p) - len(valid)),
    }


def progress(label: str, step: int, count: int) -> None:
    """A line now and then."""
    if step % max(1, count // 5) == 0:
        print(f"model fit: {label}: {step} of {count}", file=sys.stderr, flush=True)


def real_data(folder: Path) -> list[Row]:
    """WIRS (Bartholomew 1998), known not to be of one dimension."""
    responses = read_responses(folder / "wirs.csv.gz", subject="subject")
    rows: list[Row] = []
    for model in ("1PL", "2PL"):
        fit = model_fit(fit_mml(responses, model))
        rows.append({"data": "wirs", "model": model} | {name: fit[name] for name in ("M2", "df", "p", "rmsea", "cfi")})
    return rows


def page(rows: list[Row], real: list[Row]) -> str:
    """The tables."""
    parts = ["# Fit of the whole model: size and power\n", table(rows)]
    return "\n".join([*parts, "", table(real), ""] if real else [*parts, ""])


def table(rows: list[Row]) -> str:
    """Markdown."""
    head = list(rows[0])
    lines = [head, ["---"] * len(head), *([_cell(row[name]) for name in head] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cell(value: float | str) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def main(arguments: list[str] | None = None) -> int:
    """Run the study and print its page."""
    parser = argparse.ArgumentParser(prog="python -m validation.diagnostics.model_fit", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, help="folder with wirs.csv.gz")
    options = parser.parse_args(arguments)
    study(options.out, options.quick, options.data)
    print((options.out / "model_fit.md").read_text(encoding="utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
