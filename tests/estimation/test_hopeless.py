"""Data from which not everything can be estimated: every fit ends with a warning that names it and says what to do."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from psyirt.data.responses import Responses
from psyirt.errors import InputError, PsyirtWarning
from psyirt.estimation.mml import fit_mml
from tests.small_data import simulated

RNG = np.random.default_rng(0)
GUTTMAN = (RNG.standard_normal((200, 1)) > np.linspace(-1, 1, 6)).astype(np.int8)
COINS = RNG.integers(0, 2, (60, 6))
WHOLE = simulated(300, 8, seed=1)


def copied() -> np.ndarray:
    codes = WHOLE.copy()
    codes[:, 7] = codes[:, 6]
    return codes


def once() -> np.ndarray:
    codes = np.full((60, 6), -1)
    codes[np.arange(60), np.arange(60) % 6] = RNG.integers(0, 2, 60)
    return codes


def blocks() -> np.ndarray:
    codes = np.full((200, 8), -1)
    codes[:100, :4], codes[100:, 4:] = simulated(100, 4, seed=5), simulated(100, 4, seed=7)
    return codes


def answered_twice() -> np.ndarray:
    codes = simulated(200, 6, seed=2)
    codes[:, 5] = -1
    codes[:2, 5] = [0, 1]
    return codes


CASES = {
    "perfect order, 2PL": (GUTTMAN, "2PL", {}, "slope of .* runs away.*Give a prior"),
    "perfect order, 1PL": (GUTTMAN, "1PL", {}, "slope of .* runs away.*Give a prior"),
    "perfect order, 3PL": (GUTTMAN, "3PL", {}, "slope of .* runs away.*Give a prior"),
    "perfect order, Rasch": (GUTTMAN, "Rasch", {}, "latent variance runs away.*Widen the nodes"),
    "copies": (copied(), "2PL", {}, "slope of 'i[78]', 'i[78]' runs away"),
    "an item with two answers": (answered_twice(), "2PL", {}, "slope of 'i6'.* runs away"),
    "five subjects": (simulated(5, 6, seed=3), "2PL", {}, "runs away"),
    "3PL without priors": (simulated(60, 5, seed=1), "3PL", {"c": None}, "c of 'i.* ends at its boundary 0.*prior"),
    "4PL without priors": (simulated(150, 6, seed=1), "4PL", {"c": None, "d": None}, "boundary|runs away"),
    "two blocks": (blocks(), "2PL", {}, "2 blocks that share nothing.*collect common items"),
    "one answer each": (once(), "2PL", {}, "nobody answered two items.*collect two answers"),
    "one answer each, Rasch": (once(), "Rasch", {}, "nobody answered two items"),
    "coins, 1PL": (COINS, "1PL", {}, "shared slope .* is next to 0"),
}


@pytest.mark.parametrize("case", CASES)
def test_no_fit_ends_silently(case: str) -> None:
    """An estimate that the data do not give, printed like any other, is published."""
    codes, model, priors, wanted = CASES[case]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = fit_mml(Responses.from_array(codes), model, priors=priors)  # type: ignore[arg-type]
    assert all(issubclass(warning.category, PsyirtWarning) for warning in caught)
    said = " | ".join(str(warning.message) for warning in caught)
    assert re.search(wanted, said), said
    assert all(str(warning.message) in fit.notes for warning in caught)
    assert fit.iterations < 150
    assert not fit.converged or "runs away" not in said


@pytest.mark.parametrize("progress", [3, "bar", None])
def test_progress_that_is_no_function_is_refused(progress: object) -> None:
    """Python's own message speaks of an int that is not callable, somewhere inside."""
    with pytest.raises(InputError, match="progress is a"):
        fit_mml(Responses.from_array(WHOLE), progress=progress)  # type: ignore[arg-type]
