"""Run the study: ``python -m validation.latent --replications 10 --out DIR``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pandas as pd

from psyirt.foundation.files import write_text
from validation.latent.study import DENSITIES, SHAPES, run


def main(arguments: list[str] | None = None) -> int:
    """Simulate, fit, compare; print the table and write latent.md and latent.csv."""
    parser = argparse.ArgumentParser(prog="python -m validation.latent", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for latent.md and latent.csv")
    parser.add_argument("--subjects", type=int, default=2000)
    parser.add_argument("--items", type=int, default=25)
    parser.add_argument("--replications", type=int, default=10)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    parts = []
    for shape in SHAPES:
        parts.append(run(shape, options.subjects, options.items, range(1, options.replications + 1)))
        print(f"latent: {shape} done", file=sys.stderr, flush=True)
    whole = pd.concat(parts)
    write_text(options.out / "latent.csv", whole.to_csv(index=False))
    page = as_markdown(whole)
    write_text(options.out / "latent.md", page)
    print(page)
    return 0


def as_markdown(rows: pd.DataFrame) -> str:
    """Means over data sets, a line for each shape and density."""
    lines = [
        "| ability | fitted as | RMSE(a) | RMSE(b) | density error | percentile error | log-likelihood gain | orders |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for shape in SHAPES:
        for latent in DENSITIES:
            some = rows[(rows["shape"] == shape) & (rows["latent"] == latent)]
            mean = some[["rmse_a", "rmse_b", "density_error", "share_error", "gain"]].mean()
            density = "-" if pd.isna(mean["density_error"]) else f"{mean['density_error']:.4f}"
            orders = " ".join(f"{order:.0f}" for order in sorted(some["order"].dropna())) or "-"
            lines.append(
                f"| {shape} | {latent} | {mean['rmse_a']:.3f} | {mean['rmse_b']:.3f} | {density} | "
                f"{100 * mean['share_error']:.2f} | {mean['gain']:.1f} | {orders} |"
            )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
