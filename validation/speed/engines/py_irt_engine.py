"""py-irt: variational inference, Pyro."""

from __future__ import annotations

from typing import Any

import numpy as np

_SEED = 1


class Engine:
    """Its own training: 2,000 epochs of Adam unless the settings say otherwise."""

    distributions = ("py-irt", "pyro-ppl", "torch", "pandas", "numpy")

    def __init__(self) -> None:
        import pandas as pd
        import pyro
        from py_irt.config import IrtConfig
        from py_irt.dataset import Dataset
        from py_irt.training import IrtModelTrainer

        self.frame, self.set_seed = pd.DataFrame, pyro.set_rng_seed
        self.config, self.dataset, self.trainer = IrtConfig, Dataset, IrtModelTrainer

    def prepare(self, answers: Any) -> Any:
        """Its own long form, made from a data frame with NaN for missing answers."""
        values = np.where(answers < 0, np.nan, answers.astype(float))
        return self.dataset.from_pandas(self.frame(values, columns=[f"i{k}" for k in range(values.shape[1])]))

    def fit(self, prepared: Any, job: dict[str, Any]) -> Any:
        """Point estimates, with the priors they were made under."""
        self.set_seed(_SEED)
        config = self.config(model_type=job["model"].lower(), **job["settings"])
        trainer = self.trainer(data_path=None, config=config, dataset=prepared, verbose=False)
        trainer.train()
        return trainer.last_params, config

    def estimates(self, result: Any) -> dict[str, Any]:
        """Slope-intercept form; under the hierarchical priors on the scale where its abilities have mean 0 and sd 1."""
        found, config = result
        order = np.argsort([int(found["item_ids"][k][1:]) for k in range(len(found["item_ids"]))])
        a, b = np.asarray(found["disc"])[order], np.asarray(found["diff"])[order]
        if config.priors == "hierarchical":
            mean, sd = np.mean(found["ability"]), np.std(found["ability"])
            a, b = a * sd, (b - mean) / sd
        return {"a": a, "intercept": -a * b, "iterations": config.epochs, "converged": None}
