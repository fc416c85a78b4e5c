"""A number of ours beside one that was printed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """Ours against theirs.

    Attributes
    ----------
    what : str
        What is compared.
    ours, theirs : float
        The two numbers.
    tolerance : float
        How far apart they may be: half a unit of the last printed digit, or what the study is held to.
    decimals : int
        Digits to show.
    percent : bool
        Whether both are shares, shown in percent.
    note : str
        What to know about a difference.
    """

    what: str
    ours: float
    theirs: float
    tolerance: float
    decimals: int = 3
    percent: bool = False
    note: str = ""

    @property
    def agrees(self) -> bool:
        """Whether they differ by no more than the tolerance (rounding of the subtraction apart)."""
        return bool(abs(self.ours - self.theirs) <= self.tolerance * (1.0 + 1e-9))

    @property
    def verdict(self) -> str:
        """In words."""
        return "agrees" if self.agrees else f"DIFFERS by {self.shown(self.ours - self.theirs, signed=True)}"

    def shown(self, value: float, *, signed: bool = False) -> str:
        """A number of this comparison as text."""
        scale, unit = (100.0, " %") if self.percent else (1.0, "")
        decimals = max(self.decimals - 2, 0) if self.percent else self.decimals
        return f"{value * scale:{'+' if signed else ''}.{decimals}f}{unit}"


def differing(comparisons: list[Comparison]) -> list[Comparison]:
    """Those that do not agree."""
    return [each for each in comparisons if not each.agrees]
