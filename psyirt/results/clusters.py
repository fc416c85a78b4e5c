"""Subjects in clusters: who belongs where, and what to know about standard errors that rest on it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from psyirt.data.pattern_source import PatternSource
from psyirt.errors import InputError, NotAvailableError
from psyirt.foundation.words import counted
from psyirt.models.base import Array

# below this many clusters the sum over clusters is a poor estimate of its own variance
FEW_CLUSTERS = 40


def cluster_numbers(groups: ArrayLike, subjects: int) -> NDArray[np.intp]:
    """Each subject's cluster, numbered from 0 in the order of first appearance.

    Parameters
    ----------
    groups : array_like, shape (subjects,)
        One label per subject, in the order of the responses' subjects.
    subjects : int
        How many there are.

    Raises
    ------
    InputError
        If there is not one label per subject, a label is missing, or all are the same.
    """
    labels = pd.Series(groups, dtype=object) if not isinstance(groups, pd.Series) else groups
    if len(labels) != subjects:
        raise InputError(
            f"{counted(len(labels), 'label')} for {counted(subjects, 'subject')}", "groups", "Give one label a subject"
        )
    numbers, names = pd.factorize(labels)
    if np.any(numbers < 0):
        raise InputError(
            f"subject {int(np.argmax(numbers < 0)) + 1} has no label", "groups", "Give every subject a cluster"
        )
    if len(names) < 2:
        raise InputError("all subjects are in one cluster", "groups", "Give the labels of at least two clusters")
    return np.asarray(numbers, dtype=np.intp)


def subject_weights(patterns: PatternSource) -> Array:
    """Each subject's weight, shape (subjects,).

    Raises
    ------
    NotAvailableError
        If subjects with different weights were collapsed into one pattern.
    """
    sharing = np.bincount(patterns.index, minlength=patterns.rows)
    if np.all(sharing <= 1):
        return patterns.weights[patterns.index]
    if np.array_equal(patterns.weights, sharing):
        return np.ones(patterns.subjects)
    raise NotAvailableError(
        "subjects' own weights are not kept where equal patterns were collapsed",
        "kind='cluster'",
        "Repeat a subject as often as its weight says and fit without weights",
    )


def cluster_notes(clusters: int, parameters: int) -> tuple[str, ...]:
    """What to know about standard errors from so many clusters."""
    notes = [f"{clusters} clusters, small-sample factor G / (G - 1)"]
    if clusters < FEW_CLUSTERS:
        notes.append(
            f"fewer than {FEW_CLUSTERS} clusters: cluster-robust standard errors tend to be too small "
            "(Cameron & Miller 2015)"
        )
    if clusters <= parameters:
        notes.append("no more clusters than parameters: the matrix is singular, tests of all parameters at once fail")
    return tuple(notes)
