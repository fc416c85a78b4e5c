"""girth: marginal maximum likelihood item by item, numpy and scipy."""

from __future__ import annotations

from typing import Any

import numpy as np


class Engine:
    """Its defaults (41 nodes on [-4.5, 4.5], tolerance 1e-3 on the slopes), with iterations enough to converge."""

    distributions = ("girth", "numpy", "scipy")

    def __init__(self) -> None:
        import girth

        self.girth = girth

    def prepare(self, answers: Any) -> Any:
        """Items in rows; its own code for missing answers."""
        rows = np.ascontiguousarray(answers.T, dtype=np.int64)
        return rows if (rows >= 0).all() else self.girth.tag_missing_data(rows, [0, 1])

    def fit(self, prepared: Any, job: dict[str, Any]) -> Any:
        """Point estimates."""
        call = self.girth.threepl_mml if job["model"] == "3PL" else self.girth.twopl_mml
        return call(prepared, dict(job["settings"]))

    def estimates(self, result: Any) -> dict[str, Any]:
        """Slope-intercept form; it tells neither iterations nor whether it converged."""
        a, b = np.asarray(result["Discrimination"]), np.asarray(result["Difficulty"])
        found = {"a": a, "intercept": -a * b, "iterations": None, "converged": None}
        return {**found, "c": np.asarray(result["Guessing"])} if "Guessing" in result else found
