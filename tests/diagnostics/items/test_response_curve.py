"""Empirical response curves: what a reader sees of an item, and how far it falls."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from psyirt.data.responses import Responses
from psyirt.diagnostics import empirical_curve
from psyirt.diagnostics.items.smoothing import smooth_answers
from psyirt.errors import InputError, NotAvailableError
from psyirt.estimation.fixed import fix
from psyirt.models.parameters import ItemParameters
from tests.diagnostics.calibrations import LSAT7_2PL, calibration_of, lsat_calibration
from tests.reference import item_fit as twin
from tests.small_data import simulated


def _with_item(curve: np.ndarray, missing: float = 0.0) -> Responses:
    """1,500 subjects, 12 good items, and a 13th with P(correct) as given at their abilities."""
    rng = np.random.default_rng(81)
    theta = np.linspace(-2.5, 2.5, 1500)
    p = np.column_stack([expit(1.5 * theta[:, None] + np.linspace(-1.5, 1.5, 12)), np.interp(theta, *curve)])
    codes = (rng.random(p.shape) < p).astype(np.int8)
    codes[rng.random(p.shape) < missing] = -1
    return Responses.from_array(codes)


def _curve_of(curve: np.ndarray, missing: float = 0.0) -> object:
    responses = _with_item(curve, missing)
    bank = ItemParameters(responses.item_names, [1.5] * 12 + [0.8], [*np.linspace(-1.5, 1.5, 12), 0.0])
    return empirical_curve(fix(bank, "2PL", responses), "i13")


def test_a_monotone_item_never_falls_and_a_bump_does() -> None:
    """A measure that is large for good items, or small for a fall, sorts nothing.

    From the peak to the last subjects the item falls by .5 in true ability; twelve other items tell less of it.
    """
    rising = _curve_of(np.array([[-3, 3], [0.1, 0.9]]))
    assert rising.non_monotonicity < 0.01
    assert rising.largest_drop < 0.03
    bump = _curve_of(np.array([[-3, 0.5, 3], [0.2, 0.9, 0.3]]), missing=0.2)
    assert 0.12 < bump.largest_drop < 0.5
    assert bump.non_monotonicity > 0.03
    assert bump.smooth["observed"].idxmax() == pytest.approx(0.5, abs=0.4)


def test_the_curve_follows_the_groups() -> None:
    """An interval on the logit scale read as one of probability would have the wrong width everywhere."""
    bump = _curve_of(np.array([[-3, 0.5, 3], [0.2, 0.9, 0.3]]))
    # observed proportions of the groups: what the curve is drawn through
    at = np.interp(bump.bins["ability"], bump.smooth.index, bump.smooth["observed"])
    low, high = (np.interp(bump.bins["ability"], bump.smooth.index, bump.smooth[end]) for end in ("lower", "upper"))
    error = np.sqrt(bump.bins["observed"] * (1 - bump.bins["observed"]) / bump.bins["n"])
    assert (np.abs(at - bump.bins["observed"]) < 3.0 * error).all()
    assert ((high - low > 0.04) & (high - low < 0.25)).all()
    assert (bump.smooth["lower"] < bump.smooth["upper"]).all()
    assert ((bump.bins["lower"] <= bump.bins["observed"]) & (bump.bins["observed"] <= bump.bins["upper"])).all()


def test_groups_equal_to_plain_loops() -> None:
    """Ability with the item itself would draw a rising curve for a coin."""
    codes = simulated(200, 8, seed=82)
    slopes = np.linspace(0.7, 1.9, 8)
    bins = empirical_curve(calibration_of(codes, slopes=slopes), "i4", bins=4).bins
    nodes = np.linspace(-6.0, 6.0, 61)
    weights = np.exp(-0.5 * nodes**2) / np.exp(-0.5 * nodes**2).sum()
    p = expit(slopes[:, None] * nodes + np.linspace(-1.0, 1.0, 8)[:, None])
    known = twin.rest_of(codes.tolist(), p.tolist(), nodes.tolist(), weights.tolist(), 3)
    assert bins["n"].sum() == 200
    ability, chance = (np.array([pair[k] for pair in known]) for k in (0, 1))
    np.testing.assert_allclose((bins["n"] * bins["ability"]).sum(), ability.sum(), rtol=1e-9)
    np.testing.assert_allclose((bins["n"] * bins["expected"]).sum(), chance.sum(), rtol=1e-9)
    np.testing.assert_allclose((bins["n"] * bins["observed"]).sum(), codes[:, 3].sum(), rtol=1e-9)


def test_smoothing_ends_at_a_logistic_curve() -> None:
    """Answers from a logistic curve want no more than its two parameters: more is noise drawn as a finding."""
    rng = np.random.default_rng(83)
    x = rng.normal(size=2000)
    right = (rng.random(2000) < expit(1.3 * x - 0.4)).astype(float)
    curve = smooth_answers(x, right, np.ones(2000))
    assert curve.effective == pytest.approx(2.0, abs=0.5)
    logits, error = curve.at(np.array([-1.0, 0.0, 1.0]))
    np.testing.assert_allclose(logits, [-1.7, -0.4, 0.9], atol=0.3)
    assert (np.abs(logits - [-1.7, -0.4, 0.9]) < 3.0 * error).all()


def test_weights_count_subjects() -> None:
    """A weighted pattern table must draw the same curve as its subjects."""
    codes = simulated(150, 8, seed=84)
    weights = np.random.default_rng(84).integers(1, 4, 150)
    one = empirical_curve(calibration_of(codes, weights=weights), "i2")
    other = empirical_curve(calibration_of(np.repeat(codes, weights, axis=0)), "i2")
    np.testing.assert_allclose(one.bins, other.bins, rtol=1e-9)
    np.testing.assert_allclose(one.smooth, other.smooth, rtol=1e-5)
    assert one.non_monotonicity == pytest.approx(other.non_monotonicity, abs=1e-6)


def test_an_item_that_cannot_be_smoothed_says_so() -> None:
    """All alike, or three items with hardly any ability between them: a note and the groups, no crash."""
    codes = simulated(100, 6, seed=85)
    codes[:, 2] = 1
    alike = empirical_curve(calibration_of(codes), "i3")
    assert np.isnan(alike.non_monotonicity)
    assert alike.notes == ("not smoothed: no variance: all responses are alike",)
    assert (alike.bins["observed"] == 1.0).all()
    few = empirical_curve(calibration_of(codes[:, :2]), "i1")
    assert few.notes == ("not smoothed: too few different abilities",)
    codes[:, 2] = -1
    nobody = empirical_curve(calibration_of(codes), "i3")
    assert nobody.bins.empty
    assert "i3: non-monotonicity nan" in repr(nobody)


def test_the_curve_is_its_readers_own() -> None:
    """A table that a reader edits is no longer the result."""
    curve = empirical_curve(lsat_calibration(7, LSAT7_2PL), "i1")
    mine = curve.bins
    mine.loc[1, "observed"] = 9.0
    assert curve.bins["observed"].max() <= 1.0


def test_what_there_is_no_curve_of() -> None:
    """The error names the item or what is missing."""
    with pytest.raises(InputError, match="no item 'q9'"):
        empirical_curve(lsat_calibration(7, LSAT7_2PL), "q9")
    with pytest.raises(InputError, match="bins is 1"):
        empirical_curve(lsat_calibration(7, LSAT7_2PL), "i1", bins=1)
    with pytest.raises(NotAvailableError, match="no responses"):
        empirical_curve(fix(ItemParameters(["q1", "q2"], [1.0, 1.0], [0.0, 0.5]), "2PL"), "q1")
