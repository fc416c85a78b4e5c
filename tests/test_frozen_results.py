"""Frozen results stay what they were, whatever is done to the tables and arrays read from them."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest

import psyirt
from psyirt.diagnostics import classical, compare_models, item_fit, local_dependence, tetrachoric
from psyirt.estimation.latent_histogram import empirical_histogram
from psyirt.scale.calibrate_onto import calibrate_onto
from psyirt.simulation import simulate_crowd_study, simulate_responses
from tests.scale.made import ITEMS, calibration, crowd, scale

MAKERS = {
    "item fit": lambda: item_fit(calibration()),
    "local dependence": lambda: local_dependence(calibration()),
    "tetrachoric": lambda: tetrachoric(crowd()),
    "model comparison": lambda: compare_models(calibration(), calibration()),
    "classical": lambda: classical(crowd()),
    "calibration": calibration,
    "scale": scale,
    "simulated responses": lambda: simulate_responses(20, 4, seed=1),
    "linked calibration": lambda: calibrate_onto(calibration().item_parameters.select(ITEMS[:6]), crowd()),
    "crowd study": lambda: simulate_crowd_study(60, items_per_group=8, seed=1),
}


def tables(result: object) -> list[str]:
    """Names of the public attributes that are tables."""
    names = (name for name in dir(result) if not name.startswith("_"))
    return [name for name in names if isinstance(getattr(result, name), (pd.DataFrame, pd.Series))]


def spoil(table: pd.DataFrame | pd.Series) -> None:
    """Change values, columns and labels in place."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(table, pd.DataFrame):
            for k in range(table.shape[1]):
                table.isetitem(k, table.iloc[::-1, k].to_numpy())
            table.iloc[:1, 0] = table.iloc[-1:, 0].to_numpy()
            table["another"] = 1
            table.columns.name = "spoilt"
        else:
            table.iloc[:] = table.iloc[::-1].to_numpy()
        table.index.name = "spoilt"


@pytest.mark.parametrize("kind", MAKERS)
def test_a_table_that_is_read_is_a_copy(kind):
    """A scale edited through a table it handed out would score differently from its own file."""
    result = MAKERS[kind]()
    found = tables(result)
    assert found, "nothing would be tested"
    for name in found:
        before = getattr(result, name).copy()
        spoil(getattr(result, name))
        after = getattr(result, name)
        (pd.testing.assert_frame_equal if isinstance(before, pd.DataFrame) else pd.testing.assert_series_equal)(
            after, before
        )


def test_rows_and_columns_of_a_statistic_are_copies_too():
    """table.loc[...] = 0 would make a misfitting item fit."""
    table = item_fit(calibration())
    before = table.frame
    with pytest.warns(pd.errors.ChainedAssignmentError):  # pandas says that it changes nothing
        table.loc["q1", "p"] = 0.5
    column = table["p"]
    column.iloc[:] = 0.5
    flagged = table.flagged
    flagged["p"] = 0.5
    pd.testing.assert_frame_equal(table.frame, before)


def test_what_was_given_is_copied_too():
    given = item_fit(calibration()).frame
    table = psyirt.StatisticTable(given, "S-X2", "H0", "source", "none", "p < .05")
    given["p"] = 0.5
    assert not (table["p"] == 0.5).all()


@pytest.mark.parametrize(
    "array",
    [
        lambda: calibration().x,
        lambda: calibration().cov().matrix,
        lambda: calibration().cov().variances,
        lambda: calibration().cov("item-blocks").item_blocks,
        lambda: empirical_histogram(calibration()).weights,
        lambda: empirical_histogram(calibration()).nodes,
        lambda: scale().histogram.nodes,
    ],
)
def test_arrays_of_a_result_are_read_only(array):
    with pytest.raises(ValueError, match="read-only"):
        array()[0] = 1.0


def test_the_free_vector_is_the_results_own():
    """The array an estimator goes on working with must not be the one a result keeps."""
    mine = calibration().x.copy()
    kept = dataclasses.replace(calibration(), x=mine)
    mine += 1.0
    np.testing.assert_array_equal(kept.x, calibration().x)
