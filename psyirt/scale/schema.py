"""What a scale file may contain: strict, and nothing else.

Change these classes only together with ``VERSION``: a file that this reader does not understand must be refused.
Not-a-number is written as null, infinities as words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from psyirt.latent.davidian import HIGHEST_ORDER
from psyirt.scale.tables import Kind, decoded_column

SCHEMA = "psyirt.scale"
# 2: the ability density need not be normal; a file whose densities all are is written as 1, which older readers know
VERSION = 2
NORMAL_VERSION = 1

_ITEM_COLUMNS: dict[str, Kind] = {
    "a": "number",
    "intercept": "number",
    "c": "number",
    "d": "number",
    "key": "text",
    "n_options": "integer",
    "text": "text",
}

Finite = Annotated[float, Field(allow_inf_nan=False)]
Count = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
Number = Finite | Literal["Infinity", "-Infinity"] | None


class Strict(BaseModel):
    """No coercion, no unknown fields, no change after reading."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class TableBlock(Strict):
    """A table, a row per line."""

    columns: list[tuple[str, Kind]]
    rows: list[list[Finite | int | str | bool | None]]

    @model_validator(mode="after")
    def _check(self) -> Self:
        names = [name for name, _ in self.columns]
        if len(set(names)) < len(names):
            raise ValueError("two columns have one name")
        for at, row in enumerate(self.rows):
            if len(row) != len(names):
                raise ValueError(f"row {at} has {len(row)} values for {len(names)} columns")
        for k, (name, kind) in enumerate(self.columns):
            try:
                decoded_column([row[k] for row in self.rows], kind)
            except ValueError as error:
                raise ValueError(f"column {name!r}: {error}") from error
        return self


class QualityBlock(Strict):
    """See ``psyirt.scale.quality.Quality``."""

    n_items: Annotated[int, Field(ge=1)]
    theta_low: Finite
    theta_high: Finite
    at_floor: Share | None
    at_ceiling: Share | None
    n_complete: Count
    marginal_reliability: Finite
    empirical_reliability: Number
    median_se: Number
    theta: list[Finite]
    information: list[Count]
    se: list[Number]
    notes: list[str]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not len(self.theta) == len(self.information) == len(self.se):
            raise ValueError("theta, information and se differ in length")
        return self


class NormalityBlock(Strict):
    """See ``psyirt.diagnostics.whole_model.normality.NormalityTest``."""

    statistic: Number
    cells: Annotated[int, Field(ge=0)]
    adjusted: Number
    df: Number
    p: Share | None
    note: str


class HistogramBlock(Strict):
    """See ``psyirt.estimation.latent_histogram.EmpiricalHistogram``."""

    nodes: list[Finite]
    weights: list[Share]
    mean: Finite
    sd: Count
    skewness: Number
    kurtosis: Number
    log_likelihood_gain: Finite
    status: Literal["converged", "stopped at the limit"]
    gap: Count
    iterations: Annotated[int, Field(ge=0)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if len(self.nodes) != len(self.weights) or len(self.nodes) < 2:
            raise ValueError("needs as many weights as nodes, two or more")
        if any(after <= before for before, after in zip(self.nodes, self.nodes[1:], strict=False)):
            raise ValueError("nodes do not increase")
        if abs(sum(self.weights) - 1.0) > 1e-6:
            raise ValueError("weights do not sum to 1")
        return self


class CrowdBlock(Strict):
    """See ``psyirt.scale.crowd.Crowd``."""

    n: Count
    mean_accuracy: Share | None
    recruitment: str
    n_complete: Count
    number_correct: list[Count]
    exact: bool
    thetas: list[Finite]
    counts: list[Annotated[int, Field(ge=1)]]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if len(self.thetas) != len(self.counts) or not self.thetas:
            raise ValueError("needs as many counts as thetas, one or more")
        if any(after <= before for before, after in zip(self.thetas, self.thetas[1:], strict=False)):
            raise ValueError("thetas do not increase")
        return self


class GridBlock(Strict):
    """See ``psyirt.latent.population.Grid``."""

    count: Annotated[int, Field(ge=3)]
    low: Finite
    high: Finite


class DavidianBlock(Strict):
    """See ``psyirt.latent.davidian.DavidianCurve``; mean and variance stand beside it."""

    kind: Literal["davidian"]
    angles: Annotated[list[Finite], Field(max_length=HIGHEST_ORDER)]


class WeightsBlock(Strict):
    """See ``psyirt.latent.histogram.HistogramPopulation``: a weight for each node of the scale's grid."""

    kind: Literal["histogram"]
    weights: list[Share]


class PopulationBlock(Strict):
    """The ability density the scale refers to (normal unless `density` is given), and the crowd it was learnt from."""

    mean: Finite
    variance: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    density: Annotated[DavidianBlock | WeightsBlock, Field(discriminator="kind")] | None = None
    grid: GridBlock
    normality: NormalityBlock | None
    histogram: HistogramBlock | None
    crowd: CrowdBlock | None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if isinstance(self.density, WeightsBlock):
            weights = self.density.weights
            if len(weights) != self.grid.count or abs(sum(weights) - 1.0) > 1e-6:
                raise ValueError(f"density has not {self.grid.count} weights that sum to 1")
        return self


class CovarianceBlock(Strict):
    """Covariance of the estimates, natural scale: the lower triangle, null where not available."""

    parameters: list[tuple[str, str]]
    lower: list[list[Finite | None]]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if [len(row) for row in self.lower] != list(range(1, len(self.parameters) + 1)):
            raise ValueError("is not the lower triangle of a matrix with a row for each parameter")
        return self


class ScaleBlock(Strict):
    """One scale."""

    name: str
    quality: QualityBlock
    label_set: list[str]
    items: TableBlock
    population: PopulationBlock
    history: TableBlock
    provenance: dict[str, Any]
    covariance: CovarianceBlock | None

    @model_validator(mode="after")
    def _check(self) -> Self:
        kinds = dict(self.items.columns)
        for name, kind in _ITEM_COLUMNS.items():
            if kinds.get(name) != kind:
                raise ValueError(f"items have no column {name!r} of kind {kind!r}")
        if not self.items.columns or self.items.columns[0] != ("item", "text"):
            raise ValueError("the first column of items is not 'item'")
        if self.quality.n_items != len(self.items.rows):
            raise ValueError(f"quality speaks of {self.quality.n_items} items, the table has {len(self.items.rows)}")
        crowd = self.population.crowd
        if crowd is not None and len(crowd.number_correct) != len(self.items.rows) + 1:
            raise ValueError(f"number_correct has not {len(self.items.rows) + 1} entries")
        return self


class ScaleFile(Strict):
    """A whole file."""

    schema_name: Annotated[str, Field(alias="schema")]
    version: int
    digest: str
    scales: Annotated[list[ScaleBlock], Field(min_length=1)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        names = [scale.name for scale in self.scales]
        if len(set(names)) < len(names):
            raise ValueError("two scales have one name")
        if self.version != version_of(self.scales):
            raise ValueError(f"version {self.version} does not go with its densities")
        return self


def version_of(scales: Sequence[ScaleBlock]) -> int:
    """The lowest version that can hold these scales."""
    return NORMAL_VERSION if all(scale.population.density is None for scale in scales) else VERSION
