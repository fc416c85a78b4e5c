"""Fixed-item calibration: new items onto an old scale, with the new group's mean and sd."""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from psyirt.data.responses import Responses
from psyirt.errors import ConvergenceWarning, DataWarning, InputError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.latent.population import Grid
from psyirt.models.parameters import ItemParameters
from psyirt.scale.calibrate_onto import calibrate_onto
from psyirt.scale.files import load_scale
from psyirt.scale.linked import LinkedCalibration
from psyirt.scale.linking_fit import old_errors
from psyirt.scale.scale import Scale
from psyirt.simulation import simulate_responses
from tests.reference import marginal_likelihood as twin
from tests.scale.made import crowd, scale

MEAN, SD = 0.7, 1.3


def bank(seed: int, items: int = 50, columns: tuple[str, ...] = ("a", "b")) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.uniform(0.7, 2.0, items), "b": rng.normal(0.0, 1.2, items), "c": 0.2})
    return frame.set_index([[f"i{k:02}" for k in range(items)]])[list(columns)]


def answers(items: pd.DataFrame, seed: int, subjects: int = 1500, missing: float = 0.0) -> Responses:
    theta = np.random.default_rng(1000 + seed).normal(MEAN, SD, subjects)
    return simulate_responses(items=items, theta=theta, seed=seed, missing=missing).responses


@functools.cache
def linked(seed: int = 0) -> LinkedCalibration:
    """20 new items onto 30 of known parameters."""
    items = bank(seed)
    return calibrate_onto(fix(items.iloc[:30]), answers(items, seed))


SEEDS = range(6)


def test_the_new_items_and_the_group_are_recovered_within_their_errors() -> None:
    """On the wrong metric every new difficulty would be off by half a standard deviation of people: 10 errors."""
    away, group = [], []
    for seed in SEEDS:
        fit, truth = linked(seed), bank(seed)
        assert fit.calibration.converged
        new = fit.items.loc[list(fit.new)]
        for name in ("a", "b"):
            away += list((new[name] - truth.loc[new.index, name]) / new[f"se_{name}"])
        group += [(fit.mean - MEAN) / fit.mean_se, (fit.sd - SD) / fit.sd_se]
    assert abs(np.mean(away)) < 0.25
    assert 0.85 < np.std(away) < 1.15
    assert np.abs(away).max() < 4.5
    assert np.sqrt(np.mean(np.square(group))) < 1.8
    assert 0.02 < linked().mean_se < 0.05


def test_two_groups_of_one_scale() -> None:
    """The whole way: calibrate on one crowd, and put items that only another crowd saw on that scale."""
    items = bank(20, 40)
    first = simulate_responses(3000, items.iloc[:25], seed=20).responses
    fit = calibrate_onto(fit_mml(first), answers(items.iloc[5:], 21, 3000))
    assert (len(fit.linking), len(fit.new)) == (20, 15)
    assert fit.item_parameters.item_names == (*items.index[:25], *items.index[25:])
    new = fit.items.loc[list(fit.new)]
    assert np.corrcoef(new["b"], items.loc[new.index, "b"])[0, 1] > 0.99
    assert (new["b"] - items.loc[new.index, "b"]).mean() == pytest.approx(0.0, abs=0.12)
    assert fit.mean == pytest.approx(MEAN, abs=0.15)
    assert fit.sd == pytest.approx(SD, abs=0.15)


def small() -> tuple[pd.DataFrame, Responses, Grid]:
    items = bank(3, 6, ("a", "b", "c"))
    return items, answers(items, 3, 40, missing=0.2), Grid(31, -7.0, 8.0)


def brute(items: pd.DataFrame, responses: Responses, grid: Grid, moments: np.ndarray) -> float:
    """Marginal log-likelihood of the twin at (mean, variance)."""
    parameters = [(row.a, -row.a * row.b, row.c, 1.0) for row in items.itertuples()]
    nodes = grid.nodes[:, 0].tolist()
    rows = responses.codes.tolist()
    weights = twin.node_weights(nodes, moments[1], moments[0])
    return twin.marginal_log_likelihood(rows, [1] * len(rows), parameters, nodes, weights)


