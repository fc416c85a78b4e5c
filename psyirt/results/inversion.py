"""The inverse of an information matrix, or why there is none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, lapack

from psyirt.data.columns import listed
from psyirt.models.base import Array
from psyirt.models.layout import ParameterLayout

# a parameter that loads this share of the largest loading carries a direction
_CARRIES = 0.1


def invert(information: Array) -> tuple[Array | None, NDArray[np.intp]]:
    """Inverse of a symmetric matrix, or None and the parameters that carry its non-positive directions.

    The matrix is scaled to a unit diagonal first, so that the test does not depend on units.

    Parameters
    ----------
    information : ndarray, shape (size, size)
        Symmetric.

    Returns
    -------
    tuple of (ndarray or None, ndarray of int)
        None where the matrix is not positive definite or is numerically singular. The parameters are those with a
        diagonal that is not positive, or else those with the largest loadings on the eigenvectors of the roots that
        are not positive, largest first.
    """
    nobody = np.array([], dtype=np.intp)
    if not len(information):
        return information, nobody
    diagonal = np.diag(information)
    if np.any(diagonal <= 0) or not np.all(np.isfinite(information)):
        return None, np.flatnonzero(~(diagonal > 0) | ~np.isfinite(information).all(axis=1))
    root = np.sqrt(diagonal)
    scaled = information / root / root[:, None]
    factor, failed = lapack.dpotrf(scaled, lower=1)
    if not failed and _is_regular(scaled, factor):
        lower, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
        lower = np.tril(lower / root / root[:, None])
        return lower + np.tril(lower, -1).T, nobody
    roots, vectors = eigh(scaled)
    # the smallest roots of a matrix that is only numerically singular are rounding
    offending = roots <= max(np.finfo(float).eps * len(roots) * roots[-1], roots[0])
    return None, _carriers(np.abs(vectors[:, offending]).max(axis=1))


def _carriers(loadings: Array) -> NDArray[np.intp]:
    """Positions with at least a tenth of the largest loading, largest first."""
    order = np.argsort(-loadings, kind="stable")
    return np.asarray(order[loadings[order] > _CARRIES * loadings.max()], dtype=np.intp)


def _is_regular(scaled: Array, factor: Array) -> bool:
    """Whether the reciprocal condition number lies above rounding."""
    norm = float(np.abs(scaled).sum(axis=0).max())
    condition, _ = lapack.dpocon(factor, norm, uplo="L")
    return bool(condition > np.finfo(float).eps)


def not_positive(
    layout: ParameterLayout, positions: NDArray[np.intp], carriers: NDArray[np.intp]
) -> tuple[dict[int, str], str]:
    """What to say where the information is not positive definite.

    Parameters
    ----------
    layout : ParameterLayout
        Names of the parameters.
    positions, carriers : ndarray of int
        All parameters in the matrix, and those that carry its non-positive directions.

    Returns
    -------
    tuple of (mapping of position to str, str)
        Why each parameter has no standard error, and one note that names the items that cause it.
    """
    names = [layout.names[at] for at in carriers]
    where = ", ".join(" of ".join(part for part in name if part) for name in names[:3])
    problems = dict.fromkeys(
        (int(at) for at in positions), f"standard error not available: information not positive definite at {where}"
    )
    for at in carriers:
        problems[int(at)] = "the information matrix is not positive definite here: standard error not available"
    items = list(dict.fromkeys(item or slot for slot, item in names))
    return problems, f"the information matrix is not positive definite: no standard errors; caused by {listed(items)}"
