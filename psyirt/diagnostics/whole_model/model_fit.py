"""Does the whole model fit? M2 from first and second order moments, and sizes of misfit made from it."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from scipy.special import chdtrc

from psyirt.diagnostics.fitted_data import fitted_data
from psyirt.diagnostics.whole_model.limited_information import FormAndIndices, form_and_indices
from psyirt.diagnostics.whole_model.pattern_counts import pattern_test
from psyirt.foundation.threads import one_blas_thread
from psyirt.foundation.words import counted
from psyirt.observed_information.point import FitPoint
from psyirt.results.calibration import Calibration

_NAN = float("nan")


@dataclass(frozen=True, eq=False, repr=False)
class ModelFit(Mapping[str, Any]):
    """Outcome of :func:`model_fit`: read as attributes or as a mapping; NaN where `notes` say why not.

    Attributes
    ----------
    M2, df, p : float
        Statistic, degrees of freedom, chi-square tail probability.
    rmsea, rmsea_low, rmsea_high : float
        Root mean square error of approximation of M2, with its 90 % interval.
    srmsr : float
        Root mean square of observed minus model correlations of pairs of items.
    cfi, tli : float
        Comparative fit index (0 to 1) and Tucker-Lewis index, against independent items.
    null_M2, null_df : float
        M2 of independent items.
    G2, X2 : float
        Likelihood ratio and Pearson statistic of the response patterns against the saturated multinomial.
    G2_df, G2_p, X2_p : float
        Their degrees of freedom and tail probabilities.
    n : float
        Subjects (sum of weights).
    model : str
        What was fitted.
    n_items : int
        To how many items.
    notes : tuple of str
        What is missing, and what to know.
    """

    M2: float
    df: float
    p: float
    rmsea: float
    rmsea_low: float
    rmsea_high: float
    srmsr: float
    cfi: float
    tli: float
    null_M2: float
    null_df: float
    G2: float
    G2_df: float
    G2_p: float
    X2: float
    X2_p: float
    n: float
    model: str
    n_items: int
    notes: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> Any:
        """A value by its name."""
        if key not in _KEYS:
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(_KEYS)

    def __len__(self) -> int:
        """How many there are."""
        return len(_KEYS)

    def __repr__(self) -> str:
        """A line for each kind of fit, then the notes."""
        lines = [f"{self.model}, {self.n_items} items, {self.n:.10g} subjects: fit of the whole model"]
        if math.isnan(self.M2):
            lines.append("M2     not available")
        else:
            lines += [
                f"M2     {_large(self.M2)}, df {self.df:g}, p {_p(self.p)}",
                f"RMSEA  {self.rmsea:.4f}, 90 % interval {self.rmsea_low:.4f} to {self.rmsea_high:.4f}",
            ]
        lines.append(f"SRMSR  {_number(self.srmsr)}")
        lines.append(f"CFI    {_number(self.cfi)}, TLI {_number(self.tli)} (beside independent items)")
        if not math.isnan(self.G2):
            lines.append(
                f"G2     {_large(self.G2)}, df {self.G2_df:g}, p {_p(self.G2_p)}; "
                f"X2 {_large(self.X2)}, p {_p(self.X2_p)}"
            )
        return "\n".join(lines + [f"note: {note}" for note in self.notes])

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        return f"<pre>{html.escape(repr(self))}</pre>"


_KEYS = tuple(field.name for field in fields(ModelFit))


def _large(value: float) -> str:
    return f"{value:.3f}" if value < 1e6 else f"{value:.4g}"


def _number(value: float) -> str:
    return "not available" if math.isnan(value) else f"{value:.4f}"


def _p(value: float) -> str:
    if math.isnan(value):
        return "not available"
    return f"{value:.4f}" if value >= 5e-5 else "below .0001"


@one_blas_thread()
def model_fit(calibration: Calibration) -> ModelFit:
    """M2 with RMSEA, SRMSR, CFI and TLI; G2 and X2 where responses are complete and patterns few.

    M2 (Maydeu-Olivares & Joe 2005, 2006) compares the observed means of items and of products of two items with
    those the model implies, after taking out what its free parameters could explain: chi-square with as many degrees
    of freedom as there are moments minus parameters, for any consistent estimates. The covariance matrix of the
    moments is never formed.

    Where responses are missing, each moment is a mean over the subjects who answered its items, and covariances are
    weighted by how many subjects moments share. That is valid where responses are missing completely at random; where
    a test says they are not, there is no statistic.

    Parameters
    ----------
    calibration : Calibration
        A fit, or fixed parameters with responses; weights count subjects.

    Returns
    -------
    ModelFit

    Raises
    ------
    InputError
        If it is no calibration, or has so many items that memory does not suffice (about 3,000).
    NotAvailableError
        If it has no responses.

    Examples
    --------
    >>> import psyirt
    >>> responses = psyirt.simulate_responses(subjects=500, items=10, seed=1).responses
    >>> fit = psyirt.model_fit(psyirt.fit_mml(responses, "2PL"))
    >>> fit.df, fit["p"] > 0.05
    (35, True)
    """
    data = fitted_data(calibration, "model fit")
    found = form_and_indices(calibration, data)
    of_patterns = pattern_test(calibration, data.patterns)
    notes = (*found.notes, *_doubts(calibration), of_patterns.note)
    null = (_NAN, _NAN) if found.null is None else (found.null.value, found.null.df)
    return ModelFit(
        **_of_form(found),
        null_M2=null[0],
        null_df=null[1],
        G2=of_patterns.g2,
        G2_df=of_patterns.df,
        G2_p=of_patterns.g2_p,
        X2=of_patterns.x2,
        X2_p=of_patterns.x2_p,
        n=data.patterns.total,
        model=calibration.model_name,
        n_items=len(calibration.item_names),
        notes=tuple(note for note in notes if note),
    )


def _of_form(found: FormAndIndices) -> dict[str, Any]:
    """M2, df, p, RMSEA with its interval, SRMSR, CFI and TLI."""
    value, df, p = _NAN, _NAN, _NAN
    if found.test is not None:
        value, df, p = found.test.value, found.test.df, float(chdtrc(found.test.df, found.test.value))
    names = ("M2", "df", "p", "rmsea", "rmsea_low", "rmsea_high", "srmsr", "cfi", "tli")
    return dict(zip(names, (value, df, p, *found.rmsea, *found.indices), strict=True))


def _point(calibration: Calibration) -> FitPoint:
    assert calibration.patterns is not None
    return FitPoint(
        calibration.patterns,
        calibration.model,
        calibration.layout,
        calibration.priors,
        calibration.population,
        calibration.grid,
        calibration.x,
    )


def _doubts(calibration: Calibration) -> list[str]:
    """What about the estimates makes a chi-square approximate."""
    notes = []
    if calibration.set_aside:
        notes.append(f"{counted(len(calibration.set_aside), 'item was', 'items were')} set aside and no part of this")
    if calibration.priors:
        notes.append(
            "estimates are held by priors: the chi-square of M2 is then an approximation, and G2 and X2 have none"
        )
    if not calibration.population.is_parametric:
        notes.append("ability is a histogram: its weights are taken as known, and cost no degrees of freedom")
    if calibration.status == "fixed":
        notes.append(
            "parameters were given: they are taken as estimated, by the model named, and cost degrees of freedom"
        )
    elif not calibration.converged:
        notes.append(f"the fit's status is {calibration.status!r}: M2 presumes estimates that have converged")
    edge = len(_point(calibration).at_boundary())
    if edge:
        notes.append(f"{counted(edge, 'asymptote lies', 'asymptotes lie')} at 0 or 1: the chi-square is approximate")
    return notes
