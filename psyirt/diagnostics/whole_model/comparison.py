"""Which of several fits of the same responses to prefer, and how far the criteria agree."""

from __future__ import annotations

import html
from dataclasses import dataclass
from numbers import Integral

import numpy as np
import pandas as pd

from psyirt.data.pattern_source import PatternSource
from psyirt.diagnostics.whole_model.held_out import HeldOut, held_out
from psyirt.diagnostics.whole_model.information_criteria import CRITERIA, information_criteria
from psyirt.diagnostics.whole_model.likelihood_ratio import RatioTest, ratio_test
from psyirt.diagnostics.whole_model.nesting import nesting
from psyirt.diagnostics.whole_model.ratio_bootstrap import bootstrap_tail
from psyirt.diagnostics.whole_model.verdict import verdict
from psyirt.errors import InputError, NotAvailableError
from psyirt.foundation.arguments import require
from psyirt.foundation.own_tables import OwnsTables
from psyirt.foundation.progress import Progress, silent
from psyirt.results.calibration import Calibration
from psyirt.results.weighting import SAMPLING

# by how much a statistic from another start must exceed the fits' own to be told
_GAIN = 0.05
_TEST_COLUMNS = ("statistic", "df", "at_edge", "p", "p_low", "p_high", "p_bootstrap", "note")


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison(OwnsTables):
    """Outcome of :func:`compare_models`; frozen.

    Attributes
    ----------
    models : DataFrame
        Index model; columns loglik, parameters, AIC, AICc, BIC, SABIC, HQ (smaller is better) and, with `folds`,
        held_out (log predictive density of a response, on average), held_out_difference (sum over all responses minus
        the best model's) and held_out_se (standard error of that difference, subjects being independent); note.
    tests : DataFrame
        Index (restricted, general), a row for each nested pair; columns statistic, df, at_edge, p, p_low, p_high,
        p_bootstrap, note.
    verdict : str
        What the criteria prefer, in words.
    notes : tuple of str
        What to know about the whole.
    """

    models: pd.DataFrame
    tests: pd.DataFrame
    verdict: str
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """The verdict, the models, the tests and the notes."""
        parts = [self.verdict, "", self.models.round(4).to_string()]
        if len(self.tests):
            parts += ["", "Likelihood-ratio tests", self.tests.round(4).to_string()]
        return "\n".join(parts + [f"note: {note}" for note in self.notes])

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        notes = "".join(f"<p>note: {html.escape(note)}</p>" for note in self.notes)
        tests = self.tests.round(4).to_html() if len(self.tests) else ""
        return f"<p>{html.escape(self.verdict)}</p>{self.models.round(4).to_html()}{tests}{notes}"


def compare_models(
    *calibrations: Calibration,
    bootstrap: int = 0,
    folds: int = 0,
    seed: int | None = None,
    progress: Progress = silent,
) -> ModelComparison:
    """Compare fits of the same responses: likelihood-ratio tests, information criteria, held-out responses.

    Parameters
    ----------
    *calibrations : Calibration
        Two or more.
    bootstrap : int
        Replications of a parametric bootstrap of every likelihood-ratio test, 0 for none: what gives a p-value where
        the null hypothesis lies at an edge (2PL within 3PL: every c = 0) or estimates are held by priors. 199 is
        enough for a decision at .05.
    folds : int
        Folds of responses for the held-out log-likelihood, 0 for none; 5 or 10 is usual.
    seed : int, optional
        Needed with `bootstrap` or `folds`.
    progress : callable, optional
        Receives a ProgressEvent per replication or fit.

    Returns
    -------
    ModelComparison

    Raises
    ------
    InputError
        If fewer than two calibrations are given, their responses, items or weights differ, or an option is no number
        of its kind.
    NotAvailableError
        If one has no responses or sampling weights, or weights that are not whole numbers are to be resampled.

    Examples
    --------
    >>> import psyirt
    >>> responses = psyirt.simulate_responses(subjects=500, items=8, seed=1).responses
    >>> fits = [psyirt.fit_mml(responses, model) for model in ("1PL", "2PL")]
    >>> list(psyirt.compare_models(*fits).tests.index)
    [('1PL', '2PL')]
    """
    patterns = _same_data(calibrations)
    _check_options(bootstrap, folds, seed)
    responses = calibrations[0].responses
    if responses is not None and folds > responses.observed:
        raise InputError(f"{folds} folds of {responses.observed} responses", "compare_models", "Give fewer, e.g. 10")
    names = _names(calibrations)
    predicted = held_out(calibrations, patterns, folds, int(seed or 0), progress) if folds else None
    models = _models(calibrations, names, predicted)
    tests = _tests(calibrations, names, bootstrap, int(seed or 0), progress)
    return ModelComparison(models, tests, verdict(models, tests), _notes(calibrations, tests))


