"""Item parameters that the scoring tests share, as a measure (parameters, population, grid)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from psyirt.data.responses import Responses
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.parameters import ItemParameters
from tests.reference.scoring import Item


@dataclass(frozen=True)
class Instrument:
    """The smallest thing that can be scored with."""

    item_parameters: ItemParameters
    population: NormalPopulation = field(default_factory=NormalPopulation)
    grid: Grid = field(default_factory=Grid)


NAMES = ("i1", "i2", "i3", "i4", "i5")

# LSAT6 by R mirt 1.47: maximum-likelihood 2PL, and 3PL with a normal prior on logit c
LSAT6_2PL = Instrument(
    ItemParameters(
        NAMES,
        [0.825659544521706, 0.722744204070425, 0.89087453406644, 0.688367980062536, 0.656855953696017],
        [2.77323440520861, 0.990201198132068, 0.249147523112968, 1.28475692586887, 2.05327044709981],
    )
)
LSAT6_3PL = Instrument(
    ItemParameters(
        NAMES,
        [0.846904785771102, 0.847067921261668, 1.22523070789739, 0.763771524721222, 0.708499780656239],
        [2.52805757097278, 0.647866241853223, -0.278829502147156, 0.974616313145373, 1.79963361847622],
        [0.199696356376782, 0.198823848821177, 0.192803410810731, 0.199089210111123, 0.199547317424164],
    )
)
# LSAT6 by R mirt 1.47: Rasch with slope 1 and a free variance, and the 1PL it equals
LSAT6_RASCH = Instrument(
    ItemParameters(
        NAMES, np.ones(5), [2.73001323323259, 0.998605829019144, 0.239853884557299, 1.30645116130838, 2.09940435928575]
    ),
    NormalPopulation(0.0, 0.570228289232554),
)


def answers(*patterns: str, names: tuple[str, ...] = NAMES) -> Responses:
    """Responses from strings of 1, 0 and . (missing); subjects are named by their pattern."""
    table = [[np.nan if mark == "." else float(mark) for mark in pattern] for pattern in patterns]
    return Responses.from_array(np.array(table).reshape(len(patterns), -1), subject_names=patterns, item_names=names)


def as_items(parameters: ItemParameters) -> list[Item]:
    """The items as the plain twins read them."""
    columns = (parameters.slopes[:, 0], parameters.intercepts, parameters.lower, parameters.upper)
    return [(float(a), float(i), float(c), float(d)) for a, i, c, d in zip(*columns, strict=True)]


def random_instrument(rng: np.random.Generator, items: int, lower: float = 0.0, upper: float = 1.0) -> Instrument:
    """An instrument with slopes around 1.2 and difficulties around 0."""
    slopes = rng.lognormal(0.2, 0.4, items)
    names = tuple(f"q{k}" for k in range(items))
    return Instrument(ItemParameters(names, slopes, -slopes * rng.normal(size=items), lower, upper))


def random_answers(rng: np.random.Generator, instrument: Instrument, subjects: int, missing: float = 0.0) -> Responses:
    """Coin-toss responses, some missing: patterns that no ability explains well are the hard ones."""
    names = instrument.item_parameters.item_names
    table = rng.integers(0, 2, (subjects, len(names))).astype(float)
    table[rng.random(table.shape) < missing] = np.nan
    return Responses.from_array(table, item_names=names)
