"""Item parameters: slope-intercept inside; difficulty is a derived view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from psyirt.errors import InputError
from psyirt.models.logistic import LogisticModel

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ItemParameters:
    """Parameters of P = c + (d - c) logistic(a'theta + intercept), natural scale; frozen.

    Parameters
    ----------
    item_names : sequence of str
        J names.
    slopes : array_like, shape (J, D) or (J,)
        Discrimination on each ability.
    intercepts : array_like, shape (J,)
        -a*b in one dimension.
    lower, upper : array_like or float, shape (J,)
        Asymptotes c (guessing) and d (feasibility), 0 <= c < d <= 1.

    Raises
    ------
    InputError
        If lengths disagree, a value is no finite number, or not 0 <= c < d <= 1.
    """

    item_names: tuple[str, ...]
    slopes: Array
    intercepts: Array
    lower: Array
    upper: Array

    def __init__(
        self,
        item_names: tuple[str, ...] | list[str],
        slopes: ArrayLike,
        intercepts: ArrayLike,
        lower: ArrayLike = 0.0,
        upper: ArrayLike = 1.0,
    ) -> None:
        names = tuple(str(name) for name in item_names)
        if len(set(names)) != len(names):
            raise InputError("an item name occurs more than once", "item parameters", "Give each item its own name")
        table = _floats(slopes, "slopes")
        columns = {
            "slopes": table[:, None] if table.ndim == 1 else table,
            "intercepts": _floats(intercepts, "intercepts"),
            "lower": _floats(lower, "lower", len(names)),
            "upper": _floats(upper, "upper", len(names)),
        }
        for what, column in columns.items():
            if len(column) != len(names):
                raise InputError(f"{len(column)} {what} for {len(names)} items", "item parameters", "Give one per item")
            if not np.all(np.isfinite(column)):
                item = names[int(np.argwhere(~np.isfinite(column))[0][0])]
                raise InputError(f"{what} are not finite", f"item {item!r}", "Give a number for each parameter")
            column.setflags(write=False)
        wrong = ~((columns["lower"] >= 0) & (columns["lower"] < columns["upper"]) & (columns["upper"] <= 1))
        if wrong.any():
            raise InputError(
                "asymptotes are not 0 <= c < d <= 1", f"item {names[int(np.argmax(wrong))]!r}", "Check c, d"
            )
        object.__setattr__(self, "item_names", names)
        for what, column in columns.items():
            object.__setattr__(self, what, column)

    @property
    def dimensions(self) -> int:
        """D, the number of abilities."""
        return int(self.slopes.shape[1])

    @property
    def difficulties(self) -> Array:
        """b = -intercept / a, shape (J,); +-inf or NaN where a = 0. For one dimension only."""
        if self.dimensions != 1:
            raise InputError("difficulty b exists for one dimension only", "", "Use slopes and intercepts")
        with np.errstate(divide="ignore", invalid="ignore"):
            return -self.intercepts / self.slopes[:, 0]

    @property
    def model(self) -> LogisticModel:
        """The response function whose slots :attr:`values` fills."""
        return LogisticModel(self.dimensions)

    @property
    def values(self) -> Array:
        """Slots on the estimation scale, shape (J, D + 3): slopes, intercept, logit c, logit d."""
        return np.column_stack([self.slopes, self.intercepts, logit(self.lower), logit(self.upper)])

    @classmethod
    def from_values(cls, item_names: tuple[str, ...], values: Array) -> ItemParameters:
        """The inverse of :attr:`values`."""
        return cls(item_names, values[:, :-3], values[:, -3], expit(values[:, -2]), expit(values[:, -1]))

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> ItemParameters:
        """Parameters from a table: index = items; ``a`` (a1, a2, ...), ``intercept`` or ``b``, optional ``c``, ``d``.

        Parameters
        ----------
        frame : DataFrame
            One row per item. R mirt's columns (a1, d, g, u) mean other things: rename d to intercept, g to c, u to d.

        Returns
        -------
        ItemParameters

        Raises
        ------
        InputError
            If columns are absent or hold words, ``b`` and ``intercept`` disagree, ``b`` comes with several slopes, or
            columns have R mirt's names.
        """
        if not hasattr(frame, "columns"):
            raise InputError(
                f"the parameters are a {type(frame).__name__}", "item parameters", "Give a DataFrame or ItemParameters"
            )
        numbered = [c for c in frame.columns if str(c)[:1] == "a" and c[1:].isdigit()]
        slopes = ["a"] if "a" in frame.columns else sorted(numbered, key=lambda c: int(c[1:]))
        if not slopes:
            raise InputError(
                "no column 'a'", "item parameters", "Give a (or a1, a2, ...), intercept or b, and c, d if any"
            )
        a = _numbers(frame, slopes)
        if {"g", "u"} & set(frame.columns):
            raise InputError("column 'g' or 'u'", "item parameters", "These are R mirt's names: rename g to c, u to d")
        if "b" in frame.columns and len(slopes) > 1:
            raise InputError("'b' with several slopes", "item parameters", "b exists for one dimension: give intercept")
        if "b" not in frame.columns and "intercept" not in frame.columns:
            raise InputError("neither 'b' nor 'intercept'", "item parameters", "Give one of the two columns")
        if "intercept" in frame.columns:
            intercept = _numbers(frame, ["intercept"])[:, 0]
            # b of a flat item (a = 0) is infinite and says nothing
            b = _numbers(frame, ["b"])[:, 0] if "b" in frame.columns else np.full(len(frame), np.nan)
            given = np.isfinite(b)
            if not np.allclose(-a[given, 0] * b[given], intercept[given], atol=1e-6):
                raise InputError(
                    "'b' and 'intercept' disagree", "item parameters", "intercept is -a*b; give one of them"
                )
        else:
            intercept = -a[:, 0] * _numbers(frame, ["b"])[:, 0]
        lower = _numbers(frame, ["c"])[:, 0] if "c" in frame.columns else 0.0
        upper = _numbers(frame, ["d"])[:, 0] if "d" in frame.columns else 1.0
        return cls([str(name) for name in frame.index], a, intercept, lower, upper)

    def select(self, items: tuple[str, ...] | list[str]) -> ItemParameters:
        """The parameters of some items.

        Parameters
        ----------
        items : sequence of str
            Names, in the order wanted.

        Returns
        -------
        ItemParameters

        Raises
        ------
        InputError
            If a name is unknown or occurs twice.
        """
        where = {name: k for k, name in enumerate(self.item_names)}
        unknown = [name for name in items if name not in where]
        if unknown:
            raise InputError(f"{len(unknown)} unknown items, the first is {unknown[0]!r}", "", "Check the item names")
        at = [where[name] for name in items]
        return ItemParameters(tuple(items), self.slopes[at], self.intercepts[at], self.lower[at], self.upper[at])

    def __len__(self) -> int:
        """Number of items."""
        return len(self.item_names)


def _floats(values: ArrayLike, what: str, length: int | None = None) -> Array:
    """Values as a new array; with a `length` a single number is repeated so often."""
    try:
        out = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} hold what is no number", "item parameters", "Give a number for each item") from None
    if out.ndim == 0:
        out = np.full(1 if length is None else length, float(out))
    return out


def _numbers(frame: pd.DataFrame, columns: list[str]) -> Array:
    """Some columns as floats, shape (J, columns); one that is no number is refused by name."""
    for column in columns:
        try:
            frame[column].to_numpy(float)
        except (TypeError, ValueError):
            raise InputError(f"column {column!r} holds what is no number", "item parameters", "Give numbers") from None
    return frame[columns].to_numpy(float)
