"""Marginal maximum likelihood by EM (Bock & Aitkin 1981)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from psyirt.data.any_responses import AnyResponses
from psyirt.data.stored_patterns import given_back
from psyirt.errors import EstimationError, InputError
from psyirt.estimation.acceleration import Accelerator
from psyirt.estimation.compiling import compiling_shown
from psyirt.estimation.convergence import ConvergenceCriterion, Step, standardised
from psyirt.estimation.davidian_order import fit_davidian
from psyirt.estimation.em_point import em_point
from psyirt.estimation.ending import (
    CONVERGED,
    LIMIT,
    NO_ESTIMATE,
    boundary_warnings,
    density_note,
    direction_note,
    ending_warning,
    quadrature_warnings,
    runaway_items,
    runs_away,
    variance_runs_away,
)
from psyirt.estimation.item_functions import EStep
from psyirt.estimation.latent_choice import Latent, LatentChoice
from psyirt.estimation.memory_plan import average_slope, keep_within
from psyirt.estimation.model_choice import ModelChoice
from psyirt.estimation.nodes import fine_enough, narrowest_posterior
from psyirt.estimation.options import MMLOptions, with_overrides
from psyirt.estimation.problem import Problem
from psyirt.estimation.refit import Refitter
from psyirt.estimation.setup import Setup, set_up
from psyirt.foundation.arguments import require_callable, require_word
from psyirt.foundation.progress import Progress, ProgressEvent, silent
from psyirt.foundation.threads import one_blas_thread, worker_threads
from psyirt.models.base import Array
from psyirt.models.free_priors import PriorChoice
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration
from psyirt.results.weighting import SAMPLING, WeightsKind, weights_notes


def fit_mml(
    responses: AnyResponses,
    model: ModelChoice = "2PL",
    *,
    priors: Mapping[str, PriorChoice] | None = None,
    weights: ArrayLike | None = None,
    weights_kind: WeightsKind = "frequency",
    latent_variance: float | None = None,
    latent: Latent = "normal",
    latent_order: int | None = None,
    start: Calibration | ItemParameters | None = None,
    nodes: int | None = None,
    adaptive: bool | None = None,
    tolerance: float | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    options: MMLOptions | None = None,
    progress: Progress = silent,
) -> Calibration:
    """Calibrate items by marginal maximum likelihood (Bock & Aitkin 1981).

    Parameters
    ----------
    responses : Responses, SparseResponses or StoredResponses
        Subjects x items; missing responses are ignored (missing at random).
    model : str, ItemType, or mapping or sequence of them
        "Rasch", "1PL", "2PL", "3PL", "feasibility" or "4PL" for all items, or one for each item.
    priors : mapping, optional
        Slot ("a", "intercept", "c", "d") to a prior, to {item: prior}, or to None for no prior. Free asymptotes that
        are not named get a default prior (``psyirt.priors.guessing_prior``, ``feasibility_prior``).
    weights : array_like, shape (subjects,), optional
        How many subjects each stands for; see `weights_kind`.
    weights_kind : {"frequency", "sampling"}
        "frequency": that many subjects gave these answers. "sampling": one did, and stands for others that were not
        asked (inverse probabilities of selection). The estimates are the same; with sampling weights standard errors
        are the sandwich's (Binder 1983), and information criteria, likelihood ratios and chi-square tests are not
        available. These tests, and the bootstrap, are not available either for frequencies that are not whole.
    latent_variance : float, optional
        Fixes the latent variance (by default free for Rasch, 1 otherwise).
    latent : {"normal", "histogram", "davidian"}
        The density of ability. "davidian": a squared polynomial times the normal density (Woods & Lin 2009), smooth,
        with up to 6 more parameters, which are estimated together with the items. "histogram": free weights on the
        nodes (Bock & Aitkin 1981; Mislevy 1984), without standard errors and information criteria of their own. Either
        has mean 0 and the latent variance that the model or `latent_variance` gives, so that items keep their metric.
    latent_order : int, optional
        The degree of the Davidian curve's polynomial, 0 (normal) to 6; by default the one of lowest Hannan-Quinn
        criterion, for which all seven are fitted.
    start : Calibration or ItemParameters, optional
        Start values for the items it knows.
    nodes, adaptive, tolerance : int, bool, float, optional
        How many quadrature nodes on [-6, 6] (61 at first, more where a long test needs them), whether their number may
        grow, and when to stop: see :class:`MMLOptions`, whose fields these overrule.
    threads : int, optional
        How many threads large data may use; as many as the process may, by default. The result does not depend on it.
    memory : int or str, optional
        What the fit may take beside the responses, in bytes or as text such as "500MB"; see :class:`MMLOptions`.
    options : MMLOptions, optional
        Quadrature nodes, tolerance, iteration limit, acceleration.
    progress : callable, optional
        Receives a ProgressEvent per iteration, and one per function that numba compiles ("compiling"): once per
        installation.

    Returns
    -------
    Calibration

    Raises
    ------
    InputError
        If fewer than 3 items vary, or an option does not fit the data (too small a `memory`: with what is needed).
    EstimationError
        If the fit would take more memory than there is.

    Warns
    -----
    DataWarning
        For constant items (set aside), subjects without responses, and disconnected blocks.
    ConvergenceWarning
        If the iteration limit is reached, an estimate is not finite (slopes or the latent variance run away), or an
        asymptote without a prior ends at its boundary.
    QuadratureWarning
        If the nodes are too coarse or too narrow, or people hardly differ (a variance or shared slope next to 0).

    Examples
    --------
    >>> import psyirt
    >>> responses = psyirt.simulate_responses(subjects=500, items=10, model="2PL", seed=1).responses
    >>> psyirt.fit_mml(responses, "2PL").converged
    True
    """
    options = with_overrides(options, nodes, adaptive, tolerance, memory)
    _check(weights, weights_kind, progress)
    # a block and not a decorator, so that warnings point at the caller's line
    with one_blas_thread(), worker_threads(threads), compiling_shown(progress):
        density = LatentChoice(latent, latent_order)
        setup = set_up(responses, model, priors, weights, latent_variance, start, options, density)
        setup = replace(setup, weights_kind=weights_kind)
        fit = partial(on_fine_nodes, progress=progress)
        with given_back(setup.problem.patterns):
            if latent == "davidian":
                setup, found = fit_davidian(setup, latent_order, fit, options)
            else:
                found = fit(setup, options)
            return finish(setup, *found, options)


def _check(weights: ArrayLike | None, weights_kind: str, progress: object) -> None:
    """Refuse a kind of weights that there is not, or that has no weights, and progress that cannot be called."""
    require_word(weights_kind, WeightsKind, "fit_mml: weights_kind")
    if weights is None and weights_kind == SAMPLING:
        raise InputError("sampling weights without weights", "fit_mml", "Give weights=, one number per subject")
    require_callable(progress, "fit_mml")


def on_fine_nodes(
    setup: Setup, options: MMLOptions, progress: Progress
) -> tuple[Problem, Array, tuple[Step, ...], str]:
    """Iterate; where the estimates turn out to need closer nodes, go on with those from where it stands.

    Parameters
    ----------
    setup, options, progress
        What to fit, and how; see :func:`iterate`.

    Returns
    -------
    tuple of (Problem, ndarray, tuple of Step, str)
        The problem on its last nodes, the estimates, one entry per iteration, and how it ended.
    """
    problem = setup.problem
    x, trace, status = iterate(problem, setup.start, options, progress)
    while options.adapts and status == CONVERGED and not runaway_items(problem, x):
        finer = problem.on(fine_enough(problem, x))
        if finer is problem:
            break
        problem = finer
        keep_within(problem, options, average_slope(problem, x))
        x, more, status = iterate(problem, x, options, progress)
        trace += tuple(replace(step, iteration=step.iteration + len(trace)) for step in more)
    return problem, x, trace, status


@one_blas_thread()
def iterate(problem: Problem, x: Array, options: MMLOptions, progress: Progress) -> tuple[Array, tuple[Step, ...], str]:
    """EM with guarded acceleration: E-step, criterion, M-step, proposal; one that falls is replaced.

    Parameters
    ----------
    problem : Problem
        The function to maximise.
    x : ndarray, shape (size,)
        Where to start, inside the model's domain.
    options : MMLOptions
        Tolerance, limit, acceleration.
    progress : callable
        Receives a ProgressEvent per iteration.

    Returns
    -------
    tuple of (ndarray, tuple of Step, str)
        The estimates, one entry per iteration with non-decreasing objectives, and "converged", "no finite estimate"
        (nothing is left to gain, and a slope or the latent variance keeps growing) or "stopped at the limit".
    """
    criterion = ConvergenceCriterion(options.tolerance, problem.unit)
    accelerator = Accelerator(problem, options.accelerate)
    trace: list[Step] = []
    kind, fallback, reached = "start", x, -np.inf
    rounding = _rounding(problem)
    for iteration in range(1, options.max_iterations + 1):
        expected, objective = _evaluate(problem, x)
        # "not >=" also refuses a proposal whose objective is not a number
        while kind not in ("start", "EM") and (expected is None or not objective >= reached - rounding):
            x, kind = accelerator.retreat()
            expected, objective = _evaluate(problem, x)
        if expected is None:
            raise EstimationError("the model is undefined at an EM step", "fit_mml", "Give start values or priors")
        at = em_point(problem, x, expected)
        sizes = standardised(at.gradient, at.mapped - x, at.information, problem.unit)
        trace.append(Step(iteration, objective, *sizes, kind))
        progress(ProgressEvent("EM", iteration, None, f"log-posterior {objective:.4f}, gradient {sizes[0]:.1e} SE"))
        if criterion.met(trace[-1]):
            return x, tuple(trace), CONVERGED
        if criterion.stalled(trace) and runs_away(problem, x, at.mapped):
            return x, tuple(trace), NO_ESTIMATE
        fallback, reached = at.mapped, objective
        x, kind = accelerator.propose(at)
    return fallback, tuple(trace), LIMIT


def _evaluate(problem: Problem, x: Array) -> tuple[EStep | None, float]:
    """E-step and log-posterior at `x`; (None, -inf) outside the model's domain."""
    if not problem.in_domain(x):
        return None, -np.inf
    expected = problem.expectation(x)
    return expected, problem.objective(x, expected)


