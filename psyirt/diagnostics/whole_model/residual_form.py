"""f' C f with C = V^-1 - V^-1 D (D' V^-1 D)^-1 D' V^-1: what of f is left when all that D could explain is taken out.

C equals D_ (D_' V D_)^-1 D_' for any orthogonal complement D_ of D (Maydeu-Olivares & Joe 2005). It is found
without either inverse: conjugate gradients for V x = f + D l under D' x = 0, so that f' C f = f' x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from psyirt.diagnostics.whole_model.moment_covariance import MomentCovariance
from psyirt.errors import EstimationError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = NDArray[np.float64]

# residual at which the iteration ends, relative to its first; the form's own error is the square of that
_TOLERANCE = 1e-7
_MOST_ITERATIONS = 2000
# an eigenvalue of the scaled D'D below this is a direction in which the moments do not move
_NO_CHANGE = 1e-12


@dataclass(frozen=True)
class ResidualForm:
    """Outcome of :func:`residual_form`.

    Attributes
    ----------
    value : float
        f' C f.
    rank : int
        How many independent directions D has.
    iterations : int
        Steps of conjugate gradients.
    """

    value: float
    rank: int
    iterations: int


def residual_form(residuals: Array, covariance: MomentCovariance, slopes: csr_array) -> ResidualForm:
    """The quadratic form of residuals that no change of parameters explains.

    Parameters
    ----------
    residuals : ndarray, shape (K,)
        f.
    covariance : MomentCovariance
        V, shape (K, K); positive definite.
    slopes : sparse array, shape (K, p)
        D.

    Returns
    -------
    ResidualForm

    Raises
    ------
    EstimationError
        If the iteration does not end, because V is singular or nearly so.
    """
    from scipy.sparse import diags_array

    unit = 1.0 / np.sqrt(covariance.variances)
    project, rank = _projection(diags_array(unit) @ slopes)
    start = project(residuals * unit)
    found, left, direction = np.zeros_like(start), start.copy(), start.copy()
    size = first = float(left @ left)
    for iteration in range(_MOST_ITERATIONS):
        if size <= _TOLERANCE**2 * first:
            return ResidualForm(float(start @ found), rank, iteration)
        turned = project(unit * (covariance @ (unit * direction)))
        step = size / float(direction @ turned)
        found += step * direction
        left -= step * turned
        before, size = size, float(left @ left)
        direction = left + (size / before) * direction
    raise EstimationError(
        f"no solution after {_MOST_ITERATIONS} steps",
        "covariance of the moments",
        "Leave out items that determine each other",
    )


def _projection(slopes: csr_array):  # type: ignore[no-untyped-def]
    """Projection onto what is orthogonal to the columns, and their rank."""
    square = (slopes.T @ slopes).toarray()
    lengths = np.sqrt(np.diag(square))
    lengths[lengths == 0.0] = 1.0
    values, vectors = np.linalg.eigh(square / np.outer(lengths, lengths))
    keep = values > _NO_CHANGE * max(1.0, float(values.max(initial=0.0)))
    # inverse = half half'
    half = (vectors[:, keep] / np.sqrt(values[keep])) / lengths[:, None]

    def project(vector: Array) -> Array:
        # twice: what rounding leaves of nearly collinear columns goes the second time
        for _ in range(2):
            vector = vector - slopes @ (half @ (half.T @ (slopes.T @ vector)))
        return vector

    return project, int(keep.sum())
