"""What a scale holds: items, the ability density, the crowd behind them, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from psyirt.diagnostics.whole_model.normality import NormalityTest
from psyirt.errors import InputError
from psyirt.estimation.latent_histogram import EmpiricalHistogram
from psyirt.foundation.own_tables import OwnsTables
from psyirt.latent.density import Population
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters
from psyirt.scale.crowd import Crowd
from psyirt.scale.quality import Quality


@dataclass(frozen=True, eq=False, repr=False)
class ScaleContent(OwnsTables):
    """The parts of a :class:`psyirt.scale.scale.Scale`; frozen, tables read from it are copies.

    Attributes
    ----------
    name : str
        The group of items it was built from.
    item_parameters : ItemParameters
        J items, natural scale.
    population : Population
        The ability density the scale refers to; the prior of EAP and MAP.
    grid : Grid
        Nodes of integrals over ability.
    label_set : tuple of str
        What can be answered; empty where unknown.
    quality : Quality
        What the scale can tell apart.
    crowd : Crowd or None
        The people behind it; None where the parameters were fixed without responses.
    normality : NormalityTest or None
        Whether their ability looks normal; None without responses.
    histogram : EmpiricalHistogram or None
        Their ability's distribution where it need not be normal; None without responses.
    provenance : mapping
        Data digest, psyirt version, model, status, options: no date, so that the same build is the same file.
    """

    name: str
    item_parameters: ItemParameters
    population: Population
    grid: Grid
    item_table: pd.DataFrame
    label_set: tuple[str, ...]
    quality: Quality
    crowd: Crowd | None
    normality: NormalityTest | None
    histogram: EmpiricalHistogram | None
    covariance_table: pd.DataFrame | None
    history_table: pd.DataFrame
    provenance: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse a key outside the label set."""
        strangers = sorted(set(self.key.values()) - set(self.label_set)) if self.label_set else []
        if strangers:
            known = ", ".join(self.label_set)
            raise InputError(
                f"key {strangers[0]!r} is not in the label set", f"scale {self.name!r}", f"Labels: {known}"
            )

    @property
    def item_names(self) -> tuple[str, ...]:
        """The items, in order."""
        return self.item_parameters.item_names

    @property
    def items(self) -> pd.DataFrame:
        """Index item; a, b, c, d, intercept, their standard errors, model, n, note, key, n_options, text, statistics.

        A copy: changing it does not change the scale.
        """
        return self.item_table

    @property
    def covariance(self) -> pd.DataFrame | None:
        """Covariance of the estimates, natural scale, index and columns (parameter, item); a copy.

        None without responses or free parameters, and above 1,000 parameters (their standard errors are in `items`).
        """
        return self.covariance_table

    @property
    def history(self) -> pd.DataFrame:
        """What was removed before the scale was what it is (a copy)."""
        return self.history_table

    @property
    def key(self) -> dict[str, str]:
        """Item -> gold label, for the items that have one."""
        return {str(item): str(label) for item, label in self.item_table["key"].dropna().items()}

    @property
    def n_options(self) -> dict[str, int]:
        """Item -> number of options, for the items where it is known."""
        return {str(item): int(count) for item, count in self.item_table["n_options"].dropna().items()}
