"""What Louis's information costs: whoever prints a result asks before it starts."""

from __future__ import annotations

from psyirt.observed_information.few_subjects import LARGEST
from psyirt.observed_information.linear_items import has_linear_items
from psyirt.observed_information.point import FitPoint

# scores on which many subjects stand; polynomials for the posterior of one with many answers
_POINTS, _POLYNOMIALS = 500, 3


def louis_cost(point: FitPoint, full: bool) -> float:
    """Multiplications of Louis's information and its inverse, about.

    Parameters
    ----------
    point : FitPoint
        Where.
    full : bool
        Whether the full matrix is formed.
    """
    rows, size, nodes = point.patterns.rows, float(point.layout.size), point.grid.count
    if not full:
        inner = min(rows * _POLYNOMIALS, LARGEST)
        return size * inner * (inner + 4.0 * nodes)
    if has_linear_items(point):
        return (0.25 * rows + min(rows, _POINTS)) * size**2 + size**3
    return 0.5 * rows * nodes * size**2 + size**3
