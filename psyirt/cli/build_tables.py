"""What a build leaves behind for programs: its tables and its JSON document."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psyirt import __version__
from psyirt.cli.crowd import Crowd
from psyirt.cli.files import write_document, write_table
from psyirt.cli.outputs import BUILD_FILES, SCALE_FILE
from psyirt.diagnostics import classical
from psyirt.foundation.files import write_text
from psyirt.scale.build import ScaleBuild
from psyirt.scale.files import save_scales
from psyirt.scale.group_builder import GroupBuild
from psyirt.scoring.abilities import estimate_abilities

# S-X2's columns under names that say whose they are
FIT_COLUMNS = {"df": "s_x2_df", "p": "s_x2_p", "p_adjusted": "s_x2_p_adjusted", "rmsea": "s_x2_rmsea"}


def items_table(build: ScaleBuild, crowd: Crowd) -> pd.DataFrame:
    """Every item with its fate.

    Parameters
    ----------
    build : ScaleBuild
        The outcome.
    crowd : Crowd
        What it was built from.

    Returns
    -------
    DataFrame, index item
        Columns group, retained, left_at (iteration), rule, reason; n, proportion_correct, item_rest (over all items of
        the group, before anything left); majority_label and majority_share: the most frequent answer (empty where two
        are equally frequent) and its share of the answers; a, b, c, d, intercept, their standard errors, model, note at
        the last fit, of items that had left before at the first; and the last fit's communality and S-X2.
    """
    return pd.concat([_group_items(group, crowd) for group in build.groups.values()])


def _group_items(group: GroupBuild, crowd: Crowd) -> pd.DataFrame:
    names = pd.Index(group.items_given, name="item")
    gone = pd.DataFrame(list(group.history), columns=["item", "iteration", "rule", "reason"]).set_index("item")
    before = classical(crowd.responses.select(items=list(names))).items
    table = pd.DataFrame(
        {
            "group": group.name,
            "retained": [group.scale is not None and name not in gone.index for name in names],
            "left_at": gone["iteration"].reindex(names).astype("Int64"),
            "rule": gone["rule"].reindex(names),
            "reason": gone["reason"].reindex(names),
            "n": _whole(before["n"]),
            "proportion_correct": before["difficulty"],
            "item_rest": before["item_rest"],
        },
        index=names,
    ).join(crowd.majorities[["majority_label", "majority_share"]])
    if group.calibration is not None and group.first_calibration is not None:
        last, first = (fit.items.drop(columns="n") for fit in (group.calibration, group.first_calibration))
        # an item that left keeps the numbers it left with
        table = table.join(pd.concat([last, first.loc[first.index.difference(last.index, sort=False)]]))
    if group.evidence is not None:
        table = table.join(group.evidence.statistics.rename(columns=FIT_COLUMNS))
    return table


def _whole(counts: pd.Series) -> pd.Series:
    """Counts as whole numbers; sums of weights may be none."""
    return counts.astype("int64") if np.all(counts % 1 == 0) else counts


def abilities_table(build: ScaleBuild, crowd: Crowd) -> pd.DataFrame:
    """The crowd's abilities.

    Returns
    -------
    DataFrame, index (scale, subject)
        Columns theta, se (EAP), correct, answered. No rows where no group has a scale.
    """
    parts = {}
    for name, scale in build.scales.items():
        responses = crowd.responses.select(items=list(scale.item_names))
        table = estimate_abilities(scale.item_parameters, scale.population, scale.grid, responses)
        table["correct"] = (responses.codes == 1).sum(axis=1)
        table["answered"] = (responses.codes >= 0).sum(axis=1)
        parts[name] = table
    if not parts:
        empty = pd.MultiIndex.from_arrays([[], []], names=["scale", "subject"])
        return pd.DataFrame(columns=["theta", "se", "correct", "answered"], index=empty)
    return pd.concat(parts, names=["scale"])


def guessing_table(build: ScaleBuild) -> pd.DataFrame:
    """The guessing tests of all groups, index (group, item); no rows where none was made."""
    parts = {name: group.guessing.frame for name, group in build.groups.items() if group.guessing is not None}
    if not parts:
        return pd.DataFrame(columns=["statistic"], index=pd.MultiIndex.from_arrays([[], []], names=["group", "item"]))
    return pd.concat(parts, names=["group"])


def screening_table(crowd: Crowd) -> pd.DataFrame:
    """Workers who failed the attention checks, index worker; no rows where there were no checks or all passed."""
    if crowd.screening is None:
        return pd.DataFrame(columns=["reason", "value", "threshold"], index=pd.Index([], name="worker"))
    return crowd.screening.removed


def build_document(build: ScaleBuild, crowd: Crowd, settings: dict[str, Any]) -> dict[str, Any]:
    """The build for programs.

    Parameters
    ----------
    build : ScaleBuild
        The outcome.
    crowd : Crowd
        What it was built from.
    settings : dict
        What the command was asked to do.

    Returns
    -------
    dict
        For :func:`psyirt.cli.screen.json_text`.
    """
    labels = crowd.labels
    return {
        "psyirt_version": __version__,
        "settings": settings,
        "read": {
            "workers": len(labels.worker_names),
            "items": len(labels.item_names),
            "labels": labels.n_labels,
            "label_set": labels.label_set,
            "gold_set": labels.gold_set,
            "notes": crowd.responses.notes,
        },
        "removed_workers": screening_table(crowd),
        "subjects": crowd.responses.shape[0],
        "agreement": crowd.agreement,
        "groups": {name: _group_document(group) for name, group in build.groups.items()},
        "history": build.history,
        "items": items_table(build, crowd),
    }


def _group_document(group: GroupBuild) -> dict[str, Any]:
    """One group's outcome."""
    scale = group.scale
    return {
        "scale": scale is not None,
        "reasons_against": group.reasons,
        "items_given": group.items_given,
        "items_retained": () if scale is None else scale.item_names,
        "quality": None if scale is None else asdict(scale.quality),
        "log_likelihood": None if group.calibration is None else group.calibration.loglik,
        "tetrachoric_eigenvalues": group.eigenvalues,
        "guessing": None if group.guessing is None else group.guessing.frame,
        "holdout": None if group.holdout is None else group.holdout.frame,
        "notes": group.notes,
    }


def write_build(folder: Path, build: ScaleBuild, crowd: Crowd, document: dict[str, Any]) -> list[str]:
    """Write all files of a build into a folder.

    Parameters
    ----------
    folder : path
        Exists; see ``psyirt.foundation.files.atomic_directory``.
    build : ScaleBuild
        The outcome.
    crowd : Crowd
        What it was built from.
    document : dict
        From :func:`build_document`.

    Returns
    -------
    list of str
        The names written, in the order of BUILD_FILES.
    """
    if build.scales:
        save_scales(build.scales, folder / SCALE_FILE)
    write_document(document, folder / "build.json")
    write_table(items_table(build, crowd), folder / "items.csv")
    write_table(build.history.set_index("iteration"), folder / "history.csv")
    write_table(abilities_table(build, crowd), folder / "abilities.csv")
    write_table(crowd.agreement, folder / "agreement.csv")
    write_table(guessing_table(build), folder / "guessing.csv")
    if crowd.screening is not None:
        write_table(crowd.screening.removed, folder / "screening.csv")
    write_text(folder / "summary.txt", build.summary() + "\n")
    return [name for name in BUILD_FILES if (folder / name).exists()]
