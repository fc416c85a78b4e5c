"""Which column is which: the names that tables in use give to subjects, items, labels and gold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from psyirt.errors import InputError

# Earlier names win where a table has two of them; a trailing "id" and the case do not matter.
# crowd-kit says worker/task/label, the IRW standard id/item/resp, py-irt subject_id.
SUBJECT = (
    "subject", "worker", "annotator", "rater", "participant", "respondent", "person", "student", "user", "performer",
    "system", "model", "unnamed: 0", "id", "name", "",
)  # fmt: skip
ITEM = ("item", "task", "question", "pair", "example")
RESPONSE = ("response", "resp", "correct", "score")
PREDICTED = ("prediction", "predicted_label", "predicted", "pred", "model_answer", "output")
LABEL = ("label", "answer", *PREDICTED, "choice")
GOLD_BESIDE_LABELS = ("gold", "gold_label", "key", "truth", "true_label", "correct_answer", "target")
GOLD = (*GOLD_BESIDE_LABELS, "label", "answer")

# Mechanical Turk's batch files say Input.pairID and Answer.label
MTURK = ("input.", "answer.")
UNNAMED = ("", "unnamed: 0")
_FEW_COLUMNS = 6


def normal(name: str) -> str:
    """A column name in the form in which names are compared."""
    folded = name.strip().casefold()
    for beginning in MTURK:
        folded = folded.removeprefix(beginning)
    bare = folded.replace(" ", "_").replace("-", "_")
    for ending in ("_id", "id"):
        if bare.endswith(ending) and bare != ending.strip("_"):
            return bare.removesuffix(ending)
    return folded if folded.startswith("unnamed:") else bare


def find_column(columns: Iterable[str], aliases: Sequence[str], given: str | None = None) -> str | None:
    """The column that holds what `aliases` name, or None.

    Parameters
    ----------
    columns : iterable of str
        A table's column names.
    aliases : sequence of str
        Known names, the preferred first.
    given : str, optional
        The name the caller gave; then no other column will do.

    Returns
    -------
    str or None
        The column's name as it stands in the table.

    Raises
    ------
    InputError
        If `given` is not among the columns.
    """
    names = list(columns)
    if given is not None:
        if given not in names:
            raise InputError(f"no column {given!r}", "", f"Columns are: {listed(names)}")
        return given
    known: dict[str, str] = {}
    for name in names:
        known.setdefault(normal(name), name)
    return next((known[alias] for alias in aliases if alias in known), None)


def need_column(
    columns: Iterable[str], aliases: Sequence[str], given: str | None, option: str, remedy: str = ""
) -> str:
    """As :func:`find_column`, but an absent column is an error that says how to name it with `option`."""
    names = list(columns)
    found = find_column(names, aliases, given)
    if found is None:
        raise InputError(f"no {option} column", "", remedy or f"Columns are: {listed(names)}; name one with {option}=")
    return found


def listed(names: Sequence[object], most: int = 8) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(str(name) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def without_row_index(frame: pd.DataFrame, subject: str | None = None) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A wide table without the row index that ``DataFrame.to_csv`` writes unless told otherwise.

    Parameters
    ----------
    frame : DataFrame
        A table as read.
    subject : str, optional
        The column that the caller says holds the subjects.

    Returns
    -------
    frame : DataFrame
        Without its first column, if that has no name (or pandas' ``Unnamed: 0``) and counts the rows while another
        column holds the subjects (is the caller's, or called ``subject``, ``worker``, ``system`` or the like).
    notes : tuple of str
        What was left out.
    """
    names = [str(name) for name in frame.columns]
    if not names or normal(names[0]) not in UNNAMED or names[0] == subject:
        return frame, ()
    known = [alias for alias in SUBJECT if alias not in (*UNNAMED, "id", "name")]
    cells = [str(cell).strip() for cell in frame.iloc[:, 0]]
    counts_rows = any(cells == [str(k + start) for k in range(len(cells))] for start in (0, 1))
    if not counts_rows or (subject is None and find_column(names[1:], known) is None):
        return frame, ()
    return frame.iloc[:, 1:], (f"the first column ({names[0]!r}) counts the rows and is not used",)


def _share_their_values(table: pd.DataFrame) -> bool:
    """Whether most cells of every column occur in the others too: answers to items do, items' names do not."""
    cells = [[str(cell).strip() for cell in table.iloc[:, k]] for k in range(table.shape[1])]
    for k, column in enumerate(cells):
        others = {cell for j, other in enumerate(cells) if j != k for cell in other}
        if 2 * sum(cell in others for cell in column) < len(column):
            return False
    return True


def repeated_rows_remedy(table: pd.DataFrame, kind: str, value: str) -> str:
    """What to do where a wide table's first column repeats: it may be a long table, whose columns differ.

    Parameters
    ----------
    table : DataFrame
        The rows' column first.
    kind, value : str
        What the rows and the cells of a table are called: ``"worker"`` and ``"label"``.

    Returns
    -------
    str
    """
    names = [str(name) for name in table.columns]
    if not 3 <= len(names) <= _FEW_COLUMNS or _share_their_values(table.iloc[:, 1:]):
        return f"Keep one row for each {kind}"
    return (
        f"This looks like a long table, one row per {value}: name its columns with {kind}=, item= and {value}= "
        f"(columns are: {listed(names)}); a wide one has one row for each {kind}"
    )
