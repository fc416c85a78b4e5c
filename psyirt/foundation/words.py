"""Numbers with their nouns, for messages."""

from __future__ import annotations


def counted(number: float, one: str, many: str | None = None) -> str:
    """A number with its noun in the right form.

    Parameters
    ----------
    number : float
        How many; whole numbers are written without a point.
    one : str
        The noun of one ("label"), or a phrase that begins with it ("label repeats").
    many : str, optional
        The same for any other number; default: `one` and an "s".

    Returns
    -------
    str

    Examples
    --------
    >>> counted(1, "label"), counted(0, "label"), counted(2, "entry", "entries")
    ('1 label', '0 labels', '2 entries')
    """
    return f"{number:.15g} {one if number == 1 else many or one + 's'}"
