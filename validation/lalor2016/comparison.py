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
    printed_decimals : int, optional
        Digits that were printed, where these are others than `decimals`.
    """

    what: str
    ours: float
    theirs: float
    tolerance: float
    decimals: int = 3
    percent: bool = False
    note: str = ""
    printed_decimals: int | None = None

    @property
    def agrees(self) -> bool:
        """Whether they differ by no more than the tolerance (rounding of the subtraction apart)."""
        return bool(abs(self.ours - self.theirs) <= self.tolerance * (1.0 + 1e-9))

    @property
    def verdict(self) -> str:
        """In words."""
        return (
            "agrees"
            if self.agrees
            else f"DIFFERS by {_text(self.ours - self.theirs, self.decimals, '+', self.percent)}"
        )

    @property
    def ours_shown(self) -> str:
        """Our number as text."""
        return _text(self.ours, self.decimals, "", self.percent)

    @property
    def theirs_shown(self) -> str:
        """The printed number as text, with the digits it was printed with."""
        decimals = self.decimals if self.printed_decimals is None else self.printed_decimals
        return _text(self.theirs, decimals, "", self.percent)


def _text(value: float, decimals: int, sign: str, percent: bool) -> str:
    """A number, or a share in percent (a signed one: in percentage points)."""
    if not percent:
        return f"{value:{sign}.{decimals}f}"
    return f"{100.0 * value:{sign}.{max(decimals - 2, 0)}f}{' points' if sign else ' %'}"


def differing(comparisons: list[Comparison]) -> list[Comparison]:
    """Those that do not agree."""
    return [each for each in comparisons if not each.agrees]
