"""What all tests share: a seeded generator, and property tests that draw the same examples every time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)  # a first call may compile
settings.load_profile("repeatable")


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator that starts at the same place in every test."""
    return np.random.default_rng(20161101)
