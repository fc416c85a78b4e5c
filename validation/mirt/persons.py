"""Differences in person fit, information, reliability and sum scores from the stored ones of mirt."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from psyirt.diagnostics import person_fit, reliability
from psyirt.estimation.fixed import fix
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration
from psyirt.scoring.information import characteristic_curve, information
from psyirt.scoring.sum_scores import sum_score_table
from validation.mirt.stored import MODELS, StoredFit, numbers

# quantity -> largest difference that counts as agreement
PERSON_BOUNDS = {
    "lz (Zh)": 1e-3,
    "person infit, outfit": 1e-3,
    "person infit, outfit: z": 1e-3,
    "person infit, outfit, variances below mirt's floor": 0.06,
    "test and item information": 1e-3,
    "characteristic curve": 1e-3,
    "sum-score EAP and SE": 1e-3,
    "sum-score counts expected, relative": 1e-3,
    "reliability, empirical": 1e-3,
    "reliability, marginal": 1e-3,
}
# mirt takes a smaller variance P (1 - P) as this one
_FLOOR = np.sqrt(1e-5)


def person_differences(stored: StoredFit) -> Iterator[tuple[str, float]]:
    """(quantity, largest absolute difference) at the stored parameters, so that no fit stands between.

    Subjects with a variance P (1 - P) below mirt's floor are counted apart: there the definitions differ. z is compared
    for the others.
    """
    theirs = stored.fit["params"]
    bank = ItemParameters(stored.responses.item_names, *(numbers(theirs[key]) for key in ("a1", "d", "g", "u")))
    # 4PL, because the parameters of every model are 4PL parameters: nothing here counts those that are free
    fit = fix(bank, "4PL", stored.responses, latent_variance=float(stored.fit["group"]["cov"]))
    yield from _persons(fit, stored)
    yield from _precision(fit, stored)
    if stored.scores is not None:
        yield from _scores(fit, stored.scores, stored.model)


def _persons(fit: Calibration, stored: StoredFit) -> Iterator[tuple[str, float]]:
    if stored.persons is None:
        return
    rows = stored.persons["row"].to_numpy() - 1
    for scoring in ("EAP", "ML"):
        tables = {name: person_fit(fit, name, scoring=scoring).frame.iloc[rows] for name in ("lz", "infit", "outfit")}
        theta = tables["lz"]["theta"].to_numpy()
        smallest = _smallest_variance(fit, theta)
        plain = smallest > _FLOOR
        yield "lz (Zh)", _largest(tables["lz"]["statistic"], stored.persons[f"Zh.{scoring}"], np.isfinite(theta))
        for name in ("infit", "outfit"):
            ours, their = tables[name], stored.persons[f"{name}.{scoring}"]
            yield "person infit, outfit", _largest(ours["statistic"], their, plain)
            yield (
                "person infit, outfit, variances below mirt's floor",
                _largest(ours["statistic"], their, np.isfinite(theta) & ~plain),
            )
            yield "person infit, outfit: z", _largest(ours["z"], stored.persons[f"z.{name}.{scoring}"], plain)


def _smallest_variance(fit: Calibration, theta: np.ndarray) -> np.ndarray:
    """Each subject's smallest P (1 - P) over the items; NaN where theta is not finite."""
    points = np.where(np.isfinite(theta), theta, 0.0)[:, None]
    p = np.exp(fit.model.log_probabilities(fit.item_parameters.values, points)[:, 1])
    return np.where(np.isfinite(theta), (p * (1.0 - p)).min(0), np.nan)


def _precision(fit: Calibration, stored: StoredFit) -> Iterator[tuple[str, float]]:
    known = stored.fit["info"]
    table = information(fit, numbers(known["theta"]), items=True)
    items = np.array([numbers(row) for row in known["iteminfo"]])
    yield "test and item information", float(np.abs(table["information"] - numbers(known["testinfo"])).max())
    yield "test and item information", float(np.abs(table.iloc[:, 2:].to_numpy().T - items).max())
    curve = characteristic_curve(fit, numbers(known["theta"]))
    yield "characteristic curve", float(np.abs(curve["expected_score"] - numbers(known["testscore"])).max())


def _scores(fit: Calibration, scores: dict, model: str) -> Iterator[tuple[str, float]]:
    """mirt's Rasch marginal reliability averages over N(0, 1) whatever the variance, and is left out.

    Its WLE has another standard error (of the observed information), so that its empirical reliability is another too.
    Its ML estimates of the 3PL are not all maxima, and one flat likelihood among them decides the mean squared error.
    """
    theirs, ours = scores["EAPsum"], sum_score_table(fit)
    factor = next(name for name in theirs if name.startswith("F"))
    for column, name in (("theta", factor), ("se", f"SE_{factor}")):
        yield "sum-score EAP and SE", float(np.abs(ours[column] - numbers(theirs[name])).max())
    expected = numbers(theirs["expected"])
    yield "sum-score counts expected, relative", float(np.abs(ours["expected"] / expected - 1.0).max())
    if MODELS[model] != "Rasch":
        marginal = reliability(fit).loc["marginal", "reliability"]
        yield "reliability, marginal", abs(marginal - scores["marginal_rxx"])
    for scoring in ("EAP", "MAP") if MODELS[model] == "3PL" else ("EAP", "MAP", "ML"):
        table = reliability(fit, scoring=scoring)["reliability"]
        yield (
            "reliability, empirical",
            abs(table[f"empirical {scoring}"] - numbers([scores["empirical_rxx"][scoring]])[0]),
        )
    last = scores["EAPsum_fit"][f"rxx_{factor}"]
    yield "reliability, empirical", abs(table["empirical sum-score EAP"] - last)


def _largest(ours: pd.Series, theirs: pd.Series, rows: np.ndarray) -> float:
    """Largest difference in some rows; infinite where one side alone is not a number."""
    one, other = ours.to_numpy(float)[rows], theirs.to_numpy(float)[rows]
    if not np.array_equal(np.isnan(one), np.isnan(other)):
        return float("inf")
    return float(np.nanmax(np.abs(one - other), initial=0.0))
