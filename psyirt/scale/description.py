"""A scale as text: what it can tell apart comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psyirt.foundation.words import counted
from psyirt.scale.baselines import perfect_labels
from psyirt.scale.crowd import Crowd

if TYPE_CHECKING:
    from psyirt.scale.scale import Scale

# printing must stay short for banks of thousands of items
_ROWS_SHOWN = 60
_SHOWN = ("a", "se_a", "b", "se_b", "c", "d", "model", "key")


def scale_text(scale: Scale, with_items: bool = True) -> str:
    """Quality, crowd, key, origin, and the items if asked for.

    Parameters
    ----------
    scale : Scale
        What to describe.
    with_items : bool
        Whether to add the table of items.

    Returns
    -------
    str
    """
    lines = [f"Scale {scale.name!r}"]
    lines += scale.quality.lines()
    lines += _crowd_lines(scale) + _key_lines(scale) + _origin_lines(scale)
    if with_items:
        shown = [name for name in _SHOWN if name in scale.item_table.columns]
        lines += ["", scale.items[shown].round(3).to_string(max_rows=_ROWS_SHOWN)]
    return "\n".join(lines)


def _crowd_lines(scale: Scale) -> list[str]:
    """The people, and the shape of their ability."""
    population = scale.population
    density = f"ability           {population.text}"
    crowd = scale.crowd
    if crowd is None:
        return [density, "crowd             none: no crowd percentiles"]
    lines = [_crowd_line(crowd), density]
    return [*lines, *shape_lines(scale)]


def shape_lines(scale: Scale) -> list[str]:
    """Whether the crowd's ability is normal, as percentiles assume, and what it looks like if left free.

    Parameters
    ----------
    scale : Scale
        What to describe.

    Returns
    -------
    list of str
        Empty where there is no crowd.
    """
    lines = []
    test = scale.normality
    if test is not None and test.available:
        lines.append(
            f"normal ability?   X2 = {test.adjusted:.1f} on {test.df:.1f} df, p = {test.p:.3g} (score distribution)"
        )
        # what to know about it, e.g. that it speaks of complete rows only
        lines += [f"                  {test.note}"] if test.note else []
    elif test is not None:
        lines.append(f"normal ability?   {test.note}")
    shape = scale.histogram
    if shape is not None:
        moments = (
            f"mean {shape.mean:.2f}, sd {shape.sd:.2f}, skewness {shape.skewness:.2f}, kurtosis {shape.kurtosis:.2f}"
        )
        lines.append(f"free histogram    {moments}; log-likelihood +{shape.log_likelihood_gain:.1f} ({shape.status})")
    return lines


def _crowd_line(crowd: Crowd) -> str:
    text = f"crowd             {counted(crowd.n, 'subject')}, {crowd.mean_accuracy:.1%} correct"
    if crowd.recruitment:
        text += f"; {crowd.recruitment}"
    return text if crowd.exact else f"{text}; percentiles from a table of quantiles, good to 0.05 points"


def _key_lines(scale: Scale) -> list[str]:
    """Labels, and what a constant answer would score."""
    lines = []
    if scale.label_set:
        lines.append(f"labels            {', '.join(scale.label_set)}")
    lines += [
        f"caution: always answering {label!r} is right on every item of this scale; read it beside the other classes'"
        for label in perfect_labels(scale)
    ]
    if len(scale.key) < len(scale.item_names):
        lines.append("no complete answer key: no constant-label baselines")
    if len(scale.n_options) < len(scale.item_names):
        lines.append("option counts unknown: no random baseline")
    return lines


def _origin_lines(scale: Scale) -> list[str]:
    """Model, version and how many steps led here."""
    origin = scale.provenance
    line = (
        f"made by           psyirt {origin.get('psyirt', '?')}, {origin.get('model', '?')}, {origin.get('status', '?')}"
    )
    digest = origin.get("data_digest")
    if isinstance(digest, str):
        line += f", data {digest[:15]}"
    rows = len(scale.history_table)
    return [line] + ([f"history           {counted(rows, 'item')} left on the way"] if rows else [])
