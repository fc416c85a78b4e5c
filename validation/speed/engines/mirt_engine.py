"""mirt, the Python package of that name (not R's): EM with a compiled core."""

from __future__ import annotations

from typing import Any

import numpy as np


class Engine:
    """Its defaults (at most 500 EM steps, tolerance 1e-4) but for the standard errors, which are left out."""

    distributions = ("mirt", "numpy", "scipy")

    def __init__(self) -> None:
        import mirt
        from mirt.estimation.priors import BetaPrior

        self.mirt, self.beta = mirt, BetaPrior

    def prepare(self, answers: Any) -> Any:
        """Integers; it takes any negative code for missing."""
        return answers.astype(np.int64)

    def fit(self, prepared: Any, job: dict[str, Any]) -> Any:
        """Point estimates."""
        priors = None
        if job["model"] == "3PL":
            kind, first, second = job["priors"]["c"]
            if kind != "beta":
                raise ValueError(f"no {kind} prior on c")
            priors = {"guessing": self.beta(first, second)}
        return self.mirt.fit_mirt(
            prepared, model=job["model"], compute_standard_errors=False, priors=priors, **job["settings"]
        )

    def estimates(self, result: Any) -> dict[str, Any]:
        """Slope-intercept form."""
        parameters = result.model.parameters
        a, b = np.ravel(parameters["discrimination"]), np.ravel(parameters["difficulty"])
        told = {"iterations": int(result.n_iterations), "converged": bool(result.converged)}
        found = {"a": a, "intercept": -a * b, **told}
        return {**found, "c": np.ravel(parameters["guessing"])} if "guessing" in parameters else found
