"""Options of the scale builder, checked when they are made."""

from __future__ import annotations

from dataclasses import dataclass, field

from psyirt.errors import InputError
from psyirt.estimation.options import MMLOptions


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
        S-X2 needs complete rows; the rule applies if at least this share of subjects has no missing response.
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
    min_items: int = 5
    max_removed_share: float = 0.5
    min_eigenvalue_ratio: float = 2.0
    mml: MMLOptions = field(default_factory=MMLOptions)

    def __post_init__(self) -> None:
        """Refuse values no build can use."""
        if self.adjust not in ("holm", "fdr_bh"):
            raise InputError(f"adjust is {self.adjust!r}", "BuildOptions", "Give 'holm' or 'fdr_bh'")
        if self.min_items < 3:
            raise InputError(f"min_items is {self.min_items}", "BuildOptions", "A calibration needs at least 3")
        if not 0 < self.max_removed_share <= 1:
            raise InputError(f"max_removed_share is {self.max_removed_share}", "BuildOptions", "Give a share above 0")
