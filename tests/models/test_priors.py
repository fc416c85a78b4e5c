"""Priors on item parameters: densities, their derivatives, and where they are placed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats
from scipy.special import expit, logit

from psyirt.errors import InputError
from psyirt.models.free_priors import place_priors
from psyirt.models.layout import make_layout
from psyirt.models.priors import Beta, LogNormal, Normal, NormalOnLogit, Prior, feasibility_prior, guessing_prior
from psyirt.models.registry import ITEM_TYPES

PRIORS: list[Prior] = [Normal(0.3, 1.7), NormalOnLogit(-1.386, 0.5), Beta(5.0, 17.0), LogNormal(0.1, 0.4)]
every_prior = pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)


@every_prior
def test_density_integrates_to_one_on_its_stated_scale(prior: Prior) -> None:
    """A density that integrates to 1 on another scale than it says carries a hidden Jacobian."""
    if isinstance(prior, Beta):
        total, _ = integrate.quad(lambda c: float(np.exp(prior.log_density(logit(np.array(c))))), 0, 1)
    else:
        low = 1e-12 if isinstance(prior, LogNormal) else -30.0
        total, _ = integrate.quad(lambda x: float(np.exp(prior.log_density(np.array(x)))), low, 30.0, limit=200)
    assert total == pytest.approx(1.0, abs=1e-8)


@every_prior
def test_derivatives_are_derivatives(prior: Prior) -> None:
    """A prior whose gradient is not its own pulls the mode elsewhere."""
    x, h = np.array([0.2, 0.7, 1.3, 2.9]), 1e-4
    below, at, above = (prior.log_density(x + k * h) for k in (-1, 0, 1))
    np.testing.assert_allclose(prior.gradient(x), (above - below) / (2 * h), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(prior.curvature(x), (above - 2 * at + below) / h**2, rtol=1e-4, atol=1e-5)


def test_second_arguments_are_standard_deviations() -> None:
    """Read as a variance, .5 becomes .71 and the prior half as strong."""
    x = np.array([-2.0, -1.0, 0.5])
    np.testing.assert_allclose(NormalOnLogit(-1.386, 0.5).log_density(x), stats.norm.logpdf(x, -1.386, 0.5))
    np.testing.assert_allclose(Normal(1.0, 2.0).log_density(x), stats.norm.logpdf(x, 1.0, 2.0))
    np.testing.assert_allclose(
        LogNormal(0.2, 0.3).log_density(x[2:]), stats.lognorm.logpdf(x[2:], 0.3, scale=np.exp(0.2))
    )
    np.testing.assert_allclose(Beta(3, 8).log_density(logit(np.array([0.1, 0.6]))), stats.beta.logpdf([0.1, 0.6], 3, 8))


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        (Normal(0.3, 1.7), 1.7),
        (Beta(5.0, 17.0), stats.beta.std(5, 17)),
        (LogNormal(0.1, 0.4), stats.lognorm.std(0.4, scale=np.exp(0.1))),
    ],
)
def test_sd_is_on_the_stated_scale(prior: Prior, expected: float) -> None:
    """The mark "dominated by its prior" divides by this number."""
    assert prior.sd == pytest.approx(float(expected))


def test_each_prior_takes_its_mode_on_its_own_scale() -> None:
    """The mode of a beta on c is (alpha - 1) / (alpha + beta - 2); that of logit c would be alpha / (alpha + beta)."""
    beta = optimize.minimize_scalar(
        lambda x: -float(Beta(5, 17).log_density(np.array(x))), bounds=(-6, 3), method="bounded"
    )
    assert expit(beta.x) == pytest.approx(4 / 20, abs=1e-4)
    lognormal = optimize.minimize_scalar(
        lambda x: -float(LogNormal(0.1, 0.4).log_density(np.array(x))), bounds=(0.01, 5), method="bounded"
    )
    assert lognormal.x == pytest.approx(np.exp(0.1 - 0.16), abs=1e-4)


def test_a_lognormal_slope_is_positive() -> None:
    """A finite density at a negative slope would let the fit cross 0."""
    assert np.all(np.isneginf(LogNormal(0.0, 1.0).log_density(np.array([-1.0, 0.0]))))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Normal(0.0, 0.0),
        lambda: Normal(float("nan"), 1.0),
        lambda: NormalOnLogit(-1.0, -0.5),
        lambda: Beta(0.0, 3.0),
        lambda: LogNormal(0.0, float("inf")),
        lambda: LogNormal(float("inf"), 1.0),
        lambda: guessing_prior(1),
    ],
)
def test_numbers_no_density_has_are_refused(make: object) -> None:
    """A negative standard deviation, squared, looks like a positive one."""
    with pytest.raises(InputError):
        make()  # type: ignore[operator]


def test_default_priors_stand_at_the_number_of_options() -> None:
    """A three-option item guessed at 1/3 must not be pulled to 1/5."""
    for options in (2.0, 3.0, 5.0):
        assert expit(guessing_prior(options).mean) == pytest.approx(1 / options)
    assert guessing_prior(None) == guessing_prior(float("nan")) == guessing_prior(5.0)
    assert expit(feasibility_prior().mean) == pytest.approx(0.95)


SLOTS = ("a", "intercept", "c", "d")
LAYOUT_3PL = make_layout(("i1", "i2"), [ITEM_TYPES["3PL"], ITEM_TYPES["4PL"]], SLOTS)


def test_priors_reach_the_parameters_they_name() -> None:
    """A prior on the wrong item regularises what the data know and leaves what they do not."""
    placed = place_priors(LAYOUT_3PL, {"a": {"i2": LogNormal(0.0, 0.5)}, "c": None}, None)
    assert [placed.at(k) for k in range(LAYOUT_3PL.size)] == [
        None, None, None, LogNormal(0.0, 0.5), None, None, feasibility_prior()
    ]  # fmt: skip
    x = np.linspace(0.5, 1.5, LAYOUT_3PL.size)
    expected = LogNormal(0.0, 0.5).log_density(x[3]) + feasibility_prior().log_density(x[6])
    assert placed.log_density(x) == pytest.approx(float(expected))
    assert placed.each_log_density(x).sum() == pytest.approx(float(expected))
    assert np.count_nonzero(placed.gradient(x)) == np.count_nonzero(placed.curvature(x)) == 2


def test_default_guessing_priors_use_each_items_options() -> None:
    """One centre for all items ignores that a 2-option item is guessed at 1/2."""
    placed = place_priors(LAYOUT_3PL, None, {"i1": 2.0})
    assert placed.at(2) == guessing_prior(2.0)
    assert placed.at(5) == guessing_prior(None)


def test_a_shared_parameter_carries_its_prior_once() -> None:
    """Counted once per item, the prior on a 1PL slope would grow with the test."""
    layout = make_layout(("i1", "i2", "i3"), [ITEM_TYPES["1PL"]] * 3, SLOTS)
    placed = place_priors(layout, {"a": LogNormal(0.0, 0.5)})
    assert placed.log_density(np.ones(layout.size)) == pytest.approx(
        float(LogNormal(0.0, 0.5).log_density(np.array(1.0)))
    )


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ({"b": Normal(0, 1)}, "no parameter is called 'b'"),
        ({"a": NormalOnLogit(0, 1)}, "NormalOnLogit is no prior for 'a'"),
        ({"c": LogNormal(0, 1)}, "LogNormal is no prior for 'c'"),
        ({"c": 0.25}, "0.25 is no prior"),
        ({"d": {"i1": Beta(9, 1)}}, "item 'i1', which is not estimated"),
        ({"c": {"i9": Beta(2, 5)}}, "item 'i9'"),
    ],
)
def test_a_prior_that_has_no_place_is_refused(priors: dict[str, object], message: str) -> None:
    """An ignored prior is believed to be in the model."""
    with pytest.raises(InputError, match=message):
        place_priors(LAYOUT_3PL, priors)  # type: ignore[arg-type]


def test_a_prior_on_an_asymptote_the_model_fixes_is_refused() -> None:
    """A guessing prior given to a 2PL fit changes nothing and looks as if it did."""
    layout = make_layout(("i1",), [ITEM_TYPES["2PL"]], SLOTS)
    with pytest.raises(InputError, match="no item of this model estimates"):
        place_priors(layout, {"c": NormalOnLogit(-1.4, 0.5)})
    assert not place_priors(layout, None)


@pytest.mark.parametrize(
    "make",
    [
        lambda: NormalOnLogit("x", 1),
        lambda: NormalOnLogit(0.0, None),
        lambda: Normal(None, 1.0),
        lambda: Beta("5", 17),
        lambda: LogNormal(0.0, "1"),
        lambda: Normal(0.0, True),
        lambda: Normal(0.0, 1e-200),
        lambda: Beta(1e200, 2.0),
    ],
)
def test_numbers_that_are_none_or_square_to_none_are_refused(make) -> None:
    """A TypeError or a division by zero from inside a fit does not say which argument was wrong."""
    with pytest.raises(InputError, match=r"^prior: .*Give a "):
        make()


def test_a_prior_so_wide_that_its_sd_is_no_number_can_be_used() -> None:
    """LogNormal(0, 100) says nothing about a slope, and must not stop a fit with an OverflowError."""
    assert LogNormal(0.0, 100.0).sd == np.inf
    assert LogNormal(1000.0, 0.5).sd == np.inf
    for sd in (1e-3, 0.4, 3.0, 20.0):
        assert LogNormal(-0.3, sd).sd == pytest.approx(
            math.exp(-0.3 + 0.5 * sd**2) * math.sqrt(math.expm1(sd**2)), rel=1e-12
        )
