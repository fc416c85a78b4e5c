"""The crowd a scale remembers."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.data.patterns import Patterns, collapse
from psyirt.data.responses import Responses
from psyirt.scale.crowd import MOST_VALUES, make_crowd
from psyirt.scale.quality import make_quality, pattern_abilities
from psyirt.scale.scale import Scale
from psyirt.scoring.percentiles import crowd_percentile
from tests.scale.made import calibration, crowd


def random_patterns(subjects: int, seed: int = 1) -> tuple[Patterns, np.ndarray]:
    """Patterns of 14 items with an ability for each."""
    codes = np.random.default_rng(seed).integers(0, 2, (subjects, 14))
    patterns = collapse(Responses.from_array(codes))
    return patterns, patterns.codes @ np.sqrt(np.arange(2.0, 16.0))


def test_small_crowds_are_kept_whole() -> None:
    """Rounding a crowd that fits would make the share tied at the ceiling wrong."""
    patterns, theta = random_patterns(500)
    made = make_crowd(patterns, theta, "")
    assert made.exact
    np.testing.assert_allclose(made.members(), np.sort(theta[patterns.index]), atol=1e-9)
    assert made.n == made.n_complete == sum(made.number_correct) == 500


def test_large_crowds_become_quantiles_and_say_so() -> None:
    """A file with a million abilities is not read by anybody; percentiles from the table must still be right."""
    patterns, theta = random_patterns(30_000)
    assert len(np.unique(theta)) > MOST_VALUES
    made = make_crowd(patterns, theta, "")
    assert not made.exact
    assert len(made.thetas) <= MOST_VALUES
    asked = np.linspace(theta.min() - 0.1, theta.max() + 0.1, 50)
    exact = crowd_percentile(asked, theta[patterns.index]).percentile
    np.testing.assert_allclose(crowd_percentile(asked, made.members()).percentile, exact, atol=0.1)


def test_fractional_weights_become_quantiles() -> None:
    """Survey weights cut to whole numbers would change who the crowd is."""
    patterns, theta = random_patterns(200)
    weighted = Patterns(patterns.codes, patterns.weights * np.linspace(0.1, 2.0, len(patterns.weights)), patterns.index)
    made = make_crowd(weighted, theta, "")
    assert not made.exact
    below = [float(weighted.weights[theta < value].sum() / weighted.total) * 100 for value in (18.0, 21.0)]
    np.testing.assert_allclose(crowd_percentile([18.0, 21.0], made.members()).percentile, below, atol=0.1)


def test_shares_at_the_ends_are_of_complete_answerers() -> None:
    """Somebody who answered one item and had it right is not at the ceiling of eight."""
    codes = np.array([[1, 1, 1], [0, 0, 0], [1, -1, -1], [1, 0, 1]], dtype=np.int8)
    patterns = Patterns(codes, np.ones(4), np.arange(4))
    made = make_crowd(patterns, np.array([1.0, -1.0, 0.2, 0.5]), "")
    assert made.number_correct == (1.0, 0.0, 1.0, 1.0)
    assert made.at_ceiling == made.at_floor == pytest.approx(1 / 3)
    assert made.mean_accuracy == pytest.approx(6 / 10)


def test_incomplete_crowd_is_said_in_the_quality_block() -> None:
    """With rotated forms few may have answered everything: what rests on these alone says so."""
    made = Scale.from_calibration(calibration(missing=True), name="x")
    assert made.crowd is not None
    assert made.crowd.n_complete < made.crowd.n
    assert any("left items unanswered" in line for line in made.quality.lines())
    assert made.normality is not None
    assert "complete rows only: 161 of 300 subjects have missing" in made.summary()


def test_ties_differ_only_in_their_last_digits() -> None:
    """Under Rasch all patterns of a score share one ability: rounding noise must not split them."""
    patterns = collapse(crowd())
    noisy = patterns.codes.sum(1) + np.random.default_rng(0).normal(scale=1e-14, size=len(patterns.codes))
    assert len(make_crowd(patterns, noisy, "").thetas) == len(np.unique(patterns.codes.sum(1)))


def test_empirical_reliability_counts_every_subject() -> None:
    """Collapsed patterns counted once each would weigh rare patterns like common ones."""
    fit = calibration()
    assert fit.patterns is not None
    abilities = pattern_abilities(fit.patterns, fit.item_parameters, fit.population, fit.grid)
    made = make_crowd(fit.patterns, abilities.theta, "")
    block = make_quality(fit.item_parameters, fit.population, fit.grid, made, fit.patterns, abilities)
    people = fit.abilities()
    spread = people["theta"].var(ddof=1)
    assert block.empirical_reliability == pytest.approx(spread / (spread + (people["se"] ** 2).mean()), rel=1e-10)
    assert block.median_se == pytest.approx(float(np.quantile(people["se"], 0.5, method="inverted_cdf")), rel=1e-10)


def test_items_with_negative_slopes_are_said() -> None:
    """If right answers count against a subject, "all right" is not the top of the scale."""
    fit = calibration()
    parameters = fit.item_parameters
    turned = type(parameters)(parameters.item_names, -parameters.slopes, parameters.intercepts)
    block = make_quality(turned, fit.population, fit.grid)
    assert any("8 items have a negative slope" in note for note in block.notes)
