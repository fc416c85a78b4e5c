"""Covariance of the estimates by the nonparametric bootstrap over subjects (Efron 1979)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral

import numpy as np
from scipy.special import expit

from psyirt.data.pattern_source import PatternSource
from psyirt.errors import ConvergenceWarning, EstimationError, InputError, NotAvailableError
from psyirt.foundation.arguments import require
from psyirt.foundation.progress import Progress, ProgressEvent
from psyirt.foundation.threads import one_blas_thread
from psyirt.models.base import Array
from psyirt.models.layout import ParameterLayout
from psyirt.results.covariance import Covariance, blocks_of
from psyirt.results.weighting import SAMPLING, WeightsKind, count_subjects

# enough for standard errors (Efron & Tibshirani 1993, sec. 6.4)
REPLICATIONS = 200

# the same items fitted to other patterns, from the estimates on: (free vector, whether it converged)
Refit = Callable[[PatternSource], tuple[Array, bool]]


def bootstrap_covariance(
    patterns: PatternSource,
    layout: ParameterLayout,
    refit: Refit,
    replications: int,
    seed: int,
    progress: Progress,
    weights_kind: WeightsKind = "frequency",
) -> Covariance:
    """Covariance of the estimates over samples of subjects drawn with replacement.

    Parameters
    ----------
    patterns : PatternSource
        The responses.
    layout : ParameterLayout
        The free parameters.
    refit : callable
        Fits the items to a sample.
    replications : int
        B, how many samples, 2 or more.
    seed : int
        Each replication draws from its own stream, spawned from this seed.
    progress : callable
        Receives a ProgressEvent per replication.
    weights_kind : {"frequency", "sampling"}
        Frequencies say how many subjects can be drawn. With sampling weights every subject is drawn with the same
        probability and brings its weight along.

    Returns
    -------
    Covariance
        Of kind "bootstrap", from the replications that converged; its notes tell how many did not.

    Raises
    ------
    InputError
        If replications or seed are no whole numbers of that size.
    NotAvailableError
        If frequency weights are not whole numbers, so that they do not count subjects.
    EstimationError
        If fewer than two replications converged.

    Warns
    -----
    ConvergenceWarning
        If any replication did not converge: those with extreme samples are missing then.
    """
    _check(replications, seed)
    if weights_kind != SAMPLING and not count_subjects(patterns):
        raise NotAvailableError(
            "the weights are not whole numbers, so they do not count subjects",
            "kind='bootstrap'",
            "Fit with weights_kind='sampling' if each subject was seen once",
        )
    found = []
    for number, stream in enumerate(np.random.SeedSequence(int(seed)).spawn(int(replications)), 1):
        x, converged = refit(_resampled(patterns, np.random.default_rng(stream), weights_kind))
        if converged:
            found.append(_natural(layout, x))
        progress(ProgressEvent("bootstrap", number, int(replications), f"{number - len(found)} without estimates"))
    failed = int(replications) - len(found)
    if len(found) < 2:
        raise EstimationError(
            f"{failed} of {replications} bootstrap replications did not converge",
            "kind='bootstrap'",
            "Use priors, or another kind of covariance",
        )
    return _assemble(layout, np.array(found), failed)


def _check(replications: int, seed: int) -> None:
    """Refuse what is no number of replications and what is no seed."""
    require(replications, Integral, "replications", "cov", "Give a whole number, e.g. 200")
    if replications < 2:
        raise InputError(f"replications is {replications}", "cov", "Give at least 2, for standard errors 200")
    require(seed, Integral, "seed", "cov(kind='bootstrap')", "Give a whole number, e.g. seed=1")
    if seed < 0:
        raise InputError(f"seed is {seed}", "cov", "Give a whole number, 0 or more")


def _resampled(patterns: PatternSource, random: np.random.Generator, weights_kind: WeightsKind) -> PatternSource:
    """As many subjects as there are, drawn with replacement: new weights of the same patterns."""
    if weights_kind == SAMPLING:
        subjects = patterns.subjects
        times = random.multinomial(subjects, np.full(subjects, 1.0 / subjects))
        counts = np.bincount(patterns.index, weights=times * patterns.subject_weights, minlength=patterns.rows)
    else:
        total = patterns.weights.sum()
        counts = random.multinomial(int(total), patterns.weights / total)
    drawn = np.flatnonzero(counts)
    return patterns.take(drawn, counts[drawn].astype(float))


def _natural(layout: ParameterLayout, x: Array) -> Array:
    """The free vector on the natural scale."""
    out = x.copy()
    for slot in ("c", "d"):
        at = layout.positions(slot)
        out[at] = expit(x[at])
    return out


@one_blas_thread()
def _assemble(layout: ParameterLayout, replicates: Array, failed: int) -> Covariance:
    """Sample covariance of the replicates."""
    off = replicates - replicates.mean(axis=0)
    full = off.T @ off / (len(replicates) - 1.0)
    notes = [f"{len(replicates)} bootstrap replications"]
    if failed:
        notes.append(f"{failed} more did not converge and are left out: standard errors may be too small")
        warnings.warn(
            ConvergenceWarning(
                f"{failed} of {failed + len(replicates)} bootstrap replications did not converge and are left out",
                "cov(kind='bootstrap')",
                "Standard errors may be too small; priors keep estimates finite",
            ),
            stacklevel=6,
        )
    return Covariance(
        "bootstrap", np.diag(full).copy(), full, blocks_of(full, layout), {}, tuple(notes), replicates=replicates
    )
