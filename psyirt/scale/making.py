"""What a scale is made of: a calibration's numbers and what is known of its items and subjects."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from psyirt import __version__
from psyirt.diagnostics.whole_model.normality import normality_test
from psyirt.errors import InputError
from psyirt.estimation.latent_histogram import empirical_histogram
from psyirt.results.calibration import Calibration
from psyirt.scale.crowd import make_crowd
from psyirt.scale.quality import make_quality, pattern_abilities
from psyirt.scale.tables import decoded_column, plain_table
from psyirt.scoring.problem import require_one_dimension

# a full covariance of more parameters would fill a file with half a million numbers; standard errors remain
_MOST_PARAMETERS = 1000


@dataclasses.dataclass(frozen=True, eq=False)
class ItemDetails:
    """What is known of the items beside their parameters; see ``Scale.from_calibration``."""

    key: Mapping[str, str] | None = None
    label_set: Sequence[str] | None = None
    n_options: int | Mapping[str, Any] | None = None
    text: Mapping[str, Any] | None = None
    statistics: pd.DataFrame | None = None


def fields_of(
    calibration: Calibration,
    name: str,
    details: ItemDetails,
    recruitment: str,
    history: pd.DataFrame | None,
    options: Any,
) -> dict[str, Any]:
    """The arguments of ``Scale`` from a calibration."""
    parameters, population, grid = calibration.item_parameters, calibration.population, calibration.grid
    require_one_dimension(parameters)
    patterns = calibration.patterns
    crowd = abilities = normality = histogram = None
    if patterns is not None:
        abilities = pattern_abilities(patterns, parameters, population, grid)
        crowd = make_crowd(patterns, abilities.theta, recruitment)
        normality, histogram = normality_test(calibration), empirical_histogram(calibration)
    return {
        "name": str(name),
        "item_parameters": parameters,
        "population": population,
        "grid": grid,
        "item_table": _item_table(calibration, details),
        "label_set": tuple(str(label) for label in details.label_set or ()),
        "quality": make_quality(parameters, population, grid, crowd, patterns, abilities),
        "crowd": crowd,
        "normality": normality,
        "histogram": histogram,
        "covariance_table": _covariance(calibration),
        "history_table": plain_table(pd.DataFrame() if history is None else history, "history"),
        "provenance": _provenance(calibration, options),
    }


def _item_table(calibration: Calibration, details: ItemDetails) -> pd.DataFrame:
    """Parameters, standard errors, key, options, text and statistics, index item."""
    names = calibration.item_names
    table = calibration.items
    counts = details.n_options
    if counts is None and details.label_set is not None:
        counts = len(details.label_set)
    if isinstance(counts, int):
        counts = dict.fromkeys(names, counts)
    table["key"] = _column(details.key, names, "key")
    table["n_options"] = _option_counts(counts, names)
    table["text"] = _column(details.text, names, "item_text")
    if details.statistics is not None:
        _refuse_strangers(details.statistics.index, names, "statistics")
        table = pd.concat([table, details.statistics.reindex(list(names))], axis=1)
    table.index = pd.Index(names, name="item")
    return plain_table(table, "items of the scale")


def _column(values: Mapping[str, Any] | None, names: Sequence[str], what: str) -> pd.Series:
    """A text column with gaps where nothing is known."""
    known = {} if values is None else values
    _refuse_strangers(known, names, what)
    texts = [None if pd.isna(known.get(name)) else str(known[name]) for name in names]
    return decoded_column(texts, "text").set_axis(list(names))


def _option_counts(counts: Mapping[str, Any] | None, names: Sequence[str]) -> pd.Series:
    """Whole numbers of 2 or more, with gaps where nothing is known."""
    known = {} if counts is None else counts
    _refuse_strangers(known, names, "n_options")
    found: list[int | None] = []
    for name in names:
        count = known.get(name)
        if pd.isna(count):
            found.append(None)
            continue
        if float(count) != int(count) or int(count) < 2:
            raise InputError(f"{count} options", f"item {name!r}", "Give a whole number, 2 or more")
        found.append(int(count))
    return decoded_column(found, "integer").set_axis(list(names))


def _refuse_strangers(given: Iterable[Any], names: Sequence[str], what: str) -> None:
    strangers = [item for item in given if item not in set(names)]
    if strangers:
        raise InputError(
            f"{len(strangers)} items are not on the scale, the first is {strangers[0]!r}", what, "Leave them out"
        )


def _covariance(calibration: Calibration) -> pd.DataFrame | None:
    """Louis's covariance made exactly symmetric; None without data or free parameters, or above 1,000 of them."""
    if calibration.patterns is None or not 0 < calibration.n_parameters <= _MOST_PARAMETERS:
        return None
    frame = calibration.cov_params(calibration.default_cov.kind)
    lower = np.tril(frame.to_numpy())
    return pd.DataFrame(lower + np.tril(lower, -1).T, index=frame.index, columns=frame.columns)


def _provenance(calibration: Calibration, options: Any) -> dict[str, Any]:
    """Where the numbers come from, in plain values."""
    responses = calibration.responses
    return {
        "psyirt": __version__,
        "model": calibration.model_name,
        "status": calibration.status,
        "log_likelihood": None if calibration.patterns is None else calibration.loglik,
        "data_digest": None if responses is None else f"sha256:{responses.digest}",
        "data_notes": [] if responses is None else list(responses.notes),
        "calibration_notes": list(calibration.notes),
        "options": {} if options is None else plain_value(options, "options"),
    }


def plain_value(value: Any, place: str) -> Any:
    """Dataclasses, mappings, sequences and plain values as JSON has them.

    Raises
    ------
    InputError
        If a value has no plain form, or a number is not finite.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain_value(part, f"{place}.{key}") for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_value(part, place) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bool, int)) or (isinstance(value, float) and np.isfinite(value)):
        return value
    raise InputError(f"{value!r} cannot be written to a file", place, "Give numbers, words, lists and mappings of them")
