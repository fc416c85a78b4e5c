"""Pruning rules: what makes an item leave a scale, and why.

A rule is called with the evidence of one fit and returns the items it flags, each with the value and the threshold
that condemned it. Thresholds are the rule's fields; docs/explanation/pruning.md argues for the defaults with the
share of good items they remove. To add a rule, write another such class and pass it in ``rules=``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, Protocol

import pandas as pd

from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.registry import Registry
from psyirt.models.slope_metric import RUNAWAY_SLOPE, communality, slope_of_loading
from psyirt.results.table import StatisticTable
from psyirt.scale.evidence import Evidence


@dataclass(frozen=True)
class Flag:
    """One item a rule would remove.

    Attributes
    ----------
    item : str
        The item.
    rule : str
        The rule's name.
    value, threshold : float
        What was found, and the bound it crossed. Of a rule with several bounds this is the effect size's where one
        is set, else the p-value's; `reason` has them all.
    reason : str
        The same in words.
    """

    item: str
    rule: str
    value: float
    threshold: float
    reason: str


# every threshold that has a range, by its field's name; the others need only be finite
_RANGES = {
    "alpha": (0.0, 1.0),
    "min_communality": (0.0, 1.0),
    "standard_errors": (0.0, math.inf),
    "min_rmsea": (0.0, math.inf),
    "min_v": (0.0, 1.0),
    "min_standardized": (0.0, math.inf),
}


def _refuse_odd_thresholds(rule: object) -> None:
    """Refuse a threshold that is no number or out of its range: such a rule could never fire, or always would."""
    for each in fields(rule):  # type: ignore[arg-type]
        value, place = getattr(rule, each.name), f"rule {type(rule).__name__}"
        if isinstance(each.default, bool):
            require(value, bool, each.name, place, "Give True or False")
        elif isinstance(each.default, float):
            require(value, Real, each.name, place, "Give a number")
            low, high = _RANGES.get(each.name, (-math.inf, math.inf))
            if not (math.isfinite(value) and low <= value <= high):
                room = "a finite number" if math.isinf(low) else f"a number from {low:g}"
                remedy = f"Give {room}" + ("" if math.isinf(high) else f" to {high:g}")
                raise InputError(f"{each.name} is {value}", place, remedy)


def tested(table: StatisticTable, rule: str) -> pd.DataFrame:
    """The rows of a table a rule may judge by; one without a null distribution is refused.

    Parameters
    ----------
    table : StatisticTable
        Of a statistic.
    rule : str
        Who asks.

    Raises
    ------
    InputError
        If the statistic has no null distribution: items would leave for what is chance.
    """
    if not table.has_null:
        raise InputError(f"{table.name} has no null distribution", f"rule {rule}", "Judge by S-X2 or LD-X2")
    return table.frame


class Rule(Protocol):
    """What the builder asks of a rule."""

    @property
    def name(self) -> str:
        """Its name in the history."""

    def __call__(self, evidence: Evidence) -> list[Flag]:
        """The items it flags, worst first."""


@dataclass(frozen=True)
class NegativeDiscrimination:
    """The better the subject, the worse the answer: a below `max_slope` (0).

    Usually a wrong key or a trick question; such an item subtracts information from a scale.
    """

    max_slope: float = 0.0
    name: str = "negative discrimination"

    def __post_init__(self) -> None:
        """Refuse thresholds that no item could meet."""
        _refuse_odd_thresholds(self)

    def __call__(self, evidence: Evidence) -> list[Flag]:
        """See :class:`Rule`."""
        return [
            Flag(item, self.name, a, self.max_slope, f"slope {a:.3f}: able subjects do worse")
            for item, a in sorted(evidence.slopes.items(), key=lambda pair: pair[1])
            if a < self.max_slope
        ]


@dataclass(frozen=True)
class RunawaySlope:
    """The data separate right from wrong answers: the slope has no finite estimate, and is beyond `max_slope`.

    Few wrong answers, all by the least able, do that in a small crowd; so do two copies of one item. The steeper half
    leaves per round: of two copies one, which heals the other.
    """

    max_slope: float = RUNAWAY_SLOPE
    name: str = "runaway slope"

    def __post_init__(self) -> None:
        """Refuse thresholds that no item could meet."""
        _refuse_odd_thresholds(self)

    def __call__(self, evidence: Evidence) -> list[Flag]:
        """See :class:`Rule`."""
        steep = sorted(evidence.slopes.items(), key=lambda pair: -abs(pair[1]))
        away = [(item, a) for item, a in steep if abs(a) > self.max_slope]
        return [
            Flag(item, self.name, a, self.max_slope, f"slope {a:.1f}: there is no finite estimate")
            for item, a in away[: (len(away) + 1) // 2]
        ]


@dataclass(frozen=True)
class TooFlat:
    """The item hardly depends on ability: communality below `min_communality`, and not by chance.

    Communality .15 is a slope of 0.715 and a loading of .39 (Lalor, Wu & Yu 2016 use .15). The slope plus
    `standard_errors` of its standard errors must stay below the slope of that communality, so that an easy item whose
    slope is merely uncertain is kept; 0 judges the estimate alone. An item without a standard error is judged by
    its estimate.
    """

    min_communality: float = 0.15
    standard_errors: float = 1.0
    name: str = "too flat"

    def __post_init__(self) -> None:
        """Refuse thresholds that no item could meet."""
        _refuse_odd_thresholds(self)
        if self.min_communality in (0.0, 1.0):
            raise InputError(f"min_communality is {self.min_communality}", "rule TooFlat", "No item or all would leave")

    def __call__(self, evidence: Evidence) -> list[Flag]:
        """See :class:`Rule`."""
        bound = float(slope_of_loading(math.sqrt(self.min_communality)))
        flat = {item: abs(a) for item, a in evidence.slopes.items() if abs(a) < bound}
        # standard errors cost more than the fit, and only a flat item's is needed
        errors = evidence.slope_errors if flat and self.standard_errors > 0 else {}
        upper = {item: a + self.standard_errors * errors.get(item, 0.0) for item, a in flat.items()}
        return [
            Flag(item, self.name, float(communality(top)), self.min_communality, self._reason(item, evidence, top))
            for item, top in sorted(upper.items(), key=lambda pair: pair[1])
            if top < bound
        ]

    def _reason(self, item: str, evidence: Evidence, top: float) -> str:
        """The estimate, and what it could be at most."""
        text = f"communality {evidence.communality[item]:.3f} (slope {evidence.slopes[item]:.3f})"
        if top > abs(evidence.slopes[item]):
            text += f", with {self.standard_errors:g} SE {communality(top):.3f}"
        return text


@dataclass(frozen=True)
class PoorFit:
    """Observed and expected proportions by sum score differ: S-X2 significant AND of some size.

    `alpha` applies to the adjusted p; `min_rmsea` is the effect size, because at thousands of subjects p alone
    removes everything. With `one_at_a_time` only the worst item leaves per round.
    """

    alpha: float = 0.05
    min_rmsea: float = 0.03
    one_at_a_time: bool = True
    name: str = "poor fit (S-X2)"

    def __post_init__(self) -> None:
        """Refuse thresholds that no item could meet."""
        _refuse_odd_thresholds(self)

    def __call__(self, evidence: Evidence) -> list[Flag]:
        """See :class:`Rule`."""
        frame = tested(evidence.item_fit, self.name)
        if frame["p"].isna().all():
            evidence.notes.append(f"{self.name} was not applied: {frame['note'].iloc[0]}")
            return []
        bad = frame[(frame["p_adjusted"] < self.alpha) & (frame["rmsea"] >= self.min_rmsea)].sort_values("p_adjusted")
        column, bound = ("rmsea", self.min_rmsea) if self.min_rmsea > 0 else ("p_adjusted", self.alpha)
        flags = [
            Flag(
                item,
                self.name,
                float(row[column]),
                bound,
                f"S-X2 {row['statistic']:.1f} on {row['df']:.0f} df, adjusted p {row['p_adjusted']:.2g}, "
                f"RMSEA {row['rmsea']:.3f}",
            )
            for item, row in zip(bad.index.tolist(), bad.to_dict("records"), strict=True)
        ]
        return flags[:1] if self.one_at_a_time else flags


@dataclass(frozen=True)
class LocalDependence:
    """Two items share more than ability explains: LD-X2 significant AND large; the weaker one goes.

    `alpha` applies to p adjusted over all pairs, `min_v` to Cramer's V, `min_standardized` to (X2 - 1) / sqrt 2 (10 is
    large by the IRTPRO guide, Cai, Thissen & du Toit 2011); all three must be met. Only positive dependence is flagged
    unless `both_signs`. Of a flagged pair the item with the smaller slope leaves (an item in several flagged pairs
    goes first: its leaving settles them all); with `drop_both`, both.
    """

    alpha: float = 0.05
    min_v: float = 0.15
    min_standardized: float = 0.0
    both_signs: bool = False
    drop_both: bool = False
    name: str = "local dependence (LD-X2)"

    def __post_init__(self) -> None:
        """Refuse thresholds that no item could meet."""
        _refuse_odd_thresholds(self)

    def __call__(self, evidence: Evidence) -> list[Flag]:
        """See :class:`Rule`."""
        frame = tested(evidence.local_dependence, self.name)
        size = frame["cramers_v"].abs() if self.both_signs else frame["cramers_v"]
        large = (size >= self.min_v) & (frame["standardized"] >= self.min_standardized)
        bad = frame[(frame["p_adjusted"] <= self.alpha) & large]
        bad = bad.reindex(bad["cramers_v"].abs().sort_values(ascending=False).index)
        pairs = dict(zip(bad.index.tolist(), bad.to_dict("records"), strict=True))
        gone: dict[str, Flag] = {}
        while pairs:
            leaving = self._next(list(pairs), evidence.slopes)
            for item in leaving:
                strongest = max(
                    (pair for pair in pairs if item in pair), key=lambda pair: abs(pairs[pair]["cramers_v"])
                )
                partner = strongest[1] if strongest[0] == item else strongest[0]
                row = pairs[strongest]
                sized = f"standardized {row['standardized']:.1f}, " if self.min_standardized > 0 else ""
                gone[item] = Flag(
                    item,
                    self.name,
                    *self._binding(row),
                    f"with {partner}: X2 {abs(row['statistic']):.1f}, V {row['cramers_v']:.2f}, "
                    f"{sized}adjusted p {row['p_adjusted']:.2g}",
                )
            pairs = {pair: row for pair, row in pairs.items() if not set(pair) & set(leaving)}
        return list(gone.values())

    def _binding(self, row: Mapping[str, Any]) -> tuple[float, float]:
        """What was found and its bound: V where V is bounded, else the standardized X2, else p."""
        if self.min_v > 0:
            return float(row["cramers_v"]), self.min_v
        if self.min_standardized > 0:
            return float(row["standardized"]), self.min_standardized
        return float(row["p_adjusted"]), self.alpha

    def _next(self, pairs: list[tuple[str, str]], slopes: dict[str, float]) -> list[str]:
        """Who leaves first: the item in most flagged pairs, of equals the one with the smallest slope."""
        counts = Counter(item for pair in pairs for item in pair)
        first = min(counts, key=lambda item: (-counts[item], slopes[item]))
        if not self.drop_both:
            return [first]
        return [first, *(item for pair in pairs if first in pair for item in pair if item != first)]


DEFAULT_RULES: tuple[Rule, ...] = (RunawaySlope(), NegativeDiscrimination(), TooFlat(), LocalDependence(), PoorFit())

LALOR2016_RULES: tuple[Rule, ...] = (
    TooFlat(min_communality=0.15, standard_errors=0.0),
    PoorFit(alpha=0.05, min_rmsea=0.0, one_at_a_time=False),
    LocalDependence(alpha=1.0, min_v=0.0, min_standardized=10.0),
)

PRESETS: Registry[tuple[Rule, ...]] = Registry("preset", {"default": DEFAULT_RULES, "lalor2016": LALOR2016_RULES})


def resolve_rules(rules: str | Iterable[Rule]) -> tuple[Rule, ...]:
    """A preset's rules by name, or the given rules."""
    if isinstance(rules, str):
        return PRESETS[rules]
    chosen = tuple(rules) if isinstance(rules, Iterable) else (rules,)
    odd = [rule for rule in chosen if not callable(rule) or not hasattr(rule, "name")]
    if odd:
        raise InputError(f"{odd[0]!r} is no rule", "rules", f"Give a preset ({', '.join(PRESETS)}) or rules")
    return chosen
