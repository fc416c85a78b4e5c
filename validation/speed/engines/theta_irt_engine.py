"""theta-irt: MML-EM, JAX."""

from __future__ import annotations

from typing import Any

import numpy as np


class Engine:
    """Its defaults: 61 Gauss-Hermite nodes, at most 500 EM steps, tolerance 1e-4."""

    distributions = ("theta-irt", "jax", "numpy")

    def __init__(self) -> None:
        import theta

        self.theta = theta

    def prepare(self, answers: Any) -> Any:
        """The array as it is; NaN for missing answers, as its documentation says."""
        return answers if (answers >= 0).all() else np.where(answers < 0, np.nan, answers)

    def fit(self, prepared: Any, job: dict[str, Any]) -> Any:
        """Point estimates."""
        priors = None
        if job["model"] == "3PL":
            kind, first, second = job["priors"]["c"]
            if kind != "beta":
                raise ValueError(f"no {kind} prior on c")
            priors = self.theta.Priors(c_a=first, c_b=second)
        return self.theta.fit(prepared, job["model"], priors=priors)

    def estimates(self, result: Any) -> dict[str, Any]:
        """Slope-intercept form."""
        a, b = np.asarray(result.a), np.asarray(result.b)
        found = {"a": a, "intercept": -a * b, "iterations": int(result.n_iter), "converged": bool(result.converged)}
        return {**found, "c": np.asarray(result.c)} if result.model == "3PL" else found
