"""Seconds against responses, log-log: every engine on the complete 2PL workloads."""

from __future__ import annotations

import math
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from psyirt.foundation.files import atomic_path
from validation.speed.page import Run
from validation.speed.recorded import MIRT_R

# Okabe and Ito's colours, a shape each: nothing is said by colour alone
_LOOKS = {
    "psyirt": ("#D55E00", "circle"),
    "theta-irt": ("#0072B2", "square"),
    "mirt (Python)": ("#009E73", "triangle-up"),
    "mirt (Python), 61 nodes": ("#56B4E9", "triangle-down"),
    "girth": ("#CC79A7", "diamond"),
    "py-irt": ("#E69F00", "cross"),
    "py-irt, hierarchical": ("#8A6D00", "triangle-left"),
    "R mirt (recorded CPU s)": ("#222222", "triangle-right"),
}
_OTHER = ("#777777", "square")
_RECORDED = "R mirt (recorded CPU s)"


def draw(run: Run, folder: Path) -> str:
    """Write results.svg and results.png; the line for the page, which says so where they cannot be drawn."""
    points = seconds_by_size(run)
    if points.empty:
        return "No picture: no complete 2PL workload was measured."
    try:
        vl_convert = import_module("vl_convert")
        specification = chart(points).to_json()
    except ImportError as error:
        return f"No picture: it needs {error.name} (the extra `report`)."
    with atomic_path(folder / "results.svg") as path:
        path.write_text(vl_convert.vegalite_to_svg(specification), encoding="utf-8")
    with atomic_path(folder / "results.png") as path:
        path.write_bytes(vl_convert.vegalite_to_png(specification, scale=2))
    return "![Seconds of a 2PL fit against the number of responses, both on log scales, a line per engine](results.svg)"


def seconds_by_size(run: Run) -> pd.DataFrame:
    """Columns engine, responses, seconds, of complete 2PL workloads without priors."""
    sizes = {w.name: w.responses for w in run.workloads if w.model == "2PL" and w.observed == 1.0 and not w.priors}
    found = [(row.engine, sizes[row.workload], row.fit) for row in run.rows if row.workload in sizes and row.fit]
    if found:
        recorded = [r for r in MIRT_R if r.workload in sizes and not r.errors]
        found += [(_RECORDED, sizes[r.workload], r.seconds) for r in recorded]
    return pd.DataFrame(found, columns=["engine", "responses", "seconds"]).sort_values(["engine", "responses"])


def decades(values: pd.Series) -> list[float]:
    """Powers of ten that hold the values between them."""
    low, high = math.floor(math.log10(values.min())), math.ceil(math.log10(values.max()))
    return [10.0**power for power in range(low, max(high, low + 1) + 1)]


def _log(ticks: list[float]) -> Any:
    """A log scale from the first tick to the last."""
    import altair as alt

    return alt.Scale(type="log", domain=[ticks[0], ticks[-1]])


def chart(points: pd.DataFrame) -> Any:
    """The picture."""
    import altair as alt

    names = list(dict.fromkeys(points["engine"]))
    present = [name for name in _LOOKS if name in names] + [name for name in names if name not in _LOOKS]
    looks = [_LOOKS.get(name, _OTHER) for name in present]
    across, up = decades(points["responses"]), decades(points["seconds"])
    base = alt.Chart(points).encode(
        x=alt.X("responses:Q", title="responses", axis=alt.Axis(format=",", values=across), scale=_log(across)),
        y=alt.Y("seconds:Q", title="seconds of a fit", axis=alt.Axis(format="~g", values=up), scale=_log(up)),
        color=alt.Color(
            "engine:N", title=None, sort=present, scale=alt.Scale(domain=present, range=[colour for colour, _ in looks])
        ),
    )
    shape = alt.Shape(
        "engine:N", title=None, sort=present, scale=alt.Scale(domain=present, range=[mark for _, mark in looks])
    )
    marks = base.mark_line(strokeWidth=1.5) + base.mark_point(size=70, filled=True, opacity=1).encode(shape=shape)
    return (
        marks.properties(width=520, height=360, title="2PL, complete data: point estimates in a warm process")
        .configure(font="Helvetica, Arial, sans-serif", background="white")
        .configure_axis(gridColor="#e3e3e3")
    )
