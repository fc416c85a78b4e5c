"""The pictures, as altair charts; colours are Okabe and Ito's, and nothing is said by colour alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from validation.lalor2016.inputs import GROUPS

COLOURS = {"contradiction": "#D55E00", "entailment": "#0072B2", "neutral": "#007A5A"}
_INK, _GRID, _PALE = "#222222", "#e3e3e3", "#eeeeee"
_WIDTH = 258
_MARKS = {"F": "#E69F00", "S": "#56B4E9", "L": "#CC79A7", "E": "#999999", "": _PALE}
_BIN = 0.25


def finished(chart: Any) -> Any:
    """The same look for every chart."""
    return (
        chart.configure(font="Helvetica, Arial, sans-serif", aria=False, background="transparent")
        .configure_axis(
            labelColor=_INK, titleColor=_INK, gridColor=_GRID, domainColor=_INK, tickColor=_INK, labelFontSize=12,
            titleFontSize=12, titleFontWeight="normal",
        )
        .configure_view(stroke=None)
        .configure_legend(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", labelColor=_INK)
    )  # fmt: skip


def retained_chart(tiles: pd.DataFrame) -> Any:
    """A tile per item and choice; a letter says why it left.

    Parameters
    ----------
    tiles : DataFrame
        Columns position, who, mark ("" kept, else F, S, L or E).
    """
    import altair as alt

    base = alt.Chart(tiles).encode(
        x=alt.X("position:O", title="place in the class", axis=alt.Axis(
            values=[1, 5, 10, 15, 20, 25, 30], labelAngle=0, ticks=False, domain=False)),
        y=alt.Y("who:N", title=None, sort=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=90)),
    )  # fmt: skip
    colour = alt.Color("mark:N", scale=alt.Scale(domain=list(_MARKS), range=list(_MARKS.values())), legend=None)
    letters = base.mark_text(fontSize=10, fontWeight="bold", color=_INK).encode(text="mark:N")
    squares = base.mark_rect(stroke="white", strokeWidth=1).encode(color=colour)
    return finished((squares + letters).properties(width=_WIDTH, height=72))


def ability_chart(workers: pd.DataFrame, system: tuple[int, float], group: str) -> Any:
    """Figure 4: ability against number correct, a circle per distinct pair, the LSTM a diamond.

    Parameters
    ----------
    workers : DataFrame
        Columns correct, theta, n.
    system : pair
        The LSTM's number correct and ability.
    group : str
        The class, for its colour.
    """
    import altair as alt

    low, high = int(workers["correct"].min()), int(workers["correct"].max())
    circles = (
        alt.Chart(workers)
        .mark_circle(color=COLOURS[group], opacity=0.5)
        .encode(
            x=alt.X("correct:Q", title="number correct", scale=alt.Scale(domain=[low - 1, high + 1], nice=False)),
            y=alt.Y("theta:Q", title="ability (EAP)"),
            size=alt.Size("n:Q", title="workers", scale=alt.Scale(type="sqrt", range=[10, 260]), legend=alt.Legend(
                orient="top", values=_round_counts(workers["n"]), symbolFillColor=COLOURS[group])),
        )
    )  # fmt: skip
    point = pd.DataFrame({"correct": [system[0]], "theta": [system[1]]})
    diamond = (
        alt.Chart(point)
        .mark_point(shape="diamond", size=130, filled=True, fill=_INK, stroke="white", opacity=1)
        .encode(x="correct:Q", y="theta:Q")
    )
    label = (
        alt.Chart(point)
        .mark_text(align="right", dx=-10, dy=-8, fontSize=12, color=_INK)
        .encode(x="correct:Q", y="theta:Q", text=alt.value("LSTM"))
    )
    return finished((circles + diamond + label).properties(width=_WIDTH, height=270))


def _round_counts(counts: pd.Series) -> list[int]:
    """Two or three counts for a legend."""
    most = int(counts.max())
    return [value for value in (1, 10, 50, 100, 200, 400) if value <= most][:: 2 if most >= 100 else 1]


def scree_chart(eigenvalues: dict[str, pd.DataFrame]) -> Any:
    """Eigenvalues of the tetrachoric matrices, a line each, told apart by shape as well."""
    import altair as alt

    frame = pd.concat(
        [table.reset_index()[["factor", "eigenvalue"]].assign(items=name) for name, table in eigenvalues.items()]
    )
    names = list(eigenvalues)
    colours = ["#222222", *(COLOURS[group] for group in GROUPS)]
    legend = alt.Legend(orient="top", columns=2, symbolSize=80)
    base = alt.Chart(frame).encode(
        x=alt.X("factor:O", title="factor", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("eigenvalue:Q", title="eigenvalue"),
        color=alt.Color("items:N", scale=alt.Scale(domain=names, range=colours), legend=legend, title=None),
    )
    forms = alt.Scale(domain=names, range=["circle", "square", "triangle-up", "diamond"])
    points = base.mark_point(size=55, filled=True, opacity=1).encode(
        shape=alt.Shape("items:N", scale=forms, legend=legend, title=None)
    )
    return finished((base.mark_line() + points).properties(width=_WIDTH, height=240))


def information_chart(information: pd.DataFrame, theta: np.ndarray, group: str) -> Any:
    """Test information above the crowd's abilities, on one axis of theta.

    Parameters
    ----------
    information : DataFrame
        Index theta; column information.
    theta : ndarray, shape (N,)
        The crowd's abilities.
    group : str
        The class, for its colour.
    """
    import altair as alt

    curve = information.reset_index()
    span = [float(curve["theta"].min()), float(curve["theta"].max())]
    across = alt.Scale(domain=span, nice=False)
    quiet = alt.Axis(labels=False, ticks=False)
    width = alt.Axis(minExtent=34, maxExtent=34, tickCount=4)
    line = (
        alt.Chart(curve)
        .mark_area(line={"color": COLOURS[group]}, color=COLOURS[group], opacity=0.2)
        .encode(
            x=alt.X("theta:Q", title=None, scale=across, axis=quiet),
            y=alt.Y("information:Q", title="information", axis=width),
        )
        .properties(width=_WIDTH, height=130)
    )
    edges = np.arange(np.floor(span[0] / _BIN), np.ceil(span[1] / _BIN) + 1) * _BIN
    counts = np.histogram(theta, edges)[0]
    bars = (
        alt.Chart(pd.DataFrame({"from": edges[:-1], "to": edges[1:], "workers": counts, "none": 0}))
        .mark_rect(color=COLOURS[group], stroke="white", strokeWidth=0.5)
        .encode(x=alt.X("from:Q", title="ability", scale=across), x2="to:Q",
                y=alt.Y("workers:Q", title="workers", axis=width), y2="none:Q")
        .properties(width=_WIDTH, height=100)
    )  # fmt: skip
    return finished(alt.vconcat(line, bars, spacing=8))
