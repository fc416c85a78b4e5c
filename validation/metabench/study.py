"""One test of the leaderboard: both fits on two common rules, and abilities at the stored parameters."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import psyirt
from psyirt.errors import InputError, QuadratureWarning
from psyirt.kernels.score_distributions import score_distribution
from validation.speed.evaluate import log_likelihood
from validation.speed.workloads import Array, Truth

# test -> how its stored abilities were estimated
TESTS = {"arc": "MAP", "truthfulqa": "EAPsum"}
COMMON_RULES = (61, 2_001)
THETA_BOUND = 1e-3


@dataclass(frozen=True, eq=False)
class Stored:
    """What is known of one test.

    Attributes
    ----------
    name : str
        Its name.
    responses : Responses
        Models x questions.
    a, intercept : ndarray, shape (J,)
        mirt's estimates.
    theta : ndarray, shape (N,)
        mirt's abilities.
    """

    name: str
    responses: psyirt.Responses
    a: Array
    intercept: Array
    theta: Array


@dataclass(frozen=True)
class Line:
    """One comparison: what, ours, theirs, and whether ours is good enough."""

    test: str
    what: str
    ours: float
    theirs: float
    good: bool


def read_stored(folder: Path, name: str) -> Stored:
    """Read one test's three files.

    Raises
    ------
    InputError
        If a file is absent, or the items are not those of the responses.
    """
    files = [folder / f"metabench_{name}{part}.csv.gz" for part in ("", "_mirt_items", "_mirt_theta")]
    for path in files:
        if not path.exists():
            raise InputError("no such file", str(path), "Give the folder with metabench's responses and mirt's results")
    responses = psyirt.read_responses(files[0])
    items = pd.read_csv(files[1], dtype={"item": str}).set_index("item").reindex(list(responses.item_names))
    theta = pd.read_csv(files[2], dtype={"subject": str}).set_index("subject").reindex(list(responses.subject_names))
    if items["a1"].isna().any() or theta["theta_stored"].isna().any():
        raise InputError("items or subjects have no stored estimate", str(files[1]), "Give files of the same fit")
    return Stored(
        name, responses, *(values.to_numpy(float) for values in (items["a1"], items["d"], theta.theta_stored))
    )


def compare(stored: Stored) -> Iterator[Line]:
    """Log-likelihoods of both fits on the common rules, then abilities.

    A fit maximises what its own nodes integrate: on 61 nodes, which are further apart than these posteriors are wide,
    the fit to beat is one on the same 61 nodes; on 2,001 it is the fit that chose its nodes itself.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", QuadratureWarning)
        coarse = psyirt.fit_mml(stored.responses, "2PL", nodes=61, adaptive=False)
    fine = psyirt.fit_mml(stored.responses, "2PL")
    theirs = Truth(stored.a, stored.intercept, np.zeros_like(stored.a))
    for nodes, fit, words in zip(
        COMMON_RULES, (coarse, fine), ("on the same nodes", "on nodes of its own"), strict=True
    ):
        mine = Truth(*(fit.items[slot].to_numpy(float) for slot in ("a", "intercept", "c")))
        pair = [log_likelihood(stored.responses.codes, items, nodes) for items in (mine, theirs)]
        yield Line(stored.name, f"log-likelihood on {nodes:,} nodes, psyirt fitted {words}", *pair, pair[0] >= pair[1])
    gap = float(np.abs(_abilities(stored) - stored.theta).max())
    what = f"{TESTS[stored.name]} at mirt's item parameters and nodes, largest difference"
    yield Line(stored.name, what, gap, 0.0, gap <= THETA_BOUND)


def _abilities(stored: Stored) -> Array:
    """psyirt's abilities at the stored parameters; on mirt's 61 nodes where nodes matter.

    ``psyirt.sum_score_table`` would take closer nodes, since these posteriors are narrower than mirt's nodes are apart:
    its abilities differ from the stored ones by up to .03.
    """
    bank = pd.DataFrame({"a": stored.a, "intercept": stored.intercept}, index=list(stored.responses.item_names))
    known = psyirt.fix(bank, "2PL", stored.responses)
    if TESTS[stored.name] == "MAP":
        return known.abilities("MAP")["theta"].to_numpy(float)
    right = np.exp(known.table[:, 1])
    mass = score_distribution(np.ascontiguousarray(right), np.ascontiguousarray(1.0 - right)) * np.exp(
        known.log_weights
    )
    by_score = mass @ known.grid.nodes[:, 0] / mass.sum(axis=1)
    return np.asarray(by_score[stored.responses.codes.sum(axis=1, dtype=np.intp)])
