"""Placing the free vector into the table of slots, and folding derivatives back."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.errors import InputError
from psyirt.models.item_types import FREE, SHARED, ItemType, Slot, fixed
from psyirt.models.layout import make_layout
from psyirt.models.registry import ITEM_TYPES

SLOTS = ("a", "intercept", "c", "d")
ITEMS = ("i1", "i2", "i3")


@pytest.mark.parametrize(
    ("model", "size"), [("Rasch", 4), ("1PL", 4), ("2PL", 6), ("3PL", 9), ("feasibility", 9), ("4PL", 12)]
)
def test_each_model_has_the_fields_number_of_parameters(model: str, size: int) -> None:
    """A parameter too many or too few shifts AIC, BIC and every degree of freedom."""
    layout = make_layout(ITEMS, [ITEM_TYPES[model]] * 3, SLOTS)
    assert layout.size == size
    assert layout.frees_variance == (model == "Rasch")
    assert len(set(layout.names)) == size


def test_names_say_which_number_is_which() -> None:
    """Standard errors under the wrong name are standard errors of another item."""
    layout = make_layout(ITEMS, [ITEM_TYPES["1PL"], ITEM_TYPES["2PL"], ITEM_TYPES["1PL"]], SLOTS)
    assert layout.names == (("a", "1PL"), ("intercept", "i1"), ("a", "i2"), ("intercept", "i2"), ("intercept", "i3"))
    np.testing.assert_array_equal(layout.index[:, 0], [0, 2, 0])
    np.testing.assert_array_equal(layout.shared, [True, False, False, False, False])
    assert layout.has_shared


def test_a_shared_slope_of_one_item_is_not_shared() -> None:
    """A single 1PL item among 2PL items needs no shared solve, and gets its own standard error."""
    layout = make_layout(ITEMS, [ITEM_TYPES["1PL"], ITEM_TYPES["2PL"], ITEM_TYPES["2PL"]], SLOTS)
    assert not layout.has_shared


def test_folding_is_the_transpose_of_placing(rng: np.random.Generator) -> None:
    """The chain rule: a shared parameter's derivative is the sum over its items."""
    layout = make_layout(ITEMS, [ITEM_TYPES["1PL"], ITEM_TYPES["3PL"], ITEM_TYPES["1PL"]], SLOTS)
    x, table = rng.normal(size=layout.size), rng.normal(size=(3, 4))
    placed = np.where(layout.is_free, layout.values(x), 0.0)
    assert (placed * table).sum() == pytest.approx(x @ layout.fold(table))
    blocks = rng.normal(size=(3, 4, 4))
    quadratic = np.einsum("js,jst,jt->", placed, blocks, placed)
    assert quadratic == pytest.approx(x @ layout.fold_matrix(blocks) @ x)


def test_a_fixed_slot_takes_its_value_on_the_estimation_scale() -> None:
    """A guessing parameter fixed at 1/4 that is read as a logit would be .56."""
    kind = ItemType("quarter", c=fixed(0.25))
    layout = make_layout(("i1",), [kind], SLOTS)
    assert layout.fixed[0, 2] == pytest.approx(np.log(0.25 / 0.75))
    assert np.isposinf(layout.fixed[0, 3])


@pytest.mark.parametrize("slot", [("Free",), ("fixed",), ("free", 1.0)])
def test_a_misspelt_or_half_given_slot_is_refused(slot: tuple[object, ...]) -> None:
    """A slot called "Fixed" would silently be estimated."""
    with pytest.raises(ValueError, match="slot"):
        Slot(*slot)  # type: ignore[arg-type]
    assert FREE.state == "free"
    assert SHARED.state == "shared"


def test_free_moments_end_the_free_vector_in_one_order() -> None:
    """Mean and variance exchanged would start, step and be reported as each other."""
    layout = make_layout(ITEMS, [ITEM_TYPES["2PL"]] * 3, SLOTS, free_moments=("variance", "mean"))
    assert layout.names[-2:] == (("mean", ""), ("variance", ""))
    assert (layout.size, layout.item_size) == (8, 6)
    assert make_layout(ITEMS, [ITEM_TYPES["Rasch"]] * 3, SLOTS).free_moments == ("variance",)
    assert make_layout(ITEMS, [ITEM_TYPES["Rasch"]] * 3, SLOTS, free_moments=()).size == 3
    with pytest.raises(InputError, match="no latent moment is called 'sd'"):
        make_layout(ITEMS, [ITEM_TYPES["2PL"]] * 3, SLOTS, free_moments=("sd",))


def test_a_layout_without_free_items_places_nothing() -> None:
    """Where every item is known, only the moments are free, and no index may point into an empty vector."""
    known = ItemType("known", fixed(1.2), fixed(0.3), fixed(0.1), fixed(1.0))
    layout = make_layout(ITEMS, [known] * 3, SLOTS, free_moments=("mean",))
    assert (layout.size, layout.item_size) == (1, 0)
    assert not layout.is_shared.any()
    np.testing.assert_array_equal(layout.values(np.array([0.7]))[:, :2], [[1.2, 0.3]] * 3)
    assert layout.fold(np.ones((3, 4))).shape == layout.free(layout.fixed).shape == (0,)


def test_numbered_slopes_are_treated_as_slopes() -> None:
    """In two dimensions a 1PL item would otherwise look for a slot it does not have."""
    layout = make_layout(("i1", "i2"), [ITEM_TYPES["1PL"]] * 2, ("a1", "a2", "intercept", "c", "d"))
    assert layout.names[:2] == (("a1", "1PL"), ("a2", "1PL"))
