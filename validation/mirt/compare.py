"""Differences between our fits and the stored ones, quantity by quantity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from psyirt.data.responses import Responses
from psyirt.diagnostics import item_fit, local_dependence
from psyirt.estimation.mml import fit_mml
from psyirt.models.priors import NormalOnLogit
from psyirt.results.calibration import Calibration
from validation.mirt.item_fit import ITEM_FIT_BOUNDS, item_fit_differences
from validation.mirt.model_fit import MODEL_FIT_BOUNDS, model_fit_differences
from validation.mirt.pairs import PAIR_BOUNDS, pair_differences
from validation.mirt.persons import PERSON_BOUNDS, person_differences
from validation.mirt.stored import MODELS, StoredFit, numbers

_ESTIMATES = {
    "log-likelihood": 1e-4,
    "parameters": 1e-3,
    "SE (Oakes), relative": 0.01,
    "SE (Louis), relative": 0.01,
    "S-X2": 1e-3,
    "S-X2 df": 0.0,
    "LD-X2": 1e-3,
    "LD Cramer's V": 1e-3,
    "EAP": 1e-3,
    "EAP SE": 1e-3,
    "log-likelihood below": 1e-4,
}
# quantity -> largest difference that counts as agreement
BOUNDS = _ESTIMATES | ITEM_FIT_BOUNDS | PAIR_BOUNDS | MODEL_FIT_BOUNDS | PERSON_BOUNDS


def differences(stored: StoredFit, responses: Responses) -> Iterator[tuple[str, float]]:
    """(quantity, largest absolute difference) of one fit.

    The 3PL without priors did not converge in mirt: there, what counts is how far our log-likelihood lies below.
    """
    priors = {"3pl_prior": {"c": NormalOnLogit(-1.386, 0.5)}, "3pl": {"c": None}}.get(stored.model)
    fit = fit_mml(responses, MODELS[stored.model], priors=priors)
    above = fit.loglik - stored.fit["final"]["logLik"]
    if stored.model == "3pl":
        yield "log-likelihood below", max(-above, 0.0)
        return
    yield "log-likelihood", abs(above)
    yield "parameters", _parameters(fit, stored)
    yield from _standard_errors(fit, stored)
    yield from _diagnostics(fit, stored)
    yield from person_differences(stored)
    yield from model_fit_differences(stored, fit, responses)
    if stored.persons is not None:
        abilities = fit.abilities("EAP").iloc[stored.persons["row"] - 1]
        yield "EAP", float(np.abs(abilities["theta"].to_numpy() - stored.persons["EAP"]).max())
        yield "EAP SE", float(np.abs(abilities["se"].to_numpy() - stored.persons["SE_EAP"]).max())


def _parameters(fit: Calibration, stored: StoredFit) -> float:
    theirs, ours = stored.fit["params"], fit.items
    pairs = [(ours[name], theirs[key]) for name, key in (("a", "a1"), ("intercept", "d"), ("c", "g"), ("d", "u"))]
    variance = abs(fit.population.variance - stored.fit["group"]["cov"])
    return max([float(np.abs(mine - their).max()) for mine, their in pairs] + [variance])


def _standard_errors(fit: Calibration, stored: StoredFit) -> Iterator[tuple[str, float]]:
    """Relative differences, on the scale of the logit for asymptotes as mirt has them.

    mirt's Louis matrix for the Rasch model is not positive definite or far from its own Oakes: left out.
    """
    ours = np.sqrt(fit.cov("louis").variances)
    natural = fit.params.to_numpy()
    for slot in ("c", "d"):
        at = fit.layout.positions(slot)
        ours[at] /= natural[at] * (1.0 - natural[at])
    for kind in ("Oakes", "Louis"):
        theirs = stored.standard_errors(kind)
        if theirs is not None and len(theirs) == len(ours) and not (kind == "Louis" and stored.model == "rasch"):
            yield f"SE ({kind}), relative", float(np.nanmax(np.abs(ours / theirs - 1.0)))


def _diagnostics(fit: Calibration, stored: StoredFit) -> Iterator[tuple[str, float]]:
    if stored.item_fit is not None:
        theirs, ours = stored.item_fit["S_X2"], item_fit(fit).frame
        yield "S-X2", _largest(ours["statistic"].to_numpy(float), numbers(theirs["S_X2"]))
        yield "S-X2 df", _largest(ours["df"].to_numpy(float), numbers(theirs["df.S_X2"]))
    yield from item_fit_differences(fit, stored)
    if stored.residuals is not None:
        table = np.array([numbers(row) for row in stored.residuals["LD"]])
        upper = np.triu_indices(len(table), 1)
        pairs = local_dependence(fit).frame
        yield "LD-X2", _largest(pairs["x2"].to_numpy(float), np.abs(table.T[upper]))
        yield "LD Cramer's V", _largest(pairs["cramers_v"].to_numpy(float), table[upper])
    yield from pair_differences(fit, stored)


def _largest(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference; infinite where only one side is not a number."""
    if not np.array_equal(np.isnan(ours), np.isnan(theirs)):
        return float("inf")
    return float(np.nanmax(np.abs(ours - theirs), initial=0.0))