def test_with_all_items_known_the_moments_are_those_of_brute_force() -> None:
    """Mean, variance and their errors against a plain maximisation of a plain likelihood."""
    items, responses, grid = small()
    fit = calibrate_onto(fix(items, "3PL"), responses, options=MMLOptions(grid=grid, tolerance=1e-7))
    assert fit.new == ()

    def loss(x: np.ndarray) -> float:
        return -brute(items, responses, grid, x)

    best = optimize.minimize(loss, [0.5, 1.0], method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9})
    np.testing.assert_allclose([fit.mean, fit.sd**2], best.x, atol=1e-4)
    assert fit.calibration.loglik == pytest.approx(-best.fun, abs=1e-8)
    errors = np.sqrt(np.diag(np.linalg.inv(twin.hessian(loss, best.x))))
    np.testing.assert_allclose([fit.mean_se, 2 * fit.sd * fit.sd_se], errors, rtol=1e-4)
    for kind in ("item-blocks", "crossprod"):
        assert len(fit.calibration.cov(kind).variances) == 2


def test_linking_items_keep_their_parameters_to_the_last_digit() -> None:
    """A linking item that moves is another scale."""
    fit, truth = linked(), bank(0)
    table = fit.items.loc[list(fit.linking)]
    np.testing.assert_allclose(table[["a", "b"]], truth.loc[table.index], rtol=1e-14)
    assert set(table["role"]) == {"linking"}
    assert table[["se_a", "se_b"]].isna().all(axis=None)
    assert set(fit.items.loc[list(fit.new), "role"]) == {"new"}
    np.testing.assert_array_equal(fit.item_parameters.values[:30], fit.known.values)
    assert fit.item_parameters.item_names == tuple(truth.index)


def test_a_standard_group_and_free_items_agree_with_the_plain_fit() -> None:
    """Onto its own estimates, the same data must give the same items, and a group that is N(0, 1)."""
    data = answers(bank(5, 12), 5)
    plain = fit_mml(data, options=MMLOptions(grid=Grid(), tolerance=1e-7))
    known = plain.item_parameters.select(plain.item_names[:6])
    fit = calibrate_onto(known, data, options=MMLOptions(grid=Grid(), tolerance=1e-7))
    assert fit.mean == pytest.approx(0.0, abs=1e-4)
    assert fit.sd == pytest.approx(1.0, abs=1e-4)
    np.testing.assert_allclose(fit.items[["a", "intercept"]], plain.items[["a", "intercept"]], atol=1e-4)
    assert fit.calibration.loglik == pytest.approx(plain.loglik, abs=1e-6)


def test_asymptotes_priors_and_missing_answers() -> None:
    """3PL items, old and new, with answers missing: every slot of an old one is held."""
    items = bank(7, 24, ("a", "b", "c"))
    fit = calibrate_onto(fix(items.iloc[:16], "3PL"), answers(items, 7, 2500, missing=0.3), "3PL")
    assert fit.calibration.converged
    np.testing.assert_allclose(fit.items.loc[list(fit.linking), "c"], 0.2)
    new = fit.items.loc[list(fit.new)]
    assert np.abs((new["b"] - items.loc[new.index, "b"]) / new["se_b"]).max() < 4.0
    assert abs(fit.mean - MEAN) < 4.0 * fit.mean_se


def test_a_group_far_above_the_scale_is_found() -> None:
    """Nodes that end at 6 would pull a group of mean 5 towards the old crowd."""
    items = pd.DataFrame({"a": 1.0, "b": np.linspace(2.0, 8.0, 25)}, index=[f"i{k}" for k in range(25)])
    theta = np.random.default_rng(9).normal(5.0, 1.5, 2000)
    data = simulate_responses(items=items, theta=theta, seed=9).responses
    fit = calibrate_onto(fix(items.iloc[::2]), data)
    assert abs(fit.mean - theta.mean()) < 3.0 * fit.mean_se
    assert fit.calibration.grid.high > 10.0
    assert not fit.calibration.notes


