"""Which subjects are compared: a reference and a focal group, from whatever names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.errors import InputError
from psyirt.foundation.words import counted

# Zwick (2012, ETS RR-12-08): fewest subjects in the smaller group and in both
_SMALLER, _BOTH = 200, 500


@dataclass(frozen=True, eq=False)
class TwoGroups:
    """The subjects of both groups.

    Attributes
    ----------
    chosen : ndarray of int, shape (N,)
        Rows of the responses that belong to a group.
    is_focal : ndarray of bool, shape (N,)
        Which of them are focal.
    reference, focal : str
        The groups' names.
    notes : tuple of str
        Who is in which, and who is in none.
    """

    chosen: NDArray[np.intp]
    is_focal: NDArray[np.bool_]
    reference: str
    focal: str
    notes: tuple[str, ...]


def two_groups(groups: object, focal: object, subject_names: Sequence[str]) -> TwoGroups:
    """Read the groups.

    Parameters
    ----------
    groups : mapping or Series by subject, or sequence of length N
        Each subject's group; None or NaN for nobody's.
    focal : object or None
        The focal group's label; None takes the smaller group (of equal ones the one that sorts last).
    subject_names : sequence of str
        The responses' subjects.

    Returns
    -------
    TwoGroups

    Raises
    ------
    InputError
        If lengths disagree, a subject has no entry, there are not exactly two groups, or `focal` is neither.
    """
    labels = by_subject(groups, subject_names, "groups")
    known: NDArray[np.bool_] = ~pd.isna(np.array(labels, dtype=object))
    texts = np.array([str(label) for label in labels], dtype=object)
    names, sizes = np.unique(texts[known].astype(str), return_counts=True)
    if len(names) != 2:
        shown = ", ".join(repr(str(name)) for name in names[:5])
        raise InputError(
            f"{counted(len(names), 'group')} ({shown})", "groups", "Give two groups; compare more in pairs"
        )
    if focal is None:
        at = int(np.argmin(sizes[::-1]))
        chosen_focal = str(names[::-1][at])
    elif str(focal) in names:
        chosen_focal = str(focal)
    else:
        raise InputError(f"no group is called {focal!r}", "focal", f"Give {str(names[0])!r} or {str(names[1])!r}")
    reference = str(names[names != chosen_focal][0])
    chosen = np.flatnonzero(known)
    is_focal = np.asarray(texts[chosen] == chosen_focal, dtype=bool)
    return TwoGroups(chosen, is_focal, reference, chosen_focal, _notes(is_focal, reference, chosen_focal, known))


def _notes(is_focal: NDArray[np.bool_], reference: str, focal: str, known: NDArray[np.bool_]) -> tuple[str, ...]:
    """Sizes, and what they are too small for."""
    many, few = int((~is_focal).sum()), int(is_focal.sum())
    found = [f"reference {reference!r}: {counted(many, 'subject')}; focal {focal!r}: {counted(few, 'subject')}"]
    if min(many, few) < _SMALLER or many + few < _BOTH:
        found.append(f"few subjects: {_SMALLER} in the smaller group and {_BOTH} in both are advised (Zwick, 2012)")
    if not known.all():
        found.append(f"{counted(int((~known).sum()), 'subject is', 'subjects are')} in neither group and left out")
    return tuple(found)


def by_subject(values: object, subject_names: Sequence[str], name: str) -> list[Any]:
    """One value for each subject, from a mapping or Series by name, or from a sequence in the responses' order.

    Raises
    ------
    InputError
        If it is neither, its length is another, or a subject has no entry.
    """
    if isinstance(values, pd.Series):
        if not values.index.is_unique:
            raise InputError("a subject occurs more than once", name, "Give one value for each subject")
        values = {str(subject): value for subject, value in values.items()}
    if isinstance(values, Mapping):
        absent = [subject for subject in subject_names if subject not in values]
        if absent:
            raise InputError(
                f"{counted(len(absent), 'subject has', 'subjects have')} no entry, the first is {absent[0]!r}",
                name,
                "Index it by subject, or give a list in the responses' order",
            )
        return [values[subject] for subject in subject_names]
    if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray, pd.Index)):
        raise InputError(f"{name} is a {type(values).__name__}", "dif", "Give a Series by subject, or a list")
    if np.ndim(values) != 1 or len(values) != len(subject_names):
        raise InputError(
            f"{len(values)} values for {counted(len(subject_names), 'subject')}", name, "Give one for each subject"
        )
    return list(values)
