"""The short way to Louis's information against the twin and against the general way."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.latent.population import Grid
from psyirt.models.layout import make_layout
from psyirt.models.registry import ITEM_TYPES
from psyirt.observed_information import linear_items as module
from psyirt.observed_information.linear_items import has_linear_items, linear_information
from psyirt.observed_information.louis import general_information
from psyirt.observed_information.point import FitPoint
from tests.observed_information.made import point, twin_information

TYPES = ["Rasch", "1PL", "2PL"]


@pytest.mark.parametrize("kind", TYPES)
def test_it_is_the_hessian_of_the_marginal_log_likelihood(kind: str) -> None:
    """From the responses to the second derivatives without any of the package's other ways."""
    at = point((kind,) * 3, missing=0.0)
    assert has_linear_items(at)
    np.testing.assert_allclose(linear_information(at), twin_information(at), rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize("types", [(kind,) * 12 for kind in TYPES] + [("Rasch", "1PL", "2PL") * 4], ids="+".join)
@pytest.mark.parametrize("subjects", [60, 1500], ids=["own scores", "spread scores"])
def test_it_is_the_general_information(types: tuple[str, ...], subjects: int) -> None:
    """Many subjects stand on a few scores between their own: what that loses must not be seen in a standard error."""
    at = point(types, subjects=subjects, missing=0.0, grid=Grid())
    whole = general_information(at)
    root = np.sqrt(np.diag(whole))
    difference = (linear_information(at) - whole) / np.outer(root, root)
    assert np.abs(difference).max() < 1e-10


def test_steep_items_on_wide_nodes_are_no_exception() -> None:
    """Posterior weights change faster with the score where the nodes reach far."""
    at = point(("2PL",) * 10, subjects=1500, missing=0.0, grid=Grid(161, -12.0, 12.0))
    at.x[::2] *= 3.0
    whole = general_information(at)
    root = np.sqrt(np.abs(np.diag(whole)))
    assert np.abs((linear_information(at) - whole) / np.outer(root, root)).max() < 1e-9


def test_a_free_mean_and_variance_are_in_it() -> None:
    """The latent columns stand behind those of the items, whose numbers differ from the parameters'."""
    at = point(("1PL",) * 4, subjects=30, missing=0.0, moments=("mean", "variance"))
    np.testing.assert_allclose(linear_information(at), general_information(at), atol=1e-9)


def test_blocks_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows and scores are walked through in blocks; a border that drops one changes every standard error."""
    whole = linear_information(point(("2PL",) * 12, subjects=1500, missing=0.0))
    monkeypatch.setattr(module, "_BLOCK_NUMBERS", 1000)
    np.testing.assert_allclose(
        linear_information(point(("2PL",) * 12, subjects=1500, missing=0.0)), whole, rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize(("kind", "missing"), [("2PL", 0.15), ("3PL", 0.0), ("feasibility", 0.0)])
def test_what_it_cannot_do_goes_the_general_way(kind: str, missing: float) -> None:
    """With a missing answer or an asymptote the sum score is not sufficient."""
    assert not has_linear_items(point((kind,) * 3, missing=missing))


def test_a_free_asymptote_that_stands_at_its_end_goes_the_general_way() -> None:
    """There the logit is linear, and the asymptote still needs its row."""
    at = point(("2PL",) * 3, missing=0.0)
    layout = make_layout(at.layout.item_names, [ITEM_TYPES["3PL"]] * 3, at.layout.slots)
    x = np.where([slot == "c" for slot, _ in layout.names], -np.inf, 1.0)
    assert not has_linear_items(FitPoint(at.patterns, at.model, layout, at.priors, at.population, at.grid, x))
