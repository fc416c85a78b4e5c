"""Systems' predictions from a file: labels to be graded with a scale's key, or answers graded already."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from psyirt.cli.prediction_layout import one_system
from psyirt.data.any_responses import as_table
from psyirt.data.columns import LABEL, PREDICTED, RESPONSE, find_column
from psyirt.data.labels import CrowdLabels
from psyirt.data.readers import MISSING_CODES, read_labels, read_responses
from psyirt.data.readers.cells import BAD, response_codes
from psyirt.data.readers.detect import detect
from psyirt.data.readers.options import ReadOptions
from psyirt.data.readers.source import in_file, open_source
from psyirt.data.readers.tables import header_of, read_table
from psyirt.data.response_source import MISSING
from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.foundation.words import counted


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a predictions file holds of the items that some scale knows.

    Attributes
    ----------
    labels : CrowdLabels or None
        Labels, the systems being the workers; None where the file is graded.
    graded : Responses or None
        Graded answers; None where the file holds labels.
    unknown : tuple of str
        Items of the file that no scale knows: pruned ones, or columns that are no items.
    how : str
        How the file was read, in words.
    """

    labels: CrowdLabels | None
    graded: Responses | None
    unknown: tuple[str, ...]
    how: str

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the file's order."""
        return self.labels.worker_names if self.labels is not None else self._responses.subject_names

    @property
    def item_names(self) -> tuple[str, ...]:
        """The items that some scale knows, in the file's order."""
        return self.labels.item_names if self.labels is not None else self._responses.item_names

    @property
    def _responses(self) -> Responses:
        assert self.graded is not None
        return self.graded


def read_predictions(
    path: Path,
    known: Collection[str],
    label_set: Collection[str],
    *,
    graded: bool | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Predictions:
    """Read a predictions file.

    Parameters
    ----------
    path : path
        Wide (one row per system, one column per item) or long (system, item, and label or response); py-irt JSON lines.
        Without a column of systems, items and answers are those of one system, called as the file is.
    known : collection of str
        The items of all scales.
    label_set : collection of str
        What can be answered: labels called 0 and 1 are labels, not grades.
    graded : bool, optional
        Whether the answers are graded; default: found out. A table is graded if its answers to known items are all
        0, 1 or missing and these are not labels.
    columns : mapping, optional
        Names of the columns ``system``, ``item``, ``label``, ``response`` that are not recognised.
    encoding : str, optional
        Of text.

    Returns
    -------
    Predictions

    Raises
    ------
    InputError
        If the file cannot be read, holds no known item, or its answers are not what `graded` says.
    """
    named = dict(columns or {})
    alone = _one_system(path, known, named, encoding)
    if alone is not None:
        labels, is_graded = alone
        if is_graded and graded is False:
            raise InputError("holds graded answers, not labels", str(path), "Leave out --labels")
        found = _sorted_out(labels, known, label_set, True if is_graded else graded, path)
        return replace(found, how=f"one system, called as the file is; {found.how}")
    if "system" in named:
        named["worker"] = named.pop("system")
    if _has_responses(path, named, encoding):
        if graded is False:
            raise InputError("holds graded answers, not labels", str(path), "Leave out --labels")
        said = {"subject" if name == "worker" else name: column for name, column in named.items()}
        responses = as_table(read_responses(path, encoding=encoding, **said), str(path))  # type: ignore[arg-type]
        kept, unknown = _split(responses.item_names, known, path)
        return Predictions(None, responses.select(items=kept), unknown, "graded answers (0, 1)")
    if "label" not in named:
        # beside a prediction, a column "label" is what the prediction should have been
        predicted = _predicted_column(path, named, encoding)
        named |= {} if predicted is None else {"label": predicted}
    labels = read_labels(path, encoding=encoding, **named)
    return _sorted_out(labels, known, label_set, graded, path)


def _sorted_out(
    labels: CrowdLabels, known: Collection[str], label_set: Collection[str], graded: bool | None, path: Path
) -> Predictions:
    """The answers to known items, as labels or as grades."""
    kept, unknown = _split(labels.item_names, known, path)
    labels = labels.select(items=kept)
    if graded is None:
        graded = _look_graded(labels, label_set)
    if not graded:
        return Predictions(labels, None, unknown, "labels, graded with the scale's own key")
    return Predictions(None, _as_responses(labels, path), unknown, "graded answers (0, 1)")


def _one_system(
    path: Path, known: Collection[str], named: Mapping[str, str], encoding: str | None
) -> tuple[CrowdLabels, bool] | None:
    """The labels of a file with the answers of one system, and whether they are grades; None for any other file."""
    source = open_source(path, encoding)
    if detect(source, ReadOptions()) == "py-irt" or ("system" not in named and set(header_of(source)) & set(known)):
        return None
    found = one_system(read_table(source), known, named, path)
    if found is None:
        return None
    with in_file(str(path)):
        return CrowdLabels.from_frame(found[0], worker="system", item="item", label="label", layout="long"), found[1]


def _has_responses(path: Path, named: Mapping[str, str], encoding: str | None) -> bool:
    """Whether the file's format says that it is graded: py-irt, or long with a response and no label column."""
    source = open_source(path, encoding)
    said = ReadOptions(subject=named.get("worker"), item=named.get("item"), response=named.get("response"))
    form = detect(source, said)
    if form != "long" or "label" in named:
        return form == "py-irt"
    header = header_of(source)
    return "response" in named or (find_column(header, RESPONSE) is not None and find_column(header, LABEL) is None)


def _predicted_column(path: Path, named: Mapping[str, str], encoding: str | None) -> str | None:
    """The column of a long file that is called a prediction, whatever other labels there are."""
    source = open_source(path, encoding)
    form = detect(source, ReadOptions(subject=named.get("worker"), item=named.get("item")))
    return find_column(header_of(source), PREDICTED) if form == "long" else None


def _split(names: tuple[str, ...], known: Collection[str], path: Path) -> tuple[list[str], tuple[str, ...]]:
    """The known items and the others; refuse a file without any known one."""
    kept = [name for name in names if name in known]
    if not kept:
        raise InputError(
            f"none of its items is on a scale, the first is {names[0]!r}" if names else "has no items", str(path),
            "Use the items' names in the scale file as columns (wide), or in a column item (long)",
        )  # fmt: skip
    return kept, tuple(name for name in names if name not in known)


def _look_graded(labels: CrowdLabels, label_set: Collection[str]) -> bool:
    """Whether all labels are 0, 1 or missing, and 0 and 1 are not what can be answered."""
    present = labels.present_labels()
    codes = response_codes(np.array(present, dtype=object), MISSING_CODES) if present else np.array([])
    answers = {label for label, code in zip(present, codes, strict=True) if code != MISSING}
    return bool(answers) and not (codes == BAD).any() and not answers & set(label_set)


def _as_responses(labels: CrowdLabels, path: Path) -> Responses:
    """Labels that are grades as Responses."""
    of_label = response_codes(np.array(labels.label_set, dtype=object), MISSING_CODES)
    codes = np.full((len(labels.worker_names), len(labels.item_names)), MISSING, dtype=np.int8)
    codes[labels.worker_index, labels.item_index] = of_label[labels.label_index]
    bad = np.argwhere(codes == BAD)
    if bad.size:
        row, column = bad[0]
        raise InputError(
            f"an answer is not 0, 1 or missing ({counted(len(bad), 'such answer')})",
            f"{path}, system {labels.worker_names[row]!r}, item {labels.item_names[column]!r}",
            "Leave out --graded if the file holds labels",
        )
    return Responses(codes, labels.worker_names, labels.item_names)
