"""Fixed-item calibration: new items onto an old scale, answered by a group of its own."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace

from numpy.typing import ArrayLike

from psyirt.data.any_responses import AnyResponses
from psyirt.errors import DataWarning, InputError
from psyirt.estimation.compiling import compiling_shown
from psyirt.estimation.mml import finish, on_fine_nodes
from psyirt.estimation.model_choice import ModelChoice
from psyirt.estimation.onto import set_up_onto
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.setup import require_inputs
from psyirt.foundation.arguments import require_callable
from psyirt.foundation.progress import Progress, silent
from psyirt.foundation.threads import one_blas_thread, worker_threads
from psyirt.foundation.words import counted
from psyirt.models.free_priors import PriorChoice
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration
from psyirt.scale.linked import LinkedCalibration
from psyirt.scale.scale import Scale
from psyirt.scoring.problem import require_one_dimension

_PLACE = "calibrate_onto"
# fewer linking items than this are warned of
_HANDFUL = 5


def calibrate_onto(
    scale: Scale | Calibration | ItemParameters,
    responses: AnyResponses,
    model: ModelChoice = "2PL",
    *,
    priors: Mapping[str, PriorChoice] | None = None,
    weights: ArrayLike | None = None,
    options: MMLOptions | None = None,
    progress: Progress = silent,
) -> LinkedCalibration:
    """Calibrate new items onto an old scale: items that are on it keep their parameters (Kim 2006, MWU-MEM).

    The group that answered need not be the scale's: its mean and variance are estimated together with the new items,
    by marginal maximum likelihood, so the link rests on the items in common. Standard errors take those as known.

    Parameters
    ----------
    scale : Scale, Calibration or ItemParameters
        The old scale, of one ability.
    responses : Responses
        The new group's answers to items of the scale (the linking items, known by their names) and to new ones.
        Without new items it places the group alone.
    model : str, ItemType, or mapping or sequence of them
        The new items' model; see ``fit_mml``. A shared slope is shared among the new items alone, and a slope of 1
        (Rasch) is 1 on the scale's metric.
    priors : mapping, optional
        Of the new items; see ``fit_mml``.
    weights : array_like, shape (subjects,), optional
        Frequency weights.
    options : MMLOptions, optional
        As for ``fit_mml``. Without a grid of their own the nodes are made to reach 5 sd from the group's mean.
    progress : callable, optional
        Receives a ProgressEvent per iteration.

    Returns
    -------
    LinkedCalibration
        ``calibration`` (all items, with the group's density), ``items`` (with the column ``role``), ``mean``,
        ``mean_se``, ``sd``, ``sd_se``, ``linking``, ``new``, ``linking_fit`` (a test of each linking item),
        ``item_parameters`` (the scale with the new items added).

    Raises
    ------
    InputError
        If no item of the scale was answered, or all answers to those are alike, or as ``fit_mml``.

    Warns
    -----
    DataWarning
        For fewer than 5 linking items (20, or a fifth of the test, are the rule of thumb: Kolen & Brennan 2014, ch.
        8), and as ``fit_mml``.
    ConvergenceWarning, QuadratureWarning
        As ``fit_mml``.

    Examples
    --------
    >>> import numpy as np, pandas as pd, psyirt
    >>> bank = pd.DataFrame({"a": 1.2, "b": np.linspace(-2, 2, 12)}, index=list("ABCDEFGHIJKL"))
    >>> theta = np.random.default_rng(1).normal(0.5, 1.0, 800)
    >>> answers = psyirt.simulate_responses(items=bank, theta=theta, seed=1).responses
    >>> linked = psyirt.calibrate_onto(psyirt.fix(bank.iloc[:8], "2PL"), answers)
    >>> linked.new
    ('I', 'J', 'K', 'L')
    """
    known = _parameters_of(scale)
    options = MMLOptions() if options is None else options
    require_inputs(responses, priors, options, _PLACE)
    require_callable(progress, _PLACE)
    # a block and not a decorator, so that warnings point at the caller's line
    with one_blas_thread(), worker_threads(None), compiling_shown(progress):
        setup = set_up_onto(known, responses, model, priors, weights, options)
        linking = tuple(item for item in setup.responses.item_names if item in set(known.item_names))
        if len(linking) < _HANDFUL:
            few = _few(len(linking))
            warnings.warn(few, stacklevel=2)
            setup = replace(setup, notes=(str(few), *setup.notes))
        calibration = finish(setup, *on_fine_nodes(setup, options, progress), options)
    return LinkedCalibration(
        calibration, scale, linking, tuple(item for item in calibration.item_names if item not in set(linking))
    )


def _parameters_of(scale: Scale | Calibration | ItemParameters) -> ItemParameters:
    """The known items; refuse what holds none, or several abilities."""
    known = scale if isinstance(scale, ItemParameters) else getattr(scale, "item_parameters", None)
    if not isinstance(known, ItemParameters):
        raise InputError(
            f"the scale is a {type(scale).__name__}", _PLACE, "Give a Scale, a Calibration or ItemParameters"
        )
    require_one_dimension(known)
    return known


def _few(count: int) -> DataWarning:
    return DataWarning(
        f"the link rests on {counted(count, 'item')}",
        _PLACE,
        "One that changed its meaning moves every new item; 20, or a fifth of the test, are the rule of thumb",
    )
