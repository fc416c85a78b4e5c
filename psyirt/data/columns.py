"""Which column is which: the names that tables in use give to subjects, items, labels and gold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from psyirt.errors import InputError

# Earlier names win where a table has two of them; a trailing "id" and the case do not matter.
# crowd-kit says worker/task/label, the IRW standard id/item/resp, py-irt subject_id.
SUBJECT = (
    "subject", "worker", "annotator", "rater", "participant", "respondent", "person", "student", "user", "performer",
    "system", "model", "unnamed: 0", "id", "name", "",
)  # fmt: skip
ITEM = ("item", "task", "question", "pair", "example")
RESPONSE = ("response", "resp", "correct", "score")
LABEL = ("label", "answer", "prediction", "choice")
GOLD_BESIDE_LABELS = ("gold", "gold_label", "key", "truth", "true_label", "correct_answer", "target")
GOLD = (*GOLD_BESIDE_LABELS, "label", "answer")


def normal(name: str) -> str:
    """A column name in the form in which names are compared."""
    folded = name.strip().casefold()
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