def test_an_item_that_changed_its_meaning_is_found() -> None:
    """A linking item that leaked, say, shifts the group's mean and every new item; the test must point at it."""
    items = bank(11, 20)
    changed = items.copy()
    changed.loc["i03", "b"] -= 1.0
    fit = calibrate_onto(fix(items.iloc[:15]), answers(changed, 11, 3000))
    table = fit.linking_fit
    assert list(table.flagged.index) == ["i03"]
    row = table.loc["i03"]
    assert row["change_intercept"] == pytest.approx(items.loc["i03", "a"], rel=0.3)
    assert len(table) == 15


def test_the_score_test_keeps_its_level() -> None:
    """A test that flags sound items would have users throw their link away."""
    p = np.concatenate([linked(seed).linking_fit["p"] for seed in SEEDS])
    assert len(p) == 180
    assert 0.01 < np.mean(p < 0.05) < 0.10
    assert 0.4 < np.mean(p) < 0.6


def test_the_old_estimates_errors_count_in_the_score_test() -> None:
    """Where old parameters are estimates, a test that takes them as known flags one sound item in four."""
    p, taken_as_known = [], []
    for seed in range(30, 35):
        items = bank(seed, 34)
        old = fit_mml(simulate_responses(1500, items.iloc[:26], seed=seed).responses)
        fit = calibrate_onto(old, answers(items, seed))
        p += list(fit.linking_fit["p"])
        taken_as_known += list(calibrate_onto(old.item_parameters, answers(items, seed)).linking_fit["p"])
    assert np.mean(np.array(p) < 0.05) < 0.10
    assert np.mean(np.array(taken_as_known) < 0.05) > 0.15


@pytest.mark.parametrize("model", ["2PL", "1PL", "Rasch"])
def test_a_calibration_and_its_scale_know_the_same_errors(model: str) -> None:
    """The same link tested twice must not give two answers."""
    fit = fit_mml(crowd(), model)
    names = fit.item_names[2:5]
    of_fit = old_errors(fit, names)
    of_scale = old_errors(Scale.from_calibration(fit, name="x"), names)
    np.testing.assert_allclose(of_scale, of_fit, rtol=1e-9)
    assert (of_fit[:, 1, 1] > 0.0).all()
    assert (of_fit[:, 0, 1] != 0.0).all() == (model != "Rasch")
    np.testing.assert_allclose(of_fit[:, 1, 1], fit.bse["intercept"][list(names)] ** 2)
    assert not old_errors(fit.item_parameters, names).any()
    assert not old_errors(fix(fit.item_parameters, model), names).any()


def test_the_score_test_is_one_newton_step() -> None:
    """Against the maximum with the item free: near it, the step is the change and the statistic the ratio."""
    items = bank(12, 8)
    data = answers(items, 12, 4000)
    options = MMLOptions(tolerance=1e-7)
    held = calibrate_onto(fix(items.iloc[:7]), data, options=options)
    freed = calibrate_onto(fix(items.iloc[1:7]), data, options=options)
    row = held.linking_fit.loc["i00"]
    moved = freed.items.loc["i00", ["a", "intercept"]] - held.items.loc["i00", ["a", "intercept"]]
    np.testing.assert_allclose(row[["change_a", "change_intercept"]].to_numpy(float), moved.to_numpy(float), atol=0.02)
    ratio = 2.0 * (freed.calibration.loglik - held.calibration.loglik)
    assert row["statistic"] == pytest.approx(ratio, rel=0.1, abs=0.05)


def test_few_linking_items_are_warned_of_at_the_callers_line() -> None:
    """A link by three items is one that a single changed item breaks."""
    data = answers(bank(13, 10), 13, 400)
    with pytest.warns(DataWarning, match="the link rests on 3 items") as caught:
        fit = calibrate_onto(fix(bank(13, 10).iloc[:3]), data)
    assert caught[0].filename == __file__
    assert any("rests on 3 items" in note for note in fit.calibration.notes)
    assert "rests on 3 items" in fit.summary()


