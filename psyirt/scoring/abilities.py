"""Abilities of subjects from item parameters and a population: EAP, MAP, ML, WLE behind one function."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data.any_responses import RESPONSES, AnyResponses
from psyirt.data.keeping import kept_patterns
from psyirt.errors import DataWarning, InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.registry import Registry
from psyirt.foundation.threads import one_blas_thread
from psyirt.foundation.words import counted
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters
from psyirt.scoring.eap import expected_a_posteriori
from psyirt.scoring.modes import maximum_a_posteriori, maximum_likelihood, weighted_likelihood
from psyirt.scoring.problem import Measure as Measure
from psyirt.scoring.problem import ScoringProblem, match_items

Array = NDArray[np.float64]

# name -> (problem -> theta and its standard error, one of each per pattern)
METHODS: Registry[Callable[[ScoringProblem], tuple[Array, Array]]] = Registry(
    "scoring method",
    {
        "EAP": expected_a_posteriori,
        "MAP": maximum_a_posteriori,
        "ML": maximum_likelihood,
        "WLE": weighted_likelihood,
    },
)


@one_blas_thread()
def estimate_abilities(
    parameters: ItemParameters,
    population: Population,
    grid: Grid,
    responses: AnyResponses,
    method: str = "EAP",
) -> pd.DataFrame:
    """Ability and its standard error for every subject.

    Parameters
    ----------
    parameters : ItemParameters
        J items of one dimension.
    population : Population
        The prior of EAP and MAP; ML and WLE do not use it.
    grid : Grid
        The nodes of EAP; the others do not use it.
    responses : Responses
        Items are matched by name: any order; items that are absent count as missing.
    method : {"EAP", "MAP", "ML", "WLE"}
        EAP: posterior mean and standard deviation (Bock & Mislevy 1982).
        MAP: posterior mode; standard error from the posterior's curvature at the mode.
        ML: all right is +inf, all wrong -inf, without standard error; standard error from the observed information.
        WLE: Warm (1989); standard error 1 / sqrt(expected information). With asymptotes see
        :func:`psyirt.scoring.modes.weighted_likelihood`.
        A subject without responses has the population's mean and standard deviation under EAP and MAP, NaN under
        ML and WLE.

    Returns
    -------
    DataFrame
        Index ``subject`` in the order of `responses`; columns ``theta``, ``se`` (both in units of theta).

    Raises
    ------
    InputError
        If the method or an item is unknown, or the items measure several abilities.
    """
    solve = METHODS[method]
    parameters, responses = match_items(parameters, responses)
    patterns = kept_patterns(responses)
    theta, se = solve(ScoringProblem(patterns, parameters, population, grid))
    return pd.DataFrame(
        {"theta": theta[patterns.index], "se": se[patterns.index]},
        index=pd.Index(responses.subject_names, name="subject"),
    )


def score(measure: Measure, responses: AnyResponses, method: str = "EAP") -> pd.DataFrame:
    """Ability of new subjects on a calibration or a scale; missing responses are left out.

    That is right for people who were not asked, and for answers missing at random. A system that declines the harder
    half of the items is scored on the easier half, and its ability comes out too high: ``Scale.score`` (and the
    command ``psyirt score``) counts refusals as wrong unless told otherwise, and says how many there were.

    Parameters
    ----------
    measure : Calibration or Scale
        Anything with ``item_parameters``, ``population`` and ``grid``.
    responses : Responses
        Any subset of the measure's items, in any order; items that are absent count as missing.
    method : {"EAP", "MAP", "ML", "WLE"}
        See :func:`estimate_abilities`.

    Returns
    -------
    DataFrame
        Index ``subject``; columns ``theta``, ``se``.

    Raises
    ------
    InputError
        If the method or an item is unknown, or the items measure several abilities.

    Warns
    -----
    DataWarning
        If responses are missing and the measure is a Scale, whose own ``score`` would count them as wrong.
    """
    if not all(hasattr(measure, part) for part in ("item_parameters", "population", "grid")):
        raise InputError(f"the measure is a {type(measure).__name__}", "score", "Give a Calibration or a Scale")
    require(responses, RESPONSES, "responses", "score", "Use Responses.from_frame or read_responses")
    missing = responses.shape[0] * responses.shape[1] - responses.observed
    if missing and hasattr(measure, "score"):
        warnings.warn(
            DataWarning(
                f"{counted(missing, 'missing response is', 'missing responses are')} left out",
                "score",
                "If they are a system's refusals, use Scale.score, which counts them as wrong",
            ),
            stacklevel=2,
        )
    return estimate_abilities(measure.item_parameters, measure.population, measure.grid, responses, method)
