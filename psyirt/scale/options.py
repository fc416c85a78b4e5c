"""Options of the scale builder, checked when they are made."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Real

from psyirt.errors import InputError
from psyirt.estimation.options import MMLOptions
from psyirt.foundation.arguments import require


@dataclass(frozen=True)
class BuildOptions:
    """How a scale is built.

    Parameters
    ----------
    adjust : {"holm", "fdr_bh"}
        How p-values of item fit, pairs and guessing tests are adjusted (statsmodels' names).
    test_guessing : bool
        Whether each item's guessing parameter is tested before pruning; items that need one stay 3PL.
    min_complete_share : float
        S-X2 compares number-correct scores of those who answered every item if they are at least this share of the
        subjects; if they are fewer, it groups all subjects by ability.
    min_answers : int
        An item with fewer answers than this leaves before any fit: no slope can be learnt from them.
    min_items : int
        Fewer items than this are no scale.
    max_removed_share : float
        If more than this share of a group's items had to leave, one ability does not fit the group: no scale.
    min_eigenvalue_ratio : float
        If the first eigenvalue of the tetrachoric matrix of what remains is less than this times the second, and the
        second is larger than one ability explains (modified parallel analysis), there is no scale. Two equally large
        abilities that correlate .33 have a ratio of 2.
    mml : MMLOptions
        How each calibration is fitted.
    """

    adjust: str = "holm"
    test_guessing: bool = True
    min_complete_share: float = 0.95
    min_answers: int = 30
    min_items: int = 5
    max_removed_share: float = 0.5
    min_eigenvalue_ratio: float = 2.0
    mml: MMLOptions = field(default_factory=MMLOptions)

    def __post_init__(self) -> None:
        """Refuse values no build can use."""
        place = "BuildOptions"
        if self.adjust not in ("holm", "fdr_bh"):
            raise InputError(f"adjust is {self.adjust!r}", place, "Give 'holm' or 'fdr_bh'")
        require(self.test_guessing, bool, "test_guessing", place, "Give True or False")
        require(self.min_items, int, "min_items", place, "Give a whole number, 3 or more")
        require(self.min_answers, int, "min_answers", place, "Give a whole number, 0 or more")
        if self.min_answers < 0:
            raise InputError(f"min_answers is {self.min_answers}", place, "Give 0 or more")
        require(self.mml, MMLOptions, "mml", place, "Give MMLOptions(...)")
        for name in ("min_complete_share", "max_removed_share", "min_eigenvalue_ratio"):
            require(getattr(self, name), Real, name, place, "Give a number")
        if self.min_items < 3:
            raise InputError(f"min_items is {self.min_items}", place, "A calibration needs at least 3")
        for name in ("min_complete_share", "max_removed_share"):
            if not 0 < getattr(self, name) <= 1:
                raise InputError(f"{name} is {getattr(self, name)}", place, "Give a share above 0, at most 1")
        if not 0 <= self.min_eigenvalue_ratio < math.inf:
            raise InputError(f"min_eigenvalue_ratio is {self.min_eigenvalue_ratio}", place, "Give 0 or a finite number")
