"""What pruning rules judge by: one fit and its statistics, each computed when first asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from psyirt.diagnostics import item_fit, local_dependence
from psyirt.models.slope_metric import communality
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable


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
        S-X2 compares number-correct scores of those who answered every item if they are at least this share of the
        subjects; if they are fewer, it groups all subjects by ability (see ``item_fit``).
    notes : list of str
        What the statistics and rules had to say about this fit.
    """

    calibration: Calibration
    adjust: str = "holm"
    min_complete_share: float = 0.95
    notes: list[str] = field(default_factory=list)

    @cached_property
    def item_fit(self) -> StatisticTable:
        """S-X2 of every item: on the complete rows where nearly all are complete, else by groups of all subjects."""
        complete = self._complete_share()
        enough = complete >= self.min_complete_share
        if 0 < complete < 1 and enough:
            self.notes.append(f"S-X2 uses the {complete:.1%} of subjects who answered every item")
        if not enough:
            self.notes.append(f"S-X2 groups subjects by ability: {complete:.1%} of them answered every item")
        return item_fit(
            self.calibration, method="S-X2", adjust=self.adjust, missing="complete-rows" if enough else "rest-score"
        )

    def _complete_share(self) -> float:
        """Weighted share of subjects without a missing response."""
        patterns = self.calibration.patterns
        if patterns is None:
            return 0.0
        return float(patterns.weights @ (patterns.answered == patterns.items) / patterns.total)

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
        return dict(zip(self.slopes, communality(list(self.slopes.values())).tolist(), strict=True))

    @property
    def statistics(self) -> pd.DataFrame:
        """Communality, S-X2, its df, p, adjusted p and RMSEA per item: what a scale keeps of its evidence."""
        fit = self.item_fit.frame[["statistic", "df", "p", "p_adjusted", "rmsea"]]
        return fit.rename(columns={"statistic": "s_x2"}).assign(communality=pd.Series(self.communality))
