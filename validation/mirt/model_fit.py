"""M2 and its indices beside mirt's, and where the two differ on purpose.

For the 3PL mirt 1.47 takes P (1 - P), P the 3PL's own probability, for the derivative of P in the intercept, where
(1 - c) L (1 - L) is meant, L the logistic part, and likewise for the slope: with that in place of our derivative, its
M2 comes out. For Rasch it leaves the latent variance out of the derivatives: left out of ours too, its M2 comes out,
while ours is held to our own 1PL, the same model in other words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from psyirt.data.responses import Responses
from psyirt.diagnostics.whole_model.model_fit import model_fit
from psyirt.estimation.mml import fit_mml
from psyirt.models.base import Array
from psyirt.models.free_priors import FreePriors
from psyirt.models.layout import make_layout
from psyirt.models.logistic import LogisticModel
from psyirt.results.calibration import Calibration
from validation.mirt.stored import StoredFit

MODEL_FIT_BOUNDS = {
    "M2": 1e-3,
    "M2 df": 0.0,
    "M2 p": 1e-3,
    "RMSEA and its interval": 1e-3,
    "SRMSR": 1e-3,
    "CFI, TLI": 1e-3,
    "M2, Rasch minus 1PL": 1e-2,
    "M2 (Rasch, without the variance)": 1e-3,
    "M2 (3PL, mirt's derivative)": 1e-2,
}


class MirtDerivatives(LogisticModel):
    """The 3PL with mirt's derivatives of log P in slope and intercept."""

    def scores(self, values: Array, nodes: Array) -> Array:
        out = super().scores(values, nodes)
        log_p = self.log_probabilities(values, nodes)
        out[:, 1, :, :2] = np.exp(log_p[:, 0])[..., None] * np.column_stack([nodes, np.ones(len(nodes))])
        return out


def model_fit_differences(stored: StoredFit, fit: Calibration, responses: Responses) -> Iterator[tuple[str, float]]:
    """(quantity, absolute difference) of one fit; nothing where mirt has no M2."""
    theirs = stored.fit["M2"]
    if "error" in theirs:
        return
    ours = model_fit(fit)
    yield "M2 df", abs(ours.df - theirs["df"])
    yield "SRMSR", abs(ours.srmsr - theirs["SRMSR"])
    if stored.model == "3pl_prior":
        other = model_fit(replace(fit, model=MirtDerivatives()))
        yield "M2 (3PL, mirt's derivative)", abs(other.M2 - theirs["M2"])
        return
    if stored.model == "rasch":
        kept = fit.layout.item_size
        layout = make_layout(fit.item_names, fit.item_types, fit.layout.slots, free_moments=())
        other = model_fit(replace(fit, layout=layout, x=fit.x[:kept], priors=FreePriors(kept)))
        yield "M2 (Rasch, without the variance)", abs(other.M2 - theirs["M2"])
        yield "M2, Rasch minus 1PL", abs(ours.M2 - model_fit(fit_mml(responses, "1PL")).M2)
        return
    yield "M2", abs(ours.M2 - theirs["M2"])
    yield "M2 p", abs(ours.p - theirs["p"])
    sizes = ((ours.rmsea, "RMSEA"), (ours.rmsea_low, "RMSEA_5"), (ours.rmsea_high, "RMSEA_95"))
    yield "RMSEA and its interval", max(abs(mine - theirs[key]) for mine, key in sizes)
    yield "CFI, TLI", max(abs(ours.cfi - theirs["CFI"]), abs(ours.tli - theirs["TLI"]))