def _same_data(calibrations: tuple[Calibration, ...]) -> PatternSource:
    """The responses behind all fits; refused where there are several."""
    for calibration in calibrations:
        require(calibration, Calibration, "the calibration", "compare_models", "Fit one with fit_mml")
        if calibration.patterns is None or calibration.responses is None:
            raise NotAvailableError(
                "no responses, so no likelihood", "parameters were fixed without data", "Give responses to psyirt.fix"
            )
        if calibration.weights_kind == SAMPLING:
            raise NotAvailableError(
                "sampling weights make a pseudo-likelihood, which no criterion or ratio is defined for",
                "compare_models",
                "Compare fits without weights",
            )
    if len(calibrations) < 2:
        raise InputError(f"{len(calibrations)} calibrations", "compare_models", "Give two or more")
    first = calibrations[0]
    assert first.patterns is not None
    for other in calibrations[1:]:
        assert first.responses is not None
        assert other.responses is not None
        assert other.patterns is not None
        if first.item_names != other.item_names:
            raise InputError("the fits have different items", "compare_models", "Fit the same items in the same order")
        if first.responses.digest != other.responses.digest:
            raise InputError("the fits have different responses", "compare_models", "Fit the same responses")
        if not np.array_equal(first.patterns.weights, other.patterns.weights):
            raise InputError("the fits have different weights", "compare_models", "Fit with the same weights")
    return first.patterns


def _check_options(bootstrap: int, folds: int, seed: int | None) -> None:
    for name, value, least in (("bootstrap", bootstrap, 19), ("folds", folds, 2)):
        require(value, Integral, name, "compare_models", f"Give a whole number, {least} or more, or 0 for none")
        if value and value < least:
            raise InputError(f"{name} is {value}", "compare_models", f"Give {least} or more, or 0 for none")
    if (bootstrap or folds) and seed is None:
        raise InputError("no seed", "compare_models", "Give a whole number, e.g. seed=1")
    if seed is not None:
        require(seed, Integral, "seed", "compare_models", "Give a whole number, 0 or more")
        if seed < 0:
            raise InputError(f"seed is {seed}", "compare_models", "Give a whole number, 0 or more")
        if not (bootstrap or folds):
            raise InputError("a seed with nothing to draw", "compare_models", "Give bootstrap= or folds= too")


def _names(calibrations: tuple[Calibration, ...]) -> list[str]:
    """A name for each fit: its model, with priors if any, numbered where several are called the same."""
    names: list[str] = []
    for calibration in calibrations:
        name = calibration.model_name + (" with priors" if calibration.priors else "")
        count = sum(other == name or other.startswith(f"{name} (") for other in names)
        names.append(f"{name} ({count + 1})" if count else name)
    return names


