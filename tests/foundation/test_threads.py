"""Results must not depend on how many threads a BLAS library would like to use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from psyirt import grouped_likelihood, likelihood, score_likelihood
from psyirt.errors import InputError
from psyirt.estimation import item_functions
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.foundation.threads import available_threads, in_order, slices, worker_threads
from psyirt.latent.population import Grid
from psyirt.simulation import simulate_responses

# The main job at a size at which BLAS divides even a dot product among threads (10,000 numbers), fractional weights,
# which make every count a sum that can be rounded in several ways, and a fit that L-BFGS finishes.
_SCRIPT = """
import hashlib, json, sys, warnings
import numpy as np
import psyirt
from psyirt.diagnostics.items.guessing import guessing_test
from psyirt.estimation.latent_histogram import empirical_histogram

found = {}

def keep(name, *parts):
    found[name] = hashlib.sha256(b"".join(parts)).hexdigest()

def numbers(frame):
    return frame.select_dtypes("number").to_numpy().tobytes()

fit = psyirt.fit_mml(psyirt.simulate_responses(600, 40, seed=1).responses)
keep("estimates", fit.x.tobytes(), fit.cov().matrix.tobytes())

bank = psyirt.simulate_responses(1, 25, seed=3).items
crowd = psyirt.simulate_responses(15_000, bank, seed=1).responses
build = psyirt.build_scale(crowd, options=psyirt.BuildOptions(test_guessing=False))
assert len(build.groups["all"].calibration.patterns.codes) > 10_000
scale = build.scales["all"]
scale.save(sys.argv[1])
keep("scale file", open(sys.argv[1], "rb").read())
shape = empirical_histogram(build.groups["all"].calibration)
keep("histogram", shape.weights.tobytes(), np.float64(shape.log_likelihood_gain).tobytes())
systems = psyirt.simulate_responses(20, bank, seed=2).responses
keep("scores", *(numbers(scale.score(systems, method, unknown="ignore")) for method in ("EAP", "MAP", "ML", "WLE")))

few = psyirt.simulate_responses(1500, 24, seed=1).responses
weights = np.random.default_rng(0).uniform(0.5, 2.0, 1500)
weighted = psyirt.fit_mml(few, weights=weights)
keep("items", numbers(weighted.items))
sampled = psyirt.fit_mml(few, weights=weights, weights_kind="sampling")
keep("sandwich", numbers(sampled.items))
counts = np.random.default_rng(0).integers(1, 4, 1500)
counted = psyirt.fit_mml(few, weights=counts)
keep("S-X2", numbers(psyirt.item_fit(counted).frame))
keep("LD-X2", numbers(psyirt.local_dependence(counted).frame))
keep("classical", numbers(psyirt.classical(few, weights=weights).items))
keep("tetrachoric", numbers(psyirt.tetrachoric(few, weights=weights).correlations))
three = psyirt.fit_mml(few.select(items=list(few.item_names[:3])), weights=counts)
keep("guessing", numbers(guessing_test(three).frame))
warnings.simplefilter("ignore")
steep = psyirt.simulate_responses(1, 25, seed=3).items[["b"]].assign(a=2.5)
hard = psyirt.fit_mml(psyirt.simulate_responses(60, steep, seed=0, missing=0.5).responses)
assert any(step.kind == "L-BFGS" for step in hard.trace)
keep("hard", hard.x.tobytes())
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Hashes of results, with one thread and with two."""
    place = tmp_path_factory.mktemp("threads") / "scale.json"
    return [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", _SCRIPT, str(place)],
                env=os.environ | {"OPENBLAS_NUM_THREADS": threads, "NUMBA_NUM_THREADS": threads},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        for threads in ("1", "2")
    ]


def test_results_are_bit_equal_for_any_number_of_threads(found):
    """Threads split sums differently; a last bit that changes with the machine cannot be reproduced.

    The digest of a scale file says whether anybody edited it: two machines must not make two files of the same data.
    """
    one, two = found
    assert [name for name in one if one[name] != two[name]] == []


def test_parts_come_back_in_their_order_on_any_number_of_threads() -> None:
    """Sums in the order of arrival differ in their last bits from run to run."""

    def slow_first(part: int) -> int:
        time.sleep(0.02 if part == 0 else 0.0)
        return part

    for threads in (1, 2, 4):
        with worker_threads(threads):
            assert in_order(slow_first, list(range(6))) == list(range(6))
    assert slices(10, 4) == [slice(0, 4), slice(4, 8), slice(8, 10)]
    assert available_threads() >= 1


def test_an_error_on_a_thread_is_not_lost() -> None:
    def fail(part: int) -> None:
        raise ValueError(part)

    with worker_threads(2), pytest.raises(ValueError, match="0"):
        in_order(fail, [0, 1])


@pytest.mark.parametrize("model", ["2PL", "Rasch"])
def test_fits_are_bit_equal_for_any_number_of_threads(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several parts, so that several threads have something to do."""
    monkeypatch.setattr(score_likelihood, "_CHUNK", 500)
    monkeypatch.setattr(score_likelihood, "ITEMS_AT_ONCE", 4)
    monkeypatch.setattr(item_functions, "ITEMS_AT_ONCE", 4)
    responses = simulate_responses(3000, 15, seed=1).responses
    one, two, three = (fit_mml(responses, model, threads=threads) for threads in (1, 2, 3))
    assert one.x.tobytes() == two.x.tobytes() == three.x.tobytes()
    assert one.loglik == two.loglik == three.loglik


