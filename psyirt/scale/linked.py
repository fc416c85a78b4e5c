"""What fixed-item calibration returns: new items on an old scale, and where the group stands that answered them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from psyirt.foundation.own_tables import OwnsTables
from psyirt.foundation.threads import one_blas_thread
from psyirt.foundation.words import counted
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable
from psyirt.scale.linking_fit import linking_fit, old_errors
from psyirt.scale.scale import Scale


@dataclass(frozen=True, eq=False, repr=False)
class LinkedCalibration(OwnsTables):
    """New items on an old scale; frozen, costly parts computed when first asked for.

    Attributes
    ----------
    calibration : Calibration
        Linking and new items, with the new group's density: a measure for members of that group.
    scale : Scale, Calibration or ItemParameters
        The old scale.
    linking, new : tuple of str
        Items that were on the scale and kept their parameters, and items that were estimated.
    """

    calibration: Calibration
    scale: Scale | Calibration | ItemParameters
    linking: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def known(self) -> ItemParameters:
        """All items of the scale."""
        return self.scale if isinstance(self.scale, ItemParameters) else self.scale.item_parameters

    @property
    def mean(self) -> float:
        """Mean ability of the new group on the scale."""
        return self.calibration.population.mean

    @property
    def sd(self) -> float:
        """Standard deviation of ability in the new group."""
        return self.calibration.population.sd

    @property
    def mean_se(self) -> float:
        """Standard error of `mean`, the linking items taken as known; NaN where not available."""
        return float(self.calibration.bse[("mean", "")])

    @property
    def sd_se(self) -> float:
        """Standard error of `sd` (delta method), the linking items taken as known; NaN where not available."""
        return float(self.calibration.bse[("variance", "")]) / (2.0 * self.sd)

    @property
    def items(self) -> pd.DataFrame:
        """Index item; ``role`` ("linking" or "new") and the columns of ``Calibration.items``. A copy.

        A linking item's model is "fixed", and it has no standard errors.
        """
        table = self.calibration.items
        links = set(self.linking)
        table.insert(0, "role", ["linking" if item in links else "new" for item in table.index])
        return table

    @property
    def item_parameters(self) -> ItemParameters:
        """The scale with the new items added: all of its items, then the new ones, shape (J,)."""
        new = self.calibration.item_parameters.select(self.new)
        return ItemParameters.from_values(
            self.known.item_names + self.new, np.concatenate([self.known.values, new.values])
        )

    @cached_property
    def linking_fit(self) -> StatisticTable:
        """Whether each linking item still fits: a score test of its old slope and intercept in the new group.

        Index item; statistic (chi-square, 2 df), p, p_adjusted (Holm), and ``change_a``, ``change_intercept``: how far
        the item's own estimates would lie from the old values, in one Newton step (of a large change only the sign).
        The old standard errors count where the scale has them. An item that moved much distorts the group's place and
        the other items' tests: leave it out of the scale that is given, and calibrate again.
        """
        with one_blas_thread():
            old = old_errors(self.scale, self.linking)
            return linking_fit(self.calibration, self.linking, old, adjust="holm", alpha=0.05)

    def summary(self) -> str:
        """The link and the group, then the calibration."""
        return "\n".join([*self._head(), self.calibration.summary()])

    def _head(self) -> list[str]:
        known = self.calibration.has_quick_errors
        mean, sd = (f" (SE {se:.3f})" for se in (self.mean_se, self.sd_se)) if known else ("", "")
        link = counted(len(self.linking), "linking item")
        return [
            f"{counted(len(self.new), 'new item')} onto a scale of {len(self.known)}, by {link}",
            f"the new group    mean {self.mean:.3f}{mean}, sd {self.sd:.3f}{sd}",
            "",
        ]

    def __repr__(self) -> str:
        """The summary."""
        return self.summary()

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        return f"<pre>{chr(10).join(self._head())}</pre>{self.calibration._repr_html_()}"
