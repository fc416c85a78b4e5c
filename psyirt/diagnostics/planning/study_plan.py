"""How well would a study measure? Standard errors, reliability and power, before anybody has answered."""

from __future__ import annotations

import html
from dataclasses import dataclass
from numbers import Real
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from psyirt.diagnostics.adjustment import require_level
from psyirt.diagnostics.planning.expected_errors import expected_errors, simulated_errors
from psyirt.errors import InputError, NotAvailableError
from psyirt.foundation.arguments import require
from psyirt.foundation.own_tables import OwnsTables
from psyirt.foundation.progress import Progress, silent
from psyirt.foundation.threads import one_blas_thread
from psyirt.foundation.words import counted
from psyirt.latent.population import STANDARD_NORMAL, Grid
from psyirt.models.item_types import ItemType
from psyirt.models.parameters import ItemParameters
from psyirt.models.registry import ITEM_TYPES
from psyirt.scoring.information import item_information
from psyirt.simulation.graded import simulate_responses, truth_table
from psyirt.simulation.streams import streams, whole

Array = NDArray[np.float64]
Method = Literal["information", "simulation"]

_THETA = np.linspace(-3.0, 3.0, 13)
_ITEMS_SHOWN = 12


@dataclass(frozen=True, eq=False)
class StudyPlan(OwnsTables):
    """What a planned study would know.

    Attributes
    ----------
    items : DataFrame, index item
        True a, b, c, d; answers (expected number for each item); se_a, se_b; power_a (probability that a test at
        level `alpha` finds the slope above 0). After a simulation se_a and se_b are root mean squared errors, beside
        error_a, error_b (medians of absolute errors) and lost (studies in which the item had no finite estimate).
    systems : DataFrame, index theta
        Columns se (of a maximum likelihood ability from the items a subject answers, item parameters taken as known)
        and power (probability that a test at level `alpha` tells a system at theta from one better by `difference`,
        both having answered those items).
    subjects, answers_per_subject : int
        The planned size.
    reliability : float
        Expected reliability of the subjects' abilities, 0 to 1.
    difference, alpha : float
        What `power` is about.
    method : str
        "information" or "simulation".
    """

    items: pd.DataFrame
    systems: pd.DataFrame
    subjects: int
    answers_per_subject: int
    reliability: float
    difference: float
    alpha: float
    method: str

    @property
    def median_se_b(self) -> float:
        """Median over the items of the standard error of b: what a gate should look at, not a count of subjects."""
        return float(self.items["se_b"].median())

    def subjects_for(self, median_se_b: float) -> int:
        """Subjects with which the median standard error of b would be as asked, errors falling as 1 / sqrt(N).

        Parameters
        ----------
        median_se_b : float
            Above 0, in units of theta.

        Returns
        -------
        int

        Raises
        ------
        InputError
            If it is no positive number.
        NotAvailableError
            If no item has a standard error to go by.
        """
        require(median_se_b, Real, "median_se_b", "subjects_for", "Give a standard error, e.g. 0.15")
        if not 0.0 < median_se_b < np.inf:
            raise InputError(f"median_se_b is {median_se_b}", "subjects_for", "Give a standard error, e.g. 0.15")
        if not np.isfinite(self.median_se_b):
            raise NotAvailableError("no item has a standard error of b", "subjects_for", "Plan with more subjects")
        return int(np.ceil(self.subjects * (self.median_se_b / median_se_b) ** 2))

    def _head(self) -> str:
        """The plan in sentences."""
        asked = len(self.items)
        each = "all of them" if self.answers_per_subject == asked else f"{self.answers_per_subject} of them each"
        how = {"information": "expected information", "simulation": "simulated studies"}[self.method]
        lines = [
            f"plan: {counted(self.subjects, 'subject')} answer {each}, {counted(asked, 'item')} (by {how})",
            self._precision(),
            f"reliability of abilities {self.reliability:.2f}",
        ]
        if self.method == "information" and bool((self.items["c"].gt(0.0) | self.items["d"].lt(1.0)).any()):
            lines.append("without priors: a fit, whose asymptotes have some, errs less; see method='simulation'")
        if "lost" in self.items and self.items["lost"].any():
            unlucky = counted(int(self.items["lost"].gt(0).sum()), "item")
            most = self.items.index[int(self.items["lost"].argmax())]
            lines.append(f"{unlucky} had no finite estimate in some study, most often {most!r}")
        return "\n".join(lines)

    def _precision(self) -> str:
        """Typical standard errors, and what halves them."""
        if not np.isfinite(self.median_se_b):
            return "no standard errors: no item had a finite estimate in any simulated study"
        slopes = f", of a {float(self.items['se_a'].median()):.3f}" if self.items["se_a"].notna().any() else ""
        half = counted(self.subjects_for(0.5 * self.median_se_b), "subject")
        return f"median standard error of b {self.median_se_b:.3f}{slopes}; half of it needs {half}"

    def __repr__(self) -> str:
        """The plan in sentences, then its tables."""
        systems = self.systems.round(3).to_string()
        return f"{self._head()}\n\n{systems}\n\n{self.items.round(3).to_string(max_rows=_ITEMS_SHOWN)}"

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        items = self.items.round(3).to_html(max_rows=_ITEMS_SHOWN)
        return f"<pre>{html.escape(self._head())}</pre>{self.systems.round(3).to_html()}{items}"


