"""Simulated crowd studies, built into scales: what left, against what should have left."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from psyirt.scale.build import ScaleBuild, build_scale
from psyirt.scale.options import BuildOptions
from psyirt.simulation import CrowdStudy, simulate_crowd_study


@dataclass(frozen=True)
class Design:
    """One condition of the study.

    Attributes
    ----------
    workers : int
        Workers of each simulated study.
    replications : int
        How many studies.
    seed : int
        Seed of the first; each further one adds 1.
    faulty : bool
        Whether faults are planted (one dependent pair, one non-monotone and one flat item per class) or none.
    """

    workers: int
    replications: int
    seed: int
    faulty: bool


def run(design: Design, processes: int, report: Callable[[int], None]) -> pd.DataFrame:
    """One row per item and replication: seed, group, fault, partner, rule ("" where it stayed), no_scale.

    Careless workers are left out of the simulation, so that what is measured is the rules and not the screening.
    """
    seeds = [design.seed + k for k in range(design.replications)]
    tasks = [(design, seed) for seed in seeds]
    rows = []
    # numba and fork do not mix
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for done, frame in enumerate(pool.imap(_one, tasks), start=1):
            rows.append(frame)
            report(done)
    return pd.concat(rows, ignore_index=True)


def _one(task: tuple[Design, int]) -> pd.DataFrame:
    design, seed = task
    study = simulate_crowd_study(
        design.workers, seed=seed, careless=0.0, unanswered=0, faults=None if design.faulty else {}
    )
    groups = study.truth["group"].to_dict()
    build = build_scale(study.responses, groups, options=BuildOptions(test_guessing=False))
    return _outcome(study, build, seed)


def _outcome(study: CrowdStudy, build: ScaleBuild, seed: int) -> pd.DataFrame:
    frame = study.truth[["group", "fault", "partner"]].copy()
    rules = build.history.drop_duplicates("item").set_index("item")["rule"]
    frame["rule"] = rules.reindex(frame.index).fillna("")
    frame["no_scale"] = [build.groups[group].scale is None for group in frame["group"]]
    frame["seed"] = seed
    return frame.rename_axis("item").reset_index()


def null_share(frame: pd.DataFrame) -> dict[str, float]:
    """Among good items: the share removed in all and under each rule."""
    good = frame[frame["fault"] == ""]
    shares = {"any rule": float((good["rule"] != "").mean())}
    return shares | {str(rule): float((good["rule"] == rule).mean()) for rule in sorted(set(good["rule"]) - {""})}


def found_share(frame: pd.DataFrame) -> dict[str, float]:
    """Share of planted faults found: a pair counts as found when at least one of its items left."""
    shares = {}
    for fault, rows in frame[frame["fault"] != ""].groupby("fault"):
        left = rows["rule"] != ""
        if (rows["partner"] != "").any():
            first = rows[["item", "partner"]].min(axis=1)
            left = left.groupby([rows["seed"], first]).any()
        shares[str(fault)] = float(left.mean())
    return shares


__all__ = ["Design", "found_share", "null_share", "run"]
