"""The study as a page (Markdown) and as a file (JSON)."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

import psyirt
from psyirt.foundation.files import write_text
from validation.recovery.judge import EACH_GOAL, LEVEL, POOLED_GOAL, Verdict

_HEAD = ["goal", "measured", "met", "if the method were exact"]
_MOST_ROWS = 12


def write(verdict: Verdict, folder: Path) -> tuple[Path, Path]:
    """Write recovery.md and recovery.json into `folder`; each is whole or absent."""
    page, data = folder / "recovery.md", folder / "recovery.json"
    write_text(data, json.dumps(as_json(verdict), indent=1, allow_nan=False) + "\n")
    write_text(page, as_markdown(verdict))
    return page, data


def as_json(verdict: Verdict) -> dict[str, object]:
    """Everything on the page and the table of parameters, as plain values."""
    low, high = verdict.parameters["coverage"].min(), verdict.parameters["coverage"].max()
    return {
        "psyirt": psyirt.__version__,
        "design": asdict(verdict.design),
        "pooled_coverage": {
            "value": verdict.pooled_coverage,
            "monte_carlo_se": verdict.pooled_mc_error,
            "goal": POOLED_GOAL,
            "met": verdict.pooled_met,
        },
        "coverage_per_parameter": {
            "lowest": float(low),
            "highest": float(high),
            "outside": len(verdict.outside),
            "goal": EACH_GOAL,
            "met": verdict.outside.empty,
            "expected_by_chance": asdict(verdict.chance),
        },
        "bias": {
            "beyond_limit": len(verdict.biased),
            "met": verdict.biased.empty,
            "probability_met_if_unbiased": verdict.unbiased_probability,
        },
        "not_converged": verdict.not_converged,
        "without_interval": verdict.without_interval,
        "seconds_per_fit": verdict.fit_seconds,
        "seconds_per_standard_errors": verdict.error_seconds,
        "by_parameter": _records(verdict.by_slot),
        "parameters": _records(verdict.parameters),
    }


def _records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    """Rows as plain values; what is not available is null."""
    plain = frame.reset_index().astype(object)
    return plain.where(plain.notna(), None).to_dict("records")


def as_markdown(verdict: Verdict) -> str:
    """The page."""
    design = verdict.design
    lines = [
        f"# Recovery of 2PL parameters: {design.subjects} subjects x {design.items} items",
        _how(verdict),
        "\n".join(_row(cells) for cells in (_HEAD, ["---"] * len(_HEAD), *_goals(verdict))),
        (
            f"Not converged: {verdict.not_converged} of {design.replications} fits. Intervals that could not be given: "
            f"{verdict.without_interval}. Median time: {verdict.fit_seconds:.2f} s to fit, "
            f"{verdict.error_seconds:.2f} s for the standard errors."
        ),
        "## By parameter",
        _table(
            verdict.by_slot.reset_index().set_axis(
                ["parameter", "coverage", "lowest", "highest", "bias / SE, mean", "SE / sd of estimates, mean"], axis=1
            )
        ),
    ]
    distance = (verdict.outside["coverage"] - LEVEL).abs()
    lines += _worst("Coverage outside the goal", verdict.outside, distance)
    lines += _worst("Bias beyond the limit", verdict.biased, verdict.biased["bias"].abs() / verdict.biased["mean_se"])
    return "\n\n".join(lines) + "\n"


def _how(verdict: Verdict) -> str:
    """What was done, in a paragraph."""
    return (
        f"{verdict.design.replications} replications, seed {verdict.design.seed}, psyirt {psyirt.__version__}. Item "
        "parameters (log a ~ N(.2, .3), b ~ N(0, 1)) are drawn once, abilities N(0, 1) and answers anew for each "
        "replication; fit by MML, standard errors from the observed information (Louis), Wald intervals on a and "
        "intercept."
    )


def _goals(verdict: Verdict) -> list[list[str]]:
    """Rows: goal, what was measured, whether it is met, what chance would do."""
    chance, each = verdict.chance, verdict.parameters["coverage"]
    return [
        [
            "pooled coverage of 95 % intervals 94-96 %",
            f"{verdict.pooled_coverage:.2%} (Monte Carlo SE {verdict.pooled_mc_error:.2%})",
            _yes(verdict.pooled_met),
            "95 %",
        ],
        [
            f"coverage of each of {len(each)} parameters 90-98.5 %",
            f"{each.min():.1%} to {each.max():.1%}, {len(verdict.outside)} outside",
            _yes(verdict.outside.empty),
            (
                f"{chance.lowest:.1%} to {chance.highest:.1%}, {chance.expected_outside:.1f} outside expected; "
                f"none outside with probability {chance.probability_inside:.2f}"
            ),
        ],
        [
            "bias of each below .1 SE + 2 Monte Carlo SE",
            f"{len(verdict.biased)} beyond",
            _yes(verdict.biased.empty),
            f"none beyond with probability {verdict.unbiased_probability:.2f}",
        ],
    ]


def _worst(title: str, rows: pd.DataFrame, distance: pd.Series) -> list[str]:
    """A section with the farthest rows, nothing where there are none."""
    if rows.empty:
        return []
    farthest = rows.loc[distance.sort_values(ascending=False, kind="stable").index[:_MOST_ROWS]]
    shown = f" (the farthest {_MOST_ROWS} of {len(rows)}; all are in recovery.json)" if len(rows) > _MOST_ROWS else ""
    return [f"## {title}{shown}", _table(farthest.reset_index())]


def _table(frame: pd.DataFrame) -> str:
    """A Markdown table, numbers with four decimals."""
    rows = [[f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row] for row in frame.to_numpy(object)]
    head = [str(name) for name in frame.columns]
    return "\n".join(_row(cells) for cells in (head, ["---"] * len(head), *rows))


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _yes(met: bool) -> str:
    return "yes" if met else "no"