@pytest.mark.parametrize("nodes", [61, 241], ids=["all nodes", "subjects' own nodes"])
def test_fits_by_groups_are_bit_equal_for_any_number_of_threads(nodes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The 3PL and incomplete answers take their expectation by groups of items, in parts of subjects and of groups."""
    monkeypatch.setattr(grouped_likelihood, "_PART", 20_000)
    monkeypatch.setattr(grouped_likelihood, "_FEWEST_SUBJECTS", 100)
    monkeypatch.setattr(grouped_likelihood, "_SLAB", 40_000)
    monkeypatch.setattr(item_functions, "_FEW_ITEMS", 4)
    responses = simulate_responses(900, 15, model="3PL", seed=1).responses
    options = MMLOptions(grid=Grid(nodes), max_iterations=40, tolerance=1e-3)
    one, two, three = (fit_mml(responses, "3PL", threads=threads, options=options) for threads in (1, 2, 3))
    assert one.x.tobytes() == two.x.tobytes() == three.x.tobytes()
    assert one.loglik == two.loglik == three.loglik


def test_expectations_are_bit_equal_however_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that writes into another's sums would show on a busy machine alone."""
    made = simulate_responses(700, 20, model="3PL", seed=2)
    fit = fit_mml(made.responses, "3PL", tolerance=1e-2)
    found = []
    for part, subjects, slab in ((10**9, 256, 10**9), (5_000, 64, 20_000), (1, 1, 10_000)):
        monkeypatch.setattr(grouped_likelihood, "_PART", part)
        monkeypatch.setattr(grouped_likelihood, "_FEWEST_SUBJECTS", subjects)
        monkeypatch.setattr(grouped_likelihood, "_SLAB", slab)
        with worker_threads(3):
            found.append(likelihood.expectation(fit.patterns, fit.table, fit.log_weights))
    for other in found[1:]:
        assert found[0].counts.tobytes() == other.counts.tobytes()
        assert found[0].node_counts.tobytes() == other.node_counts.tobytes()
        assert found[0].log_likelihood == other.log_likelihood


@pytest.mark.parametrize("threads", [0, -1, 1.5, "two"])
def test_impossible_numbers_of_threads_are_refused(threads: object) -> None:
    with pytest.raises(InputError, match="threads"):
        fit_mml(simulate_responses(50, 5, seed=1).responses, threads=threads)  # type: ignore[arg-type]
