"""Items of a simulated crowd study: one class's parameters, the faults planted among them, and their outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.models.base import Array
from psyirt.models.parameters import ItemParameters
from psyirt.simulation.graded import probabilities
from psyirt.simulation.streams import whole

DEPENDENT, NON_MONOTONE, FLAT = "dependent pair", "non-monotone", "flat"
# fault -> how many items one of it takes
FAULT_ITEMS: Mapping[str, int] = {DEPENDENT: 2, NON_MONOTONE: 1, FLAT: 1}
DEFAULT_FAULTS: Mapping[str, int] = {DEPENDENT: 1, NON_MONOTONE: 1, FLAT: 1}
FEWEST_GOOD_ITEMS = 3

# difficulties and slopes of the 2016 study's three scales (Lalor, Wu & Yu 2016, Table 4); contradiction reaches up to
# the table's highest difficulty, so that the three together span it
_RANGES = {
    "entailment": ((-3.25, -1.90), (0.78, 2.61)),
    "contradiction": ((-2.77, 1.28), (0.85, 2.73)),
    "neutral": ((-2.08, -0.55), (1.27, 3.60)),
}
_OTHER_RANGE = ((-3.25, 1.28), (0.78, 3.60))

COPY_SHARE = 0.55
RISE_SLOPE, RISE_DIFFICULTY = 2.5, -1.25
FALL_SHARE, FALL_SLOPE, FALL_AT = 0.7, 4.0, 1.0
FLAT_SLOPES, FLAT_SHARES = (0.2, 0.3), (0.6, 0.8)


@dataclass(frozen=True, eq=False)
class GroupItems:
    """One class's items.

    Attributes
    ----------
    group : str
        The class.
    parameters : ItemParameters
        J items, 2PL; of a non-monotone item the rising part.
    faults : tuple of str
        Each item's fault, ``""`` for a good one.
    partners : tuple of str
        The other item of a dependent pair, else ``""``; the later item copies the earlier.
    """

    group: str
    parameters: ItemParameters
    faults: tuple[str, ...]
    partners: tuple[str, ...]

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Positions (copied, copying) of each dependent pair."""
        where = {name: k for k, name in enumerate(self.parameters.item_names)}
        found = ((k, where[name]) for k, name in enumerate(self.partners) if name)
        return tuple((first, second) for first, second in found if first < second)

    def truth(self) -> pd.DataFrame:
        """Index item; columns group, a, b, intercept, fault, partner."""
        return pd.DataFrame(
            {
                "group": self.group,
                "a": self.parameters.slopes[:, 0],
                "b": self.parameters.difficulties,
                "intercept": self.parameters.intercepts,
                "fault": self.faults,
                "partner": self.partners,
            },
            index=pd.Index(self.parameters.item_names, name="item"),
        )


def checked_faults(faults: Mapping[str, int] | None, items: int) -> dict[str, int]:
    """How many of each fault a class of `items` items has.

    Raises
    ------
    InputError
        If a fault is unknown, a number is negative, or fewer than 3 good items would be left.
    """
    given = DEFAULT_FAULTS if faults is None else faults
    require(given, Mapping, "faults", "simulation", "Give a mapping of fault to number")
    unknown = [name for name in given if name not in FAULT_ITEMS]
    if unknown:
        raise InputError(f"no fault is called {unknown[0]!r}", "faults", f"Known: {', '.join(FAULT_ITEMS)}")
    counts = {name: whole(given.get(name, 0), f"faults[{name!r}]", 0) for name in FAULT_ITEMS}
    needed = sum(FAULT_ITEMS[name] * count for name, count in counts.items())
    if items - needed < FEWEST_GOOD_ITEMS:
        raise InputError(
            f"{items} items per group, of which {needed} are faulty",
            "simulation",
            f"Leave at least {FEWEST_GOOD_ITEMS} good ones: raise items_per_group or plant fewer faults",
        )
    return counts


def draw_group(group: str, count: int, faults: Mapping[str, int], rng: np.random.Generator) -> GroupItems:
    """One class's items, named ``group-01`` ..., with faults at random places.

    Parameters
    ----------
    group : str
        The class; ranges are known for the three of the 2016 study, other classes take their union.
    count : int
        J, items, the faulty ones included.
    faults : mapping of fault to int
        As from :func:`checked_faults`.
    rng : numpy.random.Generator
        Where the numbers come from.

    Returns
    -------
    GroupItems
    """
    difficulty_range, slope_range = _RANGES.get(group, _OTHER_RANGE)
    b = _spread(difficulty_range, count, rng)
    a = np.exp(_spread((np.log(slope_range[0]), np.log(slope_range[1])), count, rng))
    kinds, partner = np.full(count, "", dtype=object), np.full(count, -1)
    places = iter(rng.permutation(count))
    for _ in range(faults[DEPENDENT]):
        first, second = sorted((next(places), next(places)))
        kinds[[first, second]] = DEPENDENT
        partner[first], partner[second] = second, first
        a[second], b[second] = a[first], b[first]
    for _ in range(faults[NON_MONOTONE]):
        place = next(places)
        kinds[place], a[place], b[place] = NON_MONOTONE, RISE_SLOPE, RISE_DIFFICULTY
    for _ in range(faults[FLAT]):
        place = next(places)
        kinds[place], a[place] = FLAT, rng.uniform(*FLAT_SLOPES)
        b[place] = -logit(rng.uniform(*FLAT_SHARES)) / a[place]
    names = [f"{group}-{k + 1:0{max(2, len(str(count)))}d}" for k in range(count)]
    partners = tuple(names[k] if k >= 0 else "" for k in partner)
    return GroupItems(group, ItemParameters(names, a, -a * b), tuple(kinds), partners)


def _spread(ends: tuple[float, float], count: int, rng: np.random.Generator) -> Array:
    """One uniform draw in each of `count` equal slices of a range, in random order: every seed spans the range."""
    low, high = ends
    return low + (high - low) * (rng.permutation(count) + rng.random(count)) / count


def draw_group_outcomes(items: GroupItems, theta: Array, rng: np.random.Generator) -> NDArray[np.int8]:
    """0/1 outcomes, shape (N, J), of subjects with abilities `theta`, shape (N,); faults as they were planted."""
    correct = probabilities(items.parameters, theta)
    humped = [k for k, fault in enumerate(items.faults) if fault == NON_MONOTONE]
    correct[:, humped] *= (1.0 - FALL_SHARE * expit(FALL_SLOPE * (theta - FALL_AT)))[:, None]
    outcomes = (rng.random(correct.shape) < correct).astype(np.int8)
    for first, second in items.pairs:
        copies = rng.random(len(theta)) < COPY_SHARE
        outcomes[copies, second] = outcomes[copies, first]
    return outcomes
