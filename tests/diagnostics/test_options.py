"""Arguments that a function hands on: one line that names what there is, and no traceback from inside."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import psyirt
from psyirt.errors import InputError
from psyirt.foundation.arguments import require_known_options
from tests.small_data import simulated

DATA = psyirt.Responses.from_array(simulated(150, 6, seed=2))


def test_options_are_the_keywords() -> None:
    """A positional argument is no option, and a misspelt one is named beside the right ones."""

    def statistic(data: int, *, bins: int, seed: int) -> None: ...

    require_known_options(["bins"], statistic, "here")
    with pytest.raises(InputError, match=r"'bin'.*Known: bins, seed"):
        require_known_options(["bin"], statistic, "here")
    with pytest.raises(InputError, match="'data'"):
        require_known_options(["data"], statistic, "here")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda fit: psyirt.item_fit(fit, foo=1), "item_fit, S-X2: no option is called 'foo'"),
        (lambda fit: psyirt.local_dependence(fit, foo=1), "no option is called 'foo'"),
        (lambda fit: psyirt.person_fit(fit, foo=1), "no option is called 'foo'"),
        (lambda fit: psyirt.information(DATA), "the measure is a Responses"),
        (lambda fit: psyirt.characteristic_curve(None), "the measure is a NoneType"),
        (lambda fit: psyirt.sum_score_table("x"), "the measure is a str"),
        (lambda fit: psyirt.information(fit, "x"), "theta is not a list"),
        (lambda fit: psyirt.compare_models(fit, fit, folds=10**9, seed=1), "folds of 900 responses"),
        (lambda fit: psyirt.dif(DATA, ["a", "b"] * 75, strata=10**9), "strata of 150 subjects"),
        (lambda fit: psyirt.fit_mml(DATA, weights=np.full(150, 1e300)), "weights sum to"),
    ],
)
def test_one_line(call: Callable[[psyirt.Calibration], object], said: str) -> None:
    """What was asked for, and what there is."""
    with pytest.raises(InputError, match=said):
        call(psyirt.fit_mml(DATA))


def test_jsi_of_a_curve_and_model_fit_of_a_histogram() -> None:
    """A density's own parameters go along when an item is left out; a histogram's weights are said not to count."""
    curve = psyirt.fit_mml(DATA, latent="davidian", latent_order=1)
    assert len(psyirt.local_dependence(curve, "JSI")) == 15
    bars = psyirt.model_fit(psyirt.fit_mml(DATA, "1PL", latent="histogram"))
    assert any("ability is a histogram" in note for note in bars.notes)


def test_sampling_weights_have_no_criteria() -> None:
    """Of a pseudo-likelihood neither AIC nor a ratio is defined; a table of numbers would say otherwise."""
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 150)
    fits = [psyirt.fit_mml(DATA, model, weights=weights, weights_kind="sampling") for model in ("1PL", "2PL")]
    with pytest.raises(psyirt.errors.NotAvailableError, match="pseudo-likelihood"):
        psyirt.compare_models(*fits)
    whole = [psyirt.fit_mml(DATA, model, weights=weights) for model in ("1PL", "2PL")]
    assert psyirt.compare_models(*whole).tests["p"].isna().all()
    bars = psyirt.compare_models(psyirt.fit_mml(DATA, "1PL"), psyirt.fit_mml(DATA, "1PL", latent="histogram"))
    assert bars.models["AIC"].isna().tolist() == [False, True]
    assert "histogram" in bars.models["note"].iloc[1]
