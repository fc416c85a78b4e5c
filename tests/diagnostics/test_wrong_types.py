"""Arguments of another type: one line that names the argument, whichever statistic they are given to."""

from __future__ import annotations

from functools import partial

import pytest

from psyirt.diagnostics import (
    classical,
    dif,
    empirical_curve,
    item_fit,
    local_dependence,
    s_x2_cells,
    slopes,
    tetrachoric,
)
from psyirt.diagnostics.dimensions.one_factor_eigenvalues import one_factor_eigenvalues
from psyirt.diagnostics.items.fit import ITEM_FIT
from psyirt.diagnostics.items.guessing import guessing_test
from psyirt.diagnostics.whole_model.normality import normality_test
from psyirt.errors import InputError
from psyirt.estimation.latent_histogram import empirical_histogram
from tests.diagnostics.calibrations import LSAT7_2PL, lsat_calibration

CALIBRATION = lsat_calibration(7, LSAT7_2PL)
RESPONSES = CALIBRATION.responses
WORDS = ["once"] * RESPONSES.shape[0]


@pytest.mark.parametrize(
    "ask",
    [
        item_fit,
        local_dependence,
        slopes,
        guessing_test,
        normality_test,
        empirical_histogram,
        lambda other: s_x2_cells(other, "i1") if hasattr(other, "item_names") else item_fit(other),
        lambda other: one_factor_eigenvalues(other, seed=1),
        lambda other: empirical_curve(other, "i1"),
        *(partial(item_fit, method=name) for name in ITEM_FIT),
    ],
)
def test_what_is_no_calibration_is_refused(ask):
    """Responses given where a fit is wanted are the commonest slip."""
    with pytest.raises(InputError, match="the calibration is a Responses"):
        ask(RESPONSES)


@pytest.mark.parametrize("ask", [classical, tetrachoric, lambda other: dif(other, ["a", "b", "a"])])
def test_what_is_no_responses_is_refused(ask):
    with pytest.raises(InputError, match="responses is a list"):
        ask([[1, 0, 1]])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: classical(RESPONSES, weights=WORDS), "a weight is not a number"),
        (lambda: tetrachoric(RESPONSES, weights=WORDS), "a weight is not a number"),
        (lambda: tetrachoric(RESPONSES, correction="half"), "correction is a str"),
        (lambda: tetrachoric(RESPONSES, smooth="no"), "smooth is a str"),
        (lambda: item_fit(CALIBRATION, alpha="5%"), "alpha is a str"),
        (lambda: item_fit(CALIBRATION, min_expected="one"), "min_expected is a str"),
        (lambda: item_fit(CALIBRATION, groups="ten"), "groups is a str"),
        (lambda: item_fit(CALIBRATION, "X2", bins="ten"), "bins is a str"),
        (lambda: item_fit(CALIBRATION, "X2", alpha="5%"), "alpha is a str"),
        (lambda: item_fit(CALIBRATION, "PV-Q1", draws="many"), "draws is a str"),
        (lambda: item_fit(CALIBRATION, "infit", min_variance="none"), "min_variance is a str"),
        (lambda: item_fit(CALIBRATION, "RMSD", cutoff=None), "cutoff is a NoneType"),
        (lambda: empirical_curve(CALIBRATION, "i1", bins=None), "bins is a NoneType"),
        (lambda: local_dependence(CALIBRATION, alpha=None), "alpha is a NoneType"),
        (lambda: local_dependence(CALIBRATION, "Q3", bootstrap="many", seed=1), "bootstrap is a str"),
        (lambda: local_dependence(CALIBRATION).top("ten"), "count is a str"),
        (lambda: dif(RESPONSES, WORDS, alpha="5%"), "alpha is a str"),
        (lambda: guessing_test(CALIBRATION, alpha=1.5), "alpha is 1.5"),
        (lambda: normality_test(CALIBRATION, min_expected="five"), "min_expected is a str"),
        (lambda: CALIBRATION.conf_int("5%"), "alpha is a str"),
        (lambda: CALIBRATION.cov(["louis"]), "no covariance is called"),
        (lambda: one_factor_eigenvalues(CALIBRATION, 0, seed=1), "draws is 0"),
        (lambda: one_factor_eigenvalues(CALIBRATION, seed=-1), "seed is -1"),
    ],
)
def test_options_of_another_type_are_refused(ask, message):
    """smooth="no" is true, and would smooth."""
    with pytest.raises(InputError, match=message):
        ask()