@one_blas_thread()
def plan(
    items: int | ItemParameters | pd.DataFrame,
    subjects: int,
    model: str | ItemType | None = None,
    *,
    answers_per_subject: int | None = None,
    method: Method = "information",
    replications: int = 100,
    difference: float = 0.5,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress = silent,
) -> StudyPlan:
    """Standard errors, reliability and power of a study of so many items and subjects.

    Parameters
    ----------
    items : int, ItemParameters or DataFrame
        J, for items drawn as by ``simulate_responses``; or what you expect of them (index item; columns a, b or
        intercept, c, d), e.g. the items of an earlier calibration.
    subjects : int
        N, with theta ~ N(0, 1).
    model : str or ItemType, optional
        What would be fitted, by default 2PL for drawn items and for given ones what their parameters are.
    answers_per_subject : int, optional
        How many of the items, drawn at random, each subject answers (all by default).
    method : {"information", "simulation"}
        "information": asymptotic standard errors from the information that a large simulated crowd has at the true
        parameters; without priors, so that for free asymptotes they are larger than those of a fit. "simulation":
        errors of fits to `replications` simulated studies; slower, and it shows what asymptotics hide in small
        studies: estimates that are not finite, and errors larger than their standard errors.
    replications : int
        Simulated studies.
    difference : float
        A difference in theta that the test of two systems should see.
    alpha : float
        Level of the tests (two-sided).
    seed : int
        0 or above.
    progress : callable
        Receives an event per simulated study.

    Returns
    -------
    StudyPlan

    Raises
    ------
    InputError
        If a number is out of range or the items contradict the model.

    Examples
    --------
    >>> import psyirt
    >>> study = psyirt.plan(20, 500)
    >>> bool(study.median_se_b > psyirt.plan(20, 2000).median_se_b)
    True
    """
    size = whole(subjects, "subjects", 2)
    require_level(alpha)
    require(difference, Real, "difference", "plan", "Give a difference in theta, e.g. 0.5")
    if not 0.0 < difference < np.inf:
        raise InputError(f"difference is {difference}", "plan", "Give a difference in theta, e.g. 0.5")
    if method not in ("information", "simulation"):
        raise InputError(f"method is {method!r}", "plan", "Choose information or simulation")
    parameters = simulate_responses(1, items, model, seed=seed).item_parameters
    kind = _type_of(parameters, model, drawn=not isinstance(items, (ItemParameters, pd.DataFrame)))
    answers = len(parameters) if answers_per_subject is None else whole(answers_per_subject, "answers_per_subject", 1)
    if answers > len(parameters):
        raise InputError(f"{answers} answers to {len(parameters)} items", "plan", "Give at most one for each item")
    if method == "simulation":
        studies = whole(replications, "replications", 1)
        errors = simulated_errors(parameters, kind, size, answers, studies, seed, progress)
    else:
        errors = expected_errors(parameters, kind, size, answers, streams(seed, 5)[-1])
    share = answers / len(parameters)
    table = truth_table(parameters)[["a", "b", "c", "d"]].assign(answers=size * share).join(errors)
    critical = float(ndtri(1.0 - alpha / 2.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        table["power_a"] = ndtr(table["a"] / table["se_a"] - critical)
    return StudyPlan(
        table,
        _systems(parameters, share, float(difference), critical),
        size,
        answers,
        _reliability(parameters, share),
        float(difference),
        alpha,
        method,
    )


def _type_of(parameters: ItemParameters, model: str | ItemType | None, *, drawn: bool) -> ItemType:
    """The item type that would be fitted."""
    if isinstance(model, ItemType):
        return model
    if model is not None or drawn:
        return ITEM_TYPES[model or "2PL"]
    guessed, missed = bool((parameters.lower > 0.0).any()), bool((parameters.upper < 1.0).any())
    return ITEM_TYPES[("2PL", "3PL", "feasibility", "4PL")[guessed + 2 * missed]]


def _systems(parameters: ItemParameters, share: float, difference: float, critical: float) -> pd.DataFrame:
    """Standard errors of abilities, and the power of telling two apart, with a share of the items answered."""
    information, above = (
        share * item_information(parameters, points).to_numpy().sum(axis=1) for points in (_THETA, _THETA + difference)
    )
    with np.errstate(divide="ignore"):
        gap = difference / np.sqrt(1.0 / information + 1.0 / above)
        frame = {"se": 1.0 / np.sqrt(information), "power": ndtr(gap - critical) + ndtr(-gap - critical)}
    return pd.DataFrame(frame, index=pd.Index(_THETA, name="theta"))


def _reliability(parameters: ItemParameters, share: float) -> float:
    """Mean of I / (I + 1) over theta ~ N(0, 1), with a share of the items answered."""
    grid = Grid()
    information = share * item_information(parameters, grid.nodes[:, 0]).to_numpy().sum(axis=1)
    return float(np.sum(np.exp(STANDARD_NORMAL.log_weights(grid)) * information / (information + 1.0)))
