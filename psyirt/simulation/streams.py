"""Random streams from one explicit seed, and checks of the numbers a simulation is asked for."""

from __future__ import annotations

import operator

import numpy as np

from psyirt.errors import InputError


def streams(seed: int, count: int) -> tuple[np.random.Generator, ...]:
    """Independent generators from one seed, one per purpose.

    With a stream for each purpose, asking for missing responses, say, leaves the answers themselves as they were.

    Parameters
    ----------
    seed : int
        0 or above. None is refused: a result nobody can repeat is no evidence.
    count : int
        How many generators.

    Returns
    -------
    tuple of numpy.random.Generator

    Raises
    ------
    InputError
        If the seed is no whole number of at least 0.
    """
    children = np.random.SeedSequence(whole(seed, "seed", 0)).spawn(count)
    return tuple(np.random.default_rng(child) for child in children)


def whole(value: object, name: str, least: int) -> int:
    """`value` as an int of at least `least`; anything else, True and 30.0 included, raises InputError."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(value, (bool, np.bool_)) or number < least:
        raise InputError(f"{name} is {value!r}", "simulation", f"Give a whole number of at least {least}")
    return number


def share(value: float, name: str, *, below_one: bool = True) -> float:
    """`value` as a share from 0 up to 1 (1 itself only if `below_one` is false); else InputError."""
    top = "below 1" if below_one else "up to 1"
    if isinstance(value, (int, float, np.number)) and (0.0 <= value < 1.0 or (value == 1.0 and not below_one)):
        return float(value)
    raise InputError(f"{name} is {value!r}", "simulation", f"Give a share, from 0 {top}")
