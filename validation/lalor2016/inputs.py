"""What the study reads: labels, gold, and what the authors kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

import psyirt
from psyirt.data.readers import read_gold
from psyirt.errors import InputError

LABELS = "lalor_snli_5gs_labels.csv.gz"
GOLD = "lalor_snli_5gs_gold.csv.gz"
PUBLISHED = "lalor_snli_5gs_published.csv"
LABEL_MAP = {"e": "entailment", "n": "neutral", "c": "contradiction"}
GROUPS = ("contradiction", "entailment", "neutral")
WHERE = "validation/lalor2016/README.md says where the data come from and what each file holds"


@dataclass(frozen=True, eq=False)
class Study:
    """The original study's data.

    Attributes
    ----------
    labels : CrowdLabels
        983 workers x 90 items.
    published : DataFrame
        Index item; columns kept (bool), reason.
    """

    labels: psyirt.CrowdLabels
    published: pd.DataFrame

    @cached_property
    def responses(self) -> psyirt.Responses:
        """Graded answers; the three "na" count as wrong, as in 2016."""
        return self.labels.grade(LABEL_MAP, unanswered="wrong")

    def items(self, group: str) -> list[str]:
        """The items of a gold class."""
        gold = self.responses.item_column("gold")
        return [item for item in self.responses.item_names if gold[item] == group]

    def kept(self, group: str) -> list[str]:
        """The items of a class that the authors kept."""
        return [item for item in self.items(group) if self.published.loc[item, "kept"]]

    def removed(self) -> dict[str, str]:
        """The items that the authors removed, with their reasons."""
        gone = self.published[~self.published["kept"]]
        return {str(item): str(reason) for item, reason in gone["reason"].items()}

    @cached_property
    def position(self) -> dict[str, int]:
        """Place of every item within its class, from 1."""
        return {item: int(place) for item, place in self.responses.item_column("pos_in_class").items()}

    @cached_property
    def short(self) -> dict[str, str]:
        """Names as on the page: C11 is the 11th contradiction item."""
        gold = self.responses.item_column("gold")
        return {item: f"{str(gold[item])[0].upper()}{place}" for item, place in self.position.items()}


def read_study(folder: Path) -> Study:
    """Read the three files.

    Raises
    ------
    InputError
        If the folder or a file is absent, or the tables do not belong together.
    """
    if not folder.is_dir():
        raise InputError("there is no such folder", str(folder), f"Give the folder of the study's data; {WHERE}")
    absent = [name for name in (LABELS, GOLD, PUBLISHED) if not (folder / name).is_file()]
    if absent:
        raise InputError(f"no {' and no '.join(absent)} here", str(folder), f"Add what is absent; {WHERE}")
    gold = read_gold(folder / GOLD)
    labels = psyirt.read_labels(folder / LABELS, gold=gold)
    _need(gold, ("pos_in_class",), folder / GOLD)
    strangers = sorted(set(gold["gold"]) ^ set(GROUPS))
    if strangers:
        raise InputError(f"the gold classes are not {', '.join(GROUPS)}", str(folder / GOLD), WHERE)
    return Study(labels, _read_published(folder / PUBLISHED, labels.item_names))


def _read_published(path: Path, items: tuple[str, ...]) -> pd.DataFrame:
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError("is not a table", str(path), WHERE) from error
    _need(frame, ("item", "retained", "reason_removed"), path)
    table = frame.set_index("item")
    if sorted(table.index) != sorted(items) or not set(table["retained"]) <= {"0", "1"}:
        raise InputError("does not list each of the labels' items once, as 0 or 1", str(path), WHERE)
    return pd.DataFrame({"kept": table["retained"] == "1", "reason": table["reason_removed"]}).loc[list(items)]


def _need(frame: pd.DataFrame, columns: tuple[str, ...], path: Path) -> None:
    for column in columns:
        if column not in frame.columns:
            raise InputError(f"no column {column!r}", str(path), WHERE)
