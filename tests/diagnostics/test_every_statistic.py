"""What holds for every registered statistic of items and of pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import item_fit, local_dependence
from psyirt.diagnostics.items.fit import ITEM_FIT
from psyirt.diagnostics.pairs.dependence import LOCAL_DEPENDENCE
from psyirt.errors import InputError, NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration
from psyirt.results.table import StatisticTable
from tests.diagnostics.calibrations import LSAT7_2PL, calibration_of, lsat_calibration
from tests.small_data import simulated

Statistic = Callable[..., StatisticTable]

EVERY = [pytest.param(item_fit, name, id=name) for name in ITEM_FIT]
EVERY += [pytest.param(local_dependence, name, id=name) for name in LOCAL_DEPENDENCE]
NUMBERS = ["statistic", "df", "p", "p_adjusted"]
# draws go by response pattern, which the order of items changes
RANDOM = {"PV-Q1"}


def _equal(one: StatisticTable, other: StatisticTable) -> None:
    pd.testing.assert_frame_equal(one.frame, other.frame, rtol=1e-9, check_names=True)


@pytest.mark.parametrize(("statistic", "name"), EVERY)
def test_labels_and_sentence(statistic: Statistic, name: str) -> None:
    """A row that belongs to another item is worse than no row."""
    calibration = lsat_calibration(7, LSAT7_2PL)
    table = statistic(calibration, method=name.lower())
    names = [table.frame.index.get_level_values(level) for level in table.frame.index.names]
    wanted = ["i1", "i2", "i3", "i4", "i5"]
    assert sorted({item for level in names for item in level}) == wanted
    assert len(table) == len(set(table.frame.index)) == (5 if len(names) == 1 else 10)
    assert table.tests.startswith("H0: ")
    assert ("Holm" in table.adjustment) == table.has_null


@pytest.mark.parametrize(("statistic", "name"), EVERY)
def test_order_of_subjects_does_not_matter(statistic: Statistic, name: str, rng: np.random.Generator) -> None:
    """A statistic that depends on who comes first is not about the items."""
    codes = simulated(300, 8, seed=4)
    _equal(
        statistic(calibration_of(codes), method=name),
        statistic(calibration_of(codes[rng.permutation(300)]), method=name),
    )


@pytest.mark.parametrize(("statistic", "name"), EVERY)
def test_duplicated_subjects_with_halved_weights_change_nothing(statistic: Statistic, name: str) -> None:
    """Weights that are counted as rows somewhere would double N there."""
    codes = simulated(300, 8, seed=5)
    doubled = calibration_of(np.vstack([codes, codes]), weights=np.full(600, 0.5))
    _equal(statistic(calibration_of(codes), method=name), statistic(doubled, method=name))


@pytest.mark.parametrize(("statistic", "name"), [each for each in EVERY if each.id not in RANDOM])
def test_order_of_items_does_not_matter(statistic: Statistic, name: str) -> None:
    """A statistic must follow its item to another column."""
    codes = simulated(300, 7, seed=6)
    responses = Responses.from_array(codes)
    bank = ItemParameters(responses.item_names, np.linspace(0.7, 1.9, 7), np.linspace(-1.0, 1.0, 7))
    turned = list(reversed(responses.item_names))
    forward = statistic(fix(bank, "2PL", responses), method=name)
    backward = statistic(fix(bank.select(turned), "2PL", responses.select(items=turned)), method=name)
    for row in forward.frame.index:
        other = row if isinstance(row, str) else row[::-1]
        np.testing.assert_allclose(
            forward.loc[row, "statistic"], backward.loc[other, "statistic"], rtol=1e-9, err_msg=str(row)
        )


@pytest.mark.parametrize(("statistic", "name"), EVERY)
@pytest.mark.parametrize("items", [1, 2])
def test_very_few_items(statistic: Statistic, name: str, items: int) -> None:
    """Two items are too few for most statistics: a note, not a crash."""
    table = statistic(calibration_of(simulated(200, 3, seed=7)[:, :items]), method=name)
    gaps = table.frame[table["statistic"].isna()]
    assert (gaps["note"] != "").all()
    assert np.isnan(gaps[["p", "p_adjusted"]].to_numpy(float)).all()
    assert not gaps["flag"].any()


@pytest.mark.parametrize(("statistic", "name"), EVERY)
def test_an_item_without_variance(statistic: Statistic, name: str) -> None:
    """All right answers: the row says so, the others keep their numbers."""
    codes = simulated(200, 6, seed=8)
    codes[:, 2] = 1
    table = statistic(calibration_of(codes), method=name)
    rows = table.frame[["i3" in (row if isinstance(row, tuple) else (row,)) for row in table.frame.index]]
    assert rows["note"].str.contains("var").all()
    numbers = NUMBERS if table.has_null else ["statistic"]
    assert np.isfinite(table.frame.drop(index=rows.index)[numbers].to_numpy(float)).all()


@pytest.mark.parametrize(("statistic", "name"), EVERY)
def test_without_a_null_distribution_there_is_no_p(statistic: Statistic, name: str) -> None:
    """A p-value that looks like one would be used as one."""
    table = statistic(lsat_calibration(7, LSAT7_2PL), method=name)
    assert table[["p", "p_adjusted"]].isna().all(axis=None) != table.has_null
    assert table.has_null or any("no p-value" in note for note in table.notes)


@pytest.mark.parametrize(("statistic", "name"), EVERY)
def test_with_missing_responses_there_is_a_number_or_a_reason(statistic: Statistic, name: str) -> None:
    """Rows that are dropped in silence make the rest look like the whole."""
    codes = simulated(300, 8, seed=9, missing=0.2)
    table = statistic(calibration_of(codes), method=name)
    gaps = table.frame[table["statistic"].isna()]
    assert (gaps["note"] != "").all()
    if "n" in table.frame:
        assert table["n"].max() < 300


@pytest.mark.parametrize(("statistic", "name"), EVERY)
def test_without_responses(statistic: Statistic, name: str) -> None:
    """Fixed parameters without data have no fit; an empty table would look like a good one."""
    bank = ItemParameters(["q1", "q2", "q3"], [1.0, 1.0, 1.0], [0.0, 0.5, -0.5])
    with pytest.raises(NotAvailableError, match="no responses"):
        statistic(fix(bank, "2PL"), method=name)


@pytest.mark.parametrize("statistic", [item_fit, local_dependence])
@pytest.mark.parametrize("options", [{"method": "S-X3"}, {"adjust": "hom"}, {"alpha": 1.5}])
def test_misspelt_options(statistic: Statistic, options: dict[str, Any]) -> None:
    """An option that is ignored when misspelt changes the answer unseen."""
    calibration: Calibration = lsat_calibration(7, LSAT7_2PL)
    with pytest.raises(InputError):
        statistic(calibration, **options)
    with pytest.raises(InputError, match="min_expcted"):
        statistic(calibration, min_expcted=5)
