"""The demonstration's computation: a simulated crowd study, its scales, its systems, and what became of the faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from psyirt.cli.build_tables import build_document, write_build
from psyirt.cli.crowd import Crowd, Reading, grade_crowd
from psyirt.cli.files import write_document, write_table
from psyirt.cli.outputs import SCALES_FOLDER
from psyirt.cli.predictions import Predictions
from psyirt.cli.score_report import scores_table
from psyirt.cli.scoring import ScaleScores, score_on
from psyirt.foundation.progress import Progress, silent
from psyirt.scale.build import ScaleBuild, build_scale
from psyirt.scale.options import BuildOptions
from psyirt.simulation import CrowdStudy, simulate_crowd_study

RECRUITMENT = "simulated by psyirt demo"


@dataclass(frozen=True, eq=False)
class Demonstration:
    """A simulated study worked through from labels to scores.

    Attributes
    ----------
    study : CrowdStudy
        The simulated study with its truth.
    crowd : Crowd
        Its labels, screened and graded.
    build : ScaleBuild
        The scales.
    scores : tuple of ScaleScores
        The systems on each scale.
    faults : DataFrame, index fault
        Whole numbers: ``planted``, ``found`` (one item of it has left, under whatever rule).
    lost : DataFrame, index item
        Good items that left: group, rule, reason. Of a dependent pair one item is good: where both left, the second
        to leave is here.
    good_items : int
        How many there were: the items without a fault, and one of each dependent pair.
    """

    study: CrowdStudy
    crowd: Crowd
    build: ScaleBuild
    scores: tuple[ScaleScores, ...]
    faults: pd.DataFrame
    lost: pd.DataFrame
    good_items: int


def demonstrate(
    workers: int, seed: int, progress: Progress = silent, options: BuildOptions | None = None
) -> Demonstration:
    """Simulate a study, build its scales, score its systems and compare with the truth.

    Parameters
    ----------
    workers : int
        How many people answer.
    seed : int
        The same seed gives the same study.
    progress : callable, optional
        Receives events.
    options : BuildOptions, optional
        How the scales are built.

    Returns
    -------
    Demonstration

    Raises
    ------
    InputError
        If the numbers are out of range.
    """
    study = simulate_crowd_study(workers=workers, seed=seed)
    crowd = grade_crowd(study.labels, Reading(study.label_map), study.attention_rule)
    build = build_scale(crowd.responses, groups="group", recruitment=RECRUITMENT, options=options, progress=progress)
    systems = Predictions(study.systems, None, (), "labels")
    scores = tuple(score_on(scale, systems) for scale in build.scales.values())
    return Demonstration(
        study, crowd, build, scores, fault_table(study.faults, build), lost_table(study.truth, build),
        good_items=int((study.truth["fault"] == "").sum() + (study.faults["partner"] != "").sum()),
    )  # fmt: skip


def fault_table(faults: pd.DataFrame, build: ScaleBuild) -> pd.DataFrame:
    """Planted and found faults by kind.

    Parameters
    ----------
    faults : DataFrame, index item
        One row per fault: fault, partner (``""`` where it is one item's own).
    build : ScaleBuild
        What left.

    Returns
    -------
    DataFrame, index fault
        Columns planted, found.
    """
    gone = set(build.history["item"])
    found = [item in gone or partner in gone for item, partner in faults["partner"].items()]
    counts = faults.assign(found=found).groupby("fault", sort=False)["found"].agg(["size", "sum"])
    return counts.set_axis(["planted", "found"], axis="columns").astype(int)


def lost_table(truth: pd.DataFrame, build: ScaleBuild) -> pd.DataFrame:
    """Good items that left.

    Parameters
    ----------
    truth : DataFrame, index item
        Columns fault (``""`` for a good item), partner.
    build : ScaleBuild
        What left, in order.

    Returns
    -------
    DataFrame, index item
        Columns group, rule, reason.
    """
    earlier: set[str] = set()
    rows = []
    for _, row in build.history.iterrows():
        fault, partner = truth.loc[row["item"], ["fault", "partner"]]
        if fault == "" or partner in earlier:
            rows.append(row[["item", "group", "rule", "reason"]])
        earlier.add(row["item"])
    return pd.DataFrame(rows, columns=["item", "group", "rule", "reason"]).set_index("item")


def write_demonstration(folder: Path, result: Demonstration, document: Mapping[str, Any]) -> None:
    """Write the study, its scales and its scores into an existing folder."""
    study = result.study
    write_table(study.labels.to_frame(), folder / "labels.csv")
    write_table(study.gold, folder / "gold.csv")
    write_table(study.truth, folder / "truth.csv")
    write_table(study.systems.to_frame().rename_axis("system"), folder / "predictions.csv")
    scales = folder / SCALES_FOLDER
    scales.mkdir()
    write_build(scales, result.build, result.crowd, build_document(result.build, result.crowd, {}))
    if result.scores:
        write_table(scores_table(result.scores), folder / "scores.csv")
    write_document(document, folder / "demo.json")