def _models(calibrations: tuple[Calibration, ...], names: list[str], predicted: HeldOut | None) -> pd.DataFrame:
    rows = [
        {"loglik": fit.loglik, "parameters": fit.n_parameters}
        | information_criteria(fit.loglik, fit.n_parameters if fit.population.is_parametric else None, fit.nobs)
        for fit in calibrations
    ]
    frame = pd.DataFrame(rows, index=pd.Index(names, name="model"))
    notes = [[] if fit.status in ("converged", "fixed") else [f"status: {fit.status}"] for fit in calibrations]
    for fit, row, note in zip(calibrations, rows, notes, strict=True):
        if not fit.population.is_parametric:
            note.append("no criteria: a histogram's weights are no number of parameters to count")
        elif any(np.isnan(row[name]) for name in CRITERIA):
            note.append("too few subjects for a criterion")
    if predicted is not None:
        frame = frame.assign(**_predictions(predicted))
        for fit, failed, note in zip(calibrations, predicted.failed, notes, strict=True):
            note += [f"no estimates in {failed} folds: not held out"] if failed else []
            note += ["held out without fitting again"] if fit.refit is None else []
    return frame.assign(note=["; ".join(note) for note in notes])


def _predictions(predicted: HeldOut) -> dict[str, np.ndarray]:
    """Columns of held-out responses; differences and their standard errors are those of subjects' sums."""
    totals = predicted.by_subject.sum(axis=1)
    found = np.isfinite(totals)
    best = predicted.by_subject[int(np.nanargmax(totals))] if found.any() else predicted.by_subject[0]
    off = predicted.by_subject - best
    subjects = off.shape[1]
    spread = off.std(axis=1, ddof=1) if subjects > 1 else np.full(len(off), np.nan)
    return {
        "held_out": totals / predicted.responses,
        "held_out_difference": off.sum(axis=1),
        "held_out_se": np.sqrt(subjects) * spread,
    }


def _tests(
    calibrations: tuple[Calibration, ...], names: list[str], replications: int, seed: int, progress: Progress
) -> pd.DataFrame:
    """A row for each nested pair; of equivalent fits the first given counts as restricted."""
    rows, pairs = [], []
    for i, restricted in enumerate(calibrations):
        for j, general in enumerate(calibrations):
            nested = nesting(restricted, general) if i != j else None
            if nested is None or (nested.df == 0 and i > j):
                continue
            test = ratio_test(restricted, general, nested)
            rows.append(_row(test, restricted, general, replications, seed, progress))
            pairs.append((names[i], names[j]))
    index = pd.MultiIndex.from_tuples(pairs, names=["restricted", "general"]) if pairs else _EMPTY_INDEX
    return pd.DataFrame(rows, index=index, columns=list(_TEST_COLUMNS))


_EMPTY_INDEX = pd.MultiIndex.from_arrays([[], []], names=["restricted", "general"])


def _row(
    test: RatioTest, restricted: Calibration, general: Calibration, replications: int, seed: int, progress: Progress
) -> dict[str, float | str]:
    row: dict[str, float | str] = {name: getattr(test, name) for name in _TEST_COLUMNS if name != "p_bootstrap"}
    row["p_bootstrap"] = float("nan")
    if replications and test.df and "fixed" not in (restricted.status, general.status):
        tail = bootstrap_tail(restricted, general, replications, seed, progress)
        row["p_bootstrap"] = tail.p
        notes = [test.note] if test.note else []
        if tail.failed:
            notes.append(f"{tail.failed} of {replications} bootstrap fits had no estimates and are left out")
        if tail.statistic > test.statistic + _GAIN:
            notes.append(f"from another start the statistic is {tail.statistic:.3f}, which the bootstrap used")
        row["note"] = "; ".join(notes)
    return row


def _notes(calibrations: tuple[Calibration, ...], tests: pd.DataFrame) -> tuple[str, ...]:
    notes = []
    if any(fit.priors for fit in calibrations):
        notes.append(
            "estimates under priors do not maximise the likelihood: information criteria count their parameters in "
            "full and are a rough guide; held-out responses need no such count"
        )
    if (tests["at_edge"] > 0).any():
        notes.append(
            "a parameter at the edge of its range costs less than a whole one: AIC, AICc, BIC, SABIC and HQ then lean "
            "towards the smaller model, and bootstrap= gives a p-value where there are only bounds"
        )
    if len({fit.grid for fit in calibrations}) > 1:
        notes.append("the fits integrate on different nodes: their log-likelihoods differ by that too")
    return tuple(notes)
