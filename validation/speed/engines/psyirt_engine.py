"""psyirt, through its public names."""

from __future__ import annotations

from typing import Any


class Engine:
    """Marginal maximum likelihood with psyirt's own settings."""

    distributions = ("psyirt", "numba", "numpy")

    def __init__(self) -> None:
        import psyirt

        # public names are imported when they are first used: here, so that it counts as the import
        self.responses, self.fit_mml, self.priors = psyirt.Responses, psyirt.fit_mml, psyirt.priors

    def prepare(self, answers: Any) -> Any:
        """A fresh container each time: nothing that an earlier fit kept in it may help."""
        return self.responses.from_array(answers)

    def fit(self, prepared: Any, job: dict[str, Any]) -> Any:
        """Point estimates."""
        kinds: Any = {"beta": self.priors.Beta, "lognormal": self.priors.LogNormal}
        priors = {slot: kinds[kind](first, second) for slot, (kind, first, second) in job["priors"].items()}
        return self.fit_mml(prepared, job["model"], priors=priors or None)

    def estimates(self, result: Any) -> dict[str, Any]:
        """`params`, not `items`, for that would compute standard errors; items that were set aside are NaN."""
        names = sorted([*result.item_names, *result.set_aside], key=lambda name: int(name[1:]))
        values = result.params
        found = {slot: values[slot].reindex(names).to_numpy() for slot in values.index.unique("parameter")}
        told = {"iterations": len(result.trace), "converged": bool(result.converged), "loglik": float(result.loglik)}
        return {**found, **told}

    def standard_errors(self, result: Any) -> Any:
        """psyirt's default covariance: the whole matrix, or blocks by item where it would be too large."""
        return result.bse
