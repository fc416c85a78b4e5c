"""Thresholds given as texts reach their rule, and slips are refused."""

from __future__ import annotations

import pytest

from psyirt.cli.thresholds import short_name, with_thresholds
from psyirt.errors import InputError
from psyirt.scale.options import BuildOptions
from psyirt.scale.rules import PRESETS


def test_each_threshold_reaches_its_rule_and_no_other() -> None:
    """A threshold set on the wrong rule, or on a copy that is thrown away, prunes by the default unnoticed."""
    given = {"too-flat.min_communality": "0.2", "local-dependence.both_signs": "TRUE", "scale.min_items": "8"}
    before = {short_name(rule): rule for rule in PRESETS["default"]}
    rules, options = with_thresholds(PRESETS["default"], BuildOptions(), given)
    after = {short_name(rule): rule for rule in rules}
    assert list(after) == list(before)
    assert after["too-flat"].min_communality == 0.2
    assert after["local-dependence"].both_signs is True
    assert after["poor-fit"] == before["poor-fit"]
    assert options == BuildOptions(min_items=8)


def test_every_rule_has_its_own_short_name() -> None:
    """Two rules under one name: the first one's threshold would be set on both."""
    for rules in PRESETS.values():
        assert len({short_name(rule) for rule in rules}) == len(rules)


@pytest.mark.parametrize(
    ("place", "text", "said"),
    [
        ("too-steep.min_communality", "0.2", "too-steep"),
        ("too-flat.alpha", "0.2", "alpha"),
        ("too-flat", "0.2", "no threshold"),
        ("too-flat.min_communality", "high", "no number"),
        ("scale.min_items", "8.5", "no whole number"),
        ("scale.min_items", "1", "min_items"),
        ("scale.test_guessing", "0", "neither true nor false"),
        ("too-flat.name", "x", "no threshold"),
    ],
)
def test_slips_are_refused(place: str, text: str, said: str) -> None:
    """A misspelt threshold that is ignored changes which items a scale has."""
    with pytest.raises(InputError, match=said):
        with_thresholds(PRESETS["default"], BuildOptions(), {place: text})