def test_constant_new_items_are_warned_of_at_the_callers_line() -> None:
    """A warning that points into the package cannot be traced to one of several calls."""
    frame = answers(bank(13, 10), 13, 400).to_frame().assign(i09=1)
    with pytest.warns(DataWarning, match="1 constant item") as caught:
        fit = calibrate_onto(fix(bank(13, 10).iloc[:6]), Responses.from_frame(frame))
    assert caught[0].filename == __file__
    assert fit.new == ("i06", "i07", "i08")
    assert list(fit.calibration.set_aside) == ["i09"]


def test_warnings_of_the_fit_name_the_function_that_was_called() -> None:
    """Someone who never called fit_mml looks for it in vain."""
    frame = answers(bank(13, 10), 13, 400).to_frame()
    right = frame.iloc[:, :6].sum(axis=1)
    with pytest.warns(ConvergenceWarning, match="^calibrate_onto: the slope of 'step' runs away") as caught:
        calibrate_onto(fix(bank(13, 10).iloc[:6]), Responses.from_frame(frame.assign(step=(right >= 4).astype(int))))
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda d: calibrate_onto(fix(bank(14, 5)), d, progress=3), "progress is a int"),
        (lambda d: calibrate_onto(fix(bank(14, 5).rename(index=str.upper)), d), "none of the 8 items is on the scale"),
        (lambda d: calibrate_onto(bank(14), d), "the scale is a DataFrame"),
        (lambda d: calibrate_onto(fix(bank(14, 5)), d.to_frame()), "responses is a DataFrame"),
        (lambda d: calibrate_onto(fix(bank(14, 5)), d, "5PL"), "5PL"),
        (lambda d: calibrate_onto(fix(bank(14, 5)), d, {"i00": "2PL"}), "no model for 3 items"),
        (lambda d: calibrate_onto(fix(bank(14, 5)), d, options=3), "options is a int"),
        (lambda d: calibrate_onto(fix(bank(14, 5)), d, priors=3), "priors is a int"),
        (lambda d: calibrate_onto(ItemParameters(["i00"], [[1.0, 1.0]], [0.0]), d), "2 abilities"),
    ],
)
def test_what_makes_no_link_is_refused(make, said: str) -> None:
    """A link by no item, or by a table's columns, would silently be a calibration of its own."""
    with pytest.raises(InputError, match=said):
        make(answers(bank(14, 8), 14, 100))


def test_a_scale_takes_new_items_and_what_comes_out_is_a_scale() -> None:
    """The road of a benchmark that grows: scale, new items, the larger scale in a file."""
    frame = crowd().to_frame()
    rng = np.random.default_rng(1)
    frame["new1"] = (rng.random(len(frame)) < 0.2 + 0.6 * frame.mean(axis=1)).astype(int)
    fit = calibrate_onto(scale(), Responses.from_frame(frame))
    assert fit.new == ("new1",)
    assert fit.mean == pytest.approx(0.0, abs=0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        larger = Scale.from_calibration(fix(fit.item_parameters), name="larger")
    assert larger.item_names == (*scale().item_names, "new1")


def test_the_groups_own_scale_goes_to_a_file_and_back(tmp_path) -> None:
    """A mean that is lost in the file would score the new group as if it were the old crowd."""
    made = Scale.from_calibration(linked().calibration, name="group")
    made.save(tmp_path / "scale.json")
    read = load_scale(tmp_path / "scale.json")
    assert read.population == linked().calibration.population
    assert read.population.mean == linked().mean


def test_the_summary_says_who_the_group_is() -> None:
    text = linked().summary()
    assert text.startswith("20 new items onto a scale of 30, by 30 linking items\n")
    assert f"mean {linked().mean:.3f} (SE {linked().mean_se:.3f}), sd {linked().sd:.3f}" in text
    assert repr(linked()) == text
    assert "20 new items" in linked()._repr_html_()
