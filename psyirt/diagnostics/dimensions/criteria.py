"""What each criterion says of the number of dimensions."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psyirt.data.responses import Responses
from psyirt.diagnostics.dimensions.average_partial import average_partials
from psyirt.diagnostics.dimensions.empirical_kaiser import kaiser_references, leading
from psyirt.diagnostics.dimensions.one_factor_eigenvalues import one_factor_eigenvalues
from psyirt.diagnostics.dimensions.tetrachoric_matrix import nearest_correlations
from psyirt.errors import PsyirtError
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.progress import Progress
from psyirt.foundation.words import counted

Array = NDArray[np.float64]

# Reeve et al. (2007): a first eigenvalue four times the second speaks for one dimension
_DOMINANT = 4.0
_PERCENTILE = 95.0
_LEVEL = 0.05


@dataclass(frozen=True)
class Criterion:
    """One criterion's answer.

    Attributes
    ----------
    name : str
        What it is called in the field.
    factors : int or None
        How many dimensions it counts; None where it does not count, or cannot be computed.
    answer : str
        In words.
    source : str
        Author, year.
    note : str
        What to know about it, or why there is no answer.
    """

    name: str
    factors: int | None
    answer: str
    source: str
    note: str = ""


def parallel(eigenvalues: Array, random: Array) -> tuple[list[Criterion], Array, Array]:
    """Parallel analysis against the mean and the 95th percentile; and both references, shape (J,)."""
    whole = random[~np.isnan(random).any(axis=1)]
    lost = len(random) - len(whole)
    note = f"{lost} of {len(random)} shuffled data sets left gaps in the matrix, and were left out" if lost else ""
    if not len(whole):
        nothing = np.full(len(eigenvalues), np.nan)
        return [_unavailable("parallel analysis", "Horn (1965)", note)], nothing, nothing
    mean, high = whole.mean(axis=0), np.percentile(whole, _PERCENTILE, axis=0)
    counts = [leading(eigenvalues > reference) for reference in (mean, high)]
    draws = f"{counted(len(whole), 'data set')} with unrelated items"
    return (
        [
            Criterion(
                "parallel analysis (mean)",
                counts[0],
                _above(counts[0], f"their mean over {draws}"),
                "Horn (1965)",
                note,
            ),
            Criterion(
                "parallel analysis (95th percentile)",
                counts[1],
                _above(counts[1], f"their 95th percentile over {draws}"),
                "Horn (1965); Glorfeld (1995)",
                note,
            ),
        ],
        mean,
        high,
    )


def average_partial(square: Array, power: int) -> tuple[Criterion, Array]:
    """MAP, on the nearest correlation matrix where the estimates form none; and its curve, shape (J - 1,)."""
    note = ""
    if np.linalg.eigvalsh(square)[0] <= 0.0:
        square, note = nearest_correlations(square), "on the nearest correlation matrix, for the estimates form none"
    curve = average_partials(square, power)
    name, source = ("MAP", "Velicer (1976)") if power == 2 else ("MAP (4th powers)", "Velicer, Eaton & Fava (2000)")
    if np.isnan(curve).all():
        return _unavailable(name, source, "no partial correlation can be computed"), curve
    factors = int(np.nanargmin(curve))
    answer = f"partial correlations are smallest, on average, without the first {counted(factors, 'component')}"
    answer = answer if factors else "partialling out components makes partial correlations larger, not smaller"
    return Criterion(name, factors, answer, source, note), curve


def empirical_kaiser(phi: Array, subjects: float) -> tuple[Criterion, Array, Array]:
    """The empirical Kaiser criterion on Pearson correlations; their eigenvalues (J,), and what they must exceed."""
    name, source = "empirical Kaiser criterion", "Braeken & van Assen (2017)"
    if np.isnan(phi).any():
        nothing = np.full(len(phi), np.nan)
        return _unavailable(name, source, "items without variance among those who answered both"), nothing, nothing
    eigenvalues = np.asarray(np.linalg.eigvalsh(phi)[::-1], dtype=float)
    references = kaiser_references(eigenvalues, subjects)
    factors = leading(eigenvalues > references)
    note = (
        "of Pearson correlations, where items of like difficulty form factors of their own: it mostly counts too many"
    )
    answer = _above(factors, f"what noise leaves at N = {subjects:g}")
    return Criterion(name, factors, answer, source, note), eigenvalues, references


def acceleration(eigenvalues: Array) -> Criterion:
    """Where the scree plot bends most: the number of eigenvalues before its sharpest turn."""
    source = "Raiche, Walls, Magis, Riopel & Blais (2013)"
    if len(eigenvalues) < 3:
        return _unavailable("acceleration factor", source, "fewer than 3 eigenvalues")
    bends = eigenvalues[:-2] - 2.0 * eigenvalues[1:-1] + eigenvalues[2:]
    factors = int(np.argmax(bends)) + 1
    note = "a drop after the first eigenvalue is usual, so it often says 1"
    return Criterion("acceleration factor", factors, f"the scree plot bends most after {factors}", source, note)


def ratio(eigenvalues: Array) -> Criterion:
    """First to second eigenvalue; it speaks for one dimension or against, and counts none."""
    source = "Reeve et al. (2007)"
    if len(eigenvalues) < 2 or eigenvalues[1] <= 0.0:
        return _unavailable("ratio of eigenvalues", source, "no second eigenvalue above 0")
    found = float(eigenvalues[0] / eigenvalues[1])
    dominant = found >= _DOMINANT
    words = f"the first is {found:.1f} times the second, {'which speaks' if dominant else 'and 4 would speak'} for one"
    return Criterion(
        "ratio of eigenvalues", 1 if dominant else None, words, source, "a rule of thumb; no sampling error"
    )


def one_ability(
    responses: Responses,
    second: float,
    weights: ArrayLike | None,
    draws: int,
    seed: int,
    correction: float,
    progress: Progress,
) -> Criterion:
    """Modified parallel analysis: the second eigenvalue against crowds simulated from a fitted 2PL."""
    name, source = "modified parallel analysis", "Drasgow & Lissak (1983)"
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit = fit_mml(responses, "2PL", weights=weights, progress=progress)
        crowds = one_factor_eigenvalues(fit, draws, seed=seed, correction=correction, progress=progress)
    except PsyirtError as error:
        return _unavailable(name, source, f"no 2PL could be fitted: {error}")
    note = "; ".join(str(warning.message) for warning in caught)
    known = crowds[~np.isnan(crowds)]
    if not len(known):
        return _unavailable(name, source, "the simulated crowds left gaps in the matrix")
    p = (1.0 + float(np.sum(known >= second))) / (len(known) + 1.0)
    middle = float(np.median(known))
    beside = (
        f"the second eigenvalue is {second:.2f}, and {middle:.2f} in the median of {len(known)} crowds of one ability"
    )
    beside = f"{beside} (p = {p:.3f})"
    if p < _LEVEL:
        return Criterion(name, None, f"more than one: {beside}", source, note)
    return Criterion(name, 1, f"one is enough: {beside}", source, note)


def _above(count: int, reference: str) -> str:
    return f"{counted(count, 'eigenvalue')} above {reference}"


def _unavailable(name: str, source: str, note: str) -> Criterion:
    return Criterion(name, None, "no answer", source, note)
