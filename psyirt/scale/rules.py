"""Pruning rules: what makes an item leave a scale, and why.

A rule is called with the evidence of one fit and returns the items it flags, each with the value and the threshold
that condemned it. Thresholds are the rule's fields; docs/explanation/pruning.md argues for the defaults with the
share of good items they remove. To add a rule, write another such class and pass it in ``rules=``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import pandas as pd

from psyirt.diagnostics import item_fit, local_dependence
from psyirt.foundation.registry import Registry
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable

_METRIC = 1.702


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
        What was found, and the bound it crossed.
    reason : str
        The same in words.
    """

    item: str
    rule: str
    value: float
    threshold: float
    reason: str


@dataclass(frozen=True, eq=False)
class Evidence:
    """One fit and the statistics rules read; each statistic is computed once, when first asked for.

    Attributes
    ----------
    calibration : Calibration
        The fit.
    adjust : str
        How p-values are adjusted for the number of tests: "holm" or "fdr_bh".
    min_complete_share : float
        S-X2 needs complete rows; it is used if at least this share of subjects has no missing response.
    notes : list of str
        What the rules had to say; shared over the rounds of a build.
    """

    calibration: Calibration
    adjust: str = "holm"
    min_complete_share: float = 0.95
    notes: list[str] = field(default_factory=list)

    @cached_property
    def item_fit(self) -> StatisticTable:
        """S-X2 of every item; on the complete rows where nearly all are, else not valid (and its notes say so)."""
        complete = self._complete_share()
        enough = complete >= self.min_complete_share
        if 0 < complete < 1 and enough:
            self.notes.append(f"S-X2 uses the {complete:.1%} of subjects who answered every item")
        return item_fit(
            self.calibration, method="S-X2", adjust=self.adjust, missing="complete-rows" if enough else "not-valid"
        )

    def _complete_share(self) -> float:
        """Weighted share of subjects without a missing response."""
        patterns = self.calibration.patterns
        if patterns is None:
            return 0.0
        return float(patterns.weights @ (patterns.codes >= 0).all(axis=1) / patterns.total)

    @cached_property
    def local_dependence(self) -> StatisticTable:
        """LD-X2 of every pair."""
        return local_dependence(self.calibration, method="LD-X2", adjust=self.adjust)

    @cached_property
    def slopes(self) -> dict[str, float]:
        """Discrimination of every item."""
        parameters = self.calibration.item_parameters
        return dict(zip(parameters.item_names, parameters.slopes[:, 0].tolist(), strict=True))

    @cached_property
    def slope_errors(self) -> dict[str, float]:
        """Standard error of every slope that has one."""
        return {str(item): float(se) for item, se in self.calibration.items["se_a"].dropna().items()}

    @cached_property
    def communality(self) -> dict[str, float]:
        """(a/1.702)^2 / (1 + (a/1.702)^2) of every item."""
        squares = {item: (a / _METRIC) ** 2 for item, a in self.slopes.items()}
        return {item: square / (1.0 + square) for item, square in squares.items()}

    @property
    def statistics(self) -> pd.DataFrame:
        """Communality, S-X2, its df, p, adjusted p and RMSEA per item: what a scale keeps of its evidence."""
        fit = self.item_fit.frame[["statistic", "df", "p", "p_adjusted", "rmsea"]]
        return fit.rename(columns={"statistic": "s_x2"}).assign(communality=pd.Series(self.communality))


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

    def __call__(self, evidence: Evidence) -> list[Flag]:
        """See :class:`Rule`."""
        return [
            Flag(item, self.name, a, self.max_slope, f"slope {a:.3f}: able subjects do worse")
            for item, a in sorted(evidence.slopes.items(), key=lambda pair: pair[1])
            if a < self.max_slope
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

    def __call__(self, evidence: Evidence) -> list[Flag]:
        """See :class:`Rule`."""
        bound = _METRIC * math.sqrt(self.min_communality / (1.0 - self.min_communality))
        errors = evidence.slope_errors if self.standard_errors > 0 else {}
        return [
            Flag(item, self.name, h, self.min_communality, f"communality {h:.3f} (slope {evidence.slopes[item]:.3f})")
            for item, h in sorted(evidence.communality.items(), key=lambda pair: pair[1])
            if abs(evidence.slopes[item]) + self.standard_errors * errors.get(item, 0.0) < bound
        ]


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

    def __call__(self, evidence: Evidence) -> list[Flag]:
        """See :class:`Rule`."""
        frame = evidence.item_fit.frame
        if frame["p"].isna().all():
            evidence.notes.append(f"{self.name} was not applied: {frame['note'].iloc[0]}")
            return []
        bad = frame[(frame["p_adjusted"] < self.alpha) & (frame["rmsea"] >= self.min_rmsea)].sort_values("p_adjusted")
        flags = [
            Flag(
                item,
                self.name,
                float(row["p_adjusted"]),
                self.alpha,
                f"S-X2 {row['statistic']:.1f} on {row['df']:.0f} df, adjusted p {row['p_adjusted']:.2g}, "
                f"RMSEA {row['rmsea']:.3f}",
            )
            for item, row in zip(bad.index.tolist(), bad.to_dict("records"), strict=True)
        ]
        return flags[:1] if self.one_at_a_time else flags


@dataclass(frozen=True)
class LocalDependence:
    """Two items share more than ability explains: LD-X2 significant AND large; the weaker one goes.

    `alpha` applies to p adjusted over all pairs, `min_v` to Cramer's V, `min_standardized` to (X2 - 1) / sqrt 2 (Chen &
    Thissen 1997 read 10 as large); all three must be met. Only positive dependence is flagged unless `both_signs`. Of
    a flagged pair the item with the smaller slope leaves (an item in several flagged pairs goes first: its leaving
    settles them all); with `drop_both`, both.
    """

    alpha: float = 0.05
    min_v: float = 0.15
    min_standardized: float = 0.0
    both_signs: bool = False
    drop_both: bool = False
    name: str = "local dependence (LD-X2)"

    def __call__(self, evidence: Evidence) -> list[Flag]:
        """See :class:`Rule`."""
        frame = evidence.local_dependence.frame
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
                gone[item] = Flag(
                    item,
                    self.name,
                    float(row["cramers_v"]),
                    self.min_v,
                    f"with {partner}: X2 {abs(row['statistic']):.1f}, V {row['cramers_v']:.2f}, "
                    f"adjusted p {row['p_adjusted']:.2g}",
                )
            pairs = {pair: row for pair, row in pairs.items() if not set(pair) & set(leaving)}
        return list(gone.values())

    def _next(self, pairs: list[tuple[str, str]], slopes: dict[str, float]) -> list[str]:
        """Who leaves first: the item in most flagged pairs, of equals the one with the smallest slope."""
        counts = Counter(item for pair in pairs for item in pair)
        first = min(counts, key=lambda item: (-counts[item], slopes[item]))
        if not self.drop_both:
            return [first]
        return [first, *(item for pair in pairs if first in pair for item in pair if item != first)]


DEFAULT_RULES: tuple[Rule, ...] = (NegativeDiscrimination(), TooFlat(), LocalDependence(), PoorFit())

LALOR2016_RULES: tuple[Rule, ...] = (
    TooFlat(min_communality=0.15, standard_errors=0.0),
    PoorFit(alpha=0.05, min_rmsea=0.0, one_at_a_time=False),
    LocalDependence(alpha=1.0, min_v=0.0, min_standardized=10.0),
)

PRESETS: Registry[tuple[Rule, ...]] = Registry("preset", {"default": DEFAULT_RULES, "lalor2016": LALOR2016_RULES})


def resolve_rules(rules: str | Iterable[Rule]) -> tuple[Rule, ...]:
    """A preset's rules by name, or the given rules."""
    return PRESETS[rules] if isinstance(rules, str) else tuple(rules)
