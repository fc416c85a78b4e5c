"""A scale's parts as the blocks of a scale file, and back."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from psyirt.diagnostics.whole_model.normality import NormalityTest
from psyirt.errors import InputError
from psyirt.estimation.latent_histogram import EmpiricalHistogram
from psyirt.latent.davidian import DavidianCurve
from psyirt.latent.density import Population
from psyirt.latent.histogram import HistogramPopulation
from psyirt.latent.population import Grid, NormalPopulation
from psyirt.models.parameters import ItemParameters
from psyirt.scale.crowd import Crowd
from psyirt.scale.quality import Quality
from psyirt.scale.schema import (
    CovarianceBlock,
    DavidianBlock,
    PopulationBlock,
    ScaleBlock,
    Strict,
    TableBlock,
    WeightsBlock,
)
from psyirt.scale.tables import decoded_column, encoded_column, kind_of

if TYPE_CHECKING:
    from psyirt.scale.scale import Scale

Record = TypeVar("Record")

_INFINITIES = {"Infinity": math.inf, "-Infinity": -math.inf}


def to_block(scale: Scale) -> ScaleBlock:
    """The block of a scale."""
    grid, population = scale.grid, scale.population
    return ScaleBlock.model_validate(
        {
            "name": scale.name,
            "quality": _plain(scale.quality),
            "label_set": list(scale.label_set),
            "items": table_block(scale.items),
            "population": {
                "mean": population.mean,
                "variance": population.variance,
                "density": _density_block(population),
                "grid": {"count": grid.count, "low": grid.low, "high": grid.high},
                "normality": _plain(scale.normality),
                "histogram": _plain(scale.histogram),
                "crowd": _plain(scale.crowd),
            },
            "history": table_block(scale.history),
            "provenance": dict(scale.provenance),
            "covariance": _covariance_block(scale.covariance),
        }
    )


def scale_fields(block: ScaleBlock) -> dict[str, Any]:
    """The arguments of ``Scale`` from its block.

    Raises
    ------
    InputError
        If item parameters are impossible, or b is not -intercept / a.
    """
    items = frame_of(block.items, index="item")
    population = block.population
    grid = Grid(population.grid.count, population.grid.low, population.grid.high)
    histogram = _record(EmpiricalHistogram, population.histogram)
    if histogram is not None:
        histogram = dataclasses.replace(histogram, nodes=np.array(histogram.nodes), weights=np.array(histogram.weights))
    return {
        "name": block.name,
        "item_parameters": item_parameters(items),
        "population": _density_of(population, grid),
        "grid": grid,
        "item_table": items,
        "label_set": tuple(block.label_set),
        "quality": _record(Quality, block.quality),
        "crowd": _record(Crowd, population.crowd),
        "normality": _record(NormalityTest, population.normality),
        "histogram": histogram,
        "covariance_table": None if block.covariance is None else _covariance_frame(block.covariance),
        "history_table": frame_of(block.history),
        "provenance": dict(block.provenance),
    }


def _density_block(population: Population) -> dict[str, Any] | None:
    """What mean and variance do not tell of a density, None of a normal one."""
    if isinstance(population, DavidianCurve):
        return {"kind": "davidian", "angles": list(population.angles)}
    if isinstance(population, HistogramPopulation):
        return {"kind": "histogram", "weights": population.weights.tolist()}
    return None


def _density_of(block: PopulationBlock, grid: Grid) -> Population:
    """The density of a block; that of a histogram stands on the scale's own nodes."""
    if isinstance(block.density, DavidianBlock):
        return DavidianCurve(tuple(block.density.angles), block.mean, block.variance)
    if isinstance(block.density, WeightsBlock):
        return HistogramPopulation(grid, np.array(block.density.weights))
    return NormalPopulation(block.mean, block.variance)


def item_parameters(items: pd.DataFrame) -> ItemParameters:
    """Parameters from a scale's item table, whose columns a, intercept, c and d count; b must agree with them."""
    names = [str(name) for name in items.index]
    columns = {name: items[name].to_numpy(float) for name in ("a", "intercept", "c", "d")}
    parameters = ItemParameters(names, columns["a"], columns["intercept"], columns["c"], columns["d"])
    if "b" in items.columns:
        given = items["b"].to_numpy(float)
        same = np.isclose(parameters.difficulties, given, rtol=1e-6, atol=1e-6, equal_nan=True)
        if not same.all():
            item = names[int(np.argmin(same))]
            raise InputError("b is not -intercept / a", f"item {item!r}", "Change a and intercept, and b with them")
    return parameters


def table_block(frame: pd.DataFrame) -> dict[str, Any]:
    """A plain table (see ``psyirt.scale.tables.plain_table``) as a block; a named index becomes the first column."""
    table = frame if frame.index.name is None else frame.reset_index()
    columns = [encoded_column(table[name]) for name in table.columns]
    return {
        "columns": [(str(name), kind_of(table[name])) for name in table.columns],
        "rows": [list(row) for row in zip(*columns, strict=True)],
    }


def frame_of(block: TableBlock, index: str | None = None) -> pd.DataFrame:
    """The table of a block."""
    columns = {
        name: decoded_column([row[k] for row in block.rows], kind) for k, (name, kind) in enumerate(block.columns)
    }
    names = pd.Index([name for name, _ in block.columns], dtype="str")
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(block.rows)), columns=names)
    return frame if index is None else frame.set_index(index)


def _covariance_block(frame: pd.DataFrame | None) -> dict[str, Any] | None:
    if frame is None:
        return None
    matrix = frame.to_numpy(float)
    rows = [[None if math.isnan(value) else float(value) for value in row[: k + 1]] for k, row in enumerate(matrix)]
    return {"parameters": [(str(slot), str(item)) for slot, item in frame.index], "lower": rows}


def _covariance_frame(block: CovarianceBlock) -> pd.DataFrame:
    size = len(block.parameters)
    matrix = np.full((size, size), np.nan)
    for k, row in enumerate(block.lower):
        matrix[k, : k + 1] = [math.nan if value is None else value for value in row]
        matrix[: k + 1, k] = matrix[k, : k + 1]
    index = pd.MultiIndex.from_tuples(list(block.parameters), names=["parameter", "item"])
    return pd.DataFrame(matrix, index=index, columns=index)


def _plain(record: Any) -> dict[str, Any] | None:
    """A frozen record as JSON values."""
    if record is None:
        return None
    return {field.name: _json(getattr(record, field.name)) for field in dataclasses.fields(record)}


def _json(value: Any) -> Any:
    if isinstance(value, (tuple, list, np.ndarray)):
        return [_json(part) for part in value]
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if math.isnan(number):
            return None
        return number if math.isfinite(number) else ("Infinity" if number > 0 else "-Infinity")
    return value


def _record(kind: type[Record], block: Strict | None) -> Record | None:
    """A frozen record from its block: null is not-a-number again, a list is a tuple."""
    if block is None:
        return None
    values = {
        field.name: _value(getattr(block, field.name), numeric="float" in str(field.type) or field.type == "Array")
        for field in dataclasses.fields(kind)  # type: ignore[arg-type]
    }
    return kind(**values)


def _value(value: Any, numeric: bool) -> Any:
    if isinstance(value, list):
        return tuple(_value(part, numeric) for part in value)
    if not numeric:
        return value
    return math.nan if value is None else _INFINITIES.get(value, value)