def _rounding(problem: Problem) -> float:
    """How far a sum of as many log-probabilities as there are (weighted) answers may fall by rounding alone."""
    return 16.0 * float(np.finfo(float).eps) * problem.patterns.total * len(problem.layout.item_names)


def finish(
    setup: Setup, problem: Problem, x: Array, trace: tuple[Step, ...], status: str, options: MMLOptions
) -> Calibration:
    """Freeze the estimates; warn, at the line that called a public function, of what they cannot be trusted in.

    Parameters
    ----------
    setup, options
        What was fitted, and how.
    problem, x, trace, status
        What :func:`on_fine_nodes` returned.

    Returns
    -------
    Calibration
    """
    of_weights = weights_notes(problem.patterns, setup.weights_kind, bool(problem.priors))
    of_estimates = (direction_note(problem, x), density_note(problem, x))
    notes = [note for note in (*setup.notes, *of_weights, *of_estimates) if note]
    if status == CONVERGED and (runaway_items(problem, x) or variance_runs_away(problem, x)):
        status = NO_ESTIMATE
    warning = ending_warning(problem, x, status, trace, options, setup.place)
    if warning is not None:
        warnings.warn(warning, stacklevel=3)
        notes.append(str(warning))
    population = problem.population(x)
    # of slopes that run away nothing is known, the width of posteriors least of all
    narrowest = narrowest_posterior(problem, x) if status == CONVERGED else np.inf
    coarse = quadrature_warnings(population, problem.grid, problem.layout.frees_variance, narrowest, setup.place)
    for doubt in (*coarse, *boundary_warnings(problem, x, setup.place)):
        warnings.warn(doubt, stacklevel=3)
        notes.append(str(doubt))
    return Calibration(
        item_parameters=ItemParameters.from_values(problem.layout.item_names, problem.layout.values(x)),
        item_types=setup.item_types,
        population=population,
        grid=problem.grid,
        status=status,
        model=problem.model,
        layout=problem.layout,
        x=x,
        priors=problem.priors,
        responses=setup.responses,
        patterns=problem.patterns,
        trace=trace,
        set_aside=setup.set_aside,
        notes=tuple(notes),
        refit=Refitter(problem, x, options, iterate),
        weights_kind=setup.weights_kind,
    )
