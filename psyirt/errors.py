"""Exceptions and warnings: each message names the cause, the place and the remedy, on one line."""

from __future__ import annotations


def one_line(cause: str, place: str = "", remedy: str = "") -> str:
    """Join the three parts of a message into one line.

    Parameters
    ----------
    cause : str
        What is wrong.
    place : str
        Where: a file, a row, an item, a parameter.
    remedy : str
        What the reader can do about it.

    Returns
    -------
    str
        ``place: cause. remedy.`` with empty parts left out and line breaks folded.
    """
    head = f"{place}: {cause}" if place else cause
    text = " ".join(part.rstrip(". ") + "." for part in (head, remedy) if part.strip())
    return " ".join(text.split())


class PsyirtError(Exception):
    """Base of everything psyirt raises on purpose; the command line prints it as one line.

    Parameters
    ----------
    cause, place, remedy : str
        See :func:`one_line`.
    """

    def __init__(self, cause: str, place: str = "", remedy: str = "") -> None:
        self.cause, self.place, self.remedy = cause, place, remedy
        super().__init__(one_line(cause, place, remedy))


class InputError(PsyirtError, ValueError):
    """The data, a file or an option cannot be used as given (exit code 2 on the command line)."""


class EstimationError(PsyirtError, RuntimeError):
    """A model cannot be estimated from these data."""


class NotAvailableError(PsyirtError, LookupError):
    """A result was asked for something it does not hold, e.g. abilities without responses."""


class PsyirtWarning(UserWarning):
    """Base of psyirt's warnings."""

    def __init__(self, cause: str, place: str = "", remedy: str = "") -> None:
        super().__init__(one_line(cause, place, remedy))


class DataWarning(PsyirtWarning):
    """The data can be used, but a reader of the result should know this about them."""


class QuadratureWarning(PsyirtWarning):
    """The nodes of an integral over ability are too coarse or too narrow, or there is nothing to integrate over."""


class ConvergenceWarning(PsyirtWarning):
    """An iteration ended without meeting its convergence criteria."""
