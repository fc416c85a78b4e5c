"""Fits within a stated memory: the same bits, however little it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import psyirt
from psyirt import grouped_likelihood, score_likelihood
from psyirt.data import keeping, stored_patterns
from psyirt.data.patterns import Patterns
from psyirt.data.responses import Responses
from psyirt.data.stored_patterns import StoredPatterns
from psyirt.errors import EstimationError, InputError
from psyirt.estimation import memory_plan
from psyirt.foundation import memory
from psyirt.likelihood import expectation
from psyirt.score_likelihood import pack_scores, score_expectation
from tests.data.test_stored import Opened
from tests.small_data import simulated

ROWS = 256


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that small data are many blocks."""
    monkeypatch.setattr(keeping, "_FEW_CELLS", 100)
    for module in (stored_patterns, grouped_likelihood, memory_plan):
        monkeypatch.setattr(module, "BLOCK_ROWS", ROWS)
    monkeypatch.setattr(score_likelihood, "_CHUNK", ROWS)


def responses(missing: float) -> Responses:
    return Responses.from_array(simulated(1500, 24, seed=5, missing=missing))


def smallest(data: Responses, model: str) -> str:
    """The limit that a refusal names."""
    with pytest.raises(InputError, match="this fit takes") as refused:
        psyirt.fit_mml(data, model, memory=1000)
    return refused.value.remedy.split("'")[1]


@pytest.mark.parametrize(("model", "missing"), [("2PL", 0.0), ("2PL", 0.2), ("3PL", 0.0), ("1PL", 0.1), ("Rasch", 0.0)])
def test_the_limit_changes_no_bit(model: str, missing: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates that depend on the machine's memory are estimates of the machine."""
    data = responses(missing)
    expected = psyirt.fit_mml(data, model)
    assert isinstance(expected.patterns, Patterns)
    np.save(tmp_path / "x.npy", data.codes)
    stored = psyirt.read_responses(tmp_path / "x.npy", memory=1)
    for given in (data, stored):
        fit = psyirt.fit_mml(given, model, memory="100MB", threads=2)
        assert isinstance(fit.patterns, StoredPatterns)
        np.testing.assert_array_equal(fit.x, expected.x)
    monkeypatch.setattr(keeping, "SIZE", {True: 0.001, False: 0.001})  # packed answers seem large
    in_file = psyirt.fit_mml(stored, model, memory="20MB")
    assert isinstance(in_file.patterns, StoredPatterns)
    assert in_file.patterns.in_file
    np.testing.assert_array_equal(in_file.x, expected.x)
    assert in_file.loglik == expected.loglik
    pd.testing.assert_frame_equal(in_file.items, expected.items)
    np.testing.assert_array_equal(in_file.abilities(), expected.abilities())


def test_too_small_a_limit_is_refused_with_what_is_needed() -> None:
    """A number to type in, and not a search for it."""
    data = responses(0.2)
    enough = smallest(data, "2PL")
    assert psyirt.fit_mml(data, "2PL", memory=enough).converged


def test_too_much_for_the_machine_is_refused_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a limit the machine's is one."""
    monkeypatch.setattr(memory, "available_memory", lambda: 10**5)
    with pytest.raises(EstimationError, match="of memory, and 100 kB are left"):
        psyirt.fit_mml(responses(0.0), "2PL")


@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_what_was_put_aside_goes_when_the_fit_ends(
    error: type[BaseException] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it ends."""
    opened, data = Opened(monkeypatch), responses(0.0)
    monkeypatch.setattr(keeping, "SIZE", {True: 0.001, False: 0.001})  # packed answers seem large

    def stop(_: object) -> None:
        assert opened.closed == [False]
        if error is not None:
            raise error

    if error is None:
        psyirt.fit_mml(data, "2PL", memory="20MB", progress=stop)
    else:
        with pytest.raises(error):
            psyirt.fit_mml(data, "2PL", memory="20MB", progress=stop)
    assert opened.closed == [True]


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_parts_of_the_subjects_add_up(missing: float) -> None:
    """What an engine that spreads subjects over machines relies on: an E-step is a sum over them."""
    codes = simulated(900, 12, seed=3, missing=missing)
    table = np.random.default_rng(1).uniform(-2.0, -0.1, (12, 2, 21))
    log_weights = np.full(21, -np.log(21.0))
    whole = expectation(Patterns.of(codes), table, log_weights)
    first, second, third = (
        expectation(Patterns.of(np.ascontiguousarray(part)), table, log_weights) for part in np.split(codes, [300, 450])
    )
    found = first + second + third
    assert found.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-13)
    np.testing.assert_allclose(found.counts, whole.counts, rtol=1e-10)
    np.testing.assert_allclose(found.node_counts, whole.node_counts, rtol=1e-10)
    with pytest.raises(TypeError):
        first + 1.0  # type: ignore[operator]


def test_parts_on_sum_scores_add_up() -> None:
    """The same where a sum score suffices."""
    codes, slopes, intercepts = simulated(3000, 12, seed=3), np.linspace(0.5, 2, 12), np.linspace(-1, 1, 12)
    nodes = np.linspace(-4, 4, 21)
    given = (slopes, intercepts, nodes, np.full(21, -np.log(21.0)))
    whole, *parts = (
        score_expectation(pack_scores(Patterns.of(np.ascontiguousarray(some))), *given)
        for some in (codes, codes[:1300], codes[1300:])
    )
    found = parts[0] + parts[1]
    assert found.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-12)
    np.testing.assert_array_equal(found.right, whole.right)
    np.testing.assert_allclose(found.moments, whole.moments, atol=1e-7)
    np.testing.assert_allclose(found.node_counts, whole.node_counts, atol=1e-7)
    with pytest.raises(TypeError):
        parts[0] + 1.0  # type: ignore[operator]


def test_items_and_subjects_that_tell_nothing_leave_a_file_too(tmp_path: Path) -> None:
    """A constant item and a subject without answers leave, and the file is read without them."""
    codes = simulated(400, 24, seed=5, missing=0.2)
    codes[:, 3], codes[7] = 1, -1
    np.save(tmp_path / "x.npy", codes)
    with pytest.warns(psyirt.errors.DataWarning) as said:
        fit = psyirt.fit_mml(psyirt.read_responses(tmp_path / "x.npy", memory=1), "Rasch")
    with pytest.warns(psyirt.errors.DataWarning):
        expected = psyirt.fit_mml(Responses.from_array(codes), "Rasch")
    assert len(said) == 2
    np.testing.assert_array_equal(fit.x, expected.x)
    np.testing.assert_array_equal(fit.abilities().index, expected.abilities().index)
